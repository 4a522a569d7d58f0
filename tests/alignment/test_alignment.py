"""Best alignments equal exhaustive searches and integer programmes written from the definitions."""

from __future__ import annotations

import math

import numpy as np
import oracles
import pytest
import strategies as sts
from hypothesis import given
from hypothesis import strategies as st
from strategies import GOLDEN, by_id

import gamma_align as ga
from gamma_align.errors import GammaAlignError

SMALL_CASES = 60  # of each of 18 settings


def aligned(case, weights=oracles.PLAIN, **options):
    """Return the alignment of the package and its units as the oracles take them, in the same order."""
    continuum = sts.continuum_of(case, **options)
    alignment = ga.align(continuum, alpha=weights.alpha, beta=weights.beta, delta_empty=weights.delta_empty)
    return alignment, oracles.units_of(continuum)


def check_certificate(alignment, n, weights=oracles.PLAIN):
    """Recompute all an alignment says: a partition, one unit an annotator at most, disorders, bound."""
    units = oracles.units_of(alignment.continuum)
    groups = oracles.groups_of(alignment)
    assert sorted(index for group in groups for index in group) == list(range(len(units)))
    assert all(groups), "a unitary alignment without units"
    for group in groups:
        people = [units[index][0] for index in group]
        assert len(set(people)) == len(people)
    unitary = [oracles.unitary_disorder_definition([units[index] for index in group], n, weights) for group in groups]
    assert alignment.unitary_disorders == pytest.approx(unitary, rel=1e-12, abs=1e-12)
    total = oracles.disorder_definition(units, n, groups, weights)
    assert alignment.disorder == pytest.approx(total, rel=1e-12, abs=1e-12)
    assert alignment.bound <= alignment.disorder
    return groups


def check_optimal(alignment, min_disorder, n, weights=oracles.PLAIN):
    """Check the min_disorder disorder, and that the alignment has it and is known to."""
    check_certificate(alignment, n, weights)
    assert alignment.disorder == pytest.approx(min_disorder, rel=1e-9, abs=1e-9)
    assert alignment.is_optimal
    assert alignment.bound == alignment.disorder
    assert alignment.gap == 0


# ------------------------------------------------------------------------------- the oracles against each other


@pytest.mark.parametrize("seed", range(12))
def test_the_two_oracles_agree(seed):
    rng = np.random.default_rng([1, seed])
    units, n = sts.small_case(rng)
    weights = oracles.Weights(*rng.choice([0.0, 1.0, 3.0], 2), rng.choice([0.5, 1.0, 2.0]))
    units = units[:7] or [(0, 0.0, 1.0, "x")]
    min_disorder = oracles.least_disorder_definition(units, n, weights)
    searched, groups = oracles.best_alignment_definition(units, n, weights)
    programmed, _ = oracles.best_alignment_by_programme_definition(units, n, weights)
    assert searched == pytest.approx(min_disorder, abs=1e-12)
    assert programmed == pytest.approx(min_disorder, abs=1e-12)
    assert oracles.disorder_definition(units, n, groups, weights) == searched


def test_the_oracle_lists_all_partitions():
    # two annotators with a and b units: Σ_k C(a,k)·C(b,k)·k! partial matchings
    units = [(person, 0.0, 1.0, None) for person, count in ((0, 3), (1, 4)) for _ in range(count)]
    found = {tuple(map(tuple, groups)) for groups in oracles.partitions_definition(units)}
    assert len(found) == sum(math.comb(3, k) * math.comb(4, k) * math.factorial(k) for k in range(4)) == 73


def test_the_disorder_of_a_unitary_alignment_is_delta_minus_savings():
    units = [(0, 0.0, 4.0, "x"), (2, 1.0, 5.0, "y")]
    weights = oracles.Weights(alpha=3, beta=1, delta_empty=2)
    saved = weights.delta_empty - oracles.dissimilarity_definition(*units, weights)
    assert oracles.unitary_disorder_definition(units, 4, weights) == pytest.approx(2 - saved / 6, abs=1e-15)
    assert oracles.unitary_disorder_definition(units[:1], 4, weights) == 2


# ------------------------------------------------------------------------------------------------- small cases


