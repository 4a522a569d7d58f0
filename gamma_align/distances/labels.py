"""Distances of labels as they are written: the same or not, and how many edits apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from gamma_align.data.item_numbers import label_name
from gamma_align.distances.base import Distance, Labels
from gamma_align.distances.metric import NominalMetric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gamma_align._types import FloatArray, IntArray
    from gamma_align.distances.metric import PairsOfCodes


@dataclass(frozen=True, slots=True)
class Nominal(Distance):
    """0 for the same category, 1 for two different ones."""

    name: ClassVar[str] = "nominal"

    def matrix(self, labels: Labels, weights: FloatArray | None = None) -> FloatArray:  # noqa: ARG002
        """Return d between all pairs; see `Distance.matrix`."""
        return 1.0 - np.eye(len(labels))

    def bind(self, categories: Sequence[str]) -> PairsOfCodes:  # noqa: ARG002  (labels do not matter)
        """Return the function from codes to D; see `Distance.bind`."""
        return _different

    def metric(self, labels: Sequence[str | None]) -> NominalMetric:  # noqa: ARG002
        """Return δ²; see `Distance.metric`."""
        return NominalMetric()


def _different(first: IntArray, second: IntArray) -> FloatArray:
    differ: FloatArray = (first != second).astype(np.float64)
    return differ


@dataclass(frozen=True, slots=True)
class EditDistance(Distance):
    """Levenshtein's distance of two labels divided by the length of the longer one; 0 for two empty labels.

    The least number of characters (Unicode code points) inserted, deleted or replaced that makes one label the other.

    References
    ----------
    Levenshtein 1966, Binary codes capable of correcting deletions, insertions, and reversals.
    """

    name: ClassVar[str] = "edit"

    def matrix(self, labels: Labels, weights: FloatArray | None = None) -> FloatArray:  # noqa: ARG002
        """Return d between all pairs; see `Distance.matrix`."""
        names = [np.array([ord(character) for character in label_name(label)], dtype=np.int64) for label in labels]
        lengths = np.array([len(name) for name in names], dtype=np.int64)
        padded = np.full((len(names), int(lengths.max(initial=0))), -1)
        for row, name in zip(padded, names, strict=True):
            row[: len(name)] = name
        edits = np.array([_edits(name, padded, lengths) for name in names], dtype=np.float64)
        longest = np.maximum(lengths[:, None], lengths)
        return edits.reshape(longest.shape) / np.maximum(longest, 1)


def _edits(name: IntArray, padded: IntArray, lengths: IntArray) -> IntArray:
    """Return Levenshtein's distance of a name and each of others, rows of characters that end at their length."""
    column = np.arange(padded.shape[1] + 1)
    edits = np.broadcast_to(column, (len(padded), len(column)))
    for number, character in enumerate(name, 1):
        best = np.empty_like(edits)
        best[:, 0] = number
        best[:, 1:] = np.minimum(edits[:, 1:] + 1, edits[:, :-1] + (padded != character))
        # an insertion follows the best of what is to its left: least edits - column, running along the row
        edits = np.minimum.accumulate(best - column, axis=1) + column
    result: IntArray = edits[np.arange(len(padded)), lengths]
    return result
