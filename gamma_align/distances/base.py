"""A distance between categories: what each can do, and the two that need nothing but the labels as they are written."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data.item_labels import label_name
from gamma_align.distances.metric import Metric, NominalMetric, PairMetric, PairsOfCodes
from gamma_align.errors import InputError, SettingsError

Labels = Any
"""A sequence of strings, frozensets or numbers, or an array of numbers."""


class Distance(abc.ABC):
    """A distance between categories: `matrix` and `scores` serve items, `bind` γ, and `metric` the uα family.

    Attributes
    ----------
    name : str
        Short name, for the command line, results and signatures.
    adaptive : bool
        Whether it depends on how often the categories are used; in γ they count as equally frequent.
    closed : bool
        Whether `between` computes a distance from two numbers, so that many labels need no table.
    """

    __slots__ = ()
    name: ClassVar[str]
    adaptive: ClassVar[bool] = False
    closed: ClassVar[bool] = False

    def matrix(self, labels: Labels, weights: FloatArray | None = None) -> FloatArray:
        """Return d between all pairs of labels, shape (n, n).

        Parameters
        ----------
        labels : sequence
            Strings, frozensets or numbers.
        weights : ndarray of float64, shape (n,), optional
            How often each is used; only adaptive distances look at it. Without it: all equally often.

        Raises
        ------
        InputError
            For a label the distance is not defined for.

        Examples
        --------
        >>> ga.Interval().matrix([1, 2, 5]).tolist()
        [[0.0, 1.0, 16.0], [1.0, 0.0, 9.0], [16.0, 9.0, 0.0]]
        """
        scores = self.scores(labels, weights) if self.adaptive else None
        return self._matrix(labels) if scores is None else np.square(scores[:, None] - scores)

    @abc.abstractmethod
    def _matrix(self, labels: Labels) -> FloatArray:
        """Return d between all pairs of labels; of an adaptive distance, where they are used equally often."""

    def between(self, labels: Labels) -> PairsOfCodes:
        """Return the function from codes into `labels` to d."""
        return _lookup(self.matrix(labels))

    def scores(self, labels: Labels, weights: FloatArray | None = None) -> FloatArray | None:  # noqa: ARG002
        """Return numbers s with d = (s - s')², shape (n,), where there are such; then sums of squares do."""
        return None

    def among(self, labels: Labels, *, declared: bool) -> Distance:  # noqa: ARG002  (for those that go by ranks)
        """Return the distance with the order of the labels where it needs one: declared, if it has none itself.

        Raises InputError where there is none.
        """
        return self

    def bind(self, categories: Sequence[str]) -> PairsOfCodes:
        """Return the function from codes into `categories` to D in [0, 1]: γ's categorial dissimilarity.

        Distances that may be above 1 by their definition are divided by the largest one of two of the categories; the
        order of the categories does not matter. Code -1 is no label: two of them are 0 apart, one and a label are 1
        apart.

        Raises
        ------
        InputError
            For a category the distance is not defined for, or without an order where one is needed.
        SettingsError
            For a table or a function that gives more than 1.

        Examples
        --------
        >>> import numpy as np
        >>> ga.Interval().bind(["1", "2", "3"])(np.array([0, 0, 0]), np.array([1, 2, -1])).tolist()
        [0.25, 1.0, 1.0]
        """
        return _lookup(self._with_none((*categories, None)))

    def metric(self, labels: Sequence[str | None]) -> Metric:
        """Return d as δ² of the uα family. None is "no label", 1 from every label where d is in [0, 1].

        Raises InputError for a label the distance is not defined for, None among them; SettingsError for a table or a
        function that gives more than 1, with None among the labels.
        """
        return PairMetric(_lookup(self._with_none(labels)))

    def to_dict(self) -> dict[str, Any]:
        """Return name and parameters, ready for JSON.

        Examples
        --------
        >>> ga.Ordinal(order=["low", "high"]).to_dict()
        {'name': 'ordinal', 'order': ['low', 'high']}
        """
        return {"name": self.name, **_parameters(self)}

    def _with_none(self, labels: Sequence[str | None]) -> FloatArray:
        """Return d between all pairs of labels, None being 1 from all others."""
        known = np.flatnonzero([label is not None for label in labels])
        distances = self.matrix([label for label in labels if label is not None])
        for first, second in np.argwhere(distances > 1)[:1] if len(known) < len(labels) else ():
            raise SettingsError(
                f"d({labels[known[first]]!r}, {labels[known[second]]!r}) is {distances[first, second]:g}, and γ takes "
                "distances from 0 to 1; so does uα with units without a category, which are 1 from all others: divide "
                "the distances by the largest one"
            )
        table = 1.0 - np.eye(len(labels))
        table[np.ix_(known, known)] = distances
        return table


def _lookup(table: FloatArray) -> PairsOfCodes:
    return lambda first, second: table[first, second]


def _parameters(owner: Any) -> dict[str, Any]:  # noqa: ANN401  (a dataclass)
    return {field.name: _json(getattr(owner, field.name)) for field in dataclasses.fields(owner)}


def _json(value: Any) -> Any:  # noqa: ANN401  (a parameter of a distance)
    if isinstance(value, Distance):
        return value.to_dict()
    if isinstance(value, tuple):
        return [_json(part) for part in value]
    return _parameters(value) if dataclasses.is_dataclass(value) else value


def rows_of(labels: Labels, names: Sequence[str], owner: str) -> list[int]:
    """Return the index of each label among the names of an owner; InputError for one that is not there."""
    row = {name: number for number, name in enumerate(names)}
    wanted = list(map(label_name, labels))
    for unknown in [name for name in wanted if name not in row][:1]:
        raise InputError(f"{owner} does not have the category {unknown!r}; it has {', '.join(map(repr, names))}")
    return [row[name] for name in wanted]


@dataclass(frozen=True, slots=True)
class Nominal(Distance):
    """0 for the same category, 1 for two different ones.

    Examples
    --------
    >>> ga.Nominal().matrix(["a", "b"]).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """

    name: ClassVar[str] = "nominal"

    def _matrix(self, labels: Labels) -> FloatArray:
        return 1.0 - np.eye(len(labels))

    def bind(self, categories: Sequence[str]) -> PairsOfCodes:  # noqa: ARG002  (labels do not matter)
        """See `Distance.bind`."""
        return lambda first, second: (first != second).astype(np.float64)

    def metric(self, labels: Sequence[str | None]) -> NominalMetric:  # noqa: ARG002
        """See `Distance.metric`."""
        return NominalMetric()


@dataclass(frozen=True, slots=True)
class EditDistance(Distance):
    """Levenshtein's distance of two labels divided by the length of the longer one; 0 for two empty labels.

    The least number of characters (Unicode code points) inserted, deleted or replaced that makes one label the other.

    References
    ----------
    Levenshtein 1966, Binary codes capable of correcting deletions, insertions, and reversals.

    Examples
    --------
    >>> ga.distances.EditDistance().matrix(["cat", "cart"]).tolist()
    [[0.0, 0.25], [0.25, 0.0]]
    """

    name: ClassVar[str] = "edit"

    def _matrix(self, labels: Labels) -> FloatArray:
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
