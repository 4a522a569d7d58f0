"""Number of samples that the requested precision takes, and their allocation to documents."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from gamma_rows import Chance, Row, chances_of, rows_of
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

import gamma_align as ga
from gamma_align.inference.means import plain_estimates
from gamma_align.inference.student import t_quantile
from gamma_align.measures.gamma.categorial import CategorialEstimates
from gamma_align.measures.gamma.corpus_values import corpus_values
from gamma_align.measures.gamma.gamma import gamma_of
from gamma_align.measures.gamma.gamma_result import Documents, GammaValues
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.precision import (
    FIRST_SAMPLES_POOLED,
    ExpectedCategorialDisorders,
    ExpectedDisorders,
    PrecisionRule,
    SampleCosts,
    SampleCounts,
    cheapest_allocation,
)


def corpus_of(lengths, *, annotators=3, seed=0):
    """Return documents with these numbers of units per annotator, at random positions."""
    rng = np.random.default_rng(seed)
    records = []
    for document, units in enumerate(lengths):
        for annotator in range(annotators):
            starts = np.sort(rng.uniform(0, 10 * units, units))
            labels = rng.choice(["x", "y"], units)
            records += [
                (f"d{document:03}", f"a{annotator}", start, start + 4, label)
                for start, label in zip(starts, labels, strict=True)
            ]
    return ga.Corpus.from_records(records)


CORPUS = corpus_of([3, 5, 4, 20, 3, 6, 5, 4])


# ----------------------------------------------------------------------------------------------------- the allocation


def test_allocation_is_the_cheapest():
    deviation, cost = np.array([3.0, 1.0, 0.5, 0.0]), np.array([4.0, 1.0, 9.0, 1.0])
    current, maximum, target_ratio = np.full(4, 2.0), np.full(4, 1e6), 0.1
    target = target_ratio * (deviation**2 / current).sum()
    counts = cheapest_allocation(deviation, cost, current, maximum, target_ratio)
    assert (deviation**2 / counts).sum() == pytest.approx(target)
    best = minimize(
        lambda n: cost @ n,
        counts * 1.5,
        bounds=[(2, 1e6)] * 4,
        constraints={"type": "ineq", "fun": lambda n: 1 - (deviation**2 / n).sum() / target},
        method="SLSQP",
    )
    assert cost @ counts == pytest.approx(best.fun, rel=1e-4)
    assert counts[3] == 2


@given(
    st.lists(st.tuples(st.floats(0, 100), st.floats(0.01, 100), st.floats(1, 50)), min_size=1, max_size=12),
    st.floats(0.01, 0.99),
)
def test_allocation_keeps_its_limits_and_reaches_the_target_if_possible(terms, target_ratio):
    deviation, cost, current = (np.array(column) for column in zip(*terms, strict=True))
    maximum = 20 * current
    counts = cheapest_allocation(deviation, cost, current, maximum, target_ratio)
    assert (counts >= current * (1 - 1e-9)).all()
    assert (counts <= maximum * (1 + 1e-9)).all()
    before, after = (deviation**2 / current).sum(), (deviation**2 / counts).sum()
    assert after <= max(target_ratio, 1 / 20) * before * (1 + 1e-9)


def test_samples_are_allocated_by_weight_deviation_and_cost():
    rng = np.random.default_rng(3)
    values = [5 + scale * rng.standard_normal(FIRST_SAMPLES_POOLED) for scale in (0.1, 0.4, 0.1, 0.1)]
    plain = plain_estimates(np.repeat(np.arange(4), FIRST_SAMPLES_POOLED), np.concatenate(values), 4)
    weight = np.array([1.0, 1.0, 9.0, 1.0])
    cost = np.array([1.0, 1.0, 1.0, 100.0])
    costs = SampleCosts(cost, cost, np.full(4, 12))
    drawn = SampleCounts(plain.samples, np.zeros(4, dtype=np.int64))
    target = PrecisionRule(0.001, control="none").next_counts(ExpectedDisorders(weight, plain, plain), drawn, costs)
    rate = weight * plain.deviation / np.sqrt(costs.full)
    is_raised = target.full > FIRST_SAMPLES_POOLED
    assert is_raised[1]
    assert is_raised[2]
    assert target.full[is_raised] == pytest.approx((target.full[1] * rate / rate[1])[is_raised], abs=5)
    assert target.full[3] <= target.full[0]


# ---------------------------------------------------------------------------------------------------- the pooled value


@pytest.mark.parametrize("precision", [0.05, 0.02, 0.01])
def test_pooled_expected_disorder_has_the_requested_precision(precision):
    result = ga.gamma(CORPUS, precision=precision)
    assert result.gamma.expected_precision <= precision
    by_documents = ga.gamma(CORPUS, precision=precision, precision_of="documents")
    assert all(document.gamma.expected_precision <= precision for document in by_documents.documents)
    assert result.gamma.samples < by_documents.gamma.samples
    apart = abs(result.gamma.expected - by_documents.gamma.expected)
    assert apart < 4 * np.hypot(result.gamma.expected_error, by_documents.gamma.expected_error)


def test_stated_error_is_the_deviation_over_seeds():
    results = [ga.gamma(CORPUS, precision=0.03, seed=seed).gamma for seed in range(60)]
    deviation = np.std([value.expected for value in results], ddof=1)
    assert np.mean([value.expected_error for value in results]) == pytest.approx(deviation, rel=0.3)
    truth = ga.gamma(CORPUS, samples=3000, seed=1000).gamma.expected
    mean = np.mean([value.expected for value in results])
    assert abs(mean - truth) < 4 * deviation / np.sqrt(60)  # no bias of stopping


def test_four_first_samples_of_each_document_state_their_error_and_have_no_bias():
    corpus = corpus_of([6] * 20)
    rule = PrecisionRule(0.05).without_one(0.02, len(corpus))
    assert rule.first_samples == 4
    results = [gamma_of(corpus, replace(GammaSettings.of(seed=seed), rule=rule)) for seed in range(60)]
    assert {document.gamma.samples for result in results for document in result.documents} == {4}
    expected = np.array([result.gamma.expected for result in results])
    deviation = np.std(expected, ddof=1)
    assert np.mean([result.gamma.expected_error for result in results]) == pytest.approx(deviation, rel=0.3)
    truth = ga.gamma(corpus, samples=500, seed=1000).gamma.expected
    assert abs(np.mean(expected) - truth) < 4 * deviation / np.sqrt(60)


@pytest.mark.parametrize(
    ("expected_precision", "n_documents", "first"),
    [(0.001, 100, 4), (0.013, 100, 6), (0.019, 100, 8), (0.001, 12, 6), (0.001, 2, 8), (np.nan, 100, 8)],
)
def test_first_samples_without_one_annotator_are_as_many_as_the_pooled_value_needs(
    expected_precision, n_documents, first
):
    assert PrecisionRule(0.02).without_one(expected_precision, n_documents).first_samples == first
    for rule in (PrecisionRule(0.02, of="documents"), PrecisionRule(samples=30)):
        assert rule.without_one(expected_precision, n_documents) == rule


def test_many_documents_need_only_the_first_batch():
    result = ga.gamma(corpus_of([6] * 60), precision=0.05)
    assert {document.gamma.samples for document in result.documents} == {FIRST_SAMPLES_POOLED}
    assert t_quantile(500) * result.gamma.expected_error <= 0.05 * result.gamma.expected


def test_one_document_has_the_precision_of_documents():
    one = corpus_of([8])
    pooled, of_documents = (ga.gamma(one, precision=0.03, precision_of=of) for of in ("corpus", "documents"))
    assert pooled.gamma == of_documents.gamma
    assert max(pooled.gamma.expected_precision, pooled.gamma_cat.expected_precision) <= 0.03
    assert of_documents.gamma_cat.expected_precision > 0.03


def test_samples_drawn_for_gamma_cat_do_not_change_gamma():
    # three annotators mark the same positions of a long document: shifted at random, few of them meet
    units = [
        (f"d{d:02}", f"a{a}", start + 5 * d + a, start + 5 * d + a + 10, label)
        for d in range(20)
        for a in range(3)
        for start, label in ((0, "xyz"[(d + a) % 3]), (40, "x"), (150, "yx"[a % 2]))
    ]
    rare = ga.Corpus.from_records(units, extents={f"d{d:02}": (0, 400) for d in range(20)})
    result = ga.gamma(rare, precision=0.01)
    for document in result.documents:
        assert document.gamma.samples <= document.samples
    with_additional = [document for document in result.documents if document.gamma.samples < document.samples]
    assert with_additional
    for document in with_additional:
        fixed = ga.gamma(rare[document.document], samples=document.gamma.samples, control="none").documents[0]
        assert document.gamma.expected == pytest.approx(fixed.gamma.expected, abs=1e-12)


def test_precision_that_is_not_reached_is_noted():
    result = ga.gamma(CORPUS, precision=0.001, max_samples=30)
    assert result.gamma.expected_precision > 0.001
    assert any("the expected disorder of γ has a precision of" in note for note in result.notes)


def test_an_unknown_choice_is_refused():
    with pytest.raises(ga.SettingsError, match="precision_of must be one of corpus, documents, not 'all'"):
        ga.gamma(CORPUS, precision_of="all")


def test_signature_names_the_values_that_are_precise():
    assert "|e:0.05|" in ga.gamma(CORPUS, precision=0.05).signature
    assert "|e:0.05 of documents|" in ga.gamma(CORPUS, precision=0.05, precision_of="documents").signature


def test_bracket_of_unproven_samples_lowers_the_interval():
    expected, bracket = 0.8, 0.002
    proven = Chance(0.4, 2.0, 5, expected, 0.01, 0.05, 0.0, 30, 0, 29.0)
    left_open = proven._replace(bracket=bracket)
    one, unproven = GammaValues(chances_of([proven, left_open]), np.zeros(2, dtype=np.int64))
    assert (unproven.value, unproven.high) == (one.value, one.high)
    low = 0.4 / (1 - one.low)  # of the expected disorder
    assert unproven.low == pytest.approx(1 - 0.4 / (low - bracket))
    rows = [Row(f"d{i}", 3, 9, 4, 30, proven._replace(observed=0.3 + 0.1 * i), proven) for i in range(3)]
    open_rows = [row._replace(gamma=row.gamma._replace(bracket=bracket)) for row in rows]
    one, unproven = (corpus_values(Documents(rows_of(table)))[0] for table in (rows, open_rows))
    assert (unproven.value, unproven.high) == (one.value, one.high)
    assert one.low - unproven.low == pytest.approx(0.4 / (expected - bracket) - 0.4 / expected)


def test_pairs_that_the_rule_discards_are_not_used_for_gamma(monkeypatch):
    crowded = corpus_of([9, 12], annotators=5)
    settings = {"precision": 0.2, "precision_of": "documents", "seed": 2}
    assert all(document.pair_samples for document in ga.gamma(crowded, **settings).documents)
    counts_for_documents = PrecisionRule._counts_for_documents

    def without_pairs(rule, gamma, costs):
        counts = counts_for_documents(rule, gamma, costs)
        return counts._replace(pairs=np.zeros_like(counts.pairs))

    monkeypatch.setattr(PrecisionRule, "_counts_for_documents", without_pairs)
    for document in ga.gamma(crowded, **settings).documents:
        assert document.pair_samples == 0
        plain = ga.gamma(crowded, samples=document.gamma.samples, control="none", seed=2)
        assert document.gamma == next(d.gamma for d in plain.documents if d.document == document.document)


def test_notes_name_the_precision_that_was_reached_and_requested():
    result = ga.gamma(CORPUS, precision=0.001, max_samples=30)
    reached = result.gamma.expected_precision
    assert 0.001 < reached < 0.1
    assert str(result.notes[0]).startswith(
        f"the expected disorder of γ has a precision of {reached:.1%}, not the requested 0.1%: documents reached the "
        "limit of 30 samples"
    )
    result = ga.gamma(CORPUS, precision=0.001, max_samples=30, precision_of="documents")
    assert str(result.notes[0]) == "8 documents did not reach the precision within 30 samples"
    assert not any("precision" in str(note) for note in ga.gamma(CORPUS, samples=30).notes)


def test_a_precision_that_is_missed_by_little_is_written_above_the_requested_one():
    reached = ga.gamma(CORPUS, precision=0.001, max_samples=30).gamma.expected_precision
    requested = float(f"{reached:.5f}") - 1e-5
    result = ga.gamma(CORPUS, precision=requested, max_samples=30)
    assert requested < result.gamma.expected_precision < requested + 1e-3
    (written,) = re.findall(r"has a precision of ([\d.]+)%", str(result.notes[0]))
    assert float(written) > 100 * requested


def categorial_of(mean, squares, samples, prior=1.0):
    """Return estimates of δ_e,cat of documents of weight 1 with these sums of squares, and the numbers drawn."""
    n = len(mean)
    none = np.zeros(n)
    columns = np.array(mean), np.array(squares), none, np.full(n, prior), none, none, np.array(samples) + 3.0
    estimates = CategorialEstimates(*columns, np.array(samples), np.array(samples), np.zeros(n, dtype=np.int64))
    drawn = SampleCounts(np.array(samples), np.zeros(n, dtype=np.int64))
    return ExpectedCategorialDisorders(np.ones(n), estimates), drawn


def test_samples_for_the_categories_are_doubled_while_no_pair_disagrees():
    gamma_cat, drawn = categorial_of([0.0, 0.0], [1.0, 2.0], [40, 50])
    costs = SampleCosts(np.array([10.0, 10.0]), np.full(2, np.inf), np.array([5, 5]))
    assert PrecisionRule().next_counts_gamma_cat(gamma_cat, drawn, costs).full.tolist() == [80, 100]
    assert PrecisionRule(max_samples=60).next_counts_gamma_cat(gamma_cat, drawn, costs).full.tolist() == [60, 60]


def test_samples_for_gamma_cat_that_cost_much_are_fewer_without_one_annotator():
    costs = SampleCosts(np.full(2, 1e7), np.full(2, np.inf), np.full(2, 1000))
    gamma_cat, drawn = categorial_of([0.5, 0.5], [900.0, 900.0], [5, 5])
    rule = PrecisionRule(0.0001)
    assert rule.next_counts_gamma_cat(gamma_cat, drawn, costs).full.tolist() == [30, 30]
    few = rule.without_one(0.00001, 2)
    assert few.next_counts_gamma_cat(gamma_cat, drawn, costs).full.tolist() == [8, 8]


def test_samples_for_the_categories_grow_eightfold_at_most_and_stop_when_precise():
    costs = SampleCosts(np.array([10.0, 10.0]), np.full(2, np.inf), np.array([5, 5]))
    gamma_cat, drawn = categorial_of([0.5, 0.5], [900.0, 900.0], [40, 50])
    assert PrecisionRule().next_counts_gamma_cat(gamma_cat, drawn, costs).full.tolist() == [320, 400]
    gamma_cat, drawn = categorial_of([0.5, 0.5], [1e-6, 1e-6], [40, 50], 1e-9)
    assert PrecisionRule().next_counts_gamma_cat(gamma_cat, drawn, costs).full.tolist() == [40, 50]
