"""What ``evaluate`` takes, and its help."""

from __future__ import annotations

from gamma_align.apps.cli._argument_types import names_of, non_negative, positive, whole
from gamma_align.apps.cli._arguments import TABLES, add_gate, add_measure, add_output
from gamma_align.apps.cli._parser import MORE, Parser

_MATCHES = ("strict", "exact", "partial", "type", "relaxed", "characters", "credit")
_EVALUATED = ("spans", "gamma", "unitizing-alpha", "segmentation", "diarization")
_CASES = ("correct", "boundary", "label", "both", "missed", "spurious")


def evaluate(parser: Parser) -> None:
    """Add the arguments of ``evaluate``."""
    parser.describe(
        "Compare annotators or systems with a reference: precision, recall and F1 of units, γ, γcat and uα, and more "
        "with --measures. Without --reference: F1 of every two.",
        "gamma-align evaluate corpora/novels_ner --reference user3 --samples 9",
        "gamma-align evaluate corpora/novels_ner --measures spans",
    )
    parser.add_argument("--reference", metavar="NAME", help="the annotator to compare the others with")
    parser.add_argument(
        "--measures",
        type=names_of(_EVALUATED),
        metavar="A,B",
        help=f"of {', '.join(_EVALUATED)}, separated by commas (default: {','.join(_EVALUATED[:3])})",
    )
    add_measure(parser)
    _add_units(parser)
    parser.section("chance and γcat", MORE).add_argument(
        "--chance-from",
        choices=("both", "reference"),
        default="both",
        help="random samples for γ are made of the units of both annotators, or of the reference's alone "
        "(default: both)",
    )
    _add_segmentation(parser)
    _add_diarization(parser)
    output = add_output(parser, csv="print a row a system and label", forms=TABLES)
    output.add_argument(
        "--cases",
        type=names_of(_CASES),
        default=(),
        metavar="A,B",
        help=f"list the units that are {', '.join(_CASES)}: found with other bounds, another label, or both",
    )
    scores = [f"{match}-{part}" for match in _MATCHES for part in ("precision", "recall", "f1")]
    add_gate(
        output,
        [*scores, "gamma", "gamma-cat", "unitizing-alpha", "b", "s"],
        what="strict-f1 (and precision and recall, of any measure), gamma, gamma-cat, unitizing-alpha, b, s, of every "
        "system; without --reference: F1 as the mean over pairs",
    )


def _add_units(parser: Parser) -> None:
    group = parser.section("units", MORE)
    group.add_argument(
        "--iou",
        type=positive,
        default=0.5,
        metavar="X",
        help="what two units share of what they cover together, at least, to be found by the relaxed F1 (default: 0.5)",
    )
    group.add_argument(
        "--zero-division",
        type=int,
        choices=(0, 1),
        help="precision, recall and F1 where there is nothing to divide by (default: not available)",
    )
    group.add_argument(
        "--map-labels",
        action="store_true",
        help="map each system's labels one to one onto the reference's, where units of mapped labels overlap most",
    )


def _add_segmentation(parser: Parser) -> None:
    group = parser.section("segmentation", MORE)
    group.add_argument(
        "--atom", type=positive, default=1.0, metavar="X", help="length that boundaries are rounded to (default: 1)"
    )
    group.add_argument(
        "--near",
        type=whole(1),
        default=2,
        metavar="N",
        help="boundaries fewer atoms apart may be one that moved (default: 2)",
    )
    group.add_argument(
        "--gaps",
        choices=("refuse", "segments"),
        default="refuse",
        help="stretches without a unit: refuse the data, or take them as segments (default: refuse)",
    )
    group.add_argument(
        "--boundary-types",
        action="store_true",
        help="boundaries have the category of the unit that begins there, and B and S the cost of another (--distance)",
    )


def _add_diarization(parser: Parser) -> None:
    group = parser.section("diarization", MORE)
    group.add_argument(
        "--collar",
        type=non_negative,
        default=0.0,
        metavar="X",
        help="time in all to leave out around each boundary of the reference (default: 0)",
    )
    group.add_argument(
        "--skip-overlap", action="store_true", help="leave out the time at which units of the reference overlap"
    )
