"""P_k, WindowDiff, B and S: values of segeval, reference implementations of the definitions, refusals."""

from __future__ import annotations

import functools
import itertools
import operator

import pytest
from hypothesis import given
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
def test_values_equal_those_of_segeval(text, expected):
    default, wider = (scored(*masses(text), near=max_move) for max_move in (2, 3))
    values = (default.p_k, default.window_diff, default.b, wider.b, default.s)
    assert [float(value) for value in values] == pytest.approx(expected, abs=5e-7)
    assert (wider.p_k, wider.window_diff) == (default.p_k, default.window_diff)


@pytest.mark.parametrize(("max_move", "b"), [(2, 0.0), (3, 0.0), (4, 0.25), (5, 0.4)])
def test_boundaries_fewer_than_near_atoms_apart_have_moved(max_move, b):
    assert float(scored([5, 5], [8, 2], near=max_move).b) == pytest.approx(b)


def test_edit_of_boundaries_is_the_cheapest():
    # segeval's greedy edit of 0111100 / 0000011 costs 4.333 for n_t 3
    score = scored([2, 1, 1, 1, 3], [6, 1, 1], near=3)
    assert (1 - float(score.s)) * 7 == pytest.approx(10 / 3)
    assert (score.moved, score.left) == (2, 2)


# segeval 2.0.11, WindowDiff with Lamprier's correction; segeval divides by one window too many
LAMPRIER = [0.142857, 0.142857, 0.086957, 0.173913, 0.086957, 0.375, 0.571429, 0.285714]


@pytest.mark.parametrize(
    ("text", "expected"), [(text, value) for (text, _), value in zip(SEGEVAL, LAMPRIER, strict=True)]
)
def test_lampriers_correction_equals_segevals_over_the_existing_windows(text, expected):
    reference, system = masses(text)
    n_atoms, k = sum(reference), max(round(sum(reference) / len(reference) / 2), 2)
    value = float(scored(reference, system).lamprier)
    assert value * (n_atoms + k) / (n_atoms + k + 1) == pytest.approx(expected, abs=5e-7)


def typed(kinds, annotator):
    """Return the units of an annotator whose boundaries have these types: 0 for none."""
    bounds = [0, *(position for position, kind in enumerate(kinds, 1) if kind), len(kinds) + 1]
    labels = ["start", *(str(kind) for kind in kinds if kind)]
    return [
        ("d", annotator, low, high, label)
        for (low, high), label in zip(itertools.pairwise(bounds), labels, strict=True)
    ]


def scored_types(reference, system, **options):
    units = typed(reference, "ref") + typed(system, "sys")
    return ga.segmentation(units, reference="ref", types=True, **options).scores[0]


def test_different_types_at_one_position_are_substituted():
    # segeval: two types on an ordinal scale are half of it apart; B .5, and S .95 = 1 - 1 / (5 positions x 2² types)
    half = ga.Matrix(["1", "2", "start"], [[0, 0.5, 1], [0.5, 0, 1], [1, 1, 0]])
    score = scored_types([0, 1, 0, 2, 0], [0, 2, 0, 1, 0], distance=half)
    assert (float(score.b), float(score.s)) == pytest.approx((0.5, 1 - 1 / 5))
    assert (score.matched, score.moved, score.substituted, score.left) == (0, 0, 2, 0)
    nominal = scored_types([0, 1, 0, 2, 0], [0, 2, 0, 1, 0])
    assert (float(nominal.b), nominal.substituted) == (0.0, 2)
    without = ga.segmentation(typed([0, 1, 0, 2, 0], "ref") + typed([0, 2, 0, 1, 0], "sys"), reference="ref").scores[0]
    assert (float(without.b), without.matched) == (1.0, 2)


def test_boundaries_of_different_types_do_not_move():
    same, different = scored_types([0, 1, 0, 0], [0, 0, 1, 0]), scored_types([0, 1, 0, 0], [0, 0, 2, 0])
    assert (same.moved, same.left, float(same.b)) == (1, 0, 0.5)
    assert (different.moved, different.left, float(different.b)) == (0, 2, 0.0)


