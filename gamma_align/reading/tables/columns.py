"""The columns of tables: which are read, under which names, and what is said of the others.

This is the one place that knows them; `data.tables.KNOWN` has those that tables in memory have too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from gamma_align.columns import IntArray
from gamma_align.data.column_names import ROLES, cure_of_tokens, plain, recognised
from gamma_align.data.problem import Problems, few
from gamma_align.data.tables import KNOWN, Coded, Table
from gamma_align.errors import Cure, InputError, Location, Set
from gamma_align.reading.marks.choices import Choices

LAYER = "layer"
"""Name of the column of a unit's layer."""

PART = "unit"
"""Name of the column of what the parts of one discontinuous unit share."""

PYGAMMA = ("annotator", "category", "start", "end")
"""Order of the columns in pygamma-agreement's CSV, which has no header."""

GAMMA_SOFTWARE = ("id", "annotator", "category", "features", "start", "end")
"""Order of the columns in a file for the gamma software, which has no header."""

_PARTS = {
    "paragraphs": "paragraph paragraphs para absatz absätze abschnitt",
    "lines": "line lines zeile zeilen",
    "rows": "row rows",
    "sentences": "sentence sentences sent satz",
    "turns": "turn turns",
    "pages": "page pages seite",
    "tokens": "token tokens word words",
}
"""Parts of texts that positions may number, and words for them in names of columns."""
_PART_OF_WORD = {word: part for part, words in _PARTS.items() for word in words.split()}
_EMPTY_SHARE = 0.1  # of the units: with inclusive ends, many units cover one part; otherwise empty units are rare
_FEW = 20
_LONGEST = 1200


class TableOptions(NamedTuple):
    """How a table is read.

    `columns` maps our names of columns to the user's; `header` is whether the first row names the columns, "auto",
    or their names where no row does; `more` are the columns of units read besides the known ones, by our names.
    """

    columns: dict[str, str | None]
    header: Any = "auto"
    more: tuple[str, ...] = ()

    def name(self, column: str) -> str | None:
        """Return the user's name for a column of ours, None for no such column."""
        return self.columns.get(column, column)

    def resolved(self, location: Location, names: list[str]) -> tuple[TableOptions, tuple[str, ...]]:
        """Return the options for a table of units with these columns, usual names among them recognised, and notes."""
        by_role, notes = recognised(names, self.columns, table=location.file)
        return self._replace(columns={**dict.fromkeys(ROLES), **by_role}), notes

    def roles(self, kind: str, names: list[str]) -> dict[str, set[str]]:
        """Return what each column that is read is read as; lists of annotators and documents may keep our names."""
        roles: dict[str, set[str]] = {}
        for ours in (*KNOWN[kind], *(self.more if kind == "units" else ())):
            name = ours if kind != "units" and self.name(ours) not in names else self.name(ours)
            if name is not None and name in names:
                roles.setdefault(name, set()).add(ours)
        return roles

    def check_names(self, location: Location, kind: str, names: list[str]) -> None:
        """Refuse a column that is there twice, and a header without any column that is known."""
        roles = self.roles(kind, names)
        refuse_twice(location, [name for name in names if name in roles])
        if kind == "units" and not roles and not any(self.columns.values()):  # what is renamed is checked later
            shown = few(map(repr, names), _FEW)
            shown = shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"
            raise InputError(
                f"none of {', '.join(KNOWN['units'])} is in the header, which is {shown}", _cure(names), location
            )

    def notes(self, table: Table) -> Iterator[str]:
        """Yield notes on columns whose absence could be a misspelling, and on one that changes what a row is."""
        if table.kind != "units":
            return
        known = set(map(self.name, (*KNOWN["units"], *self.more)))
        unread = [name for name in table.columns if name not in known]
        for column, what in (("document", "all units are taken as of one document"), ("category", "units have none")):
            if unread and self.name(column) not in table.columns:
                yield f"{table.origin}: no column '{column}': {what} (columns not read: {', '.join(map(repr, unread))})"
        if PART in unread:
            yield f"{table.origin}: column 'unit' is not read: each row is a unit of its own"


