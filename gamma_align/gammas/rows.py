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
    pairs : int
        Aligned pairs of units; for γcat and γk those that count.
    expected, error : float
        Mean over the samples, and its standard error; NaN where no sample has it.
    deviation : float
        Standard deviation over the samples (n - 1).
    skewness : float
        Of `expected`: its third central moment by its error cubed.
    samples : int
        Samples that have it.
    controls : int
        Samples of which pairs of annotators were aligned, to make `expected` more precise; 0 for none.
    freedom : float
        Degrees of freedom of the error.
    """

    observed: float
    weight: float
    pairs: int
    expected: float
    error: float
    deviation: float
    skewness: float
    samples: int
    controls: int
    freedom: float


@dataclass(frozen=True, slots=True)
class Row:
    """A document's numbers.

    Attributes
    ----------
    document : str
        Its name.
    annotators, units, alignments, samples : int
        Counts.
    gamma, gamma_cat : Chance
        The two disorders.
    gamma_k : dict of str to Chance
        By category.
    gap : float
        Largest gap of an alignment used.
    distance_lowered, precise : bool
        See `gamma_align.gammas.results.DocumentResult`.
    """

    document: str
    annotators: int
    units: int
    alignments: int
    samples: int
    gamma: Chance
    gamma_cat: Chance
    gamma_k: dict[str, Chance] = field(default_factory=dict)
    gap: float = 0.0
    distance_lowered: bool = False
    precise: bool = True


NOTHING = Chance(math.nan, 0.0, 0, math.nan, math.nan, math.nan, 0.0, 0, 0, 0.0)
"""The row of a disorder that a document does not have."""
