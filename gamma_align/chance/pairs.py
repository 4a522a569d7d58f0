"""Pairs of annotators as a control variate of the expected disorder of three and more annotators.

The best alignment of three or more annotators is costly. The best alignments of every two of them are not, and the
mean of what they save is correlated with the disorder of all. If the expectation of that mean is known, a regression
on it removes most of the variance of δ_e (`gamma_align.inference.means`).

What a pair saves
-----------------
Two units that are aligned save c - d/Δ compared with two units alone; units with d ≥ c·Δ stay alone. Two annotators
alone have c = 2. Among n rows two units stay together up to C(n, 2) + 1 if no third unit joins them, and up to
1 + n/2 if their groups are full. c = 3 explains most of the variance from sparse documents to dense ones of up to 15
annotators: it is better than 2 in 39 of 42 documents of eight corpora. With s the greatest saving of a pair of rows,
n rows and U units in a sample, the control variate of a sample is

    x = (mean of s over the pairs of rows) · n/U.

Its expectation
---------------
Two rows i, j of a shift sample have the units of two annotators a, b drawn with replacement, at a uniform turn and at a
distance r, independent of all other units but for their number S. So

    E[x] = Σ_ab s̄_ab · E[n/(u_a + u_b + S)] / A² / (1 - P(no unit)),

with A annotators to draw from, u units of an annotator, and s̄_ab the mean of s over r and the turn. The second factor
is a finite sum. s̄ is a mean over `N_POINTS` *points*: a point has one r and a turn for every two annotators.

The distance r
--------------
If k of the n spaces between neighbouring offsets lie between the two rows, r = k·D + G with D the minimum distance, and
all k are equally likely. Choose one of the n - 1 positions that divide the freedom F = R - n·D into the spaces: it is
uniform, G is its distance from the first row, and k - 1 of the other n - 2 positions are closer. So r is drawn by
drawing a uniform number first, and this number is stratified, with two points in each stratum. Their difference shows
the variance within it.

References
----------
Owen, Monte Carlo theory, methods and examples, ch. 8.4 (stratification), 8.9 (control variates).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamma_align.alignment import FREE, TooManyPairsError, chunks_in_memory, near_pairs
from gamma_align.chance.sampler import OffsetLaw, ShiftSampler, Slots, distinct_integers
from gamma_align.columns import BoolArray, FloatArray, IntArray, chunks, grouped_sums, ordered_sum, ranges
from gamma_align.data import Batch, Corpus
from gamma_align.distances import PairDissimilarity
from gamma_align.inference import ControlMeans, stratified_means
from gamma_align.kernels import match

MIN_ANNOTATORS_FOR_PAIRS = 3  # with two, the pair is the sample
# Below, most samples have the same residual, so that intervals cover .15 to .95 with 16 samples.
MIN_UNITS_FOR_PAIRS = 9

_SAVING_CAP = 3.0  # c, in units of Δ
_MAX_PAIRS = 120  # of annotators: all pairs of fifteen; of more annotators, this number is drawn
# Of each document, two in each stratum. The error of E[x] is then a seventh to three quarters of the error that δ_e may
# have at 2 %, least in large documents: in nine chapters and a novel of 13 to 568 units of three to seven annotators.
N_POINTS = 64
_N_STRATA = N_POINTS // 2
_CHUNK_UNITS = 200_000
_CHUNK_NODES = 1_000_000
# Attempts of a sample count from 0. Points have random numbers of their own.
_NUMBERS_PER_BLOCK = 4  # of the generator
_STRATUM_STREAM, _SPACES_STREAM, _TURN_STREAM = (2**32 + stream for stream in range(3))


def can_pair(corpus: Corpus, n_units: IntArray, *, integer_offsets: bool | None) -> BoolArray:
    """Return the documents whose pairs can serve as a control variate of shift samples, shape (n_documents,).

    They have three annotators or more and enough units: `n_units` is the number that samples are made of. If offsets
    are integers and the ends of the extent are not, turns do not move all units alike.
    """
    has_annotators = corpus.n_annotators >= MIN_ANNOTATORS_FOR_PAIRS
    if not np.count_nonzero(has_annotators):
        return has_annotators
    low, high = corpus.extents.T
    has_integer_ends = (low == np.floor(low)) & (high == np.floor(high))
    is_circular = (high > low) & (has_integer_ends if integer_offsets else True)
    is_possible: BoolArray = is_circular & has_annotators & (n_units >= MIN_UNITS_FOR_PAIRS)
    return is_possible


def control_values(batch: Batch, dissimilarity: PairDissimilarity) -> FloatArray:
    """Return x of each instance, NaN without units. All instances have two annotators or more."""
    n = batch.n_annotators
    with np.errstate(divide="ignore", invalid="ignore"):
        values: FloatArray = _savings(batch, dissimilarity) / (n * (n - 1) / 2) / batch.mean_units
    return values


def _savings(batch: Batch, dissimilarity: PairDissimilarity) -> FloatArray:
    """Return the sum of the savings of all pairs of annotators of each instance, each pair aligned alone."""
    savings = np.zeros(len(batch))
    nodes = np.diff(batch.offsets) * batch.n_annotators
    chunked = (np.arange(first, last) for first, last in chunks(nodes.astype(np.float64), _CHUNK_NODES))
    for instances in chunks_in_memory(chunked, batch, dissimilarity):
        savings[instances] = _savings_of_chunk(batch.take(instances), dissimilarity)
    return savings


def _savings_of_chunk(batch: Batch, dissimilarity: PairDissimilarity) -> FloatArray:
    """Return `_savings` of a chunk of instances, by one matching of copies of the units.

    Each unit has a copy for every annotator that it may be paired with.
    """
    first, second, distance = near_pairs(batch, dissimilarity, np.full(len(batch), _SAVING_CAP))
    saving = _SAVING_CAP - distance
    is_useful = saving > FREE
    first = first[is_useful]
    second = second[is_useful]
    saving = saving[is_useful]
    width = int(batch.n_annotators.max(initial=0))
    node = first * width + batch.annotator[second]
    partner = second * width + batch.annotator[first]
    order = node.argsort(kind="stable")
    n_nodes = batch.n_units * width
    begin = np.concatenate([[0], np.bincount(node, minlength=n_nodes).cumsum()])
    edge, _, _ = match(begin, np.ascontiguousarray(partner[order]), saving[order], n_nodes)
    selected = order[edge[edge >= 0]]
    return grouped_sums(batch.instance[first[selected]], saving[selected], len(batch))


# --------------------------------------------------------------------------------------------------------- expectation


def control_means(sampler: ShiftSampler, documents: IntArray, dissimilarity: PairDissimilarity) -> ControlMeans:
    """Return E[x] of these documents, each of which has `can_pair`; it depends only on the seed and the document."""
    group = np.arange(len(documents)).repeat(N_POINTS)
    numbers = ranges(0, np.full(len(documents), N_POINTS))
    document = documents[group]
    fresh = sampler.point_numbers(document, np.zeros_like(numbers), numbers, _STRATUM_STREAM)[:, 0]
    uniform = (numbers // 2 + fresh) / _N_STRATA
    value = np.zeros(len(document))
    choices = sampler.slots.n_choices[document]
    drawn_units = np.bincount(sampler.slots.document, minlength=len(sampler.slots.n_choices))[document]
    for first, last in chunks(drawn_units * np.minimum(choices + 1.0, 2.0 * _MAX_PAIRS), _CHUNK_UNITS):
        points = slice(first, last)
        pairs = _PairsOfPoints.of(sampler, document[points], numbers[points], uniform[points])
        try:
            savings = _savings(_pairs_moved(sampler, pairs), dissimilarity)
        except TooManyPairsError as error:
            error.instance = int(group[first + int(pairs.point[error.instance])])
            raise
        value[points] = grouped_sums(pairs.point, pairs.weight * savings, last - first)
    return stratified_means(group[::2], value[::2], value[1::2], len(documents))


class _PairsOfPoints(NamedTuple):
    """The pairs of annotators of points, shape (n_pairs,).

    `point` and `document` of each, the two slots, the weight of what they save, and the law and values of their
    offsets: the turn of the first and the distance r of the second.
    """

    point: IntArray
    document: IntArray
    first: IntArray
    second: IntArray
    weight: FloatArray
    turn: FloatArray
    distance: FloatArray

    @classmethod
    def of(cls, sampler: ShiftSampler, documents: IntArray, numbers: IntArray, uniform: FloatArray) -> _PairsOfPoints:
        """Return all pairs of annotators of each point, or random ones up to the limit of a point."""
        slots = sampler.slots
        n_choices = slots.n_choices[documents]
        n_all = n_choices * (n_choices + 1) // 2
        n_pairs = np.minimum(n_all, _MAX_PAIRS)
        point = np.arange(len(documents)).repeat(n_pairs)
        index = ranges(0, n_pairs)
        document = documents[point]
        number = numbers[point]
        n = n_choices[point]
        random_numbers = sampler.point_numbers(document, index, number, _TURN_STREAM)
        first, second = _all_pairs(n_choices, n_pairs)
        is_drawn = (n_all > n_pairs)[point]
        first = np.where(is_drawn, (random_numbers[:, 1] * n).astype(np.int64), first)
        second = np.where(is_drawn, (random_numbers[:, 2] * n).astype(np.int64), second)
        # Both orders of two annotators, one of an annotator with itself.
        share = np.where(first == second, 1.0, 2.0) / n.astype(np.float64) ** 2
        share = np.where(is_drawn, 1.0 / n_pairs[point], share)
        begin = slots.first_choice[document]
        first = slots.choices[begin + first]
        second = slots.choices[begin + second]
        law = sampler.offset_law(document)
        n_units = slots.counts(first) + slots.counts(second)
        weight = share * _unit_factors(slots, law.n_rows, document, n_units)
        # The pairs of a point have places all around, so that their sum depends little on the place of the point.
        pair_uniform = uniform[point] + index / n_pairs[point]
        pair_uniform -= np.floor(pair_uniform)
        distance = _distances(sampler, law, document, number, index, pair_uniform)
        turn = random_numbers[:, 0] * law.span
        turn = np.where(law.integer, np.floor(turn), turn)
        return cls(point, document, first, second, weight, turn, distance)


def _distances(
    sampler: ShiftSampler, law: OffsetLaw, document: IntArray, number: IntArray, index: IntArray, uniform: FloatArray
) -> FloatArray:
    """Return the distance r of each pair of annotators (see the module); `index` is its index in the point."""
    free = law.span - law.n_rows * law.distance
    is_distinct = law.integer & ~law.can_coincide
    n_positions = np.where(is_distinct, free + law.n_rows - 1.0, free)
    position = uniform * n_positions
    position = np.where(law.integer, np.floor(position), position)
    closer = np.zeros(len(uniform))
    for n in np.unique(law.n_rows).tolist():
        rows = (law.n_rows == n).nonzero()[0]
        blocks = [
            sampler.point_numbers(document[rows], index[rows], number[rows], _SPACES_STREAM, block)
            for block in range(-(-(n - 2) // _NUMBERS_PER_BLOCK))
        ]
        random_numbers = np.concatenate(blocks, axis=1)[:, : n - 2]
        # Whole positions are distinct, and the own one is left out of the numbering of the others.
        integer_positions = distinct_integers(random_numbers, free[rows])
        other_positions = np.where(law.integer[rows, None], integer_positions, random_numbers * n_positions[rows, None])
        closer[rows] = (other_positions < position[rows, None]).sum(axis=1)
    distance: FloatArray = position - np.where(is_distinct, closer, 0.0) + (closer + 1.0) * law.distance
    return distance


def _all_pairs(n_choices: IntArray, n_pairs: IntArray) -> tuple[IntArray, IntArray]:
    """Return the pairs a ≤ b of 0 … n - 1 for each n, and the first `n_pairs` of them, shape (Σ n_pairs,)."""
    first, second = np.zeros((2, int(n_pairs.sum())), dtype=np.int64)
    begin = n_pairs.cumsum() - n_pairs
    for n in np.unique(n_choices).tolist():
        points = (n_choices == n).nonzero()[0]
        low, high = (side[: n_pairs[points[0]]] for side in np.triu_indices(n))
        rows = begin[points][:, None] + np.arange(len(low))
        first[rows] = low
        second[rows] = high
    return first, second


def _unit_factors(slots: Slots, n_rows: IntArray, document: IntArray, n_units: IntArray) -> FloatArray:
    """Return E[n/(u + S)] / (1 - P(no unit)) for pairs of annotators with u units; 0 if u is 0.

    All arrays have an entry for each pair.
    """
    width = int(n_units.max(initial=0)) + 1
    keys, first, index = np.unique(document * width + n_units, return_index=True, return_inverse=True)
    factors = np.zeros(len(keys))
    key_document = keys // width
    key_units = keys % width
    for one in np.unique(key_document).tolist():
        rows = ((key_document == one) & (key_units > 0)).nonzero()[0]
        n = int(n_rows[first[key_document.searchsorted(one)]])
        begin = slots.first_choice[one]
        counts = slots.counts(slots.choices[begin : begin + slots.n_choices[one]])
        law = _law_of_sum(counts, n - 2)
        chance_of_units = 1.0 - _power(float(np.mean(counts == 0)), n)
        for row in rows.tolist():
            factors[row] = n * ordered_sum(law / (key_units[row] + np.arange(len(law)))) / chance_of_units
    return factors[index]


def _law_of_sum(counts: IntArray, n: int) -> FloatArray:
    """Return the probabilities of 0, 1, … as a sum of n of the `counts`, drawn with replacement."""
    values, multiplicity = np.unique(counts, return_counts=True)
    law = np.ones(1)
    for _ in range(n):
        longer = np.zeros(len(law) + int(values[-1]))
        for value, share in zip(values.tolist(), (multiplicity / len(counts)).tolist(), strict=True):
            longer[value : value + len(law)] += share * law
        law = longer
    return law


def _power(base: float, exponent: int) -> float:
    """Return a power by multiplication, which rounds alike on every machine."""
    result = 1.0
    for _ in range(exponent):
        result *= base
    return result


def _pairs_moved(sampler: ShiftSampler, pairs: _PairsOfPoints) -> Batch:
    """Return an instance for each pair of annotators."""
    n_pairs = len(pairs.point)
    return sampler.moved(
        pairs.document.repeat(2),
        np.full(n_pairs, 2),
        np.arange(n_pairs).repeat(2),
        np.tile([0, 1], n_pairs),
        np.stack([pairs.first, pairs.second], axis=1).ravel(),
        np.stack([pairs.turn, pairs.turn + pairs.distance], axis=1).ravel(),
    )
