"""γ, γcat and γk: values, their absence, pooling, intervals, and that nothing irrelevant changes them."""

from __future__ import annotations

import json
import math
from dataclasses import fields
from functools import lru_cache

import numpy as np
import oracles
import pytest
import strategies as sts
from gamma_rows import NOTHING, Chance, Row, rows_of
from hypothesis import given
from hypothesis import strategies as st
from strategies import GOLDEN

import gamma_align as ga
from gamma_align.chance import samples
from gamma_align.errors import InputError
from gamma_align.inference.student import t_quantile
from gamma_align.measures.gamma.corpus_values import corpus_values
from gamma_align.measures.gamma.gamma_reasons import SAME_CATEGORIES
from gamma_align.measures.gamma.gamma_result import Documents
from gamma_align.work import part_tasks, tasks


def small_corpus(documents=5, seed=1):
    """Return noisy copies of a reference, three annotators, on halves; one document has one who marked nothing."""
    rng = np.random.default_rng(seed)
    continua = []
    for number in range(documents):
        units, n = sts.larger_case(rng, 3, 4 + number)
        units = [(p, round(2 * s) / 2, round(2 * e) / 2, label) for p, s, e, label in units]
        continua.append(sts.continuum_of((units, n + (number == 2)), document=f"d{number}", extent=(-20, 80)))
    return ga.Corpus.from_continua(continua)


def rewritten(corpus, change):
    """Return the corpus with each unit and each name passed through `change`."""
    return ga.Corpus.from_records(
        [(name, *change(unit)) for name in corpus for unit in corpus[name].units()],
        annotations=[
            (name, change(ga.Unit(person, 0.0, 0.0, None))[0]) for name in corpus for person in corpus[name].annotators
        ],
        extents={
            name: tuple(change(ga.Unit("a", bound, bound, None))[1] for bound in corpus[name].extent) for name in corpus
        },
    )


def gammas(result):
    """Return every coefficient of a result, in an order of its own, NaN where there is none."""
    rows = [result, *result.documents]
    return [value for row in rows for value in (row.gamma.value, row.gamma_cat.value)] + [
        row.gamma_k[label].value for row in rows for label in sorted(row.gamma_k)
    ]


# ------------------------------------------------------------------------------------------------ known values


@pytest.mark.parametrize("integer", [True, False])
def test_identical_annotators_agree_fully(integer):
    step = 1 if integer else 1.25
    units = [
        (0 * step, 3 * step, "x"),
        (4 * step, 6 * step, "y"),
        (5 * step, 6 * step, "x"),
        (9 * step, 9 * step, None),
    ]
    continuum = ga.Continuum.from_records([(name, *unit) for name in "abc" for unit in units])
    result = ga.gamma(continuum)
    for row in (result, *result.documents):
        assert row.gamma.value == 1
        assert row.gamma_cat.value == 1
        assert {label: value.value for label, value in row.gamma_k.items()} == {"x": 1, "y": 1}
    assert result.documents[0].gamma.observed == 0
    assert result.documents[0].gamma.expected > 0


def test_gamma_is_one_minus_observed_over_expected():
    for document in ga.gamma(small_corpus(), samples=30).documents:
        assert document.gamma.value == pytest.approx(1 - document.gamma.observed / document.gamma.expected, rel=1e-14)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_k2011_is_near_krippendorffs_alpha(seed):
    result = ga.gamma(sts.k2011(), precision=0.01, seed=seed)
    assert result.gamma_cat.value == pytest.approx(GOLDEN["k2011"]["alpha"], abs=0.01)
    assert result.optimal


@lru_cache
def naive_alignments(units, n, extent, weights, samples, seed):
    """Return samples of the naive sampler with their best alignments."""
    setting = oracles.shift_setting_definition(units, n, extent)
    rng = np.random.default_rng(seed)
    drawn = [oracles.shift_sample_definition(setting, rng) for _ in range(samples)]
    return [(sample, oracles.best_alignment_definition(sample, n, weights)[1]) for sample in drawn]


def naive_categorial(case, extent, weights, confidence, category, samples, seed):
    """Return γcat (or γk) as the definition has it, and its standard error: samples without a pair left out."""
    units, n = case
    ratios = []
    for sample, groups in naive_alignments(tuple(units), n, extent, weights, samples, seed):
        numerator, denominator = oracles.categorial_parts_definition(sample, groups, weights, confidence, category)
        if denominator > 0:
            ratios.append(numerator / denominator)
    _, groups = oracles.best_alignment_definition(units, n, weights)
    numerator, denominator = oracles.categorial_parts_definition(units, groups, weights, confidence, category)
    observed, expected = numerator / denominator, math.fsum(ratios) / len(ratios)
    error = float(np.std(ratios, ddof=1)) / math.sqrt(len(ratios))
    return 1 - observed / expected, observed * error / expected**2, len(ratios) / samples


