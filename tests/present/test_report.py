"""Reports as text and CSV."""

from __future__ import annotations

import ast
import csv
import io
import math
import re
from pathlib import Path

import numpy as np
import pytest

import gamma_align
from gamma_align.alignment.align import Alignment, align
from gamma_align.data.continuum import Continuum
from gamma_align.data.wording import counted, display_width, label_text, number, printable, span
from gamma_align.measures.gamma.gamma_result import DocumentResult, GammaResult, GammaValue
from gamma_align.present.alignment_text import alignment_text
from gamma_align.present.gamma_tables import measure_table
from gamma_align.present.listing import Listing
from gamma_align.present.units_text import gamma_text
from gamma_align.present.writers.data import csv_rows, csv_text
from gamma_align.present.writers.lines import aligned_lines

NOTHING = GammaValue.unavailable("no pair of units qualifies")


def gamma_csv(measured):
    return csv_text(csv_rows(measure_table(measured)))


def make_document(name, gamma, **changes):
    fields = {
        "document": name,
        "annotators": 3,
        "units": 12,
        "samples": 30,
        "alignments": 5,
        "pair_samples": 0,
        "optimal": True,
        "gap": 0.0,
        "gamma": gamma,
        "gamma_cat": NOTHING,
    }
    return DocumentResult(**{**fields, **changes})


def make_result(*documents, gamma=None, gamma_k=None):
    return GammaResult(
        gamma=gamma or GammaValue(0.5, 0.4, 0.6),
        gamma_cat=NOTHING,
        gamma_k=gamma_k or {"PER": GammaValue(0.75, 0.7, 0.8), "LOC": NOTHING},
        documents=tuple(documents),
        settings={"alpha": 1.0},
        signature="γ|n:3|α:1|seed:0",
    )


def test_each_document_has_a_line_with_its_numbers():
    lines = gamma_text(
        make_result(make_document("talk-1", GammaValue(0.51, 0.45, 0.57)), make_document("b", NOTHING))
    ).splitlines()
    lines = lines[next(index for index, line in enumerate(lines) if line.startswith("document ")) :]
    first, second = lines[2], lines[1]  # by name
    assert first.split() == [
        *("talk-1", "3", "12", "30", "0.5100", "[0.4500,", "0.5700]"),
        *("NA", "(no", "pair", "of", "units", "qualifies)", "0", "0"),
    ]
    assert second.split()[:6] == ["b", "3", "12", "30", "NA", "(no"]
    assert first.index("NA (") == second.rindex("NA (")


def test_corpus_has_gamma_gamma_cat_and_all_categories():
    text = gamma_text(make_result(make_document("a", GammaValue(0.5))))
    assert "corpus of 1 document\n" in text
    block = text[text.index("corpus of") :]
    assert "γ          0.5000 [0.4000, 0.6000]" in block
    assert "γcat       NA (no pair of units qualifies)" in block
    assert "γk    PER  0.7500 [0.7000, 0.8000]" in block
    assert "      LOC  NA (no pair of units qualifies)" in block


def test_signature_is_the_last_line():
    assert gamma_text(make_result(make_document("a", GammaValue(0.5)))).splitlines()[-1] == "γ|n:3|α:1|seed:0"


def test_report_states_whether_alignments_are_proven_optimal():
    proven = make_document("a", GammaValue(0.5))
    open_ = make_document("b", GammaValue(0.5), optimal=False, gap=0.0312)
    assert "is proven optimal" in gamma_text(make_result(proven))
    text = gamma_text(make_result(proven, open_))
    assert "Not every alignment is proven optimal: 1 of 2 documents" in text
    assert text.count("3.12%") == 2  # in its line and in the sentence
    assert "gap" not in gamma_text(make_result(proven))


def test_long_reason_is_one_footnote_under_the_table():
    reason = "all annotators of the document marked the very same units, nothing can differ"
    text = gamma_text(make_result(*(make_document(name, GammaValue.unavailable(reason)) for name in "ab")))
    corpus, table_ = re.split("(?m)^document ", text)
    assert table_.count(reason) == 1
    assert table_.count("NA (1)") == 2
    assert f"(1) not available: {reason}" in table_
    assert reason not in corpus


def listed_documents(text):
    return [line.split()[0] for line in text.splitlines() if line.startswith("d") and line[1].isdigit()]


def make_document_with_disorder(name, gamma, disorder):
    """Return a document of which the unitary alignments have a disorder in all."""
    plain = make_document(name, GammaValue(gamma))
    observed = disorder * plain.annotators / plain.units
    return make_document(name, GammaValue(gamma, observed=observed))


