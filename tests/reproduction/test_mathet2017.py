"""The experiments of Mathet 2017: conditions of claims, effects of readings, and the committed results."""

import contextlib
import csv
import io
import math
import re
import statistics
from xml.etree import ElementTree as ET

import mathet2017 as module
import numpy as np
import pytest
from mathet2017 import (
    ALL_READINGS,
    CLAIMED_MAGNITUDES,
    EXPERIMENTS,
    FULL_SCALE,
    SELECTED_READINGS,
    Scale,
    cu_alpha_of_overlapping,
    mathet2017,
)
from mathet2017_claims import ABOUT, Curves, verdicts
from places import ROOT
from reproduce import main
from unitizing_cases import corpus_of

import gamma_align as ga
from gamma_align.errors import SettingsError
from gamma_align.simulation.experiment import Experiment, Point

RESULTS = ROOT / "tools" / "reproduction" / "results"
SVG = "{http://www.w3.org/2000/svg}"
FAILED_CLAIMS = {
    "cuα falls almost linearly",
    "γ falls from 1 to 0",
    "γ is about the same as for positions",
    "the γcat curves of both lengths superimpose",
    "γk(A), γk(B), γk(C) fall to about 0.1",
}
"""Claims that hold under no reading."""


# --- claims


def shape(end, power=1.0):
    return lambda m: 1 + (end - 1) * m**power


def published_curves():
    """Return curves on which all claims hold: a function of m for each experiment and measure."""
    linear, falls = (lambda m: 1 - 0.5 * m / 0.8), shape(0.0, 2)
    whole = lambda m: 1.0 - 0.08 * max(m - 0.55, 0) / 0.25  # noqa: E731
    return {
        ("section 4.2.3", "gamma-cat:unweighted"): shape(-0.04),
        ("section 4.2.3", "gamma-cat"): shape(0.0),
        ("section 4.2.3, categories", "gamma-cat:unweighted"): shape(-0.04),
        ("section 4.2.3, categories", "gamma-cat"): shape(0.0),
        ("figure 11", "gamma"): shape(0.0),
        ("figure 11", "gamma-cat"): whole,
        ("figure 11", "cu-alpha"): linear,
        ("section 5.4", "gamma"): shape(0.0),
        ("section 5.4", "gamma-cat"): shape(1.0),
        ("section 5.4", "cu-alpha"): shape(1.0),
        ("figure 12", "gamma"): shape(0.35),
        ("figure 12", "gamma-cat"): falls,
        ("figure 12", "cu-alpha"): falls,
        ("figure 13", "gamma"): shape(0.0),
        ("figure 13", "gamma-cat"): falls,
        ("figure 13", "cu-alpha"): lambda m: falls(m) - 0.06 * m,
        ("figure 14, 5", "gamma-cat"): shape(0.27),
        ("figure 14, 5", "cu-alpha"): shape(0.27),
        ("figure 14, 20", "gamma-cat"): shape(0.27),
        ("figure 14, 20", "cu-alpha"): shape(0.54),
        ("figure 15", "gamma-cat"): shape(0.33),
        **{("figure 15", f"gamma-k:{name}"): shape(0.1) for name in "ABC"},
        ("figure 15", "gamma-k:D"): shape(1.0),
    }


def make_experiments(curves, noise=0.002):
    """Return experiments of four repetitions whose means are the curves."""
    points_by_experiment = {}
    for (name, measure), curve in curves.items():
        points = [
            Point(m, repetition, measure, curve(m) + (noise * sign if m > 0 and curve(m) != 1 else 0.0), None)
            for m in FULL_SCALE.magnitudes
            for repetition, sign in enumerate((-1, -1, 1, 1))
        ]
        points_by_experiment.setdefault(name, []).extend(points)
    return {name: Experiment(tuple(points), {}) for name, points in points_by_experiment.items()}


def claims_that_fail(curves):
    return {verdict.claim for verdict in verdicts(make_experiments(curves)) if not verdict.holds}


def test_all_claims_hold_on_the_published_curves():
    all_verdicts = verdicts(make_experiments(published_curves()))
    assert [verdict.claim for verdict in all_verdicts if not verdict.holds] == []
    assert len(all_verdicts) == len({(verdict.experiment, verdict.claim) for verdict in all_verdicts}) == 23
    assert {verdict.why for verdict in all_verdicts} == {""}
    assert max(verdict.error for verdict in all_verdicts) < 0.005


