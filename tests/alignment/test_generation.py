"""Column generation finds the same alignments as a list of all columns, and each of its steps is correct."""

import itertools

import numpy as np
import oracles
import pytest
from both_kernels import by_both, by_each_kind, needs_compiled
from places import CORPORA
from solver_cases import batch_of, corpus_of
from strategies import continuum_of, larger_case

import gamma_align as ga
from gamma_align import kernels
from gamma_align.alignment import generation
from gamma_align.alignment import partition as partition_module
from gamma_align.alignment.candidates import Links, candidate_pairs, useful_columns
from gamma_align.alignment.heuristic import first_alignment, improve, neighbourhood, tight_prices, total_saving
from gamma_align.alignment.kinds import solve_alignment
from gamma_align.alignment.limits import Deadline, Limits
from gamma_align.alignment.lp import relax
from gamma_align.alignment.pricing import UNLIMITED, Budget, first_prices, price
from gamma_align.alignment.solve import solve
from gamma_align.alignment.watching import reporting_gaps
from gamma_align.chance import draws
from gamma_align.chance.precision import PrecisionRule
from gamma_align.errors import SettingsError
from gamma_align.measures.gamma import measure
from gamma_align.measures.gamma.gamma_settings import GammaSettings

ALL = 10**12


def instance(seed, annotators, most, **settings):
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(seed), 1, annotators, most, **settings))
    return batch, bound_to, candidate_pairs(batch, bound_to)


def every_column(batch, pairs):
    """Return units (ascending) → saving of every set of units of different annotators whose pairs are candidates."""
    w = {
        frozenset(p): s
        for *p, s in zip(pairs.first.tolist(), pairs.second.tolist(), pairs.saving.tolist(), strict=True)
    }
    found = {}

    def grow(units, saving, candidates):
        if len(units) > 1:
            found[units] = len(units) - 1 + saving
        for unit in candidates:
            gained = [w.get(frozenset((unit, one))) for one in units]
            if None not in gained:
                grow((*units, unit), saving + sum(gained), [c for c in candidates if c > unit])

    grow((), 0.0, range(batch.n_units))
    return found


def columns_of(offsets, units):
    return [tuple(sorted(units[a:b].tolist())) for a, b in itertools.pairwise(offsets.tolist())]


# --- the kernel price ---


def reach_of(upward, batch):
    one, other = np.concatenate([upward.unit, upward.partner]), np.concatenate([upward.partner, upward.unit])
    best = np.zeros((batch.n_units, int(batch.annotator.max(initial=0)) + 1))
    np.maximum.at(best, (one, batch.annotator[other]), np.concatenate([upward.saving, upward.saving]))
    return best.sum(axis=1)


def priced(links, batch, y, *, threshold=0.0, nodes=ALL, keep=3, every=False, work=ALL, most=ALL):
    roots = np.arange(batch.n_units)
    arrays = (links.begin, links.partner, links.saving, batch.annotator, reach_of(links, batch), y, roots)
    return [np.asarray(part) for part in kernels.price(*arrays, threshold, nodes, keep, every, work, most)]


@needs_compiled
@pytest.mark.parametrize(
    ("annotators", "most"), [(2, 6), (3, 6), (5, 6), (8, 2), pytest.param(8, 6, marks=pytest.mark.release)]
)
def test_pricing_has_the_same_bits_compiled_and_plain(annotators, most):
    for seed in range(4):
        batch, _, pairs = instance(seed, annotators, most)
        links = Links.upward(pairs, batch.n_units)
        y = np.random.default_rng(seed).uniform(0.2, 1.1, batch.n_units)
        settings = [{}, {"nodes": 1}, {"keep": 1}, {"work": 100}, {"work": 0}, {"every": True}]
        settings += [{"threshold": -0.3, "every": True}, {"threshold": 0.2}, {"every": True, "nodes": 2}]
        settings += [{"every": True, "most": 1}, {"every": True, "threshold": -0.5, "most": 40}]
        for one in settings:
            by_both(lambda *given, kw=one: priced(*given, **kw), links, batch, y)


