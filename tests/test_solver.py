"""The solver's rooms one by one: what each claims on its own, and that ways of solving agree."""

import itertools

import numpy as np
import oracles
import pytest
from strategies import continuum_of, larger_case

import gamma_align as ga
from gamma_align.alignment import lp
from gamma_align.alignment import partition as search_room
from gamma_align.alignment.assignment import settled_pairs
from gamma_align.alignment.candidates import candidate_pairs
from gamma_align.alignment.heuristic import dense_savings, rematched
from gamma_align.alignment.limits import Deadline, Limits
from gamma_align.alignment.partition import partition
from gamma_align.alignment.pricing import Budget, first_prices, price
from gamma_align.alignment.relaxation import relax, savings
from gamma_align.alignment.search import TIE, Part, search, tie_hash
from gamma_align.alignment.solve import solve
from gamma_align.alignment.tuples import Columns, Graph, single_columns, useful_columns
from gamma_align.batch import Batch
from gamma_align.errors import SettingsError, SolverError

DISSIMILARITY = ga.Dissimilarity()


@pytest.fixture
def on_demand(monkeypatch):
    """Give up every list of columns at once, so that they are made on demand."""
    return lambda: monkeypatch.setattr(Limits, "columns_for", lambda _, units: np.zeros_like(units))


def corpus_of(rng, documents, annotators, most, *, span=30, spread=3.0):
    """Documents in which annotators place the same few units differently, some on the same bounds."""
    records = []
    for document in range(documents):
        places = rng.integers(0, span, size=most)
        for annotator in range(annotators):
            for place in places[rng.random(most) < 0.8]:
                start = int(place + rng.integers(-spread, spread + 1))
                end = start + int(rng.integers(0, 8))
                records.append((f"d{document}", f"a{annotator:02d}", start, end, "xyz"[rng.integers(3)]))
    seen = [(f"d{document}", f"a{annotator:02d}") for document in range(documents) for annotator in range(annotators)]
    return ga.Corpus.from_records(records, annotations=seen)


def batch_of(corpus):
    batch, _ = Batch.from_corpus(corpus)
    return batch, DISSIMILARITY.bind(corpus.categories)


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


def test_columns_made_on_demand_end_in_the_same_alignments_as_all_columns(on_demand):
    corpus = corpus_of(np.random.default_rng(5), 25, 4, 5)
    batch, bound_to = batch_of(corpus)
    every = solve(batch, bound_to)
    on_demand()
    made = solve(batch, bound_to)
    assert made.proven.all()
    assert np.allclose(made.cost, every.cost, rtol=0, atol=1e-9)
    assert (made.group == every.group).all()


@pytest.mark.parametrize(("annotators", "most"), [(3, 6), (5, 4), (7, 3), (9, 2)])
def test_columns_made_on_demand_equal_the_definition(annotators, most, on_demand):
    on_demand()
    rng = np.random.default_rng(100 + annotators)
    for _ in range(6):
        units, n = larger_case(rng, annotators, most)
        alignment = ga.align(continuum_of((units, n)))
        assert alignment.is_optimal
        assert alignment.disorder == pytest.approx(oracles.best_alignment_definition(units, n)[0], abs=1e-9)


def test_a_budget_of_one_lookup_ends_in_a_stated_gap_with_a_true_bound(on_demand):
    corpus = corpus_of(np.random.default_rng(6), 6, 6, 6)
    batch, bound_to = batch_of(corpus)
    best = solve(batch, bound_to)
    on_demand()
    cut = solve(batch, bound_to, Limits(max_work=1))
    assert (cut.bound <= best.cost + 1e-9).all()
    assert (cut.cost >= best.cost - 1e-9).all()
    assert not cut.proven.all()
    assert (cut.bound[~cut.proven] < cut.cost[~cut.proven]).all()


def test_pricing_bounds_every_column_of_a_root_and_finds_all_that_gain():
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(7), 1, 5, 6))
    pairs, columns = all_columns(batch, bound_to)
    graph = Graph.of(pairs, batch.n_units)
    y = np.random.default_rng(8).uniform(0.0, 1.0, batch.n_units)
    gain = savings(columns) - columns.sums(y)
    ends = list(itertools.pairwise(columns.offsets.tolist()))
    wanted = {tuple(columns.units[a:b].tolist()) for (a, b), g in zip(ends, gain.tolist(), strict=True) if g > 0}
    full = price(batch, graph, y, 0.0, 10**6, Budget(10**9, Deadline()))
    found = {tuple(full.columns.units[a:b].tolist()) for a, b in itertools.pairwise(full.columns.offsets.tolist())}
    assert full.complete
    assert wanted <= found
    for beam in (1, 3):
        narrow = price(batch, graph, y, 0.0, beam, Budget(10**9, Deadline()))
        roots = columns.first
        assert (narrow.root_gain[roots] >= gain - 1e-9).all()
    assert not price(batch, graph, y, 0.0, 1, Budget(10**9, Deadline())).complete


def test_first_prices_are_beaten_by_no_column():
    for seed in range(6):
        batch, bound_to = batch_of(corpus_of(np.random.default_rng(seed), 1, 5, 5))
        pairs, columns = all_columns(batch, bound_to)
        assert (savings(columns) <= columns.sums(first_prices(batch, pairs)) + 1e-9).all()


