"""Dissimilarities with pygamma-agreement's names. Categories of a matrix are in alphabetical order."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.compat.pygamma.instances import UnitTuples, unitary_disorders_of
from gamma_align.compat.pygamma.notes import note
from gamma_align.compat.pygamma.sorted_set import SortedSet
from gamma_align.compat.pygamma.unit import Unit
from gamma_align.data import Batch
from gamma_align.distances import EditDistance, PairDissimilarity

DMat = Callable[[Any, Any], float]
"""From two units as arrays (start, end, duration, index of the category) to their dissimilarity."""
_CHECKED_PAIRS = 3
_CATEGORIES_UNKNOWN = 10_000  # the number of categories from which random ones are drawn if none are declared


def dissimilarity_dec(function: DMat) -> DMat:
    """Return the function itself: pygamma-agreement compiles it with Numba here, which is not needed."""
    return function


class AbstractDissimilarity(ABC):
    """A dissimilarity of units: subclasses define `compile_d_mat` and `d`.

    Parameters
    ----------
    categories : SortedSet of str, optional
        The labels of units, if it takes them into account.
    delta_empty : float
        Δ, the dissimilarity of a unit to the empty unit.
    """

    def __init__(self, categories: SortedSet[str] | None = None, delta_empty: float = 1.0) -> None:
        self.delta_empty = float(delta_empty)
        if categories is not None and len(categories) == 0:
            raise ValueError("Cannot declare categorical dissimilarity with no categories.")
        self.categories = categories
        self.d_mat: DMat = self.compile_d_mat()
        self.check_if_dissim()

    @abstractmethod
    def compile_d_mat(self) -> DMat:
        """Return the dissimilarity as a function of two arrays."""

    @abstractmethod
    def d(self, unit1: Unit, unit2: Unit) -> float:
        """Return the dissimilarity of two units."""

    def check_if_dissim(self) -> None:
        """Refuse a function that is not symmetric, or not 0 for equal units, on three random pairs of units."""
        n_categories = _CATEGORIES_UNKNOWN if self.categories is None else len(self.categories)
        for _ in range(_CHECKED_PAIRS):
            # Python's own generator: NumPy's stays as it was seeded.
            first = _random_unit(n_categories)
            second = _random_unit(n_categories)
            if self.d_mat(first, second) != self.d_mat(second, first):
                raise ValueError(f"Compiled dissimilarity function is not symmetrical: units {first} and {second}.")
            for unit in (first, second):
                if self.d_mat(unit, unit) != 0:
                    raise ValueError(f"Compiled dissimilarity does not respect d(u, u) = 0: unit {unit}.")

    def compute_disorder(self, alignment: UnitTuples) -> FloatArray:
        """Return the disorder of each unitary alignment."""
        return unitary_disorders_of(alignment, self)

    def bind(self, labels: Sequence[str]) -> PairDissimilarity:
        """Return the dissimilarity for units whose labels are coded by `labels`, which are sorted; -1 is no label.

        Raises
        ------
        AssertionError
            If a label is not among the declared categories.
        """
        declared = list(labels) if self.categories is None else list(self.categories)
        return CustomPairs(0.0, 1.0, self.delta_empty, _CustomFunction(self.d_mat, self._codes(labels, declared)))

    def _codes(self, labels: Sequence[str], declared: Sequence[str]) -> IntArray:
        """Return the index among the declared categories of each label; -1 for no label, which is the last entry."""
        assert set(labels) <= set(declared), "the continuum has categories that the dissimilarity does not declare"
        index = {label: code for code, label in enumerate(declared)}
        return np.array([*(index[label] for label in labels), -1], dtype=np.int64)


def _random_unit(n_categories: int) -> FloatArray:
    """Return a random unit as an array: start, end, length and category."""
    start = random.uniform(0, 1000)  # noqa: S311  (no cryptography)
    length = random.uniform(1, 1000)  # noqa: S311  (no cryptography)
    return np.array([start, start + length, length, random.randrange(n_categories)])  # noqa: S311


class _CustomFunction:
    """A function of two units as arrays, and the index of each label in it."""

    def __init__(self, d_mat: DMat, codes: IntArray) -> None:
        self.d_mat = d_mat
        self.codes = codes

    def __call__(self, first: IntArray, second: IntArray) -> FloatArray:  # noqa: ARG002  (of `PairsOfCodes`)
        raise TypeError("a dissimilarity of whole units has no part for categories alone")


class CustomPairs(PairDissimilarity):
    """A user's dissimilarity of units in place of d_cat, with α = 0 and β = 1."""

    def categorial_pairs(self, batch: Batch, first: IntArray, second: IntArray) -> FloatArray:
        """Return d of pairs of units of the batch."""
        function = self.categorial
        assert isinstance(function, _CustomFunction)
        columns = (batch.start, batch.end, batch.end - batch.start, function.codes[batch.category])
        units = np.stack(columns, axis=1).astype(np.float64)
        pairs = zip(units[first], units[second], strict=True)
        return np.fromiter((function.d_mat(u, v) for u, v in pairs), dtype=np.float64, count=len(first))


