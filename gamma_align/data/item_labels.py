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
from collections.abc import Hashable, Iterable, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from typing import Any

import numpy as np

from gamma_align._types import MISSING, FloatArray, IntArray
from gamma_align.data.tables import Coded, Table, factorized, label_of
from gamma_align.errors import InputError

Number = int | float | Decimal
"""What a category that is a number is kept as."""

EXACT = 2**53
"""Up to here float64 holds every whole number."""

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


def labels_of_numbers(numbers: Sequence[Decimal]) -> tuple[Number, ...] | FloatArray:
    """Return numbers as labels: an array of float64 if that holds all of them exactly, and else each by itself."""
    near = [float(number) for number in numbers]
    if all(map(is_float, numbers)):
        return np.array(near, dtype=np.float64)
    return tuple(map(_plain, numbers, near))


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


EMPTY_SET = "{}"

_SPREAD = 4096  # integers within such a range are coded by a table, the others by sorting


def listed(values: Any) -> list[Any]:  # noqa: ANN401
    """Return the cells of a column as a list, None where one is missing."""
    if isinstance(values, Coded):
        labels: list[str | None] = [*values.labels, None]
        return [labels[code] for code in values.codes.tolist()]
    listed: list[Any] = values.tolist() if isinstance(values, np.ndarray) else list(values)
    return listed


def coded(table: Table, name: str, categories: Sequence[Any] | None, sets: str | None = None) -> tuple[Any, Any]:
    """Return a column of categories as codes (-1 missing) and labels."""
    values = table.columns[name]
    if sets is not None:
        values = [_split(cell, sets) for cell in listed(values)]
        categories = categories and [_split(cell, sets) if isinstance(cell, str) else cell for cell in categories]
    if isinstance(values, Coded):
        return _coded_text(table, values, categories)
    numeric = _numeric(values)
    if numeric is not None:
        return _coded_numbers(table, numeric, categories)
    values = listed(values)
    if any(isinstance(cell, (set, frozenset, list, tuple)) for cell in values):
        return _coded_sets(table, values, categories)
    if not set(map(type, values)) <= {str, type(None)}:
        values = list(map(_number_as_text, values))
    coded = factorized(Table({name: values}, "items", table.place, table.row_name), name, nullable=True)
    return _coded_text(table, coded, categories)


def _split(cell: Any, mark: str) -> frozenset[str] | None:  # noqa: ANN401
    text = label_of(cell)
    if text is None:
        return None
    return frozenset() if text.strip() == EMPTY_SET else frozenset(part.strip() for part in text.split(mark))


def _number_as_text(cell: Any) -> Any:  # noqa: ANN401
    """Return a number that stands among labels that are none as text, None for NaN; anything else as it is."""
    number = exact(cell)
    if number is None:
        return cell
    return None if number.is_nan() else label_name(labels_of_numbers([number])[0])


def _numeric(values: Any) -> FloatArray | list[Decimal | None] | None:  # noqa: ANN401
    """Return the values as numbers: float64 (NaN missing) where that is exact; None where some are not numbers."""
    if isinstance(values, np.ndarray) and not isinstance(values, np.ma.MaskedArray):
        if values.dtype.kind not in "fiu":
            return None
        if values.dtype.kind == "f" and values.dtype.itemsize <= np.dtype(np.float64).itemsize:
            return values.astype(np.float64, copy=False)
        if values.dtype.kind != "f" and -EXACT <= values.min(initial=0) <= values.max(initial=0) <= EXACT:
            return values.astype(np.float64)
    cells = listed(values)
    near = _near(cells)
    if near is None or near[1]:
        return None if near is None else near[0]
    return [None if is_missing(cell) else exact(cell) for cell in cells]


def _near(cells: list[Any]) -> tuple[FloatArray, bool] | None:
    """Return cells that are numbers or missing as float64, and whether that is exact; None if some are others."""
    found = np.full(len(cells), np.nan)
    some, same = False, True
    for row, cell in enumerate(cells):
        if is_missing(cell):
            continue
        some = True
        if type(cell) is float or (type(cell) is int and -EXACT <= cell <= EXACT):
            found[row] = cell
            continue
        number = exact(cell)
        if number is None:
            return None
        found[row] = float(number)
        same = same and is_float(number)
    return (found, same) if some else None


def _coded_numbers(
    table: Table, values: FloatArray | list[Decimal | None], categories: Sequence[Any] | None
) -> tuple[Any, Any]:
    """Return numbers as codes and labels."""
    if isinstance(values, np.ndarray):
        infinite = np.flatnonzero(np.isinf(values))
        if len(infinite):
            raise _infinite(table, int(infinite[0]), values[infinite[0]])
        codes, labels = _unique_codes(values, ~np.isnan(values))
        if categories is None:
            return codes, labels
        found = [number for label in labels.tolist() if (number := exact(label)) is not None]
    else:
        for row, value in enumerate(values):
            if value is not None and value.is_infinite():
                raise _infinite(table, row, value)
        found = sorted({value for value in values if value is not None})
        place: dict[Decimal | None, int] = {number: code for code, number in enumerate(found)}
        codes = np.array([place.get(value, MISSING) for value in values], dtype=small(len(found)))
    if categories is not None and not found:
        return codes, labels_of(table, categories)
    chosen = found if categories is None else declared_numbers(table, categories)
    return recoded(table, codes, found, chosen), labels_of_numbers(chosen)


def _infinite(table: Table, row: int, value: Any) -> InputError:  # noqa: ANN401
    return InputError(f"{table.where(row)}: the category is {value}; use NaN for missing")


