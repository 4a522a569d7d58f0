"""Distances given by the user: a table, or a function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gamma_align.distances.base import Distance, Labels
from gamma_align.errors import InputError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable as Function
    from collections.abc import Sequence

    from gamma_align._types import FloatArray


def text(label: Any) -> str:  # noqa: ANN401  (a label of any kind)
    """Return a label as a matrix names it: 1 and 1.0 are "1"."""
    if isinstance(label, (frozenset, set)):
        return "{" + ", ".join(sorted(label)) + "}"
    return format(label, ".15g") if isinstance(label, (float, int, np.number)) else str(label)


@dataclass(frozen=True, slots=True)
class Matrix(Distance):
    """A table of distances.

    Attributes
    ----------
    labels : tuple of str
        Labels of the rows and columns.
    values : tuple of tuple of float
        Symmetric, zero on the diagonal, 0 or more.
    """

    name: ClassVar[str] = "matrix"
    labels: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        checked(np.asarray(self.values, dtype=np.float64), self.labels, SettingsError)
        if len(set(self.labels)) < len(self.labels):
            raise SettingsError("the matrix names a category twice")

    @classmethod
    def of(cls, labels: Sequence[Any], values: Sequence[Sequence[float]]) -> Matrix:
        """Return the matrix from sequences or arrays."""
        return cls(tuple(map(text, labels)), tuple(tuple(map(float, row)) for row in values))

    def matrix(self, labels: Labels, weights: FloatArray | None = None) -> FloatArray:  # noqa: ARG002
        """Return d between all pairs; see `Distance.matrix`.

        Raises
        ------
        InputError
            For a label that the table does not have.
        """
        place = {label: at for at, label in enumerate(self.labels)}
        names = [text(label) for label in labels]
        unknown = [name for name in names if name not in place]
        if unknown:
            have = ", ".join(map(repr, self.labels))
            raise InputError(f"the matrix of distances does not have the category {unknown[0]!r}; it has {have}")
        rows = [place[name] for name in names]
        found: FloatArray = np.asarray(self.values, dtype=np.float64)[np.ix_(rows, rows)]
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return name and parameters, ready for JSON."""
        return {"name": self.name, "labels": list(self.labels), "values": [list(row) for row in self.values]}


@dataclass(frozen=True, slots=True)
class Callable(Distance):
    """A function of two labels.

    Attributes
    ----------
    function : callable
        From two labels (strings, numbers, frozensets: as the table has them) to a number of 0 or more; symmetric, 0
        for a label and itself. It is called once for each pair of labels.
    """

    name: ClassVar[str] = "callable"
    function: Function[[Any, Any], float]

    def matrix(self, labels: Labels, weights: FloatArray | None = None) -> FloatArray:  # noqa: ARG002
        """Return d between all pairs; see `Distance.matrix`.

        Raises
        ------
        InputError
            For a result that is no distance: negative, infinite, not symmetric, not 0 on the diagonal.
        """
        names = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
        found = np.array([[float(self.function(first, second)) for second in names] for first in names])
        checked(found.reshape(len(names), len(names)), list(map(text, names)), InputError)
        return found.reshape(len(names), len(names))

    def to_dict(self) -> dict[str, Any]:
        """Return name and parameters, ready for JSON."""
        return {"name": self.name, "function": getattr(self.function, "__qualname__", repr(self.function))}


def checked(table: FloatArray, labels: Sequence[str], error: type[Exception]) -> None:
    """Raise `error` for a table that holds no distances, naming the first pair that is wrong."""
    if table.shape != (len(labels), len(labels)):
        raise error(f"the matrix has shape {table.shape}, its {len(labels)} categories ask for a square of them")
    for row, column in np.argwhere(~(np.isfinite(table) & (table >= 0)))[:1]:
        raise error(f"d({labels[row]!r}, {labels[column]!r}) is {table[row, column]:g}; a distance is 0 or more")
    for row, column in np.argwhere(table != table.T)[:1]:
        raise error(
            f"d({labels[row]!r}, {labels[column]!r}) is {table[row, column]:g} but {table[column, row]:g} the other "
            "way round; a distance is symmetric"
        )
    for row in np.flatnonzero(np.diag(table))[:1]:
        raise error(f"d({labels[row]!r}, itself) is {table[row, row]:g}; it must be 0")