def test_many_documents_are_cut_to_the_largest_shares_of_the_disorder():
    documents = [make_document_with_disorder(f"d{index:02}", gamma=index / 100, disorder=index) for index in range(41)]
    documents[40] = make_document("d40", NOTHING)
    text = gamma_text(make_result(*documents))
    assert listed_documents(text) == [f"d{index:02}" for index in range(39, 29, -1)]
    assert "the 10 documents with the largest share of the disorder; 31 left out (CSV and JSON have all)" in text
    by_value = gamma_text(make_result(*documents), Listing("value"))
    assert listed_documents(by_value) == [f"d{index:02}" for index in range(10)]
    assert "the 10 documents of the lowest γ; 31 left out" in by_value


def test_worst_documents_come_first_or_alone_on_request():
    documents = [make_document_with_disorder(f"d{index}", 1 - index / 100, (index * 2) % 5) for index in range(5)]
    documents[2] = make_document("d2", NOTHING)

    def shown(listing):
        return listed_documents(gamma_text(make_result(*documents), listing))

    assert shown(Listing()) == ["d0", "d1", "d2", "d3", "d4"]
    assert shown(Listing("value")) == ["d4", "d3", "d1", "d0", "d2"]
    assert shown(Listing("share")) == ["d4", "d1", "d3", "d0", "d2"]
    assert shown(Listing(worst=2)) == ["d4", "d1"]
    assert shown(Listing("value", worst=2)) == ["d4", "d3"]


def test_forty_documents_are_all_shown():
    text = gamma_text(make_result(*(make_document(f"d{index:02}", GammaValue(0.5)) for index in range(40))))
    assert sum(line.startswith("d") and line[1].isdigit() for line in text.splitlines()) == 40
    assert "left out" not in text


def test_many_categories_are_cut_to_the_first():
    text = gamma_text(
        make_result(make_document("a", GammaValue(0.5)), gamma_k={f"k{at:03}": GammaValue(0.5) for at in range(43)})
    )
    assert "k039" in text
    assert "k040" not in text
    assert "and 3 more categories" in text


def test_report_of_no_documents_is_valid():
    text = gamma_text(make_result(gamma=NOTHING))
    assert text.startswith("corpus of 0 documents\n")
    assert "γ          NA (no pair of units qualifies)" in text


def test_labels_cannot_break_lines_or_drive_the_terminal():
    evil = "a\nb\x1b[31m\u202e"
    text = gamma_text(make_result(make_document(evil, GammaValue(0.5)), gamma_k={evil: GammaValue(0.5)}))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert text.count(r"a\nb\x1b[31m\u202e") == 2


def test_csv_has_a_row_for_each_document_and_the_corpus():
    text = gamma_csv(
        make_result(
            make_document('q "1", x\r', GammaValue(0.5, 0.4, 0.6)),
            make_document("b", NOTHING, gap=0.5, optimal=False),
        )
    )
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [(row["level"], row["document"]) for row in rows] == [
        ("document", 'q "1", x\r'),
        ("document", "b"),
        *[("corpus", "")] * 3,
    ]
    assert [row["category"] for row in rows] == ["", "", "", "PER", "LOC"]
    first, second, corpus, per, loc = rows
    assert (per["gamma_k"], per["gamma_k_low"], per["gamma_k_pairs"]) == ("0.75", "0.7", "0")
    assert (loc["gamma_k"], loc["gamma_k_reason"]) == ("", "no pair of units qualifies")
    assert (per["gamma"], per["units"], first["gamma_k"]) == ("", "", "")
    assert (first["gamma"], first["gamma_low"], first["gamma_high"]) == ("0.5", "0.4", "0.6")
    assert (first["gamma_cat"], first["gamma_cat_reason"]) == ("", "no pair of units qualifies")
    assert (first["optimal"], first["gap"], first["gamma_reason"]) == ("true", "0.0", "")
    assert (second["gamma_observed"], second["gamma"], second["gamma_reason"]) == (
        "",
        "",
        "no pair of units qualifies",
    )
    assert (second["optimal"], second["gap"]) == ("false", "0.5")
    assert (corpus["units"], corpus["samples"], corpus["optimal"], corpus["gap"]) == (
        "24",
        "60",
        "false",
        "0.5",
    )
    assert (corpus["annotators"], corpus["gamma_observed"], corpus["gamma"]) == ("", "", "0.5")


def test_csv_numbers_are_exact():
    value = 0.1 + 0.2
    row, *_ = csv.DictReader(io.StringIO(gamma_csv(make_result(make_document("a", GammaValue(value, expected=1 / 3))))))
    assert float(row["gamma"]) == value
    assert float(row["gamma_expected"]) == 1 / 3


def make_alignment(annotators, *, optimal=True):
    records = [(who, 19, 25, "5") for who in annotators] + [(annotators[0], -3.5, 2, None)]
    continuum = Continuum.from_records(records, document="talk-3", annotators=[*annotators, "Zoë"])
    groups = np.asarray([0, *[1] * len(annotators)])
    return Alignment(continuum, groups, np.asarray([1.0, 0.125]), 0.75, 0.75 if optimal else 0.6, optimal)


