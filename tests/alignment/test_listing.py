"""Columns listed by price: the same alignments as from all columns, valid bounds, the same with both kernels."""

import numpy as np
import pytest
from both_kernels import needs_compiled
from solver_cases import batch_of, corpus_of

import gamma_align as ga
from gamma_align import kernels
from gamma_align.alignment import listing
from gamma_align.alignment import solve as solving
from gamma_align.alignment.limits import Deadline, Limits
from gamma_align.alignment.solve import solve


def list_all_by_price(monkeypatch):
    """List the columns of every instance by price."""
    monkeypatch.setattr(solving, "_LARGE_PAIRS", 1)
    monkeypatch.setattr(solving, "_LARGE_PAIRS_PER_UNIT", 0)


@pytest.fixture
def by_listing(monkeypatch):
    """List the columns of every instance by price, and generate none on demand."""

    def start():
        list_all_by_price(monkeypatch)
        monkeypatch.setattr(solving, "_solve_on_demand", lambda *_: pytest.fail("the list did not suffice"))

    return start


@pytest.mark.parametrize("annotators", [3, 4, 5, 6])
def test_listing_finds_the_same_alignments_as_all_columns(annotators, by_listing):
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(20 + annotators), 12, annotators, 7, span=40))
    expected = solve(batch, bound_to)
    by_listing()
    found = solve(batch, bound_to)
    assert found.is_proven.all()
    assert (found.group == expected.group).all()
    assert found.cost == pytest.approx(expected.cost, abs=1e-9)


def test_listing_finds_the_same_alignment_of_a_long_document(by_listing):
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(27), 2, 4, 150, span=400))
    expected = solve(batch, bound_to)
    by_listing()
    assert (solve(batch, bound_to).group == expected.group).all()


@needs_compiled
def test_listing_is_the_same_with_both_kinds_of_kernels(by_listing):
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(28), 4, 4, 8, span=30))
    by_listing()
    results = []
    for kind in (kernels.COMPILED, kernels.PLAIN):
        with kernels.using(kind):
            results.append(solve(batch, bound_to))
    assert (results[0].group == results[1].group).all()
    assert results[0].cost.tobytes() == results[1].cost.tobytes()
    assert results[0].bound.tobytes() == results[1].bound.tobytes()


@pytest.mark.parametrize(
    ("name", "value"),
    [("_MAX_LIST_LIMIT", 0.0), ("_MAX_WORK", 1), ("_MAX_ROUNDS", 0), ("_MAX_ROUNDS", 1)],
)
def test_a_list_that_ends_early_has_a_valid_bound_and_alignment(name, value, monkeypatch):
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(29), 6, 5, 7, span=30))
    expected = solve(batch, bound_to)
    list_all_by_price(monkeypatch)
    monkeypatch.setattr(listing, name, value)
    # Without column generation: the gap of the list is accepted.
    found = solve(batch, bound_to, Limits(gap=0.99))
    assert (found.bound <= expected.cost + 1e-9).all()
    assert (found.cost >= expected.cost - 1e-9).all()
    assert (found.cost - found.bound <= 0.99 * found.cost).all()


@pytest.mark.parametrize("most", [0, 5, 100, 300])
def test_too_many_columns_leave_a_valid_bound_and_alignment(most, monkeypatch):
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(33), 3, 5, 9, span=20))
    expected = solve(batch, bound_to)
    list_all_by_price(monkeypatch)
    monkeypatch.setattr(Limits, "columns_for", lambda _, units: np.full(len(units), most))
    found = solve(batch, bound_to, Limits(gap=0.99))
    assert (found.bound <= expected.cost + 1e-9).all()
    assert (found.cost >= expected.cost - 1e-9).all()


def test_instances_that_a_list_does_not_prove_are_solved_on_demand(monkeypatch):
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(30), 6, 5, 7, span=30))
    expected = solve(batch, bound_to)
    list_all_by_price(monkeypatch)
    monkeypatch.setattr(listing, "_MAX_LIST_LIMIT", 0.0)
    found = solve(batch, bound_to)
    assert found.is_proven.all()
    assert (found.group == expected.group).all()


def test_the_gap_of_a_list_is_accepted_if_it_is_small_enough(monkeypatch):
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(31), 3, 5, 60, span=120))
    list_all_by_price(monkeypatch)
    monkeypatch.setattr(listing, "_MAX_LIST_LIMIT", 0.0)
    monkeypatch.setattr(solving, "_solve_on_demand", lambda *_: pytest.fail("the gap was accepted"))
    found = solve(batch, bound_to, Limits(gap=0.5))
    assert not found.is_proven.all()
    assert (found.cost - found.bound <= 0.5 * found.cost).all()


def test_a_settled_stack_in_front_does_not_hide_the_proof(by_listing):
    corpus = corpus_of(np.random.default_rng(34), 1, 5, 8, span=14)
    name = corpus.documents[0]
    records = [(name, unit.annotator, unit.start, unit.end, unit.category) for unit in corpus[name].units()]
    stack = [(name, f"a{annotator:02d}", -9000, -8990, "x") for annotator in range(5)]
    batch, bound_to = batch_of(ga.Corpus.from_records([*records, *stack]))
    expected = solve(batch, bound_to)
    by_listing()
    found = solve(batch, bound_to)
    assert found.is_proven.all()
    assert (found.group == expected.group).all()


def test_a_pool_holds_each_column_once():
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(32), 1, 4, 6, span=20))
    pairs = solving.candidate_pairs(batch, bound_to)
    columns, _ = solving.useful_columns(batch, pairs, np.array([10**6]))
    pool = listing.Pool(batch.n_units)
    pool.add(columns.take(np.arange(0, len(columns), 2)))
    pool.add(columns)
    assert len(pool.columns) == len(columns)
    content = {tuple(pool.columns.take(np.array([at])).units.tolist()) for at in range(len(columns))}
    assert len(content) == len(columns)


def test_each_list_but_the_last_is_followed_by_new_prices(monkeypatch):
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(37), 1, 5, 30, span=90))
    pairs, steps, gains = solving.candidate_pairs(batch, bound_to), [], []
    find, soften = listing._Listing._list, kernels.soften

    def noted(work, *given):
        listed = find(work, *given)
        steps.append("list")
        gains.append(float(listed.root_gain.sum()))
        return listed

    monkeypatch.setattr(listing._Listing, "_list", noted)
    monkeypatch.setattr(listing.kernels, "soften", lambda *given: steps.append(given[-1]) or soften(*given))
    listing._Listing(batch, pairs, Limits(), Deadline()).settle_prices()
    first, second, last = (stage.steps for stage in listing._ROUNDS)
    n_repeated = len(gains) - 4
    assert n_repeated > 1
    # The last list has the prices that are lowered, without a step.
    assert steps == ["list", first, "list", second, *["list", last] * (n_repeated + 1), "list", 0]
    assert min(gains[:-1]) > listing._SMALL_GAIN >= gains[-1]
