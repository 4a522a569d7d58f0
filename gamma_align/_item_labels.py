"""Categories of an item table: text, numbers or sets, coded into a list of labels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gamma_align._tables import Coded, Table, factorized, label_of
from gamma_align.errors import InputError
from gamma_align.items import MISSING

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from gamma_align._types import FloatArray, IntArray

EMPTY_SET = "{}"

_SPREAD = 4096  # integers within such a range are coded by a table, the others by sorting


def listed(values: Any) -> list[Any]:  # noqa: ANN401
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
    if isinstance(values, Coded):
        return _coded_text(table, values, categories)
    numeric = _numeric(values)
    if numeric is not None:
        return coded_numbers(table, numeric, categories)
    if any(isinstance(cell, (set, frozenset, list, tuple)) for cell in values):
        return _coded_sets(table, values, categories)
    coded = factorized(Table({name: values}, "items", table.place, table.row_name), name, nullable=True)
    return _coded_text(table, coded, categories)


def _split(cell: Any, mark: str) -> frozenset[str] | None:  # noqa: ANN401
    text = label_of(cell)
    if text is None:
        return None
    return frozenset() if text.strip() == EMPTY_SET else frozenset(part.strip() for part in text.split(mark))


def _numeric(values: Any) -> FloatArray | None:  # noqa: ANN401
    """Return the values as numbers (NaN missing), or None where some are not numbers."""
    if isinstance(values, np.ndarray):
        return values.astype(np.float64, copy=False) if values.dtype.kind in "fiu" else None
    found = np.full(len(values), np.nan)
    some = False
    for at, value in enumerate(values):
        if value is None or type(value).__name__ in ("NAType", "NaTType"):
            continue
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.number)):
            return None
        found[at] = value
        some = True
    return found if some else None


def coded_numbers(table: Table, values: FloatArray, categories: Sequence[Any] | None) -> tuple[Any, FloatArray]:
    known = ~np.isnan(values)
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        raise InputError(f"{table.where(int(infinite[0]))}: the category is {values[infinite[0]]}; use NaN for missing")
    if categories is None:
        codes, labels = _unique_codes(values, known)
        return codes, labels
    labels = np.array([_number(table, value) for value in categories], dtype=np.float64)
    check_once(labels.tolist())
    order = np.argsort(labels, kind="stable")
    at = np.minimum(np.searchsorted(labels[order], values), max(len(labels) - 1, 0))
    bad = np.flatnonzero(known & (labels[order][at] != values if len(labels) else known))
    if len(bad):
        raise _undeclared(table, int(bad[0]), f"{values[bad[0]]:.15g}")
    return np.where(known, order[at], MISSING).astype(small(len(labels))), labels


def _number(table: Table, value: Any) -> float:  # noqa: ANN401
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{table.place}: the categories are numbers, but {value!r} is declared")
    return number


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


def _coded_text(table: Table, coded: Coded, categories: Sequence[Any] | None) -> tuple[Any, tuple[str, ...]]:
    if categories is not None:
        labels = tuple(str(label_of(value)) for value in categories)
        check_once(labels)
    else:
        labels = in_order(coded.labels[code] for code in np.unique(coded.codes[coded.codes >= 0]).tolist())
    return recoded(table, coded.codes, list(coded.labels), labels), labels


def _coded_sets(
    table: Table, values: list[Any], categories: Sequence[Any] | None
) -> tuple[Any, tuple[frozenset[str], ...]]:
    found: dict[frozenset[str], int] = {}
    codes = np.full(len(values), MISSING, dtype=np.int64)
    for row, value in enumerate(values):
        if value is None or (isinstance(value, float) and math.isnan(value)):
            continue
        if not isinstance(value, (set, frozenset, list, tuple)):
            raise InputError(f"{table.where(row)}: the category is {value!r}, others are sets; give every one as a set")
        codes[row] = found.setdefault(frozenset(map(str, value)), len(found))
    if categories is None:
        labels = tuple(sorted(found, key=lambda label: (sorted(label), len(label))))
    else:
        labels = tuple(frozenset(map(str, value)) for value in categories)
        check_once(labels)
    return recoded(table, codes, list(found), labels), labels


def recoded(table: Table, codes: IntArray, old: Sequence[Hashable], new: Sequence[Hashable]) -> Any:  # noqa: ANN401
    """Return codes into `old` as codes into `new`."""
    place = {label: code for code, label in enumerate(new)}
    rank = np.array([place.get(label, -2) for label in old] + [MISSING], dtype=small(len(new)))
    result = rank[codes]
    bad = np.flatnonzero(result == -2)  # noqa: PLR2004
    if len(bad):
        raise _undeclared(table, int(bad[0]), old[codes[bad[0]]])
    return result


def _undeclared(table: Table, row: int, label: Any) -> InputError:  # noqa: ANN401
    return InputError(f"{table.where(row)}: the category {label!r} is not among those declared; add it or mend the row")


def check_once(labels: Sequence[Hashable]) -> None:
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
    numbers = as_numbers(found)
    if numbers is None:
        return tuple(sorted(found))
    return tuple(label for _, label in sorted(zip(numbers, found, strict=True)))


def as_numbers(labels: Iterable[Any]) -> list[float] | None:
    """Return labels as finite numbers, or None where one is not a number."""
    numbers = []
    for label in labels:
        try:
            number = float(label)
        except (TypeError, ValueError):
            return None
        if not math.isfinite(number) or (isinstance(label, str) and "_" in label):
            return None
        numbers.append(number)
    return numbers


def labels_of(categories: Sequence[Any]) -> Any:  # noqa: ANN401
    if any(isinstance(label, (set, frozenset, list, tuple)) for label in categories):
        found: Any = tuple(frozenset(map(str, label)) for label in categories)
    elif all(isinstance(label, (int, float)) and not isinstance(label, bool) for label in categories):
        found = np.array(categories, dtype=np.float64)
    else:
        found = tuple(map(str, categories))
    check_once(list(found))
    return found
