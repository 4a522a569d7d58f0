"""γ of a corpus compared with γ of the corpus itself, degraded step by step.

Each annotator in turn is the reference: repetition r takes annotator r of every document. It is copied as many times
as the document has annotators, with errors of one kind. γ of these corpora at each magnitude is the curve of the kind.
The magnitude at which the curve has the measured γ says how large errors of this kind alone would have to be.

γ of a single document is sampled until it is precise. A point of a curve is a mean over documents and repetitions, and
their sampling errors average out. For the same precision of the point, each simulated document needs far fewer samples.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self, Unpack

import numpy as np

from gamma_align.chance import PrecisionRule
from gamma_align.columns import FloatArray, IntArray
from gamma_align.data import Corpus, check_two_annotators
from gamma_align.errors import InputError, SettingsError
from gamma_align.inference import Result, Value
from gamma_align.measures.gamma import GAMMA_OPTIONS, Documents, GammaOptions, GammaRows, GammaSettings, run
from gamma_align.measures.gamma.corpus_values import corpus_values
from gamma_align.options import takes_options
from gamma_align.simulation.experiment import Band, document_ranges, make_band
from gamma_align.simulation.keywords import ShufflingOptions
from gamma_align.simulation.kinds import Shuffling, check_magnitude
from gamma_align.simulation.reference import Instance, build_reference
from gamma_align.simulation.shuffle import ShuffledCorpus, make_documents
from gamma_align.simulation.simulation_options import CURVE_OPTIONS, KINDS

STEPS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Default magnitudes of a curve. One is added halfway between the two at which the curve falls below the measured γ."""

POINT_PRECISION = 0.05  # half the 95 % interval of the expected disorder of a point, relative to it
Z95 = 1.96  # normal quantile of a 95 % interval
MIN_SAMPLES = 2  # of a simulated document: one sample has no standard deviation
_MIN_STEPS = 2  # magnitudes of a curve
_MIN_ANNOTATORS = 2  # of a document that is degraded: γ compares annotators


class Placement(NamedTuple):
    """The magnitudes at which a curve has the measured γ: on the mean curve, and on both edges of the band.

    They are NaN if the curve does not fall to the measured γ. `least` is the lowest mean of the curve.
    """

    kinds: tuple[str, ...]
    magnitude: float
    low: float
    high: float
    least: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class KindCurve(Result):
    """γ of a corpus that is degraded by errors of some kinds, at ascending magnitudes.

    `errors` contains the standard error of each mean due to sampling the expected disorder; `samples` is the number of
    samples of each document.
    """

    settings: Shuffling
    bands: tuple[Band, ...]
    errors: tuple[float, ...]
    samples: tuple[int, ...]

    def _contents(self) -> dict[str, object]:
        points = [
            {**band._asdict(), "sampling_error": error, "samples": samples}
            for band, error, samples in zip(self.bands, self.errors, self.samples, strict=True)
        ]
        return {**self.settings.to_dict(), "points": points}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReferenceCurve(Result):
    """γ of a corpus and the curves of γ of the corpus itself, degraded.

    Attributes
    ----------
    gamma : Value
        The measured γ.
    curves : tuple of KindCurve
        One for each kind of errors or combination of kinds.
    placements : tuple of Placement
        The position of the measured γ on each curve.
    gap : float
        Largest proven gap of an alignment used, of the corpus or simulated; 0 if all alignments are optimal.
    settings : dict
        Settings of the curves.

    Examples
    --------
    >>> corpus = ga.shuffle(ga.synthetic_reference(units=8), magnitude=0.2)
    >>> result = ga.curve(corpus, kinds=["split"], magnitudes=[0, 1], repetitions=1, samples=5)
    >>> [placement.kinds for placement in result.placements]
    [('split',)]
    """

    gamma: Value
    curves: tuple[KindCurve, ...]
    placements: tuple[Placement, ...]
    gap: float
    settings: dict[str, Any]

    def _contents(self) -> dict[str, object]:
        return {"schema_version": 1, **self._named("gamma", "gap", "settings", "placements", "curves")}


