"""How many documents and annotators an interval of a given width takes: a pilot's spread, and simulated annotators.

Pooled γ is 1 - Σ x̄·δ / Σ x̄·δ_e over documents, so a document's part in it is z = ((1 - γ)·x̄δ_e - x̄δ) / (mean of
x̄δ_e), and the width of its 95 % interval with D documents is 2 · 1.96 · s / √D, s² the variance of z between documents.
Part of s² is who happened to annotate, and more annotators make it smaller: that part, v(n) for n annotators, is the
variance of z between repetitions of the same document, simulated by degrading the pilot to its own γ. So
s²(n') = max(s² - v(n), 0) + v(n'); what is left of s² when v(n) is taken away are differences between documents, which
no number of annotators removes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gamma_align.chance.precision import Z95
from gamma_align.coefficients.gamma import corpus_values
from gamma_align.coefficients.values import finite_or_none
from gamma_align.corpus.execution import run
from gamma_align.errors import InputError, SettingsError
from gamma_align.shuffling.curve import STEPS, degraded_corpus, reference_curve
from gamma_align.shuffling.shuffle import settings_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gamma_align._types import FloatArray
    from gamma_align.coefficients.rows import Row
    from gamma_align.coefficients.values import Value
    from gamma_align.continuum import Corpus
    from gamma_align.corpus.settings import GammaSettings
    from gamma_align.shuffling.settings import Shuffling

ERRORS = ("shift", "false-negative", "category")
"""Kinds of errors with which the pilot is made again."""

_FEWEST = 2


@dataclass(frozen=True, slots=True)
class Plan:
    """How the interval of γ narrows.

    Attributes
    ----------
    gamma : Value
        Of the pilot, with its bootstrap interval.
    documents : int
        Of the pilot that have a value.
    annotators : float
        Mean number of annotators of these.
    target : float
        Width asked for.
    magnitude : float
        Of the errors with which the pilot was made again.
    between, within : float
        Standard deviations of a document's part in γ: of the pilot; and between repetitions of the same document.
    deviations : dict of int to float
        Number of annotators to the standard deviation of a document's part.
    settings : dict
        Of the simulation.
    """

    gamma: Value
    documents: int
    annotators: float
    target: float
    magnitude: float
    between: float
    within: float
    deviations: dict[int, float]
    settings: dict[str, Any]

    def width(self, annotators: int, documents: int) -> float:
        """Return the width of the 95 % interval with so many annotators of each of so many documents."""
        return 2.0 * Z95 * self.deviations[annotators] / math.sqrt(documents)

    def documents_needed(self, annotators: int) -> int:
        """Return the least number of documents (2 at least) for which the interval is as narrow as asked."""
        needed = math.ceil((2.0 * Z95 * self.deviations[annotators] / self.target) ** 2)
        return max(needed, _FEWEST)

    @property
    def pilot_width(self) -> float:
        """Width of the pilot's interval by the same formula."""
        return 2.0 * Z95 * self.between / math.sqrt(self.documents)

    def to_dict(self) -> dict[str, Any]:
        """Return everything, ready for JSON (``schema_version`` 1)."""
        names = ("documents", "annotators", "target", "magnitude", "between", "within", "pilot_width")
        needed = [
            {"annotators": n, "deviation": finite_or_none(s), "documents_needed": self.documents_needed(n)}
            for n, s in self.deviations.items()
        ]
        return {
            "schema_version": 1,
            "gamma": self.gamma.to_dict(),
            **{name: getattr(self, name) for name in names},
            "needed": needed,
            "settings": dict(self.settings),
        }


