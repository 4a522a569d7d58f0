"""The label of the others beside the label of an annotator, in each place where both are known."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from gamma_align.columns import Index, IntArray

MIN_PAIRS = 3  # of two labels, from which on they are evidence


class LabelCells:
    """Pairs of the label of the others and the label of an annotator, by annotator; no label has the last code.

    Attributes
    ----------
    n_labels : int
        One more than there are labels.
    unit, annotator, document, label_of_others, own_label : ndarray of int64
    """

    def __init__(self, n_labels: int, *columns: IntArray) -> None:
        self.n_labels = n_labels
        self._columns = columns
        self.unit, self.annotator, self.document, self.label_of_others, self.own_label = columns

    def of(self, annotator: int) -> LabelCells:
        """Return the pairs of an annotator."""
        if annotator not in self._parts:
            first, last = np.searchsorted(self.annotator, [annotator, annotator + 1]).tolist()
            self._parts[annotator] = self.take(slice(first, last))
        return self._parts[annotator]

    def take(self, index: Index) -> LabelCells:
        """Return some of the pairs."""
        return LabelCells(self.n_labels, *(column[index] for column in self._columns))

    @cached_property
    def _parts(self) -> dict[int, LabelCells]:
        return {}

    def table(self) -> IntArray:
        """Return the number of pairs by label of the others and own label."""
        n = self.n_labels
        return np.bincount(self.label_of_others * n + self.own_label, minlength=n * n).reshape(n, n)

    @cached_property
    def differing(self) -> list[int]:
        """The annotators with enough pairs of different labels for a cause."""
        counts = np.bincount(self.annotator, self.own_label != self.label_of_others)
        annotators: list[int] = np.flatnonzero(counts >= MIN_PAIRS).tolist()
        return annotators

    @cached_property
    def n_used(self) -> int:
        """Number of labels in use."""
        is_used = np.zeros(self.n_labels, dtype=np.bool_)
        is_used[self.label_of_others] = is_used[self.own_label] = True
        return int(np.count_nonzero(is_used))
