"""The arguments and the help of ``disagreements``, ``report`` and ``consensus``."""

from __future__ import annotations

from gamma_align.apps.cli._arguments import (
    JSON_OPTION,
    NOTES_QUIET,
    QUIET_OPTION,
    TABLE_FORMS,
    TABLE_ROWS,
    TARGET_OPTIONS,
    add_corpus,
    add_output,
    output_group,
    target_options,
)
from gamma_align.apps.cli._options import add_groups, add_parts
from gamma_align.apps.cli._parser import Parser
from gamma_align.insight.consensus import CONSENSUS_OPTIONS
from gamma_align.insight.disagreements import CLERICAL, DISAGREEMENT_OPTIONS
from gamma_align.options import Choice, File, Flag, Listed, Option
from gamma_align.present.page import REPORT_OPTIONS
from gamma_align.requests import ALIGNMENT, MEASURE, PROOF

FIX_CAUSES = Option(
    "fix",
    Listed("names", items=Choice(CLERICAL)),
    f"write the corpus to OUT of -o after the repair of these causes: {', '.join(CLERICAL)}, separated by commas; each"
    " repair is reported, and nothing else is changed",
    metavar="NAMES",
)


def disagreements(parser: Parser) -> None:
    """Add the arguments of ``disagreements``."""
    parser.describe(
        "Show where and why annotators differ: every unitary alignment with its disorder in parts (missing, position,"
        " category), by kind, words, document, annotator and category; and what to settle, with the γ that would "
        "result.",
        "gamma-align disagreements corpora/novels_ner --precision 0.05",
        "gamma-align disagreements corpora/pygamma/AlexPaulSuzan.csv --csv",
    )
    add_corpus(parser, MEASURE)
    add_output(
        parser, csv="print a row for each unitary alignment with any disorder, the worst first", forms=TABLE_FORMS
    )
    add_groups(parser, DISAGREEMENT_OPTIONS, output_group(TABLE_ROWS, FIX_CAUSES, *TARGET_OPTIONS))


def report(parser: Parser) -> None:
    """Add the arguments of ``report``."""
    parser.describe(
        "Write one HTML page on how well annotators agree, what they disagree on and what to settle: γ in words, "
        "disagreements in context, documents from the worst, annotators and labels. It needs no network.",
        "gamma-align report corpora/novels_ner -o report.html",
        "gamma-align report corpora/novels_ner -o user1.html --for user1",
    )
    add_corpus(parser, MEASURE)
    page = Option(
        "output", File(), "the page to write", metavar="FILE", short="-o", shown_default="the name of PATH with .html"
    )
    add_groups(parser, output_group(page), REPORT_OPTIONS, output_group(QUIET_OPTION))


def consensus(parser: Parser) -> None:
    """Add the arguments of ``consensus``."""
    parser.describe(
        "Make one annotation of each document: a unit where enough annotators have one in the best alignment, with the "
        "category of most of them and the medians of their boundaries.",
        "gamma-align consensus corpora/novels_ner -o gold",
        "gamma-align consensus corpora/btc_crowd --weigh dawid-skene --csv",
    )
    add_corpus(parser, ALIGNMENT)
    add_groups(parser, CONSENSUS_OPTIONS)
    add_parts(parser, (PROOF,))
    forms = (
        JSON_OPTION,
        Option(
            "csv",
            Flag(),
            "print a row for each unit with its votes and confidence; the table can be read as a corpus",
            default=False,
        ),
        Option("voted_out", Flag(), "print the same for the unitary alignments that were voted out", default=False),
        Option("decided", Flag(), "print a row for each decision of --decisions, with its effect", default=False),
    )
    add_groups(
        parser,
        output_group(*target_options(), NOTES_QUIET),
        output_group(*forms, is_exclusive=True),
        output_group(TABLE_ROWS),
    )
