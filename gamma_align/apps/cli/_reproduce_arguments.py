"""The arguments and the help of ``reproduce``."""

from __future__ import annotations

from gamma_align.apps.cli._arguments import JOBS_OPTION, add_output, output_group
from gamma_align.apps.cli._options import add_groups
from gamma_align.apps.cli._parser import Parser
from gamma_align.options import File, Group, Option
from gamma_align.reproduction.reproduction_options import EXAMPLE_OPTIONS, MATHET_2017, MISSING_VALUES

_FOLDER_OPTION = Option(
    "folder",
    File(),
    "also write mathet2017.txt, mathet2017.csv, verdicts.csv and the figures as SVG into this folder",
    metavar="DIR",
)


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
    add_groups(parser, MISSING_VALUES)
    add_output(parser, json="print one JSON document", csv="print one row for each kind of items, share and conception")


def _mathet2017(parser: Parser) -> None:
    parser.describe(
        "Run the experiments of Mathet 2017, §4.2.3, figures 11 to 15 and table 2, again, and say of each of the "
        "paper's claims whether it comes out, under several readings of what the paper leaves open.",
        "gamma-align reproduce mathet2017 --quick --repetitions 1",
        "gamma-align reproduce mathet2017 --quick --repetitions 1 --folder figures",
    )
    add_groups(parser, MATHET_2017, Group((JOBS_OPTION,)))
    add_output(parser, csv="print a row for each value")
    add_groups(parser, output_group(_FOLDER_OPTION))


def _examples(parser: Parser) -> None:
    parser.describe(
        "Compute the worked examples of the papers again: printed value, ours, and what becomes of it "
        "(equal; digits lost in rounding; a misprint, with its proof; not reproducible, and why).",
        "gamma-align reproduce examples --samples 100",
        "gamma-align reproduce examples --samples 100 --csv",
    )
    add_groups(parser, EXAMPLE_OPTIONS)
    add_output(parser, json="print one JSON document", csv="print one row for each printed value")
