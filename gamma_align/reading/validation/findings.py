"""Findings: properties of units that may be intended or a mistake, counted on whole columns.

Conventions
-----------
* A finding is no problem: overlaps and annotators without units are part of most corpora. Units that cannot be measured
  are problems.
* Units of one annotator are compared within a document and a layer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray, distinct
from gamma_align.data import Versions, few, spelling_key
from gamma_align.errors import Call, Cure, Fix, Set
from gamma_align.reading.marks.seconds import TOLERANCE, starts_around
from gamma_align.reading.validation.columns import UnitColumns
from gamma_align.reading.validation.dependents import dependents

MAX_PLACES = 3
"""Maximum number of places that a finding lists."""

_MIN_ANNOTATORS = 2  # agreement needs two


@dataclass(frozen=True, slots=True)
class Finding:
    """A property that was counted, or the work of a repair.

    Attributes
    ----------
    name : str
        A short name; if a repair changes such units, the name of the repair.
    message : str
        The property in words.
    count : int
    places : tuple of str
        The first few occurrences.
    cure : Cure or None
        How to change it, if there is a way.
    noun : str
        The thing that is counted.
    """

    name: str
    message: str
    count: int
    places: tuple[str, ...]
    cure: Cure | None = None
    noun: str = "unit"

    @classmethod
    def of_units(
        cls, columns: UnitColumns, mask: BoolArray, name: str, message: str, cure: Cure | None = None
    ) -> Finding:
        """Return the finding of the units of a mask."""
        units = np.flatnonzero(mask)
        places = tuple(map(columns.describe, units[:MAX_PLACES].tolist()))
        return cls(name, message, len(units), places, cure)


class UnitCheck(NamedTuple):
    """A check of single units: the finding's name, message and cure, and the function that returns a mask of units."""

    name: str
    message: str
    cure: Cure | None
    find: Callable[[UnitColumns], BoolArray]


def findings(columns: UnitColumns, versions: Versions | None = None) -> list[Finding]:
    """Return all findings in a fixed order; the count is 0 if nothing has the property.

    `versions` is a column that tells repeated units apart; repeated units then get its cure.
    """
    units = [
        Finding.of_units(columns, check.find(columns), check.name, check.message, check.cure) for check in _UNIT_CHECKS
    ]
    if versions is not None:
        units = [replace(finding, cure=versions.cure) if finding.name == "duplicates" else finding for finding in units]
    names = (check(columns) for check in _NAME_CHECKS)
    return [*(check(columns) for check in _PAIR_CHECKS), *units, *names, *_position_findings(columns)]


def overlapping(columns: UnitColumns) -> BoolArray:
    """Return whether each unit shares some length with another unit of its owner, shape (n_units,)."""
    overlaps = np.zeros(len(columns), dtype=np.bool_)
    long = np.flatnonzero(columns.end > columns.start)
    if not len(long):
        return overlaps
    owner = columns.owner()[long]
    order = np.lexsort((columns.end[long], columns.start[long], owner))
    long = long[order]
    owner = owner[order]
    start = columns.start[long]
    end = columns.end[long]
    same = owner[1:] == owner[:-1]
    overlaps[long[:-1]] |= same & (start[1:] < end[:-1])
    overlaps[long[1:]] |= same & (start[1:] < _latest_end(owner, end)[:-1])
    return overlaps


def _latest_end(owner: IntArray, end: FloatArray) -> FloatArray:
    """Return the largest end up to each unit within its owner; units are sorted by owner."""
    values, rank = np.unique(end, return_inverse=True)
    group = np.cumsum(np.concatenate([[0], owner[1:] != owner[:-1]]))
    # Ranks of later owners are shifted above all ranks of earlier ones, so that one running maximum serves all owners.
    latest = np.maximum.accumulate(group * len(values) + rank)
    return np.asarray(values[latest - group * len(values)])


def repeated(columns: UnitColumns) -> BoolArray:
    """Return whether an earlier unit has the same owner, bounds and category, shape (n_units,)."""
    keys = (columns.label, columns.end, columns.start, columns.owner())
    order = np.lexsort((np.arange(len(columns)), *keys))
    is_repeated = np.zeros(len(columns), dtype=np.bool_)
    if len(columns):
        is_repeated[order[1:]] = np.all([key[order[1:]] == key[order[:-1]] for key in keys], axis=0)
    return is_repeated


def outside(columns: UnitColumns) -> BoolArray:
    """Return whether each unit reaches beyond the declared extent of its document, shape (n_units,)."""
    low, high = columns.extents[columns.document].T
    # Comparisons with NaN are False: documents without a declared extent have no units outside.
    return np.asarray((columns.start < low) | (columns.end > high))


