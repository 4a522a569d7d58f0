"""The corpus shuffling tool: nothing at m = 0, the worst at m = 1, and the frequencies in between (DEFINITIONS §8)."""

import math
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gamma_align as ga
from gamma_align.errors import InputError, SettingsError
from gamma_align.present.curve_text import Curve, CurvePoint, curves_svg, experiment_svg
from gamma_align.simulation.experiment import NOTHING, atomise, span_f1
from gamma_align.simulation.simulation_options import KINDS

REFERENCE = ga.synthetic_reference(units=60, gap=6, gap_deviation=3, length_deviation=3, seed=4)
LARGE = ga.synthetic_reference(units=4000, categories={"A": 4, "B": 3, "C": 2, "D": 1}, length_deviation=2, seed=5)


def columns(continuum, annotator=None):
    rows = slice(None) if annotator is None else continuum.annotator == annotator
    return [column[rows].tolist() for column in (continuum.start, continuum.end, continuum.category)]


def codes(continuum):
    """Return the labels of the units, which are comparable between corpora with different categories."""
    return np.array(continuum.categories)[continuum.category]


@pytest.mark.parametrize("kinds", [*((kind,) for kind in KINDS), KINDS])
def test_magnitude_0_changes_nothing(kinds):
    shuffled = ga.shuffle(REFERENCE, magnitude=0, kinds=kinds, annotators=3, seed=1)
    assert shuffled.annotators == ("1", "2", "3")
    assert shuffled.extent == REFERENCE.extent
    for annotator in range(3):
        assert columns(shuffled, annotator) == columns(REFERENCE)


# --- shift


@pytest.mark.parametrize("magnitude", [0.1, 0.5])
def test_bounds_move_uniformly_within_two_mean_lengths(magnitude):
    apart = ga.synthetic_reference(units=3000, length=10, gap=100, seed=2)
    shuffled = ga.shuffle(apart, magnitude=magnitude, annotators=1, seed=3, integer=False)
    reach = magnitude * 2 * 10
    moved = np.concatenate([shuffled.start - apart.start, shuffled.end - apart.end])
    assert np.abs(moved).max() <= reach
    assert (shuffled.start < shuffled.end).all()
    if reach < 5:  # no start can pass its end, so no bound is redrawn
        assert np.quantile(moved / reach, [0.1, 0.5, 0.9]) == pytest.approx([-0.8, 0, 0.8], abs=0.05)
        assert moved.var() == pytest.approx(reach**2 / 3, rel=0.05)


def test_bounds_stay_in_the_document_and_integers_stay_integers():
    whole = ga.synthetic_reference(units=50, integer=True, length_deviation=4, gap=2, seed=1)
    shuffled = ga.shuffle(whole, magnitude=1, kinds=KINDS, annotators=5, seed=2)
    assert (shuffled.start == np.floor(shuffled.start)).all()
    assert (shuffled.end == np.floor(shuffled.end)).all()
    assert shuffled.start.min() >= whole.extent[0]
    assert shuffled.end.max() <= whole.extent[1]
    assert (shuffled.end > shuffled.start).all()


def test_cut_units_do_not_overlap():
    shuffled = ga.shuffle(
        REFERENCE, magnitude=1, kinds=["shift", "false-positive"], annotators=4, seed=2, overlaps="cut"
    )
    is_same_annotator = shuffled.annotator[1:] == shuffled.annotator[:-1]
    assert (shuffled.start[1:] >= shuffled.end[:-1])[is_same_annotator].all()
    loose = ga.shuffle(REFERENCE, magnitude=1, kinds=["shift", "false-positive"], annotators=4, seed=2)
    assert (loose.start[1:] < loose.end[:-1])[is_same_annotator].any()


# --- false negatives and positives


def test_units_are_missed_with_probability_m():
    shuffled = ga.shuffle(LARGE, magnitude=0.3, kinds=["false-negative"], annotators=4, seed=1)
    counts = np.bincount(shuffled.annotator)
    assert counts / 4000 == pytest.approx(0.7, abs=4 * math.sqrt(0.3 * 0.7 / 4000))
    assert set(zip(*columns(shuffled), strict=True)) <= set(zip(*columns(LARGE), strict=True))


