"""A corpus's γ on curves of the corpus itself, and plans from it: what is simulated, and what is said of its errors."""

import math
from dataclasses import replace

import numpy as np
import pytest

import gamma_align as ga
from gamma_align.errors import InputError
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.measure import run
from gamma_align.measures.gamma.precision import PrecisionRule
from gamma_align.present.curve_text import curve_text, plan_text
from gamma_align.simulation.curve import STEPS, degraded_corpus, first_samples, gamma_and_error
from gamma_align.simulation.kinds import Shuffling
from gamma_align.simulation.simulation_options import KINDS

FIXED = GammaSettings(rule=PrecisionRule(samples=30))
SHIFT = Shuffling(kinds=("shift",))


def corpus_of(*, magnitude=0.2, annotators=3, units=10, documents=4, categories="ABC"):
    """Short documents whose annotators err."""
    shape = {"gap": 6, "gap_deviation": 3, "length_deviation": 2, "categories": list(categories)}
    references = [ga.synthetic_reference(units=units, seed=at, document=f"d{at}", **shape) for at in range(documents)]
    corpus = ga.Corpus.from_continua(references)
    return ga.shuffle(corpus, magnitude=magnitude, kinds=["shift", "category"], annotators=annotators, seed=5)


def unlike():
    """Annotators who have nothing in common: each marks other places."""
    draw = np.random.default_rng(3)
    units = [
        (f"d{document}", annotator, start, start + 4, str(draw.choice(["x", "y"])))
        for document in range(6)
        for annotator in "abc"
        for start in draw.uniform(0, 90, size=draw.integers(2, 9)).tolist()
    ]
    return ga.Corpus.from_records(units, extents={f"d{document}": (0, 100) for document in range(6)})


CORPUS = corpus_of()


# --- the curve


def test_the_point_at_0_is_what_its_corpora_measure():
    rows = run(degraded_corpus(CORPUS, [0.0], 1, SHIFT, seed=0).corpus, FIXED)
    assert gamma_and_error(rows) == (1.0, 0.0)


def test_a_curve_has_one_more_point_halfway_to_where_gamma_is():
    found = ga.curve(CORPUS, repetitions=2, samples=30)
    assert [one.settings.kinds for one in found.curves] == [(kind,) for kind in KINDS]
    for curve, place in zip(found.curves, found.placements, strict=True):
        magnitudes = [band.magnitude for band in curve.bands]
        assert [m for m in magnitudes if m in STEPS] == list(STEPS)
        more = [m for m in magnitudes if m not in STEPS]
        assert len(more) == (not math.isnan(place.magnitude))
        assert all(abs(m - place.magnitude) <= 0.1 for m in more)
    assert sum(not math.isnan(place.magnitude) for place in found.placements) >= 3


def test_magnitudes_asked_for_are_all_there_is():
    found = ga.curve(CORPUS, kinds=[("shift",)], magnitudes=[0.5, 0, 1], repetitions=1, samples=30)
    assert [band.magnitude for band in found.curves[0].bands] == [0, 0.5, 1]


def test_a_single_category_is_not_confused_unless_asked_for():
    alone = corpus_of(categories="A")
    found = ga.curve(alone, magnitudes=[0, 1], repetitions=1, samples=30)
    assert [one.settings.kinds[0] for one in found.curves] == [kind for kind in KINDS if kind != "category"]
    asked = ga.curve(alone, kinds=[("category",)], magnitudes=[0, 1], repetitions=1, samples=30)
    assert asked.placements[0].least == 1
    assert "confuse categories  never  (γ is 1.0000 at least)" in curve_text(asked)


def test_a_point_does_not_depend_on_the_others():
    many = ga.curve(CORPUS, kinds=[("split",)], magnitudes=[0, 0.3, 0.7], repetitions=2, samples=30)
    few = ga.curve(CORPUS, kinds=[("split",)], magnitudes=[0, 0.7], repetitions=2, samples=30)
    assert many.curves[0].bands[-1] == few.curves[0].bands[-1]


def test_the_sampling_error_is_the_spread_over_samples():
    made = degraded_corpus(CORPUS, [0.4], 0, SHIFT, seed=0).corpus
    found = [gamma_and_error(run(made, replace(FIXED, rule=PrecisionRule(samples=5), seed=seed))) for seed in range(60)]
    spread = np.std([value for value, _ in found], ddof=1)
    assert np.mean([error for _, error in found]) == pytest.approx(spread, rel=0.25)


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


