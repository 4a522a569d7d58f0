"""Options of reading a corpus."""

from __future__ import annotations

from gamma_align.data import MAP
from gamma_align.options import Choice, Control, Flag, Group, Listed, Option, Real, Text, Whole

# CoNLL and similar formats have tokens and may have characters.
POSITIONS = Option(
    "positions",
    Choice(("characters", "tokens")),
    "unit that bounds are counted in, if the format has both",
    explanation="The unit of bounds, if a format has both.",
)
# JavaScript and Java count UTF-16, Python code points, some tools bytes.
OFFSETS = Option(
    "offsets",
    Choice(("code-points", "utf-16", "bytes", "line-ends")),
    "unit in which characters are counted, if it is not that of the format; line-ends: code points, CR LF as one",
    explanation="The unit in which the files count characters, if it is not the unit that the format prescribes: code "
    "points, UTF-16 code units, UTF-8 bytes, or (line-ends) code points with a line end of CR LF counted as one.",
)
# brat, TEI and WebAnno write units of several parts.
DISCONTINUOUS = Option(
    "discontinuous",
    Choice(("whole", "parts", "refuse")),
    "units of several parts: read one unit from first start to last end, a unit for each part, or refuse the data",
    shown_default="whole",
    explanation="Units of several parts: one unit from first start to last end (the default), a unit for each part,"
    ' or an error. In a table, the column ``unit`` names such units if this is set or "unit" is in '
    "`columns`.",
)
# Some formats repeat the text that a unit covers.
MISMATCH = Option(
    "mismatch",
    Choice(("refuse", "keep")),
    "units that do not cover the text that the file gives for them",
    shown_default="refuse",
    explanation="Units that do not cover the text that the file gives for them.",
)
ALIGN_TEXT = Option(
    "align_text",
    Flag(),
    "if the texts of annotators differ, map them onto the first one's, through equal characters",
    explanation="Map differing texts of annotators onto the first one's, through equal characters.",
)
# Prodigy and Label Studio write a record again after each change.
REPEATED = Option(
    "repeated",
    Choice(("refuse", "last", "first", "apart")),
    "repeated records of one text by one annotator: refuse the data, keep the last or the first record (by time if "
    "all have one, otherwise in file order), or keep all apart, as 'anna' and 'anna (2)'",
    shown_default="refuse",
    explanation="Repeated records of one text by one annotator, as Prodigy and Label Studio may write them: refuse "
    "the data, keep the last or the first record, or keep all as records of different annotators, "
    '``"anna"`` and ``"anna (2)"``. Records are in the order of their times (Prodigy\'s ``_timestamp``, '
    "Label Studio's ``updated_at``) if all have one, otherwise in the order of the file.",
)
# A unit past the end is usually an error in the declared length or in the unit.
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
    explanation="Units outside the declared extent of their document: refuse the data, or extend the extent.",
)
# A typing error in a word of five letters is a share of .2.
LOCATE = Option(
    "locate",
    Real(at_least=0, below=1),
    "largest number of edits with which a span without offsets, as language models write it, is found in its text, as"
    " a share of its length",
    metavar="SHARE",
    shown_default="0.2",
    explanation="Largest number of edits with which a span without offsets is found in its text, as a share of its "
    "length (default: 0.2); for answers of language models. 0 allows differences of white space, case, quotes and "
    "dashes alone.",
)
# Sleep scorers leave epochs unscored; hypnograms and EDF+ tell which.
SEEN = Option(
    "seen",
    Choice(("told", "all")),
    "what an annotator has not judged, such as epochs that are not scored, or documents without a unit of theirs: "
    "not seen if the files do not tell, or all seen, with nothing marked",
    shown_default="told",
    explanation="Stretches that an annotator has not judged, as files of some formats tell (epochs that are not "
    'scored): ``"told"`` leaves them out for all annotators of the document, ``"all"`` takes them as seen, with '
    "nothing marked. A table of units alone does not tell whether an annotator saw a document without marking a unit: "
    '``"told"`` takes it as not seen, ``"all"`` as seen.',
)
READING_OPTIONS = (
    Option(
        "format",
        Text(completion="formats"),
        "format of PATH, if it cannot be recognised (convert --list shows all)",
        metavar="NAME",
        explanation="Name of the format, if content and suffix do not determine it. The format that was recognised "
        "is in the corpus's notes.",
    ),
    Option(
        "annotator",
        Text(),
        "names of annotators: a pattern with '{layer}', '{folder}', '{file}', or the names in the file or its path, "
        "'{annotator}' and '{document}'; or one name for all",
        metavar="PATTERN",
        argument="--annotators-from",
        explanation="A name for all units, or a pattern of ``{annotator}`` and ``{document}`` (the names in the "
        "file or its path), ``{layer}``, ``{file}`` (its stem) and ``{folder}``.",
    ),
    Option(
        "document",
        Text(),
        "names of documents, in the same way",
        metavar="PATTERN",
        argument="--documents-from",
        explanation="A name for all documents, or a pattern as for `annotator`.",
    ),
    Option(
        "layers",
        Listed("escaped", python="str | Iterable[str] | Mapping[str, str | None]"),
        "layers (tiers, questions, namespaces) to read, '*' for all; A:F if feature F is the category",
        metavar="A,B",
        explanation='Layers (tiers, questions, namespaces) to read, ``"*"`` for all; ``"layer:feature"`` or a '
        "mapping if the category is a feature of the layer. Not needed if all units are in one layer.",
    ),
    Option(
        "labels",
        Listed("labels", python="str | Iterable[str] | Mapping[str, str | None]"),
        "categories: keep A, read B as C, leave out units of D; all others are left out if some are only kept, and "
        "kept otherwise ('*=C' stands for all others); \\, \\= and \\\\ stand for themselves",
        metavar="A,B=C,D=",
        explanation="Categories to read, without all others; or a mapping of categories to the categories they are "
        'read as, ``None`` to leave them out. The key ``"*"`` stands for all other categories, which '
        "are kept without it.",
    ),
    POSITIONS,
    OFFSETS,
    DISCONTINUOUS,
    MISMATCH,
    ALIGN_TEXT,
    REPEATED,
    SEEN,
    LOCATE,
    Option(
        "texts",
        Text(python="str | os.PathLike[str] | Mapping[str, str | None]"),
        'the annotated texts, if PATH does not contain them: a folder of DOCUMENT.txt, or JSON Lines of {"document", '
        '"text"}',
        metavar="PATH",
        explanation="The texts that were annotated, if the files of annotations do not contain them: a folder with "
        'a file ``<document>.txt`` for each document, or a file of JSON Lines, ``{"document": "d1", '
        '"text": "Anna sings"}``. In a folder of tables, such a file with the name ``texts.jsonl`` is '
        "read by default. In Python it may be a mapping of documents to texts, also for data in memory. A document "
        "without a declared extent is as long as its text. The tokens of files that count tokens are placed in the "
        "texts, and bounds then count characters.",
    ),
    Option(
        "encoding",
        Text(),
        "encoding of text files that are not UTF-8 and have no byte-order mark",
        metavar="NAME",
        explanation="Encoding of text files that are not UTF-8 and have no byte-order mark.",
    ),
    Option(
        "columns",
        Listed("pair", python="Mapping[str, str | None]"),
        "name of your column of a table (or key of JSON records) for document, annotator, start, end or category",
        metavar="OURS=YOURS",
        argument="--column",
        explanation='Your names for the columns of a table (or keys of JSON records), ``{"document": "article"}``; '
        "None if there is no such column. Usual names (``doc_id``, ``label``, ``begin``, ``coder`` …) "
        'are recognised if only one column has one. "layer" and "unit" can be named, too: they are read'
        " if `layers`, a pattern with ``{layer}`` or `discontinuous` requires them.",
    ),
    MAP,
    Option(
        "na",
        Listed("text", python="Sequence[str]"),
        "text in CSV and TSV that means no category, in addition to NA, NaN, nan, <NA>, N/A, #N/A, null, NULL; '' "
        "makes these words categories",
        default=(),
        shows_default=False,
        metavar="TEXT",
        explanation="Texts in the column of categories of a CSV or TSV file that mean no category, besides NA, NaN, "
        'nan, <NA>, N/A, #N/A, null and NULL. With ``""`` among them, these words are categories.',
    ),
    Option(
        "options",
        Listed("option", python="Mapping[str, object]"),
        "option of a single format; a value in JSON ({…}, […], true, 3) is parsed",
        metavar="KEY=VALUE",
        argument="--option",
        explanation="Options of single formats, by the names in their documentation.",
    ),
)
"""The options of how files are read, without `OUTSIDE`, which concerns units that are made as well."""
ABSENT_COLUMNS = {
    "document": Option(
        "one_document", Flag(), "the table has no column of documents: all its units belong to one", default=False
    ),
    "category": Option("no_categories", Flag(), "the table has no column of categories", default=False),
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
REPAIR_DESCRIPTIONS = {
    "swapped-bounds": "swap start and end of units that end before they start",
    "blanks": "remove blanks at the edge of categories",
    "spelling": "write categories that differ in case, blanks and hyphens alone like the most frequent of them",
    "adjacency": "move ends that are less than 1e-05 from the start of the annotator's next unit to that start",
    "past-end": "cut units where the extent of their document ends, and leave out those beyond it",
    "zero-length": "leave out units without length",
    "duplicates": "keep one of units that are the same",
}
"""Repairs by name, in the order in which they apply, with their descriptions."""
FIX_OPTION = Option(
    "fix",
    Listed("names", items=Choice(tuple(REPAIR_DESCRIPTIONS))),
    f"repairs to make, of {', '.join(REPAIR_DESCRIPTIONS)}, separated by commas; each is reported, and nothing else is"
    " changed",
    metavar="NAMES",
)
CSV_SAFE = Option(
    "csv_safe",
    Flag(),
    "put an apostrophe before texts in CSV and TSV that a spreadsheet would run as a formula",
    default=False,
)
LOSS_OPTIONS = (
    Option(
        "drop",
        Listed("names"),
        f"what may be lost if OUT cannot hold it: {', '.join(LOSSES)}, or all of these; zero-length leaves out units "
        "without length",
        default=(),
        metavar="WHAT,…",
    ),
    Option("decimals", Whole(), "round bounds to N decimals (ELAN holds 3)", metavar="N"),
)
FILE_OPTIONS = Group((*READING_OPTIONS[:-1], *ABSENT_COLUMNS.values(), READING_OPTIONS[-1]), "reading", "reading")
UNIT_OPTIONS = Group((OUTSIDE,), "reading", "reading")
