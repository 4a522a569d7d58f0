"""The number of documents and annotators that an interval of a given width requires, from a pilot and simulations.

The width of the 95 % interval with D documents is computed by `inference.jackknife`, with each document of the pilot
weighted by D / (documents of the pilot). Thus the effective share of documents is as in the pilot.
For as many documents as the pilot has, the width is the width of the interval of the pilot.

Pooled γ is 1 - Σ x̄·δ / Σ x̄·δ_e over documents, so the contribution of a document is z = ((1 - γ)·x̄δ_e - x̄δ) / (mean
of x̄δ_e). The width is proportional to s, with s² the variance of z between documents. A part v(n) of s² is due to the
choice of the n annotators and decreases with n. It is estimated as the variance of z between repetitions of the same
document, simulated by degrading the pilot to its own γ, minus the variance due to sampling δ_e. For n' annotators,
s²(n') = max(s² - v(n), 0) + v(n'): the remainder s² - v(n) is due to differences between documents, which no number of
annotators removes.

Simulated annotators are independent of each other. If the annotators of the pilot are not, v(n) is too small.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from gamma_align.columns import BoolArray, FloatArray
from gamma_align.data import Corpus
from gamma_align.errors import InputError, SettingsError
from gamma_align.inference import MIN_DOCUMENTS, Parts, Result, Value, ratio_intervals, t_quantile
from gamma_align.insight.ceiling import range_by_annotators
from gamma_align.measures.gamma import GAMMA_OPTIONS, Documents, GammaOptions, GammaRows, GammaSettings
from gamma_align.measures.gamma.corpus_values import corpus_values
from gamma_align.options import takes_options
from gamma_align.simulation.curve import STEPS, Simulation, measure_curve, place_on_curve
from gamma_align.simulation.kinds import Shuffling, check_magnitude
from gamma_align.simulation.simulation_options import PLAN_OPTIONS

ERRORS = ("shift", "false-negative", "category")
"""Kinds of errors that the pilot is simulated with."""

SAMPLES = 4
"""Default number of samples of a simulated document; the variance due to sampling is subtracted."""

Pilot = tuple[FloatArray, FloatArray, BoolArray]
"""Observed and expected disorder that each document adds, and whether it has agreement; shape (n_documents,) each."""

_MIN_DOCUMENTS = 2  # of a pilot, for a variance between documents
_MIN_ANNOTATORS = 2  # that can agree
_MIN_REPETITIONS = 2  # for a variance between repetitions
_PLACEMENT_REPETITIONS = 2  # of the curve that finds the magnitude at which simulations have the pilot's γ


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Plan(Result):
    """The width of the interval of γ by number of documents and annotators.

    Attributes
    ----------
    gamma : Value
        γ of the pilot, with its interval.
    documents, annotators : int, float
        Number of documents of the pilot that have a value, and their mean number of annotators.
    target : float
        Requested width.
    magnitude : float
        Magnitude of the simulated errors: the one that yields the pilot's γ, or 1 if γ stays higher at any magnitude.
    least : float
        γ of the pilot simulated with the strongest errors.
    between, within : float
        Standard deviations of a document's contribution to γ: between the documents of the pilot, and between
        repetitions of the same document.
    deviations : dict of int to float
        Number of annotators to the standard deviation of a document's contribution.
    ceilings : mapping of int to (float, float)
        Number of annotators to the range of the ceiling of strict F1 that their votes would leave: see `ceiling`. Of
        more annotators than the pilot has, it rests on a fitted distribution; NaN if no two annotators mark anything.
    settings : dict
        Settings of the simulation.
    gap : float
        Largest proven gap of an alignment used, of the pilot or simulated; 0 if all alignments are optimal.
    pilot : tuple of three arrays, shape (n_documents,), or None
        Observed and expected disorder that each document of the pilot adds, and whether it has agreement.

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
    ceilings: Mapping[int, tuple[float, float]]
    settings: dict[str, Any]
    gap: float = 0.0
    pilot: Pilot | None = None

    @property
    def reached(self) -> bool:
        """Whether simulated annotators can have a γ as low as the pilot's."""
        return self.least <= self.gamma.value

    @property
    def notes(self) -> tuple[str, ...]:
        """Reservations about the numbers, as sentences."""
        if self.reached:
            return ()
        lowest = f"γ of the pilot is {self.gamma.value:.4f}, but {self.least:.4f} with the strongest simulated errors"
        return (f"{lowest}: its annotators differ more, so the effect of more annotators is uncertain",)

    def width(self, annotators: int, documents: int) -> float:
        """Return the width of the 95 % interval for a number of annotators per document and of documents."""
        return self._width(self.deviations[annotators], documents)

    def documents_needed(self, annotators: int) -> int:
        """Return the smallest number of documents, at least 3, whose interval is not wider than the target."""
        deviation = self.deviations[annotators]
        documents = MIN_DOCUMENTS
        if self._width(deviation, documents) <= self.target:
            return documents
        # Double the number until it is enough, then bisect.
        too_few = documents
        while self._width(deviation, documents) > self.target:
            too_few = documents
            documents = 2 * documents
        while documents - too_few > 1:
            middle = (too_few + documents) // 2
            if self._width(deviation, middle) > self.target:
                too_few = middle
            else:
                documents = middle
        return documents

    @property
    def pilot_width(self) -> float:
        """Width of the pilot's own interval, by the same formula."""
        return self._width(self.between, self.documents)

    def _width(self, deviation: float, documents: int) -> float:
        """Return the width of the 95 % interval of documents whose contributions have this standard deviation."""
        if self.pilot is not None:
            observed, expected, has_agreement = self.pilot
            weight = documents / self.documents
            parts = Parts.of_sums(observed[None, :], expected[None, :], has_agreement[None, :], weight)
            intervals = ratio_intervals(parts)
            if intervals.missing[0] is None:
                # Repeated documents vary less than as many different ones: n - 1 instead of n degrees of freedom.
                correction = math.sqrt(self.documents / (self.documents - 1) * (documents - 1) / documents)
                return float(intervals.high[0] - intervals.low[0]) * correction * deviation / self.between
        # A pilot of two documents has no jackknife interval: use Student's t with documents - 1 degrees of freedom.
        return 2.0 * t_quantile(documents - 1) * deviation / math.sqrt(documents)

    def _summary(self) -> str:
        needed = ", ".join(f"{self.documents_needed(n)} documents of {n} annotators" for n in self.deviations)
        return f"gamma {self.gamma}, target {self.target}: {needed}"

    def _contents(self) -> dict[str, object]:
        names = ("gamma", "documents", "annotators", "target", "magnitude", "least", "reached", "between", "within")
        needed = [
            {
                "annotators": count,
                "deviation": deviation,
                "documents_needed": self.documents_needed(count),
                "ceiling_low": self.ceilings[count][0],
                "ceiling_high": self.ceilings[count][1],
            }
            for count, deviation in self.deviations.items()
        ]
        return {
            "schema_version": 1,
            **self._named(*names, "pilot_width", "gap"),
            "needed": needed,
            "settings": self.settings,
            "notes": self.notes,
        }


