"""Everything a measurement of γ depends on besides the data: frozen, picklable, written down with the result."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gamma_align.alignment.limits import Limits
from gamma_align.chance.precision import PrecisionRule
from gamma_align.coefficients.statistics import CONFIDENCES
from gamma_align.distances.dissimilarity import Dissimilarity
from gamma_align.errors import SettingsError

EMPTY_SAMPLES = ("skip", "one")


@dataclass(frozen=True, slots=True)
class GammaSettings:
    """Settings of γ, γcat and γk.

    Attributes
    ----------
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
    """

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

    def to_dict(self) -> dict[str, Any]:
        """Return the settings, ready for JSON."""
        return {
            "alpha": self.dissimilarity.alpha,
            "beta": self.dissimilarity.beta,
            "delta_empty": self.dissimilarity.delta_empty,
            "dissimilarity": self.dissimilarity.name,
            "categorial": self.dissimilarity.categorial.to_dict(),
            "sampler": "shift",
            "min_distance": self.min_distance,
            "integer_offsets": self.integer_offsets,
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
