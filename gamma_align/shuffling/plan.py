"""How many documents and annotators an interval of a given width takes: a pilot's spread, and simulated annotators.

The width of the 95 % interval with D documents is that of `inference.jackknife` for D documents in which each document
of the pilot stands for D / (documents of the pilot): skewness and effective degrees of freedom are the pilot's. With as
many documents as the pilot has it is the pilot's own width.

Pooled γ is 1 - Σ x̄·δ / Σ x̄·δ_e over documents, so a document's part in it is z = ((1 - γ)·x̄δ_e - x̄δ) / (mean of
x̄δ_e), and the width is proportional to s, s² being the variance of z between documents. Part of s² is who happened to
annotate, and more annotators make it smaller: that part, v(n) for n annotators, is the variance of z between
repetitions of the same document, simulated by degrading the pilot to its own γ, less what the sampling of δ_e adds to
it. So s²(n') = max(s² - v(n), 0) + v(n'); what is left of s² when v(n) is taken away are
differences between documents, which no number of annotators removes.

The simulated annotators are independent of each other; where the pilot's are not, v(n) is too small.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from gamma_align.columns import BoolArray, FloatArray
from gamma_align.data.sources import Source, corpus_of
from gamma_align.errors import InputError, SettingsError
from gamma_align.gammas.coefficients import corpus_values
from gamma_align.gammas.keywords import GammaOptions
from gamma_align.gammas.options import GAMMA_OPTIONS
from gamma_align.gammas.rows import GammaRows
from gamma_align.gammas.settings import GammaSettings
from gamma_align.inference.jackknife import MIN_DOCUMENTS, Parts, ratio_intervals
from gamma_align.inference.student import t_quantile
from gamma_align.options import takes_options
from gamma_align.results.values import Result, Value
from gamma_align.shuffling.curve import STEPS, Simulation, curve_of, placed
from gamma_align.shuffling.kinds import Shuffling, check_magnitude

ERRORS = ("shift", "false-negative", "category")
"""Kinds of errors with which the pilot is made again."""

SAMPLES = 4
"""Samples of a simulated document, unless a number is asked for; what they add to the spread is taken off again."""

Pilot = tuple[FloatArray, FloatArray, BoolArray]

_FEWEST = 2
_TO_PLACE = 2  # repetitions of the curve that places the pilot


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Plan(Result):
    """How the interval of γ narrows.

    Attributes
    ----------
    gamma : Value
        Of the pilot, with its interval.
    documents, annotators : int, float
        Documents of the pilot that have a value, and their mean number of annotators.
    target : float
        Width asked for.
    magnitude : float
        Of the errors with which the pilot was made again: where its own γ is, or 1 where all errors leave more.
    least : float
        γ of the pilot made again with the strongest errors.
    between, within : float
        Standard deviations of a document's part in γ: of the pilot; and between repetitions of the same document.
    deviations : dict of int to float
        Number of annotators to the standard deviation of a document's part.
    settings : dict
        Of the simulation.
    gap : float
        Largest proven gap of an alignment used, of the pilot or simulated: 0 where all are optimal.
    pilot : tuple of three arrays, shape (n_documents,), or None
        What each document of the pilot adds to observed and expected disorder, and whether it has agreement.

    Examples
    --------
    >>> pilot = [ga.synthetic_reference(units=5, seed=seed, document=f"d{seed}") for seed in range(3)]
    >>> corpus = ga.shuffle(ga.Corpus.from_continua(pilot), magnitude=0.3, annotators=2)
    >>> plan = ga.plan(corpus, target=0.1, annotators=[2], repetitions=2, samples=4)
    >>> plan.width(2, 10) > plan.width(2, 40)
    True
    """

    gamma: Value
    documents: int
    annotators: float
    target: float
    magnitude: float
    least: float
    between: float
    within: float
    deviations: dict[int, float]
    settings: dict[str, Any]
    gap: float = 0.0
    pilot: Pilot | None = None

    @property
    def reached(self) -> bool:
        """Whether simulated annotators come down to the pilot's γ."""
        return self.least <= self.gamma.value

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader of the numbers should know."""
        if self.reached:
            return ()
        strongest = (
            f"γ of the pilot is {self.gamma.value:.4f}, and {self.least:.4f} with the strongest simulated errors"
        )
        return (f"{strongest}: annotators differ more than simulated ones, and what more of them bring is a guess",)

    def width(self, annotators: int, documents: int) -> float:
        """Return the width of the 95 % interval with so many annotators of each of so many documents."""
        return self._width(self.deviations[annotators], documents)

    def documents_needed(self, annotators: int) -> int:
        """Return the least number of documents (3 at least) for which the interval is as narrow as asked."""
        deviation = self.deviations[annotators]
        documents = MIN_DOCUMENTS
        if self._width(deviation, documents) <= self.target:
            return documents
        too_few = documents
        while self._width(deviation, documents) > self.target:
            too_few, documents = documents, 2 * documents
        while documents - too_few > 1:
            middle = (too_few + documents) // 2
            if self._width(deviation, middle) > self.target:
                too_few = middle
            else:
                documents = middle
        return documents

    @property
    def pilot_width(self) -> float:
        """Width of the pilot's interval by the same formula."""
        return self._width(self.between, self.documents)

    def _width(self, deviation: float, documents: int) -> float:
        """Return the width of the 95 % interval of so many documents, whose parts have this standard deviation."""
        if self.pilot is not None:
            observed, expected, agreeing = self.pilot
            times = documents / self.documents
            parts = Parts.of_sums(observed[None, :], expected[None, :], agreeing[None, :], times)
            intervals = ratio_intervals(parts)
            if intervals.missing[0] is None:
                # the same documents several times vary less than as many others
                spread = math.sqrt(self.documents / (self.documents - 1) * (documents - 1) / documents)
                return float(intervals.high[0] - intervals.low[0]) * spread * deviation / self.between
        # a pilot of two documents has no interval of its own: Student's t of as many documents
        return 2.0 * t_quantile(documents - 1) * deviation / math.sqrt(documents)

    def _summary(self) -> str:
        needed = ", ".join(f"{self.documents_needed(n)} documents of {n} annotators" for n in self.deviations)
        return f"gamma {self.gamma}, target {self.target}: {needed}"

    def _contents(self) -> dict[str, Any]:
        names = ("gamma", "documents", "annotators", "target", "magnitude", "least", "reached", "between", "within")
        needed = [
            {"annotators": number, "deviation": deviation, "documents_needed": self.documents_needed(number)}
            for number, deviation in self.deviations.items()
        ]
        return {
            "schema_version": 1,
            **self._named(*names, "pilot_width", "gap"),
            "needed": needed,
            "settings": self.settings,
            "notes": self.notes,
        }


