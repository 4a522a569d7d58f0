"""Options of the unitizing family."""

from __future__ import annotations

from gamma_align.options import Choice, Group, Option

# Units of one annotator that overlap have no place in a partition (K16).
OVERLAP = Option(
    "overlap",
    Choice(("refuse", "layers")),
    "units of one annotator that overlap, for unitizing-alpha: refuse the data, or measure each category on a layer of "
    "its own",
    default="refuse",
    explanation="The family is not defined for units of one annotator that overlap: refuse them, or measure each "
    "category on a layer of its own. Layers have uα, by category and over all categories, but no |uα, cuα and (k)uα.",
)
ALPHA_2004 = "unitizing-alpha-2004"
"""The choice of the older αU among the coefficients of a corpus."""
UNITIZING_OPTIONS = Group((OVERLAP,), "reading", "reading")  # help prints it with the options of reading