def test_boundary_before_a_gap_has_no_type():
    units = [("d", "ref", 0, 3, "a"), ("d", "ref", 5, 9, "b"), ("d", "sys", 0, 3, "a"), ("d", "sys", 3, 9, "b")]
    score = ga.segmentation(units, reference="ref", types=True, gaps="segments").scores[0]
    assert (score.matched, score.substituted, score.left) == (0, 1, 1)  # at 3 a gap and b, at 5 b alone


KINDS = st.lists(st.integers(0, 2), min_size=3, max_size=8)


def typed_cost(reference, system, max_move, type_distance):
    """Return the least cost of an edit over all ways to pair boundaries that are not the same in both."""
    sides = [{(position, kind) for position, kind in enumerate(side) if kind} for side in (reference, system)]
    rows, columns = sorted(sides[0] - sides[1]), sorted(sides[1] - sides[0])

    @functools.cache
    def least_cost(row, used):
        if row == len(rows):
            return len(columns) - used.bit_count()
        position, kind = rows[row]
        best = 1 + least_cost(row + 1, used)
        for column, (system_position, system_kind) in enumerate(columns):
            move, same_kind = abs(position - system_position), kind == system_kind
            if not used >> column & 1 and (move < max_move if same_kind else move == 0):
                cost = move / max_move if same_kind else type_distance
                best = min(best, cost + least_cost(row + 1, used | 1 << column))
        return best

    return least_cost(0, 0)


@given(KINDS, KINDS, st.integers(1, 4), st.sampled_from([0.25, 0.5, 1.0]))
def test_edit_of_typed_boundaries_is_the_cheapest(reference, system, max_move, type_distance):
    system = (system * 8)[: len(reference)]
    labels = ["1", "2", "start"]
    distance = ga.Matrix(labels, [[0, type_distance, 1], [type_distance, 0, 1], [1, 1, 0]])
    score = scored_types(reference, system, near=max_move, distance=distance)
    cost = typed_cost(reference, system, max_move, type_distance)
    assert (1 - float(score.s)) * len(reference) == pytest.approx(cost)
    n_boundaries = sum(map(bool, reference)) + sum(map(bool, system))
    assert 2 * (score.matched + score.moved + score.substituted) + score.left == n_boundaries


def test_evaluate_compares_types_by_the_distance_of_categories():
    units = typed([0, 1, 0, 2, 0], "ref") + typed([0, 2, 0, 1, 0], "sys")
    options = {"reference": "ref", "measures": "segmentation", "boundary_types": True}
    half = ga.Matrix(["1", "2", "start"], [[0, 0.5, 1], [0.5, 0, 1], [1, 1, 0]])
    result = ga.evaluate(units, distance=half, **options)
    assert float(result.systems[0].segmentation.b) == pytest.approx(0.5)
    assert "|types:matrix|" in result.signature
    assert float(ga.evaluate(units, **options).systems[0].segmentation.b) == 0.0


def windows(reference, system, n_atoms):
    """Return P_k and the three WindowDiffs by their definitions, from sets of boundaries."""
    k = max(round(n_atoms / (len(reference) + 1) / 2), 2)

    def pairs(first, last):
        counted = []
        for begin in range(first, last):
            inside = range(begin + 1, begin + k + 1)
            counted.append([len(side.intersection(inside)) for side in (reference, system)])
        return counted

    plain, padded = pairs(0, n_atoms - k), pairs(-k, n_atoms)
    if not plain:
        return None
    p_k = sum((first == 0) != (second == 0) for first, second in plain)
    differ, differ_padded = (sum(itertools.starmap(operator.ne, counts)) for counts in (plain, padded))
    weighted = sum(abs(first - second) for first, second in plain)
    return p_k / len(plain), differ / len(plain), weighted / len(plain), differ_padded / len(padded)


def edit_cost(reference, system, max_move):
    """Return the least cost of an edit, by dynamic programming over boundaries that are not matched."""
    rows, columns = sorted(reference - system), sorted(system - reference)
    cost = [[float(row + column) for column in range(len(columns) + 1)] for row in range(len(rows) + 1)]
    for row, column in itertools.product(range(1, len(rows) + 1), range(1, len(columns) + 1)):
        move = abs(rows[row - 1] - columns[column - 1])
        moves = [cost[row - 1][column - 1] + move / max_move] if move < max_move else []
        cost[row][column] = min(cost[row - 1][column] + 1, cost[row][column - 1] + 1, *moves)
    return cost[-1][-1]


