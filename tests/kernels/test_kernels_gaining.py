"""The kernel gaining: exactly the useful columns above the threshold, with the same bits by both kinds."""

import numpy as np
import pytest
from both_kernels import by_both, needs_compiled
from solver_cases import batch_of, corpus_of

from gamma_align import kernels
from gamma_align.alignment.candidates import FREE, candidate_pairs, useful_columns

ALL = 10**9


def make_instance(seed, annotators, most, **settings):
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(seed), 1, annotators, most, **settings))
    return batch, candidate_pairs(batch, bound_to)


def list_gaining(batch, pairs, price, threshold, keep=ALL, most=ALL):
    begin = np.searchsorted(pairs.first, np.arange(batch.n_units + 1))
    arrays = (batch.annotator, begin, pairs.second, pairs.saving, price, threshold, keep, most, FREE)
    return [np.asarray(part) for part in kernels.gaining(*arrays)]


@needs_compiled
@pytest.mark.parametrize(("annotators", "most"), [(2, 6), (3, 6), (5, 5), (7, 4)])
@pytest.mark.parametrize("threshold", [-1.0, -0.1, 0.0, 0.2])
def test_both_kinds_list_the_same_columns(annotators, most, threshold):
    batch, pairs = make_instance(annotators, annotators, most)
    for seed, keep in ((0, ALL), (1, 3), (2, 1)):
        price = np.random.default_rng(seed).random(batch.n_units)
        by_both(list_gaining, batch, pairs, price, threshold, keep)
        by_both(list_gaining, batch, pairs, np.round(price, 1), threshold, keep)


@pytest.mark.parametrize("threshold", [-0.5, 0.0, 0.3])
def test_columns_are_the_useful_ones_that_gain_more_than_the_threshold(threshold):
    batch, pairs = make_instance(3, 5, 6)
    price = np.random.default_rng(4).random(batch.n_units)
    columns, _ = useful_columns(batch, pairs, np.array([ALL]))
    gain = columns.saving - columns.sums(price)
    expected = {tuple(columns.take(np.array([at])).units.tolist()) for at in np.flatnonzero(gain > threshold)}
    offsets, units, cost, root_gain, too_many = list_gaining(batch, pairs, price, threshold)
    found = [tuple(part.tolist()) for part in np.split(units, offsets[1:-1])] if len(cost) else []
    assert len(found) == len(set(found))
    assert set(found) == expected
    assert not too_many
    best = np.full(batch.n_units, threshold)
    np.maximum.at(best, columns.first, gain)
    assert root_gain == pytest.approx(best)


def test_the_best_columns_of_each_root_are_kept():
    batch, pairs = make_instance(5, 6, 5)
    price = np.random.default_rng(6).random(batch.n_units) * 0.6
    offsets, units, cost, root_gain, _ = list_gaining(batch, pairs, price, -0.3, keep=4)
    gain = np.diff(offsets) - cost - np.add.reduceat(price[units], offsets[:-1])
    root = units[offsets[:-1]]
    assert np.bincount(root).max() == 4
    assert np.maximum.reduceat(gain, np.unique(root, return_index=True)[1]) == pytest.approx(root_gain[np.unique(root)])


def test_too_many_columns_are_reported():
    batch, pairs = make_instance(7, 5, 5)
    price = np.zeros(batch.n_units)
    n_columns = len(list_gaining(batch, pairs, price, 0.0)[2])
    assert list_gaining(batch, pairs, price, 0.0, most=n_columns)[4] == 0
    assert list_gaining(batch, pairs, price, 0.0, most=n_columns - 1)[4] == 1
