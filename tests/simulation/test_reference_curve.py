"""Curves of a degraded corpus and plans from a pilot: simulated documents, precision, and reported errors."""

import math
from dataclasses import replace

import numpy as np
import pytest

import gamma_align as ga
from gamma_align.chance.precision import PrecisionRule
from gamma_align.errors import InputError
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.measure import run
from gamma_align.present.curve_text import curve_text, plan_text
from gamma_align.simulation.curve import STEPS, degraded_corpus, first_samples, gamma_and_error
from gamma_align.simulation.kinds import Shuffling, check_magnitude
from gamma_align.simulation.plan import ERRORS
from gamma_align.simulation.simulation_options import KINDS

FIXED = GammaSettings(rule=PrecisionRule(samples=30))
SHIFT = Shuffling(kinds=("shift",))


def make_corpus(*, magnitude=0.2, annotators=3, units=10, documents=4, categories="ABC"):
    """Return a corpus of short documents whose annotators make errors."""
    shape = {"gap": 6, "gap_deviation": 3, "length_deviation": 2, "categories": list(categories)}
    references = [ga.synthetic_reference(units=units, seed=at, document=f"d{at}", **shape) for at in range(documents)]
    corpus = ga.Corpus.from_continua(references)
    return ga.shuffle(corpus, magnitude=magnitude, kinds=["shift", "category"], annotators=annotators, seed=5)


def make_unrelated_annotators():
    """Return a corpus in which all annotators mark random positions."""
    draw = np.random.default_rng(3)
    units = [
        (f"d{document}", annotator, start, start + 4, str(draw.choice(["x", "y"])))
        for document in range(6)
        for annotator in "abc"
        for start in draw.uniform(0, 90, size=draw.integers(2, 9)).tolist()
    ]
    return ga.Corpus.from_records(units, extents={f"d{document}": (0, 100) for document in range(6)})


def make_units(size):
    """Units of two annotators, about every third of which is labelled differently."""
    draw = np.random.default_rng(size)
    for index in range(size):
        yield "a", 10 * index, 10 * index + 6, "x"
        start = 10 * index + int(draw.integers(-2, 3))
        yield "b", start, start + 6, "xxy"[draw.integers(3)]


CORPUS = make_corpus()


# --- the curve


def test_gamma_is_one_without_errors():
    rows = run(degraded_corpus(CORPUS, [0.0], 1, SHIFT, seed=0).corpus, FIXED)
    assert gamma_and_error(rows) == (1.0, 0.0)


def test_curve_has_one_more_point_halfway_between_the_steps_around_gamma():
    result = ga.curve(CORPUS, repetitions=2, samples=30)
    assert [curve.settings.kinds for curve in result.curves] == [(kind,) for kind in KINDS]
    for curve, placement in zip(result.curves, result.placements, strict=True):
        magnitudes = [band.magnitude for band in curve.bands]
        assert [m for m in magnitudes if m in STEPS] == list(STEPS)
        added = [m for m in magnitudes if m not in STEPS]
        assert len(added) == (not math.isnan(placement.magnitude))
        assert all(abs(m - placement.magnitude) <= 0.1 for m in added)
    assert sum(not math.isnan(placement.magnitude) for placement in result.placements) >= 3


def test_requested_magnitudes_get_no_further_point():
    result = ga.curve(CORPUS, kinds=[("shift",)], magnitudes=[0.5, 0, 1], repetitions=1, samples=30)
    assert [band.magnitude for band in result.curves[0].bands] == [0, 0.5, 1]


def test_single_category_is_confused_only_on_request():
    single_category = make_corpus(categories="A")
    result = ga.curve(single_category, magnitudes=[0, 1], repetitions=1, samples=30)
    assert [curve.settings.kinds[0] for curve in result.curves] == [kind for kind in KINDS if kind != "category"]
    requested = ga.curve(single_category, kinds=[("category",)], magnitudes=[0, 1], repetitions=1, samples=30)
    assert requested.placements[0].least == 1
    assert "confuse categories  never  (γ is 1.0000 at least)" in curve_text(requested)


