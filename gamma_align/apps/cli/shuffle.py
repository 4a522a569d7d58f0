"""``gamma-align shuffle``: simulated annotators with errors of known kinds and magnitude."""

from __future__ import annotations

import argparse
from pathlib import Path

import gamma_align as ga
from gamma_align.apps.cli._arguments import source_label
from gamma_align.apps.cli._corpus import read_corpus
from gamma_align.apps.cli._messages import ExitCode, print_notes
from gamma_align.apps.cli._output import (
    check_csv_safe,
    check_target,
    check_writable,
    write_corpus,
    write_result,
)
from gamma_align.data import number
from gamma_align.errors import Location, SettingsError
from gamma_align.present.writers import csv_text, json_pieces
from gamma_align.reading import CSV_TABLES
from gamma_align.requests import (
    COMMAND_LINE,
    STANDARD_STREAM,
    Shuffled,
    check_one_reference,
    errors_of,
    named_units,
    naming,
    shuffled,
    synthetic,
)

_MAX_INTEGER = 1e15  # larger numbers are written with an exponent
TOOL = "tool"  # the format of the corpus shuffling tool
_PRINTED_FORMATS = (None, "csv", "tsv", TOOL)


def run(arguments: argparse.Namespace) -> int:
    """Shuffle, write, and return the exit code."""
    _check_output(arguments)
    errors = errors_of(vars(arguments))
    reference = _reference(arguments)
    print_notes(reference.notes, quiet=arguments.quiet)
    with naming(source_label(arguments) or "synthetic reference"):
        copies = shuffled(reference, vars(arguments), errors)
    _write(copies, arguments)
    return ExitCode.FINE


def _reference(arguments: argparse.Namespace) -> ga.Corpus:
    """Read the reference, or make a synthetic one."""
    check_one_reference(vars(arguments), has_corpus=bool(arguments.path))
    return read_corpus(arguments) if arguments.path else synthetic(vars(arguments))


def _check_output(arguments: argparse.Namespace) -> None:
    """Raise a SettingsError for an output that does not suit the format, before any work."""
    if arguments.output == STANDARD_STREAM and arguments.to in _PRINTED_FORMATS:
        arguments.output = None
    if arguments.output is None or arguments.to == TOOL:
        check_csv_safe(arguments, is_csv=not arguments.json and arguments.to in (None, *CSV_TABLES))
    if arguments.json and (arguments.output, arguments.to) != (None, None):
        raise SettingsError(
            "it prints JSON and writes no file; leave out -o/--output and --to", location=Location.for_option("json")
        )
    if arguments.output is None:
        if arguments.to not in _PRINTED_FORMATS:
            raise SettingsError(
                f"{arguments.to} is written to a file or folder", "name it with -o", Location.for_option("to")
            )
    elif arguments.to == TOOL:
        check_writable(Path(arguments.output), "-o/--output", [*arguments.path, arguments.overlap_matrix])
    else:
        check_target(arguments, [arguments.overlap_matrix], option="-o/--output")


def _write(corpus: ga.Corpus, arguments: argparse.Namespace) -> None:
    """Print the simulated corpus, or write it, in the requested format."""
    if arguments.json:
        write_result(json_pieces(Shuffled(corpus).to_dict(), COMMAND_LINE), None)
    elif arguments.to == TOOL:
        write_result(_tool_csv(corpus), None if arguments.output is None else Path(arguments.output))
    elif arguments.output is None:
        write_result(_units_table(corpus, "\t" if arguments.to == "tsv" else ",", is_safe=arguments.csv_safe), None)
    else:
        write_corpus(corpus, arguments)


def _units_table(corpus: ga.Corpus, delimiter: str, *, is_safe: bool) -> str:
    """Return a table with one row for each unit."""
    rows = [
        (name, unit.annotator, _boundary(unit.start), _boundary(unit.end), unit.category or "")
        for name, unit in named_units(corpus)
    ]
    return csv_text([("document", "annotator", "start", "end", "category"), *rows], delimiter, is_safe=is_safe)


def _tool_csv(corpus: ga.Corpus) -> str:
    """Return the units of the only document in the format of the corpus shuffling tool, which has no header."""
    if len(corpus) != 1:
        raise SettingsError(
            f"the shuffling tool's CSV holds one document, and there are {len(corpus)}; choose another format"
        )
    units = corpus.continuum(0).units()
    return csv_text((unit.annotator, unit.category or "", _boundary(unit.start), _boundary(unit.end)) for unit in units)


def _boundary(value: float) -> str:
    """Return a bound as text, without a decimal point if it is an integer."""
    if value.is_integer() and abs(value) < _MAX_INTEGER:
        return number(value)
    return repr(value)
