"""Results of measurements: values with an interval or the reason why there is none, as JSON and as data frames."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, cached_property
from numbers import Real
from typing import Any, ClassVar, Self, SupportsFloat, TypeVar, cast, overload

import numpy as np
import numpy.typing as npt

from gamma_align.columns import FloatArray, Index, IntArray, equal
from gamma_align.data import (
    Backend,
    Frame,
    FrameColumn,
    FrameColumns,
    Json,
    frame_of,
    html_table,
)
from gamma_align.errors import SettingsError

Row = TypeVar("Row")

ONE_ANNOTATOR = "one annotator only"
NO_ANNOTATOR = "no annotator"
NO_UNITS = "no units"

MAX_TEXT_LENGTH = 40  # of texts in the printed form of a result
_BLOCK_ROWS = 2_000  # rows that are created at once
MANY_ROWS = 20  # created in blocks; fewer rows are created once, and kept


def too_few(annotators: int) -> str | None:
    """Return the reason if there are too few annotators to compare, or None."""
    if annotators == 0:
        return NO_ANNOTATOR
    return ONE_ANNOTATOR if annotators == 1 else None


def _find_field_names(kind: object) -> tuple[str, ...]:
    """Return the names of the fields of a named tuple or dataclass."""
    if hasattr(kind, "_fields"):  # a named tuple
        return tuple(kind._fields)
    return tuple(field.name for field in fields(cast("Any", kind)))


# For each document of a corpus, looking them up would take as long as all other work.
_field_names: Callable[[object], tuple[str, ...]] = cache(_find_field_names)


class DataForms:
    """How results become JSON and data frames: from their contents. `api.forms` adds the tables of the results."""

    def contents(self, result: Result) -> Mapping[str, Json]:
        """Return the contents of the JSON object by key."""
        return result._contents()  # noqa: SLF001  (of the class that has the form)

    def columns(self, result: Result, level: str | None) -> FrameColumns:  # noqa: ARG002  (tables have levels)
        """Return the columns of the data frame of a level, None for the default."""
        return result._columns()  # noqa: SLF001  (of the class that has the form)


class Result:
    """Base of every result: a frozen dataclass that can be printed, written as JSON or shown as a data frame.

    Its subclasses are dataclasses with ``eq=False, repr=False``: equality supports NaN and arrays, and `repr` is short
    even if the result is large.
    """

    __slots__ = ()
    forms: ClassVar = DataForms()

    def __eq__(self, other: object) -> bool:
        return equal(self, other)

    def __hash__(self) -> int:
        return hash((type(self), self._summary()))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._summary()}>"

    def _repr_html_(self) -> str:
        """Return the first rows of the data frame, for a notebook; `api.forms` gives results their tables."""
        return html_table(self.forms.columns(self, None), self._summary())

    def _summary(self) -> str:
        """Return values, short texts and numbers by name, and the lengths of lists."""
        parts = []
        for name in _field_names(type(self)):
            content = getattr(self, name)
            is_short = isinstance(content, str) and len(content) <= MAX_TEXT_LENGTH
            if isinstance(content, (tuple, list, LazyRows)):
                parts.append(f"{name}: {len(content)}")
            elif is_short or isinstance(content, (Value, int, float)):
                parts.append(f"{name} {content}")
        return ", ".join(parts)

    def to_dict(self) -> dict[str, Json]:
        """Return the result ready for JSON; NaN and infinity are None."""
        return _json_object(self.forms.contents(self))

    def to_frame(self, backend: Backend = "pandas") -> Frame:
        """Return the result as a data frame; values that are not available are NaN, missing texts None.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow", "modin", "cudf"}
            Library of the frame; it must be installed.
        """
        return frame_of(self.forms.columns(self, None), backend)

    def _named(self, *names: str) -> dict[str, Json]:
        """Return these attributes by name."""
        return {name: getattr(self, name) for name in names}

    def _contents(self) -> Mapping[str, Json]:
        """Return the contents of the JSON object by key, by default the fields."""
        return self._named(*_field_names(type(self)))

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
    """Base of results with several tables: tuples of rows, each table a level of the data frame.

    `_tables` maps a level to the attribute and the class of its rows; the first level is the default.
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
            Name of the table, by default the first.

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

    def _columns_of(self, rows: Sequence[object], names: Sequence[str]) -> FrameColumns:
        return columns_of(rows, names)

    def _columns(self) -> FrameColumns:
        return self.columns()


