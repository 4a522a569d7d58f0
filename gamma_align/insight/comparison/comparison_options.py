"""Options of the comparison of two annotations."""

from __future__ import annotations

from gamma_align.options import Choice, Group, Option, Whole

FAMILIES = ("gamma", "unitizing-alpha")
"""Families of coefficients of a corpus."""

REPLICATES = Option(
    "replicates",
    Whole(1),
    "exchanges of documents that the test looks at",
    default=9999,
    metavar="N",
    explanation="Of corpora: maximum number of exchanges of documents that the test uses.",
)
EXTENTS = Option(
    "extents",
    Choice(("refuse", "join")),
    "documents of another extent in B than in A, as where extents are not declared: refuse the data, or take "
    "the smallest extent that holds both",
    default="refuse",
    explanation="Of corpora: treatment of documents with another extent in the other corpus, as if extents are not "
    "declared: refuse the data, or take the smallest extent that contains both.",
)
TEST = Group((REPLICATES,))
READING = Group((EXTENTS,), "reading", "reading")
