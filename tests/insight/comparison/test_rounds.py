"""Rounds in one table: values, differences with Holm's correction, and people who annotated twice."""

from __future__ import annotations

import csv
import json
import math

import numpy as np
import pytest
from command_line import run

import gamma_align as ga
from gamma_align.inference import holm

QUICK = {"samples": 4, "replicates": 199}


def made(documents, magnitude, seed, annotators=2):
    reference = [
        ga.synthetic_reference(units=9, categories={"A": 2, "B": 1}, seed=number, document=f"d{number}")
        for number in documents
    ]
    corpus = ga.Corpus.from_continua(reference)
    kinds = ("shift", "false-negative", "category")
    return ga.shuffle(corpus, magnitude=magnitude, kinds=kinds, annotators=annotators, seed=seed, overlaps="cut")


ROUNDS = {"v1": made(range(8), 0.5, 1), "v2": made(range(8), 0.3, 2), "v3": made(range(4, 12), 0.1, 3)}
RESULT = ga.rounds(ROUNDS, **QUICK)


def test_each_round_has_the_values_of_its_corpus():
    for row in RESULT.rounds:
        corpus = ROUNDS[row.name]
        assert (row.documents, row.annotators, row.units) == (len(corpus), 2, corpus.n_units)
        measured = ga.gamma(corpus, samples=4)
        assert (row.gamma, row.gamma_cat) == (measured.gamma, measured.gamma_cat)


def test_differences_are_those_of_two_corpora():
    pairs = [(row.first, row.second, row.shared) for row in RESULT.differences]
    assert pairs == 2 * [("v1", "v2", 8), ("v1", "v3", 4), ("v2", "v3", 4)]
    for row in RESULT.differences[:3]:
        compared = ga.compare(ROUNDS[row.first], ROUNDS[row.second], causes=False, **QUICK)
        expected = compared["gamma"] if compared.shared == "all" else compared.overall[0]
        assert row.difference == expected
    for rows in (RESULT.differences[:3], RESULT.differences[3:]):
        assert [row.p_holm for row in rows] == holm([row.difference.p for row in rows])


def test_holm_is_the_step_down_method():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    found = holm([math.nan, 0.02])
    assert (math.isnan(found[0]), found[1]) == (True, 0.02)


def test_holm_keeps_its_level_in_families_without_a_difference():
    draw = np.random.default_rng(3)
    rejected = [min(holm(draw.random(6).tolist())) <= 0.05 for _ in range(2000)]
    assert 0.035 <= np.mean(rejected) <= 0.065


def test_a_person_in_two_rounds_is_measured_against_themselves_and_is_never_two_annotators():
    first = made(range(6), 0.4, 1, 3)
    moved = [("1", 1.0), ("2", 0.0)]  # the first person moves all units, the second one repeats all
    records = [
        (name, annotator, unit.start + shift, unit.end + shift, unit.category)
        for annotator, shift in moved
        for name in first.documents
        for unit in first[name].units()
        if unit.annotator == annotator
    ]
    extents = {name: tuple(first[name].extent) for name in first.documents}
    records = [row for row in records if row[3] <= extents[row[0]][1]]
    annotations = [(name, annotator) for name in first.documents for annotator, _ in moved]
    second = ga.Corpus.from_records(records, annotations=annotations, extents=extents)
    result = ga.rounds({"March": first, "June": second}, **QUICK)
    assert [row.annotators for row in result.rounds] == [3, 2]
    retests = {row.annotator: row for row in result.retests}
    assert retests.keys() == {"1", "2"}
    assert retests["2"].itself.value == 1.0
    assert retests["1"].itself.value < 1.0
    assert retests["1"].documents == 6
    others = ga.pairwise(first, samples=4).against_others()
    assert retests["1"].first_others.value == pytest.approx(others["1"].value)


def test_one_person_alone_has_a_retest_and_no_value():
    march = [("d", "kim", 10 * n, 10 * n + 4, "x") for n in range(6)]
    june = [*march[:5], ("d", "kim", 50, 56, "x")]
    result = ga.rounds({"March": march, "June": june}, extents="join", **QUICK)
    assert [row.gamma.reason for row in result.rounds] == ["no document has two annotators"] * 2
    assert result.differences == ()
    assert 0 < result.retests[0].itself.value < 1
    assert not result.retests[0].first_others.is_available


def test_rounds_without_a_shared_document_are_independent():
    result = ga.rounds({"one": made(range(5), 0.2, 1), "two": made(range(5, 10), 0.2, 2)}, **QUICK)
    assert [row.shared for row in result.differences] == [0, 0]
    assert all(row.documents == 0 for row in result.retests)  # nobody annotated a document twice


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "rounds.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["document", "annotator", "guideline", "start", "end", "category"])
        for name, corpus in ROUNDS.items():
            for document in corpus.documents:
                for unit in corpus[document].units():
                    writer.writerow([document, unit.annotator, name, unit.start, unit.end, unit.category])
    return path


def test_a_column_names_the_rounds_of_a_table(table):
    result = ga.rounds(table, by="guideline", extents="join", **QUICK)
    assert [(row.name, row.documents, row.units) for row in result.rounds] == [
        (name, len(corpus), corpus.n_units) for name, corpus in ROUNDS.items()
    ]
    lines = table.read_text().splitlines()
    table.write_text("\n".join([lines[0], *lines[:0:-1]]))
    assert ga.rounds(table, by="guideline", extents="join", **QUICK).to_dict() == result.to_dict()


def test_the_command_prints_rounds_and_takes_several_paths(table, tmp_path):
    quick = ["--samples", 4, "--replicates", 199, "--extents", "join", "--quiet"]
    done = run("compare", table, "--by", "guideline", *quick, "--json")
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    expected = ga.rounds(table, by="guideline", extents="join", **QUICK).to_dict()
    assert printed["rounds"] == json.loads(json.dumps(expected))["rounds"]
    for name, corpus in ROUNDS.items():
        ga.write(corpus, tmp_path / name)
    text = run("compare", *(tmp_path / name for name in ROUNDS), *quick).stdout
    assert text.startswith("Agreement in each round")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--by", "guidline"], "guidline"),
        (["--by", "guideline"], "--extents join"),
        (["--by", "guideline", "--coefficients", "unitizing-alpha"], "gamma alone"),
        (["--by", "guideline", "--first", "1"], "--first"),
    ],
)
def test_what_rounds_cannot_do_is_said(table, arguments, message):
    done = run("compare", table, *arguments)
    assert done.returncode in (2, 3)
    assert message in done.stderr


def test_one_round_is_refused():
    with pytest.raises(ga.SettingsError, match="only one"):
        ga.rounds({"v1": ROUNDS["v1"]})