@by_each_kind
@pytest.mark.parametrize(("annotators", "most"), [(2, 6), (3, 6), (5, 4), (6, 3)])
def test_pricing_finds_the_column_with_the_greatest_gain_for_each_root(annotators, most):
    for seed in range(5):
        batch, _, pairs = instance(20 + seed, annotators, most)
        every = every_column(batch, pairs)
        links = Links.upward(pairs, batch.n_units)
        y = np.random.default_rng(seed).uniform(0.3, 1.0, batch.n_units)
        best = np.zeros(batch.n_units)
        for units, saving in every.items():
            best[units[0]] = max(best[units[0]], saving - y[list(units)].sum())
        offsets, units, saving, root, bound, _ = priced(links, batch, y)
        gains = dict.fromkeys(range(batch.n_units), 0.0)
        for column, value, of in zip(columns_of(offsets, units), saving.tolist(), root.tolist(), strict=True):
            assert column[0] == of
            assert value == pytest.approx(every[column], abs=1e-12)
            gains[of] = max(gains[of], value - y[list(column)].sum())
        assert np.allclose(list(gains.values()), best, rtol=0, atol=1e-9)
        assert np.allclose(bound, best, rtol=0, atol=1e-9)


@by_each_kind
@pytest.mark.parametrize("threshold", [0.0, -0.4, 0.1])
def test_pricing_lists_all_columns_above_a_threshold(threshold):
    for seed in range(6):
        batch, _, pairs = instance(30 + seed, 4, 5)
        y = np.random.default_rng(seed).uniform(0.3, 1.0, batch.n_units)
        wanted = {c for c, s in every_column(batch, pairs).items() if s - y[list(c)].sum() > threshold + 1e-9}
        links = Links.upward(pairs, batch.n_units)
        offsets, units, _, _, bound, _ = priced(links, batch, y, threshold=threshold, every=True)
        found = columns_of(offsets, units)
        assert len(found) == len(set(found))
        assert set(found) == wanted
        assert (bound == threshold).all()


@by_each_kind
@pytest.mark.parametrize(
    "cut", [{"nodes": 1}, {"work": 0}, {"work": 200}, {"nodes": 3, "every": True}, {"most": 9, "every": True}]
)
def test_an_interrupted_search_bounds_all_columns(cut):
    short = 0
    for seed in range(6):
        batch, _, pairs = instance(40 + seed, 6, 4)
        y = np.random.default_rng(seed).uniform(0.0, 0.8, batch.n_units)
        links = Links.upward(pairs, batch.n_units)
        _, _, _, _, bound, _ = priced(links, batch, y, **cut)
        _, _, _, _, exact, _ = priced(links, batch, y)
        if "every" in cut:
            offsets, units, *_ = priced(links, batch, y, **cut)
            complete = bound <= 0
            listed = {c for c in columns_of(offsets, units) if complete[c[0]]}
            wanted = {
                c for c, s in every_column(batch, pairs).items() if s - y[list(c)].sum() > 1e-9 and complete[c[0]]
            }
            assert wanted <= listed
            short += (~complete).any()
        else:
            assert (bound >= exact - 1e-9).all()
            short += (bound > exact + 1e-9).any()
    assert short  # it was cut


# --- the kernel rematch ---


def moves_of(rng, annotators, number):
    return rng.integers(0, 2, size=(number, annotators))


@needs_compiled
@pytest.mark.parametrize("annotators", [2, 3, 6, 9])
def test_rematching_has_the_same_bits_compiled_and_plain(annotators):
    for seed in range(4):
        batch, _, pairs = instance(50 + seed, annotators, 6)
        links = Links.both_ways(pairs, batch.n_units)
        sides = moves_of(np.random.default_rng(seed), annotators, 12).ravel()
        start = np.arange(batch.n_units)
        arrays = (links.begin, links.partner, links.saving, batch.annotator, start, sides, annotators)
        by_both(lambda a=arrays: [kernels.rematch(*a)])


def valid(pairs, label):
    """Whether each unitary alignment has one unit an annotator at most, all pairs candidates, and is well numbered."""
    near = set(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True))
    near |= {(v, u) for u, v in near}
    groups = [np.flatnonzero(label == one).tolist() for one in range(label.max() + 1)]
    ordered = [group[0] for group in groups] == sorted(group[0] for group in groups)
    return ordered and all(pair in near for group in groups for pair in itertools.combinations(group, 2))


