"""Categories of an item table: text, numbers or sets, coded into a list of labels.

Numbers as categories
---------------------
* A whole number is its value, of whatever type: 1, 1.0 and ``Decimal("1.00")`` are one category, 2**53 and 2**53 + 1
  are two, although float64 cannot tell them apart.
* Any other float is the decimal it prints as: 0.1 and ``Decimal("0.1")`` are one category.
* Booleans and fractions are no numbers of items; they are labels as text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from typing import Any

import numpy as np

from gamma_align.columns import MISSING, CodeArray, FloatArray, IntArray
from gamma_align.data.tables import Coded, Table, factorized, label_of
from gamma_align.errors import InputError

Number = int | float | Decimal
"""What a category that is a number is kept as."""

Labels = tuple[str, ...] | tuple[frozenset[str], ...] | tuple[Number, ...] | FloatArray
"""The categories of a table; numbers are an array where float64 holds each of them exactly."""

Key = str | Decimal | frozenset[str]
"""What a category is compared by."""

EXACT = 2**53
"""Up to here float64 holds every whole number."""

EMPTY_SET = "{}"

_SETS = (set, frozenset, list, tuple)
_CLOSE = 4096  # integers within such a range are coded by a table, the others by sorting
_LONGEST = 308  # whole numbers of more digits stay Decimals: no float is as large
_AS_DIGITS = 2.0**64  # whole floats are written with all their digits below this, as integers of 64 bits are


def is_missing(value: Any) -> bool:  # noqa: ANN401  (anything a cell can hold)
    """Return whether a cell holds no judgment: None, NaN, or what a frame library writes for them."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return (isinstance(value, (float, np.floating)) and bool(value != value)) or (  # noqa: PLR0124  (NaN alone does)
        isinstance(value, Decimal) and value.is_nan()
    )


def exact(value: Any) -> Decimal | None:  # noqa: ANN401
    """Return the number a value is (perhaps infinite), None for what is no number."""
    if isinstance(value, (bool, np.bool_)):
        return None
    if isinstance(value, (int, np.integer)):
        return Decimal(int(value))
    if isinstance(value, (float, np.floating)):
        near = float(value)
        if math.isfinite(near) and near != value:  # longer than float64
            return Decimal(str(value))
        return Decimal(near) if math.isinf(near) or near.is_integer() else Decimal(repr(near))
    return value if isinstance(value, Decimal) else None


def written(text: str) -> Decimal | None:
    """Return the number that a text is, None for a text that is no finite one."""
    try:
        near = float(text)
    except ValueError:
        return None
    # Python reads 1_000, nobody's data mean it
    return Decimal(text) if math.isfinite(near) and "_" not in text else None


def labels_of(keys: Sequence[Any]) -> Labels:
    """Return keys as labels; numbers as an array of float64 if that holds all of them exactly, else each by itself."""
    if not keys or not isinstance(keys[0], Decimal):
        return tuple(keys)
    near = [float(number) for number in keys]
    return np.array(near, dtype=np.float64) if all(map(is_float, keys)) else tuple(map(_plain, keys, near))


def keys_of(labels: Labels) -> list[Any]:
    """Return labels as what they are compared by."""
    return [label if isinstance(label, (str, frozenset)) else exact(label) for label in labels]


def is_float(number: Decimal) -> bool:
    """Return whether float64 holds a number exactly (see the module for what that means of 0.1)."""
    near = float(number)
    return math.isinf(near) == number.is_infinite() and exact(near) == number


def _plain(number: Decimal, near: float) -> Number:
    """Return a number as int where it is whole, as float where that prints it, and else without zeros at its end."""
    if number.adjusted() <= _LONGEST and number == number.to_integral_value():
        return int(number)
    if is_float(number):
        return near
    digits = len(number.as_tuple().digits)
    return Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN).normalize(number)


def label_name(label: Any) -> str:  # noqa: ANN401  (a label of any kind)
    """Return a label as tables and orders name it: 1 and 1.0 are "1"; labels that differ have names that differ."""
    if isinstance(label, (frozenset, set)):
        return "{" + ", ".join(repr(part) if set(part) & set(",{}'\"") else part for part in sorted(label)) + "}"
    if not isinstance(label, (float, np.floating)):
        return str(label)
    number = float(label)
    if number.is_integer() and abs(number) < _AS_DIGITS:
        return str(int(number))
    return repr(number)


def label_names(labels: Labels) -> tuple[str, ...]:
    """Return all labels as they are named."""
    return tuple(map(label_name, labels.tolist() if isinstance(labels, np.ndarray) else labels))


def listed(values: Any) -> list[Any]:  # noqa: ANN401
    """Return the cells of a column as a list, None where one is missing."""
    if isinstance(values, Coded):
        labels: list[str | None] = [*values.labels, None]
        return [labels[code] for code in values.codes.tolist()]
    return list(values.tolist() if isinstance(values, np.ndarray) else values)


