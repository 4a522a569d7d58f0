"""The arguments and the help of ``ceiling``."""

from __future__ import annotations

from gamma_align.apps.cli._arguments import (
    TABLE_FORMS,
    TABLE_ROWS,
    add_corpus,
    add_output,
    output_group,
)
from gamma_align.apps.cli._options import add_groups
from gamma_align.apps.cli._parser import Parser
from gamma_align.insight.ceiling import CEILING_OPTIONS


def ceiling(parser: Parser) -> None:
    """Add the arguments of ``ceiling``."""
    parser.describe(
        "How well can any model score against these annotators? The best F1 that an answer can reach against one of "
        "them, or against their majority, with its range and interval, and where a model stands.",
        "gamma-align ceiling corpora/novels_ner --by-label",
        "gamma-align ceiling corpora/btc_crowd",
    )
    add_corpus(parser)
    add_groups(parser, CEILING_OPTIONS)
    add_output(parser, csv="print a row for all units, then a row for each label", forms=TABLE_FORMS)
    add_groups(parser, output_group(TABLE_ROWS))
