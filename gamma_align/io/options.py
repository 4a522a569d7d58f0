"""Options of reading files."""

from __future__ import annotations

from gamma_align.options import Choice, Control, Option

OUTSIDE = Option(
    "outside",
    Choice(("refuse", "extend")),
    "units outside the declared extent of their document: refuse the data, or extend the extent",
    default="refuse",
    control=Control(
        "Reading",
        "Units outside their document",
        choices={"refuse": "are errors", "extend": "make it longer"},
        affects="data",
    ),
)
