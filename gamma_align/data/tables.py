"""Tables from mappings and data frames: columns with their origin, labels coded, bounds as numbers.

Conventions
-----------
* A label or name is a string, or is converted by ``str``: the integer 1 and the string "1" are one label.
* A value is missing if it is ``None``, NaN, or the missing value of a frame library. The empty string is a label.
* A bound is a finite number that float64 can represent: not a boolean, a date, or an integer beyond 2**53.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeGuard

import numpy as np
import numpy.typing as npt

from gamma_align.columns import UNLABELLED, FloatArray, IntArray
from gamma_align.data.column_names import cure_of_tokens
from gamma_align.data.decimals import has_thousands
from gamma_align.data.frames import Frame
from gamma_align.data.problem import Problems, RowsProblem, refuse
from gamma_align.data.spelling import composed, forms_note
from gamma_align.errors import Cure, Entry, InputError, Location, SettingsError, UnknownMeaningError

if TYPE_CHECKING:
    import narwhals as nw


class ArrowStream(Protocol):
    """A table with the Arrow PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


AnyFrame = Frame | ArrowStream
"""A data frame of any library."""


def is_frame(source: object) -> TypeGuard[AnyFrame]:
    """Whether a source is a data frame."""
    return hasattr(type(source), "columns") or hasattr(source, "__arrow_c_stream__")


class _ConvertedColumns(Mapping[str, Any]):
    """Columns of a frame, each converted on access: a frame may contain texts that are not needed."""

    def __init__(self, frame: nw.DataFrame[Any]) -> None:
        self._frame = frame
        self._names = list(frame.columns)

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401  (the value type of the mapping)
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
    """Return the columns of a data frame: numbers as arrays, other values as lists.

    Nulls are ``None`` or NaN; the index is not used, and a lazy frame is collected.
    """
    import narwhals as nw

    try:
        native: Any = nw.from_native(frame)
    except TypeError:
        raise InputError(
            f"a data frame is needed, not {type(frame).__name__}",
            "pass columns to from_columns, records to from_records",
        ) from None
    except nw.exceptions.DuplicateError as error:
        raise InputError(f"the data frame has a column twice: {error}") from None
    if isinstance(native, nw.LazyFrame):
        native = native.collect()
    return _ConvertedColumns(native)


def index_of_frame(frame: AnyFrame) -> dict[str, list[Any]]:
    """Return the levels of the index of a data frame by name; nothing for an index that only numbers the rows.

    A level without a name is called "", or "level_1" in an index of several levels, as in files of pandas.
    """
    import narwhals as nw

    index = nw.maybe_get_index(nw.from_native(frame))
    if index is None:
        return {}
    names = list(index.names)
    if len(names) == 1:
        values = index.tolist()
        # Concatenated frames repeat the numbers of their rows, which identify nothing then.
        if names[0] is None and (values == list(range(len(values))) or len(set(values)) < len(values)):
            return {}
        return {"" if names[0] is None else str(names[0]): values}
    levels = (f"level_{level}" if name is None else str(name) for level, name in enumerate(names))
    return {name: index.get_level_values(level).tolist() for level, name in enumerate(levels)}


KNOWN = {
    "units": ("document", "annotator", "start", "end", "duration", "category"),
    "annotations": ("document", "annotator"),
    "documents": ("document", "length", "start", "end", "unit"),
}
"""Columns that are read, by the kind of table."""

_ALL_KNOWN = frozenset(chain.from_iterable(KNOWN.values()))
_MISSING_TYPES = frozenset({"NAType", "NaTType"})  # of pandas, recognised without importing it
_NOT_LABELS = (bytes, bytearray, list, tuple, set, frozenset, dict, np.ndarray)
_THOUSANDS = re.compile(r"\s*-?\d{1,3}(\.\d{3})+\s*")
_MAX_EXACT_INTEGER = 2**53  # float64 represents every integer up to here


