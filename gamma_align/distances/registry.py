"""Distances by name, from a square table, or from a function of two labels."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable as Function
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import chain, product
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from gamma_align.columns import FloatArray
from gamma_align.data import AnyFrame, is_frame, label_name
from gamma_align.distances.base import Distance, Labels, find_rows
from gamma_align.distances.names import KINDS, NAMES, TAXONOMY_NAMES, WITH_PARAMETER
from gamma_align.errors import Cure, GammaAlignError, InputError, Set, SettingsError, did_you_mean

# Mappings are invariant in their keys, and functions contravariant in their arguments: only Any accepts any labels.
DistanceMapping = Mapping[Any, float | Mapping[Any, float]]
"""``{label: {label: d}}`` or ``{(label, label): d}``."""
DistanceFunction = Function[[Any, Any], float]
"""A function of two labels."""


@dataclass(frozen=True, slots=True)
class Matrix(Distance):
    """A table of distances, used without scaling; γ requires that distances of used categories are at most 1.

    Attributes
    ----------
    labels : sequence
        Labels of the rows and columns.
    values : array, shape (n, n)
        Symmetric, zero on the diagonal, 0 or more.

    Examples
    --------
    >>> ga.Matrix(["a", "b"], [[0, 0.5], [0.5, 0]]).matrix(["b", "a"]).tolist()
    [[0.0, 0.5], [0.5, 0.0]]
    """

    name: ClassVar[str] = "matrix"
    labels: Sequence[object]
    values: npt.ArrayLike

    def __post_init__(self) -> None:
        try:
            table = np.asarray(self.values, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise SettingsError(f"the table of distances is not a square of numbers: {error}") from None
        object.__setattr__(self, "labels", tuple(map(label_name, self.labels)))
        _check(table, self.labels, SettingsError)
        object.__setattr__(self, "values", tuple(map(tuple, table.tolist())))
        if len(set(self.labels)) < len(self.labels):
            raise SettingsError("the matrix names a category twice")

    @classmethod
    def from_mapping(cls, distances: DistanceMapping) -> Matrix:
        """Return the matrix from ``{label: {label: d}}``, or from ``{(label, label): d}``.

        The distance of a label from itself may be omitted. In the second form, omitted pairs are 1 apart.

        Examples
        --------
        >>> ga.Matrix.from_mapping({("a", "b"): 0.5}).matrix(["a", "b"]).tolist()
        [[0.0, 0.5], [0.5, 0.0]]
        """
        rows = {label: row for label, row in distances.items() if isinstance(row, Mapping)}
        is_square = len(rows) == len(distances)
        cells = _cells_of_rows(rows) if is_square else _cells_of_pairs(distances)
        labels = sorted(set(chain.from_iterable(cells)))
        if is_square:
            missing = next((pair for pair in product(labels, repeat=2) if pair not in cells), None)
            if missing is not None:
                first, second = missing
                raise SettingsError(f"the table of distances is not square: it has no d({first!r}, {second!r})")
        values = [[cells.get((a, b), cells.get((b, a), float(a != b))) for b in labels] for a in labels]
        return cls(labels, values)

    @classmethod
    def from_frame(cls, frame: AnyFrame) -> Matrix:
        """Return the matrix from a square data frame with the labels as its columns and as its index or first column.

        Raises
        ------
        SettingsError
            If it is not a data frame, or not a square one with labels.

        Examples
        --------
        >>> import pandas as pd
        >>> ga.Matrix.from_frame(pd.DataFrame([[0, 0.5], [0.5, 0]], index=["a", "b"], columns=["a", "b"])).labels
        ('a', 'b')
        """
        import narwhals as nw

        try:
            data: Any = nw.from_native(frame)
            data = data.collect() if isinstance(data, nw.LazyFrame) else data
        except (TypeError, nw.exceptions.NarwhalsError) as error:
            raise SettingsError(f"no data frame of distances: {error}") from None
        columns = list(map(label_name, data.columns))
        rows = [list(row) for row in data.rows()]
        # Only frames like those of pandas have an index.
        index = nw.maybe_get_index(data)
        names = [] if index is None else list(map(label_name, index))
        if set(names) != set(columns) and columns:  # the labels are in the first column
            names = [label_name(row[0]) for row in rows]
            columns = columns[1:]
            rows = [row[1:] for row in rows]
        if sorted(names) != sorted(columns):
            raise SettingsError(
                "a data frame of distances has the categories as its columns, and the same categories as its index or "
                f"first column; this one has columns {columns} and rows {names}"
            )
        return cls(columns, [rows[names.index(label)] for label in columns])

    def _matrix(self, labels: Labels) -> FloatArray:
        rows = find_rows(labels, self.labels, "the matrix of distances")
        table: FloatArray = np.asarray(self.values, dtype=np.float64)[np.ix_(rows, rows)]
        return table


def _cells_of_rows(rows: Mapping[object, Mapping[object, float]]) -> dict[tuple[str, str], float]:
    """Return the distances of pairs of labels from ``{label: {label: d}}``."""
    cells: dict[tuple[str, str], float] = {}
    for label, row in rows.items():
        name = label_name(label)
        cells[name, name] = 0.0
        cells |= {(name, label_name(column)): d for column, d in row.items()}
    return cells


def _cells_of_pairs(distances: DistanceMapping) -> dict[tuple[str, str], float]:
    """Return the distances of pairs of labels from ``{(label, label): d}``."""
    cells: dict[tuple[str, str], float] = {}
    for pair, d in distances.items():
        match pair:
            case (first, second) if isinstance(pair, tuple):
                cells[label_name(first), label_name(second)] = d  # type: ignore[assignment]  # `Matrix` checks it
            case _:
                raise SettingsError(
                    f"a table of distances is {{a: {{b: d}}}} or {{(a, b): d}}, and {pair!r} is not a pair"
                )
    return cells


@dataclass(frozen=True, slots=True)
class Callable(Distance):
    """A function of two labels; γ requires that its results are at most 1.

    Attributes
    ----------
    function : callable
        A symmetric function of two labels that returns a number ≥ 0, and 0 for equal labels. The labels of units are
        strings; labels of items may also be numbers or frozensets. It is called once for each ordered pair.

    Examples
    --------
    >>> distance = ga.distances.Callable(lambda first, second: float(first[0] != second[0]))
    >>> distance.matrix(["Noun:x", "Noun:y", "Verb"]).tolist()
    [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]]
    """

    name: ClassVar[str] = "callable"
    function: DistanceFunction

    def _matrix(self, labels: Labels) -> FloatArray:
        names = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
        table = np.array([[self._call(first, second) for second in names] for first in names], dtype=np.float64)
        table = table.reshape(len(names), len(names))
        _check(table, list(map(label_name, names)), InputError)
        return table

    def _call(self, first: object, second: object) -> float:
        """Return the function's result for two labels; raise an InputError if it fails or returns no number."""
        try:
            return float(self.function(first, second))
        except GammaAlignError:
            raise
        except Exception as error:
            raise InputError(
                f"the distance function has no number for {first!r} and {second!r}: {type(error).__name__}: {error}",
                "correct it; it must accept labels of units as strings",
            ) from error

    def to_dict(self) -> dict[str, object]:
        """Return name and parameters, ready for JSON."""
        return {"name": self.name, "function": getattr(self.function, "__qualname__", repr(self.function))}


