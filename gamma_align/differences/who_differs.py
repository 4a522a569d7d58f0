"""Who differs from whom: the unitary alignments in which annotators do not have the same unit, or none, as others.

Two annotators differ where one of them has a unit and the other none, or where their units have any dissimilarity.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamma_align._types import BoolArray, IntArray
from gamma_align.differences.rules import Material
from gamma_align.distances.dissimilarity import Dissimilarity, sporadic
from gamma_align.gammas.coefficients import GammaValue
from gamma_align.gammas.pairwise import PairwiseResult
from gamma_align.results.values import Value


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
    from scipy import sparse  # noqa: PLC0415  (slow to import)

    corpus = material.corpus
    shape = (len(corpus), len(corpus.annotators))
    document = np.repeat(np.arange(len(corpus)), corpus.n_annotators)
    saw = sparse.csr_array((np.ones(len(document), dtype=np.int64), (document, corpus.seen)), shape=shape)
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
    saw[np.repeat(np.arange(len(corpus)), corpus.n_annotators)[corpus.seen == code]] = True
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
