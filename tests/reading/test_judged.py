"""Stretches that an annotator has not judged are left out for all, or taken as seen."""

from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gamma_align as ga
from gamma_align.errors import SettingsError


def nights(folder, **stages):
    for scorer, text in stages.items():
        (folder / scorer).mkdir()
        (folder / scorer / "night.txt").write_text("\n".join(text) + "\n", encoding="utf-8")
    return folder


def by_epoch(corpus, scorer):
    """Return the stage of each epoch in the extent, None where the scorer has no unit."""
    low, high = corpus["night"].extent
    stages = {
        epoch: stage
        for who, start, end, stage in corpus["night"].units()
        if who == scorer
        for epoch in range(int(start), int(end))
    }
    return [stages.get(epoch) for epoch in range(int(low), int(high))]


def test_ends_that_one_has_not_scored_are_cut_for_all(tmp_path):
    folder = nights(tmp_path, ana="??WWNR??".replace("N", "2"), ben="WWWWW2RR")
    corpus = ga.read(folder)
    assert corpus["night"].extent == (2, 6)
    assert by_epoch(corpus, "ben") == ["W", "W", "W", "2"]
    assert any("2 units are cut or left out" in note and "seen='all'" in note for note in corpus.notes)
    assert ga.read(folder, seen="all")["night"].extent == (0, 8)


def test_a_unit_over_a_stretch_that_is_not_scored_is_two(tmp_path):
    corpus = ga.read(nights(tmp_path, ana="WW??WW22", ben="WWWWWW22"))
    assert [unit[1:] for unit in corpus["night"].units() if unit[0] == "ben"] == [
        (0, 2, "W"),
        (4, 6, "W"),
        (6, 8, "2"),
    ]


def test_nothing_is_said_if_all_have_scored_the_same(tmp_path):
    corpus = ga.read(nights(tmp_path, ana="WW22RR", ben="W222RR"))
    assert not any("judged" in note for note in corpus.notes)


def test_another_value_is_refused(tmp_path):
    with pytest.raises(SettingsError, match="seen"):
        ga.read(nights(tmp_path, ana="WW22"), seen="none")


@given(st.lists(st.tuples(st.sampled_from("W2R?"), st.sampled_from("W2R?")), min_size=5, max_size=30))
def test_epochs_that_all_have_scored_are_kept_as_they_are(tmp_path_factory, epochs):
    columns = ["".join(column) + "WR2W" for column in zip(*epochs, strict=True)]  # the end makes both hypnograms
    corpus = ga.read(nights(tmp_path_factory.mktemp("nights"), ana=columns[0], ben=columns[1]))
    kept = [None if "?" in pair else pair for pair in zip(*columns, strict=True)]
    first = next(index for index, pair in enumerate(kept) if pair is not None)
    found = list(zip(by_epoch(corpus, "ana"), by_epoch(corpus, "ben"), strict=True))
    assert found == [pair or (None, None) for pair in kept[first:]]
    runs = sum(1 for key, _ in groupby(kept, key=lambda pair: pair and pair[0]) if key is not None)
    assert sum(unit[0] == "ana" for unit in corpus["night"].units()) == runs
