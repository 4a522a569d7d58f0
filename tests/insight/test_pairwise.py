"""γ of every two annotators: the mean, its interval, and ``measure --pairs``."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest
from command_line import run
from places import CORPORA

import gamma_align as ga
from gamma_align.apps.cli._pairs import propose_pairs
from gamma_align.inference.jackknife import jackknife_interval

THREE = CORPORA / "pygamma" / "AlexPaulSuzan.csv"


def make_corpus(documents=6, annotators=4):
    references = [ga.synthetic_reference(units=6, seed=seed, document=f"d{seed}") for seed in range(documents)]
    shuffled = ga.shuffle(ga.Corpus.from_continua(references), magnitude=0.4, annotators=annotators, kinds=("shift",))
    # One annotator saw one document only, so that a pair is lost without it.
    kept = [(document, name) for document in shuffled for name in shuffled[document].annotators]
    kept = [pair for pair in kept if pair[1] != shuffled.annotators[-1] or pair[0] == "d0"]
    tables = shuffled.to_tables()
    pairs = [*zip(tables.units["document"], tables.units["annotator"], strict=True)]
    mask = np.array([pair in kept for pair in pairs])
    units = {name: np.asarray(column)[mask] for name, column in tables.units.items()}
    annotations = {"document": [pair[0] for pair in kept], "annotator": [pair[1] for pair in kept]}
    return ga.Corpus.from_columns(units, annotations=annotations, documents=tables.documents)


def mean_without(corpus, document):
    result = ga.pairwise(corpus.drop(documents=[document]), samples=20)
    return np.mean([pair.gamma.value for pair in result.pairs.values()])


def test_mean_of_pairs_is_plain():
    result = ga.pairwise(make_corpus(), samples=20)
    assert result.mean.value == pytest.approx(np.mean([pair.gamma.value for pair in result.pairs.values()]), abs=1e-12)


def test_interval_is_a_jackknife_over_documents():
    corpus = make_corpus()
    mean = ga.pairwise(corpus, samples=20).mean
    without = 1.0 - np.array([mean_without(corpus, document) for document in corpus])
    n = len(corpus)
    expected = jackknife_interval(1.0 - mean.value, 1.0, without, np.ones(n), np.ones(n, dtype=bool))
    assert (mean.low, mean.high) == pytest.approx((expected.low, expected.high), rel=1e-9)
    assert mean.low < mean.value < mean.high


def test_signature_says_how_chance_is_known():
    assert "|N:exact|" in ga.pairwise(THREE).signature
    assert "|N:9|" in ga.pairwise(THREE, samples=9).signature


def test_pairs_without_units_have_no_mean():
    corpus = ga.Corpus.from_records([], annotations=[("d", "ann"), ("d", "bob")], extents={"d": (0, 9)})
    assert ga.pairwise(corpus, samples=2).mean.reason is not None


def test_command_prints_pairs_and_their_mean():
    result = ga.pairwise(THREE, samples=9)
    done = run("measure", THREE, "--pairs", "--samples", "9")
    assert done.returncode == 0, done.stderr
    (line,) = (line for line in done.stdout.splitlines() if "mean of pairs" in line)
    assert line.split()[3] == f"{result.mean.value:.4f}"
    assert result.signature in done.stdout
    printed = json.loads(run("measure", THREE, "--pairs", "--samples", "9", "--json").stdout)
    assert printed["mean"]["value"] == result.mean.value
    rows = [*csv.DictReader(io.StringIO(run("measure", THREE, "--pairs", "--samples", "9", "--csv").stdout))]
    assert [row["level"] for row in rows] == ["pair", "pair", "pair", "mean"]
    assert float(rows[-1]["gamma"]) == result.mean.value


def test_mean_has_a_threshold():
    arguments = ("measure", THREE, "--pairs", "--samples", "9", "--fail-under")
    assert run(*arguments, "pairwise-gamma=0.1").returncode == 0
    assert run(*arguments, "pairwise-gamma=0.9").returncode == 1
    assert run(*arguments, "gamma=0.1").returncode == 2


@pytest.mark.parametrize(
    "option", [("--coefficients", "unitizing-alpha"), ("--worst", "3"), ("--fail-under-documents", "gamma=0")]
)
def test_options_that_are_not_for_pairs_are_refused(option):
    done = run("measure", THREE, "--pairs", *option)
    assert done.returncode == 2
    assert "--pairs" in done.stderr


@pytest.mark.parametrize(
    ("name", "is_proposed"), [("llm_span_d2t_iaa", True), ("novels_ner", False), ("btc_crowd", False)]
)
def test_pairs_are_proposed_before_work_of_minutes(name, is_proposed, capsys):
    propose_pairs(ga.read(CORPORA / name))
    assert ("--pairs measures γ of every two annotators" in capsys.readouterr().err) is is_proposed


@pytest.mark.release
def test_no_bound_swings_with_the_seed():
    corpus = ga.read(CORPORA / "novels_ner")
    bounds = []
    for seed in range(12):
        results = [ga.gamma(corpus, seed=seed), *ga.pairwise(corpus, seed=seed).pairs.values()]
        values = [value for result in results for value in (result.gamma, result.gamma_cat)]
        bounds.append([bound for value in values for bound in (value.low, value.high)])
        assert "rests on about 5 of 12 documents; without VanityFair it is 0.9" in results[0].gamma.interval_note
    assert np.ptp(bounds, axis=0).max() < 0.02  # measured: .005


def test_similar_documents_have_no_note():
    documents = [ga.synthetic_reference(units=12, seed=seed, document=f"d{seed}") for seed in range(8)]
    corpus = ga.shuffle(ga.Corpus.from_continua(documents), magnitude=0.3, annotators=3)
    result = ga.gamma(corpus, samples=16)
    assert result.gamma.no_interval is None
    assert result.gamma.interval_note is None
