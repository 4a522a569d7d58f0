"""Options of reading a corpus."""

from __future__ import annotations

from gamma_align.options import Choice, Control, Flag, Group, Listed, Option, Text, Whole

POSITIONS = Option("positions", Choice(("characters", "tokens")), "what bounds count, where a format has both")
OFFSETS = Option(
    "offsets",
    Choice(("code-points", "utf-16", "bytes")),
    "what characters are counted in, where it is not what the format says",
)
DISCONTINUOUS = Option(
    "discontinuous",
    Choice(("whole", "parts", "refuse")),
    "units of several parts: one unit from first start to last end, a unit each part, or an error",
    shown_default="whole",
)
MISMATCH = Option(
    "mismatch",
    Choice(("refuse", "keep")),
    "units that do not cover the text that the file says",
    shown_default="refuse",
)
REPEATED = Option(
    "repeated",
    Choice(("refuse", "last", "first", "apart")),
    "further records of one text by one annotator: refuse the data, keep the last or the first record (by time if all "
    "have one, else by their order), or keep all apart, as 'anna' and 'anna (2)'",
    shown_default="refuse",
)
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
ALIGN_TEXT = Option(
    "align_text", Flag(), "map annotators' texts that differ onto the first one's, through equal characters"
)
READING_OPTIONS = (
    Option(
        "format",
        Text(completion="formats"),
        "of PATH's format, where it cannot be told (convert has a list)",
        metavar="NAME",
    ),
    Option(
        "annotator",
        Text(),
        "names of annotators: '{layer}', '{folder}', '{file}', what the file or its path says as '{annotator}' or "
        "'{document}', or one name for all",
        metavar="PATTERN",
        argument="--annotators-from",
    ),
    Option("document", Text(), "names of documents, likewise", metavar="PATTERN", argument="--documents-from"),
    Option(
        "layers",
        Listed("escaped"),
        "layers (tiers, questions, namespaces) to read, '*' for all; A:F where feature F is the category",
        metavar="A,B",
    ),
    Option(
        "labels",
        Listed("labels"),
        "categories: A is kept, B read as C, units of D left out; all others are left out where some are only kept, "
        r"and kept otherwise ('*=C' is all others); \, \= and \\ stand for themselves",
        metavar="A,B=C,D=",
    ),
    POSITIONS,
    OFFSETS,
    DISCONTINUOUS,
    MISMATCH,
    ALIGN_TEXT,
    REPEATED,
    Option(
        "texts",
        Text(),
        "the texts annotated, where PATH of the units has none: a folder of DOCUMENT.txt, or JSON Lines of "
        '{"document", "text"}',
        metavar="PATH",
    ),
    Option("encoding", Text(), "of text files that are not UTF-8 and have no mark of it", metavar="NAME"),
    Option(
        "columns",
        Listed("pair"),
        "your name for a column of a table (or a key of JSON records): document, annotator, start, end, category",
        metavar="OURS=YOURS",
        argument="--column",
    ),
    Option(
        "options",
        Listed("option"),
        "what a single format asks for; a value in JSON ({…}, […], true, 3) is taken as such",
        metavar="KEY=VALUE",
        argument="--option",
    ),
)
"""The options of how files are read, without `OUTSIDE`, which concerns units that are made as well."""
ABSENT_COLUMNS = {
    "document": Option(
        "one_document", Flag(), "a table has no column of documents: all its units are of one", default=False
    ),
    "category": Option("no_categories", Flag(), "a table has no column of categories", default=False),
}
"""The option for a table that has no column of a role; in Python, ``columns`` maps the role to None."""
LOSSES = {
    "annotators": "{} annotators who marked nothing",
    "documents": "{} documents without units",
    "extents": "the extents of {} documents",
    "length-unit": "the unit of length",
    "no-category": "that {} units have no category, or '' (they get '(none)')",
}
"""Facts that a table of units does not hold, with descriptions; the last applies to CSV only."""
WRITING = (
    Option(
        "drop",
        Listed("names"),
        f"what may be lost where OUT does not hold it: {', '.join(LOSSES)}, or all of these; zero-length leaves "
        "out units without length",
        default=(),
        metavar="WHAT,…",
    ),
    Option("decimals", Whole(), "round bounds to so many decimals (ELAN holds 3)", metavar="N"),
)
FILES = Group((*READING_OPTIONS[:-1], *ABSENT_COLUMNS.values(), READING_OPTIONS[-1]), "reading", "reading")
UNITS = Group((OUTSIDE,), "reading", "reading")
