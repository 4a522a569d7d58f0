"""Silences: parts of a document in which one annotator places few units, compared with the others and the rest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data.corpus import Corpus
from gamma_align.insight.disagreements.patterns import Pattern, Thresholds, log_likelihood_ratio
from gamma_align.insight.disagreements.unitary_alignments import MIN_ANNOTATORS, UnitaryAlignments

_DIRECTIONS = ("before", "after")  # the sides of a cut
_AFTER = 1  # index of the side after it


def find_silences(corpus: Corpus, alignments: UnitaryAlignments, thresholds: Thresholds) -> Iterator[Pattern]:
    """Yield the silences of all documents: at most one for each annotator of a document."""
    for document in np.flatnonzero(can_have_silence(corpus, thresholds)).tolist():
        yield from _silences_of_document(corpus, alignments, document, thresholds)


def can_have_silence(corpus: Corpus, thresholds: Thresholds) -> BoolArray:
    """Return whether documents have units enough for a silence, and gaps between them, shape (n_documents,)."""
    has_units = corpus.units_per_document >= 2 * thresholds.units  # on two sides
    result: BoolArray = has_units & (corpus.n_annotators >= MIN_ANNOTATORS) & ~_is_tiled(corpus, thresholds)
    return result


def _is_tiled(corpus: Corpus, thresholds: Thresholds) -> BoolArray:
    """Return whether units cover documents so densely that an annotator with fewer units has longer ones."""
    length = corpus.extents[:, 1] - corpus.extents[:, 0]
    covered = np.bincount(corpus.unit_document, weights=corpus.end - corpus.start, minlength=len(corpus))
    result: BoolArray = covered > thresholds.covered * length * corpus.n_annotators
    return result


class _Cuts(NamedTuple):
    """The cuts of a document: one after each of its units, which are sorted by start.

    Attributes
    ----------
    start : ndarray of float64, shape (n_units,)
        Start of each unit.
    annotators : ndarray of int64, shape (n_annotators,)
    counts : ndarray of float64, shape (n_units, n_annotators)
        Number of units that each annotator has up to and including each unit.
    """

    start: FloatArray
    annotators: IntArray
    counts: FloatArray

    @classmethod
    def of(cls, corpus: Corpus, document: int) -> _Cuts:
        rows = np.arange(corpus.unit_offsets[document], corpus.unit_offsets[document + 1])
        # A unit that begins at the end of another one of its annotator is part of a unit that was cut: count it once.
        long = rows[corpus.end[rows] > corpus.start[rows]]
        ends = corpus.annotator[long] + 1j * corpus.end[long]
        rows = rows[~np.isin(corpus.annotator[rows] + 1j * corpus.start[rows], ends)]
        rows = rows[np.argsort(corpus.start[rows], kind="stable")]
        annotators = corpus.seen[corpus.seen_offsets[document] : corpus.seen_offsets[document + 1]]
        counts = np.cumsum(corpus.annotator[rows][:, None] == annotators, axis=0).astype(np.float64)
        return cls(corpus.start[rows], annotators, counts)

    def likelihood(self, min_units: int) -> FloatArray:
        """Return 2·ln of the likelihood ratio of different shares of each annotator on the two sides of each cut.

        Shape (n_units, n_annotators); 0 for cuts with fewer than `min_units` units on a side.
        """
        n_units = len(self.start)
        total = np.arange(1.0, n_units + 1)[:, None]
        before, after = self.counts, self.counts[-1] - self.counts
        total_before = np.broadcast_to(total, before.shape)
        total_after = np.broadcast_to(n_units - total, before.shape)
        ratio = log_likelihood_ratio(before, total_before, after, total_after)
        is_possible = (total >= min_units) & (n_units - total >= min_units)
        is_possible[:-1] &= (np.diff(self.start) > 0)[:, None]  # no cut between units that start together
        return np.where(is_possible, ratio, 0.0)

    def sides(self, cut: int) -> FloatArray:
        """Return the number of units of each annotator before and after a cut, shape (2, n_annotators)."""
        return np.array([self.counts[cut], self.counts[-1] - self.counts[cut]])


def _silences_of_document(
    corpus: Corpus, alignments: UnitaryAlignments, document: int, thresholds: Thresholds
) -> Iterator[Pattern]:
    cuts = _Cuts.of(corpus, document)
    likelihood = cuts.likelihood(thresholds.units)
    best_cuts = np.argmax(likelihood, axis=0)
    for column in np.flatnonzero(likelihood.max(axis=0) >= thresholds.likelihood).tolist():
        cut = int(best_cuts[column])
        counts = cuts.sides(cut)
        n_units, n_others = counts[:, column], counts.sum(axis=1) - counts[:, column]
        side = int(np.argmin(n_units / np.maximum(n_others, 1)))  # the side with fewer units relative to the others
        opposite = 1 - side
        mean_of_others = n_others[side] / (len(cuts.annotators) - 1)
        expected = n_units[opposite] / max(n_others[opposite], 1) * n_others[side]
        # Both the other annotators and the opposite side must lead one to expect more units.
        if n_units[side] >= thresholds.silence * min(mean_of_others, expected):
            continue
        boundary = cuts.start[cut + 1]
        annotator = int(cuts.annotators[column])
        stretch = _stretch(alignments, document, boundary, side)
        selected = stretch[~_has_unit(corpus, alignments, document, annotator)[stretch]]
        yield Pattern(
            rule="silence",
            alignments=selected,
            amounts=alignments.disorder[selected],
            examples=selected,
            annotator=annotator,
            document=document,
            direction=_DIRECTIONS[side],
            stretch=stretch,
            counts={
                "boundary": float(boundary),
                "units": int(n_units[side]),
                "units of others": int(n_others[side]),
                "units elsewhere": int(n_units[opposite]),
                "units of others elsewhere": int(n_others[opposite]),
            },
            marked=dict(zip(cuts.annotators.tolist(), counts[side].astype(int).tolist(), strict=True)),
        )


def _stretch(alignments: UnitaryAlignments, document: int, boundary: float, side: int) -> IntArray:
    """Return the unitary alignments of a document that lie wholly on one side of a boundary."""
    is_on_side = alignments.start >= boundary if side == _AFTER else alignments.end <= boundary
    return np.flatnonzero((alignments.document == document) & is_on_side)


def _has_unit(corpus: Corpus, alignments: UnitaryAlignments, document: int, annotator: int) -> BoolArray:
    """Return whether an annotator has a unit in each unitary alignment of a document; false for other documents."""
    result = np.zeros(len(alignments), dtype=np.bool_)
    result[alignments.group[(corpus.unit_document == document) & (corpus.annotator == annotator)]] = True
    return result