@takes_options((*CURVE_OPTIONS.options, *GAMMA_OPTIONS))
def curve(
    corpus: Corpus,
    /,
    *,
    kinds: Sequence[str | Sequence[str]] | None = None,
    magnitudes: Sequence[float] | None = None,
    repetitions: int = 5,
    errors: ShufflingOptions | None = None,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **settings: Unpack[GammaOptions],
) -> ReferenceCurve:
    """Compare γ of a corpus with γ of the corpus itself, degraded by errors of known kinds and magnitudes.

    The seed is also used for the errors. Unless `samples` is set, simulated corpora have fewer samples: enough for the
    expected disorder of a point, over documents and repetitions, to be precise to 5 % (at 95 %).

    Parameters
    ----------
    corpus : Corpus
        The corpus.
    errors : mapping, optional
        Options of `shuffle` for the errors, such as ``{"confusion": "uniform"}``.
    n_jobs, progress
        As in `gamma`.
    **settings
        Options of γ.

    Returns
    -------
    ReferenceCurve

    Raises
    ------
    InputError
        If no document has two annotators and a unit.
    SettingsError
        If a setting is out of its range.

    Examples
    --------
    >>> reference = ga.synthetic_reference(units=8, categories=["x", "y"])
    >>> corpus = ga.shuffle(reference, magnitude=0.2)
    >>> result = ga.curve(corpus, kinds=["shift"], magnitudes=[0, 1], repetitions=1, samples=5)
    >>> 0 < result.placements[0].magnitude < 1
    True
    """
    gamma_settings = GammaSettings.of(**settings)
    gamma_settings.check_own_chance("curve()")
    refine = magnitudes is None
    steps = _check_steps(STEPS if magnitudes is None else magnitudes, repetitions)
    shufflings = [Shuffling.of(corpus.categories, names, errors or {}) for names in _kinds_of_curves(kinds, corpus)]
    check_two_annotators(corpus)
    # No document is simulated at m = 0. A refined curve has one point more, halfway between two steps.
    n_points = len(steps) if refine else len(steps) - 1
    n_documents = len(shufflings) * repetitions * len(corpus) * n_points
    simulation = Simulation(corpus, gamma_settings, n_jobs=n_jobs, progress=progress)
    rows = simulation.measure_corpus(n_documents * MIN_SAMPLES)
    value = corpus_values(Documents(rows))[0]
    if not value.is_available:
        raise InputError(f"γ of the corpus is not available: {value.reason}")
    simulation.prepare(n_documents, first_samples(rows, repetitions, gamma_settings.rule))
    curves = tuple(
        measure_curve(simulation, shuffling, steps, repetitions, value.value, refine=refine) for shuffling in shufflings
    )
    placements = tuple(place_on_curve(value.value, curve.settings.ordered, curve.bands) for curve in curves)
    used = {"repetitions": repetitions, "seed": gamma_settings.seed, "gamma": gamma_settings.to_dict()}
    return ReferenceCurve(value, curves, placements, simulation.gap, used)


def _kinds_of_curves(requested: Sequence[str | Sequence[str]] | None, corpus: Corpus) -> list[tuple[str, ...]]:
    """Return the kinds of errors of each curve; by default one curve for each kind that can change the corpus."""
    if requested is None:  # a single category cannot be confused with another
        requested = [kind for kind in KINDS if kind != "category" or len(corpus.categories) > 1]
    return list(dict.fromkeys((kinds,) if isinstance(kinds, str) else tuple(kinds) for kinds in requested))


def _check_steps(magnitudes: Sequence[float], repetitions: int) -> tuple[float, ...]:
    """Return the magnitudes in ascending order if they form a curve."""
    steps = tuple(sorted({check_magnitude(magnitude) for magnitude in magnitudes}))
    if len(steps) < _MIN_STEPS or steps[0] > 0:
        raise SettingsError("a curve needs two or more magnitudes, and the first must be 0")
    if repetitions < 1:
        raise SettingsError(f"repetitions must be 1 or more, not {repetitions}")
    return steps


def measure_curve(
    simulation: Simulation, errors: Shuffling, steps: Sequence[float], repetitions: int, value: float, *, refine: bool
) -> KindCurve:
    """Measure the curve of some kinds of errors.

    With `refine`, add a point halfway between the two between which the curve falls to the value.
    """
    points = simulation.measure_points(errors, steps, repetitions)
    curve = _build_curve(errors, points)
    neighbours = _crossing(value, curve.bands) if refine else None
    if neighbours is None:
        return curve
    before, after = neighbours
    halfway = check_magnitude((before.magnitude + after.magnitude) / 2)
    return _build_curve(errors, points | simulation.measure_points(errors, [halfway], repetitions))


def _build_curve(errors: Shuffling, points: dict[float, SimulatedPoint]) -> KindCurve:
    """Return the curve through these points, by magnitude."""
    magnitudes = sorted(points)
    return KindCurve(
        settings=errors,
        bands=tuple(make_band(m, points[m].values) for m in magnitudes),
        errors=tuple(points[m].error for m in magnitudes),
        samples=tuple(points[m].samples for m in magnitudes),
    )


