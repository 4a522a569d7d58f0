"""Linearised errors beside irrCAC's and beside how much values really vary, with missing judgments; see README.md.

Run it with the Python gamma_align is installed for; it makes an environment of its own for irrCAC.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import platform
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import numpy as np
import table

import gamma_align as ga

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
REQUIREMENT = "irrCAC==0.4.4"
NAMES = ("ac1", "pi", "kappa-conger", "s", "alpha")
SHARES = (0.5, 0.3, 0.2)
RIGHT = 0.75
SETTINGS = ((12, 4, 0.15), (12, 4, 0.4), (40, 3, 0.0), (40, 3, 0.3), (40, 5, 0.5))


def main() -> int:
    arguments = _parser().parse_args()
    python = _prepared(arguments.peer_env)
    lines = [_line(["items", "coders", "missing", "coefficient", "really", "ours", "irrCAC"])]
    lines.append(_line(["---:", "---:", "---:", "---", "---:", "---:", "---:"]))
    with tempfile.TemporaryDirectory(prefix="gamma_align-bench-") as scratch:
        for items, coders, missing in SETTINGS:
            drawn = _drawn(items, coders, missing, arguments.repetitions)
            np.save(Path(scratch) / "tables.npy", drawn)
            command = [str(python), str(HERE / "errors_irrcac.py"), str(Path(scratch) / "tables.npy")]
            theirs = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
            values, ours = _our_errors(drawn)
            for name in NAMES:
                both = np.isfinite(np.array(ours[name])) & np.isfinite(np.array(theirs[name], dtype=float))
                means = (float(np.mean(np.array(one, dtype=float)[both])) for one in (ours[name], theirs[name]))
                figures = [float(np.std(np.array(values[name])[both], ddof=1)), *means]
                cells = [str(items), str(coders), f"{missing:.0%}", name, *(f"{figure:.4f}" for figure in figures)]
                lines.append(_line(cells))
            print(f"{items} × {coders}, {missing:.0%} missing", file=sys.stderr, flush=True)
    arguments.output.write_text(_page(lines, arguments), encoding="utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Compare linearised errors with irrCAC's and with the truth.")
    parser.add_argument("--repetitions", type=int, default=1000, metavar="N", help="tables a setting (default: 1000)")
    parser.add_argument(
        "--peer-env",
        type=Path,
        metavar="DIR",
        default=Path(tempfile.gettempdir()) / "gamma_align-bench-irrcac",
        help="irrCAC's environment, made if not there (default: a folder among temporary files)",
    )
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results" / "errors_items.md", metavar="FILE")
    return parser


def _drawn(items: int, coders: int, missing: float, repetitions: int) -> np.ndarray:
    """Return tables (repetitions × items × coders) of coders who give the true category or guess; NaN is missing."""
    draw = np.random.default_rng([items, coders, round(100 * missing)])
    size, shape = len(SHARES), (repetitions, items, coders)
    true = draw.choice(size, size=(repetitions, items, 1), p=SHARES)
    given = np.where(draw.random(shape) < RIGHT, true, draw.choice(size, size=shape, p=SHARES)).astype(float)
    given[draw.random(shape) < missing] = np.nan
    return given


def _our_errors(drawn: np.ndarray) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    values: dict[str, list[float]] = {name: [] for name in NAMES}
    errors: dict[str, list[float]] = {name: [] for name in NAMES}
    for one in drawn:
        items = ga.ItemTable.from_matrix(one, categories=range(len(SHARES)))
        result = ga.item_agreement(items, coefficients=NAMES, interval="linearised")
        for name, found in result.coefficients.items():
            values[name].append(found.value)
            errors[name].append(found.error)
    return values, errors


def _prepared(folder: Path) -> Path:
    """Return the Python of irrCAC's environment, which is made if it is not there."""
    python = folder / "bin" / "python"
    check = [str(python), "-c", "import irrCAC.raw"]
    if not python.exists() or subprocess.run(check, capture_output=True, check=False).returncode:
        venv.create(folder, clear=True, with_pip=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", REQUIREMENT], check=True)
    return python


def _page(lines: list[str], arguments: argparse.Namespace) -> str:
    about = (
        f"- {dt.datetime.now(dt.UTC).date()}; gamma_align ({table.sources(ROOT)}); {REQUIREMENT}; Python "
        f"{platform.python_version()}, numpy {np.__version__}.\n"
        f"- {arguments.repetitions} tables a setting, of coders who give the true of three categories "
        f"({', '.join(map(str, SHARES))}) with probability {RIGHT}, and guess else; any judgment may be missing.\n"
        "- really: standard deviation of the values over the tables; ours and irrCAC's: mean of the standard errors. "
        "Tables are those on which all of them have one.\n"
        "- irrCAC's error of α is that of α′, without the factor (n - 1)/n."
    )
    return "\n".join(
        ["# Linearised errors", "", about, "", *lines, "", "How to read this: [README](../README.md).", ""]
    )


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    raise SystemExit(main())
