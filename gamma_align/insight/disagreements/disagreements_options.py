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
            "show the disagreements of this annotator alone: where they differ from more than half of the others",
            metavar="ANNOTATOR",
            argument="--for",
            explanation="Show the disagreements of this annotator alone: unitary alignments in which they differ from "
            "more than half of the other annotators, and what to settle with them. Disorder elsewhere counts as none "
            "in every table.",
        ),
        Option(
            "leave_one_out",
            Flag(),
            "also measure γ without each annotator",
            default=False,
            explanation="Also measure γ without each annotator.",
        ),
        Option(
            "pairs",
            Flag(),
            "also measure γ of every two annotators, and of each with the others",
            default=False,
            explanation="Also measure γ of every two annotators, and of each with the others.",
        ),
    ),
    "output",
)
