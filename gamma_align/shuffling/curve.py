"""A corpus's γ read against the corpus itself, degraded step by step.

Each annotator in turn is the reference: in repetition r, of every document the annotator number r. Copies of it are as
many as the document has annotators, with errors of one kind; γ of these corpora at each magnitude is that kind's curve.
Where the curve has the γ that was measured, the corpus is like annotators who make errors of that kind and size only.
Where γ of one document is measured to a precision, a point of a curve is a mean over documents and repetitions: their
sampling errors even out, so each simulated document needs far fewer samples for the same precision of the point.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self, Unpack

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data.checks import check_two_annotators
from gamma_align.data.corpus import Corpus
from gamma_align.data.sources import Source, corpus_of
from gamma_align.errors import InputError, SettingsError
from gamma_align.gammas.coefficients import corpus_values
from gamma_align.gammas.keywords import GammaOptions
from gamma_align.gammas.measure import run
from gamma_align.gammas.options import GAMMA_OPTIONS
from gamma_align.gammas.precision import PrecisionRule
from gamma_align.gammas.rows import GammaRows
from gamma_align.gammas.settings import GammaSettings
from gamma_align.options import takes_options
from gamma_align.results.values import Result, Value
from gamma_align.shuffling.experiment import Band, band_of, runs_of
from gamma_align.shuffling.kinds import Shuffling, check_magnitude
from gamma_align.shuffling.reference import KINDS, Instance, references
from gamma_align.shuffling.shuffle import ShuffledCorpus, make

STEPS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Magnitudes of a curve, to begin with: one more is halfway between the two where it comes down to the measured γ."""

PRECISION, Z95 = 0.05, 1.96  # relative precision, at 95 %, of the expected disorder of a point
FEWEST = 2  # samples of a simulated document: fewer have no standard deviation


