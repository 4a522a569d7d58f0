"""The unitary alignments of a corpus, each with its disorder in parts that add up.

With n annotators, C = n(n - 1)/2 and a unitary alignment of k units, its disorder (M15 §4.3) is the sum of

* position, α · Σ d_pos / C, over its pairs of units;
* category, β · Σ d_cat / C, over its pairs of units;
* missing, Δ · (C - k(k - 1)/2) / C, of the pairs in which somebody has no unit.

The pooled γ is 1 - Σ x̄·δ / Σ x̄·δ_e over the documents, and x̄·δ is the sum of the disorders of a document's unitary
alignments: each counts with its own disorder, and shares are shares of their sum.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from gamma_align.alignment.limits import Limits
from gamma_align.alignment.solve import aligned_pairs, solve, unitary_disorders
from gamma_align.columns import BoolArray, Columns, FloatArray, IntArray, chunks, ranges
from gamma_align.data.batch import Batch
from gamma_align.data.corpus import Corpus
from gamma_align.distances.dissimilarity import Dissimilarity, PairDissimilarity

REASONS = ("missing", "position", "category")
"""The parts of a disorder, in the order in which they are the reason where two are as large."""
_UNITS = 100_000  # of the documents aligned together


@dataclass(frozen=True, slots=True, eq=False)
class UnitaryAlignments:
    """The unitary alignments of a corpus, by document and there by their first units.

    `group` is the unitary alignment of each unit of the corpus, -1 in documents of one annotator, shape (n_units,). The
    others have shape (n_alignments,): the document, the number of units, the smallest interval that holds these
    (`start` to `end`), the `disorder`, and its `parts`, which are the columns of `REASONS`, shape (n_alignments, 3).
    `gaps` are the proven relative gaps of the alignments of the documents, 0 where they are optimal, shape
    (n_documents,).
    """

    group: IntArray
    document: IntArray
    size: IntArray
    start: FloatArray
    end: FloatArray
    disorder: FloatArray
    parts: FloatArray
    gaps: FloatArray

    def __len__(self) -> int:
        return len(self.disorder)

    @property
    def disputed(self) -> BoolArray:
        """Whether there is any disorder."""
        result: BoolArray = self.disorder > 0
        return result

    @property
    def reason(self) -> IntArray:
        """Index in `REASONS` of the largest part."""
        result: IntArray = np.argmax(self.parts, axis=1)
        return result

    def of(self, chosen: BoolArray) -> Self:
        """Return the same alignments, of which only the chosen have any disorder."""
        disorder, parts = np.where(chosen, self.disorder, 0.0), np.where(chosen[:, None], self.parts, 0.0)
        return replace(self, disorder=disorder, parts=parts)

    @property
    def members(self) -> IntArray:
        """The units, those of the first unitary alignment first; `offsets` says where each begins."""
        order = np.argsort(self.group, kind="stable")
        return order[np.count_nonzero(self.group < 0) :]

    @property
    def offsets(self) -> IntArray:
        """Where the units of each unitary alignment begin in `members`, shape (n_alignments + 1,)."""
        return np.concatenate([[0], np.cumsum(self.size)])


def unitary_alignments(corpus: Corpus, dissimilarity: Dissimilarity, limits: Limits) -> UnitaryAlignments:
    """Return the best unitary alignments of every document of two annotators and more."""
    bound_to = dissimilarity.bind(corpus.categories)
    group, gaps = np.full(corpus.n_units, -1, dtype=np.int64), np.zeros(len(corpus))
    pieces, n_alignments = [_Piece.blank(0, parts=np.empty((0, len(REASONS))))], 0
    for first, last in chunks(corpus.units_per_document + 1, _UNITS):
        batch, row = Batch.from_corpus(corpus.documents_between(first, last))
        measurable = np.flatnonzero(batch.n_annotators >= 2)  # noqa: PLR2004
        row = row[ranges(batch.offsets[measurable], np.diff(batch.offsets)[measurable])]
        batch = batch.take(measurable)
        solution = solve(batch, bound_to, limits)
        of_unit = solution.group
        share = np.maximum(solution.bound, 0.0) / np.maximum(solution.cost, np.finfo(float).tiny)
        gaps[first + measurable] = np.where(solution.is_proven, 0.0, 1.0 - share)
        lowest, number = np.unique(of_unit, return_inverse=True)
        group[corpus.unit_offsets[first] + row] = n_alignments + number
        n_alignments += len(lowest)
        disorder = unitary_disorders(batch, of_unit, bound_to)[lowest]
        document = first + measurable[batch.instance[lowest]]
        pieces.append(_Piece(document, disorder, _parts(batch, of_unit, lowest, number, bound_to)))
    piece, inside = _Piece.join(pieces), group >= 0
    start, end = np.full(n_alignments, np.inf), np.full(n_alignments, -np.inf)
    np.minimum.at(start, group[inside], corpus.start[inside])
    np.maximum.at(end, group[inside], corpus.end[inside])
    return UnitaryAlignments(
        group=group,
        size=np.bincount(group[inside], minlength=n_alignments),
        start=start,
        end=end,
        gaps=gaps,
        **piece.columns(),
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Piece(Columns):
    document: IntArray
    disorder: FloatArray
    parts: FloatArray


def _parts(
    batch: Batch, group: IntArray, lowest: IntArray, number: IntArray, dissimilarity: PairDissimilarity
) -> FloatArray:
    """Return the parts of the disorders of the unitary alignments of a batch; `number` is that of each unit."""
    first, second = aligned_pairs(group)
    of_pair, n_alignments = number[first], len(lowest)
    n = batch.n_annotators[batch.instance[lowest]]
    pairs = n * (n - 1) / 2
    position = dissimilarity.alpha * dissimilarity.positional_pairs(batch, first, second)
    category = dissimilarity.beta * dissimilarity.categorial_pairs(batch, first, second)
    of_units = [np.bincount(of_pair, weights=part, minlength=n_alignments) for part in (position, category)]
    missing = dissimilarity.delta_empty * (pairs - np.bincount(of_pair, minlength=n_alignments))
    parts: FloatArray = np.stack([missing, *of_units], axis=1) / pairs[:, None]
    return parts