def tiled(boundaries, n_atoms):
    points = [0, *sorted(boundaries), n_atoms]
    return [high - low for low, high in itertools.pairwise(points)]


BOUNDARIES = st.sets(st.integers(1, 17))


@given(BOUNDARIES, BOUNDARIES, st.integers(1, 5))
def test_values_equal_the_definitions(reference, system, max_move):
    n_atoms = 18
    score = scored(tiled(reference, n_atoms), tiled(system, n_atoms), near=max_move)
    values = (score.p_k, score.window_diff, score.weighted_window_diff, score.lamprier)
    assert [float(value) for value in values] == pytest.approx(windows(reference, system, n_atoms))
    cost = edit_cost(reference, system, max_move)
    assert float(score.s) == pytest.approx(1 - cost / (n_atoms - 1))
    count = score.matched + score.moved + score.left
    assert score.matched == len(reference & system)
    assert 2 * score.moved + score.left == len(reference ^ system)
    assert float(score.b) == pytest.approx(1 - cost / count if count else 1.0)


def test_each_annotator_is_in_turn_the_reference():
    units = tiles([2, 3, 6], "ann") + tiles([5, 6], "bob") + tiles([2, 2, 7], "cy")
    result = ga.segmentation(units)
    names = [(score.reference, score.system) for score in result.scores]
    assert names == list(itertools.permutations(["ann", "bob", "cy"], 2))
    for score in result.scores:
        pair = [unit for unit in units if unit[1] in (score.reference, score.system)]
        assert score == ga.segmentation(pair, reference=score.reference).scores[0]
    for name, mean in result.mean.items():
        assert float(mean) == pytest.approx(sum(float(getattr(score, name)) for score in result.scores) / 6)


def test_numerators_and_denominators_are_summed_over_documents():
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


def test_a_note_says_that_b_is_1_without_boundaries():
    result = ga.segmentation(tiles([9], "ref") + tiles([9], "sys"), reference="ref")
    assert float(result.scores[0].b) == float(result.scores[0].s) == 1.0
    assert any("B is 1" in note for note in result.notes)


def test_document_of_one_atom_has_no_value():
    score = scored([1], [1])
    assert not any(value.is_available for value in (score.p_k, score.window_diff, score.b, score.s))


REFUSED = {
    "overlaps the unit before it": [(0, 5), (4, 11)],
    "begins after a gap": [(0, 5), (6, 11)],
    "ends before the document does": [(0, 5), (5, 10)],
    "no unit covers it": [],
}


@pytest.mark.parametrize("problem", REFUSED)
def test_units_that_overlap_or_leave_gaps_are_refused(problem):
    units = [("d", "sys", *bounds) for bounds in REFUSED[problem]] + tiles([2, 3, 6], "ref")
    corpus = ga.Corpus.from_records(units, annotations=[("d", "ref"), ("d", "sys")])
    with pytest.raises(ga.InputError, match=f"document 'd', annotator 'sys': .*{problem}"):
        ga.segmentation(corpus)


def test_gaps_can_be_read_as_segments():
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
def test_values_of_the_stargazer_text_equal_those_of_segeval(reference, system, expected):
    corpus = ga.read(CORPORA / "hearst_kazantseva").select(documents="hearst/stargazer")
    scores = {score.system: score for score in ga.segmentation(corpus, reference=reference).scores}
    score = scores[system]
    assert [float(value) for value in (score.b, score.s, score.p_k, score.window_diff)] == pytest.approx(
        expected, abs=5e-7
    )


def test_pooled_b_of_the_stargazer_text_equals_segevals():
    # segeval's observed agreement of its π and κ: similarities weighted by boundaries, not their plain mean
    corpus = ga.read(CORPORA / "hearst_kazantseva").select(documents="hearst/stargazer")
    scores = ga.segmentation(corpus).scores
    boundaries = [score.matched + score.moved + score.left for score in scores]
    pooled = sum(float(score.b) * count for score, count in zip(scores, boundaries, strict=True)) / sum(boundaries)
    assert pooled == pytest.approx(0.530055, abs=5e-7)