class Placement(NamedTuple):
    """Where a curve has the measured γ: the magnitude on the mean curve, and on both edges of the band.

    They are NaN where the curve does not come down to it; `least` is the curve's lowest mean.
    """

    kinds: tuple[str, ...]
    magnitude: float
    low: float
    high: float
    least: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class KindCurve(Result):
    """γ of a corpus that is degraded by errors of some kinds, at ascending magnitudes.

    `errors` is what the sampling of the expected disorder adds to each mean, as a standard error; `samples` is the
    number of each document's samples.
    """

    settings: Shuffling
    bands: tuple[Band, ...]
    errors: tuple[float, ...]
    samples: tuple[int, ...]

    def _contents(self) -> dict[str, Any]:
        points = [
            {**band._asdict(), "sampling_error": error, "samples": samples}
            for band, error, samples in zip(self.bands, self.errors, self.samples, strict=True)
        ]
        return {**self.settings.to_dict(), "points": points}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReferenceCurve(Result):
    """A corpus's γ on curves of the corpus itself, degraded.

    Attributes
    ----------
    gamma : Value
        Measured.
    curves : tuple of KindCurve
        One for each kind of errors, or several kinds together.
    placements : tuple of Placement
        Of the measured γ, one on each curve.
    gap : float
        Largest proven gap of an alignment used, of the corpus or simulated: 0 where all are optimal.
    settings : dict
        Of the curves.

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

    def _contents(self) -> dict[str, Any]:
        return {"schema_version": 1, **self._named("gamma", "gap", "settings", "placements", "curves")}


@takes_options(GAMMA_OPTIONS)
def curve(
    source: Source,
    /,
    *,
    kinds: Sequence[str | Sequence[str]] | None = None,
    magnitudes: Sequence[float] | None = None,
    repetitions: int = 5,
    errors: Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **settings: Unpack[GammaOptions],
) -> ReferenceCurve:
    """Return a corpus's γ placed on curves of the corpus itself, degraded by errors of known kinds and sizes.

    The seed is that of the errors, too. Simulated corpora have fewer samples, unless a number is requested: so many
    that the expected disorder of a point, over documents and repetitions, is known to 5 % (at 95 %).

    Parameters
    ----------
    source : Corpus, Continuum, data frame, records, dict of annotator to spans, or path
        The corpus.
    kinds : sequence of str, or of sequences of str, optional
        Kinds of errors of each curve, as in `shuffle`: a curve for each name, or for several together. Without it,
        each kind alone, ``"category"`` where there are two categories.
    magnitudes : sequence of float, optional
        At which the curves are computed, from 0 on; in between they are straight. Without it, 0, 0.2 … 1, and one
        halfway between the two where a curve comes down to the measured γ.
    repetitions : int
        Simulated corpora for each point; each takes other annotators as reference.
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
        For a setting out of its range.

    Examples
    --------
    >>> reference = ga.synthetic_reference(units=8, categories=["x", "y"])
    >>> corpus = ga.shuffle(reference, magnitude=0.2)
    >>> result = ga.curve(corpus, kinds=["shift"], magnitudes=[0, 1], repetitions=1, samples=5)
    >>> 0 < result.placements[0].magnitude < 1
    True
    """
    corpus = corpus_of(source, "curve")
    chosen = GammaSettings.of(**settings)
    chosen.check_own_chance("curve()")
    steps = _steps(STEPS if magnitudes is None else magnitudes, repetitions)
    curves_of = [Shuffling.of(corpus.categories, names, errors or {}) for names in _kinds(kinds, corpus)]
    check_two_annotators(corpus)
    simulated = len(curves_of) * repetitions * len(corpus) * (len(steps) - (magnitudes is not None))  # documents
    simulation = Simulation(corpus, chosen, n_jobs=n_jobs, progress=progress)
    rows = simulation.measure_corpus(simulated * FEWEST)
    value = corpus_values(rows)[0]
    if not value.is_available:
        raise InputError(f"γ of the corpus is not available: {value.reason}; there is nothing to place")
    simulation.prepare(simulated, samples_for(rows, repetitions, chosen.rule))
    refine = magnitudes is None
    curves = tuple(curve_of(simulation, each, steps, repetitions, value.value, refine=refine) for each in curves_of)
    placements = tuple(placed(value.value, each.settings.ordered, each.bands) for each in curves)
    used = {"repetitions": repetitions, "seed": chosen.seed, "gamma": chosen.to_dict()}
    return ReferenceCurve(value, curves, placements, simulation.gap, used)


def _kinds(asked: Sequence[str | Sequence[str]] | None, corpus: Corpus) -> list[tuple[str, ...]]:
    """Return the kinds of errors of each curve; without a wish each that changes something, alone."""
    if asked is None:  # there is nothing to confuse a single category with
        asked = [kind for kind in KINDS if kind != "category" or len(corpus.categories) > 1]
    return list(dict.fromkeys((kinds,) if isinstance(kinds, str) else tuple(kinds) for kinds in asked))


def _steps(magnitudes: Sequence[float], repetitions: int) -> tuple[float, ...]:
    steps = tuple(sorted({check_magnitude(magnitude) for magnitude in magnitudes}))
    if len(steps) < 2 or steps[0] > 0:  # noqa: PLR2004
        raise SettingsError("a curve needs two magnitudes at least, and begins at 0")
    if repetitions < 1:
        raise SettingsError(f"repetitions must be 1 or more, not {repetitions}")
    return steps


def curve_of(
    simulation: Simulation, errors: Shuffling, steps: Sequence[float], repetitions: int, value: float, *, refine: bool
) -> KindCurve:
    """Return the curve of some kinds of errors."""
    points = simulation.points(errors, steps, repetitions)
    result = _curve(errors, points)
    between = _crossing(value, result.bands) if refine else None
    if between is not None:
        halfway = check_magnitude((between[0].magnitude + between[1].magnitude) / 2)
        result = _curve(errors, points | simulation.points(errors, [halfway], repetitions))
    return result


def _curve(errors: Shuffling, points: dict[float, Simulated]) -> KindCurve:
    bands = tuple(band_of(m, points[m].values) for m in sorted(points))
    ascending = [points[m] for m in sorted(points)]
    return KindCurve(
        errors, bands, tuple(point.error for point in ascending), tuple(point.samples for point in ascending)
    )


def placed(value: float, kinds: tuple[str, ...], bands: Sequence[Band]) -> Placement:
    """Return where a curve has the value, between its points straight."""
    mean, low, high = (_magnitude(value, bands, name) for name in ("mean", "low", "high"))
    means = [band.mean for band in bands if not math.isnan(band.mean)]
    return Placement(kinds, mean, low, high, min(means, default=math.nan))


def _magnitude(value: float, bands: Sequence[Band], name: str) -> float:
    if getattr(bands[0], name) <= value:
        return bands[0].magnitude
    between = _crossing(value, bands, name)
    if between is None:
        return math.nan
    before, after = between
    above, below = getattr(before, name), getattr(after, name)
    return float(before.magnitude + (after.magnitude - before.magnitude) * (above - value) / (above - below))


def _crossing(value: float, bands: Sequence[Band], name: str = "mean") -> tuple[Band, Band] | None:
    """Return the points between which a curve first comes down to the value, or None where it does not."""
    for before, after in itertools.pairwise(bands):
        if getattr(after, name) <= value < getattr(before, name):
            return before, after
    return None


class Simulated(NamedTuple):
    """γ of corpora simulated alike: the value of each repetition, NaN where it is not available.

    `error` is the standard error that the sampling of the expected disorder gives their mean, `samples` the number of
    each document's samples.
    """

    values: tuple[float, ...]
    error: float
    samples: int

    @classmethod
    def of(cls, times: Sequence[GammaRows], samples: int) -> Self:
        """Return the point that the rows of each repetition make."""
        result = [gamma_of(rows) for rows in times]
        known = [error for value, error in result if not math.isnan(value)]
        return cls(tuple(value for value, _ in result), math.hypot(*known) / max(len(known), 1), samples)

    @property
    def wanted(self) -> int:
        """Samples of each document that bring the expected disorder of the point to `PRECISION`."""
        known = [1.0 - value for value in self.values if not math.isnan(value)]
        mean = math.fsum(known) / max(len(known), 1)
        return math.ceil(self.samples * (Z95 * self.error / mean / PRECISION) ** 2) if mean > 0 else self.samples


class Simulation:
    """A corpus, and corpora made from it with errors, measured one after the other as one piece of work.

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
        self._corpus, self._settings, self._n_jobs, self._progress = corpus, settings, n_jobs, progress
        self._samples = self._most = self._done = self._ahead = 0

    def measure_corpus(self, ahead: int) -> GammaRows:
        """Measure the corpus itself, before about so many samples of simulated ones."""
        self._ahead = ahead
        return self._run(self._corpus, self._settings)

    def prepare(self, documents: int, samples: int) -> None:
        """Say how many simulated documents are ahead, and with how many samples they begin."""
        rule = self._settings.rule
        self._samples, self._ahead = samples, documents * samples
        self._most = samples if rule.samples is not None else rule.max_samples

    def rows(
        self,
        errors: Shuffling,
        magnitudes: Sequence[float],
        repetition: int,
        *,
        annotators: int | None = None,
        samples: int | None = None,
    ) -> dict[float, GammaRows]:
        """Return, for each magnitude, the rows of the corpus that `degraded_corpus` makes."""
        shuffled = degraded_corpus(
            self._corpus, magnitudes, repetition, errors, seed=self._settings.seed, annotators=annotators
        )
        samples = self._samples if samples is None else samples
        self._ahead = max(self._ahead - len(shuffled.corpus) * samples, 0)
        settings = replace(self._settings, rule=replace(self._settings.rule, samples=samples))
        # alignments that are hard to prove get less work
        rows = self._run(shuffled.corpus, replace(settings, limits=settings.limits.reduced))
        return {m: rows.take(slice(first, last)) for (m, _), (first, last) in runs_of(shuffled).items()}

    def points(self, errors: Shuffling, magnitudes: Sequence[float], repetitions: int) -> dict[float, Simulated]:
        """Return γ at each magnitude.

        At m = 0 the copies are the reference, so that γ is 1 whatever is expected, and nothing is computed.
        """
        above = [m for m in magnitudes if m > 0]
        points = {m: Simulated((1.0,) * repetitions, 0.0, 0) for m in magnitudes if m == 0}
        points |= self._measured(errors, above, repetitions, self._samples)
        for m in above:
            while points[m].samples < (more := min(points[m].wanted, self._most)):
                points |= self._measured(errors, [m], repetitions, more)
        return points

    def _measured(
        self, errors: Shuffling, magnitudes: Sequence[float], repetitions: int, samples: int
    ) -> dict[float, Simulated]:
        times = [self.rows(errors, magnitudes, time, samples=samples) for time in range(repetitions)]
        return {m: Simulated.of([rows[m] for rows in times], samples) for m in magnitudes}

    def _run(self, corpus: Corpus, settings: GammaSettings) -> GammaRows:
        rows = run(corpus, settings, n_jobs=self._n_jobs, progress=self._report)
        self._done += int(rows.samples.sum())
        self.gap = max(self.gap, float(rows.gap.max(initial=0.0)))
        return rows

    def _report(self, done: int, known: int) -> None:
        if self._progress is not None:
            self._progress(self._done + done, self._done + known + self._ahead)


