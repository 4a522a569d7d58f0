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
    duplicates.CAUSE,
    spelling.CAUSE,
    scale.CAUSE,
    silence.EVERYWHERE_CAUSE,
    offset.CAUSE,
    recount.CAUSE,
    exchanged.CAUSE,
    splits.SPLIT,
    splits.GRANULARITY,
    nesting.CAUSE,
    silence.PARTS_CAUSE,
    marking.LABELS,
    confusion.CONFUSION,
    confusion.SWAP,
    bounds.CAUSE,
    marking.MENTIONS,
    marking.WORDS,
    marking.LENGTHS,
    rate.CAUSE,
)
"""The kinds of causes. Two of them share the name "silence", as an annotator without any unit comes first."""
