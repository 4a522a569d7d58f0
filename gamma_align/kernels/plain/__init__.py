"""The plain kernels, in Python and NumPy: the documentation of all kernels, and the fallback if none are compiled.

Conventions
-----------
Arrays have the type int64 or float64; random words have uint64. The units of column i are
units[offsets[i] : offsets[i + 1]]; further arrays hold the saving, cost or loss of each column. Another `offsets`,
shape (n_instances + 1,), divides the units of a batch into instances in the same way. `annotator` is the index of the
annotator of each unit. The pairs of unit u are those from begin[u] to begin[u + 1]: `second` (the unit of the higher
annotator) or `partner` is the other unit of a pair, ascending for each unit, and `saving` its w in units of Δ.
"""

from gamma_align.kernels.plain.choice import choose
from gamma_align.kernels.plain.columns import count_near, linked, sweep, useful
from gamma_align.kernels.plain.gaining import gaining
from gamma_align.kernels.plain.matching import match, rematch
from gamma_align.kernels.plain.order import canonical_order
from gamma_align.kernels.plain.overlaps import shift_overlaps
from gamma_align.kernels.plain.pricing import price
from gamma_align.kernels.plain.random import philox, stream_keys
from gamma_align.kernels.plain.soft_prices import soften
from gamma_align.kernels.plain.turns import turn_averages

__all__ = [
    "canonical_order",
    "choose",
    "count_near",
    "gaining",
    "linked",
    "match",
    "philox",
    "price",
    "rematch",
    "shift_overlaps",
    "soften",
    "stream_keys",
    "sweep",
    "turn_averages",
    "useful",
]