CATEGORIAL = (
    [
        (0, 0.3, 2.1, "x"),
        (0, 4.2, 6.7, "y"),
        (0, 7.1, 9.3, "z"),
        (1, 0.1, 2.6, "x"),
        (1, 4.4, 6.2, "x"),
        (1, 7.6, 9.4, "y"),
        (2, 4.0, 6.5, "y"),
        (2, 7.4, 9.1, None),
    ],
    3,
)


@pytest.mark.parametrize("confidence", ["positional", "weighted", "none"])
@pytest.mark.parametrize("category", [None, "x", "y"])
def test_gamma_cat_and_gamma_k_equal_the_naive_sampler(confidence, category):
    extent = (0.0, 14.0)
    weights = oracles.Weights(alpha=2, beta=1, delta_empty=1)
    expected, error, share = naive_categorial(CATEGORIAL, extent, weights, confidence, category, 1500, 31)
    (document,) = ga.gamma(
        sts.continuum_of(CATEGORIAL, extent=extent), alpha=2, samples=3000, seed=32, confidence=confidence
    ).documents
    coefficient = document.gamma_cat if category is None else document.gamma_k[category]
    joint_error = error * math.sqrt(1 + 1500 / 3000)
    assert joint_error > 0
    assert abs(coefficient.value - expected) < 4 * joint_error
    assert coefficient.low < coefficient.value < coefficient.high
    # the 95 % interval is that of the sampling error of 3000 samples, and narrower if overlaps are a control
    plain_width = 1.96 * error * math.sqrt(0.5)
    if confidence == "none":
        assert (coefficient.high - coefficient.low) / 2 == pytest.approx(plain_width, rel=0.2)
    else:
        assert plain_width / 3 < (coefficient.high - coefficient.low) / 2 < plain_width
    if category is None:
        assert document.gamma_cat.samples / 3000 == pytest.approx(share, abs=0.04)


def observed_categorial(continuum, **settings):
    """Return δ_cat of the data."""
    return ga.gamma(continuum, **settings).documents[0].gamma_cat.observed


@pytest.mark.parametrize("confidence", ["positional", "weighted", "none"])
def test_observed_disorder_of_categories_follows_from_the_alignment(confidence):
    continuum = sts.continuum_of(CATEGORIAL, extent=(0.0, 60.0))
    groups = oracles.groups_of(ga.align(continuum, alpha=2))
    numerator, denominator = oracles.categorial_parts_definition(
        oracles.units_of(continuum), groups, oracles.Weights(alpha=2), confidence
    )
    observed = observed_categorial(continuum, alpha=2, confidence=confidence, samples=200)
    assert observed == pytest.approx(numerator / denominator, abs=1e-9)


def test_mathet_fig3_pair_weights():
    """M17 table 3 as the authors' program has it: α = 3, weighted confidence, A-B 40.9 % of all weights."""
    golden = GOLDEN["mathet_fig3"]["expected"]
    units = [(unit.annotator, unit.start, unit.end, unit.category) for unit in sts.mathet_fig3().units()]
    continuum = ga.Continuum.from_records(units, extent=(0, 300))  # room for samples without a pair
    weighted = observed_categorial(continuum, alpha=3, confidence="weighted", samples=200)
    assert 100 * weighted == pytest.approx(golden["A-B"], abs=0.05)
    # the paper's text, 1 - d_pos, gives other weights
    positional = observed_categorial(continuum, alpha=3, confidence="positional", samples=200)
    assert abs(100 * positional - golden["A-B"]) > 0.2


# ----------------------------------------------------------------------------------------------- not available


def test_document_without_units_has_no_value():
    corpus = ga.Corpus.from_records(
        [("full", "a", 0, 2, "x"), ("full", "b", 0, 2, "x")],
        annotations=[("empty", "a"), ("empty", "b"), ("full", "a"), ("full", "b")],
        extents={"empty": (0, 10), "full": (0, 10)},
    )
    result = ga.gamma(corpus, samples=30)
    empty, full = result.documents
    assert empty.document == "empty"
    assert math.isnan(empty.gamma.value)
    assert "unit" in empty.gamma.reason
    assert math.isnan(empty.gamma_cat.value)
    assert empty.gamma_cat.reason
    assert full.gamma.value == result.gamma.value == 1
    contents = empty.to_dict()
    assert [contents["gamma"][name] for name in ("value", "low", "high", "reason")] == [
        None,
        None,
        None,
        empty.gamma.reason,
    ]
    assert contents["gamma"]["observed"] is None


def test_corpus_without_units_has_no_value():
    result = ga.gamma(ga.Continuum.from_records([], annotators=["a", "b"], extent=(0, 10)))
    assert math.isnan(result.gamma.value)
    assert result.gamma.reason
    assert math.isnan(result.gamma_cat.value)
    assert result.gamma_cat.reason


def test_single_annotator_in_all_documents_is_refused():
    corpus = ga.Corpus.from_records([("d", "a", 0, 1, "x"), ("e", "b", 0, 1, "x")])
    with pytest.raises(InputError, match="no document has two annotators: 'a', 'b' annotated different documents"):
        ga.gamma(corpus)


