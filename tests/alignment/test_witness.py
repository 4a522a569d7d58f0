"""The kernels agree with OR-Tools, which solves one programme per instance and shares no decision with them."""

import json

import numpy as np
import pytest
from command_line import run
from hypothesis import given
from hypothesis import strategies as st
from oracles import Weights, best_alignment_by_programme_definition, units_of
from places import CORPORA
from solver_cases import corpus_of

import gamma_align as ga
from gamma_align.alignment import lp
from gamma_align.alignment import partition as rounds
from gamma_align.alignment import solve as solving
from gamma_align.alignment import witness as witnesses
from gamma_align.alignment.generation import generate
from gamma_align.alignment.limits import ORTOOLS, Limits
from gamma_align.alignment.solve import solve
from gamma_align.data.batch import Batch
from gamma_align.errors import SettingsError, SolverError

WITNESS = Limits(solver=ORTOOLS)
DISSIMILARITIES = {
    "nominal": ga.Dissimilarity(),
    "ordinal, the position thrice": ga.Dissimilarity(3.0, 1.0, 1.0, ga.Ordinal(order="wxyz")),
    "a matrix, the empty unit dear": ga.Dissimilarity(
        1.0, 2.0, 2.5, ga.Matrix("wxyz", [[0, 0.1, 0.7, 1], [0.1, 0, 0.4, 1], [0.7, 0.4, 0, 0.3], [1, 1, 0.3, 0]])
    ),
    "categories alone": ga.Dissimilarity(0.0, 1.0),
    "the position alone": ga.Dissimilarity(1.0, 0.0),
}


def agreed(corpus, dissimilarity, limits=None):
    """Solve by kernels and by the witness; both must prove the same cost."""
    batch, _ = Batch.from_corpus(corpus)
    bound_to = dissimilarity.bind(corpus.categories)
    ours, theirs = solve(batch, bound_to, limits), solve(batch, bound_to, WITNESS)
    assert ours.is_proven.all()
    assert theirs.is_proven.all()
    assert np.abs(ours.cost - theirs.cost).max(initial=0) <= 1e-9
    return ours, theirs


@st.composite
def corpora(draw):
    """Documents of two to eight annotators: stacks, nested units, units of no length; on a few places, so many tie."""
    annotators = draw(st.integers(2, 8))
    most = {2: 8, 3: 6, 4: 5, 5: 4}.get(annotators, 3)
    span = draw(st.integers(2, 25))
    unit = st.tuples(st.integers(0, span), st.sampled_from([0, 1, 2, 4, 9]), st.sampled_from("wxyz"))
    names = [f"a{number}" for number in range(annotators)]
    records = [
        (document, name, start, start + length, label)
        for document in ("d", "e")
        for name in names
        for start, length, label in draw(st.lists(unit, max_size=most))
    ]
    return ga.Corpus.from_records(records, annotations=[(document, name) for document in "de" for name in names])


@given(corpora(), st.sampled_from(sorted(DISSIMILARITIES)))
def test_kernels_and_witness_prove_the_same_disorder(corpus, name):
    agreed(corpus, DISSIMILARITIES[name])


