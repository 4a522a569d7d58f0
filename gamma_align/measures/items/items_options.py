"""Options of coefficients on predefined items, and of reading a table of items."""

from __future__ import annotations

from gamma_align.options import Choice, Flag, Group, Listed, Option, Real, Text, Whole

INTERVAL = Option(
    "interval",
    Choice(("jackknife", "linearised", "bootstrap", "fce", "pairs", "none")),
    "over items: jackknife (default), linearised, bootstrap; fce: κ of two coders, large samples; pairs: Hayes & "
    "Krippendorff's for α, too narrow",
    default="jackknife",
    shows_default=False,
)
LAYOUT = Option(
    "layout",
    Choice(("auto", "long", "wide", "counts", "contingency")),
    "long: columns item, annotator, category; wide: a column a coder; counts: a column a category, with numbers of "
    "coders; contingency: a square table of two coders",
    default="auto",
    shown_default="long where its columns are there",
)
COLUMN = Option(
    "column",
    Listed("column"),
    "your name for item, annotator or category; may be repeated",
    default=(),
    shows_default=False,
    metavar="OURS=YOURS",
)
CODERS = Option(
    "coders",
    Listed("quoted"),
    "the columns of coders in a wide table (default: all but the item, ids, texts and remarks); one with a comma in "
    'quotes: "Ann, 2nd",Ben',
    metavar="A,B,…",
)
CATEGORIES = Option(
    "categories",
    Listed("names"),
    "all categories in their order",
    metavar="A,B,…",
    shown_default="those that occur",
)
SETS = Option("sets", Text(), "a label holds several categories with SEP between; {} is none", metavar="SEP")
NA = Option(
    "na",
    Listed("text"),
    "a text that means no judgment, as the empty cell does",
    default=(),
    shows_default=False,
    metavar="TEXT",
)
ENCODING = Option("encoding", Text(), "of a text file that is not UTF-8 and has no mark of it", metavar="NAME")
ITEM_READING = Group((LAYOUT, COLUMN, CODERS, CATEGORIES, SETS, NA, ENCODING), "reading", "reading")

MISSING = Option(
    "missing",
    Choice(("IL", "VL", "PL", "RM")),
    "what weighs the same where judgments are missing: items, values, pairs; RM drops incomplete items",
    shown_default="VL for α, IL for the others",
)
EXPECTED_FROM = Option(
    "expected_from",
    Text(python="ItemTable"),
    "take the expected disagreement from another table, read with the same options",
    metavar="FILE",
)
AICKIN = Option(
    "aickin",
    Flag(),
    "Aickin's a of two coders, too: the share of items that are easy",
    default=False,
    shows_default=False,
)
LATENT_CLASSES = Option(
    "latent_classes", Whole(1), "a model of N latent classes, too, with its test of fit", metavar="N"
)
FURTHER = Group((MISSING, EXPECTED_FROM, AICKIN, LATENT_CLASSES), "coefficients", "more")
LEVEL = Option("level", Real(above=0, below=1), "of the interval", default=0.95, metavar="P")
REPLICATES = Option("replicates", Whole(1), "of a bootstrap", default=1000, metavar="N")
SEED = Option("seed", Whole(0), "of a bootstrap or latent classes", default=0, metavar="N")
THRESHOLD = Option("threshold", Real(), "the probability that other items give less than X", metavar="X")
SCALE = Option(
    "scale",
    Choice(("landis-koch", "krippendorff", "green")),
    "what a scale calls the values, and what is wrong with that",
)
INFERENCE = Group((LEVEL, REPLICATES, SEED, THRESHOLD, SCALE), "inference", "more")
