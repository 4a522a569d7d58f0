"""Pairs of annotators that are too many for γ of each: a map of all of them, or those who agree least and most."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.insight.disagreements.disagreements import Disagreements
from gamma_align.present.figures.palette import disorder_steps
from gamma_align.present.page.cases import MAX_COMPARED_ANNOTATORS

MAX_MAPPED_ANNOTATORS = 40  # 780 cells of 24 pixels are as wide as a page
MIN_PLACES = 20  # of a listed pair; of fewer, the standard error of the mean disorder may exceed .1
_MAX_LISTED = 8  # pairs from either end


class PairCell(NamedTuple):
    """Two annotators: their names in the order of the corpus, counts, and the step of colour of their disorder."""

    first: str
    second: str
    documents: int
    places: int
    differ: int
    disorder: float
    step: int


class MapRow(NamedTuple):
    """An annotator, the mean disorder with the others, and the cells of the annotators of the rows above."""

    annotator: str
    with_others: float
    cells: tuple[PairCell | None, ...]


class Crowd:
    """The pairs of more annotators than γ is measured for."""

    min_places = MIN_PLACES

    def __init__(self, result: Disagreements) -> None:
        self._names, self._counts = result.corpus.annotators, result.pair_counts
        self._with_others = self._counts.with_others(len(self._names))

    @property
    def is_shown(self) -> bool:
        """Whether there are so many annotators, and any two of them have units in a common document."""
        return len(self._names) > MAX_COMPARED_ANNOTATORS and bool((self._counts.places > 0).any())

    @property
    def is_mapped(self) -> bool:
        """Whether all pairs are shown."""
        return self.is_shown and len(self._names) <= MAX_MAPPED_ANNOTATORS

    @property
    def with_others(self) -> dict[str, float]:
        """The mean disorder of each annotator with the others, NaN without a place."""
        return dict(zip(self._names, self._with_others.tolist(), strict=True))

    @cached_property
    def rows(self) -> list[MapRow]:
        """Return the rows of the map, the lowest disorder with the others first; each is shorter than the next."""
        order = np.argsort(self._with_others, kind="stable")  # NaN comes last
        cells = {
            (code, other): cell
            for code, other, cell in zip(
                self._counts.first.tolist(), self._counts.second.tolist(), self._cells(slice(None)), strict=True
            )
        }
        codes = order.tolist()
        return [
            MapRow(
                self._names[code],
                float(self._with_others[code]),
                tuple(cells.get((min(code, other), max(code, other))) for other in codes[:index]),
            )
            for index, code in enumerate(codes)
        ]

    @cached_property
    def ends(self) -> tuple[list[PairCell], list[PairCell]]:
        """Return the pairs with the highest and those with the lowest disorder, without any pair twice."""
        counts = self._counts
        rows = np.flatnonzero(counts.places >= MIN_PLACES)
        rows = rows[np.lexsort((-counts.places[rows], -counts.disorder[rows]))]
        n = min(_MAX_LISTED, (len(rows) + 1) // 2)
        return self._cells(rows[:n]), self._cells(rows[n:][::-1][:n])

    def _cells(self, rows: IntArray | slice) -> list[PairCell]:
        counts = self._counts.take(rows)
        disorder: FloatArray = np.nan_to_num(counts.disorder)
        columns = (counts.documents, counts.places, counts.differ, counts.disorder, disorder_steps(disorder, 1.0))
        return [
            PairCell(self._names[first], self._names[second], *values)
            for first, second, *values in zip(
                counts.first.tolist(), counts.second.tolist(), *(column.tolist() for column in columns), strict=True
            )
        ]
