"""Arguments that several subcommands have: what is read, measured and written.

Their choices stand here as they are, so that help and completion wait for no NumPy; a test compares them with the
package's.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gamma_align.alignment.options import PROOF
from gamma_align.apps.cli._argument_types import (
    STANDARD_STREAM,
    file,
    layers,
    location,
    ordered_labels,
    thresholds_of,
    workers,
)
from gamma_align.apps.cli._completion import format_names
from gamma_align.apps.cli._options import add_group, add_option
from gamma_align.apps.cli._parser import MORE, READING, Parser
from gamma_align.measures.gamma.gamma_options import CHANCES, DISTANCES, SAMPLING, WEIGHTS
from gamma_align.options import Group
from gamma_align.reading.options import COLUMNS, OUTSIDE, READING_OPTIONS

_SELECTED = {"--document": "documents", "--annotator": "annotators", "--categories": "categories"}
"""Options on what is kept of a corpus, and the arguments of `Corpus.select`."""
_FORMS = {
    "markdown": "print tables in Markdown",
    "latex": "print tables in LaTeX, with booktabs, for a paper",
    "cite": "print what a paper says of the values, how they were made, and what to cite, as BibTeX",
}
"""Further forms of a result, and their help."""
TABLES = ("markdown", "latex")
"""Those of results that are tables alone."""
_READING = "read_"
"""What names in the namespace begin with: subcommands have options of these names for other things."""


def add_corpus(parser: Parser, *, selected: bool = True, several: str = "several are one corpus") -> None:
    """Add the paths of a corpus, how they are read, and, where they are `selected`, what is chosen of them.

    `several` is what several paths are.
    """
    parser.add_argument(
        "path",
        metavar="PATH",
        nargs="+",
        help="corpus: a file, a folder, or a template such as '{annotator}/{document}.ann'; '-' for standard input; "
        f"{several}",
    )
    add_reading(parser)
    if selected:
        add_selection(parser, "--document", "--annotator", "--categories")


def add_selection(parser: Parser, *options: str) -> None:
    """Add options on what of the corpus is kept: of its names, and of its units."""
    group = parser.section("selection")
    for flag in options:
        group.add_argument(
            flag,
            dest=f"keep_{_SELECTED[flag]}",
            type=layers,
            action="extend",
            metavar="A,B",
            help=rf"keep only these {_SELECTED[flag]} (\, is a comma in a name)",
        )
    parser.section("reading", READING).add_argument(
        "--trim",
        action="store_true",
        help="cut white space and punctuation at both edges of units; for that their texts must be known",
    )


def selection(arguments: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Return, for each option on what is kept that was given, the keyword argument of `Corpus.select`."""
    chosen = {option: {name: vars(arguments).get(f"keep_{name}")} for option, name in _SELECTED.items()}
    return {option: names for option, names in chosen.items() if None not in names.values()}


def source_label(arguments: argparse.Namespace) -> str | None:
    """Return what messages call all that is read, None where nothing is."""
    paths = vars(arguments).get("path") or None
    if paths is None or isinstance(paths, str):
        return paths
    names = ["standard input" if path == STANDARD_STREAM else path for path in paths]
    return " and ".join(names[:2]) + (f" … ({len(names)} in all)" if len(names) > 2 else "")  # noqa: PLR2004


def add_target(group: argparse._ActionsContainer, *names: str, stdout: bool = False) -> None:
    """Add the file or folder to write a corpus to, under these names ("output", or "--output" …), and its format."""
    group.add_argument(
        *names,
        metavar="OUT",
        type=str if stdout else location,
        help="where to write, whole or not at all: a file, or a new folder" + "; '-' for standard output" * stdout,
    )
    group.add_argument(
        "--to",
        metavar="FORMAT",
        help="format of OUT (default: by its name; parquet for a folder); convert --list shows which are written",
    ).completer = format_names  # type: ignore[attr-defined]


def add_reading(parser: Parser) -> None:
    """Add the arguments on how files are read."""
    group = parser.section("reading", READING)

    for option in READING_OPTIONS:
        if option is COLUMNS:
            _add_columns(parser, group)
        else:
            add_option(parser, group, option, prefix=_READING)
    add_option(parser, group, OUTSIDE)


def _add_columns(parser: Parser, group: argparse._ArgumentGroup) -> None:
    """Add the names of columns, and the options for columns that a table does not have."""
    columns = add_option(parser, group, COLUMNS, prefix=_READING)
    for flag, role, meaning in (
        ("--one-document", "document", "a table has no column of documents: all its units are of one"),
        ("--no-categories", "category", "a table has no column of categories"),
    ):
        group.add_argument(flag, dest=columns.dest, action="append_const", const=(role, None), help=meaning)