def test_document_of_a_single_annotator_has_no_value():
    corpus = ga.Corpus.from_records([("d", "a", 0, 1, "x"), ("e", "a", 0, 2, "x"), ("e", "b", 0, 1, "x")])
    single, double = ga.gamma(corpus, samples=30).documents
    assert math.isnan(single.gamma.value)
    assert "annotator" in single.gamma.reason
    assert double.gamma.is_available


def test_unaligned_units_have_gamma_but_no_gamma_cat():
    continuum = ga.Continuum.from_records([("a", 0, 1, "x"), ("b", 100, 101, "y")])
    result = ga.gamma(continuum)
    assert result.documents[0].gamma.observed == 2  # two lone units, x̄ = 1
    assert result.gamma.is_available
    for value in (result.gamma_cat, result.documents[0].gamma_cat):
        assert math.isnan(value.value)
        assert value.reason
        assert str(value) == f"NA ({value.reason})"
    assert all(math.isnan(value.value) and value.reason for value in result.gamma_k.values())


def test_units_without_categories_have_no_agreement_on_categories():
    continuum = ga.Continuum.from_records([("a", 0, 4), ("b", 1, 4), ("a", 6, 9), ("b", 6, 8)])
    result = ga.gamma(continuum)
    assert result.gamma.is_available
    assert result.gamma_k == {}
    assert result.gamma_cat.reason == SAME_CATEGORIES


def test_single_category_has_no_agreement_on_categories():
    continuum = ga.Continuum.from_records([("a", 0, 4, "x"), ("b", 1, 4, "x"), ("a", 6, 9, "x"), ("b", 6, 8, "x")])
    result = ga.gamma(continuum)
    assert result.gamma_cat.reason == SAME_CATEGORIES  # δ_cat = 0 = δ_e,cat
    assert result.gamma_k["x"].reason == SAME_CATEGORIES
    assert result.gamma.value < 1


def test_disagreement_without_expected_disorder_is_not_available():
    # In the data, x and y coincide: d = β = 1.9 < 2Δ. In samples, offsets are whole numbers at least 10 apart:
    # b's unit never coincides with one of a's; half a unit of length away costs 0.25 more (α = 100) and is too
    # much. a's units 20.5 apart do meet when a is drawn twice: pairs of x with weight, none with y.
    continuum = ga.Continuum.from_records(
        [("a", 0, 10, "x"), ("a", 20.5, 30.5, "x"), ("b", 0, 10, "y")], extent=(0, 60)
    )
    result = ga.gamma(continuum, alpha=100, beta=1.9, integer_offsets=True, samples=300)
    (document,) = result.documents
    assert document.gamma.observed == pytest.approx((1.9 + 1) / 1.5)
    assert 0 < document.gamma_cat.samples < 300
    for value in (document.gamma_cat, result.gamma_cat, document.gamma_k["x"], document.gamma_k["y"]):
        assert math.isnan(value.value)
        assert value.reason


def test_samples_without_a_pair_are_skipped_or_count_as_one():
    case, extent = CATEGORIAL, (0.0, 40.0)
    continuum = sts.continuum_of(case, extent=extent)
    skip, one = (
        ga.gamma(continuum, samples=400, seed=2, empty_samples=option).documents[0] for option in ("skip", "one")
    )
    assert 0 < skip.gamma_cat.samples < 400
    assert one.gamma_cat.samples == 400  # all are used
    assert one.gamma.value == skip.gamma.value
    # δ_cat / δ_e,cat: the mean over some samples, and over all with 1 for the others
    share = skip.gamma_cat.samples / 400
    numerator, denominator = oracles.categorial_parts_definition(
        oracles.units_of(continuum), oracles.groups_of(ga.align(continuum))
    )
    observed = numerator / denominator
    expected_skip, expected_one = (observed / (1 - row.gamma_cat.value) for row in (skip, one))
    error = skip.gamma_cat.expected_error + one.gamma_cat.expected_error
    assert expected_one == pytest.approx(share * expected_skip + (1 - share), abs=3 * error)


# ------------------------------------------------------------------------------------------------------ pooled


def test_pooled_gamma_sums_disorders_before_dividing():
    result = ga.gamma(small_corpus(), samples=40)
    mean_units = [document.units / document.annotators for document in result.documents]
    observed = math.fsum(x * d.gamma.observed for x, d in zip(mean_units, result.documents, strict=True))
    expected = math.fsum(x * d.gamma.expected for x, d in zip(mean_units, result.documents, strict=True))
    assert result.gamma.value == pytest.approx(1 - observed / expected, rel=1e-13)
    assert {d.annotators for d in result.documents} == {3, 4}


def test_one_document_pools_to_itself():
    result = ga.gamma(small_corpus(1), samples=40)
    (document,) = result.documents
    assert result.gamma == document.gamma
    assert result.gamma_cat == document.gamma_cat
    assert dict(result.gamma_k) == dict(document.gamma_k)


