"""Arguments that several subcommands have: the corpus that is read, the measure, and the output.

Options of the command line alone are declared here. No module of arguments imports NumPy, so that help is quick.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial

from gamma_align.apps.cli._options import add_groups, add_parts
from gamma_align.apps.cli._parser import Parser
from gamma_align.options import Choice, File, Flag, Group, Option, Text, Whole
from gamma_align.reading import CSV_SAFE, LOSS_OPTIONS
from gamma_align.requests import READING, SELECTION, STANDARD_STREAM, Part, file, location, thresholds

_MAX_NAMED_PATHS = 2  # in messages; of more paths the number is given
_ONE_CORPUS = "several paths form one corpus"
FORM_SUFFIXES = {
    "json": (".json",),
    "csv": (".csv",),
    "markdown": (".md", ".markdown"),
    "latex": (".tex",),
    "cite": (".bib",),
    "html": (".html", ".htm"),
}
"""The suffixes of the files of a form, by its option; a page has none."""
TEXT_SUFFIXES = (".txt", ".log", ".out", "")  # devices and pipes have none
_JSON_HELP = "print everything as one JSON document"

QUIET_OPTION = Option("quiet", Flag(), "no progress, notes or warnings on stderr", default=False)
NOTES_QUIET = QUIET_OPTION._replace(help="no notes on stderr")
JSON_OPTION = Option("json", Flag(), _JSON_HELP, default=False)
MARKDOWN_OPTION = Option("markdown", Flag(), "print tables in Markdown", default=False)
LATEX_OPTION = Option("latex", Flag(), "print tables in LaTeX, with booktabs, for a paper", default=False)
TABLE_FORMS = (MARKDOWN_OPTION, LATEX_OPTION)
CITE_OPTION = Option(
    "cite",
    Flag(),
    "print for a paper: a sentence with the values, how they were computed, and the references as BibTeX",
    default=False,
)
TABLE_ROWS = Option("rows", Whole(1), "number of rows to show of each table", default=10, metavar="N")
LARGE_CORPORA = Group(
    (
        Option(
            "work",
            File(),
            "store the work on γ in this folder: if the command is interrupted or killed, the same command resumes "
            "from there",
            metavar="DIR",
        ),
        Option(
            "dask",
            Text(),
            "use the workers of the Dask cluster at this address, such as tcp://host:8786",
            metavar="ADDRESS",
        ),
    ),
    "large corpora",
    "more",
)


def add_corpus(parser: Parser, parts: Sequence[Part] = (*READING, *SELECTION), *, paths: str = _ONE_CORPUS) -> None:
    """Add the paths of a corpus, and parts of the options of a request; `paths` is the meaning of several paths."""
    parser.add_argument(
        "path",
        metavar="PATH",
        nargs="+",
        help="corpus: a file, a folder, or a template such as '{annotator}/{document}.ann'; '-' for standard input; "
        f"{paths}",
    )
    add_parts(parser, parts)


def source_label(arguments: argparse.Namespace) -> str | None:
    """Return the name of the input in messages, None if nothing is read."""
    paths = vars(arguments).get("path") or None
    if paths is None or isinstance(paths, str):
        return paths
    names = ["standard input" if path == STANDARD_STREAM else path for path in paths]
    total = f" … ({len(names)} in all)" if len(names) > _MAX_NAMED_PATHS else ""
    return " and ".join(names[:_MAX_NAMED_PATHS]) + total


def target_options(*, stdout: bool = False) -> tuple[Option, ...]:
    """Return the options of the file or folder to write a corpus to, of its format, and of what that cannot hold."""
    kind = Text(parse=str if stdout else location)
    return (
        Option("output", kind, target_help(stdout=stdout), metavar="OUT", short="-o"),
        *TARGET_OPTIONS,
        CSV_SAFE,
    )


def target_help(*, stdout: bool) -> str:
    """Return the help of the file or folder to write a corpus to."""
    return "where to write, completely or not at all: a file or a new folder" + "; '-' for standard output" * stdout


TARGET_OPTIONS = (
    Option(
        "to",
        Text(completion="formats"),
        "format of OUT (default: by its name; parquet for a folder); convert --list shows which formats are written",
        metavar="FORMAT",
    ),
    *LOSS_OPTIONS,
)
"""The options of the format to write a corpus in, and of what it cannot hold."""


def add_output(
    parser: Parser,
    *,
    csv: str | None = None,
    svg: str | None = None,
    forms: Sequence[Option] = (),
    has_page: bool = False,
) -> None:
    """Add the options of the output: JSON, and further forms; CSV and a picture only if there is a help text."""
    tables = () if csv is None else (Option("csv", Flag(), csv, default=False),)
    shown = (JSON_OPTION._replace(help=_JSON_HELP), *tables, *forms)
    suffixes = [FORM_SUFFIXES[form.name][0] for form in shown if form.name in FORM_SUFFIXES]
    suffixes += [FORM_SUFFIXES["html"][0]] if has_page else []
    output = Option(
        "output",
        Text(parse=file),
        "write the result to FILE, completely or not at all, in the form of its suffix: "
        f"{', '.join([*suffixes, TEXT_SUFFIXES[0]])}",
        metavar="FILE",
        short="-o",
    )
    pictures = () if svg is None else (Option("svg", File(), svg, metavar="FILE"),)
    safe = () if csv is None else (CSV_SAFE,)
    add_groups(parser, output_group(output, QUIET_OPTION, *pictures, *safe), output_group(*shown, is_exclusive=True))


def output_group(*options: Option, is_exclusive: bool = False) -> Group:
    """Return options as a group of the section on output."""
    return Group(options, "output", is_exclusive=is_exclusive)


def gate_group(names: Sequence[str] | None, *, listed: str, has_documents: bool = False) -> Group:
    """Return the options of the gate, with thresholds for values of these names, or of any; the help has the list."""
    kind = Text(parse=partial(thresholds, allowed=names))

    def threshold(name: str, text: str) -> Option:
        return Option(name, kind, text, default={}, shows_default=False, metavar="NAME=X,…")

    document_thresholds = threshold(
        "fail_under_documents", "the same for each document; a document without a value misses no threshold"
    )
    return output_group(
        threshold(
            "fail_under", f"exit with code 1 if a value is below its threshold, 4 if it is not available: {listed}"
        ),
        *([document_thresholds] if has_documents else []),
        Option(
            "fail_by",
            Choice(("value", "low")),
            "what to compare: the value, or the lower bound of its interval, for other documents like these",
            default="value",
        ),
        Option("junit", File(), "also write the thresholds as test cases of JUnit XML", metavar="FILE"),
    )
