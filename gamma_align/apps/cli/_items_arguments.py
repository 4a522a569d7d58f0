"""The arguments and the help of ``items``."""

from __future__ import annotations

from gamma_align.apps.cli._arguments import CITE_OPTION, TABLE_FORMS, add_output, gate_group
from gamma_align.apps.cli._options import add_groups
from gamma_align.apps.cli._parser import Parser
from gamma_align.insight.replacement import JUDGE_OPTIONS
from gamma_align.measures.gamma import DISTANCE_OPTIONS
from gamma_align.measures.items import COEFFICIENTS, FURTHER_OPTIONS, INFERENCE_OPTIONS, INTERVAL, ITEM_READING
from gamma_align.options import Group
from gamma_align.requests import DETAIL_OPTIONS, DISTANCE_FILES


def items(parser: Parser) -> None:
    """Add the arguments of ``items``."""
    parser.describe(
        "Measure how well coders agree on the categories of predefined items.",
        "gamma-align items corpora/items/dreem_dodh_epochs.parquet --coefficients alpha",
        "gamma-align items corpora/items/dreem_dodh_epochs.parquet --by-category",
    )
    parser.add_argument(
        "path",
        metavar="FILE",
        nargs="+",
        help="a table of items: .csv, .tsv, .parquet, a spreadsheet, or records in .json; or a table of each coder",
    )
    add_groups(parser, Group((COEFFICIENTS,)), DISTANCE_OPTIONS, DISTANCE_FILES, Group((INTERVAL,)))
    add_output(parser, csv="print a row for each coefficient", forms=(*TABLE_FORMS, CITE_OPTION))
    add_groups(parser, DETAIL_OPTIONS, gate_group(None, listed="any of the --coefficients, as in alpha=0.67"))
    add_groups(parser, ITEM_READING, FURTHER_OPTIONS, JUDGE_OPTIONS, INFERENCE_OPTIONS)
