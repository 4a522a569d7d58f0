"""Options of the unitizing family."""

from __future__ import annotations

from gamma_align.options import Choice, Group, Option

OVERLAP = Option(
    "overlap",
    Choice(("refuse", "layers")),
    "units of one annotator that overlap, for unitizing-alpha: refuse the data, or measure each category on a layer of "
    "its own",
    default="refuse",
)
UNITIZING = Group((OVERLAP,), "reading", "reading")  # help prints it with the options of reading
