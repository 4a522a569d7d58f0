"""Decisions on places and findings: the consensus follows them, and what no longer fits is said, never guessed."""

from __future__ import annotations

import csv
import io
import json

import pytest
from command_line import run
from places import CORPORA

import gamma_align as ga
from gamma_align.errors import InputError

NOVEL = ga.read(CORPORA / "novels_ner").select(documents="Frankenstein")
SEEN = [("d", name) for name in ("ann", "bob", "cy")]
UNITS = [
    ("d", "ann", 0, 4, "x"),
    ("d", "bob", 0, 5, "x"),
    ("d", "cy", 1, 4, "y"),
    ("d", "ann", 20, 24, "x"),
]
CORPUS = ga.Corpus.from_records(UNITS, annotations=SEEN)
FIRST = [unit for unit in UNITS if unit[2] < 10]
LONE = [UNITS[3]]


def place(units, reading, **rest):
    """Return a decision on the place of some units, as JSON."""
    entries = [{"annotator": name, "start": low, "end": high, "category": label} for _, name, low, high, label in units]
    return {"document": "d", "units": entries, "reading": reading, **rest}


def decided(tmp_path, *decisions, corpus=CORPUS, **options):
    path = tmp_path / "decisions.json"
    path.write_text(json.dumps({"schema_version": 1, "decisions": decisions}), encoding="utf-8")
    return ga.consensus(corpus, decisions=path, **options)


def units_of(result):
    return [(unit.start, unit.end, unit.category, unit.is_decided) for unit in result.units]


READINGS = [
    ({"annotator": "bob"}, [(0, 5, "x", True)]),
    ({"annotator": "cy"}, [(1, 4, "y", True)]),
    ({"others": "cy"}, [(0, 4, "x", True)]),  # bounds in whole numbers: the lower median
    ({"unit": {"start": 0, "end": 6, "category": "new"}}, [(0, 6, "new", True)]),
    ({"unit": {"start": 0, "end": 6}}, [(0, 6, None, True)]),
    ({"unit": None}, []),
    (None, [(0, 4, "x", False)]),
]


@pytest.mark.parametrize(("reading", "expected"), READINGS)
def test_the_reading_of_a_decision_holds_at_its_place(tmp_path, reading, expected):
    result = decided(tmp_path, place(FIRST, reading))
    assert units_of(result) == expected
    assert [row.state for row in result.decisions] == ["noted" if reading is None else "settled"]
    # nothing else changes
    assert [(unit.start, unit.end, unit.votes) for unit in result.voted_out if unit.start == 20] == [(20, 24, 1)]


def test_a_place_that_was_voted_out_becomes_a_unit(tmp_path):
    result = decided(tmp_path, place(LONE, {"annotator": "ann"}))
    assert units_of(result) == [(0, 4, "x", False), (20, 24, "x", True)]
    assert result.voted_out == ()
    assert "|decided:1|" in result.signature


def test_someone_without_a_unit_there_says_that_there_is_none(tmp_path):
    result = decided(tmp_path, place(LONE, {"annotator": "bob"}), votes=1)
    assert units_of(result) == [(0, 4, "x", False)]


def test_the_tables_of_annotators_follow_the_decisions(tmp_path):
    before, after = ga.consensus(CORPUS), decided(tmp_path, place(FIRST, {"annotator": "cy"}))
    quality = {row.annotator: row.quality for row in before.annotators}
    assert quality == {"ann": 0.5, "bob": 1.0, "cy": 0.5}
    assert {row.annotator: row.quality for row in after.annotators} == {"ann": 0.0, "bob": 0.5, "cy": 1.0}


def test_the_consensus_is_a_corpus_again(tmp_path):
    reading = {"unit": {"start": 2, "end": 3, "category": "a"}}
    result = decided(tmp_path, place(FIRST, reading), place(LONE, {"annotator": "ann"}))
    assert [(unit.start, unit.category) for unit in result.corpus["d"].units()] == [(2, "a"), (20, "x")]
    assert [(unit.start, unit.category) for unit in result.units] == [(2, "a"), (20, "x")]


