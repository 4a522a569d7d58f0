"""The arguments and the help of subcommands: functions of the subcommands' names, which fill a parser.

Nothing here imports NumPy: help and completion are quick. `run` is in the module of the subcommand's name.
"""

from __future__ import annotations

from importlib import import_module

from gamma_align.apps.cli._arguments import (
    CITE_OPTION,
    JSON_OPTION,
    LARGE_CORPORA,
    NOTES_QUIET,
    TABLE_FORMS,
    TARGET_OPTIONS,
    add_corpus,
    add_output,
    gate_group,
    output_group,
    target_help,
    target_options,
)
from gamma_align.apps.cli._completion import format_names
from gamma_align.apps.cli._options import add_groups, add_parts
from gamma_align.apps.cli._parser import Answer, Parser
from gamma_align.measures.gamma import ALIGNMENT_OPTIONS
from gamma_align.measures.unitizing import ALPHA_2004, UNITIZING_OPTIONS
from gamma_align.options import Choice, File, Flag, Group, Option, Real, Whole
from gamma_align.reading import CSV_SAFE, FIX_OPTION, REPAIR_DESCRIPTIONS
from gamma_align.requests import ALIGNMENT, MEASURE, PROOF, READING, families_option

_MODULES = {
    "look": "_look_arguments",
    "compare": "_comparison_arguments",
    "disagreements": "_insight_arguments",
    "report": "_insight_arguments",
    "evaluate": "_evaluation_arguments",
    "consensus": "_insight_arguments",
    "items": "_items_arguments",
    "replace": "_replacement_arguments",
    "ceiling": "_ceiling_arguments",
    "shuffle": "_simulation_arguments",
    "curve": "_simulation_arguments",
    "plan": "_simulation_arguments",
    "follow": "_follow_arguments",
    "serve": "_serve_arguments",
}
"""The module of a subcommand's arguments, if it is not this one: only the declarations of one command are imported."""
_THRESHOLD_NAMES = (
    *("gamma", "gamma-cat", "gamma-k:"),
    *("unitizing-alpha", "unitizing-alpha-bar", "unitizing-alpha-c", "unitizing-alpha-k:"),
    "pairwise-gamma",
)
_CONVERT = "gamma_align.apps.cli.convert"  # imports NumPy
_PAIRS_OPTION = Option(
    "pairs",
    Flag(),
    "measure γ of every two annotators and their mean, instead of γ of all together: fast for crowds",
    default=False,
)
_LISTING_OPTIONS = output_group(
    Option(
        "sort",
        Choice(("name", "share", "value")),
        "order of the documents: by name, by share of the disorder, the largest first, or by γ (uα), the lowest first",
        default="name",
        shown_default="name; share if the list is cut",
    ),
    Option("plot", File(), "also plot the documents for a paper, as .pdf, .svg or .png", metavar="FILE.pdf"),
    Option(
        "worst",
        Whole(1),
        "list only N documents: those with the largest share of the disorder; with --sort value, and for uα, those "
        "with the lowest value",
        metavar="N",
    ),
)
_DRAWING_OPTIONS = output_group(
    Option("lanes", Flag(), "draw lanes along an axis even if the text is known", default=False),
    Option("window_from", Real(), "draw only from this position on", metavar="X", argument="--from"),
    Option("window_to", Real(), "draw only up to this position", metavar="X", argument="--to"),
    Option(
        "disagreements",
        Flag(),
        "list only unitary alignments with disorder, the worst first, with the words they cover if the text is known",
        default=False,
    ),
)


def fill_subcommand(name: str, parser: Parser) -> None:
    """Add the arguments of a subcommand."""
    module = import_module(f"gamma_align.apps.cli.{_MODULES.get(name, '_subcommands')}")
    getattr(module, name)(parser)