def add_dissimilarity(parser: Parser, **corpus: Any) -> None:  # noqa: ANN401  (those of `add_corpus`)
    """Add a corpus and the arguments that decide what its best alignment is."""
    add_corpus(parser, **corpus)
    add_group(parser, WEIGHTS)
    add_distance(parser)


def add_distance(parser: Parser) -> None:
    """Add the arguments on the distance of categories."""
    add_group(parser, DISTANCES)
    group = parser.section("distance of categories", MORE)
    group.add_argument(
        "--order",
        type=ordered_labels,
        metavar="A,B,C",
        help="the categories, lowest first, for distances of ranks (default: they are numbers); one with a comma in "
        'quotes: low,"mid, or so",high',
    )
    group.add_argument(
        "--distance-matrix",
        type=Path,
        metavar="FILE.csv",
        help="how far categories are apart: a square CSV table with the labels in its first row and first column; 0 to "
        "1 for γ",
    )
    group.add_argument(
        "--taxonomy",
        type=Path,
        metavar="FILE.csv",
        help="taxonomy of the categories as CSV, a row an edge: node, daughter",
    )
    group.add_argument(
        "--set-separator",
        metavar="SEP",
        help="what stands between the members of a label that is a set, for distances of sets (default: |)",
    )


def add_measure(parser: Parser, **corpus: Any) -> None:  # noqa: ANN401  (likewise)
    """Add a corpus, as `add_corpus` does, and every argument of γ, γcat and γk."""
    add_dissimilarity(parser, **corpus)
    add_group(parser, SAMPLING)
    add_jobs(parser)
    add_group(parser, CHANCES)


def add_jobs(group: argparse._ActionsContainer) -> None:
    """Add the number of processes."""
    group.add_argument(
        "--jobs", type=workers, metavar="N", help="processes to use, at most one a processor; -1 for all processors"
    )


def add_engine(parser: Parser) -> None:
    """Add where the work is kept, and what does it."""
    group = parser.section("large corpora", MORE)
    group.add_argument(
        "--work",
        type=Path,
        metavar="DIR",
        help="keep in this folder what is done of γ: interrupted or killed, the same command goes on from there",
    )
    group.add_argument(
        "--backend",
        choices=("loky", "threading", "dask"),
        help="what the workers are: processes (loky, the default), threads, or the workers of a Dask cluster",
    )
    group.add_argument(
        "--scheduler", metavar="ADDRESS", help="the Dask cluster, as tcp://host:8786 (default: one on this machine)"
    )


def add_proof(parser: Parser) -> None:
    """Add the limit of time of alignments and what solves them, in a section of their own."""
    add_group(parser, Group(PROOF, "proof", "more"))


def add_output(
    parser: Parser,
    *,
    csv: str | None = None,
    svg: str | None = None,
    json: str = "print one JSON document with everything",
    forms: Sequence[str] = (),
) -> argparse._ArgumentGroup:
    """Add the group of output arguments; CSV and a picture only where there is a help text, other forms by name."""
    group = parser.section("output")
    group.add_argument(
        "-o", "--output", type=file, metavar="FILE", help="write the result to FILE (whole or not at all) instead"
    )
    group.add_argument("--quiet", action="store_true", help="no progress, notes or warnings on stderr")
    if svg is not None:
        group.add_argument("--svg", type=Path, metavar="FILE", help=svg)
    exclusive = group.add_mutually_exclusive_group()
    exclusive.add_argument("--json", action="store_true", help=json)
    if csv is not None:
        exclusive.add_argument("--csv", action="store_true", help=csv)
    for form in forms:
        exclusive.add_argument(f"--{form}", dest="form", action="store_const", const=form, help=_FORMS[form])
    return group


def add_gate(
    group: argparse._ArgumentGroup, names: Sequence[str] | None, *, what: str, documents: bool = False
) -> None:
    """Add the thresholds that make a command a gate, on values of these names, or of any; `what` lists them."""

    def add(option: str, text: str) -> None:
        group.add_argument(option, type=thresholds_of(names), default={}, metavar="NAME=X,…", help=text)

    add("--fail-under", f"exit with code 1 if a value is below its threshold, 4 if it is not available: {what}")
    if documents:
        add("--fail-under-documents", "the same of each document; one without a value misses nothing")
    else:
        group.set_defaults(fail_under_documents={})
    group.add_argument(
        "--fail-by",
        choices=("value", "low"),
        default="value",
        help="compare the value, or the lower bound of its interval (default: value)",
    )
    group.add_argument(
        "--junit", type=Path, metavar="FILE", help="also write the thresholds as test cases of JUnit XML"
    )


def reading_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the keyword arguments of `gamma_align.read` that the user gave."""
    settings: dict[str, Any] = {}
    for name, value in vars(arguments).items():
        if name.startswith(_READING) and value is not None:
            settings[name.removeprefix(_READING)] = value
    return settings | {name: dict(settings[name]) for name in ("columns", "options") if name in settings}
