"""Comparisons of annotators: the disorder of each, γ of pairs, and γ without each of them.

Two annotators differ in a unitary alignment if one of them has a unit and the other has none, or if their units have
any dissimilarity.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data import Corpus
from gamma_align.distances import Dissimilarity
from gamma_align.inference import ONE_ANNOTATOR, Value
from gamma_align.insight.disagreements.material import Material
from gamma_align.insight.disagreements.pair_counts import PairCounts, are_equal
from gamma_align.insight.disagreements.unitary_alignments import CATEGORY, MIN_ANNOTATORS, MISSING, POSITION
from gamma_align.insight.pairwise import PairwiseResult
from gamma_align.measures.gamma import GammaResult, GammaSettings, GammaValue, gamma_of
from gamma_align.work import SharedWork


class PairRow(NamedTuple):
    """Two annotators: number of documents both saw, number of unitary alignments in which they differ, γ and γcat."""

    first: str
    second: str
    documents: int
    differ: int
    gamma: GammaValue
    gamma_cat: GammaValue


class WithOthersRow(NamedTuple):
    """γ of an annotator with the others: the γ of all pairs of annotators that include this one."""

    annotator: str
    gamma: Value


class LeftOut(NamedTuple):
    """The annotator left out, γ and γcat of the others, and how much γ is higher without that annotator."""

    annotator: str
    gamma: GammaValue
    gamma_cat: GammaValue
    change: float


def disorder_by_annotator(material: Material) -> FloatArray:
    """Return the disorder of each annotator in parts: missing, position, category. Shape (n_annotators, 3).

    In a unitary alignment ă with a unit of k of n annotators and C = n(n - 1)/2,

        missing part        M = Δ · (C - k(k - 1)/2) / C,
        share of annotator i    s_i(ă) = M / 2k             + Σ_j (α·d_pos(i, j) + β·d_cat(i, j)) / 2C    with a unit,
                                s_i(ă) = M / 2(n - k)                                                     without.

    j runs over the other annotators with a unit. Half of a missing part is divided among the annotators with a unit and
    half among those without. Half of a difference between two units goes to each of their annotators. The shares s_i(ă)
    of all annotators add up to the disorder of ă. The disorder of an annotator is the sum of s_i(ă) over all unitary
    alignments.
    """
    corpus = material.corpus
    alignments = material.alignments
    n_annotators = len(corpus.annotators)
    parts = alignments.parts
    result = np.zeros((n_annotators, parts.shape[1]))

    members = alignments.members
    group = alignments.member_group
    document_annotators = corpus.n_annotators[alignments.document]
    is_incomplete = (alignments.size < document_annotators)[group]
    members = members[is_incomplete]
    group = group[is_incomplete]
    amount = parts[group, MISSING] / (2 * alignments.size[group])
    result[:, MISSING] = np.bincount(corpus.annotator[members], amount, n_annotators)
    group = material.absences.alignment
    absent = material.absences.annotator
    amount = parts[group, MISSING] / (2 * (document_annotators - alignments.size)[group])
    result[:, MISSING] += np.bincount(absent, amount, n_annotators)

    first, second = material.pairs
    group = material.pair_alignment
    for column, distance in ((POSITION, material.positional_distances), (CATEGORY, material.categorial_distances)):
        total = np.bincount(group, weights=distance, minlength=len(alignments))[group]
        with np.errstate(divide="ignore", invalid="ignore"):
            amount = np.where(total > 0, distance / total, 0.0) * parts[group, column] / 2
        for units in (first, second):
            result[:, column] += np.bincount(corpus.annotator[units], weights=amount, minlength=n_annotators)
    return result


class UnitCounts(NamedTuple):
    """Counts for each annotator in the documents that another annotator saw too, shape (n_annotators,) each.

    `expected` is the sum over these documents of the mean number of units of the other annotators.
    """

    documents: IntArray
    units: IntArray
    expected: FloatArray


def unit_counts(corpus: Corpus) -> UnitCounts:
    """Return the number of units of each annotator, and the number expected from the other annotators."""
    n_annotators = len(corpus.annotators)
    document = corpus.seen_document
    annotator = corpus.seen
    entry = document * n_annotators + annotator
    order = np.argsort(entry)
    unit_entry = np.searchsorted(entry[order], corpus.unit_document * n_annotators + corpus.annotator)
    n_units = np.bincount(order[unit_entry], minlength=len(entry))
    is_shared = corpus.n_annotators[document] > 1
    document = document[is_shared]
    annotator = annotator[is_shared]
    n_units = n_units[is_shared]
    expected = (corpus.units_per_document[document] - n_units) / (corpus.n_annotators[document] - 1)
    return UnitCounts(
        documents=np.bincount(annotator, minlength=n_annotators),
        units=np.bincount(annotator, weights=n_units, minlength=n_annotators).astype(np.int64),
        expected=np.bincount(annotator, weights=expected, minlength=n_annotators).astype(np.float64),
    )


def pair_rows(counts: PairCounts, pairs: PairwiseResult) -> tuple[PairRow, ...]:
    """Return a row for each two annotators with a document in common, the lowest γ first, unavailable γ last."""
    names = pairs.annotators
    rows = []
    for first, second, n_differ in zip(
        *(column.tolist() for column in (counts.first, counts.second, counts.differ)), strict=True
    ):
        pair = pairs.pairs[names[first], names[second]]
        rows.append(PairRow(names[first], names[second], len(pair.documents), n_differ, pair.gamma, pair.gamma_cat))
    return tuple(sorted(rows, key=lambda row: (not row.gamma.is_available, row.gamma.value)))


def with_others_rows(pairs: PairwiseResult) -> tuple[WithOthersRow, ...]:
    """Return a row for each annotator, the lowest γ with the others first, unavailable γ last."""
    rows = [WithOthersRow(name, value) for name, value in pairs.against_others().items()]
    return tuple(sorted(rows, key=lambda row: (not row.gamma.is_available, row.gamma.value)))


def differs_from_majority(material: Material, annotator: str, dissimilarity: Dissimilarity) -> BoolArray:
    """Return the unitary alignments in which an annotator differs from more than half of the others of the document.

    To differ from anybody would not be enough: if one annotator differs, all others differ from that one.
    """
    corpus = material.corpus
    alignments = material.alignments
    code = corpus.annotators.index(annotator)
    has_seen = np.zeros(len(corpus), dtype=np.bool_)
    has_seen[corpus.seen_document[corpus.seen == code]] = True
    has_unit = np.zeros(len(alignments), dtype=np.bool_)
    has_unit[alignments.member_group[corpus.annotator[alignments.members] == code]] = True
    first, second = material.pairs
    is_pair_of_annotator = (corpus.annotator[first] == code) | (corpus.annotator[second] == code)
    is_equal_pair = is_pair_of_annotator & are_equal(material, dissimilarity)
    n_equal = np.bincount(material.pair_alignment[is_equal_pair], minlength=len(alignments))
    n_others = corpus.n_annotators[alignments.document] - 1
    n_different = np.where(has_unit, n_others - n_equal, alignments.size)
    result: BoolArray = has_seen[alignments.document] & (2 * n_different > n_others)
    return result


def without_each(
    corpus: Corpus,
    result: GammaResult,
    settings: GammaSettings,
    shared: SharedWork,
    pairs: PairwiseResult | None = None,
    *,
    n_jobs: int | None = None,
) -> tuple[LeftOut, ...]:
    """Measure the corpus without each annotator; return the largest change of γ first.

    `result` is γ of all, and `shared` contains the results on documents that are known already; `pairs` are the results
    of pairs of annotators, if they are known.
    """
    # A missing value has the reason of most documents, and documents of one annotator count.
    is_comparable = settings.chance != "pooled" and result.gamma.is_available and result.gamma_cat.is_available

    def row_of(name: str) -> LeftOut:
        remaining = corpus.drop(annotators=name)
        if remaining.n_annotators.max(initial=0) < MIN_ANNOTATORS:
            unavailable = GammaValue.unavailable(ONE_ANNOTATOR)
            return LeftOut(name, unavailable, unavailable, math.nan)
        is_same = is_comparable and shared.has_same_results(remaining)
        reduced = result if is_same else _as_pair(remaining, pairs)
        if reduced is None:
            reduced = gamma_of(remaining, settings, n_jobs=n_jobs, shared=shared)
        return LeftOut(name, reduced.gamma, reduced.gamma_cat, float(reduced.gamma) - float(result.gamma))

    rows = [row_of(name) for name in corpus.annotators]
    return tuple(sorted(rows, key=lambda row: -abs(row.change) if math.isfinite(row.change) else math.inf))


def _as_pair(corpus: Corpus, pairs: PairwiseResult | None) -> GammaResult | None:
    """Return the result of a corpus if it is the corpus of a pair of annotators: both saw each of its documents."""
    if pairs is None or len(corpus.annotators) != MIN_ANNOTATORS:
        return None
    pair = pairs.pairs.get((corpus.annotators[0], corpus.annotators[1]))
    return pair if pair is not None and len(pair.documents) == len(corpus) else None
