"""Annotators weighed by their error rates: published values, another program, an oracle, and the consensus."""

from __future__ import annotations

import math

import numpy as np
import pytest
from dawid_skene import dawid_skene_definition
from places import CORPORA
from scipy.sparse import csr_array

import gamma_align as ga
from gamma_align.insight.consensus.judgments import judgments
from gamma_align.insight.disagreements.unitary_alignments import unitary_alignments
from gamma_align.measures.items.latent import dawid_skene

# Dawid & Skene 1979, table 1: 45 patients; observer 1 three times, then observers 2 to 5
PATIENTS = [
    "131222132242121111222222112111131224223111212",
    "131222232342122111222222113111131223233112322",
    "132222232242121111222221112112131223123111212",
    "142333232243131211212232112111131234233112212",
    "131123142243121111232222112111121223224111212",
    "132222132244111111222222112112131234333111212",
    "142122133343121111122122112111131223232111212",
]
FIVE_ITEMS = ["110", "010", "111", "000", "011"]  # what three workers say of each


def make_items(columns, annotators):
    """Return the judgments of each item, from strings of the categories that annotators gave."""
    lowest = int(min(map(min, columns)))
    return [[(annotator, int(label) - lowest) for annotator, label in zip(annotators, row)] for row in zip(*columns)]  # noqa: B905


def indicator_table(items, annotators, size):
    table = np.zeros((len(items), annotators * size))
    for row, item in enumerate(items):
        for annotator, label in item:
            table[row, annotator * size + label] += 1
    return table


def fit_model(items, annotators, size, **options):
    table = indicator_table(items, annotators, size)
    return dawid_skene(table, np.ones(len(items)), size, **options)


def test_the_model_equals_crowd_kit():
    # crowd-kit 1.4.2, DawidSkene, tolerance 0: after 1 round, and after 10
    items = make_items([*zip(*FIVE_ITEMS)], range(3))  # noqa: B905
    for rounds, share, posterior in (
        (1, 0.56743, [0.79288, 0.27684, 0.97454, 0.0, 0.79288]),
        (10, 0.73432, [0.99984, 0.67193, 1.0, 0.0, 0.99984]),
    ):
        model = fit_model(items, 3, 2, rounds=rounds, precision=-math.inf)
        assert model.rounds == rounds
        assert model.posterior[:, 1] == pytest.approx(posterior, abs=5e-6)
        assert model.posterior[:, 1].mean() == pytest.approx(share, abs=5e-6)


def test_the_model_of_all_readings_equals_the_paper():
    # Dawid & Skene 1979 print π = .40 .42 .11 .07; more digits, and observer 1, by an implementation of the paper
    items = make_items(PATIENTS, [0, 0, 0, 1, 2, 3, 4])
    model = fit_model(items, 5, 4)
    assert model.shares == pytest.approx([0.39955, 0.42198, 0.11180, 0.06667], abs=5e-6)
    first = [[0.8895, 0.1105, 0, 0], [0.0706, 0.8764, 0.0530, 0], [0, 0.3388, 0.6612, 0], [0, 0, 0.5556, 0.4444]]
    assert model.response[:, 0] == pytest.approx(np.array(first), abs=6e-5)


def test_the_model_of_one_reading_per_observer_equals_the_paper():
    columns = [PATIENTS[0], *PATIENTS[3:]]
    model = fit_model(make_items(columns, range(5)), 5, 4)
    assert model.shares == pytest.approx([0.39996, 0.41261, 0.12076, 0.06667], abs=5e-6)
    assert np.bincount(model.posterior.argmax(axis=1)).tolist() == [18, 19, 5, 3]
    assert model.log_likelihood == pytest.approx(-141.0772, abs=5e-5)
    # of latent classes, whose random starts end at -141.2205, it is one of the starts
    table = ga.ItemTable.from_matrix([list(row) for row in zip(*columns)])  # noqa: B905
    assert ga.latent_classes(table, classes=4).log_likelihood == pytest.approx(-141.0772, abs=5e-5)


@pytest.mark.parametrize("seed", range(4))
def test_sparse_and_dense_tables_give_the_model_of_the_definition(seed):
    draw = np.random.default_rng(seed)
    size, annotators = 3, 5
    true = draw.integers(0, size, 60)
    items = [
        [
            (annotator, int(label if draw.random() < 0.7 else draw.integers(0, size)))
            for annotator in range(annotators)
            if annotator == label or draw.random() < 0.8
        ]
        for label in true
    ]
    _, error, expected = dawid_skene_definition(items, annotators, size, 12)
    table = indicator_table(items, annotators, size)
    for form in (table, csr_array(table)):
        model = dawid_skene(form, np.ones(60), size, rounds=12, precision=-math.inf)
        assert model.posterior == pytest.approx(np.array(expected), abs=1e-9)
        assert model.response == pytest.approx(np.array(error).swapaxes(0, 1), abs=1e-9)


def test_equal_items_can_be_one_row_with_a_count():
    items = make_items([*zip(*FIVE_ITEMS)], range(3))  # noqa: B905
    table = indicator_table(items, 3, 2)
    repeated = dawid_skene(np.repeat(table, [3, 1, 2, 4, 1], axis=0), np.ones(11), 2)
    counted = dawid_skene(table, np.array([3.0, 1, 2, 4, 1]), 2)
    assert counted.log_likelihood == pytest.approx(repeated.log_likelihood, abs=1e-7)
    assert counted.response == pytest.approx(repeated.response, abs=1e-4)


