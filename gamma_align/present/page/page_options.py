"""The options of `html_report`, for Python and the command line."""

from __future__ import annotations

from gamma_align.options import Choice, Flag, Group, Listed, Option, Real, Text

TEXT_AMOUNT = Option(
    "text",
    Choice(("none", "windows", "full")),
    "amount of text on the page: none, the words around disagreements, or all",
    default="windows",
    explanation="Amount of the texts that the report contains: none, the words around disagreements, or all.",
)
REPORT_OPTIONS = Group(
    (
        Option(
            "title",
            Text(),
            "name of the corpus",
            metavar="TEXT",
            shown_default="the name of the path",
            explanation="Name of the corpus; by default the name of the path.",
        ),
        TEXT_AMOUNT,
        Option(
            "anonymous",
            Flag(),
            "call the annotators A, B, C …",
            default=False,
            explanation="Call the annotators A, B, C … everywhere. Options have their own names.",
        ),
        Option(
            "annotator",
            Text(),
            "make the page for this annotator: the disagreements in which they differ from more than half of the "
            "others",
            metavar="ANNOTATOR",
            argument="--for",
            explanation="Make the report for this annotator: their own disagreements alone.",
        ),
        Option(
            "independent",
            Listed("escaped", python="Sequence[str]"),
            "annotators who worked on their own: γ at the top is theirs; the others appear everywhere else",
            default=(),
            metavar="A,B",
            explanation="The annotators who worked on their own: γ at the top is theirs. The others, such as an "
            "agreed version, appear everywhere else.",
        ),
        Option(
            "model",
            Listed("escaped", python="str | Iterable[str]"),
            "annotators that are models, with wildcards * and ?: γ at the top is γ of the people, and each model has "
            "a card",
            default=(),
            metavar="A,B",
            explanation="The annotators that are models; names may have the wildcards ``*`` and ``?``. γ on top is "
            "γ of the people, unless `independent` names others, and each model has a card: its standing among the "
            "people, and the change of agreement if it takes the place of a person.",
        ),
        Option(
            "reference",
            Text(),
            "evaluate the other annotators against this one, too",
            metavar="NAME",
            explanation="The annotator that the others are evaluated against.",
        ),
        Option(
            "remarks",
            Listed("text", python="Sequence[str]"),
            "a remark for the readers, on top; may be repeated",
            default=(),
            metavar="TEXT",
            argument="--remark",
            explanation="Remarks for the readers, on top.",
        ),
        Option(
            "asked",
            Real(),
            "draw a requested γ on the scale",
            metavar="VALUE",
            explanation="A requested γ, drawn on the scale.",
        ),
        Option(
            "curves",
            Flag(),
            "measure how many errors of each kind would lower γ that far; takes longer",
            default=False,
            argument="--curve",
            explanation="Measure how many errors of each kind alone would lower γ that far, as `curve` does.",
        ),
    ),
    "output",
)
