"""What each subcommand takes, and its help: functions of the subcommands' names, which fill a parser.

Nothing here imports NumPy: help and completion are quick. `run` stands in the module of the subcommand's name.
"""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path

from gamma_align.apps.cli._argument_types import (
    finite,
    layers,
    magnitudes,
    names_of,
    non_negative,
    parts,
    positive,
    whole,
)
from gamma_align.apps.cli._arguments import (
    TABLES,
    add_corpus,
    add_dissimilarity,
    add_engine,
    add_gate,
    add_measure,
    add_output,
    add_proof,
    add_reading,
    add_selection,
    add_target,
)
from gamma_align.apps.cli._comparison_arguments import (
    add_families,
    add_overlap,
    compare,  # noqa: F401  (`_program` looks for it by its name)
)
from gamma_align.apps.cli._completion import format_names
from gamma_align.apps.cli._evaluation_arguments import evaluate  # noqa: F401  (likewise)
from gamma_align.apps.cli._items_arguments import items  # noqa: F401  (likewise)
from gamma_align.apps.cli._parser import MORE, Answer, Parser
from gamma_align.apps.cli._reproduce_arguments import reproduce  # noqa: F401  (likewise)
from gamma_align.apps.cli._serve_arguments import serve  # noqa: F401  (likewise)

_THRESHOLDS = (
    *("gamma", "gamma-cat", "gamma-k:"),
    *("unitizing-alpha", "unitizing-alpha-bar", "unitizing-alpha-c", "unitizing-alpha-k:"),
)
_CONVERT = "gamma_align.apps.cli.convert"  # imports NumPy
_KINDS = ("shift", "false-negative", "false-positive", "category", "split")
_VOTES = ("majority", "all")
_WEIGHINGS = ("dawid-skene",)
_LOSSES = ("annotators", "documents", "extents", "length-unit", "no-category")
_REPAIRS = {
    "swapped-bounds": "swap start and end of units that end before they start",
    "blanks": "remove blanks at the edge of categories",
    "case": "write categories that differ in case alone like the most frequent of them",
    "adjacency": "move ends that are less than 1e-05 beside the start of the annotator's next unit there",
    "past-end": "cut units where the extent of their document ends, and leave out those beyond it",
    "zero-length": "leave out units without length",
    "duplicates": "keep one of units that are the same",
}


def measure(parser: Parser) -> None:
    """Add the arguments of ``measure``."""
    parser.describe(
        "Measure γ, γcat and γk of each document and of the corpus, or Krippendorff's unitizing family "
        "(uα, |uα, cuα, (k)uα), or both.",
        "gamma-align measure corpora/novels_ner --precision 0.05",
        "gamma-align measure corpora/hearst_kazantseva --document moonstone/ch1 --json",
    )
    add_families(parser, "measure")
    add_measure(parser)
    add_overlap(parser)
    add_engine(parser)
    output = add_output(parser, csv="print a row a document and category, then the corpus's", forms=(*TABLES, "cite"))
    output.add_argument(
        "--sort",
        choices=("name", "share", "value"),
        default="name",
        help="the documents of the report by name, those with the largest share of the disorder first, or those of the "
        "lowest γ (uα) first (default: name; a list that is cut: share)",
    )
    output.add_argument(
        "--plot", type=Path, metavar="FILE.pdf", help="also plot the documents, as .pdf, .svg or .png for a paper"
    )
    output.add_argument(
        "--worst",
        type=whole(1),
        metavar="N",
        help="list N documents alone, those with the largest share of the disorder; with --sort value, and of uα, "
        "those of the lowest value",
    )
    add_gate(
        output,
        _THRESHOLDS,
        what=", ".join(f"{name}CATEGORY" if name.endswith(":") else name for name in _THRESHOLDS),
        documents=True,
    )


def families(parser: Parser) -> None:
    """Add the arguments of ``families``."""
    parser.describe(
        "Measure γ, γcat, γk and uα, |uα, cuα, (k)uα of the same corpus, and show what each pair of categories "
        "contributes to γcat and to cuα (Mathet 2017, table 3).",
        "gamma-align families corpora/novels_ner --precision 0.05",
        "gamma-align families corpora/pygamma/AlexPaulSuzan.csv --samples 30",
    )
    add_measure(parser)
    add_output(parser, csv="print one row a document and pair of categories", forms=TABLES)


