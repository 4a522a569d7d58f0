"""Annotators compared: the disorder of each, who differs from whom, γ of pairs, and γ without each of them.

Two annotators differ where one of them has a unit and the other none, or where their units have any dissimilarity.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data.corpus import Corpus
from gamma_align.distances.dissimilarity import Dissimilarity
from gamma_align.inference.values import ONE_ANNOTATOR, Value
from gamma_align.insight.disagreements.rules import Material
from gamma_align.insight.pairwise import PairwiseResult
from gamma_align.kernels.position import sporadic
from gamma_align.measures.gamma.gamma import gamma_of
from gamma_align.measures.gamma.gamma_result import GammaValue
from gamma_align.measures.gamma.gamma_settings import GammaSettings


class PairRow(NamedTuple):
    """Two annotators: the documents that both saw, in how many unitary alignments of these they differ, γ and γcat."""

    first: str
    second: str
    documents: int
    differ: int
    gamma: GammaValue
    gamma_cat: GammaValue


class WithOthersRow(NamedTuple):
    """γ of an annotator with the others: of all pairs that the annotator is in."""

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

    In a unitary alignment ă with a unit of k of n annotators, C = n(n - 1)/2 and

        missing part        M = Δ · (C - k(k - 1)/2) / C,
        share of annotator i    s_i(ă) = M / 2k             + Σ_j (α·d_pos(i, j) + β·d_cat(i, j)) / 2C    with a unit,
                                s_i(ă) = M / 2(n - k)                                                     without,

    in which j are the other annotators with a unit. A missing unit so counts half for those who have it and half for
    those who lack it, and the difference of two aligned units half for each of the two. Over the annotators s_i(ă) adds
    up to the disorder of ă. An annotator's disorder is the sum of s_i(ă) over all unitary alignments.
    """
    corpus, alignments = material.corpus, material.alignments
    people, parts = len(corpus.annotators), alignments.parts
    result = np.zeros((people, parts.shape[1]))

    members, n = alignments.members, corpus.n_annotators[alignments.document]
    is_split = (alignments.size < n)[alignments.group[members]]
    members = members[is_split]
    group = alignments.group[members]
    result[:, 0] = np.bincount(corpus.annotator[members], parts[group, 0] / (2 * alignments.size[group]), people)
    group, absent = material.absences.alignment, material.absences.annotator
    result[:, 0] += np.bincount(absent, parts[group, 0] / (2 * (n - alignments.size)[group]), people)

    first, second = material.pairs
    group = alignments.group[first]
    position = sporadic(corpus.start[first], corpus.end[first], corpus.start[second], corpus.end[second])
    category = material.apart(corpus.category[first], corpus.category[second])
    for column, distance in ((1, position), (2, category)):
        total = np.bincount(group, weights=distance, minlength=len(alignments))[group]
        with np.errstate(divide="ignore", invalid="ignore"):
            amount = np.where(total > 0, distance / total, 0.0) * parts[group, column] / 2
        for units in (first, second):
            result[:, column] += np.bincount(corpus.annotator[units], weights=amount, minlength=people)
    return result


class UnitCounts(NamedTuple):
    """Counts of each annotator in documents that another annotator saw too, shape (n_annotators,) each.

    `expected` is the sum over these documents of the mean number of units of the other annotators.
    """

    documents: IntArray
    units: IntArray
    expected: FloatArray


def unit_counts(corpus: Corpus) -> UnitCounts:
    """Return how many units each annotator has, beside the number that the other annotators lead one to expect."""
    people = len(corpus.annotators)
    document, annotator = corpus.seen_document, corpus.seen
    entry = document * people + annotator
    order = np.argsort(entry)
    unit_entry = np.searchsorted(entry[order], corpus.unit_document * people + corpus.annotator)
    own = np.bincount(order[unit_entry], minlength=len(entry))
    shared = corpus.n_annotators[document] > 1
    document, annotator, own = document[shared], annotator[shared], own[shared]
    others = corpus.n_annotators[document] - 1
    expected = (corpus.units_per_document[document] - own) / others
    return UnitCounts(
        documents=np.bincount(annotator, minlength=people),
        units=np.bincount(annotator, weights=own, minlength=people).astype(np.int64),
        expected=np.bincount(annotator, weights=expected, minlength=people).astype(np.float64),
    )


