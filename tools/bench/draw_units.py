"""Write a synthetic continuum: ``python draw_units.py FOLDER ANNOTATORS UNITS SEED``.

Everybody marks the same stretches of text, in one of eight categories, bounds off by up to one and a fifth of the
categories drawn anew.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

LABELS = 8


def main(place: Path, people: int, count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    cuts = np.cumsum(rng.integers(3, 30, 2 * count))
    labels = rng.integers(0, LABELS, count)
    columns = []
    for person in range(people):
        bounds = cuts + rng.integers(-1, 2, len(cuts))
        label = np.where(rng.random(count) < 0.2, rng.integers(0, LABELS, count), labels)
        columns.append((np.full(count, person), bounds[::2], bounds[1::2], label))
    annotator, start, end, category = (np.concatenate(column) for column in zip(*columns, strict=True))
    units = {
        "document": _coded(np.zeros(len(start)), ["one"]),
        "annotator": _coded(annotator, [f"a{person}" for person in range(people)]),
        "start": start,
        "end": end,
        "category": _coded(category, [f"c{label}" for label in range(LABELS)]),
    }
    place.mkdir()
    pq.write_table(pa.table(units), place / "units.parquet")
    extent = {"document": ["one"], "length": [int(end.max()) + 1], "unit": ["char"]}
    pq.write_table(pa.table(extent), place / "documents.parquet")


def _coded(codes: np.ndarray, names: list[str]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(codes.astype(np.int32), names)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
