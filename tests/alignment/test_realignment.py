"""Alignments from known prices: the same ones as without, proven, and without solving what hardly changed."""

import numpy as np
import pytest
from both_kernels import needs_compiled
from solver_cases import batch_of, corpus_of

from gamma_align import kernels
from gamma_align.alignment import solve as solving
from gamma_align.alignment.candidates import candidate_pairs
from gamma_align.alignment.limits import ORTOOLS, Limits
from gamma_align.alignment.realignment import realign
from gamma_align.alignment.solve import cost_bounds, solve
from gamma_align.data.batch import Batch


@pytest.fixture(autouse=True)
def _list_all_by_price(monkeypatch):
    """Only instances whose columns are listed by price have prices."""
    monkeypatch.setattr(solving, "_LARGE_PAIRS", 1)
    monkeypatch.setattr(solving, "_LARGE_PAIRS_PER_UNIT", 0)


def long_documents(seed, annotators=4, span=400):
    return batch_of(corpus_of(np.random.default_rng(seed), 2, annotators, 150, span=span))


def changed(batch, prices, n, rng, n_categories=2):
    """Return the batch with n units relabelled, n dropped and n added, and the prices of the units that are left."""
    rows = rng.permutation(batch.n_units)
    relabelled, dropped, copied = rows[:n], rows[n : 2 * n], rows[2 * n : 3 * n]
    category = batch.category.copy()
    category[relabelled] = (category[relabelled] + 1) % n_categories
    known = prices.copy()
    known[relabelled] = np.nan
    kept = np.setdiff1d(np.arange(batch.n_units), dropped)
    units = np.concatenate([kept, copied])
    start, end = batch.start[units].copy(), batch.end[units].copy()
    start[len(kept) :] += 0.5
    end[len(kept) :] += 0.75
    known = np.concatenate([known[kept], np.full(n, np.nan)])
    arrays = (batch.instance[units], batch.annotator[units], start, end, category[units])
    result, order = Batch.build(batch.n_annotators, *arrays)
    return result, known[order]


@pytest.mark.parametrize(("annotators", "span"), [(3, 400), (4, 400), (5, 1500)])
def test_a_document_with_few_new_units_is_aligned_as_if_nothing_were_known(annotators, span, monkeypatch):
    rng = np.random.default_rng(annotators)
    batch, dissimilarity = long_documents(30 + annotators, annotators, span)
    first = solve(batch, dissimilarity)
    assert np.isfinite(first.prices).mean() > 0.9
    later, known = changed(batch, first.prices, 3, rng)
    expected = solve(later, dissimilarity)
    monkeypatch.setattr(solving, "_solve_chunk", lambda *_, **__: pytest.fail("it was solved anew"))
    found = solve(later, dissimilarity, known_prices=known)
    assert found.is_proven.all()
    assert (found.group == expected.group).all()
    assert found.cost == pytest.approx(expected.cost, abs=1e-9)


def test_prices_stay_known_from_change_to_change():
    rng = np.random.default_rng(5)
    batch, dissimilarity = long_documents(41)
    prices = solve(batch, dissimilarity).prices
    for _ in range(6):
        batch, known = changed(batch, prices, 2, rng)
        found = solve(batch, dissimilarity, known_prices=known)
        assert (found.group == solve(batch, dissimilarity).group).all()
        assert found.is_proven.all()
        prices = found.prices


def test_bounds_from_known_prices_are_below_the_cost_and_their_prices_lead_to_the_same_alignment():
    batch, dissimilarity = long_documents(43)
    batch, known = changed(batch, solve(batch, dissimilarity).prices, 3, np.random.default_rng(9))
    bounds, prices = cost_bounds(batch, dissimilarity, Limits(), known)
    plain, found = (solve(batch, dissimilarity, known_prices=known_prices) for known_prices in (known, prices))
    assert np.isnan(known).any()
    assert not np.isnan(prices).any()
    assert (bounds <= plain.cost + 1e-9).all()
    assert (bounds >= 0.95 * plain.cost).all()
    assert (found.group == plain.group).all()
    assert found.prices.tolist() == plain.prices.tolist()
    nothing, _ = cost_bounds(batch, dissimilarity, Limits(), np.full(batch.n_units, np.nan))
    assert not nothing.any()


@pytest.mark.parametrize("seed", range(8))
def test_any_prices_prove_the_right_alignment_or_none(seed):
    rng = np.random.default_rng(seed)
    batch, dissimilarity = batch_of(corpus_of(rng, 6, 4, 8, span=40))
    expected = solve(batch, dissimilarity)
    known = np.where(rng.random(batch.n_units) < 0.1, np.nan, expected.prices + rng.normal(0.0, 0.02, batch.n_units))
    found = solve(batch, dissimilarity, known_prices=known)
    assert (found.group == expected.group).all()
    assert found.is_proven.all()
    assert found.cost == pytest.approx(expected.cost, abs=1e-9)
    realigned = realign(batch, candidate_pairs(batch, dissimilarity), known, Limits())
    bound = np.bincount(batch.instance, realigned.unit_bound, len(batch))
    assert (bound <= expected.cost + 1e-9).all()
    assert bound[realigned.is_proven] == pytest.approx(expected.cost[realigned.is_proven], abs=1e-9)


def test_ties_are_broken_as_if_nothing_were_known():
    # Every unit of a grid with the same labels has many alignments of the same disorder.
    n, width = 4, 60
    position = np.tile(np.arange(width, dtype=float), n)
    annotator = np.repeat(np.arange(n), width)
    category = np.random.default_rng(7).integers(0, 3, n * width)
    arrays = (np.zeros(n * width, dtype=np.int64), annotator, position, position + 1, category)
    batch, _ = Batch.build(np.array([n]), *arrays)
    _, dissimilarity = batch_of(corpus_of(np.random.default_rng(1), 1, 3, 3))
    first = solve(batch, dissimilarity)
    later, known = changed(batch, first.prices, 5, np.random.default_rng(8), n_categories=3)
    found = solve(later, dissimilarity, known_prices=known)
    assert (found.group == solve(later, dissimilarity).group).all()


def test_what_is_hardly_known_is_solved_anew(monkeypatch):
    batch, dissimilarity = long_documents(43)
    known = np.where(np.arange(batch.n_units) % 3 == 0, np.nan, solve(batch, dissimilarity).prices)
    monkeypatch.setattr(solving, "realign", lambda *_: pytest.fail("too little was known"))
    assert solve(batch, dissimilarity, known_prices=known).is_proven.all()


def test_the_other_solver_uses_no_prices(monkeypatch):
    batch, dissimilarity = batch_of(corpus_of(np.random.default_rng(9), 2, 3, 4, span=30))
    prices = solve(batch, dissimilarity).prices
    monkeypatch.setattr(solving, "realign", lambda *_: pytest.fail("a check by OR-Tools alone"))
    found = solve(batch, dissimilarity, Limits(solver=ORTOOLS), prices)
    assert np.isnan(found.prices).all()


@needs_compiled
def test_realignment_is_the_same_with_both_kinds_of_kernels():
    batch, dissimilarity = batch_of(corpus_of(np.random.default_rng(45), 3, 4, 20, span=80))
    prices = solve(batch, dissimilarity).prices
    later, known = changed(batch, prices, 2, np.random.default_rng(3))
    results = []
    for kind in (kernels.COMPILED, kernels.PLAIN):
        with kernels.using(kind):
            results.append(solve(later, dissimilarity, known_prices=known))
    for name in ("group", "cost", "bound", "prices"):
        first, second = (getattr(result, name) for result in results)
        assert first.tobytes() == second.tobytes()