def test_pooled_lies_between_the_documents():
    result = ga.gamma(small_corpus(), samples=40)
    for pooled, values in (
        (result.gamma.value, [document.gamma.value for document in result.documents]),
        (result.gamma_cat.value, [document.gamma_cat.value for document in result.documents]),
    ):
        assert min(values) < pooled < max(values)


def test_documents_without_value_do_not_change_the_pooled_one():
    corpus = small_corpus(3)
    extra = ga.Continuum.from_records([("a", 0, 1, "x")], document="lone")
    bigger = ga.Corpus.from_continua([*(corpus[name] for name in corpus), extra])
    assert ga.gamma(bigger, samples=30).gamma.value == ga.gamma(corpus, samples=30).gamma.value


@pytest.mark.parametrize("seed", range(4))
def test_intervals_contain_their_estimates(seed):
    result = ga.gamma(small_corpus(6, seed), samples=30, seed=seed)
    for row in (result, *result.documents):
        for value in (row.gamma, row.gamma_cat, *row.gamma_k.values()):
            if value.is_available and value.no_interval is None:
                assert value.low <= value.value <= value.high
            else:
                assert math.isnan(value.low)
                assert math.isnan(value.high)
    assert result.gamma.low < result.gamma.value < result.gamma.high


def test_interval_of_a_document_is_the_sampling_error():
    (document,) = ga.gamma(small_corpus(1), precision=0.02, control="none").documents
    ratio = document.gamma.observed / document.gamma.expected
    half = t_quantile(document.samples - 1) * document.gamma.expected_error / document.gamma.expected * ratio
    assert document.gamma.high - document.gamma.low == pytest.approx(2 * half, rel=0.02)
    assert document.gamma.low < document.gamma.value < document.gamma.high


# ------------------------------------------------------------------------------- the same whatever the machinery


@pytest.fixture(scope="module")
def reference():
    corpus = small_corpus()
    return corpus, ga.gamma(corpus, precision=0.05, seed=7)


def as_json(result):
    return json.dumps(result.to_dict(), sort_keys=True, allow_nan=False)


def test_same_seed_gives_the_same_json(reference):
    corpus, result = reference
    assert as_json(ga.gamma(corpus, precision=0.05, seed=7)) == as_json(result)
    assert as_json(ga.gamma(corpus, precision=0.05, seed=8)) != as_json(result)


@pytest.mark.surfaces
@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
@pytest.mark.parametrize("of", ["corpus", "documents"])
def test_result_does_not_depend_on_workers(reference, backend, of):
    joblib = pytest.importorskip("joblib")
    corpus, _ = reference
    settings = {"precision": 0.05, "precision_of": of, "seed": 7}
    expected = as_json(ga.gamma(corpus, **settings, n_jobs=1))
    with joblib.parallel_config(backend=backend):
        assert as_json(ga.gamma(corpus, **settings, n_jobs=2)) == expected


@pytest.mark.parametrize(("units", "documents"), [(1, 1), (7, 2), (100, 3)])
def test_result_does_not_depend_on_tasks_and_blocks(reference, monkeypatch, units, documents):
    corpus, result = reference
    monkeypatch.setattr(tasks, "_TASK_UNITS", units)
    monkeypatch.setattr(samples, "_BLOCK_DOCUMENTS", documents)
    assert as_json(ga.gamma(corpus, precision=0.05, seed=7)) == as_json(result)


@pytest.mark.surfaces
def test_samples_of_one_document_are_spread_over_the_workers(reference, monkeypatch):
    pytest.importorskip("joblib")
    corpus, _ = reference
    task_lists = []

    def recorded(*args, **options):
        task_lists.append([*tasks.tasks_by_cost(*args, **options)])
        return iter(task_lists[-1])

    monkeypatch.setattr(part_tasks, "tasks_by_cost", recorded)
    monkeypatch.setattr(part_tasks, "_TASK_COST_MIN", 0.0)
    ga.gamma(corpus["d1"], samples=40, n_jobs=2)
    assert max(map(len, task_lists)) > 8


def test_result_does_not_depend_on_the_order_of_rows(reference):
    corpus, result = reference
    records = [(name, *unit) for name in corpus for unit in corpus[name].units()]
    seen = [(name, person) for name in corpus for person in corpus[name].annotators]
    rng = np.random.default_rng(1)
    shuffled = ga.Corpus.from_records(
        [records[index] for index in rng.permutation(len(records))],
        annotations=[seen[index] for index in rng.permutation(len(seen))],
        extents={name: corpus[name].extent for name in reversed(corpus.documents)},
    )
    assert as_json(ga.gamma(shuffled, precision=0.05, seed=7)) == as_json(result)


