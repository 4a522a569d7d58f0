"""Counts of each two annotators in the alignment of all, against counting place by place."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from crowds import make_crowd

import gamma_align as ga

ALPHA, BETA = 2.0, 0.5


def disorder(corpus, first, second):
    """Return the dissimilarity of two units in disorders of a missing unit (Mathet 2015, §4.2)."""
    start, end = corpus.start, corpus.end
    shift = abs(start[first] - start[second]) + abs(end[first] - end[second])
    lengths = end[first] - start[first] + end[second] - start[second]
    label = float(corpus.category[first] != corpus.category[second])
    return min(ALPHA * (shift / lengths) ** 2 + BETA * label, 1.0)


def counts_by_hand(result):
    """Return documents, places, places that differ and the mean disorder of each two annotators, place by place."""
    corpus, expected = result.corpus, {}
    for first, second in combinations(range(len(corpus.annotators)), 2):
        documents = [d for d in range(len(corpus)) if {first, second} <= codes_of(corpus, d)]
        places = []
        for group in np.unique(result.group[result.group >= 0]).tolist():
            units = np.flatnonzero(result.group == group)
            own = {int(corpus.annotator[unit]): int(unit) for unit in units} if units.size else {}
            if int(corpus.unit_document[units[0]]) not in documents or not {first, second} & own.keys():
                continue
            is_pair = {first, second} <= own.keys()
            places.append(disorder(corpus, own[first], own[second]) if is_pair else 1.0)
        if documents:
            mean = np.mean(places) if places else np.nan
            expected[first, second] = (len(documents), len(places), sum(place > 0 for place in places), mean)
    return expected


def codes_of(corpus, document):
    """Return the codes of the annotators of a document."""
    return set(corpus.seen[corpus.seen_offsets[document] : corpus.seen_offsets[document + 1]].tolist())


@pytest.mark.parametrize("delta_empty", [1.0, 0.7])
def test_pairs_are_counted_as_by_hand(delta_empty):
    corpus = make_crowd(7, n_documents=5, share_seen=0.5)
    result = ga.disagreements(corpus, samples=3, alpha=ALPHA, beta=BETA, delta_empty=delta_empty)
    counts = result.pair_counts
    expected = counts_by_hand(result)
    assert list(zip(counts.first.tolist(), counts.second.tolist(), strict=True)) == list(expected)
    columns = (counts.documents, counts.places, counts.differ, counts.disorder)
    rows = np.array([*zip(*columns, strict=True)])
    np.testing.assert_allclose(rows, np.array([*expected.values()]))


def test_the_mean_with_the_others_weighs_places():
    counts = ga.disagreements(make_crowd(5, n_documents=3), samples=3).pair_counts
    has_first = (counts.first == 2) | (counts.second == 2)
    mean = np.average(counts.disorder[has_first], weights=counts.places[has_first])
    assert counts.with_others(5)[2] == pytest.approx(mean)


def test_annotators_without_a_common_document_have_no_row():
    units = [("d", "ann", 0, 4, "x"), ("d", "bob", 0, 4, "x"), ("e", "cy", 0, 4, "x"), ("e", "dan", 1, 4, "x")]
    counts = ga.disagreements(ga.Corpus.from_records(units), samples=3).pair_counts
    assert (counts.first.tolist(), counts.second.tolist()) == ([0, 2], [1, 3])
    assert counts.differ.tolist() == [0, 1]
    assert np.isnan(counts.with_others(5)[4])
