"""``gamma-align shuffle``: simulated annotators with errors of known kinds and magnitude."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import gamma_align as ga
from gamma_align.apps.cli._argument_types import STANDARD_STREAM
from gamma_align.apps.cli._arguments import selection, source_label
from gamma_align.apps.cli._corpus import read_corpus
from gamma_align.apps.cli._measure import read_square
from gamma_align.apps.cli._messages import ExitCode, print_notes
from gamma_align.apps.cli._options import given
from gamma_align.apps.cli._output import (
    check_csv_safe,
    check_target,
    check_writable,
    json_pieces,
    write_corpus,
    write_result,
)
from gamma_align.apps.cli._pipeline import naming
from gamma_align.data.json_types import Json
from gamma_align.data.wording import number
from gamma_align.errors import InputError, Location, SettingsError
from gamma_align.present.writers.data import csv_text
from gamma_align.reading.write import CSV_TABLES
from gamma_align.simulation.simulation_options import COPY_OPTIONS, ERROR_OPTIONS, SYNTHETIC_OPTIONS

_MAX_INTEGER = 1e15  # larger numbers are written with an exponent
TOOL = "tool"  # the format of the corpus shuffling tool
_ONE_REFERENCE = "a reference is needed, and one only: PATH, or --synthetic UNITS"
_PRINTED_FORMATS = (None, "csv", "tsv", TOOL)


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


class Shuffled(NamedTuple):
    """Simulated annotators."""

    corpus: ga.Corpus

    def to_dict(self) -> dict[str, Json]:
        """Return units, annotators and extents in the form of a request to the HTTP API."""
        corpus = self.corpus
        units = [
            {
                "document": name,
                "annotator": unit.annotator,
                "start": unit.start,
                "end": unit.end,
                "category": unit.category,
            }
            for name, unit in _named_units(corpus)
        ]
        pairs = zip(corpus.seen_document.tolist(), corpus.seen.tolist(), strict=True)
        return {
            "schema_version": 1,
            "units": units,
            "annotations": [[corpus.documents[document], corpus.annotators[code]] for document, code in pairs],
            "extents": dict(zip(corpus.documents, corpus.extents.tolist(), strict=True)),
            "notes": [*corpus.notes],
        }


def compute(reference: ga.Corpus | None, arguments: argparse.Namespace, _: object) -> Shuffled:
    """Return simulated annotators from a reference, or from a synthetic reference if there is none."""
    if (reference is None) == (arguments.synthetic is None):
        raise SettingsError(_ONE_REFERENCE)
    return Shuffled(_shuffled(reference or _synthetic(arguments), arguments, _errors(arguments)))


def _reference(arguments: argparse.Namespace) -> ga.Corpus:
    if (not arguments.path) == (arguments.synthetic is None):
        raise SettingsError(_ONE_REFERENCE)
    return read_corpus(arguments) if arguments.path else _synthetic(arguments)


def _synthetic(arguments: argparse.Namespace) -> ga.Corpus:
    if selection(arguments):
        raise SettingsError("a synthetic reference is one document", location=Location.for_option("documents"))
    reference = ga.synthetic_reference(units=arguments.synthetic, **given(arguments, SYNTHETIC_OPTIONS))
    return ga.Corpus.from_continua([reference])


def _errors(arguments: argparse.Namespace) -> dict[str, Json]:
    """Return the keyword arguments of `shuffle` in the arguments, without the magnitude."""
    errors = given(arguments, (*COPY_OPTIONS, *ERROR_OPTIONS.options))
    matrix = None if arguments.overlap_matrix is None else _matrix(arguments.overlap_matrix)
    return errors | {"overlap_matrix": matrix}


def _matrix(path: Path) -> dict[str, dict[str, float]]:
    labels, rows = read_square(path)
    matrix: dict[str, dict[str, float]] = {}
    for line, name, numbers in rows:
        if name in matrix:
            raise InputError(f"{path}:{line}: there is a row of {name!r} already")
        matrix[name] = dict(zip(labels, numbers, strict=True))
    return matrix


def _shuffled(reference: ga.Corpus, arguments: argparse.Namespace, errors: dict[str, Json]) -> ga.Corpus:
    magnitudes, repetitions = arguments.magnitude, arguments.repetitions
    if len(magnitudes) == 1 and repetitions == 1:
        return ga.shuffle(reference, magnitude=magnitudes[0], **errors)
    return ga.shuffle_grid(reference, magnitudes=magnitudes, repetitions=repetitions, **errors).corpus


def _check_output(arguments: argparse.Namespace) -> None:
    if arguments.output == STANDARD_STREAM and arguments.to in _PRINTED_FORMATS:
        arguments.output = None
    if arguments.output is None or arguments.to == TOOL:
        check_csv_safe(arguments, is_csv=not arguments.json and arguments.to in (None, *CSV_TABLES))
    if arguments.json and (arguments.output, arguments.to) != (None, None):
        raise SettingsError(
            "it is printed; not together with -o/--output or --to", location=Location.for_option("json")
        )
    if arguments.output is None:
        if arguments.to not in _PRINTED_FORMATS:
            raise SettingsError(
                f"{arguments.to} goes to a file or folder", "name it with -o", Location.for_option("to")
            )
    elif arguments.to == TOOL:
        check_writable(Path(arguments.output), "-o/--output", [*arguments.path, arguments.overlap_matrix])
    else:
        check_target(arguments, [arguments.overlap_matrix], option="-o/--output")


def _write(corpus: ga.Corpus, arguments: argparse.Namespace) -> None:
    if arguments.json:
        write_result(json_pieces(Shuffled(corpus).to_dict()), None)
    elif arguments.to == TOOL:
        write_result(_tool_csv(corpus), None if arguments.output is None else Path(arguments.output))
    elif arguments.output is None:
        write_result(_units_table(corpus, "\t" if arguments.to == "tsv" else ",", is_safe=arguments.csv_safe), None)
    else:
        write_corpus(corpus, arguments)


def _named_units(corpus: ga.Corpus) -> Iterator[tuple[str, ga.Unit]]:
    """Yield each unit with the name of its document."""
    for name in corpus:
        for unit in corpus[name].units():
            yield name, unit


def _units_table(corpus: ga.Corpus, delimiter: str, *, is_safe: bool) -> str:
    """Return a table with one row for each unit."""
    rows = [
        (name, unit.annotator, _boundary(unit.start), _boundary(unit.end), unit.category or "")
        for name, unit in _named_units(corpus)
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
    if value.is_integer() and abs(value) < _MAX_INTEGER:
        return number(value)
    return repr(value)