@pytest.mark.parametrize("kept", [("d0",), ("d1", "d3"), ("d2", "d4")])
def test_document_does_not_depend_on_other_documents(reference, kept):
    corpus, _ = reference
    settings = {"precision": 0.05, "precision_of": "documents", "seed": 7}
    part = ga.gamma(ga.Corpus.from_continua([corpus[name] for name in kept]), **settings)
    all_documents = {document.document: document.to_dict() for document in ga.gamma(corpus, **settings).documents}
    assert [document.to_dict() for document in part.documents] == [all_documents[name] for name in kept]


def test_result_does_not_depend_on_names_of_annotators(reference):
    corpus, result = reference
    names = {"a00": "zoe", "a01": "mid", "a02": "b", "a03": "α"}
    renamed = rewritten(corpus, lambda unit: unit._replace(annotator=names.get(unit.annotator, "nobody")))
    assert renamed.annotators == tuple(sorted(names.values()))
    assert gammas(ga.gamma(renamed, precision=0.05, seed=7)) == pytest.approx(gammas(result), abs=1e-12, nan_ok=True)


def test_result_does_not_depend_on_names_of_categories(reference):
    corpus, result = reference
    names = {"x": "x2", "y": "y0", "z": "z1", None: None}  # the same order: γk are listed by name
    renamed = rewritten(corpus, lambda unit: unit._replace(category=names[unit.category]))
    assert gammas(ga.gamma(renamed, precision=0.05, seed=7)) == pytest.approx(gammas(result), abs=1e-12, nan_ok=True)
    names = {"x": "z", "y": "y", "z": "x", None: None}
    swapped = rewritten(corpus, lambda unit: unit._replace(category=names[unit.category]))
    swapped_result = ga.gamma(swapped, precision=0.05, seed=7)
    assert swapped_result.gamma.value == pytest.approx(result.gamma.value, abs=1e-12)
    assert [d.gamma.observed for d in swapped_result.documents] == pytest.approx(
        [d.gamma.observed for d in result.documents], abs=1e-12
    )


@pytest.mark.parametrize(("factor", "shift"), [(1.0, 1000.0), (2.0, 0.0), (2.0, -512.0)])
def test_result_does_not_depend_on_translation_and_scale(factor, shift):
    corpus = small_corpus(3)
    moved = rewritten(
        corpus, lambda unit: unit._replace(start=factor * unit.start + shift, end=factor * unit.end + shift)
    )
    before, after = (ga.gamma(c, samples=40, seed=3, integer_offsets=False) for c in (corpus, moved))
    assert gammas(after) == pytest.approx(gammas(before), abs=1e-9, nan_ok=True)
    assert [d.gamma.expected for d in after.documents] == pytest.approx(
        [d.gamma.expected for d in before.documents], rel=1e-9
    )


@given(sts.cases(most_annotators=3, most_units=3), st.integers(0, 2**32))
def test_result_of_any_case_can_be_written_as_json(case, seed):
    result = ga.gamma(sts.continuum_of(case), samples=5, seed=seed)
    assert json.loads(as_json(result))["schema_version"] == 1
    (document,) = result.documents
    assert document.optimal
    if document.gamma.is_available:
        assert document.gamma.value <= 1
        assert document.gamma.value == 1 or document.gamma.observed > 0
    else:
        assert document.gamma.reason
    if document.gamma_cat.is_available:
        assert document.gamma_cat.value <= 1


# ------------------------------------------------------------------------------------------------ output


def test_json_has_its_documented_keys(reference):
    corpus, result = reference
    contents = json.loads(as_json(result))
    assert set(contents) >= {"schema_version", "signature", "settings", "corpus", "documents"}
    assert contents["schema_version"] == 1
    assert set(contents["corpus"]) == {"gamma", "gamma_cat", "gamma_k"}
    assert set(contents["corpus"]["gamma_k"]) == set(corpus.categories)
    assert [row["document"] for row in contents["documents"]] == list(corpus.documents)
    types = {
        "document": str,
        "annotators": int,
        "units": int,
        "samples": int,
        "alignments": int,
        "pair_samples": int,
        "optimal": bool,
        "gap": float,
        "gamma": dict,
        "gamma_cat": dict,
        "gamma_k": dict,
    }
    for row in contents["documents"]:
        assert {name: type(row[name]) for name in types} == types
    values = [contents["corpus"]["gamma"], contents["corpus"]["gamma_cat"], *contents["corpus"]["gamma_k"].values()]
    values += [
        value for row in contents["documents"] for value in (row["gamma"], row["gamma_cat"], *row["gamma_k"].values())
    ]
    for value in values:
        assert set(value) == {field.name for field in fields(ga.GammaValue)}
        assert (value["value"] is None) == (value["reason"] is not None)
    assert [row["units"] for row in contents["documents"]] == [len(corpus[name]) for name in corpus]
    assert [row["annotators"] for row in contents["documents"]] == [len(corpus[name].annotators) for name in corpus]