class TableFile(NamedTuple):
    """The table in a file, notes for the user, rows that are not read, and the options with the columns resolved."""

    table: Table
    notes: tuple[str, ...]
    problems: Problems
    options: TableOptions


class Piece(NamedTuple):
    """Rows of a table one after the other, and the line or row of each in the file, shape (n_rows,)."""

    file: TableFile
    where: IntArray


def refuse_tags(file: TableFile, choices: Choices) -> None:
    """Refuse categories that are tags of tokens, unless the user says which categories to read."""
    column = file.table.columns.get(file.options.name("category") or "")
    labels = column.labels if isinstance(column, Coded) and not choices.labels else ()
    if not any(label.startswith("B") for label in labels):  # which tags have that begin a unit
        return
    from gamma_align.reading.marks.tags import are_tags

    if are_tags(labels):
        raise InputError(
            f"{file.table.origin}: the categories are tags of tokens ({few(map(repr, sorted(labels)), 3)}), and each "
            "row would be a unit: read the tags as units, which count tokens, with --format conll (format='conll'); "
            "or say which categories are meant with --labels (labels=)"
        )


def refuse_numbers_of_parts(file: TableFile) -> None:
    """Refuse positions that number paragraphs or other parts of a text, if units end in the part they begin in.

    Such ends are inclusive: a unit of one paragraph would have no length, and no unit would overlap another one.
    """
    table, names = file.table, [file.options.name(role) for role in ("start", "end")]
    start, end = (table.columns.get(name or "") for name in names)
    if not isinstance(start, np.ndarray) or not isinstance(end, np.ndarray) or not len(start):
        return
    n_empty = np.count_nonzero(start == end)
    if n_empty < _EMPTY_SHARE * len(start) or (start != np.floor(start)).any() or (end != np.floor(end)).any():
        return
    part, reason = _numbered_part(list(table.columns), names)
    if part:
        raise InputError(
            f"{table.origin}: the positions number {part} ({reason}), and {n_empty} of {len(start)} units end where "
            f"they begin, without length. If it is enough to know which {part} a unit covers, add 1 to each value of "
            f"{names[1]!r}, so that a unit covers the last of its {part} too; otherwise give start and end in "
            "characters or seconds"
        )


def _numbered_part(header: list[str], positions: list[str | None]) -> tuple[str, str]:
    """Return the parts of a text that positions number and the reason to think so, "" for none."""
    for name in positions:
        for word in plain(name or "").split("_"):
            if word in _PART_OF_WORD:
                return _PART_OF_WORD[word], f"column {name!r}"
    words = set(map(plain, header))
    if words & {"document_group", "dokumentgruppe"} and {"code", "segment"} <= words:
        return "paragraphs", "as MAXQDA exports coded segments of texts"
    return "", ""


def more_columns(choices: Choices, columns: Mapping[str, str | None], *, parts: bool) -> tuple[str, ...]:
    """Return the columns of units to read besides the known ones: only what somebody asks for.

    Choices of layers or patterns with layers ask for `LAYER`, `parts` (what to do with discontinuous units) asks for
    `PART`, and so do renamed columns.
    """
    layer = choices.layers is not None or choices.by_layer or LAYER in columns
    return (LAYER,) * layer + (PART,) * (parts or PART in columns)


def refuse_twice(location: Location, names: list[str]) -> None:
    """Refuse a column that is there twice."""
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"{location}: column {twice!r} is there twice; rename or delete one")


def _cure(names: list[str]) -> Cure:
    if cure := cure_of_tokens(names):
        return cure
    between = next((mark for mark in ";\t|," if len(names) == 1 and mark in names[0]), None)
    if between is not None:
        return Cure(f"its cells seem to be between {between!r}; save it with commas, or with tabs and the suffix .tsv")
    if names[0].casefold() == "observation id":
        return Cure(
            "if BORIS wrote it, export aggregated events instead, which have 'Start (s)' and 'Stop (s)' in one row"
        )
    return Cure(
        "give it a header (is the delimiter right?), delete the lines above it, or name your columns with {}",
        Set("columns", {"annotator": "<your name>"}),
    )
