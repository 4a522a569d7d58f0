"""A distance bound to the categories of a table: bilinear forms of margins, and disagreements of items.

An expected disagreement is a sum of forms Σ_kl p_k q_l d_kl of two margins p and q. Margins are stored as *features*,
which are linear in the counts n_k: the counts themselves or, if d = (s - s')², only Σ n_k, Σ n_k s_k and Σ n_k s_k²,
which determine the form. So a million distinct values need only three numbers.
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

MAX_COUNTED_CATEGORIES = 300
"""Maximum number of categories for which resampled margins are counts; with more, three moments, if possible."""
MAX_TABLE_CATEGORIES = 3000
"""Maximum number of categories for which all distances are stored as a table."""
MAX_BLOCK_CATEGORIES = 40_000
"""Maximum number of categories for which distances of numbers are computed block by block."""
MAX_PAIRED_CODERS = 100
"""Maximum number of coders whose judgments are compared in pairs; with more, judgments of a category are counted."""
_MAX_BLOCK_CELLS = 2_000_000  # limits the memory


class Form(abc.ABC):
    """A distance between the `size` categories of one table.

    `features` are the features of each category, shape (size, n_features); None if the features of a margin are its
    counts. `total` is Σ_kl d_kl over all categories, including unused ones, and `largest` the largest distance of two.
    """

    size: int
    features: FloatArray | None = None
    total: Any  # float; a subclass may compute it when it is first used
    largest: Any

    @abc.abstractmethod
    def form(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """Return Σ_kl p_k q_l d_kl for margins on the last axis."""

    @abc.abstractmethod
    def disagreements(self, rows: CodeArray) -> FloatArray:
        """Return Σ d over the ordered pairs of judgments of each item, shape (n_items,); -1 is no judgment."""

    def count(self, margin: FloatArray) -> FloatArray:
        """Return the number of judgments of a margin."""
        total: FloatArray = margin[..., 0] if self.features is not None else margin.sum(axis=-1)
        return total

    def margin(self, counts: FloatArray) -> FloatArray:
        """Return the features of counts (n_k on the last axis)."""
        return counts if self.features is None else counts @ self.features

    @property
    def n_features(self) -> int:
        """Number of features of a margin."""
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
        if self.size * rows.shape[1] <= rows.shape[1] ** 2:  # counting categories costs less than comparing pairs
            same = np.zeros(len(rows))
            for category in range(self.size):
                same += np.count_nonzero(rows == category, axis=1).astype(np.float64) ** 2
            return np.asarray(present.astype(np.float64) ** 2 - same)
        return _over_pairs(rows, lambda first, second: (first != second).astype(np.float64))


class TableForm(Form):
    """Any distance, as a table of all pairs, or block by block if the table would be too large."""

    def __init__(self, size: int, between: PairsOfCodes, table: FloatArray | None = None) -> None:
        self.size = size
        self._between = between
        self._table = table

    @classmethod
    def of_table(cls, table: FloatArray) -> TableForm:
        """Return the form of a table of the distances of all pairs."""
        return cls(len(table), lambda first, second: table[first, second], table)

    def form(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """See `Form.form`."""
        value = np.zeros(np.broadcast_shapes(first.shape[:-1], second.shape[:-1]))
        for part, block in self._blocks():
            value = value + ((first[..., part] @ block) * second).sum(axis=-1)
        return value

    def disagreements(self, rows: CodeArray) -> FloatArray:
        """See `Form.disagreements`."""
        n_coders = rows.shape[1]
        if n_coders <= max(self.size, MAX_PAIRED_CODERS):
            return _over_pairs(rows, self._between)
        result = np.zeros(len(rows))
        for part in slices(len(rows), max(n_coders, self.size), _MAX_BLOCK_CELLS):
            counts = counts_of_items(rows[part], self.size)
            for categories, block in self._blocks():
                # Not a product of matrices, whose rounding may depend on the other items.
                result[part] += np.einsum("ik,kl,il->i", counts[:, categories], block, counts)
        return result

    @cached_property
    def total(self) -> float:
        """See `Form`."""
        return float(sum(block.sum() for _, block in self._blocks()))

    @cached_property
    def largest(self) -> float:
        """See `Form`."""
        return float(max(block.max(initial=0.0) for _, block in self._blocks()))

    def _blocks(self) -> Iterator[tuple[slice, FloatArray]]:
        """Yield blocks of rows of the table."""
        if self._table is not None:
            yield slice(None), self._table
            return
        codes = np.arange(self.size)
        for part in slices(self.size, self.size, _MAX_BLOCK_CELLS):
            yield part, self._between(codes[part, None], codes)


class ScoreForm(Form):
    """d = (s - s')²: sums of squares, in time linear in the number of judgments.

    Scores are relative to a category that is used, so that the form of a margin of one category is exactly 0.
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
        for part in slices(len(rows), rows.shape[1], _MAX_BLOCK_CELLS):
            values = padded[rows[part]]
            # Relative to the first judgment of the item: equal judgments then result in exactly 0.
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

    `counts` are the numbers of judgments of each category on items with at least two judgments; adaptive distances use
    them.
    """
    if distance.name == "nominal":
        return NominalForm(len(labels))
    scores = distance.scores(labels, counts)
    if scores is not None:
        return ScoreForm(scores, counts)
    if len(labels) <= MAX_TABLE_CATEGORIES:
        return TableForm.of_table(distance.matrix(labels))
    max_categories = MAX_BLOCK_CATEGORIES if distance.closed else MAX_TABLE_CATEGORIES
    if len(labels) > max_categories:
        raise InputError(
            f"{len(labels)} categories are too many for the {distance.name} distance (at most {max_categories}): every "
            "two of them are compared",
            "round the values, or use a distance with a closed form (nominal, ordinal, interval)",
        )
    return TableForm(len(labels), distance.between(labels))


def slices(size: int, width: int, cells: int) -> list[slice]:
    """Return slices of 0 … size - 1 such that each, times `width`, is about `cells` at most."""
    step = max(1, cells // max(width, 1))
    return [slice(begin, min(begin + step, size)) for begin in range(0, size, step)]


def counts_of_items(rows: CodeArray, size: int) -> FloatArray:
    """Return the number of judgments of each category of each item, shape (n_items, size)."""
    item, coder = np.nonzero(rows >= 0)
    cell = item * size + rows[item, coder]
    return np.bincount(cell, minlength=len(rows) * size).reshape(-1, size).astype(np.float64)


def _over_pairs(rows: CodeArray, distance: PairsOfCodes) -> FloatArray:
    """Return Σ d over the ordered pairs of judgments of each item."""
    # The coder of a judgment does not matter: judgments of an item are sorted in descending order, so that missing ones
    # are last, and items by their number of judgments. Then each pair of columns is needed for the first items only.
    present = np.count_nonzero(rows >= 0, axis=1)
    order = np.argsort(-present, kind="stable")
    packed = np.sort(rows[order], axis=1)[:, ::-1][:, : int(present.max(initial=0))]
    sums = np.zeros(len(rows))
    for second in range(1, packed.shape[1]):
        n_items = int(np.searchsorted(-present[order], -(second + 1), side="right"))
        for first in range(second):
            sums[:n_items] += distance(packed[:n_items, first], packed[:n_items, second])
    result = np.empty(len(rows))
    result[order] = 2 * sums
    return result
