"""The steps of every subcommand that computes a result: check, read, compute, write, print notes, exit code."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from gamma_align.apps.cli._arguments import TEXT_SUFFIXES, source_label
from gamma_align.apps.cli._messages import ExitCode, Progress, print_notes
from gamma_align.apps.cli._output import (
    check_csv_safe,
    check_writable,
    form_of,
    write_file,
    write_result,
)
from gamma_align.data import Json
from gamma_align.errors import Location, SettingsError
from gamma_align.present.writers import json_pieces
from gamma_align.requests import COMMAND_LINE, naming

if TYPE_CHECKING:
    from gamma_align.present import Table


class _Result(Protocol):
    def to_dict(self) -> dict[str, Json]: ...


Data = TypeVar("Data")
Result = TypeVar("Result", bound=_Result)

_READ_FILES = ("expected_from", "distance_matrix", "taxonomy", "overlap_matrix", "read_texts")
"""Arguments that name files to read besides the corpus. No output may overwrite them."""
_OUTPUT_SUFFIXES = {"svg": (".svg", ""), "junit": (".xml", ""), "plot": None}
"""Arguments that name files to write besides ``--output``, and the suffixes of the files if any are checked here."""


def run(
    arguments: argparse.Namespace,
    compute: Callable[[Data, Progress], Result],
    *,
    read: Callable[[argparse.Namespace], Data],
    text: Callable[[Result], str],
    csv: Callable[[Result], Iterable[Sequence[object]]] | None = None,
    svg: Callable[[Result], str] | None = None,
    forms: Mapping[str, Callable[[Result], str]] | None = None,
    plot: Callable[[Result, Path], None] | None = None,
    verdict: Callable[[Result], int] | None = None,
    text_suffixes: Sequence[str] = TEXT_SUFFIXES,
) -> int:
    """Read data, compute the result, write the requested outputs, print notes, and return the exit code.

    `compute` reports its progress. `text` and `svg` render the result, `csv` returns its rows, `forms` render it for
    further options, and `plot` writes a plot. `verdict` prints failures and returns the exit code. The suffix of the
    output file chooses a form; `text_suffixes` are those of `text`.
    """
    _check_outputs(arguments)
    has_form = {"json": "json" in vars(arguments), "csv": csv is not None, **dict.fromkeys(forms or (), True)}
    form = form_of(arguments, [name for name, is_there in has_form.items() if is_there], text_suffixes)
    if csv is not None:
        check_csv_safe(arguments, is_csv=form == "csv")
    data = read(arguments)
    reading_notes = _notes(data)
    # Assumptions made while reading are printed before the work, which may take long.
    print_notes(reading_notes, quiet=arguments.quiet)
    with naming(source_label(arguments)), Progress(quiet=arguments.quiet) as progress:
        result = compute(data, progress)
    if svg is not None and arguments.svg is not None:
        write_file(svg(result), arguments.svg)
    if plot is not None and arguments.plot is not None:
        plot(result, arguments.plot)
    if form == "json":
        shown: str | Iterable[str] = json_pieces(result.to_dict(), COMMAND_LINE)
    elif forms is not None and form is not None and form in forms:
        shown = forms[form](result)
    elif csv is not None and form == "csv":
        from gamma_align.present.writers import csv_pieces  # few runs need it

        shown = csv_pieces(csv(result), is_safe=arguments.csv_safe)
    else:
        shown = text(result)
    write_result(shown, arguments.output)
    print_notes([note for note in _notes(result) if note not in reading_notes], quiet=arguments.quiet)
    return ExitCode.FINE if verdict is None else verdict(result)


def forms_of(
    tables: Callable[[Result], Iterable[Table]], signatures: Callable[[Result], Iterable[str]]
) -> dict[str, Callable[[Result], str]]:
    """Return the forms of `run` that render the tables of a result."""

    def render(form: str, result: Result) -> str:
        from gamma_align.present.writers import paper  # few runs need it

        write = paper.markdown if form == "markdown" else paper.latex
        return write(tables(result), signatures(result))

    return {form: partial(render, form) for form in ("markdown", "latex")}


def _check_outputs(arguments: argparse.Namespace) -> None:
    """Refuse outputs that cannot be written or that would overwrite an input, before data are read."""
    inputs: list[Path | str | None] = [vars(arguments).get(name) for name in _READ_FILES]
    paths = vars(arguments).get("path")
    inputs += [paths] if isinstance(paths, str) else paths or []
    check_writable(arguments.output, "-o/--output", inputs)
    used_paths = [*inputs, arguments.output]
    for name, suffixes in _OUTPUT_SUFFIXES.items():
        path = vars(arguments).get(name)
        check_writable(path, f"--{name}", used_paths)
        if path is not None and suffixes is not None and path.suffix.lower() not in suffixes:
            raise SettingsError(
                f"{path} does not end in {suffixes[0]}",
                f"name a file that ends in {suffixes[0]}",
                Location.for_option(name),
            )
        used_paths.append(path)


def _notes(source: object) -> Sequence[str]:
    """Return the notes of data or of a result, if it has notes."""
    notes: Sequence[str] = getattr(source, "notes", ())
    return notes