def disagreements(parser: Parser) -> None:
    """Add the arguments of ``disagreements``."""
    parser.describe(
        "Show where and why annotators differ: every unitary alignment with its disorder in parts (missing, position, "
        "category), by kind, words, document, annotator and category; and what to settle, with what γ would be then.",
        "gamma-align disagreements corpora/novels_ner --precision 0.05",
        "gamma-align disagreements corpora/pygamma/AlexPaulSuzan.csv --csv",
    )
    add_measure(parser)
    output = add_output(
        parser, csv="print a row for each unitary alignment with any disorder, the worst first", forms=TABLES
    )
    output.add_argument(
        "--for",
        dest="annotator_shown",
        metavar="ANNOTATOR",
        help="the disagreements of this annotator alone: where they differ from more than half of the others",
    )
    output.add_argument("--leave-one-out", action="store_true", help="γ without each annotator, too")
    output.add_argument(
        "--pairs", action="store_true", help="γ of each two annotators, and of each with the others, too"
    )
    output.add_argument(
        "--rows", type=whole(1), default=10, metavar="N", help="how many rows of each table to show (default: 10)"
    )


def report(parser: Parser) -> None:
    """Add the arguments of ``report``."""
    parser.describe(
        "Write one HTML page on how far annotators agree, what they disagree on and what to settle: γ in words, "
        "disagreements in context, documents from the worst, annotators and labels. It needs no network.",
        "gamma-align report corpora/novels_ner -o report.html",
        "gamma-align report corpora/novels_ner -o user1.html --for user1",
    )
    parser.set_defaults(json=False)
    add_measure(parser)
    output = parser.section("output")
    output.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="the page to write")
    output.add_argument("--title", metavar="TEXT", help="name of the corpus (default: that of the path)")
    output.add_argument(
        "--text",
        choices=("none", "windows", "full"),
        default="windows",
        help="how much of the texts the page holds: none of them, what stands around disagreements, or all (default: "
        "windows)",
    )
    output.add_argument("--anonymous", action="store_true", help="call the annotators A, B, C …")
    output.add_argument(
        "--for",
        dest="annotator_shown",
        metavar="ANNOTATOR",
        help="a page for this annotator: the disagreements in which they differ from more than half of the others",
    )
    output.add_argument(
        "--independent",
        type=layers,
        default=(),
        metavar="A,B",
        help="the annotators who worked on their own: γ on top is theirs, the others stay in all else",
    )
    output.add_argument("--reference", metavar="NAME", help="evaluate the other annotators against this one, too")
    output.add_argument(
        "--remark",
        action="append",
        default=[],
        metavar="TEXT",
        help="a remark for the readers, on top; may be repeated",
    )
    output.add_argument("--asked", type=finite, metavar="VALUE", help="draw the γ that was asked for on the scale")
    output.add_argument(
        "--curve", action="store_true", help="measure how many errors of each kind would lower γ that far; takes longer"
    )
    output.add_argument("--quiet", action="store_true", help="no progress, notes or warnings on stderr")


def consensus(parser: Parser) -> None:
    """Add the arguments of ``consensus``."""
    parser.describe(
        "Make one annotation of each document: a unit where enough annotators have one in the best alignment, with the "
        "category of most of them and the medians of their boundaries.",
        "gamma-align consensus corpora/novels_ner -o gold",
        "gamma-align consensus corpora/btc_crowd --weigh dawid-skene --csv",
    )
    add_dissimilarity(parser)
    parser.add_argument(
        "--votes",
        type=_votes,
        metavar="N|SHARE",
        help="how many of a document's annotators must have a unit: majority, which is more than half (default), "
        "all, a number, or a share below 1",
    )
    parser.add_argument(
        "--weigh",
        choices=_WEIGHINGS,
        help="weigh annotators by their error rates, in place of votes (Dawid & Skene 1979)",
    )
    parser.add_argument(
        "--name", default="consensus", metavar="NAME", help="of the annotator of the consensus (default: consensus)"
    )
    add_proof(parser)
    output = parser.section("output")
    add_target(output, "-o", "--output")
    output.add_argument("--quiet", action="store_true", help="no notes on stderr")
    forms = output.add_mutually_exclusive_group()
    forms.add_argument("--json", action="store_true", help="print one JSON document with everything")
    forms.add_argument(
        "--csv",
        action="store_true",
        help="print a row for each unit with its votes and confidence, a table that is read as a corpus",
    )
    forms.add_argument("--voted-out", action="store_true", help="print likewise what was voted out")
    output.add_argument(
        "--rows", type=whole(1), default=10, metavar="N", help="how many rows of each table to show (default: 10)"
    )


def _votes(text: str) -> str | float:
    if text in _VOTES:
        return text
    return int(text) if text.isdecimal() else finite(text)


