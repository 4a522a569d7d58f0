"""Options of the comparison of two annotations."""

from __future__ import annotations

from gamma_align.options import Choice, Group, Option, Whole

FAMILIES = ("gamma", "unitizing-alpha")
"""Families of coefficients of a corpus."""

# With the data as one more exchange, p is a multiple of 1/10,000 by default.
REPLICATES = Option(
    "replicates",
    Whole(1),
    "exchanges of documents that the test looks at",
    default=9999,
    metavar="N",
    explanation="Of corpora: maximum number of exchanges of documents that the test uses.",
)
# The treatment of documents whose extents differ
EXTENTS = Option(
    "extents",
    Choice(("refuse", "join")),
    "documents of another extent in B than in A, as where extents are not declared: refuse the data, or take "
    "the smallest extent that holds both",
    default="refuse",
    explanation="Of corpora: treatment of documents with another extent in the other corpus, as if extents are not "
    "declared: refuse the data, or take the smallest extent that contains both.",
)
TEST_OPTIONS = Group((REPLICATES,))
EXTENT_OPTIONS = Group((EXTENTS,), "reading", "reading")
