"""``gamma-align shuffle``: simulated annotators, who err in known ways and to a known degree."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import gamma_align as ga
from gamma_align.cli._arguments import (
    add_reading,
    add_selection,
    add_target,
    finite,
    magnitudes,
    names_of,
    non_negative,
    parts,
    positive,
    selection,
    source_label,
    whole,
)
from gamma_align.cli._corpus import read_corpus
from gamma_align.cli._measure import read_square
from gamma_align.cli._messages import ExitCode, print_notes
from gamma_align.cli._output import check_target, check_writable, write_corpus, write_result
from gamma_align.cli._pipeline import naming
from gamma_align.errors import InputError, SettingsError
from gamma_align.report._tables import csv_text, number
from gamma_align.shuffling.kinds import CONFUSIONS, OVERLAPS
from gamma_align.shuffling.reference import KINDS

TOOL = "tool"
_PRINTED = (None, "csv", "tsv", TOOL)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.description = (
        "Make annotators from one reference annotation, each a copy with errors of known kinds and size "
        "(the corpus shuffling tool; Mathet et al. 2012). Without -o the units are printed as CSV, or with --to tsv "
        "or --to tool, the tool's own CSV (one document, no header, annotator,category,start,end)."
    )
    parser.add_argument("path", metavar="PATH", nargs="*", help="the reference: files or a folder")
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
    _add_kinds(parser)
    add_reading(parser)
    add_selection(parser, "--document")
    _add_synthetic(parser)
    output = parser.add_argument_group("output")
    add_target(output, "-o", "--output")
    output.add_argument("--quiet", action="store_true", help="no notes on stderr")
    parser.set_defaults(run=run)


def _add_kinds(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("errors")
    group.add_argument(
        "--kinds",
        type=names_of(KINDS),
        default=("shift",),
        metavar="A,B",
        help=f"kinds of errors, of {', '.join(KINDS)}; they apply in this order (default: shift)",
    )
    group.add_argument(
        "--confusion",
        choices=CONFUSIONS,
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
        choices=OVERLAPS,
        default="allow",
        help="units of an annotator that come to overlap: leave them, or end the earlier one where the later one "
        "begins (default: allow)",
    )
    group.add_argument("--seed", type=whole(0), default=0, metavar="N", help="of everything random (default: 0)")


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


def run(arguments: argparse.Namespace) -> int:
    """Shuffle, write, and return the exit code."""
    _check_output(arguments)
    errors = _errors(arguments)
    reference = _reference(arguments)
    print_notes(reference.notes, quiet=arguments.quiet)
    with naming(source_label(arguments) or "synthetic reference"):
        shuffled = _shuffled(reference, arguments, errors)
    _write(shuffled, arguments)
    return ExitCode.FINE


def _reference(arguments: argparse.Namespace) -> ga.Corpus:
    if (not arguments.path) == (arguments.synthetic is None):
        raise SettingsError("a reference is needed, and one only: PATH, or --synthetic UNITS")
    if arguments.path:
        return read_corpus(arguments)
    if selection(arguments):
        raise SettingsError("argument --document: a synthetic reference is one document")
    settings = ("categories", "length", "length_deviation", "gap", "gap_deviation", "nesting", "seed")
    reference = ga.synthetic_reference(
        units=arguments.synthetic, **{name: getattr(arguments, name) for name in settings}
    )
    return ga.Corpus.from_continua([reference])


def _errors(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the keyword arguments of `shuffle` in the arguments, but for the magnitude."""
    names = ["kinds", "confusion", "subset", "shift_factor", "split_factor", "overlaps"]
    names += ["annotators", "annotator", "seed"]
    matrix = None if arguments.overlap_matrix is None else _matrix(arguments.overlap_matrix)
    return {**{name: getattr(arguments, name) for name in names}, "overlap_matrix": matrix}


def _matrix(path: Path) -> dict[str, dict[str, float]]:
    labels, rows = read_square(path)
    matrix: dict[str, dict[str, float]] = {}
    for line, name, numbers in rows:
        if name in matrix:
            raise InputError(f"{path}:{line}: there is a row of {name!r} already")
        matrix[name] = dict(zip(labels, numbers, strict=True))
    return matrix


def _shuffled(reference: ga.Corpus, arguments: argparse.Namespace, errors: dict[str, Any]) -> ga.Corpus:
    magnitudes, repetitions = arguments.magnitude, arguments.repetitions
    if len(magnitudes) == 1 and repetitions == 1:
        return ga.shuffle(reference, magnitude=magnitudes[0], **errors)
    return ga.shuffle_grid(reference, magnitudes=magnitudes, repetitions=repetitions, **errors).corpus


def _check_output(arguments: argparse.Namespace) -> None:
    if arguments.output is None:
        if arguments.to not in _PRINTED:
            raise SettingsError(f"argument --to: {arguments.to} goes to a file or folder; name it with -o")
    elif arguments.to == TOOL:
        check_writable(Path(arguments.output), "-o/--output", [*arguments.path, arguments.overlap_matrix])
    else:
        check_target(arguments, [arguments.overlap_matrix], option="-o/--output")


def _write(corpus: ga.Corpus, arguments: argparse.Namespace) -> None:
    if arguments.to == TOOL:
        write_result(_tool_csv(corpus), None if arguments.output is None else Path(arguments.output))
    elif arguments.output is None:
        write_result(_units_table(corpus, "\t" if arguments.to == "tsv" else ","), None)
    else:
        write_corpus(corpus, arguments)


def _units_table(corpus: ga.Corpus, delimiter: str) -> str:
    """Return the units, a row each, with a header."""
    rows = [
        (name, unit.annotator, _boundary(unit.start), _boundary(unit.end), unit.category or "")
        for name in corpus
        for unit in corpus[name].units()
    ]
    return csv_text([("document", "annotator", "start", "end", "category"), *rows], delimiter)


def _tool_csv(corpus: ga.Corpus) -> str:
    """Return the units of the only document in the form of the corpus shuffling tool, which has no header."""
    if len(corpus) != 1:
        raise SettingsError(
            f"the shuffling tool's CSV holds one document, and there are {len(corpus)}; choose another format"
        )
    units = corpus.continuum(0).units()
    return csv_text((unit.annotator, unit.category or "", _boundary(unit.start), _boundary(unit.end)) for unit in units)


def _boundary(value: float) -> str:
    return number(value) if value.is_integer() and abs(value) < 1e15 else repr(value)  # noqa: PLR2004
