"""Each step of the solver is correct, and all ways of solving agree."""

import itertools

import numpy as np
import pytest
from solver_cases import batch_of, corpus_of

import gamma_align as ga
from gamma_align.alignment import assignment, certification, lp
from gamma_align.alignment import partition as rounds
from gamma_align.alignment import solve as solving
from gamma_align.alignment.candidates import Columns, candidate_pairs, useful_columns
from gamma_align.alignment.limits import Deadline, Limits
from gamma_align.alignment.lp import relax
from gamma_align.alignment.partition import partition
from gamma_align.alignment.search import TIE, splitmix, tie_hash, tie_hash_alone
from gamma_align.alignment.solve import aligned_pairs, solve
from gamma_align.errors import SettingsError, SolverError


def all_columns(batch, bound_to):
    pairs = candidate_pairs(batch, bound_to)
    columns, too_many = useful_columns(batch, pairs, np.full(len(batch), 10**9))
    assert not too_many.any()
    return pairs, columns


@pytest.mark.parametrize("annotators", [2, 3, 4, 6])
def test_candidate_pairs_are_exactly_those_below_the_limit(annotators):
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(annotators), 6, annotators, 6))
    pairs = candidate_pairs(batch, bound_to)
    found = set(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True))
    active = [len(set(batch.annotator[batch.instance == at].tolist())) for at in range(len(batch))]
    expected = set()
    for u, v in itertools.permutations(range(batch.n_units), 2):
        instance = batch.instance[u]
        if instance == batch.instance[v] and batch.annotator[u] < batch.annotator[v]:
            limit = annotators * (annotators - 1) / 2 + active[instance] - 1
            if bound_to.pairs(batch, np.array([u]), np.array([v]))[0] < limit:
                expected.add((u, v))
    assert found == expected


def test_the_relaxation_of_a_wide_pack_equals_the_relaxation_of_all_columns():
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(9), 1, 7, 4, span=6))
    _, columns = all_columns(batch, bound_to)
    assert len(columns) > 60 * batch.n_units  # wide enough to be sifted
    relaxed = relax(columns, batch.n_units)
    from scipy.optimize import linprog

    table = np.zeros((batch.n_units, len(columns)))
    table[columns.units, columns.column_of] = 1.0
    best = linprog(-columns.saving, A_ub=table, b_ub=np.ones(batch.n_units))
    assert float(columns.saving @ relaxed.x) == pytest.approx(-best.fun, abs=1e-8)
    assert relaxed.price.sum() == pytest.approx(-best.fun, abs=1e-8)
    assert (columns.sums(relaxed.price) >= columns.saving - 1e-12).all()


def test_a_matching_equals_set_partitioning():
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(10), 40, 2, 6, span=60))
    _, columns = all_columns(batch, bound_to)
    number = np.arange(batch.n_units) - batch.offsets[batch.instance]
    best = partition(columns, number, Deadline())
    chosen = columns.take(best.selected).units.reshape(-1, 2)
    group = np.arange(batch.n_units)
    group[chosen.max(axis=1)] = chosen.min(axis=1)
    found = solve(batch, bound_to)
    assert found.is_proven.all()
    assert (found.group == group).all()


# --- ties ---


def best_by_the_tie_rule(columns, number):
    """Every partition, the rule applied literally: cost, then number of groups, then the sum of h."""
    units = list(range(len(number)))
    alone = Columns(np.arange(len(number) + 1), np.arange(len(number)), np.ones(len(number)))
    everything = Columns.joined(columns, alone)
    hashes = tie_hash(everything, number).tolist()
    sets = [frozenset(everything.units[a:b].tolist()) for a, b in itertools.pairwise(everything.offsets.tolist())]

    def partitions(rest):
        if not rest:
            yield []
            return
        for at, members in enumerate(sets):
            if rest[0] in members and members <= set(rest):
                for others in partitions([unit for unit in rest if unit not in members]):
                    yield [at, *others]

    scored = [
        (sum(everything.cost[at] for at in choice), -len(choice), sum(hashes[at] for at in choice), choice)
        for choice in partitions(units)
    ]
    least = min(score[0] for score in scored)
    best = min((score for score in scored if score[0] <= least + TIE), key=lambda score: score[1:3])
    return {sets[at] for at in best[3]}


