"""Categorial dissimilarities: how far two labels are apart, in [0, 1] (DEFINITIONS §2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from gamma_align.dissimilarity.metric import NominalMetric, PairMetric
from gamma_align.errors import InputError, SettingsError

if TYPE_CHECKING:
    from gamma_align._types import FloatArray, IntArray
    from gamma_align.dissimilarity.metric import Labels, Metric

PairsOfCodes = Callable[["IntArray", "IntArray"], "FloatArray"]


class Categorial(Protocol):
    """A dissimilarity between labels."""

    @property
    def name(self) -> str:
        """Short name for the signature."""
        ...

    def bind(self, categories: tuple[str, ...]) -> PairsOfCodes:
        """Return the function from two columns of codes to D in [0, 1], for labels coded by `categories`.

        Code -1 is no label: two of them are 0 apart, one and a label are 1 apart.
        """
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return name and parameters, ready for JSON."""
        ...


@dataclass(frozen=True, slots=True)
class Nominal:
    """D = 0 for the same label, 1 for different ones."""

    name: str = "nominal"

    def bind(self, categories: tuple[str, ...]) -> PairsOfCodes:  # noqa: ARG002  (labels do not matter)
        """Return the function from codes to D; see `Categorial.bind`."""
        return _different

    def metric(self, labels: Labels) -> Metric:  # noqa: ARG002  (labels do not matter)
        """Return δ² for these labels; see `gamma_align.dissimilarity.metric.Distance.metric`."""
        return NominalMetric()

    def to_dict(self) -> dict[str, Any]:
        """Return name and parameters, ready for JSON."""
        return {"name": self.name}


def _different(first: IntArray, second: IntArray) -> FloatArray:
    differ: FloatArray = (first != second).astype(np.float64)
    return differ


@dataclass(frozen=True, slots=True)
class Matrix:
    """D as a table given by the user.

    Attributes
    ----------
    labels : tuple of str
        The labels of the rows and columns.
    values : tuple of tuple of float
        Symmetric, zero on the diagonal, entries in [0, 1].
    """

    labels: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    name: str = "matrix"

    def __post_init__(self) -> None:
        table = np.asarray(self.values, dtype=np.float64)
        size = len(self.labels)
        if table.shape != (size, size):
            raise SettingsError(f"the matrix has shape {table.shape}, its {size} labels ask for ({size}, {size})")
        if len(set(self.labels)) < size:
            raise SettingsError("the matrix names a label twice")
        for row, column in np.argwhere(~((table >= 0) & (table <= 1)))[:1]:
            raise SettingsError(
                f"D[{self.labels[row]!r}, {self.labels[column]!r}] is {table[row, column]}; need 0 to 1"
            )
        for row, column in np.argwhere(table != table.T)[:1]:
            first, second = self.labels[row], self.labels[column]
            raise SettingsError(
                f"D[{first!r}, {second!r}] is {table[row, column]} but D[{second!r}, {first!r}] is "
                f"{table[column, row]}; a dissimilarity is symmetric"
            )
        for row in np.flatnonzero(np.diag(table))[:1]:
            raise SettingsError(f"D[{self.labels[row]!r}, itself] is {table[row, row]}; need 0")

    @classmethod
    def of(cls, labels: Sequence[str], values: Sequence[Sequence[float]]) -> Matrix:
        """Return the matrix from sequences or arrays."""
        return cls(tuple(map(str, labels)), tuple(tuple(map(float, row)) for row in values))

    @classmethod
    def from_mapping(cls, distances: Mapping[tuple[str, str], float]) -> Matrix:
        """Return the matrix from ``{(label, label): D}``; pairs not named are 1 apart."""
        labels = sorted({label for pair in distances for label in pair})
        place = {label: row for row, label in enumerate(labels)}
        table = 1.0 - np.eye(len(labels))
        for (first, second), distance in distances.items():
            table[place[first], place[second]] = table[place[second], place[first]] = distance
        return cls.of(labels, table.tolist())

    def bind(self, categories: tuple[str, ...]) -> PairsOfCodes:
        """Return the function from codes to D; see `Categorial.bind`.

        Raises
        ------
        InputError
            For a label of the data that the matrix does not know.
        """
        return self._lookup((*categories, None))  # the last row is "no label", where code -1 points

    def metric(self, labels: Labels) -> Metric:
        """Return δ² for these labels, the entries as they are; see `gamma_align.dissimilarity.metric.Distance.metric`.

        "No label" is 1 from every label, as in `bind`.
        """
        return PairMetric(self._lookup(labels))

    def _lookup(self, labels: Labels) -> PairsOfCodes:
        place = {label: row for row, label in enumerate(self.labels)}
        for label in labels:
            if label is not None and label not in place:
                raise InputError(
                    f"the matrix of categories does not know {label!r}; it has {', '.join(map(repr, self.labels))}"
                )
        known = np.flatnonzero([label is not None for label in labels])
        rows = [place[label] for label in labels if label is not None]
        table = 1.0 - np.eye(len(labels))
        table[np.ix_(known, known)] = np.asarray(self.values, dtype=np.float64)[np.ix_(rows, rows)]

        def lookup(first: IntArray, second: IntArray) -> FloatArray:
            found: FloatArray = table[first, second]
            return found

        return lookup

    def to_dict(self) -> dict[str, Any]:
        """Return name and parameters, ready for JSON."""
        return {"name": self.name, "labels": list(self.labels), "values": [list(row) for row in self.values]}
