"""Rounds of soft prices, and searches of the columns of small loss."""

from __future__ import annotations

import itertools
from itertools import pairwise

import numpy as np
import pytest
from solver_cases import batch_of, corpus_of

from gamma_align.alignment import partition as rounds
from gamma_align.alignment.candidates import candidate_pairs, useful_columns
from gamma_align.alignment.limits import Limits
from gamma_align.alignment.partition import NearSearch
from gamma_align.alignment.search import PartSearch
from gamma_align.alignment.solve import solve


def case(seed, documents=4, annotators=4, most=7, *, is_reversed=False):
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(seed), documents, annotators, most, span=20))
    if is_reversed:
        batch = batch.take(np.arange(documents)[::-1])
    columns, too_many = useful_columns(batch, candidate_pairs(batch, bound_to), np.full(len(batch), 10**9))
    assert not too_many.any()
    return batch, bound_to, columns


def test_each_round_of_soft_prices_takes_longer_and_smooths_less():
    stages = rounds._ROUNDS
    widths = [rounds._FIRST_WIDTH * stage.ratio**stage.steps for stage in stages]
    for (earlier, later), (wider, narrower) in zip(pairwise(stages), pairwise(widths), strict=True):
        assert later.steps > earlier.steps
        assert later.max_work >= earlier.max_work
        assert later.max_final_work >= earlier.max_final_work
        assert later.max_losses[-1] == earlier.max_losses[-1]
        assert 0 < narrower < wider
    for stage in stages:
        assert stage.max_losses == tuple(sorted(stage.max_losses))
        assert stage.max_work < stage.max_final_work


def prices_of(batch, columns):
    return rounds._soft_prices(columns, batch.n_units, stage=rounds._ROUNDS[0])


def searched(batch, columns, *searches):
    """Return a search after these steps (max_loss, max_work), in which each document is a part."""
    price = prices_of(batch, columns)
    index = np.arange(batch.n_units) - batch.offsets[batch.instance]
    work = PartSearch(columns, index, price, columns.losses(price))
    search = NearSearch(work, batch.instance, batch.instance[columns.first])
    for max_loss, max_work in searches:
        search.search(max_loss, np.full(len(search.is_solved), max_work))
    return search


@pytest.mark.parametrize("searches", [[(0.3, 10**6)], [(0.02, 10**6), (0.3, 10**6)], [(0.02, 400), (0.3, 10**6)]])
def test_parts_that_are_searched_together_have_the_results_of_each_alone(searches):
    together = {True: 0, False: 0}
    for seed in range(8):
        batch, _, columns = case(seed)
        search = searched(batch, columns, *searches)
        instance = batch.instance[columns.first]
        for part in range(len(batch)):
            rows = np.flatnonzero(instance == part)
            own = columns.take(rows)
            alone = searched(batch.take(np.array([part])), own.with_units(own.units - batch.offsets[part]), *searches)
            assert alone.min_loss[0] == pytest.approx(search.min_loss[part], abs=1e-12)
            assert alone.max_loss[0] == search.max_loss[part]
            assert alone.is_solved[0] == search.is_solved[part]
            assert rows[alone.selected].tolist() == sorted(search.selected[instance[search.selected] == part].tolist())
            together[bool(alone.is_solved[0])] += 1
    assert together[True] > 0


def test_solved_part_is_not_searched_again_and_does_not_change_the_others():
    is_mixed = is_first_open = 0
    for seed, is_reversed in itertools.product((7, 9, 10, 11), (False, True)):
        batch, _, columns = case(seed, is_reversed=is_reversed)
        first = searched(batch, columns, (0.01, 10**6))
        both = searched(batch, columns, (0.01, 10**6), (0.3, 10**6))
        solved = first.is_solved
        assert (both.max_loss == np.where(solved, 0.01, 0.3)).all()
        assert (both.min_loss[solved] == first.min_loss[solved]).all()
        one = searched(batch, columns, (0.3, 10**6))
        assert both.min_loss[~solved] == pytest.approx(one.min_loss[~solved], abs=1e-12)
        is_mixed += solved.any() and not solved.all()
        is_first_open += solved.any() and not solved[0]
    assert is_mixed > 2
    assert is_first_open > 2


@pytest.mark.parametrize("max_work", [0, 30])
def test_part_without_a_selection_is_left_to_the_next_round(max_work, monkeypatch):
    batch, bound_to, _ = case(3, documents=8)
    best = solve(batch, bound_to)
    early = [stage._replace(max_work=max_work) for stage in rounds._ROUNDS]
    monkeypatch.setattr(rounds, "_ROUNDS", tuple(early))
    again = solve(batch, bound_to)
    assert again.is_proven.all()
    assert again.cost == pytest.approx(best.cost, abs=1e-9)
    assert (again.group == best.group).all()


def test_part_without_a_selection_is_not_accepted_as_near_enough(monkeypatch):
    batch, bound_to, _ = case(3, documents=8)
    monkeypatch.setattr(rounds, "_COSTLY_COLUMNS", 0)
    monkeypatch.setattr(rounds, "_ROUNDS", tuple(stage._replace(max_work=0) for stage in rounds._ROUNDS))
    bracket = solve(batch, bound_to, Limits(gap=0.02))
    assert (bracket.cost - bracket.bound <= 0.02 * bracket.cost).all()
