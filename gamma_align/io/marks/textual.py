"""Units on their texts: offsets in code points, checked against what they cover, on one text for all annotators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeVar

import numpy as np

from gamma_align._types import FloatArray, IntArray
from gamma_align.data.problem import Problem
from gamma_align.errors import InputError
from gamma_align.io.contents import Contents
from gamma_align.io.marks import texts
from gamma_align.io.marks.choices import OFFSETS, Choices
from gamma_align.io.marks.gather import Gathered
from gamma_align.io.marks.marks import Marks, WordedMarks, Words, describe_token_difference
from gamma_align.io.marks.texts import to_code_points, to_tokens

_T = TypeVar("_T")
_CURE_OF_FILES = "leave one of the files out, or tell them apart with annotator= or document="
_LONGEST = 60
_NEAR = 3
"""How far off all bounds may be for a message to say so."""

_CURE = "give them one text, or map them onto the first with align_text=True (--align-text)"


class _Place(NamedTuple):
    """Where an owner's units were read: the file, and document and annotator as it has them."""

    marks: Marks
    document: str | None
    annotator: str | None

    @property
    def key(self) -> tuple[str | None, str | None]:
        return self.document, self.annotator


def place_on_texts(contents: Contents, units: Gathered, choices: Choices) -> dict[str, str]:
    """Bring the bounds of all units into code points of their document's text, or its tokens, in place.

    Parameters
    ----------
    contents : Contents
        Its problems are added to; where there are any the bounds stay as they are.
    units : Gathered
        Units; `start` and `end` are changed, `notes` added to.
    choices : Choices
        `offsets`, `positions`, `mismatch` and `align_text`.

    Returns
    -------
    dict of str to str
        The text of each document that has one, where bounds count its code points.
    """
    places = _places(units)
    own = {owner: text for owner, place in places.items() if (text := _said(place.marks.texts, place)) is not None}
    rows = _rows_of(units)
    counted = units.start.copy(), units.end.copy()
    within = _in_code_points(units, own, rows, choices)
    mismatches = _mismatches(units, own, counted, choices, {row for row, _ in within})
    differences = _differences(units, places, own)
    if own or differences:
        contents.mismatches, contents.differences = mismatches, differences
    cure = _cure_of_offsets(units, own, counted, choices) if within else None
    cure = cure or "say what offsets count with offsets= (--offsets code-points)"
    refused = [units.problem(row, f"{what}; {cure}") for row, what in within]
    refused += mismatches if choices.mismatch == "refuse" else []
    refused += [] if choices.align_text else differences
    if refused:
        contents.problems += refused
        units.start, units.end = counted
        return _longest(units, own)
    if mismatches:
        first = str(mismatches[0]).rpartition("; ")[0]
        units.notes.append(f"{first} ({len(mismatches)} such units, kept)")
    shared = _one_text(units, own, rows)
    _one_wording(units, places, rows)
    if choices.positions == "tokens":
        _in_tokens(units, places, own, shared, choices)
        return {}
    _check_characters(units, choices)
    return {document: own[owner] for document, owner in shared.items()}


def _longest(units: Gathered, own: Mapping[int, str]) -> dict[str, str]:
    """Return the longest text of each document: no unit is past the end of its own text for being in another."""
    longest: dict[str, str] = {}
    for owner, text in own.items():
        document = units.owners[owner].document
        longest[document] = max(longest.get(document, ""), text, key=len)
    return longest


def _places(units: Gathered) -> dict[int, _Place]:
    """Return where each owner's units were read; of several files, which then have one text, the first with a text."""
    found: dict[int, _Place] = {}
    for marks, origin in zip(units.marks, units.sources, strict=True):
        for (document, annotator), owners in origin.items():
            place = _Place(marks, document, annotator)
            for owner in owners:
                before = found.setdefault(owner, place)
                one, other = _said(before.marks.texts, before), _said(marks.texts, place)
                if one is None:
                    found[owner] = place
                elif other is not None and other != one:
                    told = texts.describe_difference(one, other, (before.marks.file, marks.file))
                    raise InputError(
                        f"document {units.owners[owner].document!r}: the texts of {units.owners[owner].annotator!r} "
                        f"differ: {told}; {_CURE_OF_FILES}"
                    )
    return found


def _said(by_key: Mapping[tuple[str | None, str | None], _T], place: _Place) -> _T | None:
    """Return what a file says of a document and annotator: the annotator's own, or what all share."""
    return by_key.get(place.key, by_key.get((place.document, None)))


