"""The plain twins: the same kernels in Python and NumPy, to compare with and to serve where nothing was compiled.

Conventions
-----------
Arrays are of int64 or float64, random words of uint64. Columns are given by `offsets`, shape (n_columns + 1,), where
each column's units begin in `units`, and by what each saves, costs or loses. The units of an instance begin at its
entry of another `offsets`, shape (n_instances + 1,); `annotator` is the number of each unit's annotator. Pairs of units
are given by `begin`, shape (n_units + 1,), where each unit's pairs begin, by the other unit of each (`second`, that of
the higher annotator, or `partner`), ascending for each unit, and by `saving`, its w in units of Δ.
"""

from gamma_align.kernels.plain.ascent import ascend, soften
from gamma_align.kernels.plain.choice import choose
from gamma_align.kernels.plain.columns import linked, sweep, useful
from gamma_align.kernels.plain.matching import match, rematch
from gamma_align.kernels.plain.order import canonical_order
from gamma_align.kernels.plain.overlaps import shift_overlaps
from gamma_align.kernels.plain.pricing import price
from gamma_align.kernels.plain.random import philox, stream_keys

__all__ = [
    "ascend",
    "canonical_order",
    "choose",
    "linked",
    "match",
    "philox",
    "price",
    "rematch",
    "shift_overlaps",
    "soften",
    "stream_keys",
    "sweep",
    "useful",
]
