"""How tables are arranged: the layout of a table of items, and what the columns of any table mean."""

from __future__ import annotations

from gamma_align.options import Choice, Option, Text

CODERS_IN_ROWS = "row-per-coder"
"""The layout with a row for each coder."""

# How judgments are arranged in a table of items.
LAYOUT = Option(
    "layout",
    Choice(("auto", "long", "wide", "counts", "contingency", CODERS_IN_ROWS)),
    "long: columns item, annotator, category; wide: a column for each coder; counts: a column for each category, with"
    " numbers of coders; contingency: a square table of two coders; row-per-coder: a column for each item",
    default="auto",
    shown_default="recognised by columns and values",
    explanation="Layout of the table: ``long`` has columns item, annotator and category; ``wide`` a column for each"
    " coder; ``counts`` a column for each category, with numbers of coders; ``contingency`` is a square"
    " table of two coders; ``row-per-coder`` has a row for each coder and a column for each item. By default the"
    " layout is recognised by the columns and their values; a table that may have two layouts is refused.",
)

# `reading.intake.mapping` describes the document.
MAP = Option(
    "map",
    Text(python="str | os.PathLike[str] | Mapping[str, object]"),
    'meaning of the columns of your own table, as a file of JSON or as JSON: {"form": "row", "roles": {"start": '
    '"Beginn", "end": "Ende"}}',
    metavar="MAP",
    explanation="What the columns of a table of your own mean: a mapping, the path of a file of JSON, or JSON itself, "
    'such as ``{"form": "row", "roles": {"start": "Beginn", "end": "Ende"}}``.',
)
