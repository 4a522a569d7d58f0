"""The label of the others beside the label of an annotator, in each place where both are known."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gamma_align.columns import Index, IntArray, stable_order
from gamma_align.insight.causes.memo import digest
from gamma_align.insight.causes.others import NO_LABEL_IN_COMMON

if TYPE_CHECKING:
    from gamma_align.insight.causes.view import View

MIN_PAIRS = 3  # of two labels, from which on they are evidence


class LabelCells:
    """Pairs of the label of the others and the label of an annotator, by annotator; no label has the last code.

    Units that a repair has copied are of one label with the others, which says nothing: they are left out.
    """

    n_labels: int
    unit: IntArray
    annotator: IntArray
    document: IntArray
    others: IntArray
    own: IntArray

    @classmethod
    def of_view(cls, view: View) -> LabelCells:
        """Return the pairs of all annotators."""
        rows = view.rows
        is_said = (rows.unit >= 0) & ~view.is_copy[rows.unit]
        if view.is_pair:
            has_copy = np.bincount(view.alignments.member_group, view.is_copy[view.alignments.members]) > 0
            is_said &= ~has_copy[rows.alignment]
        is_cell = np.flatnonzero(is_said & (rows.other_units > 0) & (rows.label != NO_LABEL_IN_COMMON))
        is_cell = is_cell[stable_order(rows.annotator[is_cell])]
        cells = cls()
        cells.n_labels = n_labels = len(view.corpus.categories) + 1
        cells.unit = rows.unit[is_cell]
        cells.annotator, cells.document = rows.annotator[is_cell], rows.document[is_cell]
        cells.others = rows.label[is_cell] % n_labels
        cells.own = view.corpus.category[cells.unit] % n_labels
        return cells

    def of(self, annotator: int) -> LabelCells:
        """Return the pairs of an annotator."""
        if annotator not in self._parts:
            first, last = np.searchsorted(self.annotator, [annotator, annotator + 1]).tolist()
            self._parts[annotator] = self.take(slice(first, last))
        return self._parts[annotator]

    def take(self, index: Index) -> LabelCells:
        """Return some of the pairs."""
        part = LabelCells()
        part.n_labels, part.unit, part.annotator = self.n_labels, self.unit[index], self.annotator[index]
        part.document, part.others, part.own = self.document[index], self.others[index], self.own[index]
        return part

    @cached_property
    def _parts(self) -> dict[int, LabelCells]:
        return {}

    @cached_property
    def key(self) -> bytes:
        """A short key of the documents and labels; repairs leave most annotators as they are, but number units anew."""
        return digest(self.document, self.others, self.own)

    def table(self) -> IntArray:
        """Return the number of pairs by label of the others and own label."""
        n = self.n_labels
        return np.bincount(self.others * n + self.own, minlength=n * n).reshape(n, n)

    @cached_property
    def differing(self) -> list[int]:
        """The annotators with enough pairs of different labels for a cause."""
        counts = np.bincount(self.annotator, self.own != self.others)
        annotators: list[int] = np.flatnonzero(counts >= MIN_PAIRS).tolist()
        return annotators

    @cached_property
    def n_used(self) -> int:
        """Number of labels in use."""
        is_used = np.zeros(self.n_labels, dtype=np.bool_)
        is_used[self.others] = is_used[self.own] = True
        return int(np.count_nonzero(is_used))