@takes_options(GAMMA_OPTIONS)
def plan(
    source: Source,
    /,
    *,
    target: float,
    annotators: Sequence[int] = (2, 3, 4, 5, 6),
    repetitions: int = 10,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **settings: Unpack[GammaOptions],
) -> Plan:
    """Return how the interval of γ narrows with more documents and annotators, from a pilot.

    The seed is that of the errors, too. Simulated documents have four samples, unless a number is requested.

    Parameters
    ----------
    source : Corpus, Continuum, data frame, records, dict of annotator to spans, or path
        The pilot.
    target : float
        Width of the 95 % interval asked for.
    annotators : sequence of int
        Numbers of annotators to look at.
    repetitions : int
        Simulated corpora for each.
    n_jobs, progress
        As in `gamma`.
    **settings
        Options of γ.

    Returns
    -------
    Plan

    Raises
    ------
    InputError
        If fewer than two documents have a value, or all agree alike: there is no variance to plan with.
    SettingsError
        For a setting out of its range.

    Examples
    --------
    >>> pilot = [ga.synthetic_reference(units=5, seed=seed, document=f"d{seed}") for seed in range(3)]
    >>> corpus = ga.shuffle(ga.Corpus.from_continua(pilot), magnitude=0.3, annotators=2)
    >>> result = ga.plan(corpus, target=0.1, annotators=[2], repetitions=2, samples=4)
    >>> result.documents, result.documents_needed(2) > 3
    (3, True)
    """
    corpus = corpus_of(source, "plan")
    _check(target, annotators, repetitions)
    chosen, numbers = GammaSettings.of(**settings), sorted(set(annotators))
    chosen.check_own_chance("plan()")
    simulated = len(corpus) * (len(STEPS) * _TO_PLACE + (1 + len(numbers)) * repetitions)  # documents
    simulation = Simulation(corpus, chosen, n_jobs=n_jobs, progress=progress)
    rows = _with_value(simulation.measure_corpus(simulated * SAMPLES))
    if len(rows) < _FEWEST:
        raise InputError(f"a pilot needs two documents that have a γ, and this one has {len(rows)}")
    value = corpus_values(rows, delta_empty=chosen.dissimilarity.delta_empty)[0]
    between = float(np.std(_parts(rows, value.value), ddof=1)) if _chance(rows) else 0.0
    if between == 0.0:
        raise InputError("all documents of the pilot agree alike: there is no spread to plan with")
    samples = SAMPLES if chosen.rule.samples is None else chosen.rule.samples
    simulation.prepare(simulated, samples)
    errors = Shuffling.of(corpus.categories, ERRORS, {})
    curve = curve_of(simulation, errors, STEPS, _TO_PLACE, value.value, refine=True)
    placement = placed(value.value, ERRORS, curve.bands)
    magnitude = placement.magnitude if not math.isnan(placement.magnitude) else 1.0
    pilot, *variances = (_within(simulation, errors, magnitude, repetitions, number) for number in (None, *numbers))
    rest = max(between**2 - pilot, 0.0)
    used = {"kinds": list(ERRORS), "repetitions": repetitions, "samples": samples, "seed": chosen.seed}
    return Plan(
        gamma=value,
        documents=len(rows),
        annotators=math.fsum(rows.annotators.tolist()) / len(rows),
        target=target,
        magnitude=magnitude,
        least=placement.least,
        between=between,
        within=math.sqrt(pilot),
        deviations={number: math.sqrt(rest + part) for number, part in zip(numbers, variances, strict=True)},
        settings={**used, "gamma": chosen.to_dict()},
        gap=simulation.gap,
        pilot=_pilot(rows),
    )


