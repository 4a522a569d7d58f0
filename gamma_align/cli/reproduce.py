"""``gamma-align reproduce``: published experiments and worked examples, run again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gamma_align.cli import _examples, _mathet2017
from gamma_align.cli._common import (
    EXIT_CODES,
    ExitCode,
    add_output,
    check_writable,
    json_text,
    non_negative,
    whole,
    write_result,
)

if TYPE_CHECKING:
    import argparse


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add the subcommand, with one of its own for each experiment."""
    parser = subparsers.add_parser(
        "reproduce",
        help="published experiments and worked examples, run again",
        description="Run published experiments and worked examples again.",
        epilog=EXIT_CODES,
    )
    experiments = parser.add_subparsers(title="experiments", metavar="EXPERIMENT", required=True)
    _add_missing_values(experiments)
    _mathet2017.add_parser(experiments)
    _examples.add_parser(experiments)


def _add_missing_values(experiments: argparse._SubParsersAction[Any]) -> None:
    parser = experiments.add_parser(
        "missing-values",
        help="how well conceptions of missing values tell what complete data would say (Mathet 2017, table 2)",
        description="Remove judgments from complete tables and compare the observed disagreement of what is left, by "
        "conception of missing values, with that of the complete table (after Mathet 2017, table 2).",
        epilog=EXIT_CODES,
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
    output = add_output(parser)
    shape = output.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="print one JSON document")
    shape.add_argument("--csv", action="store_true", help="print one row for each kind of items, share and conception")
    parser.set_defaults(run=run_missing_values)


def run_missing_values(arguments: argparse.Namespace) -> int:
    """Run the experiment, print it, and return the exit code.

    Raises
    ------
    SettingsError
        For settings that cannot be used.
    """
    from gamma_align.reproduction.missing_values import (  # noqa: PLC0415  # noqa: PLC0415
        Settings,
        missing_values,
        missing_values_csv,
        missing_values_text,
    )

    check_writable(arguments.output, "-o/--output", [])
    settings = Settings(
        items=arguments.items,
        coders=arguments.coders,
        categories=arguments.categories,
        magnitude=arguments.magnitude,
        repetitions=arguments.repetitions,
        seed=arguments.seed,
    )
    result = missing_values(settings)
    if arguments.json:
        text = json_text(result.to_dict())
    else:
        text = missing_values_csv(result) if arguments.csv else missing_values_text(result)
    write_result(text, arguments.output)
    return ExitCode.FINE