def test_numbers_are_plain_floats(reference):
    _, result = reference
    for row in (result, *result.documents):
        for value in (row.gamma, row.gamma_cat, *row.gamma_k.values()):
            assert type(value.value) is type(value.low) is type(value.high) is float
    for document in result.documents:
        assert type(document.gamma.observed) is type(document.gamma.expected) is type(document.gap) is float
        assert type(document.optimal) is bool


def test_observed_disorder_is_the_minimum(reference):
    corpus, result = reference
    for document in result.documents:
        assert document.gamma.observed == pytest.approx(ga.align(corpus[document.document]).disorder, abs=1e-12)


def test_gamma_k_of_a_document_has_its_own_categories():
    corpus = ga.Corpus.from_records(
        [("d", "a", 0, 2, "x"), ("d", "b", 0, 2, "y"), ("e", "a", 0, 2, "z"), ("e", "b", 0, 2, None)]
    )
    result = ga.gamma(corpus, samples=30)
    assert [sorted(document.gamma_k) for document in result.documents] == [["x", "y"], ["z"]]
    assert sorted(result.gamma_k) == ["x", "y", "z"]


def test_signature_contains_all_settings():
    result = ga.gamma(sts.k2011(), alpha=3, beta=2, delta_empty=0.5, precision=0.05, seed=11)
    fields = result.signature.split("|")
    samples = result.documents[0].samples
    assert fields[0] == "γ"
    for field in (
        "n:4",
        "α:3",
        "β:2",
        "Δ:0.5",
        "d:sporadic+nominal",
        "s:shift",
        f"N:{samples}",
        "e:0.05",
        "seed:11",
        "opt:yes",
        f"v:{ga.__version__}",
    ):
        assert field in fields
    changed = ga.gamma(sts.k2011(), samples=30, min_distance="half", integer_offsets=False, confidence="weighted")
    plain = ga.gamma(sts.k2011(), samples=30)
    assert "\n" not in changed.signature
    assert changed.signature != plain.signature  # options that differ from the default are named
    for word in ("half", "weighted"):
        assert word in changed.signature
        assert word not in plain.signature


def test_settings_suffice_to_reproduce_the_result(reference):
    corpus, result = reference
    contents = result.settings
    reproduced = ga.gamma(
        corpus,
        **{
            name: contents[name]
            for name in (
                "alpha",
                "beta",
                "delta_empty",
                "precision",
                "samples",
                "max_samples",
                "seed",
                "min_distance",
                "integer_offsets",
                "confidence",
                "empty_samples",
                "time_limit",
                "solver",
            )
        },
    )
    assert as_json(reproduced) == as_json(result)


def test_progress_is_reported():
    seen = []
    ga.gamma(small_corpus(2), precision=0.05, progress=lambda done, needed: seen.append((done, needed)))
    assert seen
    assert all(done <= needed for done, needed in seen)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1][0] == seen[-1][1]


class Recorder:
    """Progress callback that records the current estimates."""

    def __init__(self):
        self.estimates = []

    def __call__(self, done, total):
        pass

    def partial(self, current_estimate):
        self.estimates.append(current_estimate())


def test_current_estimate_becomes_the_final_value(monkeypatch):
    monkeypatch.setattr(part_tasks, "_TASK_COST_MIN", 20.0)
    recorder, corpus = Recorder(), small_corpus()
    result = ga.gamma(corpus, samples=8, control="none", seed=1, progress=recorder)
    estimates = recorder.estimates
    first, *intermediate, last = estimates
    assert result.to_dict() == ga.gamma(corpus, samples=8, control="none", seed=1).to_dict()
    assert (first.gamma.reason, first.n_sampled, first.n_measurable) == ("not known yet", 0, 5)
    assert {estimate.n_sampled for estimate in estimates} == {0, 1, 2, 3, 4, 5}
    assert all(estimate.gamma.is_available == (estimate.n_sampled == 5) for estimate in intermediate)
    assert last.gamma.low < last.gamma.value < last.gamma.high
    assert all(estimate.observed == pytest.approx(result.gamma.observed, abs=1e-12) for estimate in estimates)
    assert [len(estimate.gamma_by_document) for estimate in estimates] == [estimate.n_sampled for estimate in estimates]
    assert last.gamma_by_document == pytest.approx(
        {document.document: document.gamma.value for document in result.documents}, abs=1e-12
    )


def test_current_interval_of_one_document_is_students_t(monkeypatch):
    monkeypatch.setattr(part_tasks, "_TASK_COST_MIN", 1.0)  # a task for each sample
    recorder = Recorder()
    ga.gamma(small_corpus(1), samples=8, control="none", seed=1, progress=recorder)
    early = next(estimate.gamma for estimate in recorder.estimates if estimate.gamma.is_available)
    assert early.samples == 3
    # three samples have two degrees of freedom: γ = 1 - δ/δ_e, so that δ/(1 - bound) are the bounds of δ_e
    bounds = [early.observed / (1 - bound) for bound in (early.low, early.high)]
    assert (bounds[1] - bounds[0]) / 2 == pytest.approx(t_quantile(2) * early.expected_error)


