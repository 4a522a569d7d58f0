"""How many samples the precision asked for takes (M15 §5.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gamma_align.errors import SettingsError

if TYPE_CHECKING:
    from gamma_align._types import FloatArray, IntArray

FIRST = 30
"""Samples to begin with (M15 §5.3)."""

Z95 = 1.96

MOST = 10_000
"""Default of the largest number of samples."""


@dataclass(frozen=True, slots=True)
class PrecisionRule:
    """N = max(30, ⌈(1.96·CV/e)²⌉), CV = σ/μ of the sampled disorders, asked again until it holds.

    Attributes
    ----------
    precision : float
        e, the relative precision of the expected disorder at 95 %.
    samples : int or None
        A fixed number of samples instead.
    max_samples : int
        Never draw more.
    """

    precision: float = 0.02
    samples: int | None = None
    max_samples: int = MOST

    def __post_init__(self) -> None:
        if not 0 < self.precision < 1:
            raise SettingsError(f"precision must be between 0 and 1 (0.02 is 2 %), not {self.precision}")
        if self.samples is not None and self.samples < 2:  # noqa: PLR2004
            raise SettingsError(f"samples must be 2 or more, to tell their spread; not {self.samples}")
        if self.max_samples < FIRST:
            raise SettingsError(f"max_samples must be {FIRST} or more, not {self.max_samples}")

    @property
    def first(self) -> int:
        """How many samples to draw first."""
        return FIRST if self.samples is None else self.samples

    def wanted(self, drawn: IntArray, mean: FloatArray, deviation: FloatArray) -> tuple[IntArray, np.ndarray]:
        """Return how many samples each document should have, and whether that reaches the precision."""
        if self.samples is not None:
            return drawn, np.ones(len(drawn), dtype=np.bool_)
        with np.errstate(divide="ignore", invalid="ignore"):
            need = np.ceil(np.square(Z95 * deviation / mean / self.precision))
        need = np.where(deviation > 0, need, 0.0)
        capped = np.minimum(np.maximum(need, FIRST), self.max_samples).astype(np.int64)
        return np.maximum(capped, drawn), need <= self.max_samples
