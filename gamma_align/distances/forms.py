"""A distance bound to the categories of a table: bilinear forms of margins, and disagreements of items.

Every expected disagreement is a sum of forms Σ_kl p_k q_l d_kl of two margins p and q. Margins are kept as *features*,
linear in the counts n_k: the counts themselves, or, where d = (s - s')², only Σ n_k, Σ n_k s_k and Σ n_k s_k², from
which the form follows. So a million distinct values cost three numbers.
"""

from __future__ import annotations

import abc
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from gamma_align.columns import CodeArray, FloatArray
from gamma_align.distances.base import Distance, Labels
from gamma_align.distances.metric import PairsOfCodes
from gamma_align.errors import InputError

FEW = 300
"""Up to so many categories margins are counts; above, three moments where the distance allows it."""
MOST_IN_TABLE = 3000
"""Up to so many categories all distances are kept as a table."""
MOST_IN_BLOCKS = 40_000
"""Up to so many, distances of numbers are computed block by block."""
_CELLS = 2_000_000


class Form(abc.ABC):
    """A distance between the `size` categories of one table.

    `features` are what a margin adds up for each category, shape (size, n_features); None: counts, a feature a
    category. `total` is Σ_kl d_kl over all categories, used or not, `largest` the largest distance of two.
    """

    size: int
    features: FloatArray | None = None
    total: Any
    largest: Any

    @abc.abstractmethod
    def form(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """Return Σ_kl p_k q_l d_kl for margins on the last axis."""

    @abc.abstractmethod
    def disagreements(self, rows: CodeArray) -> FloatArray:
        """Return Σ d over the ordered pairs of judgments of each item, shape (n_items,); -1 is no judgment."""

    def count(self, margin: FloatArray) -> FloatArray:
        """Return how many judgments a margin holds."""
        total: FloatArray = margin[..., 0] if self.features is not None else margin.sum(axis=-1)
        return total

    def margin(self, counts: FloatArray) -> FloatArray:
        """Return the features of counts (n_k on the last axis)."""
        return counts if self.features is None else counts @ self.features

    @property
    def n_features(self) -> int:
        """How many numbers a margin has."""
        return self.size if self.features is None else self.features.shape[1]


class NominalForm(Form):
    """0 or 1: only Σp, Σq and p·q are needed."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.total = float(size * (size - 1))
        self.largest = float(size > 1)

    def form(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """See `Form.form`."""
        value: FloatArray = first.sum(axis=-1) * second.sum(axis=-1) - (first * second).sum(axis=-1)
        return value

    def disagreements(self, rows: CodeArray) -> FloatArray:
        """See `Form.disagreements`."""
        present = np.count_nonzero(rows >= 0, axis=1)
        if self.size * rows.shape[1] <= rows.shape[1] ** 2:
            same = np.zeros(len(rows))
            for category in range(self.size):
                same += np.count_nonzero(rows == category, axis=1).astype(np.float64) ** 2
            return np.asarray(present.astype(np.float64) ** 2 - same)
        return _over_pairs(rows, lambda first, second: (first != second).astype(np.float64))


class TableForm(Form):
    """Any distance, as a table of all pairs, or block by block where that would be too large."""

    def __init__(self, size: int, between: PairsOfCodes, table: FloatArray | None = None) -> None:
        self.size = size
        self._between = between
        self._table = table

    @classmethod
    def of_table(cls, table: FloatArray) -> TableForm:
        """Return the form of the distances of all pairs."""
        return cls(len(table), lambda first, second: table[first, second], table)

    def form(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """See `Form.form`."""
        value = np.zeros(np.broadcast_shapes(first.shape[:-1], second.shape[:-1]))
        for part, block in self._blocks():
            value = value + ((first[..., part] @ block) * second).sum(axis=-1)
        return value

    def disagreements(self, rows: CodeArray) -> FloatArray:
        """See `Form.disagreements`."""
        return _over_pairs(rows, self._between)

    @cached_property
    def total(self) -> float:
        """See `Form`."""
        return float(sum(block.sum() for _, block in self._blocks()))

    @cached_property
    def largest(self) -> float:
        """See `Form`."""
        return float(max(block.max(initial=0.0) for _, block in self._blocks()))

    def _blocks(self) -> Iterator[tuple[slice, FloatArray]]:
        """Yield rows of the table."""
        if self._table is not None:
            yield slice(None), self._table
            return
        codes = np.arange(self.size)
        for part in slices(self.size, self.size, _CELLS):
            yield part, self._between(codes[part, None], codes)


class ScoreForm(Form):
    """d = (s - s')²: sums of squares, in time linear in the number of judgments.

    Scores are counted from one that is in use, so that a margin of one category has a form of exactly 0.
    """

    def __init__(self, scores: FloatArray, counts: FloatArray) -> None:
        self.size = len(scores)
        used = scores[counts > 0]
        mean = float(np.average(scores, weights=counts)) if len(used) else 0.0
        centre = used[np.argmin(np.abs(used - mean))] if len(used) else 0.0
        self.scores = scores - centre
        self.features = np.stack([np.ones(self.size), self.scores, self.scores**2], axis=1)
        centred = self.scores - self.scores.mean() if self.size else self.scores
        self.total = float(2 * self.size * (centred @ centred))
        self.largest = float(np.ptp(self.scores) ** 2) if self.size else 0.0

    def form(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """See `Form.form`."""
        value: FloatArray = (
            first[..., 0] * second[..., 2] + first[..., 2] * second[..., 0] - 2 * first[..., 1] * second[..., 1]
        )
        return value

    def disagreements(self, rows: CodeArray) -> FloatArray:
        """See `Form.disagreements`."""
        padded = np.append(self.scores, np.nan)
        result = np.empty(len(rows))
        for part in slices(len(rows), rows.shape[1], _CELLS):
            values = padded[rows[part]]
            # from the item's own first judgment: equal judgments then give exactly 0
            judged = rows[part] >= 0
            first = values[np.arange(len(values)), judged.argmax(axis=1)]
            values -= first[:, None]
            values[~judged] = 0.0
            present = np.count_nonzero(judged, axis=1)
            square = np.einsum("ij,ij->i", values, values)
            result[part] = np.where(present > 0, 2 * (present * square - values.sum(axis=1) ** 2), 0.0)
        return result


def form_of(distance: Distance, labels: Labels, counts: FloatArray) -> Form:
    """Return the distance bound to the categories of a table.

    `counts` are the judgments of each category on items with two or more, which an adaptive distance looks at.
    """
    if distance.name == "nominal":
        return NominalForm(len(labels))
    scores = distance.scores(labels, counts)
    if scores is not None:
        return ScoreForm(scores, counts)
    if len(labels) <= MOST_IN_TABLE:
        return TableForm.of_table(distance.matrix(labels))
    most = MOST_IN_BLOCKS if distance.closed else MOST_IN_TABLE
    if len(labels) > most:
        raise InputError(
            f"{len(labels)} categories are too many for the {distance.name} distance (at most {most}): every two of "
            "them are compared; round the values, or take a distance with a closed form (nominal, ordinal, interval)"
        )
    return TableForm(len(labels), distance.between(labels))


def slices(size: int, width: int, cells: int) -> list[slice]:
    """Return slices of 0 … size - 1 such that each, times `width`, is about `cells` at most."""
    step = max(1, cells // max(width, 1))
    return [slice(begin, min(begin + step, size)) for begin in range(0, size, step)]


def _over_pairs(rows: CodeArray, distance: PairsOfCodes) -> FloatArray:
    """Return Σ d over ordered pairs, judgments of an item moved to the front so that few pairs of columns are left."""
    # which coder judged what does not matter here: sorted downwards, missing judgments are last
    present = np.count_nonzero(rows >= 0, axis=1)
    order = np.argsort(-present, kind="stable")
    packed = np.sort(rows[order], axis=1)[:, ::-1][:, : int(present.max(initial=0))]
    reach = [int(np.searchsorted(-present[order], -width, side="right")) for width in range(1, packed.shape[1] + 1)]
    sums = np.zeros(len(rows))
    for second in range(1, packed.shape[1]):
        last = reach[second]
        for first in range(second):
            sums[:last] += distance(packed[:last, first], packed[:last, second])
    result = np.empty(len(rows))
    result[order] = 2 * sums
    return result
