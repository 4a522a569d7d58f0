"""Options of the disagreements of annotators."""

from __future__ import annotations

from gamma_align.options import Flag, Group, Option, Text

CLERICAL = ("duplicates", "spelling", "scale", "offset")
"""Kinds of causes whose repair restores what was meant, so that it may be written (`Cause.is_clerical`)."""

# All options of `disagreements` besides the options of γ
DISAGREEMENT_OPTIONS = Group(
    (
        Option(
            "annotator",
            Text(),
            "the disagreements of this annotator alone: where they differ from more than half of the others",
            metavar="ANNOTATOR",
            argument="--for",
            explanation="Show the disagreements of this annotator alone: unitary alignments in which they differ from "
            "more than half of the other annotators, and what to settle with them. Disorder elsewhere counts as none "
            "in every table.",
        ),
        Option(
            "leave_one_out",
            Flag(),
            "γ without each annotator, too",
            default=False,
            explanation="Measure γ without each annotator, too.",
        ),
        Option(
            "pairs",
            Flag(),
            "γ of each two annotators, and of each with the others, too",
            default=False,
            explanation="Measure γ of each two annotators, too, and of each with the others.",
        ),
    ),
    "output",
)
