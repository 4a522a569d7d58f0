"""Tables as they come, from mappings and data frames: columns with their origin, labels coded, bounds as numbers.

Conventions
-----------
* A label or name is a string, or what ``str`` makes of it: the integer 1 and the string "1" are one label.
* Missing is ``None``, NaN, or what a frame library writes for them; the empty string is a label like others.
* A bound is a finite number that float64 holds: no booleans, no dates, no integer beyond 2**53.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, TypeGuard

import numpy as np

from gamma_align.columns import UNLABELLED, FloatArray, IntArray
from gamma_align.data.column_names import cure_of_tokens
from gamma_align.data.problem import Problems, RowsProblem, refuse
from gamma_align.errors import Cure, Entry, InputError, Location, SettingsError


class Frame(Protocol):
    """A data frame of any library that narwhals knows."""

    @property
    def columns(self) -> Any:  # noqa: ANN401  (an index, a list or columns, by the library)
        """The columns, or their names."""
        ...


class ArrowStream(Protocol):
    """A table that hands its rows on as Arrow does."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


AnyFrame = Frame | ArrowStream


def is_frame(source: object) -> TypeGuard[AnyFrame]:
    """Whether a source is a data frame, of any library."""
    return hasattr(type(source), "columns") or hasattr(source, "__arrow_c_stream__")


class _FrameColumns(Mapping[str, Any]):
    """Columns of a frame, each converted when it is asked for: a frame may hold texts nobody needs here."""

    def __init__(self, frame: Any) -> None:  # noqa: ANN401
        self._frame = frame
        self._names = list(frame.columns)

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401
        if name not in self._names:
            raise KeyError(name)
        series = self._frame.get_column(name)
        if series.dtype.is_numeric() and not series.is_null().any():
            return series.to_numpy()
        return series.to_list()

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def columns_of_frame(frame: AnyFrame) -> Mapping[str, Any]:
    """Return the columns of a data frame of any library: numbers as arrays, anything else as lists.

    Nulls are ``None`` or NaN; the index is not used, and a lazy frame is collected.
    """
    import narwhals as nw

    try:
        native: Any = nw.from_native(frame)
    except TypeError:
        raise InputError(
            f"a data frame is needed, not {type(frame).__name__}; columns go to from_columns, records to from_records"
        ) from None
    except nw.exceptions.DuplicateError as error:
        raise InputError(f"the data frame has a column twice: {error}") from None
    if isinstance(native, nw.LazyFrame):
        native = native.collect()
    return _FrameColumns(native)


def index_of_frame(frame: AnyFrame) -> dict[str, list[Any]]:
    """Return the levels of the index of a data frame by name, none for an index that only numbers the rows.

    A level without a name is called "", or "level_1" in an index of several levels, as pandas does in files.
    """
    import narwhals as nw

    index = nw.maybe_get_index(nw.from_native(frame))
    if index is None:
        return {}
    names = list(index.names)
    if len(names) == 1:
        values = index.tolist()
        # Frames put one after the other repeat the numbers of their rows, which then name nothing.
        if names[0] is None and (values == list(range(len(values))) or len(set(values)) < len(values)):
            return {}
        return {"" if names[0] is None else str(names[0]): values}
    levels = (f"level_{level}" if name is None else str(name) for level, name in enumerate(names))
    return {name: index.get_level_values(level).tolist() for level, name in enumerate(levels)}


KNOWN = {
    "units": ("document", "annotator", "start", "end", "category"),
    "annotations": ("document", "annotator"),
    "documents": ("document", "length", "start", "end", "unit"),
}
"""Columns that are read, by the kind of table."""

_ALL_KNOWN = frozenset(name for names in KNOWN.values() for name in names)
_MISSING_TYPES = frozenset({"NAType", "NaTType"})  # pandas' own, recognised without importing pandas
_NOT_LABELS = (bytes, bytearray, list, tuple, set, frozenset, dict, np.ndarray)
_EXACT = 2**53


class Coded(NamedTuple):
    """A column of labels already coded: `codes` (-1 is missing) into `labels`."""

    codes: IntArray
    labels: Sequence[str]