def test_point_is_independent_of_other_magnitudes():
    many = ga.curve(CORPUS, kinds=[("split",)], magnitudes=[0, 0.3, 0.7], repetitions=2, samples=30)
    few = ga.curve(CORPUS, kinds=[("split",)], magnitudes=[0, 0.7], repetitions=2, samples=30)
    assert many.curves[0].bands[-1] == few.curves[0].bands[-1]


def test_sampling_error_matches_the_spread_over_seeds():
    corpus = degraded_corpus(CORPUS, [0.4], 0, SHIFT, seed=0).corpus
    values_and_errors = [
        gamma_and_error(run(corpus, replace(FIXED, rule=PrecisionRule(samples=5), seed=seed))) for seed in range(60)
    ]
    spread = np.std([value for value, _ in values_and_errors], ddof=1)
    assert np.mean([error for _, error in values_and_errors]) == pytest.approx(spread, rel=0.25)


def test_documents_and_repetitions_share_the_samples_of_a_point():
    rows = run(CORPUS, FIXED)
    rule = PrecisionRule()
    alone, pooled = first_samples(rows.take(slice(0, 1)), 1, rule), first_samples(rows, 1, rule)
    chance = rows.gamma
    assert alone == math.ceil((1.96 * chance.deviation[0] / chance.expected[0] / 0.05) ** 2)
    assert pooled < alone / 2
    assert first_samples(rows, 3, rule) == pytest.approx(pooled / 3, abs=1)
    assert first_samples(rows, 10**9, rule) == 2
    assert first_samples(rows, 3, PrecisionRule(samples=7)) == 7
    wild = replace(rows, gamma=replace(chance, deviation=chance.expected)).take(slice(0, 1))
    assert first_samples(wild, 1, PrecisionRule(max_samples=30)) == 30


def test_points_are_sampled_until_they_are_precise():
    result = ga.curve(CORPUS, kinds=[("false-negative",)], repetitions=3)
    (curve,) = result.curves
    for band, error, samples in zip(curve.bands[1:], curve.errors[1:], curve.samples[1:], strict=True):
        assert 1.96 * error <= 0.05 * (1 - band.mean)
        assert samples >= 2
    assert curve.samples[-1] > curve.samples[1]  # few units vary more than many
    assert (curve.samples[0], curve.errors[0]) == (0, 0)
    fixed = ga.curve(CORPUS, kinds=[("false-negative",)], repetitions=3, samples=30).curves[0]
    assert set(fixed.samples[1:]) == {30}


def test_curve_reports_the_largest_gap_of_unproven_alignments():
    hard = make_corpus(annotators=8, units=12, documents=1, magnitude=0.6)
    result = ga.curve(hard, kinds=[("shift",)], magnitudes=[0, 0.9], repetitions=1, samples=2, time_limit=1e-9)
    assert result.gap > 0
    assert result.to_dict()["gap"] == result.gap
    assert f"not proven optimal: {result.gap:.2%}" in curve_text(result)
    assert "not proven" not in curve_text(replace(result, gap=0.0))


def test_progress_ends_at_its_total():
    reports = []
    ga.curve(CORPUS, repetitions=2, samples=30, progress=lambda *report: reports.append(report))
    done = [drawn for drawn, _ in reports]
    assert done == sorted(done)
    assert all(drawn <= total for drawn, total in reports)
    assert reports[-1][0] == reports[-1][1]


# --- plans


