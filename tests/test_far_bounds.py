"""Bounds of any size: identical annotations agree perfectly, or the data are refused with the cure."""

from __future__ import annotations

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gamma_align as ga

# Exponents of 10 up to the largest float and down to denormal ones. Most draws are near the ends of the range.
EXPONENTS = st.integers(-323, 308) | st.sampled_from(
    [-323, -308, -160, -150, 15, 16, 17, 20, 149, 151, 299, 300, 307, 308]
)
BOUNDS = st.lists(st.tuples(st.integers(0, 17), st.integers(0, 9)), min_size=1, max_size=4)
MEASURES = {
    "gamma": lambda source: [ga.gamma(source, samples=5).gamma],
    "gamma of statistical samples": lambda source: [ga.gamma(source, samples=5, sampler="statistical").gamma],
    "gamma_cat": lambda source: [ga.gamma(source, samples=5).gamma_cat],
    "the uα family": lambda source: [getattr(ga.unitizing_alpha(source), name) for name in ("u", "bar_u", "cu")],
    "F1 of spans": lambda source: [
        scores.f1 for scores in ga.evaluate(source, reference="a", measures="spans").systems[0].spans.values()
    ],
    "pairwise F1": lambda source: [*ga.pairwise_f1(source).pairs[0].f1.values()],
    "alignment": lambda source: [1 - ga.align(source).disorder],
    "disagreements": lambda source: [1 - len(ga.disagreements(source, samples=5).disagreements)],
}


def scaled(bounds, offset, scale):
    return [(offset + start * scale, offset + (start + length) * scale, "xy"[start % 2]) for start, length in bounds]


def values_or_error(measure, source):
    """Return the available values, or none if the data are refused."""
    try:
        return [float(value) for value in MEASURES[measure](source) if not math.isnan(value)]
    except ga.InputError:
        return []


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("annotators", [2, 4])
@given(bounds=BOUNDS, exponent=EXPONENTS, sign=st.sampled_from([1, -1]), offset_exponent=st.none() | EXPONENTS)
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_identical_annotations_agree_at_any_scale(measure, annotators, bounds, exponent, sign, offset_exponent):
    scale = float(f"1e{exponent}")
    offset = 0.0 if offset_exponent is None else sign * float(f"1e{offset_exponent}")
    spans = scaled(bounds, offset, scale)
    source = dict.fromkeys("abcd"[:annotators], spans)
    values = values_or_error(measure, source)
    assert values == pytest.approx([1.0] * len(values), abs=1e-9)


@pytest.mark.parametrize("scale", [1e-300, 1e-100, 1e100, 1e290])
def test_gamma_does_not_depend_on_the_scale(scale):
    first, second = [(0, 4), (6, 9), (12, 15)], [(1, 3), (6, 7), (13, 6)]
    plain, moved = (
        ga.gamma({"a": scaled(first, 0, factor), "b": scaled(second, 0, factor)}, samples=30, integer_offsets=False)
        for factor in (1.0, scale)
    )
    assert moved.gamma.observed == pytest.approx(plain.gamma.observed, rel=1e-9)
    assert moved.gamma.expected == pytest.approx(plain.gamma.expected, rel=1e-6)


@pytest.mark.parametrize("scale", [1.7e307, 1e301])
def test_bounds_near_the_largest_float_are_refused(scale):
    with pytest.raises(ga.InputError, match="may overflow"):
        ga.gamma(dict.fromkeys("ab", ((0, 4 * scale), (6 * scale, 9 * scale))))


def test_statistical_samples_of_lengths_whose_squares_overflow_are_refused():
    with pytest.raises(ga.InputError, match=r"squares of its lengths.* sampler="):
        ga.gamma(dict.fromkeys("ab", ((0, 4e200),)), sampler="statistical")