@by_each_kind
def test_moves_never_make_an_alignment_worse():
    rng = np.random.default_rng(3)
    for seed in range(4):
        batch, _, pairs = instance(60 + seed, 5, 5)
        links, label = Links.both_ways(pairs, batch.n_units), np.arange(batch.n_units)
        for side in moves_of(rng, 5, 15):
            after = kernels.rematch(links.begin, links.partner, links.saving, batch.annotator, label, side, 5)
            assert valid(pairs, after)
            assert total_saving(links, after) >= total_saving(links, label) - 1e-9
            again = kernels.rematch(links.begin, links.partner, links.saving, batch.annotator, after, side, 5)
            assert total_saving(links, again) == pytest.approx(total_saving(links, after), abs=1e-9)
            label = after


def test_rematching_two_annotators_is_the_best_alignment():
    for seed in range(5):
        batch, bound_to, pairs = instance(70 + seed, 2, 8)
        links = Links.both_ways(pairs, batch.n_units)
        side = np.array([0, 1])
        label = kernels.rematch(
            links.begin, links.partner, links.saving, batch.annotator, np.arange(batch.n_units), side, 2
        )
        assert batch.n_units - total_saving(links, label) == pytest.approx(
            float(solve(batch, bound_to).cost[0]), abs=1e-9
        )


# --- parts ---


def test_the_first_alignment_is_valid_and_close_to_the_best():
    gaps = []
    for seed in range(8):
        batch, bound_to, pairs = instance(80 + seed, 5, 6)
        links = Links.both_ways(pairs, batch.n_units)
        label = first_alignment(batch, links)
        assert valid(pairs, label)
        cost, best = batch.n_units - total_saving(links, label), float(solve(batch, bound_to).cost[0])
        assert cost >= best - 1e-9
        gaps.append(cost / best - 1)
        assert total_saving(links, improve(batch, links, label)) >= total_saving(links, label)
    assert np.mean(gaps) < 0.1


def test_the_neighbourhood_contains_the_alignment_with_the_right_costs():
    batch, _, pairs = instance(90, 5, 5)
    links = Links.both_ways(pairs, batch.n_units)
    label = first_alignment(batch, links)
    columns = neighbourhood(batch, links, label)
    every = every_column(batch, pairs)
    found = columns_of(columns.offsets, columns.units)
    assert len(set(found)) == len(found)
    for column, saving in zip(found, columns.saving.tolist(), strict=True):
        assert saving == pytest.approx(every[column], abs=1e-12)
    groups = [tuple(np.flatnonzero(label == one).tolist()) for one in range(label.max() + 1)]
    assert {group for group in groups if len(group) > 1 and every[group] > 1e-9} <= set(found)
    assert any(len(set(column) - set(group)) == 1 for column in found for group in groups if len(group) == len(column))


def test_the_reach_of_a_unit_is_its_greatest_possible_saving():
    batch, _, pairs = instance(93, 5, 5)
    reach = reach_of(Links.upward(pairs, batch.n_units), batch)
    assert np.allclose(pairs.best_savings(batch.annotator).sum(axis=1), reach, atol=1e-12)


def test_shares_divide_the_saving_of_the_alignment():
    batch, _, pairs = instance(91, 6, 5)
    links = Links.both_ways(pairs, batch.n_units)
    label = first_alignment(batch, links)
    assert tight_prices(links, label).sum() == pytest.approx(total_saving(links, label), abs=1e-9)


def test_no_column_beats_the_first_prices():
    for seed in range(6):
        batch, _, pairs = instance(seed, 5, 5)
        y = first_prices(batch, pairs)
        assert all(saving <= y[list(units)].sum() + 1e-9 for units, saving in every_column(batch, pairs).items())


def test_after_the_deadline_there_are_bounds_and_no_search():
    batch, _, pairs = instance(92, 6, 5)
    links = Links.upward(pairs, batch.n_units)
    y = np.full(batch.n_units, 0.3)
    reach = reach_of(links, batch)
    full = price(batch, links, reach, y, Budget(UNLIMITED, Deadline()))
    over = price(batch, links, reach, y, Budget(UNLIMITED, Deadline(0.0)))
    assert not len(over.columns)
    assert (over.root_gain >= full.root_gain - 1e-9).all()
    sliced = price(batch, links, reach, y, Budget(UNLIMITED, Limits(time_limit=1000).deadline(1)))
    assert sliced.columns.units.tolist() == full.columns.units.tolist()
    assert sliced.root_gain.tolist() == full.root_gain.tolist()