@pytest.mark.parametrize(
    ("key", "curve", "claims"),
    [
        (("section 4.2.3", "gamma-cat:unweighted"), shape(0.01), {"γcat at random, unweighted, is slightly below 0"}),
        (("section 4.2.3", "gamma-cat:unweighted"), shape(-0.2), {"γcat at random, unweighted, is slightly below 0"}),
        (("section 4.2.3", "gamma-cat"), shape(-0.04), {"γcat at random, with the pairing confidence, is 0"}),
        (
            ("figure 11", "gamma-cat"),
            shape(0.85),
            {"γcat stays 1 up to m = 0.55", "γcat is above 0.9 at m = 0.8"},
        ),
        (
            ("figure 11", "cu-alpha"),
            lambda m: 1.0 if m < 0.3 else 1 - m + 0.3,
            {"cuα starts to fall at very small m", "cuα falls almost linearly"},
        ),
        (("figure 11", "cu-alpha"), lambda m: 1 - 0.44 * m / 0.8, {"cuα is 0.5 at m = 0.8"}),
        (
            ("figure 11", "gamma"),
            shape(0.25),
            {"γ falls from 1 to 0", "γ is about the same as for positions"},
        ),
        (("section 5.4", "cu-alpha"), shape(0.999), {"γcat = cuα = 1 whatever is missing"}),
        (("section 5.4", "gamma"), shape(0.0, 0.5), {"γ is about the same as for positions"}),
        (
            ("figure 12", "cu-alpha"),
            shape(0.05, 2),
            {"γcat and cuα fall together", "γcat and cuα fall to 0"},
        ),
        (("figure 12", "gamma"), shape(0.31), {"γ falls to about 0.35"}),
        (("figure 12", "gamma"), shape(0.39), {"γ falls to about 0.35"}),
        (
            ("figure 13", "gamma-cat"),
            shape(-0.05, 2),
            {"γcat is as in figure 12", "cuα is lower, by up to 0.06"},
        ),
        (("figure 13", "cu-alpha"), shape(-0.12, 2), {"cuα is lower, by up to 0.06"}),
        (("figure 13", "gamma"), shape(0.3), {"γ is clearly lower than in figure 12"}),
        (
            ("figure 14, 5", "gamma-cat"),
            shape(0.34),
            {"the γcat curves of both lengths superimpose", "all units 5 long: cuα is about γcat"},
        ),
        (("figure 14, 20", "cu-alpha"), shape(0.5), {"D 20 long: cuα is 0.54 at m = 1"}),
        (
            ("figure 14, 20", "gamma-cat"),
            shape(0.23),
            {"the γcat curves of both lengths superimpose", "D 20 long: γcat is 0.27 at m = 1"},
        ),
        (("figure 15", "gamma-k:D"), shape(0.99), {"γk(D) = 1"}),
        (("figure 15", "gamma-k:B"), shape(0.06), {"γk(A), γk(B), γk(C) fall to about 0.1"}),
        (("figure 15", "gamma-cat"), shape(0.37), {"γcat falls to about 0.33"}),
    ],
)
def test_wrong_curve_fails_only_its_own_claims(key, curve, claims):
    assert claims_that_fail(published_curves() | {key: curve}) == claims


def test_verdict_is_unclear_if_noise_could_decide():
    curves = published_curves() | {("figure 12", "gamma"): shape(0.35 + ABOUT + 0.002)}
    clear, unclear = (
        next(
            verdict for verdict in verdicts(make_experiments(curves, noise)) if verdict.claim == "γ falls to about 0.35"
        )
        for noise in (1e-4, 0.01)
    )
    assert (clear.holds, clear.clear) == (False, True)
    assert (unclear.holds, unclear.clear) == (False, False)
    assert unclear.error == pytest.approx(statistics.stdev([-0.01, -0.01, 0.01, 0.01]) / 2)


def test_curves_are_compared_within_repetitions():
    left = [Point(0.5, time, "a", value, None) for time, value in enumerate((0.1, 0.5, 0.9, 0.3))]
    right = [Point(0.5, time, "b", value, None) for time, value in enumerate((0.0, 0.4, 0.8, math.nan))]
    curves = Curves({"x": Experiment(tuple(left + right), {})})
    difference = curves.differences(("x", "a"), ("x", "b"))[0.5]
    assert difference == pytest.approx((0.1, 0.0), abs=1e-12)
    assert curves.means(("x", "b"))[0.5].value == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("key", "points", "message"),
    [
        (("figure 15", "gamma-k:D"), [], "figure 15: gamma-k:D has no value; use more units or repetitions"),
        (("figure 12", "gamma"), [Point(1.0, 0, "gamma", math.nan, "none")], "figure 12: gamma has no value"),
        (("figure 11", "gamma"), [Point(0.5, 0, "gamma", 0.5, None)], "gamma has no value at m = 1;"),
        (("figure 13", "cu-alpha"), [Point(0.5, 9, "cu-alpha", 0.5, None)], "gamma-cat has no value beside cu-alpha"),
        (
            ("figure 11", "cu-alpha"),
            [Point(m, 0, "cu-alpha", m, None) for m in (0.1, 0.8)],
            "at m = 0.1, 0, 0.8 in one",
        ),
    ],
)
def test_error_names_the_value_that_no_repetition_has(key, points, message):
    experiments = make_experiments(published_curves())
    kept = [point for point in experiments[key[0]].points if point.measure != key[1]]
    experiments[key[0]] = Experiment((*kept, *points), {})
    with pytest.raises(SettingsError, match=re.escape(message)):
        verdicts(experiments)


