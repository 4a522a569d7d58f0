"""A corpus's γ read against the corpus itself, degraded step by step.

Each annotator in turn is the reference: in repetition r, of every document the annotator number r. Copies of it are as
many as the document has annotators, with errors of one kind; γ of these corpora at each magnitude is that kind's curve.
Where the curve has the γ that was measured, the corpus is like annotators who make errors of that kind and size only.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gamma_align.coefficients.gamma import corpus_values
from gamma_align.coefficients.values import finite_or_none
from gamma_align.continuum import Continuum, Corpus
from gamma_align.corpus._shared import check_two_annotators
from gamma_align.corpus.execution import run
from gamma_align.errors import InputError, SettingsError
from gamma_align.shuffling.copies import Instance
from gamma_align.shuffling.experiment import Experiment, Point, runs_of
from gamma_align.shuffling.measures import measured
from gamma_align.shuffling.reference import references
from gamma_align.shuffling.settings import check_magnitude
from gamma_align.shuffling.shuffle import make, settings_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gamma_align._types import IntArray
    from gamma_align.coefficients.values import Value
    from gamma_align.corpus.settings import GammaSettings
    from gamma_align.shuffling.experiment import Band
    from gamma_align.shuffling.settings import Shuffling
    from gamma_align.shuffling.shuffle import Made

STEPS = tuple(at / 10 for at in range(11))
SINGLY = (("shift",), ("false-negative",), ("false-positive",), ("category",))
"""Kinds of errors of the curves; splits can be asked for: many annotators of many pieces take long to align."""


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
class ReferenceCurve:
    """A corpus's γ on curves of the corpus itself, degraded.

    Attributes
    ----------
    gamma : Value
        Measured.
    placements : tuple of Placement
        One for each curve.
    experiments : dict of tuple of str to Experiment
        The curves, by kinds of errors.
    settings : dict
        Of the curves.
    """

    gamma: Value
    placements: tuple[Placement, ...]
    experiments: dict[tuple[str, ...], Experiment]
    settings: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return everything, ready for JSON (``schema_version`` 1)."""
        placements = [
            {"kinds": list(one.kinds)} | {name: finite_or_none(getattr(one, name)) for name in Placement._fields[1:]}
            for one in self.placements
        ]
        curves = [
            {"kinds": list(kinds), "points": one.to_dict()["curves"]["gamma"]}
            for kinds, one in self.experiments.items()
        ]
        return {
            "schema_version": 1,
            "gamma": self.gamma.to_dict(),
            "settings": dict(self.settings),
            "placements": placements,
            "curves": curves,
        }


def reference_curve(
    corpus: Corpus | Continuum,
    *,
    kinds: Sequence[Sequence[str]] = SINGLY,
    magnitudes: Sequence[float] = STEPS,
    repetitions: int = 5,
    settings: GammaSettings,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,  # noqa: ANN401  (fields of Shuffling)
) -> ReferenceCurve:
    """Return a corpus's γ placed on curves of the corpus itself, degraded.

    Parameters
    ----------
    corpus : Corpus or Continuum
        The data.
    kinds : sequence of sequences of str
        Kinds of errors of each curve.
    magnitudes : sequence of float
        At which the curves are computed; in between they are straight.
    repetitions : int
        Simulated corpora for each point; each takes other annotators as reference.
    settings : GammaSettings
        Of γ, measured and simulated.
    seed : int
        Of the errors.
    n_jobs : int, optional
        Workers, as in `gamma`.
    progress : callable, optional
        Called with (steps done, steps).
    **options
        As in `shuffle`.

    Returns
    -------
    ReferenceCurve

    Raises
    ------
    InputError
        If no document has two annotators and a unit.
    SettingsError
        For a setting out of its range.
    """
    data = Corpus.from_continua([corpus]) if isinstance(corpus, Continuum) else corpus
    steps = _steps(magnitudes, repetitions)
    told = {"magnitudes": list(steps), "repetitions": repetitions, "seed": seed, "gamma": settings.to_dict()}
    check_two_annotators(data)
    value = corpus_values(run(data, settings, n_jobs=n_jobs), seed=seed, replicates=settings.replicates)[0]
    if not value.is_available:
        raise InputError(f"γ of the corpus is not available: {value.reason}; there is nothing to place")
    found: dict[tuple[str, ...], Experiment] = {}
    for one in kinds:
        errors = settings_of(data.categories, one, options)
        points: list[Point] = []
        for time in range(repetitions):
            if progress is not None:
                progress(len(found) * repetitions + time, len(kinds) * repetitions)
            made = degraded_corpus(data, steps, time, errors, seed=seed)
            runs = runs_of(made)
            table = measured(made.corpus, list(runs.values()), ("gamma",), settings, n_jobs=n_jobs)
            points += [Point(m, time, "gamma", *numbers["gamma"]) for (m, _), numbers in zip(runs, table, strict=True)]
        found[errors.kinds] = Experiment(tuple(points), errors.to_dict())
    placements = tuple(placed(value.value, names, one.curve("gamma")) for names, one in found.items())
    return ReferenceCurve(value, placements, found, told)