def test_decisions_that_no_longer_fit_have_no_effect_and_are_noted(tmp_path):
    gone = place([("d", "ann", 50, 51, "x")], {"annotator": "ann"})
    apart = place([UNITS[0], UNITS[3]], {"annotator": "ann"})
    elsewhere = {**place(LONE, {"annotator": "ann"}), "document": "e"}
    result = decided(tmp_path, gone, apart, elsewhere, place(LONE, {"annotator": "ann"}))
    assert [row.state for row in result.decisions] == ["not found", "not found", "not found", "settled"]
    assert any("decisions without effect" in note and "3 of 4, the first on d 50-51" in note for note in result.notes)


def test_a_unit_that_an_annotator_has_twice_is_decided_twice(tmp_path):
    corpus = ga.Corpus.from_records([LONE[0], LONE[0]], annotations=SEEN)
    decision = place(LONE, {"annotator": "ann"})
    assert len(decided(tmp_path, decision, decision, corpus=corpus).units) == 2


INVALID = [
    ([place(FIRST, {"annotator": "cyy"})], "decision 1: there is no annotator 'cyy'; did you mean cy?"),
    ([place(LONE, None), place(LONE, None)], "decision 2: decision 1 is about the same place; keep one"),
    ([{"units": []}], "decision 1: the decision needs either 'document' with 'units', or 'finding'"),
    ([place([], None)], "decision 1: 'units' of the decision is empty"),
    ([place(FIRST, {"annotator": "cy", "unit": None})], "has not exactly one of"),
    ([place(FIRST, {"unit": {"start": 5, "end": 2}})], "a unit goes from 5 to 2"),
    (["yes"], "decision 1: the decision is 'yes', not an object"),
    ([{"finding": {"kind": 3}}], "decision 1: 'kind' of the finding is 3, not a string"),
    ([{"finding": {"kind": "words", "stretch": [1]}}], "'stretch' of the finding is not two numbers"),
]


@pytest.mark.parametrize(("decisions", "message"), INVALID)
def test_invalid_decisions_are_refused_with_their_number(tmp_path, decisions, message):
    with pytest.raises(InputError) as raised:
        decided(tmp_path, *decisions)
    assert "decisions.json" in str(raised.value)
    assert message in str(raised.value)


def test_a_reader_must_have_seen_the_document(tmp_path):
    corpus = ga.Corpus.from_records([*UNITS, ("e", "dan", 0, 1, "x")], annotations=[*SEEN, ("e", "dan"), ("e", "ann")])
    with pytest.raises(InputError, match="'dan' did not annotate 'd'; name one of its annotators"):
        decided(tmp_path, place(FIRST, {"annotator": "dan"}), corpus=corpus)


@pytest.mark.parametrize("content", ["[]", "{", '{"schema_version": 2, "decisions": []}', '{"schema_version": 1}'])
def test_other_files_are_refused(tmp_path, content):
    path = tmp_path / "decisions.json"
    path.write_text(content)
    with pytest.raises(InputError, match=r"decisions\.json"):
        ga.read_decisions(path)


@pytest.fixture(scope="module")
def novels():
    return ga.disagreements(NOVEL, samples=3)


@pytest.fixture(scope="module")
def novels_finding(novels):
    return novels.to_settle[0]


def finding_of(found, reading, **rest):
    names = ("kind", "annotator", "documents", "stretch", "labels", "words", "direction")
    return {"finding": {name: getattr(found, name) for name in names}, "reading": reading, **rest}


