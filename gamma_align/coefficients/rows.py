"""One row of numbers a document: all that coefficients, pooling and intervals are computed from.

Rows of different documents are independent of each other and of how the work was cut up; everything after them is a
fold over rows, sorted by document.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Chance:
    """Observed and expected value of one disorder of one document.

    Attributes
    ----------
    observed : float
        δ of the data; NaN where not defined.
    weight : float
        What the document weighs when disorders are pooled: x̄ for γ, Σ weight of its pairs for γcat and γk.
    expected : float
        Mean over the samples; NaN where no sample has it.
    deviation : float
        Standard deviation over the samples (n - 1).
    samples : int
        Samples that have it.
    """

    observed: float
    weight: float
    expected: float
    deviation: float
    samples: int

    @classmethod
    def of(cls, observed: float, weight: float, samples: list[float]) -> Chance:
        """Return the row of an observed value and its samples (exact sums: their order does not matter)."""
        count = len(samples)
        mean = math.fsum(samples) / count if count else math.nan
        spread = math.fsum((value - mean) ** 2 for value in samples)
        deviation = math.sqrt(spread / (count - 1)) if count > 1 else math.nan
        return cls(observed, weight, mean, deviation, count)

    @property
    def error(self) -> float:
        """Standard error of `expected`."""
        return self.deviation / math.sqrt(self.samples) if self.samples else math.nan


@dataclass(frozen=True, slots=True)
class Row:
    """A document's numbers.

    Attributes
    ----------
    document : str
        Its name.
    annotators, units, samples : int
        Counts.
    gamma, gamma_cat : Chance
        The two disorders.
    gamma_k : dict of str to Chance
        By category.
    gap : float
        Largest gap of an alignment used.
    distance_lowered, precise : bool
        See `gamma_align.coefficients.values.DocumentResult`.
    """

    document: str
    annotators: int
    units: int
    samples: int
    gamma: Chance
    gamma_cat: Chance
    gamma_k: dict[str, Chance] = field(default_factory=dict)
    gap: float = 0.0
    distance_lowered: bool = False
    precise: bool = True


NOTHING = Chance(math.nan, 0.0, math.nan, math.nan, 0)
"""The row of a disorder that a document does not have."""
