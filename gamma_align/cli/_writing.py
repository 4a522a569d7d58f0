"""Where a corpus is written to: the arguments, and what is refused before anything is read."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from pathlib import Path

from gamma_align.cli._files import check_writable
from gamma_align.cli._messages import print_message
from gamma_align.cli._reading import reading_settings
from gamma_align.data.corpus import Corpus
from gamma_align.errors import SettingsError
from gamma_align.io import formats
from gamma_align.io.marks.choices import choices
from gamma_align.io.places.files_out import check_new
from gamma_align.io.reading import layout_of
from gamma_align.io.tables import table_formats
from gamma_align.io.writing import is_folder_name, write_new
from gamma_align.report._tables import counted

_CHOICES = frozenset({"annotator", "document", "layers", "labels", "encoding"})


def add_target(group: argparse._ActionsContainer, *names: str) -> None:
    """Add the file or folder to write to, under these names ("output", or "--output" …), and its format."""
    group.add_argument(
        *names,
        metavar="OUT",
        help="where to write, whole or not at all: a file, or a new folder",
    )
    group.add_argument(
        "--to",
        metavar="FORMAT",
        help="format of OUT (default: by its name; parquet for a folder); convert --list shows which are written",
    )


def check_target(arguments: argparse.Namespace, others: Iterable[str | None] = (), *, option: str = "OUT") -> None:
    """Refuse an output that cannot be written to, that is in the input, or that is one of the other files read."""
    if arguments.output is None:
        return
    _check_format(arguments.to)
    target = Path(arguments.output)
    if arguments.path is not None:
        _check_input(arguments, Path(os.path.realpath(target)), option)
    if is_folder_name(arguments.output):
        check_new(target)
        target = target.with_name(f"{target.name}.") if target.is_dir() else target
    check_writable(target, option, others)


def _check_format(name: str | None) -> None:
    if name is not None and name not in table_formats.TABLES and formats.by_name(name).write is None:
        raise SettingsError(f"argument --to: {name} is read, not written; gamma-align convert --list shows which are")


def _check_input(arguments: argparse.Namespace, target: Path, option: str) -> None:
    source = Path(arguments.path)
    path = Path(os.path.realpath(source))
    if source.exists() and (target == path or (source.is_dir() and path in target.parents)):
        inside = f"is in {arguments.path}" if target != path else "is the input"
        raise SettingsError(
            f"argument {option}: {arguments.output} {inside}, which is never changed; name another path"
        )
    if target.is_file() and target in _files_read(arguments):
        raise SettingsError(
            f"argument {option}: {arguments.output} is one of the files of {arguments.path}; name another"
        )


def _files_read(arguments: argparse.Namespace) -> list[Path]:
    """Return the files that match a template."""
    settings = reading_settings(arguments)
    chosen = choices(**{name: value for name, value in settings.items() if name in _CHOICES})
    layout = layout_of(arguments.path, settings.get("format"), chosen)
    return [] if layout is None else [Path(os.path.realpath(file.source.path)) for file in layout.files]


def write_corpus(corpus: Corpus, arguments: argparse.Namespace) -> None:
    """Write the corpus and say what was written."""
    write_new(corpus, arguments.output, format=arguments.to)
    if arguments.quiet:
        return
    counts = (
        counted(len(corpus), "document"),
        counted(len(corpus.annotators), "annotator"),
        counted(corpus.n_units, "unit"),
    )
    print_message("note", f"{arguments.output}: {', '.join(counts)}")
    target = Path(arguments.output)
    fmt = table_formats.TABLES.get(arguments.to or "") or table_formats.by_suffix(target)
    tables = fmt is not None or (arguments.to is None and (target.is_dir() or not target.suffix))
    if tables and corpus.texts is not None and any(text is not None for text in corpus.texts):
        print_message("note", f"{arguments.output}: tables hold no texts; --to jsonl keeps them")
