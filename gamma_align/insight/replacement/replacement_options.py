"""Options of the test whether a model could replace an annotator."""

from __future__ import annotations

from gamma_align.options import Choice, Group, Listed, Option, Real, Whole

SIMILARITIES = ("disorder", "strict", "characters")
"""Similarities of the units of two annotators in a document."""
SUBSTITUTES = ("f1", "gamma", "unitizing-alpha")
"""Measures of agreement in which a model is put in the place of each person."""
MIN_DOCUMENTS, MIN_ITEMS = 10, 30
"""Default numbers of instances that a person needs: documents, and items.

From 10 documents on the true size of the t-test at a nominal .05 is .02 to .07 if at most 60 % of the comparisons are
ties; with 5 documents it is up to .12 (tools/bench/results/replacement.md). Items tie more often than documents and
need 30, which is also the limit of Calderon et al.
"""

# No default: only the user knows which annotators are models.
MODELS = Option(
    "annotator",
    Listed("escaped", python="str | Iterable[str]"),
    "the model, or several models; names may have the wildcards * and ? (\\, is a comma in a name)",
    metavar="A,B",
    argument="--model",
    explanation="The model that is compared with the people, or several models. A name may have the wildcards ``*`` "
    "and ``?``.",
)
# Others are left out, such as a consensus that is stored as an annotator.
PEOPLE = Option(
    "people",
    Listed("escaped", python="str | Iterable[str]"),
    "people to compare the model with; names may have the same wildcards, all others are left out",
    metavar="A,B",
    shown_default="all other annotators",
    explanation="The people that models are compared with, by default all other annotators; names may have wildcards.",
)
# The values that Calderon et al. recommend: .2 for experts, .15 for trained annotators, .1 for crowds.
EPSILON = Option(
    "epsilon",
    Real(at_least=0, below=1),
    "advantage of a person that the lower cost of the model outweighs: 0.2 for experts, 0.15 for trained annotators, "
    "0.1 for a crowd",
    default=0.15,
    metavar="E",
    explanation="ε, the advantage of a person that the lower cost of the model makes up for: 0.2 for experts, 0.15 for "
    "trained annotators, 0.1 for a crowd (Calderon et al. 2025).",
)
# The disorder gives partial credit to units that overlap, as γ does.
SIMILARITY = Option(
    "similarity",
    Choice(SIMILARITIES),
    "similarity of the units of two annotators in a document: 1 − disorder / 2Δ of their best alignment, F1 of units "
    "with the same bounds and label, or F1 of characters with their label",
    default="disorder",
    explanation="Of corpora: similarity of the units of two annotators in a document. ``disorder`` is 1 − Σδ / "
    "((|A| + |B|)Δ) of their alignment of least disorder; ``strict`` is F1 of units with the same bounds and label; "
    "``characters`` is F1 of characters with their label. Two annotators without units have similarity 1, one with "
    "units and one without have 0.",
)
MIN_INSTANCES = Option(
    "min_instances",
    Whole(2),
    "number of documents (items) that a person must share with the model and another person to be tested",
    metavar="N",
    shown_default=f"{MIN_DOCUMENTS} documents, {MIN_ITEMS} items",
    explanation="Number of documents (items) that a person must share with the model and another person to be tested; "
    f"by default {MIN_DOCUMENTS} documents or {MIN_ITEMS} items.",
)
# The false discovery rate of Calderon et al.
RATE = Option(
    "rate",
    Real(above=0, below=1),
    "false discovery rate of the tests of all people (Benjamini & Yekutieli 2001)",
    default=0.05,
    metavar="Q",
    explanation="False discovery rate of the tests of all people together (Benjamini & Yekutieli 2001).",
)
# No default: the largest change that does not matter depends on the use of the data.
MARGIN = Option(
    "margin",
    Real(above=0),
    "also put the model in the place of each person, and test whether agreement changes by less than M",
    metavar="M",
    explanation="The largest change of agreement that does not matter. If it is given, the model is put in the place "
    "of each person in turn, and two one-sided tests tell whether the mean change lies within ±`margin`. State it "
    "before you see the data.",
)
# F1 is matched once for each pair of annotators, while γ aligns the corpus again for each person.
SUBSTITUTE = Option(
    "measure",
    Choice(SUBSTITUTES),
    "agreement that --margin is about: F1 of all pairs of annotators, γ or uα; for items it is α",
    default="f1",
    explanation="Of corpora: the agreement that `margin` is about: strict F1 of all pairs of annotators together, γ, "
    "or uα. Of items it is Krippendorff's α.",
)
# With 2,000, a bound of 2.5 % has a standard error of .35 %.
REPLICATES = Option(
    "replicates",
    Whole(1),
    "number of replicates of the bootstrap over documents (items)",
    default=2000,
    metavar="N",
    explanation="Number of replicates of the bootstrap over documents (items), for standing and equivalence.",
)
REPLACEMENT_OPTIONS = Group((MODELS, PEOPLE, EPSILON, SIMILARITY, MIN_INSTANCES))
EQUIVALENCE_OPTIONS = Group((MARGIN, SUBSTITUTE))
REPLACEMENT_INFERENCE = Group((RATE, REPLICATES), "inference", "more")
