"""The arguments and the help of ``evaluate``."""

from __future__ import annotations

from itertools import product

from gamma_align.apps.cli._arguments import TABLE_FORMS, add_corpus, add_output, gate_group
from gamma_align.apps.cli._options import add_groups
from gamma_align.apps.cli._parser import Parser
from gamma_align.measures.reference import (
    CASE_OPTIONS,
    CHANCE_OF_REFERENCE,
    COMPARISON_OPTIONS,
    DIARIZATION_OPTIONS,
    MATCHES,
    SEGMENTATION_OPTIONS,
    SPAN_OPTIONS,
)
from gamma_align.requests import MEASURE

_AGREEMENT_VALUES = ("gamma", "gamma-cat", "unitizing-alpha", "b", "s")


def evaluate(parser: Parser) -> None:
    """Add the arguments of ``evaluate``."""
    parser.describe(
        "Compare annotators or systems with a reference: precision, recall and F1 of units, γ, γcat and uα, and more "
        "with --measures. Without --reference: F1 of every two, or segmentation with --measures segmentation.",
        "gamma-align evaluate corpora/novels_ner --reference user3 --samples 9",
        "gamma-align evaluate corpora/novels_ner --measures spans",
    )
    add_groups(parser, COMPARISON_OPTIONS)
    add_corpus(parser, MEASURE)
    add_groups(parser, SPAN_OPTIONS, CHANCE_OF_REFERENCE, SEGMENTATION_OPTIONS, DIARIZATION_OPTIONS)
    add_output(parser, csv="print a row for each system and label", forms=TABLE_FORMS)
    scores = ["-".join(pair) for pair in product(MATCHES, ("precision", "recall", "f1"))]
    named = (
        f"strict-f1 (and precision and recall, of any measure), {', '.join(_AGREEMENT_VALUES)}, of every system; "
        "without --reference: F1, or b and s of segmentation, as the mean over pairs"
    )
    add_groups(parser, CASE_OPTIONS, gate_group([*scores, *_AGREEMENT_VALUES], listed=named))