class PositionalSporadicDissimilarity(AbstractDissimilarity):
    """d_pos of M15: ((|Δstart| + |Δend|) / (sum of lengths))² · Δ."""

    def __init__(self, delta_empty: float = 1.0) -> None:
        super().__init__(delta_empty=delta_empty)

    def compile_d_mat(self) -> DMat:
        """Return the dissimilarity as a function of two arrays."""
        delta_empty = self.delta_empty

        def d_mat(unit1: Any, unit2: Any) -> float:  # noqa: ANN401
            ratio = (abs(unit1[0] - unit2[0]) + abs(unit1[1] - unit2[1])) / (unit1[2] + unit2[2])
            return float(ratio * ratio * delta_empty)

        return d_mat

    def d(self, unit1: Unit, unit2: Unit) -> float:
        """Return the dissimilarity of two units."""
        first = unit1.segment
        second = unit2.segment
        ratio = (abs(first.start - second.start) + abs(first.end - second.end)) / (first.duration + second.duration)
        return ratio * ratio * self.delta_empty

    def bind(self, labels: Sequence[str]) -> PairDissimilarity:
        """See `AbstractDissimilarity.bind`."""
        return PairDissimilarity(1.0, 0.0, self.delta_empty, _Table(np.zeros((len(labels) + 1, len(labels) + 1))))


class _Table:
    """Distances of labels by their codes; the last row is no label."""

    def __init__(self, table: FloatArray) -> None:
        self.table = table

    def __call__(self, first: IntArray, second: IntArray) -> FloatArray:
        distances: FloatArray = self.table[first, second]
        return distances


class AbsoluteCategoricalDissimilarity(AbstractDissimilarity):
    """0 for equal categories, Δ for different ones."""

    def __init__(self, delta_empty: float = 1.0) -> None:
        super().__init__(None, delta_empty=delta_empty)

    def compile_d_mat(self) -> DMat:
        """Return the dissimilarity as a function of two arrays."""
        return lambda unit1, unit2: float(unit1[3] != unit2[3]) * self.delta_empty

    def d(self, unit1: Unit, unit2: Unit) -> float:
        """Return the dissimilarity of two units."""
        return float(unit1.annotation != unit2.annotation) * self.delta_empty

    def distances(self, labels: Sequence[str]) -> FloatArray:
        """Return the distances of labels, and of no label as the last row, without Δ."""
        return 1.0 - np.eye(len(labels) + 1)

    def bind(self, labels: Sequence[str]) -> PairDissimilarity:
        """See `AbstractDissimilarity.bind`."""
        return PairDissimilarity(0.0, 1.0, self.delta_empty, _Table(self.distances(labels)))


