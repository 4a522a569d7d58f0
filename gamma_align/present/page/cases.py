"""Which cards each count of the report opens: lists of unitary alignments by a key that a link names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from gamma_align.insight.disagreements.disagreements import Disagreement, Disagreements
from gamma_align.measures.reference.evaluate import Evaluation


class Cases(NamedTuple):
    """The disagreements behind a count: what they are, and their unitary alignments, the worst first."""

    title: str
    numbers: tuple[int, ...]


def key_of(kind: str, *names: str | None) -> str:
    """Return the name of a list of cases, as an address has it: "w-his", "p-user1-user2"."""
    return "-".join([kind, *("" if name is None else name for name in names)])


def all_cases(result: Disagreements, evaluation: Evaluation | None = None) -> dict[str, Cases]:
    """Return the lists of cases by key, all that a table of the report may link to."""
    lists: dict[str, list[int]] = {}
    titles: dict[str, str] = {}
    for row in result.disagreements:
        for key, title in _keys(row, result):
            lists.setdefault(key, []).append(row.number)
            titles[key] = title
    rank = {row.number: index for index, row in enumerate(result.disagreements)}
    for index, pattern in enumerate(result.to_settle, 1):
        key = key_of("s", str(index))
        numbers = [number for number in pattern.alignments.tolist() if number in rank]
        lists[key], titles[key] = sorted(numbers, key=rank.__getitem__), pattern.title
    for key, title, aligned in () if evaluation is None else _of_evaluation(result, evaluation):
        lists[key], titles[key] = sorted((n for n in aligned if n in rank), key=rank.__getitem__), title
    return {key: Cases(titles[key], tuple(numbers)) for key, numbers in lists.items()}


def _keys(row: Disagreement, result: Disagreements) -> Iterator[tuple[str, str]]:
    yield key_of("d", row.document), row.document
    yield key_of("k", str(row.kind)), "disagreements of this kind"
    if row.words is not None:
        yield key_of("w", row.words), f"“{row.words}”"
    labels = sorted({unit.category or "" for unit in row.units})
    for label in labels:
        yield key_of("l", label), label or "no label"
    for first in range(len(labels)):
        for second in range(first + 1, len(labels)):
            yield key_of("c", labels[first], labels[second]), f"{labels[first]} and {labels[second]}"
    n = len(row.units) + len(row.absent)
    if len(row.units) == 1:
        yield key_of("alone", row.units[0].annotator), f"{row.units[0].annotator} alone has a unit"
    if len(row.absent) == 1 and n > 2:  # noqa: PLR2004
        yield key_of("without", row.absent[0]), f"{row.absent[0]} alone has no unit"
    yield from _pairs(row, result)


def _pairs(row: Disagreement, result: Disagreements) -> Iterator[tuple[str, str]]:
    """Yield each two annotators who differ here, where there are few enough to compare each with each."""
    if len(result.corpus.annotators) > MOST_COMPARED:
        return
    units = {unit.annotator: unit[1:] for unit in row.units}
    people = sorted([*units, *row.absent])
    for index, first in enumerate(people):
        for second in people[index + 1 :]:
            if units.get(first) != units.get(second):
                yield key_of("p", first, second), f"{first} and {second} differ"


MOST_COMPARED = 12
"""Of more annotators, pairs are not measured one by one."""


def _of_evaluation(result: Disagreements, evaluation: Evaluation) -> Iterator[tuple[str, str, Iterable[int]]]:
    for system in evaluation.systems:
        rows: dict[str, list[int]] = {}
        for case in system.cases:
            unit = case.reference_unit if case.reference_unit is not None else case.system_unit
            rows.setdefault(case.kind, []).append(-1 if unit is None else unit)
        for kind, units in rows.items():
            numbers = result.group[np.array(units)].tolist()
            yield key_of("e", system.system, kind), f"{system.system}, {kind}", numbers