@takes_options((*PLAN_OPTIONS.options, *GAMMA_OPTIONS))
def plan(
    corpus: Corpus,
    /,
    *,
    target: float,
    annotators: Sequence[int] = (2, 3, 4, 5, 6),
    repetitions: int = 10,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **settings: Unpack[GammaOptions],
) -> Plan:
    """Estimate the width of the interval of γ for more documents and annotators, from a pilot.

    The seed is also used for the errors. Simulated documents have four samples unless `samples` is set.

    Parameters
    ----------
    corpus : Corpus
        The pilot.
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
        If fewer than two documents have a value, or their agreement does not vary.
    SettingsError
        If a setting is out of its range.

    Examples
    --------
    >>> pilot = [ga.synthetic_reference(units=5, seed=seed, document=f"d{seed}") for seed in range(3)]
    >>> corpus = ga.shuffle(ga.Corpus.from_continua(pilot), magnitude=0.3, annotators=2)
    >>> result = ga.plan(corpus, target=0.1, annotators=[2], repetitions=2, samples=4)
    >>> result.documents, result.documents_needed(2) > 3
    (3, True)
    """
    _check_arguments(target, annotators, repetitions)
    gamma_settings = GammaSettings.of(**settings)
    gamma_settings.check_own_chance("plan()")
    counts = sorted(set(annotators))
    # Corpora to simulate: the curve that places the pilot; then the pilot's own annotators, and each requested number.
    n_corpora = len(STEPS) * _PLACEMENT_REPETITIONS + (1 + len(counts)) * repetitions
    n_documents = len(corpus) * n_corpora
    simulation = Simulation(corpus, gamma_settings, n_jobs=n_jobs, progress=progress)
    rows = _documents_with_value(simulation.measure_corpus(n_documents * SAMPLES))
    if len(rows) < _MIN_DOCUMENTS:
        raise InputError(f"a pilot needs two documents with a γ, but this one has {len(rows)}")
    value = corpus_values(Documents(rows), delta_empty=gamma_settings.dissimilarity.delta_empty)[0]
    between = float(np.std(_contributions(rows, value.value), ddof=1)) if _total_expected(rows) else 0.0
    if between == 0.0:
        raise InputError("all documents of the pilot have the same agreement, so their spread is unknown")
    samples = SAMPLES if gamma_settings.rule.samples is None else gamma_settings.rule.samples
    simulation.prepare(n_documents, samples)
    errors = Shuffling.of(corpus.categories, ERRORS, {})
    curve = measure_curve(simulation, errors, STEPS, _PLACEMENT_REPETITIONS, value.value, refine=True)
    placement = place_on_curve(value.value, ERRORS, curve.bands)
    magnitude = placement.magnitude if not math.isnan(placement.magnitude) else 1.0
    pilot_variance = _variance_within(simulation, errors, magnitude, repetitions, None)
    variances = {n: _variance_within(simulation, errors, magnitude, repetitions, n) for n in counts}
    document_variance = max(between**2 - pilot_variance, 0.0)  # no number of annotators reduces it
    used = {"kinds": list(ERRORS), "repetitions": repetitions, "samples": samples, "seed": gamma_settings.seed}
    return Plan(
        gamma=value,
        documents=len(rows),
        annotators=math.fsum(rows.annotators.tolist()) / len(rows),
        target=target,
        magnitude=magnitude,
        least=placement.least,
        between=between,
        within=math.sqrt(pilot_variance),
        deviations={n: math.sqrt(document_variance + variance) for n, variance in variances.items()},
        ceilings=range_by_annotators(corpus, counts),
        settings={**used, "gamma": gamma_settings.to_dict()},
        gap=simulation.gap,
        pilot=_pilot_disorders(rows),
    )


