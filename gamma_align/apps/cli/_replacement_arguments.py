"""The arguments and the help of ``replace``."""

from __future__ import annotations

from gamma_align.apps.cli._arguments import CITE_OPTION, TABLE_FORMS, TABLE_ROWS, add_corpus, add_output, output_group
from gamma_align.apps.cli._options import add_groups
from gamma_align.apps.cli._parser import Parser
from gamma_align.insight.replacement import EQUIVALENCE_OPTIONS, REPLACEMENT_INFERENCE, REPLACEMENT_OPTIONS
from gamma_align.measures.unitizing import UNITIZING_OPTIONS
from gamma_align.options import Flag, Group, Option
from gamma_align.requests import MEASURE

_ITEMS_OPTION = Option(
    "items",
    Flag(),
    "PATH is a table of items, as for the command items; --distance sets the distance of categories",
    default=False,
)


def replace(parser: Parser) -> None:
    """Add the arguments of ``replace``."""
    parser.describe(
        "Could a model take the place of an annotator? The alternative annotator test (Calderon et al. 2025) on units "
        "or items, the standing of the model among the people, and each person in the model's place.",
        "gamma-align replace corpora/llm_span_d2t_iaa --model 'zeroshot-*'",
        "gamma-align replace corpora/llm_span_d2t_iaa --model '*o3*' --people 'human*'",
    )
    add_groups(parser, REPLACEMENT_OPTIONS, EQUIVALENCE_OPTIONS, Group((_ITEMS_OPTION,)))
    add_corpus(parser, MEASURE)
    add_groups(parser, REPLACEMENT_INFERENCE, UNITIZING_OPTIONS)
    add_output(parser, csv="print a row for each model, then for each person", forms=(*TABLE_FORMS, CITE_OPTION))
    add_groups(parser, output_group(TABLE_ROWS))