def test_planned_width_matches_resampled_documents_of_the_pilot():
    pilot = make_corpus(documents=30, magnitude=0.3)
    result = ga.plan(pilot, target=0.1, annotators=[3], repetitions=2, samples=30)
    assert result.pilot_width == pytest.approx(result.gamma.high - result.gamma.low)
    documents = ga.gamma(pilot, samples=30).documents
    weight = np.array([document.units / document.annotators for document in documents])
    disorders = weight[:, None] * [(document.gamma.observed, document.gamma.expected) for document in documents]
    drawn = np.random.default_rng(0).multinomial(120, np.full(30, 1 / 30), size=4000) @ disorders
    low, high = np.quantile(1 - drawn[:, 0] / drawn[:, 1], (0.025, 0.975))
    planned_width = result.width(3, 120) * result.between / result.deviations[3]
    assert planned_width == pytest.approx(high - low, rel=0.08)


def test_spread_within_documents_is_taken_between_repetitions_of_the_same_document():
    pilot = ga.Corpus.from_records(
        [(name, *unit) for size, name in ((5, "short"), (12, "medium"), (30, "a: long")) for unit in make_units(size)]
    )
    plan = ga.plan(pilot, target=0.1, annotators=[3], repetitions=6, samples=10)

    settings = replace(FIXED, rule=PrecisionRule(samples=10))
    errors, magnitude = Shuffling(kinds=ERRORS), check_magnitude(plan.magnitude)
    simulated = [degraded_corpus(pilot, [magnitude], index, errors, seed=0) for index in range(6)]
    rows = [run(shuffled.corpus, settings).gamma for shuffled in simulated]
    gamma = 1 - sum((row.weight * row.observed).sum() for row in rows) / sum(
        (row.weight * row.expected).sum() for row in rows
    )
    contributions, sampling_variances = {}, []
    for shuffled, row in zip(simulated, rows, strict=True):
        weight = row.weight / (row.weight * row.expected).mean()
        for index, name in enumerate(shuffled.corpus.documents):
            z = weight[index] * ((1 - gamma) * row.expected[index] - row.observed[index])
            contributions.setdefault(shuffled.instances[name].document, []).append(z)
        sampling_variances += np.square((1 - gamma) * weight * row.error).tolist()
    variances = [np.var(values, ddof=1) for values in contributions.values()]
    assert list(map(len, contributions.values())) == [6, 6, 6]
    assert plan.within**2 == pytest.approx(np.mean(variances) - np.mean(sampling_variances), rel=1e-9)


@pytest.mark.release
def test_spread_within_documents_does_not_depend_on_the_number_of_samples():
    few, many = (ga.plan(CORPUS, target=0.1, annotators=[3], repetitions=150, samples=n) for n in (3, 30))
    assert few.within == pytest.approx(many.within, rel=0.15)


def test_plan_notes_a_pilot_below_all_simulations():
    result = ga.plan(make_unrelated_annotators(), target=0.1, annotators=[2], repetitions=2, samples=30)
    assert not result.reached
    assert result.magnitude == 1
    assert result.gamma.value < result.least
    assert "with the strongest simulated errors" in result.notes[0]
    assert result.to_dict()["notes"] == list(result.notes)
    assert f"their γ is {result.least:.4f}, still above the pilot's" in plan_text(result)
    usual = ga.plan(CORPUS, target=0.1, annotators=[2], repetitions=2, samples=30)
    assert (usual.reached, usual.notes) == (True, ())
    assert "still above" not in plan_text(usual)


def test_pilot_without_spread_is_refused():
    with pytest.raises(InputError, match="same agreement"):
        ga.plan(make_corpus(magnitude=0), target=0.1, samples=30)


def test_pilot_of_points_at_one_position_has_a_plan():
    # Random annotations differ only in categories, and in some repetitions not at all.
    records = [
        (f"d{document}", f"a{annotator}", 0, 0, label)
        for document, labels in enumerate((("xy", "xxy", "xyy"), ("xyy", "x", "yxx")))
        for annotator, units in enumerate(labels)
        for label in units
    ]
    for seed in range(4):
        result = ga.plan(
            ga.Corpus.from_records(records), target=0.1, annotators=[2], repetitions=2, samples=5, seed=seed
        )
        assert math.isfinite(result.deviations[2])
