"""The unitary alignments of a corpus and the parts of their disorder.

With n annotators and C = n(n - 1)/2 pairs of them, the disorder of a unitary alignment of k units (M15 §4.3) is the sum
of three parts:

* position, α · Σ d_pos / C, over its pairs of units;
* category, β · Σ d_cat / C, over its pairs of units;
* missing, Δ · (C - k(k - 1)/2) / C, for the pairs of annotators in which at least one has no unit.

The pooled γ is 1 - Σ x̄·δ / Σ x̄·δ_e over the documents. x̄·δ is the sum of the disorders of the unitary alignments of a
document, so each unitary alignment counts with its own disorder, and shares are shares of the sum of all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from gamma_align.alignment import (
    COVER,
    PARTITION,
    Limits,
    Solution,
    aligned_pairs,
    naming_documents,
    solve_alignment,
    unitary_disorders,
)
from gamma_align.chance import AlignedDocuments, statistics
from gamma_align.columns import BoolArray, Columns, FloatArray, IntArray, chunks, grouped_sums, ranges
from gamma_align.data import Batch, Corpus
from gamma_align.distances import Dissimilarity, PairDissimilarity
from gamma_align.measures.gamma import GammaSettings
from gamma_align.work import KeptWork, SharedWork

REASONS = ("missing", "position", "category")
"""The parts of a disorder. If two parts are equal, the one that comes first here is the reason."""

MISSING, POSITION, CATEGORY = range(len(REASONS))
"""Columns of the parts of a disorder."""

MIN_ANNOTATORS = 2
"""Number of annotators from which on a document has unitary alignments."""

_CHUNK_UNITS = 100_000  # units of the documents that are aligned in one batch, which bounds the memory

Observer = Callable[[IntArray, Batch, Solution, PairDissimilarity], None]
"""Function that takes documents, as indices in the corpus, the batch of them, its solution and the dissimilarity."""


@dataclass(frozen=True, eq=False)
class UnitaryAlignments:
    """The unitary alignments of a corpus, sorted by document, then by first unit.

    Attributes
    ----------
    group : ndarray of int64, shape (n_units,)
        Unitary alignment of each unit of the corpus; -1 in documents of one annotator. In a cover, the first one of
        each unit.
    document, size : ndarray of int64, shape (n_alignments,)
        Document and number of units.
    start, end : ndarray of float64, shape (n_alignments,)
        Smallest interval that contains the units.
    disorder : ndarray of float64, shape (n_alignments,)
    parts : ndarray of float64, shape (n_alignments, 3)
        Parts of the disorder, in the order of `REASONS`.
    gaps : ndarray of float64, shape (n_documents,)
        Proven relative gap of the alignment of each document; 0 if it is optimal.
    cover : ndarray of int64, shape (n_members,), or None
        `members` of a cover, in which a unit may be in several unitary alignments; None if each unit is in one.
    """

    group: IntArray
    document: IntArray
    size: IntArray
    start: FloatArray
    end: FloatArray
    disorder: FloatArray
    parts: FloatArray
    gaps: FloatArray
    cover: IntArray | None = None
    prices: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.disorder)

    @property
    def disputed(self) -> BoolArray:
        """Mask of the unitary alignments that have disorder."""
        result: BoolArray = self.disorder > 0
        return result

    @property
    def reason(self) -> IntArray:
        """Index in `REASONS` of the largest part."""
        result: IntArray = np.argmax(self.parts, axis=1)
        return result

    def keep_disorder(self, is_selected: BoolArray) -> Self:
        """Return the same unitary alignments; only the selected ones keep their disorder."""
        disorder = np.where(is_selected, self.disorder, 0.0)
        parts = np.where(is_selected[:, None], self.parts, 0.0)
        return replace(self, disorder=disorder, parts=parts)

    @cached_property
    def members(self) -> IntArray:
        """Indices of the units, sorted by unitary alignment; `offsets` divides them."""
        if self.cover is not None:
            return self.cover
        order = np.argsort(self.group, kind="stable")
        # Units of documents of one annotator have group -1, and are sorted to the front.
        return order[np.count_nonzero(self.group < 0) :]

    @cached_property
    def member_group(self) -> IntArray:
        """The unitary alignment of each of the `members`."""
        return np.repeat(np.arange(len(self)), self.size)

    @property
    def offsets(self) -> IntArray:
        """Index in `members` of the first unit of each unitary alignment, shape (n_alignments + 1,)."""
        return np.concatenate([[0], np.cumsum(self.size)])


def unitary_alignments(
    corpus: Corpus,
    dissimilarity: Dissimilarity,
    limits: Limits,
    *,
    alignment: str = PARTITION,
    observe: Observer | None = None,
) -> UnitaryAlignments:
    """Align all documents of two annotators or more and return their unitary alignments.

    `alignment` is "partition" or "cover", as in `gamma`. `observe` is called with each batch that is aligned.
    """
    pair_dissimilarity = dissimilarity.bind(corpus.categories)
    group = np.full(corpus.n_units, -1, dtype=np.int64)
    gaps = np.zeros(len(corpus))
    pieces = [_Piece.blank(0, parts=np.empty((0, len(REASONS))))]
    n_alignments = 0
    all_members = [np.zeros(0, dtype=np.int64)]
    all_groups = [np.zeros(0, dtype=np.int64)]
    # Documents without units count too (+ 1), so that a chunk cannot have too many of them.
    for first, last in chunks(corpus.units_per_document + 1, _CHUNK_UNITS):
        batch, row = Batch.from_corpus(corpus.documents_between(first, last))
        measurable = np.flatnonzero(batch.n_annotators >= MIN_ANNOTATORS)
        row = row[ranges(batch.offsets[measurable], np.diff(batch.offsets)[measurable])]
        batch = batch.take(measurable)
        with naming_documents(corpus.documents, first + measurable):
            solution = solve_alignment(batch, pair_dissimilarity, limits, alignment=alignment)
        # A cost may be 0, for example of a document without units: the smallest number avoids 0/0.
        proven_share = np.maximum(solution.bound, 0.0) / np.maximum(solution.cost, np.finfo(float).tiny)
        gaps[first + measurable] = np.where(solution.is_proven, 0.0, 1.0 - proven_share)
        if observe is not None:
            observe(first + measurable, batch, solution, pair_dissimilarity)
        members = solution.members(batch)
        is_first = np.bincount(solution.group, minlength=1) > 0  # a group has the index of its first unit
        first_units = np.flatnonzero(is_first)
        index = (np.cumsum(is_first) - 1)[solution.group]
        rows = corpus.unit_offsets[first] + (row if solution.units is None else row[solution.units])
        all_members.append(rows)
        all_groups.append(n_alignments + index)
        n_alignments += len(first_units)
        disorder = unitary_disorders(members, solution.group, pair_dissimilarity)[first_units]
        document = first + measurable[members.instance[first_units]]
        parts = _parts(members, solution.group, first_units, index, pair_dissimilarity)
        pieces.append(_Piece(document, disorder, parts))
    piece = _Piece.join(pieces)
    units = np.concatenate(all_members)
    groups = np.concatenate(all_groups)
    group[units[::-1]] = groups[::-1]  # the first one assigned last stays
    start = np.full(n_alignments, np.inf)
    end = np.full(n_alignments, -np.inf)
    np.minimum.at(start, groups, corpus.start[units])
    np.maximum.at(end, groups, corpus.end[units])
    return UnitaryAlignments(
        group=group,
        cover=units[np.lexsort((units, groups))] if alignment == COVER else None,
        size=np.bincount(groups, minlength=n_alignments),
        start=start,
        end=end,
        gaps=gaps,
        **piece.columns(),
    )


def alignments_of_gamma(corpus: Corpus, settings: GammaSettings, shared: SharedWork | KeptWork) -> UnitaryAlignments:
    """Return the unitary alignments of a corpus, and keep their statistics, so that γ does not align it again."""
    parts = [AlignedDocuments.blank(0)]

    def observe(documents: IntArray, batch: Batch, solution: Solution, dissimilarity: PairDissimilarity) -> None:
        sums = statistics(batch, solution, dissimilarity, confidence=settings.confidence)
        parts.append(AlignedDocuments(documents, sums))

    alignments = unitary_alignments(
        corpus, settings.dissimilarity, settings.limits, alignment=settings.alignment, observe=observe
    )
    documents = shared.documents_of(corpus, np.arange(len(corpus)))
    if documents is not None:
        documents.keep_aligned(AlignedDocuments.join(parts))
    return alignments


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Piece(Columns):
    """Unitary alignments of a batch of documents."""

    document: IntArray
    disorder: FloatArray
    parts: FloatArray


def _parts(
    batch: Batch, group: IntArray, first_units: IntArray, alignment: IntArray, dissimilarity: PairDissimilarity
) -> FloatArray:
    """Return the parts of the disorder of each unitary alignment of a batch, shape (n_alignments, 3).

    `alignment` is the unitary alignment of each unit of the batch, `first_units` the first unit of each of them.
    """
    first, second = aligned_pairs(group)
    pair_alignment = alignment[first]
    n_alignments = len(first_units)
    n_annotators = batch.n_annotators[batch.instance[first_units]]
    n_pairs = n_annotators * (n_annotators - 1) / 2
    positions = dissimilarity.alpha * dissimilarity.positional_pairs(batch, first, second)
    categories = dissimilarity.beta * dissimilarity.categorial_pairs(batch, first, second)
    position, category = (grouped_sums(pair_alignment, part, n_alignments) for part in (positions, categories))
    missing = dissimilarity.delta_empty * (n_pairs - np.bincount(pair_alignment, minlength=n_alignments))
    parts: FloatArray = np.stack([missing, position, category], axis=1) / n_pairs[:, None]
    return parts