class CategoricalDissimilarity(AbsoluteCategoricalDissimilarity):
    """The base of dissimilarities of categories; itself, as in the notebook of pygamma-agreement, 0 or Δ."""

    def __init__(self, categories: Iterable[str] | None = None, delta_empty: float = 1.0) -> None:
        declared = None if categories is None else SortedSet(categories)
        AbstractDissimilarity.__init__(self, declared, delta_empty)


class PrecomputedCategoricalDissimilarity(CategoricalDissimilarity):
    """A matrix of distances of categories, whose rows are in alphabetical order of the categories.

    Raises
    ------
    ValueError
        If the matrix is not symmetric, or its diagonal is not 0.
    """

    def __init__(self, categories: Iterable[str], matrix: FloatArray, delta_empty: float = 1.0) -> None:
        declared = SortedSet(categories)
        assert matrix.shape == (len(declared), len(declared)), (
            "Provided categorical dissimilarity matrix's shape doesn't match number of categories."
        )
        self._matrix = np.asarray(matrix, dtype=np.float64)
        if not (self._matrix == self._matrix.T).all():
            raise ValueError("The matrix of categories is not symmetrical.")
        if self._matrix.diagonal().any():
            raise ValueError("The diagonal of the matrix of categories is not 0.")
        super().__init__(declared, delta_empty)

    def compile_d_mat(self) -> DMat:
        """Return the dissimilarity as a function of two arrays."""
        return lambda unit1, unit2: float(self._matrix[int(unit1[3]), int(unit2[3])]) * self.delta_empty

    def d(self, unit1: Unit, unit2: Unit) -> float:
        """Return the dissimilarity of two units."""
        assert self.categories is not None
        rows = [self.categories.index(unit.annotation) for unit in (unit1, unit2)]
        return float(self._matrix[rows[0], rows[1]]) * self.delta_empty

    def distances(self, labels: Sequence[str]) -> FloatArray:
        """See `AbsoluteCategoricalDissimilarity.distances`; no label differs from every label by 1."""
        assert self.categories is not None
        rows = self._codes(labels, list(self.categories))[:-1]
        table = np.ones((len(labels) + 1, len(labels) + 1))
        table[-1, -1] = 0.0
        table[:-1, :-1] = self._matrix[np.ix_(rows, rows)]
        return table


class LambdaCategoricalDissimilarity(PrecomputedCategoricalDissimilarity):
    """Distances of categories by a function: subclasses define `cat_dissim_func`. Distances above 1 scale all."""

    def __init__(self, labels: Iterable[str], delta_empty: float = 1.0) -> None:
        categories = SortedSet(labels)
        matrix = np.zeros((len(categories), len(categories)))
        for row in range(len(categories)):
            for column in range(row):
                matrix[row, column] = self.cat_dissim_func(categories[row], categories[column])
        matrix += matrix.T
        super().__init__(categories, matrix / max(1.0, float(matrix.max(initial=0.0))), delta_empty)

    @staticmethod
    @abstractmethod
    def cat_dissim_func(str1: str, str2: str) -> float:
        """Return the distance of two labels."""


class LevenshteinCategoricalDissimilarity(LambdaCategoricalDissimilarity):
    """The edit distance of two labels, divided by the length of the longer one plus 1."""

    @staticmethod
    def levenshtein(str1: str, str2: str) -> float:
        """Return the edit distance, divided by the length of the longer label plus 1."""
        longest = max(len(str1), len(str2))
        return float(EditDistance().matrix([str1, str2])[0, 1]) * longest / (longest + 1)

    @staticmethod
    def cat_dissim_func(str1: str, str2: str) -> float:
        """Return the distance of two labels."""
        return LevenshteinCategoricalDissimilarity.levenshtein(str1, str2)


