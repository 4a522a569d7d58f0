"""Compute the same values with gamma_align and with other programs, and write a table.

    python tools/peers/compare.py OUTPUT PYTHON [PYTHON …] [--irr FOLDER] [--dkpro CHECKOUT --jars CLASSPATH]

Each PYTHON is an interpreter with other programs installed (see README.md): irrCAC needs NumPy 1 and pygamma-agreement
NumPy 2, so they cannot be in one environment. R's irr is run if there is an R that knows it, DKPro Statistics if there
is a checkout of it. A program that cannot be run is named with the reason. The program ends with 1 if values differ
for which no reason is given.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from foreign import Entry, run_dkpro, run_irr
from ours import ROWS, Row
from ours_foreign import DIFFERENT, dkpro_rows, inception_lines, irr_rows, random_lines

HERE = Path(__file__).parent
# pygamma-agreement computes in single precision, and irrCAC rounds to five digits.
TOLERANCE = {"pygamma-agreement": 2e-6, "irrCAC": 6e-6}
DEFAULT_TOLERANCE = 1e-9

HEAD = """# The same values side by side

Written by `python tools/peers/compare.py tools/peers/results/compare.md PYTHON …`: what other programs give for the
small data of `cases.py`, and what gamma_align gives.

| program | name there | value there | name here | value here | |
|---|---|---|---|---|---|"""

INCEPTION_TEXT = """
## INCEpTION

INCEpTION calls DKPro Statistics with 30 samples and a fixed seed. Its own tests expect these values of γ, and DKPro,
called likewise, gives them. The last three columns have 3,000 samples. DKPro rounds samples to whole positions, and
draws a sample again if all its units are one annotator's; gamma_align, with `conventions="pygamma"`, does neither. That
matters on these texts of 4 to 15 characters with three to six units. With positions × 1,000, rounding has no effect.

| document of its tests | its test | DKPro, called likewise | | DKPro | DKPro, positions × 1,000 | gamma_align |
|---|---:|---:|---|---:|---:|---:|"""

RANDOM_TEXT = """
## DKPro Statistics on random continua

Least disorders of random continua of two to four annotators and three categories, whose units may overlap, with a Δ
of 1, ½ and 2 in turn.
"""


def main() -> int:
    """Write the table; return 1 if values differ without a reason."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=Path)
    parser.add_argument("interpreters", nargs="+", metavar="PYTHON")
    parser.add_argument("--irr", metavar="FOLDER", help="library folder in which R's irr is installed")
    parser.add_argument("--dkpro", metavar="CHECKOUT", help="checkout of DKPro Statistics")
    parser.add_argument("--jars", default="", help="class path: commons-math3, commons-lang3, slf4j-api, ojalgo")
    arguments = parser.parse_args()
    entries = run_python(arguments.interpreters)
    tables = [table(name, entries[name], rows) for name, rows in ((name, rows()) for name, rows in ROWS.items())]
    tables.append(table("irr", run_irr(arguments.irr), irr_rows()))
    dkpro = run_dkpro(arguments.dkpro, arguments.jars)
    tables.append(table("DKPro Statistics", dkpro, dkpro_rows(dkpro["values"]) if "values" in dkpro else []))
    lines = [HEAD, *(line for lines in tables for line in lines)]
    if "values" in dkpro:
        theirs = dkpro["values"]
        lines += [INCEPTION_TEXT, *inception_lines(theirs), RANDOM_TEXT, *random_lines(theirs)]
    for line in lines:
        if "not run: " in line:
            print(line, file=sys.stderr)
    arguments.output.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return int(any(DIFFERENT in line for line in lines))


def run_python(interpreters: list[str]) -> dict[str, Entry]:
    """Return the values of the programs in Python, each from an interpreter that has it."""
    found: dict[str, Entry] = {}
    for interpreter in interpreters:
        done = subprocess.run([interpreter, "theirs.py"], cwd=HERE, capture_output=True, text=True, check=True)
        # GLPK prints to stdout whatever it likes; the values are the last line.
        for name, entry in json.loads(done.stdout.splitlines()[-1]).items():
            if "values" in entry or name not in found:
                found[name] = entry
    return found


def table(name: str, entry: Entry, rows: Iterable[Row]) -> list[str]:
    """Return the lines of one program."""
    if "values" not in entry:
        return [f"| {name} | | | | | not run: {entry['missing']} |"]
    lines = []
    for row in rows:
        theirs = float(entry["values"][row.theirs])
        tolerance = TOLERANCE.get(name, DEFAULT_TOLERANCE) if row.tolerance is None else row.tolerance
        lines.append(
            f"| {name} {entry['version']} | {row.theirs} | {theirs:.6f} | {row.name} | {row.value:.6f} "
            f"| {verdict(row, abs(theirs - row.value) - tolerance)} |"
        )
    return lines


def verdict(row: Row, excess: float) -> str:
    """Return how two values compare; `excess` is how far their difference is above the tolerance."""
    if excess > 0:
        return row.why or DIFFERENT
    return "the same" if row.tolerance is None else f"the same within ±{row.tolerance:.4f}, four standard errors"


if __name__ == "__main__":
    sys.exit(main())
