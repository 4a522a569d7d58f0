"""The base class of distances between categories, and the two distances that need only the text of the labels."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data import label_name
from gamma_align.distances.metric import Metric, NominalMetric, PairMetric, PairsOfCodes
from gamma_align.errors import InputError, SettingsError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Labels = Sequence[object] | npt.NDArray[Any]
"""A sequence of strings, frozensets or numbers, or an array of numbers."""


class Distance(abc.ABC):
    """A distance between categories: `matrix` and `scores` serve items, `bind` γ, and `metric` the uα family.

    Attributes
    ----------
    name : str
        Short name, for the command line, results and signatures.
    adaptive : bool
        Whether it depends on the frequencies of the categories; in γ they count as equally frequent.
    closed : bool
        Whether `between` computes distances by a formula, so that many labels need no table.
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
            Frequency of each label, for adaptive distances; by default all are equally frequent.

        Raises
        ------
        InputError
            For a label for which the distance is not defined.

        Examples
        --------
        >>> ga.Interval().matrix([1, 2, 5]).tolist()
        [[0.0, 1.0, 16.0], [1.0, 0.0, 9.0], [16.0, 9.0, 0.0]]
        """
        scores = self.scores(labels, weights) if self.adaptive else None
        return self._matrix(labels) if scores is None else np.square(scores[:, None] - scores)

    @abc.abstractmethod
    def _matrix(self, labels: Labels) -> FloatArray:
        """Return d between all pairs of labels; for an adaptive distance, if all are equally frequent."""

    def between(self, labels: Labels) -> PairsOfCodes:
        """Return a function from codes into `labels` to d."""
        return _lookup(self.matrix(labels))

    def scores(self, labels: Labels, weights: FloatArray | None = None) -> FloatArray | None:  # noqa: ARG002
        """Return numbers s with d = (s - s')², shape (n,), or None if d has no such form.

        With scores, sums of squares replace sums over pairs.
        """
        return None

    def among(self, labels: Labels, *, declared: bool) -> Distance:  # noqa: ARG002  (used by distances of ranks)
        """Return the distance with an order of the labels, if it needs one.

        If it has no order of its own, a `declared` order of the labels is used. InputError if there is none.
        """
        return self

    def bind(self, categories: Sequence[str]) -> PairsOfCodes:
        """Return a function from codes into `categories` to D in [0, 1], the categorial dissimilarity of γ.

        Distances that may exceed 1 by definition are divided by the largest distance of two of the categories. The
        order of the categories does not matter. Code -1 means no label: its distance from itself is 0 and its distance
        from every label is 1.

        Raises
        ------
        InputError
            For a category for which the distance is not defined, or if a required order is missing.
        SettingsError
            If a table or a function returns more than 1.

        Examples
        --------
        >>> import numpy as np
        >>> ga.Interval().bind(["1", "2", "3"])(np.array([0, 0, 0]), np.array([1, 2, -1])).tolist()
        [0.25, 1.0, 1.0]
        """
        return _lookup(self._with_none((*categories, None)))

    def metric(self, labels: Sequence[str | None]) -> Metric:
        """Return d as δ² of the uα family. None is "no label": its distance from every label is 1.

        Raises InputError for a label for which the distance is not defined, which may be None. Raises SettingsError if
        a table or a function returns more than 1 and None is among the labels.
        """
        return PairMetric(_lookup(self._with_none(labels)))

    def to_dict(self) -> dict[str, object]:
        """Return name and parameters, ready for JSON.

        Examples
        --------
        >>> ga.Ordinal(order=["low", "high"]).to_dict()
        {'name': 'ordinal', 'order': ['low', 'high']}
        """
        return {"name": self.name, **_parameters(self)}  # type: ignore[arg-type]  # every subclass is a dataclass

    def _with_none(self, labels: Sequence[str | None]) -> FloatArray:
        """Return d between all pairs of labels; the distance of None from all others is 1."""
        labelled = np.flatnonzero([label is not None for label in labels])
        # The distance is defined between labels only.
        distances = self.matrix([label for label in labels if label is not None])
        too_large = np.argwhere(distances > 1)
        if len(too_large) and len(labelled) < len(labels):
            first, second = too_large[0]
            raise SettingsError(
                f"d({labels[labelled[first]]!r}, {labels[labelled[second]]!r}) is {distances[first, second]:g}, and γ "
                "takes distances from 0 to 1; so does uα with units without a category, which are 1 from all others",
                "divide the distances by the largest one",
            )
        table = 1.0 - np.eye(len(labels))
        table[np.ix_(labelled, labelled)] = distances
        return table


def _lookup(table: FloatArray) -> PairsOfCodes:
    """Return a function from pairs of codes to the entries of a table."""
    return lambda first, second: table[first, second]


def _parameters(owner: DataclassInstance) -> dict[str, object]:
    """Return the parameters of a distance or of a part of it, ready for JSON."""
    return {field.name: _to_json(getattr(owner, field.name)) for field in dataclasses.fields(owner)}


def _to_json(value: object) -> object:
    """Return a parameter as lists, dictionaries, numbers and texts."""
    if isinstance(value, Distance):
        return value.to_dict()
    if isinstance(value, tuple):
        return [_to_json(part) for part in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _parameters(value)
    return value


def find_rows(labels: Labels, names: Sequence[object], owner: str) -> list[int]:
    """Return the index of each label among the names of an owner; InputError for a label that is not among them."""
    row = {name: index for index, name in enumerate(names)}
    rows = []
    for label in map(label_name, labels):
        if label not in row:
            raise InputError(f"{owner} does not have the category {label!r}; it has {', '.join(map(repr, names))}")
        rows.append(row[label])
    return rows


@dataclass(frozen=True, slots=True)
class Nominal(Distance):
    """0 for equal categories, 1 for different ones.

    Examples
    --------
    >>> ga.Nominal().matrix(["a", "b"]).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """

    name: ClassVar[str] = "nominal"

    def _matrix(self, labels: Labels) -> FloatArray:
        return 1.0 - np.eye(len(labels))

    def bind(self, categories: Sequence[str]) -> PairsOfCodes:  # noqa: ARG002  (independent of the labels)
        """See `Distance.bind`."""
        return lambda first, second: (first != second).astype(np.float64)

    def metric(self, labels: Sequence[str | None]) -> NominalMetric:  # noqa: ARG002
        """See `Distance.metric`."""
        return NominalMetric()


@dataclass(frozen=True, slots=True)
class EditDistance(Distance):
    """The Levenshtein distance of two labels divided by the length of the longer one; 0 for two empty labels.

    It is the least number of characters (Unicode code points) that must be inserted, deleted or replaced to turn one
    label into the other.

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
        """Return the edit distances of all pairs of labels, shape (n, n)."""
        names = [np.array([ord(character) for character in label_name(label)], dtype=np.int64) for label in labels]
        lengths = np.array([len(name) for name in names], dtype=np.int64)
        padded = np.full((len(names), int(lengths.max(initial=0))), -1)
        for row, name in zip(padded, names, strict=True):
            row[: len(name)] = name
        edits = np.array([_edits(name, padded, lengths) for name in names], dtype=np.float64)
        longest = np.maximum(lengths[:, None], lengths)
        return edits.reshape(longest.shape) / np.maximum(longest, 1)


def _edits(name: IntArray, padded: IntArray, lengths: IntArray) -> IntArray:
    """Return the Levenshtein distance of a name from each row of characters, which ends at its length.

    Entry j of a row of `edits` is the distance of the characters so far from the first j characters of the row.
    """
    column = np.arange(padded.shape[1] + 1)
    edits = np.broadcast_to(column, (len(padded), len(column)))
    for n_characters, character in enumerate(name, 1):
        best = np.empty_like(edits)
        best[:, 0] = n_characters
        best[:, 1:] = np.minimum(edits[:, 1:] + 1, edits[:, :-1] + (padded != character))
        # An insertion follows the best entry to its left: the running minimum of edits - column.
        edits = np.minimum.accumulate(best - column, axis=1) + column
    result: IntArray = edits[np.arange(len(padded)), lengths]
    return result