def coded(
    table: Table, name: str, categories: Sequence[Any] | None, sets: str | None = None, *, text_numbers: bool = False
) -> tuple[CodeArray, Labels]:
    """Return a column of categories as codes (-1 missing) and labels."""
    values = table.columns[name]
    if sets is not None:
        values = [_split(cell, sets) for cell in listed(values)]
        categories = categories and [_split(cell, sets) if isinstance(cell, str) else cell for cell in categories]
    numbers = None if isinstance(values, Coded) else _numeric(values, text_numbers=text_numbers)
    if isinstance(numbers, np.ndarray):
        codes, floats = _coded_floats(table, numbers)
        if categories is None:
            return codes, floats
        observed: Sequence[Any] = list(map(exact, floats.tolist()))
    elif numbers is not None:
        for row in [row for row, number in enumerate(numbers) if number is not None and number.is_infinite()][:1]:
            raise _infinite(table, row, numbers[row])
        codes, observed = _numbered(numbers)
    else:
        codes, observed = _coded_labels(table, name, values)
    used = [observed[code] for code in np.unique(codes[codes >= 0]).tolist()]
    keys = in_order(used) if categories is None else declared(table, categories, used)
    return recoded(table, codes, observed, keys), labels_of(keys)


def _split(cell: Any, mark: str) -> frozenset[str] | None:  # noqa: ANN401
    text = label_of(cell)
    if text is None:
        return None
    return frozenset() if text.strip() == EMPTY_SET else frozenset(part.strip() for part in text.split(mark))


def _numeric(values: Any, *, text_numbers: bool) -> FloatArray | list[Decimal | None] | None:  # noqa: ANN401
    """Return the values as numbers: float64 (NaN missing) where that is exact; None where some are not numbers."""
    if isinstance(values, np.ndarray) and not isinstance(values, np.ma.MaskedArray):
        if values.dtype.kind not in "fiu":
            return None
        if values.dtype.kind == "f" and values.dtype.itemsize <= np.dtype(np.float64).itemsize:
            return values.astype(np.float64, copy=False)
        if values.dtype.kind != "f" and -EXACT <= values.min(initial=0) <= values.max(initial=0) <= EXACT:
            return values.astype(np.float64)
    cells = _read_numbers(listed(values)) if text_numbers else listed(values)
    near = _near(cells)
    if near is None or near[1]:
        return None if near is None else near[0]
    return [None if is_missing(cell) else exact(cell) for cell in cells]


def _read_numbers(cells: list[Any]) -> list[Any]:
    """Return the cells with texts as the numbers they are, if all of them are numbers; else as they are."""
    texts = {cell for cell in cells if isinstance(cell, str)}
    numbers = {text: number for text in texts if (number := written(text)) is not None}
    if len(numbers) < len(texts):
        return cells
    read = {text: float(number) if is_float(number) else number for text, number in numbers.items()}
    return [read[cell] if isinstance(cell, str) else cell for cell in cells]


def _near(cells: list[Any]) -> tuple[FloatArray, bool] | None:
    """Return cells that are numbers or missing as float64, and whether that is exact; None if some are others."""
    numbers = np.full(len(cells), np.nan)
    any_number, same = False, True
    for row, cell in enumerate(cells):
        if is_missing(cell):
            continue
        any_number = True
        if type(cell) is float or (type(cell) is int and -EXACT <= cell <= EXACT):
            numbers[row] = cell
            continue
        number = exact(cell)
        if number is None:
            return None
        numbers[row] = float(number)
        same = same and is_float(number)
    return (numbers, same) if any_number else None


def _coded_floats(table: Table, values: FloatArray) -> tuple[CodeArray, FloatArray]:
    """Return codes and sorted values: by a table where they are integers close to each other, else by sorting."""
    for row in np.flatnonzero(np.isinf(values))[:1].tolist():
        raise _infinite(table, row, values[row])
    known = ~np.isnan(values)
    least = float(np.fmin.reduce(values, initial=np.inf))
    most = float(np.fmax.reduce(values, initial=-np.inf))
    if least > most:
        return np.full(len(values), MISSING, dtype=np.int8), np.empty(0)
    if most - least < _CLOSE and least == math.floor(least):
        shifted = np.where(known, values - least, -1.0).astype(np.int16)
        # not compared before it is rounded: the shift may have rounded a fraction away
        if bool(((shifted + least == values) | ~known).all()):
            used = np.flatnonzero(np.bincount(shifted[known], minlength=1))
            rank = np.full(int(used[-1]) + 2, MISSING, dtype=small(len(used)))
            rank[used] = np.arange(len(used))
            return rank[shifted], (used + least).astype(np.float64)
    labels, inverse = np.unique(values[known], return_inverse=True)
    codes = np.full(len(values), MISSING, dtype=small(len(labels)))
    codes[known] = inverse
    return codes, labels


