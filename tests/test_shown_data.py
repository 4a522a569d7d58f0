"""Data in notebooks and as data frames."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest
from places import CORPORA

import gamma_align as ga

UNITS = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 5, None), ("d2", "ann", 2, 5, "<b>"), ("d2", "bob", 2, 6, "x")]
CORPUS = ga.Corpus.from_records(UNITS)
ITEMS = ga.ItemTable.from_columns({"item": ["i1", "i2"], "ann": ["x", "<b>"], "bob": ["x", None]})


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_corpus_goes_through_a_frame(backend):
    assert ga.read(CORPUS.to_frame(backend)) == CORPUS
    assert ga.ItemTable.from_frame(ITEMS.to_frame(backend)).rows() == ITEMS.rows()


def test_the_frame_of_a_corpus_has_a_row_for_each_unit():
    frame = CORPUS.to_frame("polars")
    assert frame.columns == ["document", "annotator", "start", "end", "category"]
    assert frame.rows() == [(*unit[:2], float(unit[2]), float(unit[3]), unit[4]) for unit in UNITS]
    assert CORPUS["d2"].to_frame("polars").rows() == frame.rows()[2:]


def test_items_are_a_row_each_and_numbers_stay_numbers():
    frame = ga.ItemTable.from_matrix([[1, 2], [2, None]]).to_frame("polars")
    assert frame.columns == ["1", "2"]
    assert frame.rows() == [(1.0, 2.0), (2.0, None)]
    assert ITEMS.to_frame()["item"].tolist() == ["i1", "i2"]


def test_a_validation_report_has_a_row_for_each_problem_and_finding():
    report = ga.validate(pd.DataFrame({"annotator": ["a", "b"], "start": [0, 9], "end": [4, 5]}))
    frame = report.to_frame("polars")
    assert frame.filter(pl.col("kind") == "problem")["message"].to_list() == [str(report.problems[0])]
    findings = frame.filter(pl.col("kind") == "finding")
    assert findings["name"].to_list() == [finding.name for finding in report.findings]


@pytest.mark.parametrize(
    ("data", "caption"),
    [
        (CORPUS, "Corpus: documents 2, annotators 2, categories 2, units 4"),
        (CORPUS["d2"], "Continuum &#x27;d2&#x27;: annotators 2, units 2"),
        (ITEMS, "ItemTable: items 2, coders 2, categories 2"),
    ],
    ids=["corpus", "continuum", "items"],
)
def test_a_notebook_shows_sizes_and_rows_escaped(data, caption):
    html = data._repr_html_()
    assert html.startswith(f"<table><caption>{caption}</caption>")
    assert "<td>&lt;b&gt;</td>" in html
    assert "<b>" not in html


def test_a_notebook_shows_the_first_rows_of_many():
    html = ga.read(CORPORA / "btc_crowd")._repr_html_()
    assert html.count("<tr>") == 22
    assert len(html) < 5_000
    assert "more</td>" in html


def test_notebook_shows_problems_and_findings():
    html = ga.validate(CORPUS)._repr_html_()
    assert "ValidationReport: files 0, problems 0, notes 0, units 4" in html


class TestAlignments:
    def test_a_corpus_of_many_documents_is_aligned_as_each_of_them(self):
        result = ga.align(CORPUS)
        assert [*result] == ["d1", "d2"]
        assert result["d2"] == ga.align(CORPUS["d2"])
        with pytest.raises(KeyError, match="no document 'd3'"):
            result["d3"]
        assert len(result) == 2
        assert repr(result) == "<Alignments documents 2, unitary alignments 2>"

    def test_the_frame_has_a_row_for_each_unit_of_each_document(self):
        frame = ga.align(CORPUS).to_frame("polars")
        assert frame.columns == ["document", "unitary_alignment", "annotator", "start", "end", "category"]
        assert frame["document"].to_list() == ["d1", "d1", "d2", "d2"]
        assert frame["unitary_alignment"].to_list() == [0, 0, 0, 0]
        assert frame.drop("document", "unitary_alignment").rows() == [
            (unit[1], float(unit[2]), float(unit[3]), unit[4]) for unit in UNITS
        ]

    def test_json_has_each_document(self):
        documents = ga.align(CORPUS).to_dict()["documents"]
        assert documents == [ga.align(CORPUS[name]).to_dict() for name in CORPUS]

    def test_one_document_is_one_alignment(self):
        assert isinstance(ga.align(CORPUS.select(documents="d1")), ga.Alignment)
