"""What ``items`` takes, and its help."""

from __future__ import annotations

from gamma_align.apps.cli._argument_types import names
from gamma_align.apps.cli._arguments import add_distance, add_gate, add_output
from gamma_align.apps.cli._options import add_group, add_option
from gamma_align.apps.cli._parser import Parser
from gamma_align.measures.items.items_options import FURTHER, INFERENCE, INTERVAL, ITEM_READING


def items(parser: Parser) -> None:
    """Add the arguments of ``items``."""
    parser.describe(
        "Measure how far coders agree on the categories of predefined items.",
        "gamma-align items corpora/items/dreem_dodh_epochs.parquet --coefficients alpha",
        "gamma-align items corpora/items/dreem_dodh_epochs.parquet --by-category",
    )
    parser.add_argument("path", metavar="FILE", help="a table of items: .csv, .tsv or .parquet")
    parser.add_argument(
        "--coefficients",
        type=names,
        metavar="A,B,…",
        help="observed, s, pi, kappa, kappa-conger, kappa-mean, alpha, ac1, pabak, or other names of them "
        "(default: observed,s,pi,kappa,alpha,ac1)",
    )
    add_distance(parser)
    add_option(parser, parser, INTERVAL)
    output = add_output(parser, csv="print one row a coefficient", forms=("markdown", "latex", "cite"))
    output.add_argument("--by-category", action="store_true", help="each category against all others, too")
    output.add_argument("--by-item", action="store_true", help="how far coders disagree on each item, too")
    output.add_argument(
        "--by-pair",
        action="store_true",
        help="κ and confusion matrix of every two coders, too (without asking: at most 6 coders and categories; "
        "matrices: of two coders); with --csv: these alone",
    )
    add_gate(output, None, what="any of the --coefficients, as in alpha=0.67")
    for group in (ITEM_READING, FURTHER, INFERENCE):
        add_group(parser, group)