class OrdinalCategoricalDissimilarity(PrecomputedCategoricalDissimilarity):
    """|p - q| / (the largest of these) of labels at positions p and q, which are 0, 1, 2, … by default."""

    def __init__(self, labels: Iterable[str], p: Iterable[float] | None = None, delta_empty: float = 1.0) -> None:
        names = [str(label) for label in labels]
        if len(set(names)) != len(names):
            raise ValueError("Provided labels must not have duplicates.")
        places = list(range(len(names))) if p is None else [float(number) for number in p]
        if len(places) != len(names):
            raise ValueError("Labels' and their associated numbers' iterables have not the same length")
        position = np.array(places, dtype=np.float64)
        distance = np.abs(position[:, None] - position)
        largest = float(distance.max(initial=0.0))
        order = np.argsort(names)
        matrix = distance[np.ix_(order, order)] / (largest or 1.0)
        if not np.allclose(matrix, distance / max(largest, 1.0)):
            note(
                "the distances of ordered labels are those of their order, divided by the largest; pygamma-agreement "
                "reads them in alphabetical order, and divides by at least 1"
            )
        super().__init__(SortedSet(names), matrix, delta_empty)


class NumericalCategoricalDissimilarity(OrdinalCategoricalDissimilarity):
    """The difference of two numbers, divided by the largest one; categories are numbers."""

    def __init__(self, labels: Iterable[str], delta_empty: float = 1.0) -> None:
        names = list(labels)
        try:
            numbers = [float(name) for name in names]
        except ValueError:
            raise ValueError("Cannot use ordinal dissimilarity on non-numeric categories.") from None
        super().__init__(names, numbers, delta_empty)


class CombinedCategoricalDissimilarity(AbstractDissimilarity):
    """α·d_pos + β·d_cat; Δ scales both."""

    def __init__(
        self,
        alpha: float = 1.0,
        beta: float = 1.0,
        delta_empty: float = 1.0,
        pos_dissim: AbstractDissimilarity | None = None,
        cat_dissim: AbstractDissimilarity | None = None,
    ) -> None:
        if pos_dissim is None:
            pos_dissim = PositionalSporadicDissimilarity(delta_empty)
        if cat_dissim is None:
            cat_dissim = AbsoluteCategoricalDissimilarity()
        if cat_dissim.delta_empty != delta_empty:
            note(
                f"Δ = {delta_empty:g} scales d_cat in alignments, too; in pygamma-agreement it does so in γcat alone: "
                "divide β by Δ for the same alignments"
            )
        cat_dissim.delta_empty = float(delta_empty)
        self.positional_dissim = pos_dissim
        self.categorical_dissim = cat_dissim
        self.alpha = alpha
        self.beta = beta
        super().__init__(cat_dissim.categories, delta_empty)

    def compile_d_mat(self) -> DMat:
        """Return the dissimilarity as a function of two arrays."""
        pos = self.positional_dissim.d_mat
        cat = self.categorical_dissim.d_mat
        alpha = self.alpha
        beta = self.beta
        return lambda unit1, unit2: alpha * pos(unit1, unit2) + beta * cat(unit1, unit2)

    def d(self, unit1: Unit, unit2: Unit) -> float:
        """Return the dissimilarity of two units."""
        position = self.positional_dissim.d(unit1, unit2)
        category = self.categorical_dissim.d(unit1, unit2)
        return self.alpha * position + self.beta * category

    def bind(self, labels: Sequence[str]) -> PairDissimilarity:
        """See `AbstractDissimilarity.bind`."""
        pos = self.positional_dissim
        cat = self.categorical_dissim
        is_own = type(pos) is PositionalSporadicDissimilarity and isinstance(cat, AbsoluteCategoricalDissimilarity)
        if not is_own or pos.delta_empty != self.delta_empty:
            return super().bind(labels)
        assert isinstance(cat, AbsoluteCategoricalDissimilarity)
        return PairDissimilarity(self.alpha, self.beta, self.delta_empty, _Table(cat.distances(labels)))
