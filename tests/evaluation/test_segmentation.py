"""P_k, WindowDiff, B and S: values of segeval, oracles by their definitions, refusals."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from places import CORPORA

import gamma_align as ga


def tiles(masses, annotator, atom=1.0, start=0.0):
    ends = list(itertools.accumulate(masses))
    return [
        ("d", annotator, start + atom * low, start + atom * high) for low, high in zip([0, *ends], ends, strict=False)
    ]


def scored(reference, system, **options):
    units = tiles(reference, "ref") + tiles(system, "sys")
    return ga.segmentation(units, reference="ref", **options).scores[0]


# segeval 2.0.11: masses of reference and hypothesis, then P_k, WindowDiff, B (n_t 2), B (n_t 3), S (n_t 2)
SEGEVAL = [
    ("2 3 6 / 5 6", (0.222222, 0.222222, 0.5, 0.5, 0.9)),
    ("2 3 6 / 2 2 7", (0.222222, 0.222222, 0.75, 0.833333, 0.95)),
    ("5 5 5 5 / 5 4 6 5", (0.111111, 0.111111, 0.833333, 0.888889, 0.973684)),
    ("5 5 5 5 / 10 10", (0.222222, 0.222222, 0.333333, 0.333333, 0.894737)),
    ("5 5 5 5 / 5 5 4 1 5", (0.055556, 0.111111, 0.75, 0.75, 0.947368)),
    ("6 3 4 / 4 4 5", (0.545455, 0.545455, 0.166667, 0.5, 0.791667)),  # nltk#3102: its default k gives P_k .4
    ("1 1 1 1 / 2 2", (0.0, 1.0, 0.333333, 0.333333, 0.333333)),  # P_k sees no segment shorter than its window
    ("2 3 6 / 11", (0.444444, 0.444444, 0.0, 0.0, 0.8)),
]


def masses(text):
    return [[int(mass) for mass in side.split()] for side in text.split("/")]


@pytest.mark.parametrize(("text", "expected"), SEGEVAL)
def test_values_are_those_of_segeval(text, expected):
    near, far = (scored(*masses(text), near=span) for span in (2, 3))
    values = (near.p_k, near.window_diff, near.b, far.b, near.s)
    assert [float(value) for value in values] == pytest.approx(expected, abs=5e-7)
    assert (far.p_k, far.window_diff) == (near.p_k, near.window_diff)


@pytest.mark.parametrize(("near", "b"), [(2, 0.0), (3, 0.0), (4, 0.25), (5, 0.4)])
def test_a_boundary_that_moved_far_takes_a_larger_reach(near, b):
    assert float(scored([5, 5], [8, 2], near=near).b) == pytest.approx(b)


def test_the_edit_is_the_cheapest():
    # segeval's greedy edit of 0111100 / 0000011 costs 4.333 for n_t 3
    score = scored([2, 1, 1, 1, 3], [6, 1, 1], near=3)
    assert (1 - float(score.s)) * 7 == pytest.approx(10 / 3)
    assert (score.moved, score.left) == (2, 2)


def windows(reference, system, n_atoms):
    """Return P_k and WindowDiff by their definitions, from sets of boundaries."""
    k = max(round(n_atoms / (len(reference) + 1) / 2), 2)
    pairs = []
    for first in range(n_atoms - k):
        inside = range(first + 1, first + k + 1)
        pairs.append([len(side.intersection(inside)) for side in (reference, system)])
    if not pairs:
        return None
    p_k = sum((mine == 0) != (theirs == 0) for mine, theirs in pairs)
    return p_k / len(pairs), sum(mine != theirs for mine, theirs in pairs) / len(pairs)


def edit_cost(reference, system, near):
    """Return the least cost of an edit, by dynamic programming over boundaries that are not matched."""
    mine, theirs = sorted(reference - system), sorted(system - reference)
    cost = [[float(row + column) for column in range(len(theirs) + 1)] for row in range(len(mine) + 1)]
    for row, column in itertools.product(range(1, len(mine) + 1), range(1, len(theirs) + 1)):
        span = abs(mine[row - 1] - theirs[column - 1])
        moves = [cost[row - 1][column - 1] + span / near] if span < near else []
        cost[row][column] = min(cost[row - 1][column] + 1, cost[row][column - 1] + 1, *moves)
    return cost[-1][-1]


def tiled(boundaries, n_atoms):
    points = [0, *sorted(boundaries), n_atoms]
    return [high - low for low, high in itertools.pairwise(points)]


BOUNDARIES = st.sets(st.integers(1, 17))


@settings(max_examples=150, deadline=None)
@given(BOUNDARIES, BOUNDARIES, st.integers(1, 5))
def test_values_are_those_of_the_definitions(reference, system, near):
    n_atoms = 18
    score = scored(tiled(reference, n_atoms), tiled(system, n_atoms), near=near)
    assert (float(score.p_k), float(score.window_diff)) == pytest.approx(windows(reference, system, n_atoms))
    cost = edit_cost(reference, system, near)
    assert float(score.s) == pytest.approx(1 - cost / (n_atoms - 1))
    count = score.matched + score.moved + score.left
    assert score.matched == len(reference & system)
    assert 2 * score.moved + score.left == len(reference ^ system)
    assert float(score.b) == pytest.approx(1 - cost / count if count else 1.0)


def test_all_pairs_both_ways_and_their_mean():
    units = tiles([2, 3, 6], "ann") + tiles([5, 6], "bob") + tiles([2, 2, 7], "cy")
    result = ga.segmentation(units)
    names = [(score.reference, score.system) for score in result.scores]
    assert names == list(itertools.permutations(["ann", "bob", "cy"], 2))
    for score in result.scores:
        both = [unit for unit in units if unit[1] in (score.reference, score.system)]
        assert score == ga.segmentation(both, reference=score.reference).scores[0]
    for name, mean in result.mean.items():
        assert float(mean) == pytest.approx(sum(float(getattr(score, name)) for score in result.scores) / 6)


def test_documents_are_summed():
    first, second = tiles([2, 3, 6], "ref") + tiles([5, 6], "sys"), tiles([6, 3, 4], "ref") + tiles([4, 4, 5], "sys")
    units = [*first, *(("e", *unit[1:]) for unit in second)]
    score = ga.segmentation(units, reference="ref").scores[0]
    assert float(score.p_k) == pytest.approx((2 + 6) / (9 + 11))
    assert float(score.s) == pytest.approx(1 - (1 + 2.5) / (10 + 12))
    assert float(score.b) == pytest.approx(1 - (1 + 2.5) / (2 + 3))


def test_boundaries_in_seconds_are_rounded_to_atoms():
    units = tiles([2, 3, 6], "ref", 0.1, 7.0) + tiles([2, 2, 7], "sys", 0.1, 7.0)
    score = ga.segmentation(units, reference="ref", atom=0.1).scores[0]
    assert float(score.b) == pytest.approx(0.75)
    assert score.windows == 9


def test_no_boundary_is_said():
    result = ga.segmentation(tiles([9], "ref") + tiles([9], "sys"), reference="ref")
    assert float(result.scores[0].b) == float(result.scores[0].s) == 1.0
    assert any("B is 1" in note for note in result.notes)


def test_too_short_a_document_has_no_value():
    score = scored([1], [1])
    assert not any(value.is_available for value in (score.p_k, score.window_diff, score.b, score.s))


REFUSED = {
    "overlaps the unit before it": [(0, 5), (4, 11)],
    "begins after a gap": [(0, 5), (6, 11)],
    "ends before the document does": [(0, 5), (5, 10)],
    "no unit covers it": [],
}


@pytest.mark.parametrize("problem", REFUSED)
def test_units_that_do_not_tile_are_refused(problem):
    units = [("d", "sys", *bounds) for bounds in REFUSED[problem]] + tiles([2, 3, 6], "ref")
    corpus = ga.Corpus.from_records(units, annotations=[("d", "ref"), ("d", "sys")])
    with pytest.raises(ga.InputError, match=f"document 'd', annotator 'sys': .*{problem}"):
        ga.segmentation(corpus)


def test_gaps_may_be_segments():
    gaps = [("d", "sys", 0, 2), ("d", "sys", 5, 11)]
    score = ga.segmentation(tiles([2, 3, 6], "ref") + gaps, reference="ref", gaps="segments").scores[0]
    assert float(score.b) == 1.0


@pytest.mark.parametrize("options", [{"atom": 0}, {"near": 0}, {"gaps": "fill"}, {"reference": "re"}])
def test_settings_out_of_range_are_refused(options):
    with pytest.raises(ga.SettingsError, match="|".join(options)):
        ga.segmentation(tiles([2, 3, 6], "ref") + tiles([5, 6], "sys"), **options)


# Hearst's stargazer text, segeval 2.0.11: coders, then B, S, P_k, WindowDiff
STARGAZER = [
    ("coder1", "coder2", (0.5, 0.825, 0.368421, 0.368421)),
    ("coder1", "coder3", (0.6, 0.8, 0.263158, 0.368421)),
    ("coder3", "coder5", (0.45, 0.725, 0.315789, 0.473684)),
]


@pytest.mark.parametrize(("reference", "system", "expected"), STARGAZER)
def test_values_of_the_stargazer_text_are_those_of_segeval(reference, system, expected):
    corpus = ga.read(CORPORA / "hearst_kazantseva").select(documents="hearst/stargazer")
    scores = {score.system: score for score in ga.segmentation(corpus, reference=reference).scores}
    score = scores[system]
    assert [float(value) for value in (score.b, score.s, score.p_k, score.window_diff)] == pytest.approx(
        expected, abs=5e-7
    )


def test_the_pooled_b_of_the_stargazer_text_is_that_of_segeval():
    # segeval's observed agreement of its π and κ: similarities weighted by boundaries, not their plain mean
    corpus = ga.read(CORPORA / "hearst_kazantseva").select(documents="hearst/stargazer")
    scores = ga.segmentation(corpus).scores
    boundaries = [score.matched + score.moved + score.left for score in scores]
    pooled = sum(float(score.b) * count for score, count in zip(scores, boundaries, strict=True)) / sum(boundaries)
    assert pooled == pytest.approx(0.530055, abs=5e-7)
