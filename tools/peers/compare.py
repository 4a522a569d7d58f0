"""Compute the same values with gamma_align and with other programs, and write a table.

    python tools/peers/compare.py OUTPUT PYTHON [PYTHON …]

Each PYTHON is an interpreter with other programs installed (see README.md): irrCAC needs NumPy 1 and pygamma-agreement
NumPy 2, so they cannot be in one environment. The program ends with 1 if values differ for which no reason is given.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from ours import ROWS, dkpro_rows

HERE = Path(__file__).parent
# pygamma-agreement computes in single precision, and irrCAC rounds to five digits.
TOLERANCE = {"pygamma-agreement": 2e-6, "irrCAC": 6e-6}
DEFAULT_TOLERANCE = 1e-9
DKPRO_TOLERANCE = 2e-7  # the values of its resources are those of pygamma-agreement


def main(output: Path, interpreters: list[str]) -> int:
    """Write the table; return 1 if values differ without a reason."""
    found: dict[str, dict] = {}
    for interpreter in interpreters:
        done = subprocess.run([interpreter, "theirs.py"], cwd=HERE, capture_output=True, text=True, check=True)
        # GLPK prints to stdout whatever it likes; the values are the last line.
        for name, entry in json.loads(done.stdout.splitlines()[-1]).items():
            if "values" in entry or name not in found:
                found[name] = entry
    lines, n_unexplained = [HEAD], 0
    for name, rows in ROWS.items():
        entry = found[name]
        if "values" not in entry:
            lines.append(f"| {name} | | | | | not installed: {entry['missing']} |")
            continue
        for row in rows():
            theirs = float(entry["values"][row.theirs])
            is_same = abs(theirs - row.value) <= TOLERANCE.get(name, DEFAULT_TOLERANCE)
            n_unexplained += not is_same and not row.why
            verdict = "the same" if is_same else row.why or "DIFFERENT"
            program = f"{name} {entry['version']}"
            lines.append(f"| {program} | {row.theirs} | {theirs:.6f} | {row.name} | {row.value:.6f} | {verdict} |")
    lines += dkpro()
    output.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return int(n_unexplained > 0)


HEAD = """# The same values side by side

Written by `python tools/peers/compare.py tools/peers/results/compare.md PYTHON …`: what other programs give for the
small data of `cases.py`, and what gamma_align gives.

| program | name there | value there | name here | value here | |
|---|---|---|---|---|---|"""


def dkpro() -> list[str]:
    """Return the lines for DKPro Statistics, whose own test resources have the values."""
    golden = json.loads((HERE.parents[1] / "tests/golden/gamma.json").read_text(encoding="utf-8"))["fixtures"]
    lines = []
    for fixture, row in zip(golden, dkpro_rows(), strict=True):
        verdict = "the same" if abs(fixture["disorder"] - row.value) <= DKPRO_TOLERANCE else "DIFFERENT"
        version = "DKPro Statistics 2.3.1 (its test resources)"
        lines.append(
            f"| {version} | {row.theirs} | {fixture['disorder']:.6f} | {row.name} | {row.value:.6f} | {verdict} |"
        )
    return lines


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
