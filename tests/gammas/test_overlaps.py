"""Overlaps by chance: the exact moments against drawn samples, sums over lattices, and cases by hand."""

from __future__ import annotations

import numpy as np

import gamma_align as ga
from gamma_align.data.batch import Batch
from gamma_align.gammas.statistics import weighted_pairs


def make_batch(*units):
    """Return a batch of one instance with a unit (start, end, category) of each of several annotators."""
    start, end, category = np.array(units).T
    zeros = np.zeros(len(units), dtype=np.int64)
    annotators = np.arange(len(units))
    return Batch.build(np.array([len(units)]), zeros, annotators, start, end, category.astype(np.int64))[0]


# ---------------------------------------------------------------------------------------------- units that only touch


def test_units_that_only_touch_have_no_weight_despite_rounding():
    batch = make_batch((0.0, 0.1 + 0.2, 0), (0.3, 0.6, 0))  # 0.1 + 0.2 is 5.6e-17 more than 0.3
    pairs = weighted_pairs(batch, np.array([0, 0]), ga.Dissimilarity().bind(("x",)))
    assert len(pairs.weight) == 0


def test_units_that_overlap_a_little_have_a_weight():
    batch = make_batch((0.0, 0.3001, 0), (0.3, 0.6, 0))
    pairs = weighted_pairs(batch, np.array([0, 0]), ga.Dissimilarity().bind(("x",)))
    assert len(pairs.weight) == 1
