"""Annotators weighed by their error rates: published values, another program's, an oracle, what the report says."""

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


def items_of(columns, annotators):
    """Return the judgments of each item, from strings of the categories that annotators gave."""
    lowest = int(min(map(min, columns)))
    return [[(who, int(said) - lowest) for who, said in zip(annotators, row)] for row in zip(*columns)]  # noqa: B905


def shown_by(items, annotators, size):
    table = np.zeros((len(items), annotators * size))
    for row, item in enumerate(items):
        for who, said in item:
            table[row, who * size + said] += 1
    return table


def fitted(items, annotators, size, **options):
    shown = shown_by(items, annotators, size)
    return dawid_skene(shown, np.ones(len(items)), size, **options)


def test_five_items_of_three_workers_are_those_of_crowd_kit():
    # crowd-kit 1.4.2, DawidSkene, tolerance 0: after 1 round, and after 10
    items = items_of([*zip(*FIVE_ITEMS)], range(3))  # noqa: B905
    for rounds, share, of_items in (
        (1, 0.56743, [0.79288, 0.27684, 0.97454, 0.0, 0.79288]),
        (10, 0.73432, [0.99984, 0.67193, 1.0, 0.0, 0.99984]),
    ):
        model = fitted(items, 3, 2, rounds=rounds, precision=-math.inf)
        assert model.rounds == rounds
        assert model.posterior[:, 1] == pytest.approx(of_items, abs=5e-6)
        assert model.posterior[:, 1].mean() == pytest.approx(share, abs=5e-6)


def test_all_readings_of_the_patients_are_those_of_the_paper():
    # Dawid & Skene 1979 print π = .40 .42 .11 .07; more digits, and observer 1, by an implementation of the paper
    items = items_of(PATIENTS, [0, 0, 0, 1, 2, 3, 4])
    model = fitted(items, 5, 4)
    assert model.shares == pytest.approx([0.39955, 0.42198, 0.11180, 0.06667], abs=5e-6)
    first = [[0.8895, 0.1105, 0, 0], [0.0706, 0.8764, 0.0530, 0], [0, 0.3388, 0.6612, 0], [0, 0, 0.5556, 0.4444]]
    assert model.response[:, 0] == pytest.approx(np.array(first), abs=6e-5)


def test_one_reading_of_each_observer():
    columns = [PATIENTS[0], *PATIENTS[3:]]
    model = fitted(items_of(columns, range(5)), 5, 4)
    assert model.shares == pytest.approx([0.39996, 0.41261, 0.12076, 0.06667], abs=5e-6)
    assert np.bincount(model.posterior.argmax(axis=1)).tolist() == [18, 19, 5, 3]
    assert model.log_likelihood == pytest.approx(-141.0772, abs=5e-5)
    # of latent classes, whose random starts end at -141.2205, it is one of the starts
    table = ga.ItemTable.from_matrix([list(row) for row in zip(*columns)])  # noqa: B905
    assert ga.latent_classes(table, classes=4).log_likelihood == pytest.approx(-141.0772, abs=5e-5)


@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_definition_sparse_or_not(seed):
    draw = np.random.default_rng(seed)
    size, annotators = 3, 5
    true = draw.integers(0, size, 60)
    items = [
        [
            (who, int(label if draw.random() < 0.7 else draw.integers(0, size)))
            for who in range(annotators)
            if who == label or draw.random() < 0.8
        ]
        for label in true
    ]
    _, error, expected = dawid_skene_definition(items, annotators, size, 12)
    shown = shown_by(items, annotators, size)
    for form in (shown, csr_array(shown)):
        model = dawid_skene(form, np.ones(60), size, rounds=12, precision=-math.inf)
        assert model.posterior == pytest.approx(np.array(expected), abs=1e-9)
        assert model.response == pytest.approx(np.array(error).swapaxes(0, 1), abs=1e-9)


def test_items_alike_may_be_one_row():
    items = items_of([*zip(*FIVE_ITEMS)], range(3))  # noqa: B905
    shown = shown_by(items, 3, 2)
    each = dawid_skene(np.repeat(shown, [3, 1, 2, 4, 1], axis=0), np.ones(11), 2)
    once = dawid_skene(shown, np.array([3.0, 1, 2, 4, 1]), 2)
    assert once.log_likelihood == pytest.approx(each.log_likelihood, abs=1e-7)
    assert once.response == pytest.approx(each.response, abs=1e-4)


