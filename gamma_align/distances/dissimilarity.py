"""The dissimilarity of two units, d = α·d_pos + β·d_cat (DEFINITIONS §2; M15 §4.2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data import Batch
from gamma_align.distances.base import Distance, Nominal
from gamma_align.distances.metric import PairsOfCodes
from gamma_align.distances.registry import AnyDistance, as_distance
from gamma_align.errors import Cure, Set, SettingsError
from gamma_align.kernels.position import sporadic
from gamma_align.options import EMPTY_COST, WEIGHT, check


@dataclass(frozen=True, slots=True)
class Dissimilarity:
    """d(u, v) = α·d_pos(u, v) + β·d_cat(u, v), and Δ, the dissimilarity from the empty unit.

    Attributes
    ----------
    alpha, beta : float
        Weights of position and category, not negative. (The authors' program uses α = 3.)
    delta_empty : float
        Δ, positive.
    categorial : Distance
        Distance between labels; a name, a table or a function are accepted too: `gamma_align.distances.as_distance`.

    Raises
    ------
    SettingsError
        For a weight that is negative or not finite, a Δ that is not positive, or an invalid distance.

    Examples
    --------
    >>> dissimilarity = ga.Dissimilarity(alpha=3, categorial=ga.Ordinal(order=["low", "mid", "high"]))
    >>> dissimilarity.name
    'sporadic+ordinal'
    """

    alpha: float = 1.0
    beta: float = 1.0
    delta_empty: float = 1.0
    categorial: Distance = field(default_factory=Nominal)

    if TYPE_CHECKING:

        def __init__(
            self,
            alpha: float = 1.0,
            beta: float = 1.0,
            delta_empty: float = 1.0,
            categorial: AnyDistance = "nominal",
        ) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "categorial", as_distance(self.categorial))
        check("alpha", WEIGHT, self.alpha)
        check("beta", WEIGHT, self.beta)
        check("delta_empty", EMPTY_COST, self.delta_empty)

    @classmethod
    def of(
        cls,
        dissimilarity: Dissimilarity | None,
        distance: AnyDistance | None,
        alpha: float,
        beta: float,
        delta_empty: float,
    ) -> Dissimilarity:
        """Return the dissimilarity, or build it from the distance and the weights; SettingsError if both are given."""
        if dissimilarity is None:
            return cls(alpha, beta, delta_empty, "nominal" if distance is None else distance)
        if distance is not None:
            raise SettingsError(
                "a distance and a dissimilarity are given, and both define how far categories are apart",
                Cure("leave out {}, or give it to Dissimilarity(categorial=…)", Set("distance")),
            )
        return dissimilarity

    @property
    def name(self) -> str:
        """Short name for the signature."""
        return f"sporadic+{self.categorial.name}"

    @property
    def signature_parts(self) -> dict[str, str]:
        """The weights and the name, as parts of a signature."""
        weights = {"α": self.alpha, "β": self.beta, "Δ": self.delta_empty}
        return {**{symbol: f"{weight:g}" for symbol, weight in weights.items()}, "d": self.name}

    @property
    def is_nominal(self) -> bool:
        """Whether labels are the same or not, so that no distance depends on which labels there are."""
        return type(self) is Dissimilarity and type(self.categorial) is Nominal

    def bind(self, categories: tuple[str, ...]) -> PairDissimilarity:
        """Return the dissimilarity for units whose categories are coded by `categories`."""
        return PairDissimilarity(self.alpha, self.beta, self.delta_empty, self.categorial.bind(categories))


class PairDissimilarity(NamedTuple):
    """A dissimilarity bound to coded categories."""

    alpha: float
    beta: float
    delta_empty: float
    categorial: PairsOfCodes

    def positional_pairs(self, batch: Batch, first: IntArray, second: IntArray) -> FloatArray:
        """Return d_pos of pairs of units of the batch; it is infinite for units that can never be aligned."""
        return _ratio(batch, first, second) * self.delta_empty

    def categorial_pairs(self, batch: Batch, first: IntArray, second: IntArray) -> FloatArray:
        """Return d_cat of pairs of units of the batch."""
        return self.categorial(batch.category[first], batch.category[second]) * self.delta_empty

    def pairs(self, batch: Batch, first: IntArray, second: IntArray) -> FloatArray:
        """Return d of pairs of units of the batch.

        Two units without length at different positions are never aligned, even if α = 0.
        """
        return self.combined(_ratio(batch, first, second), self.categorial_pairs(batch, first, second))

    def combined(self, ratio: FloatArray, categorial: FloatArray) -> FloatArray:
        """Return d of pairs from their d_pos / Δ and d_cat, shape (n_pairs,)."""
        positional = ratio * self.delta_empty
        is_impossible = np.isinf(positional)
        positional[is_impossible] = 0.0  # 0 · infinity would be NaN
        combined: FloatArray = self.alpha * positional + self.beta * categorial
        combined[is_impossible] = np.inf
        return combined


def _ratio(batch: Batch, first: IntArray, second: IntArray) -> FloatArray:
    """Return d_pos / Δ of pairs of units of the batch."""
    return sporadic(batch.start[first], batch.end[first], batch.start[second], batch.end[second])
