"""Rows of any form as rows of which each is a unit."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from gamma_align.data import Cell, counted, few, fits, is_blank, list_of, name_of, number_of
from gamma_align.errors import Cure, InputError, Location, Set, Where
from gamma_align.reading.intake.cells import cells_of_role, names_of_role, selected
from gamma_align.reading.intake.mapping import ColumnMap
from gamma_align.reading.intake.rows import Rows
from gamma_align.reading.marks.locate import Finder, Mention
from gamma_align.reading.marks.notations import Notation
from gamma_align.reading.marks.tags import Decoded, Decoder

_SPAN_BOUNDS = 2  # numbers of a span in a list
_MAX_SHOWN = 3  # quotes in a note


class Owner(NamedTuple):
    """The document, the annotator and the layer of a row; None where the path of the file names them."""

    document: str | None
    annotator: str | None
    layer: str | None = None


@dataclass(slots=True)
class Units:
    """Rows of which each is a unit: bounds as cells, and what rows without bounds tell.

    `end` is a duration if `has_durations`. `problems` are the place, cause and cure of rows that are no units.
    `n_doubtful` units are told by words that are in their text several times.
    """

    owner: list[Owner] = field(default_factory=list)
    start: list[Cell] = field(default_factory=list)
    end: list[Cell] = field(default_factory=list)
    category: list[str | None] = field(default_factory=list)
    where: list[Where] = field(default_factory=list)
    quote: list[str | None] = field(default_factory=list)
    seen: dict[Owner, None] = field(default_factory=dict)
    texts: dict[Owner, str] = field(default_factory=dict)
    extents: dict[str | None, tuple[float, float]] = field(default_factory=dict)
    problems: list[tuple[Where, str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    length_unit: str | None = None
    has_durations: bool = False
    n_doubtful: int = 0

    def add(self, owner: Owner, start: Cell, end: Cell, category: Cell, where: Where, quote: str | None = None) -> None:
        """Add a unit."""
        self.owner.append(owner)
        self.start.append(start)
        self.end.append(end)
        self.category.append(_category(category))
        self.where.append(where)
        self.quote.append(quote)
        self.seen.setdefault(owner)


def units_of(rows: Rows, mapping: ColumnMap, texts: Mapping[str, str]) -> Units:
    """Return the units in rows of any form that has units; `texts` are those of documents, for quotes.

    Raises
    ------
    InputError
        If the text of a quote is not known.
    """
    return _READERS[mapping.form](_Form(rows, mapping, texts))


class _Form:
    """Rows with their map: who owns them, and which of them are read."""

    def __init__(self, rows: Rows, mapping: ColumnMap, texts: Mapping[str, str]) -> None:
        self.rows = rows
        self.mapping = mapping
        self.kept = selected(rows, mapping)
        self.document = names_of_role(rows, mapping, "document")
        self.annotator = names_of_role(rows, mapping, "annotator")
        self.layer = names_of_role(rows, mapping, "layer")
        self.texts: dict[str | None, str] = {**rows.texts}
        self.texts.update(texts)
        self.units = Units(length_unit=rows.length_unit, extents={**rows.extents})
        self.units.seen.update(dict.fromkeys(Owner(*pair) for pair in rows.seen))
        if "text" in mapping.roles:
            self._take_texts(cells_of_role(rows, mapping.roles["text"]))
        elif rows.texts:
            self.units.texts.update({Owner(document, None): text for document, text in rows.texts.items()})

    def _take_texts(self, cells: Sequence[Cell]) -> None:
        self.units.length_unit = self.units.length_unit or "char"
        for row in self.kept:
            text = cells[row]
            owner = self.owner(row)
            if not isinstance(text, str):
                continue
            if self.units.texts.setdefault(owner, text) != text:
                cause = f"document {owner.document!r} has another text in a row before"
                self.units.problems.append((self.rows.where[row], cause, "give each text a name of its own"))
            self.texts.setdefault(owner.document, text)

    def owner(self, row: int) -> Owner:
        """Return document, annotator and layer of a row."""
        return Owner(self.document[row], self.annotator[row], self.layer[row])

    def cells(self, role: str) -> Sequence[Cell]:
        """Return the cells of a role, None without one."""
        reference = self.mapping.roles.get(role)
        return [None] * len(self.rows) if reference is None else cells_of_role(self.rows, reference)

    def categories(self) -> Sequence[Cell]:
        """Return the categories, with the names that the map gives them."""
        given = self.mapping.names.get("category")
        if given is None:
            return self.cells("category")
        return names_of_role(self.rows, self.mapping, "category")

    def columns_of_annotators(self, role: str) -> Iterator[tuple[str | None, Sequence[Cell]]]:
        """Yield each annotator with the cells of their column; None for the annotator that rows name."""
        if not self.mapping.sets:
            yield None, self.cells(role)
        for annotator, columns in self.mapping.sets.items():
            yield annotator, self.rows.cells(columns[role])

    def bounds(self, start: Cell, end: Cell, where: Where) -> tuple[Cell, Cell]:
        """Return bounds as the builders of units take them: points in decimals, ends exclusive."""
        if self.mapping.numbers == "comma":
            start = _with_point(start)
            end = _with_point(end)
        if self.mapping.end == "inclusive":
            number = number_of(end)
            if number is not None and number.is_integer():
                return start, number + 1
            if number is not None:
                cause = f"the map says that ends are inclusive, and the unit ends at {number:.15g}"
                self.units.problems.append((where, cause, "bounds that are inclusive are whole numbers"))
        return start, end


def _rows(form: _Form) -> Units:
    """Return the units of rows that are one each."""
    units = form.units
    mapping = form.mapping
    units.has_durations = "duration" in mapping.roles
    starts = form.cells("start")
    ends = form.cells("duration" if units.has_durations else "end")
    categories = form.categories()
    quotes = form.cells("quote")
    for row in form.kept:
        where = form.rows.where[row]
        units.seen.setdefault(form.owner(row))
        is_gap = mapping.gaps and is_blank(categories[row])
        if is_gap or (is_blank(starts[row]) and is_blank(ends[row])):
            continue
        bounds = form.bounds(starts[row], ends[row], where)
        units.add(form.owner(row), *bounds, categories[row], where, name_of(quotes[row]))
    return units


def _wide(form: _Form) -> Units:
    """Return the units of rows with a unit of each annotator."""
    units = form.units
    units.has_durations = any("duration" in columns for columns in form.mapping.sets.values())
    for annotator, columns in form.mapping.sets.items():
        cells = {role: form.rows.cells(name) for role, name in columns.items()}
        ends = cells.get("end", cells.get("duration", ()))
        for row in form.kept:
            owner = Owner(form.document[row], annotator)
            units.seen.setdefault(owner)
            if is_blank(cells["start"][row]) and is_blank(ends[row]):
                continue
            category = cells["category"][row] if "category" in cells else None
            bounds = form.bounds(cells["start"][row], ends[row], form.rows.where[row])
            units.add(owner, *bounds, category, form.rows.where[row])
    return units


def _cells(form: _Form) -> Units:
    """Return the units of cells with lists of spans, or of the characters that are marked."""
    for annotator, cells in form.columns_of_annotators("spans"):
        for row in form.kept:
            owner = form.owner(row) if annotator is None else Owner(form.document[row], annotator)
            form.units.seen.setdefault(owner)
            if is_blank(cells[row]):
                continue
            where = form.rows.where[row]
            spans = list_of(cells[row])
            if spans is None:
                cause = f"{str(cells[row])[:60]!r} is no list of spans"
                form.units.problems.append((where, cause, "write [[start, end, category], …]"))
                continue
            for start, end, category in _spans(form, spans, where):
                form.units.add(owner, start, end, category, where)
    return form.units


def _spans(form: _Form, spans: Sequence[Cell], where: Where) -> Iterator[tuple[Cell, Cell, Cell]]:
    """Yield start, end and category of each span in a cell."""
    if spans and all(isinstance(span, int) and not isinstance(span, bool) for span in spans):
        yield from ((start, end, None) for start, end in _runs(spans))
        return
    for span in spans:
        parts = parts_of_span(span)
        if parts is None:
            cause = f"{str(span)[:60]!r} is no span"
            form.units.problems.append((where, cause, "write [start, end, category]"))
        else:
            yield (*form.bounds(parts[0], parts[1], where), parts[2])


def _runs(characters: Sequence[Cell]) -> Iterator[tuple[int, int]]:
    """Yield the begin and end of each run of characters."""
    numbers = sorted({number for number in characters if isinstance(number, int)})
    start = before = numbers[0]
    for number in numbers[1:]:
        if number != before + 1:
            yield start, before + 1
            start = number
        before = number
    yield start, before + 1


def parts_of_span(span: Cell) -> tuple[Cell, Cell, Cell] | None:
    """Return start, end and category of a list or dictionary; None if it does not tell them."""
    if isinstance(span, dict):
        keys = {role: [key for key in span if fits(str(key), role) > 1] for role in ("start", "end", "category")}
        if any(len(keys[role]) != 1 for role in ("start", "end")) or len(keys["category"]) > 1:
            return None
        return span[keys["start"][0]], span[keys["end"][0]], span[keys["category"][0]] if keys["category"] else None
    parts = list_of(span) or []
    numbers = [part for part in parts if number_of(part) is not None and not isinstance(part, str)]
    names = [part for part in parts if isinstance(part, (str, list))]
    if len(numbers) != _SPAN_BOUNDS or len(names) > 1 or len(numbers) + len(names) < len(parts):
        return None
    return numbers[0], numbers[1], names[0] if names else None


def _tags(form: _Form) -> Units:
    """Return the units that tags of tokens are; bounds count the tokens of a document."""
    units = form.units
    units.length_unit = "token"
    notation = _notation(form.mapping.scheme)
    for annotator, cells in form.columns_of_annotators("tag"):
        sequences: dict[Owner, list[int]] = {}
        for row in form.kept:
            owner = form.owner(row) if annotator is None else Owner(form.document[row], annotator)
            sequences.setdefault(owner, []).append(row)
        for owner, rows in sequences.items():
            units.seen.setdefault(owner)
            _check_length(form, owner, rows)
            decoder = Decoder(bare=notation is None)
            found: list[Decoded] = []
            for token, row in enumerate(rows):
                tag = name_of(cells[row]) or "O"
                tag = form.mapping.names.get("tag", {}).get(tag, tag)
                found += decoder.tag(token, tag if notation is None else notation.standardised(tag), row)
            found += decoder.end(len(rows))
            for unit in found:
                units.add(owner, unit.start, unit.end, unit.category, form.rows.where[unit.line])
            units.problems += (
                (form.rows.where[problem.line], problem.cause, problem.cure) for problem in decoder.problems
            )
    return units


def _check_length(form: _Form, owner: Owner, rows: Sequence[int]) -> None:
    """Refuse annotators of a document whose numbers of tokens differ."""
    extent = (0.0, float(len(rows)))
    if form.units.extents.setdefault(owner.document, extent) != extent:
        before = form.units.extents[owner.document][1]
        cause = f"document {owner.document!r} has {before:.0f} tokens, and {len(rows)} for {owner.annotator!r}"
        form.units.problems.append((form.rows.where[rows[0]], cause, "give all annotators the same tokens"))


def _notation(scheme: str) -> Notation | None:
    """Return the notation that an example shows ("B-X", "X:B", "BX"), None for categories alone ("X")."""
    if scheme == "X":
        return None
    if scheme.startswith("B") and scheme.endswith("X"):
        return Notation(scheme[1:-1], is_suffix=False)
    return Notation(scheme[1:-1], is_suffix=True)


def _events(form: _Form) -> Units:
    """Return the units between each start and the next stop of the same category."""
    units = form.units
    mapping = form.mapping
    times = form.cells("time")
    kinds = form.cells("event")
    categories = form.categories()
    begun: dict[tuple[Owner, str | None], deque[int]] = defaultdict(deque)
    for row in form.kept:
        owner = form.owner(row)
        kind = name_of(kinds[row])
        where = form.rows.where[row]
        units.seen.setdefault(owner)
        key = owner, _category(categories[row])
        if kind in mapping.starts:
            begun[key].append(row)
        elif kind in mapping.stops:
            if begun[key]:
                first = begun[key].popleft()
                bounds = form.bounds(times[first], times[row], where)
                units.add(owner, *bounds, categories[row], form.rows.where[first])
            else:
                units.problems.append((where, f"{key[1]!r} stops and has not started", "add its start, or delete it"))
        elif kind in mapping.points:
            units.add(owner, *form.bounds(times[row], times[row], where), categories[row], where)
        else:
            known = ", ".join(map(repr, (*mapping.starts, *mapping.stops, *mapping.points)))
            units.problems.append((where, f"the event is {kind!r}, none of {known}", "name it in the map"))
    for (_, category), rows in begun.items():
        for row in rows:
            cause = f"{category!r} starts and does not stop"
            units.problems.append((form.rows.where[row], cause, "add its stop, or delete it"))
    return units


def _quotes(form: _Form) -> Units:
    """Return the units that are told by their words, at their places in the texts."""
    units = form.units
    units.length_unit = "char"
    quotes = form.cells("quote")
    categories = form.categories()
    groups: dict[Owner, list[int]] = {}
    for row in form.kept:
        units.seen.setdefault(form.owner(row))
        if not is_blank(quotes[row]):
            groups.setdefault(form.owner(row), []).append(row)
    lost: list[str] = []
    doubtful: list[str] = []
    for owner, rows in groups.items():
        text = form.texts.get(owner.document)
        if text is None:
            raise InputError(
                f"the units are told by their words, and the text of document {owner.document!r} is not known",
                Cure("give the texts with {}", Set("texts")),
                Location(form.rows.file, form.rows.where[rows[0]]),
            )
        units.texts.setdefault(Owner(owner.document, None), text)
        found = Finder(text, 0).in_order([Mention(str(quotes[row]).strip()) for row in rows])
        for row, place in zip(rows, found, strict=True):
            shown = f"{str(quotes[row])[:40]!r} ({form.rows.location(row).within(form.rows.file)})"
            if place.reason is not None:
                lost.append(shown)
                continue
            if place.doubt is not None:
                doubtful.append(shown)
            units.add(owner, place.start, place.end, categories[row], form.rows.where[row])
    if lost:
        units.notes.append(
            f"{counted(len(lost), 'quote')} without a place in the text, left out: {few(lost, _MAX_SHOWN)}"
        )
    units.n_doubtful = len(doubtful)
    if doubtful:
        shown = few(doubtful, _MAX_SHOWN)
        units.notes.append(f"{counted(len(doubtful), 'quote')} with several places, at the first that fits: {shown}")
    return units


def _epochs(form: _Form) -> Units:
    """Return the runs of equal judgments of successive epochs."""
    length = form.mapping.epoch
    for owner, epochs in epochs_of(form.rows, form.mapping).items():
        form.units.seen.setdefault(owner)
        for category, run in groupby(enumerate(epochs), key=lambda epoch: epoch[1][0]):
            numbered = [*run]
            if category is not None:
                first = numbered[0][0]
                last = numbered[-1][0] + 1
                where = form.rows.where[numbered[0][1][1]]
                form.units.add(owner, first * length, last * length, category, where)
    return form.units


def epochs_of(rows: Rows, mapping: ColumnMap) -> dict[Owner, list[tuple[str | None, int]]]:
    """Return the judgments of each owner in the order of rows, each with its row; None where one is missing."""
    form = _Form(rows, mapping, {})
    sequences: dict[Owner, list[tuple[str | None, int]]] = {}
    for annotator, cells in form.columns_of_annotators("category"):
        for row in form.kept:
            owner = form.owner(row) if annotator is None else Owner(form.document[row], annotator)
            sequences.setdefault(owner, []).append((_category(cells[row]), row))
    return sequences


def _category(cell: Cell) -> str | None:
    """Return a category; a list of categories is written so that the builders of units read each as one."""
    if isinstance(cell, list):
        names = [name for part in cell if (name := name_of(part)) is not None]
        return name_of(names[0]) if len(names) == 1 else json.dumps(names, ensure_ascii=False) if names else None
    return name_of(cell)


def _with_point(cell: Cell) -> Cell:
    return cell.replace(",", ".") if isinstance(cell, str) else cell


_READERS: Mapping[str, Callable[[_Form], Units]] = {
    "row": _rows,
    "wide": _wide,
    "cells": _cells,
    "tags": _tags,
    "events": _events,
    "quotes": _quotes,
    "epochs": _epochs,
}
