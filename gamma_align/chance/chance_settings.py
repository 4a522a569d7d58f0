"""The settings that an expected disorder depends on: frozen, picklable, and part of the settings of γ."""

from __future__ import annotations

from dataclasses import dataclass, field

from gamma_align.alignment import ALIGNMENT, Limits
from gamma_align.chance import chance_options as options
from gamma_align.chance.precision import PrecisionRule
from gamma_align.distances import Dissimilarity
from gamma_align.options import check_fields


@dataclass(frozen=True, slots=True)
class ChanceSettings:
    """Settings of expected disorders.

    Attributes
    ----------
    dissimilarity : Dissimilarity
        d, with α, β and Δ.
    rule : PrecisionRule
        Number of samples to draw.
    limits : Limits
        Limits after which an alignment stops with a stated gap.
    seed, sampler, min_distance, integer_offsets, confidence, empty_samples, alignment
        The options of these names; `integer_offsets` is None for "auto".
    chance_from : tuple of str
        The annotators whose units the samples are made of; all if it is empty. See `evaluate`.
    """

    dissimilarity: Dissimilarity = field(default_factory=Dissimilarity)
    rule: PrecisionRule = field(default_factory=PrecisionRule)
    seed: int = options.SEED.default
    sampler: str = options.SAMPLER.default
    min_distance: str = options.MIN_DISTANCE.default
    integer_offsets: bool | None = None
    confidence: str = options.CONFIDENCE.default
    empty_samples: str = options.EMPTY_SAMPLES.default
    limits: Limits = field(default_factory=Limits)
    alignment: str = ALIGNMENT.default
    chance_from: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_fields(self, (*options.CHANCE_OPTIONS, ALIGNMENT))