def _infinite(table: Table, row: int, value: Any) -> InputError:  # noqa: ANN401
    return InputError(f"{table.location(row)}: the category is {value}; use NaN for missing")


def _coded_labels(table: Table, name: str, values: Any) -> tuple[IntArray, Sequence[Key]]:  # noqa: ANN401
    """Return sets, or anything else as text, as codes and labels in any order."""
    if not isinstance(values, Coded):
        values = listed(values)
        if any(isinstance(cell, _SETS) for cell in values):
            return _numbered([_set_of(table, row, cell) for row, cell in enumerate(values)])
        if not set(map(type, values)) <= {str, type(None)}:
            values = list(map(_number_as_text, values))
    return factorized(replace(table, columns={name: values}), name, nullable=True)


def _set_of(table: Table, row: int, cell: Any) -> frozenset[str] | None:  # noqa: ANN401
    if is_missing(cell):
        return None
    if not isinstance(cell, _SETS):
        raise InputError(f"{table.location(row)}: the category is {cell!r}, others are sets; give each as a set")
    return frozenset(map(str, cell))


def _numbered(cells: Sequence[Key | None]) -> tuple[IntArray, list[Key]]:
    """Return cells as codes into those that differ, None as missing."""
    distinct = [cell for cell in dict.fromkeys(cells) if cell is not None]
    code: dict[Key | None, int] = {cell: number for number, cell in enumerate(distinct)}
    return np.array([code.get(cell, MISSING) for cell in cells], dtype=np.int64), distinct


def _number_as_text(cell: Any) -> Any:  # noqa: ANN401
    """Return a number that stands among labels that are none as text, None for NaN; anything else as it is."""
    number = exact(cell)
    if number is None:
        return cell
    return None if number.is_nan() else _shown(number)


def _shown(key: Any) -> Any:  # noqa: ANN401
    """Return a key as messages show it."""
    return label_name(labels_of([key])[0]) if isinstance(key, Decimal) else key


def declared(table: Table, categories: Sequence[Any], observed: Sequence[Any]) -> list[Any]:
    """Return declared categories as the kind of keys that are observed; where none is, as sets, numbers or text."""
    kind: type = str
    if observed:
        kind = type(observed[0])
    elif any(isinstance(label, _SETS) for label in categories):
        kind = frozenset
    elif all(exact(label) is not None for label in categories):
        kind = Decimal
    keys = [_declared_key(table, value, kind) for value in categories]
    for key in keys if len(set(keys)) < len(keys) else ():
        if keys.count(key) > 1:
            raise InputError(f"the category {_shown(key)!r} is declared twice")
    return keys


def _declared_key(table: Table, value: Any, kind: type) -> Key:  # noqa: ANN401
    """Return a declared category as a set, a number or text, as others are."""
    if kind is frozenset:
        if not isinstance(value, _SETS):
            raise InputError(f"{table.origin}: the categories are sets, but {value!r} is declared; give each as a set")
        return frozenset(map(str, value))
    if kind is Decimal:
        number = written(value) if isinstance(value, str) else exact(value)
        if number is None or not number.is_finite():
            raise InputError(f"{table.origin}: the categories are numbers, but {value!r} is declared")
        return number
    try:
        label = label_of(_number_as_text(value))
    except TypeError as error:
        raise InputError(f"{table.origin}: {value!r} is declared, {error}; the categories are text") from None
    if label is None:
        raise InputError(f"{table.origin}: {value!r} is declared; it stands for a judgment that is missing")
    return label


def recoded(table: Table, codes: IntArray | CodeArray, old: Sequence[Any], new: Sequence[Any]) -> CodeArray:
    """Return codes into `old` as codes into `new`."""
    code = {key: number for number, key in enumerate(new)}
    rank = np.array([code.get(key, -2) for key in old] + [MISSING], dtype=small(len(new)))
    result: CodeArray = rank[codes]
    for row in np.flatnonzero(result == -2)[:1].tolist():  # noqa: PLR2004
        raise InputError(
            f"{table.location(row)}: the category {_shown(old[codes[row]])!r} is not among those declared; add it or "
            "mend the row"
        )
    return result


def small(size: int) -> type[np.signedinteger[Any]]:
    """Return the smallest integer type that holds codes below `size`."""
    return next(kind for kind in (np.int8, np.int16, np.int32, np.int64) if size <= np.iinfo(kind).max)


def in_order(keys: Iterable[Any]) -> list[Any]:
    """Return keys sorted: text that is all numbers by its numbers, sets by their sorted members."""
    keys = sorted(keys, key=lambda key: sorted(key) if isinstance(key, frozenset) else key)
    numbers = [written(key) if isinstance(key, str) else None for key in keys]
    if None in numbers:
        return keys
    return [key for _, key in sorted(zip(numbers, keys, strict=True))]
