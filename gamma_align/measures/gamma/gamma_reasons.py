"""Why γ, γcat and γk are not available or have no interval, and how their expected disorder was computed: texts."""

from __future__ import annotations

import math

from gamma_align.chance import COMPUTED, CONSTANT, IMPOSSIBLE
from gamma_align.inference import MIN_SAMPLES, NO_ANNOTATOR, NO_UNITS, ONE_ANNOTATOR

NOT_ALIGNED = "no two units are aligned"
NOT_BY_CHANCE = "no two units are aligned in any sample"
NO_OVERLAP = "no two units can overlap by chance"
NO_DISORDER = "no disorder by chance"
SAME_CATEGORIES = "the categories that meet do not differ"
NOT_SAMPLED = "no units to make samples of"
ONE_PAIR = "one aligned pair of units"
FEW_SAMPLES = f"fewer than {MIN_SAMPLES} samples have it"
EQUAL_SAMPLES = "all samples are the same"
COMPUTED_CHANCE = "computed, no sampling error"
PERFECT = "no disorder, no sampling error"
ONE_SAMPLE = "fewer than two samples of a document have it"
COMPUTED_EXACTLY = "computed exactly, without samples"
COMPUTED_NUMERICALLY = "computed without samples; the precision is the numerical error"
EXACT_VALUE = "exact: every pair of units that can meet by chance has this distance"
NOT_ABOVE_ZERO = "the samples leave open whether any disorder is expected by chance"

REASONS = (
    ONE_ANNOTATOR,
    NO_ANNOTATOR,
    NO_UNITS,
    NOT_SAMPLED,
    NOT_ALIGNED,
    NOT_BY_CHANCE,
    NO_DISORDER,
    SAME_CATEGORIES,
    NO_OVERLAP,
    NOT_ABOVE_ZERO,
)
"""Every reason for which a coefficient is not available."""


# Reasons as codes in arrays: indices into these tuples, 0 without a reason.
REASON_CODES = (None, *REASONS)
NO_INTERVAL_CODES = (None, ONE_PAIR, FEW_SAMPLES, NOT_ABOVE_ZERO, EQUAL_SAMPLES, COMPUTED_CHANCE, PERFECT)

WITHOUT_ERROR = (COMPUTED_CHANCE, PERFECT)
"""Why a value has no interval though nothing about it is uncertain: no sampling error."""


def precision_note(expected: float, precision: float, status: int) -> str | None:
    """Return how an expected disorder was computed, or why its precision is missing or 0; None if it is neither."""
    if math.isnan(expected):
        return NO_OVERLAP if status == IMPOSSIBLE else NOT_BY_CHANCE
    if expected == 0.0:
        return NO_DISORDER
    if status in (CONSTANT, COMPUTED):
        computed = COMPUTED_NUMERICALLY if precision > 0 else COMPUTED_EXACTLY
        return EXACT_VALUE if status == CONSTANT else computed
    if expected < 0.0:
        return NOT_ABOVE_ZERO
    if math.isnan(precision):
        return ONE_SAMPLE
    return EQUAL_SAMPLES if precision == 0.0 else None
