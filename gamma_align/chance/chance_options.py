"""Options of expected disorders: how random continua are drawn, how many, and what the sums over them are of."""

from __future__ import annotations

from gamma_align.options import Choice, Control, Group, Option, Real, Whole, all_options

FIRST_SAMPLES = 30
"""Number of samples in the first batch (M15 §5.3), and thus the smallest limit of their number."""

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
    "draw N samples per document, whatever the precision",
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
    "whether the pooled γ and γcat must reach the precision, or γ of every document, which takes many more samples in"
    " a large corpus",
    default="corpus",
    conventions={},
    explanation="Values that must reach the precision: the pooled γ and γcat of the corpus, for which a few samples of "
    "each of many documents suffice; or γ of every document, as in M15.",
)
# M17 §4.2.3 weighs a pair by 1 - d_pos/Δ; the programs use α·d_pos.
CONFIDENCE = Option(
    "confidence",
    Choice(("positional", "weighted", "none")),
    "weight of a pair in γcat: 1 - d_pos/Δ, the same with d_pos multiplied by α, or 1 for every pair",
    default="positional",
    conventions={"authors": "weighted", "pygamma": "weighted"},
    explanation="Pairing confidence of γcat: 1 - d_pos/Δ (M17 §4.2.3), the same with d_pos weighted by α (the authors' "
    "program), or none: every aligned pair has the same weight.",
)
EMPTY_SAMPLES = Option(
    "empty_samples",
    Choice(("skip", "one")),
    "samples without aligned units: leave them out of the expected disorder of γcat, or count each as a disorder of 1",
    default="skip",
    conventions={},
    explanation="Treatment of a sample without aligned units in γcat: left out of the mean, or a disorder of 1.",
)
# M15 §5.2 shifts annotators; pygamma-agreement draws units from normal distributions.
SAMPLER = Option(
    "sampler",
    Choice(("shift", "documents", "statistical")),
    "what samples are made of: the document's own units, shifted; units of other documents, stretched; or units drawn"
    " from normal distributions",
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
MIN_DISTANCE = Option(
    "min_distance",
    Choice(("mean", "half")),
    "smallest distance between two offsets of a shifted sample: the mean length of units, or half of it",
    default="mean",
    conventions={"authors": "half", "pygamma": "half"},
    explanation="Least distance between the offsets of shifted samples: the mean length of units, or half of it.",
)
INTEGER_OFFSETS = Option(
    "integer_offsets",
    Choice(("yes", "no", "auto"), values={"yes": True, "no": False}),
    "whether the offsets of shifted samples are integers; auto: if all boundaries of the document are",
    default="auto",
    conventions={"authors": True, "pygamma": True},
    explanation='Whether offsets of shifted samples are integers; "auto": if all boundaries of a document are.',
)
MAX_SAMPLES = Option(
    "max_samples",
    Whole(FIRST_SAMPLES),
    "never draw more than N samples per document; the result reports a precision that was missed",
    default=10_000,
    conventions={},
    metavar="N",
    explanation="Limit of the number of samples of a document; if it does not suffice, the result reports it.",
)
# Pairs of annotators cost little to align and correlate with all of them.
CONTROL = Option(
    "control",
    Choice(("pairs", "none")),
    "whether alignments of pairs of annotators help to estimate the expected disorder of three or more, with less work",
    default="pairs",
    conventions={"pygamma": "none"},
    explanation="Whether alignments of two annotators at a time serve as a control variate for the expected disorder "
    "of three and more, if that takes less work for the same precision, and the chance of units to overlap for γcat "
    "and γk; also whether chance of two annotators is computed. "
    '"none" is the plain mean of independent samples (M15).',
)

SAMPLING_OPTIONS = Group((PRECISION, SAMPLES, SEED))
FURTHER_OPTIONS = Group(
    (PRECISION_OF, CONFIDENCE, EMPTY_SAMPLES, SAMPLER, MIN_DISTANCE, INTEGER_OFFSETS, MAX_SAMPLES, CONTROL)
)
CHANCE_OPTIONS = all_options((SAMPLING_OPTIONS, FURTHER_OPTIONS))