class Coded(NamedTuple):
    """A column of labels already coded: `codes` (-1 is missing) into `labels`."""

    codes: IntArray
    labels: Sequence[str]


Column = Sequence[Any] | npt.NDArray[Any] | Coded
"""A column that is indexed by position, or coded."""


@dataclass(frozen=True, slots=True)
class Table:
    """Columns (sequences, arrays or `Coded`) and their origin.

    `kind` is the kind of rows ("units", "annotations", "documents", "items"), and `origin` the file, or another name
    for messages; `location` maps the index of a row to file and line. `unread` reads a column of a file that is empty
    here, because it was not read.
    """

    columns: Mapping[str, Any]
    kind: str
    origin: str
    location: Callable[[int], Location]
    unread: Callable[[str], Mapping[str, Any]] | None = None

    @classmethod
    def of(cls, columns: Mapping[str, object], kind: str, origin: str = "") -> Table:
        """Return a table whose rows have no lines; without an origin, messages name its kind."""
        if not hasattr(columns, "keys"):
            raise InputError(
                f"{kind}: a mapping of column names to columns is needed, not {type(columns).__name__}",
                "pass records to from_records, data frames to from_frame",
            )
        return cls(columns, kind, origin or kind, lambda row: Location(origin or kind, f"row {row + 1}", row))

    def __len__(self) -> int:
        # Columns that were not read are empty.
        return max(map(_length, self.columns.values()), default=0)

    def unread_labels(self, name: str) -> Coded | None:
        """Return a column as labels, which is read if it is not here; None if it holds no labels."""
        with suppress(InputError):
            columns = self.columns if self.unread is None else self.unread(name)
            table = replace(self, columns=columns)
            column = factorized(replace(table, columns={name: _as_column(table, name)}), name, nullable=True)
            return relabelled(column, {})  # each label once
        return None

    def row_name(self, row: int) -> str:
        """Return words for a row in a message that already names the file."""
        return self.location(row).within(self.origin)

    def with_column(self, name: str, values: object) -> Table:
        """Return the table with one more column."""
        return replace(self, columns={**self.columns, name: values})


def known_columns(table: Table, columns: Mapping[str, str | None], *, required: tuple[str, ...]) -> Table:
    """Return the table with the columns that are read, renamed to the names in `KNOWN`, all of one length."""
    table_names = _table_names(table, columns)
    missing = [name for name in required if table_names[name] not in table.columns]
    if table.kind == "units" and table_names["duration"] in table.columns:
        missing = [name for name in missing if name != "end"]
    requested = [name for name in KNOWN[table.kind] if table.kind == "units" and columns.get(name) is not None]
    missing += [name for name in requested if table_names[name] not in table.columns]
    if missing:
        name = missing[0]
        present = ", ".join(map(repr, table.columns)) or "none"
        cure = None
        if name not in requested:
            cure = cure_of_tokens([*table.columns]) or Cure("name yours with {}", Entry("columns", name))
            if name == "end":
                cure = Cure("{}, or, if a column has durations, {}", cure, Entry("columns", "duration"))
        kind = InputError if name in requested else UnknownMeaningError
        raise kind(f"no column {(table_names[name] or name)!r}; there are {present}", cure, Location(table.origin))
    known = {
        name: _as_column(table, column)
        for name, column in table_names.items()
        if column is not None and column in table.columns
    }
    return check_lengths(replace(table, columns=known))


def check_lengths(table: Table) -> Table:
    """Return the table; refuse it if its columns differ in length."""
    lengths = {name: _length(values) for name, values in table.columns.items()}
    if len(set(lengths.values())) > 1:
        counts = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise InputError(f"{table.origin}: columns differ in length ({counts})", "every row needs a value in each")
    return table


