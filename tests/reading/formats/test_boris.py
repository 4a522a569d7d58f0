"""BORIS projects."""

import json

import pytest
from places import FORMATS

import gamma_align as ga
from gamma_align.errors import InputError

FOLDER = FORMATS / "boris"
BEHAVIOURS = {
    "0": {"code": "eat", "type": "State event"},
    "1": {"code": "call", "type": "Point event"},
    "2": {"code": "walk", "type": "State event with coding map"},
}


def saved(folder, **observations):
    path = folder / "ana.boris"
    path.write_text(
        json.dumps(
            {
                "project_format_version": "7.0",
                "behaviors_conf": BEHAVIOURS,
                "observations": {name: {"events": events} for name, events in observations.items()},
            }
        ),
        encoding="utf-8",
    )
    return path


def units(corpus, document):
    return [tuple(unit) for unit in corpus[document].units()]


def test_each_file_is_an_observer_and_each_observation_a_document():
    corpus = ga.read(FOLDER)
    assert corpus.annotators == ("ana", "ben")
    assert corpus["monday"].extent == (0, 60)
    assert units(corpus, "tuesday") == [
        ("ana", 3.0, 8.0, "eat"),
        ("ben", 3.5, 8.0, "eat"),
        ("ben", 30.0, 30.0, "call"),
    ]
    assert set(corpus["wednesday"].annotators) == {"ana", "ben"}  # ana saw it and marked nothing


def test_as_many_units_as_events_and_pairs_of_events():
    for name in ("ana", "ben"):
        project = json.loads((FOLDER / f"{name}.boris").read_text(encoding="utf-8"))
        points = {b["code"] for b in project["behaviors_conf"].values() if b["type"].startswith("Point")}
        events = [event for observation in project["observations"].values() for event in observation["events"]]
        n_points = sum(event[2] in points for event in events)
        assert ga.read(FOLDER / f"{name}.boris").n_units == n_points + (len(events) - n_points) // 2


def test_states_are_paired_by_subject_behaviour_and_modifiers(tmp_path):
    events = [[1, "a", "walk", "slow", ""], [2, "a", "walk", "fast", ""], [3, "a", "walk", "slow", ""]]
    path = saved(tmp_path, o=[*events, [5, "a", "walk", "fast", ""]])
    assert units(ga.read(path), "o") == [("ana", 1, 3, "walk"), ("ana", 2, 5, "walk")]
    assert units(ga.read(path, options={"modifiers": "yes"}), "o") == [
        ("ana", 1, 3, "walk|slow"),
        ("ana", 2, 5, "walk|fast"),
    ]


def test_several_subjects_are_layers(tmp_path):
    path = saved(tmp_path, o=[[1, "a", "call", "", ""], [2, "b", "call", "", ""]])
    with pytest.raises(InputError, match=r"units in 2 layers: a \(1 units\), b \(1 units\)"):
        ga.read(path)
    assert units(ga.read(path, layers="a"), "o") == [("ana", 1, 1, "call")]
    assert ga.read(path, document="{document}/{layer}").documents == ("o/a", "o/b")


def test_a_state_that_is_not_stopped_is_refused_or_left_out(tmp_path):
    path = saved(tmp_path, o=[[1, "", "eat", "", ""], [4, "", "call", "", ""]])
    with pytest.raises(InputError, match=r"observation 'o', event 1: the state 'eat' begins at 1 s") as refused:
        ga.read(path)
    assert "options={'unpaired': 'drop'}" in str(refused.value)
    corpus = ga.read(path, options={"unpaired": "drop"})
    assert units(corpus, "o") == [("ana", 4, 4, "call")]


@pytest.mark.parametrize(
    ("events", "cause"),
    [([[1, "", "sing", "", ""]], "not in the ethogram"), ([["x", "", "eat"]], "event 1"), ([[1]], "event 1")],
)
def test_invalid_events_are_refused_with_their_observation(events, cause, tmp_path):
    with pytest.raises(InputError, match=f"observation 'o': .*{cause}"):
        ga.read(saved(tmp_path, o=events))


def test_a_project_without_observations_is_refused(tmp_path):
    with pytest.raises(InputError, match="the project has no observations"):
        ga.read(saved(tmp_path))
