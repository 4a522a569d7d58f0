"""`evaluate` and its command: counts, cases, γ and uα of each system, notes and refusals."""

from __future__ import annotations

import csv
import io
import json

import pytest
from command_line import run
from places import CORPORA

import gamma_align as ga
from gamma_align.measures.reference.reference_options import KINDS
from gamma_align.present.writers.json_text import json_pieces
from gamma_align.requests.shell import COMMAND_LINE

NOVELS = CORPORA / "novels_ner"
UNITS = [
    ("d1", "gold", 0, 4, "PER"),
    ("d1", "gold", 6, 9, "LOC"),
    ("d1", "gold", 12, 15, "PER"),
    ("d1", "gold", 20, 22, "ORG"),
    ("d1", "ann", 0, 4, "PER"),
    ("d1", "ann", 6, 10, "LOC"),
    ("d1", "ann", 12, 15, "ORG"),
    ("d1", "ann", 30, 32, "PER"),
    ("d2", "gold", 1, 5, "PER"),
    ("d2", "bob", 2, 5, "LOC"),
    ("d3", "ann", 0, 3, "PER"),
]
CASES = [
    ("correct", "d1", (0, 4, "PER"), (0, 4, "PER")),
    ("boundary", "d1", (6, 9, "LOC"), (6, 10, "LOC")),
    ("label", "d1", (12, 15, "PER"), (12, 15, "ORG")),
    ("missed", "d1", (20, 22, "ORG"), None),
    ("spurious", "d1", None, (30, 32, "PER")),
]


def test_each_count_is_the_number_of_cases_of_its_kind():
    corpus = ga.Corpus.from_records(UNITS)
    ann, bob = ga.evaluate(corpus, reference="gold", measures="spans", cases=True).systems
    assert [(case.kind, case.document, case.reference, case.system) for case in ann.cases] == CASES
    assert [case.kind for case in bob.cases] == ["both"]
    for system in (ann, bob):
        assert system.counts == {kind: sum(case.kind == kind for case in system.cases) for kind in KINDS}
        for case in system.cases:
            for row, bounds in ((case.reference_unit, case.reference), (case.system_unit, case.system)):
                assert (row is None) == (bounds is None)
                if row is not None:
                    assert (corpus.start[row], corpus.end[row]) == bounds[:2]
                    assert corpus.categories[corpus.category[row]] == bounds[2]


def test_cases_of_the_requested_kinds_are_listed():
    ann = ga.evaluate(UNITS, reference="gold", measures="spans", cases=("missed", "label")).systems[0]
    assert [case.kind for case in ann.cases] == ["label", "missed"]
    assert ga.evaluate(UNITS, reference="gold", measures="spans").systems[0].cases == ()


def test_agreement_equals_gamma_and_alpha_of_the_reference_and_the_system():
    corpus = ga.read(NOVELS).select(documents=["Emma", "Ulysses", "Dracula"])
    settings = {"samples": 5, "seed": 3, "alpha": 2.0}
    result = ga.evaluate(corpus, reference="user3", **settings)
    for system in result.systems:
        pair = corpus.select(annotators=["user3", system.system])
        gamma = ga.gamma(pair, **settings)
        expected = {"gamma": gamma.gamma, "gamma_cat": gamma.gamma_cat, "u": ga.unitizing_alpha(pair).u}
        assert system.agreement == expected
        assert system.gamma_signature == gamma.signature


def test_gamma_is_measured_on_documents_that_both_annotators_saw():
    result = ga.evaluate(UNITS, reference="gold", samples=5)
    assert [(system.system, system.documents) for system in result.systems] == [("ann", 1), ("bob", 1)]
    assert "do not count: 1" in " ".join(result.notes)
    only = ga.gamma([unit for unit in UNITS if unit[0] == "d1"], samples=5).gamma
    assert result.systems[0].agreement["gamma"] == only


def test_alpha_is_not_available_if_units_overlap():
    units = [*UNITS, ("d1", "ann", 0, 2, "PER")]
    ann, bob = ga.evaluate(units, reference="gold", measures="unitizing-alpha").systems
    assert ann.agreement["u"].reason == "units of one annotator overlap"
    assert bob.agreement["u"].is_available