def test_tie_hash_is_made_of_splitmix64():
    # The first outputs of the generator with seed 0, whose state grows by the golden ratio.
    states = np.arange(3, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    outputs = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert splitmix(states).tolist() == outputs
    canonical_index = states.astype(np.int64)
    assert tie_hash_alone(canonical_index).tolist() == (splitmix(np.array(outputs, dtype=np.uint64)) >> 40).tolist()
    pair = Columns(np.array([0, 2]), np.array([0, 2]), np.ones(1))
    summed = np.array([(outputs[0] + outputs[2]) % 2**64], dtype=np.uint64)
    assert tie_hash(pair, canonical_index).tolist() == (splitmix(summed) >> 40).tolist()


def tied_continua():
    """Inputs made of ties: identical units, units of which several partners are equally near, symmetrical chains."""
    yield 2, [(0, 0, 4), (0, 4, 8), (1, 2, 6)]
    yield 2, [(0, 0, 4), (0, 0, 4), (1, 0, 4), (1, 0, 4)]
    yield 3, [(0, 0, 4), (1, 2, 6), (2, 4, 8), (0, 8, 12), (1, 6, 10)]
    yield 3, [(at, 0, 4) for at in range(3)] * 2
    yield 3, [(0, 0, 4), (1, 4, 8), (2, 8, 12), (0, 12, 16)]
    yield 4, [(0, 0, 4), (1, 1, 5), (2, 2, 6), (3, 3, 7), (0, 4, 8), (1, 5, 9)]


@pytest.mark.parametrize(("annotators", "spans"), list(tied_continua()))
def test_ties_are_broken_by_the_rule(annotators, spans, on_demand):
    corpus = ga.Corpus.from_records(
        [("d", f"a{who}", start, end) for who, start, end in spans],
        annotations=[("d", f"a{who}") for who in range(annotators)],
    )
    batch, bound_to = batch_of(corpus)
    _, columns = all_columns(batch, bound_to)
    number = np.arange(batch.n_units)
    expected = best_by_the_tie_rule(columns, number)
    for prepare in (lambda: None, on_demand):
        prepare()
        group = solve(batch, bound_to).group
        assert {frozenset(np.flatnonzero(group == label).tolist()) for label in np.unique(group)} == expected


def test_ties_of_two_annotators_are_broken_by_the_rule():
    rng = np.random.default_rng(15)
    tied = 0
    for _ in range(150):
        counts, span = rng.integers(1, 5, size=2), int(rng.integers(1, 6))
        records = [
            ("d", f"a{who}", start, start + length, "xy"[label])
            for who, count in enumerate(counts.tolist())
            for start, length, label in rng.integers(0, [span, 3, 2], size=(count, 3)).tolist()
        ]
        batch, bound_to = batch_of(ga.Corpus.from_records(records))
        _, columns = all_columns(batch, bound_to)
        expected = best_by_the_tie_rule(columns, np.arange(batch.n_units))
        group = solve(batch, bound_to).group
        assert {frozenset(np.flatnonzero(group == label).tolist()) for label in np.unique(group)} == expected
        tied += len({*zip(batch.start.tolist(), batch.end.tolist(), strict=True)}) < batch.n_units
    assert tied > 50  # units on the same bounds


def test_tiny_losses_are_added_up(monkeypatch):
    # each unit of a0 may go to one inside it, or for 8e-10 more to one of two that it overlaps by half
    inside = 20 / 3 - 7.1e-9
    records = [("d", "a0", 10.0 * at, 10.0 * at + 10) for at in range(30)]
    records += [("d", "a1", 10.0 * at + inside, 10.0 * at + 10) for at in range(30)]
    records += [("d", "a1", 10.0 * at + 5, 10.0 * at + 15) for at in range(30)]
    batch, bound_to = batch_of(ga.Corpus.from_records(records))
    _, columns = all_columns(batch, bound_to)
    saving = columns.saving
    assert 0 < np.ptp(saving[saving > 1.5]) < TIE
    tolerances, select = [], assignment._select_by_rule

    def noted(columns, loss, price, tie, canonical_index):
        tolerances.append(np.unique(tie).tolist())
        return select(columns, loss, price, tie, canonical_index)

    monkeypatch.setattr(assignment, "_select_by_rule", noted)
    found = solve(batch, bound_to)
    assert found.is_proven.all()
    assert found.cost[0] == pytest.approx(batch.n_units - 30 * saving.max(), rel=0, abs=1e-9)
    assert tolerances == [[TIE], [TIE / batch.n_units]]


def test_a_tied_instance_has_the_same_solution_alone_and_among_others():
    rng = np.random.default_rng(12)
    corpus = corpus_of(rng, 60, 3, 5, span=8, spread=1.0)
    batch, bound_to = batch_of(corpus)
    together = solve(batch, bound_to)
    for at in range(len(batch)):
        alone = solve(batch.take(np.array([at])), bound_to)
        units = slice(int(batch.offsets[at]), int(batch.offsets[at + 1]))
        assert (together.group[units] - units.start == alone.group).all()
        assert together.cost[at] == alone.cost[0]
    order = rng.permutation(len(batch))
    assert (solve(batch.take(order), bound_to).cost == together.cost[order]).all()


def test_equal_components_are_solved_once(monkeypatch):
    corpus = corpus_of(np.random.default_rng(16), 3, 4, 9, span=20)
    records = [(f"{copy}", u.annotator, u.start, u.end, u.category) for copy in range(4) for u in corpus["d1"].units()]
    batch, bound_to = batch_of(ga.Corpus.from_records(records))
    _, columns = all_columns(batch, bound_to)
    rows = []
    lp_of = lp.packing_lp
    monkeypatch.setattr(lp, "packing_lp", lambda *given: rows.append(given[0].shape[0]) or lp_of(*given))
    relaxed = relax(columns, batch.n_units)
    linked = np.unique(columns.units)
    assert sum(rows) * 4 == len(linked)
    quarters = [relaxed.price[batch.offsets[at] : batch.offsets[at + 1]].tobytes() for at in range(4)]
    assert len(set(quarters)) == 1
    assert relaxed.price.sum() > 0
    assert columns.saving @ relaxed.x == pytest.approx(relaxed.price.sum(), abs=1e-8)


@pytest.fixture
def certify(monkeypatch):
    """Leave every part to the linear relaxation and local certification, with so much work for a part."""

    def prepare(nodes=400_000, known=4_000_000):
        monkeypatch.setattr(rounds, "_ROUNDS", ())
        monkeypatch.setattr(certification, "_MAX_WORK", nodes)
        monkeypatch.setattr(certification, "_MAX_WORK_WITH_KNOWN_LOSS", known)

    return prepare


@pytest.mark.parametrize(("annotators", "most"), [(3, 12), (4, 9), (5, 6)])
@pytest.mark.parametrize("active", [0.0, 0.02, 0.5])
def test_certified_parts_equal_searched_parts(annotators, most, active, certify, monkeypatch):
    rng = np.random.default_rng([17, annotators])
    batch, bound_to = batch_of(corpus_of(rng, 25, annotators, most, span=20))
    every = solve(batch, bound_to)
    certify()
    monkeypatch.setattr(certification, "_MAX_ACTIVE_LOSS", active)
    certified = solve(batch, bound_to)
    assert certified.is_proven.all()
    assert np.allclose(certified.cost, every.cost, rtol=0, atol=1e-9)
    assert (certified.group == every.group).all()


@pytest.mark.parametrize("added", [0, 5, 10_000])
def test_programmes_with_more_columns_at_once_find_the_same_alignments(added, certify, monkeypatch):
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(18), 12, 4, 9, span=20))
    best = solve(batch, bound_to)
    certify(nodes=1)  # every part becomes a programme
    monkeypatch.setattr(certification, "_MAX_ACTIVE_LOSS", 0.0)
    monkeypatch.setattr(certification, "_MAX_ADDED_COLUMNS", added)
    programmes, packing = [], certification.packing_ip
    monkeypatch.setattr(certification, "packing_ip", lambda *given: programmes.append(given[0]) or packing(*given))
    again = solve(batch, bound_to)
    assert programmes
    assert again.is_proven.all()
    assert np.allclose(again.cost, best.cost, rtol=0, atol=1e-9)
    assert (again.group == best.group).all()


