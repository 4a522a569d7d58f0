"""The bound from blocks of annotators is below every cost, and not far below."""

from itertools import combinations

import numpy as np
import pytest
from solver_cases import batch_of, corpus_of

import gamma_align as ga
from gamma_align.alignment import blocks
from gamma_align.alignment.blocks import block_bound
from gamma_align.alignment.candidates import Links, candidate_pairs
from gamma_align.alignment.generation import first_prices
from gamma_align.alignment.heuristic import annealed, first_alignment, total_saving
from gamma_align.alignment.limits import Deadline, Limits
from gamma_align.alignment.solve import solve


def make_instance(seed, annotators, most, **settings):
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(seed), 1, annotators, most, **settings))
    return batch, candidate_pairs(batch, bound_to), solve(batch, bound_to).cost[0]


@pytest.mark.parametrize("half", [1, 2, 3])
@pytest.mark.parametrize(("annotators", "most"), [(4, 5), (6, 4), (7, 6), (9, 3)])
def test_no_alignment_costs_less_than_the_bound(half, annotators, most, monkeypatch):
    monkeypatch.setattr(blocks, "_MAX_COLUMNS", 10**6)
    for seed in range(3):
        batch, pairs, cost = make_instance(seed, annotators, most, span=12)
        bound = block_bound(batch.annotator, pairs, half, Deadline())
        assert 0.5 * cost < bound <= cost + 1e-9


def test_the_bound_is_tighter_than_the_first_prices_of_many_annotators():
    batch, pairs, cost = make_instance(11, 12, 4, span=15)
    bound = block_bound(batch.annotator, pairs, 1, Deadline())
    assert batch.n_units - first_prices(batch, pairs).sum() < bound <= cost + 1e-9


def test_one_block_of_all_annotators_has_nearly_the_least_cost(monkeypatch):
    monkeypatch.setattr(blocks, "_SHARES", np.array([0.5, 1.0, 2.0]))
    batch, pairs, cost = make_instance(12, 4, 6)
    assert block_bound(batch.annotator, pairs, 4, Deadline()) == pytest.approx(cost, abs=1e-9)


def test_blocks_of_too_many_columns_have_no_bound(monkeypatch):
    monkeypatch.setattr(blocks, "_MAX_COLUMNS", 3)
    batch, pairs, _ = make_instance(13, 6, 5)
    assert block_bound(batch.annotator, pairs, 2, Deadline()) == -np.inf


@pytest.mark.parametrize("n_groups", [1, 2, 3, 7])
def test_blocks_are_all_pairs_of_groups(n_groups):
    """Against a table of all blocks and groups, which has no room for hundreds of annotators."""
    pairs = [*combinations(range(n_groups), 2)] or [(0, 0)]
    table = np.array([[group in pair for group in range(n_groups)] for pair in pairs])
    one, other = np.indices((n_groups, n_groups)).reshape(2, -1)
    expected = np.nonzero(table[:, one] & table[:, other])
    for column, expected_column in zip(blocks._blocks_with(one, other, n_groups), expected, strict=True):
        assert column.tolist() == expected_column.tolist()


def test_a_crowd_without_work_has_the_bound_of_its_blocks(monkeypatch):
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(14), 1, 18, 4, span=12))
    expected = solve(batch, bound_to)
    monkeypatch.setattr(Limits, "columns_for", lambda *_: np.array([1]))
    found = solve(batch, bound_to, Limits(max_work=1))
    assert not found.is_proven[0]
    assert 0.6 * expected.cost[0] < found.bound[0] <= expected.cost[0] + 1e-9
    assert found.cost[0] >= expected.cost[0] - 1e-9


def test_a_settled_stack_keeps_the_bound_of_the_other_units_valid(monkeypatch):
    corpus = corpus_of(np.random.default_rng(15), 1, 17, 3, span=10)
    name = corpus.documents[0]
    records = [(name, unit.annotator, unit.start, unit.end, unit.category) for unit in corpus[name].units()]
    stacks = [(name, f"a{annotator:02d}", start, start + 9, "x") for annotator in range(17) for start in (-9000, 9000)]
    batch, bound_to = batch_of(ga.Corpus.from_records([*records, *stacks]))
    expected = solve(batch, bound_to)
    monkeypatch.setattr(Limits, "columns_for", lambda *_: np.array([1]))
    found = solve(batch, bound_to, Limits(max_work=1))
    assert 0.5 * expected.cost[0] < found.bound[0] <= expected.cost[0] + 1e-9


def test_annealing_never_returns_a_worse_alignment():
    for seed in range(3):
        batch, bound_to = batch_of(corpus_of(np.random.default_rng(40 + seed), 1, 16, 4, span=10))
        links = Links.both_ways(candidate_pairs(batch, bound_to), batch.n_units)
        label = first_alignment(batch, links)
        found = annealed(batch, links, label)
        assert total_saving(links, found) >= total_saving(links, label)
        assert np.unique(found, return_index=True)[1].tolist() == sorted(
            np.unique(found, return_index=True)[1].tolist()
        )
