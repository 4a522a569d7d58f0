"""What the page shows of a document: its alignment, what is read, the way from one disagreement to the next."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

import gamma_align as ga
from gamma_align.apps.service.page.look import NARROW_WINDOW_CHARACTERS, WINDOW_CHARACTERS, Look
from gamma_align.apps.service.page.results import Outcome, value_of
from gamma_align.measures.gamma.gamma_settings import GammaSettings

TEXT = "word " * 400
UNITS = [
    *[("d", who, 10 * at, 10 * at + 4, "x") for who in ("ann", "bob") for at in range(0, 150, 10)],
    ("d", "ann", 1203, 1207, "y"),
    ("d", "bob", 105, 109, "x"),
    ("d", "bob", 1555, 1559, "y"),
    ("d", "ann", 1553, 1559, "x"),
    ("lone", "ann", 0, 4, "x"),
    ("z", "ann", 3.25, 3.25, "x"),
    ("z", "bob", 3.25, 3.25, "x"),
]


@pytest.fixture(scope="module")
def corpus():
    return ga.Corpus.from_records(UNITS, extents={"d": (0, len(TEXT)), "lone": (0, 9), "z": (3.25, 3.25)})


@pytest.fixture(scope="module")
def look(corpus):
    return Look.of(corpus, "d", GammaSettings.of())


def walk(look, go, at, scene=None):
    return look.step(go, at, look.window(None, at, is_narrow=False), look.scene if scene is None else scene)


def test_the_alignment_is_that_of_align(corpus, look):
    alignment = ga.align(corpus["d"])
    assert look.observed == pytest.approx(alignment.disorder, abs=1e-12)
    assert look.group.tolist() == alignment.group.tolist()
    assert (look.alignments, look.undisputed, look.gap) == (18, 15, 0.0)
    assert sum(look.disorder[1:4]) == pytest.approx(look.disorder.disorder)


def test_steps_go_along_the_document_and_stop_at_its_ends(look):
    numbers = [1 + i for i in range(look.alignments) if look.aligned.disorder[i] > 0]
    starts = sorted(numbers, key=lambda at: look.scene.bounds[0][at - 1])
    found = [walk(look, "next", starts[0])]
    found += [walk(look, "next", found[-1]), walk(look, "next", starts[2])]
    assert found == [starts[1], starts[2], starts[2]]
    assert [walk(look, "previous", at) for at in starts] == [starts[0], starts[0], starts[1]]
    agreed = 1 + next(i for i in range(look.alignments) if look.aligned.start[i] == 200)
    assert walk(look, "next", agreed) == starts[1]  # from one without disorder, too
    assert walk(look, "previous", agreed) == starts[0]
    worst = walk(look, "worst", None)
    assert look.aligned.disorder[worst - 1] == look.aligned.disorder.max()
    assert look.step("next", None, (1300.0, 1400.0), look.scene) == starts[2]  # from what is read


def test_steps_pass_over_what_is_hidden(look):
    bobs = look.shown(["ann"], [])
    assert look.aligned.start[walk(look, "next", None, bobs) - 1] == 105
    rest = look.shown([], ["x"])
    assert [look.aligned.start[walk(look, go, None, rest) - 1] for go in ("next", "worst")] == [1203, 1553]
    assert walk(look, "next", None, look.shown(["ann", "bob"], [])) is None


def test_what_is_read_keeps_its_place_as_long_as_the_alignment_is_in_it(look):
    at = 1 + next(i for i in range(look.alignments) if look.aligned.start[i] == 1203)
    assert look.window((1000, 1400), at, is_narrow=False) == (1000, 1400)
    start, end = look.window((0, 400), at, is_narrow=False)
    assert start <= 1203 < end
    assert end - start == pytest.approx(look.length(is_narrow=False), abs=1)


def test_what_is_read_is_as_long_as_the_screen_is_wide(corpus):
    look = Look.of(replace(corpus, texts=(TEXT, None, None)), "d", GammaSettings.of())
    for is_narrow, length in ((False, WINDOW_CHARACTERS), (True, NARROW_WINDOW_CHARACTERS)):
        start, end = look.window(None, None, is_narrow=is_narrow)
        assert end - start == pytest.approx(length, abs=10)
        assert f" {TEXT}"[int(start)] == " "
        assert TEXT[int(end)] == " "
    for wrong in ((5000.0, 6000.0), (20.0, 10.0), (-30.0, -20.0)):
        assert look.window(wrong, None, is_narrow=False) == look.window(None, None, is_narrow=False)


def test_documents_without_length_or_alignment_are_looked_at(corpus):
    point, lone = (Look.of(corpus, name, GammaSettings.of()) for name in ("z", "lone"))
    assert point.window(None, 1, is_narrow=False) == (3.25, 3.25)
    assert (point.alignments, point.undisputed, point.card(1).sum) == (1, 1, "")
    assert (lone.alignments, walk(lone, "worst", None)) == (0, None)
    assert math.isnan(lone.observed)
    assert lone.window(None, None, is_narrow=True) == (0, 9)


def test_a_card_has_the_numbers_of_the_document(look):
    at = 1 + next(i for i in range(look.alignments) if look.aligned.start[i] == 1553)
    card = look.card(at)
    assert (card.local_number, card.n_alignments, card.document) == (at, look.alignments, "d")
    assert card.sum.startswith("position 0.")
    assert card.row.disorder.share == pytest.approx(card.disorder / look.disorder.disorder)
    assert [lane.unit.category for lane in card.lanes] == ["x", "y"]
    alone = look.card(walk(look, "next", None, look.shown(["ann"], [])))
    assert [lane.unit is None for lane in alone.lanes].count(True) == 1


def test_values_of_a_result_are_those_of_the_measure(corpus):
    result = ga.gamma(corpus, samples=10)
    outcome = Outcome(result.to_dict(), "d")
    assert value_of(outcome.document["gamma"]) == result.documents[0].gamma
    assert outcome.headline.startswith(f"corpus γ {result.gamma.value:.3f}")
    assert Outcome(result.to_dict(), "lone").labels()["lone"] == "γ NA"
    assert list(Outcome(None, "d").facts()) == []


def test_the_page_tells_how_precisely_chance_is_known_for_each_value():
    units = [("d", "ann", 0, 4, "x"), ("d", "ann", 6, 9, "y"), ("d", "bob", 1, 5, "x"), ("d", "bob", 6, 8, "y")]
    result = ga.gamma(units, precision=0.1, control="none", seed=1).to_dict()
    corpus = result["corpus"]
    corpus["gamma"]["expected_precision"], corpus["gamma_cat"]["expected_precision"] = 0.02, 0.05
    for value, precision in zip(corpus["gamma_k"].values(), (0.2, 0.03), strict=True):
        value["expected_precision"] = precision
    samples = result["documents"][0]["samples"]
    precisions = "γ ±2\u202f%, γcat ±5\u202f%, γk at most ±20\u202f%; ±10\u202f% asked for"
    assert Outcome(result, "d").ending == f"{samples} of {samples} samples; chance of {precisions}"