def _rows_of(units: Gathered) -> list[IntArray]:
    """Return the units of each owner."""
    order = np.argsort(units.owner, kind="stable")
    return np.split(order, np.searchsorted(units.owner[order], np.arange(1, len(units.owners))))


def _first_of(units: Gathered, owners: Mapping[int, object]) -> dict[str, int]:
    """Return, for each document, the first of the owners by the annotator's name."""
    found: dict[str, int] = {}
    for owner in sorted(owners, key=lambda owner: units.owners[owner]):
        found.setdefault(units.owners[owner].document, owner)
    return found


def _in_code_points(
    units: Gathered, own: Mapping[int, str], rows: list[IntArray], choices: Choices
) -> list[tuple[int, str]]:
    """Bring bounds into code points, and return the units with one within a character, and what is wrong."""
    together: dict[tuple[str, str], list[IntArray]] = {}  # a text may be that of a hundred annotators
    for owner, text in own.items():
        if len(rows[owner]):
            offsets = choices.offsets or units.marks[int(units.file[rows[owner][0]])].offsets
            together.setdefault((text, offsets), []).append(rows[owner])
    within: dict[int, str] = {}
    for (text, offsets), parts in together.items():
        part = np.concatenate(parts)
        for bounds in (units.start, units.end):
            moved = to_code_points(bounds[part], text, offsets)
            for row in part[np.isnan(moved)].tolist():
                within.setdefault(row, f"offset {bounds[row]:.15g} is within a character, counted in {offsets}")
            bounds[part] = np.where(np.isnan(moved), bounds[part], moved)
    without = [owner for owner in range(len(rows)) if owner not in own and len(rows[owner])]
    if choices.offsets in ("utf-16", "bytes") and without:
        name = units.owners[without[0]]
        units.notes.append(
            f"{len(without)} annotations (of {name.document!r} by {name.annotator!r}, …) have no text: their bounds "
            f"are taken as they are, not counted in {choices.offsets}"
        )
    return sorted(within.items())


def _differences(units: Gathered, places: Mapping[int, _Place], own: Mapping[int, str]) -> list[Problem]:
    """Return a problem for each annotator whose text, or tokens, are not those of the first one by name."""
    found = []
    words = {owner: words for owner, place in places.items() if (words := _words(place)) is not None}
    for first, others in ((_first_of(units, own), own), (_first_of(units, words), words)):
        for owner in sorted(others, key=lambda owner: units.owners[owner]):
            document, annotator = units.owners[owner]
            base = first[document]
            difference = _difference(others[base], others[owner], units, places, (base, owner))
            if difference:
                names = f"{units.owners[base].annotator!r} and {annotator!r}"
                what = "the annotators' texts" if others is own else f"the tokens of {names}"
                message = f"document {document!r}: {what} differ: {difference}; {_CURE}"
                found.append(Problem(places[owner].marks.file, None, message))
    return found


def _difference(
    first: str | Words, second: str | Words, units: Gathered, places: Mapping[int, _Place], owners: tuple[int, int]
) -> str:
    """Return words for the first difference of two texts, or of two lists of tokens; none where they are equal."""
    if isinstance(first, str) and isinstance(second, str):
        names = units.owners[owners[0]].annotator, units.owners[owners[1]].annotator
        return "" if first == second else texts.describe_difference(first, second, names)
    if isinstance(first, Words) and isinstance(second, Words) and first.tokens != second.tokens:
        return describe_token_difference(first, second, (places[owners[0]].marks.file, places[owners[1]].marks.file))
    return ""


def _mismatches(
    units: Gathered,
    own: Mapping[int, str],
    counted: tuple[FloatArray, FloatArray],
    choices: Choices,
    but: set[int],
) -> list[Problem]:
    """Return the units that do not cover the text that the file says they cover, with what would make them."""
    surfaces = _surfaces(units, own)
    wrong = _wrong(surfaces, units.start[surfaces.rows], units.end[surfaces.rows])
    cure = _cure(units, own, surfaces, counted, choices) if wrong else ""
    found = []
    for at in wrong:
        row = int(surfaces.rows[at])
        if row not in but:
            covered = surfaces.texts[at][int(units.start[row]) : int(units.end[row])]
            what = f"the unit covers {_shown(covered)}, but the file says {_shown(surfaces.said[at])}; {cure}"
            found.append(units.problem(row, what))
    return found


