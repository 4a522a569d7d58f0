"""One expected disorder for many documents (chance="pooled"), against the same formed by hand."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np
import pytest
from places import CORPORA

import gamma_align as ga
from gamma_align.errors import SettingsError
from gamma_align.measures.gamma.gamma_result import corpus_values
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.measure import run
from gamma_align.measures.gamma.shared_chance import SharedChance

LONG = 400.0


def corpus(documents=9, seed=0, short=()):
    """Return documents of two and of three annotators; the `short` ones are one unit each, all of their extent."""
    rng = np.random.default_rng(seed)
    records, extents = [], {}
    for number in range(documents):
        name = f"d{number}"
        extents[name] = (0, 4) if number in short else (0, LONG)
        for person in range(2 + number % 2):
            if number in short:
                records.append((name, f"a{person}", 0, 4 - (person > 0), "xy"[person % 2]))
                continue
            for place in range(6):
                start = 60.0 * place + float(rng.integers(0, 12))
                records.append(
                    (name, f"a{person}", start, start + 20 + float(rng.integers(0, 6)), rng.choice(["x", "y"]))
                )
    return ga.Corpus.from_records(records, extents=extents)


def both(data, **settings):
    settings = {"samples": 12, "control": "none", **settings}
    return ga.gamma(data, **settings), ga.gamma(data, chance="pooled", **settings)


def test_where_all_documents_count_the_corpus_is_what_it_was_and_documents_are_compared_with_their_mean():
    data = corpus(6).select(documents=["d0", "d2", "d4"])
    own, pooled = both(data)
    assert float(pooled.gamma) == pytest.approx(float(own.gamma), abs=1e-12)
    assert (pooled.gamma.low, pooled.gamma.high) == pytest.approx((own.gamma.low, own.gamma.high), abs=1e-12)
    assert pooled.gamma.expected_error == pytest.approx(own.gamma.expected_error, rel=1e-12)
    assert float(pooled.gamma_cat) == pytest.approx(float(own.gamma_cat), abs=1e-12)
    weight = [row.units / row.annotators for row in own.documents]
    shared = math.fsum(w * row.gamma.expected for w, row in zip(weight, own.documents, strict=True)) / math.fsum(weight)
    for before, after in zip(own.documents, pooled.documents, strict=True):
        assert after.gamma.expected == pytest.approx(shared, rel=1e-12)
        assert float(after.gamma) == pytest.approx(1 - before.gamma.observed / shared, abs=1e-12)


def test_documents_of_as_many_annotators_share():
    _, pooled = both(corpus())
    expected = defaultdict(set)
    for row in pooled.documents:
        expected[row.annotators].add(row.gamma.expected)
    assert [len(values) for values in expected.values()] == [1, 1]
    assert expected[2] != expected[3]


def test_documents_too_short_have_no_part_in_what_is_shared_but_have_values_by_it():
    data = corpus(10, short=(1, 3))
    own, pooled = both(data)
    short = {"d1", "d3"}
    assert {row.document for row in own.documents if row.distance_lowered} == short
    weight = {row.document: row.units / row.annotators for row in own.documents}
    long = [row for row in own.documents if row.annotators == 3 and row.document not in short]
    shared = sum(weight[row.document] * row.gamma.expected for row in long) / sum(weight[row.document] for row in long)
    for row in pooled.documents:
        if row.document in short:
            assert row.gamma.expected == pytest.approx(shared, rel=1e-12)
            assert float(row.gamma) == pytest.approx(1 - row.gamma.observed / shared, abs=1e-12)


def test_where_all_documents_are_too_short_they_share_what_they_have():
    data = corpus(4, short=range(4))
    own, pooled = both(data)
    of_two = [row.gamma.expected for row in own.documents if row.annotators == 2]
    assert [row.gamma.expected for row in pooled.documents if row.annotators == 2] == pytest.approx(
        [np.mean(of_two)] * 2
    )


@pytest.mark.parametrize("short", [(), (1, 3), (0, 1, 2)])
def test_the_interval_is_a_jackknife_in_which_what_is_shared_is_formed_again(short):
    settings = GammaSettings.of(samples=12, control="none", chance="pooled")
    rows = run(corpus(11, seed=4, short=short), settings)
    shared = SharedChance.of(rows)
    gamma, gamma_cat, _ = corpus_values(shared.rows, shared)
    every = np.arange(len(rows))
    for value, which in ((gamma, 0), (gamma_cat, 1)):
        without = []
        for document in every:
            others = SharedChance.of(rows.take(every[every != document]))
            without.append(1 - float(corpus_values(others.rows, others)[which]))
        error = math.sqrt((len(rows) - 1) / len(rows) * np.square(without - np.mean(without)).sum())
        assert value.standard_error == pytest.approx(error, rel=1e-9)


def test_categories_share_too_and_rows_pooled_elsewhere_give_the_same():
    data = ga.read(CORPORA / "btc_crowd").select(documents=[*ga.read(CORPORA / "btc_crowd").documents[:60]])
    settings = GammaSettings.of(samples=8, chance="pooled")
    whole = ga.gamma(data, samples=8, chance="pooled")
    names = data.documents
    parts = [ga.document_statistics(data.select(documents=some), settings) for some in (names[20:], names[:20])]
    assert ga.pool(parts, settings).to_dict() == whole.to_dict()
    assert whole.settings["chance"] == "pooled"
    assert "|chance:pooled|" in whole.signature
    own = ga.gamma(data, samples=8)
    available = [sum(row.gamma.is_available for row in result.documents) for result in (own, whole)]
    assert available[1] >= available[0]
    by_category = defaultdict(set)
    for row in whole.documents:
        for label, value in row.gamma_k.items():
            if value.is_available and value.observed:
                by_category[label, row.annotators].add(value.expected)
    assert max(map(len, by_category.values())) == 1


def test_an_unknown_chance_is_refused():
    with pytest.raises(SettingsError, match="chance must be one of documents, pooled, not 'corpus'"):
        ga.gamma(corpus(2), chance="corpus")


@pytest.mark.parametrize(
    "refusing",
    [
        lambda data: ga.paired(data, data, chance="pooled"),
        lambda data: ga.curve(data, chance="pooled", samples=3),
        lambda data: ga.plan(data, target=0.1, chance="pooled", samples=3),
    ],
)
def test_what_takes_documents_as_independent_refuses_it(refusing):
    with pytest.raises(SettingsError, match=r"requires independent documents, .*; use chance='documents'"):
        refusing(corpus(4))
