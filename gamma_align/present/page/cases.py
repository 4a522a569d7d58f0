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
    entries: dict[tuple[str, ...], list[int]] = {}
    lengths = _Lengths(result)
    for row in result.disagreements:
        for entry in _entries(row, result, lengths):
            entries.setdefault(entry, []).append(row.number)
    rank = {row.number: index for index, row in enumerate(result.disagreements)}
    # Keys and titles are made once for each list: a disagreement is in up to ten, and there are tens of thousands.
    lists: dict[str, list[int]] = {}
    titles: dict[str, str] = {}
    for entry, numbers in entries.items():
        key = case_key(*entry)
        # Names with hyphens may give two lists one key.
        lists[key] = sorted(lists[key] + numbers, key=rank.__getitem__) if key in lists else numbers
        titles[key] = _title(*entry)
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
        self._found: dict[tuple[str | None, float], list[tuple[str, str]]] = {}
        if result.words:
            return
        for row in result.lengths:
            self._rows.setdefault(row.category, []).append(row)

    def of(self, unit: Unit) -> list[tuple[str, str]]:
        """Return the label and the length of the row that counts a unit, if there is one."""
        key = unit.category, unit.end - unit.start
        if key not in self._found:
            rows = self._rows.get(unit.category, [])
            self._found[key] = [
                (row.category or "", row.length) for row in rows if row.shortest <= key[1] <= row.longest
            ]
        return self._found[key]


def _entries(row: Disagreement, result: Disagreements, lengths: _Lengths) -> Iterator[tuple[str, ...]]:
    """Yield the kind and the names of each list that contains a disagreement."""
    yield "d", row.document
    yield "k", str(row.kind)
    if row.words is not None:
        yield "w", row.words
    labels = sorted({unit.category or "" for unit in row.units})
    for label in labels:
        yield "l", label
    for length in dict.fromkeys(length for unit in row.units for length in lengths.of(unit)):
        yield "n", *length
    for first, second in itertools.combinations(labels, 2):
        yield "c", first, second
    yield from _directed(row)
    if len(row.units) == 1:
        yield "alone", row.units[0].annotator
    elif len(row.absent) == 1:
        yield "without", row.absent[0]
    yield from _pairs(row, result)


def _title(kind: str, *names: str) -> str:
    """Return the title of a list."""
    first = names[0]
    if kind == "n":
        return " ".join([first or "no label", names[1]])
    if kind == "x":
        return f"{first} has {names[2] or 'no label'} for {names[1] or 'no label'}"
    titles = {
        "k": "disagreements of this kind",
        "w": f"“{first}”",
        "l": first or "no label",
        "c": f"{first} and {names[-1]}",
        "alone": f"{first} alone has a unit",
        "without": f"{first} alone has no unit",
        "p": f"{first} and {names[-1]} differ",
    }
    return titles.get(kind, first)


def _directed(row: Disagreement) -> Iterator[tuple[str, ...]]:
    """Yield the list of each annotator whose label differs from the label of most others."""
    categories = [unit.category for unit in row.units]
    if len(set(categories)) == 1:
        return
    counts = Counter(categories)
    n_others = len(row.units) - 1
    for unit in row.units:
        for label, count in counts.most_common(2):
            # The same majority as in `DirectedRow`: more than half of the other units.
            if label != unit.category and 2 * count > n_others:
                yield "x", unit.annotator, label or "", unit.category or ""


def _pairs(row: Disagreement, result: Disagreements) -> Iterator[tuple[str, ...]]:
    """Yield the list of each pair of annotators who differ, unless there are too many annotators."""
    if len(result.corpus.annotators) > MAX_COMPARED_ANNOTATORS:
        return
    units = {unit.annotator: unit[1:] for unit in row.units}
    # Sorted names give each pair a single key.
    for first, second in itertools.combinations(sorted([*units, *row.absent]), 2):
        if units.get(first) != units.get(second):
            yield "p", first, second


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