class LazyMapping(Mapping[str, Row]):
    """A mapping that is computed if it is used."""

    def __init__(self, compute: Callable[[], dict[str, Row]]) -> None:
        self._compute = compute

    @cached_property
    def _entries(self) -> dict[str, Row]:
        return self._compute()

    def __getitem__(self, name: str) -> Row:
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return repr(self._entries)


class LazyRows(Sequence[Row]):
    """Rows of a table that are created on access; columns are available without them.

    The rows are dataclasses or named tuples of a `kind`. Subclasses define `kind`, `__len__`, `take` and `column`.
    """

    kind: Callable[..., Row]

    @abstractmethod
    def take(self, index: Index) -> Self:
        """Return the rows of an index."""

    @abstractmethod
    def column(self, name: str) -> FrameColumn:
        """Return an attribute of all rows."""

    def blocks(self) -> Iterator[Self]:
        """Yield the rows in blocks that are created at once."""
        if len(self) <= _BLOCK_ROWS:
            yield self
            return
        for first in range(0, len(self), _BLOCK_ROWS):
            yield self.take(slice(first, min(first + _BLOCK_ROWS, len(self))))

    def create(self) -> Iterator[Row]:
        """Create the rows, which iteration asks for block by block."""
        return map(self.kind, *map(self.column, _field_names(self.kind)))

    def __iter__(self) -> Iterator[Row]:
        if len(self) < MANY_ROWS:
            yield from self._few_rows
            return
        for block in self.blocks():
            yield from block.create()

    @cached_property
    def _few_rows(self) -> tuple[Row, ...]:
        """All rows, created once: a result of few documents reads them for its own values and for JSON."""
        return tuple(self.create())

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...

    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        if isinstance(index, slice):
            first, last, step = index.indices(len(self))
            if step == 1:
                # The end of an empty slice may lie before its start.
                return self.take(slice(first, max(first, last)))
            return [self[row] for row in range(first, last, step)]
        row = index + len(self) if index < 0 else index
        if not 0 <= row < len(self):
            raise IndexError(f"no row {index}: there are {len(self)}")
        if len(self) < MANY_ROWS:
            return self._few_rows[row]
        return next(iter(self.take(slice(row, row + 1))))

    def __getstate__(self) -> dict[str, object]:
        """Return the state to pickle, without the values that can be computed from the rows again."""
        kind = type(self)
        is_computed = {name: isinstance(getattr(kind, name, None), cached_property) for name in vars(self)}
        return {name: value for name, value in vars(self).items() if not is_computed[name]}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(equal, self, other))

    def __hash__(self) -> int:
        return hash((type(self), len(self)))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self)}>"


_JSON_TYPES = frozenset({str, int, bool, type(None)})  # most contents: the other checks take ten times as long


def json_ready(content: object) -> Json:
    """Return the contents of a result as dictionaries, lists, numbers and texts; NaN and infinity are None."""
    if isinstance(content, float):
        return finite_or_none(content)
    if type(content) in _JSON_TYPES:
        return content
    if isinstance(content, Result):
        return content.to_dict()
    if isinstance(content, (np.ndarray, np.generic)):
        return json_ready(content.tolist())
    if isinstance(content, tuple) and hasattr(content, "_asdict"):
        content = content._asdict()
    if isinstance(content, Mapping):
        return _json_object(content)
    if isinstance(content, (tuple, list, LazyRows)):
        content = [json_ready(value) for value in content]
    return content