def _one_text(units: Gathered, own: Mapping[int, str], rows: list[IntArray]) -> dict[str, int]:
    """Bring all units of a document onto one text, and return whose it is for each document."""
    first = _first_of(units, own)
    for owner, text in own.items():
        document, annotator = units.owners[owner]
        base = first[document]
        if own[base] == text:
            continue
        names = (units.owners[base].annotator, annotator)
        difference = texts.describe_difference(own[base], text, names)
        table = texts.text_mapping(text, own[base])
        blank = np.fromiter(map(str.isspace, text), dtype=np.bool_, count=len(text))
        lacking = int(np.count_nonzero(~table.equal & ~blank))
        _move(units, rows[owner], table)
        units.notes.append(
            f"document {document!r}: {annotator!r} mapped onto the text of {names[0]!r}: {difference}; {lacking} of "
            f"{len(text)} characters have no equal there"
        )
    return first


def _move(units: Gathered, its: IntArray, table: texts.TextMapping) -> None:
    before = units.end[its] > units.start[its]
    units.start[its], units.end[its] = table.moved(units.start[its], units.end[its])
    gone = its[before & (units.end[its] <= units.start[its])]
    if len(gone):
        units.notes.append(
            f"{units.where(int(gone[0]))}: nothing of what the unit covers is in the text of the others: it has no "
            f"length there ({len(gone)} such units)"
        )


def _one_wording(units: Gathered, places: Mapping[int, _Place], rows: list[IntArray]) -> None:
    """Bring all units of a document onto the tokens of one annotator, where files spell them out."""
    own = {owner: words for owner, place in places.items() if (words := _words(place)) is not None}
    first = _first_of(units, own)
    for owner, words in own.items():
        document, annotator = units.owners[owner]
        base = first[document]
        difference = _difference(own[base], words, units, places, (base, owner))
        if difference:
            _move(units, rows[owner], texts.token_mapping(words.tokens, own[base].tokens))
            places[owner].marks.extents[places[owner].document] = (0.0, float(len(own[base].tokens)))
            name = units.owners[base].annotator
            units.notes.append(f"document {document!r}: {annotator!r} mapped onto the tokens of {name!r}: {difference}")


def _words(place: _Place) -> Words | None:
    return _said(place.marks.words, place) if isinstance(place.marks, WordedMarks) else None


def _check_characters(units: Gathered, choices: Choices) -> None:
    other = [marks for marks in units.marks if marks.length_unit not in ("char", None)]
    if choices.positions == "characters" and other:
        raise InputError(
            f"{other[0].file}: counts in {other[0].length_unit!r} and not in characters; leave out positions= "
            "(--positions)"
        )


def _in_tokens(
    units: Gathered, places: Mapping[int, _Place], own: Mapping[int, str], shared: Mapping[str, int], choices: Choices
) -> None:
    """Count in tokens: those of the text that all units of the document are on by now."""
    rows = _rows_of(units)
    edges: dict[int, FloatArray] = {}
    for owner, place in places.items():
        if place.marks.length_unit == "token":
            _count_as_they_are(place)
            continue
        base = shared.get(units.owners[owner].document, owner)
        for other in {owner, base} - set(edges):
            edges[other] = _edges(places[other], own.get(other), choices)
        if own.get(owner) == own.get(base) and not np.array_equal(edges[owner], edges[base]):
            raise InputError(_told_tokens(units, edges, (base, owner)))
        place.marks.tokens[place.key] = _said(places[base].marks.tokens, places[base]) or []
        its = rows[owner]
        past = np.zeros(len(its)) if base not in own else np.maximum(units.end[its] - len(own[base]), 0)
        units.start[its], units.end[its] = to_tokens(units.start[its], units.end[its], edges[base])
        units.end[its] += past  # what is past the end stays so, and is told


def _count_as_they_are(place: _Place) -> None:
    low, high = place.marks.extents.get(place.document, (0.0, 0.0))
    if low == 0:
        place.marks.tokens[place.key] = [(at, at + 1) for at in range(int(high))]


def _edges(place: _Place, text: str | None, choices: Choices) -> FloatArray:
    """Return the bounds of an annotator's tokens in code points."""
    tokens = _said(place.marks.tokens, place)
    if tokens is None:
        raise InputError(f"{place.marks.file}: has no tokens to count in; leave out positions= (--positions)")
    bounds = np.asarray(tokens, dtype=np.float64).reshape(-1, 2)
    if text is not None:
        bounds = to_code_points(bounds, text, choices.offsets or place.marks.offsets)
    flat = bounds.ravel()
    if not (np.diff(flat) >= 0).all():  # NaN, within a character, is not either
        at = (int(np.flatnonzero(~(np.diff(flat) >= 0))[0]) + 1) // 2
        raise InputError(
            f"{place.marks.file}: token {at + 1} is not a stretch of text after the one before; leave out positions= "
            "(--positions), or correct the tokens"
        )
    return bounds