def _steps(magnitudes: Sequence[float], repetitions: int) -> tuple[float, ...]:
    steps = tuple(sorted({check_magnitude(magnitude) for magnitude in magnitudes}))
    if len(steps) < 2 or steps[0] > 0:  # noqa: PLR2004
        raise SettingsError("a curve needs two magnitudes at least, and begins at 0")
    if repetitions < 1:
        raise SettingsError(f"repetitions must be 1 or more, not {repetitions}")
    return steps


def degraded_corpus(
    corpus: Corpus,
    magnitudes: Sequence[float],
    repetition: int,
    settings: Shuffling,
    *,
    seed: int,
    annotators: int | None = None,
) -> Made:
    """Return the corpus made again from one annotator of each document, at each magnitude.

    Parameters
    ----------
    corpus : Corpus
        The data; documents of one annotator or none, or without units, are left out.
    magnitudes : sequence of float
        m.
    repetition : int
        Of the annotators who marked something, number `repetition` (around the circle) is the reference.
    settings : Shuffling
        Kinds of errors.
    seed : int
        Of the errors.
    annotators : int, optional
        Copies of each document; as many as it has annotators by default.

    Raises
    ------
    InputError
        If no document is left.
    """
    slots, copies = reference_slots(corpus, repetition)
    if not len(slots):
        raise InputError("no document has two annotators and a unit; there is nothing to degrade")
    source = references(corpus, slots)
    instances = [Instance(at, m, repetition) for m in magnitudes for at in range(len(slots))]
    numbers = np.tile(copies if annotators is None else np.full(len(slots), annotators), len(magnitudes))
    return make(source, instances, numbers, settings, seed=seed)


def reference_slots(corpus: Corpus, repetition: int) -> tuple[IntArray, IntArray]:
    """Return the place in ``corpus.seen`` of each document's reference, and the document's number of annotators."""
    people = max(len(corpus.annotators), 1)
    document = np.repeat(np.arange(len(corpus)), np.diff(corpus.unit_offsets))
    marked = np.unique(document * people + corpus.annotator)
    there = np.repeat(np.arange(len(corpus)), corpus.n_annotators) * people + corpus.seen
    slot = np.flatnonzero(np.isin(there, marked))
    owner = there[slot] // people
    first, several = np.searchsorted(owner, np.arange(len(corpus))), np.bincount(owner, minlength=len(corpus))
    kept = np.flatnonzero((several > 0) & (corpus.n_annotators >= 2))  # noqa: PLR2004
    return slot[first[kept] + repetition % several[kept]], corpus.n_annotators[kept]


def placed(value: float, kinds: tuple[str, ...], bands: Sequence[Band]) -> Placement:
    """Return where a curve has the value, between its points straight."""
    m = [band.magnitude for band in bands]
    mean, low, high = (_crossing(value, m, [getattr(band, name) for band in bands]) for name in ("mean", "low", "high"))
    means = [band.mean for band in bands if not math.isnan(band.mean)]
    return Placement(kinds, mean, low, high, min(means, default=math.nan))


def _crossing(value: float, magnitudes: Sequence[float], curve: Sequence[float]) -> float:
    """Return where a curve first comes down to the value; NaN where it does not."""
    if curve[0] <= value:
        return magnitudes[0]
    for (m, above), (after, below) in itertools.pairwise(zip(magnitudes, curve, strict=True)):
        if below <= value < above:
            return m + (after - m) * (above - value) / (above - below)
    return math.nan
