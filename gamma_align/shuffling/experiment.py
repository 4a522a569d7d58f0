"""`experiment`: how measures respond to errors of known kinds and sizes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gamma_align.data.corpus import Continuum, Corpus
from gamma_align.distances import AnyDistance
from gamma_align.distances.dissimilarity import Dissimilarity
from gamma_align.errors import SettingsError
from gamma_align.gammas.precision import PrecisionRule
from gamma_align.gammas.settings import GammaSettings
from gamma_align.results.values import Columns, Result, columns_of
from gamma_align.shuffling.measures import Number, check_measures, measured
from gamma_align.shuffling.shuffle import Made, shuffle_grid

MAGNITUDES = tuple(at / 20 for at in range(21))
BAND = (0.05, 0.95)
"""The band of a curve: these quantiles of the repetitions."""


class Point(NamedTuple):
    """A measure of one simulated corpus.

    Attributes
    ----------
    magnitude : float
        m.
    repetition : int
        From 0.
    measure : str
        Its name.
    value : float
        NaN where it is not available.
    reason : str or None
        Why it is not.
    """

    magnitude: float
    repetition: int
    measure: str
    value: float
    reason: str | None


class Band(NamedTuple):
    """What the repetitions of a measure at one magnitude have in common.

    Attributes
    ----------
    magnitude : float
        m.
    mean, low, high : float
        Mean, and 5 % and 95 % quantiles; NaN where it is never available.
    available : int
        Repetitions that have a value.
    """

    magnitude: float
    mean: float
    low: float
    high: float
    available: int


@dataclass(frozen=True, slots=True)
class Experiment(Result):
    """An experiment's result.

    Attributes
    ----------
    points : tuple of Point
        A row for each magnitude, repetition and measure.
    settings : dict
        Everything needed to run it again, but the reference.

    Examples
    --------
    >>> reference = ga.synthetic_reference(units=5)
    >>> result = ga.experiment(reference, measures=["span-f1"], magnitudes=[0, 1], repetitions=2)
    >>> [(band.magnitude, band.mean) for band in result.curve("span-f1")]
    [(0.0, 1.0), (1.0, 0.0)]
    """

    points: tuple[Point, ...]
    settings: dict[str, Any]

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures, in the order asked for; γk one for each category."""
        return tuple(dict.fromkeys(point.measure for point in self.points))

    def curve(self, measure: str) -> tuple[Band, ...]:
        """Return mean and band of a measure at each magnitude.

        Raises
        ------
        SettingsError
            For a measure that was not asked for.
        """
        values: dict[float, list[float]] = {}
        for point in self.points:
            if point.measure == measure:
                values.setdefault(point.magnitude, []).append(point.value)
        if not values:
            raise SettingsError(f"the experiment did not measure {measure!r}; it has {', '.join(self.measures)}")
        return tuple(band_of(magnitude, values[magnitude]) for magnitude in sorted(values))

    def _contents(self) -> dict[str, Any]:
        curves = {measure: self.curve(measure) for measure in self.measures}
        return {"schema_version": 1, "settings": self.settings, "curves": curves, "points": self.points}

    def _columns(self) -> Columns:
        return columns_of(self.points, Point._fields)


def band_of(magnitude: float, values: Sequence[float]) -> Band:
    """Return mean and quantiles of the repetitions' values, NaN those that are not available."""
    kept = [value for value in values if not math.isnan(value)]
    if not kept:
        return Band(magnitude, math.nan, math.nan, math.nan, 0)
    low, high = np.quantile(kept, BAND).tolist()
    return Band(magnitude, math.fsum(kept) / len(kept), low, high, len(kept))


