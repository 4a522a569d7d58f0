"""What became of documents and causes between two corpora: planted histories, renamed documents, unpaired documents."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from histories import history

import gamma_align as ga


def assert_told(seed):
    """Compare the two corpora of a history, and check that all changes are named and nothing else."""
    planted = history(seed)
    result = ga.compare(planted.first, planted.second, samples=2, replicates=9)
    assert {row.document: (row.fate, row.former, row.changed) for row in result.fates} == planted.fates
    found = {change: {(row.kind, row.finding.annotator) for row in result.causes if row.change == change}
             for change in ("went", "came", "stayed")}  # fmt: skip
    assert found == {"went": planted.went, "came": planted.came, "stayed": planted.stayed}, seed


@pytest.mark.parametrize("seed", range(1000, 1006))
def test_every_change_of_a_planted_history_is_named_and_nothing_else(seed):
    assert_told(seed)


@pytest.mark.surfaces
@pytest.mark.parametrize("first", range(0, 200, 10))
def test_every_change_of_two_hundred_histories_is_named_and_nothing_else(first):
    for seed in range(first, first + 10):
        assert_told(seed)


def made(documents, magnitude, seed, annotators=2):
    """Return annotators of synthetic documents; the same references for each seed of errors."""
    reference = [
        ga.synthetic_reference(units=9, categories={"A": 2, "B": 1}, seed=number, document=f"d{number}")
        for number in documents
    ]
    kinds = ("shift", "false-negative", "category")
    corpus = ga.Corpus.from_continua(reference)
    return ga.shuffle(corpus, magnitude=magnitude, kinds=kinds, annotators=annotators, seed=seed, overlaps="cut")


QUICK = {"samples": 3, "replicates": 499, "causes": False}


def test_each_value_over_all_documents_is_that_of_its_corpus():
    first, second = made(range(8), 0.2, 1), made(range(4, 12), 0.3, 2)
    result = ga.compare(first, second, measure=("gamma", "unitizing-alpha"), **QUICK)
    assert result.shared == "some"
    for corpus, side in ((first, "first"), (second, "second")):
        alpha = ga.unitizing_alpha(corpus)
        expected = {"gamma": ga.gamma(corpus, samples=3).gamma, "u": alpha.u, "cu": alpha.cu}
        rows = {row.coefficient: row for row in result.overall if row.category is None}
        assert {name: getattr(rows[name], side) for name in expected} == pytest.approx(
            {name: value.value for name, value in expected.items()}
        )
        in_both = ga.gamma(corpus.select(documents=[f"d{n}" for n in range(4, 8)]), samples=3).gamma
        assert getattr(result["gamma"], side) == pytest.approx(in_both.value)
    assert (result["gamma"].documents, rows["gamma"].documents) == (4, 12)


def test_the_interval_of_partly_shared_documents_leaves_out_each_of_them():
    first, second = made(range(8), 0.2, 1), made(range(4, 12), 0.3, 2)
    row = ga.compare(first, second, measure="unitizing-alpha", **QUICK).overall[0]
    without = []
    for number in range(12):
        values = [ga.unitizing_alpha(corpus.drop(documents=[f"d{number}"] if f"d{number}" in corpus else [])).u.value
                  for corpus in (first, second)]  # fmt: skip
        without.append(values[1] - values[0])
    deviations = np.array(without) - np.mean(without)
    assert row.standard_error == pytest.approx(np.sqrt(11 / 12 * np.sum(deviations**2)), rel=1e-6)


def test_without_a_shared_document_the_two_are_independent_samples():
    first, second = made(range(5), 0.1, 1), made(range(5, 10), 0.5, 2)
    result = ga.compare(first, second, **QUICK)
    assert (result.shared, result.overall, result.documents) == ("none", (), ())
    assert any("no document is in both" in note and "document=" in note for note in result.notes)
    row = result["gamma"]
    assert row.value == pytest.approx(ga.gamma(second, samples=3).gamma.value - ga.gamma(first, samples=3).gamma.value)
    errors = [ga.gamma(corpus, samples=3).gamma for corpus in (first, second)]
    assert row.rests_on <= sum(value.rests_on for value in errors) + 1
    assert row.high < 0
    # p is the share of divisions of ten documents into five and five with a difference at least as large
    rows = [ga.document_statistics(corpus, ga.GammaSettings.of(samples=3)) for corpus in (first, second)]
    terms = np.concatenate([[side.gamma.weight * side.gamma.observed, side.gamma.weight * side.gamma.expected]
                            for side in rows], axis=1)  # fmt: skip
    differences = []
    for chosen in itertools.combinations(range(10), 5):
        is_first = np.isin(np.arange(10), chosen)
        ratios = [terms[0, some].sum() / terms[1, some].sum() for some in (is_first, ~is_first)]
        differences.append(abs(ratios[1] - ratios[0]))
    expected = np.mean(np.array(differences) >= abs(row.value) - 1e-9)
    assert row.p == pytest.approx(expected, abs=0.03)


def test_a_renamed_document_is_recognised_by_its_text_or_its_units():
    first = made(range(4), 0.2, 1)
    renamed = first.rename(documents={"d1": "e1"})
    result = ga.compare(first, renamed, **QUICK)
    assert (result.shared, result["gamma"].value) == ("all", 0.0)
    assert [(row.document, row.former, row.fate) for row in result.fates if row.former] == [("e1", "d1", "same")]
    other = ga.compare(first, made(range(4), 0.2, 2).rename(documents={"d1": "e1"}), **QUICK)
    assert [row.fate for row in other.fates if row.document in ("d1", "e1")] == ["gone", "new"]


def test_two_copies_of_a_document_are_not_taken_for_a_renamed_one():
    first = made(range(4), 0.2, 1)
    copies = first.rename(documents={"d1": "e1"}).merge(first.select(documents="d1").rename(documents={"d1": "f1"}))
    result = ga.compare(first, copies, **QUICK)
    assert {row.document: row.fate for row in result.fates if row.fate != "same"} == {
        "d1": "gone", "e1": "new", "f1": "new",
    }  # fmt: skip


def test_costs_of_annotators_and_of_labels_sum_to_what_gamma_lacks():
    first, second = made(range(5), 0.3, 1, 3), made(range(5), 0.1, 2, 3)
    result = ga.compare(first, second, samples=3, replicates=9)
    for rows in (result.annotators, result.labels):
        assert sum(row.first_cost for row in rows) == pytest.approx(1 - result["gamma"].first)
        assert sum(row.change for row in rows) == pytest.approx(-result["gamma"].value)


def test_p_over_all_documents_is_uniform_if_the_corpora_do_not_differ():
    found = []
    for seed in range(60):
        first, second = made(range(100, 109), 0.25, 2 * seed), made(range(105, 114), 0.25, 2 * seed + 1)
        found.append(ga.compare(first, second, measure="unitizing-alpha", replicates=199).overall[0].p)
    counts = np.histogram(found, bins=[0, 0.25, 0.5, 0.75, 1])[0]
    assert counts.min() >= 6
    assert np.mean(np.array(found) <= 0.1) <= 0.22
