"""Write each document of a corpus as a CSV that pygamma-agreement reads: annotator,category,start,end, no header.

The files are numbered from the fewest possible tuples of units to the most, so that a peer that is stopped has done
what it can.
"""

from __future__ import annotations

import csv
import math
import sys
from collections import Counter
from pathlib import Path

import gamma_align as ga


def main(source: str, folder: Path) -> None:
    corpus = ga.read(source)
    documents = sorted((list(corpus[name].units()) for name in corpus), key=_tuples)
    for number, units in enumerate(documents):
        with (folder / f"{number:04d}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerows([unit.annotator, unit.category or "none", unit.start, unit.end] for unit in units)


def _tuples(units: list[ga.Unit]) -> int:
    return math.prod(count + 1 for count in Counter(unit.annotator for unit in units).values())


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