def nearest_starts(columns: UnitColumns) -> tuple[FloatArray, BoolArray]:
    """Return, for each unit, the start of a unit of its owner that is nearest to its end, and whether it is adjacent.

    A start is adjacent if it differs from the end, by less than `TOLERANCE`, and the unit would keep some length if its
    end were moved there.
    """
    previous, following = starts_around(columns.start, columns.end, columns.owner())
    nearest = np.where(columns.end - previous <= following - columns.end, previous, following)
    gap = np.abs(nearest - columns.end)
    return nearest, (gap > 0) & (gap < TOLERANCE) & (nearest > columns.start)


def spellings(columns: UnitColumns, key: Callable[[str], str]) -> dict[int, int]:
    """Return the code of the most frequent spelling for each other label in use with the same key."""
    counts = np.bincount(columns.label[columns.label >= 0], minlength=len(columns.labels))
    groups: dict[str, list[int]] = {}
    for code in np.flatnonzero(counts).tolist():
        groups.setdefault(key(columns.labels[code]), []).append(code)
    most_frequent: dict[int, int] = {}
    for codes in groups.values():
        # Of equally frequent labels, the first in alphabetical order is kept.
        best, *replaced = sorted(codes, key=lambda code: (-counts[code], columns.labels[code]))
        most_frequent |= dict.fromkeys(sorted(replaced), best)
    return most_frequent


def trimmed_key(label: str) -> str:
    """Return the key of spelling; labels with blanks at an edge, which are a finding of their own, keep theirs."""
    return spelling_key(label) if label == label.strip() else label


def padded(columns: UnitColumns) -> list[int]:
    """Return the codes of labels in use that begin or end with blanks."""
    used = distinct(columns.label[columns.label >= 0]).tolist()
    return [code for code in used if columns.labels[code] != columns.labels[code].strip()]


def alphabets(annotator: IntArray, label: IntArray) -> list[list[int]]:
    """Return groups of annotators, the largest first, such that no category is used in two groups.

    The arrays have shape (n_units,); label -1 is no category. Usually there is one group. Numbers of clusters, as
    systems for diarization write them, make a group apart from annotators who use names of speakers.
    """
    annotator = annotator[label >= 0]
    label = label[label >= 0]
    # Connected components: labels and annotators take over the lowest group from each other until nothing changes.
    group = np.arange(annotator.max(initial=-1) + 1)
    while True:
        lowest = np.full(label.max(initial=-1) + 1, len(group))
        np.minimum.at(lowest, label, group[annotator])
        merged = group.copy()
        np.minimum.at(merged, annotator, lowest[label])
        if (merged == group).all():
            break
        group = merged
    annotators = distinct(annotator)
    groups = [annotators[group[annotators] == code].tolist() for code in distinct(group[annotators])]
    return sorted(groups, key=len, reverse=True)


_UNIT_CHECKS = (
    UnitCheck("overlaps", "units that overlap another one of their annotator", None, overlapping),
    UnitCheck(
        "duplicates",
        "exact duplicates: same annotator, bounds and category",
        Cure("{}", Fix("duplicates", "keep one of each")),
        repeated,
    ),
    UnitCheck(
        "zero-length",
        "units without length",
        Cure("{}", Fix("zero-length", "leave them out")),
        lambda columns: columns.start == columns.end,
    ),
    UnitCheck(
        "past-end",
        "units outside the extent of their document",
        Cure("read them as they are with {}, or {}", Set("outside", "extend"), Fix("past-end", "cut them at the end")),
        outside,
    ),
    UnitCheck(
        "adjacency",
        f"ends less than {TOLERANCE:g} beside the start of the annotator's next unit",
        Cure("{}", Fix("adjacency", "move the end to the start")),
        lambda columns: nearest_starts(columns)[1],
    ),
)


def _check_pairs_without_units(columns: UnitColumns) -> Finding:
    with_units = distinct(columns.pair_codes(columns.document, columns.annotator))
    is_empty = ~np.isin(columns.pair_codes(*columns.seen.T), with_units)
    places = tuple(
        f"document {columns.documents[document]!r}, annotator {columns.annotators[annotator]!r}"
        for document, annotator in columns.seen[is_empty][:MAX_PLACES].tolist()
    )
    message = "annotators who saw a document and marked nothing"
    return Finding("without-units", message, int(is_empty.sum()), places, noun="pair of document and annotator")


