"""Measures take what people have: a corpus, a frame, records, spans by annotator, a path."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from places import CORPORA

import gamma_align as ga

ROWS = [
    ("d1", "ann", 0, 4, "x"),
    ("d1", "ann", 6, 9, "y"),
    ("d1", "bob", 1, 5, "x"),
    ("d1", "bob", 6, 8, "x"),
]
COLUMNS = dict(
    zip(("document", "annotator", "start", "end", "category"), map(list, zip(*ROWS, strict=True)), strict=True)
)
DICTS = [dict(zip(COLUMNS, row, strict=True)) for row in ROWS]
CORPUS = ga.gamma(ga.Corpus.from_records(ROWS), samples=20).gamma
SPANS = {"ann": [(0, 4, "x"), (6, 9, "y")], "bob": [{"start": 1, "end": 5, "category": "x"}, (6, 8, "x")]}


@pytest.mark.parametrize(
    "source",
    [
        ga.Corpus.from_records(ROWS),
        ga.Corpus.from_records(ROWS)["d1"],
        ROWS,
        iter(ROWS),
        COLUMNS,
        DICTS,
        pd.DataFrame(COLUMNS),
        pl.DataFrame(COLUMNS),
        pl.LazyFrame(COLUMNS),
        pl.DataFrame(COLUMNS).to_arrow(),
    ],
    ids=lambda source: type(source).__name__,
)
def test_the_same_units_in_any_form_have_the_same_gamma(source):
    assert ga.gamma(source, samples=20).gamma == CORPUS


@pytest.mark.parametrize("source", [SPANS, [row[1:] for row in ROWS]], ids=["spans by annotator", "without document"])
def test_units_without_a_document_are_one_document(source):
    result = ga.gamma(source, samples=20)
    assert [row.document for row in result.documents] == ["continuum"]
    assert result.gamma.observed == CORPUS.observed


def test_path_is_read(tmp_path):
    path = CORPORA / "novels_ner"
    assert ga.unitizing_alpha(path) == ga.unitizing_alpha(ga.read(path))
    pd.DataFrame(COLUMNS).to_csv(tmp_path / "units.csv", index=False)
    assert ga.gamma(tmp_path / "units.csv", samples=20).gamma == CORPUS
    assert ga.align(str(tmp_path / "units.csv")).disorder == ga.align(ROWS).disorder


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (["a", "b"], r"a: there is no such file"),
        (["a", 3], r"gamma\(\) takes a Corpus, .* or one or several paths, not a list of str"),
        (3, r"not an int"),
        ({"ann": 3}, r"not a dict"),
        ([], r"no records"),
        ([1, 2], r"not a list of int"),
        ([{"start": 1}], r"column 'annotator'"),
    ],
)
def test_other_objects_are_refused(source, message):
    with pytest.raises(ga.InputError, match=message):
        ga.gamma(source)


def test_given_alignment_belongs_to_one_document():
    with pytest.raises(ga.InputError, match=r"given_alignment\(\) takes one document, and there are 12"):
        ga.given_alignment(CORPORA / "novels_ner", [])


def test_public_functions_can_be_sent_to_another_process():
    assert pickle.loads(pickle.dumps(ga.gamma)) is ga.gamma  # noqa: S301


class TestPairwise:
    UNITS = (*ROWS, ("d2", "ann", 0, 3, "x"), ("d2", "cy", 0, 3, "y"), ("d3", "cy", 2, 3, "y"))

    def test_each_pair_is_measured_on_the_documents_that_both_saw(self):
        corpus = ga.Corpus.from_records(self.UNITS)
        result = ga.pairwise(corpus, samples=20, seed=3)
        assert list(result.pairs) == [("ann", "bob"), ("ann", "cy")]
        single = ga.gamma(corpus.select(documents="d2", annotators=["ann", "cy"]), samples=20, seed=3)
        assert result.pairs["ann", "cy"].gamma == single.gamma
        assert result.pairs["ann", "bob"].gamma == ga.gamma(ROWS, samples=20, seed=3).gamma

    def test_matrix_and_frame(self):
        result = ga.pairwise(self.UNITS, samples=20)
        matrix = result.matrix()
        np.testing.assert_array_equal(matrix, matrix.T)
        assert np.isnan(matrix.diagonal()).all()
        assert matrix[0, 1] == result.pairs["ann", "bob"].gamma
        frame = result.to_frame()
        assert frame[["first", "second", "documents"]].to_numpy().tolist() == [["ann", "bob", 1], ["ann", "cy", 1]]
        assert frame["gamma"].tolist() == [matrix[0, 1], matrix[0, 2]]

    def test_unknown_setting_is_refused(self):
        with pytest.raises(ga.SettingsError, match="no setting 'sample'; did you mean samples or sampler"):
            ga.pairwise(ROWS, sample=3)


class TestAnAnnotatorWhoMarksNothing:
    GOLD = (("gold", 0, 4, "x"), ("gold", 6, 8, "y"))
    SPANS = {"gold": [span[1:] for span in GOLD], "sys": []}  # noqa: RUF012  (never changed)

    def test_an_empty_list_declares_the_annotator(self):
        declared = ga.Continuum.from_records(self.GOLD, annotators=["gold", "sys"])
        assert ga.gamma(self.SPANS, samples=20).gamma == ga.gamma(declared, samples=20).gamma
        assert ga.gamma(self.SPANS, samples=20).gamma.observed == 2
        assert ga.unitizing_alpha(self.SPANS) == ga.unitizing_alpha(declared)
        assert ga.align(self.SPANS).disorder == 2
        assert list(ga.pairwise(self.SPANS, samples=20).pairs) == [("gold", "sys")]
        assert [score.first for score in ga.pairwise_f1(self.SPANS).pairs] == ["gold"]
        assert len(ga.disagreements(self.SPANS, samples=20).disagreements) == 2
        assert ga.consensus(self.SPANS).corpus.n_units == 0
        assert ga.compare(self.SPANS, self.SPANS, samples=20).documents[0].document == "continuum"
        assert ga.families(self.SPANS, samples=20).unitizing.u == ga.unitizing_alpha(declared).u

    def test_system_without_units_has_recall_0_and_no_precision(self):
        scores = ga.evaluate(self.SPANS, reference="gold", samples=20).systems[0].spans["strict"]
        assert scores.recall == 0
        assert scores.precision.reason == "the system has no unit"

    def test_reference_without_units_has_no_recall(self):
        scores = ga.evaluate(self.SPANS, reference="sys", samples=20).systems[0].spans["strict"]
        assert scores.precision == 0
        assert scores.recall.reason == "the reference has no unit"

    def test_data_without_units_have_the_reason_no_units(self):
        nothing = {"gold": [], "sys": []}
        assert ga.gamma(nothing).gamma.reason == "no units"
        assert ga.unitizing_alpha(nothing).u.reason == "no units"
        assert "1 of 1 documents have no units" in " ".join(ga.evaluate(nothing, reference="gold").notes)

    def test_spans_by_document_and_annotator(self):
        spans = {
            "d1": {"ann": [(0, 4, "x")], "ben": [{"start": 1, "end": 4, "category": "x"}]},
            "d2": {"ann": [(0, 4, "x")], "ben": []},
            "d3": {"ann": [], "ben": []},
            "d4": {},
        }
        units = [("d1", "ann", 0, 4, "x"), ("d1", "ben", 1, 4, "x"), ("d2", "ann", 0, 4, "x")]
        pairs = [(document, name) for document in ("d1", "d2", "d3") for name in ("ann", "ben")]
        declared = ga.Corpus.from_records(units, annotations=pairs, documents=["d4"])
        assert ga.gamma(spans, samples=20) == ga.gamma(declared, samples=20)
        nobody = ga.gamma({"d1": {"ann": [], "ben": []}})
        assert nobody.gamma.reason == "no units"

    def test_annotator_without_spans_is_refused_if_spans_name_their_documents(self):
        unit = {"start": 0, "end": 4, "category": "x"}
        spans = {"ann": [{**unit, "document": "d1"}, {**unit, "document": "d2"}], "ben": []}
        with pytest.raises(ga.InputError, match="no spans of annotator 'ben', and spans in 2 documents"):
            ga.gamma(spans)
        only = {"ann": [{**unit, "document": "d1"}], "ben": []}
        assert [row.document for row in ga.gamma(only, samples=20).documents] == ["d1"]

    @pytest.mark.parametrize("source", [{"d1": {"ann": 3}}, {"d1": {"ann": [(0, 4)]}, "d2": [(0, 4)]}])
    def test_other_mappings_are_refused(self, source):
        with pytest.raises(ga.InputError, match="not a dict"):
            ga.gamma(source)

    def test_columns_without_rows_are_no_annotators(self):
        with pytest.raises(ga.InputError, match="no records"):
            ga.gamma({"annotator": [], "start": [], "end": []})
