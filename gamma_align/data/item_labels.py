"""Categories of an item table: text, numbers or sets, coded into a list of labels.

Numbers as categories
---------------------
* A whole number is its value, whatever its type: 1, 1.0 and ``Decimal("1.00")`` are one category, 2**53 and 2**53 + 1
  are two, although float64 cannot distinguish them.
* Any other float is the decimal number that is printed for it: 0.1 and ``Decimal("0.1")`` are one category.
* Booleans and fractions are labels as text, not numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from gamma_align.columns import MISSING, CodeArray, FloatArray, IntArray
from gamma_align.data.tables import Coded, Table, cells_of, factorized, label_of
from gamma_align.errors import Call, Cure, InputError, Location

Number = int | float | Decimal
"""The types of categories that are numbers."""

Labels = tuple[str | frozenset[str] | Number, ...] | FloatArray
"""The categories of a table, which are of one kind; numbers are an array if float64 holds each of them exactly."""

Key = str | Decimal | frozenset[str]
"""A category as it is compared with others: all numbers are a Decimal."""

Cells = Sequence[object] | npt.NDArray[Any] | Coded
"""A column of any kind."""

MAX_EXACT_INTEGER = 2**53
"""Up to this size float64 holds every whole number."""

EMPTY_SET = "{}"
"""The empty set as text."""

_SET_TYPES = (set, frozenset, list, tuple)
_CODE_TYPES = (np.int8, np.int16, np.int32, np.int64)
_MAX_FLOAT_EXPONENT = 308  # no float has more digits, so longer whole numbers stay Decimals
_MAX_PRINTED_INTEGER = 2.0**64  # whole floats below are printed with all digits, like integers of 64 bits
_UNDECLARED = -2  # code of a category that is not declared


def is_missing(value: object) -> bool:
    """Return whether a cell is a missing judgment: None, NaN, or the missing value of a data frame library."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, (float, np.floating)):
        return math.isnan(value)
    return isinstance(value, Decimal) and value.is_nan()


@overload
def exact_number(value: Number) -> Decimal: ...
@overload
def exact_number(value: object) -> Decimal | None: ...
def exact_number(value: object) -> Decimal | None:
    """Return the number that a value is, which may be infinite; None if it is not a number."""
    # A bool is an int in Python, but a label in data.
    if isinstance(value, (bool, np.bool_)):
        return None
    if isinstance(value, (int, np.integer)):
        return Decimal(int(value))
    if isinstance(value, (float, np.floating)):
        rounded = float(value)
        if math.isfinite(rounded) and rounded != value:  # a type with more digits than float64
            return Decimal(str(value))
        return Decimal(rounded) if math.isinf(rounded) or rounded.is_integer() else Decimal(repr(rounded))
    return value if isinstance(value, Decimal) else None


def parse_number(text: str) -> Decimal | None:
    """Return the finite number that a text shows, or None."""
    try:
        rounded = float(text)
    except ValueError:
        return None
    # Python reads "1_000" as 1000, but in data it is a name.
    return Decimal(text) if math.isfinite(rounded) and "_" not in text else None


def labels_of(keys: Sequence[Key]) -> Labels:
    """Return keys of one kind as labels; numbers as an array of float64 if it holds all of them exactly."""
    numbers = [key for key in keys if isinstance(key, Decimal)]
    # All keys of a table are of one kind.
    if not numbers:
        return tuple(key for key in keys if not isinstance(key, Decimal))
    rounded = list(map(float, numbers))
    if all(map(_is_float, numbers)):
        return np.array(rounded, dtype=np.float64)
    return tuple(map(_as_number, numbers, rounded))


def keys_of(labels: Labels) -> list[Key]:
    """Return labels as keys."""
    return [label if isinstance(label, (str, frozenset)) else exact_number(label) for label in labels]


def _is_float(number: Decimal) -> bool:
    """Return whether float64 holds a number exactly; a float such as 0.1 is the decimal that is printed for it."""
    rounded = float(number)
    return math.isinf(rounded) == number.is_infinite() and exact_number(rounded) == number


