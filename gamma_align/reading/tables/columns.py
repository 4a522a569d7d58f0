"""The columns of tables: which of them are read, under which names, and notes on the others.

`data.tables.KNOWN` lists the columns that tables in memory have, too; this module adds the columns of files alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gamma_align.columns import UNLABELLED, FloatArray, IntArray
from gamma_align.data import (
    KNOWN,
    READ_ROLES,
    ROLES,
    Coded,
    MissingWords,
    Problems,
    Profile,
    Table,
    cure_of_tokens,
    discarded_in,
    few,
    plain,
    recognised,
    refuse_unread_category,
)
from gamma_align.errors import Cure, Entry, InputError, Location, Set, UnknownMeaningError
from gamma_align.reading.marks.choices import Choices

ColumnValues = Coded | npt.NDArray[Any] | Sequence[object]
"""A column: coded labels, an array of numbers, or any other values."""

LAYER = "layer"
"""Name of the column with the layer of each unit."""

PART = "unit"
"""Name of the column with the value that all parts of one discontinuous unit share."""

PYGAMMA = ("annotator", "category", "start", "end")
"""Order of the columns in pygamma-agreement's CSV, which has no header."""

GAMMA_SOFTWARE = ("id", "annotator", "category", "features", "start", "end")
"""Order of the columns in a file for the gamma software, which has no header."""

_WORDS_OF_PARTS = {
    "paragraphs": "paragraph paragraphs para absatz absätze abschnitt",
    "lines": "line lines zeile zeilen",
    "rows": "row rows",
    "sentences": "sentence sentences sent satz",
    "turns": "turn turns",
    "pages": "page pages seite",
    "tokens": "token tokens word words",
}
"""Parts of texts that positions may number, and words for them in names of columns."""
_PART_OF_WORD = {word: part for part, words in _WORDS_OF_PARTS.items() for word in words.split()}
# With inclusive ends, many units lie within one part and seem empty; otherwise empty units are rare.
_MIN_EMPTY_SHARE = 0.1
_MIN_TOLD_ROWS = 6  # fewer agree with words by chance
_MAX_TOLD_ROWS = 20_000  # the column is read by itself, which takes memory

_MAX_SECONDS = 0.595  # of minutes and seconds that are written as decimals
_MAX_NAMES_SHOWN = 20  # names of columns in a message
_MAX_HEADER_SHOWN = 1200  # characters of a header in a message


class TableOptions(NamedTuple):
    """How a table is read.

    Attributes
    ----------
    columns : dict of str to str or None
        The user's name for each of our columns.
    header : bool, "auto" or tuple of str
        Whether the first row names the columns, or the names if no row does.
    extra : tuple of str
        Columns of units, by our names, that are read besides the known ones.
    na : sequence of str
        Words that mean no category (`data.missing_words`).
    """

    columns: dict[str, str | None]
    header: bool | str | tuple[str, ...] = "auto"
    extra: tuple[str, ...] = ()
    na: Sequence[str] = ()

    def name(self, column: str) -> str | None:
        """Return the user's name for one of our columns, None if there is no such column."""
        return self.columns.get(column, column)

    def alone(self, name: str) -> TableOptions:
        """Return the options that read one column, by its name in the table, and no other."""
        return self._replace(columns={role: None for role in READ_ROLES if role != name}, extra=(name,))

    def resolved(self, location: Location, names: list[str]) -> tuple[TableOptions, tuple[str, ...]]:
        """Return the options for a table of units with these columns, and notes on usual names that are recognised."""
        by_role, notes = recognised(names, self.columns, table=location.file)
        # A role without a column is None: otherwise `name` would return our name for it.
        return self._replace(columns={**dict.fromkeys(READ_ROLES), **by_role}), notes

    def roles(self, kind: str, names: list[str]) -> dict[str, set[str]]:
        """Return the roles of each column that is read; tables of annotations and documents may keep our names."""
        roles: dict[str, set[str]] = {}
        for role in (*KNOWN[kind], *(self.extra if kind == "units" else ())):
            name = self.name(role)
            # Names of columns of units are not required in the other tables.
            if kind != "units" and name not in names:
                name = role
            if name is not None and name in names:
                roles.setdefault(name, set()).add(role)
        return roles

    def check_names(self, location: Location, kind: str, names: list[str]) -> None:
        """Refuse two columns with one name, and a header without any known column."""
        roles = self.roles(kind, names)
        refuse_duplicates(location, [name for name in names if name in roles])
        are_renamed = any(self.columns.values())  # renamed columns are checked later
        if kind == "units" and not roles and not are_renamed:
            header = few(map(repr, names), _MAX_NAMES_SHOWN)
            if len(header) > _MAX_HEADER_SHOWN:
                header = f"{header[:_MAX_HEADER_SHOWN]}…"
            expected = ", ".join(ROLES)
            cause = f"none of {expected} is in the header, which is {header}"
            raise UnknownMeaningError(cause, _header_cure(names), location)

    def notes(self, table: Table) -> Iterator[str]:
        """Yield notes on columns that are absent, perhaps misspelled, and on a column `unit` that is not read."""
        if table.kind != "units":
            return
        names_read = set(map(self.name, (*KNOWN["units"], *self.extra)))
        unread = [name for name in table.columns if name not in names_read]
        names = ", ".join(map(repr, unread))
        for role, result in (("document", "all units are taken as of one document"), ("category", "units have none")):
            if unread and self.name(role) not in table.columns:
                yield f"{table.origin}: no column '{role}': {result} (columns not read: {names})"
        if PART in unread:
            yield f"{table.origin}: column 'unit' is not read: each row is a unit of its own"


