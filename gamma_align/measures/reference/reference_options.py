"""Options of the comparison with a reference."""

from __future__ import annotations

from gamma_align.options import NON_NEGATIVE, POSITIVE, Choice, Flag, Group, Listed, Option, Real, Text, Whole

MEASURES = ("spans", "gamma", "unitizing-alpha", "segmentation", "diarization")
DEFAULT_MEASURES = MEASURES[:3]
KINDS = ("correct", "boundary", "label", "both", "missed", "spurious")
"""Kinds of pairs of matched units, and of units without a match."""
MATCHES = ("strict", "exact", "partial", "type", "relaxed", "characters", "credit")
"""Ways to count a unit as found."""

_NAMES = "str | Iterable[str]"

COMPARED = Group(
    (
        Option(
            "reference",
            Text(),
            "the annotator to compare the others with",
            metavar="NAME",
            explanation="The annotator taken as right; all others are compared with it, each on the documents that "
            "both saw.",
        ),
        Option(
            "measures",
            Listed("names", python=_NAMES, items=Choice(MEASURES)),
            f"of {', '.join(MEASURES)}, separated by commas",
            metavar="A,B",
            shown_default=",".join(DEFAULT_MEASURES),
            explanation="Of ``spans``, ``gamma`` (γ and γcat), ``unitizing-alpha``, ``segmentation`` and "
            "``diarization``.",
        ),
    )
)
IOU = Option(
    "iou",
    Real(above=0, at_most=1),
    "what two units share of what they cover together, at least, to be found by the relaxed F1",
    default=0.5,
    metavar="X",
    explanation="θ of ``relaxed``, above 0 and at most 1.",
)
ZERO_DIVISION = Option(
    "zero_division",
    Whole(0, at_most=1),
    "precision, recall and F1 where there is nothing to divide by",
    metavar="{0,1}",
    shown_default="not available",
    explanation="Precision, recall and F1 if there is nothing to divide by; without it they are not available.",
)
UNITS = Group(
    (
        IOU,
        ZERO_DIVISION,
        Option(
            "map_labels",
            Flag(),
            "map each system's labels one to one onto the reference's, where units of mapped labels overlap most",
            default=False,
            explanation="Whether a system's labels are mapped one to one onto the reference's before anything is "
            "measured, so that the length on which units of mapped labels overlap is greatest: for labels whose names "
            "differ or mean nothing.",
        ),
    ),
    "units",
    "more",
)
CHANCE_FROM = Option(
    "chance_from",
    Choice(("both", "reference")),
    "random samples for γ are made of the units of both annotators, or of the reference's alone",
    default="both",
    explanation="Of γ: whether samples are made of the units of both annotators, or of the reference's alone, so that "
    "the units of a system do not change what is expected by chance; documents in which the reference has no unit then "
    "do not count for γ.",
)
CHANCE_OF_REFERENCE = Group((CHANCE_FROM,), "chance and γcat", "more")
ATOM = Option(
    "atom",
    POSITIVE,
    "length that boundaries are rounded to",
    default=1.0,
    metavar="X",
    explanation="Of segmentation: the length that boundaries are rounded to.",
)
NEAR = Option(
    "near",
    Whole(1),
    "boundaries fewer atoms apart may be one that moved",
    default=2,
    metavar="N",
    explanation="Of segmentation: boundaries fewer atoms apart may be one that moved.",
)
GAPS = Option(
    "gaps",
    Choice(("refuse", "segments")),
    "stretches without a unit: refuse the data, or take them as segments",
    default="refuse",
    explanation="Of segmentation: whether stretches without a unit are refused, or taken as segments.",
)
SEGMENTATION = Group(
    (
        ATOM,
        NEAR,
        GAPS,
        Option(
            "boundary_types",
            Flag(),
            "boundaries have the category of the unit that begins there, and B and S the cost of another (--distance)",
            default=False,
            explanation="Of segmentation: whether boundaries have types, `types` of `segmentation`; their distance is "
            "that of categories.",
        ),
    ),
    "segmentation",
    "more",
)
COLLAR = Option(
    "collar",
    NON_NEGATIVE,
    "time in all to leave out around each boundary of the reference",
    default=0.0,
    metavar="X",
    explanation="Of diarization: time in all to leave out around each boundary of the reference.",
)
DIARIZATION = Group(
    (
        COLLAR,
        Option(
            "skip_overlap",
            Flag(),
            "leave out the time at which units of the reference overlap",
            default=False,
            explanation="Of diarization: whether to leave out the time at which units of the reference overlap.",
        ),
    ),
    "diarization",
    "more",
)
CASES = Group(
    (
        Option(
            "cases",
            Listed("names", python=f"bool | {_NAMES}", items=Choice(KINDS)),
            f"list the units that are {', '.join(KINDS)}: found with other bounds, another label, or both",
            default=(),
            metavar="A,B",
            explanation="The kinds of cases to list, of ``correct``, ``boundary``, ``label``, ``both``, ``missed`` and "
            "``spurious``; True for all.",
        ),
    ),
    "output",
)
REFERENCE_OPTIONS = tuple(
    option
    for group in (COMPARED, UNITS, CHANCE_OF_REFERENCE, SEGMENTATION, DIARIZATION, CASES)
    for option in group.options
)