def fractional_instances():
    """Instances whose linear relaxation is fractional: noisy copies, all over one another."""
    for seed in range(60):
        batch, bound_to, pairs = instance(1000 + seed, 6, 4, span=8)
        columns, _ = useful_columns(batch, pairs, np.full(1, 10**9))
        relaxed = relax(columns, batch.n_units)
        if ((relaxed.x > 1e-6) & (relaxed.x < 1 - 1e-6)).any():
            yield batch, bound_to, columns, relaxed


def settled_by_programmes(batch, pairs):
    """Return column generation of one instance after its programmes, without soft prices."""
    work = generation._Generation(batch, pairs, Limits(), Deadline())
    work._settle_by_programmes()
    return work


def test_programmes_end_with_the_bound_of_the_linear_relaxation():
    differs = 0
    for seed in range(8):
        batch, _, pairs = instance(200 + seed, 6, 4, span=10)
        columns, _ = useful_columns(batch, pairs, np.full(1, 10**9))
        relaxed = relax(columns, batch.n_units)
        work = settled_by_programmes(batch, pairs)
        assert work.feasible.sum() == pytest.approx(relaxed.price.sum(), abs=1e-6 * batch.n_units)
        losses = [work.feasible[list(units)].sum() - saving for units, saving in every_column(batch, pairs).items()]
        assert min(losses) > -1e-9
        differs += first_prices(batch, pairs).sum() > relaxed.price.sum() + 0.01
    assert differs == 8


def test_the_total_of_a_programme_is_a_bound_of_the_instance(monkeypatch):
    batch, _, pairs = instance(211, 6, 5, span=12)
    totals, record = [], generation.Programme.record_bound

    def noted(programme, total):
        totals.append(total)
        record(programme, total)

    monkeypatch.setattr(generation.Programme, "record_bound", noted)
    bounds, record_prices = [], generation._Generation._record_bound

    def noted_prices(work, y, priced):
        bounds.append(float((y + np.maximum(priced.root_gain, 0.0)).sum()))
        record_prices(work, y, priced)

    monkeypatch.setattr(generation._Generation, "_record_bound", noted_prices)
    settled_by_programmes(batch, pairs)
    assert len(totals) > 2
    assert bounds[:-1] == pytest.approx(totals, abs=1e-9)  # the last one is that of the best prices, once more
    assert bounds[-1] == pytest.approx(min(totals), abs=1e-9)


def test_proven_gap_is_the_lower_one_of_prices_and_floor():
    batch, _, pairs = instance(213, 6, 4, span=10)
    work = generation._Generation(batch, pairs, Limits(), Deadline())
    assert work._proven_gap == pytest.approx(work.gap)
    for gap in (0.3, 0.0, -0.1):
        work._floor = np.full(batch.n_units, (work._cost - gap) / batch.n_units)
        assert work._proven_gap == pytest.approx(max(gap, 0.0), abs=1e-9)
    work._floor = np.zeros(0)
    work.feasible = work.feasible - (work.feasible.sum() - total_saving(work.links, work.label) + 0.5) / batch.n_units
    assert work._proven_gap == 0.0


@pytest.mark.parametrize(("n_annotators", "smoothing"), [(4, 0.1), (16, 0.4), (60, 0.5)])
def test_trial_prices_are_between_the_best_ones_and_those_of_the_programme(n_annotators, smoothing):
    programme = generation.Programme(np.array([0.2, 0.6]), n_annotators, once=False)
    programme.prices = np.array([1.0, 0.4])
    weights = []
    for _ in range(4):
        weights.append((programme.prices - programme.trial_prices)[0] / 0.8)
        assert (programme.prices - programme.trial_prices)[1] / -0.2 == pytest.approx(weights[-1])
        programme.record_miss()
    # Each miss takes as much weight from the best prices as they lack at first.
    assert weights == pytest.approx([max(0.0, 1 - (1 - smoothing) * (misses + 1)) for misses in range(4)])
    assert programme.is_done == (0.0 in weights)
    programme.record_bound(1.5)
    assert (programme.best_total, programme.best_prices.tolist()) == (1.5, [1.0, 0.4])
    programme.record_bound(1.6)
    assert programme.best_total == 1.5


