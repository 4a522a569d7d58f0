"""Units on their texts: offsets in code points, checked against what they cover, on one text for all annotators."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from gamma_align.errors import InputError
from gamma_align.io.marks import texts
from gamma_align.io.marks.positions import to_code_points, to_tokens
from gamma_align.io.marks.surfaces import check_surfaces, cure_of_offsets
from gamma_align.io.marks.words import WordedMarks, Words, told_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gamma_align._types import FloatArray, IntArray
    from gamma_align.io.marks.choices import Choices
    from gamma_align.io.marks.gather import Gathered
    from gamma_align.io.marks.marks import Marks

_T = TypeVar("_T")
_CURE_OF_FILES = "leave one of the files out, or tell them apart with annotator= or document="
_CURE = "give them one text, or map them onto the first with align_text=True (--align-text)"


class _Place(NamedTuple):
    """Where an owner's units were read: the file, and document and annotator as it has them."""

    marks: Marks
    document: str | None
    annotator: str | None

    @property
    def key(self) -> tuple[str | None, str | None]:
        return self.document, self.annotator


def placed_on_texts(units: Gathered, choices: Choices) -> dict[str, str]:
    """Bring the bounds of all units into code points of their document's text, or its tokens, in place.

    Parameters
    ----------
    units : Gathered
        Units; `start` and `end` are changed, `notes` added to.
    choices : Choices
        `offsets`, `positions`, `mismatch` and `align_text`.

    Returns
    -------
    dict of str to str
        The text of each document that has one, where bounds count its code points.

    Raises
    ------
    InputError
        For an offset within a character, a unit that does not cover what the file says, annotators' texts or tokens
        that differ, or positions asked for that there are not.
    """
    places = _places(units)
    own = {owner: text for owner, place in places.items() if (text := _said(place.marks.texts, place)) is not None}
    rows = _rows_of(units)
    counted = units.start.copy(), units.end.copy()
    _in_code_points(units, own, rows, counted, choices)
    check_surfaces(units, own, counted, choices)
    shared = _one_text(units, own, rows, choices)
    _one_wording(units, places, rows, choices)
    if choices.positions == "tokens":
        _in_tokens(units, places, own, shared, choices)
        return {}
    _check_characters(units, choices)
    return {document: own[owner] for document, owner in shared.items()}


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
                    told = texts.told_difference(one, other, (before.marks.file, marks.file))
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
    units: Gathered,
    own: Mapping[int, str],
    rows: list[IntArray],
    counted: tuple[FloatArray, FloatArray],
    choices: Choices,
) -> None:
    together: dict[tuple[str, str], list[IntArray]] = {}  # a text may be that of a hundred annotators
    for owner, text in own.items():
        if len(rows[owner]):
            offsets = choices.offsets or units.marks[int(units.file[rows[owner][0]])].offsets
            together.setdefault((text, offsets), []).append(rows[owner])
    for (text, offsets), parts in together.items():
        row = _convert(units, np.concatenate(parts), text, offsets)
        if row is not None:
            raise InputError(_told_within(units, row, offsets, own, counted, choices))
    without = [owner for owner in range(len(rows)) if owner not in own and len(rows[owner])]
    if choices.offsets in ("utf-16", "bytes") and without:
        name = units.owners[without[0]]
        units.notes.append(
            f"{len(without)} annotations (of {name.document!r} by {name.annotator!r}, …) have no text: their bounds "
            f"are taken as they are, not counted in {choices.offsets}"
        )


def _convert(units: Gathered, its: IntArray, text: str, offsets: str) -> int | None:
    """Bring bounds into code points; return the first unit with one within a character, if there is any."""
    both = [to_code_points(bounds[its], text, offsets) for bounds in (units.start, units.end)]
    bad = np.flatnonzero(np.isnan(both[0]) | np.isnan(both[1]))
    if len(bad):
        return int(its[bad].min())
    units.start[its], units.end[its] = both
    return None


def _told_within(
    units: Gathered,
    row: int,
    offsets: str,
    own: Mapping[int, str],
    counted: tuple[FloatArray, FloatArray],
    choices: Choices,
) -> str:
    text = own[int(units.owner[row])]
    low, high = (bounds[row] for bounds in counted)
    offset = low if np.isnan(to_code_points(np.array([low]), text, offsets)[0]) else high
    cure = (
        cure_of_offsets(units, own, counted, choices) or "say what offsets count with offsets= (--offsets code-points)"
    )
    return f"{units.where(row)}: offset {offset:.15g} is within a character, counted in {offsets}; {cure}"


def _one_text(units: Gathered, own: Mapping[int, str], rows: list[IntArray], choices: Choices) -> dict[str, int]:
    """Bring all units of a document onto one text, and return whose it is for each document."""
    first = _first_of(units, own)
    for owner, text in own.items():
        document, annotator = units.owners[owner]
        base = first[document]
        if own[base] == text:
            continue
        names = (units.owners[base].annotator, annotator)
        told = texts.told_difference(own[base], text, names)
        if not choices.align_text:
            raise InputError(f"document {document!r}: the annotators' texts differ: {told}; {_CURE}")
        table = texts.mapping(text, own[base])
        blank = np.fromiter(map(str.isspace, text), dtype=np.bool_, count=len(text))
        lacking = int(np.count_nonzero(~table.equal & ~blank))
        _move(units, rows[owner], table)
        units.notes.append(
            f"document {document!r}: {annotator!r} mapped onto the text of {names[0]!r}: {told}; {lacking} of "
            f"{len(text)} characters have no equal there"
        )
    return first


def _move(units: Gathered, its: IntArray, table: texts.Mapping) -> None:
    before = units.end[its] > units.start[its]
    units.start[its], units.end[its] = table.moved(units.start[its], units.end[its])
    gone = its[before & (units.end[its] <= units.start[its])]
    if len(gone):
        units.notes.append(
            f"{units.where(int(gone[0]))}: nothing of what the unit covers is in the text of the others: it has no "
            f"length there ({len(gone)} such units)"
        )


def _one_wording(units: Gathered, places: Mapping[int, _Place], rows: list[IntArray], choices: Choices) -> None:
    """Bring all units of a document onto the tokens of one annotator, where files spell them out."""
    own = {owner: words for owner, place in places.items() if (words := _words(place)) is not None}
    first = _first_of(units, own)
    for owner, words in own.items():
        document, annotator = units.owners[owner]
        base = own[first[document]]
        if base.tokens == words.tokens:
            continue
        names = (units.owners[first[document]].annotator, annotator)
        files = (places[first[document]].marks.file, places[owner].marks.file)
        told = told_words(base, words, files)
        if not choices.align_text:
            raise InputError(
                f"document {document!r}: the tokens of {names[0]!r} and {names[1]!r} differ: {told}; {_CURE}"
            )
        _move(units, rows[owner], texts.mapping_of_tokens(words.tokens, base.tokens))
        places[owner].marks.extents[places[owner].document] = (0.0, float(len(base.tokens)))
        units.notes.append(f"document {document!r}: {annotator!r} mapped onto the tokens of {names[0]!r}: {told}")


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
