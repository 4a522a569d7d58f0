"""The corpus of the command line: one or several paths or standard input, and a selection from it."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from gamma_align.apps.cli._arguments import source_label
from gamma_align.apps.cli._messages import print_message
from gamma_align.data import Corpus, Json, disk_full, is_disk_full
from gamma_align.errors import InputError, SettingsError
from gamma_align.reading import FileFormat, Source, TemporaryFolder, formats
from gamma_align.reading.tables import table_formats
from gamma_align.requests import STANDARD_STREAM, read_whole, reading_settings, selected, selection

if TYPE_CHECKING:
    from gamma_align.reading import DataSet

_READING_SETTINGS = frozenset({"format", "columns", "encoding"})
"""Settings that change how tables are read, but not their content."""
_FILE_NAME = "stdin"  # of standard input in messages


def read_corpus(arguments: argparse.Namespace) -> Corpus:
    """Read the corpus, and select from it."""
    return selected(read_all(arguments), vars(arguments))


def read_at(path: str, arguments: argparse.Namespace) -> Corpus:
    """Read the corpus at one path with these arguments, and select from it."""
    return read_corpus(argparse.Namespace(**{**vars(arguments), "path": [path]}))


def read_all(arguments: argparse.Namespace) -> Corpus:
    """Read the full corpus, without selection; standard input is read from a file of its content."""
    name = reading_settings(vars(arguments)).get("format")
    with contextlib.ExitStack() as stack:
        paths = [stack.enter_context(on_disk(path, name)) for path in paths_of(arguments)]
        return read_whole(paths, vars(arguments), source_label(arguments))


def read_in_parts(arguments: argparse.Namespace) -> Corpus | DataSet:
    """Read the corpus, or open a large data set that is read part by part if it needs no changes."""
    from gamma_align.reading import large_data_set, large_tables

    settings = settings_without_changes(arguments)
    if settings is None or arguments.outside != "refuse":
        return read_corpus(arguments)
    data = large_data_set(**settings)
    if data is not None:
        return data
    with contextlib.suppress(InputError, SettingsError):  # `read_corpus` below raises it
        if large_tables(**settings) is not None and not arguments.quiet:
            note = "it is read into memory as a whole; gamma-align convert makes a data set of it that is read in parts"
            print_message("note", f"{settings['path']}: {note}")
    return read_corpus(arguments)


def settings_without_changes(arguments: argparse.Namespace) -> dict[str, Json] | None:
    """Return the path and the settings of reading for one path without selection or changes; else None."""
    path = arguments.path[0]
    settings = reading_settings(vars(arguments))
    is_one = len(arguments.path) == 1 and path != STANDARD_STREAM
    changed = selection(vars(arguments)) or arguments.trim or arguments.width or settings.keys() - _READING_SETTINGS
    return {"path": path, **settings} if is_one and not changed else None


def paths_of(arguments: argparse.Namespace) -> list[str]:
    """Return the paths of the command line; SettingsError if one is named twice."""
    paths: list[str] = arguments.path
    repeated = next((path for path, count in Counter(paths).items() if count > 1), None)
    if repeated is not None:
        raise SettingsError(f"{repeated} is named twice", "name each file once")
    return paths


@contextlib.contextmanager
def on_disk(path: str, name: str | None) -> Iterator[str]:
    """Yield the path, or the path of a file with the content of standard input; `name` is its format, if given."""
    if path != STANDARD_STREAM:
        yield path
        return
    with TemporaryFolder() as temporary:
        folder = temporary.path
        file = folder / _FILE_NAME
        try:
            if not file.write_bytes(sys.stdin.buffer.read()):
                raise InputError("standard input is empty")
        except OSError as error:
            raise disk_full(folder, error) if is_disk_full(error) else error from None
        try:
            yield str(file.rename(f"{file}{_suffix(file, name)}"))
        except InputError as error:
            # The temporary folder means nothing to the user.
            raise error.change_text(lambda text: text.replace(f"{folder}/", "")) from None


def _suffix(file: Path, name: str | None) -> str:
    """Return the suffix that fits the content of a file; InputError if no format or several fit."""
    if name is not None:
        return next(iter(formats.by_name(name).suffixes), "")
    controls = [file.with_name("text"), file.with_name("json")]
    for control, text in zip(controls, ("?\n", "{}\n"), strict=True):
        control.write_text(text, encoding="utf-8")
    claims: dict[FileFormat, str] = {}
    suffixes = chain.from_iterable(fmt.suffixes for fmt in formats.formats().values())
    for suffix in dict.fromkeys(suffixes):
        # A format that claims any content with this suffix tells nothing about this content.
        undecided = [*chain.from_iterable(_claiming(control, suffix) for control in controls)]
        claims.update((fmt, suffix) for fmt in _claiming(file, suffix) if fmt not in undecided and fmt not in claims)
    candidates = [fmt for fmt in claims if fmt.name in table_formats.TABLES][:1]
    candidates = candidates or [fmt for fmt in claims if not fmt.general] or [*claims]
    if len(candidates) == 1:
        usual = (suffix for suffix in candidates[0].suffixes if candidates[0] in _claiming(file, suffix))
        return next(usual, claims[candidates[0]])
    cause = "is of no known format"
    if candidates:
        cause = f"looks like {' and '.join(fmt.name for fmt in candidates)}"
    raise InputError(
        f"standard input {cause}", "say which format it is with --format NAME (gamma-align convert --list)"
    )


def _claiming(file: Path, suffix: str) -> list[FileFormat]:
    """Return the formats that claim the content of a file with this suffix."""
    return formats.matching_formats(Source(file, f"{_FILE_NAME}{suffix}").head)