def experiment(
    reference: Corpus | Continuum,
    *,
    measures: Sequence[str] = ("gamma", "gamma-cat", "cu-alpha"),
    kinds: Sequence[str] = ("shift",),
    magnitudes: Sequence[float] = MAGNITUDES,
    repetitions: int = 10,
    annotators: int = 3,
    annotator: str | None = None,
    seed: int = 0,
    precision: float = 0.02,
    samples: int | None = None,
    distance: AnyDistance = "nominal",
    atom: float = 1.0,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,  # noqa: ANN401  (fields of Shuffling)
) -> Experiment:
    """Return how measures respond to errors of known kinds and size.

    Parameters
    ----------
    reference : Corpus or Continuum
        What is degraded; with several documents, measures are pooled over them.
    measures : sequence of str
        ``"gamma"``, ``"gamma-cat"``, ``"gamma-k"`` (every category), ``"u-alpha"``, ``"bar-u-alpha"``, ``"cu-alpha"``,
        ``"span-f1"`` (exact spans), and ``"atoms:alpha"``, ``"atoms:kappa"`` … (coefficients on atomised text).
    kinds, annotators, annotator, seed, **options
        As in `shuffle`.
    magnitudes : sequence of float
        m.
    repetitions : int
        Simulated corpora at each magnitude.
    precision, samples
        Of the expected disorder, as in `gamma`.
    distance : str, Distance, table or function
        Between categories, for γ's family and cuα; see `gamma_align.distances.as_distance`. Others are nominal.
    atom : float
        Length of the atoms.
    n_jobs, progress
        As in `gamma`.

    Returns
    -------
    Experiment

    Raises
    ------
    SettingsError, InputError
        As `shuffle`, and for an unknown measure.
    MissingExtraError
        If more than one worker is asked for and joblib is missing.

    Examples
    --------
    >>> reference = ga.synthetic_reference(units=5)
    >>> result = ga.experiment(reference, measures=["cu-alpha"], kinds=["category"], magnitudes=[0, 1], repetitions=1)
    >>> [(point.magnitude, round(point.value, 3)) for point in result.points]
    [(0.0, 1.0), (1.0, 0.146)]
    """
    names = check_measures(measures)
    dissimilarity = Dissimilarity(categorial=distance)
    settings = GammaSettings(dissimilarity=dissimilarity, rule=PrecisionRule(precision, samples), seed=seed)
    made = shuffle_grid(
        reference,
        magnitudes=magnitudes,
        repetitions=repetitions,
        kinds=kinds,
        annotators=annotators,
        seed=seed,
        annotator=annotator,
        **options,
    )
    runs = runs_of(made)
    table = measured(made.corpus, list(runs.values()), names, settings, atom=atom, n_jobs=n_jobs, progress=progress)
    described = {
        "measures": list(names),
        "magnitudes": sorted({magnitude for magnitude, _ in runs}),
        "repetitions": repetitions,
        "annotators": annotators,
        "seed": seed,
        "precision": None if samples is not None else precision,
        "samples": samples,
        "distance": dissimilarity.categorial.to_dict(),
        "atom": atom,
        **made.settings.to_dict(),
    }
    return Experiment(tuple(points_of(runs, table, names)), described)


def runs_of(made: Made) -> dict[tuple[float, int], tuple[int, int]]:
    """Return, for each magnitude and repetition, the first of its documents and the last + 1."""
    runs: dict[tuple[float, int], tuple[int, int]] = {}
    for at, name in enumerate(made.corpus.documents):
        one = made.instances[name]
        key = (one.magnitude, one.repetition)
        runs[key] = (runs.get(key, (at, at))[0], at + 1)
    return dict(sorted(runs.items()))


def points_of(
    runs: dict[tuple[float, int], tuple[int, int]], table: list[dict[str, Number]], names: Sequence[str]
) -> Iterable[Point]:
    """Yield the points of simulated corpora, sorted by measure in the order of the names."""
    result = {name for numbers in table for name in numbers}
    order = [one for name in names for one in ([name] if name in result else sorted(_by_category(result, name)))]
    for measure in order:
        for (magnitude, repetition), numbers in zip(runs, table, strict=True):
            if measure in numbers:  # γk of a category that nobody used there is not in the table
                yield Point(magnitude, repetition, measure, *numbers[measure])


def _by_category(found: set[str], name: str) -> set[str]:
    return {one for one in found if one.startswith(f"{name}:")}
