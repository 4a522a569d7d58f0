"""From tables as they come to the frozen columns of a corpus: coding, checks, sorting.

Every refusal of data is worded here, once, with the rows it is about and the cure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gamma_align._types import frozen
from gamma_align.continuum import UNLABELLED, Corpus
from gamma_align.errors import InputError, SettingsError

if TYPE_CHECKING:
    from gamma_align._types import BoolArray, FloatArray, IntArray

_SHOWN = 10
_KNOWN = {
    "units": ("document", "annotator", "start", "end", "category"),
    "annotations": ("document", "annotator"),
    "documents": ("document", "length", "start", "end", "unit"),
}


class Coded(NamedTuple):
    """A column of labels already coded: `codes` (-1 is missing) into `labels`."""

    codes: IntArray
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Columns with the name of where they came from.

    Attributes
    ----------
    columns : mapping
        Column name to values (sequence, array or `Coded`).
    kind : {"units", "annotations", "documents"}
        What the table says.
    place : str
        File or other origin, for messages.
    row_name : callable
        From a row's index to words a person finds it by ("line 12").
    """

    columns: Mapping[str, Any]
    kind: str
    place: str
    row_name: Callable[[int], str]

    @classmethod
    def of(cls, columns: Mapping[str, Any], kind: str) -> Table:
        """Return a table that came from memory."""
        return cls(columns, kind, kind, lambda row: f"row {row + 1}")

    def __len__(self) -> int:
        first = next(iter(self.columns.values()), ())
        return len(first.codes if isinstance(first, Coded) else first)

    def where(self, row: int) -> str:
        """Return place and row as words."""
        return f"{self.place}, {self.row_name(row)}"


def corpus(
    units: Table,
    *,
    annotations: Table | None = None,
    documents: Table | None = None,
    columns: Mapping[str, str] | None = None,
    outside: str = "refuse",
    document: str = "continuum",
) -> Corpus:
    """Validate the tables and return the corpus; `document` names units that have no document column."""
    if outside not in ("refuse", "extend"):
        raise SettingsError(f"outside must be 'refuse' or 'extend', not {outside!r}")
    units = _renamed(units, columns, required=("annotator", "start", "end"))
    _same_length(units)
    if "document" not in units.columns:
        everywhere = Coded(np.zeros(len(units), dtype=np.int64), (document,))
        units = Table({**units.columns, "document": everywhere}, units.kind, units.place, units.row_name)
    start, end = _bounds(units)
    names, unit_document, seen_document, listed = _documents(units, annotations, documents, columns)
    people, unit_annotator, seen_annotator = _annotators(units, annotations, columns)
    labels, category = _categories(units)

    if annotations is None:
        seen_document, seen_annotator = unit_document, unit_annotator
    seen_key = np.unique(seen_document * len(people) + seen_annotator)
    _declared(units, unit_document * len(people) + unit_annotator, seen_key, names, people, unit_document)

    order = np.lexsort((category, end, start, unit_annotator, unit_document))
    extents, length_unit, notes = _extents(
        units, listed, unit_document, start, end, names, people, unit_annotator, outside
    )
    edges = np.arange(len(names) + 1)
    return Corpus(
        documents=names,
        annotators=people,
        categories=labels,
        seen_offsets=_offsets(np.searchsorted(seen_key, edges * max(len(people), 1))),
        seen=_column(seen_key % max(len(people), 1)),
        unit_offsets=_offsets(np.searchsorted(unit_document[order], edges)),
        annotator=_column(unit_annotator[order]),
        start=_column(start[order]),
        end=_column(end[order]),
        category=_column(category[order]),
        extents=_column(extents),
        length_unit=length_unit,
        notes=notes,
    )


def _column(values: Any) -> Any:  # noqa: ANN401  (int or float, kept)
    return frozen(np.ascontiguousarray(values))


