"""The arguments and the help of ``compare``."""

from __future__ import annotations

from gamma_align.apps.cli._arguments import TABLE_FORMS, TABLE_ROWS, add_corpus, add_output, output_group
from gamma_align.apps.cli._options import add_groups
from gamma_align.apps.cli._parser import Parser
from gamma_align.insight.comparison import EXTENT_OPTIONS, TEST_OPTIONS
from gamma_align.measures.unitizing import UNITIZING_OPTIONS
from gamma_align.options import Group, Listed, Option
from gamma_align.requests import MEASURE, families_option


def _group_option(name: str, letter: str) -> Option:
    """Return the option of the annotators of one side."""
    help_text = f"the annotators of {letter}, where not all of its PATH are meant"
    return Option(name, Listed("escaped"), help_text, metavar="A,B")


_SIDE_OPTIONS = Group((_group_option("first", "A"), _group_option("second", "B")), "selection")


def compare(parser: Parser) -> None:
    """Add the arguments of ``compare``."""
    parser.describe(
        "Say what changed from A to B, two versions, guidelines, teams, or groups of annotators of one PATH: documents "
        "new, gone and redone, differences of γ or uα, causes of disagreement that came and went.",
        "gamma-align compare corpora/novels_ner --second user2,user3",
        "gamma-align compare corpora/novels_ner --first user1,user3 --samples 9 --csv",
    )
    add_groups(parser, Group((families_option("compare"),)))
    add_corpus(
        parser,
        MEASURE,
        paths="the first is A, the second B; without a second it is for both; more are rounds of one table",
    )
    add_groups(parser, TEST_OPTIONS, _SIDE_OPTIONS, EXTENT_OPTIONS, UNITIZING_OPTIONS)
    add_output(
        parser, csv="print a row a coefficient and category, then the documents'", forms=TABLE_FORMS, has_page=True
    )
    add_groups(parser, output_group(TABLE_ROWS._replace(help="how many documents to show")))
