"""``gamma-align curve``: γ of a corpus placed on curves of the corpus itself, degraded by errors of each kind."""

from __future__ import annotations

import argparse
from pathlib import Path

from gamma_align.cli import _pipeline
from gamma_align.cli._arguments import add_output, magnitudes, names_of, whole
from gamma_align.cli._corpus import read_corpus
from gamma_align.cli._measure import add_measure, measure_settings
from gamma_align.cli._messages import check_proofs
from gamma_align.report.curves import curve_csv, curve_svg, curve_text
from gamma_align.shuffling.curve import curve
from gamma_align.shuffling.reference import KINDS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.description = (
        "Measure γ, degrade the corpus step by step with errors of each kind, and say which size of errors "
        "gives the same γ. Degraded documents have as many samples as --samples says; without it enough for the "
        "expected disorder of a point, a mean over documents and repetitions, to be within 5 %."
    )
    add_measure(parser)
    group = parser.add_argument_group("errors")
    group.add_argument(
        "--kinds",
        type=names_of(KINDS),
        metavar="A,B",
        help=f"a curve for each, of {', '.join(KINDS)} (default: all; category where there are two or more)",
    )
    group.add_argument(
        "--magnitudes",
        type=magnitudes,
        metavar="M,M",
        help="where the curves are computed, from 0 on (default: 0,0.2,0.4,0.6,0.8,1, and one more halfway between the "
        "two where a curve comes down to γ)",
    )
    group.add_argument(
        "--repetitions", type=whole(1), default=5, metavar="N", help="simulated corpora a point (default: 5)"
    )
    add_output(parser, csv="print a row for each point of a curve", svg="also draw the curves")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Compute the curves, print, and return the exit code."""
    settings = measure_settings(arguments)
    return _pipeline.run(
        arguments,
        lambda corpus, progress: curve(
            corpus,
            kinds=arguments.kinds,
            magnitudes=arguments.magnitudes,
            repetitions=arguments.repetitions,
            n_jobs=arguments.jobs,
            progress=progress,
            **settings,
        ),
        read=read_corpus,
        text=curve_text,
        csv=curve_csv,
        svg=lambda result: curve_svg(result, Path(arguments.path[0]).stem),
        verdict=lambda result: check_proofs([result.gap], arguments.time_limit),
    )