def _offsets(values: Any) -> IntArray:  # noqa: ANN401
    offsets: IntArray = _column(np.asarray(values, dtype=np.int64))
    return offsets


def _renamed(table: Table, columns: Mapping[str, str] | None, *, required: tuple[str, ...]) -> Table:
    """Give the columns our names, and refuse a table that lacks one we need."""
    known = _KNOWN[table.kind]
    unknown = [name for name in columns or {} if name not in {n for names in _KNOWN.values() for n in names}]
    if unknown:
        raise SettingsError(f"columns= renames {', '.join(known)}; there is no {unknown[0]!r}")
    theirs = {ours: (columns or {}).get(ours, ours) for ours in known}
    missing = [name for name in required if theirs[name] not in table.columns]
    if missing:
        have = ", ".join(map(repr, table.columns)) or "none"
        raise InputError(
            f"{table.place}: no column {theirs[missing[0]]!r}; there are {have}. "
            f"Name yours with columns={{'{missing[0]}': '<your name>'}}"
        )
    found = {ours: table.columns[name] for ours, name in theirs.items() if name in table.columns}
    asked = [name for ours, name in theirs.items() if ours != name and ours not in found and ours in (columns or {})]
    if table.kind == "units" and asked:
        raise InputError(f"{table.place}: no column {asked[0]!r}; there are {', '.join(map(repr, table.columns))}")
    return Table(found, table.kind, table.place, table.row_name)


def _same_length(table: Table) -> None:
    lengths = {
        name: len(values.codes if isinstance(values, Coded) else values) for name, values in table.columns.items()
    }
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise InputError(f"{table.place}: columns differ in length ({told}); every unit needs a value in each")


def _factorized(table: Table, name: str, *, nullable: bool = False) -> Coded:
    """Code a column of labels; labels are strings, or what ``str`` makes of them."""
    values = table.columns[name]
    if not isinstance(values, Coded):
        seen: dict[str, int] = {}
        codes = np.empty(len(values), dtype=np.int64)
        for row, value in enumerate(values.tolist() if isinstance(values, np.ndarray) else values):
            if value is None or value != value:  # NaN is how some frames write a missing label  # noqa: PLR0124
                codes[row] = UNLABELLED
            else:
                codes[row] = seen.setdefault(str(value), len(seen))
        values = Coded(codes, tuple(seen))
    if not nullable and (values.codes < 0).any():
        row = int(np.flatnonzero(values.codes < 0)[0])
        raise InputError(f"{table.where(row)}: the {name} is missing; every {table.kind[:-1]} needs one")
    return values


def _merged(*columns: Coded) -> tuple[tuple[str, ...], list[IntArray]]:
    """Return one sorted list of the labels in use and each column coded by it."""
    used: set[str] = set()
    for column in columns:
        present = np.unique(column.codes[column.codes >= 0])
        used.update(column.labels[code] for code in present.tolist())
    labels = tuple(sorted(used))
    place = {label: code for code, label in enumerate(labels)}
    recoded = []
    for column in columns:
        table = np.array([place.get(label, UNLABELLED) for label in column.labels] + [UNLABELLED], dtype=np.int64)
        recoded.append(table[column.codes])
    return labels, recoded


def _bounds(units: Table) -> tuple[FloatArray, FloatArray]:
    start, end = (_numbers(units, name) for name in ("start", "end"))
    for name, values in (("start", start), ("end", end)):
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            raise InputError(
                f"{units.where(int(bad[0]))}: {name} is {values[bad[0]]}, a bound must be a finite number"
                + _and_others(units, bad)
            )
    bad = np.flatnonzero(end < start)
    if len(bad):
        row = int(bad[0])
        raise InputError(
            f"{units.where(row)}: the unit ends at {end[row]:.15g}, before its start {start[row]:.15g}"
            + _and_others(units, bad)
            + "; swap the bounds, or check that the columns are start and end, not start and length"
        )
    return start, end


