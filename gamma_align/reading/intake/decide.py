"""Whether a table of anybody's own is read or asked about, and the words of the question.

A table is read without a question if no reading that its data allow gives other numbers. Otherwise the message says
each open point, two units as they would be read, and maps that need no second question.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from gamma_align.data import READ_ROLES, SURE, Discarded, counted, discarded_in, few, fits, name_of
from gamma_align.errors import Cure, InputError, Location, Set
from gamma_align.reading.files.sources import Source
from gamma_align.reading.files.workbooks import Sheet
from gamma_align.reading.formats.unread import is_unread_format
from gamma_align.reading.intake.apply import items_of, marks_of
from gamma_align.reading.intake.coder_files import coder_file_readings
from gamma_align.reading.intake.mapping import ITEM_FORMS, ColumnMap, Condition, Joined, saved
from gamma_align.reading.intake.other_readings import epoch_readings, other_readings, quote_readings
from gamma_align.reading.intake.readings import Question, Reading
from gamma_align.reading.intake.rows import Rows, is_place, joined, record_of
from gamma_align.reading.intake.tables import SUFFIXES, placed
from gamma_align.reading.intake.trees import is_tree, tree_rows
from gamma_align.reading.intake.unit_readings import unit_readings
from gamma_align.reading.marks.choices import Choices
from gamma_align.reading.marks.marks import Marks

_RIVAL_POINTS = 1.0  # readings of other forms with fewer points by so much are out
_RIVAL_LIST_POINTS = 1.5  # likewise, lists of records
_NO_UNITS = re.compile(
    r"(^|[.\]}])(tokens|words|sentences|relations|suggestions|predictions)\[\]"
)  # lists of something else
_MAX_SAMPLE = 20_000  # rows whose columns are looked at; all rows are checked when they are read
_MAX_COLUMNS = 10_000  # of a table that somebody made; lines without an end have more
_MAX_LISTS = 30  # of records in files of JSON
_MAX_QUESTIONS = 3  # in a message
_FIRST_LINE = 2  # of rows, if the first line names the columns
_MAX_NOTED = 3  # facts in a note
_PLACES = {
    "@stem": "the name of each file",
    "@sheet": "the title of each sheet",
    "@folder 1": "the name of each folder",
    "@name 1": "the first part of each name of a file",
    "@name 2": "the second part of each name of a file",
}


class Decision(NamedTuple):
    """The likeliest reading of the tables at a path, and the question about it; None if it is read."""

    reading: Reading
    question: InputError | None

    @property
    def note(self) -> str:
        """How the tables are read."""
        mapping = self.reading.mapping
        roles = (f"{_shown(reference)} as {role}" for role, reference in mapping.roles.items())
        sets = [f"{', '.join(mapping.sets)} as annotators"] if mapping.sets else []
        read = ", ".join([*roles, *sets])
        evidence = "".join(f"; {fact}" for fact in self.reading.evidence[:_MAX_NOTED])
        return f"{self.reading.rows.file}: read {read}{evidence}"


def _shown(reference: object) -> str:
    if reference in _PLACES:
        return _PLACES[str(reference)]
    return repr(reference) if isinstance(reference, str) else str(getattr(reference, "to_json", lambda: reference)())


def decision(
    tables: Sequence[Rows], name: str, choices: Choices, given: Mapping[str, str | None] = MappingProxyType({})
) -> Decision | None:
    """Return what the tables at a path mean, None if nothing tells that they have units.

    `name` is that of the path in messages, and `given` are the columns that the user gives for roles.
    """
    rows = tables[0] if len(tables) == 1 else joined(tables, name)
    discarded = _discarded_in(rows)
    counted_rows = rows if discarded is None else _without(rows, discarded)
    readings = readings_of(_sample(counted_rows), _texts(choices, tables), given)
    if not readings:
        return None
    best = readings[0]
    if not all(_has_columns(table, best.mapping) for table in tables):
        return None
    if best.mapping.form == "tags" and best.questions:
        return None  # the reader of tags asks about layers and annotators
    rival = next((each for each in readings[1:] if _is_rival(each, best)), None)
    if rival is not None:
        fact = f"rows may be of the form {best.mapping.form!r} or {rival.mapping.form!r}"
        best = best.asking(Question(fact, ((f"if it is {rival.mapping.form!r}", rival.mapping),)))
    if discarded is not None:
        best = _asking_whether_they_count(best, discarded)
    question = _question(best, tables, name, choices) if best.questions else None
    return Decision(best, question)


def _discarded_in(rows: Rows) -> Discarded | None:
    """Return the column that marks rows as deleted, cancelled or rejected, None if there is none."""
    found = (discarded_in(name, map(name_of, rows.cells(name))) for name in rows.names if not is_place(name))
    return next((each for each in found if each is not None), None)


def _without(rows: Rows, discarded: Discarded) -> Rows:
    """Return the rows that a column does not mark, without this column."""
    marks = [*map(name_of, rows.cells(discarded.column))]
    kept = [row for row, mark in enumerate(marks) if mark is None or mark.strip() != discarded.mark]
    columns = {name: cells for name, cells in rows.columns.items() if name != discarded.column}
    return replace(rows, columns=columns).take(kept)


def _asking_whether_they_count(reading: Reading, discarded: Discarded) -> Reading:
    """Return a reading that leaves out discarded rows, and asks whether they count."""
    mapping = reading.mapping
    condition = Condition(discarded.column, is_equal=False, value=discarded.mark)
    kept = replace(mapping, where=(*mapping.where, condition))
    return replace(reading, mapping=kept).asking(Question(discarded.fact, (("if they count", mapping),)))


def _sample(rows: Rows) -> Rows:
    """Return the rows of the first documents, whole, if there are many rows and a column is named as documents."""
    name = next((name for name in rows.columns if fits(name, "document") >= SURE), None)
    if name is None or len(rows) <= _MAX_SAMPLE:
        return rows
    cells = [*map(name_of, rows.cells(name))]
    count = Counter(cells)
    n_before = dict(zip(count, accumulate(count.values(), initial=0), strict=False))
    return rows.take([row for row, cell in enumerate(cells) if n_before[cell] < _MAX_SAMPLE])


def readings_of(
    rows: Rows, texts: Mapping[str, str] | None = None, given: Mapping[str, str | None] = MappingProxyType({})
) -> list[Reading]:
    """Return the readings of a table as units, the likeliest first; `given` are the user's columns of roles."""
    if any(name is not None and name not in rows.columns for name in given.values()):
        return []
    profiles = rows.profiles(given)
    readings = other_readings(rows, profiles) or unit_readings(rows, profiles)
    if texts is not None and any(question.cure for each in readings for question in each.questions):
        readings = []  # the words of units tell their places
    if not readings:
        readings = quote_readings(rows, profiles, texts) or epoch_readings(rows, profiles)
    readings = [reading for reading in readings if _agrees(reading.mapping, given)]
    return sorted(readings, key=lambda reading: -reading.score)


