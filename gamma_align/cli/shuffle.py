"""``gamma-align shuffle``: simulated annotators, who err in known ways and to a known degree."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gamma_align as ga
from gamma_align.cli._common import (
    EXIT_CODES,
    ExitCode,
    check_writable,
    finite,
    naming,
    non_negative,
    positive,
    read_corpus,
    tell_notes,
    whole,
    write_result,
)
from gamma_align.cli._reading import add_reading
from gamma_align.cli._shuffling import add_kinds, labels, magnitudes, options
from gamma_align.cli._writing import add_target, check_target, write_corpus
from gamma_align.errors import SettingsError

if TYPE_CHECKING:
    from gamma_align.data.corpus import Corpus

TOOL = "tool"
_PRINTED = (None, "csv", "tsv", TOOL)


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "shuffle",
        help="simulated annotators: a reference with errors of known kinds and size",
        description="Make annotators from one reference annotation, each a copy with errors of known kinds and size "
        "(the corpus shuffling tool; Mathet et al. 2012). Without -o the units are printed as CSV, or with --to tsv "
        "or --to tool, the tool's own CSV (one document, no header, annotator,category,start,end).",
        epilog=EXIT_CODES,
    )
    parser.add_argument("path", metavar="PATH", nargs="?", help="the reference: a file or a folder")
    parser.add_argument("--document", metavar="D", help="take this document only")
    parser.add_argument(
        "--annotator", metavar="NAME", help="whose units are the reference, where there are several annotators"
    )
    parser.add_argument(
        "-m", "--magnitude", type=magnitudes, required=True, metavar="M", help="of the errors, 0 to 1; or a list: 0,0.5"
    )
    parser.add_argument("--annotators", type=whole(1), default=3, metavar="N", help="how many to make (default: 3)")
    parser.add_argument(
        "--repetitions", type=whole(1), default=1, metavar="N", help="documents at each magnitude (default: 1)"
    )
    add_kinds(parser, "shift")
    add_reading(parser).add_argument(
        "--outside", choices=("refuse", "extend"), default="refuse", help="as in measure (default: refuse)"
    )
    _add_synthetic(parser)
    output = parser.add_argument_group("output")
    add_target(output, "-o", "--output")
    output.add_argument("--quiet", action="store_true", help="no notes on stderr")
    parser.set_defaults(run=run)


def _add_synthetic(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("synthetic reference, in place of PATH")
    group.add_argument("--synthetic", type=whole(1), metavar="UNITS", help="make a reference of so many units")
    group.add_argument(
        "--categories",
        type=_frequencies,
        default={"A": 1.0, "B": 1.0, "C": 1.0, "D": 1.0},
        metavar="A=3,B=1",
        help="its categories, and how frequent they are (default: A,B,C,D, all the same)",
    )
    for name, default, told in (("length", 10.0, "mean length of units"), ("gap", 10.0, "mean distance between them")):
        kind = positive if name == "length" else non_negative
        group.add_argument(f"--{name}", type=kind, default=default, metavar="X", help=f"{told} (default: {default:g})")
        group.add_argument(
            f"--{name}-deviation", type=non_negative, default=0.0, metavar="X", help="its deviation (default: 0)"
        )
    group.add_argument(
        "--nesting", type=non_negative, default=0.0, metavar="X", help="share of units inside another (default: 0)"
    )


def _frequencies(text: str) -> dict[str, float]:
    found = {}
    for part in labels(text):
        name, _, share = part.partition("=")
        if not name or name in found:
            raise argparse.ArgumentTypeError(f"a category is {'named twice' if name else 'missing'} in {text!r}")
        found[name] = finite(share) if share else 1.0
    return found


def run(arguments: argparse.Namespace) -> int:
    """Shuffle, write, and return the exit code.

    Raises
    ------
    InputError, SettingsError
        For data or settings that cannot be used.
    """
    _check_output(arguments)
    errors = options(arguments)
    reference = _reference(arguments)
    with naming(arguments.path or "synthetic reference"):
        made = _made(reference, arguments, errors)
    _write(made, arguments)
    tell_notes(reference.notes, quiet=arguments.quiet)
    return ExitCode.FINE


def _reference(arguments: argparse.Namespace) -> Corpus:
    if (arguments.path is None) == (arguments.synthetic is None):
        raise SettingsError("a reference is needed, and one only: PATH, or --synthetic UNITS")
    if arguments.path is not None:
        return _chosen(read_corpus(arguments), arguments.document)
    if arguments.document is not None:
        raise SettingsError("argument --document: a synthetic reference is one document")
    names = ("categories", "length", "length_deviation", "gap", "gap_deviation", "nesting", "seed")
    made = ga.synthetic_reference(units=arguments.synthetic, **{name: getattr(arguments, name) for name in names})
    return ga.Corpus.from_continua([made])


def _chosen(corpus: Corpus, document: str | None) -> Corpus:
    if document is None:
        return corpus
    if document not in corpus:
        few = ", ".join(map(repr, corpus.documents[:10]))
        raise SettingsError(f"argument --document: no document {document!r}; there are {few or 'none'}")
    at = corpus.documents.index(document)
    return corpus.documents_between(at, at + 1)


def _made(reference: Corpus, arguments: argparse.Namespace, errors: dict[str, Any]) -> Corpus:
    shared: dict[str, Any] = {
        "kinds": arguments.kinds,
        "annotators": arguments.annotators,
        "annotator": arguments.annotator,
        "seed": arguments.seed,
        **errors,
    }
    if len(arguments.magnitude) == 1 and arguments.repetitions == 1:
        return ga.shuffle(reference, magnitude=arguments.magnitude[0], **shared)
    return ga.shuffle_grid(
        reference, magnitudes=arguments.magnitude, repetitions=arguments.repetitions, **shared
    ).corpus


def _check_output(arguments: argparse.Namespace) -> None:
    if arguments.output is None:
        if arguments.to not in _PRINTED:
            raise SettingsError(f"argument --to: {arguments.to} goes to a file or folder; name it with -o")
    elif arguments.to == TOOL:
        check_writable(Path(arguments.output), "-o/--output", [arguments.path, arguments.overlap_matrix])
    else:
        check_target(arguments, [arguments.overlap_matrix], option="-o/--output")


def _write(made: Corpus, arguments: argparse.Namespace) -> None:
    from gamma_align.report.units_text import tool_csv, units_table  # noqa: PLC0415  (--version needs no writer)

    if arguments.to == TOOL:
        write_result(tool_csv(made), None if arguments.output is None else Path(arguments.output))
    elif arguments.output is None:
        write_result(units_table(made, "\t" if arguments.to == "tsv" else ","), None)
    else:
        write_corpus(made, arguments)