def _check_single_annotators(columns: UnitColumns) -> Finding:
    n_annotators = np.bincount(columns.seen[:, 0], minlength=len(columns.documents))
    single = np.flatnonzero(n_annotators < _MIN_ANNOTATORS)
    places = tuple(f"document {columns.documents[code]!r}" for code in single[:MAX_PLACES].tolist())
    cure = Cure("declare the other annotators who saw them, or leave them out: agreement needs two annotators")
    return Finding("one-annotator", "documents of one annotator only", len(single), places, cure, "document")


def _check_spelling(columns: UnitColumns) -> Finding:
    replacements = spellings(columns, trimmed_key)
    places = tuple(f"{columns.labels[code]!r} and {columns.labels[best]!r}" for code, best in replacements.items())
    cure = Cure(
        "{}, or choose one with {}", Fix("spelling", "take the more frequent one"), Set("labels", {"one": "other"})
    )
    message = "categories that differ in case, blanks and hyphens alone"
    return Finding("spelling", message, len(replacements), places[:MAX_PLACES], cure, "category")


def _check_blanks(columns: UnitColumns) -> Finding:
    codes = padded(columns)
    places = tuple(repr(columns.labels[code]) for code in codes[:MAX_PLACES])
    cure = Cure("{}", Fix("blanks", "remove the blanks"))
    return Finding("blanks", "categories with blanks at their edge", len(codes), places, cure, "category")


def _check_names(columns: UnitColumns) -> Finding:
    documents = [columns.documents[code] for code in distinct(columns.seen[:, 0]).tolist()]
    annotators = [columns.annotators[code] for code in distinct(columns.seen[:, 1]).tolist()]
    similar = [*_similar("annotator", annotators), *_similar("document", documents)]
    cure = Cure("correct them if they are the same, or name all with {} and {}", Set("annotator"), Set("document"))
    message = "names that differ from others in case or blanks alone"
    return Finding("names", message, len(similar), tuple(similar[:MAX_PLACES]), cure, "name")


def _similar(kind: str, names: Iterable[str]) -> Iterator[str]:
    """Yield words for each name that equals an earlier one without case and blanks."""
    first: dict[str, str] = {}
    for name in names:
        earlier = first.setdefault("".join(name.casefold().split()), name)
        if earlier != name:
            yield f"{kind} {name!r} and {earlier!r}"


def _check_alphabets(columns: UnitColumns) -> Finding:
    """Return the finding of groups of annotators who use different categories; none if there is one group."""
    groups = alphabets(columns.annotator, columns.label)
    if len(groups) == 1:
        groups = []
    names = [[repr(columns.annotators[code]) for code in group] for group in groups[:MAX_PLACES]]
    places = tuple(few(group, MAX_PLACES) for group in names)
    message = "groups of annotators without a category in common"
    cure = Cure(
        "map the categories of one group to those of the other with {}; otherwise they never agree on a category",
        Set("labels", {"theirs": "ours"}),
    )
    return Finding("alphabets", message, len(groups), places, cure, "group")


def _check_dependents(columns: UnitColumns) -> Finding:
    """Return the finding of annotators that look like tiers dependent on another's."""
    tiers = dependents(columns.document, columns.annotator, columns.label, columns.start, columns.end)
    places = tuple(
        f"{columns.annotators[tier.annotator]!r} on {columns.annotators[tier.base]!r}: {tier.description}"
        for tier in tiers[:MAX_PLACES]
    )
    message = "annotators that look like tiers dependent on another's"
    cure = Cure("if they are no rival annotations, select tiers with {}", Set("layers", ["A", "B"]))
    return Finding("dependents", message, len(tiers), places, cure, "annotator")


def _position_findings(columns: UnitColumns) -> list[Finding]:
    """Return findings on annotators who seem to count positions in another unit of length, or shifted by a constant."""
    from gamma_align.insight.causes import suspicions

    all_suspicions = suspicions(columns.corpus(outside="extend")) if len(columns) else []
    results = []
    for name, message in _POSITION_MESSAGES.items():
        places = [f"{suspicion.title}: {suspicion.counts}" for suspicion in all_suspicions if suspicion.kind == name]
        cure = Cure(f"measure what a repair changes, and write it by the name {name!r}, with {{}}", _DISAGREEMENTS_CALL)
        results.append(Finding(name, message, len(places), tuple(places[:MAX_PLACES]), cure, "annotator"))
    return results


_DISAGREEMENTS_CALL = Call("disagreements", "disagreements")
_POSITION_MESSAGES = {
    "scale": "annotators whose positions seem to count another unit of length",
    "offset": "annotators whose units are equal to others' units if moved by a constant",
}
_PAIR_CHECKS = (_check_pairs_without_units, _check_single_annotators)
_NAME_CHECKS = (_check_spelling, _check_blanks, _check_names, _check_alphabets, _check_dependents)