def _told_tokens(units: Gathered, edges: Mapping[int, FloatArray], owners: tuple[int, int]) -> str:
    one, other = (edges[owner] for owner in owners)
    names = [units.owners[owner].annotator for owner in owners]
    size = min(len(one), len(other))
    differing = np.flatnonzero((one[:size] != other[:size]).any(axis=1))
    at = int(differing[0]) if len(differing) else size
    told = [
        f"[{its[at, 0]:.15g}, {its[at, 1]:.15g}] of {name!r}" if at < len(its) else f"missing of {name!r}"
        for its, name in zip((one, other), names, strict=True)
    ]
    return (
        f"document {units.owners[owners[0]].document!r}: the annotators' tokens differ: token {at + 1} is {told[0]} "
        f"and {told[1]}; leave out positions= (--positions), or give them one text and tokens"
    )


class _Surfaces(NamedTuple):
    """Units that have a text and say what they cover: their rows, the text of each, what it says."""

    rows: IntArray
    texts: list[str]
    said: list[str]


def _surfaces(units: Gathered, own: Mapping[int, str]) -> _Surfaces:
    rows: list[int] = []
    said: list[str] = []
    for file, marks in enumerate(units.marks):
        index = sorted(marks.surface)
        for at, row in zip(index, units.rows(file, index).tolist() if index else (), strict=True):
            if row >= 0 and int(units.owner[row]) in own:
                rows.append(row)
                said.append(marks.surface[at])
    return _Surfaces(np.array(rows, dtype=np.int64), [own[int(units.owner[row])] for row in rows], said)


def _wrong(surfaces: _Surfaces, start: FloatArray, end: FloatArray) -> list[int]:
    """Return the places of the surfaces that are not what stands between the bounds; NaN is nowhere."""
    return [
        at
        for at, (text, said, low, high) in enumerate(
            zip(surfaces.texts, surfaces.said, start.tolist(), end.tolist(), strict=True)
        )
        if not (low == low and high == high and _covers(text, int(low), int(high), said))  # noqa: PLR0124
    ]


def _covers(text: str, low: int, high: int, said: str) -> bool:
    """Whether the text between the bounds is what is said; tools write line breaks as blanks."""
    if high - low == len(said) and text.startswith(said, low):
        return True
    return low >= 0 and " ".join(text[low:high].split()) == " ".join(said.split())


def _cure_of_offsets(
    units: Gathered, own: Mapping[int, str], counted: tuple[FloatArray, FloatArray], choices: Choices
) -> str | None:
    """Return words for what offsets count if all units cover what their files say; ``None`` if nothing makes them."""
    surfaces = _surfaces(units, own)
    if not len(surfaces.rows):
        return None
    start, end = (bounds[surfaces.rows] for bounds in counted)
    now = {choices.offsets or units.marks[int(units.file[row])].offsets for row in surfaces.rows.tolist()}
    for offsets in OFFSETS:
        if now != {offsets} and not _wrong(surfaces, *_recounted(surfaces, start, end, offsets)):
            return f"all units fit with offsets={offsets!r} (--offsets {offsets})"
    return None


def _cure(
    units: Gathered,
    own: Mapping[int, str],
    surfaces: _Surfaces,
    counted: tuple[FloatArray, FloatArray],
    choices: Choices,
) -> str:
    """Return words for what to do."""
    keep = "keep such units with mismatch='keep' (--mismatch keep)"
    told = _cure_of_offsets(units, own, counted, choices)
    if told is not None:
        return f"{told}: read them so, or {keep}"
    for by in (by for size in range(1, _NEAR + 1) for by in (size, -size)):
        if not _wrong(surfaces, units.start[surfaces.rows] - by, units.end[surfaces.rows] - by):
            where = "earlier" if by > 0 else "later"
            return f"all units would fit {abs(by)} {where} than their offsets say: correct the offsets, or {keep}"
    return f"no other offsets= makes all units fit: correct the offsets or the text, or {keep}"


def _recounted(surfaces: _Surfaces, start: FloatArray, end: FloatArray, offsets: str) -> tuple[FloatArray, FloatArray]:
    """Return the bounds in code points, as if the files counted otherwise."""
    found = np.full((2, len(start)), np.nan)
    of_text: dict[str, list[int]] = {}
    for at, text in enumerate(surfaces.texts):
        of_text.setdefault(text, []).append(at)
    for text, places in of_text.items():
        for column, bounds in enumerate((start, end)):
            found[column, places] = to_code_points(bounds[places], text, offsets)
    return found[0], found[1]


def _shown(text: str) -> str:
    return repr(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…")
