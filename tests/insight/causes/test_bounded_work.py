"""The search of causes ends, however many units are equal, and its work grows with the units, not with their pairs."""

from __future__ import annotations

import numpy as np

import gamma_align as ga
from gamma_align.insight.causes.kinds import offset
from gamma_align.insight.causes.unaligned import no_alignments, suspicions
from gamma_align.insight.causes.view import View


def equal_units(n_annotators, n_units, n_documents=1, late=None):
    """Return documents in which all units of all annotators are equal, but for an annotator who is 3 late."""
    document, annotator, _ = np.indices((n_documents, n_annotators, n_units)).reshape(3, -1)
    start = np.where(annotator == late, 3.0, 0.0)
    units = {
        "document": [f"doc_{index}" for index in document],
        "annotator": [f"rater_{index}" for index in annotator],
        "start": start,
        "end": start + 5.0,
        "category": ["A"] * len(start),
    }
    return ga.Corpus.from_columns(units, outside="extend")


def lags_of(corpus):
    return offset.near_lags(View(corpus, no_alignments(corpus)))[0]


def test_lags_of_equal_units_are_no_more_than_the_units():
    corpus = equal_units(2, 900)
    assert len(lags_of(corpus)) == 2  # one place, seen by each of the two
    assert suspicions(corpus) == []


def test_one_label_of_many_raters_for_whole_documents_takes_no_pairs_of_raters():
    corpus = equal_units(60, 1, n_documents=1300)
    assert len(lags_of(corpus)) <= corpus.n_units
    assert suspicions(corpus) == []


def test_one_of_many_raters_who_is_late_is_found():
    corpus = equal_units(60, 3, n_documents=200, late=7)
    assert len(lags_of(corpus)) <= 2 * corpus.n_units
    (suspicion,) = suspicions(corpus)
    assert suspicion.kind == "offset"
    assert "rater_7's units stand 3 later" in suspicion.title


def test_units_that_begin_together_and_differ_in_length_are_given_up(monkeypatch):
    n = 50
    units = {
        "document": ["doc"] * (2 * n),
        "annotator": np.repeat(["ann", "ben"], n),
        "start": np.zeros(2 * n),
        "end": np.tile(np.linspace(5.0, 6.0, n), 2),
        "category": ["A"] * (2 * n),
    }
    corpus = ga.Corpus.from_columns(units)
    view = View(corpus, no_alignments(corpus))
    view.noise = 1.0  # all lengths are one within it
    assert len(offset.near_lags(view)[0])
    monkeypatch.setattr(offset, "_MAX_PAIRS", n)
    assert not len(offset.near_lags(view)[0])
