"""The arguments and the help of ``shuffle``, ``curve`` and ``plan``."""

from __future__ import annotations

from gamma_align.apps.cli._arguments import (
    JSON_OPTION,
    NOTES_QUIET,
    add_corpus,
    add_output,
    output_group,
    target_options,
)
from gamma_align.apps.cli._options import add_groups, add_parts
from gamma_align.apps.cli._parser import Parser
from gamma_align.options import Group
from gamma_align.requests import MEASURE, ONE_DOCUMENT_SELECTION, READING
from gamma_align.simulation import (
    CURVE_OPTIONS,
    ERROR_OPTIONS,
    PLAN_OPTIONS,
    POWER_OPTIONS,
    SHUFFLING_OPTIONS,
    SYNTHETIC_SECTION,
)


def shuffle(parser: Parser) -> None:
    """Add the arguments of ``shuffle``."""
    parser.describe(
        "Make annotators from one reference annotation, each a copy with errors of known kinds and size (the corpus "
        "shuffling tool; Mathet et al. 2012). Without -o the units are printed as CSV.",
        "gamma-align shuffle corpora/pygamma/AlexPaulSuzan.csv --annotator Alex -m 0.5",
        "gamma-align shuffle --synthetic 50 -m 0,0.5 --kinds shift,category -o shuffled",
    )
    parser.epilog = (
        "Without -o, --to tsv is printed too, and --to tool, the tool's own CSV: one document, no header, "
        "annotator,category,start,end."
    )
    parser.add_argument("path", metavar="PATH", nargs="*", help="the reference: files or a folder")
    add_groups(parser, SHUFFLING_OPTIONS)
    add_parts(parser, (*READING, *ONE_DOCUMENT_SELECTION))
    json = JSON_OPTION._replace(help="print one JSON document: units, annotators and extents, as `serve` takes them")
    add_groups(parser, output_group(*target_options(stdout=True), NOTES_QUIET, json), ERROR_OPTIONS, SYNTHETIC_SECTION)


def curve(parser: Parser) -> None:
    """Add the arguments of ``curve``."""
    parser.describe(
        "Measure γ, degrade the corpus step by step with errors of each kind, and report which magnitude of errors "
        "gives the same γ.",
        "gamma-align curve corpora/pygamma/AlexPaulSuzan.csv --kinds shift",
        "gamma-align curve corpora/pygamma/AlexPaulSuzan.csv --samples 9 --svg a.svg",
    )
    parser.epilog = (
        "--samples sets the number of samples of each degraded document. By default there are enough for the expected"
        " disorder of a point, a mean over documents and repetitions, to be within 5 %."
    )
    add_groups(parser, CURVE_OPTIONS)
    add_corpus(parser, MEASURE)
    add_output(parser, csv="print a row for each point of a curve", svg="also draw the curves")


def _without_required(group: Group) -> Group:
    """Return the group with options that may be left out."""
    return group._replace(options=tuple(option._replace(is_required=False) for option in group.options))


def plan(parser: Parser) -> None:
    """Add the arguments of ``plan``."""
    parser.describe(
        "Compute how the 95 % interval of γ narrows with more documents and annotators, from the spread of a pilot "
        "and simulated annotators, independent of each other. With --power: how many documents show that two "
        "annotations differ.",
        "gamma-align plan corpora/novels_ner --target-width 0.1 --annotators 2",
        "gamma-align plan round1 round2 --power 0.8",
    )
    parser.epilog = (
        "Simulated documents have 4 samples unless --samples is given. Widths are Student's, of γ linearised in the "
        "documents' parts."
    )
    # One of both is required, which the command checks.
    add_groups(parser, *(_without_required(group) for group in (PLAN_OPTIONS, POWER_OPTIONS)))
    add_corpus(parser, MEASURE)
    add_output(parser, csv="print a row for each number of annotators, or of documents")
