"""The way of every subcommand that computes something: check, read, compute, write, print notes, exit code."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar

import gamma_align as ga
from gamma_align.cli._arguments import reading_settings
from gamma_align.cli._messages import ExitCode, Progress, print_notes
from gamma_align.cli._output import check_folder, check_writable, json_text, write_file, write_folder, write_result
from gamma_align.data.corpus import Corpus
from gamma_align.errors import InputError, SettingsError


class _Result(Protocol):
    def to_dict(self) -> dict[str, Any]: ...


Data = TypeVar("Data")
Result = TypeVar("Result", bound=_Result)

_NAMED = 10
_READ_FILES = ("path", "expected_from", "distance_matrix", "taxonomy", "overlap_matrix")
"""The arguments that name files to read, which no output may overwrite."""


def run(
    arguments: argparse.Namespace,
    compute: Callable[[Data, Progress], Result],
    *,
    read: Callable[[argparse.Namespace], Data],
    text: Callable[[Result], str],
    csv: Callable[[Result], str] | None = None,
    svg: Callable[[Result], str] | None = None,
    files: Callable[[Result], Mapping[str, str]] | None = None,
    verdict: Callable[[Result], int] | None = None,
) -> int:
    """Read, compute, write what was asked for, print the notes, and return the exit code.

    `compute` calls the progress line; `text`, `csv` and `svg` show the result to people, as a table and as a picture;
    `files` are those for ``--folder``, name to text; `verdict` prints what is wrong and returns the exit code.
    """
    _check_outputs(arguments)
    data = read(arguments)
    with (
        naming(getattr(arguments, "path", None), () if arguments.quiet else _notes(data)),
        Progress(quiet=arguments.quiet) as progress,
    ):
        result = compute(data, progress)
    if svg is not None and arguments.svg is not None:
        write_file(svg(result), arguments.svg)
    if files is not None and arguments.folder is not None:
        write_folder(files(result), arguments.folder)
    if arguments.json:
        shown = json_text(result.to_dict())
    else:
        shown = csv(result) if csv is not None and arguments.csv else text(result)
    write_result(shown, arguments.output)
    print_notes([*_notes(data), *_notes(result)], quiet=arguments.quiet)
    return ExitCode.FINE if verdict is None else verdict(result)


def _check_outputs(arguments: argparse.Namespace) -> None:
    """Refuse outputs that cannot be written, or that would overwrite a file that is read, before anything is read."""
    inputs: list[Path | None] = [vars(arguments).get(name) for name in _READ_FILES]
    check_writable(arguments.output, "-o/--output", inputs)
    check_writable(vars(arguments).get("svg"), "--svg", [*inputs, arguments.output])
    check_folder(vars(arguments).get("folder"), "--folder")


def _notes(source: object) -> Iterable[str]:
    """Return the notes of data or of a result, which not all have."""
    notes: Iterable[str] = getattr(source, "notes", ())
    return notes


def read_nothing(_: argparse.Namespace) -> None:
    """Read nothing, for experiments that make their own data."""


def read_corpus(arguments: argparse.Namespace) -> Corpus:
    """Read the corpus named on the command line, with the reading options."""
    try:
        return ga.read(arguments.path, outside=arguments.outside, **reading_settings(arguments))
    except OSError as error:
        raise InputError(f"cannot read {error.filename or arguments.path}: {error.strerror or error}") from None


@contextlib.contextmanager
def naming(path: str | None, notes: Iterable[str] = ()) -> Iterator[None]:
    """Put the path before the error if data can be read but not used.

    The notes are printed first: a guess made in reading is often the cause.
    """
    try:
        yield
    except InputError as error:
        print_notes(notes, quiet=False)
        raise error if path is None else InputError(f"{path}: {error}") from None


def check_document(corpus: Corpus, document: str) -> None:
    """Refuse a document that the corpus does not have."""
    if document not in corpus:
        raise SettingsError(f"argument --document: no document {document!r}; there are {few_documents(corpus)}")


def few_documents(corpus: Corpus) -> str:
    """Return the names of the first documents, and how many there are."""
    few = ", ".join(map(repr, corpus.documents[:_NAMED])) or "none"
    return few + (f" … ({len(corpus)} in all)" if len(corpus) > _NAMED else "")