def _as_number(number: Decimal, rounded: float) -> Number:
    """Return a number as an int if it is whole, as a float if that is exact, else as a Decimal without final zeros."""
    if number.adjusted() <= _MAX_FLOAT_EXPONENT and number == number.to_integral_value():
        return int(number)
    if _is_float(number):
        return rounded
    digits = len(number.as_tuple().digits)
    return Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN).normalize(number)


def label_name(label: object) -> str:
    """Return the text of a label: 1 and 1.0 are "1". Different labels of one kind have different texts."""
    if isinstance(label, (frozenset, set)):
        # A member is quoted if a set of other members could have the same text.
        return "{" + ", ".join(repr(part) if set(part) & set(",{}'\"") else part for part in sorted(label)) + "}"
    if not isinstance(label, (float, np.floating)):
        return str(label)
    number = float(label)
    if number.is_integer() and abs(number) < _MAX_PRINTED_INTEGER:
        return str(int(number))
    return repr(number)


def label_names(labels: Labels) -> tuple[str, ...]:
    """Return the texts of all labels."""
    return tuple(map(label_name, labels.tolist() if isinstance(labels, np.ndarray) else labels))


def code_categories(
    table: Table, name: str, categories: Sequence[object] | None, sets: str | None = None, *, text_numbers: bool = False
) -> tuple[CodeArray, Labels]:
    """Return a column of categories as codes, -1 for missing ones, and labels.

    `categories` are the declared ones, `sets` is the separator of the members of a set in a text, and with
    `text_numbers` texts that are all numbers become numbers.
    """
    column: Cells = table.columns[name]
    if sets is not None:
        column = [split_set(cell, sets) for cell in cells_of(column)]
        if categories is not None:
            categories = [split_set(cell, sets) if isinstance(cell, str) else cell for cell in categories]
    numbers = None if isinstance(column, Coded) else _read_column(column, text_numbers=text_numbers)
    if isinstance(numbers, np.ndarray):
        codes, floats = _code_floats(table, numbers)
        if categories is None:
            return codes, floats  # already sorted; as keys, millions of numbers would be slow
        observed: Sequence[Key] = list(map(exact_number, floats.tolist()))
    elif numbers is not None:
        codes, observed = _code_decimals(table, numbers)
    else:
        codes, observed = _code_labels(table, name, column)
    # Categories that do not occur are only in the table if they are declared.
    used = [observed[code] for code in np.unique(codes[codes >= 0]).tolist()]
    keys = sort_keys(used) if categories is None else declare_keys(table, categories, used)
    return recode(table, codes, observed, keys), labels_of(keys)


def split_set(cell: object, separator: str) -> frozenset[str] | None:
    """Return the members of a set in a text, None for a missing cell."""
    text = label_of(cell)
    if text is None:
        return None
    return frozenset() if text.strip() == EMPTY_SET else frozenset(part.strip() for part in text.split(separator))


def _read_column(
    column: Sequence[object] | npt.NDArray[Any], *, text_numbers: bool
) -> FloatArray | list[Decimal | None] | None:
    """Return a column as numbers, or None if a cell is not a number.

    They are float64 with NaN for missing ones if that is exact, else each is a Decimal or None.
    """
    if isinstance(column, np.ndarray) and not isinstance(column, np.ma.MaskedArray):
        if column.dtype.kind not in "fiu":
            return None
        # Longer floats may not fit in float64.
        if column.dtype.kind == "f" and column.dtype.itemsize <= np.dtype(np.float64).itemsize:
            return column.astype(np.float64, copy=False)
        is_whole = column.dtype.kind != "f"
        if is_whole and -MAX_EXACT_INTEGER <= column.min(initial=0) <= column.max(initial=0) <= MAX_EXACT_INTEGER:
            return column.astype(np.float64)
    cells = _read_texts(cells_of(column)) if text_numbers else cells_of(column)
    floats = _round_cells(cells)
    if floats is None:
        return None
    numbers, are_exact = floats
    if are_exact:
        return numbers
    return [None if is_missing(cell) else exact_number(cell) for cell in cells]