def _agrees(mapping: ColumnMap, given: Mapping[str, str | None]) -> bool:
    """Return whether a map gives each role the column that the user gave it; a document may have a second part."""
    for role in {*given} & {*READ_ROLES}:
        reference = mapping.roles.get(role)
        columns = reference.columns if isinstance(reference, Joined) else (reference,)
        if columns[0] != given[role]:
            return False
    return True


def _is_rival(reading: Reading, best: Reading) -> bool:
    return reading.mapping.form != best.mapping.form and best.score - reading.score < _RIVAL_POINTS


def _question(reading: Reading, tables: Sequence[Rows], name: str, choices: Choices) -> InputError:
    """Return the question about a reading."""
    facts = "; ".join(question.fact for question in reading.questions[:_MAX_QUESTIONS])
    location = Location(name)
    unanswered = next((question for question in reading.questions if question.cure), None)
    if unanswered is not None:
        cure = Cure("give the texts with {}", Set("texts")) if unanswered.cure == "texts" else Cure(unanswered.cure)
        return InputError(f"not read yet: {facts}", cure, location)
    shown = _as_read(reading, tables, choices)
    others = [other for question in reading.questions for other in question.others]
    words = "if this is right, set {}" + "".join(
        f"; {when.replace('{', '{{').replace('}', '}}')}, set {{}}" for when, _ in others
    )
    cure = Cure(words, _setting(reading.mapping), *(_setting(mapping) for _, mapping in others))
    error = InputError(f"not read yet: {facts}. {shown}", cure, location)
    error.proposals = (reading.mapping.to_json(), *(mapping.to_json() for _, mapping in others))
    return error


def _setting(mapping: ColumnMap) -> Set:
    return Set("map", saved(mapping, indent=None).strip())


def columns_of(mapping: ColumnMap) -> dict[str, str | None] | None:
    """Return the columns of a map that gives each role a column and says no more, as a value of ``columns=``.

    None for other maps, and for those without an annotator, who may be told by the path.
    """
    names = {role: name for role, name in mapping.roles.items() if isinstance(name, str) and not is_place(name)}
    if names != mapping.roles or "annotator" not in names or "text" in names or mapping.form != "row":
        return None
    if mapping != ColumnMap("row", names):
        return None
    absent: dict[str, str | None] = {role: None for role in ("document", "category") if role not in names}
    return names | absent