def _table_names(table: Table, columns: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return the table's name of each known column, None to ignore the column.

    Tables of annotations and documents may use the known names even if `columns` renames them.
    """
    unknown = [name for name in columns if name not in _ALL_KNOWN]
    if unknown:
        known = ", ".join(KNOWN["units"])
        raise SettingsError(f"there is no {unknown[0]!r} among {known}", "write ours=yours: document=doc_id")
    table_names = {name: columns.get(name, name) for name in KNOWN[table.kind]}
    if table.kind == "units":
        return table_names
    return {name: column if column in table.columns else name for name, column in table_names.items()}


def _as_column(table: Table, name: str) -> Column:
    """Return a column of any library as a list, array or `Coded`, which are indexed by position."""
    values = table.columns[name]
    if isinstance(values, (Coded, list)):
        return values
    if isinstance(values, np.ndarray) and not hasattr(values, "mask"):
        if values.ndim == 1:
            return values
        raise InputError(f"{table.origin}: column {name!r} has shape {values.shape}", "one value a row is needed")
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise InputError(f"{table.origin}: column {name!r} is {values!r}", "one value a row is needed")
    for method in ("to_list", "tolist", "to_pylist"):  # polars, pandas and masked arrays, pyarrow
        if hasattr(values, method):
            return list(getattr(values, method)())
    return list(values)


def _length(values: Column) -> int:
    return len(values.codes if isinstance(values, Coded) else values)


def label_of(value: object) -> str | None:
    """Return a value as a label, ``None`` if it is missing."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, _NOT_LABELS):
        raise TypeError(f"a {type(value).__name__}")
    if type(value).__name__ in _MISSING_TYPES or value != value:  # noqa: PLR0124  (only NaN differs from itself)
        return None
    return str(value)


def factorized(table: Table, name: str, *, nullable: bool = False) -> Coded:
    """Return a column of labels coded; unless it is `nullable`, a missing or blank label is refused."""
    values = table.columns[name]
    coded = values if isinstance(values, Coded) else _coded(table, name, values)
    if nullable:
        return coded
    problems: Problems = []
    coded = _named(table, name, coded, problems)
    refuse(problems)
    return coded


def names(table: Table, name: str, problems: Problems) -> Coded:
    """Return a column of names coded; missing and blank names are -1 and added to the problems."""
    return _named(table, name, factorized(table, name, nullable=True), problems)


def _named(table: Table, name: str, coded: Coded, problems: Problems) -> Coded:
    if (not len(coded.codes) or coded.codes.min() >= 0) and all(map(str.strip, coded.labels)):
        return coded
    is_blank = np.array([*(not label.strip() for label in coded.labels), True])  # the last entry is for code -1
    bad = is_blank[coded.codes].nonzero()[0]
    if not len(bad):
        return coded

    def cause(row: int) -> str:
        return f"the {name} is {'missing' if coded.codes[row] < 0 else 'empty'}"

    problems.append(RowsProblem(table.location, bad, cause, Cure(f"every row of {table.kind} needs one")))
    return Coded(np.where(is_blank[coded.codes], UNLABELLED, coded.codes), coded.labels)


def _coded(table: Table, name: str, values: Sequence[Any] | npt.NDArray[Any]) -> Coded:
    values = values.tolist() if isinstance(values, np.ndarray) else values
    if set(map(type, values)) != {str}:  # 1, 1.0 and True are equal keys but not equal labels
        labels = []
        for row, value in enumerate(values):
            try:
                labels.append(label_of(value))
            except TypeError as error:
                raise InputError(
                    f"the {name} is {value!r}, {error}", "a label is one string", table.location(row)
                ) from None
        values = labels
    code: dict[str | None, int] = {label: index for index, label in enumerate(dict.fromkeys(values))}
    codes = np.fromiter(map(code.__getitem__, values), dtype=np.int64, count=len(values))
    if None in code:
        codes[codes == code[None]] = UNLABELLED
    return Coded(codes, tuple("" if label is None else label for label in code))


def joined(parts: Sequence[Mapping[str, Column]]) -> dict[str, Column]:
    """Return the columns of all parts, one part after the other; labels of `Coded` columns may be repeated."""
    return {name: _joined_column([part[name] for part in parts]) for name in parts[0]}


def _joined_column(parts: Sequence[Column]) -> Column:
    arrays = [part for part in parts if isinstance(part, np.ndarray)]
    if len(arrays) == len(parts) and len({array.dtype for array in arrays}) == 1:
        return np.concatenate(arrays)  # integers and floats together would change large integers
    coded = [part for part in parts if isinstance(part, Coded)]
    if len(coded) < len(parts):
        return [*chain.from_iterable(map(cells_of, parts))]
    codes = np.concatenate([part.codes for part in coded])
    firsts = np.cumsum([0, *(len(part.labels) for part in coded)])[:-1]
    shift = firsts.repeat([len(part.codes) for part in coded])
    labels = [*chain.from_iterable(part.labels for part in coded)]
    return Coded(np.where(codes < 0, codes, codes + shift), labels)


def rows_of(column: Column, rows: IntArray) -> Column:
    """Return rows of a column."""
    if isinstance(column, Coded):
        return column._replace(codes=column.codes[rows])
    return column[rows] if isinstance(column, np.ndarray) else [column[row] for row in rows.tolist()]


def cells_of(column: Column) -> list[Any]:
    """Return the cells of a column as a list, None for those that are missing."""
    if isinstance(column, Coded):
        return [column.labels[code] if code >= 0 else None for code in column.codes.tolist()]
    return [*(column.tolist() if isinstance(column, np.ndarray) else column)]


def labels_in_use(column: Coded) -> list[str]:
    """Return the labels that occur in the column, in the order of their codes."""
    if not len(column.codes):  # as of most corpora, whose documents and annotators are not listed apart
        return []
    counts = np.bincount(column.codes + 1, minlength=len(column.labels) + 1)[1:]
    return [column.labels[code] for code in counts.nonzero()[0].tolist()]


def relabelled(column: Coded, new_labels: Mapping[str, str]) -> Coded:
    """Return a column with other labels, each of which is there once; labels without a new one stay."""
    labels = [new_labels.get(label, label) for label in column.labels]
    code = {label: index for index, label in enumerate(dict.fromkeys(labels))}
    new_codes = np.array([*map(code.__getitem__, labels), UNLABELLED], dtype=np.int64)
    return Coded(new_codes[column.codes], tuple(code))


def in_one_form(kind: str, *columns: Coded) -> tuple[list[Coded], tuple[str, ...]]:
    """Return columns with one label for each that is written in two forms of Unicode, and notes; `kind` names a label.

    A label in one form stays as it is written.
    """
    form = composed(chain.from_iterable(map(labels_in_use, columns)))
    if not form:
        return [*columns], ()
    return [relabelled(column, form) for column in columns], tuple(
        forms_note(kind, name) for name in dict.fromkeys(form.values())
    )


def text_in_one_form(kind: str, values: Column) -> tuple[Column, tuple[str, ...]]:
    """Return a column of any values with one text for each that is written in two forms of Unicode, and notes."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "fiu":
        return values, ()
    if isinstance(values, Coded):
        (column,), notes = in_one_form(kind, values)
        return column, notes
    form = composed({value for value in values if isinstance(value, str)})
    if not form:
        return values, ()
    texts = [form.get(value, value) if isinstance(value, str) else value for value in values]
    return texts, tuple(forms_note(kind, name) for name in dict.fromkeys(form.values()))


def merged(*columns: Coded) -> tuple[tuple[str, ...], list[IntArray]]:
    """Return the sorted labels of all columns that occur, and each column coded by them."""
    used: set[str] = set()
    for column in columns:
        used.update(labels_in_use(column))
    labels = tuple(sorted(used))
    code = {label: index for index, label in enumerate(labels)}
    recoded = []
    for column in columns:
        # The last entry is for code -1.
        new_codes = [*(code.get(label, UNLABELLED) for label in column.labels), UNLABELLED]
        recoded.append(np.array(new_codes, dtype=np.int64)[column.codes])
    return labels, recoded


def numbers(table: Table, name: str, problems: Problems | list[RowsProblem]) -> FloatArray:
    """Return a column as float64; missing values are NaN, and so are texts that are no numbers, which are problems."""
    values = table.columns[name]
    if isinstance(values, Coded):
        values = cells_of(values)
    bad: list[int] = []
    if not isinstance(values, np.ndarray):
        result = _parsed(values, bad)
    elif values.dtype.kind == "f":
        return values.astype(np.float64)
    elif values.dtype.kind in "iu":
        result = values.astype(np.float64)
    else:  # times would be converted to numbers in an unknown unit without a warning
        values = values if values.dtype.kind in "mM" else values.tolist()
        result = _parsed(values, bad)
    if bad:
        problems.append(RowsProblem(table.location, np.array(bad), lambda row: _not_a_number(name, values[row])))
    _check_exact(table, name, values, result, problems)
    return result


def _parsed(values: Sequence[Any] | npt.NDArray[Any], bad: list[int]) -> FloatArray:
    """Return values as float64; values that are no numbers are NaN, and their rows are added to `bad`."""
    if {*map(type, values)} <= {int, float}:
        with suppress(OverflowError):  # one integer is beyond all floats
            return np.array(values, dtype=np.float64)
    result = np.full(len(values), np.nan)
    if has_thousands([value for value in values if isinstance(value, str)], "."):  # with commas they are no numbers
        values = [value.replace(".", ",") if isinstance(value, str) else value for value in values]
    for row, value in enumerate(values):
        try:
            result[row] = _number(value)
        except (TypeError, ValueError, OverflowError):
            bad.append(row)
    return result


def _check_exact(
    table: Table,
    name: str,
    values: Sequence[Any] | npt.NDArray[Any],
    result: FloatArray,
    problems: Problems | list[RowsProblem],
) -> None:
    large = (np.abs(result) >= _MAX_EXACT_INTEGER).nonzero()[0]
    if not len(large):
        return
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


def _number(value: Any) -> float:  # noqa: ANN401  (float() accepts more types than a protocol can name)
    if type(value) is int or type(value) is float:
        return float(value)
    if isinstance(value, str):
        if "_" in value:  # Python accepts 1_000, but data do not mean it
            raise ValueError
        return float(value)
    if isinstance(value, (bool, np.bool_, bytes, np.datetime64, np.timedelta64)):
        raise TypeError
    if value is None or type(value).__name__ in _MISSING_TYPES:
        return float("nan")
    return float(value)


def _is_inexact(value: Any) -> bool:  # noqa: ANN401  (as `_number`)
    if isinstance(value, (float, np.floating)):
        return False
    try:
        return abs(int(value)) > _MAX_EXACT_INTEGER
    except (ValueError, OverflowError):  # "1e300", "inf": written as floats, taken as floats
        return False


def _not_a_number(name: str, value: object) -> str:
    if isinstance(value, str) and not value.strip():
        return f"{name} is empty; a number is needed"
    hint = ""
    if isinstance(value, str) and ("," in value or _THOUSANDS.fullmatch(value)):
        hint = "; write decimals with a point, thousands without a mark"
    elif isinstance(value, str) and re.fullmatch(r"\s*\d+(:\d+)+([.,]\d+)?\s*", value):
        hint = "; write times as seconds: 83.5 for 1:23.5"
    elif isinstance(value, str) and re.match(r"\s*\d{4}-\d\d-\d\d[T ]\d\d:", value):
        hint = "; write times as seconds from the beginning of the recording"
    elif isinstance(value, (bool, np.bool_)):
        hint = "; are the columns in the order you think?"
    elif isinstance(value, (np.datetime64, np.timedelta64, dt.date, dt.time, dt.timedelta)):
        hint = "; give times as numbers, in seconds for instance"
    return f"{name} is {value!r}, not a number{hint}"
