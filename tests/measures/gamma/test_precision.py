"""How many samples the precision asked for takes, and of which documents."""

from __future__ import annotations

import numpy as np
import pytest
from gamma_rows import Chance, Row, chances_of, rows_of
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

import gamma_align as ga
from gamma_align.inference.means import plain_estimates
from gamma_align.inference.student import t_quantile
from gamma_align.measures.gamma.gamma_result import GammaValues, corpus_values
from gamma_align.measures.gamma.precision import (
    FIRST_SAMPLES_POOLED,
    ExpectedDisorders,
    PrecisionRule,
    SampleCosts,
    SampleCounts,
    cheapest_allocation,
)


def corpus_of(lengths, *, annotators=3, seed=0):
    """Return documents of so many units of each annotator, who place them at random."""
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


def test_numbers_are_the_cheapest_that_do():
    deviation, cost = np.array([3.0, 1.0, 0.5, 0.0]), np.array([4.0, 1.0, 9.0, 1.0])
    now, most, share = np.full(4, 2.0), np.full(4, 1e6), 0.1
    target = share * (deviation**2 / now).sum()
    found = cheapest_allocation(deviation, cost, now, most, share)
    assert (deviation**2 / found).sum() == pytest.approx(target)
    best = minimize(
        lambda n: cost @ n,
        found * 1.5,
        bounds=[(2, 1e6)] * 4,
        constraints={"type": "ineq", "fun": lambda n: 1 - (deviation**2 / n).sum() / target},
        method="SLSQP",
    )
    assert cost @ found == pytest.approx(best.fun, rel=1e-4)
    assert found[3] == 2


@given(
    st.lists(st.tuples(st.floats(0, 100), st.floats(0.01, 100), st.floats(1, 50)), min_size=1, max_size=12),
    st.floats(0.01, 0.99),
)
def test_numbers_stay_within_their_bounds_and_reach_the_share_where_they_can(terms, share):
    deviation, cost, now = (np.array(column) for column in zip(*terms, strict=True))
    most = 20 * now
    found = cheapest_allocation(deviation, cost, now, most, share)
    assert (found >= now * (1 - 1e-9)).all()
    assert (found <= most * (1 + 1e-9)).all()
    before, after = (deviation**2 / now).sum(), (deviation**2 / found).sum()
    assert after <= max(share, 1 / 20) * before * (1 + 1e-9)


def test_samples_go_where_they_lower_the_error_most_for_their_cost():
    rng = np.random.default_rng(3)
    spread = np.array([0.1, 0.4, 0.1, 0.1])
    values = [5 + scale * rng.standard_normal(FIRST_SAMPLES_POOLED) for scale in spread]
    plain = plain_estimates(np.repeat(np.arange(4), FIRST_SAMPLES_POOLED), np.concatenate(values), 4)
    weight = np.array([1.0, 1.0, 9.0, 1.0])
    costs = SampleCosts(np.array([1.0, 1.0, 1.0, 100.0]), np.array([1.0, 1.0, 1.0, 100.0]))
    drawn = SampleCounts(plain.samples, np.zeros(4, dtype=np.int64))
    wanted = PrecisionRule(0.001, control="none").next_counts(ExpectedDisorders(weight, plain, plain), drawn, costs)
    share = weight * plain.deviation / np.sqrt(costs.full)
    more = wanted.full > FIRST_SAMPLES_POOLED
    assert more[1]
    assert more[2]
    assert wanted.full[more] == pytest.approx((wanted.full[1] * share / share[1])[more], abs=5)
    assert wanted.full[3] <= wanted.full[0]


# ---------------------------------------------------------------------------------------------------- the pooled value


@pytest.mark.parametrize("precision", [0.05, 0.02, 0.01])
def test_the_pooled_expected_disorder_is_as_precise_as_asked_for(precision):
    result = ga.gamma(CORPUS, precision=precision)
    assert result.gamma.expected_precision <= precision
    every = ga.gamma(CORPUS, precision=precision, precision_of="documents")
    assert all(document.gamma.expected_precision <= precision for document in every.documents)
    assert result.gamma.samples < every.gamma.samples
    apart = abs(result.gamma.expected - every.gamma.expected)
    assert apart < 4 * np.hypot(result.gamma.expected_error, every.gamma.expected_error)


