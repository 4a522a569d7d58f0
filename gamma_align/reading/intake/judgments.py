"""Rows of a file as a table of items: all cells, whatever they mean; of JSON, the records that are judgments."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from gamma_align.data import few, has_bounds, last_key, usual
from gamma_align.errors import Cure, InputError, Location, Set
from gamma_align.reading.files.sources import Source
from gamma_align.reading.files.workbooks import SUFFIXES as WORKBOOK_SUFFIXES
from gamma_align.reading.intake.mapping import ColumnMap, saved
from gamma_align.reading.intake.rows import Rows
from gamma_align.reading.intake.tables import SUFFIXES, table_rows
from gamma_align.reading.intake.trees import SUFFIXES as TREES
from gamma_align.reading.intake.trees import is_tree, tree_rows


def cells_of(source: Source) -> Rows:
    """Return the cells of a table, whatever they mean; InputError if the file cannot be read or has no rows."""
    read = (*SUFFIXES, *WORKBOOK_SUFFIXES, *TREES)
    if source.suffix not in read:
        raise InputError(
            f"files named {source.suffix or 'without suffix'} are not read; {', '.join(read)} are",
            None,
            Location(source.name),
        )
    rows = _judgments(source) if is_tree(source.name) else table_rows(source, has_header=True)
    if not len(rows):
        raise InputError("a header and no rows; there is nothing to measure", location=Location(source.name))
    return rows


def _judgments(source: Source) -> Rows:
    """Return the records of a tree with judgments: those that name an annotator, otherwise those of the whole file."""
    tables = tree_rows(source)
    for path, rows in tables.items():
        keys = {name: last_key(name) for name in rows.columns}
        own = [key for name, key in keys.items() if name.startswith(f"{path}.")]
        if path.count("[]") > 1 and usual(own, "annotator") and not has_bounds(own):
            count = Counter(keys.values())
            names = {name: key if count[key] == 1 else name for name, key in keys.items()}
            return replace(rows, columns={names[name]: cells for name, cells in rows.columns.items()})
    if "{}" in tables and "[]" not in tables:
        raise _of_keys(tables["{}"])
    lists = [path for path in tables if path.endswith("[]")]
    if "[]" not in tables and len(lists) == 1:
        rows = tables[lists[0]]
        return replace(rows, columns={name.removeprefix(f"{lists[0]}."): cells for name, cells in rows.columns.items()})
    rows = table_rows(source)
    return replace(rows, columns={name.removeprefix("[]."): cells for name, cells in rows.columns.items()})


def _of_keys(rows: Rows) -> InputError:
    """Return the question about a dictionary of dictionaries, whose keys may name items or coders."""
    names = [name for name in rows.columns if not name.endswith("{key}")]
    each = {"each": "{}"}
    sets = {name.removeprefix("{}."): {"category": name} for name in names}
    maps = (
        ColumnMap("items-wide", {"item": "{key}"}, sets, rows=each),
        ColumnMap("items-transposed", {"annotator": "{key}"}, columns=tuple(names), rows=each),
    )
    shown = few((repr(cell) for cell in rows.columns["{key}"]), 3)
    error = InputError(
        f"the keys {shown} may name items or coders",
        Cure(
            "if they name items, set {}; if they name coders, set {}",
            *(Set("map", saved(each_map, indent=None).strip()) for each_map in maps),
        ),
        Location(rows.file),
    )
    error.proposals = tuple(each_map.to_json() for each_map in maps)
    return error
