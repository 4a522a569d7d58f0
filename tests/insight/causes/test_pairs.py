"""Two annotators: what is said of either of them is so in the data as annotated."""

from __future__ import annotations

import numpy as np
import pytest
from judging import findings, view_of
from made_pairs import all_split, make_pair, starts_moved

import gamma_align as ga
from gamma_align.insight.disagreements.disagreements import fix_causes
from gamma_align.measures.gamma.gamma_settings import GammaSettings


@pytest.mark.parametrize("seed", range(40))
def test_a_split_is_told_as_a_split(seed):
    rng = np.random.default_rng([seed, 18])
    view = view_of(all_split(make_pair(rng), seed % 2))
    kinds = [group[0].cause.name for group in findings(view)]
    assert kinds == ["split"]


@pytest.mark.parametrize("seed", range(8))
def test_no_offset_is_repaired_where_units_are_split(seed):
    rng = np.random.default_rng([seed, 18])
    corpus = all_split(make_pair(rng), seed % 2).corpus()
    repaired, changes = fix_causes(corpus, ["offset"], GammaSettings.of())
    assert changes == ()
    assert repaired is corpus


@pytest.mark.parametrize("lag", [-4, -2, 2, 3])
def test_starts_that_are_moved_are_moved_back_and_no_other_ones(lag):
    rng = np.random.default_rng([abs(lag), 57])
    draft = make_pair(rng)
    moved = starts_moved(draft, 1, lag, np.arange(0, len(draft.documents), 2))
    corpus, original = moved.corpus(), draft.corpus()
    repaired, changes = fix_causes(corpus, ["offset"], GammaSettings.of())
    assert len(changes) == 1
    assert np.array_equal(repaired.start, original.start)
    assert np.array_equal(repaired.end, original.end)


def test_an_offset_of_starts_is_no_rule_if_more_units_fit_as_they_are():
    """Names begin with a word of three letters in a third of the units, and the others need no repair."""
    units = [("d", "A", start, start + 10, "x") for start in range(0, 900, 30)]
    units += [("d", "B", start + 4 * (start % 90 == 0), start + 10, "x") for start in range(0, 900, 30)]
    repaired, changes = fix_causes(ga.Corpus.from_records(units), ["offset"], GammaSettings.of())
    assert changes == ()
    assert sum(1 for unit in repaired["d"].units() if unit.start % 30) == 10


def test_units_that_fit_are_not_moved_with_the_others():
    units = [("d", "A", start, start + 10, "x") for start in range(0, 900, 30)]
    units += [("d", "B", start + 4 * (start % 300 != 0), start + 10, "x") for start in range(0, 900, 30)]
    repaired, changes = fix_causes(ga.Corpus.from_records(units), ["offset"], GammaSettings.of())
    assert len(changes) == 1
    starts = [sorted(unit.start for unit in repaired["d"].units() if unit.annotator == name) for name in "AB"]
    assert starts[0] == starts[1]
