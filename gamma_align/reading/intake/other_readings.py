"""Readings of the other forms of units: columns of each annotator, lists in cells, tags, events, quotes, epochs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product

import numpy as np

from gamma_align.data import (
    SURE,
    Profile,
    Profiles,
    determines,
    fits,
    is_at_words,
    is_blank,
    list_of,
    usual_names,
    without_accents,
)
from gamma_align.reading.intake.apply import marks_of
from gamma_align.reading.intake.bounds import quote_columns, text_column
from gamma_align.reading.intake.forms import parts_of_span, units_of
from gamma_align.reading.intake.mapping import ColumnMap, Reference
from gamma_align.reading.intake.overlaps import shares
from gamma_align.reading.intake.readings import Question, Reading
from gamma_align.reading.intake.rows import Rows
from gamma_align.reading.intake.unit_readings import Found, owned_readings
from gamma_align.reading.marks.notations import Notation, notation_of
from gamma_align.reading.marks.tags import are_tags

_MIN_SETS = 2
_MIN_LABEL_LENGTH = 2
_LOOKED_AT = 300  # cells
_MIN_TEXT_LENGTH = 25  # characters, on average
_MAX_EVENT_KINDS = 4
_MIN_EPOCHS = 20
_MAX_STAGES = 12
_MAX_STAGE_LENGTH = 20  # characters
_MIN_UNITS = 8  # fewer units tell nothing about who made them
_MIN_CROSS = 0.2  # share of units with one of another annotator at their place: of people .51 or more
_MIN_COMMON_UNITS = 0.3  # of two annotators
_MIN_FOUND = 0.5  # share of quotes that are in their texts
_MAX_DOUBTFUL = 0.05  # share of quotes with several places
_AROUND_NAMES = "_ .-()[]"
_START = re.compile(r"(state )?(start|begin|onset|on)", re.IGNORECASE)
_STOP = re.compile(r"(state )?(stop|end|offset|off)", re.IGNORECASE)


def other_readings(rows: Rows, profiles: Profiles) -> list[Reading]:
    """Return the readings of a table in all forms but that of rows with bounds."""
    return [*_wide(rows, profiles), *_cells(rows, profiles), *_tags(rows, profiles), *_events(rows, profiles)]


def _named(**columns: Profile | None) -> dict[str, Reference]:
    """Return the names of the columns that there are, by role."""
    return {role: column.name for role, column in columns.items() if column is not None}


def _annotator_beside(free: Sequence[Profile], document: Profile | None, least: int) -> Profile | None:
    """Return the column or place that names annotators, if one does; a name tells it at `least` so well."""
    varied = [each for each in free if not each.is_constant]
    named = [each for each in varied if each.fits("annotator") >= least]
    return next(iter([*named, *(each for each in varied if each.is_place and each is not document)]), None)


# ------------------------------------------------------------------------------------ columns of each annotator


def _wide(rows: Rows, profiles: Profiles) -> Iterator[Reading]:
    sets: dict[str, dict[str, str]] = {}
    for each in profiles.values():
        if each.is_place:
            continue
        for annotator, role in _set_of(each.name):
            sets.setdefault(annotator, {}).setdefault(role, each.name)
    sets = {who: columns for who, columns in sets.items() if {"start", "end"} <= set(columns) and who}
    sets = {
        who: columns
        for who, columns in sets.items()
        if all(profiles[columns[role]].is_number for role in ("start", "end"))
    }
    words = set().union(*usual_names().values())
    if len(sets) < _MIN_SETS or any(without_accents(who) in words for who in sets):
        return
    if any(each.fits("annotator") >= SURE and not each.is_constant for each in profiles.values()):
        return
    used = {name for columns in sets.values() for name in columns.values()}
    free = [each for each in profiles.values() if each.name not in used]
    document = next((each for each in free if each.fits("document")), None)
    roles = _named(document=document)
    has_commas = any(profiles[columns[role]].has_commas for columns in sets.values() for role in ("start", "end"))
    mapping = ColumnMap("wide", roles, sets, numbers="comma" if has_commas else "plain")
    fact = f"columns of {', '.join(sets)} each have a start and an end"
    reading = Reading(mapping, 9, rows, (fact,))
    cross = _share_in_common(rows, mapping)
    if cross < _MIN_CROSS:
        reading = reading.asking(Question(f"{fact}, and {cross:.0%} share a place: they may be no annotators"))
    yield reading


def _share_in_common(rows: Rows, mapping: ColumnMap) -> float:
    """Return the share of units that have one of another annotator at their place; 1 if there are few units."""
    marks = marks_of(rows, mapping)
    if len(marks) < _MIN_UNITS:
        return 1.0
    keys = np.asarray(marks.key)
    documents = {key.document: code for code, key in enumerate(marks.keys)}
    document = np.array([documents[key.document] for key in marks.keys])[keys]
    return shares(document, keys, np.asarray(marks.start), np.asarray(marks.end)).cross


def _set_of(name: str) -> Iterator[tuple[str, str]]:
    """Yield the annotator and the role in a name: "mia_start", "start mia"."""
    parts = re.split(r"[_\s.\-]+", name)
    if len(parts) > 1:
        for role in ("start", "end", "category"):
            if fits(parts[-1], role) >= SURE:
                yield name[: -len(parts[-1]) - 1].strip(_AROUND_NAMES), role
            elif fits(parts[0], role) >= SURE:
                yield name[len(parts[0]) + 1 :].strip(_AROUND_NAMES), role


# ------------------------------------------------------------------------------------ lists in cells


def _cells(rows: Rows, profiles: Profiles) -> Iterator[Reading]:
    columns = [each for each in profiles.values() if each.is_list and _has_spans(each)]
    if not columns:
        return
    text = text_column(profiles)
    free = [each for each in profiles.values() if each not in columns and each is not text]
    document = next(_documents_of_cells(free, text, are_long=len(columns) == 1), None)
    roles = _named(document=document)
    questions = []
    modifiers = {}
    if text is not None:
        shares = [_share_at_words(columns, text, is_inclusive) for is_inclusive in (0, 1)]
        if shares[0] < _MIN_FOUND < shares[1]:
            modifiers["end"] = "inclusive"
            questions.append(Question("spans end with words only if the last character belongs to them"))
        roles["text"] = text.name
        if document is None:
            roles["document"] = text.name
    if len(columns) > 1:
        sets = {each.name: {"spans": each.name} for each in columns}
        evidence = f"columns {', '.join(sets)} hold lists of spans: each is an annotator"
        mapping = ColumnMap("cells", roles, sets, **modifiers)  # type: ignore[arg-type]
    else:
        annotator = _annotator_beside(free, document, 1)
        roles |= {"spans": columns[0].name, **_named(annotator=annotator)}
        evidence = f"{columns[0].name!r} holds lists of spans"
        mapping = ColumnMap("cells", roles, **modifiers)  # type: ignore[arg-type]
        cross = 1.0 if annotator is None else _share_in_common(rows, mapping)
        if cross < _MIN_CROSS:
            names = "no column" if document is None else repr(document.name)
            questions.append(Question(f"{names} names the documents, and {cross:.0%} of the units share a place"))
    yield Reading(mapping, 8, rows, (evidence,), tuple(questions))


def _documents_of_cells(free: Sequence[Profile], text: Profile | None, *, are_long: bool) -> Iterator[Profile]:
    """Yield the columns that may name the documents; in a table with a row for each annotator they repeat."""
    others = [each for each in free if each.fits("annotator") < SURE]
    named = [each for each in others if each.fits("document") and not each.is_constant]
    named += [each for each in others if without_accents(each.name).split("_")[-1] == "id"]
    if text is not None:  # the name of a document goes with its text
        named.sort(key=lambda each: not (determines(each, text) and determines(text, each)))
    texts = [text] if text is not None else [each for each in free if each.mean_length > _MIN_TEXT_LENGTH]
    yield from (each for each in named if not are_long or each.n_values < len(each.filled))
    yield from (each for each in texts if are_long and each.n_values < len(each.filled))
    yield from named[:1]


def _lists(column: Profile) -> list[list[object]]:
    lists = (list_of(cell) for cell in column.cells[:_LOOKED_AT])
    return [cells for cells in lists if cells is not None]


def _has_spans(column: Profile) -> bool:
    """Return whether all lists in a column are of spans, or of numbers of characters."""
    if column.is_range and column.n_values > 1:  # each list is one span
        return False
    filled = [cells for cells in _lists(column) if cells]
    return bool(filled) and all(
        all(type(cell) is int for cell in cells) or all(parts_of_span(cell) is not None for cell in cells)
        for cells in filled
    )


def _share_at_words(columns: Sequence[Profile], text: Profile, is_inclusive: int) -> float:
    hits = []
    for column in columns:
        for cell, words in zip(column.cells[:_LOOKED_AT], text.names, strict=False):
            for span in list_of(cell) or []:
                parts = parts_of_span(span) if type(span) is not int else None
                if parts is not None and isinstance(parts[0], int) and isinstance(parts[1], int):
                    hits.append(is_at_words(words or "", parts[0], parts[1] + is_inclusive))
    return float(np.mean(hits)) if hits else 1.0


# ------------------------------------------------------------------------------------ tags of tokens


def _tags(rows: Rows, profiles: Profiles) -> Iterator[Reading]:
    columns = [each for each in profiles.values() if not (each.is_place or each.is_number or each.is_list)]
    schemes = {each.name: scheme for each in columns if (scheme := _scheme_of(each)) is not None}
    if not schemes:
        return
    scheme = next(iter(schemes.values()))
    free = [each for each in profiles.values() if each.name not in schemes and not each.fits("token")]
    document = next((each for each in free if each.fits("document") >= SURE and each.has_names), None)
    document = document or next((each for each in free if each.name == "@stem" and not each.is_constant), None)
    roles = _named(document=document)
    questions: list[Question] = []
    if len({*schemes.values()}) > 1:
        questions.append(Question("columns have tags of different schemes"))
    if len(schemes) > 1:
        prefix = _common_prefix([*schemes])
        sets = {name.removeprefix(prefix) or name: {"tag": name} for name in schemes}
        mapping = ColumnMap("tags", roles, sets, scheme=scheme)
        questions += _layer_questions(rows, mapping, [*schemes])
        evidence = f"columns {', '.join(schemes)} have tags of tokens: each is an annotator"
    else:
        annotator = _annotator_beside(free, document, SURE)
        roles |= {"tag": next(iter(schemes)), **_named(annotator=annotator)}
        mapping = ColumnMap("tags", roles, scheme=scheme)
        evidence = f"{roles['tag']!r} has tags of tokens"
    if document is None:
        block = next((each for each in free if each.is_in_blocks and not (each.is_counter or each.is_place)), None)
        if block is not None:
            questions.append(Question(f"{block.name!r} stands in blocks and may name the documents"))
    yield Reading(mapping, 8.5, rows, (evidence,), tuple(questions))


def _scheme_of(column: Profile) -> str | None:
    """Return the example of how tags in a column are written, None if they are no tags."""
    tags = [name or "O" for name in column.names]
    if "O" not in tags or len(set(tags)) < _MIN_LABEL_LENGTH:
        return None
    if are_tags(set(tags)):
        return "B-X"
    notation = notation_of(tags)
    return None if notation is None else _example(notation)


def _example(notation: Notation) -> str:
    return f"X{notation.mark}B" if notation.is_suffix else f"B{notation.mark}X"


def _common_prefix(names: Sequence[str]) -> str:
    """Return the beginning that names share, up to a separator."""
    shortest = min(names, key=len)
    lengths = range(len(shortest), -1, -1)
    prefix = next(shortest[:length] for length in lengths if all(name.startswith(shortest[:length]) for name in names))
    return prefix[: max(map(prefix.rfind, "_ .-")) + 1]


def _layer_questions(rows: Rows, mapping: ColumnMap, names: Sequence[str]) -> Iterator[Question]:
    """Yield why columns of tags may be layers of one annotator."""
    marks = marks_of(rows, mapping)
    units: dict[str | None, set[tuple[object, ...]]] = {}
    for key, start, end, label in zip(marks.key, marks.start, marks.end, marks.label, strict=True):
        owner = marks.keys[key]
        units.setdefault(owner.annotator, set()).add((owner.document, start, end, label))
    common = [2 * len(a & b) / max(len(a) + len(b), 1) for a, b in combinations(units.values(), 2)]
    if sum(map(len, units.values())) < _MIN_UNITS:
        yield Question("there are too few units to tell annotators from layers")
    elif all(name.startswith("column ") for name in names):
        yield Question(f"{len(names)} columns without names have tags: annotators, or layers of one")
    elif any(word in usual_names()["layer"] for name in names for word in without_accents(name).split("_")):
        yield Question(f"columns of tags are named {', '.join(names)}: annotators, or layers of one")
    elif common and np.mean(common) < _MIN_COMMON_UNITS:
        yield Question(
            f"columns {', '.join(names)} have few units in common ({np.mean(common):.0%}): annotators, or layers"
        )
    elif common and max(common) == 1:
        yield Question(f"two of the columns {', '.join(names)} are equal: annotators, or layers of one")


# ------------------------------------------------------------------------------------ starts and stops


def _events(rows: Rows, profiles: Profiles) -> Iterator[Reading]:
    for each in profiles.values():
        if each.is_place or not _MIN_SETS <= each.n_values <= _MAX_EVENT_KINDS:
            continue
        kinds = each.coded[1]
        starts = [kind for kind in kinds if _START.fullmatch(kind.strip()) or fits(kind, "start") >= SURE]
        stops = [kind for kind in kinds if _STOP.fullmatch(kind.strip()) or fits(kind, "end") >= SURE]
        if len(starts) == len(stops) == 1:
            yield from _events_of(rows, profiles, each, starts[0], stops[0])
            return


def _events_of(rows: Rows, profiles: Profiles, event: Profile, start: str, stop: str) -> Iterator[Reading]:
    numbers = [each for each in profiles.values() if each.is_number and not each.is_place and not each.is_constant]
    times = [each for each in numbers if each.fits("time") or each.fits("start")]
    times = [each for each in times if len(each.filled) == len(rows) and not each.fits("duration")]
    if not times:
        return
    time = max(times, key=lambda each: (each.fits("start"), each.n_values))
    free = [
        each for each in profiles.values() if each.has_names and each is not event and len(each.filled) == len(rows)
    ]
    documents = [each for each in free if each.fits("document")]
    annotators = [each for each in free if each.fits("annotator") or (each.is_place and not each.is_constant)]
    categories = [each for each in free if each.fits("category") and not each.is_place]
    points = tuple(kind for kind in event.coded[1] if kind not in (start, stop))
    best: tuple[float, ColumnMap, int] | None = None
    for document, annotator, category in product([*documents, None], [*annotators, None], categories):
        if document is annotator or document is category or annotator is category:
            continue
        roles = _named(time=time, event=event, category=category, document=document, annotator=annotator)
        numbers_are = "comma" if time.has_commas else "plain"
        mapping = ColumnMap("events", roles, starts=(start,), stops=(stop,), points=points, numbers=numbers_are)
        n_problems = len(marks_of(rows, mapping).problems)
        score = category.fits("category") - 2 * category.is_constant - 20 * n_problems / max(len(rows), 1)
        score += 0 if document is None else document.fits("document") - 2 * document.is_constant
        score += 0 if annotator is None else annotator.fits("annotator") + annotator.is_place - annotator.is_constant
        if best is None or score > best[0]:
            best = score, mapping, n_problems
    if best is not None:
        evidence = f"{event.name!r} says {start!r} and {stop!r}"
        questions = (Question(f"{best[2]} rows are a start without a stop, or the reverse"),) if best[2] else ()
        yield Reading(best[1], 9, rows, (evidence,), questions)


# ------------------------------------------------------------------------------------ quotes


def quote_readings(rows: Rows, profiles: Profiles, texts: Mapping[str, str] | None) -> list[Reading]:
    """Return the readings of a table whose rows are units that are told by their words.

    `texts` are the texts that the user gives, by document.
    """
    columns = [each for each in quote_columns(profiles) if not each.is_place]
    if not columns:
        return []
    quote = max(columns, key=lambda each: (each.fits("quote"), each.n_values))
    text = text_column(profiles)
    document = None
    found = [row for row, cell in enumerate(quote.cells) if not is_blank(cell)]
    if text is not None:
        where = [str(text.cells[row] or "").find(quote.names[row] or "") for row in found]
    else:
        document = _document_of_quotes(profiles, quote)
        if document is None or quote.fits("quote") < SURE:
            return []
        where = [(texts or {}).get(document.names[row] or "", "").find(quote.names[row] or "") for row in found]
    is_known = text is not None or texts is not None
    if is_known and np.mean([at >= 0 for at in where]) < _MIN_FOUND:
        return []
    if not is_known:  # whether annotators quote the same words tells who is who
        code = {words: index for index, words in enumerate(dict.fromkeys(quote.filled))}
        where = [10 * code[quote.names[row] or ""] for row in found]
    start = np.array(where, dtype=np.float64)
    end = start + [len(quote.names[row] or "") for row in found]
    roles = _named(quote=quote, text=text)
    questions = []
    if any((words or "").rstrip().endswith(("…", "...")) for words in quote.filled):
        cut = f"{quote.name!r} is cut off (…) and cannot be found in a text"
        questions.append(Question(cut, cure="export the segments whole, or with positions of characters"))
    elif not is_known:
        words = f"{quote.name!r} holds quotes without positions, and the texts are not known"
        questions.append(Question(words, cure="texts"))
    taken = frozenset({quote.name})
    found_units = Found(
        "quotes", roles, taken, np.array(found), start, end, 4, {}, questions=tuple(questions), is_confirmed=True
    )
    readings = owned_readings(rows, profiles, replace(found_units, document=document))
    return [_with_doubts(reading, texts or {}) for reading in readings] if is_known else readings


def _with_doubts(reading: Reading, texts: Mapping[str, str]) -> Reading:
    """Return the reading; it is asked about if many quotes may be at several places."""
    units = units_of(reading.rows, reading.mapping, texts)
    if units.n_doubtful <= _MAX_DOUBTFUL * len(units.start):
        return reading
    fact = (
        f"{units.n_doubtful} of {len(units.start)} quotes may be at several places of their texts: the first that fits"
    )
    return reading.asking(Question(fact))


def _document_of_quotes(profiles: Profiles, quote: Profile) -> Profile | None:
    """Return the column that names the documents of quotes: a usual name, or names of texts."""
    columns = [each for each in profiles.values() if each is not quote and each.has_names and not each.is_number]
    named = [each for each in columns if each.fits("document")]
    named = named or [each for each in columns if each.fits("text") and each.n_values < len(each.filled)]
    return named[0] if named else None


# ------------------------------------------------------------------------------------ a stage a line


def epoch_readings(rows: Rows, profiles: Profiles) -> list[Reading]:
    """Return the reading of files with a stage in each line."""
    columns = [each for each in profiles.values() if not each.is_place and each.filled]
    places = {each.name: each for each in profiles.values() if each.is_place and not each.is_constant}
    if len(columns) != 1 or len(rows) < _MIN_EPOCHS or not places:
        return []
    column = columns[0]
    if column.n_values > _MAX_STAGES or column.is_list or column.mean_length > _MAX_STAGE_LENGTH:
        return []
    folder = next((name for name in places if name.startswith(("@folder", "@sheet"))), None)
    annotator = folder or ("@name 2" if "@name 2" in places else "@stem")
    if annotator not in places:
        return []
    roles: dict[str, Reference] = {"annotator": annotator, "category": column.name}
    document = next((name for name in ("@name 1", "@stem") if name in places and name != annotator), None)
    if document is not None:
        roles["document"] = document
    mapping = ColumnMap("epochs", roles)
    lengths: dict[str | None, set[int]] = {}
    owners = [*zip(places[document].names if document else [None] * len(rows), places[annotator].names, strict=True)]
    for owner, length in Counter(owners).items():
        lengths.setdefault(owner[0], set()).add(length)
    questions: list[Question] = []
    if any(len(numbers) > 1 for numbers in lengths.values()):
        questions.append(Question("the files of a document have different numbers of lines"))
    if annotator == "@name 2":
        swapped = replace(mapping, roles={**roles, "annotator": "@name 1", "document": "@name 2"})
        first = places["@name 1"]
        second = places["@name 2"]
        numbered = [any(map(str.isdigit, "".join(each.filled[:1]))) for each in (first, second)]
        if numbered != [True, False]:
            fact = f"names of files are pairs of {first.coded[1][:3]} and {second.coded[1][:3]}"
            questions.append(Question(fact, (("if the first are annotators", swapped),)))
    evidence = f"each line is one of {column.n_values} values"
    return [Reading(mapping, 9, rows, (evidence,), tuple(questions))]
