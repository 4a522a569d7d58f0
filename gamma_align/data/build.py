"""From tables as they come to the columns of a corpus: coding, checks, sorting.

Every refusal of data is worded once, here, in `tables` or `extents`, with its rows and the cure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gamma_align._types import UNLABELLED
from gamma_align.data.extents import Listed, Rows, extents
from gamma_align.data.tables import Coded, Table, factorized, known_columns, merged, numbers
from gamma_align.errors import InputError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gamma_align._types import FloatArray, IntArray

_NOTHING = Coded(np.empty(0, dtype=np.int64), ())


def corpus_columns(
    units: Table,
    *,
    annotations: Table | None = None,
    documents: Table | None = None,
    columns: Mapping[str, str] | None = None,
    outside: str = "refuse",
    document: str = "continuum",
    notes: tuple[str, ...] = (),
    texts: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the columns of the corpus that the tables make, by the names of its attributes, all checks passed.

    Parameters
    ----------
    units, annotations, documents : Table
        As in `Corpus.from_columns`, with their origin.
    columns : mapping, optional
        Our column name to theirs.
    outside : {"refuse", "extend"}
        What to do with units outside the declared extent.
    document : str
        Names the document of units that have no document column.
    notes : tuple of str
        What the reader has to tell; ours follow.
    texts : mapping, optional
        Document to its text, where bounds count its code points.

    Raises
    ------
    InputError, SettingsError
        As in `Corpus.from_columns`.
    """
    if outside not in ("refuse", "extend"):
        raise SettingsError(f"outside must be 'refuse' or 'extend', not {outside!r}")
    units = known_columns(units, columns, required=("annotator", "start", "end"))
    if "document" not in units.columns:
        units = units.with_column("document", Coded(np.zeros(len(units), dtype=np.int64), (document,)))
    if annotations is not None:
        annotations = known_columns(annotations, columns, required=("document", "annotator"))
    if documents is not None:
        documents = known_columns(documents, columns, required=("document",))
    rows, seen_key, listed = _coded(units, annotations, documents)
    result = _sorted(rows, seen_key, listed, labelled=_categories(units), outside=outside, notes=notes)
    if texts:
        result["texts"] = tuple(texts.get(name) for name in rows.documents)
    return result


def _coded(units: Table, annotations: Table | None, documents: Table | None) -> tuple[Rows, IntArray, Listed | None]:
    """Return the units coded, the sorted keys of who saw what, and the list of documents."""
    start, end = _bounds(units)
    names, unit_document, seen_document, listed = _documents(units, annotations, documents)
    seen = _NOTHING if annotations is None else factorized(annotations, "annotator")
    people, (unit_annotator, seen_annotator) = merged(factorized(units, "annotator"), seen)
    rows = Rows(units, names, people, unit_document, unit_annotator, start, end)
    if annotations is None:
        return rows, np.unique(unit_document * len(people) + unit_annotator), listed
    seen_key = np.unique(seen_document * len(people) + seen_annotator)
    _check_declared(rows, seen_key, annotations)
    return rows, seen_key, listed


def _sorted(
    rows: Rows,
    seen_key: IntArray,
    listed: Listed | None,
    *,
    labelled: tuple[tuple[str, ...], IntArray],
    outside: str,
    notes: tuple[str, ...],
) -> dict[str, Any]:
    """Sort the units and return them as the columns of a corpus."""
    labels, category = labelled
    extent = extents(rows, listed, outside)
    order = np.lexsort((category, rows.end, rows.start, rows.annotator, rows.document))
    edges = np.arange(len(rows.documents) + 1)
    people = max(len(rows.annotators), 1)
    return {
        "documents": rows.documents,
        "annotators": rows.annotators,
        "categories": labels,
        "seen_offsets": _column(np.searchsorted(seen_key, edges * people)),
        "seen": _column(seen_key % people),
        "unit_offsets": _column(np.searchsorted(rows.document[order], edges)),
        "annotator": _column(rows.annotator[order]),
        "start": _column(rows.start[order]),
        "end": _column(rows.end[order]),
        "category": _column(category[order]),
        "extents": _column(extent.bounds),
        "length_unit": extent.length_unit,
        "notes": (*notes, *extent.notes),
    }


def _column(values: Any) -> Any:  # noqa: ANN401  (int or float, kept)
    return np.ascontiguousarray(values, dtype=np.float64 if values.dtype.kind == "f" else np.int64)


def _bounds(units: Table) -> tuple[FloatArray, FloatArray]:
    start, end = (numbers(units, name) for name in ("start", "end"))
    for name, values in (("start", start), ("end", end)):
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            what = "missing (or NaN)" if np.isnan(values[bad[0]]) else f"{values[bad[0]]}"
            raise InputError(
                f"{units.where(int(bad[0]))}: {name} is {what}{units.and_others(bad)}; a bound is a finite number"
            )
    bad = np.flatnonzero(end < start)
    if len(bad):
        row = int(bad[0])
        raise InputError(
            f"{units.where(row)}: the unit ends at {end[row]:.15g}, before its start {start[row]:.15g}"
            + units.and_others(bad)
            + "; swap the bounds, or check that the columns are start and end, not start and length"
        )
    return start, end


def _documents(
    units: Table, annotations: Table | None, documents: Table | None
) -> tuple[tuple[str, ...], IntArray, IntArray, Listed | None]:
    """Name the documents; code them for the units, the annotations and the list of documents."""
    in_units = factorized(units, "document")
    in_seen = _NOTHING if annotations is None else factorized(annotations, "document")
    in_list = _NOTHING if documents is None else factorized(documents, "document")
    names, (unit_document, seen_document, list_document) = merged(in_units, in_seen, in_list)
    if documents is None:
        return names, unit_document, seen_document, None
    counts = np.bincount(list_document, minlength=len(names))
    twice = np.flatnonzero(counts > 1)
    if len(twice):
        rows = np.flatnonzero(list_document == twice[0])
        raise InputError(
            f"{documents.where(int(rows[1]))}: document {names[twice[0]]!r} is listed twice, first in "
            f"{documents.row_name(int(rows[0]))}; keep one row for each document"
        )
    for table, column in ((units, unit_document), (annotations, seen_document)):
        missing = np.flatnonzero(counts[column] == 0)
        if table is not None and len(missing):
            row = int(missing[0])
            raise InputError(
                f"{table.where(row)}: document {names[column[row]]!r} is not listed in {documents.place}"
                + table.and_others(missing)
                + "; list it there or correct its name"
            )
    return names, unit_document, seen_document, Listed(documents, list_document)


def _categories(units: Table) -> tuple[tuple[str, ...], IntArray]:
    if "category" not in units.columns:
        return (), np.full(len(units), UNLABELLED, dtype=np.int64)
    labels, (category,) = merged(factorized(units, "category", nullable=True))
    return labels, category


def _check_declared(rows: Rows, seen_key: IntArray, annotations: Table) -> None:
    unit_key = rows.document * len(rows.annotators) + rows.annotator
    place = np.minimum(np.searchsorted(seen_key, unit_key), max(len(seen_key) - 1, 0))
    bad = np.flatnonzero(seen_key[place] != unit_key if len(seen_key) else np.ones(len(unit_key), dtype=np.bool_))
    if len(bad):
        row = int(bad[0])
        raise InputError(
            f"{rows.table.where(row)}: a unit of annotator {rows.annotators[rows.annotator[row]]!r}, "
            f"not declared for document {rows.documents[rows.document[row]]!r} in {annotations.place}"
            + rows.table.and_others(bad)
            + "; declare the annotator there or correct the name"
        )