def test_variants_of_several_unitary_alignments_are_listed_once():
    batch, _, pairs = instance(212, 4, 3, span=6)
    links = Links.both_ways(pairs, batch.n_units)
    columns = neighbourhood(batch, links, np.arange(batch.n_units))  # {a} and {b} both have the variant {a, b}
    found = columns_of(columns.offsets, columns.units)
    assert len(found) > 3
    assert len(found) == len(set(found))


# --- the whole ---


def test_column_generation_finds_the_same_alignments_as_all_columns(on_demand):
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(5), 25, 4, 5))
    every = solve(batch, bound_to)
    on_demand()
    made = solve(batch, bound_to)
    assert made.is_proven.all()
    assert np.allclose(made.cost, every.cost, rtol=0, atol=1e-9)
    assert (made.group == every.group).all()


@by_each_kind
@pytest.mark.parametrize(
    ("annotators", "most"),
    [(3, 6), (5, 4), (7, 2), *(pytest.param(*case, marks=pytest.mark.release) for case in [(7, 3), (9, 2)])],
)
def test_column_generation_equals_the_definition(annotators, most, on_demand):
    on_demand()
    rng = np.random.default_rng(100 + annotators)
    for _ in range(6):
        units, n = larger_case(rng, annotators, most)
        alignment = ga.align(continuum_of((units, n)))
        assert alignment.is_optimal
        assert alignment.disorder == pytest.approx(oracles.best_alignment_definition(units, n)[0], abs=1e-9)


def test_fractional_relaxations_are_closed_to_proof(on_demand):
    cases = [(batch, bound_to, solve(batch, bound_to)) for batch, bound_to, *_ in fractional_instances()]
    on_demand()
    for batch, bound_to, every in cases:
        made = solve(batch, bound_to)
        assert made.is_proven.all()
        assert made.cost == pytest.approx(every.cost, abs=1e-9)
        assert (made.group == every.group).all()


@pytest.mark.parametrize("name", ["MAX_NODES_PER_ROOT", "MAX_LISTED_COLUMNS"])
def test_a_window_that_is_too_wide_ends_with_a_stated_gap_or_a_list_of_all_columns(name, on_demand, monkeypatch):
    instances = list(itertools.islice(fractional_instances(), 3))
    every = [solve(batch, bound_to) for batch, bound_to, *_ in instances]
    on_demand()
    monkeypatch.setattr(generation, name, 1)
    for (batch, bound_to, *_), best in zip(instances, every, strict=True):
        cut = solve(batch, bound_to, Limits(max_work=10**12))  # with a limit of work, nothing else is tried
        assert (cut.bound <= best.cost + 1e-9).all()
        assert (cut.cost >= best.cost - 1e-9).all()
        assert not cut.is_proven.any()
        listed = solve(batch, bound_to)
        assert listed.is_proven.all()
        assert np.allclose(listed.cost, best.cost, rtol=0, atol=1e-9)


def test_a_budget_of_one_lookup_ends_with_a_stated_gap_and_a_valid_bound(on_demand):
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(6), 6, 6, 6))
    best = solve(batch, bound_to)
    on_demand()
    cut = solve(batch, bound_to, Limits(max_work=1))
    assert (cut.bound <= best.cost + 1e-9).all()
    assert (cut.cost >= best.cost - 1e-9).all()
    assert not cut.is_proven.all()
    assert (cut.bound[~cut.is_proven] < cut.cost[~cut.is_proven]).all()


def test_more_work_never_widens_the_gap(on_demand):
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(16), 1, 7, 8, span=12))
    on_demand()
    gaps = []
    for work in (1, 10_000, 100_000, 1_000_000, 10**9):
        solution = solve(batch, bound_to, Limits(max_work=work))
        gaps.append(float((solution.cost - solution.bound)[0]))
    assert gaps[0] > 0
    assert gaps[-1] == 0
    assert gaps == sorted(gaps, reverse=True)