def align(parser: Parser) -> None:
    """Add the arguments of ``align``."""
    parser.describe(
        "Align the units of each document: which units of the annotators belong together.",
        "gamma-align align corpora/pygamma/AlexPaulSuzan.csv --disagreements",
        "gamma-align align corpora/novels_ner --document Emma --svg emma.svg --to 900",
    )
    add_dissimilarity(parser)
    add_proof(parser)
    output = add_output(parser, svg="also draw the document: its text with the units under it, where that is known")
    output.add_argument("--lanes", action="store_true", help="draw lanes along an axis, even where the text is known")
    output.add_argument("--from", type=float, metavar="X", dest="window_from", help="draw from here on only")
    output.add_argument("--to", type=float, metavar="X", dest="window_to", help="draw up to here only")
    output.add_argument(
        "--disagreements",
        action="store_true",
        help="list only unitary alignments that cost something, the worst first, with the words they cover where the "
        "text is known",
    )


def convert(parser: Parser) -> None:
    """Add the arguments of ``convert``."""
    parser.describe(
        "Read annotations in any format and write them in another. What the other cannot hold is refused, unless "
        "--drop says that it may be lost.",
        "gamma-align convert corpora/formats/brat/multi_annotator_project news.jsonl",
        "gamma-align convert corpora/novels_ner - --to csv --drop all",
    )
    add_corpus(parser)
    add_target(parser, "output", stdout=True)
    parser.add_argument(
        "--drop",
        metavar="WHAT,…",
        type=lambda text: text.split(","),
        default=(),
        help=f"what may be lost where OUT does not hold it: {', '.join(_LOSSES)}, or all of these; zero-length leaves "
        "out units without length",
    )
    parser.add_argument("--decimals", metavar="N", type=int, help="round bounds to so many decimals (ELAN holds 3)")
    parser.add_argument(
        "--list",
        action=Answer,
        nargs=0,
        const=lambda _: import_module(_CONVERT).format_list(),
        help="print the formats there are, and exit",
    )
    parser.add_argument(
        "--about",
        action=Answer,
        const=lambda name: import_module(_CONVERT).about(name),
        metavar="FORMAT",
        help="print how a format is read, and its --option, and exit",
    ).completer = format_names  # type: ignore[attr-defined]
    parser.add_argument("--quiet", action="store_true", help="no notes on stderr")


def validate(parser: Parser) -> None:
    """Add the arguments of ``validate``."""
    parser.describe(
        "Say what is in files of annotations, and every problem with file, line and cure. The exit code is 3 if there "
        "are problems: the other commands would not read the files as they are.",
        "gamma-align validate corpora/formats/brat/multi_annotator_project",
        "gamma-align validate corpora/pygamma/3by100.csv --fix duplicates -o new.csv",
    )
    parser.epilog = f"repairs, in the order they apply: {'; '.join(map(': '.join, _REPAIRS.items()))}"
    add_corpus(parser, selected=False)
    group = parser.section("repairing")
    group.add_argument(
        "--fix",
        type=names_of(tuple(_REPAIRS)),
        metavar="NAMES",
        help=f"repairs, of {', '.join(_REPAIRS)}, separated by commas; each is reported, and nothing else is changed",
    )
    add_target(group, "-o", "--output")
    output = parser.section("output")
    output.add_argument("--json", action="store_true", help="print one JSON document with everything")
    output.add_argument("--quiet", action="store_true", help="no notes on stderr")


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
    parser.add_argument(
        "-m", "--magnitude", type=magnitudes, required=True, metavar="M", help="of the errors, 0 to 1; or a list: 0,0.5"
    )
    parser.add_argument(
        "--kinds",
        type=names_of(_KINDS),
        default=_KINDS[:1],
        metavar="A,B",
        help=f"kinds of errors, of {', '.join(_KINDS)}; they apply in this order (default: shift)",
    )
    parser.add_argument(
        "--annotator", metavar="NAME", help="whose units are the reference, where there are several annotators"
    )
    parser.add_argument("--annotators", type=whole(1), default=3, metavar="N", help="how many to make (default: 3)")
    parser.add_argument(
        "--repetitions", type=whole(1), default=1, metavar="N", help="documents at each magnitude (default: 1)"
    )
    parser.add_argument("--seed", type=whole(0), default=0, metavar="N", help="of everything random (default: 0)")
    parser.add_argument(
        "--synthetic", type=whole(1), metavar="UNITS", help="in place of PATH: make a reference of so many units"
    )
    add_reading(parser)
    add_selection(parser, "--document")
    output = parser.section("output")
    add_target(output, "-o", "--output", stdout=True)
    output.add_argument("--quiet", action="store_true", help="no notes on stderr")
    output.add_argument(
        "--json",
        action="store_true",
        help="print one JSON document: units, annotators and extents, as `serve` takes them",
    )
    _add_errors(parser)
    _add_synthetic(parser)


