"""Number of samples that the requested precision takes, and their allocation to documents."""

from __future__ import annotations

import re

import numpy as np
import pytest
from gamma_rows import Chance, Row, chances_of, rows_of

import gamma_align as ga
from gamma_align.chance.categorial import CategorialEstimates
from gamma_align.chance.precision import (
    ExpectedCategorialDisorders,
    ExpectedDisorders,
    PrecisionRule,
    SampleCounts,
)
from gamma_align.inference.means import MIN_SAMPLES, joint_error, plain_estimates
from gamma_align.inference.student import t_quantile
from gamma_align.measures.gamma.corpus_values import corpus_values
from gamma_align.measures.gamma.gamma_result import Documents, GammaValues


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


# ----------------------------------------------------------------------------------------------------------- the rule


def test_every_document_gets_n_times_as_many_samples():
    rng = np.random.default_rng(3)
    values = [5 + scale * rng.standard_normal(8) for scale in (0.1, 0.4, 0.2, 0.1)]
    plain = plain_estimates(np.repeat(np.arange(4), 8), np.concatenate(values), 4)
    weight, none = np.array([1.0, 1.0, 9.0, 1.0]), np.zeros(4, dtype=np.bool_)
    drawn, gamma = SampleCounts(plain.samples, none), ExpectedDisorders(weight, plain)
    (full,) = {*PrecisionRule(0.002).next_counts(gamma, drawn, none).full.tolist()}
    error, freedom = joint_error(weight * plain.error, plain.freedom)
    needed = 8 * (t_quantile(freedom) * error / (0.002 * (weight * plain.mean).sum())) ** 2
    assert needed <= full < 1.2 * needed
    assert PrecisionRule(0.002, max_samples=30).next_counts(gamma, drawn, none).full.tolist() == [30] * 4
    assert PrecisionRule(0.5).next_counts(gamma, drawn, none).full.tolist() == [8] * 4
    own = PrecisionRule(0.002, of="documents").next_counts(gamma, drawn, none).full
    needed = 8 * (t_quantile(7) * plain.error / (0.002 * plain.mean)) ** 2
    assert own.tolist() == np.minimum(np.ceil(needed), 10_000).tolist()


@pytest.mark.parametrize(("n_documents", "first"), [(1, 30), (2, 15), (3, 10), (4, 8), (100, 8)])
def test_all_documents_together_have_the_first_samples_of_one(n_documents, first):
    none = np.zeros(n_documents, dtype=np.bool_)
    assert PrecisionRule().first_counts(none).full.tolist() == [first] * n_documents
    assert PrecisionRule(of="documents").first_counts(none).full.tolist() == [30] * n_documents


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


@pytest.mark.release
def test_stated_error_is_the_deviation_over_seeds():
    results = [ga.gamma(CORPUS, precision=0.03, seed=seed).gamma for seed in range(60)]
    deviation = np.std([value.expected for value in results], ddof=1)
    assert np.mean([value.expected_error for value in results]) == pytest.approx(deviation, rel=0.3)
    truth = ga.gamma(CORPUS, samples=3000, seed=1000).gamma.expected
    mean = np.mean([value.expected for value in results])
    assert abs(mean - truth) < 4 * deviation / np.sqrt(60)  # no bias of stopping


def test_many_documents_need_only_the_first_batch():
    result = ga.gamma(corpus_of([6] * 60), precision=0.05)
    assert {document.gamma.samples for document in result.documents} == {MIN_SAMPLES}
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
    drawn = SampleCounts(np.array(samples), np.zeros(n, dtype=np.bool_))
    return ExpectedCategorialDisorders(np.ones(n), estimates), drawn


@pytest.mark.parametrize(
    ("mean", "squares", "cost", "expected"),
    [
        (0.0, 2.0, 10.0, [320, 400]),  # no pair disagrees
        (0.5, 900.0, 10.0, [320, 400]),  # eightfold at most
        (0.5, 900.0, 1e7, [40, 50]),  # a sample costs much
        (0.5, 1e-6, 10.0, [40, 50]),  # precise
    ],
)
def test_samples_for_the_categories(mean, squares, cost, expected):
    gamma_cat, drawn = categorial_of([mean] * 2, [squares] * 2, [40, 50], min(squares, 1.0) ** 2)
    costs = np.full(2, cost)
    assert PrecisionRule().next_counts_gamma_cat(gamma_cat, drawn, costs).full.tolist() == expected
    limited = PrecisionRule(max_samples=60).next_counts_gamma_cat(gamma_cat, drawn, costs).full
    assert limited.tolist() == np.maximum(np.minimum(expected, 60), [40, 50]).tolist()
