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
WHOLE = ga.gamma(ga.Corpus.from_records(ROWS), samples=20).gamma
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
    assert ga.gamma(source, samples=20).gamma == WHOLE


@pytest.mark.parametrize("source", [SPANS, [row[1:] for row in ROWS]], ids=["spans by annotator", "without document"])
def test_units_without_a_document_are_one_document(source):
    result = ga.gamma(source, samples=20)
    assert [row.document for row in result.documents] == ["continuum"]
    assert result.gamma.observed == WHOLE.observed


def test_a_path(tmp_path):
    path = CORPORA / "novels_ner"
    assert ga.unitizing_alpha(path) == ga.unitizing_alpha(ga.read(path))
    pd.DataFrame(COLUMNS).to_csv(tmp_path / "units.csv", index=False)
    assert ga.gamma(tmp_path / "units.csv", samples=20).gamma == WHOLE
    assert ga.align(str(tmp_path / "units.csv")).disorder == ga.align(ROWS).disorder


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (["a", "b"], r"gamma\(\) takes a Corpus, .* or a path, not a list of str"),
        (3, r"not an int"),
        ({"ann": 3}, r"not a dict"),
        ([], r"no records"),
        ([1, 2], r"not a list of int"),
        ([{"start": 1}], r"column 'annotator'"),
    ],
)
def test_anything_else_is_refused_with_a_sentence(source, message):
    with pytest.raises(ga.InputError, match=message):
        ga.gamma(source)


def test_an_alignment_is_of_one_document():
    with pytest.raises(ga.InputError, match=r"align\(\) takes one document, and there are 12"):
        ga.align(CORPORA / "novels_ner")


def test_public_functions_can_be_sent_to_another_process():
    assert pickle.loads(pickle.dumps(ga.gamma)) is ga.gamma  # noqa: S301


class TestPairwise:
    UNITS = (*ROWS, ("d2", "ann", 0, 3, "x"), ("d2", "cy", 0, 3, "y"), ("d3", "cy", 2, 3, "y"))

    def test_each_pair_is_measured_on_the_documents_that_both_saw(self):
        corpus = ga.Corpus.from_records(self.UNITS)
        result = ga.pairwise(corpus, samples=20, seed=3)
        assert list(result.pairs) == [("ann", "bob"), ("ann", "cy")]
        alone = ga.gamma(corpus.select(documents="d2", annotators=["ann", "cy"]), samples=20, seed=3)
        assert result.pairs["ann", "cy"].gamma == alone.gamma
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

    def test_a_setting_that_does_not_exist_is_refused(self):
        with pytest.raises(ga.SettingsError, match="no setting 'sample'; did you mean sampler or samples"):
            ga.pairwise(ROWS, sample=3)
