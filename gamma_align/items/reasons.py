"""Why a coefficient on items, or its error, is not available: the whole list, and nothing else is ever given."""

from __future__ import annotations

NO_ITEMS = "no item was judged"
ONE_CODER = "one coder only"
NO_PAIRS = "no item was judged by two coders"
NO_COMPLETE = "no item was judged by every coder"
NO_VARIATION = "no disagreement by chance: a single category"
NO_VARIATION_PAIR = "no disagreement by chance between two of the coders: a single category"
ANONYMOUS = "the table does not say who judged what"
NOT_TWO = "defined for two coders"
NOT_BINARY = "defined for two categories"
TOO_MANY_PAIRS = "too many pairs of coders"
EMPTY_CELL = "an empty cell: without correction the estimate is at its bound"
NOT_ENOUGH_CODERS = "too few coders for so many classes"
TOO_LARGE = "categories too far apart: their distance is no longer a number"

ONE_ITEM = "one item: no spread to estimate an error from"
FEW_DISAGREE = "fewer than two items disagree: this kind of interval needs them"
UNSTABLE = "without some single item there is no variation left"
NO_REPLICATE = "no replicate has a value"
TOO_MUCH_WORK = "too many items and categories to resample with this distance"
NOT_FOR_THIS = "this method is not defined for this coefficient"

REASONS = (
    *(NO_ITEMS, ONE_CODER, NO_PAIRS, NO_COMPLETE, NO_VARIATION, NO_VARIATION_PAIR, ANONYMOUS, NOT_TWO, NOT_BINARY),
    *(TOO_MANY_PAIRS, EMPTY_CELL, NOT_ENOUGH_CODERS, TOO_LARGE),
)
"""Every reason for which a coefficient is not available."""

ERROR_REASONS = (ONE_ITEM, FEW_DISAGREE, UNSTABLE, NO_REPLICATE, TOO_MUCH_WORK, NOT_FOR_THIS)
"""Every reason for which a coefficient that is available has no error or interval."""