def test_the_relaxation_of_a_wide_pack_is_that_of_all_its_columns():
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(9), 1, 7, 4, span=6))
    _, columns = all_columns(batch, bound_to)
    assert len(columns) > 60 * batch.n_units  # wide enough to be sifted
    relaxed = relax(columns, batch.n_units)
    from scipy.optimize import linprog  # noqa: PLC0415

    table = np.zeros((batch.n_units, len(columns)))
    table[columns.units, columns.column_of] = 1.0
    best = linprog(-savings(columns), A_ub=table, b_ub=np.ones(batch.n_units))
    assert float(savings(columns) @ relaxed.x) == pytest.approx(-best.fun, abs=1e-8)
    assert relaxed.price.sum() == pytest.approx(-best.fun, abs=1e-8)
    assert (columns.sums(relaxed.price) >= savings(columns) - 1e-12).all()


def test_settled_pairs_are_in_every_best_alignment():
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(10), 40, 2, 6, span=60))
    _, columns = all_columns(batch, bound_to)
    settled, contested = settled_pairs(columns, batch.n_units)
    assert len(settled)
    assert len(contested)
    number = np.arange(batch.n_units) - batch.offsets[batch.instance]
    chosen = set(partition(columns, number, Deadline()).chosen.tolist())
    assert set(settled.tolist()) <= chosen
    assert chosen <= set(settled.tolist()) | set(contested.tolist())


def test_the_heuristic_start_is_a_valid_alignment():
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(11), 1, 6, 6))
    pairs, _ = all_columns(batch, bound_to)
    label = rematched(batch, dense_savings(pairs, batch.n_units), np.arange(batch.n_units))
    for group in np.unique(label):
        annotators = batch.annotator[label == group]
        assert len(set(annotators.tolist())) == len(annotators)


# --- ties ---


def best_by_the_tie_rule(columns, number):
    """Every partition, the rule applied literally: cost, then number of groups, then the sum of h."""
    units = list(range(len(number)))
    everything = columns.join(single_columns(len(number)))
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


def tied_continua():
    """Inputs made of ties: identical units, units of which several partners are equally near, symmetrical chains."""
    yield 2, [(0, 0, 4), (0, 4, 8), (1, 2, 6)]
    yield 2, [(0, 0, 4), (0, 0, 4), (1, 0, 4), (1, 0, 4)]
    yield 3, [(0, 0, 4), (1, 2, 6), (2, 4, 8), (0, 8, 12), (1, 6, 10)]
    yield 3, [(at, 0, 4) for at in range(3)] * 2
    yield 3, [(0, 0, 4), (1, 4, 8), (2, 8, 12), (0, 12, 16)]
    yield 4, [(0, 0, 4), (1, 1, 5), (2, 2, 6), (3, 3, 7), (0, 4, 8), (1, 5, 9)]


@pytest.mark.parametrize(("annotators", "spans"), list(tied_continua()))
def test_ties_are_broken_as_the_rule_says(annotators, spans, on_demand):
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


def test_tied_instances_are_solved_alike_in_any_company():
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


def test_the_search_ends_without_an_answer_when_its_nodes_are_spent():
    masks = [0b011, 0b110, 0b101]
    columns = Columns(np.array([0, 2, 4, 6]), np.array([0, 1, 1, 2, 0, 2]), np.array([1.0, 1.0, 1.0]))
    hashes = (tie_hash(columns, np.arange(3)), tie_hash(single_columns(3), np.arange(3)))
    part = Part.of(columns, np.arange(3), np.full(3, 0.25), np.full(3, 0.5), hashes)
    assert part.masks == masks
    assert search(part, 2) is None
    loss, chosen = search(part, 1000)
    assert loss == pytest.approx(0.75)
    assert len(chosen) == 1
    assert search(part, 1000, 0.75) == (loss, chosen)


def test_a_relaxation_the_solver_gives_up_is_tried_with_its_usual_settings(monkeypatch):
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(13), 6, 3, 6))
    best = solve(batch, bound_to)
    monkeypatch.setattr(lp, "_GLOP", "max_number_of_iterations:1 use_preprocessing:false")
    again = solve(batch, bound_to)
    assert again.proven.all()
    assert np.allclose(again.cost, best.cost, rtol=0, atol=1e-9)
    monkeypatch.setattr(lp, "_GLOP_USUAL", "max_number_of_iterations:1 use_preprocessing:false")
    with pytest.raises(SolverError, match=r"GLOP ended with \w+ on \d+ rows and \d+ columns"):
        solve(batch, bound_to)


def test_an_integer_programme_cut_short_says_what_it_does_not_know(monkeypatch):
    batch, bound_to = batch_of(corpus_of(np.random.default_rng(14), 40, 4, 9, span=20))
    best = solve(batch, bound_to)
    assert best.proven.all()
    monkeypatch.setattr(search_room, "_NODES", 1)
    monkeypatch.setattr(search_room, "_NODES_KNOWN", 1)
    assert np.allclose(solve(batch, bound_to).cost, best.cost, rtol=0, atol=1e-9)  # by programme alone
    monkeypatch.setattr(lp, "_SCIP", "limits/totalnodes = 1\npresolving/maxrounds = 0")
    cut = solve(batch, bound_to)
    assert (cut.bound <= best.cost + 1e-6).all()
    assert (cut.cost >= best.cost - 1e-9).all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"time_limit": 0.0}, "time_limit must be a finite number of seconds above 0, not 0.0"),
        ({"time_limit": float("nan")}, "time_limit must be a finite number"),
        ({"max_columns": 0}, "max_columns must be 1 or more, not 0"),
        ({"max_work": 0}, "max_work must be 1 or more, not 0"),
    ],
)
def test_limits_out_of_range_are_refused(settings, message):
    with pytest.raises(SettingsError, match=message):
        Limits(**settings)
