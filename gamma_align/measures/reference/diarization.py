"""Diarization error rate and Jaccard error rate, as pyannote.metrics defines them.

Conventions
-----------
Labels are speakers. The names of speakers are arbitrary: in each document the system's are mapped one to one onto the
reference's so that the time in common is longest. At every moment r units of the reference and h of the system are
active, c of them of the same speaker (overlapping units of one speaker all count).

- DER = (false alarm + missed + confusion) / total: time × max(0, h - r), max(0, r - h), min(r, h) - c, r.
- JER = mean over the reference's speakers of 1 - |both| / |either|, with the speaker mapped onto it; 1 without one.

A collar removes that much time in all around each boundary of the reference, half of it on either side; `skip_overlap`
removes the time at which units of the reference overlap. Speakers without remaining time do not count.

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
from gamma_align.columns import BoolArray, FloatArray, IntArray, RowGroups, grouped_sums
from gamma_align.data import Batch
from gamma_align.inference import Result, Value, grouped_ratio_intervals
from gamma_align.measures.reference.matching import Overlaps
from gamma_align.measures.reference.pairings import REFERENCE, Pairings, Pieces, range_sums, rank_positions

_ROUNDING = 1e-12  # relative to the total: a shorter time may be the rounding error of other times
NO_SPEECH = "the reference has no unit with a length that counts"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DiarizationScore(Result):
    """Error rates of diarization, and the times they are computed from, in the unit of length of the data.

    Attributes
    ----------
    der, jer : Value
        Error rates: 0 is best, and DER has no upper bound.
    false_alarm, missed, confusion, total : float
        Times.
    speakers : int
        Number of the reference's speakers, over all documents in which each has any time.
    renamed : int
        Number of documents in which a label of the system was mapped onto a different label.

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


class DiarizationErrors(NamedTuple):
    """Errors by pair of annotators, shape (n_pairs,).

    The first four are times. `jaccard` is the sum of the Jaccard errors of the reference's speakers, `speakers` their
    number, and `renamed` whether any label of the system is mapped onto a different one.
    """

    false_alarm: FloatArray
    missed: FloatArray
    confusion: FloatArray
    total: FloatArray
    jaccard: FloatArray
    speakers: IntArray
    renamed: BoolArray

    def scores(self, groups: RowGroups) -> list[DiarizationScore]:
        """Return the rates of each group of pairs, with intervals over them."""
        errors = self.false_alarm + self.missed + self.confusion
        total = self.total
        is_correct = total - self.missed - self.confusion > _ROUNDING * total
        speakers = self.speakers.astype(np.float64)
        der = _rates(errors, total, is_correct, groups)
        jer = _rates(self.jaccard, speakers, self.jaccard < speakers, groups, largest=1.0)
        times = (groups.sums(column).tolist() for column in self[:4])
        counts = (groups.sums(column.astype(np.float64)).astype(int).tolist() for column in self[5:])
        return [DiarizationScore(*values) for values in zip(der, jer, *times, *counts, strict=True)]


def _rates(
    error: FloatArray, total: FloatArray, agreeing: BoolArray, groups: RowGroups, *, largest: float = math.inf
) -> list[Value]:
    """Return Σ error / Σ total of groups, with intervals; `agreeing` documents have something that is no error."""
    [intervals] = grouped_ratio_intervals(error[None], total[None], agreeing[None], groups, largest=largest)
    sums = zip(intervals, groups.sums(error).tolist(), groups.sums(total).tolist(), strict=True)
    return [
        interval.one_minus().around(group_error / group_total) if group_total else Value.unavailable(NO_SPEECH)
        for interval, group_error, group_total in sums
    ]


class _Times(NamedTuple):
    """Units as intervals of ranks of positions, shape (n_units,), and the time that counts after each rank."""

    first: IntArray
    last: IntArray
    steps: FloatArray


def diarization_errors(
    pairings: Pairings, extents: FloatArray, collar: float, *, skip_overlap: bool
) -> DiarizationErrors:
    """Return the errors of each pair of annotators; `extents` of the documents have shape (n_documents, 2)."""
    batch = pairings.batch
    times = _counted_times(batch, extents[pairings.document], collar, skip_overlap=skip_overlap)
    speaker, renamed = _map_speakers(batch, times)
    sides = (times.first, times.last, batch.annotator, len(times.steps))
    pieces = Pieces.of(batch.instance, *sides)
    speaker_pieces = Pieces.of(speaker, *sides)
    time = range_sums(times.steps, pieces.low, pieces.high)
    reference_units, system_units = pieces.active

    def time_sums(n_units: IntArray | FloatArray) -> FloatArray:
        return grouped_sums(pieces.group, time * n_units, len(batch))

    correct_units = _correct_units(pieces, speaker_pieces)
    instance_of_speaker = np.zeros(int(speaker.max(initial=-1)) + 1, dtype=np.int64)
    instance_of_speaker[speaker] = batch.instance
    speaker_error, is_counted = _jaccard_errors(speaker_pieces, times.steps, len(instance_of_speaker))
    speaker_instance = instance_of_speaker[is_counted]
    return DiarizationErrors(
        false_alarm=time_sums(np.maximum(system_units - reference_units, 0)),
        missed=time_sums(np.maximum(reference_units - system_units, 0)),
        confusion=time_sums(np.minimum(reference_units, system_units) - correct_units),
        total=time_sums(reference_units),
        jaccard=grouped_sums(speaker_instance, speaker_error, len(batch)),
        speakers=np.bincount(speaker_instance, minlength=len(batch)),
        renamed=renamed,
    )


