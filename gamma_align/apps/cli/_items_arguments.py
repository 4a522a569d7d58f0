"""The arguments and the help of ``items``."""

from __future__ import annotations

from gamma_align.apps.cli._arguments import (
    CITE_OPTION,
    DISTANCE_FILES,
    TABLE_FORMS,
    add_output,
    gate_group,
    output_group,
)
from gamma_align.apps.cli._options import add_groups
from gamma_align.apps.cli._parser import Parser
from gamma_align.insight.replacement.judges_options import JUDGE_OPTIONS
from gamma_align.measures.gamma.gamma_options import DISTANCE_OPTIONS
from gamma_align.measures.items.items_options import (
    COEFFICIENTS,
    FURTHER_OPTIONS,
    INFERENCE_OPTIONS,
    INTERVAL,
    ITEM_READING,
)
from gamma_align.options import Flag, Group, Option

_DETAIL_OPTIONS = output_group(
    Option("by_category", Flag(), "each category against all others, too", default=False),
    Option("by_item", Flag(), "how far coders disagree on each item, too", default=False),
    Option(
        "by_pair",
        Flag(),
        "κ and confusion matrix of every two coders, too (without asking: at most 6 coders and categories; "
        "matrices: of two coders); with --csv: these alone",
        default=False,
    ),
)


def items(parser: Parser) -> None:
    """Add the arguments of ``items``."""
    parser.describe(
        "Measure how far coders agree on the categories of predefined items.",
        "gamma-align items corpora/items/dreem_dodh_epochs.parquet --coefficients alpha",
        "gamma-align items corpora/items/dreem_dodh_epochs.parquet --by-category",
    )
    parser.add_argument("path", metavar="FILE", help="a table of items: .csv, .tsv or .parquet")
    add_groups(parser, Group((COEFFICIENTS,)), DISTANCE_OPTIONS, DISTANCE_FILES, Group((INTERVAL,)))
    add_output(parser, csv="print one row a coefficient", forms=(*TABLE_FORMS, CITE_OPTION))
    add_groups(parser, _DETAIL_OPTIONS, gate_group(None, listed="any of the --coefficients, as in alpha=0.67"))
    add_groups(parser, ITEM_READING, FURTHER_OPTIONS, JUDGE_OPTIONS, INFERENCE_OPTIONS)