def place_on_curve(value: float, kinds: tuple[str, ...], bands: Sequence[Band]) -> Placement:
    """Return the magnitudes at which a curve, linear between its points, has the value."""
    mean, low, high = (_magnitude_at(value, bands, edge) for edge in ("mean", "low", "high"))
    means = [band.mean for band in bands if not math.isnan(band.mean)]
    return Placement(kinds, mean, low, high, min(means, default=math.nan))


def _magnitude_at(value: float, bands: Sequence[Band], edge: str) -> float:
    """Return the magnitude at which the mean, or an edge of the band, first falls to the value; else NaN."""
    if getattr(bands[0], edge) <= value:
        return bands[0].magnitude
    neighbours = _crossing(value, bands, edge)
    if neighbours is None:
        return math.nan
    before, after = neighbours
    above = getattr(before, edge)
    below = getattr(after, edge)
    return float(before.magnitude + (after.magnitude - before.magnitude) * (above - value) / (above - below))


def _crossing(value: float, bands: Sequence[Band], edge: str = "mean") -> tuple[Band, Band] | None:
    """Return the first two neighbouring points between which a curve falls to the value, or None."""
    for before, after in itertools.pairwise(bands):
        if getattr(after, edge) <= value < getattr(before, edge):
            return before, after
    return None


class SimulatedPoint(NamedTuple):
    """γ of corpora simulated alike: one value for each repetition, NaN if it is not available.

    `error` is the standard error of their mean due to sampling the expected disorder; `samples` is the number of
    samples of each document.
    """

    values: tuple[float, ...]
    error: float
    samples: int

    @classmethod
    def of(cls, repetitions: Sequence[GammaRows], samples: int) -> Self:
        """Return the point computed from the rows of each repetition."""
        values = []
        errors = []
        for rows in repetitions:
            value, error = gamma_and_error(rows)
            values.append(value)
            if not math.isnan(value):
                errors.append(error)
        return cls(tuple(values), math.hypot(*errors) / max(len(errors), 1), samples)

    @property
    def required_samples(self) -> int:
        """Number of samples of each document for a precision of `POINT_PRECISION` of the expected disorder."""
        ratios = [1.0 - value for value in self.values if not math.isnan(value)]  # observed / expected disorder
        mean = math.fsum(ratios) / max(len(ratios), 1)
        if not mean > 0:
            return self.samples
        return math.ceil(self.samples * (Z95 * self.error / mean / POINT_PRECISION) ** 2)


class Simulation:
    """Measures a corpus, and corpora simulated from it, with one report of progress.

    Attributes
    ----------
    gap : float
        Largest proven gap of an alignment used so far.
    """

    def __init__(
        self,
        corpus: Corpus,
        settings: GammaSettings,
        *,
        n_jobs: int | None,
        progress: Callable[[int, int], None] | None,
    ) -> None:
        self.gap = 0.0
        self._corpus = corpus
        self._settings = settings
        self._n_jobs = n_jobs
        self._progress = progress
        self._first_samples = 0  # of each simulated document
        self._max_samples = 0
        self._samples_drawn = 0  # by all measurements so far
        self._pending_samples = 0  # of later measurements, an estimate for the report of progress

    def measure_corpus(self, pending_samples: int) -> GammaRows:
        """Measure the corpus itself; about `pending_samples` samples of simulated corpora will follow."""
        self._pending_samples = pending_samples
        return self._run(self._corpus, self._settings)

    def prepare(self, n_documents: int, samples: int) -> None:
        """Set the number of samples that simulated documents begin with, and estimate the pending work."""
        rule = self._settings.rule
        self._first_samples = samples
        self._pending_samples = n_documents * samples
        self._max_samples = samples if rule.samples is not None else rule.max_samples

    def measure(
        self,
        errors: Shuffling,
        magnitudes: Sequence[float],
        repetition: int,
        *,
        annotators: int | None = None,
        samples: int | None = None,
    ) -> dict[float, GammaRows]:
        """Return the measured documents of `degraded_corpus` by magnitude."""
        shuffled = degraded_corpus(
            self._corpus, magnitudes, repetition, errors, seed=self._settings.seed, annotators=annotators
        )
        samples = self._first_samples if samples is None else samples
        self._pending_samples = max(self._pending_samples - len(shuffled.corpus) * samples, 0)
        settings = replace(self._settings, rule=replace(self._settings.rule, samples=samples))
        # Alignments that are hard to prove get a smaller limit of work than those of the corpus itself.
        rows = self._run(shuffled.corpus, replace(settings, limits=settings.limits.reduced))
        return {m: rows.take(slice(first, last)) for (m, _), (first, last) in document_ranges(shuffled).items()}

    def measure_points(
        self, errors: Shuffling, magnitudes: Sequence[float], repetitions: int
    ) -> dict[float, SimulatedPoint]:
        """Return γ at each magnitude, sampled until it is precise.

        At m = 0 all copies equal the reference, so γ is 1 for any expected disorder and nothing is computed.
        """
        positive = [m for m in magnitudes if m > 0]
        points = {m: SimulatedPoint((1.0,) * repetitions, 0.0, 0) for m in magnitudes if m == 0}
        points |= self._simulate(errors, positive, repetitions, self._first_samples)
        for m in positive:
            target = min(points[m].required_samples, self._max_samples)
            while points[m].samples < target:
                points |= self._simulate(errors, [m], repetitions, target)
                target = min(points[m].required_samples, self._max_samples)
        return points

    def _simulate(
        self, errors: Shuffling, magnitudes: Sequence[float], repetitions: int, samples: int
    ) -> dict[float, SimulatedPoint]:
        """Return the point at each magnitude, with a fixed number of samples."""
        measured = [self.measure(errors, magnitudes, repetition, samples=samples) for repetition in range(repetitions)]
        return {m: SimulatedPoint.of([rows[m] for rows in measured], samples) for m in magnitudes}

    def _run(self, corpus: Corpus, settings: GammaSettings) -> GammaRows:
        """Measure a corpus with these settings, and count its gap and its samples."""
        rows = run(corpus, settings, n_jobs=self._n_jobs, progress=self._report)
        self._samples_drawn += int(rows.samples.sum())
        self.gap = max(self.gap, float(rows.gap.max(initial=0.0)))
        return rows

    def _report(self, drawn: int, total: int) -> None:
        """Report progress; `drawn` and `total` are samples of the current measurement."""
        if self._progress is not None:
            self._progress(self._samples_drawn + drawn, self._samples_drawn + total + self._pending_samples)