def _read_texts(cells: list[object]) -> list[object]:
    """Return the cells with texts replaced by numbers; the same cells if a text is not a number."""
    texts = {cell for cell in cells if isinstance(cell, str)}
    numbers = {text: number for text in texts if (number := parse_number(text)) is not None}
    if len(numbers) < len(texts):
        return cells
    values = {text: float(number) if _is_float(number) else number for text, number in numbers.items()}
    return [values[cell] if isinstance(cell, str) else cell for cell in cells]


def _round_cells(cells: list[object]) -> tuple[FloatArray, bool] | None:
    """Return cells as float64 and whether that is exact; None if a cell is not a number, or all are missing."""
    numbers = np.full(len(cells), np.nan)
    has_number = False
    is_exact = True
    for row, cell in enumerate(cells):
        if is_missing(cell):
            continue
        has_number = True
        if type(cell) is float or (type(cell) is int and -MAX_EXACT_INTEGER <= cell <= MAX_EXACT_INTEGER):
            numbers[row] = cell
            continue
        number = exact_number(cell)
        if number is None:
            return None
        numbers[row] = float(number)
        is_exact = is_exact and _is_float(number)
    return (numbers, is_exact) if has_number else None


def _code_floats(table: Table, values: FloatArray) -> tuple[CodeArray, FloatArray]:
    """Return codes and sorted values."""
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        raise _infinite(table, int(infinite[0]), values[infinite[0]])
    is_known = ~np.isnan(values)
    labels, inverse = np.unique(values[is_known], return_inverse=True)
    codes = np.full(len(values), MISSING, dtype=code_type(len(labels)))
    codes[is_known] = inverse
    return codes, labels


def _code_decimals(table: Table, numbers: Sequence[Decimal | None]) -> tuple[IntArray, list[Key]]:
    """Return codes and keys in any order."""
    infinite = next((row for row, number in enumerate(numbers) if number is not None and number.is_infinite()), None)
    if infinite is not None:
        raise _infinite(table, infinite, numbers[infinite])
    return _code_keys(numbers)


def _infinite(table: Table, row: int, value: object) -> InputError:
    return InputError(f"the category is {value}", "use NaN for missing", table.location(row))


def _code_labels(table: Table, name: str, column: Cells) -> tuple[IntArray, Sequence[Key]]:
    """Return sets, or anything else as text, as codes and keys in any order."""
    if not isinstance(column, Coded):
        cells = cells_of(column)
        if any(isinstance(cell, _SET_TYPES) for cell in cells):
            return _code_keys([_set_of_cell(table, row, cell) for row, cell in enumerate(cells)])
        # Most columns are text only, and then no cell needs a conversion.
        if not set(map(type, cells)) <= {str, type(None)}:
            cells = list(map(_number_as_text, cells))
        column = cells
    return factorized(replace(table, columns={name: column}), name, nullable=True)


def _set_of_cell(table: Table, row: int, cell: object) -> frozenset[str] | None:
    """Return the set in a cell, None if the judgment is missing.

    Raises
    ------
    InputError
        If it is no set; if it is a list with a label twice, which may be one of tags in order.
    """
    if is_missing(cell):
        return None
    if not isinstance(cell, _SET_TYPES):
        raise InputError(
            f"the category is {cell!r}, but other categories are sets", "give each as a set", table.location(row)
        )
    labels = [*map(str, cell)]
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        raise InputError(
            f"a judgment lists {twice!r} more than once",
            Cure(
                "give each label of a set once, or each coder a column; tags of tokens are units, which {} reads",
                Call("gamma", "measure"),
            ),
            table.location(row),
        )
    return frozenset(labels)


