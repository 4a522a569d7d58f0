"""Diarization error rate and Jaccard error rate, as pyannote.metrics defines them.

Conventions
-----------
Labels of a document are those of speakers, whose names mean nothing: in each document the system's are mapped one to
one onto the reference's so that the time in common is longest. At every moment r units of the reference and h of the
system are active, c of them of the same speaker (a speaker's own units that overlap count as often).

- DER = (false alarm + missed + confusion) / total: time × max(0, h - r), max(0, r - h), min(r, h) - c, r.
- JER = mean over the reference's speakers of 1 - |both| / |either|, with the speaker mapped onto it; 1 without one.

A collar takes away so much time in all around each boundary of the reference, half of it on either side;
`skip_overlap` the time at which units of the reference overlap. Speakers of whom no time is left do not count.

References
----------
Bredin 2017, pyannote.metrics, Interspeech. Ryant et al. 2019, The second DIHARD challenge (JER).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gamma_align import kernels
from gamma_align.columns import BoolArray, FloatArray, IntArray, grouped_sums
from gamma_align.data.batch import Batch
from gamma_align.inference.jackknife import ratio_interval
from gamma_align.inference.values import Result, Value
from gamma_align.measures.reference.matching import Overlaps
from gamma_align.measures.reference.pairings import REFERENCE, Pairings, between, pieces, ranks

_ROUNDING = 1e-12  # relative: a time that may be nothing but the rounding of others
NO_SPEECH = "the reference has no unit with a length that counts"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DiarizationScore(Result):
    """Error rates of diarization, and the times they are made of, in the unit of length of the data.

    Attributes
    ----------
    der, jer : Value
        Error rates: 0 is best, and DER has no upper bound.
    false_alarm, missed, confusion, total : float
        Times.
    speakers : int
        The reference's speakers, each counting in every document where it has some time.
    renamed : int
        Documents in which a label of the system was mapped onto another label.

    Examples
    --------
    >>> units = [("d", "gold", 0, 4, "A"), ("d", "gold", 4, 8, "B"), ("d", "sys", 0, 5, "1"), ("d", "sys", 5, 8, "2")]
    >>> score = ga.evaluate(units, reference="gold", measures="diarization").systems[0].diarization
    >>> f"{score.der:.3f}", f"{score.jer:.3f}", score.confusion
    ('0.125', '0.225', 1.0)
    """

    der: Value
    jer: Value
    false_alarm: float
    missed: float
    confusion: float
    total: float
    speakers: int
    renamed: int


class Errors(NamedTuple):
    """Times of errors, sum of the speakers' errors, and their numbers, by pair of annotators, shape (n_pairs,)."""

    false_alarm: FloatArray
    missed: FloatArray
    confusion: FloatArray
    total: FloatArray
    jaccard: FloatArray
    speakers: IntArray
    renamed: BoolArray

    def score(self, rows: IntArray) -> DiarizationScore:
        """Return the rates of these pairs together, with intervals over them."""
        times = [column[rows] for column in self[:4]]
        wrong, total = times[0] + times[1] + times[2], times[3]
        speakers = self.speakers[rows].astype(np.float64)
        correct = total - times[1] - times[2]
        false_alarm, missed, confusion, whole = (float(column.sum()) for column in times)
        return DiarizationScore(
            der=_rate(wrong, total, correct > _ROUNDING * total),
            jer=_rate(self.jaccard[rows], speakers, self.jaccard[rows] < speakers, largest=1.0),
            false_alarm=false_alarm,
            missed=missed,
            confusion=confusion,
            total=whole,
            speakers=int(speakers.sum()),
            renamed=int(self.renamed[rows].sum()),
        )


def _rate(wrong: FloatArray, total: FloatArray, agreeing: BoolArray, *, largest: float = math.inf) -> Value:
    """Return Σ wrong / Σ total, with its interval; in `agreeing` documents some of the reference is found."""
    if not total.any():
        return Value.unavailable(NO_SPEECH)
    interval = ratio_interval(wrong, total, agreeing, largest=largest)
    return interval.one_minus().around(float(wrong.sum() / total.sum()))


class _Units(NamedTuple):
    """Units as intervals of ranks, shape (n_units,), and the time after each rank that counts, shape (n_ranks,)."""

    first: IntArray
    last: IntArray
    steps: FloatArray


