"""How many samples the precision asked for takes (M15 §5.3), and of which kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gamma_align._types import BoolArray, FloatArray, IntArray
from gamma_align.errors import SettingsError
from gamma_align.results.estimates import FEWEST, Estimates, student

FIRST = 30
"""Samples to begin with (M15 §5.3) …"""
FIRST_WITH_CONTROL = 12
"""… and where pairs of annotators tell how samples vary: intervals cover as they should from so many on."""

MOST = 10_000
"""Default of the largest number of samples."""

CONTROLS = ("pairs", "none")

_CHEAPEST = 0.004


class Wanted(NamedTuple):
    """How many samples each document should have, shape (n_documents,) each.

    Attributes
    ----------
    samples : ndarray of int64
        To align whole.
    pairs : ndarray of int64
        To align by pairs of annotators; 0 for none.
    precise : ndarray of bool
        Whether that reaches the precision.
    """

    samples: IntArray
    pairs: IntArray
    precise: BoolArray


@dataclass(frozen=True, slots=True)
class PrecisionRule:
    """As many samples as it takes for t · (standard error of δ_e) ≤ e · δ_e, asked again until it holds.

    With plain samples that is N = max(30, ⌈(t·CV/e)²⌉), CV = σ/μ of the sampled disorders (M15 §5.3, with 1.96 for t).
    With pairs of annotators as a control variate samples of both levels are drawn in the proportion that costs least
    (Peherstorfer, Willcox & Gunzburger 2016), where that is less than plain samples cost.

    Attributes
    ----------
    precision : float
        e, the relative precision of the expected disorder at 95 %.
    samples : int or None
        A fixed number of samples instead.
    max_samples : int
        Never draw more.
    control : {"pairs", "none"}
        Whether pairs of annotators serve as a control variate, where aligning them costs less than aligning samples:
        with four annotators and more who have more than a unit or two.
    """

    precision: float = 0.02
    samples: int | None = None
    max_samples: int = MOST
    control: str = "pairs"

    def __post_init__(self) -> None:
        if not 0 < self.precision < 1:
            raise SettingsError(f"precision must be between 0 and 1 (0.02 is 2 %), not {self.precision}")
        if self.samples is not None and self.samples < 2:  # noqa: PLR2004
            raise SettingsError(f"samples must be 2 or more, to tell how much they vary; not {self.samples}")
        if self.max_samples < FIRST:
            raise SettingsError(f"max_samples must be {FIRST} or more, not {self.max_samples}")
        if self.control not in CONTROLS:
            raise SettingsError(f"control must be one of {', '.join(CONTROLS)}, not {self.control!r}")

    @property
    def first(self) -> int:
        """How many samples to draw first, at most."""
        return FIRST if self.samples is None else self.samples

    def begin(self, cost: FloatArray) -> Wanted:
        """Return how many samples each document has first.

        Parameters
        ----------
        cost : ndarray of float64, shape (n_documents,)
            See `pair_cost`.
        """
        controlled = (cost < 1) & (self.control == "pairs")  # where pairs cost as much as the sample they gain nothing
        if self.samples is None:
            samples = np.where(controlled, FIRST_WITH_CONTROL, FIRST)
        else:
            samples = np.full(len(cost), self.samples)
            controlled &= samples >= FEWEST
        return Wanted(samples, np.where(controlled, samples, 0), np.ones(len(cost), dtype=np.bool_))

    def more(self, plain: Estimates, controlled: Estimates, cost: FloatArray) -> Wanted:
        """Return how many samples each document should have, now that some are drawn.

        Parameters
        ----------
        plain, controlled : Estimates
            What the samples drawn give for each document, without and with pairs of annotators.
        cost : ndarray of float64, shape (n_documents,)
            See `pair_cost`.
        """
        if self.samples is not None:
            with np.errstate(divide="ignore", invalid="ignore"):
                ratio = np.minimum(controlled.slope / controlled.residual / np.sqrt(cost), 1.0 / cost)
            pairs = np.ceil(controlled.samples * np.nan_to_num(ratio)).astype(np.int64)
            pairs = np.where(controlled.controls > 0, np.maximum(pairs, controlled.controls), 0)
            return Wanted(plain.samples, pairs, np.ones(len(pairs), dtype=np.bool_))
        alone = self._needed(plain, np.zeros(len(cost)), cost, FIRST)
        joint = self._needed(controlled, controlled.slope, cost, FIRST_WITH_CONTROL)
        worth = (controlled.controls > 0) & (joint.samples + cost * joint.pairs < alone.samples)
        return Wanted(*(np.where(worth, with_pairs, without) for with_pairs, without in zip(joint, alone, strict=True)))

    def _needed(self, estimates: Estimates, slope: FloatArray, cost: FloatArray, first: int) -> Wanted:
        """Return the numbers of samples that reach the precision at the least cost, not fewer than there are."""
        with np.errstate(divide="ignore", invalid="ignore"):
            quantile = np.array([student(freedom) for freedom in estimates.freedom.tolist()])
            target = np.square(self.precision * estimates.mean / quantile)
            samples = estimates.residual * (estimates.residual + slope * np.sqrt(cost)) / target
            samples = np.maximum(np.ceil(np.nan_to_num(samples)), first)
            reached = samples <= self.max_samples
            samples = np.minimum(np.maximum(samples, estimates.samples), self.max_samples)
            pairs = slope**2 / (target - estimates.residual**2 / samples)
        most = 10.0 * self.max_samples
        pairs = np.where((pairs >= 0) & (pairs < most), np.ceil(pairs), most)
        pairs = np.where(slope > 0, np.maximum(pairs, np.maximum(samples, estimates.controls)), 0)
        return Wanted(samples.astype(np.int64), pairs.astype(np.int64), reached)


def pair_cost(annotators: IntArray, units: IntArray) -> FloatArray:
    """Return about what aligning the pairs of a sample costs, by what aligning all of it does, shape (n_documents,).

    A rough fit to measured times: three annotators cost what their pairs do, and each one more multiplies that, the
    more units of an annotator there are that a unit may be aligned with. It decides what is drawn, not what comes out.

    Parameters
    ----------
    annotators, units : ndarray of int64, shape (n_documents,)
        How many a document has.
    """
    with np.errstate(divide="ignore"):
        base = np.minimum(2.0 / (units / annotators) ** 1.5, 1.0)
    cost: FloatArray = np.maximum(base ** np.maximum(annotators - 3.0, 0.0), _CHEAPEST)
    return cost
