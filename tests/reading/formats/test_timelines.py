"""EXMARaLDA, Transcriber and Anvil."""

import re

import pytest
from places import FORMATS

import gamma_align as ga
from gamma_align.errors import InputError

FOLDER = FORMATS / "timelines"


def units(corpus):
    return [tuple(unit)[1:] for unit in corpus.continuum(0).units()]


def changed(folder, name, *changes):
    text = (FOLDER / name).read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_events_between_points_of_the_timeline():
    corpus = ga.read(FOLDER / "talk.exb")
    assert units(corpus) == [(0, 1.5, "opening"), (1.5, 3, "talk"), (3, 4.5, "closing")]
    assert corpus.n_units == len(re.findall("<event ", (FOLDER / "talk.exb").read_text(encoding="utf-8")))
    assert any("without a time (1)" in note for note in corpus.notes)


def test_a_turn_is_a_unit_of_each_speaker():
    corpus = ga.read(FOLDER / "talk.trs")
    assert units(corpus) == [(0, 2.25, "Ann"), (3, 9.5, "Ann"), (3, 9.5, "Ben")]
    assert corpus.continuum(0).extent == (0, 9.5)


def test_tracks_are_layers_and_spans_refer_to_elements():
    with pytest.raises(InputError, match="units in 2 layers"):
        ga.read(FOLDER / "talk.anvil")
    assert units(ga.read(FOLDER / "talk.anvil", layers="gesture.phase")) == [(0.5, 1.25, "prep"), (1.25, 2, "stroke")]
    assert units(ga.read(FOLDER / "talk.anvil", layers="gesture.phrase")) == [(0.5, 2, "beat")]


@pytest.mark.parametrize(
    ("name", "change", "cause"),
    [
        ("talk.exb", ('end="T1"', 'end="T9"'), "line 12: the event is between points"),
        ("talk.trs", ('endTime="2.25"', 'endTime="soon"'), "line 6: endTime is 'soon'"),
        ("talk.anvil", ('start="0" end="1"', 'start="0" end="7"'), "line 10: the element refers"),
    ],
)
def test_wrong_times_are_refused_with_their_line(name, change, cause, tmp_path):
    with pytest.raises(InputError, match=cause):
        ga.read(changed(tmp_path, name, change))


def test_several_attributes_are_asked_about(tmp_path):
    more = '<attribute name="type">prep</attribute><attribute name="hand">left</attribute>'
    path = changed(tmp_path, "talk.anvil", ('<attribute name="type">prep</attribute>', more))
    with pytest.raises(InputError, match="attributes 'type', 'hand'"):
        ga.read(path, layers="gesture.phase")
    assert ga.read(path, layers="gesture.phase:hand").categories == ("left",)