def test_the_bound_of_finished_rounds_is_kept_if_the_work_is_used_up(on_demand, monkeypatch):
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(16), 1, 7, 8, span=12))
    on_demand()
    monkeypatch.setattr(generation, "_MAX_SOFT_ANNOTATORS", 0)
    monkeypatch.setattr(generation._Generation, "_is_too_hard", lambda _: False)
    rounds = []
    bounded = generation._Generation._record_bound

    def noted(work, y, priced):
        bounded(work, y, priced)
        rounds.append((work.budget.remaining, float(len(y) - work.feasible.sum())))

    monkeypatch.setattr(generation._Generation, "_record_bound", noted)
    solve(batch, bound_to, Limits(max_work=10**9))
    done = [(10**9 - left, bound) for left, bound in rounds]
    before = done[0][1]
    better = [(work, bound) for work, bound in done if bound > before + 1e-6]
    assert better
    for work, bound in better:
        assert solve(batch, bound_to, Limits(max_work=work + 1)).bound[0] >= bound - 1e-9


def test_an_instance_too_hard_for_its_budget_is_not_searched(on_demand, monkeypatch):
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(16), 1, 7, 8, span=12))
    best = solve(batch, bound_to)
    on_demand()
    monkeypatch.setattr(generation, "_MAX_SOFT_ANNOTATORS", 0)
    spent = []
    look_up = generation.price

    def noted(*arguments, **options):
        before = arguments[4].remaining
        priced = look_up(*arguments, **options)
        spent.append(before - arguments[4].remaining)
        return priced

    monkeypatch.setattr(generation, "price", noted)
    limits = Limits(max_work=100 * batch.n_units)
    cut = solve(batch, bound_to, limits)
    assert 0 < sum(spent) < limits.work / 2
    assert (cut.bound <= best.cost + 1e-9).all()
    assert (cut.cost >= best.cost - 1e-9).all()
    assert not cut.is_proven.any()
    spent.clear()
    monkeypatch.setattr(generation, "_MAX_COSTLY_PROBES", generation._PROBE_ROOTS + 1)
    solve(batch, bound_to, limits)
    assert sum(spent) >= 0.75 * limits.work - batch.n_units  # the rest is for blocks of annotators


def has_stalled(*progress):
    return generation._has_stalled([generation._Progress(*values) for values in progress])


def test_programmes_stop_if_neither_value_nor_bound_changes():
    n_rounds = generation._STALL_ROUNDS
    assert has_stalled(*[(1.0, 1.5)] * (n_rounds + 1))
    assert not has_stalled(*[(1.0, 1.5)] * n_rounds)
    assert not has_stalled(*[(1.0 + index / 100, 1.5) for index in range(n_rounds + 1)])
    assert not has_stalled(*[(1.0, 1.0 + 0.5**index) for index in range(n_rounds + 1)])


@pytest.mark.parametrize("annotators", [3, 6])
def test_a_bracket_is_proven_and_not_wider_than_requested(annotators, on_demand, monkeypatch):
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(3), 6, annotators, 8, span=14))
    best = solve(batch, bound_to)
    on_demand()
    exact = solve(batch, bound_to, Limits(gap=0.2))  # too small to be costly
    assert exact.is_proven.all()
    monkeypatch.setattr(generation, "_COSTLY_UNITS", 0)
    bracket = solve(batch, bound_to, Limits(gap=0.2))
    assert (
        generation._MAX_SOFT_ANNOTATORS == 0 or not bracket.is_proven.all()
    )  # programmes may end in proof by themselves
    assert (bracket.bound <= best.cost + 1e-9).all()
    assert (best.cost <= bracket.cost + 1e-9).all()
    assert (bracket.cost - bracket.bound <= 0.2 * bracket.cost + 1e-9).all()


def test_parts_that_soft_prices_do_not_solve_are_bracketed_on_request(monkeypatch):
    instances = list(itertools.islice(fractional_instances(), 3))
    monkeypatch.setattr(partition_module, "_COSTLY_COLUMNS", 0)
    rounds = tuple(stage._replace(max_losses=(1e-6,), max_final_work=0) for stage in partition_module._ROUNDS)
    monkeypatch.setattr(partition_module, "_ROUNDS", rounds)
    open_ = 0
    for batch, bound_to, *_ in instances:
        best, bracket = solve(batch, bound_to), solve(batch, bound_to, Limits(gap=0.5))
        assert best.is_proven.all()
        assert (bracket.bound <= best.cost + 1e-9).all()
        assert (best.cost <= bracket.cost + 1e-9).all()
        assert (bracket.cost - bracket.bound <= 0.5 * bracket.cost).all()
        open_ += int((~bracket.is_proven).sum())
    assert open_ > 0