def test_a_point_has_the_samples_that_its_precision_takes():
    found = ga.curve(CORPUS, kinds=[("false-negative",)], repetitions=3)
    (curve,) = found.curves
    for band, error, samples in zip(curve.bands[1:], curve.errors[1:], curve.samples[1:], strict=True):
        assert 1.96 * error <= 0.05 * (1 - band.mean)
        assert samples >= 2
    assert curve.samples[-1] > curve.samples[1]  # a unit here and there varies more than many
    assert (curve.samples[0], curve.errors[0]) == (0, 0)
    fixed = ga.curve(CORPUS, kinds=[("false-negative",)], repetitions=3, samples=30).curves[0]
    assert set(fixed.samples[1:]) == {30}


def test_what_is_not_proven_optimal_says_its_gap():
    hard = corpus_of(annotators=8, units=12, documents=1, magnitude=0.6)
    found = ga.curve(hard, kinds=[("shift",)], magnitudes=[0, 0.9], repetitions=1, samples=2, time_limit=1e-9)
    assert found.gap > 0
    assert found.to_dict()["gap"] == found.gap
    assert f"not proven optimal: {found.gap:.2%}" in curve_text(found)
    assert "not proven" not in curve_text(replace(found, gap=0.0))


def test_progress_ends_at_its_total():
    told = []
    ga.curve(CORPUS, repetitions=2, samples=30, progress=lambda *both: told.append(both))
    done = [one for one, _ in told]
    assert done == sorted(done)
    assert all(one <= total for one, total in told)
    assert told[-1][0] == told[-1][1]


# --- plans


def test_a_plan_is_what_as_many_documents_of_the_pilot_give():
    pilot = corpus_of(documents=30, magnitude=0.3)
    found = ga.plan(pilot, target=0.1, annotators=[3], repetitions=2, samples=30)
    assert found.pilot_width == pytest.approx(found.gamma.high - found.gamma.low)
    documents = ga.gamma(pilot, samples=30).documents
    weight = np.array([one.units / one.annotators for one in documents])
    table = weight[:, None] * [(one.gamma.observed, one.gamma.expected) for one in documents]
    drawn = np.random.default_rng(0).multinomial(120, np.full(30, 1 / 30), size=4000) @ table
    low, high = np.quantile(1 - drawn[:, 0] / drawn[:, 1], (0.025, 0.975))
    four_times = found.width(3, 120) * found.between / found.deviations[3]
    assert four_times == pytest.approx(high - low, rel=0.08)


@pytest.mark.scheduled
def test_the_samples_do_not_count_as_annotators():
    few, many = (ga.plan(CORPUS, target=0.1, annotators=[3], repetitions=150, samples=n) for n in (3, 30))
    assert few.within == pytest.approx(many.within, rel=0.15)


def test_a_pilot_below_every_simulation_is_told():
    found = ga.plan(unlike(), target=0.1, annotators=[2], repetitions=2, samples=30)
    assert not found.reached
    assert found.magnitude == 1
    assert found.gamma.value < found.least
    assert "with the strongest simulated errors" in found.notes[0]
    assert found.to_dict()["notes"] == list(found.notes)
    assert f"their γ is {found.least:.4f}, still above the pilot's" in plan_text(found)
    usual = ga.plan(CORPUS, target=0.1, annotators=[2], repetitions=2, samples=30)
    assert (usual.reached, usual.notes) == (True, ())
    assert "still above" not in plan_text(usual)


def test_a_pilot_without_spread_is_refused():
    with pytest.raises(InputError, match="no spread to plan with"):
        ga.plan(corpus_of(magnitude=0), target=0.1, samples=30)


def test_a_pilot_of_points_at_one_position_has_a_plan():
    # chance has them differ by their categories alone, and in some repetitions not at all
    records = [
        (f"d{number}", f"a{person}", 0, 0, label)
        for number, labels in enumerate((("xy", "xxy", "xyy"), ("xyy", "x", "yxx")))
        for person, units in enumerate(labels)
        for label in units
    ]
    for seed in range(4):
        found = ga.plan(
            ga.Corpus.from_records(records), target=0.1, annotators=[2], repetitions=2, samples=5, seed=seed
        )
        assert math.isfinite(found.deviations[2])
