"""What ``compare`` takes, and its help; and what it shares with ``measure``."""

from __future__ import annotations

from gamma_align.apps.cli._argument_types import layers, names_of, whole
from gamma_align.apps.cli._arguments import TABLES, add_measure, add_output
from gamma_align.apps.cli._options import add_group
from gamma_align.apps.cli._parser import READING, Parser
from gamma_align.measures.unitizing.unitizing_options import UNITIZING

FAMILIES = ("gamma", "unitizing-alpha")
"""The families of coefficients of a corpus."""


def add_families(parser: Parser, verb: str) -> None:
    """Add which families of coefficients to measure, or to do something else with: the `verb`."""
    parser.add_argument(
        "--coefficients",
        type=names_of(FAMILIES),
        default=FAMILIES[:1],
        metavar="A,B",
        help=f"families to {verb}, of {' and '.join(FAMILIES)}, separated by commas (default: {FAMILIES[0]})",
    )


def add_overlap(parser: Parser) -> None:
    """Add what the unitizing family does with units of one annotator that overlap."""
    add_group(parser, UNITIZING)


def compare(parser: Parser) -> None:
    """Add the arguments of ``compare``."""
    parser.describe(
        "Compare two annotations of the same documents, A and B: two guidelines, teams, systems or rounds; or two "
        "groups of annotators of one PATH. How far γ, γcat, γk or the unitizing family differ, and in which documents.",
        "gamma-align compare corpora/novels_ner --second user2,user3",
        "gamma-align compare corpora/novels_ner --first user1,user3 --samples 9 --csv",
    )
    add_families(parser, "compare")
    add_measure(parser, several="the first is A, the second B; without a second it is for both")
    parser.add_argument(
        "--replicates",
        type=whole(1),
        default=9999,
        metavar="N",
        help="exchanges of documents that the test looks at (default: 9999)",
    )
    group = parser.section("selection")
    for option, letter in (("--first", "A"), ("--second", "B")):
        group.add_argument(
            option, type=layers, metavar="A,B", help=f"the annotators of {letter}, where not all of its PATH are meant"
        )
    group = parser.section("reading", READING)
    group.add_argument(
        "--extents",
        choices=("refuse", "join"),
        default="refuse",
        help="documents of another extent in B than in A, as where extents are not declared: refuse the data, or take "
        "the smallest extent that holds both (default: refuse)",
    )
    add_overlap(parser)
    output = add_output(parser, csv="print a row a coefficient and category, then the documents'", forms=TABLES)
    output.add_argument(
        "--rows", type=whole(1), default=10, metavar="N", help="how many documents to show (default: 10)"
    )
