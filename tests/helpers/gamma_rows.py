"""Rows of γ written by hand, one document after the other, as the columns that the package has."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from gamma_align.measures.gamma.gamma_rows import Chances, GammaRows


class Chance(NamedTuple):
    """What `Chances` has of one document."""

    observed: float
    weight: float
    pairs: int
    expected: float
    error: float
    deviation: float
    skewness: float
    samples: int
    controls: int
    freedom: float
    bracket: float = 0.0
    prior: float = 0.0
    status: int = 0
    numerical_error: float = 0.0


NOTHING = Chance(math.nan, 0.0, 0, math.nan, math.nan, math.nan, 0.0, 0, 0, 0.0)


class Row(NamedTuple):
    """What `GammaRows` has of one document."""

    document: str
    annotators: int
    units: int
    alignments: int
    samples: int
    gamma: Chance
    gamma_cat: Chance
    gamma_k: Mapping[str, Chance] = {}


def chances_of(rows: Sequence[Chance]) -> Chances:
    return Chances(*map(np.array, zip(*rows, strict=True))) if rows else Chances.unavailable(0)


def rows_of(rows: Sequence[Row]) -> GammaRows:
    categories = tuple(sorted({label for row in rows for label in row.gamma_k}))
    of_k = [(index, label, row.gamma_k[label]) for index, row in enumerate(rows) for label in sorted(row.gamma_k)]
    counts = {name: np.array([getattr(row, name) for row in rows]) for name in Row._fields[1:5]}
    return GammaRows(
        documents=tuple(row.document for row in rows),
        categories=categories,
        **counts,
        gap=np.zeros(len(rows)),
        distance_lowered=np.zeros(len(rows), dtype=np.bool_),
        unlabelled=np.zeros(len(rows), dtype=np.int64),
        gamma=chances_of([row.gamma for row in rows]),
        gamma_cat=chances_of([row.gamma_cat for row in rows]),
        document_k=np.array([index for index, *_ in of_k], dtype=np.int64),
        category_k=np.array([categories.index(label) for _, label, _ in of_k], dtype=np.int64),
        gamma_k=chances_of([chance for *_, chance in of_k]),
    )
