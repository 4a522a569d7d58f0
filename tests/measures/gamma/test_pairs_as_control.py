"""Pairs of annotators as a control variate of the expected disorder, and values without an interval."""

from __future__ import annotations

import math

import numpy as np
import oracles
import pytest
import strategies as sts
from places import CORPORA

import gamma_align as ga
from gamma_align.alignment.solve import solve
from gamma_align.data.batch import Batch
from gamma_align.data.corpus import Corpus
from gamma_align.errors import SettingsError
from gamma_align.inference.jackknife import FEW_DOCUMENTS
from gamma_align.inference.student import t_quantile
from gamma_align.measures.gamma.precision import FIRST_SAMPLES_CONTROLLED, PrecisionRule, SampleCosts
from gamma_align.measures.gamma.statistics import MAX_ANNOTATORS_ALL_PAIRS, annotator_pairs, pair_disorders

FOUR = [
    [(0, 4, "x"), (6, 9, "y"), (11, 14, "x")],
    [(0, 5, "x"), (6, 9, "x"), (12, 14, "x")],
    [(1, 4, "y"), (7, 9, "y")],
    [(0, 4, "x"), (5, 9, "y"), (11, 15, "y"), (16, 18, "x")],
]


def four(name="d"):
    return sts.continuum_of(case_of(FOUR), document=name, extent=(0, 20))


def case_of(people):
    return [(person, *unit) for person, units in enumerate(people) for unit in units], len(people)


def test_pair_disorder_is_the_mean_over_pairs_of_annotators():
    corpus = Corpus.from_continua([four()])
    dissimilarity = ga.Dissimilarity(alpha=2.0).bind(corpus.categories)
    disorder = pair_disorders(Batch.from_corpus(corpus)[0], dissimilarity)
    weights = oracles.Weights(alpha=2)
    costs = []
    for first in range(4):
        for second in range(first):
            units, _ = case_of([FOUR[first], FOUR[second]])
            costs.append(oracles.best_alignment_definition(units, 2, weights)[0] * len(units) / 2)
    assert disorder[0] == pytest.approx(math.fsum(costs) / 6 / (sum(map(len, FOUR)) / 4))


@pytest.mark.parametrize("n", [2, 3, 7, MAX_ANNOTATORS_ALL_PAIRS, MAX_ANNOTATORS_ALL_PAIRS + 1, 14, 40, 101])
def test_all_annotators_are_in_the_same_number_of_pairs(n):
    pairs = annotator_pairs(n)
    assert len({frozenset(pair) for pair in pairs.tolist()}) == len(pairs)
    assert set(np.bincount(pairs.ravel(), minlength=n).tolist()) == {2 * len(pairs) // n}
    if n <= MAX_ANNOTATORS_ALL_PAIRS:
        assert len(pairs) == n * (n - 1) // 2


def test_two_annotators_have_the_disorder_of_their_pair():
    corpus = Corpus.from_continua([sts.continuum_of(case_of(FOUR[:2]), extent=(0, 20))])
    dissimilarity = ga.Dissimilarity().bind(corpus.categories)
    batch = Batch.from_corpus(corpus)[0]
    expected = solve(batch, dissimilarity).cost / batch.mean_units
    assert pair_disorders(batch, dissimilarity) == pytest.approx(expected)


# ----------------------------------------------------------------------------------------------- the rule of precision


def test_estimates_with_and_without_pairs_agree():
    plain, paired = (
        ga.gamma(four(), samples=samples, control=control, seed=5).documents[0]
        for samples, control in ((4000, "none"), (60, "pairs"))
    )
    assert (plain.pair_samples, paired.pair_samples > 60) == (0, True)
    for name in ("gamma", "gamma_cat"):
        one, second = getattr(plain, name), getattr(paired, name)
        assert abs(one.expected - second.expected) < 4 * math.hypot(one.expected_error, second.expected_error)
    single = ga.gamma(four(), samples=60, control="none", seed=5).documents[0]
    assert paired.gamma.expected_error < 0.8 * single.gamma.expected_error


def test_pairs_reach_a_precision_with_fewer_samples():
    chapter = ga.read(CORPORA / "hearst_kazantseva")["moonstone/ch2"]  # six annotators
    plain, paired = (ga.gamma(chapter, precision=0.05, control=one).documents[0] for one in ("none", "pairs"))
    assert max(plain.gamma.expected_precision, paired.gamma.expected_precision) <= 0.05
    assert FIRST_SAMPLES_CONTROLLED <= paired.samples < 0.4 * plain.samples
    assert t_quantile(paired.pair_samples) * paired.gamma.expected_error <= 0.05 * paired.gamma.expected
    assert abs(paired.gamma.expected - plain.gamma.expected) < 0.15 * plain.gamma.expected


def test_document_does_not_depend_on_the_rest_of_the_corpus():
    single = ga.gamma(four("a"), samples=20, seed=7).documents[0]
    among = ga.gamma(Corpus.from_continua([four("a"), four("b")]), samples=20, seed=7).documents
    assert single == among[0]
    assert "cv:pairs(" in ga.gamma(four(), samples=20, seed=7).signature
    assert "cv:" not in ga.gamma(four(), samples=20, seed=7, control="none").signature


def test_pairs_are_used_if_they_cost_less_than_samples():
    coverage = np.array([1.0, 0.1, 0.05, 1.0, 0.5])
    costs = SampleCosts.estimate(np.array([2, 3, 4, 4, 12]), np.array([400, 600, 4, 400, 240]), coverage)
    assert costs.ratio[:3].tolist() == [1.0, 1.0, 1.0]
    assert (costs.ratio[3:] < 0.2).all()
    rule_of_documents = PrecisionRule(of="documents")
    assert rule_of_documents.first_counts(costs).full.tolist() == [30, 30, 30, 12, 12]
    assert PrecisionRule().first_counts(costs).full.tolist() == [8, 8, 30, 8, 8]
    assert PrecisionRule().first_counts(costs).pairs.tolist() == [0] * 5
    assert PrecisionRule(control="none", of="documents").first_counts(costs).pairs.tolist() == [0] * 5
    assert PrecisionRule(samples=7).first_counts(costs).pairs.tolist() == [0] * 5
    with pytest.raises(SettingsError, match="control must be one of pairs, none, not 'some'"):
        PrecisionRule(control="some")


# --------------------------------------------------------------------------------------------- intervals over documents


def test_two_documents_have_no_interval_with_a_reason():
    result = ga.gamma(Corpus.from_continua([four("a"), four("b")]), samples=30)
    assert str(result.gamma).endswith(f"(no interval: {FEW_DOCUMENTS})")
    assert result.gamma.documents == 2
    assert result.gamma.standard_error != result.gamma.standard_error  # NaN: two documents do not tell


def test_one_aligned_pair_has_no_interval():
    result = ga.gamma(ga.Continuum.from_records([("a", 0, 4, "x"), ("b", 1, 4, "x")], extent=(0, 30)), samples=40)
    for value in (result.gamma_cat, result.gamma_k["x"]):
        assert (value.value, value.pairs, value.no_interval) == (1.0, 1, "one aligned pair of units")
    assert (result.gamma.no_interval, result.documents[0].alignments) == (None, 1)