def errors(pairings: Pairings, extents: FloatArray, collar: float, *, skip_overlap: bool) -> Errors:
    """Return the errors of each pair of annotators; `extents` are those of the documents, shape (n_documents, 2)."""
    batch = pairings.batch
    units = _units(batch, extents[pairings.document], collar, skip_overlap=skip_overlap)
    speaker, renamed = _speakers(batch, units)
    sides = (units.first, units.last, batch.annotator, len(units.steps))
    moments, own = pieces(batch.instance, *sides), pieces(speaker, *sides)
    instance_of = np.zeros(int(speaker.max(initial=-1)) + 1, dtype=np.int64)
    instance_of[speaker] = batch.instance
    of_reference, of_system = moments.active
    time, own_time = (between(units.steps, part.low, part.high) for part in (moments, own))

    def sums(amounts: IntArray | FloatArray) -> FloatArray:
        return grouped_sums(moments.group, time * amounts, len(batch))

    # how many units are of the same speaker, at each piece: in whole numbers, so that no confusion is 0 exactly
    same = own.active.min(axis=0)
    begun, ended = (
        np.bincount(np.searchsorted(moments.low, points), weights=same, minlength=len(moments.low) + 1)
        for points in (own.low, own.high)
    )
    correct = np.cumsum(begun - ended)[: len(moments.low)]
    there = own.active > 0
    both, either, mine = (
        grouped_sums(own.group, own_time * present, len(instance_of))
        for present in (there.all(axis=0), there.any(axis=0), there[REFERENCE])
    )
    counted = mine > 0
    apart = 1.0 - both[counted] / either[counted]
    return Errors(
        sums(np.maximum(of_system - of_reference, 0)),
        sums(np.maximum(of_reference - of_system, 0)),
        sums(np.minimum(of_reference, of_system) - correct),
        sums(of_reference),
        grouped_sums(instance_of[counted], apart, len(batch)),
        np.bincount(instance_of[counted], minlength=len(batch)),
        renamed,
    )


def _units(batch: Batch, extents: FloatArray, collar: float, *, skip_overlap: bool) -> _Units:
    """Return units and time, `extents` being those of each instance."""
    mine = np.flatnonzero(batch.annotator == REFERENCE)
    around = mine[:0] if collar == 0 else mine
    instance = np.concatenate([batch.instance, *[batch.instance[around]] * 2])
    edges = np.concatenate([batch.start[around], batch.end[around]])
    low = np.concatenate([batch.start, edges - collar / 2])
    high = np.concatenate([batch.end, edges + collar / 2])
    low, high = (np.clip(column, *extents[instance].T) for column in (low, high))
    rank, of_rank, position = ranks(np.tile(instance, 2), np.concatenate([low, high]))
    first, last = rank[: len(low)], rank[len(low) :]
    steps = np.diff(position, append=position[-1:])
    steps[:-1][of_rank[1:] != of_rank[:-1]] = 0.0
    steps[_active(first[batch.n_units :], last[batch.n_units :], len(steps)) > 0] = 0.0
    if skip_overlap:
        steps[_active(first[mine], last[mine], len(steps)) > 1] = 0.0
    return _Units(first[: batch.n_units], last[: batch.n_units], steps)


def _active(first: IntArray, last: IntArray, n_ranks: int) -> IntArray:
    """Return how many intervals hold what comes after each rank."""
    begun, ended = (np.bincount(column, minlength=n_ranks) for column in (first, last))
    return np.cumsum(begun - ended)


def _speakers(batch: Batch, units: _Units) -> tuple[IntArray, BoolArray]:
    """Return the speaker of each unit, the same for labels mapped onto each other, and which instances rename one."""
    columns = np.stack([batch.instance, batch.category, batch.annotator])
    labels, label = np.unique(columns, axis=1, return_inverse=True)
    label, n_labels = label.reshape(-1), labels.shape[1]
    overlaps = Overlaps.of(batch)
    mine, theirs = overlaps.reference, overlaps.system
    low, high = np.maximum(units.first[mine], units.first[theirs]), np.minimum(units.last[mine], units.last[theirs])
    key, index = np.unique(label[mine] * n_labels + label[theirs], return_inverse=True)
    total = grouped_sums(index.reshape(-1), between(units.steps, low, high), len(key))
    row, column = np.divmod(key[total > 0], max(n_labels, 1))
    begin = np.searchsorted(row, np.arange(n_labels + 1))
    edge, _, _ = kernels.match(begin, column, total[total > 0], n_labels)
    edge = edge[edge >= 0]
    row, column = row[edge], column[edge]
    speaker = np.arange(n_labels)
    speaker[column] = row
    renamed = np.zeros(len(batch), dtype=np.bool_)
    renamed[labels[0, row[labels[1, row] != labels[1, column]]]] = True
    return speaker[label], renamed
