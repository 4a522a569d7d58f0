"""Annotated texts of GATE and Knowtator."""

import shutil

import pytest
from places import FORMATS

import gamma_align as ga
from gamma_align.errors import InputError

FOLDER = FORMATS / "marked_texts"


def units(corpus):
    return [(name, *unit) for name in corpus.documents for unit in corpus[name].units()]


def test_sets_of_gate_are_layers_that_may_be_annotators():
    path = FOLDER / "two_sets.xml"
    with pytest.raises(InputError, match=r"units in 2 layers: jonas \(1 units\), mira \(2 units\)"):
        ga.read(path)
    corpus = ga.read(path, annotator="{layer}")
    assert units(corpus) == [
        ("two_sets", "jonas", 0, 4, "Person"),
        ("two_sets", "mira", 0, 4, "Person"),
        ("two_sets", "mira", 11, 15, "Location"),
    ]
    assert corpus.texts == ("Anna saw \U0001f642 Rome.",)


def test_both_versions_of_knowtator_name_annotators(tmp_path):
    for name in ("project.knowtator", "d1.txt"):
        shutil.copyfile(FOLDER / name, tmp_path / name)
    corpus = ga.read(tmp_path / "project.knowtator")
    assert units(corpus) == [
        ("d1", "jonas", 0, 4, "Person"),
        ("d1", "jonas", 5, 13, "C2"),
        ("d1", "mira", 0, 4, "Person"),
    ]
    assert corpus["d1"].extent == (0, 14)
    assert units(ga.read(FOLDER / "first_version.xml")) == [("d1", "mira", 0, 4, "Person")]


@pytest.mark.parametrize(
    ("name", "change", "cause"),
    [
        ("two_sets.xml", ('EndNode="16"></A', 'EndNode="99"></A'), "line 7: the annotation is at a node"),
        ("project.knowtator", ('start="0"', 'start="x"'), "line 4: the annotation has no span"),
    ],
)
def test_wrong_places_are_refused_with_their_line(name, change, cause, tmp_path):
    text = (FOLDER / name).read_text(encoding="utf-8")
    (tmp_path / name).write_text(text.replace(*change), encoding="utf-8")
    with pytest.raises(InputError, match=cause):
        ga.read(tmp_path / name, annotator="{layer}" if name == "two_sets.xml" else None)
