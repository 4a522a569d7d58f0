"""Options of the human ceiling."""

from __future__ import annotations

from gamma_align.measures.reference import VOTE_MEASURES
from gamma_align.options import Choice, Flag, Group, Option, Text

GAMMA = "gamma"
APPROXIMATE_MEASURES = ("relaxed", "partial", "type", GAMMA)
"""Measures without a theorem, whose ceiling is known approximately."""
MAJORITY = "majority"
"""The gold standard is what most annotators mark."""

AGAINST = Option(
    "against",
    Choice(("one", MAJORITY)),
    "the gold standard: one annotator, or what most annotators mark",
    default="one",
    explanation="The gold standard that answers are scored against: ``one`` annotator, or the ``majority`` of the "
    "annotators of each document.",
)
# No default: only the user knows which annotator is a model.
MODEL = Option(
    "model",
    Text(),
    "the annotator that is a model: is it below, at or above the ceiling of the others?",
    metavar="NAME",
    explanation="The annotator that is a model. It does not vote; its score is compared with the ceiling of the others "
    "on the documents that it saw.",
)
CEILING_MEASURE = Option(
    "measure",
    Choice((*VOTE_MEASURES, *APPROXIMATE_MEASURES)),
    "F1 of units with the same bounds and label (strict), of units with the same bounds (exact), or of characters; "
    "approximately, relaxed, partial or type F1, or gamma",
    metavar="NAME",
    default="strict",
    explanation="F1 of units with the same bounds and label (``strict``), with the same bounds (``exact``), or of "
    "positions with a label (``characters``). Of ``relaxed``, ``partial`` and ``type`` F1, and of ``gamma``, the range "
    "is approximate: from what the others together score to what the consensus of all scores.",
)
BY_LABEL = Option(
    "by_label",
    Flag(),
    "also compute the ceiling of each label",
    default=False,
    explanation="Whether to compute the ceiling of each label as well.",
)
CEILING_OPTIONS = Group((AGAINST, MODEL, CEILING_MEASURE, BY_LABEL), "ceiling")
