"""Options of reading a corpus."""

from __future__ import annotations

from gamma_align.options import Choice, Control, Flag, Listed, Option, Text

FORMAT = Option(
    "format",
    Text(completion="formats"),
    "of PATH's format, where it cannot be told (convert has a list)",
    metavar="NAME",
)
ANNOTATOR = Option(
    "annotator",
    Text(),
    "names of annotators: '{layer}', '{folder}', '{file}', what the file or its path says as '{annotator}' or "
    "'{document}', or one name for all",
    metavar="PATTERN",
    argument="--annotators-from",
)
DOCUMENT = Option("document", Text(), "names of documents, likewise", metavar="PATTERN", argument="--documents-from")
LAYERS = Option(
    "layers",
    Listed("escaped"),
    "layers (tiers, questions, namespaces) to read, '*' for all; A:F where feature F is the category",
    metavar="A,B",
)
LABELS = Option(
    "labels",
    Listed("labels"),
    "categories: A is kept, B read as C, units of D left out; all others are left out where some are only kept, and "
    r"kept otherwise ('*=C' is all others); \, \= and \\ stand for themselves",
    metavar="A,B=C,D=",
)
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
ALIGN_TEXT = Option(
    "align_text", Flag(), "map annotators' texts that differ onto the first one's, through equal characters"
)
REPEATED = Option(
    "repeated",
    Choice(("refuse", "last", "first", "apart")),
    "further records of one text by one annotator: refuse the data, keep the last or the first record (by time if all "
    "have one, else by their order), or keep all apart, as 'anna' and 'anna (2)'",
    shown_default="refuse",
)
TEXTS = Option(
    "texts",
    Text(),
    "the texts annotated, where PATH of the units has none: a folder of DOCUMENT.txt, or JSON Lines of "
    '{"document", "text"}',
    metavar="PATH",
)
ENCODING = Option("encoding", Text(), "of text files that are not UTF-8 and have no mark of it", metavar="NAME")
COLUMNS = Option(
    "columns",
    Listed("pair"),
    "your name for a column of a table (or a key of JSON records): document, annotator, start, end, category",
    metavar="OURS=YOURS",
    argument="--column",
)
OPTIONS = Option(
    "options",
    Listed("option"),
    "what a single format asks for; a value in JSON ({…}, […], true, 3) is taken as such",
    metavar="KEY=VALUE",
    argument="--option",
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
READING_OPTIONS = (
    *(FORMAT, ANNOTATOR, DOCUMENT, LAYERS, LABELS, POSITIONS, OFFSETS, DISCONTINUOUS, MISMATCH, ALIGN_TEXT, REPEATED),
    *(TEXTS, ENCODING, COLUMNS, OPTIONS),
)
"""The options of how files are read, without `OUTSIDE`, which concerns units that are made as well."""