@pytest.mark.parametrize(
    "scale", [{"magnitudes": (0.0, 1.0)}, {"others": (0.0, 1.0)}, {"repetitions": 0}, {"annotators": 1}, {"units": 9}]
)
def test_scale_without_the_claimed_magnitudes_is_refused(scale):
    with pytest.raises(SettingsError):
        Scale(**scale)


# --- cuα over all intersections


def corpus_with_overlaps():
    observers = [
        [(0, 10, "x"), (5, 12, "y"), (11, 13, "x")],
        [(1, 6, "y"), (4, 12, "x")],
        [(2, 11, "x"), (2, 5, "z")],
    ]
    return corpus_of([(0, 20, observers)]), observers


def test_cu_alpha_over_all_intersections_follows_its_definition():
    corpus, observers = corpus_with_overlaps()
    lengths, self_pairs = {}, {}
    for i, units in enumerate(observers):
        for j, other_units in enumerate(observers):
            for start, end, category in units if i != j else ():
                overlap = 0.0
                for unit in other_units:
                    length = max(0.0, min(end, unit[1]) - max(start, unit[0]))
                    lengths[category, unit[2]] = lengths.get((category, unit[2]), 0.0) + length / 2
                    overlap += length
                self_pairs[category] = self_pairs.get(category, 0.0) + overlap**2 / 2
    total = sum(lengths.values())
    margins = {c: sum(length for (first, _), length in lengths.items() if first == c) for c in self_pairs}
    n_pairs = total - sum(self_pairs.values()) / total
    expected = sum(margins[c] * margins[k] / n_pairs for c in self_pairs for k in self_pairs if c != k)
    observed = sum(length for (c, k), length in lengths.items() if c != k)
    assert cu_alpha_of_overlapping(corpus)[0] == pytest.approx(1 - observed / expected)


def test_cu_alpha_over_all_intersections_equals_cu_alpha_without_overlaps():
    reference = ga.synthetic_reference(units=40, gap=4, gap_deviation=4, seed=2)
    shuffled = ga.shuffle_grid(
        reference, magnitudes=[0.3, 0.9], kinds=["shift", "category"], repetitions=3, overlaps="cut", integer=False
    )
    expected = [document.cu.value for document in ga.unitizing_alpha(shuffled.corpus).documents]
    assert cu_alpha_of_overlapping(shuffled.corpus) == pytest.approx(np.array(expected))
    apart = corpus_of([(0, 20, [[(0, 4, "x")], [(5, 9, "y")]]), (0, 9, [[(0, 4, "x")], [(0, 4, "x")]])])
    assert np.isnan(cu_alpha_of_overlapping(apart)).all()


# --- readings


@pytest.fixture(scope="module")
def small():
    return mathet2017(Scale(CLAIMED_MAGNITUDES, CLAIMED_MAGNITUDES, repetitions=2, samples=4, units=24, tables=2))


def values(outcome, experiment, measure):
    return [point.value for point in outcome.experiments[experiment].points if point.measure == measure]


def test_reading_cuts_units_only_for_its_measures(small):
    plain, uncut, cut = (small.readings[name] for name in ("5 ± 5", "5 ± 5, uncut", "5 ± 5, all cut"))
    for measure in ("gamma", "gamma-cat"):
        assert values(plain, "figure 11", measure) == values(uncut, "figure 11", measure)
        assert values(plain, "figure 11", measure) != values(cut, "figure 11", measure)
    assert values(plain, "figure 11", "cu-alpha") == values(cut, "figure 11", "cu-alpha")
    assert values(plain, "figure 11", "cu-alpha") != values(uncut, "figure 11", "cu-alpha")
    for name in ("figure 12", "figure 14, 20", "figure 15"):  # no units overlap
        assert plain.experiments[name].points == cut.experiments[name].points


def test_units_have_the_published_lengths():
    assert EXPERIMENTS["figure 14, 5"].length == 5
    assert EXPERIMENTS["figure 14, 20"].length == {"A": 5, "B": 5, "C": 5, "D": 20}


def test_verdicts_use_the_selected_readings(small):
    for name, reading in SELECTED_READINGS.items():
        assert small.selected.experiments[name] is small.readings[reading].experiments[name]
    assert small.selected.verdicts == verdicts(small.selected.experiments)
    assert {ALL_READINGS[name].cut for name in SELECTED_READINGS.values()} == {"cu-alpha"}