def _check(table: FloatArray, labels: Sequence[object], error: type[GammaAlignError]) -> None:
    """Raise `error` with the first pair of labels whose entry in the table is not a distance."""
    if table.shape != (len(labels), len(labels)) and len(labels):
        raise error(
            f"the matrix has shape {table.shape}, its {len(labels)} categories require a row and a column for each"
        )
    invalid = np.argwhere(~(np.isfinite(table) & (table >= 0)))
    if len(invalid):
        raise error(f"{_entry(table, labels, *invalid[0])}, but a distance is 0 or more")
    asymmetric = np.argwhere(table != table.T)
    if len(asymmetric):
        row, column = asymmetric[0]
        raise error(
            f"{_entry(table, labels, row, column)} but {table[column, row]:g} the other way round, and a distance is "
            "symmetric"
        )
    not_zero = np.flatnonzero(np.diag(table))
    if len(not_zero):
        row = not_zero[0]
        raise error(f"d({labels[row]!r}, itself) is {table[row, row]:g}, but it must be 0")


def _entry(table: FloatArray, labels: Sequence[object], row: int, column: int) -> str:
    """Return an entry of a table in words, for messages."""
    return f"d({labels[row]!r}, {labels[column]!r}) is {table[row, column]:g}"


AnyDistance = str | Distance | DistanceMapping | AnyFrame | DistanceFunction
"""A name, a distance, a square table (mapping or data frame), or a function of two labels; see `as_distance`."""

