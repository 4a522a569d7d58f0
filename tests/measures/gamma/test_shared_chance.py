"""Tests of chance="pooled": one expected disorder, shared by all documents with the same number of annotators.

The expected values are computed from the results of chance="documents" with the definition: the mean of the expected
disorders of the documents, weighted by units per annotator.
"""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np
import pytest
from places import CORPORA

import gamma_align as ga
from gamma_align.errors import SettingsError
from gamma_align.measures.gamma.corpus_values import corpus_values
from gamma_align.measures.gamma.gamma_result import Documents
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.measure import run
from gamma_align.measures.gamma.shared_chance import SharedChance

LONG_EXTENT = 400.0
UNITS_PER_ANNOTATOR = 6


def make_corpus(n_documents=9, seed=0, short_documents=()):
    """Return a corpus whose even documents have two annotators and whose odd documents have three.

    In a short document each annotator marks one unit that covers almost the whole extent, so that a random shift
    cannot keep the minimum distance.
    """
    rng = np.random.default_rng(seed)
    records, extents = [], {}
    for index in range(n_documents):
        document = f"d{index}"
        annotators = [f"a{annotator}" for annotator in range(2 + index % 2)]
        if index in short_documents:
            extents[document] = (0, 4)
            records += short_document(document, annotators)
        else:
            extents[document] = (0, LONG_EXTENT)
            records += long_document(document, annotators, rng)
    return ga.Corpus.from_records(records, extents=extents)


def short_document(document, annotators):
    ends, labels = (4, 3, 3), "xyx"
    return [(document, name, 0, ends[index], labels[index]) for index, name in enumerate(annotators)]


def long_document(document, annotators, rng):
    records = []
    for annotator in annotators:
        for position in range(UNITS_PER_ANNOTATOR):
            start = 60.0 * position + float(rng.integers(0, 12))
            end = start + 20 + float(rng.integers(0, 6))
            records.append((document, annotator, start, end, rng.choice(["x", "y"])))
    return records


def gamma_separate_and_pooled(corpus):
    """Return the results of chance="documents" and of chance="pooled"."""
    settings = {"samples": 12, "control": "none"}
    return ga.gamma(corpus, **settings), ga.gamma(corpus, chance="pooled", **settings)


def mean_expected(documents):
    """Return the mean expected disorder of documents, weighted by units per annotator."""
    weights = [document.units / document.annotators for document in documents]
    expected = [document.gamma.expected for document in documents]
    return math.fsum(w * e for w, e in zip(weights, expected, strict=True)) / math.fsum(weights)


def test_gamma_of_the_corpus_is_unchanged_if_all_documents_share():
    corpus = make_corpus(6).select(documents=["d0", "d2", "d4"])
    separate, pooled = gamma_separate_and_pooled(corpus)
    assert float(pooled.gamma) == pytest.approx(float(separate.gamma), abs=1e-12)
    assert (pooled.gamma.low, pooled.gamma.high) == pytest.approx((separate.gamma.low, separate.gamma.high), abs=1e-12)
    assert pooled.gamma.expected_error == pytest.approx(separate.gamma.expected_error, rel=1e-12)
    assert float(pooled.gamma_cat) == pytest.approx(float(separate.gamma_cat), abs=1e-12)


def test_documents_are_compared_with_the_weighted_mean():
    corpus = make_corpus(6).select(documents=["d0", "d2", "d4"])
    separate, pooled = gamma_separate_and_pooled(corpus)
    shared = mean_expected(separate.documents)
    for separate_document, pooled_document in zip(separate.documents, pooled.documents, strict=True):
        assert pooled_document.gamma.expected == pytest.approx(shared, rel=1e-12)
        assert float(pooled_document.gamma) == pytest.approx(1 - separate_document.gamma.observed / shared, abs=1e-12)


def test_documents_with_the_same_number_of_annotators_share():
    _, pooled = gamma_separate_and_pooled(make_corpus())
    expected = defaultdict(set)
    for document in pooled.documents:
        expected[document.annotators].add(document.gamma.expected)
    assert len(expected[2]) == len(expected[3]) == 1
    assert expected[2] != expected[3]