def test_one_random_unit_remains_at_magnitude_1():
    shuffled = ga.shuffle(REFERENCE, magnitude=1, kinds=["false-negative"], annotators=400, seed=1)
    assert np.bincount(shuffled.annotator).tolist() == [1] * 400
    assert len(set(shuffled.start.tolist())) > 50


@pytest.mark.parametrize(("magnitude", "added"), [(0.29, 29), (0.999, 99), (1, 100)])
def test_number_of_false_positives_is_proportional_to_the_magnitude(magnitude, added):
    reference = ga.synthetic_reference(units=100)
    shuffled = ga.shuffle(reference, magnitude=magnitude, kinds=["false-positive"], annotators=2)
    assert np.bincount(shuffled.annotator).tolist() == [100 + added] * 2


def test_false_positives_have_lengths_and_categories_of_the_reference():
    shuffled = ga.shuffle(LARGE, magnitude=1, kinds=["false-positive"], annotators=1, seed=1)
    reference_units = set(zip(*columns(LARGE), strict=True))
    is_new = np.array([row not in reference_units for row in zip(*columns(shuffled), strict=True)])
    lengths = (shuffled.end - shuffled.start)[is_new]
    assert is_new.sum() == 4000
    assert lengths.mean() == pytest.approx((LARGE.end - LARGE.start).mean(), abs=0.15)
    assert lengths.std() == pytest.approx((LARGE.end - LARGE.start).std(), rel=0.06)
    assert np.bincount(shuffled.category[is_new]) / 4000 == pytest.approx([0.4, 0.3, 0.2, 0.1], abs=0.03)
    centres = ((shuffled.start + shuffled.end) / 2)[is_new] / LARGE.extent[1]
    assert np.quantile(centres, [0.25, 0.5, 0.75]) == pytest.approx([0.25, 0.5, 0.75], abs=0.03)


# --- categories


def transitions(magnitude, **options):
    """Return the share of each category that becomes each other one, from 4000 units and 5 annotators."""
    shuffled = ga.shuffle(LARGE, magnitude=magnitude, kinds=["category"], annotators=5, seed=7, **options)
    table = np.zeros((4, 4))
    for annotator in range(5):
        np.add.at(table, (LARGE.category, shuffled.category[shuffled.annotator == annotator]), 1)
    return table / table.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("magnitude", [0.5, 1.0])
@pytest.mark.parametrize("confusion", ["prevalence", "uniform"])
def test_categories_follow_the_transition_matrix(magnitude, confusion):
    row = [0.4, 0.3, 0.2, 0.1] if confusion == "prevalence" else [0.25] * 4
    expected = (1 - magnitude**2) * np.eye(4) + magnitude**2 * np.tile(row, (4, 1))
    assert transitions(magnitude, confusion=confusion) == pytest.approx(expected, abs=0.035)


