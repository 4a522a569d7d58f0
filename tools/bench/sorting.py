"""What it costs to convert a CSV larger than memory into a Parquet data set: CPU, wall time, peak memory.

The CSV is drawn, rows in any order, and not kept. Run it with the Python gamma_align is installed for (with the extra
`parquet`); see README.md next to it.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
import processes
import pyarrow.parquet as pq
import table

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SEED = 1
UNITS = 15  # of a document
PIECE = 1_000_000


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure `gamma-align convert` of a large CSV; write a table.")
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000_000, 20_000_000], help="units of each file")
    parser.add_argument("--note", action="append", default=[], help="a remark for the page, say on other load")
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results" / "sorting.md", metavar="FILE")
    arguments = parser.parse_args()
    load, sources, cells, right = [os.getloadavg()[0]], [table.sources(ROOT)], [], True
    for rows in arguments.rows:
        with tempfile.TemporaryDirectory(prefix="gamma_align-bench-") as scratch:
            cells.append(_measured(rows, Path(scratch)))
        right &= cells[-1][-1] == "ok"
        print(*cells[-1], file=sys.stderr, flush=True)
    load.append(os.getloadavg()[0])
    sources.append(table.sources(ROOT))
    head = ("units", "CSV MB", "Parquet MB", "CPU s", "wall s", "peak MB", "output")
    lines = ["# Sorting tables larger than memory", "", *table.about(arguments, load, sources, "one run each")]
    lines += [*(f"- {note}" for note in arguments.note), "", table.line(head), table.line(["---:"] * len(head))]
    lines += [*map(table.line, cells), "", "How to read this: [README](../README.md#sorting).", ""]
    table.write(arguments.output, "\n".join(lines))
    return 0 if right else 1


def _measured(rows: int, scratch: Path) -> list[str]:
    raw, made = scratch / "raw.csv", scratch / "set"
    _draw(raw, rows)
    run = processes.run([sys.executable, "-P", "-m", "gamma_align.apps.cli", "convert", str(raw), str(made)], scratch)
    size = sum(file.stat().st_size for file in made.iterdir()) if made.is_dir() else 0
    numbers = (raw.stat().st_size / 1e6, size / 1e6, run.cpu, run.wall, run.peak)
    return [
        f"{rows:,}",
        *(f"{number:,.0f}" for number in numbers),
        _problem(made, rows) if not run.code else run.stderr,
    ]


def _problem(made: Path, rows: int) -> str:
    """Return "ok" where all units are there, and no document is in two row groups."""
    with pq.ParquetFile(made / "units.parquet") as file:
        last = ""
        for number in range(file.num_row_groups):
            known = file.metadata.row_group(number).column(0).statistics
            if known.min <= last:
                return f"row group {number} begins with {known.min}, the one before ends with {last}"
            last = known.max
        return "ok" if file.metadata.num_rows == rows else f"{file.metadata.num_rows} units"


def _draw(path: Path, rows: int) -> None:
    draw = np.random.default_rng(SEED)
    with path.open("w", encoding="ascii") as file:
        file.write("document,annotator,start,end,category\n")
        for left in range(rows, 0, -PIECE):
            count = min(left, PIECE)
            starts = draw.integers(2000, size=count)
            columns = (
                draw.integers(max(rows // UNITS, 1), size=count),
                draw.integers(3, size=count),
                starts,
                starts + draw.integers(1, 40, count),
                draw.integers(12, size=count),
            )
            cells = zip(*map(np.ndarray.tolist, columns), strict=True)
            file.write("".join(f"news/{d:08d},annotator{a},{s},{e},category{c}\n" for d, a, s, e, c in cells))


if __name__ == "__main__":
    raise SystemExit(main())