@pytest.mark.parametrize(
    ("few", "expected"), [(10_000, "_solve_on_demand"), (0, "certify")], ids=["few units", "many units"]
)
def test_open_parts_are_solved_on_demand_or_by_programmes(few, expected, monkeypatch):
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(19), 5, 4, 9, span=20))
    best = solve(batch, bound_to)
    monkeypatch.setattr(rounds, "_MANY_COLUMNS", 0)
    monkeypatch.setattr(rounds, "_ROUNDS", tuple(one._replace(max_work=0, max_final_work=0) for one in rounds._ROUNDS))
    monkeypatch.setattr(solving, "_FEW_UNITS", few)
    calls = []
    for module, name in ((solving, "_solve_on_demand"), (rounds, "certify")):
        solve_part = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *given, name=name, call=solve_part: calls.append(name) or call(*given))
    again = solve(batch, bound_to)
    assert calls[0] == expected
    assert again.is_proven.all()
    assert (again.group == best.group).all()


@pytest.mark.parametrize("annotators", [3, 4, 5, 6, 8])
@pytest.mark.parametrize(
    "stage",
    [
        pytest.param({}, id="as it is"),
        pytest.param({"max_losses": (0.5,)}, id="columns of more loss at first"),
        pytest.param({"max_losses": (1e-4,)}, id="what the first columns lose is known, and more searched"),
        pytest.param({"max_losses": (1e-5, 1e-3, 0.1)}, id="more and more columns searched"),
        pytest.param({"steps": 2, "ratio": 0.5}, id="poor prices"),
    ],
)
def test_soft_prices_and_programmes_find_the_same_alignments(annotators, stage, certify, monkeypatch):
    rng = np.random.default_rng([23, annotators])
    batch, bound_to = batch_of(corpus_of(rng, 12, annotators, 30 // annotators, span=20))
    monkeypatch.setattr(rounds, "_ROUNDS", tuple(one._replace(**stage) for one in rounds._ROUNDS))
    soft = solve(batch, bound_to)
    certify()
    programmes = solve(batch, bound_to)
    assert soft.is_proven.all()
    assert np.allclose(soft.cost, programmes.cost, rtol=0, atol=1e-9)
    assert (soft.group == programmes.group).all()


def test_a_third_round_precedes_programmes(monkeypatch):
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(29), 3, 5, 8, span=20))
    best = solve(batch, bound_to)
    early = (one._replace(max_work=0, max_final_work=0) for one in rounds._ROUNDS[:2])
    monkeypatch.setattr(rounds, "_ROUNDS", (*early, *rounds._ROUNDS[2:]))
    monkeypatch.setattr(rounds, "certify", lambda *_: pytest.fail("a programme"))
    again = solve(batch, bound_to)
    assert again.is_proven.all()
    assert np.allclose(again.cost, best.cost, rtol=0, atol=1e-9)
    assert (again.group == best.group).all()


