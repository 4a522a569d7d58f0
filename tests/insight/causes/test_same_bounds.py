"""Exactly the same bounds, more often than the spread of all others allows: annotators saw the same suggestions."""

from __future__ import annotations

import numpy as np
import pytest
from places import CORPORA

import gamma_align as ga

PEOPLE = ("ann", "ben", "cat")


def annotated(rng, spread, *, kept=0.0, keepers=PEOPLE, step=0.001, draw=None):
    """Return units of people who place bounds near true ones; keepers leave a share of a tool's units as they are."""
    draw = draw or (lambda: rng.normal(0, spread))
    rows = []
    for document in range(8):
        for place in range(20):
            true = (10.0 * place + 2.0, 10.0 * place + 8.0)
            suggested = [round((bound + rng.normal(0, 0.3)) / step) * step for bound in true]
            is_kept = rng.random() < kept
            for person in PEOPLE:
                bounds = [round((bound + draw()) / step) * step for bound in true]
                start, end = suggested if is_kept and person in keepers else bounds
                rows.append((f"d{document}", person, start, end, "x"))
    return ga.Corpus.from_records(rows, extents={f"d{document}": (-50.0, 250.0) for document in range(8)})


def found(corpus):
    return ga.disagreements(corpus, samples=3).same_bounds


@pytest.mark.parametrize("seed", range(3))
def test_people_who_keep_suggestions_are_named(seed):
    rng = np.random.default_rng(seed)
    result = found(annotated(rng, 0.2, kept=0.3, keepers=("ann", "cat")))
    assert result.annotators == (("ann", "cat"),)
    assert result.identical > 30 * max(result.expected, 1)
    assert result.p < 1e-6
    assert "ann and cat have exactly the same start and end" in result.sentence


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("form", ["normal", "laplace", "student", "easy and hard"])
def test_people_who_place_units_by_themselves_are_not(seed, form):
    rng = np.random.default_rng(seed)
    draws = {
        "normal": lambda: rng.normal(0, 0.1),
        "laplace": lambda: rng.laplace(0, 0.05),
        "student": lambda: 0.03 * rng.standard_t(2),
        "easy and hard": lambda: rng.normal(0, 0.01 if rng.random() < 0.7 else 0.6),
    }
    assert found(annotated(rng, 0.0, draw=draws[form])) is None


@pytest.mark.parametrize("step", [0.25, 1.0])
def test_frames_as_coarse_as_the_spread_say_nothing(step):
    assert found(annotated(np.random.default_rng(0), 0.2, kept=0.5, step=step)) is None


def test_words_of_a_text_say_nothing():
    assert found(ga.read(CORPORA / "novels_ner")) is None


def test_systems_are_named_and_people_are_not():
    corpus = ga.read(CORPORA / "ami_diarization", outside="extend")
    result = found(corpus.select(documents=corpus.documents[:2]))
    assert len(result.annotators) == 3
    assert all(name.startswith("sys_") for pair in result.annotators for name in pair)


def test_the_first_look_says_it():
    look = ga.look(annotated(np.random.default_rng(0), 0.2, kept=0.3), samples=3)
    assert look.remarks[0].startswith("Every two annotators have exactly the same start and end")
