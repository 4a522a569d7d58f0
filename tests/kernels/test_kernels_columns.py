"""Kernels over columns, compiled and plain: each against its definition, both kinds alike to the last bit."""

import itertools
import math
from functools import cache

import numpy as np
import oracles
import pytest
from both_kernels import by_both, needs_compiled
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from strategies import cases, continuum_of, larger_case

import gamma_align as ga
from gamma_align import kernels
from gamma_align.alignment import solve as solve_room
from gamma_align.alignment.candidates import (
    FREE,
    Columns,
    candidate_pairs,
    useful_columns,
)
from gamma_align.alignment.limits import Limits
from gamma_align.alignment.partition import TIE
from gamma_align.data.batch import Batch

ENOUGH = 10**7


def batch_of(continua, alpha=1.0):
    corpus = ga.Corpus.from_continua(continua)
    batch, _ = Batch.from_corpus(corpus)
    return batch, ga.Dissimilarity(alpha).bind(corpus.categories)


def continua_of(rng, n, most, *, offset=0.0, number=3):
    """Documents of noisy copies; every second one on a grid, where much is tied."""
    found = []
    for at in range(number):
        units, _ = larger_case(rng, n, most, offset=offset)
        if at % 2:
            units = [(who, 4.0 * (s // 4), 4.0 * (s // 4) + 4 * (at % 3), label) for who, s, e, label in units]
        continuum = continuum_of((units, n))
        found.append(
            ga.Continuum.from_records(records_of(continuum), annotators=continuum.annotators, document=str(at))
        )
    return found


def records_of(continuum):
    return [(unit.annotator, unit.start, unit.end, unit.category) for unit in continuum.units()]


def begins(batch, pairs):
    return np.searchsorted(pairs.first, np.arange(batch.n_units + 1))


def useful(batch, pairs, most):
    most = np.broadcast_to(np.asarray(most, dtype=np.int64), len(batch)).copy()
    arrays = (batch.offsets, batch.annotator, begins(batch, pairs), pairs.second, pairs.saving, most, FREE)
    return by_both(kernels.useful, *arrays)


def members(columns):
    return [tuple(columns.units[a:b].tolist()) for a, b in itertools.pairwise(columns.offsets.tolist())]


# --- useful columns ---


def useful_definition(batch, pairs):
    """Every set of units of different annotators of which each saves more than FREE - 1, by size, then in order."""
    table = np.full((batch.n_units, batch.n_units), -np.inf)
    table[pairs.first, pairs.second] = pairs.saving
    table = np.maximum(table, table.T)
    found = []
    for instance in range(len(batch)):
        units = np.flatnonzero(batch.instance == instance)
        by_annotator = [units[batch.annotator[units] == a].tolist() for a in range(batch.n_annotators[instance])]
        for choice in itertools.product(*[[None, *some] for some in by_annotator]):
            column = [unit for unit in choice if unit is not None]
            held = table[np.ix_(column, column)].sum(axis=1, where=~np.eye(len(column), dtype=bool))
            if len(column) > 1 and (1.0 + held > FREE).all():
                found.append((tuple(column), 1.0 - held.sum() / 2))
    return sorted(found, key=lambda entry: (len(entry[0]), entry[0]))


@needs_compiled
@pytest.mark.parametrize("alpha", [1.0, 3.0])
@pytest.mark.parametrize("offset", [0.0, 1e9])
@pytest.mark.parametrize(("n", "most"), [(2, 8), (3, 6), (4, 4), (5, 3), (6, 2)])
def test_useful_columns_equal_the_definition(n, most, offset, alpha):
    batch, bound_to = batch_of(continua_of(np.random.default_rng([1, n]), n, most, offset=offset), alpha)
    pairs = candidate_pairs(batch, bound_to)
    offsets, units, cost, too_many = useful(batch, pairs, ENOUGH)
    expected = useful_definition(batch, pairs)
    assert members(Columns(offsets, units, cost)) == [column for column, _ in expected]
    assert cost == pytest.approx([value for _, value in expected], rel=0, abs=1e-12)
    assert len(expected) > batch.n_units / 4
    assert not too_many.any()


@needs_compiled
@given(cases(), st.sampled_from([1.0, 3.0]), st.integers(0, 12))
def test_useful_columns_are_the_same_of_both_kinds(case, alpha, most):
    batch, bound_to = batch_of([continuum_of(case)], alpha)
    pairs = candidate_pairs(batch, bound_to)
    useful(batch, pairs, ENOUGH)
    useful(batch, pairs, most)


@needs_compiled
def test_an_instance_with_one_column_too_many_is_given_up_alone():
    batch, bound_to = batch_of(continua_of(np.random.default_rng(2), 4, 5, number=5))
    pairs = candidate_pairs(batch, bound_to)
    every = Columns(*useful(batch, pairs, ENOUGH)[:3])
    counts = np.bincount(batch.instance[pairs.first], minlength=len(batch))
    # columns of two are extended from every pair, so the pairs alone decide where larger ones are fewer
    larger = every.take(every.sizes > 2)
    assert (np.bincount(batch.instance[larger.first], minlength=len(batch)) < 4 * counts).all()
    most = np.full(len(batch), ENOUGH)
    most[1] = counts[1] - 1
    offsets, units, cost, too_many = useful(batch, pairs, most)
    assert too_many.tolist() == [0, 1, 0, 0, 0]
    kept = every.take(batch.instance[every.first] != 1)
    assert members(Columns(offsets, units, cost)) == members(kept)
    assert cost.tobytes() == kept.cost.tobytes()


def test_no_pairs_no_columns():
    batch, bound_to = batch_of([ga.Continuum.from_records([("a", 0, 1, "x"), ("b", 90, 91, "x"), ("c", 50, 51, "x")])])
    pairs = candidate_pairs(batch, bound_to)
    for name in (kernels.kind(), kernels.PLAIN):
        with kernels.using(name):
            columns, too_many = useful_columns(batch, pairs, np.array([0]))
            assert len(columns) == 0
            assert columns.offsets.tolist() == [0]
            assert not too_many.any()


# --- columns drawn at random: no geometry, many ties ---


def random_columns(rng, n_units, n_columns, *, span=None, tied=False):
    """Columns of two to four units, each within `span` units; savings on a coarse grid if `tied`."""
    sets = set()
    for _ in range(n_columns):
        low = int(rng.integers(0, n_units - 1))
        near = np.arange(low, min(n_units, low + (span or n_units)))
        size = int(rng.integers(2, 5))
        if len(near) >= size:
            sets.add(tuple(sorted(rng.choice(near, size, replace=False).tolist())))
    rows = sorted(sets, key=lambda column: (len(column), column))
    saving = rng.integers(1, 4, len(rows)) / 2 if tied else rng.uniform(0, 2, len(rows))
    sizes = np.array([len(column) for column in rows], dtype=np.int64)
    units = np.array([unit for column in rows for unit in column], dtype=np.int64)
    return Columns(np.concatenate([[0], np.cumsum(sizes)]), units, sizes - saving)


def linked_definition(columns, n_units):
    part = list(range(n_units))
    for _ in range(n_units):
        for column in members(columns):
            lowest = min(part[unit] for unit in column)
            for unit in column:
                part[unit] = lowest
    labels = sorted(set(part))
    return [labels.index(one) for one in part]


@needs_compiled
@pytest.mark.parametrize("seed", range(8))
def test_linked_units_are_one_part(seed):
    rng = np.random.default_rng([3, seed])
    columns = random_columns(rng, 30, 4 * seed, span=5)
    found = by_both(lambda *arrays: (kernels.linked(*arrays),), columns.offsets, columns.units, 30)[0]
    assert found.tolist() == linked_definition(columns, 30)


def softened(columns, start, *options):
    arrays = (columns.offsets, columns.units, columns.saving, start)
    return by_both(lambda *given: (kernels.soften(*given, *options),), *arrays)[0]


@needs_compiled
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_soft_prices_are_beaten_by_no_column_and_are_near_the_relaxations(seed, tied):
    rng = np.random.default_rng([6, seed])
    columns = random_columns(rng, 24, 60, span=6, tied=tied)
    table = np.zeros((24, len(columns)))
    table[columns.units, columns.column_of] = 1.0
    least = -linprog(-columns.saving, A_ub=table, b_ub=np.ones(24)).fun
    bounds = []
    for start in (np.zeros(24), rng.random(24)):
        for steps, ratio in ((1, 1.0), (80, 0.944)):
            price = softened(columns, start, 0.1, ratio, steps)
            assert (price >= 0).all()
            assert (columns.sums(price) >= columns.saving - 1e-12).all()
            bounds.append(price.sum())
        assert least - 1e-9 <= bounds[-1] <= min(1.02 * least, bounds[-2] + 1e-9)


@needs_compiled
def test_soft_prices_of_extreme_widths_are_prices():
    columns = random_columns(np.random.default_rng(7), 12, 30)
    for width in (1e-9, 1e3):
        price = softened(columns, np.zeros(12), width, 0.5, 3)
        assert (columns.sums(price) >= columns.saving - 1e-12).all()


@needs_compiled
def test_prices_do_not_depend_on_the_company():
    rng = np.random.default_rng(5)
    one, other = random_columns(rng, 12, 20), random_columns(rng, 15, 30)
    both = Columns.joined(one, other.with_units(other.units + 12))
    options = (0.1, 0.944, 80)
    apart = np.concatenate([softened(one, np.zeros(12), *options), softened(other, np.zeros(15), *options)])
    assert softened(both, np.zeros(27), *options).tobytes() == apart.tobytes()


# --- the choice ---


def choose(columns, n_units, *, hashes, part=None, nodes=ENOUGH, known=None, tie=TIE, price=None):
    part = np.zeros(n_units, dtype=np.int64) if part is None else part
    n_parts = int(part.max(initial=-1)) + 1
    price = softened(columns, np.zeros(n_units), 0.1, 0.848, 20) if price is None else price
    known = np.full(n_parts, math.inf) if known is None else np.array(known)
    arrays = (part, columns.offsets, columns.units, columns.losses(price), price, *hashes, known)
    return by_both(kernels.choose, *arrays, np.full(n_parts, nodes), tie), price


def hashes_of(rng, columns, n_units):
    return rng.integers(0, 50, len(columns)), rng.integers(0, 50, n_units)


def best_choice_definition(columns, n_units, hashes):
    """The rule applied literally to every choice: most saved, most unitary alignments, least sum of hashes."""
    sets = [set(column) for column in members(columns)]
    saving = columns.saving.tolist()

    def choices(unit, chosen, covered):
        if unit == n_units:
            yield chosen, covered
            return
        if unit in covered:
            yield from choices(unit + 1, chosen, covered)
            return
        yield from choices(unit + 1, chosen, covered)  # alone
        for at, column in enumerate(sets):
            if min(column) == unit and not column & covered:
                yield from choices(unit + 1, [*chosen, at], covered | column)

    scored = []
    for chosen, covered in choices(0, [], set()):
        alone = [unit for unit in range(n_units) if unit not in covered]
        total = sum(hashes[0][chosen]) + sum(hashes[1][alone])
        scored.append((sum(saving[at] for at in chosen), len(chosen) + len(alone), -total, sorted(chosen)))
    most = max(score[0] for score in scored)
    best = [score for score in scored if score[0] >= most - TIE]
    return max(best, key=lambda score: score[1:3]), most, sum(score[1:3] == max(best)[1:3] for score in best)


@needs_compiled
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("seed", range(25))
def test_the_choice_is_the_best_by_the_rule(seed, tied):
    rng = np.random.default_rng([6, seed])
    columns = random_columns(rng, 9, 22, tied=tied)
    hashes = hashes_of(rng, columns, 9)
    (least, solved, chosen), price = choose(columns, 9, hashes=hashes)
    best, most, _ = best_choice_definition(columns, 9, hashes)
    assert solved.tolist() == [1]
    assert price.sum() - least[0] == pytest.approx(most, abs=1e-9)
    found = set(range(9)) - set(columns.take(chosen).units.tolist())
    score = (len(chosen) + len(found), -(hashes[0][chosen].sum() + hashes[1][list(found)].sum()))
    assert columns.saving[chosen].sum() == pytest.approx(most, abs=1e-9)
    assert score == best[1:3]


@needs_compiled
@pytest.mark.parametrize("seed", range(6))
def test_nodes_run_out_alike(seed):
    rng = np.random.default_rng([7, seed])
    columns = random_columns(rng, 12, 30, tied=seed % 2 == 1)
    hashes = hashes_of(rng, columns, 12)
    outcomes = [choose(columns, 12, hashes=hashes, nodes=nodes)[0] for nodes in range(0, 1500, 50)]
    solved = [int(outcome[1][0]) for outcome in outcomes]
    assert solved[0] == 0
    assert solved[-1] == 1
    assert solved == sorted(solved)
    for outcome, done in zip(outcomes, solved, strict=True):
        expected = outcomes[-1] if done else (np.zeros(1), None, np.empty(0))
        assert outcome[0].tolist() == expected[0].tolist()
        assert outcome[2].tolist() == expected[2].tolist()


@needs_compiled
@pytest.mark.parametrize("reach", [40, 64, 65, 100, 128, 129, 200, 256])
def test_columns_that_reach_far(reach):
    # a column over the whole reach, and pairs of neighbours inside: what it gains depends on the parity
    n = reach + 3
    rows = [(0, reach - 1), *((at, at + 1) for at in range(n - 1))]
    rows.sort()
    saving = np.array([1.7 if b - a > 1 else 1.0 for a, b in rows])
    columns = Columns(np.arange(0, 2 * len(rows) + 1, 2), np.array(rows).ravel(), 2 - saving)
    hashes = hashes_of(np.random.default_rng(reach), columns, n)
    (least, solved, chosen), price = choose(columns, n, hashes=hashes)
    assert solved.tolist() == [1]
    # with the long column: 1.7 + what is inside and behind; without: n // 2
    expected = max(n // 2, 1.7 + (reach - 2) // 2 + (n - reach) // 2)
    assert columns.saving[chosen].sum() == pytest.approx(expected, abs=1e-9)
    assert price.sum() - least[0] == pytest.approx(expected, abs=1e-9)


@needs_compiled
def test_a_reach_beyond_the_masks_is_left_unsolved():
    columns = Columns(np.array([0, 2, 4]), np.array([0, 256, 300, 301]), np.array([1.0, 1.0]))
    part = np.zeros(302, dtype=np.int64)
    part[300:] = 1
    hashes = hashes_of(np.random.default_rng(8), columns, 302)
    (least, solved, chosen), _ = choose(columns, 302, hashes=hashes, part=part)
    assert solved.tolist() == [0, 1]
    assert chosen.tolist() == [1]
    assert least[0] == 0


@needs_compiled
def test_parts_are_solved_together_as_alone():
    rng = np.random.default_rng(9)
    columns = random_columns(rng, 60, 40, span=5)
    part = kernels.linked(columns.offsets, columns.units, 60)
    assert part.max() > 3
    hashes = hashes_of(rng, columns, 60)
    (least, solved, chosen), price = choose(columns, 60, hashes=hashes, part=part)
    assert solved.all()
    found = []
    for one in range(int(part.max()) + 1):
        only = np.where(part == one, 0, -1)
        (alone, _, some), _ = choose(columns, 60, hashes=hashes, part=only, price=price)
        assert alone[0] == least[one]
        found += some.tolist()
    assert sorted(found) == chosen.tolist()


@needs_compiled
@pytest.mark.parametrize("seed", range(5))
def test_a_known_loss_changes_nothing_if_it_can_be_reached(seed):
    rng = np.random.default_rng([10, seed])
    columns = random_columns(rng, 14, 40, tied=seed % 2 == 0)
    hashes = hashes_of(rng, columns, 14)
    price = np.full(14, 1.0)  # poor prices: something is lost
    (least, _, chosen), _ = choose(columns, 14, hashes=hashes, price=price)
    (again, solved, same), _ = choose(columns, 14, hashes=hashes, price=price, known=least)
    assert least[0] > 0
    assert solved.tolist() == [1]
    assert again.tolist() == least.tolist()
    assert same.tolist() == chosen.tolist()
    (_, solved, _), _ = choose(columns, 14, hashes=hashes, price=price, known=least - 1e-3)
    assert solved.tolist() == [0]


@needs_compiled
def test_tolerances_do_not_add_up_along_a_part():
    # a chain of units; at each link two ways, the second 0.6 of a tolerance worse but with less hash
    n = 60
    rows = [(3 * at, 3 * at + 1) for at in range(n)] + [(3 * at, 3 * at + 2) for at in range(n)]
    rows += [(3 * at + 2, 3 * at + 3) for at in range(n - 1)]  # one part, never worth it
    rows = sorted(rows)
    saving = np.array([{1: 1.5, 2: 1.5 - 0.6 * TIE}[b - a] if a % 3 == 0 else 1e-3 for a, b in rows])
    columns = Columns(np.arange(0, 2 * len(rows) + 1, 2), np.array(rows).ravel(), 2 - saving)
    hashes = (np.array([{1: 9, 2: 0}[b - a] for a, b in rows]), np.zeros(3 * n, dtype=np.int64))
    (least, solved, chosen), price = choose(columns, 3 * n, hashes=hashes)
    most = price.sum() - least[0]
    assert solved.tolist() == [1]
    assert most == pytest.approx(n * 1.5, rel=0, abs=TIE / 100)
    assert most - TIE * 1.001 <= saving[chosen].sum() < most - TIE / 10  # one such link is within the tolerance


def test_a_stack_of_identical_units_is_one_unitary_alignment_however_many_annotators():
    people = [f"a{at:02d}" for at in range(40)]
    records = [(who, 10, 14, "x") for who in people] + [(who, 10_000, 10_004, "y") for who in people[:30]]
    batch, bound_to = batch_of([ga.Continuum.from_records(records, annotators=people)])
    found = solve_room.solve(batch, bound_to)
    assert found.is_proven.tolist() == [True]
    assert found.cost == pytest.approx([1 - 30 * 29 / (40 * 39)], abs=1e-12)
    assert len(set(found.group.tolist())) == 2


# --- the whole, with the kernels of this install, against an integer programme over all tuples ---


PROGRAMMES = [
    (n, most, offset, alpha)
    for n, most in ((3, 10), (3, 7), (4, 5), (5, 4), (6, 3))
    for offset, alpha in ((0.0, 1.0), (1e9, 3.0))
]


@pytest.fixture(params=["listed", "on demand"])
def columns_made(request, monkeypatch):
    """List columns, and again make them on demand from the first."""
    if request.param == "on demand":
        monkeypatch.setattr(Limits, "columns_for", lambda _, units: np.zeros_like(units))


@cache  # soft prices and programmes are compared with them
def solved_cases(n, most, offset, alpha):
    """Return documents of several kinds, and the least disorder of each, by the programme over all tuples."""
    rng = np.random.default_rng([13, n, most, int(offset > 0), int(alpha)])
    weights = oracles.Weights(alpha=alpha)
    cases = []
    for kind in ("free", "grid", "same", "points", "free", "grid"):
        units, _ = larger_case(rng, n, most, offset=offset)
        if kind == "grid":
            units = [(who, s - s % 3, s - s % 3 + 3, label) for who, s, e, label in units]
        elif kind == "same":
            units = [(who, s - s % 6, s - s % 6 + 4, "x") for who, s, e, label in units]
        elif kind == "points":
            units = [(who, round(s), round(s) if at % 2 else e, label) for at, (who, s, e, label) in enumerate(units)]
            units = [(who, float(s), float(max(s, e)), label) for who, s, e, label in units]
        continuum = continuum_of((units, n))
        least, _ = oracles.best_alignment_by_programme_definition(oracles.units_of(continuum), n, weights)
        cases.append((continuum, least))
    return cases


@pytest.mark.parametrize(("n", "most", "offset", "alpha"), PROGRAMMES)
def test_alignments_equal_the_programme_over_all_tuples(n, most, offset, alpha, on_demand):
    cases = solved_cases(n, most, offset, alpha)
    for made in (lambda: None, on_demand):  # columns are listed, and again made on demand from the first
        made()
        for continuum, least in cases:
            alignment = ga.align(continuum, alpha=alpha)
            assert alignment.is_optimal
            assert alignment.disorder == pytest.approx(least, rel=1e-9, abs=1e-9)


@pytest.mark.usefixtures("columns_made")
@needs_compiled
def test_kinds_give_the_same_groups():
    groups = []
    for name in (kernels.COMPILED, kernels.PLAIN):
        with kernels.using(name):
            rng = np.random.default_rng(14)
            for n, most in ((2, 9), (3, 8), (4, 6), (5, 4), (6, 3)):
                batch, bound_to = batch_of(continua_of(rng, n, most, number=6))
                found = solve_room.solve(batch, bound_to)
                groups.append((name, n, found.group.tolist(), found.cost.tolist(), found.bound.tolist()))
    half = len(groups) // 2
    assert [entry[1:] for entry in groups[:half]] == [entry[1:] for entry in groups[half:]]