def declared_numbers(table: Table, categories: Sequence[Any]) -> list[Decimal]:
    """Return declared categories as numbers, which they have to be where the judgments are."""
    numbers = []
    for value in categories:
        number = written(value) if isinstance(value, str) else exact(value)
        if number is None or not number.is_finite():
            raise InputError(f"{table.place}: the categories are numbers, but {value!r} is declared")
        numbers.append(number)
    check_once(numbers)
    return numbers


def _unique_codes(values: FloatArray, known: Any) -> tuple[Any, FloatArray]:  # noqa: ANN401
    """Return codes and sorted values: by a table where they are integers close to each other, else by sorting."""
    least = float(np.fmin.reduce(values, initial=np.inf))
    most = float(np.fmax.reduce(values, initial=-np.inf))
    if least > most:
        return np.full(len(values), MISSING, dtype=np.int8), np.empty(0)
    if most - least < _SPREAD and least == math.floor(least):
        shifted = np.where(known, values - least, -1.0)
        place = shifted.astype(np.int16)
        # not place == shifted: the shift may have rounded a fraction away
        if bool(((place + least == values) | ~known).all()):
            used = np.flatnonzero(np.bincount(place[known], minlength=1))
            rank = np.full(int(used[-1]) + 2, MISSING, dtype=small(len(used)))
            rank[used] = np.arange(len(used))
            return rank[place], (used + least).astype(np.float64)
    labels, inverse = np.unique(values[known], return_inverse=True)
    codes = np.full(len(values), MISSING, dtype=small(len(labels)))
    codes[known] = inverse
    return codes, labels


def _coded_text(table: Table, coded: Coded, categories: Sequence[Any] | None) -> tuple[Any, Any]:
    used = np.unique(coded.codes[coded.codes >= 0]).tolist()
    if categories is not None and not used:
        return np.full(len(coded.codes), MISSING, dtype=np.int8), labels_of(table, categories)
    labels = in_order(coded.labels[at] for at in used) if categories is None else declared_text(table, categories)
    return recoded(table, coded.codes, list(coded.labels), labels), labels


def declared_text(table: Table, categories: Sequence[Any]) -> tuple[str, ...]:
    """Return declared categories as text."""
    labels = []
    for value in categories:
        try:
            label = label_of(_number_as_text(value))
        except TypeError as error:
            raise InputError(f"{table.place}: {value!r} is declared, {error}; the categories are text") from None
        if label is None:
            raise InputError(f"{table.place}: {value!r} is declared; it stands for a judgment that is missing")
        labels.append(label)
    check_once(labels)
    return tuple(labels)


def declared_sets(table: Table, categories: Sequence[Any]) -> tuple[frozenset[str], ...]:
    """Return declared categories as sets."""
    bad = [value for value in categories if not isinstance(value, (set, frozenset, list, tuple))]
    if bad:
        raise InputError(f"{table.place}: the categories are sets, but {bad[0]!r} is declared; give every one as a set")
    labels = tuple(frozenset(map(str, value)) for value in categories)
    check_once(labels)
    return labels


def _coded_sets(
    table: Table, values: list[Any], categories: Sequence[Any] | None
) -> tuple[Any, tuple[frozenset[str], ...]]:
    found: dict[frozenset[str], int] = {}
    codes = np.full(len(values), MISSING, dtype=np.int64)
    for row, value in enumerate(values):
        if is_missing(value):
            continue
        if not isinstance(value, (set, frozenset, list, tuple)):
            raise InputError(f"{table.where(row)}: the category is {value!r}, others are sets; give every one as a set")
        codes[row] = found.setdefault(frozenset(map(str, value)), len(found))
    if categories is None:
        labels = tuple(sorted(found, key=lambda label: (sorted(label), len(label))))
    else:
        labels = declared_sets(table, categories)
    return recoded(table, codes, list(found), labels), labels


def recoded(table: Table, codes: IntArray, old: Sequence[Hashable], new: Sequence[Hashable]) -> Any:  # noqa: ANN401
    """Return codes into `old` as codes into `new`."""
    place = {label: code for code, label in enumerate(new)}
    rank = np.array([place.get(label, -2) for label in old] + [MISSING], dtype=small(len(new)))
    result = rank[codes]
    bad = np.flatnonzero(result == -2)  # noqa: PLR2004
    if len(bad):
        label = old[codes[bad[0]]]
        if isinstance(label, Decimal):
            label = label_name(labels_of_numbers([label])[0])
        raise InputError(
            f"{table.where(int(bad[0]))}: the category {label!r} is not among those declared; add it or mend the row"
        )
    return result


def check_once(labels: Sequence[Hashable]) -> None:
    """Refuse a list of categories that names one twice."""
    seen: set[Hashable] = set()
    for label in labels:
        if label in seen:
            raise InputError(f"the category {label!r} is declared twice")
        seen.add(label)


def small(size: int) -> type[np.signedinteger[Any]]:
    """Return the smallest integer type that holds codes below `size`."""
    return next(kind for kind in (np.int8, np.int16, np.int32, np.int64) if size <= np.iinfo(kind).max)


def in_order(labels: Iterable[str]) -> tuple[str, ...]:
    """Return labels sorted: as numbers where all are, else as text."""
    found = list(labels)
    numbers = [number for label in found if (number := written(label)) is not None]
    if len(numbers) < len(found):
        return tuple(sorted(found))
    return tuple(label for _, label in sorted(zip(numbers, found, strict=True)))


def labels_of(table: Table, categories: Sequence[Any]) -> Any:  # noqa: ANN401
    """Return the labels that a list of categories declares: sets, numbers or text."""
    if any(isinstance(label, (set, frozenset, list, tuple)) for label in categories):
        return declared_sets(table, categories)
    if all(exact(label) is not None for label in categories):
        return labels_of_numbers(declared_numbers(table, categories))
    return declared_text(table, categories)