def _check_arguments(target: float, annotators: Sequence[int], repetitions: int) -> None:
    """Raise a SettingsError for the first setting out of its range."""
    if not 0 < target < 1:
        raise SettingsError(f"the target width must be between 0 and 1, not {target}")
    if not annotators or min(annotators) < _MIN_ANNOTATORS:
        raise SettingsError("numbers of annotators must be 2 or more")
    if repetitions < _MIN_REPETITIONS:
        raise SettingsError(f"repetitions must be 2 or more, because their variance is needed, not {repetitions}")


def _documents_with_value(rows: GammaRows) -> GammaRows:
    """Return the rows of documents that have γ."""
    return rows.take(np.flatnonzero(rows.gamma.is_known))


def _pilot_disorders(rows: GammaRows) -> Pilot:
    """Return the weighted disorders of the documents, and whether each has agreement."""
    gamma = rows.gamma
    return gamma.weight * gamma.observed, gamma.weight * gamma.expected, gamma.pairs > 0


def _contributions(rows: GammaRows, gamma: float) -> FloatArray:
    """Return z, the contribution of each document to γ times the number of documents."""
    observed = rows.gamma.weight * rows.gamma.observed
    expected = rows.gamma.weight * rows.gamma.expected
    contributions: FloatArray = ((1.0 - gamma) * expected - observed) / expected.mean()
    return contributions


def _variance_within(
    simulation: Simulation, errors: Shuffling, magnitude: float, repetitions: int, annotators: int | None
) -> float:
    """Return v(n): the mean variance of a document's contribution between repetitions, minus that due to sampling."""
    magnitude = check_magnitude(magnitude)
    simulated = []
    for repetition in range(repetitions):
        rows = simulation.measure(errors, [magnitude], repetition, annotators=annotators)[magnitude]
        if _total_expected(_documents_with_value(rows)):
            simulated.append(rows)
    if not simulated:
        return 0.0
    pooled = _documents_with_value(GammaRows.join(simulated))
    observed = math.fsum((pooled.gamma.weight * pooled.gamma.observed).tolist())
    return _mean_variance(simulated, 1.0 - observed / _total_expected(pooled))


def _total_expected(rows: GammaRows) -> float:
    """Return the summed expected disorder of all documents; 0 if there are no documents."""
    return math.fsum((rows.gamma.weight * rows.gamma.expected).tolist())


def _mean_variance(repetitions: Sequence[GammaRows], gamma: float) -> float:
    """Return the variance of a document's contribution between repetitions; all have the same documents in one order.

    It is the mean over documents, minus the variance due to sampling the expected disorder.
    """
    contributions = np.full((len(repetitions), len(repetitions[0])), np.nan)
    sampling_variances: list[float] = []
    for index, all_rows in enumerate(repetitions):
        rows = _documents_with_value(all_rows)
        contributions[index, all_rows.gamma.is_known] = _contributions(rows, gamma)
        errors = (1.0 - gamma) * rows.gamma.weight * rows.gamma.error / (_total_expected(rows) / len(rows))
        sampling_variances += np.square(errors).tolist()
    has_variance = np.count_nonzero(~np.isnan(contributions), axis=0) >= _MIN_REPETITIONS
    if not has_variance.any():
        return 0.0
    variances = np.nanvar(contributions[:, has_variance], axis=0, ddof=1).tolist()
    sampling_variance = math.fsum(sampling_variances) / len(sampling_variances)
    return max(math.fsum(variances) / len(variances) - sampling_variance, 0.0)