def _add_errors(parser: Parser) -> None:
    group = parser.section("errors", MORE)
    group.add_argument(
        "--confusion",
        choices=("prevalence", "uniform"),
        default="prevalence",
        help="where wrong categories come from: the reference's frequencies, or all the same (default: prevalence)",
    )
    group.add_argument("--subset", type=parts, metavar="A,B", help="only these categories are confused")
    group.add_argument(
        "--overlap-matrix",
        type=Path,
        metavar="FILE.csv",
        help="how categories resemble each other: a square CSV table with the labels in its first row and first "
        "column, rows with the sum 1",
    )
    group.add_argument(
        "--shift-factor",
        type=non_negative,
        default=2.0,
        metavar="X",
        help="at magnitude 1 boundaries move by so many mean lengths at most (default: 2)",
    )
    group.add_argument(
        "--split-factor",
        type=non_negative,
        default=2.5,
        metavar="X",
        help="at magnitude 1 there are so many cuts for each unit (default: 2.5)",
    )
    group.add_argument(
        "--overlaps",
        choices=("allow", "cut"),
        default="allow",
        help="units of an annotator that come to overlap: leave them, or end the earlier one where the later one "
        "begins (default: allow)",
    )


def _add_synthetic(parser: Parser) -> None:
    group = parser.section("synthetic reference", MORE)
    group.add_argument(
        "--categories",
        type=_frequencies,
        default={"A": 1.0, "B": 1.0, "C": 1.0, "D": 1.0},
        metavar="A=3,B=1",
        help="its categories, and how frequent they are (default: A,B,C,D, all the same)",
    )
    for name, default, text in (("length", 10.0, "mean length of units"), ("gap", 10.0, "mean distance between them")):
        kind = positive if name == "length" else non_negative
        group.add_argument(f"--{name}", type=kind, default=default, metavar="X", help=f"{text} (default: {default:g})")
        group.add_argument(
            f"--{name}-deviation", type=non_negative, default=0.0, metavar="X", help="its deviation (default: 0)"
        )
    group.add_argument(
        "--nesting", type=non_negative, default=0.0, metavar="X", help="share of units inside another (default: 0)"
    )


def _frequencies(text: str) -> dict[str, float]:
    frequencies: dict[str, float] = {}
    for part in parts(text):
        name, _, share = part.partition("=")
        if not name or name in frequencies:
            raise argparse.ArgumentTypeError(f"a category is {'named twice' if name else 'missing'} in {text!r}")
        frequencies[name] = finite(share) if share else 1.0
    return frequencies


def curve(parser: Parser) -> None:
    """Add the arguments of ``curve``."""
    parser.describe(
        "Measure γ, degrade the corpus step by step with errors of each kind, and say which size of errors gives the "
        "same γ.",
        "gamma-align curve corpora/pygamma/AlexPaulSuzan.csv --kinds shift",
        "gamma-align curve corpora/pygamma/AlexPaulSuzan.csv --samples 9 --svg a.svg",
    )
    parser.epilog = (
        "Degraded documents have as many samples as --samples says; without it enough for the expected disorder of a "
        "point, a mean over documents and repetitions, to be within 5 %."
    )
    parser.add_argument(
        "--kinds",
        type=names_of(_KINDS),
        metavar="A,B",
        help=f"a curve for each, of {', '.join(_KINDS)} (default: all; category where there are two or more)",
    )
    parser.add_argument(
        "--magnitudes",
        type=magnitudes,
        metavar="M,M",
        help="where the curves are computed, from 0 on (default: 0,0.2,0.4,0.6,0.8,1, and one more halfway between the "
        "two where a curve comes down to γ)",
    )
    parser.add_argument(
        "--repetitions", type=whole(1), default=5, metavar="N", help="simulated corpora a point (default: 5)"
    )
    add_measure(parser)
    add_output(parser, csv="print a row for each point of a curve", svg="also draw the curves")


def plan(parser: Parser) -> None:
    """Add the arguments of ``plan``."""
    parser.describe(
        "Say how the 95 % interval of γ narrows with more documents and annotators, from a pilot's spread and "
        "simulated annotators, who are independent of each other.",
        "gamma-align plan corpora/novels_ner --target-width 0.1 --annotators 2",
        "gamma-align plan corpora/novels_ner --target-width 0.1 --annotators 3 --csv",
    )
    parser.epilog = (
        "Simulated documents have 4 samples, unless --samples says how many. Widths are Student's, of γ linearised in "
        "the documents' parts."
    )
    parser.add_argument(
        "--target-width", type=positive, required=True, metavar="W", help="width of the interval asked for"
    )
    parser.add_argument(
        "--annotators", type=_numbers, default=(2, 3, 4, 5, 6), metavar="N,N", help="to plan with (default: 2,3,4,5,6)"
    )
    parser.add_argument(
        "--repetitions", type=whole(2), default=10, metavar="N", help="simulated pilots for each (default: 10)"
    )
    add_measure(parser)
    add_output(parser, csv="print a row for each number of annotators")


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(whole(2)(part) for part in text.split(","))
