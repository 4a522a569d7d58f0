"""Options of the comparison with a reference."""

from __future__ import annotations

from gamma_align.options import (
    NON_NEGATIVE,
    POSITIVE,
    Choice,
    Flag,
    Group,
    Listed,
    Option,
    Real,
    Text,
    Whole,
    all_options,
)

# Choices of options.
MEASURES = ("spans", "gamma", "unitizing-alpha", "segmentation", "diarization")
DEFAULT_MEASURES = MEASURES[:3]  # the measures that fit all data
KINDS = ("correct", "boundary", "label", "both", "missed", "spurious")
"""Kinds of cases: matched as they are; with other bounds, another label, or both; units of one side alone."""
MATCHES = ("strict", "exact", "partial", "type", "relaxed", "characters", "credit")
"""Definitions of a match, each with precision, recall and F1."""
VOTE_MEASURES = ("strict", "exact", "characters")
"""What annotators vote on: units with bounds and label, with bounds alone, or positions with a label."""

_TYPE_OF_NAMES = "str | Iterable[str]"

COMPARISON_OPTIONS = Group(
    (
        Option(
            "reference",
            Text(),
            "the annotator to compare the others with",
            metavar="NAME",
            explanation="The annotator that all others are compared with, each on the documents that both saw.",
        ),
        Option(
            "measures",
            Listed("names", python=_TYPE_OF_NAMES, items=Choice(MEASURES)),
            f"measures to compute, of {', '.join(MEASURES)}, separated by commas",
            metavar="A,B",
            shown_default=",".join(DEFAULT_MEASURES),
            explanation="Of ``spans``, ``gamma`` (γ and γcat), ``unitizing-alpha``, ``segmentation`` and "
            "``diarization``.",
        ),
    )
)
# Intersection over union, θ: .5 is usual in the detection of objects and of entities.
IOU = Option(
    "iou",
    Real(above=0, at_most=1),
    "smallest intersection over union of two units that match, for the relaxed F1",
    default=0.5,
    metavar="X",
    explanation="θ of ``relaxed``, above 0 and at most 1.",
)
ZERO_DIVISION = Option(
    "zero_division",
    Whole(0, at_most=1),
    "value of precision, recall and F1 if their denominator is 0",
    metavar="{0,1}",
    shown_default="not available",
    explanation="Precision, recall and F1 if the denominator is 0; by default they are not available then.",
)
SPAN_OPTIONS = Group(
    (
        IOU,
        ZERO_DIVISION,
        Option(
            "map_labels",
            Flag(),
            "first map each system's labels one to one onto the reference's, so that units of mapped labels overlap "
            "most",
            default=False,
            explanation="Whether to map a system's labels one to one onto the reference's first, so that units of "
            "mapped labels overlap on the greatest length: for labels whose names differ or are arbitrary.",
        ),
    ),
    "units",
    "more",
)
CHANCE_FROM = Option(
    "chance_from",
    Choice(("both", "reference")),
    "whose units the random samples for γ are made of: those of both annotators, or the reference's alone",
    default="both",
    explanation="Of γ: make random samples from the units of both annotators, or from the reference's units alone. In "
    "the second case the expected disorder does not depend on the system; documents in which the reference has no unit "
    "do not count for γ.",
)
CHANCE_OF_REFERENCE = Group((CHANCE_FROM,), "chance and γcat", "more")
# Segmentation is measured on whole atoms; 1 is a character or a token.
ATOM = Option(
    "atom",
    POSITIVE,
    "length to which boundaries are rounded",
    default=1.0,
    metavar="X",
    explanation="Of segmentation: the length to which boundaries are rounded.",
)
# Boundaries so near may be one that moved: the window of transpositions of Fournier 2013.
NEAR = Option(
    "near",
    Whole(1),
    "boundaries fewer than N atoms apart may be one boundary that moved",
    default=2,
    metavar="N",
    explanation="Of segmentation: boundaries fewer than this number of atoms apart may be one boundary that moved.",
)
# P_k and WindowDiff are defined for segments without gaps.
GAPS = Option(
    "gaps",
    Choice(("refuse", "segments")),
    "stretches without a unit: refuse the data, or treat them as segments",
    default="refuse",
    explanation="Of segmentation: refuse stretches without a unit, or read them as segments.",
)
SEGMENTATION_OPTIONS = Group(
    (
        ATOM,
        NEAR,
        GAPS,
        Option(
            "boundary_types",
            Flag(),
            "boundaries have the category of the unit that begins there, and another category has a cost in B and S",
            default=False,
            explanation="Of segmentation: whether boundaries have types, as `types` of `segmentation`; the distance of "
            "categories applies to them.",
        ),
    ),
    "segmentation",
    "more",
)
# As in pyannote.metrics, half of it on each side of a boundary.
COLLAR = Option(
    "collar",
    NON_NEGATIVE,
    "total time to ignore around each boundary of the reference",
    default=0.0,
    metavar="X",
    explanation="Of diarization: total time to ignore around each boundary of the reference.",
)
DIARIZATION_OPTIONS = Group(
    (
        COLLAR,
        Option(
            "skip_overlap",
            Flag(),
            "ignore the time at which units of the reference overlap",
            default=False,
            explanation="Of diarization: whether to ignore the time at which units of the reference overlap.",
        ),
    ),
    "diarization",
    "more",
)
CASE_OPTIONS = Group(
    (
        Option(
            "cases",
            Listed("names", python=f"bool | {_TYPE_OF_NAMES}", items=Choice(KINDS)),
            f"list the cases of these kinds: {', '.join(KINDS)}; boundary, label and both are units found with other "
            "bounds, another label, or both",
            default=(),
            metavar="A,B",
            explanation="The kinds of cases to list, of ``correct``, ``boundary``, ``label``, ``both``, ``missed`` and "
            "``spurious``; True for all.",
        ),
    ),
    "output",
)
REFERENCE_OPTIONS = all_options(
    (COMPARISON_OPTIONS, SPAN_OPTIONS, CHANCE_OF_REFERENCE, SEGMENTATION_OPTIONS, DIARIZATION_OPTIONS, CASE_OPTIONS)
)
