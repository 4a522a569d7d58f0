"""Units that nobody else has are counted by overlap in the data, not by their alignment."""

from __future__ import annotations

import gamma_align as ga


def lone_units(corpus, name):
    """Return how many units of an annotator overlap no unit of anybody else, counted pair by pair."""
    n = 0
    for index in range(len(corpus)):
        units = range(corpus.unit_offsets[index], corpus.unit_offsets[index + 1])
        for unit in units:
            others = [one for one in units if corpus.annotator[one] != corpus.annotator[unit]]
            is_overlapped = any(
                corpus.start[one] < corpus.end[unit] and corpus.start[unit] < corpus.end[one] for one in others
            )
            n += corpus.annotators[corpus.annotator[unit]] == name and not is_overlapped
    return n


def test_units_that_nobody_else_has_are_those_that_overlap_nobodys():
    """In a crowd, two lone units are aligned with each other: 78 of 129 were not said."""
    corpus = ga.read("corpora/btc_crowd")
    result = ga.disagreements(corpus, samples=3)
    found = [finding for finding in result.to_settle if finding.direction == "marks alone" and not finding.words]
    assert {"w0061", "w0069"} <= {finding.annotator for finding in found}
    for finding in found:
        assert f" {lone_units(corpus, finding.annotator)} units" in finding.title


def test_a_unit_that_overlaps_anothers_without_being_aligned_with_it_is_not_alone():
    places = [(100.0 * place, 100.0 * place + 10) for place in range(40)]
    rows = [("doc", name, start, end) for name in ("ann", "ben", "cat") for start, end in places]
    rows += [("doc", "dan", start + 8, end + 38) for start, end in places]
    result = ga.disagreements(rows, samples=3)
    assert "marks alone" not in [finding.direction for finding in result.to_settle]
