"""The layout of a table of items."""

from __future__ import annotations

from gamma_align.options import Choice, Option

# How judgments are arranged in a table of items.
LAYOUT = Option(
    "layout",
    Choice(("auto", "long", "wide", "counts", "contingency")),
    "long: columns item, annotator, category; wide: a column a coder; counts: a column a category, with numbers of "
    "coders; contingency: a square table of two coders",
    default="auto",
    shown_default="long where its columns are there",
    explanation="Layout of the table: ``long`` has columns item, annotator and category; ``wide`` a column for each"
    " coder; ``counts`` a column for each category, with numbers of coders; ``contingency`` is a square"
    " table of two coders. By default it is recognised by the columns.",
)
