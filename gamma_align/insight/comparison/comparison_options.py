"""Options of the comparison of two corpora."""

from __future__ import annotations

from gamma_align.options import Choice, Flag, Group, Option, Text, Whole

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
CAUSES = Option(
    "causes",
    Flag(),
    "do not look for the causes of disagreement in A and B, which takes longer than the values",
    default=True,
    argument="--no-causes",
    flag_value=False,
    explanation="Of corpora: whether to look for the causes of disagreement in both, which takes longer than values.",
)
UNITS = Option(
    "units",
    Flag(),
    "what became of each unit instead, in two versions of one annotator or more, such as a gold standard; the exit "
    "code is 1 if anything differs",
    default=False,
)
BY = Option(
    "by",
    Text(),
    "one table instead: the agreement in each round, version, batch or guideline, which a column of PATH names, and of "
    "people with themselves",
    metavar="COLUMN",
)
TEST_OPTIONS = Group((UNITS, BY, CAUSES, REPLICATES))
EXTENT_OPTIONS = Group((EXTENTS,), "reading", "reading")
