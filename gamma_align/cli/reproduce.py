"""``gamma-align reproduce``: published experiments and worked examples, run again."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from gamma_align.cli import _pipeline
from gamma_align.cli._arguments import add_output, non_negative, whole, workers
from gamma_align.reproduction.examples import examples_csv, examples_text
from gamma_align.reproduction.mathet2017 import mathet2017_csv, mathet2017_figures, mathet2017_text, verdicts_csv
from gamma_align.reproduction.missing_values import missing_values_csv, missing_values_text
from gamma_align.reproduction.reproduce import reproduce


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add a subcommand for each experiment."""
    parser.description = "Run published experiments and worked examples again."
    experiments = parser.add_subparsers(title="experiments", metavar="EXPERIMENT", required=True)
    _add_missing_values(experiments)
    _add_mathet2017(experiments)
    _add_examples(experiments)


def _add_missing_values(experiments: argparse._SubParsersAction[Any]) -> None:
    parser = experiments.add_parser(
        "missing-values",
        help="how well conceptions of missing values predict what complete data would give (Mathet 2017, table 2)",
        description="Remove judgments from complete tables and compare the observed disagreement of what is left, by "
        "conception of missing values, with that of the complete table (after Mathet 2017, table 2).",
    )
    group = parser.add_argument_group("tables")
    group.add_argument("--items", type=whole(1), default=100, metavar="N", help="items of a table (default: 100)")
    group.add_argument("--coders", type=whole(2), default=5, metavar="N", help="coders (default: 5)")
    group.add_argument("--categories", type=whole(2), default=4, metavar="N", help="categories (default: 4)")
    group.add_argument(
        "--magnitude", type=non_negative, default=0.5, metavar="M", help="of the errors, 0 to 1 (default: 0.5)"
    )
    group.add_argument("--repetitions", type=whole(1), default=500, metavar="N", help="tables a row (default: 500)")
    group.add_argument("--seed", type=whole(0), default=0, metavar="N", help="seed (default: 0)")
    add_output(parser, json="print one JSON document", csv="print one row for each kind of items, share and conception")
    parser.set_defaults(run=run_missing_values)


def _add_mathet2017(experiments: argparse._SubParsersAction[Any]) -> None:
    parser = experiments.add_parser(
        "mathet2017",
        help="how γ, γcat, γk and cuα respond to errors of known kinds and size (Mathet 2017, figures 11-15, table 2)",
        description="Run the experiments of Mathet 2017, §4.2.3, figures 11 to 15 and table 2, again, and say of each "
        "of the paper's claims whether it comes out, under several readings of what the paper leaves open.",
    )
    group = parser.add_argument_group("scale")
    group.add_argument("--quick", action="store_true", help="a smaller version, of seconds")
    group.add_argument("--repetitions", type=whole(1), metavar="N", help="at each magnitude (default: 30; quick: 3)")
    group.add_argument("--units", type=whole(10), metavar="N", help="of the reference (default: 100)")
    group.add_argument("--annotators", type=whole(2), metavar="N", help="default: 3")
    group.add_argument(
        "--samples", type=whole(1), metavar="N", help="of each document's expected disorder (default: 8; quick: 4)"
    )
    group.add_argument("--seed", type=whole(0), metavar="N", help="of everything random (default: 0)")
    group.add_argument(
        "--jobs", type=workers, metavar="N", help="processes to use, at most one a processor; -1 for all processors"
    )
    output = add_output(parser, csv="print a row for each value")
    output.add_argument(
        "--folder",
        type=Path,
        metavar="DIR",
        help="also write mathet2017.txt, mathet2017.csv, verdicts.csv and the figures as SVG into this folder",
    )
    parser.set_defaults(run=run_mathet2017)


def _add_examples(experiments: argparse._SubParsersAction[Any]) -> None:
    parser = experiments.add_parser(
        "examples",
        help="worked examples of the papers: printed value, ours, and why some do not come out",
        description="Compute the worked examples of the papers again: printed value, ours, and what becomes of it "
        "(equal; digits lost in rounding; a misprint, with its proof; not reproducible, and why).",
    )
    group = parser.add_argument_group("samples")
    group.add_argument(
        "--samples", type=whole(2), default=5000, metavar="N", help="random samples of γ, γcat and γk (default: 5000)"
    )
    group.add_argument("--seed", type=whole(0), default=0, metavar="N", help="their seed (default: 0)")
    add_output(parser, json="print one JSON document", csv="print one row for each printed value")
    parser.set_defaults(run=run_examples)


def run_missing_values(arguments: argparse.Namespace) -> int:
    """Run the experiment on missing values, print it, and return the exit code."""
    names = ("items", "coders", "categories", "magnitude", "repetitions", "seed")
    settings = {name: getattr(arguments, name) for name in names}
    return _pipeline.run(
        arguments,
        lambda _, __: reproduce("missing-values", **settings),
        read=_pipeline.read_nothing,
        text=missing_values_text,
        csv=missing_values_csv,
    )


def run_mathet2017(arguments: argparse.Namespace) -> int:
    """Run the experiments of Mathet 2017, print them, and return the exit code."""
    names = ("repetitions", "units", "annotators", "samples", "seed")
    scale = {name: getattr(arguments, name) for name in names if getattr(arguments, name) is not None}
    return _pipeline.run(
        arguments,
        lambda _, progress: reproduce(
            "mathet2017", quick=arguments.quick, n_jobs=arguments.jobs, progress=progress, **scale
        ),
        read=_pipeline.read_nothing,
        text=mathet2017_text,
        csv=mathet2017_csv,
        files=lambda result: {
            "mathet2017.txt": mathet2017_text(result),
            "mathet2017.csv": mathet2017_csv(result),
            "verdicts.csv": verdicts_csv(result),
            **mathet2017_figures(result),
        },
    )


def run_examples(arguments: argparse.Namespace) -> int:
    """Compute the worked examples, print them, and return the exit code."""
    return _pipeline.run(
        arguments,
        lambda _, __: reproduce("examples", samples=arguments.samples, seed=arguments.seed),
        read=_pipeline.read_nothing,
        text=examples_text,
        csv=examples_csv,
    )
