"""The disorder of each annotator, and the number of units that the other annotators suggest."""

from __future__ import annotations

import itertools
import math

import numpy as np
import oracles
import pytest
from hypothesis import assume, given
from places import CORPORA
from strategies import cases, continuum_of, settings_of_weights

import gamma_align as ga


def disagreements_of(source, **weights):
    return ga.disagreements(source, samples=2, **weights)


def disorder_definition(result, weights):
    """Return the disorder of each annotator of one document, unitary alignment by unitary alignment."""
    corpus = result.corpus
    units, n = oracles.units_of(corpus.continuum(0)), len(corpus.annotators)
    n_pairs = math.comb(n, 2)
    shares = [0.0] * n
    for number in range(result.alignments):
        of = {units[index][0]: units[index] for index in np.flatnonzero(result.group == number).tolist()}
        missing = weights.delta_empty * (n_pairs - math.comb(len(of), 2)) / n_pairs
        for annotator in range(n):
            if len(of) < n:
                shares[annotator] += missing / 2 / (len(of) if annotator in of else n - len(of))
        for pair in itertools.combinations(of, 2):
            two = tuple(of[annotator] for annotator in pair)
            position = weights.alpha * oracles.positional_definition(*two, weights.delta_empty)
            category = weights.beta * oracles.categorial_definition(*two, weights.delta_empty)
            for annotator in pair:
                shares[annotator] += (position + category) / n_pairs / 2
    return dict(zip(corpus.annotators, shares, strict=True))


@given(case=cases(), weights=settings_of_weights())
def test_the_disorder_of_annotators_equals_the_definition_and_adds_up(case, weights):
    names = {"alpha": weights.alpha, "beta": weights.beta, "delta_empty": weights.delta_empty}
    result = disagreements_of(continuum_of(case), **names)
    disorder = {row.annotator: row.disorder.disorder for row in result.annotators}
    assert disorder == pytest.approx(disorder_definition(result, weights), abs=1e-9)
    total = result.disorder.disorder
    assert math.fsum(disorder.values()) == pytest.approx(total, abs=1e-9)
    assert math.fsum(row.disorder.share for row in result.annotators) == pytest.approx(1.0 if total else 0.0)


@given(case=cases())
def test_two_annotators_have_half_of_the_disorder_each(case):
    continuum = continuum_of(case)
    assume(len(continuum.annotators) == 2)
    first, second = disagreements_of(continuum).annotators
    assert first.disorder.disorder == pytest.approx(second.disorder.disorder)


def test_annotators_with_the_same_units_have_the_same_disorder():
    same = [(0, 4, "x"), (6, 9, "y"), (20, 24, "x")]
    result = disagreements_of({"ann": same, "bob": same, "cy": [(1, 4, "y"), (30, 33, "x")], "dee": same})
    rows = {row.annotator: row.disorder for row in result.annotators}
    assert rows["ann"] == pytest.approx(rows["bob"])
    assert rows["ann"] == pytest.approx(rows["dee"])
    assert rows["cy"].share == pytest.approx(0.5)


def corpus_with_a_silent_annotator(n_others):
    names = [f"a{index}" for index in range(n_others)]
    rows = [("d", name, start, start + 4, "x") for name in names for start in (0, 10, 20)]
    return ga.Corpus.from_records(rows, annotations=[("d", name) for name in (*names, "silent")])


@pytest.mark.parametrize("n_others", [1, 2, 5])
def test_an_annotator_without_units_has_half_of_the_disorder_and_comes_first(n_others):
    rows = disagreements_of(corpus_with_a_silent_annotator(n_others)).annotators
    shares = {row.annotator: row.disorder.share for row in rows}
    assert shares.pop("silent") == pytest.approx(0.5)
    assert list(shares.values()) == pytest.approx([0.5 / n_others] * n_others)
    if n_others > 1:
        assert rows[0].annotator == "silent"
        assert (rows[0].units, rows[0].expected_units, rows[0].documents) == (0, 3.0, 1)


def test_the_only_annotator_with_a_unit_has_half_of_the_disorder():
    rows = [("d", name, 0, 4, "x") for name in ("ann", "bob", "cy")] + [("d", "ann", 10, 14, "x")]
    shares = {row.annotator: row.disorder.share for row in disagreements_of(ga.Corpus.from_records(rows)).annotators}
    assert shares == pytest.approx({"ann": 0.5, "bob": 0.25, "cy": 0.25})


def test_expected_units_are_the_mean_of_the_other_annotators():
    units = {("a", "ann"): 4, ("a", "bob"): 1, ("a", "cy"): 2, ("b", "ann"): 3, ("b", "bob"): 0, ("c", "ann"): 7}
    rows = [(d, name, 5 * index, 5 * index + 4, "x") for (d, name), n in units.items() for index in range(n)]
    corpus = ga.Corpus.from_records(rows, annotations=[*units])
    counts = {row.annotator: row[1:4] for row in disagreements_of(corpus).annotators}
    assert counts == {"ann": (2, 7, 1.5), "bob": (2, 1, 6.0), "cy": (1, 2, 2.5)}


def test_an_annotator_who_shares_no_document_has_no_expected_units():
    units = [("a", "ann", 0, 4, "x"), ("a", "bob", 1, 4, "x"), ("b", "cy", 0, 4, "x")]
    rows = disagreements_of(ga.Corpus.from_records(units)).annotators
    assert rows[-1][:4] == ("cy", 0, 0, None)


@pytest.mark.parametrize("name", ["novels_ner", "hearst_kazantseva", "btc_crowd"])
def test_units_and_expected_units_of_all_annotators_have_the_same_sum(name):
    rows = disagreements_of(CORPORA / name).annotators
    assert sum(row.expected_units for row in rows) == pytest.approx(sum(row.units for row in rows))
