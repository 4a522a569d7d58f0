"""The plain twins: the same kernels in Python and NumPy, to compare with and to serve where nothing was compiled."""

from gamma_align.kernels.plain.choice import choose
from gamma_align.kernels.plain.columns import ascend, linked, useful
from gamma_align.kernels.plain.matching import match, rematch
from gamma_align.kernels.plain.pricing import price
from gamma_align.kernels.plain.sweep import sweep

__all__ = [
    "ascend",
    "choose",
    "linked",
    "match",
    "price",
    "rematch",
    "sweep",
    "useful",
]