class TableFile(NamedTuple):
    """The table in a file, notes for the user, problems of rows, and the options with the columns resolved."""

    table: Table
    notes: tuple[str, ...]
    problems: Problems
    options: TableOptions


class Piece(NamedTuple):
    """Successive rows of a table, and the line or row of each in the file, shape (n_rows,)."""

    file: TableFile
    line: IntArray


def refuse_tags(file: TableFile, choices: Choices) -> None:
    """Refuse categories that are tags of tokens, unless the user chooses categories."""
    column = file.table.columns.get(file.options.name("category") or "")
    labels = column.labels if isinstance(column, Coded) and not choices.labels else ()
    # The tag that begins a unit has this letter, or is called "start".
    if not any("b" in label.casefold() or "start" in label.casefold() for label in labels):
        return
    # Only tables with such labels need this import.
    from gamma_align.reading.marks.notations import notation_of_labels
    from gamma_align.reading.marks.tags import are_tags

    if not are_tags(labels) and notation_of_labels(labels) is None:
        return
    cure = Cure(
        "read the tags as units, which count tokens, with {}; or choose the categories to read with {}",
        Set("format", "conll"),
        Set("labels"),
    )
    if not any(label.upper() == "O" for label in labels):  # the tokens outside of units are not in the table
        cure = Cure(
            "join the tokens of each unit before, or take each row as a unit with {}", Set("labels", sorted(labels))
        )
    tags = few(map(repr, sorted(labels)), 3)
    raise InputError(
        f"the categories are tags of tokens ({tags}), and each row would be a unit", cure, Location(file.table.origin)
    )


def without_missing_words(file: TableFile) -> TableFile:
    """Return a table of units without the categories that mean none, such as NA, and with a note that counts them.

    Words that may mean none are asked about, unless the column has our name: then it is taken as it is.
    """
    name = file.options.name("category")
    column = file.table.columns.get(name or "")
    if not isinstance(column, Coded):
        return file
    words = MissingWords.of(file.options.na, noun="category")
    n_units = np.bincount(column.codes[column.codes >= 0], minlength=len(column.labels)).tolist()
    counts = Counter[str]()
    for label, count in zip(column.labels, n_units, strict=True):
        if label.strip() in words.known or (name != "category" and words.may_be_missing(label.strip())):
            counts[label.strip()] += count
    if not counts:
        return file
    notes = words.decide(counts, file.table.origin)
    is_missing = np.array([label.strip() in words.known for label in column.labels])
    codes = np.where((column.codes >= 0) & is_missing[column.codes], UNLABELLED, column.codes)
    table = file.table.with_column(str(name), Coded(codes, column.labels))
    return file._replace(table=table, notes=(*file.notes, *notes))


