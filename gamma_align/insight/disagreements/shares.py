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
from gamma_align.data import Corpus
from gamma_align.insight.disagreements.kinds import ANYBODY, NOBODY, SHAPES
from gamma_align.insight.disagreements.material import Material, label_codes
from gamma_align.insight.disagreements.unitary_alignments import MISSING, REASONS, UnitaryAlignments
from gamma_align.insight.disagreements.who_differs import disorder_by_annotator, unit_counts


class Share(NamedTuple):
    """Disorder, its three parts, which add up to it, and its share of all disorder."""

    disorder: float
    missing: float
    position: float
    category: float
    share: float


class Missing(NamedTuple):
    """Disorder of missing units by the behaviour of the annotators without a unit; the three add up to all of it.

    `left_out`: no unit of theirs overlaps the unitary alignment. `cut_otherwise`: other units of theirs cover it
    without a gap, in a document that the units of each annotator cover. `other_units`: other units of theirs overlap
    it, in all other cases.
    """

    left_out: float
    cut_otherwise: float
    other_units: float


class KindRow(NamedTuple):
    """Unitary alignments of one kind.

    `reason` is the largest part of their disorder, `shape` the position of their units relative to each other, and
    `categories` the one or two most frequent ones. `absent` are the annotators without a unit, if they are at most two;
    `present` the annotators with a unit, if these are at most two and the others are more. Both are None if there are
    more than two of each. `example` is the unitary alignment with the median disorder.
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
    """A document: number of units, of unitary alignments, and of unitary alignments with disorder."""

    document: str
    units: int
    alignments: int
    disputed: int
    disorder: Share


class AnnotatorRow(NamedTuple):
    """An annotator: documents, units, unitary alignments in which they alone differ, and disorder.

    `documents` counts the documents that another annotator saw too, `units` the units in them. `expected_units` is the
    sum over them of the mean number of units of the other annotators, None without such documents. `marks_alone` counts
    unitary alignments with no other unit, `leaves_out_alone` unitary alignments of three annotators or more in which
    all others have a unit. `disorder` is defined by `disorder_by_annotator`.
    """

    annotator: str
    documents: int
    units: int
    expected_units: float | None
    marks_alone: int
    leaves_out_alone: int
    disorder: Share


class CategoryRow(NamedTuple):
    """A category: number of its units, and of its units in unitary alignments with disorder."""

    category: str | None
    units: int
    disputed: int
    disorder: Share


class WordsRow(NamedTuple):
    """Words: number of unitary alignments that cover them, number with disorder, and units of each annotator."""

    words: str
    occurrences: int
    disputed: int
    marked: dict[str, int]
    disorder: Share


class LengthRow(NamedTuple):
    """Units of a category in one third of all lengths, from `shortest` to `longest`; as in `CategoryRow`."""

    category: str | None
    length: str
    shortest: float
    longest: float
    units: int
    disputed: int
    disorder: Share


LENGTHS = ("short", "middle", "long")
"""The thirds of all lengths of units."""

_MIN_ANNOTATORS_TO_LEAVE_OUT_ALONE = 3  # with two, such a unitary alignment counts in `marks_alone`

_Row = TypeVar("_Row", AnnotatorRow, CategoryRow, LengthRow, WordsRow)


def total_share(alignments: UnitaryAlignments) -> Share:
    """Return the disorder of all unitary alignments."""
    row = np.zeros(len(alignments), dtype=np.int64)
    return _sum_by_row(row, 1, alignments.parts, alignments.disorder, float(alignments.disorder.sum()))[0]


def share_columns(row: IntArray, n_rows: int, parts: FloatArray, disorder: FloatArray, total: float) -> FloatArray:
    """Return the fields of `Share` of each row, shape (n_rows, 5); `row` is the row of each entry that is added up."""
    sums = [np.bincount(row, weights=column, minlength=n_rows) for column in (disorder, *parts.T)]
    # Without disorder all sums are 0, and so is every share.
    return np.column_stack([*sums, sums[0] / total if total > 0 else sums[0]])


def _sum_by_row(row: IntArray, n_rows: int, parts: FloatArray, disorder: FloatArray, total: float) -> list[Share]:
    """Return the sums of disorder and parts over the entries of each row; `row` is the row of each entry."""
    return list(map(Share._make, share_columns(row, n_rows, parts, disorder, total).tolist()))


def _shares_of_alignments(material: Material, row: IntArray, n_rows: int, selected: IntArray) -> list[Share]:
    """Return the disorder of selected unitary alignments by row."""
    alignments = material.alignments
    total = float(alignments.disorder.sum())
    return _sum_by_row(row, n_rows, alignments.parts[selected], alignments.disorder[selected], total)


def _shares_of_units(material: Material, row: IntArray, n_rows: int) -> list[Share]:
    """Return the disorder by row of units, among which the disorder of a unitary alignment is divided equally."""
    alignments = material.alignments
    units = alignments.members
    group = alignments.member_group
    weight = 1.0 / alignments.size[group]
    total = float(alignments.disorder.sum())
    parts = alignments.parts[group] * weight[:, None]
    disorder = alignments.disorder[group] * weight
    return _sum_by_row(row[units], n_rows, parts, disorder, total)


def missing_by_absence(material: Material) -> Missing:
    """Return the disorder of missing units, divided equally among the annotators without a unit in an alignment."""
    alignments = material.alignments
    alignment, _, overlaps, cuts = material.absences
    n_absent = np.bincount(alignment, minlength=len(alignments))
    amount = alignments.parts[alignment, MISSING] / n_absent[alignment]
    return Missing(
        left_out=float(amount[~overlaps].sum()),
        cut_otherwise=float(amount[cuts].sum()),
        other_units=float(amount[overlaps & ~cuts].sum()),
    )


def kind_rows(material: Material) -> tuple[tuple[KindRow, ...], IntArray]:
    """Return the kinds of disagreements, sorted by disorder, and the kind of each unitary alignment, -1 for none."""
    corpus = material.corpus
    alignments = material.alignments
    all_traits = material.traits
    disputed = np.flatnonzero(alignments.disputed)
    first, index = _distinct_rows(all_traits.keys[disputed])
    shares = _shares_of_alignments(material, index, len(first), disputed)
    order = np.argsort([-share.disorder for share in shares], kind="stable")
    kind = np.full(len(alignments), -1, dtype=np.int64)
    # The argsort of an order is its inverse: the rank of each kind by disorder.
    kind[disputed] = np.argsort(order)[index]
    counts = np.bincount(kind[disputed], minlength=len(first))
    medians = _median_disagreements(disputed, alignments.disorder[disputed], kind[disputed], counts)
    rows = []
    for number, key in enumerate(order.tolist()):
        alignment = disputed[first[key]]
        absent = all_traits.absent[alignment]
        present = all_traits.present[alignment]
        rows.append(
            KindRow(
                reason=REASONS[all_traits.reason[alignment]],
                shape=SHAPES[all_traits.shape[alignment]],
                categories=tuple(_label(corpus, code) for code in dict.fromkeys(all_traits.labels[alignment].tolist())),
                absent=_names(corpus, absent),
                present=_names(corpus, present) if absent[0] == ANYBODY else None,
                alignments=int(counts[number]),
                disorder=shares[key],
                example=int(medians[number]),
            )
        )
    return tuple(rows), kind


def _distinct_rows(rows: IntArray) -> tuple[IntArray, IntArray]:
    """Return the first of each set of equal rows, in the order of their columns, and the index of each row in these."""
    order = np.lexsort(rows.T[::-1])
    is_new = np.ones(len(rows), dtype=np.bool_)
    is_new[1:] = np.any(np.diff(rows[order], axis=0) != 0, axis=1)
    index = np.empty(len(rows), dtype=np.int64)
    index[order] = np.cumsum(is_new) - 1
    return order[is_new], index


def _median_disagreements(disputed: IntArray, disorder: FloatArray, kind: IntArray, counts: IntArray) -> IntArray:
    """Return the unitary alignment with the median disorder of each kind, the higher of two in the middle."""
    order = np.lexsort((disputed, disorder, kind))  # sorted by kind, then disorder
    first = np.cumsum(counts) - counts
    medians: IntArray = disputed[order[first + counts // 2]]
    return medians


def _label(corpus: Corpus, code: int) -> str | None:
    return corpus.categories[code] if code >= 0 else None


def _names(corpus: Corpus, codes: IntArray) -> tuple[str, ...] | None:
    """Return the names of annotators, or None if they are too many to be named."""
    if (codes == ANYBODY).any():
        return None
    return tuple(corpus.annotators[code] for code in codes.tolist() if code != NOBODY)


def annotator_rows(material: Material) -> tuple[AnnotatorRow, ...]:
    """Return the annotators, sorted by disorder."""
    corpus = material.corpus
    alignments = material.alignments
    n_annotators = len(corpus.annotators)
    parts = disorder_by_annotator(material)
    total = float(alignments.disorder.sum())
    shares = _sum_by_row(np.arange(n_annotators), n_annotators, parts, parts.sum(axis=1), total)
    counts = unit_counts(corpus)
    expected = [
        value if n_documents else None
        for value, n_documents in zip(counts.expected.tolist(), counts.documents.tolist(), strict=True)
    ]
    members = alignments.members
    single_units = members[(alignments.disputed & (alignments.size == 1))[alignments.member_group]]
    marks_alone = np.bincount(corpus.annotator[single_units], minlength=n_annotators)
    columns = (
        corpus.annotators,
        counts.documents.tolist(),
        counts.units.tolist(),
        expected,
        marks_alone.tolist(),
        _count_left_out_alone(material).tolist(),
        shares,
    )
    return _worst_first(AnnotatorRow(*values) for values in zip(*columns, strict=True))


def _count_left_out_alone(material: Material) -> IntArray:
    """Return the number of unitary alignments that each annotator alone leaves out, shape (n_annotators,)."""
    corpus = material.corpus
    alignments = material.alignments
    n_annotators = corpus.n_annotators[alignments.document]
    is_left_out_alone = alignments.disputed & (alignments.size == n_annotators - 1)
    is_left_out_alone &= n_annotators >= _MIN_ANNOTATORS_TO_LEAVE_OUT_ALONE
    absent = material.traits.absent[is_left_out_alone]
    # Of the two columns one is the annotator and the other `NOBODY`, which is lower than any code.
    return np.bincount(absent.max(axis=1, initial=0), minlength=len(corpus.annotators))


def category_rows(material: Material) -> tuple[CategoryRow, ...]:
    """Return the categories, sorted by disorder; units without one are a row too."""
    labels = _labels(material.corpus)
    columns = (labels, *_unit_columns(material, label_codes(material.corpus), len(labels)))
    rows = [CategoryRow(*values) for values in zip(*columns, strict=True)]
    return _worst_first(row for row in rows if row.units)


def length_rows(material: Material) -> tuple[LengthRow, ...]:
    """Return the categories by thirds of all lengths of units, sorted by disorder."""
    corpus = material.corpus
    if not corpus.n_units:
        return ()
    labels = _labels(corpus)
    length = corpus.end - corpus.start
    third = np.searchsorted(np.quantile(length, (1 / 3, 2 / 3), method="lower"), length)
    cell = label_codes(corpus) * len(LENGTHS) + third
    n_cells = len(labels) * len(LENGTHS)
    shortest = np.full(n_cells, np.inf)
    longest = np.zeros(n_cells)
    np.minimum.at(shortest, cell, length)
    np.maximum.at(longest, cell, length)
    names = itertools.product(labels, LENGTHS)  # in the order of the cells
    columns = (names, shortest.tolist(), longest.tolist(), *_unit_columns(material, cell, n_cells))
    rows = [LengthRow(*name, *values) for name, *values in zip(*columns, strict=True)]
    return _worst_first(row for row in rows if row.units)


def _labels(corpus: Corpus) -> list[str | None]:
    """Return the categories by `label_codes`."""
    return [*corpus.categories, None]


def _unit_columns(material: Material, row: IntArray, n_rows: int) -> tuple[list[int], list[int], list[Share]]:
    """Return the number of units of each row, the number in unitary alignments with disorder, and their disorder."""
    alignments = material.alignments
    members = alignments.members
    disputed = members[alignments.disputed[alignments.member_group]]
    counts = np.bincount(row, minlength=n_rows).tolist()
    return counts, np.bincount(row[disputed], minlength=n_rows).tolist(), _shares_of_units(material, row, n_rows)


def words_rows(material: Material) -> tuple[WordsRow, ...]:
    """Return the words with disorder, sorted by disorder; none if no text is known."""
    corpus = material.corpus
    alignments = material.alignments
    words = material.words
    disputed = np.bincount(words.code[alignments.disputed & (words.code >= 0)], minlength=len(words.vocabulary))
    codes = np.flatnonzero(disputed)
    n_rows = len(codes)
    if not n_rows:
        return ()
    row_of_code = np.full(len(words.vocabulary) + 1, -1)  # the last one is of unknown words, code -1
    row_of_code[codes] = np.arange(n_rows)
    row = row_of_code[words.code]
    occurrences = np.flatnonzero(row >= 0)
    row_of_member = row[alignments.member_group]
    is_counted = row_of_member >= 0
    n_annotators = len(corpus.annotators)
    cell = row_of_member[is_counted] * n_annotators + corpus.annotator[alignments.members[is_counted]]
    n_units = np.bincount(cell, minlength=n_rows * n_annotators).reshape(n_rows, n_annotators)
    columns = (
        [words.vocabulary[code] for code in codes.tolist()],
        np.bincount(row[occurrences], minlength=n_rows).tolist(),
        disputed[codes].tolist(),
        [dict(zip(corpus.annotators, counts, strict=True)) for counts in n_units.tolist()],
        _shares_of_alignments(material, row[occurrences], n_rows, occurrences),
    )
    return _worst_first(WordsRow(*values) for values in zip(*columns, strict=True))


def _worst_first(rows: Iterable[_Row]) -> tuple[_Row, ...]:
    return tuple(sorted(rows, key=lambda row: -row.disorder.disorder))
