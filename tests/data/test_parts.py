"""A corpus in parts: the documents are all there, codes are the same, and the fingerprint tells data apart."""

from __future__ import annotations

import pytest

import gamma_align as ga
from gamma_align.data.parts import CorpusParts

UNITS = [
    (f"d{document}", annotator, start, start + 3, label)
    for document in range(5)
    for annotator, start, label in (("ann", 0, "x"), ("bob", 1, f"of d{document}"))
]
CORPUS = ga.Corpus.from_records(UNITS, documents=["empty"])


@pytest.mark.parametrize("units", [1, 4, 1000])
def test_parts_are_whole_documents_with_all_names(units):
    parts = CorpusParts(CORPUS, units)
    corpora = [parts[index].corpus for index in range(len(parts))]
    assert [name for corpus in corpora for name in corpus] == list(CORPUS.documents)
    assert {corpus.categories for corpus in corpora} == {CORPUS.categories} == {parts.categories}
    assert {corpus.annotators for corpus in corpora} == {CORPUS.annotators} == {parts.annotators}
    assert all(corpus[name] == CORPUS[name] for corpus in corpora for name in corpus)
    assert sum(map(len, corpora)) == parts.n_documents == 6
    assert len(parts) == {1: 6, 4: 4, 1000: 1}[units]


def fingerprint(corpus):
    return CorpusParts(corpus, 1000).fingerprint


def test_fingerprint_names_the_parts_that_differ():
    original = fingerprint(CORPUS)
    assert fingerprint(ga.Corpus.from_records(UNITS, documents=["empty"])) == original
    moved = [*UNITS[:-1], ("d4", "bob", 1, 5, "of d4")]
    changed = {
        "names": CORPUS.rename(documents={"d0": "D0"}),
        "annotators and extents of documents": ga.Corpus.from_records(
            UNITS, documents=["empty"], extents={"d0": (0, 9)}
        ),
        "units": ga.Corpus.from_records(moved, documents=["empty"], extents={"d4": (0, 4)}, outside="extend"),
    }
    for name, corpus in changed.items():
        differing = {key for key, value in fingerprint(corpus).items() if value != original[key]}
        assert name in differing
    assert {key for key, value in fingerprint(changed["names"]).items() if value != original[key]} == {"names"}
