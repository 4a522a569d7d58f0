"""What a measurement returns: a value with its interval or the reason why there is none, as JSON and as data frames."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from numbers import Real
from typing import Any, ClassVar, Self, SupportsFloat, TypeVar, overload

import numpy as np

from gamma_align.columns import FloatArray, equal
from gamma_align.data.frames import Backend, Frame, FrameColumns, frame_of, html_table
from gamma_align.errors import SettingsError

Row = TypeVar("Row")

ONE_ANNOTATOR = "one annotator only"
NO_ANNOTATOR = "no annotator"
NO_UNITS = "no units"

SHORT = 40  # the longest text shown in the printed form of a result
_BLOCK = 2_000  # rows that are made at once


def too_few(annotators: int) -> str | None:
    """Return the reason why so many annotators cannot be compared, or None where they can."""
    if annotators >= 2:  # noqa: PLR2004
        return None
    return ONE_ANNOTATOR if annotators else NO_ANNOTATOR


@cache  # of each document of a corpus, to look them up takes as long as all else
def _field_names(kind: Any) -> tuple[str, ...]:  # noqa: ANN401  (a dataclass)
    return tuple(field.name for field in fields(kind))


class Result:
    """Base of every result: a frozen dataclass that can be written as JSON or shown as a data frame.

    Its subclasses are dataclasses with ``eq=False, repr=False``: equality knows NaN and arrays, and the printed form
    is short, whatever the result holds.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return equal(self, other)

    def __hash__(self) -> int:
        return hash((type(self), self._summary()))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._summary()}>"

    def _repr_html_(self) -> str:
        """Return the result as a notebook shows it: its values, and the first rows of its data frame."""
        return html_table(self._columns(), self._summary())

    def _summary(self) -> str:
        """Return values, short texts and numbers by name, and how many there are of what it holds several."""
        parts = []
        for name in _field_names(type(self)):  # type: ignore[arg-type]
            content = getattr(self, name)
            if isinstance(content, (tuple, list, LazyRows)):
                parts.append(f"{name}: {len(content)}")
            elif isinstance(content, (Value, int, float)) or (isinstance(content, str) and len(content) <= SHORT):
                parts.append(f"{name} {content}")
        return ", ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return the result ready for JSON; NaN and infinity are None."""
        return {name: json_ready(value) for name, value in self._contents().items()}

    def to_frame(self, backend: Backend = "pandas") -> Frame:
        """Return the result as a data frame; NaN and missing reasons where there is nothing to say.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow", "modin", "cudf"}
            Library of the frame; it must be installed.
        """
        return frame_of(self._columns(), backend)

    def _named(self, *names: str) -> dict[str, Any]:
        """Return some of its attributes by name."""
        return {name: getattr(self, name) for name in names}

    def _contents(self) -> Mapping[str, Any]:
        """Return what JSON shows, by key: the fields, where a result does not say otherwise."""
        return self._named(*_field_names(type(self)))  # type: ignore[arg-type]

    def _columns(self) -> FrameColumns:
        """Return the columns of the data frame: one row of the numbers, texts and values among the contents."""
        columns: FrameColumns = {}
        for name, content in self._contents().items():
            if isinstance(content, Value):
                columns |= value_columns(name, [content], type(content))
            elif content is None or isinstance(content, (bool, int, float, str)):
                columns[name] = [content]
        return columns