def test_a_finding_stands_for_all_its_places(tmp_path, novels_finding):
    others = decided(tmp_path, finding_of(novels_finding, {"others": novels_finding.annotator}), corpus=NOVEL)
    own = decided(tmp_path, finding_of(novels_finding, {"annotator": novels_finding.annotator}), corpus=NOVEL)
    assert [row.places for row in others.decisions] == [len(novels_finding.alignments)]
    by_place = {unit.alignment: unit for unit in (*others.units, *others.voted_out)}
    assert all(by_place[number].is_decided for number in novels_finding.alignments.tolist())
    # The annotator leaves words out. Of the two others, more than half have a unit if both have one.
    numbers = set(novels_finding.alignments.tolist())
    assert {unit.alignment for unit in others.units} & numbers == {n for n in numbers if by_place[n].votes == 2}
    assert not {unit.alignment for unit in own.units} & numbers


def test_a_decision_on_a_place_takes_precedence(tmp_path, novels, novels_finding):
    numbers = set(novels_finding.alignments.tolist())
    row = next(row for row in novels.disagreements if row.number in numbers and len(row.units) == 2)
    one = {
        "document": row.document,
        "units": [unit._asdict() for unit in row.units],
        "reading": {"annotator": novels_finding.annotator},
    }
    general = finding_of(novels_finding, {"others": novels_finding.annotator})
    for decisions in ((one, general), (general, one)):
        settled = decided(tmp_path, *decisions, corpus=NOVEL)
        assert row.number in {unit.alignment for unit in settled.voted_out}
        assert [decision.places for decision in settled.decisions if decision.finding] == [len(numbers)]


def test_a_finding_that_is_not_found_again_is_noted(tmp_path, novels_finding):
    entry = finding_of(novels_finding, {"others": novels_finding.annotator})
    entry["finding"]["words"] = ["nobody"]
    result = decided(tmp_path, entry, corpus=NOVEL)
    assert result.decisions[0].state == "not found"
    assert not any(unit.is_decided for unit in result.units)


def test_a_note_alone_needs_no_finding(tmp_path, novels_finding):
    result = decided(tmp_path, finding_of(novels_finding, None, note="no possessives"), corpus=NOVEL)
    assert (result.decisions[0].state, result.decisions[0].note) == ("noted", "no possessives")


def test_models_keep_their_error_rates(tmp_path):
    plain = ga.consensus(CORPUS, weigh="dawid-skene")
    result = decided(tmp_path, place(LONE, {"annotator": "ann"}), weigh="dawid-skene")
    assert result.confusion == plain.confusion
    assert (20, 24, "x", True) in units_of(result)
    assert any("weighed without the decisions" in note for note in result.notes)


def test_the_command_writes_the_decided_corpus_for_annotation_tools(tmp_path):
    text = "Anna met Ben in the old town."
    folder = tmp_path / "data"
    for name, line in (("ann", "T1\tPER 0 4\tAnna\n"), ("bob", "T1\tPER 0 4\tAnna\nT2\tPER 9 12\tBen\n")):
        (folder / name).mkdir(parents=True)
        (folder / name / "d.txt").write_text(text)
        (folder / name / "d.ann").write_text(line)
    (tmp_path / "decisions.json").write_text(
        json.dumps(
            {
                "schema_version": 1,
                "decisions": [place([("d", "bob", 9, 12, "PER")], {"annotator": "bob"}, note="=first names count")],
            }
        )
    )
    options = ("--decisions", "decisions.json")
    done = run("consensus", "data", *options, "--decided", "--csv-safe", cwd=tmp_path)
    assert done.returncode == 0
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(row["state"], row["places"], row["reading"]) for row in rows] == [("settled", "1", "bob")]
    assert rows[0]["note"] == "'=first names count"
    for target, fmt, more in (
        ("tasks.json", "labelstudio", {"options": {"predictions": "yes", "document": "data.document"}}),
        ("tsv", "webanno-tsv", {}),
    ):
        done = run("consensus", "data", *options, "-o", target, "--to", fmt, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        corpus = ga.read(tmp_path / target, **more)
        units = [(unit.start, unit.end, unit.category) for name in corpus for unit in corpus[name].units()]
        assert units == [(0, 4, "PER"), (9, 12, "PER")]
    refused = run("consensus", "data", *options, "-o", "decisions.json", "--to", "labelstudio", cwd=tmp_path)
    assert refused.returncode == 2
