"""The claims of Mathet 2017, §4.2.3 and §5, and the verdict on each when the experiments are run again.

"About", "the same" and "superimposed" mean a difference of at most `ABOUT`. If two curves are compared, differences are
taken within repetitions, and the largest of their means decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from gamma_align.columns import FloatArray
from gamma_align.errors import SettingsError
from gamma_align.simulation.experiment import Experiment

ABOUT = 0.03  # tolerance of figures that the paper gives as approximate
_SLIGHTLY = 0.1  # §4.2.3: further below 0 is not slightly
_CLEARLY = 0.1  # §5.6: lower by less is not clearly lower
_VISIBLE = 0.001  # §5.3: a fall that shows in the third digit
_ROUNDING_ERROR = 1e-9
# Magnitudes that claims are about.
_LINE_END, _CLEARLY_LOWER_FROM, _SMALL_M, _LAST_CONSTANT_MAGNITUDE = 0.8, 0.4, 0.1, 0.55

# Reasons why a claim cannot be reproduced, as printed.
_FLAT_START = (
    "Bounds move both ways and few units touch, so that small shifts seldom reach another unit: the curve starts flat "
    "and then falls faster than the line."
)
_STILL_NEARER = (
    "At m = 1 bounds move by up to two mean lengths: units are still nearer to their counterparts than those of random "
    "annotations. Only with the categories confused too (figure 13) does γ reach 0."
)
_FEWER_UNITS = (
    "Each annotator drops each unit with probability m (M12), so that all three keep only (1 - m)³ of the units, while "
    "a shifted unit still has its counterparts."
)
_FREE_PAIRING = (
    "Where gaps differ, alignments of random annotations are free to pair units of equal categories: the expected "
    "disagreement is lower than that of units in the same positions, and γcat ends below 0."
)
_LONG_UNITS = (
    "Where units of D alone are long, they pair with each other by chance more often: the expected disagreement falls, "
    "and γcat with it. If chance paired categories freely, γcat would be 1/3 at m = 1 for both lengths."
)
_TWO_FIGURES = (
    "A reference on which shifts bring cuα down to 0.5 (figure 11) takes more than 0.06 from it here, and one that "
    "takes 0.06 leaves it above 0.6 there."
)
_GAMMA_K_LIMIT = (
    "Where units keep their positions and chance pairs categories freely, γk is 1 - (4/5) / (6/7) = 0.067 by its "
    "definition: 4/5 of the pairs with an A disagree, 6/7 by chance."
)


class Verdict(NamedTuple):
    """The verdict on a claim: the claim of the paper, the measured values, and the deciding figure with its error.

    `excess` is the distance of that figure from the range that the claim allows. The claim holds if it is 0 or less,
    which is clear if it is at least two standard errors from 0. `why` is the reason of a claim that does not hold, if
    it is known.
    """

    experiment: str
    claim: str
    measured: str
    value: float
    error: float
    excess: float
    holds: bool
    clear: bool
    why: str


class Mean(NamedTuple):
    """A mean over repetitions and its standard error (0 for one repetition)."""

    value: float
    error: float

    def __str__(self) -> str:
        return f"{self.value + 0.0:.3f} ± {self.error:.3f}"

    def off(self, figure: float) -> float:
        """Return the distance of the mean from a figure, minus `ABOUT`."""
        return abs(self.value - figure) - ABOUT


class _Finding(NamedTuple):
    """A claim, the measured values in words, the deciding mean, its excess, and the reason if the claim fails."""

    claim: str
    measured: str
    decides: Mean
    excess: float
    why: str = ""


_Key = tuple[str, str]  # experiment, measure


class Curves:
    """The values of experiments, by experiment, measure, magnitude and repetition.

    The methods raise a `SettingsError` if a claim needs a value that no repetition has.
    """

    def __init__(self, experiments: Mapping[str, Experiment]) -> None:
        self._values: dict[_Key, dict[float, dict[int, float]]] = {}
        for name, experiment in experiments.items():
            for point in experiment.points:
                if not math.isnan(point.value):
                    curve = self._values.setdefault((name, point.measure), {})
                    curve.setdefault(point.magnitude, {})[point.repetition] = point.value

    def mean(self, key: _Key, magnitude: float) -> Mean:
        """Return the mean at a magnitude."""
        means = self.means(key)
        if magnitude not in means:
            raise _missing(key, f" at m = {magnitude:g}")
        return means[magnitude]

    def means(self, key: _Key) -> dict[float, Mean]:
        """Return the means by magnitude."""
        if key not in self._values:
            raise _missing(key)
        return {m: _mean(list(values.values())) for m, values in self._values[key].items()}

    def differences(self, first: _Key, second: _Key) -> dict[float, Mean]:
        """Return the mean difference of two curves within repetitions, by magnitude."""
        result = {}
        for m in sorted(self.means(first).keys() & self.means(second).keys()):
            minuends, subtrahends = self._values[first][m], self._values[second][m]
            repetitions = sorted(minuends.keys() & subtrahends.keys())
            if repetitions:
                result[m] = _mean([minuends[index] - subtrahends[index] for index in repetitions])
        if not result:
            raise _missing(first, f" beside {second[1]} of {second[0]}")
        return result

    def combined(self, key: _Key, weights: Mapping[float, float]) -> Mean:
        """Return the mean of Σ weight · (value at a magnitude) within repetitions."""
        curves = self._values[key]
        repetitions = set.intersection(*(set(curves.get(m, ())) for m in weights))
        if not repetitions:
            raise _missing(key, f" at m = {', '.join(f'{m:g}' for m in weights)} in one repetition")

        def weighted_sum(repetition: int) -> float:
            return math.fsum(weight * curves[m][repetition] for m, weight in weights.items())

        return _mean(list(map(weighted_sum, sorted(repetitions))))


def _missing(key: _Key, details: str = "") -> SettingsError:
    experiment, measure = key
    return SettingsError(f"{experiment}: {measure} has no value{details}", "use more units or repetitions")


def _mean(values: list[float]) -> Mean:
    numbers: FloatArray = np.array(values, dtype=np.float64)
    error = numbers.std(ddof=1) / math.sqrt(len(values)) if len(values) > 1 else 0.0
    return Mean(float(numbers.mean()), float(error))


def verdicts(experiments: Mapping[str, Experiment]) -> tuple[Verdict, ...]:
    """Return the verdict on each claim."""
    curves = Curves(experiments)
    return tuple(_verdict(name, finding) for name, claims in _CLAIMS_BY_SECTION.items() for finding in claims(curves))


def _verdict(experiment: str, finding: _Finding) -> Verdict:
    claim, measured, mean, excess, why = finding
    # Within two standard errors of the limit, chance decides.
    holds, clear = excess <= 0, abs(excess) >= 2.0 * mean.error
    return Verdict(experiment, claim, measured, *mean, excess, holds, clear, "" if holds else why)


def _about(curves: Curves, key: _Key, magnitude: float, figure: float, claim: str, why: str = "") -> _Finding:
    """Judge the claim that a measure is about a figure at a magnitude."""
    mean = curves.mean(key, magnitude)
    return _Finding(claim, str(mean), mean, mean.off(figure), why)


def _together(curves: Curves, first: _Key, second: _Key, claim: str, why: str = "") -> _Finding:
    """Judge the claim that two curves are about the same everywhere."""
    m, mean = _largest(curves.differences(first, second))
    mean = Mean(abs(mean.value), mean.error)
    return _Finding(claim, f"up to {mean} apart (m = {m:g})", mean, mean.value - ABOUT, why)


def _never_below_one(curves: Curves, experiment: str, measures: tuple[str, ...], claim: str) -> _Finding:
    lowest = [_lowest(curves.means((experiment, measure)))[1] for measure in measures]
    mean = min(lowest, key=lambda mean: mean.value)
    # A coefficient that is 1 may be just below it by rounding.
    return _Finding(claim, f"{mean} at least", mean, 1.0 - mean.value - _ROUNDING_ERROR)


def _largest(means: Mapping[float, Mean]) -> tuple[float, Mean]:
    return max(means.items(), key=lambda item: abs(item[1].value))


def _lowest(means: Mapping[float, Mean]) -> tuple[float, Mean]:
    return min(means.items(), key=lambda item: item[1].value)


def _section_4_2_3(curves: Curves) -> Iterator[_Finding]:
    for measure, claim in (
        ("gamma-cat:unweighted", "γcat at random, unweighted, is slightly below 0"),
        ("gamma-cat", "γcat at random, with the pairing confidence, is 0"),
    ):
        mean = curves.mean(("section 4.2.3", measure), 1.0)
        for_categories = curves.mean(("section 4.2.3, categories", measure), 1.0)
        slightly = max(mean.value, -_SLIGHTLY - mean.value)
        excess = mean.off(0.0) if measure == "gamma-cat" else slightly
        yield _Finding(claim, f"{mean}; {for_categories} for categories alone", mean, excess)


def _figure_11(curves: Curves) -> Iterator[_Finding]:
    gamma_cat, cu_alpha = ("figure 11", "gamma-cat"), ("figure 11", "cu-alpha")
    m, mean = _lowest({m: mean for m, mean in curves.means(gamma_cat).items() if m <= _LAST_CONSTANT_MAGNITUDE})
    yield _Finding("γcat stays 1 up to m = 0.55", f"{mean} at least (m = {m:g})", mean, 1.0 - ABOUT - mean.value)
    mean = curves.mean(gamma_cat, 0.8)
    yield _Finding("γcat is above 0.9 at m = 0.8", str(mean), mean, 0.9 - mean.value)
    mean = curves.mean(cu_alpha, _SMALL_M)
    falls = mean.value - (1.0 - _VISIBLE)
    yield _Finding("cuα starts to fall at very small m", f"{mean} at m = {_SMALL_M:g}", mean, falls, _FLAT_START)
    m, mean = _largest(_off_the_line(curves, cu_alpha))
    measured = f"up to {mean} off the straight line from 0 to {_LINE_END:g} (m = {m:g})"
    yield _Finding("cuα falls almost linearly", measured, mean, abs(mean.value) - ABOUT, _FLAT_START)
    yield _about(curves, cu_alpha, 0.8, 0.5, "cuα is 0.5 at m = 0.8")
    yield _about(curves, ("figure 11", "gamma"), 1.0, 0.0, "γ falls from 1 to 0", _STILL_NEARER)


def _off_the_line(curves: Curves, key: _Key) -> dict[float, Mean]:
    """Return the distance from the straight line between m = 0 and `_LINE_END`, by magnitude."""
    shares = {m: m / _LINE_END for m in curves.means(key) if 0 < m < _LINE_END}
    return {m: curves.combined(key, {m: 1.0, 0.0: share - 1.0, _LINE_END: -share}) for m, share in shares.items()}


def _section_5_4(curves: Curves) -> Iterator[_Finding]:
    yield _never_below_one(curves, "section 5.4", ("gamma-cat", "cu-alpha"), "γcat = cuα = 1 whatever is missing")
    claim = "γ is about the same as for positions"
    yield _together(curves, ("section 5.4", "gamma"), ("figure 11", "gamma"), claim, _FEWER_UNITS)


def _figure_12(curves: Curves) -> Iterator[_Finding]:
    gamma_cat, cu_alpha = ("figure 12", "gamma-cat"), ("figure 12", "cu-alpha")
    yield _together(curves, gamma_cat, cu_alpha, "γcat and cuα fall together", _FREE_PAIRING)
    ends = curves.mean(gamma_cat, 1.0), curves.mean(cu_alpha, 1.0)
    mean = max(ends, key=lambda end: abs(end.value))
    yield _Finding("γcat and cuα fall to 0", f"γcat {ends[0]}, cuα {ends[1]}", mean, mean.off(0.0), _FREE_PAIRING)
    yield _about(curves, ("figure 12", "gamma"), 1.0, 0.35, "γ falls to about 0.35")


def _figure_13(curves: Curves) -> Iterator[_Finding]:
    gamma_cat = ("figure 13", "gamma-cat")
    yield _together(curves, gamma_cat, ("figure 12", "gamma-cat"), "γcat is as in figure 12")
    below = curves.differences(gamma_cat, ("figure 13", "cu-alpha"))
    m, mean = max(below.items(), key=lambda item: item[1].value)
    yield _Finding(
        "cuα is lower, by up to 0.06", f"lower by up to {mean} (m = {m:g})", mean, mean.off(0.06), _TWO_FIGURES
    )
    below = curves.differences(("figure 12", "gamma"), ("figure 13", "gamma"))
    m, mean = _lowest({m: mean for m, mean in below.items() if m >= _CLEARLY_LOWER_FROM})
    measured = f"lower by {mean} at least from {_CLEARLY_LOWER_FROM:g} on (m = {m:g})"
    yield _Finding("γ is clearly lower than in figure 12", measured, mean, _CLEARLY - mean.value)


def _figure_14(curves: Curves) -> Iterator[_Finding]:
    gamma_cat, longer = ("figure 14, 5", "gamma-cat"), ("figure 14, 20", "gamma-cat")
    yield _together(curves, gamma_cat, longer, "the γcat curves of both lengths superimpose", _LONG_UNITS)
    claim = "all units 5 long: cuα is about γcat"
    yield _together(curves, ("figure 14, 5", "cu-alpha"), gamma_cat, claim, _FREE_PAIRING)
    yield _about(curves, ("figure 14, 20", "cu-alpha"), 1.0, 0.54, "D 20 long: cuα is 0.54 at m = 1")
    yield _about(curves, longer, 1.0, 0.27, "D 20 long: γcat is 0.27 at m = 1")


def _figure_15(curves: Curves) -> Iterator[_Finding]:
    yield _never_below_one(curves, "figure 15", ("gamma-k:D",), "γk(D) = 1")
    ends = [curves.mean(("figure 15", f"gamma-k:{name}"), 1.0) for name in "ABC"]
    mean = max(ends, key=lambda end: abs(end.value - 0.1))
    claim = "γk(A), γk(B), γk(C) fall to about 0.1"
    yield _Finding(claim, ", ".join(map(str, ends)), mean, mean.off(0.1), _GAMMA_K_LIMIT)
    yield _about(curves, ("figure 15", "gamma-cat"), 1.0, 0.33, "γcat falls to about 0.33")


_CLAIMS_BY_SECTION: dict[str, Callable[[Curves], Iterator[_Finding]]] = {
    "section 4.2.3": _section_4_2_3,
    "figure 11": _figure_11,
    "section 5.4": _section_5_4,
    "figure 12": _figure_12,
    "figure 13": _figure_13,
    "figure 14": _figure_14,
    "figure 15": _figure_15,
}
