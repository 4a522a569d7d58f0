"""Results of data that were read wrongly have a note; results of correct data have none."""

from __future__ import annotations

import ast
import json
import re

import numpy as np
import pytest
from command_line import run
from places import CORPORA

import gamma_align as ga
from gamma_align.data.corpus import Corpus
from gamma_align.data.parts import CorpusParts
from gamma_align.data.sanity import DataFacts, low_gamma_notes

WITHOUT_LENGTH = "all 12 units are without length"
OWN_CATEGORY = "each annotator uses one category, and no two use the same"
NO_SHARED_CATEGORY = "no category is used by two annotators"


def any_label(_annotator, index):
    return "xyz"[index % 3]


def make_units(annotators="ab", number=6, length=3, label=any_label, documents=2):
    return [
        (f"d{index % documents}", annotator, 10 * index + shift, 10 * index + shift + length, label(annotator, index))
        for shift, annotator in enumerate(annotators)
        for index in range(number)
    ]


def data_notes(units, **options):
    return " | ".join(DataFacts.of(Corpus.from_records(units, **options)).notes())


FAULTS = {
    "paragraph numbers": (make_units(length=0), WITHOUT_LENGTH),
    "names as categories": (make_units(label=lambda annotator, _: annotator), OWN_CATEGORY),
    "other names of categories": (
        make_units(label=lambda annotator, index: f"{annotator}{index % 2}"),
        NO_SHARED_CATEGORY,
    ),
    "other names of documents": (
        [*make_units(), *[(f"{unit[0]}.txt", *unit[1:]) for unit in make_units("c")]],
        "annotator 'c' shares no document with another annotator",
    ),
    "spellings of a category": (
        make_units(label=lambda annotator, index: ("x", "Unit_Type" if annotator == "a" else "unit-type")[index % 2]),
        "categories differ in case, blanks and hyphens alone: 'Unit_Type' and 'unit-type'. If",
    ),
    "an annotator's points": (
        [*make_units(), *make_units("cd", length=0)],
        "all units of annotators 'c', 'd' are without length",
    ),
}


@pytest.mark.parametrize(("units", "note"), FAULTS.values(), ids=FAULTS)
def test_all_results_have_the_note_on_a_fault(units, note):
    corpus = Corpus.from_records(units)
    results = [
        ga.gamma(corpus, samples=8),
        ga.unitizing_alpha(corpus),
        ga.families(corpus, samples=8),
        ga.evaluate(corpus, reference="a", measures="spans"),
        ga.pairwise_f1(corpus),
        ga.disagreements(corpus, samples=8),
    ]
    for result in results:
        assert sum(text.startswith(note) for text in result.notes) == 1


@pytest.mark.parametrize("name", ["paragraph numbers", "names as categories"])
def test_note_names_the_compared_annotation(name):
    units, note = FAULTS[name]
    good = Corpus.from_records(make_units())
    compared = ga.compare(good, Corpus.from_records(units), samples=8, names=("A", "B"), extents="join")
    assert next(text for text in compared.notes if note in text).startswith(f"B: {note}")
    assert not any(text.startswith("A: ") for text in compared.notes)


def test_fault_of_the_corpus_is_noted_once_in_an_evaluation():
    notes = ga.evaluate(FAULTS["paragraph numbers"][0], reference="a", samples=8).notes
    assert sum(WITHOUT_LENGTH in text for text in notes) == 1


def test_parts_give_the_notes_of_the_corpus():
    units = [*make_units("ab", label=lambda annotator, _: annotator, documents=3), *make_units("c", 3, 0, documents=3)]
    corpus = Corpus.from_records(units)
    parts = CorpusParts(corpus, 6)
    assert len(parts) > 1
    joined = DataFacts.joined([DataFacts.of(parts[index].corpus) for index in range(len(parts))])
    assert joined.notes() == DataFacts.of(corpus).notes()
    assert ga.gamma(parts, samples=8).notes == ga.gamma(corpus, samples=8).notes
    assert ga.unitizing_alpha(parts).notes == ga.unitizing_alpha(corpus).notes


@pytest.mark.parametrize(
    "units",
    [
        make_units(),
        make_units(label=lambda _annotator, _index: "x"),  # one category that all use
        make_units(label=lambda _annotator, _index: None),
        make_units(number=2, label=lambda annotator, _: annotator),  # too few units for a pattern
        make_units("abc", label=lambda annotator, index: "x" if index == 0 else annotator),
        [*make_units(), ("d0", "c", 5, 5, "x"), ("d1", "c", 5, 5, "x")],  # two points may be a slip
        [*make_units(number=20), *[("other", "c", *unit[2:]) for unit in make_units("c", 4, documents=1)]],
        [("d0", "a", 3, 3, "x"), ("d0", "b", 3, 3, "x")],
    ],
)
def test_correct_data_have_no_note(units):
    assert data_notes(units) == ""


def test_the_cure_of_spellings_makes_them_one_category():
    units = make_units(
        label=lambda annotator, index: ("x", "Unit_Type" if annotator == "a" else "unit-type")[index % 2]
    )
    corpus = Corpus.from_records(units)
    (note,) = DataFacts.of(corpus).notes()
    (argument,) = re.findall(r"labels=(\{.*?\})", note)
    united = corpus.rename(categories=ast.literal_eval(argument))
    assert len(united.categories) == 2
    assert DataFacts.of(united).notes() == ()