def test_a_failed_relaxation_is_tried_again_with_default_settings(certify, monkeypatch):
    certify()
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(13), 6, 3, 6))
    best = solve(batch, bound_to)
    monkeypatch.setattr(lp, "_GLOP", "max_number_of_iterations:1 use_preprocessing:false")
    again = solve(batch, bound_to)
    assert again.is_proven.all()
    assert np.allclose(again.cost, best.cost, rtol=0, atol=1e-9)
    monkeypatch.setattr(lp, "_GLOP_USUAL", "max_number_of_iterations:1 use_preprocessing:false")
    with pytest.raises(SolverError, match=r"GLOP ended with \w+ on \d+ rows and \d+ columns"):
        solve(batch, bound_to)


def test_an_interrupted_integer_programme_has_a_valid_bound(certify, monkeypatch):
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(14), 40, 4, 9, span=20))
    best = solve(batch, bound_to)
    assert best.is_proven.all()
    certify(nodes=1, known=1)
    assert np.allclose(solve(batch, bound_to).cost, best.cost, rtol=0, atol=1e-9)  # by programme alone
    monkeypatch.setattr(lp, "_SCIP", "limits/totalnodes = 1\npresolving/maxrounds = 0")
    cut = solve(batch, bound_to)
    assert (cut.bound <= best.cost + 1e-6).all()
    assert (cut.cost >= best.cost - 1e-9).all()


