"""γ of corpora made again with errors: with as many samples as the mean over repetitions needs, and its sampling error.

Where γ of one document is measured to a precision, a point of a curve is a mean over documents and repetitions: their
sampling errors even out, so each simulated document needs far fewer samples for the same precision of the point.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

from gamma_align.data.corpus import Corpus
from gamma_align.gammas.coefficients import Row, corpus_values
from gamma_align.gammas.measure import run
from gamma_align.gammas.precision import PrecisionRule
from gamma_align.gammas.settings import GammaSettings
from gamma_align.shuffling.experiment import runs_of
from gamma_align.shuffling.settings import Shuffling
from gamma_align.shuffling.shuffle import degraded_corpus

PRECISION = 0.05
"""Relative precision, at 95 %, of the expected disorder of a point: of all its documents and repetitions together."""

Z95 = 1.96

FEWEST = 2
"""Samples of a simulated document: fewer do not tell their spread."""


class Simulated(NamedTuple):
    """γ of corpora simulated alike.

    Attributes
    ----------
    values : tuple of float
        γ of each repetition; NaN where it is not available.
    error : float
        Standard error that the sampling of the expected disorder gives their mean.
    samples : int
        Of each document.
    """

    values: tuple[float, ...]
    error: float
    samples: int

    @classmethod
    def of(cls, times: Sequence[Sequence[Row]], samples: int) -> Self:
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


class Work:
    """Several measurements as one: samples done, of those expected, and the largest proven gap of an alignment."""

    def __init__(self, progress: Callable[[int, int], None] | None) -> None:
        self.gap = 0.0
        self._progress = progress
        self._done = self._ahead = 0

    def expect(self, samples: int) -> None:
        """Say how many samples are ahead, without those of a measurement at work."""
        self._ahead = samples

    def run(self, corpus: Corpus, settings: GammaSettings, n_jobs: int | None) -> list[Row]:
        """Return the rows of the corpus, as `run` does; they were not counted as ahead."""
        rows = run(corpus, settings, n_jobs=n_jobs, progress=self._within)
        self._done += sum(row.samples for row in rows)
        self.gap = max([self.gap, *(row.gap for row in rows)])
        return rows

    def run_expected(self, corpus: Corpus, settings: GammaSettings, n_jobs: int | None) -> list[Row]:
        """Return the rows of the corpus, which was counted as ahead."""
        self._ahead = max(self._ahead - len(corpus) * settings.rule.first, 0)
        return self.run(corpus, settings, n_jobs)

    def _within(self, done: int, known: int) -> None:
        if self._progress is not None:
            self._progress(self._done + done, self._done + known + self._ahead)


@dataclass(frozen=True, slots=True)
class Simulation:
    """Corpora made from a corpus, measured one after the other.

    Attributes
    ----------
    corpus : Corpus
        The data.
    settings : GammaSettings
        Of γ of the simulated corpora; its rule's number of samples is that of each document.
    most : int
        Largest number of samples where so many do not reach the precision `PRECISION`.
    seed : int
        Of the errors.
    n_jobs : int, optional
        Workers.
    work : Work
        Where progress is reported and gaps are kept.
    """

    corpus: Corpus
    settings: GammaSettings
    most: int
    seed: int
    n_jobs: int | None
    work: Work

    @classmethod
    def of(
        cls, corpus: Corpus, settings: GammaSettings, samples: int, *, seed: int, n_jobs: int | None, work: Work
    ) -> Self:
        """Return a simulation with so many samples a document, and less work for alignments that are hard to prove."""
        rule = replace(settings.rule, samples=samples)
        most = samples if settings.rule.samples is not None else settings.rule.max_samples
        return cls(corpus, replace(settings, rule=rule, limits=settings.limits.less), most, seed, n_jobs, work)

    def rows(
        self, errors: Shuffling, magnitudes: Sequence[float], repetition: int, *, annotators: int | None = None
    ) -> dict[float, list[Row]]:
        """Return, for each magnitude, the rows of the corpus that `degraded_corpus` makes."""
        made = degraded_corpus(self.corpus, magnitudes, repetition, errors, seed=self.seed, annotators=annotators)
        rows = self.work.run_expected(made.corpus, self.settings, self.n_jobs)
        return {m: rows[first:last] for (m, _), (first, last) in runs_of(made).items()}

    def points(self, errors: Shuffling, magnitudes: Sequence[float], repetitions: int) -> dict[float, Simulated]:
        """Return γ at each magnitude.

        At m = 0 the copies are the reference, so that γ is 1 whatever is expected, and nothing is computed.
        """
        above = [m for m in magnitudes if m > 0]
        result = {m: Simulated((1.0,) * repetitions, 0.0, 0) for m in magnitudes if m == 0}
        result |= self._measured(errors, above, repetitions)
        for m in above:
            while result[m].samples < (more := min(result[m].wanted, self.most)):
                result |= self._with(more)._measured(errors, [m], repetitions)  # noqa: SLF001  (its own class)
        return result

    def _with(self, samples: int) -> Self:
        rule = replace(self.settings.rule, samples=samples)
        return replace(self, settings=replace(self.settings, rule=rule))

    def _measured(self, errors: Shuffling, magnitudes: Sequence[float], repetitions: int) -> dict[float, Simulated]:
        times = [self.rows(errors, magnitudes, time) for time in range(repetitions)]
        return {m: Simulated.of([rows[m] for rows in times], self.settings.rule.first) for m in magnitudes}


def gamma_of(rows: Sequence[Row]) -> tuple[float, float]:
    """Return pooled γ (NaN where it is not available) and the standard error that the samples give it."""
    value = corpus_values(rows)[0].value
    return value, (1.0 - value) * _relative(rows, [row.gamma.error for row in rows])


def samples_for(rows: Sequence[Row], repetitions: int, rule: PrecisionRule) -> int:
    """Return the number of samples of each simulated document to begin with."""
    if rule.samples is not None:
        return rule.samples
    once = _relative(rows, [row.gamma.deviation for row in rows])
    needed = math.ceil((Z95 * once / PRECISION) ** 2 / repetitions)
    return min(max(needed, FEWEST), rule.max_samples)


def _relative(rows: Sequence[Row], deviations: Sequence[float]) -> float:
    """Return the deviation of the pooled expected disorder, in shares of it, from those of the documents."""
    known = [(row.gamma, one) for row, one in zip(rows, deviations, strict=True) if not math.isnan(one)]
    mean = math.fsum(chance.weight * chance.expected for chance, _ in known)
    return math.hypot(*(chance.weight * one for chance, one in known)) / mean if mean > 0 else 0.0