def measure(parser: Parser) -> None:
    """Add the arguments of ``measure``."""
    parser.describe(
        "Measure γ, γcat and γk of each document and of the corpus, or Krippendorff's unitizing family "
        "(uα, |uα, cuα, (k)uα), or both.",
        "gamma-align measure corpora/novels_ner --precision 0.05",
        "gamma-align measure corpora/hearst_kazantseva --document moonstone/ch1 --json",
    )
    add_groups(parser, Group((families_option("measure", ALPHA_2004), _PAIRS_OPTION)))
    add_corpus(parser, MEASURE)
    add_groups(parser, UNITIZING_OPTIONS, LARGE_CORPORA)
    add_output(
        parser,
        csv="print a row for each document and category, then the rows of the corpus",
        forms=(*TABLE_FORMS, CITE_OPTION),
    )
    named = ", ".join(f"{name}CATEGORY" if name.endswith(":") else name for name in _THRESHOLD_NAMES)
    add_groups(parser, _LISTING_OPTIONS, gate_group(_THRESHOLD_NAMES, listed=named, has_documents=True))


def families(parser: Parser) -> None:
    """Add the arguments of ``families``."""
    parser.describe(
        "Measure γ, γcat, γk and uα, |uα, cuα, (k)uα of the same corpus, and show what each pair of categories "
        "contributes to γcat and to cuα (Mathet 2017, table 3).",
        "gamma-align families corpora/novels_ner --precision 0.05",
        "gamma-align families corpora/pygamma/AlexPaulSuzan.csv --samples 30",
    )
    add_corpus(parser, MEASURE)
    add_output(parser, csv="print a row for each document and pair of categories", forms=TABLE_FORMS)


def align(parser: Parser) -> None:
    """Add the arguments of ``align``."""
    parser.describe(
        "Align the units of each document: which units of the annotators belong together.",
        "gamma-align align corpora/pygamma/AlexPaulSuzan.csv --disagreements",
        "gamma-align align corpora/novels_ner --document Emma --svg emma.svg --to 900",
    )
    add_corpus(parser, ALIGNMENT)
    add_groups(parser, ALIGNMENT_OPTIONS)
    add_parts(parser, (PROOF,))
    add_output(
        parser, svg="also draw the document: its text with the units below it, or lanes if the text is not known"
    )
    add_groups(parser, _DRAWING_OPTIONS)


def convert(parser: Parser) -> None:
    """Add the arguments of ``convert``."""
    parser.describe(
        "Read annotations in any format and write them in another. What the other format cannot hold is refused, "
        "unless --drop allows that it is lost.",
        "gamma-align convert corpora/formats/brat/multi_annotator_project news.jsonl",
        "gamma-align convert corpora/novels_ner - --to csv --drop all",
    )
    add_corpus(parser)
    parser.add_argument("output", metavar="OUT", help=target_help(stdout=True))
    add_groups(parser, Group((*TARGET_OPTIONS, CSV_SAFE)))
    parser.add_argument(
        "--list",
        action=Answer,
        nargs=0,
        const=lambda _: import_module(_CONVERT).format_list(),
        help="print all formats, and exit",
    )
    parser.add_argument(
        "--about",
        action=Answer,
        const=lambda name: import_module(_CONVERT).about(name),
        metavar="FORMAT",
        help="print how a format is read and its options, and exit",
    ).completer = format_names  # type: ignore[attr-defined]
    add_groups(parser, Group((NOTES_QUIET,)))


def validate(parser: Parser) -> None:
    """Add the arguments of ``validate``."""
    parser.describe(
        "Report what files of annotations contain, and every problem with file, line and cure. The exit code is 3 if "
        "there are problems: the other commands would not read the files as they are.",
        "gamma-align validate corpora/formats/brat/multi_annotator_project",
        "gamma-align validate corpora/pygamma/3by100.csv --fix duplicates -o new.csv",
    )
    parser.epilog = f"repairs, in the order they apply: {'; '.join(map(': '.join, REPAIR_DESCRIPTIONS.items()))}"
    add_corpus(parser, READING)
    save_map = Option(
        "save_map", File(), "also write the meaning of the columns of a table to a file for --map", metavar="FILE.json"
    )
    add_groups(
        parser, Group((FIX_OPTION, *target_options()), "repairing"), output_group(save_map, JSON_OPTION, NOTES_QUIET)
    )