class ResultOfTables(Result):
    """Base of results that hold several tables: tuples of rows, each table a level of the data frame.

    `_tables` names, by level, the attribute and the class of its rows; the first level is the default.
    """

    __slots__ = ()
    _tables: ClassVar[Mapping[str, tuple[str, Any]]]

    def to_frame(self, backend: Backend = "pandas", *, level: str | None = None) -> Frame:
        """Return one of the tables as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow", "modin", "cudf"}
            Library of the frame; it must be installed.
        level : str, optional
            Which table, as `columns` says.

        Raises
        ------
        SettingsError
            For another level.
        """
        return frame_of(self.columns(level), backend)

    def columns(self, level: str | None = None) -> FrameColumns:
        """Return one of the tables as columns; by default the first one.

        Raises
        ------
        SettingsError
            For another level.
        """
        level = next(iter(self._tables)) if level is None else level
        if level not in self._tables:
            raise SettingsError(f"level must be one of {', '.join(map(repr, self._tables))}, not {level!r}")
        name, rows = self._tables[level]
        return self._columns_of(getattr(self, name), rows._fields)

    def _columns_of(self, rows: Sequence[Any], names: Sequence[str]) -> FrameColumns:
        return columns_of(rows, names)

    def _columns(self) -> FrameColumns:
        return self.columns()


class LazyRows(Sequence[Row]):
    """Rows of a table, dataclasses of a `kind`, that are made when they are looked at; columns are there without that.

    Subclasses have `kind`, `__len__`, `take` and `column`.
    """

    kind: Callable[..., Row]

    @abstractmethod
    def take(self, index: slice) -> Self:
        """Return rows index.start … index.stop - 1."""

    @abstractmethod
    def column(self, name: str) -> Sequence[Any]:
        """Return an attribute of every row."""

    def blocks(self) -> Iterator[Self]:
        """Yield rows that are made at once, one block after the other; these themselves where they are few."""
        if len(self) <= _BLOCK:
            yield self
            return
        for first in range(0, len(self), _BLOCK):
            yield self.take(slice(first, min(first + _BLOCK, len(self))))

    def __iter__(self) -> Iterator[Row]:
        for some in self.blocks():
            yield from map(self.kind, *map(some.column, _field_names(self.kind)))

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...

    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        if isinstance(index, slice):
            first, last, step = index.indices(len(self))
            if step == 1:
                return self.take(slice(first, max(first, last)))
            return [self[row] for row in range(first, last, step)]
        row = index + len(self) if index < 0 else index
        if not 0 <= row < len(self):
            raise IndexError(f"no row {index}: there are {len(self)}")
        return next(iter(self.take(slice(row, row + 1))))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(equal, self, other))

    def __hash__(self) -> int:
        return hash((type(self), len(self)))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self)}>"


_AS_THEY_ARE = frozenset({str, int, bool, type(None)})  # most of what results hold: the rest takes ten times as long


def json_ready(content: Any) -> Any:  # noqa: ANN401  (whatever a result holds, and JSON)
    """Return what a result holds in terms of JSON: dictionaries, lists, numbers, texts; None for NaN and infinity."""
    if type(content) in _AS_THEY_ARE:
        return content
    if isinstance(content, float):
        return finite_or_none(content)
    if isinstance(content, Result):
        return content.to_dict()
    if isinstance(content, (np.ndarray, np.generic)):
        return json_ready(content.tolist())
    if isinstance(content, tuple) and hasattr(content, "_asdict"):
        content = content._asdict()
    if isinstance(content, Mapping):
        return {name: json_ready(value) for name, value in content.items()}
    if isinstance(content, (tuple, list, LazyRows)):
        content = [json_ready(value) for value in content]
    return content


def json_lazily(content: Any) -> Any:  # noqa: ANN401  (as `json_ready`)
    """Return what `json_ready` does, for an encoder that writes piece by piece: it makes lazy rows then."""
    if isinstance(content, Result):
        return {name: json_lazily(value) for name, value in content._contents().items()}  # noqa: SLF001  (of its base)
    return _LazyList(content) if isinstance(content, LazyRows) and content else json_ready(content)


class _LazyList(list[Any]):
    """A list for `json.JSONEncoder`, which wants one, whose items are made one after the other."""

    def __init__(self, rows: LazyRows[Any]) -> None:
        super().__init__([{}])  # not empty, and of objects, to those who look before they go through it
        self._rows = rows

    def __iter__(self) -> Iterator[Any]:
        return map(json_ready, self._rows)


def finite_or_none(number: float) -> float | None:
    """Return the number, or None for NaN and infinity, which JSON cannot write."""
    return float(number) if math.isfinite(number) else None


