"""Arguments that several subcommands have: what is read, measured and written.

Their choices stand here as they are, so that help and completion wait for no NumPy; a test compares them with the
package's.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from gamma_align.alignment.options import PROOF
from gamma_align.cli._argument_types import (
    STANDARD_STREAM,
    file,
    labels,
    layers,
    location,
    option,
    ordered_labels,
    pair,
    thresholds_of,
    workers,
)
from gamma_align.cli._completion import format_names
from gamma_align.cli._options import add_group, add_option
from gamma_align.cli._parser import MORE, READING, Parser
from gamma_align.gammas.options import CHANCES, DISTANCES, SAMPLING, WEIGHTS
from gamma_align.io.options import OUTSIDE
from gamma_align.options import Group

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

    def add(option: str, name: str, **settings: Any) -> argparse.Action:  # noqa: ANN401  (those of add_argument)
        return group.add_argument(option, dest=f"{_READING}{name}", **settings)

    _add_names(add)
    _add_positions(add)
    _add_tables(add)
    add_option(parser, group, OUTSIDE)


_Add = Callable[..., argparse.Action]


def _add_names(add: _Add) -> None:
    """Add what is read, and what it is called."""
    add(
        "--format", "format", metavar="NAME", help="of PATH's format, where it cannot be told (convert has a list)"
    ).completer = format_names  # type: ignore[attr-defined]
    add(
        "--annotators-from",
        "annotator",
        metavar="PATTERN",
        help="names of annotators: '{layer}', '{folder}', '{file}', what the file or its path says as '{annotator}' "
        "or '{document}', or one name for all",
    )
    add("--documents-from", "document", metavar="PATTERN", help="names of documents, likewise")
    add(
        "--layers",
        "layers",
        type=layers,
        metavar="A,B",
        help="layers (tiers, questions, namespaces) to read, '*' for all; A:F where feature F is the category",
    )
    add(
        "--labels",
        "labels",
        type=labels,
        metavar="A,B=C,D=",
        help="categories: A is kept, B read as C, units of D left out; all others are left out where some are only "
        r"kept, and kept otherwise ('*=C' is all others); \, \= and \\ stand for themselves",
    )


def _add_positions(add: _Add) -> None:
    """Add what bounds mean, and of which texts."""
    add("--positions", "positions", choices=("characters", "tokens"), help="what bounds count, where a format has both")
    add(
        "--offsets",
        "offsets",
        choices=("code-points", "utf-16", "bytes"),
        help="what characters are counted in, where it is not what the format says",
    )
    add(
        "--discontinuous",
        "discontinuous",
        choices=("whole", "parts", "refuse"),
        help="units of several parts: one unit from first start to last end, a unit each part, or an error "
        "(default: whole)",
    )
    add(
        "--mismatch",
        "mismatch",
        choices=("refuse", "keep"),
        help="units that do not cover the text that the file says (default: refuse)",
    )
    add(
        "--align-text",
        "align_text",
        action="store_true",
        default=None,
        help="map annotators' texts that differ onto the first one's, through equal characters",
    )
    add(
        "--repeated",
        "repeated",
        choices=("refuse", "last", "first", "apart"),
        help="further records of one text by one annotator: refuse the data, keep the last or the first record (by "
        "time if all have one, else by their order), or keep all apart, as 'anna' and 'anna (2)' (default: refuse)",
    )
    add(
        "--texts",
        "texts",
        metavar="PATH",
        help="the texts annotated, where PATH of the units has none: a folder of DOCUMENT.txt, or JSON Lines of "
        '{"document", "text"}',
    )
    add("--encoding", "encoding", metavar="NAME", help="of text files that are not UTF-8 and have no mark of it")


def _add_tables(add: _Add) -> None:
    """Add the columns of tables, and what single formats ask for."""
    add(
        "--column",
        "columns",
        action="append",
        type=pair,
        metavar="OURS=YOURS",
        help="your name for a column of a table (or a key of JSON records): document, annotator, start, end, category",
    )
    for flag, role, meaning in (
        ("--one-document", "document", "a table has no column of documents: all its units are of one"),
        ("--no-categories", "category", "a table has no column of categories"),
    ):
        add(flag, "columns", action="append_const", const=(role, None), help=meaning)
    add(
        "--option",
        "options",
        action="append",
        type=option,
        metavar="KEY=VALUE",
        help="what a single format asks for; a value in JSON ({…}, […], true, 3) is taken as such",
    )


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
