"""Annotators who mark nothing at all: whether they are more than those who mark least."""

from __future__ import annotations

import math

import numpy as np
import pytest
from bench import exchange_roles
from places import CORPORA
from scipy.optimize import minimize
from scipy.special import gammaln

import gamma_align as ga
from gamma_align.insight.causes.evidence import MIN_NET
from gamma_align.insight.causes.habits import Habits, max_log_likelihoods
from gamma_align.insight.causes.kinds.silence_everywhere import silence_evidence, silent_annotators
from gamma_align.insight.causes.view import View
from gamma_align.insight.disagreements.unitary_alignments import unitary_alignments
from gamma_align.measures.gamma.gamma_settings import GammaSettings

EXPECTED = np.linspace(1.0, 120.0, 70)  # documents that each annotator would mark


@pytest.fixture(scope="module")
def crowd():
    return ga.read(CORPORA / "btc_crowd")


def view_of(corpus):
    options = GammaSettings.of()
    return View(corpus, unitary_alignments(corpus, options.dissimilarity, options.limits))


def test_thirteen_workers_of_a_crowd_mark_nothing(crowd):
    silent = silent_annotators(view_of(crowd))
    assert len(silent.annotators) == 13
    assert {"w0003", "w0044", "w0058"} <= set(silent.annotators)
    assert silent.documents == 429
    assert silent.p < np.exp(-MIN_NET)
    assert silent.sentence.startswith(
        "13 annotators mark nothing in any of their 429 annotations: w0058, w0044, w0003, w0016 … (13 in all). One of "
    )


@pytest.mark.parametrize("seed", range(3))
def test_nobody_is_silent_if_roles_are_exchanged(crowd, seed):
    assert silent_annotators(view_of(exchange_roles(crowd, np.random.default_rng(seed)))) is None


@pytest.mark.parametrize("shape", [0.5, 1.4, 5.0])
def test_those_who_mark_least_are_no_class_of_their_own(shape):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        habit = rng.gamma(shape, 1 / shape, len(EXPECTED))
        assert silence_evidence(Habits(rng.poisson(habit * EXPECTED), EXPECTED)) < MIN_NET


def test_a_silent_tenth_of_a_crowd_is_a_class_of_its_own():
    rng = np.random.default_rng(1)
    marked = rng.poisson(rng.gamma(3.0, 1 / 3.0, len(EXPECTED)) * EXPECTED)
    marked[::10] = 0
    assert silence_evidence(Habits(marked, EXPECTED)) > MIN_NET


@pytest.mark.parametrize("n_annotators", [2, 3, 6])
def test_of_few_annotators_the_silent_one_is_a_cause(n_annotators):
    people = [f"p{number}" for number in range(n_annotators)]
    documents = [f"d{number}" for number in range(10)]
    rng = np.random.default_rng(2)
    units = [
        (document, person, 20 * place, 20 * place + 5, "x")
        for document in documents
        for person in people[:-1]
        for place in range(3)
        if rng.random() < 0.9
    ]
    annotations = [(document, person) for document in documents for person in people]
    result = ga.disagreements(ga.Corpus.from_records(units, annotations=annotations), samples=3)
    assert result.to_settle[0].annotator == people[-1]
    assert result.to_settle[0].title == f"{people[-1]} marks nothing in any of 10 documents"
    assert result.silent is None


def test_what_explains_no_disorder_is_told_apart_from_the_causes(crowd):
    result = ga.disagreements(crowd, samples=3)
    assert not any("mark nothing" in finding.title for finding in result.to_settle)
    assert result.silent.question == "Did these annotators see the documents, or is a part of the files missing?"


def negative_log_likelihood(habits, log_mean, log_shape, log_odds=-math.inf):
    """The definition, term by term."""
    shape, mean = math.exp(log_shape), math.exp(log_mean) * habits.expected
    logs = gammaln(habits.marked + shape) - gammaln(shape) - gammaln(habits.marked + 1.0)
    logs = logs - shape * np.log1p(mean / shape) - habits.marked * np.log1p(shape / mean)
    log_silent, log_marking = -np.logaddexp(0.0, -log_odds), -np.logaddexp(0.0, log_odds)
    logs = logs + log_marking
    return -float(np.where(habits.marked == 0, np.logaddexp(log_silent, logs), logs).sum())


@pytest.mark.parametrize("shape", [0.2, 1.4, 5.0, 200.0])
@pytest.mark.parametrize("silent_share", [0.0, 0.1, 0.4])
def test_no_optimizer_finds_a_larger_likelihood(shape, silent_share):
    bounds = [(-3.0, 3.0), (-5.0, 12.0), (-20.0, 20.0)]
    rng = np.random.default_rng(0)
    marked = rng.poisson(rng.gamma(shape, 1 / shape, len(EXPECTED)) * EXPECTED)
    marked[rng.random(len(EXPECTED)) < silent_share] = 0
    habits = Habits(marked, EXPECTED)
    without, with_class = max_log_likelihoods(habits)
    # Two starts, and no early end: by differences of values, the optimizer stops short of the maximum.
    options = {"ftol": 1e-14, "maxiter": 1000}
    best = [-math.inf, -math.inf]
    for log_shape in (0.7, 5.0):
        point = [0.0, log_shape, -2.0]
        for n_parameters in (2, 3):
            found = minimize(
                lambda x: negative_log_likelihood(habits, *x),
                point[:n_parameters],
                bounds=bounds[:n_parameters],
                options=options,
            )
            best[n_parameters - 2] = max(best[n_parameters - 2], -found.fun)
    assert without >= best[0] - 1e-6
    assert with_class >= best[1] - 1e-6
    assert without <= best[0] + 0.01
    assert with_class <= best[1] + 0.01
