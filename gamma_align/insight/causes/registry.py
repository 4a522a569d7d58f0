"""All kinds of causes, in the order of their tiers."""

from __future__ import annotations

from gamma_align.insight.causes.cause import Cause
from gamma_align.insight.causes.kinds import (
    bounds,
    confusion,
    drift,
    duplicates,
    exchanged,
    granularity,
    label_sets,
    marking,
    mentions,
    nesting,
    never,
    noise,
    offset,
    offset_sides,
    rate,
    recount,
    scale,
    silence,
    silence_everywhere,
    spelling,
    splits,
    tokens,
)

CAUSES: tuple[Cause, ...] = (
    duplicates.DUPLICATES_CAUSE,
    spelling.SPELLING_CAUSE,
    label_sets.LABEL_SETS_CAUSE,
    scale.SCALE_CAUSE,
    tokens.TOKENS_CAUSE,
    silence_everywhere.EVERYWHERE_CAUSE,
    offset.OFFSET_CAUSE,
    offset_sides.BOTH_SIDES_CAUSE,
    recount.RECOUNT_CAUSE,
    exchanged.EXCHANGED_CAUSE,
    splits.SPLIT_CAUSE,
    granularity.GRANULARITY_CAUSE,
    nesting.NESTING_CAUSE,
    offset_sides.SIDES_CAUSE,
    silence.PARTS_CAUSE,
    never.NEVER_CAUSE,
    marking.LABELS_CAUSE,
    confusion.CONFUSION_CAUSE,
    confusion.SWAP_CAUSE,
    bounds.BOUNDS_CAUSE,
    drift.DRIFT_CAUSE,
    mentions.MENTIONS_CAUSE,
    marking.WORDS_CAUSE,
    marking.LENGTHS_CAUSE,
    rate.RATE_CAUSE,
    noise.NOISE_CAUSE,
)
"""The kinds of causes. Some share a name: they are detected in several ways."""
