"""Hypnograms, a stage a line."""

from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import FORMATS

import gamma_align as ga
from gamma_align.errors import InputError, SettingsError


def saved(folder, name="night.txt", **stages):
    for scorer, text in stages.items():
        (folder / scorer).mkdir()
        (folder / scorer / name).write_text("\n".join(text.split()) + "\n", encoding="utf-8")
    return folder


def units(corpus):
    return [tuple(unit) for unit in corpus.continuum(0).units()]


def test_the_samples_have_a_unit_for_each_run_of_a_stage():
    folder = FORMATS / "hypnogram"
    corpus = ga.read(folder, seen="all")
    for scorer in ("ana", "ben"):
        stages = (folder / scorer / "night1.txt").read_text(encoding="utf-8").split()
        runs = [stage for stage, _ in groupby(stages) if stage != "?"]
        assert [category for who, _, _, category in units(corpus) if who == scorer] == runs
    assert corpus.continuum(0).extent == (0, 9)
    assert corpus.length_unit == "epoch"


def test_epochs_may_have_a_length(tmp_path):
    corpus = ga.read(saved(tmp_path, ana="W W N1 R"), options={"epoch": 30})
    assert units(corpus) == [("ana", 0, 60, "W"), ("ana", 60, 90, "N1"), ("ana", 90, 120, "R")]
    assert corpus.length_unit == "s"


def test_a_length_that_is_none_is_refused(tmp_path):
    with pytest.raises(SettingsError, match="seconds of an epoch"):
        ga.read(saved(tmp_path, ana="W W N1 R"), options={"epoch": "soon"})


def test_codes_are_stages_if_the_name_of_the_file_says_so(tmp_path):
    folder = saved(tmp_path, name="hypnogram.txt", ana="0 0 2 5", ben="0 2 2 5")
    assert units(ga.read(folder))[:3] == [("ana", 0, 2, "0"), ("ana", 2, 3, "2"), ("ana", 3, 4, "5")]


def test_numbers_are_no_stages_otherwise(tmp_path):
    with pytest.raises(InputError, match="no file is of a known format"):
        ga.read(saved(tmp_path, name="d.txt", ana="0 0 2 5"))


def test_a_code_that_may_mean_not_scored_is_asked_about(tmp_path):
    folder = saved(tmp_path, name="hypnogram.txt", ana="0 0 -1 2")
    with pytest.raises(InputError, match=r"line 3: -1 may be a stage, or mean that an epoch was not scored") as refused:
        ga.read(folder)
    assert "{'unscored': '-1'}" in str(refused.value)
    assert units(ga.read(folder, options={"unscored": "-1"})) == [("ana", 0, 2, "0"), ("ana", 3, 4, "2")]
    assert len(units(ga.read(folder, options={"unscored": "?"}))) == 3


def test_a_line_that_is_no_stage_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"line 3: 'dream' is no stage"):
        ga.read(saved(tmp_path, ana="W W dream R"), format="hypnogram")


def test_words_are_no_hypnogram(tmp_path):
    (tmp_path / "a.txt").write_text("W\nis\na\nletter\n", encoding="utf-8")
    with pytest.raises(InputError):
        ga.read(tmp_path)


STAGES = st.sampled_from(["W", "N1", "N2", "N3", "R"])


@given(st.lists(STAGES, min_size=4, max_size=50).filter(lambda stages: len(set(stages)) > 1))
def test_units_tile_the_night(tmp_path_factory, stages):
    corpus = ga.read(saved(tmp_path_factory.mktemp("night"), ana=" ".join(stages)))
    assert [stage for _, start, end, stage in units(corpus) for _ in range(int(end - start))] == stages
