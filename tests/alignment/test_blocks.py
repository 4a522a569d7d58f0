"""The bound from blocks of annotators is below every cost, and not far below."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from solver_cases import batch_of, corpus_of
from strategies import continuum_of, larger_case

import gamma_align as ga
from gamma_align.alignment.blocks import _all_pairs, _Blocks, _plane, pair_bound, plane_bound, unit_bounds
from gamma_align.alignment.candidates import candidate_pairs
from gamma_align.alignment.limits import Deadline, Limits
from gamma_align.alignment.pricing import Budget, first_prices
from gamma_align.alignment.solve import solve, unitary_disorders


def make_instance(seed, annotators, most, **settings):
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(seed), 1, annotators, most, **settings))
    return batch, candidate_pairs(batch, bound_to), solve(batch, bound_to).cost[0]


def unlimited():
    return Budget(2**62, Deadline())


@pytest.mark.parametrize(("annotators", "most"), [(4, 5), (6, 4), (7, 6), (9, 3)])
def test_no_alignment_costs_less_than_the_bound(annotators, most):
    for seed in range(3):
        batch, pairs, cost = make_instance(seed, annotators, most, span=12)
        bounds = [plane_bound(batch, pairs, order, unlimited()) for order in (5, 3, 2, 1)]
        for bound in [pair_bound(batch, pairs), *bounds]:
            assert 0.5 * cost < bound <= cost + 1e-9


@pytest.mark.parametrize("annotators", [2, 3, 5])
def test_no_alignment_of_all_costs_less_than_the_bound(annotators):
    """Against all alignments of a few units, whatever the order."""
    for seed in range(4):
        batch, bound_to = batch_of(corpus_of(np.random.default_rng(60 + seed), 1, annotators, 2, span=6))
        pairs = candidate_pairs(batch, bound_to)
        if not len(pairs):
            continue
        cost = min(
            unitary_disorders(batch, np.array(label), bound_to).sum() for label in alignments_of(batch.annotator)
        )
        _, dense = np.unique(batch.annotator, return_inverse=True)
        dense_batch = replace(batch, annotator=dense)
        for order in (3, 2, 1):
            assert plane_bound(dense_batch, pairs, order, unlimited()) <= cost + 1e-9


def alignments_of(annotator):
    """All alignments of units of these annotators: the label of each unit is the lowest unit of its group."""
    labels = [[]]
    for unit, owner in enumerate(annotator):
        labels = [
            [*label, group]
            for label in labels
            for group in [*sorted(set(label)), unit]
            if all(label[other] != group or annotator[other] != owner for other in range(unit))
        ]
    return labels


@given(st.integers(0, 2**32), st.integers(2, 9), st.integers(1, 4), st.sampled_from([1, 2, 3]))
def test_no_best_alignment_costs_less_than_the_bound(seed, annotators, most, order):
    case = larger_case(np.random.default_rng(seed), annotators, most)
    batch, bound_to = batch_of(ga.Corpus.from_continua([continuum_of(case)]))
    solution, pairs = solve(batch, bound_to), candidate_pairs(batch, bound_to)
    bounds = unit_bounds(batch, pairs), unit_bounds(batch, pairs, unlimited())
    if len(pairs):
        _, dense = np.unique(batch.annotator, return_inverse=True)
        bounds = (*bounds, np.array([plane_bound(replace(batch, annotator=dense), pairs, order, unlimited())]))
    for bound in bounds:
        assert bound.sum() <= solution.cost[0] + 1e-9


def test_larger_blocks_have_a_tighter_bound():
    """Twelve annotators: the pairs, then blocks of two and more annotators; column generation starts without them."""
    batch, pairs, cost = make_instance(11, 12, 4, span=15)
    bounds = [pair_bound(batch, pairs), *(plane_bound(batch, pairs, order, unlimited()) for order in (5, 3, 2, 1))]
    assert batch.n_units - first_prices(batch, pairs).sum() < bounds[0]
    assert bounds == sorted(bounds)
    assert 0.95 * cost < bounds[-1] <= cost + 1e-9


def test_shares_follow_the_units():
    """The lines through the point of two annotators with many units get nearly all shares."""
    few = [("d", f"a{annotator}", 50 * place, 50 * place + 5, "x") for annotator in range(7) for place in range(2)]
    many = [("d", name, 1000 + 50 * place, 1005 + 50 * place, name) for name in "pq" for place in range(9)]
    batch, bound_to = batch_of(ga.Corpus.from_records([*few, *many]))
    blocks = _Blocks(batch, candidate_pairs(batch, bound_to), _plane(2))
    shares = blocks.best_shares()
    assert shares.sum() == pytest.approx(1.0)
    assert np.sort(shares)[-3:].sum() > 0.99


def test_work_is_limited_and_the_bound_stays_valid():
    batch, pairs, cost = make_instance(13, 16, 3)
    for work in (1, 1_000, 100_000):
        budget = Budget(work, Deadline())
        assert unit_bounds(batch, pairs, budget).sum() <= cost + 1e-9
        assert budget.remaining < work
    spent = Budget(0, Deadline())
    assert unit_bounds(batch, pairs, spent).sum() == -np.inf


@pytest.mark.parametrize("order", [1, 2, 3, 5, 7, 11, 13])
def test_every_two_points_of_a_plane_are_on_one_line(order):
    geometry = _plane(order)
    n_points = order * order + order + 1
    assert geometry.lines_at.shape == (n_points, order + 1)
    is_on = np.zeros((n_points, n_points), dtype=np.int64)
    is_on[geometry.lines_at, np.arange(n_points)[:, None]] = 1
    common = is_on.T @ is_on
    assert (common == np.where(np.eye(n_points), order + 1, 1)).all()
    for one, other in combinations(range(n_points), 2):
        line = geometry.line_of[one, other]
        assert line == geometry.line_of[other, one]
        assert is_on[line, one]
        assert is_on[line, other]


@pytest.mark.parametrize("annotators", [3, 10, 18])
def test_each_pair_of_units_is_divided_among_its_blocks(annotators):
    batch, pairs, _ = make_instance(19, annotators, 3)
    for geometry in (_all_pairs(annotators), _plane(2), _plane(3)):
        blocks = _Blocks(batch, pairs, geometry)
        assert blocks._pairs.saving.sum() == pytest.approx(pairs.saving.sum())
        assert (blocks._block[blocks._pairs.first] == blocks._block[blocks._pairs.second]).all()
        annotator = blocks._batch.annotator
        assert (annotator[blocks._pairs.first] < annotator[blocks._pairs.second]).all()


def test_a_crowd_without_work_has_the_bound_of_its_blocks(monkeypatch):
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(14), 1, 18, 4, span=12))
    expected = solve(batch, bound_to)
    monkeypatch.setattr(Limits, "columns_for", lambda *_: np.array([1]))
    found = solve(batch, bound_to, Limits(max_work=1))
    assert not found.is_proven[0]
    assert 0.6 * expected.cost[0] < found.bound[0] <= expected.cost[0] + 1e-9
    assert found.cost[0] >= expected.cost[0] - 1e-9


def test_far_stacks_keep_the_bound_of_the_other_units_valid(monkeypatch):
    corpus = corpus_of(np.random.default_rng(15), 1, 17, 3, span=10)
    name = corpus.documents[0]
    records = [(name, unit.annotator, unit.start, unit.end, unit.category) for unit in corpus[name].units()]
    stacks = [(name, f"a{annotator:02d}", start, start + 9, "x") for annotator in range(17) for start in (-9000, 9000)]
    batch, bound_to = batch_of(ga.Corpus.from_records([*records, *stacks]))
    expected = solve(batch, bound_to)
    monkeypatch.setattr(Limits, "columns_for", lambda *_: np.array([1]))
    found = solve(batch, bound_to, Limits(max_work=1))
    assert 0.5 * expected.cost[0] < found.bound[0] <= expected.cost[0] + 1e-9
