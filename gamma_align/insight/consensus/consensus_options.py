"""Options of the consensus of annotators."""

from __future__ import annotations

from gamma_align.options import Choice, File, Group, Option, Text

# votes of more than half of the annotators, and of all
MAJORITY = "majority"
ALL = "all"


def _votes_of(text: str) -> str | float:
    if text in (MAJORITY, ALL):
        return text
    if text.isdecimal():
        return int(text)
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a number") from None


# The model that weighs annotators
WEIGH = Option(
    "weigh",
    Choice(("dawid-skene",)),
    "weigh annotators by their error rates instead of counting votes (Dawid & Skene 1979)",
    explanation="Weigh annotators by their error rates instead of counting votes (Dawid & Skene 1979). For each "
    "unitary alignment, an annotator of the document contributes a category, or that there is no unit. "
    "There is a unit if P(no unit) < 1/2, and its category is the most probable one.",
)
# The name of the annotator of the consensus
NAME = Option(
    "name",
    Text(),
    "name of the annotator of the consensus",
    default="consensus",
    metavar="NAME",
    explanation="Name of the annotator of the consensus.",
)
# The decisions on disagreements
DECISIONS = Option(
    "decisions",
    File(python="Decisions | str | os.PathLike[str]"),
    "file of decisions, as saved by the report: a decision takes the place of the votes",
    metavar="FILE",
    explanation="Decisions on places and findings, or the path of the file that the report saves. A decision takes "
    "the place of the votes.",
)
# All options of `consensus` besides the options of the alignment
CONSENSUS_OPTIONS = Group(
    (
        Option(
            "votes",
            Text(python="str | float", parse=_votes_of),
            "number of annotators of a document that must have a unit: majority, which is more than half (default), "
            "all, a number, or a share below 1",
            metavar="N|SHARE",
            explanation="Number of annotators of the document that must have a unit: ``majority`` (more than half, the "
            "default), ``all``, a number, or a share between 0 and 1.",
        ),
        WEIGH,
        NAME,
        DECISIONS,
    )
)