@pytest.mark.parametrize("gap", [-0.1, 1.0, float("nan")])
def test_an_invalid_gap_is_refused(gap):
    with pytest.raises(SettingsError, match="gap must be 0 or more and less than 1"):
        Limits(gap=gap)


@pytest.mark.parametrize("seconds", [1e-9, 0.02])
def test_a_time_limit_ends_with_a_stated_gap_or_a_proof(seconds, on_demand):
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(17), 1, 8, 10, span=14))
    best = solve(batch, bound_to)
    assert best.is_proven.all()
    on_demand()
    cut = solve(batch, bound_to, Limits(time_limit=seconds))
    assert (cut.bound <= best.cost + 1e-9).all()
    assert (cut.cost >= best.cost - 1e-9).all()
    if seconds < 1e-6:
        assert not cut.is_proven.any()


def test_samples_of_an_unproven_document_have_a_tenth_of_the_work(monkeypatch):
    asked = []

    def watched(batch, dissimilarity, limits, *, alignment):
        asked.append((limits.work, len(batch)))
        return solve_alignment(batch, dissimilarity, limits, alignment=alignment)

    monkeypatch.setattr(draws, "solve_alignment", watched)
    monkeypatch.setattr(Limits, "columns_for", lambda _, units: np.where(units > 30, 0, 10**9))
    rng = np.random.default_rng(18)
    easy, hard = corpus_of(rng, 2, 3, 3), corpus_of(rng, 1, 7, 9, span=12)
    corpus = ga.Corpus.from_continua(
        [
            *(ga.Continuum.from_records(records(easy[name]), document=f"easy {name}") for name in easy.documents),
            ga.Continuum.from_records(records(hard[hard.documents[0]]), document="hard"),
        ]
    )
    settings = GammaSettings(rule=PrecisionRule(samples=10), limits=Limits(max_work=1000))
    rows = measure.run(corpus, settings)
    hard, gap = rows.documents.index("hard"), rows.gap
    assert gap[hard] > 0
    assert 0 < rows.gamma.bracket[hard] < gap[hard] * rows.gamma.expected[hard] * 1.5
    assert rows.gamma.bracket[rows.documents.index("easy d0")] == 0
    assert np.flatnonzero(gap).tolist() == [hard]
    (first, second, third) = asked  # data and samples of the easy documents that one call did not align, hard samples
    assert third == (100, 10)
    assert first[0] == second[0] == 1000
    assert 1 <= first[1] <= 3
    assert second[1] <= 20


def records(continuum):
    return [(unit.annotator, unit.start, unit.end, unit.category) for unit in continuum.units()]


def test_programmes_continue_if_soft_prices_leave_too_many_columns(monkeypatch):
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(31), 1, 6, 8, span=20))
    best = solve(batch, bound_to)
    window, turns = generation._Generation._columns_up_to, []

    def too_many_at_first(work, reach):
        turns.append(work._used_programmes)
        return window(work, reach) if work._used_programmes else None

    monkeypatch.setattr(generation._Generation, "_columns_up_to", too_many_at_first)
    again = solve(batch, bound_to, Limits(max_columns=1))
    assert turns[:2] == [False, True]
    assert again.is_proven.all()
    assert np.allclose(again.cost, best.cost, rtol=0, atol=1e-9)
    assert (again.group == best.group).all()


def test_the_gap_is_reported_until_it_is_0():
    told = []
    corpus = ga.read(CORPORA / "llm_span_d2t_iaa").select(documents=["d2t-football|iaa|gpt4o|0"])
    with reporting_gaps(told.append):
        aligned = ga.align(corpus)
    assert aligned.is_optimal
    assert told == sorted(told, reverse=True)
    assert 0 <= told[-1] < 0.01 < told[0] < 1
    several = len(told)
    ga.align(corpus)
    assert len(told) == several  # nobody waits any more
