"""What is drawn: numbers by which units and unitary alignments are found, and sentences that say what is seen."""

from __future__ import annotations

import re

import numpy as np
import pytest
from places import CORPORA

import gamma_align as ga
from gamma_align.present.figures.draw import draw
from gamma_align.present.figures.overview import overview
from gamma_align.present.figures.palette import Palette
from gamma_align.present.figures.scene import Scene

UNITS = [
    *[("d1", who, at, at + 5, "x") for who in ("ann", "bob") for at in (0, 20)],
    ("d2", "ann", 0, 4, "y"),
    ("d2", "bob", 1, 4, "y"),
    ("d2", "ann", 10, 12, "x"),
    ("d3", "ann", 0, 4, "y"),
]


@pytest.fixture(scope="module")
def result():
    return ga.disagreements(UNITS, samples=3, delta_empty=2.0)


def test_numbers_are_those_of_the_corpus(result):
    text = draw(Scene.of_disagreements(result, "d2"), width=400, palette=Palette(("x", "y")))
    numbers = re.findall(r'data-unit="(\d+)" data-alignment="(\d+)"', text)
    assert numbers == [(str(unit), str(result.group[unit])) for unit in (4, 5, 6)]
    assert {int(alignment) for _, alignment in numbers} == {2, 3}


def test_disorders_and_labels_are_those_of_the_corpus(result):
    scene = Scene.of_disagreements(result, "d2")
    assert scene.labels == ("x", "y")  # by frequency in the corpus, not in the document
    assert scene.delta_empty == 2.0
    assert scene.disorder.tolist() == result.unitary_disorders[2:4].tolist()
    assert scene.steps.tolist() == [1, 4]


def test_a_document_of_one_annotator_has_no_unitary_alignments(result):
    scene = Scene.of_disagreements(result, "d3")
    assert scene.group.tolist() == [-1]
    assert len(scene.disorder) == 0
    assert "data-alignment" not in draw(scene, width=400, palette=Palette(scene.labels))


def test_an_alignment_and_the_disagreements_of_a_corpus_give_the_same_scene():
    corpus = ga.read(CORPORA / "novels_ner")
    result = ga.disagreements(corpus, samples=3)
    one = Scene.of_disagreements(result, "VanityFair")
    other = Scene.of_alignment(ga.align(corpus["VanityFair"]))
    assert one.group.tolist() == other.group.tolist()
    assert np.allclose(one.disorder, other.disorder)
    assert one.delta_empty == other.delta_empty
    assert one.text == corpus.texts[corpus.documents.index("VanityFair")]


def test_what_is_selected_is_numbered_as_in_the_corpus(result):
    scene = Scene.of_disagreements(result, "d2")
    text = draw(scene, width=400, palette=Palette(scene.labels), selected=2)
    assert re.findall(r'class="selected" data-alignment="(\d+)"', text) == ["2"]


@pytest.mark.parametrize("length", [10, 80, 333, 1000])
def test_the_densest_stretch_has_most_disorder(length):
    rng = np.random.default_rng(3)
    start = np.sort(rng.integers(0, 900, 40))
    records = [("A", at, at + 5, "x") for at in start.tolist()]
    continuum = ga.Continuum.from_records(records, extent=(0, 950), annotators=["A", "B"])
    disorder = rng.random(40) * rng.integers(0, 2, 40)
    scene = Scene(continuum, np.arange(40), disorder, 1.0, ("x",))
    low, high = scene.densest(length)
    assert 0 <= low <= high <= 950
    assert high - low == min(length, 950)
    sums = [disorder[(start >= at) & (start < at + length)].sum() for at in start]
    assert disorder[(start >= low) & (start <= high)].sum() >= max(sums) - 1e-9


def test_the_densest_stretch_of_a_text_ends_between_words():
    text = "some words before a longish name and after it some more words of no interest"
    start = text.index("longish")
    continuum = ga.Continuum.from_records([("A", start, start + 7, "x")], annotators=["A", "B"], extent=(0, len(text)))
    low, high = Scene.of_alignment(ga.align(continuum), text=text).densest(20)
    assert text[low:high] == "before a longish name and"


