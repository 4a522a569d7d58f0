"""Options of the unitizing family."""

from __future__ import annotations

from gamma_align.options import Choice, Group, Option

OVERLAP = Option(
    "overlap",
    Choice(("refuse", "layers")),
    "units of one annotator that overlap, for unitizing-alpha: refuse the data, or measure each category on a layer of "
    "its own",
    default="refuse",
    explanation="Treatment of units of one annotator that overlap: refuse them, or measure each category on a layer of "
    "its own, which gives uα by category and over all of them, and no cuα.",
)
UNITIZING = Group((OVERLAP,), "reading", "reading")
