"""What is taken for a distance: its name, the distance itself, a square table or a function of two labels."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable as Function
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from gamma_align.columns import FloatArray
from gamma_align.data.item_labels import label_name
from gamma_align.data.tables import AnyFrame, is_frame
from gamma_align.distances.base import Distance, Labels, rows_of
from gamma_align.errors import GammaAlignError, InputError, SettingsError, did_you_mean


@dataclass(frozen=True, slots=True)
class Matrix(Distance):
    """A table of distances, taken as they are; γ needs those of categories in use to be 1 at most.

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
    labels: Sequence[Any]
    values: npt.ArrayLike

    def __post_init__(self) -> None:
        try:
            table = np.asarray(self.values, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise SettingsError(f"the table of distances is no square of numbers: {error}") from None
        object.__setattr__(self, "labels", tuple(map(label_name, self.labels)))
        _check(table, self.labels, SettingsError)
        object.__setattr__(self, "values", tuple(map(tuple, table.tolist())))
        if len(set(self.labels)) < len(self.labels):
            raise SettingsError("the matrix names a category twice")

    @classmethod
    def from_mapping(cls, distances: Mapping[Any, Any]) -> Matrix:
        """Return the matrix from ``{label: {label: d}}``, or ``{(label, label): d}`` with pairs not named 1 apart.

        A label and itself need not be named.

        Examples
        --------
        >>> ga.Matrix.from_mapping({("a", "b"): 0.5}).matrix(["a", "b"]).tolist()
        [[0.0, 0.5], [0.5, 0.0]]
        """
        square = all(isinstance(row, Mapping) for row in distances.values())
        cells = distances
        if square:
            cells = {(a, b): d for a, row in distances.items() for b, d in {a: 0.0, **row}.items()}
        for pair in cells:
            if not (isinstance(pair, tuple) and len(pair) == 2):  # noqa: PLR2004
                raise SettingsError(
                    f"a table of distances is {{a: {{b: d}}}} or {{(a, b): d}}, and {pair!r} is no pair"
                )
        known = {(label_name(a), label_name(b)): d for (a, b), d in cells.items()}
        labels = sorted({label for pair in known for label in pair})
        for a, b in [(a, b) for a in labels for b in labels if (a, b) not in known][:1] if square else ():
            raise SettingsError(f"the table of distances is not square: it has no d({a!r}, {b!r})")
        return cls(labels, [[known.get((a, b), known.get((b, a), float(a != b))) for b in labels] for a in labels])

    @classmethod
    def from_frame(cls, frame: AnyFrame) -> Matrix:
        """Return the matrix from a square data frame: labels are its columns, and its index or first column.

        Raises
        ------
        SettingsError
            For what is no data frame, or no square one with labels.

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
        columns, rows = list(map(label_name, data.columns)), [list(row) for row in data.rows()]
        index = nw.maybe_get_index(data)
        names = [] if index is None else list(map(label_name, index))
        if set(names) != set(columns) and columns:  # labels are not in the index
            names, columns, rows = [label_name(row[0]) for row in rows], columns[1:], [row[1:] for row in rows]
        if sorted(names) != sorted(columns):
            raise SettingsError(
                "a data frame of distances has the categories as its columns and, the same ones, as its index or first "
                f"column; this one has columns {columns} and rows {names}"
            )
        return cls(columns, [rows[names.index(label)] for label in columns])

    def _matrix(self, labels: Labels) -> FloatArray:
        rows = rows_of(labels, self.labels, "the matrix of distances")
        table: FloatArray = np.asarray(self.values, dtype=np.float64)[np.ix_(rows, rows)]
        return table


@dataclass(frozen=True, slots=True)
class Callable(Distance):
    """A function of two labels; γ needs its results to be 1 at most.

    Attributes
    ----------
    function : callable
        From two labels to a number of 0 or more; symmetric, 0 for a label and itself. Labels are strings, or as the
        table of items has them: numbers, frozensets. It is called once for each pair of labels.

    Examples
    --------
    >>> distance = ga.distances.Callable(lambda first, second: float(first[0] != second[0]))
    >>> distance.matrix(["Noun:x", "Noun:y", "Verb"]).tolist()
    [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]]
    """

    name: ClassVar[str] = "callable"
    function: Function[[Any, Any], float]

    def _matrix(self, labels: Labels) -> FloatArray:
        names = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
        table = np.array([[self._of(first, second) for second in names] for first in names], dtype=np.float64)
        table = table.reshape(len(names), len(names))
        _check(table, list(map(label_name, names)), InputError)
        return table

    def _of(self, first: Any, second: Any) -> float:  # noqa: ANN401  (labels of any kind)
        try:
            return float(self.function(first, second))
        except GammaAlignError:
            raise
        except Exception as error:
            raise InputError(
                f"the distance function has no number for {first!r} and {second!r}: {type(error).__name__}: {error}; "
                "labels of units are strings"
            ) from error

    def to_dict(self) -> dict[str, Any]:
        """Return name and parameters, ready for JSON."""
        return {"name": self.name, "function": getattr(self.function, "__qualname__", repr(self.function))}


def _check(table: FloatArray, labels: Sequence[str], error: type[Exception]) -> None:
    """Raise `error` for a table that holds no distances, naming the first pair that is wrong."""
    if table.shape != (len(labels), len(labels)) and len(labels):
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


AnyDistance = str | Distance | Mapping[Any, Any] | AnyFrame | Function[[Any, Any], float]
"""A name, a distance, a square table (mapping or data frame), or a function of two labels; see `as_distance`."""

KINDS = {
    "nominal": "gamma_align.distances.base:Nominal",
    "ordinal": "gamma_align.distances.numeric:Ordinal",
    "gwet-ordinal": "gamma_align.distances.numeric:GwetOrdinal",
    "interval": "gamma_align.distances.numeric:Interval",
    "ratio": "gamma_align.distances.numeric:Ratio",
    "linear": "gamma_align.distances.numeric:Linear",
    "bipolar": "gamma_align.distances.numeric:Bipolar",
    "circular": "gamma_align.distances.numeric:Circular",
    "edit": "gamma_align.distances.base:EditDistance",
    "jaccard": "gamma_align.distances.structured:Jaccard",
    "dice": "gamma_align.distances.structured:Dice",
    "passonneau": "gamma_align.distances.structured:Passonneau",
    "masi": "gamma_align.distances.structured:Masi",
    "masi-product": "gamma_align.distances.structured:MasiProduct",
    "melamed-resnik": "gamma_align.distances.structured:MelamedResnik",
    "path": "gamma_align.distances.structured:TaxonomyPath",
    "extended-senses": "gamma_align.distances.structured:ExtendedSenses",
}
"""The class of each name: most measurements are nominal, and to import all takes as long as a small alignment."""
_PARAMETERS: dict[str, tuple[str, Function[[str], Any]]] = {
    "circular": ("period", float),
    "interval": ("by", str),
    "linear": ("by", str),
}
"""What may stand behind a name and a colon."""
_CURES = {"period": "'circular:360'", "taxonomy": "distances.MelamedResnik(taxonomy) …, --taxonomy FILE.csv"}

TAXONOMY_NAMES = ("melamed-resnik", "path", "extended-senses")
"""Distances that need a taxonomy besides."""
NAMES = tuple(name for name in KINDS if name not in ("circular", *TAXONOMY_NAMES))
"""Distances that need nothing but their name."""


def as_distance(distance: AnyDistance) -> Distance:
    """Return what is taken for a distance as one.

    Parameters
    ----------
    distance : str, Distance, mapping, data frame or callable
        A name of `NAMES`, or ``"circular:24"`` with the period, ``"interval:position"``, ``"linear:position"``; a
        distance; a table, see `Matrix.from_mapping` and `Matrix.from_frame`; or a function of two labels.

    Raises
    ------
    SettingsError
        For anything else, with what is wrong.

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