def test_a_picture_is_one_sentence(result):
    scene = Scene.of_disagreements(result, "d2")
    palette = Palette(scene.labels, in_page=True)
    assert 'role="img" aria-label="d2: a lane of units for each annotator; 2 annotators, 3 units, ' in draw(
        scene, width=400, palette=palette
    )
    assert overview(scene, window=(0, 5), width=400, palette=palette).sentence == (
        "d2, 0–5: the frame in a map of the disorder along the document; 2 annotators, 2 units, "
        "1 unitary alignment with disorder"
    )


def test_a_map_has_columns_as_high_as_the_disorder_that_begins_there():
    records = [("A", at, at + 2, "x") for at in (0, 1, 50)] + [("B", 90, 92, "x")]
    scene = Scene.of_alignment(ga.align(ga.Continuum.from_records(records, extent=(0, 100))))
    content = overview(scene, width=302, palette=Palette(("x",))).content
    columns = [(float(x), float(tall)) for x, tall in re.findall(r"M([\d.]+) 42v-([\d.]+)", content)]
    assert columns == [(1, 40), (4, 40), (151, 40), (271, 40)]
    narrow = overview(scene, width=62, palette=Palette(("x",))).content
    assert [float(tall) for tall in re.findall(r"v-([\d.]+)", narrow)] == [40, 20, 20]


def test_fifty_thousand_units_are_columns_of_a_few_kilobytes():
    start = np.arange(25_000) * 4.0
    columns = {"document": ["d"] * 50_000, "annotator": np.repeat(["A", "B"], 25_000), "start": np.tile(start, 2)}
    columns |= {"end": columns["start"] + 3, "category": ["x"] * 50_000}
    continuum = ga.Corpus.from_columns(columns)["d"]
    scene = Scene(continuum, np.tile(np.arange(25_000), 2), np.tile([0.0, 0.5], 12_500), 1.0, ("x",))
    text = draw(scene, width=1000, palette=Palette(("x",)))
    assert len(text) < 60_000
    assert "data-unit" not in text


def test_a_part_keeps_the_numbers_and_the_disorder_of_the_whole():
    units = [("ann", 0, 4, "x"), ("bob", 1, 4, "y"), ("bob", 10, 12, "y"), ("cy", 10, 12, None), ("ann", 20, 22, "y")]
    whole = Scene.of_alignment(ga.align(ga.Continuum.from_records(units)))
    part = whole.only(["bob", "cy"], ["y"])
    assert part.continuum.annotators == ("bob", "cy")
    assert [unit[1:] for unit in part.units] == [
        (1, 4, "y"),
        (10, 12, "y"),
        (10, 12, None),
    ]  # with what it is aligned to
    assert part.disorder.tolist() == whole.disorder.tolist()
    assert part.lone.tolist() == [False, False, False]  # what is left out is aligned with it all the same
    names = [group for unit, group in zip(whole.units, whole.group.tolist(), strict=True) if unit in part.units]
    assert part.group.tolist() == names
    assert len(whole.only(["bob"], ["x"])) == 1
    assert len(whole.only([], ["x", "y", None])) == 0


def test_a_part_of_a_document_of_one_annotator(result):
    scene = Scene.of_disagreements(result, "d3")
    assert [len(scene.only(["ann"], labels)) for labels in (["y"], ["x"])] == [1, 0]


@pytest.mark.parametrize("hidden", [(), ("ann",), ("ann", "bob")])
def test_what_is_left_of_a_document_is_drawn(result, hidden):
    scene = Scene.of_disagreements(result, "d2")
    part = scene.only([name for name in ("ann", "bob") if name not in hidden], ["y", "x"])
    drawn = draw(part, width=400, palette=Palette(scene.labels))
    assert drawn.count("data-unit") == sum(unit.annotator not in hidden for unit in scene.units)
