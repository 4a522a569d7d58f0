"""Two annotators: what is said of either of them is so in the data as annotated."""

from __future__ import annotations

import numpy as np
import pytest
from judging import findings_in_words, view_of
from made_corpora import MAKERS, Noise
from made_pairs import all_split, make_pair, starts_moved
from plants import PLANTS
from recount import contradictions

import gamma_align as ga
from gamma_align.insight.disagreements.disagreements import fix_causes
from gamma_align.measures.gamma.gamma_settings import GammaSettings


def found_in(draft):
    """Return the findings in a draft, none of which its units contradict."""
    view = view_of(draft)
    found = findings_in_words(view)
    assert [problem for finding in found for problem in contradictions(finding, view.corpus)] == []
    return found


@pytest.mark.parametrize("seed", range(40))
def test_a_split_is_told_as_a_split(seed):
    rng = np.random.default_rng([seed, 18])
    (finding,) = found_in(all_split(make_pair(rng), seed % 2))
    assert (finding.kind, finding.annotator) == ("split", None)
    assert finding.title.startswith(f"Where {'BA'[seed % 2]} has one unit, {'AB'[seed % 2]} has several")


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("is_split", [False, True])
def test_starts_that_are_moved_name_nobody_else(seed, is_split):
    rng = np.random.default_rng([seed, 19])
    draft = make_pair(rng)
    n_documents = len(draft.documents)
    documents = rng.choice(n_documents, int(rng.uniform(0.2, 1.0) * n_documents), replace=False)
    moved = starts_moved(draft, seed % 2, (-4, -2, -1, 1, 2, 3, 4)[seed % 7], documents)
    found = found_in(all_split(moved, 1 - seed % 2) if is_split else moved)
    # A moved start may leave out a whole word, which the other one marks as a part.
    assert is_split or {finding.kind for finding in found} <= {"offset", "bounds"}
    assert {finding.annotator for finding in found} <= {None, "AB"[seed % 2]}


@pytest.mark.parametrize(
    ("plant", "kind"),
    [(plant, kind) for plant in PLANTS for kind in plant.kinds if plant.min_annotators <= 2],
    ids=lambda value: getattr(value, "name", value),
)
def test_of_two_annotators_only_the_one_of_the_plant_is_named(plant, kind):
    draft = MAKERS[kind](np.random.default_rng([21, 7]), 2, 20, Noise())
    planted = plant.apply(draft, 1, 0.6, np.random.default_rng(21))
    named = {finding.annotator for finding in found_in(planted.draft) if finding.kind in planted.kinds}
    assert named <= {None, planted.draft.annotators[1]}


@pytest.mark.parametrize("seed", range(4))
def test_several_causes_at_once_are_counted_in_the_data_as_annotated(seed):
    draft = MAKERS["text"](np.random.default_rng([seed, 22]), 2 + seed % 2, 30, Noise())
    rng = np.random.default_rng([seed, 23])
    for index, name in enumerate(("silent documents", "two words left out", "long units left out", "fewer units")):
        plant = next(plant for plant in PLANTS if plant.name == name)
        draft = plant.apply(draft, (index + seed) % 2, 0.4, rng).draft
    assert found_in(draft)


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


def test_what_is_between_two_annotators_is_listed_for_either():
    corpus = all_split(make_pair(np.random.default_rng(3)), 0).corpus()
    result = ga.disagreements(corpus, samples=3)
    assert [finding.annotator for finding in result.to_settle] == [None]
    for name in corpus.annotators:
        assert result.causes_of(name) == result.to_settle
        of_one = ga.disagreements(corpus, samples=3, annotator=name).to_settle
        assert [finding.title for finding in of_one] == [result.to_settle[0].title]
