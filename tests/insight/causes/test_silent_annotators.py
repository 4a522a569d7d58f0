"""Annotators who mark nothing at all: whether they are more than those who mark least."""

from __future__ import annotations

import numpy as np
import pytest
from bench import exchange_roles
from places import CORPORA

import gamma_align as ga
from gamma_align.insight.causes.evidence import MIN_NET
from gamma_align.insight.causes.kinds.silence_everywhere import _Habits, silence_evidence, silent_annotators
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
        assert silence_evidence(_Habits(rng.poisson(habit * EXPECTED), EXPECTED)) < MIN_NET


def test_a_silent_tenth_of_a_crowd_is_a_class_of_its_own():
    rng = np.random.default_rng(1)
    marked = rng.poisson(rng.gamma(3.0, 1 / 3.0, len(EXPECTED)) * EXPECTED)
    marked[::10] = 0
    assert silence_evidence(_Habits(marked, EXPECTED)) > MIN_NET


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