def columns_of(rows: Sequence[object], names: Iterable[str]) -> FrameColumns:
    """Return attributes of the rows of a table as columns."""
    return {name: column_of(rows, name) for name in names}


def column_of(rows: Sequence[object], name: str) -> Sequence[Any]:
    """Return an attribute of each row of a table."""
    return rows.column(name) if isinstance(rows, LazyRows) else [getattr(row, name) for row in rows]


class Number(Result):
    """Base of results that stand for one number, their `value`, which is NaN where it is not available."""

    __slots__ = ()
    value: float
    reason: str | None

    @property
    def is_available(self) -> bool:
        """Whether there is a value."""
        return self.reason is None

    def __float__(self) -> float:
        return float(self.value)

    def __round__(self, digits: int | None = None) -> float:
        return round(float(self), digits)

    def __format__(self, specification: str) -> str:
        return format(float(self), specification) if specification else str(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> FloatArray:  # noqa: ANN401, FBT001  (NumPy's own)
        return np.array(self.value, dtype=dtype)

    def __eq__(self, other: object) -> bool:
        return self.value == other if isinstance(other, Real) else equal(self, other)

    def __hash__(self) -> int:
        return hash(self.value if self.is_available else self.reason)

    def __lt__(self, other: SupportsFloat) -> bool:
        return float(self) < float(other)

    def __le__(self, other: SupportsFloat) -> bool:
        return float(self) <= float(other)

    def __gt__(self, other: SupportsFloat) -> bool:
        return float(self) > float(other)

    def __ge__(self, other: SupportsFloat) -> bool:
        return float(self) >= float(other)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Value(Number):
    """A coefficient with its 95 % interval, or the reason why it is not available.

    It is used as the number it stands for: ``float(value)``, ``f"{value:.2f}"``, ``value > 0.8``, ``np.mean(values)``;
    where it is not available that number is NaN.

    Attributes
    ----------
    value : float
        The coefficient; NaN where it is not available.
    low, high : float
        Bounds of the 95 % interval; NaN where there is none.
    reason : str or None
        Why the coefficient is not available; None where it is.
    no_interval : str or None
        Why there is a coefficient and no interval of it; None where there is one, or none was asked for.
    rests_on : float
        Effective number of documents that an interval over documents rests on: fewer than there are if a few of them
        hold most of the units or most of the variance. NaN for other intervals.
    interval_note : str or None
        A warning if that number is below 8 or below half of the documents, or if there are no more than 4 documents.

    Examples
    --------
    >>> print(ga.Value(0.5, 0.4, 0.6))
    0.5000 [0.4000, 0.6000]
    >>> print(ga.Value.unavailable("no units"))
    NA (no units)
    >>> value = ga.Value(0.5, 0.4, 0.6)
    >>> f"{value:.1f}", value < 0.8, round(value, 3)
    ('0.5', True, 0.5)
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    reason: str | None = None
    no_interval: str | None = None
    rests_on: float = math.nan
    interval_note: str | None = None

    @classmethod
    def unavailable(cls, reason: str) -> Self:
        """Return a value that is not available, and why."""
        return cls(math.nan, reason=reason)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    def __str__(self) -> str:
        if self.reason is not None:
            return f"NA ({self.reason})"
        if self.no_interval is not None:
            return f"{self.value:.4f} (no interval: {self.no_interval})"
        if math.isnan(self.low) or math.isnan(self.high):
            return f"{self.value:.4f}"
        note = "" if self.interval_note is None else f" ({self.interval_note})"
        return f"{self.value:.4f} [{self.low:.4f}, {self.high:.4f}]{note}"


def value_columns(name: str, values: Sequence[Value], kind: type[Value] = Value) -> FrameColumns:
    """Return the columns of a data frame for values of a kind: the coefficient under `name`, `name_low` and so on."""
    return {
        name if field.name == "value" else f"{name}_{field.name}": column_of(values, field.name)
        for field in fields(kind)
    }