def test_measures_that_are_not_requested_are_absent():
    system = ga.evaluate(UNITS, reference="gold", measures="diarization").systems[0]
    assert (system.spans, system.agreement, system.segmentation) == ({}, {}, None)
    assert system.diarization is not None


REFUSED = {
    "reference: there is no annotator 'golden'; did you mean 'gold'": {"reference": "golden"},
    "measures: 'span' is not one of spans, gamma": {"measures": "span"},
    "measures: there is none; choose from spans, gamma": {"measures": ()},
    "cases: 'wrong' is not one of correct, boundary": {"cases": "wrong"},
    "iou must be above 0": {"iou": 0},
    "zero_division must be": {"zero_division": 0.5},
    "collar must be 0 or more": {"collar": -1.0},
}


@pytest.mark.parametrize("message", REFUSED)
def test_settings_out_of_range_are_refused(message):
    with pytest.raises(ga.SettingsError, match=message):
        ga.evaluate(UNITS, **{"reference": "gold", **REFUSED[message]})


def test_reference_without_shared_documents_is_refused():
    units = [*UNITS, ("d9", "solo", 0, 3, "PER")]
    with pytest.raises(ga.InputError, match="nobody else annotated a document that 'solo' annotated"):
        ga.evaluate(units, reference="solo")


