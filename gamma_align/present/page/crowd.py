"""Pairs of annotators that are too many for γ of each: a map of all of them, or those who agree least and most."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.insight.disagreements import Disagreement, Disagreements
from gamma_align.present.figures.palette import disorder_steps
from gamma_align.present.page.cases import MAX_COMPARED_ANNOTATORS, case_key, readings

MAX_MAPPED_ANNOTATORS = 60  # 1,770 cells; from 40 on, they are wider than a page, and scroll
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

    @property
    def names(self) -> tuple[str, str]:
        """The two names, sorted, as the keys of cases have them."""
        return min(self.first, self.second), max(self.first, self.second)


class MapRow(NamedTuple):
    """An annotator, the mean disorder with the others, and the cells of the annotators of the rows above."""

    annotator: str
    with_others: float
    cells: tuple[PairCell | None, ...]


class Crowd:
    """The pairs of more annotators than γ is measured for.

    `stored` has the disagreements with a card in the file, by number; None if the page is served.
    """

    min_places = MIN_PLACES

    def __init__(self, result: Disagreements, stored: Mapping[int, Disagreement] | None, *, is_wanted: bool) -> None:
        self._names = result.corpus.annotators
        self._counts = result.pair_counts
        self._stored = stored
        is_crowd = is_wanted and len(self._names) > MAX_COMPARED_ANNOTATORS
        self.is_shown = is_crowd and bool((self._counts.places > 0).any())

    @cached_property
    def _with_others(self) -> FloatArray:
        return self._counts.with_others(len(self._names))

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
            (code, other_code): cell
            for code, other_code, cell in zip(
                self._counts.first.tolist(), self._counts.second.tolist(), self._cells(slice(None)), strict=True
            )
        }
        codes = order.tolist()
        return [
            MapRow(
                self._names[code],
                float(self._with_others[code]),
                tuple(cells.get((min(code, other_code), max(code, other_code))) for other_code in codes[:index]),
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

    @cached_property
    def pairs(self) -> dict[str, tuple[str, str]]:
        """The shown pairs that differ, in the order of their names, by the key of their cases."""
        if not self.is_shown:
            return {}
        shown = [row.cells for row in self.rows] if self.is_mapped else self.ends
        pairs = [cell.names for cell in chain.from_iterable(shown) if cell is not None and cell.differ]
        return {case_key("p", *names): names for names in pairs}

    def link(self, cell: PairCell) -> str | None:
        """Return the key of the cases of a cell of the map, or None if none of them has a card."""
        has_cards = self._stored is None or cell.names in self._stored_pairs
        return case_key("p", *cell.names) if cell.differ and has_cards else None

    @cached_property
    def _stored_pairs(self) -> set[tuple[str, str]]:
        """The pairs who differ in a card of the report."""
        names = sorted(self._names)
        rows = list(self._readings.values())
        codes = np.array([list(row) for row in rows], dtype="U1").reshape(len(rows), len(names))
        is_seen = codes != " "
        differs = [
            (codes[:, :j] != codes[:, j, None]) & is_seen[:, :j] & is_seen[:, j, None] for j in range(len(names))
        ]
        pairs = np.argwhere([np.pad(row.any(axis=0), (0, len(names) - j)) for j, row in enumerate(differs)])
        return {(names[i], names[j]) for j, i in pairs.tolist()}

    @cached_property
    def _readings(self) -> dict[int, str]:
        return readings((self._stored or {}).values(), sorted(self._names))

    @property
    def readings(self) -> dict[str, object] | None:
        """What each annotator has in each card, and how often each two differ, for the script of a page with a map."""
        if self._stored is None or not self.is_mapped:
            return None
        names = sorted(self._names)
        differ = {cell.names: cell.differ for cell in self._cells(slice(None))}
        rows = [[differ.get((first, second), 0) for first in names[:index]] for index, second in enumerate(names)]
        return {"annotators": names, "differ": rows, "cards": list(self._readings.items())}

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
