"""Options of γ, γcat and γk, and the conventions that decide the options that are not set.

Conventions follow the papers (M15, M17), the authors' program, or pygamma-agreement 0.5.9. The options cover the
weights, pairing confidence, number of samples and default sampler of pygamma-agreement, and the offsets of its
shuffling sampler. They do not cover its samples without aligned units, which are 0 for γcat and 1 for γk of a category
that they lack, nor its unaligned units, which count as disagreement for γcat.
"""

from __future__ import annotations

from gamma_align.alignment.options import ALIGNMENT, PROOF_OPTIONS
from gamma_align.options import EMPTY_COST, WEIGHT, Choice, Control, Group, Option, Real, Text, Whole, all_options

FIRST_SAMPLES = 30
"""Number of samples in the first batch (M15 §5.3), and thus the smallest limit of their number."""

# The other options have the values of these conventions unless they are set.
CONVENTIONS = Option(
    "conventions",
    Choice(("m15", "authors", "pygamma")),
    "what decides the options that are not given: the papers, the authors' program, or pygamma-agreement",
    default="m15",
    explanation="Source of the value of each option that is not given: the papers, the authors' program (α = 3, "
    "weighted confidence, integer offsets half a mean length apart), or pygamma-agreement (confidence likewise, 30 "
    "samples of its statistical sampler without control), as far as it can be set: see "
    "`gamma_align.measures.gamma.gamma_options`.",
    control=Control(
        "Measure",
        "Conventions",
        choices={"m15": "γ, γcat and γk", "authors": "as the authors’ program", "pygamma": "as pygamma-agreement"},
        affects="alignment",
        is_title_hidden=True,
    ),
)
# The weight of d_pos in d = α·d_pos + β·d_cat (M15 §4.2); the authors' program has 3.
ALPHA = Option(
    "alpha",
    WEIGHT,
    "weight of the position",
    default=1.0,
    conventions={"authors": 3.0},
    metavar="X",
    explanation="α, the weight of the position.",
    control=Control("Disorder", "Weight of position", symbol="α", affects="alignment"),
)
# The weight of d_cat in the same sum.
BETA = Option(
    "beta",
    WEIGHT,
    "weight of the category",
    default=1.0,
    conventions={},
    metavar="X",
    explanation="β, the weight of the category.",
    control=Control("Disorder", "Weight of category", symbol="β", affects="alignment"),
)
DELTA_EMPTY = Option(
    "delta_empty",
    EMPTY_COST,
    "Δ, what an empty unit costs",
    default=1.0,
    conventions={},
    metavar="X",
    explanation="Δ, the dissimilarity of a unit to the empty unit.",
    control=Control("Disorder", "Cost of leaving alone", symbol="Δ", affects="alignment"),
)
# The help lists all names; `distances.registry.KINDS` has their classes.
DISTANCE = Option(
    "distance",
    Text(python="AnyDistance"),
    "of categories: nominal, ordinal, gwet-ordinal, interval, ratio, linear, bipolar, edit, jaccard, dice, "
    "passonneau, masi, masi-product, circular:PERIOD, interval:position, linear:position; with a taxonomy "
    "melamed-resnik, path, extended-senses",
    metavar="NAME",
    shown_default="nominal",
    explanation="Distance between categories, as a name, Distance, table or function: see "
    "`gamma_align.distances.as_distance`.",
    control=Control("Disorder", "Distance of categories", affects="alignment"),
)
# Python alone: an object has no form on a command line.
DISSIMILARITY = Option(
    "dissimilarity",
    Text(python="Dissimilarity"),
    "d with its weights",
    explanation="d with its weights, in place of `distance`, `alpha`, `beta` and `delta_empty`.",
    is_argument=False,
)
# 1.96·σ/(μ·√N) of N samples (M15 §5.3).
PRECISION = Option(
    "precision",
    Real(above=0, below=1, remark=" (0.02 is 2 %)"),
    "relative precision of the expected disorder, at 95 %",
    default=0.02,
    conventions={},
    metavar="E",
    explanation="Relative precision of the expected disorder at 95 % (M15 §5.3): half the width of its interval.",
    control=Control("Chance", "Precision", is_percent=True),
)
# At least two: one sample has no standard error.
SAMPLES = Option(
    "samples",
    Whole(2, remark=", to tell how much they vary"),
    "draw N samples a document, whatever the precision",
    conventions={"pygamma": 30},
    metavar="N",
    explanation="Fixed number of samples instead of a precision.",
)
# Samples are addressed by seed, document and number.
SEED = Option(
    "seed",
    Whole(0),
    "seed of the samples",
    default=0,
    metavar="N",
    explanation="Seed of the samples.",
    control=Control("Chance", "Seed"),
)
PRECISION_OF = Option(
    "precision_of",
    Choice(("corpus", "documents")),
    "whether the pooled γ and γcat are to be that precise, or γ of every document, which takes many more samples where "
    "documents are many",
    default="corpus",
    conventions={},
    explanation="Values that must reach the precision: the pooled γ and γcat of the corpus, for which a few samples of "
    "each of many documents suffice; or γ of every document, as in M15.",
)
# M17 §4.2.3 weighs a pair by 1 - d_pos/Δ; the programs use α·d_pos.
CONFIDENCE = Option(
    "confidence",
    Choice(("positional", "weighted", "none")),
    "weight of a pair in γcat: 1 - d_pos/Δ, with d_pos weighed by α, or 1 for every pair",
    default="positional",
    conventions={"authors": "weighted", "pygamma": "weighted"},
    explanation="Pairing confidence of γcat: 1 - d_pos/Δ (M17 §4.2.3), the same with d_pos weighted by α (the authors' "
    "program), or none: every aligned pair has the same weight.",
)
EMPTY_SAMPLES = Option(
    "empty_samples",
    Choice(("skip", "one")),
    "samples without aligned units are left out of γcat's chance, or have a disorder of 1",
    default="skip",
    conventions={},
    explanation="Treatment of a sample without aligned units in γcat: left out of the mean, or a disorder of 1.",
)
# M15 §5.2 shifts annotators; pygamma-agreement draws units from normal distributions.
SAMPLER = Option(
    "sampler",
    Choice(("shift", "documents", "statistical")),
    "samples are made of the document's units, shifted; of other documents' units, stretched; or of units drawn from "
    "normal distributions",
    default="shift",
    conventions={"pygamma": "statistical"},
    explanation="Source of the samples: the units of annotators of the document, shifted (M15 §5.2); the units of "
    "annotators of other documents of the corpus, stretched, which requires as many documents as a document has "
    "annotators; or units drawn from normal distributions, as pygamma-agreement does by default.",
    control=Control(
        "Chance",
        "Sampler",
        choices={
            "shift": "shifts of each annotator",
            "documents": "units of other documents",
            "statistical": "normal distributions",
        },
    ),
)
# The papers have one expected disorder for each document.
CHANCE = Option(
    "chance",
    Choice(("documents", "pooled")),
    "each document has an expected disorder of its own, or those of as many annotators share one, which gives "
    "documents a value that are too short to have one",
    default="documents",
    conventions={},
    explanation="Whether each document has an expected disorder of its own, or documents with as many annotators share "
    "one: for documents so short that their own values are noise, or not available. Documents too short for the "
    "offsets of their samples contribute only if all of them are.",
)
MIN_DISTANCE = Option(
    "min_distance",
    Choice(("mean", "half")),
    "least distance of two offsets of a shifted sample: the mean length of units, or half of it",
    default="mean",
    conventions={"authors": "half", "pygamma": "half"},
    explanation="Least distance between the offsets of shifted samples: the mean length of units, or half of it.",
)
INTEGER_OFFSETS = Option(
    "integer_offsets",
    Choice(("yes", "no", "auto"), values={"yes": True, "no": False}),
    "whether offsets of shifted samples are integers; auto: where all boundaries of a document are",
    default="auto",
    conventions={"authors": True, "pygamma": True},
    explanation='Whether offsets of shifted samples are integers; "auto": if all boundaries of a document are.',
)
MAX_SAMPLES = Option(
    "max_samples",
    Whole(FIRST_SAMPLES),
    "never draw more than N samples a document, and say so",
    default=10_000,
    conventions={},
    metavar="N",
    explanation="Limit of the number of samples of a document; if it does not suffice, the result reports it.",
)
# Pairs of annotators cost little to align and correlate with all of them.
CONTROL = Option(
    "control",
    Choice(("pairs", "none")),
    "whether alignments of pairs of annotators make the expected disorder of three and more precise with less work",
    default="pairs",
    conventions={"pygamma": "none"},
    explanation="Whether alignments of two annotators at a time serve as a control variate for the expected disorder "
    "of three and more, if that takes less work for the same precision, and the chance of units to overlap for γcat "
    "and γk; also whether chance of two annotators is computed. "
    '"none" is the plain mean of independent samples (M15).',
)

WEIGHT_OPTIONS = Group((CONVENTIONS, ALPHA, BETA, DELTA_EMPTY), "dissimilarity", "more")
DISTANCE_OPTIONS = Group((DISTANCE, DISSIMILARITY))
SAMPLING_OPTIONS = Group((PRECISION, SAMPLES, SEED))
CHANCE_OPTIONS = Group(
    (
        *(PRECISION_OF, CONFIDENCE, EMPTY_SAMPLES, SAMPLER, CHANCE, MIN_DISTANCE, INTEGER_OFFSETS, MAX_SAMPLES),
        *(CONTROL, *PROOF_OPTIONS),
    ),
    "chance and γcat",
    "more",
)
ALIGNMENT_OPTIONS = Group((ALIGNMENT,), "alignment", "more")
GAMMA_OPTIONS = all_options((WEIGHT_OPTIONS, DISTANCE_OPTIONS, SAMPLING_OPTIONS, CHANCE_OPTIONS, ALIGNMENT_OPTIONS))
CONVENTION_VALUES = {
    conventions: {
        option.name: option.value_under(conventions) for option in GAMMA_OPTIONS if option.conventions is not None
    }
    for conventions in CONVENTIONS.words
}
"""The value of each option that conventions decide, by conventions."""