def test_short_documents_use_the_mean_of_the_long_ones():
    separate, pooled = gamma_separate_and_pooled(make_corpus(10, short_documents=(1, 3)))
    short_names = {"d1", "d3"}
    assert {document.document for document in separate.documents if document.distance_lowered} == short_names
    three_annotators = [document for document in separate.documents if document.annotators == 3]
    shared = mean_expected([document for document in three_annotators if document.document not in short_names])
    for document in pooled.documents:
        if document.document in short_names:
            assert document.gamma.expected == pytest.approx(shared, rel=1e-12)
            assert float(document.gamma) == pytest.approx(1 - document.gamma.observed / shared, abs=1e-12)


def test_short_documents_share_their_own_mean_if_all_are_short():
    separate, pooled = gamma_separate_and_pooled(make_corpus(4, short_documents=range(4)))
    separate_expected = [document.gamma.expected for document in separate.documents if document.annotators == 2]
    pooled_expected = [document.gamma.expected for document in pooled.documents if document.annotators == 2]
    assert pooled_expected == pytest.approx([np.mean(separate_expected)] * 2)


@pytest.mark.parametrize("short_documents", [(), (1, 3), (0, 1, 2)])
@pytest.mark.parametrize("coefficient", [0, 1], ids=["gamma", "gamma_cat"])
def test_jackknife_recomputes_the_shared_disorder(short_documents, coefficient):
    settings = GammaSettings.of(samples=12, control="none", chance="pooled")
    rows = run(make_corpus(11, seed=4, short_documents=short_documents), settings)
    shared = SharedChance.of(rows)
    value = corpus_values(Documents(shared.rows), shared)[coefficient]

    n = len(rows)
    leave_one_out = []
    for document in range(n):
        remaining = SharedChance.of(rows.take(np.delete(np.arange(n), document)))
        leave_one_out.append(float(corpus_values(Documents(remaining.rows), remaining)[coefficient]))
    deviations = np.array(leave_one_out) - np.mean(leave_one_out)
    assert value.standard_error == pytest.approx(math.sqrt((n - 1) / n * np.square(deviations).sum()), rel=1e-9)


@pytest.fixture(scope="module")
def crowd_corpus():
    corpus = ga.read(CORPORA / "btc_crowd")
    return corpus.select(documents=list(corpus.documents[:60]))


@pytest.fixture(scope="module")
def crowd_result(crowd_corpus):
    return ga.gamma(crowd_corpus, samples=8, chance="pooled")


def test_signature_and_settings_report_pooled_chance(crowd_result):
    assert crowd_result.settings["chance"] == "pooled"
    assert "|chance:pooled|" in crowd_result.signature


def test_pooling_statistics_of_parts_yields_the_same_result(crowd_corpus, crowd_result):
    settings = GammaSettings.of(samples=8, chance="pooled")
    names = crowd_corpus.documents
    parts = [crowd_corpus.select(documents=names[20:]), crowd_corpus.select(documents=names[:20])]
    statistics = [ga.document_statistics(part, settings) for part in parts]
    assert ga.pool(statistics, settings).to_dict() == crowd_result.to_dict()


def test_pooled_chance_makes_more_values_available(crowd_corpus, crowd_result):
    separate = ga.gamma(crowd_corpus, samples=8)
    separate_available, pooled_available = (
        sum(document.gamma.is_available for document in result.documents) for result in (separate, crowd_result)
    )
    assert pooled_available >= separate_available


def test_categories_share_an_expected_disorder(crowd_result):
    expected = defaultdict(set)
    for document in crowd_result.documents:
        for category, value in document.gamma_k.items():
            if value.is_available and value.observed:
                expected[category, document.annotators].add(value.expected)
    assert max(len(values) for values in expected.values()) == 1


def test_unknown_chance_is_refused():
    with pytest.raises(SettingsError, match="chance must be one of documents, pooled, not 'corpus'"):
        ga.gamma(make_corpus(2), chance="corpus")


@pytest.mark.parametrize(
    "measure",
    [
        lambda corpus: ga.compare(corpus, corpus, chance="pooled"),
        lambda corpus: ga.curve(corpus, chance="pooled", samples=3),
        lambda corpus: ga.plan(corpus, target=0.1, chance="pooled", samples=3),
    ],
    ids=["paired", "curve", "plan"],
)
def test_pooled_chance_is_refused_if_documents_must_be_independent(measure):
    with pytest.raises(SettingsError, match=r"requires independent documents, .*; use chance='documents'"):
        measure(make_corpus(4))
