"""Everything a measurement of γ depends on besides the data: frozen, picklable, written down with the result.

Among it the rule that decides how many samples the precision asked for takes (M15 §5.3), and of which kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Self, TypedDict, Unpack

import numpy as np

from gamma_align._types import BoolArray, FloatArray, IntArray
from gamma_align.alignment.limits import Limits
from gamma_align.distances import AnyDistance
from gamma_align.distances.dissimilarity import Dissimilarity
from gamma_align.errors import SettingsError, did_you_mean
from gamma_align.gammas.statistics import CONFIDENCES
from gamma_align.results.estimates import FEWEST, Estimates, student

EMPTY_SAMPLES = ("skip", "one")

FIRST = 30  # samples to begin with (M15 §5.3)
FIRST_WITH_CONTROL = 12  # and where pairs of annotators show how samples vary: intervals cover from so many on

MOST = 10_000  # default of the largest number of samples

CONTROLS = ("pairs", "none")

_CHEAPEST = 0.004


class Wanted(NamedTuple):
    """How many samples of each document to align whole, and by pairs of annotators; whether that is precise enough."""

    samples: IntArray
    pairs: IntArray
    precise: BoolArray


@dataclass(frozen=True, slots=True)
class PrecisionRule:
    """As many samples as it takes for t · (standard error of δ_e) ≤ precision · δ_e, asked again until it holds.

    With plain samples that is N = max(30, ⌈(t·CV/e)²⌉), CV = σ/μ of the sampled disorders (M15 §5.3, with 1.96 for t).
    With pairs of annotators as a control variate samples of both levels are drawn in the proportion that costs least
    (Peherstorfer, Willcox & Gunzburger 2016), where that is less than plain samples cost.
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
        """Return how many samples each document has first; `cost` is that of `pair_cost`."""
        controlled = (cost < 1) & (self.control == "pairs")  # where pairs cost as much as the sample they gain nothing
        if self.samples is None:
            samples = np.where(controlled, FIRST_WITH_CONTROL, FIRST)
        else:
            samples = np.full(len(cost), self.samples)
            controlled &= samples >= FEWEST
        return Wanted(samples, np.where(controlled, samples, 0), np.ones(len(cost), dtype=np.bool_))

    def more(self, plain: Estimates, controlled: Estimates, cost: FloatArray) -> Wanted:
        """Return how many samples each document should have, now that some are drawn.

        `plain` and `controlled` are the estimates from these samples, without and with pairs of annotators; `cost` is
        that of `pair_cost`.
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


class GammaOptions(TypedDict, total=False):
    """Options of γ, γcat and γk by keyword: see `GammaSettings.of`."""

    conventions: str
    distance: AnyDistance | None
    dissimilarity: Dissimilarity | None
    alpha: float | None
    beta: float | None
    delta_empty: float | None
    confidence: str | None
    min_distance: str | None
    integer_offsets: bool | Literal["auto"] | None
    empty_samples: str | None
    precision: float | None
    samples: int | None
    max_samples: int | None
    control: str | None
    seed: int
    time_limit: float | None


_M15: GammaOptions = {
    "alpha": 1.0,
    "beta": 1.0,
    "delta_empty": 1.0,
    "confidence": "positional",
    "min_distance": "mean",
    "integer_offsets": "auto",
    "empty_samples": "skip",
    "precision": 0.02,
    "samples": None,
    "max_samples": MOST,
    "control": "pairs",
}
_PROGRAMS: GammaOptions = {**_M15, "confidence": "weighted", "min_distance": "half", "integer_offsets": True}
CONVENTIONS: Mapping[str, GammaOptions] = {
    "m15": _M15,
    "authors": {**_PROGRAMS, "alpha": 3.0},
    "pygamma": {**_PROGRAMS, "samples": 30, "control": "none"},
}
"""Options as the papers have them (M15, M17), the authors' program, and pygamma-agreement 0.5.9.