def _check(target: float, annotators: Sequence[int], repetitions: int) -> None:
    if not 0 < target < 1:
        raise SettingsError(f"the width asked for is between 0 and 1, not {target}")
    if not annotators or min(annotators) < _FEWEST:
        raise SettingsError("agreement takes two annotators at least")
    if repetitions < _FEWEST:
        raise SettingsError(f"repetitions must be 2 or more, to tell their spread; not {repetitions}")


def _with_value(rows: GammaRows) -> GammaRows:
    return rows.take(np.flatnonzero(rows.gamma.known))


def _pilot(rows: GammaRows) -> Pilot:
    gamma = rows.gamma
    return gamma.weight * gamma.observed, gamma.weight * gamma.expected, gamma.pairs > 0


def _parts(rows: GammaRows, gamma: float) -> FloatArray:
    """Return what each document moves γ by, times the number of documents."""
    observed, expected = (rows.gamma.weight * column for column in (rows.gamma.observed, rows.gamma.expected))
    parts: FloatArray = ((1.0 - gamma) * expected - observed) / expected.mean()
    return parts


def _within(
    simulation: Simulation, errors: Shuffling, magnitude: float, repetitions: int, annotators: int | None
) -> float:
    """Return the variance of a document's part between repetitions, mean over documents, less that of sampling."""
    magnitude = check_magnitude(magnitude)
    times = []
    for time in range(repetitions):
        rows = simulation.rows(errors, [magnitude], time, annotators=annotators)[magnitude]
        times.append(_with_value(rows))
    times = [rows for rows in times if _chance(rows)]
    if not times:
        return 0.0
    everything = GammaRows.join(times)
    observed = math.fsum((everything.gamma.weight * everything.gamma.observed).tolist())
    return _variance(times, 1.0 - observed / _chance(everything))


def _chance(rows: GammaRows) -> float:
    """Return the expected disorder of documents together: 0 where none is expected any, or there are none."""
    return math.fsum((rows.gamma.weight * rows.gamma.expected).tolist())


def _variance(times: Sequence[GammaRows], gamma: float) -> float:
    parts: dict[str, list[float]] = {}
    noise: list[float] = []
    for rows in times:
        mean = _chance(rows) / len(rows)
        for document, part in zip(rows.documents, _parts(rows, gamma).tolist(), strict=True):
            parts.setdefault(document.partition(": ")[2], []).append(part)  # its name in the pilot
        noise += np.square((1.0 - gamma) * rows.gamma.weight * rows.gamma.error / mean).tolist()
    variances = [float(np.var(each, ddof=1)) for each in parts.values() if len(each) > 1]
    if not variances:
        return 0.0
    return max(math.fsum(variances) / len(variances) - math.fsum(noise) / len(noise), 0.0)
