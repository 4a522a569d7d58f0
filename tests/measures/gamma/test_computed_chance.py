"""The expected disorder of two annotators without samples: equal to all shifts, to many samples, and for every seed."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from all_shifts import expected_by_all_shifts, random_document, random_settings
from both_kernels import needs_compiled
from places import CORPORA

import gamma_align as ga
from gamma_align import kernels
from gamma_align.chance.computed_chance import MAX_WORK, ExpectedWork, compute_chances, work_divisor
from gamma_align.data.sources import corpus_of
from gamma_align.measures.gamma.gamma_reasons import COMPUTED_CHANCE, PERFECT
from gamma_align.measures.gamma.gamma_settings import GammaSettings

ONE = np.array([0])


def is_computed(corpus, settings):
    return ExpectedWork.estimate(corpus, settings).is_computed(MAX_WORK)


def computed(corpus, settings):
    assert is_computed(corpus, settings).all()
    return compute_chances(corpus, settings, ONE, ONE)


def check_against_all_shifts(n_documents, seed):
    rng = np.random.default_rng(seed)
    for _ in range(n_documents):
        corpus, settings = random_document(rng), random_settings(rng)
        result = computed(corpus, settings)
        disorder, categorial, by_category = expected_by_all_shifts(corpus, settings)
        assert result.points[0] == 0
        assert result.disorder[0] == pytest.approx(disorder, abs=1e-12)
        assert result.categorial[0] == pytest.approx(categorial, abs=1e-12, nan_ok=True)
        for code, value in zip(result.category_k.tolist(), result.categorial_k.tolist(), strict=True):
            assert value == pytest.approx(by_category[code], abs=1e-12, nan_ok=True)


def test_exact_sum_equals_all_offsets_and_turns():
    check_against_all_shifts(25, seed=1)


@pytest.mark.release
def test_exact_sum_equals_all_offsets_and_turns_of_a_thousand_documents():
    check_against_all_shifts(1_000, seed=2)


def music(rng, n_units=6, span=200.0):
    """Two annotators who divide a recording into parts."""
    units = []
    for annotator in ("ann", "bob"):
        bounds = [0.0, *np.sort(rng.uniform(0, span, n_units - 1)).tolist(), span]
        units += [(annotator, a, b, str(rng.choice(["A", "B", "C"]))) for a, b in pairwise(bounds)]
    return corpus_of(ga.Continuum.from_records(units, extent=(0, span)), "gamma")


def text(rng, n_units=4, extent=150):
    """Two annotators who mark a few passages of a text."""
    units = []
    for annotator in ("ann", "bob"):
        starts, lengths = rng.integers(0, extent - 30, n_units), rng.integers(1, 30, n_units)
        units += [
            (annotator, int(a), int(a + n), str(rng.choice(["x", "y"]))) for a, n in zip(starts, lengths, strict=True)
        ]
    return corpus_of(ga.Continuum.from_records(units, extent=(0, extent)), "gamma")


@pytest.mark.parametrize("make", [music, text])
def test_computed_values_are_the_means_of_many_samples(make):
    rng = np.random.default_rng(3)
    deviations = []
    for _ in range(4):
        corpus = make(rng)
        result = ga.gamma(corpus)
        sampled = ga.gamma(corpus, samples=3_000, control="none", seed=int(rng.integers(1_000)))
        pairs = [(result.gamma, sampled.gamma), (result.gamma_cat, sampled.gamma_cat)]
        pairs += [(result.gamma_k[label], sampled.gamma_k[label]) for label in result.gamma_k]
        pairs = [(one, other) for one, other in pairs if other.samples > 300 and other.expected_error > 0]
        deviations += [(one.expected - other.expected) / other.expected_error for one, other in pairs]
    assert np.abs(deviations).max() < 4
    assert 0.5 < np.std(deviations) < 1.5


@needs_compiled
def test_both_kernels_give_the_same_bits():
    rng = np.random.default_rng(4)
    cases = [(random_document(rng), random_settings(rng)) for _ in range(12)] + [(music(rng, 3), GammaSettings())]
    for corpus, settings in cases:
        results = []
        for kind in (kernels.COMPILED, kernels.PLAIN):
            with kernels.using(kind):
                results.append(computed(corpus, settings))
        assert results[0] == results[1]


def test_numerical_error_of_a_lattice_holds_and_meets_the_precision():
    rng = np.random.default_rng(6)
    settings, fine = GammaSettings.of(precision=0.05), GammaSettings.of(precision=0.0005)
    errors, stated = [], []
    for _ in range(8):
        corpus = music(rng, 5)
        result, reference = computed(corpus, settings), computed(corpus, fine)
        assert 0 < result.points[0] < reference.points[0]
        errors.append(abs(result.disorder[0] - reference.disorder[0]))
        stated.append(result.disorder_error[0] + reference.disorder_error[0])
        assert result.disorder_error[0] <= 0.005 * result.disorder[0]
    assert np.mean(np.array(errors) <= np.array(stated)) >= 7 / 8


def passages(rng, units, extent, *, real=False, document="d"):
    """Return the records of two annotators who mark a number of passages each, a tenth as long as they are apart."""
    records = []
    for name in ("ann", "bob"):
        starts, lengths = rng.uniform(0, extent - 1, units), rng.uniform(0.05, 0.15, units) * extent / units
        if not real:
            starts, lengths = np.floor(starts), np.ceil(lengths)
        ends = np.minimum(starts + lengths, extent)
        labels = rng.choice(["x", "y", "z"], units).tolist()
        records += [(document, name, *row) for row in zip(starts.tolist(), ends.tolist(), labels, strict=True)]
    return records


@pytest.mark.parametrize("units", [5, 25, 50])
@pytest.mark.parametrize("extent", [300, 3_000, 30_000])
def test_a_text_of_two_annotators_with_up_to_50_units_each_draws_no_sample(units, extent):
    result = ga.gamma(passages(np.random.default_rng(1), units, extent))
    assert result.documents[0].samples == 0
    assert "seed" not in result.signature


@pytest.mark.parametrize(("extent", "points"), [(2_000, 144), (60, 0)])
def test_50_units_each_draw_no_sample_even_if_all_of_them_overlap(extent, points):
    rng = np.random.default_rng(1)
    records = [(*names, start, start + extent // 2, label) for *names, start, _, label in passages(rng, 50, extent)]
    work = ExpectedWork.estimate(ga.Corpus.from_records(records), GammaSettings())
    assert work.is_computed(MAX_WORK).all()
    assert work.max_points(MAX_WORK) == 144
    assert (work.exact[0] <= MAX_WORK) == (points == 0)


def test_chance_of_two_annotators_is_computed_unless_a_document_is_too_large():
    """Exactly, else on a lattice, else by samples, and in a corpus as in a document alone: pages have this sentence."""
    rng = np.random.default_rng(2)
    cases = {
        "exact": passages(rng, 50, 500, document="exact"),
        "lattice": passages(rng, 50, 500, real=True, document="lattice"),
        "long": passages(rng, 100, 10_000, document="long"),
        "sampled": passages(rng, 400, 10_000, document="sampled"),
    }
    alone = {name: ga.gamma(records) for name, records in cases.items()}
    for name, words in (("exact", "exact"), ("lattice", "lattice"), ("long", "lattice")):
        assert f"|N:{words}|" in alone[name].signature
    assert alone["sampled"].documents[0].samples >= 30
    together = ga.gamma([record for name in ("exact", "lattice", "long") for record in cases[name]])
    for document in together.documents:
        assert document.gamma.to_dict() == alone[document.document].documents[0].gamma.to_dict()


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "docs/learn/from_kappa.md",
        "docs/look_up/glossary.md",
        "docs/paper/paper.md",
        *(f"docs/understand/{name}.md" for name in ("chance", "defaults", "intervals")),
    ],
)
def test_pages_have_the_sentence_that_is_tested(page):
    name = test_chance_of_two_annotators_is_computed_unless_a_document_is_too_large.__name__
    sentence = name.removeprefix("test_").replace("_", " ")
    assert sentence in " ".join((CORPORA.parent / page).read_text("utf-8").lower().split())


def test_a_corpus_beyond_the_second_limit_divides_the_limits_and_shows_it(monkeypatch, tmp_path):
    rng = np.random.default_rng(3)
    records = [record for i in range(12) for record in passages(rng, 10, 400, document=f"d{i:02}")]
    corpus, settings = ga.Corpus.from_records(records), GammaSettings()
    works = ExpectedWork.estimate(corpus, settings)
    assert "work:" not in ga.gamma(corpus).signature
    monkeypatch.setattr("gamma_align.chance.computed_chance._MAX_TOTAL_WORK", works.total(MAX_WORK) / 2)
    divisor = work_divisor(works)
    assert works.total(MAX_WORK / divisor) <= works.total(MAX_WORK) / 2 < works.total(2 * MAX_WORK / divisor)
    result = ga.gamma(corpus)
    assert f"|e:0.02|work:1/{divisor}|" in result.signature
    assert "lattice" in result.signature
    is_sampled = [document.samples > 0 for document in result.documents]
    assert is_sampled == (~works.is_computed(MAX_WORK / divisor)).tolist()
    assert 0 < result.gamma.expected_precision < 0.02
    monkeypatch.setattr("gamma_align.measures.gamma.measure.PART_UNITS", 60)
    assert ga.gamma(corpus, work=tmp_path / "work").to_dict() == result.to_dict()
    assert "work:" not in ga.gamma(corpus, precision_of="documents").signature


def test_a_finer_lattice_is_within_the_limit():
    corpus = music(np.random.default_rng(4), 12)
    work = ExpectedWork.estimate(corpus, GammaSettings())
    points = [int(work.max_points(limit * work.point[0])[0]) for limit in (47, 48, 143, 144, 1_295, 1_296, 1e5)]
    assert points == [0, 48, 48, 144, 432, 1_296, 1_296]


def test_errors_depend_on_the_document_alone(tmp_path, monkeypatch):
    rng = np.random.default_rng(9)
    records = []
    for number in range(30):
        for annotator in ("ann", "bob"):
            bounds = [0.0, *np.sort(rng.uniform(0, 200.0, 5)).tolist(), 200.0]
            records += [(f"d{number:02}", annotator, a, b, str(rng.choice(["A", "B"]))) for a, b in pairwise(bounds)]
    corpus = ga.Corpus.from_records(records)
    whole = ga.gamma(corpus)
    monkeypatch.setattr("gamma_align.measures.gamma.measure.PART_UNITS", 100)
    in_parts = ga.gamma(corpus, work=tmp_path / "work")
    assert in_parts.to_dict()["documents"] == whole.to_dict()["documents"]
    assert in_parts.gamma == whole.gamma
    documents = np.arange(len(corpus))
    alone = compute_chances(corpus, GammaSettings(), documents, documents)
    assert [document.gamma.expected for document in whole.documents] == alone.disorder.tolist()


def lattice_of(corpus, settings):
    """Return the disorder on a lattice, by a limit of work just below that of the sum."""
    work = ExpectedWork.estimate(corpus, settings)
    return compute_chances(corpus, settings, ONE, ONE, work_limit=0.99 * work.exact[0])


def test_a_sum_beyond_the_limit_and_its_lattice_agree():
    corpus, settings = text(np.random.default_rng(7), extent=2_000), GammaSettings()
    exact, lattice = computed(corpus, settings), lattice_of(corpus, settings)
    assert (exact.points[0], lattice.points[0] > 0) == (0, True)
    assert lattice.disorder[0] == pytest.approx(exact.disorder[0], abs=2 * lattice.disorder_error[0] + 1e-12)
    assert lattice.categorial[0] == pytest.approx(exact.categorial[0], rel=0.02)


@pytest.mark.parametrize("seed", [47, 66, 192, 232, 294, 305, 310])
def test_thirds_of_a_sparse_document_do_not_agree_by_accident(seed):
    """δ_e,cat was off by 5 to 20 % in these documents, with a third to a seventeenth of it as its error."""
    corpus, settings = text(np.random.default_rng(seed), n_units=12, extent=6_000), GammaSettings()
    exact, lattice = computed(corpus, settings), lattice_of(corpus, settings)
    assert (exact.points[0], lattice.points[0] > 0) == (0, True)
    assert lattice.categorial[0] == pytest.approx(exact.categorial[0], rel=0.02)


def test_seed_changes_nothing():
    rng = np.random.default_rng(8)
    corpora = [random_document(rng), music(rng), text(rng)]
    for corpus in corpora:
        one, two = (ga.gamma(corpus, seed=seed) for seed in (0, 1))
        assert one.signature == two.signature
        assert one.to_dict()["corpus"] == two.to_dict()["corpus"]
        assert one.to_dict()["documents"] == two.to_dict()["documents"]


@pytest.mark.release
@pytest.mark.parametrize("name", ["salami", "btc_crowd", "pygamma", "formats/answers", "formats/factgenie"])
@pytest.mark.parametrize("options", [{}, {"precision_of": "documents", "precision": 0.1}], ids=str)
def test_two_seeds_agree_to_the_last_bit_on_every_corpus_that_is_computed(name, options):
    corpus = ga.read(CORPORA / name)
    # Among fewer documents, the limit of work of each is not lower.
    names = [document.document for document in ga.gamma(corpus).documents if document.samples == 0]
    assert names
    part = corpus.select(documents=names)
    one, two = (ga.gamma(part, seed=seed, **options).to_dict() for seed in (0, 12_345))
    assert (one["settings"].pop("seed"), two["settings"].pop("seed")) == (0, 12_345)
    assert one == two


def test_two_long_units_that_hardly_ever_disagree():
    # salami's document 166: .3 % of the turns carry all of the expected disorder
    units = [("ann", 0.0, 100.0, "A"), ("ann", 100.0, 100.3, "B"), ("bob", 0.0, 100.0, "A"), ("bob", 100.0, 100.3, "B")]
    values = {ga.gamma(units, seed=seed).gamma.expected for seed in range(3)}
    assert len(values) == 1


def test_result_says_that_chance_is_computed():
    exact = ga.gamma([("ann", 0, 4, "x"), ("ann", 9, 12, "y"), ("bob", 1, 5, "x"), ("bob", 8, 12, "y")])
    assert "|N:exact|" in exact.signature
    assert "seed" not in exact.signature
    document = exact.documents[0]
    assert (document.samples, exact.gamma.samples) == (0, 0)
    assert (exact.gamma.no_interval, exact.gamma.lower_bound) == (COMPUTED_CHANCE, exact.gamma.value)
    assert (exact.gamma.standard_error, exact.gamma.expected_error, exact.gamma.expected_precision) == (0, 0, 0)
    assert exact.gamma.precision_note == "computed exactly, without samples"
    assert (exact.gamma_cat.value, exact.gamma_cat.no_interval) == (1.0, PERFECT)
    assert "computed exactly" in str(ga.citation(exact))
    assert "random samples" not in str(ga.citation(exact))

    lattice = ga.gamma(music(np.random.default_rng(9)))
    assert "|N:lattice|" in lattice.signature
    assert lattice.gamma.no_interval == COMPUTED_CHANCE
    assert 0 < lattice.gamma.expected_precision <= 0.002
    half_width = lattice.gamma.value - lattice.gamma.lower_bound
    assert half_width == pytest.approx(lattice.gamma.expected_precision * (1 - lattice.gamma.value), rel=0.01)
    assert "numerical error" in str(ga.citation(lattice))


def test_what_asks_for_samples_gets_samples():
    units = [("ann", 0, 4, "x"), ("ann", 9, 12, "y"), ("bob", 1, 5, "x"), ("bob", 8, 12, "y")]
    other = [("ann", 0, 4, "x"), ("ann", 9.5, 12, "y"), ("bob", 1, 5, "x"), ("bob", 8, 12, "y")]
    for options in (
        {"samples": 10},
        {"control": "none"},
        {"sampler": "statistical"},
        {"solver": "ortools", "precision": 0.3},
    ):
        assert ga.gamma(units, **options).documents[0].samples >= 10
    assert ga.gamma(other, integer_offsets=True, precision=0.3).documents[0].samples >= 30
    third = [*units, ("cat", 0, 4, "x")]
    assert ga.gamma(third, precision=0.3).documents[0].samples >= 12


def test_documents_of_two_and_of_more_annotators_share_a_corpus():
    two = [("d1", "ann", 0, 4, "x"), ("d1", "ann", 9, 12, "y"), ("d1", "bob", 1, 5, "x"), ("d1", "bob", 8, 12, "y")]
    three = [("d2", name, i, 10 + 2 * i, "x") for i, name in enumerate(("ann", "bob", "cat"))]
    both = ga.gamma(two + three)
    assert [document.samples > 0 for document in both.documents] == [False, True]
    assert both.signature.split("|N:")[1].startswith("exact+")
    alone = ga.gamma(two)
    assert both.documents[0].gamma.to_dict() == alone.documents[0].gamma.to_dict()
    assert both.gamma.expected_error > 0


def test_annotator_without_units_and_units_without_length():
    continuum = ga.Continuum.from_records([("ann", 0, 4, "x"), ("ann", 9, 12, "y")], annotators=["ann", "bob"])
    result = ga.gamma(continuum)
    disorder, *_ = expected_by_all_shifts(corpus_of(continuum, "gamma"), GammaSettings())
    assert result.gamma.expected == pytest.approx(disorder, abs=1e-12)
    assert result.gamma_cat.reason == "no two units are aligned"
    points = ga.gamma([("ann", 1.5, 1.5, "x"), ("ann", 9, 9, "y"), ("bob", 1.5, 1.5, "x"), ("bob", 8, 8, "x")])
    assert points.gamma.expected == pytest.approx(2.0, abs=1e-6)  # they coincide with probability 0
    one_place = ga.gamma([("ann", 3, 3, "x"), ("bob", 3, 3, "y")])
    assert not math.isnan(one_place.gamma.value)


EXTREMES = [{"alpha": 0}, {"beta": 0}, {"alpha": 0, "beta": 0}, {"alpha": 1e50}, {"beta": 1e50}]
EXTREMES += [{"alpha": 0, "confidence": name} for name in ("weighted", "none")]


@pytest.mark.parametrize("options", EXTREMES, ids=str)
def test_weights_of_zero_and_large_ones_have_a_sum(options):
    rng, settings = np.random.default_rng(14), GammaSettings.of(**options)
    for _ in range(4):
        corpus = random_document(rng)
        disorder, categorial, _ = expected_by_all_shifts(corpus, settings)
        result = computed(corpus, settings)
        assert result.disorder[0] == pytest.approx(disorder, rel=1e-12)
        assert result.categorial[0] == pytest.approx(categorial, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("alignment", ["partition", "cover"])
@pytest.mark.parametrize("n_annotators", [2, 3])
@pytest.mark.parametrize("cost", [1e-50, 1e50])
def test_gamma_does_not_depend_on_the_cost_of_an_empty_unit(cost, n_annotators, alignment):
    units = [
        ("ann", 0, 4, "x"),
        ("ann", 9, 12, "y"),
        ("bob", 1, 5, "x"),
        ("bob", 8, 12, "y"),
        ("cat", 0, 3, "y"),
    ][: n_annotators + 2]
    one, other = (ga.gamma(units, delta_empty=delta, alignment=alignment, samples=30) for delta in (1.0, cost))
    for value, scaled in ((one.gamma, other.gamma), (one.gamma_cat, other.gamma_cat)):
        values, scaled_values = ([own.value, own.low, own.high] for own in (value, scaled))
        assert values == pytest.approx(scaled_values, rel=1e-9, nan_ok=True)


def test_pooled_chance_of_computed_documents():
    records = [
        (f"d{i}", name, 3 * i + j, 3 * i + j + 4, label)
        for i in range(3)
        for j, (name, label) in enumerate([("ann", "x"), ("bob", "y"), ("ann", "y"), ("bob", "y")])
    ]
    own, shared = ga.gamma(records), ga.gamma(records, chance="pooled")
    assert shared.gamma.value == pytest.approx(own.gamma.value, abs=1e-12)
    assert shared.gamma.precision_note == own.gamma.precision_note == "computed exactly, without samples"
    assert all(document.gamma.low is not None for document in shared.documents)


def test_numerical_errors_are_neither_brackets_nor_priors():
    settings = ga.GammaSettings.of(precision_of="documents")
    rows = ga.document_statistics(music(np.random.default_rng(11)), settings)
    for chances in (rows.gamma, rows.gamma_cat, rows.gamma_k):
        assert chances.numerical_error.any()
        assert not chances.bracket.any()  # the alignments are proven
        assert not chances.prior.any()


def test_work_folder_holds_computed_chances(tmp_path, monkeypatch):
    corpus = text(np.random.default_rng(10))
    first = ga.gamma(corpus, work=tmp_path / "work")
    monkeypatch.setattr("gamma_align.chance.draws.compute_chances", None)  # it must not be called again
    assert ga.gamma(corpus, work=tmp_path / "work").to_dict() == first.to_dict()


def test_rows_of_parts_are_pooled_like_the_corpus():
    units = [(f"d{i}", name, i + j, i + j + 3.5, "x") for i in range(3) for j, name in enumerate(("ann", "bob"))]
    settings = ga.GammaSettings.of(precision_of="documents")
    parts = [ga.document_statistics([unit for unit in units if unit[0] == f"d{i}"], settings) for i in range(3)]
    frames = [ga.GammaRows.from_frame(part.to_frame("pyarrow")) for part in parts]
    assert ga.pool(frames, settings).to_dict() == ga.gamma(units, precision_of="documents").to_dict()