def _as_read(reading: Reading, tables: Sequence[Rows], choices: Choices) -> str:
    """Return how many units or items the reading has, and two of them."""
    if reading.mapping.form in ITEM_FORMS:
        return _items_as_read(reading)
    all_marks: list[Marks] = []
    try:
        all_marks += (marks_of(table, reading.mapping, choices) for table in tables)
    except InputError as error:
        return f"As it looks now, reading ends with: {error.problem.cause}"
    owners = {key[:2] for marks in all_marks for key in marks.keys}
    documents, annotators = ({owner[part] for owner in owners} for part in (0, 1))
    sizes = f"{counted(sum(map(len, all_marks)), 'unit')} of {counted(len(annotators), 'annotator')}"
    examples = "; ".join(_examples(all_marks))
    return f"It would be {sizes} in {counted(len(documents), 'document')}, for example {examples}"


def _items_as_read(reading: Reading) -> str:
    """Return how many items the reading has, and the judgments of the first two."""
    try:
        table = items_of(reading.rows, reading.mapping)
    except InputError as error:
        return f"As it looks now, reading ends with: {error.problem.cause}"
    judgments: dict[str, list[str]] = {}
    for item, coder, label in table.to_records():
        judgments.setdefault(str(item), []).append(f"{label} by {coder}")
    examples = "; ".join(f"{few([item], 1)}: {few(labels, 3)}" for item, labels in [*judgments.items()][:2])
    sizes = f"{counted(len(table), 'item')} of {counted(len(table.coders), 'coder')}"
    return f"It would be {sizes}, for example {examples}"


def _examples(all_marks: Sequence[Marks]) -> Iterator[str]:
    """Yield the first unit of each of two annotators."""
    shown: set[str | None] = set()
    for marks in all_marks:
        for index, key in enumerate(marks.key):
            document, annotator, _ = marks.keys[key]
            if annotator in shown or len(shown) > 1:
                continue
            shown.add(annotator)
            of = " ".join(few([name], 1) for name in (document, annotator) if name is not None)
            label = marks.labels[marks.label[index]]
            category = "" if label is None else f" {label}"
            yield f"{of}: {marks.start[index]:g}–{marks.end[index]:g}{category}".lstrip(": ")


class Decided(NamedTuple):
    """The files at a path with their rows, and what these mean."""

    sources: list[Source]
    tables: list[Rows]
    decision: Decision

    @property
    def columns(self) -> dict[str, str | None] | None:
        """The columns of roles if these say all and the first line of the only file names them, otherwise None."""
        if len(self.sources) > 1 or self.sources[0].suffix not in (".csv", ".tsv", ".parquet"):
            return None
        is_named = self.sources[0].suffix == ".parquet" or self.tables[0].where[:1] == [_FIRST_LINE]
        return columns_of(self.decision.reading.mapping) if is_named else None


def decided(
    path: Path, choices: Choices, given: Mapping[str, str | None] = MappingProxyType({}), *, are_tables: bool = False
) -> Decided | None:
    """Return the tables at a path and what they mean, None if they cannot be read or nothing tells of units.

    `given` are the columns that the user gives for roles. Files of widespread formats that are not read are left, and
    so is JSON if `are_tables`.
    """
    from gamma_align.reading.intake.read import sources_at, tables_at

    try:
        sources = sources_at(path, choices.encoding)
        if not sources or any(is_unread_format(source.head) for source in sources):
            return None
        if is_tree(sources[0].name):
            return None if are_tables or given else _decided_trees(sources, path.name, choices)
        if any(source.suffix not in SUFFIXES for source in sources):
            return None
        tables = tables_at(sources)
    except InputError:
        return None
    if any(isinstance(source, Sheet) for source in sources):
        return _decided_sheets(sources, tables, path.name, choices, given)
    is_table = all(len(table.columns) <= _MAX_COLUMNS for table in tables)
    found = decision(tables, path.name, choices, given) if is_table else None
    return None if found is None else Decided(sources, tables, found)


def _decided_sheets(
    sources: Sequence[Source],
    tables: Sequence[Rows],
    name: str,
    choices: Choices,
    given: Mapping[str, str | None],
) -> Decided | None:
    """Return the sheets with equal columns that have units, as `decided`; None if no sheets have, or several kinds."""
    kinds: dict[frozenset[str], list[int]] = {}
    for index, table in enumerate(tables):
        kinds.setdefault(frozenset(table.columns), []).append(index)
    found: list[Decided] = []
    for kind in kinds.values():
        own = [tables[index] for index in kind]
        told = decision(own, name, choices, given)
        if told is not None:
            found.append(Decided([sources[index] for index in kind], own, told))
    return found[0] if len(found) == 1 else None