def gamma_of(rows: GammaRows) -> tuple[float, float]:
    """Return pooled γ (NaN where it is not available) and the standard error that the samples give it."""
    value = corpus_values(rows)[0].value
    return value, (1.0 - value) * _relative(rows, rows.gamma.error)


def samples_for(rows: GammaRows, repetitions: int, rule: PrecisionRule) -> int:
    """Return the number of samples of each simulated document to begin with."""
    if rule.samples is not None:
        return rule.samples
    once = _relative(rows, rows.gamma.deviation)
    needed = math.ceil((Z95 * once / PRECISION) ** 2 / repetitions)
    return min(max(needed, FEWEST), rule.max_samples)


def _relative(rows: GammaRows, deviations: FloatArray) -> float:
    """Return the deviation of the pooled expected disorder, in shares of it, from those of the documents."""
    known = ~np.isnan(deviations)
    weight, expected = rows.gamma.weight[known], rows.gamma.expected[known]
    mean = math.fsum((weight * expected).tolist())
    return math.hypot(*(weight * deviations[known]).tolist()) / mean if mean > 0 else 0.0


def degraded_corpus(
    corpus: Corpus,
    magnitudes: Sequence[float],
    repetition: int,
    settings: Shuffling,
    *,
    seed: int,
    annotators: int | None = None,
) -> ShuffledCorpus:
    """Return the corpus made again from one annotator of each document, at each magnitude."""
    slots, copies = reference_slots(corpus, repetition)
    if not len(slots):
        raise InputError("no document has two annotators and a unit; there is nothing to degrade")
    source = references(corpus, slots)
    instances = [Instance(document, m, repetition) for m in magnitudes for document in range(len(slots))]
    numbers = np.tile(copies if annotators is None else np.full(len(slots), annotators), len(magnitudes))
    return make(source, instances, numbers, settings, seed=seed)


def reference_slots(corpus: Corpus, repetition: int) -> tuple[IntArray, IntArray]:
    """Return the index in ``corpus.seen`` of each document's reference, and the document's number of annotators."""
    slot = np.unique(corpus.unit_seen)
    owner = corpus.seen_document[slot]
    first, several = np.searchsorted(owner, np.arange(len(corpus))), np.bincount(owner, minlength=len(corpus))
    kept = np.flatnonzero((several > 0) & (corpus.n_annotators >= 2))  # noqa: PLR2004
    return slot[first[kept] + repetition % several[kept]], corpus.n_annotators[kept]