_CURES = {
    "period": Cure("append it to the name, as in 'circular:360'"),
    "taxonomy": Cure("give one with {} of the distance", Set("taxonomy")),
}
"""The cure if a required parameter is missing."""


def as_distance(distance: AnyDistance) -> Distance:
    """Return a distance from its name, a table or a function.

    Parameters
    ----------
    distance : str, Distance, mapping, data frame or callable
        A name of `NAMES`, ``"circular:24"`` with the period, ``"interval:position"`` or ``"linear:position"``; a
        distance, which is returned; a table as for `Matrix.from_mapping` and `Matrix.from_frame`; or a function of two
        labels.

    Raises
    ------
    SettingsError
        For anything else.

    Examples
    --------
    >>> ga.distances.as_distance("circular:24")
    Circular(period=24.0)
    >>> ga.distances.as_distance({("a", "b"): 0.5}).matrix(["a", "b"]).tolist()
    [[0.0, 0.5], [0.5, 0.0]]
    """
    if isinstance(distance, Distance):
        return distance
    if isinstance(distance, str):
        return by_name(distance)
    if isinstance(distance, Mapping):
        return Matrix.from_mapping(distance)
    if callable(distance) and not isinstance(distance, type):
        return Callable(distance)
    if is_frame(distance):
        return Matrix.from_frame(distance)
    described = f"the class {distance.__name__} itself" if isinstance(distance, type) else type(distance).__name__
    raise SettingsError(
        "distance must be a name, a Distance, a table with its labels (a mapping, a data frame, or "
        f"distances.Matrix(labels, table)) or a function of two labels, not {described}"
    )


def by_name(name: str, **options: object) -> Distance:
    """Return the distance with this name, with options such as ``order``, ``separator`` and ``taxonomy``.

    Raises SettingsError for an unknown name, an option that the distance does not have, or a missing one.

    Examples
    --------
    >>> ga.distances.by_name("ordinal", order=["low", "high"])
    Ordinal(order=('low', 'high'))
    """
    kind_name, colon, parameter = name.partition(":")
    if kind_name not in KINDS or (colon and kind_name not in WITH_PARAMETER):
        raise SettingsError(
            f"distance must be one of {', '.join(NAMES)}, circular:PERIOD (with a taxonomy also "
            f"{', '.join(TAXONOMY_NAMES)}), or a Distance, a table or a function of two labels, not {name!r}"
            f"{did_you_mean(kind_name, KINDS)}"
        )
    if colon:
        required = WITH_PARAMETER[kind_name]
        try:
            options[required.option] = required.read(parameter)
        except ValueError:
            raise SettingsError(f"{name!r}: {parameter!r} is not a number") from None
    kind = _kind(kind_name)
    _check_options(kind, options)
    return kind(**options)


def _check_options(kind: type[Distance], options: Mapping[str, object]) -> None:
    """Raise SettingsError for an option that the distance does not have, or for a required one that is missing."""
    is_required = _fields(kind)
    unknown = next((option for option in options if option not in is_required), None)
    if unknown is not None:
        names = [name for name in KINDS if unknown in _fields(_kind(name))]
        raise SettingsError(f"the {kind.name} distance has no {unknown}; {', '.join(names)} have one")
    missing = next((option for option, required in is_required.items() if required and option not in options), None)
    if missing is not None:
        raise SettingsError(f"the {kind.name} distance needs its {missing}", _CURES[missing])


@cache
def _kind(name: str) -> type[Distance]:
    """Return the class of a distance; raise a SettingsError for an unknown name."""
    module, _, kind_name = KINDS[name].partition(":")
    kind: type[Distance] = getattr(import_module(module), kind_name)
    return kind


def _fields(kind: type[Distance]) -> dict[str, bool]:
    """Return the parameters of a distance, and whether each is required."""
    return {
        field.name: field.default is field.default_factory is dataclasses.MISSING
        for field in dataclasses.fields(kind)  # type: ignore[arg-type]  # every subclass is a dataclass
    }