def refuse_other_positions(file: TableFile) -> None:
    """Refuse bounds that the words of units, or the texts, in columns that are not read contradict."""
    table = file.table
    used = {role: str(file.options.name(role)) for role in KNOWN["units"]}
    roles = {role: name for role, name in used.items() if name in table.columns}
    start, end = (table.columns.get(roles.get(role, "")) for role in ("start", "end"))
    if not isinstance(start, np.ndarray) or not isinstance(end, np.ndarray):
        return
    if not _MIN_TOLD_ROWS <= len(start) <= _MAX_TOLD_ROWS or not {start.dtype.kind, end.dtype.kind} <= {"i", "f"}:
        return
    _refuse_minutes(table, roles, start, end)
    names = [name for name in table.columns if name not in (*roles.values(), *file.options.extra)]
    if not names:
        return
    from gamma_align.data import SURE, fits  # most tables do without

    lengths = [name for name in names if any(fits(name, role) for role in ("duration", "about", "token"))]
    _refuse_inclusive_lengths(table, lengths, roles, start, end)
    columns = {}
    for name in names:
        words = table.unread_labels(name) if max(fits(name, "quote"), fits(name, "text")) >= SURE else None
        if words is not None and len(words.codes) == len(start):
            columns[name] = [None if code < 0 else words.labels[code] for code in words.codes.tolist()]
    if not columns or not (np.isfinite(start).all() and np.isfinite(end).all()):
        return
    from gamma_align.reading.intake.bounds import contradiction

    profiles = (Profile(name, cells) for name, cells in columns.items())
    question = contradiction({role: roles[role] for role in ("start", "end")}, start, end, profiles)
    if question.cure:
        raise InputError(question.fact, question.cure, Location(table.origin))
    if question.fact:
        cure = Cure("set {}", _map(roles, end="inclusive"))
        raise UnknownMeaningError(question.fact, cure, Location(table.origin))


def _refuse_minutes(table: Table, roles: Mapping[str, str], start: FloatArray, end: FloatArray) -> None:
    """Refuse times with two decimals that may be minutes and seconds."""
    times = np.concatenate([start, end])
    if not np.isfinite(times).all() or not 0 < np.mod(times, 1).max() < _MAX_SECONDS:  # most tables need no import
        return
    from gamma_align.reading.intake.bounds import MINUTES, are_minutes

    if are_minutes(start, end):
        cure = Cure("if they are decimals, set {}", _map(roles))
        fact = MINUTES.format(repr(roles["start"]), repr(roles["end"]))
        raise UnknownMeaningError(fact, cure, Location(table.origin))


def _refuse_inclusive_lengths(
    table: Table, names: Sequence[str], roles: Mapping[str, str], start: FloatArray, end: FloatArray
) -> None:
    """Refuse bounds if lengths in a column that is not read say that the last character or token belongs to a unit."""
    from gamma_align.reading.intake.bounds import are_inclusive

    for name in names:
        words = table.unread_labels(name)
        if words is None or len(words.codes) != len(start) or (words.codes < 0).any():
            continue
        try:
            lengths = np.array([float(label) for label in words.labels])[words.codes]
        except ValueError:
            continue
        if are_inclusive(start, end, lengths):
            fact = f"{name!r} is one more than end − start: the last character or token belongs to the unit"
            raise UnknownMeaningError(fact, Cure("set {}", _map(roles, end="inclusive")), Location(table.origin))


def _map(roles: Mapping[str, str], **modifiers: object) -> Set:
    import json  # most tables need no map

    return Set("map", json.dumps({"form": "row", "roles": roles, **modifiers}, ensure_ascii=False))


def refuse_other_categories(file: TableFile, columns: Mapping[str, str | None]) -> None:
    """Refuse units if a column that is not read may have their categories, or says which of them are discarded.

    `columns` are the user's names.
    """
    table = file.table
    if table.kind != "units":
        return
    read = {str(file.options.name(name)) for name in (*KNOWN["units"], *file.options.extra)}
    for name in table.columns:
        if name not in read:
            _refuse_discarded(file, name)
    if file.options.name("category") not in table.columns:
        refuse_unread_category(table, columns, read)