def by_name(name: str, **options: Any) -> Distance:  # noqa: ANN401  (fields of distances)
    """Return the distance of a name, with options such as ``order``, ``separator`` and ``taxonomy``.

    Raises SettingsError for a name that is none, or an option that the distance does not have, or one that it lacks.

    Examples
    --------
    >>> ga.distances.by_name("ordinal", order=["low", "high"])
    Ordinal(order=('low', 'high'))
    """
    plain, colon, parameter = name.partition(":")
    if plain not in KINDS or (colon and plain not in _PARAMETERS):
        raise SettingsError(
            f"distance must be one of {', '.join(NAMES)}, circular:PERIOD (with a taxonomy also "
            f"{', '.join(TAXONOMY_NAMES)}), or a Distance, a table or a function of two labels, not {name!r}"
            f"{did_you_mean(plain, KINDS)}"
        )
    if colon:
        option, read = _PARAMETERS[plain]
        try:
            options[option] = read(parameter)
        except ValueError:
            raise SettingsError(f"{name!r}: {parameter!r} is not a number") from None
    kind = _kind(plain)
    fields = _fields(kind)
    for option in [option for option in options if option not in fields][:1]:
        those = [known for known in KINDS if option in _fields(_kind(known))]
        raise SettingsError(f"the {plain} distance has no {option}; {', '.join(those)} have one")
    for option in [option for option, needed in fields.items() if needed and option not in options][:1]:
        raise SettingsError(f"the {plain} distance needs its {option}: {_CURES[option]}")
    return kind(**options)


def _kind(name: str) -> type[Distance]:
    module, _, kind = KINDS[name].partition(":")
    found: type[Distance] = getattr(import_module(module), kind)
    return found


def _fields(kind: type[Distance]) -> dict[str, bool]:
    """Return the parameters of a distance, and whether each is needed."""
    nothing = dataclasses.MISSING
    return {
        field.name: field.default is nothing and field.default_factory is nothing
        for field in dataclasses.fields(kind)  # type: ignore[arg-type]
    }
