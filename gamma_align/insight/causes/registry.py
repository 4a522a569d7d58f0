"""All kinds of causes, in the order of their tiers."""

from __future__ import annotations

from gamma_align.insight.causes.cause import Cause
from gamma_align.insight.causes.kinds import (
    bounds,
    confusion,
    duplicates,
    exchanged,
    marking,
    nesting,
    offset,
    rate,
    recount,
    scale,
    silence,
    spelling,
    splits,
)

CAUSES: tuple[Cause, ...] = (
    duplicates.DUPLICATES_CAUSE,
    spelling.SPELLING_CAUSE,
    scale.SCALE_CAUSE,
    silence.EVERYWHERE_CAUSE,
    offset.OFFSET_CAUSE,
    recount.RECOUNT_CAUSE,
    exchanged.EXCHANGED_CAUSE,
    splits.SPLIT_CAUSE,
    splits.GRANULARITY_CAUSE,
    nesting.NESTING_CAUSE,
    silence.PARTS_CAUSE,
    marking.LABELS_CAUSE,
    confusion.CONFUSION_CAUSE,
    confusion.SWAP_CAUSE,
    bounds.BOUNDS_CAUSE,
    marking.MENTIONS_CAUSE,
    marking.WORDS_CAUSE,
    marking.LENGTHS_CAUSE,
    rate.RATE_CAUSE,
)
"""The kinds of causes. Two of them share the name "silence", as an annotator without any unit comes first."""