def test_categories_follow_the_overlap_matrix():
    similar = {"A": {"B": 1.0}, "B": {"A": 0.5, "B": 0.5}}
    matrix = np.array([[0, 1, 0, 0], [0.5, 0.5, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
    m = 0.6
    expected = (1 - m) * np.eye(4) + (m - m**3) * matrix + m**3 * np.tile([0.4, 0.3, 0.2, 0.1], (4, 1))
    assert transitions(m, overlap_matrix=similar) == pytest.approx(expected, abs=0.035)
    assert transitions(m, overlap_matrix=matrix) == pytest.approx(expected, abs=0.035)


def test_only_categories_of_the_subset_are_confused():
    result = transitions(1.0, subset=["A", "B", "C"])
    assert result[3].tolist() == [0, 0, 0, 1]
    assert result[:3, :3] == pytest.approx(np.tile([4 / 9, 3 / 9, 2 / 9], (3, 1)), abs=0.035)


def test_units_without_category_stay_without_category():
    bare = ga.Continuum.from_records([("a", 0, 2), ("a", 3, 5, "x"), ("a", 6, 8, "y")])
    shuffled = ga.shuffle(bare, magnitude=1, kinds=["category"], annotators=20)
    assert (shuffled.category[shuffled.start == 0] == -1).all()
    assert (shuffled.category[shuffled.start != 0] >= 0).all()


# --- splits


@pytest.mark.parametrize(("magnitude", "cuts"), [(0.1, 15), (0.5, 75), (1, 150)])
def test_split_units_cover_the_same_positions(magnitude, cuts):
    shuffled = ga.shuffle(REFERENCE, magnitude=magnitude, kinds=["split"], annotators=2, seed=3)
    for annotator in range(2):
        start, end, _ = (np.array(column) for column in columns(shuffled, annotator))
        assert len(start) == 60 + cuts
        assert (end - start).sum() == pytest.approx((REFERENCE.end - REFERENCE.start).sum())
        assert set(REFERENCE.start.tolist()) <= set(start.tolist())
        assert set(REFERENCE.end.tolist()) <= set(end.tolist())


def test_units_of_length_one_are_not_split_into_integers():
    short = ga.Continuum.from_records([("a", 0, 1, "x"), ("a", 4, 6, "y")], extent=(0, 10))
    shuffled = ga.shuffle(short, magnitude=1, kinds=["split"], annotators=1)
    assert list(zip(shuffled.start, shuffled.end, strict=True)) == [(0, 1), (4, 5), (5, 6)]


@pytest.mark.parametrize("factor", [2.5, 400.0])
def test_no_piece_is_shorter_than_a_hundredth_of_the_mean_length(factor):
    reference = ga.synthetic_reference(units=30, length=10, length_deviation=4, seed=2)
    shuffled = ga.shuffle(
        reference, magnitude=1, kinds=["split"], annotators=4, seed=1, split_factor=factor, integer=False
    )
    shortest = 0.01 * (reference.end - reference.start).mean()
    lengths = shuffled.end - shuffled.start
    assert lengths.min() >= shortest * (1 - 1e-9)
    if factor == 2.5:
        assert len(lengths) == 4 * (30 + 75)
    else:  # no unit is long enough to be cut again: the remaining cuts of 12,000 are left out
        assert lengths.max() < 2 * shortest
        assert lengths.sum() == pytest.approx(4 * (reference.end - reference.start).sum())


def test_units_without_length_are_not_split():
    points = ga.Continuum.from_records([("a", 1.5, 1.5, "x"), ("a", 4.5, 4.5, "y")], extent=(0, 10))
    shuffled = ga.shuffle(points, magnitude=1, kinds=["split"], annotators=1)
    assert shuffled.start.tolist() == shuffled.end.tolist() == [1.5, 4.5]


def test_positions_of_splits_are_uniform():
    unit = ga.Continuum.from_records([("a", 0.0, 1.0, "x")])
    shuffled = ga.shuffle(unit, magnitude=0.4, kinds=["split"], annotators=2000, seed=1, integer=False)
    cut = shuffled.end[shuffled.start == 0]
    assert len(cut) == 2000
    assert np.quantile(cut, [0.1, 0.5, 0.9]) == pytest.approx([0.1, 0.5, 0.9], abs=0.04)


# --- combinations, seeds, batches


def test_kinds_of_errors_apply_in_a_fixed_order():
    ordered, reversed_order = (
        ga.shuffle(REFERENCE, magnitude=0.6, kinds=order, seed=5) for order in (KINDS, KINDS[::-1])
    )
    assert columns(ordered) == columns(reversed_order)


@given(
    magnitudes=st.lists(st.sampled_from([0.1, 0.35, 0.7, 1.0]), min_size=1, max_size=3, unique=True),
    annotators=st.integers(1, 4),
    repetitions=st.integers(1, 3),
    kinds=st.lists(st.sampled_from(KINDS), min_size=1, unique=True),
)
def test_copy_is_the_same_in_any_batch(magnitudes, annotators, repetitions, kinds):
    alone = {m: ga.shuffle(REFERENCE, magnitude=m, kinds=kinds, annotators=2, seed=9) for m in magnitudes}
    shuffled = ga.shuffle_grid(
        REFERENCE, magnitudes=magnitudes, repetitions=repetitions, kinds=kinds, annotators=annotators, seed=9
    )
    assert len(shuffled.corpus) == len(magnitudes) * repetitions
    for name, instance in shuffled.instances.items():
        for annotator in range(min(2, annotators)) if instance.repetition == 0 else ():
            in_batch, separate = shuffled.corpus[name], alone[instance.magnitude]
            assert columns(in_batch, annotator)[:2] == columns(separate, annotator)[:2]
            assert (
                codes(in_batch)[in_batch.annotator == annotator].tolist()
                == codes(separate)[separate.annotator == annotator].tolist()
            )


def test_annotators_repetitions_seeds_and_magnitudes_differ():
    grid = ga.shuffle_grid(REFERENCE, magnitudes=[0.3, 0.4], repetitions=2, annotators=2, seed=1).corpus
    other_seed = ga.shuffle(REFERENCE, magnitude=0.3, annotators=1, seed=2)
    starts = [tuple(columns(grid[name], a)[0]) for name in grid for a in range(2)] + [tuple(columns(other_seed)[0])]
    assert len(set(starts)) == 9


def test_all_documents_of_a_corpus_are_degraded():
    corpus = ga.Corpus.from_records(
        [("d1", "a", 0, 5, "x"), ("d1", "b", 1, 6, "x"), ("d2", "b", 3, 4, "y")], extents={"d1": (0, 9), "d2": (0, 9)}
    )
    shuffled = ga.shuffle(corpus, magnitude=0, annotator="b", annotators=2)
    assert shuffled.documents == ("d1", "d2")
    assert next(shuffled["d1"].units())[1:] == (1, 6, "x")
    assert shuffled.extents.tolist() == [[0, 9], [0, 9]]


# --- synthetic references


def test_synthetic_reference_has_the_requested_units():
    reference = ga.synthetic_reference(
        units=1000, categories={"x": 3, "y": 1}, length={"x": 5, "y": 20}, gap=7, gap_deviation=2, seed=3
    )
    length = reference.end - reference.start
    assert np.bincount(reference.category).tolist() == [750, 250]
    assert length[reference.category == 0] == pytest.approx(5)
    assert length[reference.category == 1] == pytest.approx(20)
    gaps = np.append(reference.start, reference.extent[1]) - np.insert(reference.end, 0, 0)
    assert gaps.min() >= 0
    assert gaps.mean() == pytest.approx(7, abs=0.3)
    assert gaps.std() == pytest.approx(2, abs=0.2)


def test_nested_units_lie_inside_another_unit():
    reference = ga.synthetic_reference(units=100, nesting=0.3, seed=3)
    inside = [
        ((reference.start <= s) & (reference.end >= e) & (reference.end - reference.start > e - s)).any()
        for s, e in zip(reference.start, reference.end, strict=True)
    ]
    assert sum(inside) == 30


# --- measures on simulated corpora


def test_experiment_has_the_values_of_the_functions():
    names = ("gamma", "gamma-cat", "gamma-k", "u-alpha", "bar-u-alpha", "cu-alpha", "span-f1", "atoms:alpha")
    options = {"kinds": ["shift", "category"], "seed": 3, "overlaps": "cut"}
    result = ga.experiment(REFERENCE, measures=names, magnitudes=[0, 0.4], repetitions=2, samples=30, **options)
    corpus = ga.shuffle_grid(REFERENCE, magnitudes=[0, 0.4], repetitions=2, **options).corpus
    last = corpus.documents_between(3, 4)
    gamma, unitizing = ga.gamma(last, samples=30, seed=3), ga.unitizing_alpha(last)
    expected = {
        "gamma": gamma.gamma,
        "gamma-cat": gamma.gamma_cat,
        **{f"gamma-k:{label}": value for label, value in gamma.gamma_k.items()},
        "u-alpha": unitizing.u,
        "bar-u-alpha": unitizing.bar_u,
        "cu-alpha": unitizing.cu,
        "atoms:alpha": ga.krippendorff_alpha(atomise(last)),
    }
    values = {point.measure: point.value for point in result.points if (point.magnitude, point.repetition) == (0.4, 1)}
    assert values.pop("span-f1") == pytest.approx(span_f1(last)[0])
    assert values == {name: value.value for name, value in expected.items()}
    assert [band.mean for measure in result.measures for band in result.curve(measure)[:1]] == [1.0] * len(
        result.measures
    )
    assert len(result.to_frame()) == len(result.points) == 4 * len(result.measures)


def test_band_contains_ninety_percent_of_the_repetitions():
    result = ga.experiment(REFERENCE, measures=["span-f1"], kinds=["false-negative"], magnitudes=[0.5], repetitions=9)
    values = sorted(point.value for point in result.points)
    (band,) = result.curve("span-f1")
    assert (band.low, band.high) == tuple(np.quantile(values, [0.05, 0.95]))
    assert band.mean == pytest.approx(sum(values) / 9)


def test_measures_that_exclude_overlaps_give_the_reason():
    result = ga.experiment(
        REFERENCE, measures=["cu-alpha", "atoms:kappa", "span-f1"], magnitudes=[1.0], repetitions=1, seed=1
    )
    reasons = {point.measure: point.reason for point in result.points}
    assert "overlap" in reasons["cu-alpha"]
    assert "overlaps another" in reasons["atoms:kappa"]
    assert reasons["span-f1"] is None


def test_span_f1_is_the_mean_over_pairs_of_annotators():
    corpus = ga.Corpus.from_records(
        [("d", "a", 0, 1, "x"), ("d", "a", 2, 3, "x"), ("d", "b", 0, 1, "x"), ("d", "b", 2, 3, "y"), ("e", "a", 0, 1)],
        annotations=[("d", "a"), ("d", "b"), ("d", "c"), ("e", "a"), ("e", "b")],
    )
    assert span_f1(corpus).tolist() == pytest.approx([(0.5 + 0 + 0) / 3, 0])
    empty = ga.Corpus.from_records([], annotations=[("d", "a"), ("d", "b")], extents={"d": (0, 1)})
    assert np.isnan(span_f1(empty)).all()


def test_atom_has_the_category_of_the_unit_at_its_middle():
    corpus = ga.Corpus.from_records(
        [("d", "a", 0, 2, "x"), ("d", "b", 0.6, 1.5, "y"), ("d", "b", 3, 4)], extents={"d": (0, 4)}
    )
    rows = atomise(corpus).rows()
    assert rows == [("x", NOTHING), ("x", NOTHING), (NOTHING, NOTHING), (NOTHING, "(no category)")]
    assert atomise(corpus, 0.5).rows()[1:3] == [("x", "y"), ("x", "y")]


def test_picture_of_an_experiment_has_curves_and_bands():
    result = ga.experiment(REFERENCE, measures=["span-f1", "cu-alpha"], magnitudes=[0, 0.1, 1], repetitions=3)
    drawn = experiment_svg(result, "spans & more")
    assert drawn.count("data-curve=") == 2
    assert 'data-band="F1 of spans"' in drawn
    assert "spans &amp; more" in drawn


def test_entries_of_the_legend_do_not_overlap():
    curve = Curve("one", (CurvePoint(0, 1, 1, 1), CurvePoint(1, 0.9, 0.9, 0.9)))
    drawn = ET.fromstring(curves_svg([curve, curve._replace(name="two")], title="t", level=("measured", 0.95)))  # noqa: S314
    texts = {text.text: text for text in drawn.iter("{http://www.w3.org/2000/svg}text")}
    heights = [float(texts[name].get("y")) for name in ("one", "two", "measured")]
    assert np.diff(heights).tolist() == [22, 22]
    (level,) = [line for line in drawn.iter("{http://www.w3.org/2000/svg}line") if line.get("stroke-dasharray")]
    assert level.get("y1") == level.get("y2")


def test_added_units_fit_into_short_documents():
    records = [("long", "a", 0, 100, "x"), ("long", "a", 200, 301, "x"), ("short", "a", 0.0, 1.5, "x")]
    corpus = ga.Corpus.from_records(records, extents={"long": (0, 400), "short": (0, 2)})
    shuffled = ga.shuffle(corpus, magnitude=1, kinds=["false-positive"], annotators=3)
    assert len(shuffled["short"]) == 6
    assert shuffled["short"].end.max() <= 2


# --- wrong input


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"magnitude": 1.1}, "a magnitude is from 0"),
        ({"magnitude": math.nan}, "a magnitude is from 0"),
        ({"kinds": ["shifts"]}, "no kind of errors 'shifts'"),
        ({"kinds": "shift"}, "kinds must be a list"),
        ({"kinds": []}, "at least one kind"),
        ({"annotators": 0}, "annotators must be 1 or more"),
        ({"seed": -1}, "seed must be 0 or more"),
        ({"subset": ["Z"]}, "no category 'Z' to confuse"),
        ({"confusion": "random"}, "confusion must be one of"),
        ({"overlaps": "refuse"}, "overlaps must be one of"),
        ({"shift_factor": -1}, "shift_factor must be 0 or more"),
        ({"overlap_matrix": [[1]]}, "a row and a column for each of the 4 categories"),
        ({"overlap_matrix": {"A": {"B": 0.5}}}, "probabilities"),
        ({"overlap_matrix": {"Z": {"A": 1}}}, "has 'Z', which is no category"),
        ({"overlap_matrix": {"A": {"B": 1}}, "subset": ["A"]}, "cannot be combined"),
        ({"spread": 1}, "no option 'spread'"),
        ({"integer": True}, "bounds that are not integers"),
        ({"annotator": "me"}, "no annotator 'me'"),
    ],
)
def test_impossible_settings_are_refused(options, message):
    with pytest.raises(SettingsError, match=message):
        ga.shuffle(REFERENCE, **{"magnitude": 0.5, **options})