def test_each_repetition_has_its_own_reference(small):
    reference = ga.synthetic_reference(units=24, gap=5, gap_deviation=5, seed=1, document="reference 0001")
    shuffled = ga.shuffle_grid(reference, magnitudes=[0.55], kinds=["shift"], integer=False)
    gamma = ga.gamma(shuffled.corpus, samples=4).gamma.value
    (point,) = [
        point
        for point in small.readings["5 ± 5"].experiments["figure 11"].points
        if (point.measure, point.magnitude, point.repetition) == ("gamma", 0.55, 1)
    ]
    assert point.value == pytest.approx(gamma, abs=1e-12)


def test_unweighted_gamma_cat_differs_from_gamma_cat(small):
    weighted, unweighted = (
        values(small.selected, "section 4.2.3", measure) for measure in ("gamma-cat", module.UNWEIGHTED)
    )
    assert len(weighted) == len(unweighted) == 4
    assert all(value != other_value for value, other_value in zip(weighted, unweighted, strict=True))


# --- the committed results, and the command


def rows_of(path):
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))


def verdict_rows(folder):
    return rows_of(folder / "verdicts.csv")


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reproduced") / "mathet2017-quick"
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        main(["mathet2017", "--quick", "--folder", str(folder)])
    return printed.getvalue(), folder


def test_quick_run_matches_the_committed_results_within_sampling_error(quick):
    printed, folder = quick
    committed = RESULTS / "mathet2017-quick"
    assert printed == (folder / "mathet2017.txt").read_text(encoding="utf-8")
    assert sorted(path.name for path in folder.iterdir()) == sorted(path.name for path in committed.iterdir())
    computed, expected_rows = (rows_of(folder_path / "mathet2017.csv") for folder_path in (folder, committed))
    key_names = ("experiment", "magnitude", "repetition", "measure")
    assert [[row[name] for name in key_names] for row in computed] == [
        [row[name] for name in key_names] for row in expected_rows
    ]
    exact = [
        (row, committed_row)
        for row, committed_row in zip(computed, expected_rows, strict=True)
        if row["measure"] == "cu-alpha"
    ]
    assert len(exact) > 50
    assert [row for row, committed_row in exact if row != committed_row] == []  # cuα takes no samples
    for row, committed_row in zip(verdict_rows(folder), verdict_rows(committed), strict=True):
        assert (row["reading"], row["claim"]) == (committed_row["reading"], committed_row["claim"])
        error = math.hypot(float(row["error"]), float(committed_row["error"]))
        assert float(row["value"]) == pytest.approx(float(committed_row["value"]), abs=4 * error + 0.03), row


def test_committed_results_have_the_expected_verdicts():
    rows = verdict_rows(RESULTS / "mathet2017")
    by_reading = {name: [row for row in rows if row["reading"] == name] for name in ("chosen", *ALL_READINGS)}
    assert {len(values_of_key) for values_of_key in by_reading.values()} == {23}
    fails = {row["claim"] for row in by_reading["chosen"] if row["holds"] == "false"}
    assert fails == FAILED_CLAIMS
    held = {row["claim"] for name in ALL_READINGS for row in by_reading[name] if row["holds"] == "true"}
    assert held & FAILED_CLAIMS == set()
    assert max(float(row["error"]) for row in by_reading["chosen"] if row["experiment"] != "section 5.4") < ABOUT / 3


def test_published_numbers_of_figure_14_are_reproduced():
    rows = {row["claim"]: row for row in verdict_rows(RESULTS / "mathet2017") if row["reading"] == "chosen"}
    longer = [float(rows[f"D 20 long: {what} at m = 1"]["value"]) for what in ("cuα is 0.54", "γcat is 0.27")]
    assert longer == pytest.approx([0.543, 0.280], abs=0.02)


def test_committed_results_have_the_scale_that_they_name():
    folder = RESULTS / "mathet2017"
    text = (folder / "mathet2017.txt").read_text(encoding="utf-8")
    size = f"100 units, 3 annotators, {len(FULL_SCALE.magnitudes)} magnitudes, {FULL_SCALE.repetitions} repetitions"
    assert f"{size} of {FULL_SCALE.samples} samples each, seed 0" in text
    assert "18 of 23 claims come out" in text
    assert "Table 2: conceptions of missing values" in text


def test_figures_have_curves_and_bands(quick):
    _, folder = quick
    figures = sorted(folder.glob("*.svg"))
    assert len(figures) == 6
    for figure in figures:
        root = ET.parse(figure).getroot()  # noqa: S314  (our own output)
        curves = [path.get("data-curve") for path in root.iter(f"{SVG}path") if path.get("data-curve")]
        bands = [path.get("data-band") for path in root.iter(f"{SVG}path") if path.get("data-band")]
        assert curves
        assert sorted(bands) == sorted(curves)
