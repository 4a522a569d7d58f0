"""The plain twins: the same kernels in Python and NumPy, to compare with and to serve where nothing was compiled."""

from gamma_align.kernels.plain.ascent import ascend
from gamma_align.kernels.plain.choice import choose
from gamma_align.kernels.plain.linked import linked
from gamma_align.kernels.plain.local import rematch
from gamma_align.kernels.plain.matching import match
from gamma_align.kernels.plain.pricing import price
from gamma_align.kernels.plain.sweep import sweep
from gamma_align.kernels.plain.tuples import useful

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
