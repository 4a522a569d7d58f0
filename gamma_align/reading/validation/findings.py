"""What there is to see in units before they are measured, counted on whole columns.

Conventions
-----------
* A finding is no fault by itself: overlaps and annotators without units are part of most corpora. What cannot be
  measured as it is, is a problem.
* Units of one annotator are compared within a document and a layer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data.problem import few
from gamma_align.reading.marks.seconds import TOLERANCE, starts_around
from gamma_align.reading.validation.columns import UnitColumns
from gamma_align.reading.validation.dependents import dependents

SHOWN = 3
"""How many places of a finding are shown."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to see, or what a repair did: so many of `noun`, and where the first few are.

    `name` is short, that of the repair where there is one; `cure` is what can be done, empty where nothing needs to be.
    """

    name: str
    message: str
    count: int
    places: tuple[str, ...]
    cure: str = ""
    noun: str = "unit"

    @classmethod
    def of_units(cls, columns: UnitColumns, mask: BoolArray, name: str, message: str, cure: str = "") -> Finding:
        """Return the finding of the units of a mask."""
        units = np.flatnonzero(mask)
        places = tuple(columns.described(unit) for unit in units[:SHOWN].tolist())
        return cls(name, message, len(units), places, cure)


def findings(columns: UnitColumns) -> list[Finding]:
    """Return what there is to see, in a fixed order, with a count of 0 where there is nothing."""
    of_units = [Finding.of_units(columns, find(columns), *words) for *words, find in _OF_UNITS]
    return [check(columns) for check in _OF_PAIRS] + of_units + [check(columns) for check in _OF_NAMES]


def overlapping(columns: UnitColumns) -> BoolArray:
    """Return which units share some length with another one of their annotator, shape (n_units,)."""
    overlaps = np.zeros(len(columns), dtype=np.bool_)
    long = np.flatnonzero(columns.end > columns.start)
    owner = columns.owner()[long]
    order = np.lexsort((columns.end[long], columns.start[long], owner))
    long, owner = long[order], owner[order]
    if len(long) < 2:  # noqa: PLR2004
        return overlaps
    start, end = columns.start[long], columns.end[long]
    same = owner[1:] == owner[:-1]
    overlaps[long[:-1]] |= same & (start[1:] < end[:-1])
    overlaps[long[1:]] |= same & (start[1:] < _latest_end(owner, end)[:-1])
    return overlaps


def _latest_end(owner: IntArray, end: FloatArray) -> FloatArray:
    """Return the largest end so far within each owner, of units sorted by owner."""
    values, rank = np.unique(end, return_inverse=True)
    group = np.cumsum(np.concatenate([[0], owner[1:] != owner[:-1]]))
    latest = np.maximum.accumulate(group * len(values) + rank)
    return np.asarray(values[latest - group * len(values)])


def repeated(columns: UnitColumns) -> BoolArray:
    """Return which units are there once more before, with the same bounds and category of the same annotator."""
    keys = (columns.label, columns.end, columns.start, columns.owner())
    order = np.lexsort((np.arange(len(columns)), *keys))
    again = np.zeros(len(columns), dtype=np.bool_)
    if len(columns):
        again[order[1:]] = np.all([key[order[1:]] == key[order[:-1]] for key in keys], axis=0)
    return again


def outside(columns: UnitColumns) -> BoolArray:
    """Return which units reach beyond the declared extent of their document."""
    low, high = columns.extents[columns.document].T
    return np.asarray((columns.start < low) | (columns.end > high))


def nearest_starts(columns: UnitColumns) -> tuple[FloatArray, BoolArray]:
    """Return, for each unit, the start of its annotator's units that is nearest to its end, and whether it is adjacent.

    Adjacent is what differs by less than `TOLERANCE`, and does differ; the unit keeps some length if its end is moved.
    """
    before, after = starts_around(columns.start, columns.end, columns.owner())
    nearest = np.where(columns.end - before <= after - columns.end, before, after)
    off = np.abs(nearest - columns.end)
    return nearest, (off > 0) & (off < TOLERANCE) & (nearest > columns.start)


def spellings(columns: UnitColumns, same: Callable[[str], str]) -> dict[int, int]:
    """Return label code to the code of its most frequent spelling, for labels that `same` makes equal to others."""
    counts = np.bincount(columns.label[columns.label >= 0], minlength=len(columns.labels))
    groups: dict[str, list[int]] = {}
    for code in np.flatnonzero(counts).tolist():
        groups.setdefault(same(columns.labels[code]), []).append(code)
    most_frequent = {}
    for codes in groups.values():
        best = min(codes, key=lambda code: (-counts[code], columns.labels[code]))
        most_frequent.update({code: best for code in codes if code != best})
    return most_frequent


def padded(columns: UnitColumns) -> list[int]:
    """Return the codes of labels with blanks at their edge that some unit has."""
    used = np.unique(columns.label[columns.label >= 0]).tolist()
    return [code for code in used if columns.labels[code] != columns.labels[code].strip()]


def alphabets(annotator: IntArray, label: IntArray) -> list[list[int]]:
    """Return groups of annotators, the largest first, such that no category is used in two of them.

    The two are of each unit; label -1 is no category.

    One group is as it should be. Numbers of clusters, as systems for diarization give them, beside names of speakers
    make two.
    """
    label, annotator = label[label >= 0], annotator[label >= 0]
    group = np.arange(annotator.max(initial=-1) + 1)
    while True:
        least = np.full(label.max(initial=-1) + 1, len(group))
        np.minimum.at(least, label, group[annotator])
        joined = group.copy()
        np.minimum.at(joined, annotator, least[label])
        if (joined == group).all():
            break
        group = joined
    people = np.unique(annotator)
    groups = [people[group[people] == code].tolist() for code in np.unique(group[people])]
    return sorted(groups, key=len, reverse=True)


_OF_UNITS: tuple[tuple[str, str, str, Callable[[UnitColumns], BoolArray]], ...] = (
    ("overlaps", "units that overlap another one of their annotator", "", overlapping),
    (
        "duplicates",
        "exact duplicates: same annotator, bounds and category",
        "--fix duplicates keeps one of each",
        repeated,
    ),
    (
        "zero-length",
        "units without length",
        "--fix zero-length leaves them out",
        lambda columns: columns.start == columns.end,
    ),
    (
        "past-end",
        "units outside the extent of their document",
        "--outside extend takes them as they are; --fix past-end cuts them there",
        outside,
    ),
    (
        "adjacency",
        f"ends less than {TOLERANCE:g} beside the start of the annotator's next unit",
        "--fix adjacency moves the end there",
        lambda columns: nearest_starts(columns)[1],
    ),
)
"""Findings of units: name, message, cure, and the function that finds them."""


def _check_nothing_marked(columns: UnitColumns) -> Finding:
    people = max(len(columns.annotators), 1)
    with_units = np.unique(columns.document * people + columns.annotator)
    void = np.flatnonzero(~np.isin(columns.seen[:, 0] * people + columns.seen[:, 1], with_units))
    places = tuple(
        f"document {columns.documents[document]!r}, annotator {columns.annotators[annotator]!r}"
        for document, annotator in columns.seen[void[:SHOWN]].tolist()
    )
    message = "annotators who saw a document and marked nothing"
    return Finding("without-units", message, len(void), places, "", "pair of document and annotator")


def _check_alone(columns: UnitColumns) -> Finding:
    people = np.bincount(columns.seen[:, 0], minlength=len(columns.documents))
    alone = np.flatnonzero(people < 2)  # noqa: PLR2004
    places = tuple(f"document {columns.documents[code]!r}" for code in alone[:SHOWN].tolist())
    cure = "declare who else saw them, or leave them out: there is nothing to agree with"
    return Finding("one-annotator", "documents of one annotator only", len(alone), places, cure, "document")


def _check_case(columns: UnitColumns) -> Finding:
    moved = spellings(columns, str.casefold)
    places = tuple(f"{columns.labels[code]!r} and {columns.labels[best]!r}" for code, best in moved.items())
    cure = "--fix case takes the more frequent one; --labels 'one=other' chooses"
    return Finding("case", "categories that differ in case alone", len(moved), places[:SHOWN], cure, "category")


def _check_blanks(columns: UnitColumns) -> Finding:
    codes = padded(columns)
    places = tuple(repr(columns.labels[code]) for code in codes[:SHOWN])
    message = "categories with blanks at their edge"
    return Finding("blanks", message, len(codes), places, "--fix blanks removes the blanks", "category")


def _check_names(columns: UnitColumns) -> Finding:
    documents = [columns.documents[code] for code in np.unique(columns.seen[:, 0]).tolist()]
    people = [columns.annotators[code] for code in np.unique(columns.seen[:, 1]).tolist()]
    alike = [*_alike("annotator", people), *_alike("document", documents)]
    cure = "correct them if they are the same, or name all with --annotators-from, --documents-from"
    message = "names that differ from others in case or blanks alone"
    return Finding("names", message, len(alike), tuple(alike[:SHOWN]), cure, "name")


def _alike(what: str, names: Iterable[str]) -> Iterator[str]:
    """Yield words for each name that is like one before."""
    first: dict[str, str] = {}
    for name in names:
        before = first.setdefault("".join(name.casefold().split()), name)
        if before != name:
            yield f"{what} {name!r} and {before!r}"


def _check_alphabets(columns: UnitColumns) -> Finding:
    groups = alphabets(columns.annotator, columns.label)
    groups = groups if len(groups) > 1 else []
    places = tuple(few((repr(columns.annotators[code]) for code in group), SHOWN) for group in groups[:SHOWN])
    message = "groups of annotators without a category in common"
    cure = "map the categories of one group to the others' with --labels 'theirs=ours', else γcat compares nothing"
    return Finding("alphabets", message, len(groups), places, cure, "group")


def _check_dependents(columns: UnitColumns) -> Finding:
    found = dependents(columns.document, columns.annotator, columns.label, columns.start, columns.end)
    places = tuple(
        f"{columns.annotators[each.annotator]!r} on {columns.annotators[each.on]!r}: {each.how}"
        for each in found[:SHOWN]
    )
    message = "annotators that look like tiers dependent on another's"
    cure = "if they are no rivals, choose tiers with --layers A,B"
    return Finding("dependents", message, len(found), places, cure, "annotator")


_OF_PAIRS = (_check_nothing_marked, _check_alone)
_OF_NAMES = (_check_case, _check_blanks, _check_names, _check_alphabets, _check_dependents)