def _correct_units(pieces: Pieces, speaker_pieces: Pieces) -> FloatArray:
    """Return the number of units of the system with a unit of the same speaker in the reference, in each piece.

    Units are counted, not times, so that a confusion of 0 is exact.
    """
    n_same = speaker_pieces.active.min(axis=0)
    begun, ended = (
        np.bincount(np.searchsorted(pieces.low, points), weights=n_same, minlength=len(pieces.low) + 1)
        for points in (speaker_pieces.low, speaker_pieces.high)
    )
    return np.cumsum(begun - ended)[: len(pieces.low)]


def _jaccard_errors(pieces: Pieces, steps: FloatArray, n_speakers: int) -> tuple[FloatArray, BoolArray]:
    """Return the Jaccard error of each speaker that has any time in the reference, and which speakers have."""
    time = range_sums(steps, pieces.low, pieces.high)
    is_active = pieces.active > 0
    shared, union, reference = (
        grouped_sums(pieces.group, time * is_present, n_speakers)
        for is_present in (is_active.all(axis=0), is_active.any(axis=0), is_active[REFERENCE])
    )
    is_counted = reference > 0
    return 1.0 - shared[is_counted] / union[is_counted], is_counted


def _counted_times(batch: Batch, extents: FloatArray, collar: float, *, skip_overlap: bool) -> _Times:
    """Return the units, and the times without collars and, if asked for, overlaps; `extents` are by instance."""
    reference = np.flatnonzero(batch.annotator == REFERENCE)
    collared = reference[:0] if collar == 0 else reference
    instance = np.concatenate([batch.instance, batch.instance[collared], batch.instance[collared]])
    edges = np.concatenate([batch.start[collared], batch.end[collared]])
    low = np.concatenate([batch.start, edges - collar / 2])
    high = np.concatenate([batch.end, edges + collar / 2])
    low, high = (np.clip(column, *extents[instance].T) for column in (low, high))  # collars may reach outside
    rank, instance_of_rank, position = rank_positions(np.tile(instance, 2), np.concatenate([low, high]))
    first = rank[: len(low)]
    last = rank[len(low) :]

    steps = np.diff(position, append=position[-1:])
    steps[:-1][instance_of_rank[1:] != instance_of_rank[:-1]] = 0.0  # from the end of one document to another
    steps[_n_active(first[batch.n_units :], last[batch.n_units :], len(steps)) > 0] = 0.0
    if skip_overlap:
        steps[_n_active(first[reference], last[reference], len(steps)) > 1] = 0.0
    return _Times(first[: batch.n_units], last[: batch.n_units], steps)


def _n_active(first: IntArray, last: IntArray, n_ranks: int) -> IntArray:
    """Return the number of intervals that contain the time after each rank."""
    begun, ended = (np.bincount(column, minlength=n_ranks) for column in (first, last))
    return np.cumsum(begun - ended)


def _map_speakers(batch: Batch, times: _Times) -> tuple[IntArray, BoolArray]:
    """Return the speaker of each unit, the same for labels mapped onto each other, and the instances that rename one.

    Labels of an instance and side are numbered; a speaker has the number of the reference's label if there is one.
    """
    width = int(batch.category.max(initial=-1)) + 2  # a unit may have no category, whose code is -1
    keys, label = np.unique((batch.instance * width + batch.category + 1) * 2 + batch.annotator, return_inverse=True)
    label = label.reshape(-1)
    n_labels = len(keys)
    instance_of_label, category_of_label = np.divmod(keys // 2, width)

    overlaps = Overlaps.of(batch)
    low = np.maximum(times.first[overlaps.reference], times.first[overlaps.system])
    high = np.minimum(times.last[overlaps.reference], times.last[overlaps.system])
    pair = label[overlaps.reference] * n_labels + label[overlaps.system]
    pairs, index = np.unique(pair, return_inverse=True)
    total = grouped_sums(index.reshape(-1), range_sums(times.steps, low, high), len(pairs))

    # Labels without time in common are not mapped onto each other.
    reference, system = np.divmod(pairs[total > 0], max(n_labels, 1))
    begin = np.searchsorted(reference, np.arange(n_labels + 1))
    edge, _, _ = kernels.match(begin, system, total[total > 0], n_labels)
    edge = edge[edge >= 0]
    reference = reference[edge]
    system = system[edge]
    speaker = np.arange(n_labels)
    speaker[system] = reference
    is_renamed = np.zeros(len(batch), dtype=np.bool_)
    is_renamed[instance_of_label[reference[category_of_label[reference] != category_of_label[system]]]] = True
    return speaker[label], is_renamed