def test_data_frame_has_one_row_per_system():
    frame = ga.evaluate(UNITS, reference="gold", measures="spans,unitizing-alpha").to_frame()
    assert list(frame["system"]) == ["ann", "bob"]
    assert list(frame["strict_f1"]) == [0.25, 0.0]
    assert {"missed", "partial_precision", "type_macro_f1", "u", "u_reason"} <= set(frame.columns)


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "units.csv"
    rows = [("document", "annotator", "start", "end", "category"), *UNITS]
    file.write_text("".join(",".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")
    return file


def as_printed(result):
    return json.loads("".join(json_pieces(result.to_dict(), COMMAND_LINE)))


def test_command_prints_the_result_of_evaluate(path):
    done = run("evaluate", path, "--reference", "gold", "--samples", 5, "--cases", "label,missed", "--json")
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    result = ga.evaluate(path, reference="gold", samples=5, cases=("label", "missed"))
    assert printed == as_printed(result)
    assert [case["kind"] for case in printed["systems"][0]["cases"]] == ["label", "missed"]


def test_text_has_counts_values_labels_and_cases(path):
    done = run("evaluate", path, "--reference", "gold", "--samples", 5, "--cases", "missed")
    lines = done.stdout.splitlines()
    assert lines[:2] == [
        "reference: gold",
        "system  documents  units  reference  correct  boundary  label  both  missed  spurious",
    ]
    assert lines[2].split() == ["ann", "1", "4", "4", "1", "1", "1", "0", "1", "1"]
    names = ["strict", "exact", "partial", "type", "relaxed", "characters", "credit", "γ", "γcat", "uα"]
    assert names in [line.split() for line in lines]
    assert ["missed", "d1", "20–22", "ORG"] in [line.split() for line in lines]
    assert ["all", "4", "4", "0.2500", "0.2500", "0.2500"] in [line.split() for line in lines]


@pytest.mark.parametrize("measures", ["spans", "gamma,unitizing-alpha", "spans,diarization"])
def test_csv_has_one_row_per_system_and_per_label(path, measures):
    done = run("evaluate", path, "--reference", "gold", "--samples", 5, "--measures", measures, "--csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    result = ga.evaluate(path, reference="gold", samples=5, measures=measures)
    expected = [(system.system, label.category) for system in result.systems for label in system.labels]
    assert [(row["system"], row["category"]) for row in rows if row["level"] == "label"] == expected
    for row, system in zip([row for row in rows if row["level"] == "system"], result.systems, strict=True):
        assert None not in row.values()
        values = {f"{name}_f1": score.f1 for name, score in system.spans.items()} | dict(system.agreement)
        for name, value in values.items():
            assert row[name] == (repr(value.value) if value.is_available else "")
        if system.diarization is not None:
            assert row["der"] == repr(system.diarization.der.value)


def test_command_without_a_reference_prints_pairwise_f1(path):
    done = run("evaluate", path)
    assert done.returncode == 0
    result = ga.pairwise_f1(path)
    assert json.loads(run("evaluate", path, "--json").stdout) == as_printed(result)
    assert ["ann", "gold", "1", "4", "4", "0.2500"] in [line.split()[:6] for line in done.stdout.splitlines()]
    rows = list(csv.DictReader(io.StringIO(run("evaluate", path, "--csv").stdout)))
    assert [row["level"] for row in rows] == ["pair", "pair", "mean", "pooled"]
    assert rows[-1]["strict_f1"] == repr(result.pooled["strict"].value)


@pytest.mark.parametrize("option", [("--measures", "spans,gamma"), ("--cases", "missed")])
def test_options_that_need_a_reference_are_refused_without_one(path, option):
    done = run("evaluate", path, *option)
    assert done.returncode == 2
    assert "by --reference NAME" in done.stderr


def test_exit_code_is_5_if_an_alignment_is_not_proven_optimal(monkeypatch, path):
    monkeypatch.setattr(
        "gamma_align.requests.evaluate.evaluate",
        lambda *_, **__: ga.Evaluation(
            reference="gold",
            systems=(ga.SystemScore(system="ann", documents=1, reference_units=1, units=1, gap=0.1),),
            settings={},
            signature="",
        ),
    )
    done = run("evaluate", path, "--reference", "gold", "--time-limit", 1)
    assert done.returncode == 5
    assert "not proven optimal after 1 s" in done.stderr


def test_what_at_least_half_of_the_systems_mark_is_scored_as_one_more_system():
    units = [
        ("d", "gold", 0, 4, "x"),
        ("d", "gold", 6, 9, "y"),
        # two of three systems, one of three, all of them with another label
        ("d", "a", 0, 4, "x"),
        ("d", "b", 0, 4, "x"),
        ("d", "c", 6, 9, "y"),
        *[("d", system, 12, 14, "x") for system in "abc"],
        *[("d", system, 6, 9, "x") for system in "ab"],
        # a document that one system saw, and one that the reference did not see
        ("e", "gold", 0, 2, "x"),
        ("e", "a", 0, 2, "x"),
        ("f", "a", 0, 2, "x"),
        ("f", "b", 0, 3, "x"),
    ]
    together = ga.evaluate(units, reference="gold", measures="spans").together
    # half mark (0, 4, x), (12, 14, x), (6, 9, x) and (0, 2, x): of gold's three units, two strictly, three exactly
    assert together["strict"].value == pytest.approx(2 * 2 / (4 + 3))
    assert together["exact"].value == pytest.approx(2 * 3 / (4 + 3))
    # lengths 4 and 2 of 4 + 2 + 3 + 2 and of 4 + 3 + 2
    assert together["characters"].value == pytest.approx(2 * 6 / (11 + 9))


def test_two_systems_have_no_majority_and_other_measures_no_units_to_count():
    assert ga.evaluate(UNITS, reference="gold", measures="spans").together == {}
    units = [("d", name, 0, 4, "x") for name in ("gold", "a", "b", "c")]
    assert ga.evaluate(units, reference="gold", measures="unitizing-alpha").together == {}


def test_scores_against_a_reference_are_no_ceiling_and_those_of_pairs_name_it():
    def names_it(result):
        return [note for note in result.notes if "ga.ceiling" in note]

    (of_reference,) = names_it(ga.evaluate(UNITS, reference="gold", measures="spans"))
    assert "against 'gold' there is no ceiling" in of_reference
    (of_pairs,) = names_it(ga.pairwise_f1(NOVELS))
    score = ga.ceiling(NOVELS).score.another.value
    assert f"between {score:.3f} and {score**0.5:.3f}" in of_pairs
    assert not names_it(ga.evaluate([unit for unit in UNITS if unit[1] != "bob"], reference="gold", measures="spans"))
