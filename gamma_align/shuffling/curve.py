"""A corpus's γ read against the corpus itself, degraded step by step.

Each annotator in turn is the reference: in repetition r, of every document the annotator number r. Copies of it are as
many as the document has annotators, with errors of one kind; γ of these corpora at each magnitude is that kind's curve.
Where the curve has the γ that was measured, the corpus is like annotators who make errors of that kind and size only.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from gamma_align.data.checks import check_two_annotators
from gamma_align.data.corpus import Continuum, Corpus
from gamma_align.errors import InputError, SettingsError
from gamma_align.gammas.coefficients import corpus_values
from gamma_align.gammas.settings import GammaSettings
from gamma_align.results.values import Result, Value
from gamma_align.shuffling.experiment import Band, band_of
from gamma_align.shuffling.settings import KINDS, Shuffling, check_magnitude, ordered
from gamma_align.shuffling.shuffle import settings_of
from gamma_align.shuffling.simulate import FEWEST, Simulated, Simulation, Work, samples_for

STEPS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Magnitudes of a curve, to begin with: one more is halfway between the two where it comes down to the measured γ."""


class Placement(NamedTuple):
    """Where a curve has the measured γ.

    Attributes
    ----------
    kinds : tuple of str
        Errors of the curve.
    magnitude : float
        m, on the mean curve; NaN where the curve does not come down to the measured γ.
    low, high : float
        m on the lower and upper edge of the band; NaN as above.
    least : float
        The curve's lowest mean.
    """

    kinds: tuple[str, ...]
    magnitude: float
    low: float
    high: float
    least: float


@dataclass(frozen=True, slots=True)
class KindCurve(Result):
    """γ of a corpus that is degraded by errors of some kinds.

    Attributes
    ----------
    settings : Shuffling
        Of the errors.
    bands : tuple of Band
        By magnitude, ascending.
    errors : tuple of float
        What the sampling of the expected disorder adds to each mean: its standard error.
    samples : tuple of int
        Of each document, at each magnitude.
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


@dataclass(frozen=True, slots=True)
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
    >>> [one.kinds for one in result.placements]
    [('split',)]
    """

    gamma: Value
    curves: tuple[KindCurve, ...]
    placements: tuple[Placement, ...]
    gap: float
    settings: dict[str, Any]

    def _contents(self) -> dict[str, Any]:
        names = ("gamma", "gap", "settings", "placements", "curves")
        return {"schema_version": 1, **{name: getattr(self, name) for name in names}}


def curve(
    corpus: Corpus | Continuum,
    *,
    kinds: Sequence[str | Sequence[str]] | None = None,
    magnitudes: Sequence[float] | None = None,
    repetitions: int = 5,
    errors: Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **settings: Any,  # noqa: ANN401  (those of `gamma`)
) -> ReferenceCurve:
    """Return a corpus's γ placed on curves of the corpus itself, degraded by errors of known kinds and sizes.

    Parameters
    ----------
    corpus : Corpus or Continuum
        The data.
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
        Those of `gamma`; the seed is that of the errors, too. Simulated corpora have fewer samples, unless a number is
        asked for: so many that the expected disorder of a point, over documents and repetitions, is known to 5 % (at
        95 %).

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
    options = GammaSettings.of(**settings)
    several = None if kinds is None else [(kind,) if isinstance(kind, str) else tuple(kind) for kind in kinds]
    return reference_curve(
        corpus,
        kinds=None if several is None else list(dict.fromkeys(several)),
        magnitudes=magnitudes,
        repetitions=repetitions,
        settings=options,
        seed=options.seed,
        n_jobs=n_jobs,
        progress=progress,
        **(errors or {}),
    )


def reference_curve(
    corpus: Corpus | Continuum,
    *,
    kinds: Sequence[Sequence[str]] | None = None,
    magnitudes: Sequence[float] | None = None,
    repetitions: int = 5,
    settings: GammaSettings,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,  # noqa: ANN401  (fields of Shuffling)
) -> ReferenceCurve:
    """Return what `curve` does, with settings of γ made before and a seed of their own for the errors."""
    data = Corpus.from_continua([corpus]) if isinstance(corpus, Continuum) else corpus
    steps = _steps(STEPS if magnitudes is None else magnitudes, repetitions)
    asked = [settings_of(data.categories, one, options) for one in (_alone(data) if kinds is None else kinds)]
    check_two_annotators(data)
    work = Work(progress)
    made = len(asked) * repetitions * len(data) * (len(steps) - (magnitudes is not None))  # documents, simulated
    work.expect(made * FEWEST)
    rows = work.run(data, settings, n_jobs)
    value = corpus_values(rows)[0]
    if not value.is_available:
        raise InputError(f"γ of the corpus is not available: {value.reason}; there is nothing to place")
    samples = samples_for(rows, repetitions, settings.rule)
    work.expect(made * samples)
    simulation = Simulation.of(data, settings, samples, seed=seed, n_jobs=n_jobs, work=work)
    refine = magnitudes is None
    curves = tuple(curve_of(simulation, errors, steps, repetitions, value.value, refine=refine) for errors in asked)
    placements = tuple(placed(value.value, ordered(one.settings.kinds), one.bands) for one in curves)
    return ReferenceCurve(
        value,
        curves,
        placements,
        work.gap,
        {"repetitions": repetitions, "seed": seed, "gamma": settings.to_dict()},
    )


def _alone(corpus: Corpus) -> list[tuple[str, ...]]:
    """Return each kind of errors that changes something: there is nothing to confuse a single category with."""
    return [(kind,) for kind in KINDS if kind != "category" or len(corpus.categories) > 1]


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
    ascending = sorted(points.items())
    bands = tuple(band_of(m, point.values) for m, point in ascending)
    return KindCurve(
        errors, bands, tuple(point.error for _, point in ascending), tuple(point.samples for _, point in ascending)
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
    (before, after), (above, below) = (tuple(getattr(one, field) for one in between) for field in ("magnitude", name))
    return float(before + (after - before) * (above - value) / (above - below))


def _crossing(value: float, bands: Sequence[Band], name: str = "mean") -> tuple[Band, Band] | None:
    """Return the points between which a curve first comes down to the value, or None where it does not."""
    for one, other in itertools.pairwise(bands):
        if getattr(other, name) <= value < getattr(one, name):
            return one, other
    return None