def test_bound_of_an_integer_programme_that_was_stopped_is_the_bound_of_the_solver(monkeypatch):
    matrix, saving = np.ones((1, 2)), np.array([1.0, 3.0])
    for found, expected in ((None, [0.0, 0.0]), (np.array([1.0, 0.0]), [1.0, 0.0])):
        monkeypatch.setattr(lp, "_solve_zeros_and_ones", lambda *_, found=found: (found, -3.5, False))
        x, bound = lp.packing_ip(matrix, saving, Deadline())
        assert (x.tolist(), bound) == (expected, 3.5)
    monkeypatch.setattr(lp, "_solve_zeros_and_ones", lambda *_: (np.array([0.0, 1.0]), -np.inf, True))
    assert lp.packing_ip(matrix, saving, Deadline())[1] == 3.0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"time_limit": 0.0}, "time_limit must be above 0, not 0.0"),
        ({"time_limit": float("nan")}, "time_limit must be a finite number"),
        ({"max_columns": 0}, "max_columns must be 1 or more, not 0"),
        ({"max_work": 0}, "max_work must be 1 or more, not 0"),
    ],
)
def test_invalid_limits_are_refused(settings, message):
    with pytest.raises(SettingsError, match=message):
        Limits(**settings)


def test_the_number_of_listed_columns_has_a_limit():
    units = np.array([10, 1_000, 50_000])
    assert Limits().columns_for(units).tolist() == [3_000, 200_000, 2_000_000]
    assert Limits(max_columns=100_000).columns_for(units).tolist() == [3_000, 100_000, 100_000]


def test_column_generation_finds_the_same_alignments_above_the_limit_of_columns():
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(19), 6, 4, 6))
    few = solve(batch, bound_to, Limits(max_columns=1))
    every = solve(batch, bound_to)
    assert few.is_proven.all()
    assert few.cost == pytest.approx(every.cost, abs=1e-9)
    assert (few.group == every.group).all()


def test_column_generation_finds_the_same_alignments_in_parts_too_large_for_a_programme(monkeypatch):
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(29), 8, 4, 12, span=20))
    best = solve(batch, bound_to)
    made = []
    generate = solving.generate
    monkeypatch.setattr(solving, "generate", lambda *given: made.append(given) or generate(*given))
    monkeypatch.setattr(rounds, "_ROUNDS", ())
    monkeypatch.setattr(solving, "_MAX_PROGRAMME_COLUMNS", 60)
    again = solve(batch, bound_to)
    assert made
    assert again.is_proven.all()
    assert np.allclose(again.cost, best.cost, rtol=0, atol=1e-9)
    assert (again.group == best.group).all()


@pytest.mark.parametrize("most", [1, 2, 5])
def test_aligned_pairs_have_one_label_and_are_sorted_by_it(most):
    rng = np.random.default_rng(most)
    sizes = rng.integers(1, most + 1, size=20)
    group = rng.permutation(np.repeat(rng.permutation(sizes.sum())[:20], sizes))
    every = itertools.combinations(range(len(group)), 2)
    alike = sorted((group[one], other, one) for one, other in every if group[one] == group[other])
    first, second = aligned_pairs(group)
    assert list(zip(group[first], second, first, strict=True)) == alike
    assert [part.tolist() for part in aligned_pairs(group[:0])] == [[], []]