@dataclass(frozen=True, slots=True)
class Table:
    """Columns (sequences, arrays or `Coded`), and where they came from.

    `kind` is what a row is ("units", "annotations", "documents", "items"), `origin` the file, or what messages call it
    otherwise; `location` maps a row's index to file and line.
    """

    columns: Mapping[str, Any]
    kind: str
    origin: str
    location: Callable[[int], Location]

    @classmethod
    def of(cls, columns: Mapping[str, Any], kind: str, origin: str = "") -> Table:
        """Return a table whose rows have no lines; one in memory is called by its kind."""
        if not hasattr(columns, "keys"):
            raise InputError(
                f"{kind}: a mapping of column names to columns is needed, not {type(columns).__name__}; "
                "records go to from_records, data frames to from_frame"
            )
        return cls(columns, kind, origin or kind, lambda row: Location(origin or kind, f"row {row + 1}", row))

    def __len__(self) -> int:
        # columns that are not read have no rows
        return max(map(_length, self.columns.values()), default=0)

    def row_name(self, row: int) -> str:
        """Return words for a row in a message that has named the file."""
        return self.location(row).within(self.origin)

    def with_column(self, name: str, values: Any) -> Table:  # noqa: ANN401  (any column)
        """Return the table with one more column."""
        return replace(self, columns={**self.columns, name: values})


def known_columns(table: Table, columns: Mapping[str, str | None], *, required: tuple[str, ...]) -> Table:
    """Return the table with the columns we read, under our names, all of one length."""
    names = _their_names(table, columns)
    there = set(table.columns)
    missing = [name for name in required if names[name] not in there]
    asked = [name for name in KNOWN[table.kind] if table.kind == "units" and columns.get(name) is not None]
    missing += [name for name in asked if names[name] not in there]
    if missing:
        have = ", ".join(map(repr, table.columns)) or "none"
        cure = None
        if missing[0] not in asked:
            cure = cure_of_tokens([*table.columns])
            cure = cure or Cure("name yours with {}", Entry("columns", missing[0]))
        raise InputError(
            f"no column {(names[missing[0]] or missing[0])!r}; there are {have}", cure, Location(table.origin)
        )
    known = {ours: _plain(table, name) for ours, name in names.items() if name is not None and name in there}
    return check_lengths(replace(table, columns=known))


def check_lengths(table: Table) -> Table:
    """Return the table, if its columns are of one length."""
    lengths = {name: _length(values) for name, values in table.columns.items()}
    if len(set(lengths.values())) > 1:
        counts = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise InputError(f"{table.origin}: columns differ in length ({counts}); every row needs a value in each")
    return table


