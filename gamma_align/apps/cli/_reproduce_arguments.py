"""What ``reproduce`` takes, and its help."""

from __future__ import annotations

from pathlib import Path

from gamma_align.apps.cli._argument_types import non_negative, whole
from gamma_align.apps.cli._arguments import add_jobs, add_output
from gamma_align.apps.cli._parser import Parser


def reproduce(parser: Parser) -> None:
    """Add a subcommand for each experiment."""
    parser.describe(
        "Run published experiments and worked examples again.",
        "gamma-align reproduce missing-values --repetitions 20",
        "gamma-align reproduce mathet2017 --quick --repetitions 1",
    )
    experiments = parser.add_subparsers(title="experiments", metavar="EXPERIMENT", required=True, dest="experiment")
    experiments.add_parser(
        "missing-values",
        fill=_missing_values,
        help="how well conceptions of missing values predict what complete data would give (Mathet 2017, table 2)",
    )
    experiments.add_parser(
        "mathet2017",
        fill=_mathet2017,
        help="how γ, γcat, γk and cuα respond to errors of known kinds and size (Mathet 2017, figures 11-15, table 2)",
    )
    experiments.add_parser(
        "examples",
        fill=_examples,
        help="worked examples of the papers: printed value, ours, and why some do not come out",
    )


def _missing_values(parser: Parser) -> None:
    parser.describe(
        "Remove judgments from complete tables and compare the observed disagreement of what is left, by conception of "
        "missing values, with that of the complete table (after Mathet 2017, table 2).",
        "gamma-align reproduce missing-values --repetitions 20",
        "gamma-align reproduce missing-values --items 30 --repetitions 20 --csv",
    )
    parser.add_argument("--items", type=whole(1), default=100, metavar="N", help="items of a table (default: 100)")
    parser.add_argument("--coders", type=whole(2), default=5, metavar="N", help="coders (default: 5)")
    parser.add_argument("--categories", type=whole(2), default=4, metavar="N", help="categories (default: 4)")
    parser.add_argument(
        "--magnitude", type=non_negative, default=0.5, metavar="M", help="of the errors, 0 to 1 (default: 0.5)"
    )
    parser.add_argument("--repetitions", type=whole(1), default=500, metavar="N", help="tables a row (default: 500)")
    parser.add_argument("--seed", type=whole(0), default=0, metavar="N", help="seed (default: 0)")
    add_output(parser, json="print one JSON document", csv="print one row for each kind of items, share and conception")


def _mathet2017(parser: Parser) -> None:
    parser.describe(
        "Run the experiments of Mathet 2017, §4.2.3, figures 11 to 15 and table 2, again, and say of each of the "
        "paper's claims whether it comes out, under several readings of what the paper leaves open.",
        "gamma-align reproduce mathet2017 --quick --repetitions 1",
        "gamma-align reproduce mathet2017 --quick --repetitions 1 --folder figures",
    )
    parser.add_argument("--quick", action="store_true", help="a smaller version, of seconds")
    parser.add_argument("--repetitions", type=whole(1), metavar="N", help="at each magnitude (default: 30; quick: 3)")
    parser.add_argument("--units", type=whole(10), metavar="N", help="of the reference (default: 100)")
    parser.add_argument("--annotators", type=whole(2), metavar="N", help="default: 3")
    parser.add_argument(
        "--samples", type=whole(1), metavar="N", help="of each document's expected disorder (default: 8; quick: 4)"
    )
    parser.add_argument("--seed", type=whole(0), metavar="N", help="of everything random (default: 0)")
    add_jobs(parser)
    output = add_output(parser, csv="print a row for each value")
    output.add_argument(
        "--folder",
        type=Path,
        metavar="DIR",
        help="also write mathet2017.txt, mathet2017.csv, verdicts.csv and the figures as SVG into this folder",
    )


def _examples(parser: Parser) -> None:
    parser.describe(
        "Compute the worked examples of the papers again: printed value, ours, and what becomes of it "
        "(equal; digits lost in rounding; a misprint, with its proof; not reproducible, and why).",
        "gamma-align reproduce examples --samples 100",
        "gamma-align reproduce examples --samples 100 --csv",
    )
    parser.add_argument(
        "--samples", type=whole(2), default=5000, metavar="N", help="random samples of γ, γcat and γk (default: 5000)"
    )
    parser.add_argument("--seed", type=whole(0), default=0, metavar="N", help="their seed (default: 0)")
    add_output(parser, json="print one JSON document", csv="print one row for each printed value")
