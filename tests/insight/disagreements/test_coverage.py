"""Annotators without a unit in a unitary alignment leave the stretch out, or cover it with other units."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from places import CORPORA
from strategies import cases, continuum_of

import gamma_align as ga
from gamma_align.alignment.limits import Limits
from gamma_align.insight.disagreements.absences import Positions, absences, covered_documents, gapless_blocks
from gamma_align.insight.disagreements.unitary_alignments import unitary_alignments
from gamma_align.insight.disagreements.words import Words


def aligned(corpus):
    return unitary_alignments(corpus, ga.Dissimilarity(), Limits())


def absences_of(corpus):
    alignments = aligned(corpus)
    return absences(corpus, alignments, Words(corpus, alignments))


def covered(corpus):
    return covered_documents(corpus, gapless_blocks(corpus, Words(corpus, aligned(corpus)).has_letters)).tolist()


def corpus_of(units, extent, text=None):
    """Return a document of (annotator, start, end) units, all of one label."""
    rows = [("d", name, start, end, "x") for name, start, end in units]
    corpus = ga.Corpus.from_records(rows, extents={"d": extent})
    return corpus if text is None else replace(corpus, texts=(text,))


@given(case=cases())
def test_absences_equal_the_definition(case):
    corpus = ga.Corpus.from_continua([continuum_of(case)])
    alignments = aligned(corpus)
    expected = set()
    for number in range(len(alignments)):
        present = set(corpus.annotator[alignments.group == number].tolist())
        for annotator in set(corpus.seen.tolist()) - present:
            is_of_annotator = corpus.annotator == annotator
            inside = (corpus.start < alignments.end[number]) & (corpus.end > alignments.start[number])
            expected.add((number, annotator, bool((is_of_annotator & inside).any())))
    result = absences_of(corpus)
    assert set(zip(*(column.tolist() for column in result[:3]), strict=True)) == expected
    assert len(result.alignment) == len(expected)
    assert not (result.cuts & ~result.overlaps).any()


def test_units_of_other_documents_do_not_overlap():
    units = [("a", "ann", 0, 4, "x"), ("a", "ann", 5, 9, "x"), ("a", "bob", 0, 4, "x"), ("b", "bob", 5, 9, "x")]
    corpus = ga.Corpus.from_records(units, annotations=[(d, n) for d in "ab" for n in ("ann", "bob")])
    assert not absences_of(corpus).overlaps.any()


@pytest.mark.parametrize(
    ("units", "extent", "expected"),
    [
        ([("ann", 0, 10), ("bob", 0, 4), ("bob", 4, 10)], (0, 10), True),
        ([("ann", 0, 10), ("bob", 0, 4), ("bob", 5, 10)], (0, 10), False),
        ([("ann", 0, 10), ("bob", 0, 9), ("bob", 3, 4), ("bob", 9, 10)], (0, 10), True),
        ([("ann", 0, 10), ("bob", 0, 2), ("bob", 0, 9)], (0, 10), False),
        ([("ann", 0, 10), ("bob", 0, 10)], (0, 12), False),
        ([("ann", 2, 10), ("bob", 2, 10)], (0, 10), False),
        ([("ann", 0, 10), ("bob", 0, 10 / 3), ("bob", 10 / 3 + 1e-15, 10)], (0, 10), True),
    ],
    ids=[
        "two units",
        "a gap",
        "nested units",
        "overlapping units",
        "a gap at the end",
        "a gap at the start",
        "a rounding error",
    ],
)
def test_a_document_is_covered_if_each_annotator_covers_all_of_it(units, extent, expected):
    assert covered(corpus_of(units, extent)) == [expected]


def test_blanks_and_punctuation_between_units_are_no_gap():
    units = [("ann", 0, 9), ("bob", 0, 4), ("bob", 5, 9)]
    assert covered(corpus_of(units, (0, 9), "One. Two.")) == [True]
    assert covered(corpus_of(units, (0, 9), "One.xTwo.")) == [False]


def test_an_annotator_without_units_leaves_a_gap():
    corpus = ga.Corpus.from_records(
        [("d", "ann", 0, 4, "x")], annotations=[("d", "ann"), ("d", "bob")], extents={"d": (0, 4)}
    )
    assert covered(corpus) == [False]


def test_real_corpora_have_the_expected_covered_documents():
    assert covered(ga.read(CORPORA / "hearst_kazantseva")) == [True] * 9
    assert not np.any(covered(ga.read(CORPORA / "novels_ner")))
    assert not np.any(covered(ga.read(CORPORA / "btc_crowd")))
    sleep = ga.read(CORPORA / "dreem_sleep_dodh")
    assert np.mean(covered(sleep)) > 0.8  # in some nights the recording goes on after the last score


def test_an_annotator_cuts_a_stretch_only_if_units_cover_it_without_a_gap():
    tiles = [("bob", 10 * index, 10 * index + 10) for index in range(100)]
    del tiles[50]  # covered up to a hundredth
    corpus = corpus_of([("ann", 0, 505), ("ann", 505, 1000), *tiles], (0, 1000))
    result, alignments = absences_of(corpus), aligned(corpus)
    by_ann = result.annotator == corpus.annotators.index("ann")
    assert result.cuts[by_ann].all()
    alignment = result.alignment[~by_ann]
    over_the_gap = (alignments.start[alignment] < 510) & (alignments.end[alignment] > 500)
    assert result.cuts[~by_ann].tolist() == (~over_the_gap).tolist()


def test_an_annotator_with_the_same_cuts_and_another_label_does_not_cut_otherwise():
    corpus = ga.Corpus.from_records([("d", "ann", 0, 9, "x"), ("d", "bob", 0, 9, "y")], extents={"d": (0, 9)})
    alignments = unitary_alignments(corpus, ga.Dissimilarity(beta=5.0), Limits())
    result = absences(corpus, alignments, Words(corpus, alignments))
    assert result.overlaps.tolist() == [True, True]
    assert not result.cuts.any()


@pytest.mark.parametrize("side", ["left", "right"])
def test_positions_below_limits_are_counted_lane_by_lane(side):
    draw = np.random.default_rng(1)
    lane, position = draw.integers(0, 4, 60), draw.integers(-3, 4, 60) / 2
    limits = [(at, limit) for at in range(5) for limit in (-np.inf, -1.5, -0.0, 0.25, 1.5, np.inf)]
    expected = []
    for at, limit in limits:
        is_below = position <= limit if side == "right" else position < limit
        expected.append(int(np.sum((lane < at) | ((lane == at) & is_below))))
    lanes, bounds = (np.array(column) for column in zip(*limits, strict=True))
    assert Positions(lane, position).count(lanes, bounds, side=side).tolist() == expected