def _their_names(table: Table, columns: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return our name → theirs, None for no such column; lists of annotators and documents may keep our names."""
    unknown = [name for name in columns if name not in _ALL_KNOWN]
    if unknown:
        known = ", ".join(KNOWN["units"])
        raise SettingsError(f"there is no {unknown[0]!r} among {known}; write ours=yours: document=doc_id")
    names = {ours: columns.get(ours, ours) for ours in KNOWN[table.kind]}
    if table.kind == "units":
        return names
    return {ours: name if name in table.columns else ours for ours, name in names.items()}


def _plain(table: Table, name: str) -> Any:  # noqa: ANN401  (list, array or Coded)
    """Return a column as list, array or `Coded`, whatever it was: only these are indexed by position."""
    values = table.columns[name]
    if isinstance(values, (Coded, list)):
        return values
    if isinstance(values, np.ndarray) and not hasattr(values, "mask"):
        if values.ndim == 1:
            return values
        raise InputError(f"{table.origin}: column {name!r} has shape {values.shape}; one value a row is needed")
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise InputError(f"{table.origin}: column {name!r} is {values!r}; one value a row is needed")
    for method in ("to_list", "tolist", "to_pylist"):  # polars, pandas and masked arrays, pyarrow
        if hasattr(values, method):
            return list(getattr(values, method)())
    return list(values)


def _length(values: Any) -> int:  # noqa: ANN401
    return len(values.codes if isinstance(values, Coded) else values)


def label_of(value: Any) -> str | None:  # noqa: ANN401  (anything a cell can hold)
    """Return the label a value stands for, ``None`` where it is missing."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, _NOT_LABELS):
        raise TypeError(f"a {type(value).__name__}")
    if type(value).__name__ in _MISSING_TYPES or value != value:  # NaN alone differs from itself  # noqa: PLR0124
        return None
    return str(value)


def factorized(table: Table, name: str, *, nullable: bool = False) -> Coded:
    """Return a column of labels coded; where it is not `nullable`, each row needs one that is not blank."""
    values = table.columns[name]
    coded = values if isinstance(values, Coded) else _coded(table, name, values)
    if nullable:
        return coded
    problems: Problems = []
    coded = _named(table, name, coded, problems)
    refuse(problems)
    return coded


def names(table: Table, name: str, problems: Problems) -> Coded:
    """Return a column of names coded, -1 where there is none, which is added to the problems."""
    return _named(table, name, factorized(table, name, nullable=True), problems)


def _named(table: Table, name: str, coded: Coded, problems: Problems) -> Coded:
    if (not len(coded.codes) or coded.codes.min() >= 0) and all(map(str.strip, coded.labels)):
        return coded
    blank = np.array([*(not label.strip() for label in coded.labels), True])  # the last is that of code -1
    bad = np.flatnonzero(blank[coded.codes])
    if not len(bad):
        return coded

    def what(row: int) -> str:
        return f"the {name} is {'missing' if coded.codes[row] < 0 else 'empty'}"

    problems.append(RowsProblem(table.location, bad, what, Cure(f"every row of {table.kind} needs one")))
    return Coded(np.where(blank[coded.codes], UNLABELLED, coded.codes), coded.labels)


def _coded(table: Table, name: str, values: Any) -> Coded:  # noqa: ANN401
    values = values.tolist() if isinstance(values, np.ndarray) else values
    if set(map(type, values)) != {str}:  # 1, 1.0 and True are equal keys but not equal labels
        labels = []
        for row, value in enumerate(values):
            try:
                labels.append(label_of(value))
            except TypeError as error:
                raise InputError(
                    f"{table.location(row)}: the {name} is {value!r}, {error}; a label is one string"
                ) from None
        values = labels
    seen: dict[str | None, int] = {label: code for code, label in enumerate(dict.fromkeys(values))}
    codes = np.fromiter(map(seen.__getitem__, values), dtype=np.int64, count=len(values))
    if None in seen:
        codes[codes == seen[None]] = UNLABELLED
    return Coded(codes, tuple("" if label is None else label for label in seen))


def joined(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return columns of rows one after the other: lists, arrays and `Coded`, whose labels may then be there twice."""
    return {name: _joined_column([part[name] for part in parts]) for name in parts[0]}


def _joined_column(parts: Sequence[Any]) -> Any:  # noqa: ANN401  (list, array or Coded)
    if all(isinstance(part, np.ndarray) and part.dtype == parts[0].dtype for part in parts):
        return np.concatenate(parts)  # of integers and floats, large integers would become others
    if not all(isinstance(part, Coded) for part in parts):
        return [value for part in parts for value in _values(part)]
    codes = np.concatenate([part.codes for part in parts])
    firsts = np.cumsum([0, *(len(part.labels) for part in parts)])[:-1]
    shift = np.repeat(firsts, [len(part.codes) for part in parts])
    return Coded(np.where(codes < 0, codes, codes + shift), [label for part in parts for label in part.labels])


def _values(column: Any) -> list[Any]:  # noqa: ANN401
    if isinstance(column, Coded):
        return [column.labels[code] if code >= 0 else None for code in column.codes.tolist()]
    return [*(column.tolist() if isinstance(column, np.ndarray) else column)]


def labels_in_use(column: Coded) -> list[str]:
    """Return the labels that some row has, in the order of their codes."""
    counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.labels))
    return [column.labels[code] for code in np.flatnonzero(counts).tolist()]


def merged(*columns: Coded) -> tuple[tuple[str, ...], list[IntArray]]:
    """Return one sorted list of the labels in use and each column coded by it."""
    used: set[str] = set()
    for column in columns:
        used.update(labels_in_use(column))
    labels = tuple(sorted(used))
    code = {label: index for index, label in enumerate(labels)}
    recoded = []
    for column in columns:
        # one entry more: code -1 reads the last, which is "no label"
        table = np.array([code.get(label, UNLABELLED) for label in column.labels] + [UNLABELLED], dtype=np.int64)
        recoded.append(table[column.codes])
    return labels, recoded


def numbers(table: Table, name: str, problems: Problems | list[RowsProblem]) -> FloatArray:
    """Return a column as float64, NaN where it is missing or no number; the latter is added to the problems."""
    values = table.columns[name]
    if isinstance(values, Coded):
        values = _values(values)
    bad: list[int] = []
    if not isinstance(values, np.ndarray):
        result = _parsed(values, bad)
    elif values.dtype.kind == "f":
        return values.astype(np.float64)
    elif values.dtype.kind in "iu":
        result = values.astype(np.float64)
    else:  # times as numbers would silently count some unit of time
        values = values if values.dtype.kind in "mM" else values.tolist()
        result = _parsed(values, bad)
    if bad:
        problems.append(RowsProblem(table.location, np.array(bad), lambda row: _not_a_number(name, values[row])))
    _check_exact(table, name, values, result, problems)
    return result


def _parsed(values: Any, bad: list[int]) -> FloatArray:  # noqa: ANN401
    """Return values as float64; rows that are no numbers are NaN, and added to `bad`."""
    result = np.full(len(values), np.nan)
    for row, value in enumerate(values):
        try:
            result[row] = _number(value)
        except (TypeError, ValueError, OverflowError):
            bad.append(row)
    return result


def _check_exact(
    table: Table,
    name: str,
    values: Any,  # noqa: ANN401
    result: FloatArray,
    problems: Problems | list[RowsProblem],
) -> None:
    large = np.flatnonzero(np.abs(result) >= _EXACT)
    inexact = np.array([row for row in large.tolist() if _is_inexact(values[row])], dtype=np.int64)
    if len(inexact):
        result[inexact] = np.nan
        problems.append(
            RowsProblem(
                table.location,
                inexact,
                lambda row: f"{name} is {values[row]}, beyond 2**53, where float64 no longer holds every integer",
                Cure("count from a nearer origin or in a coarser unit"),
            )
        )


def _number(value: Any) -> float:  # noqa: ANN401
    if type(value) is int or type(value) is float:
        return float(value)
    if isinstance(value, str):
        if "_" in value:  # Python reads 1_000, nobody's data mean it
            raise ValueError
        return float(value)
    if isinstance(value, (bool, np.bool_, bytes, np.datetime64, np.timedelta64)):
        raise TypeError
    if value is None or type(value).__name__ in _MISSING_TYPES:
        return float("nan")
    return float(value)


def _is_inexact(value: Any) -> bool:  # noqa: ANN401
    if isinstance(value, (float, np.floating)):
        return False
    try:
        return abs(int(value)) > _EXACT
    except (ValueError, OverflowError):  # "1e300", "inf": written as floats, taken as floats
        return False


def _not_a_number(name: str, value: Any) -> str:  # noqa: ANN401
    if isinstance(value, str) and not value.strip():
        return f"{name} is empty; a number is needed"
    hint = ""
    if isinstance(value, str) and "," in value:
        hint = "; write decimals with a point, thousands without a mark"
    elif isinstance(value, str) and re.fullmatch(r"\s*\d+(:\d+)+([.,]\d+)?\s*", value):
        hint = "; write times as seconds: 83.5 for 1:23.5"
    elif isinstance(value, (bool, np.bool_)):
        hint = "; are the columns in the order you think?"
    elif isinstance(value, (np.datetime64, np.timedelta64, dt.date, dt.time, dt.timedelta)):
        hint = "; give times as numbers, in seconds for instance"
    return f"{name} is {value!r}, not a number{hint}"
