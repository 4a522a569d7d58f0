"""Insight beyond one coefficient: disagreements, consensus, pairs of annotators, and comparisons of two annotations.

Every module builds on the measures and returns a result of its own, such as `disagreements.Disagreements`. Not here:
how agreement is measured (`measures`), and how results are shown (`present`).
"""

from gamma_align.lazy import door

_NAMES = {
    "pairwise": ("PairwiseResult",),
}

__getattr__, __all__ = door(__name__, _NAMES)
