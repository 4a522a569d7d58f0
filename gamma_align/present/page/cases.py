"""The disagreements behind each count of the report: lists of unitary alignments by the key of the link.

A disagreement is in up to ten lists, and there are tens of thousands, so lists are made as columns: the rank of each
disagreement, the worst first, and the code of a list.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gamma_align.columns import FloatArray, IntArray, distinct, pairs_in_runs, ranges
from gamma_align.inference import column_of
from gamma_align.insight.disagreements import Disagreement, Disagreements
from gamma_align.present.page.cards import members_of

if TYPE_CHECKING:
    from gamma_align.measures.reference import Evaluation

MAX_COMPARED_ANNOTATORS = 12  # 66 pairs; γ of the pairs of more annotators would take longer than γ of the corpus


Names = tuple[str, ...]
"""The kind of a list, and its further names."""


class Cases(NamedTuple):
    """The disagreements behind a count: their title and the numbers of their unitary alignments, the worst first."""

    title: str
    numbers: IntArray


def case_key(kind: str, *names: str | None) -> str:
    """Return the key of a list of cases, which is also the fragment of its address: "w-his", "p-user1-user2"."""
    return "-".join([kind, *("" if name is None else name for name in names)])


def all_cases(result: Disagreements, evaluation: Evaluation | None = None) -> dict[str, Cases]:
    """Return all lists of cases that the report may link to, by key."""
    numbers = np.array(column_of(result.disagreements, "number"), dtype=np.int64)
    rank = np.full(result.alignments + 1, -1)  # with one more for -1, which is no unitary alignment
    rank[numbers] = np.arange(len(numbers))
    lists: dict[str, Cases] = {}

    def add(key: str, title: str, ranks: IntArray) -> None:
        """Add a list, or add to a list: names with hyphens may give two lists one key."""
        ordered = numbers[ranks]
        if key in lists:
            joined_ranks = rank[np.concatenate([lists[key].numbers, ordered])]
            ordered = numbers[np.sort(joined_ranks)]
        lists[key] = Cases(title, ordered)

    if len(numbers):
        for names, ranks in _lists(result, rank):
            add(case_key(*names), _title(*names), ranks)
    for index, finding in enumerate(result.to_settle, 1):
        add(case_key("s", str(index)), finding.title, _known_ranks(rank, finding.alignments))
    if evaluation is not None:
        for key, title, alignments in _evaluation_cases(result, evaluation):
            # A unitary alignment that is not among the disagreements has no card.
            add(key, title, _known_ranks(rank, alignments))
    return lists


def _known_ranks(rank: IntArray, alignments: IntArray) -> IntArray:
    """Return the ranks of unitary alignments that are disagreements, ascending."""
    ranks = rank[alignments]
    return np.sort(ranks[ranks >= 0])


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


class _Members(NamedTuple):
    """The units of disagreements, shape (n_members,), sorted by the rank of their disagreement.

    `size` and `document`, shape (n_disagreements,), are the number of its units and the index of its document.
    """

    rank: IntArray
    annotator: IntArray
    category: IntArray
    start: FloatArray
    end: FloatArray
    size: IntArray
    document: IntArray

    @classmethod
    def of(cls, result: Disagreements, rank: IntArray) -> _Members:
        """Return the units of the disagreements that have a rank."""
        corpus = result.corpus
        units, groups = members_of(result)
        ranks = rank[groups]
        order = np.argsort(ranks, kind="stable")
        order = order[np.count_nonzero(ranks < 0) :]
        units = units[order]
        ranks = ranks[order]
        first = np.flatnonzero(np.diff(ranks, prepend=-1))
        return cls(
            rank=ranks,
            annotator=corpus.annotator[units],
            category=corpus.category[units],
            start=corpus.start[units],
            end=corpus.end[units],
            size=np.bincount(ranks),
            document=corpus.unit_document[units[first]],
        )

    @property
    def offsets(self) -> IntArray:
        """The first unit of each disagreement, and the number of all units."""
        return np.append(0, np.cumsum(self.size))


def _lists(result: Disagreements, rank: IntArray) -> Iterator[tuple[Names, IntArray]]:
    """Yield the names of each list, and the ranks of its disagreements, ascending."""
    corpus = result.corpus
    members = _Members.of(result, rank)
    rows = result.disagreements
    every_rank = np.arange(len(result.disagreements))
    yield from _grouped(every_rank, members.document, lambda code: ("d", corpus.documents[code]))
    kinds = np.array(column_of(rows, "kind"), dtype=np.int64)
    yield from _grouped(every_rank, kinds, lambda code: ("k", str(code)))
    by_words: dict[str, list[int]] = {}
    for index, words in enumerate(column_of(rows, "words")):
        if words is not None:
            by_words.setdefault(words, []).append(index)
    for words, ranks in by_words.items():
        yield ("w", words), np.array(ranks, dtype=np.int64)
    yield from _lists_of_labels(result, members)
    yield from _lists_of_lengths(result, members)
    yield from _directed(result, members)
    yield from _alone(result, members)
    yield from _pairs(result, members)


def _grouped(ranks: IntArray, codes: IntArray, names: Callable[[int], Names]) -> Iterator[tuple[Names, IntArray]]:
    """Yield the names of each code, and its distinct ranks, ascending; the codes of better ranks come first."""
    width = int(ranks.max(initial=0)) + 1
    keys = distinct(codes * width + ranks)
    group_codes, first = np.unique(keys // width, return_index=True)
    groups = np.split(keys % width, first[1:]) if len(group_codes) else []
    for index in np.argsort(keys[first] % width, kind="stable").tolist():
        yield names(int(group_codes[index])), groups[index]


def _lists_of_labels(result: Disagreements, members: _Members) -> Iterator[tuple[Names, IntArray]]:
    """Yield the list of each label, and of each two labels that are in one unitary alignment."""
    categories = [*result.corpus.categories, ""]  # code -1: no label
    labels = sorted({*categories})
    codes = np.array([labels.index(category) for category in categories])
    # Distinct labels of each disagreement, sorted by name.
    keys = distinct(members.rank * len(labels) + codes[members.category])
    ranks = keys // len(labels)
    label = keys % len(labels)
    yield from _grouped(ranks, label, lambda code: ("l", labels[code]))
    _, first, second = pairs_in_runs(np.searchsorted(ranks, np.arange(len(members.size) + 1)))
    is_pair = first < second
    first = first[is_pair]
    second = second[is_pair]

    def names(code: int) -> Names:
        return "c", labels[code // len(labels)], labels[code % len(labels)]

    yield from _grouped(ranks[first], label[first] * len(labels) + label[second], names)


def _lists_of_lengths(result: Disagreements, members: _Members) -> Iterator[tuple[Names, IntArray]]:
    """Yield the list of each row of the table of labels and lengths, which the report shows if no words are known."""
    if result.words:
        return
    length = members.end - members.start
    names = []
    codes = []
    ranks = []
    order = np.argsort(members.category, kind="stable")
    category = members.category[order]
    code_of = {label: code for code, label in enumerate(result.corpus.categories)}
    for row in result.lengths:
        code = -1 if row.category is None else code_of[row.category]
        units = order[slice(*np.searchsorted(category, [code, code + 1]))]
        units = units[(row.shortest <= length[units]) & (length[units] <= row.longest)]
        name = ("n", row.category or "", row.length)
        if name not in names:
            names.append(name)
        codes.append(np.full(len(units), names.index(name)))
        ranks.append(members.rank[units])
    if names:
        yield from _grouped(np.concatenate(ranks), np.concatenate(codes), names.__getitem__)


def _directed(result: Disagreements, members: _Members) -> Iterator[tuple[Names, IntArray]]:
    """Yield the list of each annotator and label that differs from the label of most others.

    As in `DirectedRow`, these are more than half of the other units.
    """
    # code -1: no label
    annotators = result.corpus.annotators
    labels = [*result.corpus.categories, ""]
    width = len(labels)
    keys, counts = np.unique(members.rank * width + members.category % width, return_counts=True)
    is_majority = 2 * counts > members.size[keys // width] - 1
    ranks = keys[is_majority] // width
    label = keys[is_majority] % width
    n_units = members.size[ranks]
    unit = ranges(members.offsets[ranks], n_units)
    ranks = np.repeat(ranks, n_units)
    label = np.repeat(label, n_units)
    own_label = members.category[unit] % width
    differs = own_label != label
    codes = (members.annotator[unit] * width + label) * width + own_label

    def names(code: int) -> Names:
        annotator, pair = divmod(code, width**2)
        return "x", annotators[annotator], labels[pair // width], labels[pair % width]

    yield from _grouped(ranks[differs], codes[differs], names)


def _alone(result: Disagreements, members: _Members) -> Iterator[tuple[Names, IntArray]]:
    """Yield the lists of each annotator who alone has a unit, or alone has none."""
    corpus = result.corpus
    annotators = corpus.annotators
    n_annotators = corpus.n_annotators[members.document]
    ranks = np.flatnonzero(members.size == 1)
    marking = members.annotator[members.offsets[ranks]]
    yield from _grouped(ranks, marking, lambda code: ("alone", annotators[code]))
    ranks = np.flatnonzero((members.size > 1) & (n_annotators - members.size == 1))
    # The code of the only annotator without a unit is what the codes of the others lack.
    all_codes = np.bincount(corpus.seen_document, weights=corpus.seen, minlength=len(corpus))[members.document]
    codes = np.bincount(members.rank, weights=members.annotator)
    absent = (all_codes - codes)[ranks].astype(np.int64)
    yield from _grouped(ranks, absent, lambda code: ("without", annotators[code]))


def _pairs(result: Disagreements, members: _Members) -> Iterator[tuple[Names, IntArray]]:
    """Yield the list of each pair of annotators who differ, unless there are too many annotators."""
    corpus = result.corpus
    if len(corpus.annotators) > MAX_COMPARED_ANNOTATORS:
        return
    # Sorted names give each pair a single key.
    names = sorted(corpus.annotators)
    column = np.array([names.index(name) for name in corpus.annotators], dtype=np.int64)
    is_seen = np.zeros((len(corpus), len(names)), dtype=np.bool_)
    is_seen[corpus.seen_document, column[corpus.seen]] = True
    is_seen = is_seen[members.document]
    # Equal units of a disagreement have the same code; 0 is no unit.
    order = np.lexsort((members.category, members.end, members.start, members.rank))
    is_new = np.zeros(len(order), dtype=np.bool_)
    for values in (members.rank, members.start, members.end, members.category):
        is_new |= np.diff(values[order], prepend=values[order[:1]]) != 0
    units = np.zeros((len(members.size), len(names)), dtype=np.int64)
    units[members.rank[order], column[members.annotator[order]]] = 1 + np.cumsum(is_new)
    for first, second in itertools.combinations(range(len(names)), 2):
        differ = is_seen[:, first] & is_seen[:, second] & (units[:, first] != units[:, second])
        if differ.any():
            yield ("p", names[first], names[second]), np.flatnonzero(differ)


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


def _evaluation_cases(result: Disagreements, evaluation: Evaluation) -> Iterator[tuple[str, str, IntArray]]:
    """Yield the key, the title and the unitary alignments of each kind of case of each system."""
    for system in evaluation.systems:
        rows: dict[str, list[int]] = {}
        for case in system.cases:
            unit = case.system_unit if case.reference_unit is None else case.reference_unit
            if unit is not None:  # each case has at least one unit
                rows.setdefault(case.kind, []).append(unit)
        for kind, units in rows.items():
            numbers = result.group[np.array(units)]  # in a cover, the first of each unit
            yield case_key("e", system.system, kind), f"{system.system}, {kind}", numbers
