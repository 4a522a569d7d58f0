"""``gamma-align plan``: how many documents and annotators a narrow interval takes, from a pilot."""

from __future__ import annotations

import argparse

from gamma_align.cli import _pipeline
from gamma_align.cli._arguments import add_output, positive, whole
from gamma_align.cli._corpus import read_corpus
from gamma_align.cli._measure import add_measure, measure_settings
from gamma_align.cli._messages import check_proofs
from gamma_align.report.curves import plan_csv, plan_text
from gamma_align.shuffling.plan import plan


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.description = (
        "Say how the 95 % interval of γ narrows with more documents and annotators, from a pilot's spread "
        "and simulated annotators, who are independent of each other: with 4 samples a document, unless --samples says "
        "how many. Widths are Student's, of γ linearised in the documents' parts."
    )
    add_measure(parser)
    group = parser.add_argument_group("plan")
    group.add_argument(
        "--target-width", type=positive, required=True, metavar="W", help="width of the interval asked for"
    )
    group.add_argument(
        "--annotators", type=_numbers, default=(2, 3, 4, 5, 6), metavar="N,N", help="to plan with (default: 2,3,4,5,6)"
    )
    group.add_argument(
        "--repetitions", type=whole(2), default=10, metavar="N", help="simulated pilots for each (default: 10)"
    )
    add_output(parser, csv="print a row for each number of annotators")
    parser.set_defaults(run=run)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(whole(2)(part) for part in text.split(","))


def run(arguments: argparse.Namespace) -> int:
    """Plan, print, and return the exit code."""
    settings = measure_settings(arguments)
    return _pipeline.run(
        arguments,
        lambda corpus, progress: plan(
            corpus,
            target=arguments.target_width,
            annotators=arguments.annotators,
            repetitions=arguments.repetitions,
            n_jobs=arguments.jobs,
            progress=progress,
            **settings,
        ),
        read=read_corpus,
        text=plan_text,
        csv=plan_csv,
        verdict=lambda result: check_proofs([result.gap], arguments.time_limit),
    )
