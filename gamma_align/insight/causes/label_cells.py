"""The label of the others beside the label of an annotator, in each place where both are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gamma_align.columns import Columns, IntArray

MIN_PAIRS = 3  # of two labels, from which on they are evidence


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LabelCells(Columns):
    """Pairs of the label of the others and the label of an annotator, sorted by annotator.

    Codes of labels are below `n_labels`, which is one more than there are labels: the last code stands for no label.
    """

    n_labels: int
    unit: IntArray
    annotator: IntArray
    document: IntArray
    label_of_others: IntArray
    own_label: IntArray
    common_fields: ClassVar[tuple[str, ...]] = ("n_labels",)

    def of_annotator(self, annotator: int) -> LabelCells:
        """Return the pairs of an annotator."""
        first, last = np.searchsorted(self.annotator, [annotator, annotator + 1]).tolist()
        return self.take(slice(first, last))

    def table(self) -> IntArray:
        """Return the number of pairs by label of the others and own label, shape (n_labels, n_labels)."""
        n = self.n_labels
        return np.bincount(self.label_of_others * n + self.own_label, minlength=n * n).reshape(n, n)

    @property
    def differing(self) -> list[int]:
        """The annotators with enough pairs of different labels for a cause."""
        counts = np.bincount(self.annotator, self.own_label != self.label_of_others)
        annotators: list[int] = np.flatnonzero(counts >= MIN_PAIRS).tolist()
        return annotators

    @property
    def n_used(self) -> int:
        """Number of labels in use."""
        return len(np.union1d(self.label_of_others, self.own_label))