def plan(
    corpus: Corpus,
    *,
    target: float,
    annotators: Sequence[int] = (2, 3, 4, 5, 6, 8),
    repetitions: int = 10,
    settings: GammaSettings,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Plan:
    """Return how the interval of γ narrows with more documents and annotators.

    Parameters
    ----------
    corpus : Corpus
        The pilot.
    target : float
        Width of the 95 % interval asked for.
    annotators : sequence of int
        Numbers of annotators to look at.
    repetitions : int
        Simulated corpora for each.
    settings : GammaSettings
        Of γ, measured and simulated.
    seed : int
        Of the errors.
    n_jobs : int, optional
        Workers, as in `gamma`.
    progress : callable, optional
        Called with (steps done, steps).

    Raises
    ------
    InputError
        If fewer than two documents have a value, or annotators agree in full: there is no spread to plan with.
    SettingsError
        For a setting out of its range.
    """
    _check(target, annotators, repetitions)
    rows = [row for row in run(corpus, settings, n_jobs=n_jobs) if _has_value(row)]
    if len(rows) < _FEWEST:
        raise InputError(f"a pilot needs two documents that have a γ, and this one has {len(rows)}")
    value = corpus_values(rows, seed=seed, replicates=settings.replicates)[0]
    errors = settings_of(corpus.categories, ERRORS, {})
    place = reference_curve(
        corpus, kinds=[ERRORS], magnitudes=STEPS, repetitions=2, settings=settings, seed=seed, n_jobs=n_jobs
    ).placements[0]
    magnitude = place.magnitude if not math.isnan(place.magnitude) else 1.0
    between = float(np.std(_parts(rows, value.value), ddof=1))
    asked: list[int | None] = [None, *sorted(set(annotators))]
    variances = []
    for at, number in enumerate(asked):
        if progress is not None:
            progress(at, len(asked))
        times = _repeated(corpus, magnitude, number, repetitions, errors, settings, seed=seed, n_jobs=n_jobs)
        variances.append(_within(times))
    rest = max(between**2 - variances[0], 0.0)
    deviations = {number: math.sqrt(rest + v) for number, v in zip(asked[1:], variances[1:], strict=True) if number}
    told = {"kinds": list(ERRORS), "repetitions": repetitions, "seed": seed, "gamma": settings.to_dict()}
    mean = math.fsum(row.annotators for row in rows) / len(rows)
    return Plan(value, len(rows), mean, target, magnitude, between, math.sqrt(variances[0]), deviations, told)


def _check(target: float, annotators: Sequence[int], repetitions: int) -> None:
    if not 0 < target < 1:
        raise SettingsError(f"the width asked for is between 0 and 1, not {target}")
    if not annotators or min(annotators) < _FEWEST:
        raise SettingsError("agreement takes two annotators at least")
    if repetitions < _FEWEST:
        raise SettingsError(f"repetitions must be 2 or more, to tell their spread; not {repetitions}")


def _has_value(row: Row) -> bool:
    return not (math.isnan(row.gamma.observed) or math.isnan(row.gamma.expected))


def _parts(rows: Sequence[Row], gamma: float) -> FloatArray:
    """Return what each document moves γ by, times the number of documents."""
    observed = np.array([row.gamma.weight * row.gamma.observed for row in rows])
    expected = np.array([row.gamma.weight * row.gamma.expected for row in rows])
    parts: FloatArray = ((1.0 - gamma) * expected - observed) / expected.mean()
    return parts


def _repeated(
    corpus: Corpus,
    magnitude: float,
    annotators: int | None,
    repetitions: int,
    errors: Shuffling,
    settings: GammaSettings,
    *,
    seed: int,
    n_jobs: int | None,
) -> list[dict[str, Row]]:
    """Return the rows of each repetition of the simulated pilot, by document of the pilot."""
    found = []
    for time in range(repetitions):
        made = degraded_corpus(corpus, [magnitude], time, errors, seed=seed, annotators=annotators)
        rows = run(made.corpus, settings, n_jobs=n_jobs)
        found.append({row.document.partition(": ")[2]: row for row in rows if _has_value(row)})
    return found


def _within(times: Sequence[dict[str, Row]]) -> float:
    """Return the variance of a document's part between repetitions, mean over documents."""
    everything = [row for rows in times for row in rows.values()]
    observed = math.fsum(row.gamma.weight * row.gamma.observed for row in everything)
    expected = math.fsum(row.gamma.weight * row.gamma.expected for row in everything)
    parts: dict[str, list[float]] = {}
    for rows in times:
        if rows:
            for name, part in zip(rows, _parts(list(rows.values()), 1.0 - observed / expected).tolist(), strict=True):
                parts.setdefault(name, []).append(part)
    variances = [float(np.var(each, ddof=1)) for each in parts.values() if len(each) > 1]
    return math.fsum(variances) / len(variances) if variances else 0.0