def _numbers(table: Table, name: str) -> FloatArray:
    values = table.columns[name]
    try:
        numbers: FloatArray = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        for row, value in enumerate(values):
            try:
                float(value)
            except (TypeError, ValueError):
                raise InputError(f"{table.where(row)}: {name} is {value!r}, not a number") from None
        raise
    return numbers


def _and_others(table: Table, rows: IntArray) -> str:
    if len(rows) == 1:
        return ""
    told = ", ".join(table.row_name(int(row)) for row in rows[1:_SHOWN])
    more = f" and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else ""
    return f" (also {told}{more})"


def _documents(
    units: Table, annotations: Table | None, documents: Table | None, columns: Mapping[str, str] | None
) -> tuple[tuple[str, ...], IntArray, IntArray, tuple[IntArray, Table] | None]:
    """Name the documents; code them for the units, the annotations and the list of documents."""
    in_units = _factorized(units, "document")
    empty = Coded(np.empty(0, dtype=np.int64), ())
    in_seen = in_list = empty
    listed = None
    if annotations is not None:
        annotations = _renamed(annotations, columns, required=("document", "annotator"))
        in_seen = _factorized(annotations, "document")
    if documents is not None:
        listed = _renamed(documents, columns, required=("document",))
        in_list = _factorized(listed, "document")
    names, (unit_document, seen_document, list_document) = _merged(in_units, in_seen, in_list)
    if listed is None:
        return names, unit_document, seen_document, None
    counts = np.bincount(list_document, minlength=len(names))
    if (counts > 1).any():
        twice = int(np.flatnonzero(counts > 1)[0])
        row = int(np.flatnonzero(list_document == twice)[1])
        raise InputError(f"{listed.where(row)}: document {names[twice]!r} is listed twice; keep one line for each")
    missing = np.flatnonzero(counts[unit_document] == 0)
    if len(missing):
        row = int(missing[0])
        raise InputError(
            f"{units.where(row)}: document {names[unit_document[row]]!r} is not among those listed in {listed.place}"
            + _and_others(units, missing)
            + "; list it there or correct its name"
        )
    return names, unit_document, seen_document, (list_document, listed)


def _annotators(
    units: Table, annotations: Table | None, columns: Mapping[str, str] | None
) -> tuple[tuple[str, ...], IntArray, IntArray]:
    in_units = _factorized(units, "annotator")
    in_seen = Coded(np.empty(0, dtype=np.int64), ())
    if annotations is not None:
        annotations = _renamed(annotations, columns, required=("document", "annotator"))
        _same_length(annotations)
        in_seen = _factorized(annotations, "annotator")
    people, (unit_annotator, seen_annotator) = _merged(in_units, in_seen)
    return people, unit_annotator, seen_annotator


def _categories(units: Table) -> tuple[tuple[str, ...], IntArray]:
    if "category" not in units.columns:
        return (), np.full(len(units), UNLABELLED, dtype=np.int64)
    labels, (category,) = _merged(_factorized(units, "category", nullable=True))
    return labels, category


def _declared(
    units: Table,
    unit_key: IntArray,
    seen_key: IntArray,
    names: tuple[str, ...],
    people: tuple[str, ...],
    unit_document: IntArray,
) -> None:
    place = np.searchsorted(seen_key, unit_key)
    known: BoolArray = np.zeros(len(unit_key), dtype=np.bool_)
    inside = place < len(seen_key)
    known[inside] = seen_key[place[inside]] == unit_key[inside]
    bad = np.flatnonzero(~known)
    if len(bad):
        row = int(bad[0])
        who = people[int(unit_key[row]) % len(people)]
        raise InputError(
            f"{units.where(row)}: a unit of annotator {who!r}, who is not declared for document "
            f"{names[unit_document[row]]!r}" + _and_others(units, bad) + "; declare the annotator or correct the name"
        )