@pytest.mark.parametrize("delta_empty", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("beta", [0.0, 1.0])
@pytest.mark.parametrize("alpha", [0.0, 1.0, 3.0])
def test_small_cases_equal_an_exhaustive_search(alpha, beta, delta_empty):
    weights = oracles.Weights(alpha, beta, delta_empty)
    rng = np.random.default_rng([2, int(2 * alpha), int(beta), int(2 * delta_empty)])
    solved = 0
    while solved < SMALL_CASES:
        case = sts.small_case(rng)
        if not case[0]:
            continue
        alignment, units = aligned(case, weights)
        min_disorder, _ = oracles.best_alignment_definition(units, case[1], weights)
        check_optimal(alignment, min_disorder, case[1], weights)
        solved += 1


@given(sts.cases(), sts.settings_of_weights())
def test_random_cases_equal_an_exhaustive_search(case, weights):
    alignment, units = aligned(case, weights)
    min_disorder, _ = oracles.best_alignment_definition(units, case[1], weights)
    check_optimal(alignment, min_disorder, case[1], weights)


def test_alignments_with_a_matrix_of_categories_equal_an_exhaustive_search():
    rng = np.random.default_rng(3)
    table = {("x", "y"): 0.1, ("x", "z"): 0.9, ("y", "z"): 0.4}
    weights = oracles.Weights(1, 2, 1, lambda u, v: 0.0 if u == v else table[min(u, v), max(u, v)])
    dissimilarity = ga.Dissimilarity(1, 2, 1, ga.Matrix.from_mapping(table))
    for _ in range(60):
        units, n = sts.small_case(rng)
        continuum = sts.continuum_of(([*units, (0, 3.0, 5.0, "x")], n))
        alignment = ga.align(continuum, dissimilarity=dissimilarity)
        min_disorder, _ = oracles.best_alignment_definition(oracles.units_of(continuum), n, weights)
        check_optimal(alignment, min_disorder, n, weights)


# ------------------------------------------------------------------------------------------------ larger cases


LARGER = [
    pytest.param(n, most, offset, seed, marks=[pytest.mark.release] * (seed > 3))  # four seeds are all weights
    for n, most in ((3, 12), (3, 8), (4, 6), (5, 4), (6, 3))
    for offset in (0.0, 1e9)
    for seed in range(10)
]


@pytest.mark.parametrize(("n", "most", "offset", "seed"), LARGER)
def test_larger_cases_equal_an_integer_programme_over_all_tuples(n, most, offset, seed):
    rng = np.random.default_rng([4, n, most, int(offset > 0), seed])
    weights = oracles.Weights(*[(1, 1, 1), (3, 1, 1), (1, 0, 2), (0.25, 1, 0.5)][seed % 4])
    case = sts.larger_case(rng, n, most, offset=offset)
    alignment, units = aligned(case, weights)
    min_disorder, _ = oracles.best_alignment_by_programme_definition(units, n, weights)
    check_optimal(alignment, min_disorder, n, weights)


@pytest.mark.parametrize("n", [8, 9])
@pytest.mark.parametrize("seed", range(3))
def test_many_annotators_with_few_units_are_aligned(n, seed):
    rng = np.random.default_rng([5, n, seed])
    units = [
        (person, float(start), float(start + rng.integers(1, 4)), sts.LABELS[int(rng.integers(1, 4))])
        for person in range(n - 1)  # the last one has none
        for start in rng.integers(0, 8, int(rng.integers(1, 3)))
    ][:12]
    alignment, units = aligned((units, n))
    min_disorder, _ = oracles.best_alignment_definition(units, n)
    check_optimal(alignment, min_disorder, n)


@pytest.mark.parametrize("seed", range(2))
def test_alignments_of_many_annotators_equal_the_integer_programme(seed):
    rng = np.random.default_rng([6, seed])
    units = [
        (person, float(start), float(start + 3), sts.LABELS[int(rng.integers(1, 3))])
        for person in range(8)
        for start in rng.integers(0, 12, 2 if person < 5 else 1)
    ]
    alignment, units = aligned((units, 8), oracles.Weights(alpha=3))
    min_disorder, _ = oracles.best_alignment_by_programme_definition(units, 8, oracles.Weights(alpha=3))
    check_optimal(alignment, min_disorder, 8, oracles.Weights(alpha=3))


# ------------------------------------------------------------------------------------------------- edges


def test_a_continuum_without_units_has_an_empty_alignment():
    alignment = ga.align(ga.Continuum.from_records([], annotators=["a", "b"], extent=(0, 10)))
    assert math.isnan(alignment.disorder)
    assert len(alignment) == 0
    assert len(alignment.group) == 0


def test_units_of_a_single_annotator_are_aligned_with_nothing():
    alignment, _ = aligned(([(1, 0.0, 2.0, "x"), (1, 0.0, 2.0, "x"), (1, 1.0, 3.0, None)], 3))
    check_optimal(alignment, 3.0, 3)  # three lone units, Δ each, x̄ = 1
    assert alignment.group.tolist() == [0, 1, 2]


def test_identical_annotators_have_no_disorder():
    units = [(start, start + 2.0, label) for start, label in ((0.0, "x"), (1.0, "y"), (1.0, None), (9.0, "x"))]
    alignment, _ = aligned(([(person, *unit) for person in range(4) for unit in units], 4))
    check_optimal(alignment, 0.0, 4)
    assert all(len(group) == 4 for group in oracles.groups_of(alignment))


def test_units_without_length_at_different_positions_are_never_aligned():
    alignment, _ = aligned(([(0, 5.0, 5.0, "x"), (1, 6.0, 6.0, "x")], 2), oracles.Weights(alpha=0))
    check_optimal(alignment, 2.0, 2, oracles.Weights(alpha=0))
    alignment, _ = aligned(([(0, 5.0, 5.0, "x"), (1, 5.0, 5.0, "x")], 2))
    check_optimal(alignment, 0.0, 2)


def test_large_coordinates_lose_no_precision():
    case = sts.larger_case(np.random.default_rng(7), 3, 10)
    halves = [(person, round(2 * s) / 2, round(2 * e) / 2, label) for person, s, e, label in case[0]]
    near, _ = aligned((halves, 3))
    far, _ = aligned(([(person, s + 1e9, e + 1e9, label) for person, s, e, label in halves], 3))
    assert far.disorder == near.disorder
    assert far.group.tolist() == near.group.tolist()


# ------------------------------------------------------------------------------------------------------ golden


@pytest.mark.parametrize("entry", GOLDEN["observed"], ids=lambda e: f"{e['file']}-alpha{e['alpha']}")
def test_observed_disorders_equal_golden_values(entry):
    continuum = sts.file_continuum(entry["file"])
    alignment = ga.align(continuum, dissimilarity=sts.dissimilarity_of(entry))
    assert alignment.disorder == pytest.approx(entry["disorder"], abs=1e-6)
    assert alignment.is_optimal
    check_certificate(alignment, len(continuum.annotators), sts.weights_of(entry))


@pytest.mark.parametrize("entry", **by_id(GOLDEN["fixtures"]))
def test_disorders_equal_another_implementation(entry):
    continuum = ga.Continuum.from_records(entry["units"])
    alignment = ga.align(continuum, dissimilarity=sts.dissimilarity_of(entry))
    assert alignment.disorder == pytest.approx(entry["disorder"], abs=1e-6)
    assert alignment.is_optimal


@pytest.mark.parametrize("entry", **by_id(GOLDEN["best_alignments"]))
def test_best_alignments_equal_golden_ones(entry):
    continuum = ga.Continuum.from_records(entry["units"])
    alignment = ga.align(continuum, dissimilarity=sts.dissimilarity_of(entry))
    assert alignment.disorder == pytest.approx(entry["expected"], abs=1e-6)
    min_disorder, _ = oracles.best_alignment_definition(oracles.units_of(continuum), 3, sts.weights_of(entry))
    check_optimal(alignment, min_disorder, 3, sts.weights_of(entry))


@pytest.mark.parametrize("entry", **by_id(GOLDEN["given_alignments"]))
def test_disorders_of_given_alignments_equal_golden_values(entry):
    units, groups = [], []
    for row in entry["alignment"]:
        members = [(person, *unit) for person, unit in enumerate(row) if unit is not None]
        groups.append(list(range(len(units), len(units) + len(members))))
        units += members
    found = oracles.disorder_definition(units, len(entry["alignment"][0]), groups, sts.weights_of(entry))
    assert found == pytest.approx(entry["expected"], abs=1e-6)


@pytest.mark.parametrize("entry", **by_id(GOLDEN["known_deviations"]))
def test_known_deviations_of_other_programs_are_explained(entry):
    members = [(person, *unit) for person, unit in enumerate(entry["tuple"]) if unit is not None]
    alignment = ga.align(sts.continuum_of((members, len(entry["tuple"]))), dissimilarity=sts.dissimilarity_of(entry))
    assert alignment.unitary_disorders.tolist() == pytest.approx([entry["ours"]], abs=1e-12)
    assert entry["theirs"] == pytest.approx(
        entry["ours"] / (len(members) / len(entry["tuple"])), abs=1e-6
    )  # which explains the deviation


@pytest.mark.parametrize("alpha", [3.0, 4.0])
def test_predefined_items_of_krippendorff_2011_are_aligned_by_item(alpha):
    # α = 3 is a tie: value 3 of item 12 may be alone or join the two 1 of item 11; see below for less
    continuum = sts.k2011()
    alignment = ga.align(continuum, alpha=alpha)
    assert alignment.is_optimal
    numerator, denominator = oracles.categorial_parts_definition(
        oracles.units_of(continuum), oracles.groups_of(alignment)
    )
    assert denominator == pytest.approx(20, abs=1e-12)  # half of the 40 pairable values
    assert numerator / denominator == pytest.approx(0.2, abs=1e-12)
    starts = [{unit.start for unit in row if unit is not None} for row in alignment.unitary_alignments()]
    assert sorted(starts, key=min) == [{float(item)} for item in range(12)]


def test_a_lone_value_of_krippendorff_2011_is_aligned_with_its_neighbours():
    # items 11 and 12 hold 1, 1 and 3; apart they cost Δ - 1/6 and Δ, together Δ - (1 - 2α)/6
    continuum = sts.k2011()
    alignment = ga.align(continuum, alpha=1)
    assert alignment.unitary_alignments()[-1] == (
        None,
        ga.Unit("a01", 11.0, 12.0, "3"),
        ga.Unit("a02", 10.0, 11.0, "1"),
        ga.Unit("a03", 10.0, 11.0, "1"),
    )
    assert alignment.unitary_disorders[-1] == pytest.approx(7 / 6, abs=1e-12)
    parts = oracles.categorial_parts_definition(oracles.units_of(continuum), oracles.groups_of(alignment))
    assert parts == pytest.approx((4, 19.5), abs=1e-12)


def test_the_alignment_of_krippendorff_2011_is_its_table():
    rows = ga.align(sts.k2011(), alpha=3).units_by_values()
    expected = [[None if value is None else str(value) for value in row] for row in GOLDEN["k2011"]["rows"]]
    assert [list(row) for row in rows] == expected


def test_the_alignment_equals_figure_3_of_mathet():
    golden = GOLDEN["mathet_fig3"]
    continuum = sts.mathet_fig3()
    alignment = ga.align(continuum, alpha=3)
    table = {tuple(None if unit is None else unit.category for unit in row) for row in alignment.unitary_alignments()}
    assert table == {("A", "B", "A"), ("B", "B", None), (None, None, "C")}
    units = oracles.units_of(continuum)
    weights = oracles.Weights(alpha=3)
    pairs = oracles.pair_weights_definition(units, oracles.groups_of(alignment), weights, "weighted")
    total = math.fsum(weight for *_, weight in pairs)
    shares = {"A-A": 0.0, "A-B": 0.0, "B-B": 0.0}
    for i, j, weight in pairs:
        shares["-".join(sorted((units[i][3], units[j][3])))] += 100 * weight / total
    assert total == pytest.approx(golden["expected"]["total"], abs=0.005)
    for name, share in shares.items():
        assert share == pytest.approx(golden["expected"][name], abs=0.05)


# -------------------------------------------------------------------------------------------------- properties


@given(sts.cases(), sts.settings_of_weights(), st.integers(-500, 500), st.sampled_from([0.25, 2.0, 16.0]))
def test_the_disorder_is_invariant_to_translation_and_scale(case, weights, shift, scale):
    before, _ = aligned(case, weights)
    moved = [(person, scale * (s + shift), scale * (e + shift), label) for person, s, e, label in case[0]]
    after, _ = aligned((moved, case[1]), weights)
    assert after.disorder == before.disorder
    assert after.group.tolist() == before.group.tolist()


@given(sts.cases(), sts.settings_of_weights(), st.sampled_from([1e-3, 0.3, 1 / 7, 1e5]))
def test_the_disorder_is_invariant_to_any_scale(case, weights, scale):
    before, _ = aligned(case, weights)
    scaled = [(person, scale * s, scale * e, label) for person, s, e, label in case[0]]
    after, _ = aligned((scaled, case[1]), weights)
    assert after.disorder == pytest.approx(before.disorder, rel=1e-9, abs=1e-9)


@given(sts.cases(), sts.settings_of_weights())
def test_the_disorder_is_invariant_to_reflection(case, weights):
    before, _ = aligned(case, weights)
    after, _ = aligned(([(person, -e, -s, label) for person, s, e, label in case[0]], case[1]), weights)
    assert after.disorder == pytest.approx(before.disorder, rel=1e-12, abs=1e-12)


@given(sts.cases(), sts.settings_of_weights(), st.randoms(use_true_random=False))
def test_the_alignment_does_not_depend_on_the_order_of_rows(case, weights, random):
    before, _ = aligned(case, weights)
    shuffled = list(case[0])
    random.shuffle(shuffled)
    after, _ = aligned((shuffled, case[1]), weights)
    assert after.to_dict() == before.to_dict()


@given(sts.cases(), sts.settings_of_weights(), st.data())
def test_the_disorder_does_not_depend_on_the_names_of_annotators(case, weights, data):
    before, _ = aligned(case, weights)
    order = data.draw(st.permutations(range(case[1])))
    after, _ = aligned(([(order[person], *unit) for person, *unit in case[0]], case[1]), weights)
    assert after.disorder == before.disorder
    assert contents(after) == contents(before)


def contents(alignment):
    """Return what is in each unitary alignment, whoever marked it, in an order of its own."""
    units = [repr(unit[1:]) for unit in oracles.units_of(alignment.continuum)]
    return sorted(sorted(units[index] for index in group) for group in oracles.groups_of(alignment))


@given(sts.cases(), sts.settings_of_weights(), st.permutations(["x", "y", "z"]))
def test_the_disorder_does_not_depend_on_the_names_of_categories(case, weights, names):
    rename = dict(zip(["x", "y", "z"], names, strict=True)) | {None: None}
    before, _ = aligned(case, weights)
    after, _ = aligned(([(*unit, rename[label]) for *unit, label in case[0]], case[1]), weights)
    assert after.disorder == pytest.approx(before.disorder, rel=1e-12, abs=1e-12)


@given(sts.cases(most_annotators=3), sts.settings_of_weights())
def test_an_annotator_without_units_changes_the_disorder_as_defined(case, weights):
    units, n = case
    alignment, ordered = aligned((units, n + 1), weights)
    min_disorder, _ = oracles.best_alignment_definition(ordered, n + 1, weights)
    check_optimal(alignment, min_disorder, n + 1, weights)


def test_an_annotator_without_units_has_the_disorder_computed_by_hand():
    units = [(0, 0.0, 2.0, "x"), (1, 0.0, 2.0, "y")]
    two, _ = aligned((units, 2))
    check_optimal(two, 1.0, 2)  # one pair, d = 1; x̄ = 1
    three, _ = aligned((units, 3))
    check_optimal(three, 1.5, 3)  # (1 + Δ + Δ) / 3 = 1; x̄ = 2/3


# ---------------------------------------------------------------------------------------------------- time limit


def hard_case():
    """12 annotators × 20 units anywhere: nothing to hold on to."""
    rng = np.random.default_rng(8)
    units = [
        (person, float(start), float(start + rng.uniform(1, 12)), sts.LABELS[int(rng.integers(1, 4))])
        for person in range(12)
        for start in rng.uniform(0, 60, 20)
    ]
    return units, 12


def test_a_time_limit_ends_with_a_stated_gap():
    continuum = sts.continuum_of(hard_case())
    alignment = ga.align(continuum, time_limit=1e-9)
    check_certificate(alignment, 12)
    assert not alignment.is_optimal
    assert 0 <= alignment.bound < alignment.disorder
    assert alignment.gap == pytest.approx((alignment.disorder - alignment.bound) / alignment.disorder)
    said = alignment.to_dict()
    assert said["optimal"] is False
    assert said["gap"] == alignment.gap
    # never worse than leaving every unit alone: Δ each
    assert alignment.disorder <= len(continuum) / continuum.mean_units + 1e-9


@pytest.mark.parametrize("limit", [-1.0, 0.0, math.nan])
def test_an_invalid_time_limit_is_refused(limit):
    continuum = sts.continuum_of(([(0, 0.0, 1.0, "x"), (1, 0.0, 1.0, "x")], 2))
    with pytest.raises(GammaAlignError, match="time_limit"):
        ga.align(continuum, time_limit=limit)