def test_annotator_without_units_is_no_sign_of_a_fault():
    seen = [("d0", "a"), ("d1", "a"), ("d0", "c"), ("d1", "c")]
    assert data_notes(make_units("a"), annotations=seen) == ""


@pytest.mark.parametrize("name", sorted(path.name for path in CORPORA.iterdir() if (path / "units.parquet").exists()))
def test_the_corpora_have_no_note_but_on_repeated_units(name):
    facts = DataFacts.of(ga.read(CORPORA / name, outside="extend"))
    n_repeats = {"llm_span_d2t_iaa": 1, "qamr": 1726, "toxic_spans": 65}.get(name, 0)  # as validate counts them
    assert facts.repeats.sum() == n_repeats
    assert [note for note in facts.notes() if "there before" not in note] == []


def test_shifted_positions_give_a_very_low_gamma_and_a_note():
    rng = np.random.default_rng(3)
    records = []
    for document in range(4):
        starts = np.cumsum(rng.integers(14, 20, 12))
        for start in starts.tolist():
            records.append((f"d{document}", "a", start, start + 6, "x"))
            records.append((f"d{document}", "b", start + 7, start + 13, "y"))
    result = ga.gamma(records, samples=20)
    assert result.gamma < -0.5
    (note,) = [text for text in result.notes if "is below -0.5" in text]
    assert note.startswith("γ of 4 of 4 documents is below -0.5: annotators disagree much more than by chance.")
    single = ga.gamma([unit for unit in records if unit[0] == "d0"], samples=20)
    assert any(text.startswith("γ is below -0.5") for text in single.notes)


def test_few_units_or_a_minority_of_documents_with_a_low_gamma_have_no_note():
    units = np.full(4, 20)
    assert list(low_gamma_notes(np.array([-0.9, -0.9, 0.2, 0.1]), units)) == []
    assert list(low_gamma_notes(np.array([-0.9, -0.9, np.nan, 0.1]), units))
    assert list(low_gamma_notes(np.full(3, -0.9), np.full(3, 2))) == []
    assert list(low_gamma_notes(np.array([np.nan]), np.array([50]))) == []


class TestItems:
    def table(self, *columns):
        names = [f"coder{number}" for number in range(1, len(columns) + 1)]
        return ga.ItemTable.from_matrix([list(row) for row in zip(*columns, strict=True)], coders=names)

    def test_a_coder_with_a_category_of_its_own_for_each_item(self):
        table = self.table("abababababab", "ababababbbab", [f"id{number}" for number in range(12)])
        (note,) = [text for text in ga.item_agreement(table).notes if "different categories" in text]
        assert note.startswith("coder 'coder3' has 12 different categories in 12 items. If it is not a coder")
        assert "columns={'item': …}" in note

    def test_coders_with_one_category_each(self):
        table = self.table("aaaaaa", "bbbbbb", "cccccc")
        assert any(text.startswith("each coder uses one category") for text in ga.item_agreement(table).notes)

    @pytest.mark.parametrize(
        "columns",
        [
            ("abab", "abcd"),  # four items are too few to tell
            ("aaaaaa", "aaaaaa"),  # one category that both use
            ("ab", "bb"),
            ("a", "b"),
        ],
    )
    def test_correct_tables_have_no_note(self, columns):
        notes = ga.item_agreement(self.table(*columns)).notes
        assert not any("different categories" in text or "each coder" in text for text in notes)

    def test_measurements_may_all_differ(self):
        table = self.table([float(number) / 7 for number in range(15)], [float(number) / 9 for number in range(15)])
        measured = ga.item_agreement(table, coefficients=["alpha"], distance="interval")
        assert not any("different categories" in text for text in measured.notes)
        assert any("choose a distance" in text for text in ga.item_agreement(table, coefficients=["alpha"]).notes)

    def test_counts_do_not_name_coders(self):
        counts = ga.ItemTable.from_counts([[2, 0], [0, 2], [1, 1]], ["a", "b"])
        assert not any("coder" in text for text in ga.item_agreement(counts).notes)

    def test_the_items_of_the_repository_have_no_note(self):
        notes = ga.item_agreement(ga.read_items(CORPORA / "items" / "dreem_dodh_epochs.parquet"), interval=None).notes
        assert not any("different categories" in text or "each coder" in text for text in notes)


def test_the_command_line_prints_the_note_and_json_has_it(tmp_path):
    rows = "".join(",".join(map(str, unit)) + "\n" for unit in FAULTS["paragraph numbers"][0])
    file = tmp_path / "units.csv"
    file.write_text("document,annotator,start,end,category\n" + rows, encoding="utf-8")
    for command in ("measure", "families", "evaluate"):
        options = ["--reference", "a"] if command == "evaluate" else []
        finished = run(command, file, "--json", "--samples", 8, *options)
        assert f"gamma-align: note: {WITHOUT_LENGTH}" in finished.stderr
        assert any(text.startswith(WITHOUT_LENGTH) for text in json.loads(finished.stdout)["notes"])