def test_reference_must_have_one_annotator():
    two = ga.Continuum.from_records([("a", 0, 1, "x"), ("b", 0, 1, "x")], document="talk")
    with pytest.raises(SettingsError, match=r"document 'talk' has 2 annotators \('a', 'b'\); name the reference"):
        ga.shuffle(two, magnitude=0.5)
    nobody = ga.Corpus.from_records([], documents=["d"])
    with pytest.raises(InputError, match="'d' has no annotator"):
        ga.shuffle(nobody, magnitude=0.5)


def test_overlaps_are_cut_only_if_the_reference_has_none():
    nested = ga.Continuum.from_records([("a", 0, 9, "x"), ("a", 2, 4, "x")], document="talk")
    with pytest.raises(SettingsError, match=r"document 'talk': units 0–9 and 2–4 of the reference overlap"):
        ga.shuffle(nested, magnitude=0.5, overlaps="cut")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"units": 0}, "units must be 1 or more"),
        ({"categories": {"A": 0}}, "frequencies of 0 or more"),
        ({"length": 0}, "lengths must be above 0"),
        ({"length": {"A": 1}}, "no length is given for category 'B'"),
        ({"nesting": 1}, "nesting is a share"),
        ({"gap": -1}, "gap and deviations"),
        ({"seed": -1}, "seed must be 0 or more"),
    ],
)
def test_impossible_references_are_refused(options, message):
    with pytest.raises(SettingsError, match=message):
        ga.synthetic_reference(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measures": ["delta"]}, "no measure 'delta'"),
        ({"measures": []}, "measures must be a list"),
        ({"measures": ["atoms:zeta"]}, "zeta"),
        ({"magnitudes": []}, "at least one magnitude"),
        ({"repetitions": 0}, "repetitions must be 1 or more"),
        ({"atom": 0, "measures": ["atoms:alpha"]}, "length of atoms must be above 0"),
    ],
)
def test_impossible_experiments_are_refused(options, message):
    with pytest.raises(SettingsError, match=message):
        ga.experiment(REFERENCE, **options)


def test_measure_can_be_a_function_of_a_corpus():
    def my_gamma(corpus):
        return ga.gamma(corpus, samples=5).gamma

    def refusing(corpus):
        raise ga.InputError(f"{len(corpus)} documents are too many")

    result = ga.experiment(
        REFERENCE, measures=[my_gamma, "gamma", refusing], magnitudes=[0, 0.5], repetitions=2, samples=5
    )
    values = {name: [point.value for point in result.points if point.measure == name] for name in result.measures}
    assert list(values) == ["my_gamma", "gamma", "refusing"]
    assert values["my_gamma"] == values["gamma"]
    assert {point.reason for point in result.points if point.measure == "refusing"} == {"1 documents are too many"}
    assert result.settings["measures"] == ["my_gamma", "gamma", "refusing"]
    with pytest.raises(SettingsError, match="two measures are named 'my_gamma'"):
        ga.experiment(REFERENCE, measures=[my_gamma, my_gamma])
