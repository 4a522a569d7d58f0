"""Corpora made of others: select, drop, rename, merge."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import CORPORA

import gamma_align as ga

UNITS = [
    ("d1", "ann", 0, 4, "x"),
    ("d1", "bob", 1, 5, "y"),
    ("d2", "ann", 2, 5, None),
    ("d2", "cy", 2, 6, "x"),
    ("d3", "bob", 0, 1, "z"),
]
names = st.sampled_from(("ann", "bob", "cy"))
corpora = st.lists(
    st.tuples(st.sampled_from(("d1", "d2")), names, st.integers(0, 5), st.integers(6, 9), st.sampled_from(("x", None))),
    max_size=8,
).map(ga.Corpus.from_records)


def same(first, second):
    return all(
        np.array_equal(getattr(first, name), getattr(second, name))
        for name in ("documents", "annotators", "categories", "seen", "unit_offsets", "annotator", "start", "category")
    )


@pytest.fixture
def corpus():
    return ga.Corpus.from_records(UNITS, extents={"d1": (0, 10)})


def test_a_selection_equals_the_corpus_of_the_selected_rows(corpus):
    selection = corpus.select(documents=["d1", "d2"], annotators=["ann", "bob"])
    assert same(selection, ga.Corpus.from_records([row for row in UNITS if row[0] != "d3" and row[1] != "cy"]))
    assert selection.extents.tolist() == [[0, 10], [2, 6]]


def test_a_selection_of_categories_keeps_the_annotators_of_documents(corpus):
    selection = corpus.select(categories="x")
    assert [unit.annotator for unit in selection["d1"].units()] == ["ann"]
    assert selection["d1"].annotators == ("ann", "bob")
    assert corpus.drop(categories=["y", "z"]).n_units == 3


def test_documents_without_selected_annotators_are_left_out(corpus):
    assert corpus.select(annotators="cy").documents == ("d2",)
    assert corpus.drop(annotators=["ann", "cy"]).documents == ("d1", "d3")


def test_gamma_of_a_document_does_not_depend_on_the_selection(corpus):
    document = ga.gamma(corpus, samples=10).documents[0]
    assert ga.gamma(corpus.select(documents="d1"), samples=10).documents[0].gamma.value == document.gamma.value


def test_rename_changes_documents_annotators_and_categories(corpus):
    new = corpus.rename(documents={"d1": "z1"}, annotators={"cy": "bob"}, categories={"y": "x", "z": None})
    assert new.documents == ("d2", "d3", "z1")
    assert new.annotators == ("ann", "bob")
    assert new.categories == ("x",)
    assert [unit.category for unit in new["d3"].units()] == [None]
    assert new["z1"].extent == (0, 10)


@pytest.mark.parametrize(
    ("method", "names", "error", "message"),
    [
        ("select", {"annotators": "bo"}, ga.SettingsError, "no annotator 'bo'; did you mean 'bob'"),
        ("drop", {"documents": ["q"]}, ga.SettingsError, "no document 'q'; there are 'd1', 'd2', 'd3'"),
        ("rename", {"categories": {"q": "x"}}, ga.SettingsError, "no category 'q'"),
        ("rename", {"documents": {"d1": "d2"}}, ga.InputError, "'d2': two documents would have this name"),
        ("rename", {"annotators": {"ann": "bob"}}, ga.InputError, "'d1', 'bob': two annotators of the document"),
    ],
)
def test_impossible_names_are_refused(corpus, method, names, error, message):
    with pytest.raises(error, match=message):
        getattr(corpus, method)(**names)


@given(corpora)
def test_corpora_of_single_annotators_merge_to_the_whole_corpus(corpus):
    parts = [corpus.select(annotators=name) for name in corpus.annotators]
    merged = parts[0] if parts else corpus
    for part in parts[1:]:
        merged = merged.merge(part)
    assert same(merged, corpus)


def test_merge_keeps_the_larger_extent_notes_and_texts(corpus):
    second = ga.Corpus.from_records([("d1", "cy", 3, 12, "x")])
    merged = corpus.merge(second)
    assert merged["d1"].extent == (0, 12)
    assert merged["d1"].annotators == ("ann", "bob", "cy")
    with pytest.raises(ga.InputError, match="'d1', 'cy': document and annotator are in both"):
        merged.merge(second)


def test_a_selection_of_a_real_corpus_keeps_unit_of_length_and_order():
    corpus = ga.read(CORPORA / "novels_ner")
    assert same(corpus.select(), corpus)
    assert corpus.select(annotators=corpus.annotators[0]).length_unit == corpus.length_unit


@pytest.mark.parametrize("name", ["btc_crowd", "salami", "novels_ner"])
@pytest.mark.parametrize("seed", range(3))
def test_a_selection_equals_the_corpus_built_from_its_tables(name, seed):
    draw = np.random.default_rng(seed)
    corpus = ga.read(CORPORA / name)
    corpus = dataclasses.replace(corpus, texts=tuple(f"text of {document}" for document in corpus.documents))
    names = corpus.documents, corpus.annotators, corpus.categories
    documents, annotators, categories = (
        {*draw.choice(all_names, size=(len(all_names) + 1) // 2, replace=False).tolist()} for all_names in names
    )
    units, annotations, extents = corpus.to_tables()
    seen = masked(annotations, lambda document, annotator: document in documents and annotator in annotators)
    remaining = {*seen["document"]}
    rows = masked(
        units,
        lambda document, annotator, _, __, category: (
            document in remaining and annotator in annotators and category in categories
        ),
    )
    expected = ga.Corpus.from_columns(
        rows, annotations=seen, documents=masked(extents, lambda document, *_: document in remaining)
    )
    selection = corpus.select(documents=documents, annotators=annotators, categories=categories)
    texts = tuple(f"text of {document}" for document in expected.documents)
    assert selection == dataclasses.replace(expected, length_unit=corpus.length_unit, notes=corpus.notes, texts=texts)


def masked(table, is_kept):
    """Return the rows of a table that are kept."""
    mask = [is_kept(*row) for row in zip(*table.values(), strict=True)]
    return {name: np.asarray(column)[np.array(mask, dtype=bool)] for name, column in table.items()}