def overlapping_units(documents, seed):
    """Return documents in which two annotators place units at random, so that some agree less than by chance."""
    rng = np.random.default_rng(seed)
    return ga.Corpus.from_records(
        (f"d{document}", annotator, start, start + rng.uniform(1, 10), rng.choice(["x", "y", "z"]))
        for document in range(documents)
        for annotator, starts in zip("ab", rng.uniform(0, 90, size=(2, 4)), strict=True)
        for start in starts
    )


@pytest.mark.parametrize(
    "corpus",
    [small_corpus(1), small_corpus(), small_corpus(2), overlapping_units(4, seed=2)],
    ids=["document", "corpus", "two documents", "lowest value"],
)
def test_current_interval_becomes_the_final_interval(monkeypatch, corpus):
    monkeypatch.setattr(part_tasks, "_TASK_COST_MIN", 20.0)
    recorder = Recorder()
    result = ga.gamma(corpus, samples=8, control="none", seed=1, progress=recorder).gamma
    last = recorder.estimates[-1].gamma
    assert last.no_interval == result.no_interval
    assert last.interval_note == result.interval_note
    bounds = (last.value, last.low, last.high, last.standard_error)
    assert bounds == pytest.approx((result.value, result.low, result.high, result.standard_error), nan_ok=True)


def test_document_with_equal_samples_has_no_interval():
    equal = Chance(0.5, 2.0, 7, 1.0, 0.0, 0.0, 0.0, 30, 0, 29.0)
    gamma = corpus_values(Documents(rows_of([Row("a", 2, 4, 3, 30, equal, NOTHING)])))[0]
    assert gamma.value == 0.5
    assert gamma.no_interval == "all samples are the same"
    assert np.isnan([gamma.low, gamma.high]).all()


def test_interval_of_a_corpus_stays_above_the_value_of_unaligned_units():
    disorders = (0.1, 0.12, 0.15, 1.9)
    rows = rows_of(
        [Row(name, 2, 4, 3, 30, chance(one, 1.0, 1.0), NOTHING) for name, one in zip("abcd", disorders, strict=True)]
    )
    free, limited = corpus_values(Documents(rows))[0], corpus_values(Documents(rows), delta_empty=1.0)[0]
    assert free.low < -1
    assert (limited.low, limited.high) == (pytest.approx(-1), free.high)  # δ of two is at most 2Δ, and δ_e is 1


def test_disorder_of_many_annotators_may_exceed_the_limit_of_two():
    disorders = (2.1, 2.6, 3.0, 3.2)
    rows = rows_of(
        [Row(name, 9, 40, 30, 30, chance(one, 3.8, 1.0), NOTHING) for name, one in zip("abcd", disorders, strict=True)]
    )
    gamma = corpus_values(Documents(rows), delta_empty=1.0)[0]
    assert gamma.low < gamma.value < gamma.high
    assert gamma == corpus_values(Documents(rows))[0]  # far from 9Δ, that of units that are not aligned


def test_an_estimate_of_chance_below_zero_gives_no_value():
    below = chance(0.5, 1.0, -0.1)
    rows = rows_of([Row(name, 2, 4, 3, 30, chance(0.5, 2.0, 1.0), below) for name in "ab"])
    reason = "the samples leave open whether any disorder is expected by chance"
    assert corpus_values(Documents(rows))[1].reason == reason
    assert corpus_values(Documents(rows.take(np.array([0]))))[1].reason == reason


def test_missing_precision_has_a_reason():
    columns = chance(0.5, 2.0, 1.0), Chance(0.5, 2.0, 7, 1.0, math.nan, math.nan, 0.0, 1, 0, 0.0)
    rows = rows_of([Row(name, 2, 4, 3, 30, one, NOTHING) for name, one in zip("ab", columns, strict=True)])
    gamma = corpus_values(Documents(rows))[0]
    assert math.isnan(gamma.expected_precision)
    assert gamma.precision_note == "fewer than two samples of a document have it"
    assert corpus_values(Documents(rows.take(np.array([0]))))[0].precision_note is None


def test_categories_as_a_matrix():
    matrix = ga.Matrix(["x", "y", "z"], [[0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]])
    halved = ga.gamma(small_corpus(2), dissimilarity=ga.Dissimilarity(beta=2, categorial=matrix), samples=30, seed=3)
    # β·D is the same for labels, and 2 instead of 1 against no label: leave those out
    labelled = rewritten(small_corpus(2), lambda unit: unit._replace(category=unit.category or "x"))
    plain = ga.gamma(labelled, samples=30, seed=3)
    same = ga.gamma(labelled, dissimilarity=ga.Dissimilarity(beta=2, categorial=matrix), samples=30, seed=3)
    assert gammas(same) == pytest.approx(gammas(plain), abs=1e-12)
    assert gammas(halved)[0] != pytest.approx(gammas(plain)[0], abs=1e-6)