def test_the_error_of_the_pooled_value_is_its_spread_over_seeds():
    results = [ga.gamma(CORPUS, precision=0.03, seed=seed).gamma for seed in range(60)]
    spread = np.std([value.expected for value in results], ddof=1)
    assert np.mean([value.expected_error for value in results]) == pytest.approx(spread, rel=0.3)
    truth = ga.gamma(CORPUS, samples=3000, seed=1000).gamma.expected
    mean = np.mean([value.expected for value in results])
    assert abs(mean - truth) < 4 * spread / np.sqrt(60)  # no bias of stopping


def test_many_documents_have_the_first_samples_and_no_more():
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
    # three people mark the same places of a long document: shifted at random, few of them meet
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
    few = [document for document in result.documents if document.gamma.samples < document.samples]
    assert few
    for document in few:
        fixed = ga.gamma(rare[document.document], samples=document.gamma.samples, control="none").documents[0]
        assert document.gamma.expected == pytest.approx(fixed.gamma.expected, abs=1e-12)


def test_what_is_not_reached_is_said():
    result = ga.gamma(CORPUS, precision=0.001, max_samples=30)
    assert result.gamma.expected_precision > 0.001
    assert any("the expected disorder of γ has a precision of" in note for note in result.notes)


def test_an_unknown_choice_is_refused():
    with pytest.raises(ga.SettingsError, match="precision_of must be one of corpus, documents, not 'all'"):
        ga.gamma(CORPUS, precision_of="all")


def test_the_signature_says_whose_precision_it_is():
    assert "|e:0.05|" in ga.gamma(CORPUS, precision=0.05).signature
    assert "|e:0.05 of documents|" in ga.gamma(CORPUS, precision=0.05, precision_of="documents").signature


def test_what_costly_samples_leave_open_lowers_the_interval():
    expected, bracket = 0.8, 0.002
    proven = Chance(0.4, 2.0, 5, expected, 0.01, 0.05, 0.0, 30, 0, 29.0)
    left_open = proven._replace(bracket=bracket)
    one, other = GammaValues(chances_of([proven, left_open]), np.zeros(2, dtype=np.int64))
    assert (other.value, other.high) == (one.value, one.high)
    low = 0.4 / (1 - one.low)  # of the expected disorder
    assert other.low == pytest.approx(1 - 0.4 / (low - bracket))
    rows = [Row(f"d{i}", 3, 9, 4, 30, proven._replace(observed=0.3 + 0.1 * i), proven) for i in range(3)]
    open_rows = [row._replace(gamma=row.gamma._replace(bracket=bracket)) for row in rows]
    one, other = (corpus_values(rows_of(some))[0] for some in (rows, open_rows))
    assert (other.value, other.high) == (one.value, one.high)
    assert one.low - other.low == pytest.approx(0.4 / (expected - bracket) - 0.4 / expected)


def test_pairs_that_the_rule_gives_up_have_no_part_in_gamma(monkeypatch):
    crowded = corpus_of([9, 12], annotators=5)
    settings = {"precision": 0.2, "precision_of": "documents", "seed": 2}
    assert all(document.pair_samples for document in ga.gamma(crowded, **settings).documents)
    given_up = PrecisionRule._counts_for_documents

    def without(rule, gamma, costs):
        wanted = given_up(rule, gamma, costs)
        return wanted._replace(pairs=np.zeros_like(wanted.pairs))

    monkeypatch.setattr(PrecisionRule, "_counts_for_documents", without)
    for document in ga.gamma(crowded, **settings).documents:
        assert document.pair_samples == 0
        plain = ga.gamma(crowded, samples=document.gamma.samples, control="none", seed=2)
        assert document.gamma == next(d.gamma for d in plain.documents if d.document == document.document)
