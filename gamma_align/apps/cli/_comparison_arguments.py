"""The arguments and the help of ``compare``, and the families of coefficients, which ``measure`` has as well."""

from __future__ import annotations

from gamma_align.apps.cli._arguments import TABLE_FORMS, TABLE_ROWS, add_measure, add_output, output_group
from gamma_align.apps.cli._options import add_groups
from gamma_align.apps.cli._parser import Parser
from gamma_align.insight.comparison.comparison_options import EXTENT_OPTIONS, FAMILIES, TEST_OPTIONS
from gamma_align.measures.unitizing.unitizing_options import UNITIZING_OPTIONS
from gamma_align.options import Choice, Group, Listed, Option


def _group_option(name: str, letter: str) -> Option:
    """Return the option of the annotators of one side."""
    help_text = f"the annotators of {letter}, where not all of its PATH are meant"
    return Option(name, Listed("escaped"), help_text, metavar="A,B")


_SIDE_OPTIONS = Group((_group_option("first", "A"), _group_option("second", "B")), "selection")


def add_families(parser: Parser, verb: str, alone: str | None = None) -> None:
    """Add the option of the families of coefficients; `verb` names the action on them, `alone` a further choice."""
    further = "" if alone is None else f", or {alone} alone"
    coefficients = Option(
        "coefficients",
        Listed("names", items=Choice((*FAMILIES, *filter(None, [alone])))),
        f"families to {verb}, of {' and '.join(FAMILIES)}, separated by commas{further}",
        default=FAMILIES[:1],
        metavar="A,B",
    )
    add_groups(parser, Group((coefficients,)))


def compare(parser: Parser) -> None:
    """Add the arguments of ``compare``."""
    parser.describe(
        "Compare two annotations of the same documents, A and B: two guidelines, teams, systems or rounds; or two "
        "groups of annotators of one PATH. How far γ, γcat, γk or the unitizing family differ, and in which documents.",
        "gamma-align compare corpora/novels_ner --second user2,user3",
        "gamma-align compare corpora/novels_ner --first user1,user3 --samples 9 --csv",
    )
    add_families(parser, "compare")
    add_measure(parser, paths="the first is A, the second B; without a second it is for both")
    add_groups(parser, TEST_OPTIONS, _SIDE_OPTIONS, EXTENT_OPTIONS, UNITIZING_OPTIONS)
    add_output(parser, csv="print a row a coefficient and category, then the documents'", forms=TABLE_FORMS)
    add_groups(parser, output_group(TABLE_ROWS._replace(help="how many documents to show")))