def test_time_limit_that_is_too_short_is_noted():
    rng = np.random.default_rng(8)
    records = [
        (f"a{person:02d}", start, start + rng.uniform(1, 12), "xyz"[rng.integers(0, 3)])
        for person in range(12)
        for start in rng.uniform(0, 60, 20)
    ]
    result = ga.gamma(ga.Continuum.from_records(records), samples=2, time_limit=1e-9)
    (document,) = result.documents
    assert not document.optimal
    assert not result.optimal
    assert 0 < document.gap <= 1
    assert "opt:no" in result.signature


# ------------------------------------------------------------------------------------------------- pooled, §5


def chance(observed, weight, expected):
    return Chance(observed, weight, 7, expected, 0.1 / math.sqrt(30), 0.1, 0.0, 30, 0, 29.0)


def test_pooled_values_are_ratios_of_weighted_sums():
    nan = float("nan")
    table = [
        Row("a", 2, 4, 3, 30, chance(0.5, 2.0, 1.0), chance(0.2, 3.0, 0.8), {"x": chance(0.4, 1.0, 0.5)}),
        Row("b", 2, 2, 2, 30, chance(1.0, 1.0, 1.2), chance(nan, 0.0, 0.7), {"x": chance(nan, 0.0, 0.5)}),
        Row("c", 2, 6, 4, 30, chance(0.3, 3.0, 0.9), chance(0.1, 5.0, nan), {"y": chance(nan, 0.0, nan)}),
        Row("d", 1, 6, 0, 0, NOTHING, NOTHING),
    ]
    pooled, pooled_cat, pooled_k = corpus_values(Documents(rows_of(table)))
    assert pooled.value == pytest.approx(1 - (2 * 0.5 + 1 * 1.0 + 3 * 0.3) / (2 * 1.0 + 1 * 1.2 + 3 * 0.9))
    assert pooled_cat.value == pytest.approx(1 - 0.2 / 0.8)
    assert pooled_k["x"].value == pytest.approx(1 - 0.4 / 0.5)
    assert pooled_k["y"].reason == "no two units are aligned"
    assert pooled.low <= pooled.value <= pooled.high


def test_corpus_without_disorder_is_one_and_without_values_has_a_reason():
    perfect = [Row(name, 2, 2, 1, 30, chance(0.0, 1.0, 1.0), chance(0.0, 1.0, 0.5)) for name in "ab"]
    pooled, pooled_cat, _ = corpus_values(Documents(rows_of(perfect)))
    assert (pooled.value, pooled_cat.value) == (1.0, 1.0)
    one_category = [Row(name, 2, 2, 1, 30, chance(0.0, 1.0, 1.0), chance(0.0, 1.0, 0.0)) for name in "ab"]
    pooled, pooled_cat, _ = corpus_values(Documents(rows_of(one_category)))
    assert (pooled.value, pooled_cat.reason) == (1.0, SAME_CATEGORIES)
    nothing = [Row(name, 1, 2, 0, 0, NOTHING, NOTHING) for name in "ab"]
    pooled, pooled_cat, _ = corpus_values(Documents(rows_of(nothing)))
    assert (pooled.reason, pooled_cat.reason) == ("one annotator only", "one annotator only")


def test_units_of_other_documents_count_only_for_their_categories():
    units = [
        (f"d{number}", person, start, start + 2, label if start else "x")
        for number, label in enumerate("yyzz")
        for person in ("ann", "bob")
        for start in ((0, 4) if number else (4,))  # d0 has no x
    ]
    result = ga.gamma(units, samples=40, sampler="documents")
    assert [sorted(document.gamma_k) for document in result.documents] == [["y"], ["x", "y"], ["x", "z"], ["x", "z"]]
    assert all(value.samples <= 40 for document in result.documents for value in document.gamma_k.values())


def test_each_annotator_against_the_others_is_the_pool_of_their_pairs():
    corpus = small_corpus()
    result = ga.pairwise(corpus, samples=30)
    values = result.against_others()
    assert tuple(values) == corpus.annotators
    for name, value in values.items():
        sums = np.zeros(2)
        for pair, of_pair in result.pairs.items():
            for row in of_pair.documents if name in pair else ():
                if row.gamma.is_available:
                    sums += np.array([row.gamma.observed, row.gamma.expected]) * row.units / 2
        assert value.value == pytest.approx(1 - sums[0] / sums[1])
        assert value.no_interval is not None or value.low < value.value < value.high
    assert any(value.no_interval is None for value in values.values())


def test_with_two_annotators_each_against_the_others_is_the_pair():
    corpus = small_corpus()
    corpus = corpus.select(annotators=corpus.annotators[:2])
    (pair,) = (result := ga.pairwise(corpus, samples=30)).pairs.values()
    for value in result.against_others().values():
        assert value.value == pytest.approx(pair.gamma.value, abs=1e-12)
        assert (value.low, value.high) == pytest.approx((pair.gamma.low, pair.gamma.high), abs=1e-9)