def test_alignment_is_a_table():
    lines = alignment_text(make_alignment(["Ann", "Paul"])).splitlines()
    assert lines[0] == "document talk-3: 3 annotators, 3 units, 2 unitary alignments"
    assert lines[1] == "disorder 0.750000, bound 0.750000, gap 0: proven optimal"
    assert lines[3].split() == ["disorder", "Ann", "Paul", "Zoë"]
    assert lines[4].split() == ["1", "1.0000", "-3.5", "–", "2", "–", "–"]
    assert lines[5].split() == ["2", "0.1250", "19–25", "5", "19–25", "5", "–"]
    assert lines[3].index("Paul") == lines[5].rindex("19–25")


def test_disagreements_list_unitary_alignments_with_disorder_and_their_text_the_worst_first():
    text = "Anna met Ben in Rome, and they went on to Paris by train"
    records = [("ann", 0, 4, "PER"), ("ann", 9, 12, "PER"), ("ann", 16, 20, "LOC")]
    records += [("ben", 0, 4, "PER"), ("ben", 9, 12, "LOC"), ("ben", 26, 56, None)]
    alignment = align(Continuum.from_records(records))
    lines = alignment_text(alignment, disagreements=True, text=text).splitlines()[4:]
    costs = [float(line.split()[1]) for line in lines]
    assert costs == sorted((cost for cost in alignment.unitary_disorders if cost > 0), reverse=True)
    assert len(lines) == len(alignment) - 1
    assert sum("“Rome”" in line for line in lines) == 1
    assert sum("9–12 PER “Ben”" in line and "9–12 LOC “Ben”" in line for line in lines) == 1
    assert not any("Anna" in line for line in lines)
    assert "“they went on to Paris by train”" in alignment_text(alignment, disagreements=True, text=text)


def test_alignment_without_disorder_has_no_disagreement():
    alignment = align(Continuum.from_records([("ann", 0, 4, "x"), ("ben", 0, 4, "x")]))
    assert "no disagreement" in alignment_text(alignment, disagreements=True)


def test_an_unproven_alignment_states_its_gap():
    text = alignment_text(make_alignment(["Ann", "Paul"], optimal=False))
    assert "bound 0.600000, gap 20.00%: not proven optimal" in text


def test_alignment_of_many_annotators_is_a_list():
    text = alignment_text(make_alignment([f"annotator-{index:02}" for index in range(20)]))
    assert max(map(len, text.splitlines())) <= 118
    lines = text.splitlines()
    assert lines[3] == "  1  disorder 1.0000"
    assert lines[4] == "     annotator-00  -3.5 – 2"
    assert lines[5].startswith("     – Zoë, annotator-01, annotator-02, ")
    assert "     annotator-19  19–25 5" in lines
    assert lines[-1] == "     – Zoë"


def test_alignment_without_units_has_nothing_to_align():
    continuum = Continuum.from_records([], annotators=["A", "B"], document="d", extent=(0, 1))
    nothing = Alignment(continuum, np.empty(0, dtype=np.int64), np.empty(0), math.nan, math.nan, is_optimal=True)
    assert alignment_text(nothing) == (
        "document d: 2 annotators, 0 units, 0 unitary alignments\nno units: nothing to align\n"
    )


@pytest.mark.parametrize(
    ("text", "width"), [("abc", 3), ("日本", 4), ("e\u0301", 1), ("", 0), ("γcat", 4), ("\u200d", 0)]
)
def test_display_width_counts_wide_letters_twice(text, width):
    assert display_width(text) == width


def test_columns_are_aligned_with_wide_letters():
    lines = aligned_lines([["日本", "1"], ["a", "22"]], right=(1,), indent="> ")
    assert lines == ["> 日本   1", "> a     22"]


@pytest.mark.parametrize(
    ("value", "text"),
    [(19.0, "19"), (19.25, "19.25"), (-0.0, "0"), (0.1 + 0.2, "0.3"), (123456789.125, "123456789.125")],
)
def test_numbers_are_formatted_for_readers(value, text):
    assert number(value) == text


def test_wording_formats_spans_counts_and_labels():
    assert span(-5, -3) == "-5 – -3"
    assert [counted(1, "unit"), counted(0, "unit")] == ["1 unit", "0 units"]
    assert [label_text(None), label_text(""), label_text("x")] == ["", '""', "x"]
    assert printable("naïve \u200d日\t") == "naïve \u200d日\\t"


def test_texts_and_tables_import_no_reader_and_no_application():
    package = Path(gamma_align.__file__).parent / "present"
    imported = {
        (node.module or "", alias.name)
        for path in package.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert ("gamma_align.present.table", "Table") in imported
    others = {entry for entry in imported if entry[0].startswith(("gamma_align.apps", "gamma_align.reading"))}
    assert {name for _, name in others} <= {"Finding", "UnitColumns", "ValidationReport"}
