"""The expected categorial disorder: unbiased, with an honest error, of every document that can have one."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math

import numpy as np
import pytest

import gamma_align as ga
from gamma_align.alignment.solve import solve
from gamma_align.chance.aligned_sums import statistics
from gamma_align.chance.categorial import (
    CONSTANT,
    IMPOSSIBLE,
    Prior,
    categorial_estimates,
    errors_in_corpus,
    variance_ratio,
)
from gamma_align.chance.sampler import ShiftSampler
from gamma_align.measures.gamma.gamma_reasons import (
    COMPUTED_CHANCE,
    EQUAL_SAMPLES,
    EXACT_VALUE,
    NO_DISORDER,
    NO_OVERLAP,
    PERFECT,
    SAME_CATEGORIES,
)
from gamma_align.measures.gamma.measure import run
from gamma_align.present.units_text import gamma_text


def sparse_corpus(documents, *, seed, units=2):
    """Return long documents in which three annotators mark a few short places, partly the same ones."""
    rng = np.random.default_rng(seed)
    records, extents = [], {}
    for document in range(documents):
        name = f"d{document:03}"
        extents[name] = (0, int(rng.integers(150, 1200)))
        positions = rng.integers(4, extents[name][1] - 60, units + 1)
        lengths = rng.integers(3, 40, units + 1)
        labels = rng.choice(["a", "b", "c"], units + 1, p=[0.5, 0.35, 0.15])
        for annotator in range(3):
            for index in rng.choice(units + 1, units, replace=False):
                start = int(positions[index] + rng.integers(-2, 3))
                label = labels[index] if rng.random() < 0.7 else rng.choice(["a", "b", "c"])
                records.append((name, f"p{annotator}", start, start + int(lengths[index]), str(label)))
    return ga.Corpus.from_records(records, extents=extents)


def plain_means(corpus, samples, *, seed=99):
    """Return the mean δ_cat of samples of each document, and the mean with 1 for samples that have none."""
    dissimilarity = ga.Dissimilarity().bind(corpus.categories)
    documents = np.repeat(np.arange(len(corpus)), samples)
    batch = ShiftSampler(corpus, seed=seed).sample(documents, np.tile(np.arange(samples), len(corpus)))
    found = statistics(batch, solve(batch, dissimilarity), dissimilarity)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = (found.distance / found.weight).reshape(len(corpus), samples)
        return np.nanmean(values, axis=1), np.where(np.isnan(values), 1.0, values).mean(axis=1)


def pooled(rows, means):
    """Return the means of documents, pooled with their weights."""
    weight = rows.gamma_cat.weight
    used = (weight > 0) & ~np.isnan(means)
    return float(weight[used] @ means[used] / weight[used].sum())


SPARSE = sparse_corpus(25, seed=4)


@pytest.fixture(scope="module")
def true_means():
    return plain_means(SPARSE, 8000)


# ------------------------------------------------------------------------------------------------ the pooled value


@pytest.mark.release
def test_stated_precision_of_a_sparse_corpus_holds(true_means):
    truth = pooled(ga.gamma(SPARSE, samples=8).documents.rows, true_means[0])
    results = [ga.gamma(SPARSE, seed=seed, precision=0.03).gamma_cat for seed in range(60)]
    expected = np.array([value.expected for value in results])
    precision = np.array([value.expected_precision for value in results])
    assert np.isfinite(precision).all()
    assert precision.max() <= 0.03
    inside = np.abs(expected - truth) <= precision * expected
    assert inside.mean() >= 0.88  # .95 less 2.5 standard errors
    assert abs(expected.mean() / truth - 1) < 0.006


def test_all_seeds_pool_the_same_documents():
    results = [ga.gamma(SPARSE, seed=seed) for seed in range(8)]
    assert len({result.gamma_cat.documents for result in results}) == 1
    for label in SPARSE.categories:
        assert len({result.gamma_k[label].documents for result in results}) == 1


def test_pooled_gamma_k_has_a_stated_precision_in_every_category():
    for seed in range(8):
        for value in ga.gamma(SPARSE, seed=seed).gamma_k.values():
            assert math.isfinite(value.expected_precision)


def test_samples_without_aligned_units_can_count_as_one(true_means):
    results = [ga.gamma(SPARSE, seed=seed, samples=30, empty_samples="one").gamma_cat for seed in range(40)]
    expected = np.array([value.expected for value in results])
    truth = pooled(ga.gamma(SPARSE, samples=8, empty_samples="one").documents.rows, true_means[1])
    deviation = expected.std(ddof=1)
    assert abs(expected.mean() - truth) < 4 * deviation / math.sqrt(40)
    assert np.mean([value.expected_error for value in results]) == pytest.approx(deviation, rel=0.35)


@pytest.mark.parametrize("options", [{"confidence": "none"}, {"sampler": "statistical"}, {"sampler": "documents"}])
def test_error_is_never_zero_if_labels_differ_and_overlaps_are_not_computed(options):
    for seed in range(4):
        rows = ga.gamma(SPARSE, seed=seed, samples=8, **options).documents.rows
        is_known = rows.gamma_cat.is_known
        assert (rows.gamma_cat.error[is_known] > 0).all()


def test_overlaps_lower_the_error():
    with_control = ga.gamma(SPARSE, samples=30).gamma_cat
    plain = ga.gamma(SPARSE, samples=30, control="none").gamma_cat
    assert with_control.expected_error < plain.expected_error / 1.3


def test_without_control_the_expected_disorder_is_the_plain_mean(true_means):
    means = plain_means(SPARSE, 30, seed=7)[0]
    rows = ga.gamma(SPARSE, samples=30, control="none", seed=7).documents.rows
    sampled = rows.gamma_cat.is_known & (rows.gamma_cat.samples > 0)
    assert rows.gamma_cat.expected[sampled] == pytest.approx(means[sampled], rel=1e-12)
    unseen = rows.gamma_cat.is_known & (rows.gamma_cat.samples == 0)
    assert rows.gamma_cat.expected[unseen] == pytest.approx(true_means[0][unseen], abs=0.2)


def test_expected_disorder_depends_on_the_drawn_annotators():
    # the reference has one label, so samples of its units show no disagreement, and none with the label "y"
    records = [("d", "ref", 0, 9, "x"), ("d", "ref", 40, 49, "x"), ("d", "sys", 1, 8, "y"), ("d", "sys", 41, 50, "x")]
    corpus = ga.Corpus.from_records(records, extents={"d": (0, 80)})
    settings = dataclasses.replace(ga.GammaSettings.of(samples=30), chance_from=("ref",))
    rows = run(corpus, settings)
    assert rows.gamma_cat.expected[0] == 0
    assert rows.of_category("y").status[0] == IMPOSSIBLE
    assert run(corpus, ga.GammaSettings.of(samples=30)).gamma_cat.expected[0] > 0


# ------------------------------------------------------------------------------------------------ kinds of documents


def make_impossible(name="far"):
    """Return records of a document whose single units are kept apart by the distance of the offsets."""
    return [(name, "p0", 100, 110, "a"), (name, "p1", 100, 110, "b"), (name, "p2", 100, 110, "a")]


def make_constant(name="two"):
    """Return records of a document in which units meet only if their labels differ."""
    first = [(name, "p0", 100, 110, "a"), (name, "p0", 150, 160, "b")]
    return [*first, (name, "p1", 100, 110, "c"), (name, "p1", 150, 160, "b")]


def test_documents_without_possible_overlaps_are_excluded_with_their_weight():
    corpus = ga.Corpus.from_records(make_impossible(), extents={"far": (0, 900)}).merge(SPARSE)
    result = ga.gamma(corpus)
    document = next(row for row in result.documents if row.document == "far")
    assert document.gamma_cat.reason == NO_OVERLAP
    weight = result.documents.rows.gamma_cat.weight
    share = weight[result.documents.column("document").index("far")] / weight.sum()
    note = f"γcat leaves out 1 document ({share:.1%} of its weight): its units cannot overlap by chance"
    assert note in result.notes
    assert document.samples == document.gamma.samples  # γcat asks for none


def test_documents_without_possible_overlaps_are_exact_if_empty_samples_count_as_one():
    corpus = ga.Corpus.from_records(make_impossible(), extents={"far": (0, 900)})
    value = ga.gamma(corpus, empty_samples="one").documents[0].gamma_cat
    assert (value.expected, value.expected_error) == (1.0, 0.0)
    assert value.precision_note == EXACT_VALUE


def test_document_with_one_possible_distance_is_exact_and_has_a_note():
    # offsets are at least 10 apart, so only units at different places meet, and these have different labels
    corpus = ga.Corpus.from_records(make_constant(), extents={"two": (0, 900)})
    value = ga.gamma(corpus, samples=30).documents[0].gamma_cat
    assert (value.expected, value.expected_error, value.expected_precision) == (1.0, 0.0, 0.0)
    assert value.precision_note == EXACT_VALUE
    assert value.value == 0.5
    assert (math.isnan(value.low), math.isnan(value.high)) == (True, True)
    assert value.no_interval == COMPUTED_CHANCE


def test_documents_of_one_label_are_pooled_with_every_seed():
    # one unit each, rarely at one place: hardly a sample shows that their expected disorder is 0
    unaligned = [(name, f"p{a}", 100 + 20 * a, 112 + 20 * a, "a") for name in ("one", "other") for a in range(2)]
    aligned = [(name, f"p{a}", 3000, 3012, "a") for name in ("one", "other") for a in range(2)]
    records = [*unaligned, *aligned, *make_constant()]
    corpus = ga.Corpus.from_records(records, extents={"one": (0, 9000), "other": (0, 9000), "two": (0, 90_000)})
    for seed in range(5):
        rows = ga.gamma(corpus, samples=8, seed=seed).documents.rows
        assert rows.gamma_cat.expected.tolist() == [0.0, 0.0, 1.0]
        assert rows.gamma_cat.error.tolist() == [0.0, 0.0, 0.0]
        assert rows.gamma_cat.status.tolist() == [CONSTANT] * 3
        assert rows.of_category("a").error.tolist() == [0.0, 0.0, 0.0]


def test_document_without_aligned_samples_has_the_mean_over_overlaps():
    records = [
        *(("d", "p0", start, start + 5, label) for start, label in ((100, "a"), (2000, "b"))),
        *(("d", "p1", start, start + 5, label) for start, label in ((101, "a"), (2001, "a"))),
    ]
    corpus = ga.Corpus.from_records(records, extents={"d": (0, 20_000)})
    value = ga.gamma(corpus, samples=8).documents[0].gamma_cat
    assert value.samples == 0
    assert 0 < value.expected < 1
    truth = plain_means(corpus, 60_000)[0][0]
    assert value.expected == pytest.approx(truth, abs=0.1)
    assert value.expected_error > 0
    assert value.is_available


def test_equal_samples_give_no_interval_unless_exact():
    seen = set()
    for document in ga.gamma(SPARSE, samples=12).documents:
        for value in (document.gamma_cat, *document.gamma_k.values()):
            if not value.is_available or value.value == 1.0:
                continue
            seen.add(value.no_interval)
            if value.low == value.high:
                assert value.precision_note == EXACT_VALUE
    assert EQUAL_SAMPLES in seen


# One category: as units of two annotators, as points, and where no two units can overlap by chance.
ONE_CATEGORY = [
    [("d", "p0", 0, 9, "a"), ("d", "p1", 1, 10, "a")],
    [("d", name, position, position, "a") for name in ("p0", "p1", "p2") for position in (0, 8, 20)],
    [("d", "p0", 1, 2, "a"), ("d", "p1", 9, 9, "a"), ("d", "p2", 1, 1, "a"), ("d", "p2", 1, 2, "a")],
    [(name, annotator, 0, 9, "a") for name in "de" for annotator in ("p0", "p1", "p2")],
]


def test_a_computed_value_has_no_interval_in_any_form():
    records = [("d", "p0", 0, 9, "a"), ("d", "p1", 1, 10, "a"), ("d", "p0", 20, 29, "b"), ("d", "p1", 21, 30, "a")]
    result = ga.gamma(records)
    for value in (result.gamma, result.gamma_cat, result.documents[0].gamma):
        assert value.no_interval == COMPUTED_CHANCE
        assert value.lower_bound == value.value
    contents = json.loads(json.dumps(result.to_dict()))["corpus"]["gamma"]
    assert (contents["low"], contents["high"], contents["no_interval"]) == (None, None, COMPUTED_CHANCE)
    texts = gamma_text(result), repr(result), str(result.gamma), str(ga.citation(result)), result._repr_html_()
    for text in texts:
        assert COMPUTED_CHANCE in text
        assert "[0." not in text


def test_a_document_without_disorder_has_no_interval():
    records = [("d", name, 10 * unit, 10 * unit + 9, "ab"[unit % 2]) for name in "xyz" for unit in range(4)]
    value = ga.gamma(records, samples=16).gamma
    assert (value.value, value.no_interval, value.lower_bound) == (1.0, PERFECT, 1.0)


@pytest.mark.parametrize("records", ONE_CATEGORY)
@pytest.mark.parametrize("chance", ["documents", "pooled"])
def test_agreement_on_one_category_is_not_available(records, chance):
    result = ga.gamma(records, samples=16, chance=chance)
    values = [result.gamma_cat, *result.gamma_k.values()]
    values += [value for row in result.documents for value in (row.gamma_cat, *row.gamma_k.values())]
    for value in values:
        assert (math.isnan(value.value), value.reason) == (True, SAME_CATEGORIES)
    contents = json.loads(json.dumps(result.to_dict()))["corpus"]["gamma_cat"]
    assert (contents["value"], contents["reason"]) == (None, SAME_CATEGORIES)
    assert f"NA ({SAME_CATEGORIES})" in gamma_text(result)


def test_categories_without_distance_are_one_category():
    distance = ga.Matrix(["a", "b"], [[0.0, 0.0], [0.0, 0.0]])
    records = [("d", "p0", 0, 9, "a"), ("d", "p1", 1, 10, "b"), ("d", "p0", 20, 29, "b"), ("d", "p1", 21, 30, "b")]
    result = ga.gamma(records, distance=distance, samples=16)
    assert result.gamma_cat.reason == SAME_CATEGORIES
    assert {value.reason for value in result.gamma_k.values()} == {SAME_CATEGORIES}
    assert result.gamma.is_available


def test_documents_of_one_category_change_no_value_of_the_others():
    one = [("one", name, 0, 9, "a") for name in ("p0", "p1")]
    others = [(name, f"p{a}", 20 * unit + a, 20 * unit + 9, "abc"[(unit * a + unit) % 3])
              for name in ("d", "e", "f", "g") for a in range(2) for unit in range(6)]  # fmt: skip
    result, without = ga.gamma([*one, *others], samples=16), ga.gamma(others, samples=16)
    assert result.documents[-1].gamma_cat.reason == SAME_CATEGORIES
    assert result.gamma_cat.value == without.gamma_cat.value
    assert (result.gamma_cat.low, result.gamma_cat.high) == (without.gamma_cat.low, without.gamma_cat.high)


def test_without_any_category_gamma_is_not_available_if_only_categories_count():
    result = ga.gamma(ONE_CATEGORY[3], alpha=0.0, samples=16)
    assert result.gamma.reason == NO_DISORDER


def test_differences_of_agreement_on_one_category_are_not_available():
    first, second = ([row for row in ONE_CATEGORY[3] if row[1] != left_out] for left_out in ("p0", "p1"))
    difference = ga.compare(ga.Corpus.from_records(first), ga.Corpus.from_records(second), samples=16)["gamma_cat"]
    assert not difference.is_available
    assert (math.isnan(difference.first), math.isnan(difference.second)) == (True, True)


def test_a_missing_precision_has_a_reason():
    for result in (ga.gamma(SPARSE), ga.gamma(SPARSE, samples=8)):
        for value in (result.gamma, result.gamma_cat, *result.gamma_k.values()):
            if value.is_available:
                assert math.isfinite(value.expected_precision) or value.precision_note


# ------------------------------------------------------------------------------------------------ parts


def test_pooled_parts_have_the_precision_of_the_corpus():
    settings = ga.GammaSettings.of(samples=12)
    corpus = ga.gamma(SPARSE, samples=12)
    for cuts in ([0, 1, 25], [0, 9, 17, 25]):
        parts = [SPARSE.documents_between(*cut) for cut in itertools.pairwise(cuts)]
        rows = [ga.document_statistics(part, settings) for part in parts]
        frames = [ga.GammaRows.from_frame(part.to_frame()) for part in rows]
        assert ga.pool(rows, settings) == ga.pool(frames, settings) == corpus


def test_a_corpus_takes_its_variance_from_all_documents():
    rows = ga.gamma(SPARSE, samples=30).documents.rows
    cat = rows.gamma_cat
    error = errors_in_corpus(np.where(cat.is_known, cat.weight, 0.0), cat.error, cat.prior, cat.samples)
    varies = cat.is_known & (cat.prior > 0) & (cat.samples > 0)
    assert (error[varies] != cat.error[varies]).all()
    assert (np.sign(error - cat.error)[varies] == np.sign(error - cat.error)[varies][0]).all()


# ------------------------------------------------------------------------------------------------ the estimator


def make_prior(count, mean, variance, *, empty_is_one=False):
    return Prior(*(np.array([number], dtype=float) for number in (count, mean, variance)), empty_is_one, control=True)


def test_estimate_is_the_mean_corrected_by_the_control():
    prior = make_prior(2.0, 0.5, 0.25)
    values, control = np.array([0.25, np.nan, 1.0, 0.5]), np.array([-0.5, 0.5, 1.5, 0.0])
    found = categorial_estimates(np.zeros(4, dtype=np.int64), values, control, np.array([4]), prior)
    slope = (3 / 4) / 2.0
    mean = values[[0, 2, 3]].mean()
    assert found.mean[0] == pytest.approx(mean - control.mean() / 2.0)
    residual = np.nan_to_num(values - mean) - slope * control
    assert found.squares[0] == pytest.approx(np.square(residual).sum())
    assert found.prior[0] == pytest.approx(0.25 * slope * (1 - slope))
    assert found.variance()[0] == pytest.approx((4 * found.prior[0] + found.squares[0]) / 6 / 3)


def test_the_slope_is_one_at_most():
    prior = make_prior(0.01, 0.5, 0.25)
    found = categorial_estimates(np.array([0]), np.array([1.0]), np.array([0.5]), np.array([8]), prior)
    assert found.mean[0] == pytest.approx(0.5)


def test_a_constant_entry_needs_no_sample():
    prior = make_prior(0.5, 0.75, 0.0)
    empty = np.zeros(0, dtype=np.int64)
    found = categorial_estimates(empty, np.zeros(0), np.zeros(0), np.array([0]), prior)
    assert (found.mean[0], found.variance()[0], found.status[0]) == (0.75, 0.0, CONSTANT)


def test_the_variance_ratio_is_that_of_samples_to_expectations():
    rng = np.random.default_rng(5)
    samples, prior = np.full(400, 20), rng.uniform(0.01, 0.2, 400)
    squares = 3.0 * prior * rng.chisquare(19, 400)
    assert variance_ratio(np.ones(400), squares, prior, samples) == pytest.approx(3.0, rel=0.1)
    assert variance_ratio(np.ones(1), squares[:1], prior[:1], np.array([1])) == 1.0