def pair_rows(material: Material, pairs: PairwiseResult, dissimilarity: Dissimilarity) -> tuple[PairRow, ...]:
    """Return a row for each two annotators who saw a document together, the lowest γ first, those without one last."""
    number = {name: index for index, name in enumerate(pairs.annotators)}
    differ = counts_of_differing(material, dissimilarity).tolist()
    rows = [
        PairRow(*names, len(of.documents), differ[number[names[0]]][number[names[1]]], of.gamma, of.gamma_cat)
        for names, of in pairs.pairs.items()
    ]
    return tuple(sorted(rows, key=lambda row: (not row.gamma.is_available, row.gamma.value)))


def counts_of_differing(material: Material, dissimilarity: Dissimilarity) -> IntArray:
    """Return in how many unitary alignments each two annotators differ, shape (n_annotators, n_annotators).

    Those of documents that both saw count. Either has a unit in (units of one + units of the other - aligned pairs) of
    them, and where aligned units are alike they do not differ.
    """
    from scipy import sparse

    corpus = material.corpus
    shape = (len(corpus), len(corpus.annotators))
    seen = (corpus.seen_document, corpus.seen)
    saw = sparse.csr_array((np.ones(len(corpus.seen), dtype=np.int64), seen), shape=shape)
    units = material.alignments.members
    places = (corpus.unit_document[units], corpus.annotator[units])
    marked = sparse.csr_array((np.ones(len(units), dtype=np.int64), places), shape=shape)
    of_first = (marked.T @ saw).toarray()
    first, second = material.pairs
    people = (corpus.annotator[first], corpus.annotator[second])
    together = np.zeros_like(of_first)
    np.add.at(together, people, 1 + alike(material, dissimilarity))
    result: IntArray = of_first + of_first.T - together - together.T
    np.fill_diagonal(result, 0)
    return result


def alike(material: Material, dissimilarity: Dissimilarity) -> BoolArray:
    """Return which of the aligned pairs of units have no dissimilarity, shape (n_pairs,)."""
    corpus, (first, second) = material.corpus, material.pairs
    position = sporadic(corpus.start[first], corpus.end[first], corpus.start[second], corpus.end[second])
    category = material.apart(corpus.category[first], corpus.category[second])
    result: BoolArray = dissimilarity.alpha * position + dissimilarity.beta * category == 0
    return result


def differing(material: Material, annotator: str, dissimilarity: Dissimilarity) -> BoolArray:
    """Return in which unitary alignments the annotator differs from more than half of the others of the document.

    Where anybody differs, everybody differs from somebody; hence the half.
    """
    corpus, alignments = material.corpus, material.alignments
    code = corpus.annotators.index(annotator)
    saw = np.zeros(len(corpus), dtype=np.bool_)
    saw[corpus.seen_document[corpus.seen == code]] = True
    has_unit = np.zeros(len(alignments), dtype=np.bool_)
    group = alignments.group[corpus.annotator == code]
    has_unit[group[group >= 0]] = True
    first, second = material.pairs
    own = (corpus.annotator[first] == code) | (corpus.annotator[second] == code)
    like_own = np.bincount(alignments.group[first[own & alike(material, dissimilarity)]], minlength=len(alignments))
    others = corpus.n_annotators[alignments.document] - 1
    differ = np.where(has_unit, others - like_own, alignments.size)
    result: BoolArray = saw[alignments.document] & (2 * differ > others)
    return result


def without_each(
    corpus: Corpus,
    gamma: float,
    settings: GammaSettings,
    *,
    n_jobs: int | None = None,
) -> tuple[LeftOut, ...]:
    """Return what is measured without each annotator, the largest change first; `gamma` is that of all."""
    rows = [_without(corpus, name, gamma, settings, n_jobs) for name in corpus.annotators]
    return tuple(sorted(rows, key=lambda row: -abs(row.change) if math.isfinite(row.change) else math.inf))


def _without(corpus: Corpus, name: str, gamma: float, settings: GammaSettings, n_jobs: int | None) -> LeftOut:
    others = corpus.drop(annotators=name)
    if others.n_annotators.max(initial=0) < 2:  # noqa: PLR2004
        nothing = GammaValue.unavailable(ONE_ANNOTATOR)
        return LeftOut(name, nothing, nothing, math.nan)
    result = gamma_of(others, settings, n_jobs=n_jobs)
    return LeftOut(name, result.gamma, result.gamma_cat, float(result.gamma) - gamma)
