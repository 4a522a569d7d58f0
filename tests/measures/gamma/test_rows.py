"""Rows are columns: what is cut out of them, joined, and made of them when it is looked at."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace

import numpy as np
import pytest
from gamma_rows import NOTHING, Row, rows_of
from places import CORPORA

import gamma_align as ga
from gamma_align.inference.values import json_lazily
from gamma_align.measures.gamma.gamma_result import COUNTS, Documents
from gamma_align.measures.gamma.gamma_rows import GammaRows
from gamma_align.measures.gamma.measure import run

EMPTY_DOCUMENT = ga.Corpus.from_records([("zero", "ann", 0, 4, "x")], documents=["empty"])
CORPUS = ga.read(CORPORA / "salami").documents_between(0, 7).merge(replace(EMPTY_DOCUMENT, length_unit="s"))
RESULT = ga.gamma(CORPUS, samples=8)
ROWS = RESULT.documents.rows


def test_documents_are_a_sequence():
    documents = RESULT.documents
    assert len(documents) == 9
    assert [document.document for document in documents] == list(CORPUS.documents)
    assert documents[-1] == documents[8] == [*documents][8]
    assert [*documents[2:4]] == [*documents][2:4] == list(documents[2:4])
    assert documents[::-3] == [*documents][::-3]
    assert len(documents[4:2]) == 0
    assert documents == [*documents]
    assert documents != [*documents][1:]
    assert pickle.loads(pickle.dumps(documents)) == documents  # noqa: S301  (our own)
    assert ga.gamma(CORPUS, samples=8) == RESULT
    with pytest.raises(IndexError, match="no row 9: there are 9"):
        documents[9]


def test_columns_equal_the_attributes_of_documents():
    documents = RESULT.documents
    for name in (*COUNTS, "optimal", "gap", "distance_lowered", "gamma", "gamma_cat", "gamma_k"):
        assert [*documents.column(name)] == [getattr(document, name) for document in documents]
    for field in ga.GammaValue.__dataclass_fields__:
        column = documents.gamma_cat.column(field)
        values = [getattr(document.gamma_cat, field) for document in documents]
        assert list(map(repr, column)) == list(map(repr, values))
        assert list(map(type, column)) == list(map(type, values))


def test_joined_parts_equal_the_rows():
    assert GammaRows.join([ROWS.take(slice(*cut)) for cut in ((0, 2), (2, 2), (2, 9))]) == ROWS
    assert ROWS.take(np.arange(9)) == ROWS
    rows = np.array([3, 0, 3])
    assert [*Documents(ROWS.take(rows))] == [RESULT.documents[row] for row in rows]
    assert ROWS.take(slice(1, 3)) != ROWS.take(slice(1, 4))


def test_rows_of_a_document_do_not_depend_on_other_documents():
    settings = ga.GammaSettings.of(samples=8)
    assert run(CORPUS.documents_between(2, 5), settings) == ROWS.take(slice(2, 5))


def test_disorders_of_a_category_are_nan_for_documents_without_it():
    has = {label: [label in document.gamma_k for document in RESULT.documents] for label in ROWS.labels}
    label = next(label for label, documents in has.items() if any(documents[1:]) and not all(documents[1:]))
    chances = ROWS.of_category(label)
    for index, document in enumerate(RESULT.documents):
        observed = document.gamma_k[label].observed if label in document.gamma_k else float("nan")
        assert chances.observed[index] == pytest.approx(observed, nan_ok=True)
    assert not ROWS.of_category("no such category").is_known.any()


def test_json_written_piece_by_piece_equals_the_result():
    encoder = json.JSONEncoder(indent=1)
    pieces = [*encoder.iterencode(json_lazily(RESULT))]
    assert "".join(pieces) == encoder.encode(RESULT.to_dict())


def test_reasons_are_the_first_that_applies():
    kinds = [(0, 0, 0), (1, 0, 0), (1, 4, 0), (2, 0, 0), (2, 4, 0), (2, 4, 3)]
    rows = rows_of([Row(f"d{index}", *kind, 0, NOTHING, NOTHING) for index, kind in enumerate(kinds)])
    reasons = ["no annotator", "one annotator only", "one annotator only", "no units", "no units to make samples of"]
    assert Documents(rows).gamma.column("reason")[:5] == reasons
    assert Documents(rows).gamma_cat.column("reason") == [*reasons, "no two units are aligned"]
