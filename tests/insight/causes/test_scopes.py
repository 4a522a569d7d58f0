"""Counts of parts that grow are those of each part counted alone."""

from __future__ import annotations

import numpy as np
import pytest
from judging import SETTINGS
from places import CORPORA

import gamma_align as ga
from gamma_align.insight.causes.scopes import PartCounter, Scopes, count_scopes
from gamma_align.insight.causes.view import View
from gamma_align.insight.disagreements.unitary_alignments import unitary_alignments


@pytest.fixture(scope="module")
def view():
    corpus = ga.read(CORPORA / "novels_ner").select(documents=["Emma", "VanityFair", "Dracula"])
    return View(corpus, unitary_alignments(corpus, SETTINGS.dissimilarity, SETTINGS.limits))


def rows_of(scopes):
    """Return the columns of scopes that are there, by annotator."""
    columns = [name for name in Scopes.row_fields() if name != "scope"]
    return {int(row[0]): row for row in zip(*(getattr(scopes, name).tolist() for name in columns), strict=True)}


def test_counts_of_parts_by_a_cut_are_those_of_scopes(view):
    events = view.chances
    value = (view.alignments.end - view.alignments.start)[events.alignment].astype(float)
    value[::17] = np.nan  # in no part
    cuts = np.unique(np.nanquantile(value, [0, 0.1, 0.5, 0.9, 1], method="lower"))
    counted = [*PartCounter(view, events).count_up_to(value, cuts, 0.0)]
    assert [(cut, is_above) for cut, is_above, _ in counted] == [(cut, side) for cut in cuts for side in (False, True)]
    for cut, is_above, scopes in counted:
        is_inside = value >= cut if is_above else value <= cut
        alone = count_scopes(view, events, np.where(is_inside, 0, -1), 1)
        assert len(scopes)
        assert rows_of(scopes) == rows_of(alone)
        assert rows_of(scopes) == rows_of(PartCounter(view, events).count(is_inside))


def test_annotators_with_less_evidence_are_left_out(view):
    events = view.chances
    is_inside = view.alignments.start[events.alignment] > 3000
    counter = PartCounter(view, events)
    everybody = counter.count(is_inside)
    raw = everybody.evidence * everybody.dispersion
    limit = float(raw.max())
    kept = counter.count(is_inside, limit)
    assert kept.annotator.tolist() == everybody.annotator[raw >= limit].tolist()
    assert len(kept) < len(everybody)


def test_hits_of_the_others_are_those_in_the_documents_that_the_annotator_saw(view):
    corpus, events = view.corpus, view.chances
    scopes = count_scopes(view, events, events.alignment % 3, 3)
    assert len(scopes) > 3
    for annotator, scope, others_hits in zip(
        *(getattr(scopes, name).tolist() for name in ("annotator", "scope", "others_hits")), strict=True
    ):
        assert view.documents_of(annotator).tolist() == corpus.seen_document[corpus.seen == annotator].tolist()
        is_hit = events.hit & (events.alignment % 3 == scope) & (events.annotator != annotator)
        assert others_hits == np.count_nonzero(is_hit & view.has_seen(annotator)[events.document])
