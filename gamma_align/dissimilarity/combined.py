"""The combined dissimilarity d = α·d_pos + β·d_cat (DEFINITIONS §2), and what it is bound to."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from gamma_align.dissimilarity.categorial import Categorial, Nominal, PairsOfCodes
from gamma_align.dissimilarity.positional import sporadic
from gamma_align.errors import SettingsError

if TYPE_CHECKING:
    from gamma_align._types import FloatArray, IntArray
    from gamma_align.batch import Batch


@dataclass(frozen=True, slots=True)
class Dissimilarity:
    """d(u, v) = α·d_pos(u, v) + β·d_cat(u, v), and Δ, the dissimilarity to the empty unit.

    Attributes
    ----------
    alpha, beta : float
        Weights of position and category, not negative. (The authors' program uses α = 3.)
    delta_empty : float
        Δ, positive.
    categorial : Categorial
        D between labels.

    Raises
    ------
    SettingsError
        For a weight that is negative or not finite, or a Δ that is not positive.
    """

    alpha: float = 1.0
    beta: float = 1.0
    delta_empty: float = 1.0
    categorial: Categorial = field(default_factory=Nominal)

    def __post_init__(self) -> None:
        for name in ("alpha", "beta"):
            weight = getattr(self, name)
            if not (math.isfinite(weight) and weight >= 0):
                raise SettingsError(f"{name} must be a finite number, 0 or more, not {weight}")
        if not (math.isfinite(self.delta_empty) and self.delta_empty > 0):
            raise SettingsError(f"delta_empty must be a finite number above 0, not {self.delta_empty}")

    @property
    def name(self) -> str:
        """Short name for the signature."""
        return f"sporadic+{self.categorial.name}"

    def bind(self, categories: tuple[str, ...]) -> PairDissimilarity:
        """Return the dissimilarity for units whose categories are coded by `categories`."""
        return PairDissimilarity(self.alpha, self.beta, self.delta_empty, self.categorial.bind(categories))


@dataclass(frozen=True, slots=True)
class PairDissimilarity:
    """A dissimilarity bound to coded categories: what kernels call."""

    alpha: float
    beta: float
    delta_empty: float
    categorial: PairsOfCodes

    def positional_pairs(self, batch: Batch, first: IntArray, second: IntArray) -> FloatArray:
        """Return d_pos of pairs of units of the batch, infinite for two units that can never be aligned."""
        ratio = sporadic(batch.start[first], batch.end[first], batch.start[second], batch.end[second])
        return ratio * self.delta_empty

    def categorial_pairs(self, batch: Batch, first: IntArray, second: IntArray) -> FloatArray:
        """Return d_cat of pairs of units of the batch."""
        return self.categorial(batch.category[first], batch.category[second]) * self.delta_empty

    def pairs(self, batch: Batch, first: IntArray, second: IntArray) -> FloatArray:
        """Return d of pairs of units of the batch.

        Two units without length at different places are never aligned, even where α = 0.
        """
        ratio = sporadic(batch.start[first], batch.end[first], batch.start[second], batch.end[second])
        return self.combined(ratio, self.categorial_pairs(batch, first, second))

    def combined(self, ratio: FloatArray, categorial: FloatArray) -> FloatArray:
        """Return d of pairs of which d_pos / Δ and d_cat are known, shape (n_pairs,)."""
        positional = ratio * self.delta_empty
        never = np.isinf(positional)
        positional[never] = 0.0
        combined: FloatArray = self.alpha * positional + self.beta * categorial
        combined[never] = np.inf
        return combined