Of pygamma-agreement the weights, the pairing confidence, the number of samples and the offsets of its shuffling sampler
can be set here. Three things cannot: its default sampler, which draws units from normal distributions; samples without
aligned units, which are 0 for γcat and 1 for γk of a category they do not have; and units aligned with nothing, which
count as disagreement for γcat.
"""


@dataclass(frozen=True, slots=True)
class GammaSettings:
    """Settings of γ, γcat and γk; `GammaSettings.of` makes them from options and says what each is.

    Attributes
    ----------
    dissimilarity : Dissimilarity
        d, with α, β and Δ.
    rule : PrecisionRule
        How many samples.
    limits : Limits
        When an alignment may stop with a stated gap.
    conventions, seed, min_distance, integer_offsets, confidence, empty_samples
        The options of these names; offsets that are "auto" are None.

    Examples
    --------
    >>> settings = ga.GammaSettings.of(conventions="authors", samples=30)
    >>> settings.dissimilarity.alpha, settings.confidence
    (3.0, 'weighted')
    """

    conventions: str = "m15"
    dissimilarity: Dissimilarity = field(default_factory=Dissimilarity)
    rule: PrecisionRule = field(default_factory=PrecisionRule)
    seed: int = 0
    min_distance: str = "mean"
    integer_offsets: bool | None = None
    confidence: str = "positional"
    empty_samples: str = "skip"
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if self.confidence not in CONFIDENCES:
            raise SettingsError(f"confidence must be one of {', '.join(CONFIDENCES)}, not {self.confidence!r}")
        if self.empty_samples not in EMPTY_SAMPLES:
            raise SettingsError(f"empty_samples must be one of {', '.join(EMPTY_SAMPLES)}, not {self.empty_samples!r}")

    @classmethod
    def of(cls, **options: Unpack[GammaOptions]) -> Self:
        """Return the settings that these options ask for; one that is None is as if it were not given.

        Parameters
        ----------
        conventions : {"m15", "authors", "pygamma"}
            What decides each option that is not given: the papers, whose values are named here as defaults; the
            authors' program (α = 3, confidence weighted, offsets that are integers half a mean length apart); or
            pygamma-agreement (confidence and offsets likewise, 30 samples without control), as far as it can be set:
            see `gamma_align.gammas.settings.CONVENTIONS`.
        distance : str, Distance, table or function
            Between categories, instead of nominal: see `gamma_align.distances.as_distance`.
        dissimilarity : Dissimilarity
            d with its weights, in place of `distance` and of the weights below.
        alpha, beta, delta_empty : float
            α, β and Δ; 1 by default.
        precision : float
            Relative precision of each document's expected disorder at 95 % (M15 §5.3): half the width of its interval;
            0.02 by default.
        samples : int
            A fixed number of samples instead of a precision.
        max_samples : int
            Never draw more for a document (10,000 by default); where that is not enough, the result says so.
        control : {"pairs", "none"}
            Whether alignments of two annotators at a time serve as a control variate for the expected disorder of four
            and more, where that takes less work for the same precision (default); "none" is the plain mean of M15.
        seed : int
            Seed of the samples.
        min_distance : {"mean", "half"}
            Least distance of the samples' offsets: the mean length of units (default), or half of it (the authors'
            program).
        integer_offsets : bool or "auto"
            Whether offsets are integers; "auto", the default: where all boundaries of a document are.
        confidence : {"positional", "weighted", "none"}
            Pairing confidence of γcat: 1 - d_pos/Δ (M17 §4.2.3; default), with d_pos weighed by α (the authors'
            program), or none: every aligned pair counts alike.
        empty_samples : {"skip", "one"}
            What a sample without aligned units is for γcat: left out of the mean (default), or a disorder of 1.
        time_limit : float
            Seconds for each alignment after which it stops with a stated gap.

        Raises
        ------
        SettingsError
            For other conventions, an unknown setting or one out of its range, or what is no distance.

        Examples
        --------
        >>> ga.GammaSettings.of(conventions="pygamma", precision=0.05).rule.samples is None
        True
        """
        names = GammaOptions.__annotations__
        if unknown := sorted(options.keys() - names.keys()):
            raise SettingsError(f"γ has no setting {unknown[0]!r}{did_you_mean(unknown[0], names)}")
        wanted: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
        conventions = wanted.pop("conventions", "m15")
        if conventions not in CONVENTIONS:
            raise SettingsError(f"conventions must be one of {', '.join(CONVENTIONS)}, not {conventions!r}")
        chosen: dict[str, Any] = {"distance": None, "dissimilarity": None, **CONVENTIONS[conventions], **wanted}
        if (
            "precision" in wanted and "samples" not in wanted
        ):  # it takes the place of the conventions' number of samples
            chosen["samples"] = None
        return cls(
            conventions=conventions,
            dissimilarity=Dissimilarity.of(
                chosen["dissimilarity"], chosen["distance"], chosen["alpha"], chosen["beta"], chosen["delta_empty"]
            ),
            rule=PrecisionRule(chosen["precision"], chosen["samples"], chosen["max_samples"], chosen["control"]),
            seed=chosen.get("seed", 0),
            limits=Limits(time_limit=chosen.get("time_limit")),
            min_distance=chosen["min_distance"],
            integer_offsets=_integer(chosen["integer_offsets"]),
            confidence=chosen["confidence"],
            empty_samples=chosen["empty_samples"],
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the settings, ready for JSON."""
        return {
            "conventions": self.conventions,
            "alpha": self.dissimilarity.alpha,
            "beta": self.dissimilarity.beta,
            "delta_empty": self.dissimilarity.delta_empty,
            "dissimilarity": self.dissimilarity.name,
            "categorial": self.dissimilarity.categorial.to_dict(),
            "sampler": "shift",
            "min_distance": self.min_distance,
            "integer_offsets": "auto" if self.integer_offsets is None else self.integer_offsets,
            "precision": None if self.rule.samples is not None else self.rule.precision,
            "samples": self.rule.samples,
            "max_samples": self.rule.max_samples,
            "control": self.rule.control,
            "seed": self.seed,
            "confidence": self.confidence,
            "empty_samples": self.empty_samples,
            "interval_documents": "95 %, sampling error of the expected disorder",
            "interval_corpus": "95 %, jackknife over documents; one document: as documents",
            "time_limit": self.limits.time_limit,
            "max_columns": self.limits.max_columns,
            "max_work": self.limits.max_work,
        }


def _integer(offsets: object) -> bool | None:
    if offsets == "auto":
        return None
    if not isinstance(offsets, bool):
        raise SettingsError(f"integer_offsets must be True, False or 'auto', not {offsets!r}")
    return offsets


def pair_cost(annotators: IntArray, units: IntArray) -> FloatArray:
    """Return about what aligning the pairs of a sample costs, by what aligning all of it does, shape (n_documents,).

    A rough fit to measured times: three annotators cost what their pairs do, and each one more multiplies that, the
    more units of an annotator there are that a unit may be aligned with. It decides what is drawn, not what comes out.
    """
    with np.errstate(divide="ignore"):
        base = np.minimum(2.0 / (units / annotators) ** 1.5, 1.0)
    cost: FloatArray = np.maximum(base ** np.maximum(annotators - 3.0, 0.0), _CHEAPEST)
    return cost