def _extents(
    units: Table,
    listed: tuple[IntArray, Table] | None,
    unit_document: IntArray,
    start: FloatArray,
    end: FloatArray,
    names: tuple[str, ...],
    people: tuple[str, ...],
    unit_annotator: IntArray,
    outside: str,
) -> tuple[FloatArray, str | None, tuple[str, ...]]:
    """Return extents (declared, else the smallest that holds the units), their unit and what to tell."""
    held = np.full((len(names), 2), np.nan)
    held[:, 0], held[:, 1] = np.inf, -np.inf
    np.minimum.at(held[:, 0], unit_document, start)
    np.maximum.at(held[:, 1], unit_document, end)
    declared = np.full((len(names), 2), np.nan)
    length_unit = None
    if listed is not None:
        list_document, table = listed
        declared[list_document] = _declared_extents(table)
        length_unit = _length_unit(table)
    out = (start < declared[unit_document, 0]) | (end > declared[unit_document, 1])
    notes: tuple[str, ...] = ()
    if out.any():
        rows = np.flatnonzero(out)
        told = _outside_list(units, rows, names, people, unit_document, unit_annotator, start, end, declared)
        if outside == "refuse":
            raise InputError(
                f"{units.place}: {len(rows)} units outside the declared extent of their document; "
                f"correct them, or take them as they are with outside='extend' (--outside extend):\n{told}"
            )
        n_documents = len(np.unique(unit_document[rows]))
        notes = (f"{len(rows)} units outside the declared extent; the extents of {n_documents} documents were extended",)
    empty = ~np.isfinite(held[:, 0])
    held[empty] = 0.0
    both = np.isnan(declared)
    extents = np.where(both, held, declared)
    extents[:, 0] = np.where(empty, extents[:, 0], np.minimum(extents[:, 0], held[:, 0]))
    extents[:, 1] = np.where(empty, extents[:, 1], np.maximum(extents[:, 1], held[:, 1]))
    return extents, length_unit, notes


def _declared_extents(table: Table) -> FloatArray:
    """Return [L, R] a row of the list of documents, NaN where it does not say."""
    _same_length(table)
    low = _numbers(table, "start") if "start" in table.columns else np.full(len(table), np.nan)
    high = _numbers(table, "end") if "end" in table.columns else np.full(len(table), np.nan)
    if "length" in table.columns:
        length = _numbers(table, "length")
        low = np.where(np.isnan(low) & ~np.isnan(length), 0.0, low)
        high = np.where(np.isnan(high), low + length, high)
    extents = np.stack([low, high], axis=1)
    bad = np.flatnonzero(np.isinf(extents).any(axis=1) | (extents[:, 1] < extents[:, 0]))
    if len(bad):
        row = int(bad[0])
        raise InputError(
            f"{table.where(row)}: the extent is [{low[row]:.15g}, {high[row]:.15g}]; "
            "it needs finite bounds, the first not after the second"
        )
    return extents


def _length_unit(table: Table) -> str | None:
    if "unit" not in table.columns:
        return None
    coded = _factorized(table, "unit", nullable=True)
    used = [coded.labels[code] for code in np.unique(coded.codes[coded.codes >= 0]).tolist()]
    return "/".join(sorted(used)) or None


def _outside_list(
    units: Table,
    rows: IntArray,
    names: tuple[str, ...],
    people: tuple[str, ...],
    unit_document: IntArray,
    unit_annotator: IntArray,
    start: FloatArray,
    end: FloatArray,
    declared: FloatArray,
) -> str:
    lines = []
    for row in rows.tolist():
        low, high = declared[unit_document[row]]
        lines.append(
            f"  {units.row_name(row)}: document {names[unit_document[row]]!r}, annotator "
            f"{people[unit_annotator[row]]!r}, unit [{start[row]:.15g}, {end[row]:.15g}], extent [{low:.15g}, {high:.15g}]"
        )
    return "\n".join(lines)