def gamma_and_error(rows: GammaRows) -> tuple[float, float]:
    """Return pooled γ (NaN if it is not available) and its standard error due to the samples."""
    value = corpus_values(Documents(rows))[0].value
    return value, (1.0 - value) * _relative_deviation(rows, rows.gamma.error)


def first_samples(rows: GammaRows, repetitions: int, rule: PrecisionRule) -> int:
    """Return the number of samples that each simulated document begins with.

    It is estimated from the measured corpus: a point is a mean over `repetitions` corpora like it.
    """
    if rule.samples is not None:
        return rule.samples
    one_sample = _relative_deviation(rows, rows.gamma.deviation)
    required = math.ceil((Z95 * one_sample / POINT_PRECISION) ** 2 / repetitions)
    return min(max(required, MIN_SAMPLES), rule.max_samples)


def _relative_deviation(rows: GammaRows, deviations: FloatArray) -> float:
    """Return the standard deviation of the pooled expected disorder, relative to it, from the values of documents."""
    is_known = ~np.isnan(deviations)
    weight = rows.gamma.weight[is_known]
    expected = rows.gamma.expected[is_known]
    total = math.fsum((weight * expected).tolist())
    if not total > 0:
        return 0.0
    return math.hypot(*(weight * deviations[is_known]).tolist()) / total


def degraded_corpus(
    corpus: Corpus,
    magnitudes: Sequence[float],
    repetition: int,
    settings: Shuffling,
    *,
    seed: int,
    annotators: int | None = None,
) -> ShuffledCorpus:
    """Return the corpus simulated from one annotator of each document, at each magnitude.

    Each simulated document has `annotators` annotators, by default as many as the original.
    """
    slots, counts = reference_slots(corpus, repetition)
    if not len(slots):
        raise InputError("no document has two annotators and a unit, so no document can be degraded")
    reference = build_reference(corpus, slots)
    instances = []
    for magnitude in magnitudes:
        instances += [Instance(document, magnitude, repetition) for document in range(len(slots))]
    if annotators is not None:
        counts = np.full(len(slots), annotators)
    return make_documents(reference, instances, np.tile(counts, len(magnitudes)), settings, seed=seed)


def reference_slots(corpus: Corpus, repetition: int) -> tuple[IntArray, IntArray]:
    """Return the index in ``corpus.seen`` of each document's reference, and the document's number of annotators.

    The annotators with units take turns as the reference, by the number of the repetition. Documents with a single
    annotator or without units are skipped.
    """
    slot = np.unique(corpus.unit_seen)  # of the annotators who have a unit
    document = corpus.seen_document[slot]
    first = np.searchsorted(document, np.arange(len(corpus)))
    counts = np.bincount(document, minlength=len(corpus))
    usable = np.flatnonzero((counts > 0) & (corpus.n_annotators >= _MIN_ANNOTATORS))
    return slot[first[usable] + repetition % counts[usable]], corpus.n_annotators[usable]
