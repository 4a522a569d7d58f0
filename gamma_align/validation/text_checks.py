"""Every unit that does not fit its text, and every text that is not its colleagues': what `textual` stops at."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gamma_align.data.problem import Problem
from gamma_align.io.marks.positions import to_code_points
from gamma_align.io.marks.surfaces import cure_of_offsets
from gamma_align.io.marks.texts import told_difference
from gamma_align.io.marks.words import WordedMarks, Words, told_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gamma_align._types import IntArray
    from gamma_align.io.marks.choices import Choices
    from gamma_align.io.marks.gather import Gathered
    from gamma_align.io.marks.marks import Marks

_LONGEST = 60
_SAME = "give them one text, or map theirs onto the first one's (--align-text)"


class TextFaults(NamedTuple):
    """What does not fit the texts: offsets within a character, units that cover something else, texts that differ."""

    offsets: list[Problem]
    mismatches: list[Problem]
    differences: list[Problem]


class _Own(NamedTuple):
    """What an owner's file says of the text, and the file."""

    said: str | Words
    file: str


def text_faults(units: Gathered, choices: Choices) -> TextFaults:
    """Return what does not fit the texts, and bring the bounds into code points of each annotator's text, in place.

    Parameters
    ----------
    units : Gathered
        Units; `start` and `end` are changed where the files count otherwise.
    choices : Choices
        `offsets`.
    """
    own = own_texts(units)
    counted = units.start.copy(), units.end.copy()
    within = [
        (row, f"offset {bound:.15g} is within a character, counted in {offsets}")
        for (text, offsets), rows in _rows_of_texts(units, own, choices).items()
        for row, bound in _converted(units, rows, text, offsets)
    ]
    mismatches = _mismatches(units, own)
    told = cure_of_offsets(units, own, counted, choices) if within or mismatches else None
    otherwise = told or "correct the bounds, or say what offsets count (--offsets)"
    return TextFaults(
        [_problem(units, row, f"{what}; {otherwise}") for row, what in within],
        [
            _problem(units, row, f"{what}; {otherwise}, or keep such units (--mismatch keep)")
            for row, what in mismatches
        ],
        _differences(units),
    )


def own_texts(units: Gathered) -> dict[int, str]:
    """Return the text of each owner that has one."""
    return {owner: own.said for owner, own in _said(units).items() if isinstance(own.said, str)}


def _said(units: Gathered) -> dict[int, _Own]:
    """Return the text of each owner, or the tokens where a file spells out no more."""
    found: dict[int, _Own] = {}
    for marks, origin in zip(units.marks, units.sources, strict=True):
        texts: Mapping[tuple[str | None, str | None], str | Words] = marks.texts
        if isinstance(marks, WordedMarks):
            texts = {**marks.words, **marks.texts}
        for (document, annotator), owners in origin.items():
            said = texts.get((document, annotator), texts.get((document, None)))
            if said is not None:
                found.update(dict.fromkeys(owners, _Own(said, marks.file)))
    return found


def _rows_of_texts(units: Gathered, own: dict[int, str], choices: Choices) -> dict[tuple[str, str], IntArray]:
    """Return the units on each text and way of counting; a text may be that of a hundred annotators."""
    order = np.argsort(units.owner, kind="stable")
    parts = np.split(order, np.searchsorted(units.owner[order], np.arange(1, len(units.owners))))
    found: dict[tuple[str, str], list[IntArray]] = {}
    for owner, text in own.items():
        if len(parts[owner]):
            offsets = choices.offsets or units.marks[int(units.file[parts[owner][0]])].offsets
            found.setdefault((text, offsets), []).append(parts[owner])
    return {key: np.concatenate(rows) for key, rows in found.items()}


def _converted(units: Gathered, rows: IntArray, text: str, offsets: str) -> list[tuple[int, float]]:
    """Bring bounds into code points, and return those that are within a character, with their units."""
    found = []
    for bounds in (units.start, units.end):
        moved = to_code_points(bounds[rows], text, offsets)
        bad = np.isnan(moved)
        found += list(zip(rows[bad].tolist(), bounds[rows[bad]].tolist(), strict=True))
        bounds[rows] = np.where(bad, bounds[rows], moved)
    return found


def _mismatches(units: Gathered, own: dict[int, str]) -> list[tuple[int, str]]:
    """Return the units that do not cover the text that the file says, and what is wrong with each."""
    found = []
    for file, marks in enumerate(units.marks):
        index = sorted(marks.surface)
        for at, row in zip(index, units.rows(file, index).tolist() if index else (), strict=True):
            text = own.get(int(units.owner[row])) if row >= 0 else None
            if text is None:
                continue
            covered, said = text[int(units.start[row]) : int(units.end[row])], marks.surface[at]
            if covered != said and " ".join(covered.split()) != " ".join(said.split()):
                found.append((row, f"the unit covers {_short(covered)}, but the file says {_short(said)}"))
    return found


def _differences(units: Gathered) -> list[Problem]:
    """Return a problem for each annotator whose text, or tokens, are not those of the first one by name."""
    own = _said(units)
    first: dict[str, int] = {}
    found = []
    for owner in sorted(own, key=lambda owner: units.owners[owner]):
        document, annotator = units.owners[owner]
        base = first.setdefault(document, owner)
        told = _told(own[base], own[owner], (units.owners[base].annotator, annotator))
        if told is not None:
            found.append(Problem(own[owner].file, None, f"the text of document {document!r} differs: {told}; {_SAME}"))
    return found


def _told(base: _Own, other: _Own, names: tuple[str, str]) -> str | None:
    """Return words for the first difference, ``None`` where there is none."""
    if isinstance(base.said, str) and isinstance(other.said, str):
        return told_difference(base.said, other.said, names) if base.said != other.said else None
    if isinstance(base.said, Words) and isinstance(other.said, Words):
        same = base.said.tokens == other.said.tokens
        return None if same else told_words(base.said, other.said, (base.file, other.file))
    return None


def _problem(units: Gathered, row: int, what: str) -> Problem:
    marks: Marks = units.marks[int(units.file[row])]
    return Problem(marks.file, marks.where[int(units.index[row])], what)


def _short(text: str) -> str:
    return repr(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…")