@pytest.mark.parametrize("name", DISSIMILARITIES)
@pytest.mark.parametrize("annotators", [2, 3, 4, 5, 6, 8])
def test_kernels_and_witness_find_the_same_alignment_without_ties(annotators, name):
    rng = np.random.default_rng([41, annotators])
    whole = corpus_of(rng, 6, annotators, max(20 // annotators, 3), span=30)
    records = [
        (document, unit.annotator, unit.start + 0.3 * rng.random(), unit.end + 0.3 + 0.3 * rng.random(), unit.category)
        for document in whole.documents
        for unit in whole[document].units()
    ]
    dissimilarity = DISSIMILARITIES[name]
    ours, theirs = agreed(ga.Corpus.from_records(records), dissimilarity)
    if dissimilarity.alpha:  # of categories alone, everything ties
        assert (ours.group == theirs.group).all()


@pytest.mark.parametrize(("seed", "apart"), [(1, 1e-6), (8, 1e-6), (6, 1e-7), (3, 1e-8)])
def test_nearly_equal_disorders_are_distinguished(seed, apart):
    """SCIP takes objectives as equal that differ by some 1e-9: it is given larger numbers."""
    rng = np.random.default_rng(seed)
    records = []
    for document in range(30):
        places = rng.integers(0, 12, size=7)
        for annotator in range(3 + document % 2):
            for place in places[rng.random(7) < 0.9]:
                start, end = place + apart * rng.random(2) + [0, 4]
                records.append((f"d{document:02d}", f"a{annotator}", start, end, "x"))
    agreed(ga.Corpus.from_records(records), ga.Dissimilarity())


@pytest.mark.parametrize(("annotators", "most"), [(2, 5), (3, 4), (4, 3), (5, 2)])
def test_the_witness_agrees_with_an_independent_list_of_columns(annotators, most):
    corpus = corpus_of(np.random.default_rng([42, annotators]), 5, annotators, most, span=10)
    for document in corpus:
        found = ga.align(corpus[document], solver=ORTOOLS)
        expected, _ = best_alignment_by_programme_definition(units_of(corpus[document]), annotators, Weights())
        assert found.is_optimal
        assert found.disorder == pytest.approx(expected, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("annotators", [6, 8])
def test_column_generation_and_witness_prove_the_same_disorder(annotators):
    corpus = corpus_of(np.random.default_rng([43, annotators]), 4, annotators, 24 // annotators, span=15)
    agreed(corpus, ga.Dissimilarity(), Limits(max_columns=1))


@pytest.mark.release
@pytest.mark.parametrize(("annotators", "most", "span"), [(2, 400, 1500), (3, 250, 800), (4, 80, 250), (5, 40, 150)])
def test_kernels_and_witness_prove_the_same_disorder_of_long_documents(annotators, most, span):
    corpus = corpus_of(np.random.default_rng([44, annotators]), 2, annotators, most, span=span)
    for dissimilarity in DISSIMILARITIES.values():
        if dissimilarity.alpha:  # of categories alone, there are too many columns to list
            agreed(corpus, dissimilarity)


@pytest.mark.release
@pytest.mark.parametrize(("annotators", "most"), [(6, 7), (7, 5), (8, 4)])
def test_kernels_and_witness_prove_the_same_disorder_of_many_annotators(annotators, most):
    agreed(corpus_of(np.random.default_rng([45, annotators]), 8, annotators, most, span=25), ga.Dissimilarity())


@pytest.mark.parametrize("annotators", [2, 4])
def test_the_witness_solves_each_instance_alone_with_or_tools(annotators, monkeypatch):
    corpus = corpus_of(np.random.default_rng([46, annotators]), 5, annotators, 5)
    batch, _ = Batch.from_corpus(corpus)
    bound_to = ga.Dissimilarity().bind(corpus.categories)
    for way in ("best_matching", "partition", "generate"):
        monkeypatch.setattr(solving, way, None)
    together = solve(batch, bound_to, WITNESS)
    for instance in range(len(batch)):
        alone = solve(batch.take(np.array([instance])), bound_to, WITNESS)
        units = slice(int(batch.offsets[instance]), int(batch.offsets[instance + 1]))
        assert (together.group[units] - units.start == alone.group).all()
        assert together.cost[instance] == alone.cost[0]


def test_an_instance_too_large_for_the_witness_is_refused_with_a_cure():
    corpus = corpus_of(np.random.default_rng(47), 2, 4, 6)
    batch, _ = Batch.from_corpus(corpus)
    message = r"4 annotators and \d+ units has more than 5 possible .* the solver 'ortools'; use solver='kernels'"
    with pytest.raises(SolverError, match=message):
        solve(batch, ga.Dissimilarity().bind(corpus.categories), Limits(solver=ORTOOLS, max_columns=5))


def test_an_interrupted_witness_has_a_valid_bound(monkeypatch):
    corpus = corpus_of(np.random.default_rng(14), 20, 4, 9, span=20)
    batch, _ = Batch.from_corpus(corpus)
    bound_to = ga.Dissimilarity().bind(corpus.categories)
    best = solve(batch, bound_to)
    packing = lp.packing_ip
    monkeypatch.setattr(witnesses, "packing_ip", lambda *given: (packing(*given)[0] * 0, np.inf))
    cut = solve(batch, bound_to, WITNESS)
    assert not cut.is_proven.any()
    assert (cut.bound <= best.cost + 1e-9).all()  # that of the linear relaxation
    assert (cut.bound > 0.8 * best.cost).all()
    monkeypatch.setattr(witnesses, "packing_ip", packing)
    monkeypatch.setattr(lp, "_SCIP", "limits/totalnodes = 1\npresolving/maxrounds = 0\nseparating/maxrounds = 0")
    cut = solve(batch, bound_to, WITNESS)
    assert (cut.bound <= best.cost + 1e-9).all()
    assert (cut.cost >= best.cost - 1e-9).all()


# --- the last resort ---


def test_small_unsolved_parts_of_column_generation_are_solved_by_programmes(monkeypatch):
    corpus = corpus_of(np.random.default_rng(48), 3, 6, 8, span=20)
    batch, _ = Batch.from_corpus(corpus)
    bound_to = ga.Dissimilarity().bind(corpus.categories)
    best = solve(batch, bound_to)
    monkeypatch.setattr(Limits, "columns_for", lambda _, units: np.zeros_like(units))
    monkeypatch.setattr(solving, "generate", lambda *given: generate(*given[:2], Limits(max_work=1), given[3]))
    assert not solve(batch, bound_to, Limits(max_work=1)).is_proven.any()  # a limit asked for is kept
    programmes = []
    certify = rounds.certify
    monkeypatch.setattr(rounds, "certify", lambda *given: programmes.append(given) or certify(*given))
    monkeypatch.setattr(rounds, "_ROUNDS", ())
    again = solve(batch, bound_to)
    assert programmes
    assert again.is_proven.all()
    assert np.allclose(again.cost, best.cost, rtol=0, atol=1e-9)
    assert (again.group == best.group).all()
    monkeypatch.setattr(solving, "_MAX_PROGRAMME_COLUMNS", 10)
    assert not solve(batch, bound_to).is_proven.any()  # too large for programmes: its gap is stated


# --- asked for ---


def test_an_unknown_solver_is_refused():
    with pytest.raises(SettingsError, match="solver must be one of kernels, ortools, not 'cplex'"):
        Limits(solver="cplex")
    continuum = ga.Continuum.from_records([("ann", 0, 4, "x"), ("bob", 1, 5, "x")])
    with pytest.raises(SettingsError, match="solver must be one of"):
        ga.align(continuum, solver="")
    with pytest.raises(SettingsError, match="solver must be one of"):
        ga.gamma(continuum, samples=2, solver="glop")


def test_another_solver_is_in_the_settings_and_the_signature():
    continuum = ga.Continuum.from_records([("ann", 0, 4, "x"), ("ann", 6, 9, "y"), ("bob", 1, 5, "x")])
    usual, other = ga.gamma(continuum, samples=3), ga.gamma(continuum, samples=3, solver=ORTOOLS)
    assert (usual.settings["solver"], other.settings["solver"]) == ("kernels", "ortools")
    assert "solver" not in usual.signature
    assert "|solver:ortools|" in other.signature
    assert other.gamma.value == pytest.approx(usual.gamma.value, abs=1e-9)


@pytest.mark.parametrize("command", ["measure", "align"])
def test_both_solvers_print_the_same_disorders(command):
    samples = ("--samples", 3) * (command == "measure")
    ours, theirs = (
        run(command, CORPORA / "pygamma" / "AlexPaulSuzan.csv", *samples, "--json", "--solver", solver)
        for solver in ("kernels", ORTOOLS)
    )
    assert (ours.returncode, theirs.returncode) == (0, 0)
    ours, theirs = (json.loads(done.stdout) for done in (ours, theirs))
    if command == "measure":
        assert (ours["settings"]["solver"], theirs["settings"]["solver"]) == ("kernels", ORTOOLS)
    if command == "measure":
        values = [[contents["corpus"]["gamma"][key] for key in ("value", "low", "high")] for contents in (ours, theirs)]
    else:
        values = [[document["disorder"] for document in contents["documents"]] for contents in (ours, theirs)]
    assert values[0] == pytest.approx(values[1], abs=1e-9)


@pytest.mark.parametrize("command", ["measure", "align"])
def test_the_command_line_refuses_another_solver(command):
    done = run(command, CORPORA / "pygamma" / "AlexPaulSuzan.csv", "--solver", "cplex")
    assert done.returncode == 2
    assert "argument --solver: " in done.stderr
    assert "'cplex'" in done.stderr
    assert "ortools" in done.stderr
