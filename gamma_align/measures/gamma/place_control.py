"""A control variate for the categorial disorder of two annotators: what the place of a sample tells about it.

The place of a sample (see `sampler`) tells which annotators its two rows have, and the gap g between them. With both it
is known which units overlap on the circle, unless the extent happens to begin between them. Most of these pairs are
aligned if units cover little of the extent, so that the disorder of the sample, δ_cat, is close to the ratio

    X(g) = Σ w · d_cat / Σ w   over all pairs of units that overlap, w being their pairing confidence.

X is computed for gaps at equal steps, and counts for all gaps up to the next one. So it is a function of the place, and
its mean over all places is known without a sample. If X is known at n of N places and μ is its mean there, then

    U = X - μ at places with X, and 0 at others

has the mean 0, and δ_e ≈ (mean of δ_cat over n) - (mean of U over N) · N/n is unbiased. In 40 texts of 20 to 50
units, it leaves .05 to .5 of the variance that Z (see `categorial`) leaves if units cover up to a quarter of the
extent, and .6 to .9 if they cover all of it. X takes some time, and is computed only if samples are too few with Z.

References
----------
Owen, Monte Carlo theory, methods and examples, ch. 8.9 (control variates).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gamma_align import kernels
from gamma_align.columns import FloatArray, IntArray, ordered_sum
from gamma_align.measures.gamma.sampler import ShiftSampler
from gamma_align.measures.gamma.statistics import position_factor

if TYPE_CHECKING:
    from gamma_align.measures.gamma.gamma_settings import GammaSettings

# Gaps for which X is computed, for each mean length of a unit. With three, a half more variance is left, or twice as
# much in very sparse texts; with twelve 5 % less, which takes twice the time.
_STEPS_PER_LENGTH = 5
# The annotators of both rows by kind, the chance of a kind, and the share of its gaps: the lower half if the rows have
# the same annotator.
_FIRST, _SECOND = (0, 0, 1), (0, 1, 1)
_CHANCES_OF_KINDS, _SHARES_OF_GAPS = np.array([0.25, 0.5, 0.25]), np.array([0.5, 1.0, 0.5])
# The number of gaps grows with units/coverage, the extent in mean lengths of a unit. Some 60,000 take .4 ms or more.
_MAX_UNITS_PER_COVERAGE = 10_000
# X is computed of all pairs of units, and takes about as long as three samples for each unit; a further batch takes as
# long as a hundred samples more than those that it has.
_SAMPLES_PER_UNIT, _SAMPLES_PER_BATCH = 3, 100
_MAX_COVERAGE = 0.5  # beyond it, U leaves most of the variance that Z leaves


def saves_time(units: int, coverage: float, n_samples: int) -> bool:
    """Return whether U is likely to take less time than a batch of this number of samples, which it is likely to save.

    `units` is their number, and `coverage` the share of the extent that the units of one annotator cover, on average.
    """
    covers_little = units / _MAX_UNITS_PER_COVERAGE < coverage < _MAX_COVERAGE
    return covers_little and n_samples + _SAMPLES_PER_BATCH > _SAMPLES_PER_UNIT * units


class PlaceControl(NamedTuple):
    """U of the only document of a corpus, for the document and then for each of its categories.

    The gaps are numbers from 0 to `n_gaps`, and a step is `step` wide. `units` and `begin` are as the kernel
    `overlap_ratios` takes them; annotator i has the units from `bounds[i]` to `bounds[i + 1]`. `entries` are the rows
    of the kernel's sums that belong to the document and its categories.
    """

    sampler: ShiftSampler
    document: IntArray
    bounds: list[int]
    units: tuple[FloatArray, FloatArray, IntArray, FloatArray]  # start, length, label, d_cat/Δ
    n_labels: int
    span: float
    begin: float
    n_gaps: float
    step: float
    factor: float
    entries: IntArray
    empty_is_one: bool

    @classmethod
    def of(
        cls,
        sampler: ShiftSampler,
        categories: tuple[str, ...],
        settings: GammaSettings,
        document: int,
        category_k: IntArray,
    ) -> PlaceControl:
        """Return the control of a document of two annotators who have units; `category_k` are its categories."""
        slots, only = sampler.slots, np.array([document])
        law, labels = sampler.offset_law(only), slots.labels(settings.dissimilarity, categories)
        facts = law.low, law.span, law.distance, law.integer, labels.n_labels[only], labels.first_label[only]
        low, span, distance, is_integer, n_labels, first_label = (column.tolist()[0] for column in facts)
        first_slot = int(slots.choices[slots.first_choice[document]])
        bounds = slots.offsets[first_slot : first_slot + 3].tolist()
        start, length = np.mod(slots.start - low, span), slots.end - slots.start
        step = ordered_sum(length[bounds[0] : bounds[2]]) / (bounds[2] - bounds[0]) / _STEPS_PER_LENGTH
        n_gaps, middle = span - 2.0 * distance, step / 2.0  # X is computed in the middle of a step
        if is_integer:
            step = max(math.floor(step), 1.0)
            n_gaps, middle = math.floor(n_gaps) + 1.0, math.floor((step - 1.0) / 2.0)
        table = int(labels.table[document])
        codes = labels.category[first_label : first_label + n_labels]
        return cls(
            sampler,
            only,
            bounds,
            units=(start, length, labels.label, labels.distance[table : table + n_labels**2]),
            n_labels=n_labels,
            span=span,
            begin=distance + middle,
            n_gaps=n_gaps,
            step=step,
            factor=position_factor(settings.dissimilarity.bind(categories), settings.confidence),
            entries=np.append(0, 1 + codes.searchsorted(category_k)),
            empty_is_one=settings.empty_samples == "one",
        )

    def of_samples(self, number: IntArray, strata: int) -> FloatArray:
        """Return U of samples with these numbers, drawn in strata, shape (n_entries, n_samples)."""
        gaps = self.n_gaps * _SHARES_OF_GAPS
        n_steps = np.ceil(gaps / self.step).astype(np.int64)
        kind, share = self.sampler.places(self.document.repeat(len(number)), number, strata)
        at = np.minimum((share * (self.n_gaps / self.step)).astype(np.int64), n_steps[kind] - 1)
        rows = [
            [*self.bounds[i : i + 2], *self.bounds[j : j + 2], n]
            for i, j, n in zip(_FIRST, _SECOND, n_steps.tolist(), strict=True)
        ]
        ratios, sums = kernels.overlap_ratios(
            np.array(rows, dtype=np.int64).ravel(),
            gaps / self.step - (n_steps - 1),  # the last step may be shorter
            kind,
            at,
            *self.units,
            self.n_labels,
            self.span,
            self.begin,
            self.step,
            self.factor,
        )
        chances = (_CHANCES_OF_KINDS * self.step / gaps)[:, None, None] * sums.reshape(3, self.n_labels + 1, 2)
        total, chance = (chances[0] + chances[1] + chances[2])[self.entries].T
        ratio = ratios.T[self.entries]
        if self.empty_is_one:  # and so is a place without X
            ratio, mean = np.where(np.isnan(ratio), 1.0, ratio), total + (1.0 - chance)
            centred: FloatArray = ratio - mean[:, None]
            return centred
        mean = np.divide(total, chance, out=np.zeros(len(total)), where=chance > 0)  # units may never overlap
        return np.where(np.isnan(ratio), 0.0, ratio - mean[:, None])