# ------------------------------------------------------------------------------------------ on aligned units


def judgments_of(corpus):
    """Return the judgments on each unitary alignment, by the definition: codes of categories, the last is no unit."""
    labels = {name: code for code, name in enumerate([*corpus.categories, None])}
    codes = {name: code for code, name in enumerate(corpus.annotators)}
    return [
        [
            (codes[name], len(labels) if unit is None else labels[unit.category])
            for name, unit in zip(corpus[document].annotators, row, strict=True)
        ]
        for document in corpus
        for row in ga.align(corpus[document]).unitary_alignments()
    ], len(labels) + 1


def make_corpus():
    kinds = ("shift", "false-negative", "false-positive", "category")
    reference = ga.Corpus.from_continua([ga.synthetic_reference(units=40, seed=3)])
    corpus = ga.shuffle(reference, magnitude=0.35, kinds=kinds, annotators=4, seed=3)
    units = [(name, *unit) for name in corpus for unit in corpus[name].units()]
    units = [(*unit[:4], None) if index % 9 == 0 else unit for index, unit in enumerate(units)]
    return ga.Corpus.from_records(units)


def test_the_consensus_has_the_probabilities_of_the_model():
    corpus = make_corpus()
    items, size = judgments_of(corpus)
    result = ga.consensus(corpus, weigh="dawid-skene")
    _, error, expected = dawid_skene_definition(items, 4, size, result.rounds)
    unit_by_alignment = {unit.alignment: unit for unit in (*result.units, *result.voted_out)}
    kept = {unit.alignment for unit in result.units}
    assert [index in kept for index in sorted(unit_by_alignment)] == [row[-1] < 0.5 for row in expected]
    labels = [*corpus.categories, None]
    for index, row in enumerate(expected):
        unit = unit_by_alignment[index]
        assert unit.confidence == pytest.approx(1 - row[-1], abs=1e-6)
        probabilities = {label: row[code] for code, label in enumerate(labels)}
        assert unit.category_confidence == pytest.approx(probabilities[unit.category], abs=1e-6)
        assert probabilities[unit.category] == pytest.approx(max(probabilities.values()), abs=1e-6)
    for row in result.confusion:
        annotator = corpus.annotators.index(row.annotator)
        true, judged = (size - 1 if name == "(no unit)" else labels.index(name) for name in (row.consensus, row.says))
        if row.judgments > 0.01:  # rates of hardly any judgments change from round to round
            assert row.share == pytest.approx(error[annotator][true][judged], abs=1e-3)
    n_correct = [0.0] * 4
    for item, probabilities in zip(items, expected, strict=True):
        for annotator, judged in item:
            n_correct[annotator] += probabilities[judged]
    assert [row.quality * row.judgments for row in result.annotators] == pytest.approx(n_correct, abs=1e-6)


def test_weighing_overrules_a_majority_of_bad_annotators():
    # One annotator is always right; two flip coins, and sometimes agree by chance.
    draw = np.random.default_rng(5)
    units = []
    for index in range(120):
        true = index % 3 != 0
        for annotator, has_unit in (("good", true), ("bad", draw.random() < 0.5), ("worse", draw.random() < 0.5)):
            if has_unit:
                units.append(("d", annotator, 10 * index, 10 * index + 5, "x"))
        units += [
            ("d", annotator, 10 * index, 10 * index + 5, "x")
            for annotator in ("fair", "able")
            if true == (draw.random() < 0.9)
        ]
    corpus = ga.Corpus.from_records(units)
    truth = {10.0 * index for index in range(120) if index % 3}
    wrong = {
        weigh: len(truth ^ {unit.start for unit in ga.consensus(corpus, weigh=weigh).units})
        for weigh in (None, "dawid-skene")
    }
    assert wrong["dawid-skene"] < wrong[None] / 3
    quality = {row.annotator: row.quality for row in ga.consensus(corpus, weigh="dawid-skene").annotators}
    assert min(quality["good"], quality["fair"], quality["able"]) > 0.8 > max(quality["bad"], quality["worse"])


def test_a_note_warns_of_error_rates_of_two_annotators():
    corpus = ga.read(CORPORA / "novels_ner")
    assert not any("three annotators" in note for note in ga.consensus(corpus, weigh="dawid-skene").notes)
    two = ga.consensus(corpus.select(annotators=["user1", "user2"]), weigh="dawid-skene")
    assert any("no document has three annotators" in note for note in two.notes)


@pytest.mark.release
def test_the_consensus_of_a_crowd_has_the_probabilities_of_the_model():
    corpus = ga.read(CORPORA / "btc_crowd")
    result = ga.consensus(corpus, weigh="dawid-skene")
    all_judgments = judgments(corpus, unitary_alignments(corpus, ga.Dissimilarity(), ga.Limits()))
    items = [[] for _ in range(len(all_judgments))]
    for index, annotator, label in zip(
        all_judgments.alignment, all_judgments.annotator, all_judgments.label, strict=True
    ):
        items[index].append((int(annotator), int(label)))
    _, _, expected = dawid_skene_definition(items, 77, 5, result.rounds)
    confidence = {unit.alignment: unit.confidence for unit in (*result.units, *result.voted_out)}
    assert [confidence[index] for index in range(len(items))] == pytest.approx(
        [1 - row[-1] for row in expected], abs=1e-4
    )