def _json_object(contents: Mapping[str, object]) -> dict[str, Json]:
    """Return the contents by name, ready for JSON; the most frequent types without a call."""
    return {
        name: value
        if type(value) in _JSON_TYPES or (type(value) is float and math.isfinite(value))
        else json_ready(value)
        for name, value in contents.items()
    }


@cache
def _json_encoder() -> Callable[[object], str]:
    """Return the function that writes a value as JSON, created once."""
    from json import JSONEncoder

    return JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def json_lazily(content: object) -> Json:
    """Return the result of `json_ready` for an encoder that writes piece by piece: rows are created while it writes."""
    if isinstance(content, Result):
        return {name: json_lazily(value) for name, value in content.forms.contents(content).items()}
    if isinstance(content, LazyRows) and len(content) >= MANY_ROWS:
        return LazyList(content)
    return json_ready(content)


class LazyList(list[Json]):
    """A list whose items are created during iteration: `json.JSONEncoder` accepts no other sequence."""

    def __init__(self, rows: LazyRows[Any]) -> None:
        super().__init__([{}])  # code that inspects the list before iterating sees that it contains objects
        self._rows = rows

    def __iter__(self) -> Iterator[Json]:
        return map(json_ready, self._rows)

    def first(self) -> Json:
        """Return the first item."""
        return json_ready(self._rows[0])

    def texts(self) -> Iterator[str]:
        """Yield the items as JSON, each in one line."""
        return map(_json_encoder(), self)


def finite_or_none(number: float) -> float | None:
    """Return the number, or None for NaN and infinity, which JSON cannot write."""
    return float(number) if math.isfinite(number) else None


def columns_of(rows: Sequence[object], names: Iterable[str]) -> FrameColumns:
    """Return these attributes of the rows of a table as columns."""
    return {name: column_of(rows, name) for name in names}


def column_of(rows: Sequence[object], name: str) -> FrameColumn:
    """Return an attribute of each row of a table."""
    return rows.column(name) if isinstance(rows, LazyRows) else [getattr(row, name) for row in rows]


def rows_at(rows: Sequence[Row], index: IntArray) -> Sequence[Row]:
    """Return these rows of a table."""
    return rows.take(index) if isinstance(rows, LazyRows) else [rows[row] for row in index.tolist()]


class Number(Result):
    """Base of results that represent one number, their `value`, which is NaN if it is not available."""

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

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> FloatArray:  # noqa: FBT001  (NumPy's)
        return np.array(self.value, dtype=dtype)

    def __eq__(self, other: object) -> bool:
        return self.value == other if isinstance(other, Real) else equal(self, other)

    def __hash__(self) -> int:
        # It equals its number, so both need the same hash. NaNs that count as equal here differ in their hashes.
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

    It can be used as a number: ``float(value)``, ``f"{value:.2f}"``, ``value > 0.8``, ``np.mean(values)``. If it is not
    available, that number is NaN.

    Attributes
    ----------
    value : float
        The coefficient; NaN if it is not available.
    low, high : float
        Bounds of the 95 % interval; NaN without an interval.
    reason : str or None
        Reason why the coefficient is not available; None if it is.
    no_interval : str or None
        Reason why a coefficient has no interval; None if it has one, or if none was requested.
    rests_on : float
        Effective number of documents that an interval over documents rests on. It is smaller than the number of
        documents if a few of them contain most of the units or of the variance. NaN for other intervals.
    interval_note : str or None
        A warning if that number is below half of the documents, with the value without the document that holds more
        than half of the variance; or if there are at most 4 documents.

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
        """Return a value that is not available, with the reason."""
        return cls(math.nan, reason=reason)

    @property
    def lower_bound(self) -> float:
        """The least value that the data leave open, NaN if it is not known: the lower bound of the interval."""
        return self.low

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