def _decided_trees(sources: Sequence[Source], name: str, choices: Choices) -> Decided | None:
    """Return the list of records that has units, as `decided`; a question if two lists have other units."""
    lists: dict[str, list[tuple[Source, Rows]]] = {}
    for source in sources:
        for path, rows in tree_rows(source).items():
            lists.setdefault(path, []).append((source, rows))
    candidates: list[tuple[Reading, list[Source], list[Rows]]] = []
    for path, parts in [*lists.items()][:_MAX_LISTS]:
        if _NO_UNITS.search(path):
            continue
        tables = placed([rows for _, rows in parts])
        rows = tables[0] if len(tables) == 1 else joined(tables, name)
        best = _likeliest(rows, _texts(choices, tables))
        if best is not None:
            candidates.append((_of_list(best, path), [source for source, _ in parts], tables))
    if not candidates:
        return None
    candidates.sort(key=lambda candidate: -candidate[0].score)
    best, chosen, tables = candidates[0]
    for rival, _, rival_tables in candidates[1:]:
        is_near = best.score - rival.score < _RIVAL_LIST_POINTS or _are_beside(best, rival)
        if is_near and _bounds(rival, rival_tables) != _bounds(best, tables):
            fact = f"units may be in the list {best.mapping.rows['each']!r} or in {rival.mapping.rows['each']!r}"
            best = best.asking(Question(fact, ((f"if they are in {rival.mapping.rows['each']!r}", rival.mapping),)))
            break
    question = _question(best, tables, name, choices) if best.questions else None
    return Decided(chosen, tables, Decision(best, question))


def _likeliest(rows: Rows, texts: Mapping[str, str] | None) -> Reading | None:
    """Return the likeliest reading of a list of records, without those that are marked as discarded."""
    discarded = _discarded_in(rows)
    if discarded is not None:
        rows = _without(rows, discarded)
    profiles = rows.profiles({})
    readings = unit_readings(rows, profiles) or quote_readings(rows, profiles, texts)
    best = max(readings, key=lambda reading: reading.score, default=None)
    return best if best is None or discarded is None else _asking_whether_they_count(best, discarded)


def _are_beside(first: Reading, second: Reading) -> bool:
    """Return whether two lists stand in one record."""
    return len({record_of(str(each.mapping.rows["each"])[:-2]) for each in (first, second)}) == 1


def _of_list(reading: Reading, path: str) -> Reading:
    """Return the reading with the path of its list of records in its maps."""
    rows = {"each": path}
    questions = tuple(
        replace(each, others=tuple((when, replace(mapping, rows=rows)) for when, mapping in each.others))
        for each in reading.questions
    )
    return replace(reading, mapping=replace(reading.mapping, rows=rows), questions=questions)


def _bounds(reading: Reading, tables: Sequence[Rows]) -> list[tuple[float, float]]:
    """Return the bounds of the units of a reading, in order."""
    all_marks = [marks_of(table, reading.mapping) for table in tables if _has_columns(table, reading.mapping)]
    return sorted(pair for marks in all_marks for pair in zip(marks.start, marks.end, strict=True))


def _has_columns(table: Rows, mapping: ColumnMap) -> bool:
    return {*mapping.used_columns} <= {*table.names}


def decided_items(sources: Sequence[Source], name: str) -> Decided | None:
    """Return the tables that have the judgments of a coder each, and their reading; None if they have not."""
    from gamma_align.reading.intake.read import tables_at

    try:
        tables = tables_at(sources)
    except InputError:
        return None
    if not tables or any({*table.columns} != {*tables[0].columns} for table in tables):
        return None
    rows = joined(tables, name)
    profiles = rows.profiles({})
    readings = epoch_readings(rows, profiles) or coder_file_readings(rows, profiles)
    if not readings:
        return None
    best = readings[0]
    question = _question(best, [rows], name, Choices()) if best.questions else None
    return Decided([*sources], [rows], Decision(best, question))


def _texts(choices: Choices, tables: Sequence[Rows]) -> dict[str, str] | None:
    """Return the texts that the user gives, by any name in the tables; None without texts."""
    if choices.texts is None:
        return None
    from gamma_align.reading.texts import texts_of

    names = {cell for table in tables for name in table.names for cell in table.cells(name) if isinstance(cell, str)}
    texts = texts_of(choices.texts, sorted(name for name in names if name and len(name) < 200), choices.encoding)  # noqa: PLR2004
    return {name: text for name, text in texts.items() if text is not None}
