"""Everything a measurement of γ depends on besides the data: frozen, picklable, written down with the result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Literal, Self, TypedDict, Unpack

from gamma_align.alignment.limits import Limits
from gamma_align.distances import AnyDistance
from gamma_align.distances.dissimilarity import Dissimilarity
from gamma_align.errors import SettingsError
from gamma_align.gammas.precision import MOST, PrecisionRule
from gamma_align.gammas.statistics import CONFIDENCES

EMPTY_SAMPLES = ("skip", "one")


class Options(TypedDict, total=False):
    """Options of γ, γcat and γk that conventions decide where they are not given; see `gamma`."""

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


_M15: Options = {
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
CONVENTIONS: Mapping[str, Options] = {
    "m15": _M15,
    "authors": {
        **_M15,
        "alpha": 3.0,
        "confidence": "weighted",
        "min_distance": "half",
        "integer_offsets": True,
    },
    "pygamma": {
        **_M15,
        "confidence": "weighted",
        "min_distance": "half",
        "integer_offsets": True,
        "samples": 30,
        "control": "none",
    },
}
"""Options as the papers have them (M15, M17), the authors' program, and pygamma-agreement 0.5.9.

Of pygamma-agreement the weights, the pairing confidence, the number of samples and the offsets of its shuffling sampler
can be set here. Three things cannot: its default sampler, which draws units from normal distributions; samples without
aligned units, which are 0 for γcat and 1 for γk of a category they do not have; and units aligned with nothing, which
count as disagreement for γcat.
"""


@dataclass(frozen=True, slots=True)
class GammaSettings:
    """Settings of γ, γcat and γk.

    Attributes
    ----------
    conventions : {"m15", "authors", "pygamma"}
        What decided the options that were not given; see `CONVENTIONS`.
    dissimilarity : Dissimilarity
        d, with α, β and Δ.
    rule : PrecisionRule
        How many samples.
    seed : int
        Seed of the samples.
    min_distance : {"mean", "half"}
        Least distance of the samples' offsets.
    integer_offsets : bool or None
        Whether offsets are integers; None: where all bounds of a document are.
    confidence : {"positional", "weighted", "none"}
        Pairing confidence of γcat.
    empty_samples : {"skip", "one"}
        What a sample without aligned units is for γcat: left out, or a disorder of 1.
    limits : Limits
        When an alignment may stop with a stated gap.

    Examples
    --------
    >>> settings = ga.GammaSettings.of("authors", samples=30)
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
    def of(
        cls,
        conventions: str = "m15",
        *,
        distance: AnyDistance | None = None,
        dissimilarity: Dissimilarity | None = None,
        seed: int = 0,
        time_limit: float | None = None,
        **options: Unpack[Options],
    ) -> Self:
        """Return the settings of these conventions, but for the options given (those that are not None).

        Parameters
        ----------
        conventions : {"m15", "authors", "pygamma"}
            See `CONVENTIONS`.
        distance, dissimilarity, seed, time_limit, **options
            Those of `gamma`. A precision given takes the place of the conventions' number of samples.

        Raises
        ------
        SettingsError
            For other conventions, an unknown setting, or one out of its range.
        """
        if conventions not in CONVENTIONS:
            raise SettingsError(f"conventions must be one of {', '.join(CONVENTIONS)}, not {conventions!r}")
        unknown = sorted(set(options).difference(CONVENTIONS["m15"]))
        if unknown:
            close = get_close_matches(unknown[0], CONVENTIONS["m15"], n=1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise SettingsError(f"γ has no setting {unknown[0]!r}{hint}")
        given = {name: value for name, value in options.items() if value is not None}
        chosen: dict[str, Any] = {**CONVENTIONS[conventions], **given}
        if "precision" in given and "samples" not in given:
            chosen["samples"] = None
        return cls(
            conventions=conventions,
            dissimilarity=Dissimilarity.of(
                dissimilarity, distance, chosen["alpha"], chosen["beta"], chosen["delta_empty"]
            ),
            rule=PrecisionRule(chosen["precision"], chosen["samples"], chosen["max_samples"], chosen["control"]),
            seed=seed,
            limits=Limits(time_limit=time_limit),
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