# ------------------------------------------------------------------------------------------ on aligned units


def labelled(corpus):
    """Return the judgments on each unitary alignment, by the definition: codes of categories, the last is no unit."""
    labels = {name: code for code, name in enumerate([*corpus.categories, None])}
    people = {name: code for code, name in enumerate(corpus.annotators)}
    return [
        [
            (people[who], len(labels) if unit is None else labels[unit.category])
            for who, unit in zip(corpus[name].annotators, row, strict=True)
        ]
        for name in corpus
        for row in ga.align(corpus[name]).unitary_alignments()
    ], len(labels) + 1


def some_corpus():
    kinds = ("shift", "false-negative", "false-positive", "category")
    reference = ga.Corpus.from_continua([ga.synthetic_reference(units=40, seed=3)])
    corpus = ga.shuffle(reference, magnitude=0.35, kinds=kinds, annotators=4, seed=3)
    units = [(name, *unit) for name in corpus for unit in corpus[name].units()]
    units = [(*unit[:4], None) if index % 9 == 0 else unit for index, unit in enumerate(units)]
    return ga.Corpus.from_records(units)


def test_the_consensus_is_what_the_model_says_of_unitary_alignments():
    corpus = some_corpus()
    items, size = labelled(corpus)
    result = ga.consensus(corpus, weigh="dawid-skene")
    _, error, expected = dawid_skene_definition(items, 4, size, result.rounds)
    found = {unit.alignment: unit for unit in (*result.units, *result.voted_out)}
    assert [unit.alignment in {kept.alignment for kept in result.units} for _, unit in sorted(found.items())] == [
        row[-1] < 0.5 for row in expected
    ]
    labels = [*corpus.categories, None]
    for index, row in enumerate(expected):
        unit = found[index]
        assert unit.confidence == pytest.approx(1 - row[-1], abs=1e-6)
        of_labels = {label: row[code] for code, label in enumerate(labels)}
        assert unit.category_confidence == pytest.approx(of_labels[unit.category], abs=1e-6)
        assert of_labels[unit.category] == pytest.approx(max(of_labels.values()), abs=1e-6)
    for row in result.confusion:
        who = corpus.annotators.index(row.annotator)
        true, said = (size - 1 if name == "(no unit)" else labels.index(name) for name in (row.consensus, row.says))
        if row.judgments > 0.01:  # rates of hardly any judgments change from round to round
            assert row.share == pytest.approx(error[who][true][said], abs=1e-3)
    right = [sum(expected[i][said] for i, item in enumerate(items) for w, said in item if w == who) for who in range(4)]
    assert [row.quality * row.judgments for row in result.annotators] == pytest.approx(right, abs=1e-6)


def test_it_overrules_a_majority_of_bad_annotators():
    # one who is always right; two who flip coins, and are of one mind by chance now and then
    draw = np.random.default_rng(5)
    units = []
    for index in range(120):
        true = index % 3 != 0
        for who, there in (("good", true), ("bad", draw.random() < 0.5), ("worse", draw.random() < 0.5)):
            if there:
                units.append(("d", who, 10 * index, 10 * index + 5, "x"))
        units += [
            ("d", who, 10 * index, 10 * index + 5, "x") for who in ("fair", "able") if true == (draw.random() < 0.9)
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


def test_two_annotators_are_too_few_and_the_note_says_so():
    corpus = ga.read(CORPORA / "novels_ner")
    assert not any("three annotators" in note for note in ga.consensus(corpus, weigh="dawid-skene").notes)
    two = ga.consensus(corpus.select(annotators=["user1", "user2"]), weigh="dawid-skene")
    assert any("no document has three annotators" in note for note in two.notes)


def test_the_model_is_that_of_many_annotators_who_each_saw_little():
    corpus = ga.read(CORPORA / "btc_crowd")
    result = ga.consensus(corpus, weigh="dawid-skene")
    said = judgments(corpus, unitary_alignments(corpus, ga.Dissimilarity(), ga.Limits()))
    items = [[] for _ in range(len(said))]
    for index, who, label in zip(said.alignment, said.annotator, said.label, strict=True):
        items[index].append((int(who), int(label)))
    _, _, expected = dawid_skene_definition(items, 77, 5, result.rounds)
    found = {unit.alignment: unit.confidence for unit in (*result.units, *result.voted_out)}
    assert [found[index] for index in range(len(items))] == pytest.approx([1 - row[-1] for row in expected], abs=1e-4)
