"""The disorder by kind, document, annotator, category and words: every table adds up to the same total.

The disorder of a unitary alignment is divided equally among its units in tables of categories, and among annotators as
`disorder_by_annotator` defines it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import NamedTuple, TypeVar

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data.corpus import Corpus
from gamma_align.insight.disagreements.kinds import ANYBODY, NOBODY, SHAPES, traits
from gamma_align.insight.disagreements.rules import Material, confusions, marks_of_texts
from gamma_align.insight.disagreements.unitary_alignments import REASONS, UnitaryAlignments
from gamma_align.insight.disagreements.who_differs import disorder_by_annotator, unit_counts


class Share(NamedTuple):
    """Disorder with its parts, which add up to it, and its share of all."""

    disorder: float
    missing: float
    position: float
    category: float
    share: float


class Missing(NamedTuple):
    """Disorder of missing units by what annotators without a unit do at that place; the three add up to all of it.

    `left_out`: no unit of theirs overlaps it. `cut_otherwise`: other units of theirs cover it without a gap, in a
    document that the units of each annotator cover. `other_units`: other units of theirs overlap it.
    """

    left_out: float
    cut_otherwise: float
    other_units: float


class KindRow(NamedTuple):
    """Unitary alignments of one kind.

    `reason` is the largest part of their disorder, `shape` how their units lie to each other, `categories` the one or
    two that most of their units have. `absent` are those who have no unit, where they are at most two, `present` those
    who have one, where these are; both are None where neither is so. `example` is the one with the median disorder.
    """

    reason: str
    shape: str
    categories: tuple[str | None, ...]
    absent: tuple[str, ...] | None
    present: tuple[str, ...] | None
    alignments: int
    disorder: Share
    example: int


class DocumentRow(NamedTuple):
    """A document: its units, unitary alignments, and how many of these have any disorder."""

    document: str
    units: int
    alignments: int
    disputed: int
    disorder: Share


class AnnotatorRow(NamedTuple):
    """An annotator: documents, units, unitary alignments in which they alone differ, and disorder.

    `documents` are those that another annotator saw too, `units` the units in them, and `expected_units` is the sum
    over them of the mean number of units of the other annotators (None without such documents). `marks_alone` counts
    unitary alignments with no other unit, `leaves_out_alone` those of three annotators or more in which all others have
    a unit. `disorder` is defined by `disorder_by_annotator`.
    """

    annotator: str
    documents: int
    units: int
    expected_units: float | None
    marks_alone: int
    leaves_out_alone: int
    disorder: Share


class CategoryRow(NamedTuple):
    """A category: its units, and how many of these are in a unitary alignment with any disorder."""

    category: str | None
    units: int
    disputed: int
    disorder: Share


class WordsRow(NamedTuple):
    """Words that unitary alignments cover: how many do, how many of these have any disorder, and who marks how many."""

    words: str
    occurrences: int
    disputed: int
    marked: dict[str, int]
    disorder: Share


class LengthRow(NamedTuple):
    """Units of a category and of a third of all lengths, from `shortest` to `longest`; as in `CategoryRow`."""

    category: str | None
    length: str
    shortest: float
    longest: float
    units: int
    disputed: int
    disorder: Share


class ConfusionRow(NamedTuple):
    """How many aligned pairs of units have these two categories; None is no category."""

    first: str | None
    second: str | None
    pairs: int


LENGTHS = ("short", "middle", "long")
"""The thirds of all lengths of units."""

_Row = TypeVar("_Row", DocumentRow, AnnotatorRow, CategoryRow, LengthRow, WordsRow)


def summed(row: IntArray, n_rows: int, parts: FloatArray, disorder: FloatArray, total: float) -> list[Share]:
    """Return the sums over the entries of each row, whose number `row` holds."""
    sums = [np.bincount(row, weights=column, minlength=n_rows) for column in (disorder, *parts.T)]
    columns = (*sums, sums[0] / total if total > 0 else sums[0])
    return [Share(*values) for values in zip(*(column.tolist() for column in columns), strict=True)]


def all_of(alignments: UnitaryAlignments) -> Share:
    """Return the disorder of all unitary alignments."""
    whole = np.zeros(len(alignments), dtype=np.int64)
    return summed(whole, 1, alignments.parts, alignments.disorder, float(alignments.disorder.sum()))[0]


def by_absence(material: Material) -> Missing:
    """Return the disorder of missing units, divided equally among the annotators without a unit in an alignment."""
    alignments = material.alignments
    alignment, _, overlaps, cuts = material.absences
    n_absent = np.bincount(alignment, minlength=len(alignments))
    amount = alignments.parts[alignment, REASONS.index("missing")] / n_absent[alignment]
    return Missing(*(float(amount[group].sum()) for group in (~overlaps, cuts, overlaps & ~cuts)))


def by_kind(material: Material) -> tuple[tuple[KindRow, ...], IntArray]:
    """Return the kinds of disagreements, that of most disorder first, and the kind of each alignment (-1: none)."""
    corpus, alignments = material.corpus, material.alignments
    of = traits(corpus, alignments, material.words)
    disputed = np.flatnonzero(alignments.disputed)
    keys, first, index = np.unique(of.keys[disputed], axis=0, return_index=True, return_inverse=True)
    index = index.reshape(-1)
    sums = _sums(material, index, len(keys), disputed)
    rank = np.argsort([-row.disorder for row in sums], kind="stable")
    kind = np.full(len(alignments), -1, dtype=np.int64)
    kind[disputed] = np.argsort(rank)[index]
    order = np.lexsort((disputed, alignments.disorder[disputed], kind[disputed]))
    counts = np.bincount(kind[disputed], minlength=len(keys))
    median = disputed[order[np.cumsum(counts) - counts + counts // 2]] if len(keys) else disputed
    rows = []
    for number, which in enumerate(rank.tolist()):
        one = disputed[first[which]]
        rows.append(
            KindRow(
                reason=REASONS[of.reason[one]],
                shape=SHAPES[of.shape[one]],
                categories=tuple(_label(corpus, code) for code in dict.fromkeys(of.labels[one].tolist())),
                absent=_people(corpus, of.absent[one]),
                present=_people(corpus, of.present[one]) if of.absent[one, 0] == ANYBODY else None,
                alignments=int(counts[number]),
                disorder=sums[which],
                example=int(median[number]),
            )
        )
    return tuple(rows), kind


def _sums(material: Material, row: IntArray, n_rows: int, chosen: IntArray) -> list[Share]:
    alignments = material.alignments
    total = float(alignments.disorder.sum())
    return summed(row, n_rows, alignments.parts[chosen], alignments.disorder[chosen], total)


def _label(corpus: Corpus, code: int) -> str | None:
    return corpus.categories[code] if code >= 0 else None


def _people(corpus: Corpus, codes: IntArray) -> tuple[str, ...] | None:
    if (codes == ANYBODY).any():
        return None
    return tuple(corpus.annotators[code] for code in codes.tolist() if code != NOBODY)


def by_document(material: Material) -> tuple[DocumentRow, ...]:
    """Return the documents, that of most disorder first."""
    corpus, alignments = material.corpus, material.alignments
    sums = _sums(material, alignments.document, len(corpus), np.arange(len(alignments)))
    counts = np.bincount(alignments.document, minlength=len(corpus)).tolist()
    disputed = np.bincount(alignments.document[alignments.disputed], minlength=len(corpus)).tolist()
    columns = (corpus.documents, corpus.units_per_document.tolist(), counts, disputed, sums)
    return _worst_first(DocumentRow(*values) for values in zip(*columns, strict=True))


def by_annotator(material: Material) -> tuple[AnnotatorRow, ...]:
    """Return the annotators, of most disorder first."""
    corpus, alignments = material.corpus, material.alignments
    people = len(corpus.annotators)
    parts = disorder_by_annotator(material)
    total = float(alignments.disorder.sum())
    sums = summed(np.arange(people), people, parts, parts.sum(axis=1), total)
    counts = unit_counts(corpus)
    has_documents = (counts.documents > 0).tolist()
    expected = [value if known else None for value, known in zip(counts.expected.tolist(), has_documents, strict=True)]
    inside = alignments.members
    single = inside[(alignments.disputed & (alignments.size == 1))[alignments.group[inside]]]
    alone = np.bincount(corpus.annotator[single], minlength=people)
    n = corpus.n_annotators[alignments.document]
    of = traits(corpus, alignments, material.words)
    one_absent = alignments.disputed & (n > 2) & (alignments.size == n - 1)  # noqa: PLR2004
    absent = np.bincount(of.absent[one_absent].max(axis=1, initial=0), minlength=people)
    columns = (counts.documents.tolist(), counts.units.tolist(), expected, alone.tolist(), absent.tolist(), sums)
    return _worst_first(AnnotatorRow(*values) for values in zip(corpus.annotators, *columns, strict=True))


def by_category(material: Material) -> tuple[CategoryRow, ...]:
    """Return the categories, of most disorder first; units without one are a row too."""
    labels, code = _labels(material.corpus)
    columns = (labels, *_of_units(material, code, len(labels)))
    return _worst_first(CategoryRow(*values) for values in zip(*columns, strict=True) if values[1])


def by_length(material: Material) -> tuple[LengthRow, ...]:
    """Return the categories, their units by thirds of all lengths, of most disorder first."""
    corpus = material.corpus
    if not corpus.n_units:
        return ()
    labels, code = _labels(corpus)
    length = corpus.end - corpus.start
    third = np.searchsorted(np.quantile(length, (1 / 3, 2 / 3), method="lower"), length)
    cell = code * len(LENGTHS) + third
    shortest, longest = np.full(len(labels) * len(LENGTHS), np.inf), np.zeros(len(labels) * len(LENGTHS))
    np.minimum.at(shortest, cell, length)
    np.maximum.at(longest, cell, length)
    names = itertools.product(labels, LENGTHS)
    columns = (names, shortest.tolist(), longest.tolist(), *_of_units(material, cell, len(shortest)))
    rows = (LengthRow(*name, *values) for name, *values in zip(*columns, strict=True))
    return _worst_first(row for row in rows if row.units)


def _labels(corpus: Corpus) -> tuple[list[str | None], IntArray]:
    """Return the categories, None at the end, and which of them each unit has."""
    labels = [*corpus.categories, None]
    return labels, np.where(corpus.category < 0, len(labels) - 1, corpus.category)


def _of_units(material: Material, row: IntArray, n_rows: int) -> tuple[list[int], list[int], list[Share]]:
    """Return the units of each row, how many of these are in an alignment with any disorder, and their disorder."""
    alignments = material.alignments
    inside = alignments.members
    some = inside[alignments.disputed[alignments.group[inside]]]
    counts = (np.bincount(units, minlength=n_rows).tolist() for units in (row, row[some]))
    units, disputed = counts
    return units, disputed, _sums_of_units(material, row, n_rows)


def _sums_of_units(material: Material, row: IntArray, n_rows: int) -> list[Share]:
    alignments = material.alignments
    units = alignments.members
    group = alignments.group[units]
    each = 1.0 / alignments.size[group]
    total = float(alignments.disorder.sum())
    return summed(row[units], n_rows, alignments.parts[group] * each[:, None], alignments.disorder[group] * each, total)


def by_words(material: Material) -> tuple[WordsRow, ...]:
    """Return the words with any disorder, of most disorder first; none where no text is known."""
    corpus, alignments, words = material.corpus, material.alignments, material.words
    code, n_words = words.of_alignment, len(words.vocabulary)
    disputed = np.bincount(code[alignments.disputed & (code >= 0)], minlength=n_words)
    texts = np.flatnonzero(disputed)
    if not len(texts):
        return ()
    row = np.full(n_words + 1, -1)
    row[texts] = np.arange(len(texts))
    chosen = np.flatnonzero(row[code] >= 0)
    count = np.bincount(row[code[chosen]], minlength=len(texts))
    sums = _sums(material, row[code[chosen]], len(texts), chosen)
    marks = marks_of_texts(material, row, chosen, len(texts))
    people = [dict(zip(corpus.annotators, values, strict=True)) for values in marks.tolist()]
    columns = (
        [words.vocabulary[text] for text in texts.tolist()],
        count.tolist(),
        disputed[texts].tolist(),
        people,
        sums,
    )
    return _worst_first(WordsRow(*values) for values in zip(*columns, strict=True))


def by_pair_of_categories(material: Material) -> tuple[ConfusionRow, ...]:
    """Return how many aligned pairs of units have each two categories, for those that occur."""
    labels = [*material.corpus.categories, None]
    table = confusions(material.corpus, *material.pairs)
    return tuple(
        ConfusionRow(labels[low], labels[high], int(table[low, high]))
        for low, high in np.argwhere(np.triu(table)).tolist()
    )


def _worst_first(rows: Iterable[_Row]) -> tuple[_Row, ...]:
    return tuple(sorted(rows, key=lambda row: -row.disorder.disorder))
