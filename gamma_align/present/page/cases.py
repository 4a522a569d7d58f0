"""The disagreements behind each count of the report: lists of unitary alignments by the key of the link."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gamma_align.data.continuum import Unit
from gamma_align.insight.disagreements.disagreements import Disagreement, Disagreements
from gamma_align.insight.disagreements.shares import LengthRow

if TYPE_CHECKING:
    from gamma_align.measures.reference.evaluate import Evaluation

MAX_COMPARED_ANNOTATORS = 12  # 66 pairs; γ of the pairs of more annotators would take longer than γ of the corpus


class Cases(NamedTuple):
    """The disagreements behind a count: their title and the numbers of their unitary alignments, the worst first."""

    title: str
    numbers: tuple[int, ...]


def case_key(kind: str, *names: str | None) -> str:
    """Return the key of a list of cases, which is also the fragment of its address: "w-his", "p-user1-user2"."""
    return "-".join([kind, *("" if name is None else name for name in names)])


def all_cases(result: Disagreements, evaluation: Evaluation | None = None) -> dict[str, Cases]:
    """Return all lists of cases that the report may link to, by key."""
    lists: dict[str, list[int]] = {}
    titles: dict[str, str] = {}
    lengths = _Lengths(result)
    for row in result.disagreements:
        for key, title in _keys(row, result, lengths):
            lists.setdefault(key, []).append(row.number)
            titles[key] = title
    rank = {row.number: index for index, row in enumerate(result.disagreements)}
    for index, finding in enumerate(result.to_settle, 1):
        key = case_key("s", str(index))
        numbers = [number for number in finding.alignments.tolist() if number in rank]
        lists[key], titles[key] = sorted(numbers, key=rank.__getitem__), finding.title
    if evaluation is not None:
        for key, title, alignments in _evaluation_cases(result, evaluation):
            # A unitary alignment that is not among the disagreements has no card.
            numbers = [number for number in alignments if number in rank]
            lists[key], titles[key] = sorted(numbers, key=rank.__getitem__), title
    return {key: Cases(titles[key], tuple(numbers)) for key, numbers in lists.items()}


def differing(rows: Iterable[Disagreement], first: str, second: str) -> Iterator[int]:
    """Yield the numbers of the unitary alignments in which two annotators differ."""
    for row in rows:
        units = {unit.annotator: unit[1:] for unit in row.units if unit.annotator in {first, second}}
        n_seen = len(units) + (first in row.absent) + (second in row.absent)
        if n_seen == len((first, second)) and units and units.get(first) != units.get(second):
            yield row.number


def readings(rows: Iterable[Disagreement], annotators: Sequence[str]) -> dict[int, str]:
    """Return one character for each annotator, by unitary alignment: the same for the same unit.

    A full stop stands for no unit, a blank for an annotator who has not seen the document. With these, the page of a
    report finds the cases of every pair of annotators; their lists would be longer than the report.
    """
    index = {name: position for position, name in enumerate(annotators)}
    result = {}
    for row in rows:
        characters = [" "] * len(annotators)
        letters: dict[tuple[object, ...], str] = {}
        for name in row.absent:
            characters[index[name]] = "."
        for unit in row.units:
            characters[index[unit.annotator]] = letters.setdefault(unit[1:], chr(ord("A") + len(letters)))
        result[row.number] = "".join(characters)
    return result


class _Lengths:
    """The rows of the table of labels and lengths, which the report shows if no words are known."""

    def __init__(self, result: Disagreements) -> None:
        self._rows: dict[str | None, list[LengthRow]] = {}
        if result.words:
            return
        for row in result.lengths:
            self._rows.setdefault(row.category, []).append(row)

    def of(self, unit: Unit) -> list[tuple[str, str]]:
        """Return the label and the length of the row that counts a unit, if there is one."""
        rows = self._rows.get(unit.category, [])
        length = unit.end - unit.start
        return [(row.category or "", row.length) for row in rows if row.shortest <= length <= row.longest]


def _keys(row: Disagreement, result: Disagreements, lengths: _Lengths) -> Iterator[tuple[str, str]]:
    """Yield the key and the title of each list that contains a disagreement."""
    yield case_key("d", row.document), row.document
    yield case_key("k", str(row.kind)), "disagreements of this kind"
    if row.words is not None:
        yield case_key("w", row.words), f"“{row.words}”"
    labels = sorted({unit.category or "" for unit in row.units})
    for label in labels:
        yield case_key("l", label), label or "no label"
    for length in dict.fromkeys(length for unit in row.units for length in lengths.of(unit)):
        yield case_key("n", *length), " ".join([length[0] or "no label", length[1]])
    for first, second in itertools.combinations(labels, 2):
        yield case_key("c", first, second), f"{first} and {second}"
    yield from _directed(row)
    if len(row.units) == 1:
        yield case_key("alone", row.units[0].annotator), f"{row.units[0].annotator} alone has a unit"
    elif len(row.absent) == 1:
        yield case_key("without", row.absent[0]), f"{row.absent[0]} alone has no unit"
    yield from _pairs(row, result)


def _directed(row: Disagreement) -> Iterator[tuple[str, str]]:
    """Yield the key and the title of each annotator whose label differs from the label of most others."""
    counts = Counter(unit.category for unit in row.units)
    if len(counts) == 1:
        return
    n_others = len(row.units) - 1
    for unit in row.units:
        for label, count in counts.most_common(2):
            # The same majority as in `DirectedRow`: more than half of the other units.
            if label != unit.category and 2 * count > n_others:
                names = (label or "no label", unit.category or "no label")
                title = f"{unit.annotator} has {names[1]} for {names[0]}"
                yield case_key("x", unit.annotator, label, unit.category), title


def _pairs(row: Disagreement, result: Disagreements) -> Iterator[tuple[str, str]]:
    """Yield the key and the title of each pair of annotators who differ, unless there are too many annotators."""
    if len(result.corpus.annotators) > MAX_COMPARED_ANNOTATORS:
        return
    units = {unit.annotator: unit[1:] for unit in row.units}
    # Sorted names give each pair a single key.
    for first, second in itertools.combinations(sorted([*units, *row.absent]), 2):
        if units.get(first) != units.get(second):
            yield case_key("p", first, second), f"{first} and {second} differ"


def _evaluation_cases(result: Disagreements, evaluation: Evaluation) -> Iterator[tuple[str, str, Iterable[int]]]:
    """Yield the key, the title and the unitary alignments of each kind of case of each system."""
    for system in evaluation.systems:
        rows: dict[str, list[int]] = {}
        for case in system.cases:
            unit = case.system_unit if case.reference_unit is None else case.reference_unit
            if unit is not None:  # each case has at least one unit
                rows.setdefault(case.kind, []).append(unit)
        for kind, units in rows.items():
            numbers = result.group[np.array(units)].tolist()  # in a cover, the first of each unit
            yield case_key("e", system.system, kind), f"{system.system}, {kind}", numbers
