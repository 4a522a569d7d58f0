"""Options of corpus shuffling, of the synthetic reference, of the curve of γ and of the plans of studies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gamma_align.options import NON_NEGATIVE, POSITIVE, Choice, File, Flag, Group, Listed, Option, Real, Text, Whole

OverlapMatrix = Sequence[Sequence[float]] | Mapping[str, Mapping[str, float]]
"""Similarity of categories: rows of probabilities, or category to category to probability."""

KINDS = ("shift", "false-negative", "false-positive", "category", "split")
"""Kinds of errors, in the order in which they are applied."""

_ANY_KIND = Listed("names", python="Sequence[str]", items=Choice(KINDS))
_MAGNITUDE_RANGE = Real(at_least=0, at_most=1, remark=" (0 is no errors)")
_RANDOM_SEED = Option(
    "seed", Whole(0), "seed of all random numbers", default=0, metavar="N", explanation="Seed of all random numbers."
)

ERROR_MAGNITUDE = Option(
    "magnitude",
    Listed("names", python="float", items=_MAGNITUDE_RANGE),
    "magnitude of the errors, from 0 to 1, or a list of magnitudes: 0,0.5",
    metavar="M",
    explanation="m, from 0 (no errors) to 1 (the strongest errors of each kind).",
    short="-m",
    is_required=True,
)
GRID_REPETITIONS = Option(
    "repetitions",
    Whole(1),
    "number of simulated documents at each magnitude",
    default=1,
    metavar="N",
    explanation="Number of simulated documents for each document and magnitude.",
)
COPY_OPTIONS = (
    Option(
        "kinds",
        _ANY_KIND,
        f"kinds of errors, of {', '.join(KINDS)}; they apply in this order",
        default=KINDS[:1],
        metavar="A,B",
        explanation='``"shift"``, ``"false-negative"``, ``"false-positive"``, ``"category"``, ``"split"``; always '
        "applied in this order.",
    ),
    Option(
        "annotator",
        Text(),
        "annotator whose units are the reference, if there are several",
        metavar="NAME",
        explanation="The annotator whose units are the reference.",
    ),
    Option(
        "annotators",
        Whole(1),
        "number of annotators to make",
        default=3,
        metavar="N",
        explanation="Number of copies of each document.",
    ),
    _RANDOM_SEED,
)
"""Options of the copies of a reference, without the magnitude of their errors."""
SHUFFLING_OPTIONS = Group(
    (
        ERROR_MAGNITUDE,
        *COPY_OPTIONS[:-1],
        GRID_REPETITIONS,
        _RANDOM_SEED,
        Option(
            "synthetic",
            Whole(1),
            "instead of reading PATH, make a reference with this number of units",
            metavar="UNITS",
        ),
    )
)

# Errors of category: by the frequencies of categories in the reference, uniform, or by a matrix.
CONFUSION = Option(
    "confusion",
    Choice(("prevalence", "uniform")),
    "distribution of wrong categories: the frequencies in the reference, or uniform",
    default="prevalence",
    explanation="The distribution P of wrong categories: the frequencies in the reference, or uniform.",
)
SHIFT_FACTOR = Option(
    "shift_factor",
    NON_NEGATIVE,
    "at magnitude 1, boundaries move by at most this number of mean unit lengths",
    default=2.0,
    metavar="X",
    explanation="Bounds move by at most m · shift_factor · (mean unit length).",
)
SPLIT_FACTOR = Option(
    "split_factor",
    NON_NEGATIVE,
    "at magnitude 1, the number of cuts per unit",
    default=2.5,
    metavar="X",
    explanation="Units are cut m · split_factor · (number of units) times, if units are long enough.",
)
# Whether shifted units may overlap.
OVERLAPS = Option(
    "overlaps",
    Choice(("allow", "cut")),
    "units of an annotator that overlap after a change: keep them, or end the earlier one where the later one begins",
    default="allow",
    explanation='Whether shifted and added units of an annotator may overlap. With "cut", the earlier unit ends where '
    "the later one begins.",
)
ERROR_OPTIONS = Group(
    (
        CONFUSION,
        Option(
            "subset",
            Listed("names", python="Sequence[str]"),
            "confuse only these categories, with each other",
            metavar="A,B",
            explanation="Confuse only these categories, with each other.",
        ),
        Option(
            "overlap_matrix",
            File(is_table=True, python="OverlapMatrix"),
            "similarity of categories: a square CSV table with the labels in its first row and first column; each row"
            " sums to 1",
            metavar="FILE.csv",
            explanation="Similarity of categories: rows of probabilities, or category to category to probability.",
        ),
        SHIFT_FACTOR,
        SPLIT_FACTOR,
        OVERLAPS,
        Option(
            "integer",
            Flag(),
            "whether bounds are integers",
            explanation="Whether bounds are integers. By default they are if all bounds of the document are.",
            is_argument=False,
        ),
    ),
    "errors",
    "more",
)


def _deviation(of: str) -> Option:
    """Return the option of a standard deviation."""
    explanation = f"Standard deviation of the {of} of units." if of == "length" else "Standard deviation of gaps."
    return Option(f"{of}_deviation", NON_NEGATIVE, "its deviation", default=0.0, metavar="X", explanation=explanation)


SYNTHETIC_SECTION = Group(
    (
        Option(
            "categories",
            Listed("weights", python="Sequence[str] | Mapping[str, float]"),
            "categories of the units, with their relative frequencies",
            default=dict.fromkeys("ABCD", 1.0),
            shown_default="A,B,C,D, all the same",
            metavar="A=3,B=1",
            explanation="Labels, equally frequent, or each with its frequency.",
        ),
        Option(
            "length",
            POSITIVE,
            "mean length of units",
            default=10.0,
            metavar="X",
            explanation="Mean length of units.",
        ),
        _deviation("length"),
        Option(
            "gap",
            NON_NEGATIVE,
            "mean distance between neighbouring units",
            default=10.0,
            metavar="X",
            explanation="Mean distance between neighbouring units.",
        ),
        _deviation("gap"),
        Option(
            "nesting",
            NON_NEGATIVE,
            "share of the units that lie inside another unit",
            default=0.0,
            metavar="X",
            explanation="Share of the units that lie inside another unit.",
        ),
    ),
    "synthetic reference",
    "more",
)
SYNTHETIC_OPTIONS = (*SYNTHETIC_SECTION.options, _RANDOM_SEED)

CURVE_OPTIONS = Group(
    (
        Option(
            "kinds",
            _ANY_KIND._replace(python="Sequence[str | Sequence[str]]"),
            f"kinds of errors, each with a curve of its own: {', '.join(KINDS)}",
            metavar="A,B",
            shown_default="all; category only if there are two or more",
            explanation="Kinds of errors of each curve, as in `shuffle`; several kinds together form one curve. By "
            'default each kind has a curve, ``"category"`` only if there are two or more categories.',
        ),
        Option(
            "magnitudes",
            Listed("names", python="Sequence[float]", items=_MAGNITUDE_RANGE),
            "magnitudes at which the curves are computed, beginning with 0",
            metavar="M,M",
            shown_default="0,0.2,0.4,0.6,0.8,1, and one more halfway between the two at which a curve falls below γ",
            explanation="Magnitudes at which the curves are computed, beginning with 0; curves are linear in between. "
            "By default 0, 0.2 … 1, and one more halfway between the two at which a curve falls below the measured γ.",
        ),
        Option(
            "repetitions",
            Whole(1),
            "number of simulated corpora per point",
            default=5,
            metavar="N",
            explanation="Number of simulated corpora for each point. Each uses other annotators as the reference.",
        ),
    )
)
PLAN_OPTIONS = Group(
    (
        Option(
            "target",
            POSITIVE,
            "requested width of the interval",
            metavar="W",
            argument="--target-width",
            explanation="Requested width of the 95 % interval.",
            is_required=True,
        ),
        Option(
            "annotators",
            Listed("names", python="Sequence[int]", items=Whole(2)),
            "numbers of annotators per document to compare",
            default=(2, 3, 4, 5, 6),
            metavar="N,N",
            explanation="Numbers of annotators per document to compare.",
        ),
        Option(
            "repetitions",
            Whole(2),
            "number of simulated corpora for each number of annotators",
            default=10,
            metavar="N",
            explanation="Number of simulated corpora for each number of annotators.",
        ),
    )
)
POWER_OPTIONS = Group(
    (
        Option(
            "power",
            Real(above=0, below=1),
            "instead of a width: PATH names two annotations of the same documents, A and B; compute how many "
            "documents show with this probability that their γ differ",
            metavar="P",
            explanation="Requested probability that the exchange test finds the difference.",
            is_required=True,
        ),
        Option(
            "difference",
            Real(at_least=-1, at_most=1),
            "the difference to find, γ of B minus γ of A",
            metavar="X",
            shown_default="the pilot's own",
            explanation="The difference to find, second minus first; by default that of the pilot.",
        ),
    ),
    "difference of two annotations",
)
