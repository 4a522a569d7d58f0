"""Positions that are another number of times those of the others are said to be that, and nobody is silent."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from judging import findings, view_of
from made_corpora import MAKERS, Noise

import gamma_align as ga
from gamma_align.insight.causes.unaligned import suspicions

FACTORS = (10.0, 0.5, 2.0, 1000.0, 3.7)
SHAPES = (
    ("text", 2, 40),
    ("text", 3, 12),
    ("text", 2, 3),
    ("time", 2, 20),
    ("time", 3, 12),
    ("time", 2, 1),
    ("cover", 2, 3),
)


def scaled(kind, n_annotators, n_documents, factor, n_scaled):
    """Return a corpus in which ben's positions in the first documents are multiplied."""
    draft = MAKERS[kind](np.random.default_rng([3, 7]), n_annotators, n_documents, Noise())
    is_scaled = draft.of(1) & (draft.document < n_scaled)
    start, end = (np.where(is_scaled, bound * factor, bound) for bound in (draft.start, draft.end))
    if kind == "text":
        start, end = np.floor(start), np.floor(end)
    return replace(draft, start=start, end=end)


def steps_of(draft):
    return [step for group in findings(view_of(draft)) for step in group]


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "-".join(map(str, shape)))
def test_scaled_positions_are_said_and_nobody_is_silent(shape, factor):
    draft = scaled(*shape, factor, shape[2])
    first, *further = steps_of(draft)
    assert first.cause.name == "scale"
    value = first.candidate.factor
    assert max(value, 1 / value) == pytest.approx(max(factor, 1 / factor), rel=1e-3)
    assert len(first.candidate.documents) == shape[2]
    assert "silence" not in {step.cause.name for step in further}
    before, after = first.candidate.overlaps
    assert after >= before


@pytest.mark.parametrize("factor", [10.0, 0.5, 2.0])
@pytest.mark.parametrize(
    "shape", [("text", 2, 40), ("text", 3, 12), ("time", 3, 12)], ids=lambda shape: "-".join(map(str, shape))
)
def test_a_text_or_two_others_show_whose_positions_are_scaled(shape, factor):
    for n_scaled in (shape[2] // 2, shape[2]):
        step = steps_of(scaled(*shape, factor, n_scaled))[0]
        assert step.view.corpus.annotators[step.owner] == "ben"
        assert step.candidate.factor == pytest.approx(factor, rel=1e-3)
        assert step.candidate.documents.tolist() == list(range(n_scaled))


def test_of_two_without_a_text_nobody_is_named_unless_other_documents_tell():
    everywhere = steps_of(scaled("time", 2, 20, 0.5, 20))[0]
    assert not everywhere.candidate.is_named
    half = steps_of(scaled("time", 2, 20, 0.1, 10))[0]
    assert half.view.corpus.annotators[half.owner] == "ben"


@pytest.mark.parametrize("length", [0, 12])
@pytest.mark.parametrize("factor", [10.0, 0.5, 3.7])
def test_a_long_document_shows_it_without_an_alignment(length, factor):
    rng = np.random.default_rng(1)
    places = np.sort(rng.choice(200_000, 4000, replace=False))
    rows = [
        ("d", name, times * place, times * (place + length), "x")
        for name, times in (("a", 1.0), ("b", factor))
        for place in places[rng.random(4000) < 0.9].tolist()
    ]
    found = suspicions(ga.Corpus.from_records(rows))
    assert [suspicion.kind for suspicion in found] == ["scale"]


def test_the_written_repair_divides_by_the_factor():
    draft = scaled("text", 2, 40, 10.0, 40)
    repaired = ga.disagreements(draft.corpus(), samples=3).fix("scale")
    original = scaled("text", 2, 40, 1.0, 40).corpus()
    assert np.array_equal(repaired.start, original.start)
    assert np.array_equal(repaired.end, original.end)


def test_extents_that_are_those_of_the_units_follow_the_repair():
    rng = np.random.default_rng(5)
    starts = np.cumsum(rng.integers(8, 40, (6, 12)), axis=1)
    rows = [
        (f"d{document}", name, start, start + 5, "x")
        for document in range(6)
        for name in ("ann", "ben", "cat")
        for start in starts[document].tolist()
    ]
    scaled_rows = [(d, name, s * 10, e * 10, x) if name == "ben" else (d, name, s, e, x) for d, name, s, e, x in rows]
    repaired = ga.disagreements(scaled_rows, samples=3).fix("scale")
    assert np.array_equal(repaired.extents, ga.Corpus.from_records(rows).extents)
    declared = {f"d{document}": (0.0, 9000.0) for document in range(6)}
    kept = ga.Corpus.from_records(scaled_rows, extents=declared)
    assert (ga.disagreements(kept, samples=3).fix("scale").extents == [0.0, 9000.0]).all()
