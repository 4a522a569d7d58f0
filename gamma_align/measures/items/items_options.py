"""Options of coefficients on predefined items, and of reading a table of items."""

from __future__ import annotations

import math

from gamma_align.data import LAYOUT, MAP
from gamma_align.options import Choice, Flag, Group, Listed, Option, Real, Text, Whole

# The names are those of `spec.SPECS`.
COEFFICIENTS = Option(
    "coefficients",
    Listed("names", python="Sequence[str]"),
    "coefficients to compute: observed, s, pi, kappa, kappa-conger, kappa-mean, alpha, ac1, pabak, or their other "
    "names",
    default=("observed", "s", "pi", "kappa", "alpha", "ac1"),
    metavar="A,B,…",
    explanation='Names of coefficients: ``"s"``, ``"pi"`` (α′ with a distance), ``"kappa"`` (κ_w, β with a '
    'distance), ``"kappa-conger"``, ``"kappa-mean"``, ``"alpha"``, ``"ac1"``, ``"observed"``, '
    '``"pabak"``, or another name of one of them.',
)
METHODS = ("jackknife", "linearised", "bootstrap", "fce", "pairs")
"""Methods of intervals."""
# The methods of `inference`; which coefficient has which is in its table.
INTERVAL = Option(
    "interval",
    Choice((*METHODS, "none")),
    "method of the interval over items: jackknife (default), linearised or bootstrap; fce: for κ of two coders, large"
    " samples; pairs: Hayes & Krippendorff's for α, which is too narrow",
    default="jackknife",
    shows_default=False,
    explanation="Method of error and interval, over items; None for no interval: see "
    "`gamma_align.measures.items.intervals`.",
)
ITEM_READING = Group(
    (
        LAYOUT,
        Option(
            "columns",
            Listed("column", python="Mapping[str, str]"),
            "name of your column for item, annotator or category; may be repeated",
            default=(),
            shows_default=False,
            metavar="OURS=YOURS",
            argument="--column",
            explanation="Your names for the columns ``item``, ``annotator`` and ``category``.",
        ),
        MAP,
        Option(
            "coders",
            Listed("quoted", python="Sequence[str]"),
            "columns of the coders in a wide table (default: all except the item, ids, texts and remarks); a name "
            'with a comma in quotes: "Ann, 2nd",Ben',
            metavar="A,B,…",
            explanation="Columns of coders in a wide table; by default all except the item, ids, texts and remarks.",
        ),
        Option(
            "categories",
            Listed("names", python="Sequence[object]"),
            "all categories in their order",
            metavar="A,B,…",
            shown_default="those that occur",
            explanation="All categories in their order; by default the categories that occur.",
        ),
        Option(
            "sets",
            Text(),
            "a label holds several categories, separated by SEP; {} is the empty set",
            metavar="SEP",
            explanation="Text between the categories of a label that is a set; ``{}`` is the empty set.",
        ),
        Option(
            "na",
            Listed("text", python="Sequence[str]"),
            "a text that means no judgment, in addition to NA, NaN, nan, <NA>, N/A, #N/A, null, NULL and the empty "
            "cell; '' makes these words categories",
            default=(),
            shows_default=False,
            metavar="TEXT",
            explanation="Texts that mean no judgment, besides NA, NaN, nan, <NA>, N/A, #N/A, null, NULL and the empty "
            'cell. With ``""`` among them, these words are categories.',
        ),
        Option(
            "encoding",
            Text(),
            "encoding of a text file that is not UTF-8 and has no byte-order mark",
            metavar="NAME",
            explanation="Encoding of a text file that is not UTF-8 and has no byte-order mark.",
        ),
    ),
    "reading",
    "reading",
)

# The conceptions of missing values in the literature (M17 §3).
MISSING = Option(
    "missing",
    Choice(("IL", "VL", "PL", "RM")),
    "what has the same weight if judgments are missing: items (IL), values (VL) or pairs (PL); RM drops incomplete "
    "items",
    shown_default="VL for α, IL for the others",
    explanation="Conception of missing values, which decides what has the same weight: items, values or pairs; RM "
    "drops incomplete items.",
)
FURTHER_OPTIONS = Group(
    (
        MISSING,
        Option(
            "expected_from",
            Text(python="ItemTable"),
            "take the expected disagreement from another table, read with the same options",
            metavar="FILE",
            explanation="Other items, or all items if the table is a part of them: their expected disagreement is "
            "used, and with an ordinal distance their ranks. Errors and intervals take it as known.",
        ),
        Option(
            "aickin",
            Flag(),
            "also compute Aickin's a of two coders: the share of items that are easy",
            default=False,
            explanation="Also compute Aickin's a of two coders: the share of items that are easy.",
        ),
        Option(
            "latent_classes",
            Whole(1),
            "also fit a model of N latent classes, with its test of fit",
            metavar="N",
            explanation="Also fit a model of this number of latent classes, with its test of fit.",
        ),
    ),
    "coefficients",
    "more",
)
# Of two-sided intervals.
LEVEL = Option(
    "level",
    Real(above=0, below=1),
    "level of the interval",
    default=0.95,
    metavar="P",
    explanation="Level of the interval.",
)
# With 1,000, the share of replicates below a bound of 2.5 % has a standard error of .5 %.
REPLICATES = Option(
    "replicates",
    Whole(1),
    "of a bootstrap",
    default=1000,
    metavar="N",
    explanation="Number of replicates of a bootstrap.",
)
# Of the resampling methods.
SEED = Option(
    "seed",
    Whole(0),
    "seed of a bootstrap or of latent classes",
    default=0,
    metavar="N",
    explanation="Seed of a bootstrap, or of latent classes.",
)
SCALES: dict[str, tuple[tuple[float, str], ...]] = {
    "landis-koch": (
        (-math.inf, "poor"),
        (0.0, "slight"),
        (0.2, "fair"),
        (0.4, "moderate"),
        (0.6, "substantial"),
        (0.8, "almost perfect"),
    ),
    "krippendorff": ((-math.inf, "not reliable"), (0.667, "tentative conclusions"), (0.8, "reliable")),
    "green": ((-math.inf, "low"), (0.4, "fair to good"), (0.75, "high")),
}
"""Scales by name: the lower bound of each word. A bound belongs to the word above it."""
# The words that some authors use for ranges of values.
SCALE = Option(
    "scale",
    Choice(tuple(SCALES)),
    "report the word of a scale for each value, and what is wrong with such words",
    explanation="Report the word of a scale for each value, and the limits of such words.",
)
INFERENCE_OPTIONS = Group(
    (
        LEVEL,
        REPLICATES,
        SEED,
        Option(
            "threshold",
            Real(),
            "report the probability that other items give less than X",
            metavar="X",
            explanation="Report the probability that other items give less than this value.",
        ),
        SCALE,
    ),
    "inference",
    "more",
)