def _refuse_discarded(file: TableFile, name: str) -> None:
    """Refuse units of which a column says that some are deleted, cancelled or rejected."""
    from gamma_align.data import SURE, fits  # most tables do without

    if fits(name, "discarded") < SURE:
        return
    table = file.table
    labels = table.unread_labels(name)
    if labels is None:
        return
    discarded = discarded_in(name, (None if code < 0 else labels.labels[code] for code in labels.codes.tolist()))
    if discarded is not None:
        roles = {role: str(file.options.name(role)) for role in KNOWN["units"]}
        roles = {role: column for role, column in roles.items() if column in table.columns}
        where = [[name, "is not", discarded.mark]]
        cure = Cure("to leave them out, set {}; to read them, set {}", _map(roles, where=where), _map(roles))
        raise UnknownMeaningError(discarded.fact, cure, Location(table.origin))


def refuse_numbers_of_parts(file: TableFile) -> None:
    """Refuse positions that number paragraphs or other parts of a text, if units end in the part where they begin.

    Such ends are inclusive: a unit of one paragraph would have no length, and no unit would overlap another one.
    """
    table = file.table
    names = [file.options.name(role) for role in ("start", "end")]
    start, end = (table.columns.get(name or "") for name in names)
    if not isinstance(start, np.ndarray) or not isinstance(end, np.ndarray) or not len(start):
        return
    n_empty = np.count_nonzero(start == end)
    if n_empty < _MIN_EMPTY_SHARE * len(start) or (start != np.floor(start)).any() or (end != np.floor(end)).any():
        return
    part, reason = _numbered_part(list(table.columns), names)
    if part:
        raise InputError(
            f"the positions number {part} ({reason}), and {n_empty} of {len(start)} units end where they begin, "
            "without length",
            f"if it is enough to know which {part} a unit covers, add 1 to each value of {names[1]!r}, so that a unit "
            f"covers the last of its {part} too; otherwise give start and end in characters or seconds",
            Location(table.origin),
        )


def _numbered_part(header: list[str], positions: list[str | None]) -> tuple[str, str]:
    """Return the parts of a text that positions number and the evidence for it, or two empty strings."""
    for name in positions:
        for word in plain(name or "").split("_"):
            if word in _PART_OF_WORD:
                return _PART_OF_WORD[word], f"column {name!r}"
    words = set(map(plain, header))
    if words & {"document_group", "dokumentgruppe"} and {"code", "segment"} <= words:
        return "paragraphs", "as MAXQDA exports coded segments of texts"
    return "", ""


def extra_columns(choices: Choices, columns: Mapping[str, str | None], *, use_parts: bool) -> tuple[str, ...]:
    """Return the columns of units that the settings require besides the known ones.

    `LAYER` is required if layers are chosen or names have patterns with layers, `PART` if `use_parts` (the user decides
    on discontinuous units), and both if they are renamed.
    """
    use_layers = choices.layers is not None or choices.by_layer
    is_required = {LAYER: use_layers, PART: use_parts}
    return tuple(name for name, required in is_required.items() if required or name in columns)


def refuse_duplicates(location: Location, names: list[str]) -> None:
    """Refuse two columns with one name."""
    duplicate = next((name for name in names if names.count(name) > 1), None)
    if duplicate is not None:
        raise InputError(f"column {duplicate!r} is there twice", "rename or delete one", location)


def _header_cure(names: list[str]) -> Cure:
    """Return the cure for a header without any known column."""
    if cure := cure_of_tokens(names):
        return cure
    delimiter = next((mark for mark in ";\t|," if len(names) == 1 and mark in names[0]), None)
    if delimiter is not None:
        return Cure(
            f"its cells seem to be between {delimiter!r}; save it with commas, or with tabs and the suffix .tsv"
        )
    return Cure(
        "give it a header (is the delimiter right?), delete the lines above it, or name your columns with {} and so on",
        Entry("columns", "annotator"),
    )