def _code_keys(cells: Sequence[Key | None]) -> tuple[IntArray, list[Key]]:
    """Return cells as codes into the different keys, with None as missing."""
    keys = [cell for cell in dict.fromkeys(cells) if cell is not None]
    code: dict[Key | None, int] = {key: index for index, key in enumerate(keys)}
    return np.array([code.get(cell, MISSING) for cell in cells], dtype=np.int64), keys


def _number_as_text(cell: object) -> object:
    """Return a number among labels that are not numbers as text, None for NaN, and any other cell unchanged."""
    number = exact_number(cell)
    if number is None:
        return cell
    return None if number.is_nan() else _shown(number)


def _shown(key: Key) -> str | frozenset[str]:
    """Return a key as messages show it."""
    return label_names(labels_of([key]))[0] if isinstance(key, Decimal) else key


def declare_keys(table: Table, categories: Sequence[object], observed: Sequence[Key]) -> list[Key]:
    """Return declared categories as keys of the same kind as the observed ones; without these, as they are given."""
    kind: type[Key] = str
    if observed:
        kind = type(observed[0])
    elif any(isinstance(label, _SET_TYPES) for label in categories):
        kind = frozenset
    elif all(exact_number(label) is not None for label in categories):
        kind = Decimal
    keys = [_declared_key(table, value, kind) for value in categories]
    if len(set(keys)) < len(keys):
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise InputError(f"the category {_shown(repeated)!r} is declared twice", "declare it once")
    return keys


def _declared_key(table: Table, value: object, kind: type[Key]) -> Key:
    """Return a declared category as a key of this kind."""
    location = Location(table.origin)
    if kind is frozenset:
        if not isinstance(value, _SET_TYPES):
            raise InputError(f"the categories are sets, but {value!r} is declared", "give each as a set", location)
        return frozenset(map(str, value))
    if kind is Decimal:
        number = parse_number(value) if isinstance(value, str) else exact_number(value)
        if number is None or not number.is_finite():
            raise InputError(f"the categories are numbers, but {value!r} is declared", "declare numbers", location)
        return number
    try:
        label = label_of(_number_as_text(value))
    except TypeError as error:
        raise InputError(
            f"the categories are text, but {value!r} is declared, {error}", "declare each as text", location
        ) from None
    if label is None:
        raise InputError(f"{value!r} is declared, but it means a missing judgment", "leave it out", location)
    return label


def recode(table: Table, codes: IntArray | CodeArray, old: Sequence[Key], new: Sequence[Key]) -> CodeArray:
    """Return codes into `old` as codes into `new`."""
    code = {key: index for index, key in enumerate(new)}
    # Code -1, a missing judgment, reads the last entry.
    new_codes = np.array([code.get(key, _UNDECLARED) for key in old] + [MISSING], dtype=code_type(len(new)))
    result: CodeArray = new_codes[codes]
    undeclared = np.flatnonzero(result == _UNDECLARED)
    if len(undeclared):
        row = int(undeclared[0])
        raise InputError(
            f"the category {_shown(old[codes[row]])!r} is not declared",
            "add it to the declared categories, or correct the row",
            table.location(row),
        )
    return result


def code_type(size: int) -> type[np.signedinteger]:
    """Return the smallest integer type that holds codes below `size`."""
    return next(kind for kind in _CODE_TYPES if size <= np.iinfo(kind).max)


def sort_keys(keys: Iterable[Key]) -> list[Key]:
    """Return keys of one kind sorted: texts that are all numbers by value, sets by their sorted members."""
    texts: list[str] = []
    numbers: list[Decimal] = []
    sets: list[frozenset[str]] = []
    for key in keys:
        if isinstance(key, str):
            texts.append(key)
        elif isinstance(key, Decimal):
            numbers.append(key)
        else:
            sets.append(key)
    texts.sort()
    values = [number for number in map(parse_number, texts) if number is not None]
    if len(values) == len(texts):
        texts = [text for _, text in sorted(zip(values, texts, strict=True))]
    return [*texts, *sorted(numbers), *sorted(sets, key=sorted)]
