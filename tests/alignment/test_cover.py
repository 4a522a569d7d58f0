"""Covers: published values, an independent covering programme, and all ways of solving."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ortools.linear_solver import pywraplp
from solver_cases import batch_of, corpus_of

import gamma_align as ga
from gamma_align.alignment import cover
from gamma_align.alignment.cover import solve_cover
from gamma_align.alignment.limits import Limits
from gamma_align.alignment.solve import aligned_pairs, disorders, solve, unitary_disorders
from gamma_align.errors import SolverError

GOLDEN = json.loads(Path("tests/golden/soft_gamma.json").read_text(encoding="utf-8"))


def disorder_of(batch, bound_to, solution):
    members = solution.members(batch)
    return disorders(batch, unitary_disorders(members, solution.group, bound_to), members.instance)


def least_costs(batch, bound_to):
    """Σ δ / Δ of the best cover of each instance: all unitary alignments, and one covering programme by CBC."""
    return [_least_cost(batch.take(np.array([instance])), bound_to) for instance in range(len(batch))]


def _least_cost(batch, bound_to):
    n = int(batch.n_annotators[0])
    distance = np.zeros((batch.n_units, batch.n_units))
    for u, v in itertools.combinations(range(batch.n_units), 2):
        distance[u, v] = distance[v, u] = bound_to.pairs(batch, np.array([u]), np.array([v]))[0] / bound_to.delta_empty
    solver = pywraplp.Solver.CreateSolver("CBC")
    rows = [solver.Constraint(1, solver.infinity()) for _ in range(batch.n_units)]
    by_annotator = [[None, *np.flatnonzero(batch.annotator == a).tolist()] for a in range(n)]
    for choice in itertools.product(*by_annotator):
        units = [unit for unit in choice if unit is not None]
        pairs = list(itertools.combinations(units, 2))
        n_pairs = n * (n - 1) / 2
        cost = (sum(distance[u, v] for u, v in pairs) + n_pairs - len(pairs)) / n_pairs
        if units and cost <= len(units):  # a dearer one is never better than its units alone
            x = solver.BoolVar("")
            solver.Objective().SetCoefficient(x, cost)
            for unit in units:
                rows[unit].SetCoefficient(x, 1)
    solver.Objective().SetMinimization()
    assert solver.Solve() == solver.OPTIMAL
    return solver.Objective().Value()


def check_cover(batch, bound_to, solution):
    """Every unit is covered, no annotator is twice in a unitary alignment, and the cost is that of the definition."""
    members = solution.members(batch)
    assert (np.bincount(solution.units, minlength=batch.n_units) > 0).all()
    assert (np.diff(solution.units) >= 0).all()
    keys = solution.group * (int(batch.annotator.max(initial=0)) + 1) + members.annotator
    assert len(np.unique(keys)) == len(keys)
    unitary = unitary_disorders(members, solution.group, bound_to) / bound_to.delta_empty
    cost = np.bincount(members.instance, weights=unitary, minlength=len(batch))
    assert solution.cost == pytest.approx(cost, abs=1e-9)


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: f"{Path(case['file']).stem}-{case['categories']}")
def test_disorders_of_pygamma_agreement(case):
    corpus = ga.read(case["file"])
    beta = 0 if case["categories"] == "none" else case["beta"]
    dissimilarity = ga.Dissimilarity(case["alpha"], beta, case["delta"], _distance(case["categories"]))
    for alignment, expected in (("partition", case["disorder"]), ("cover", case["soft_disorder"])):
        result = ga.align(corpus[corpus.documents[0]], dissimilarity=dissimilarity, alignment=alignment)
        assert result.disorder == pytest.approx(expected, abs=2e-7)
        assert result.is_optimal


def _distance(name):
    if name != "lev":
        return "nominal"

    def levenshtein(first, second):  # labels of one character: the distance is 0 or 1
        assert len(first) == len(second) == 1
        return 0.0 if first == second else 1.0 / 2.0

    return levenshtein


@pytest.mark.parametrize(("annotators", "most"), [(2, 7), (3, 6), (4, 4), (5, 3)])
def test_covers_equal_an_independent_programme(annotators, most):
    corpus = corpus_of(np.random.default_rng(annotators), 12, annotators, most, span=12)
    batch, bound_to = batch_of(corpus)
    solution = solve_cover(batch, bound_to)
    check_cover(batch, bound_to, solution)
    assert solution.is_proven.all()
    assert solution.cost == pytest.approx(least_costs(batch, bound_to), abs=1e-7)


@pytest.mark.parametrize(("annotators", "most"), [(3, 6), (4, 4), (6, 2), (7, 2)])
def test_generated_columns_give_the_same_covers(annotators, most, monkeypatch):
    corpus = corpus_of(np.random.default_rng(10 + annotators), 6, annotators, most, span=12)
    batch, bound_to = batch_of(corpus)
    monkeypatch.setattr(cover, "_MAX_SUBSET_ANNOTATORS", 2)  # nothing is listed at first
    solution = solve_cover(batch, bound_to)
    check_cover(batch, bound_to, solution)
    assert solution.is_proven.all()
    assert solution.cost == pytest.approx(least_costs(batch, bound_to), abs=1e-7)


@pytest.mark.parametrize("annotators", [3, 6])
def test_a_generation_that_is_stopped_has_a_valid_bound(annotators, monkeypatch):
    corpus = corpus_of(np.random.default_rng(20), 8, annotators, 3, span=12)
    batch, bound_to = batch_of(corpus)
    monkeypatch.setattr(cover, "_MAX_SUBSET_ANNOTATORS", 2)
    expected = np.array(least_costs(batch, bound_to))
    gaps = []
    for work in (1, 30, 300):
        solution = solve_cover(batch, bound_to, Limits(max_work=work))
        check_cover(batch, bound_to, solution)
        assert (solution.bound <= expected + 1e-9).all()
        assert (solution.cost >= expected - 1e-9).all()
        gaps.append(float((solution.cost - solution.bound).sum()))
    assert gaps[0] > 0.1


@pytest.mark.parametrize("annotators", [2, 3, 4])
def test_ortools_alone_finds_the_same_disorders(annotators):
    corpus = corpus_of(np.random.default_rng(30 + annotators), 6, annotators, 5)
    batch, bound_to = batch_of(corpus)
    solution = solve_cover(batch, bound_to, Limits(solver="ortools"))
    check_cover(batch, bound_to, solution)
    assert solution.cost == pytest.approx(solve_cover(batch, bound_to).cost, abs=1e-7)
    with pytest.raises(SolverError, match="possible unitary alignments"):
        solve_cover(batch, bound_to, Limits(solver="ortools", max_columns=1))


@pytest.mark.parametrize("annotators", [2, 3, 4])
def test_a_cover_depends_neither_on_other_instances_nor_on_the_order_of_rows(annotators):
    corpus = corpus_of(np.random.default_rng(40 + annotators), 9, annotators, 6, span=12)
    batch, bound_to = batch_of(corpus)
    together = solve_cover(batch, bound_to)
    members = together.members(batch)
    for instance in range(len(batch)):
        alone = solve_cover(batch.take(np.array([instance])), bound_to)
        rows = np.flatnonzero(members.instance == instance)
        assert (alone.units + batch.offsets[instance] == together.units[rows]).all()
        assert (alone.group + rows[:1] == together.group[rows]).all()
        assert alone.cost[0] == together.cost[instance]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 20), st.integers(0, 6), st.sampled_from("xy")), max_size=14)
)
def test_a_cover_costs_no_more_than_a_partition_and_no_less_than_nothing(units):
    annotations = [("d", f"a{index}") for index in range(4)]
    records = [("d", f"a{annotator}", start, start + length, label) for annotator, start, length, label in units]
    batch, bound_to = batch_of(ga.Corpus.from_records(records, annotations=annotations))
    solution = solve_cover(batch, bound_to)
    check_cover(batch, bound_to, solution)
    assert solution.is_proven.all()
    assert (solution.cost <= solve(batch, bound_to).cost + 1e-9).all()
    assert solution.cost == pytest.approx(least_costs(batch, bound_to), abs=1e-7)


def test_a_long_unit_is_aligned_with_both_halves_of_a_split_one():
    units = {"ann": [(0, 20, "x")], "bob": [(0, 10, "x"), (10, 20, "x")]}
    alignment = ga.align(units, alignment="cover")
    assert [[unit and (unit.start, unit.end) for unit in row] for row in alignment.unitary_alignments()] == [
        [(0, 20), (0, 10)],
        [(0, 20), (10, 20)],
    ]
    assert alignment.disorder == pytest.approx(2 * (10 / 30) ** 2 / 1.5)
    assert alignment.is_cover
    assert len(ga.align(units)) == 2
    assert ga.align(units).disorder == pytest.approx((1 + (10 / 30) ** 2) / 1.5)


def test_redundant_unitary_alignments_are_removed():
    units = {"ann": [(0, 4, "x")], "bob": [(0, 4, "x")], "eve": [(0, 4, "x"), (0, 4, "x")]}
    alignment = ga.align(units, alignment="cover")
    assert alignment.disorder == 0
    assert len(alignment) == 2
    members = np.bincount(alignment.members[0])
    assert members.tolist() == [2, 2, 1, 1]


def test_pairs_of_a_cover_are_those_of_its_unitary_alignments():
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(50), 3, 3, 6, span=12))
    solution = solve_cover(batch, bound_to)
    first, second = aligned_pairs(solution.group)
    sizes = np.bincount(solution.group)
    assert len(first) == sum(size * (size - 1) // 2 for size in sizes.tolist())
    assert (solution.group[first] == solution.group[second]).all()


def test_prices_that_columns_beat_are_lowered_until_none_does():
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(60), 1, 4, 5, span=8))
    pairs = cover.candidate_pairs(batch, bound_to)
    work = cover._Generation(batch, pairs, Limits(), Limits().deadline(1))
    y = np.ones(batch.n_units)
    gain = work._price(y, threshold=0.0).root_gain
    work.bound = cover._Bound(np.zeros(batch.n_units), -1.0)
    work._record_bound(y, gain)
    assert work.bound.total >= 0
    assert work._price(work.bound.y, threshold=0.0).root_gain.max() <= 1e-9


@pytest.mark.parametrize("annotators", [6, 9])
def test_covers_of_many_annotators_are_proven(annotators):
    rng = np.random.default_rng(annotators)
    records = [
        ("d", f"a{annotator}", place + start, place + start + 8, "xyz"[rng.integers(3)])
        for annotator in range(annotators)
        for place, start in zip(range(0, 240, 20), rng.normal(0, 2.5, 12).tolist(), strict=True)
    ]
    batch, bound_to = batch_of(ga.Corpus.from_records(records))
    solution = solve_cover(batch, bound_to)
    check_cover(batch, bound_to, solution)
    assert solution.is_proven.all()
    assert (solution.cost <= solve(batch, bound_to).cost + 1e-9).all()
