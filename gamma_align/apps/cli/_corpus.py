"""The corpus of the command line: one or several paths or standard input, and a selection from it."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from gamma_align.apps.cli._argument_types import STANDARD_STREAM
from gamma_align.apps.cli._arguments import reading_settings, selection, source_label
from gamma_align.apps.cli._messages import print_message
from gamma_align.apps.cli._pipeline import naming
from gamma_align.apps.cli._surface import flag_of
from gamma_align.data.corpus import Corpus
from gamma_align.data.json_types import Json
from gamma_align.data.resources import disk_full, is_disk_full
from gamma_align.errors import InputError, SettingsError
from gamma_align.reading import formats
from gamma_align.reading.contents import in_two
from gamma_align.reading.files.sources import Source
from gamma_align.reading.files.temporary import TemporaryFolder
from gamma_align.reading.formats import FileFormat
from gamma_align.reading.read import read
from gamma_align.reading.tables import table_formats

if TYPE_CHECKING:
    from gamma_align.reading.data_sets import DataSet

_READING_SETTINGS = frozenset({"format", "columns", "encoding"})
"""Settings that change how tables are read, but not their content."""
_FILE_NAME = "stdin"  # of standard input in messages


def read_corpus(arguments: argparse.Namespace) -> Corpus:
    """Read the corpus, and select from it."""
    return selected(read_whole(arguments), arguments)


def read_in_parts(arguments: argparse.Namespace) -> Corpus | DataSet:
    """Read the corpus, or open a large data set that is read part by part if it needs no changes."""
    from gamma_align.reading.data_sets import large_data_set
    from gamma_align.reading.sorting import large_tables

    settings = settings_without_changes(arguments)
    if settings is None or arguments.outside != "refuse":
        return read_corpus(arguments)
    data = large_data_set(**settings)
    if data is not None:
        return data
    with contextlib.suppress(InputError, SettingsError):  # `read_corpus` below raises it
        if large_tables(**settings) is not None and not arguments.quiet:
            note = "all of it is read at once; gamma-align convert makes a data set of it, which is read part by part"
            print_message("note", f"{settings['path']}: {note}")
    return read_corpus(arguments)


def settings_without_changes(arguments: argparse.Namespace) -> dict[str, Json] | None:
    """Return the path and the settings of reading for one path without selection or changes; else None."""
    path, settings = arguments.path[0], reading_settings(arguments)
    is_one = len(arguments.path) == 1 and path != STANDARD_STREAM
    changed = selection(arguments) or arguments.trim or settings.keys() - _READING_SETTINGS
    return {"path": path, **settings} if is_one and not changed else None


def read_whole(arguments: argparse.Namespace) -> Corpus:
    """Read the full corpus, without selection."""
    settings = {"outside": arguments.outside, **reading_settings(arguments)}
    corpora = [(path, _read(path, settings)) for path in paths_of(arguments)]
    if len(corpora) > 1:
        _check_apart(corpora)
    while len(corpora) > 1:  # in pairs: merging one after the other would copy the first corpus each time
        corpora = [_merged(corpora[index : index + 2]) for index in range(0, len(corpora), 2)]
    corpus = corpora[0][1]
    with naming(source_label(arguments)):
        return corpus.trim() if arguments.trim else corpus


def paths_of(arguments: argparse.Namespace) -> list[str]:
    """Return the paths of the command line; SettingsError if one is named twice."""
    paths: list[str] = arguments.path
    repeated = next((path for path, count in Counter(paths).items() if count > 1), None)
    if repeated is not None:
        raise SettingsError(f"{repeated} is named twice", "name each file once")
    return paths


def _read(path: str, settings: dict[str, Json]) -> Corpus:
    with on_disk(path, settings.get("format")) as file:
        try:
            return read(file, **settings)
        except OSError as error:
            raise InputError(f"cannot read {error.filename or path}: {error.strerror or error}") from None


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
    return formats.claiming(Source(file, f"{_FILE_NAME}{suffix}").head)


def _check_apart(corpora: list[tuple[str, Corpus]]) -> None:
    """Refuse paths that both contain an annotator of the same document."""
    repeated = in_two(
        (path, corpus.documents[document], corpus.annotators[annotator])
        for path, corpus in corpora
        for document, annotator in zip(corpus.seen_document.tolist(), corpus.seen.tolist(), strict=True)
    )
    if repeated is not None:
        raise InputError(repeated)


def _merged(corpora: list[tuple[str, Corpus]]) -> tuple[str, Corpus]:
    """Return one or two corpora as one, with the first path."""
    if len(corpora) == 1:
        return corpora[0]
    (path, corpus), (second_path, second_corpus) = corpora
    try:
        return path, corpus.merge(second_corpus)
    except InputError as error:
        raise error.prefixed(f"{path} and {second_path}") from None


def selected(corpus: Corpus, arguments: argparse.Namespace) -> Corpus:
    """Return the part of a corpus that the arguments select."""
    choices = selection(arguments)
    if not choices:
        return corpus
    try:
        result = corpus.select(**choices)
    except SettingsError:
        # The error of all options together does not name the option at fault.
        _check_choices(corpus, choices)
        raise
    if not result.documents:
        options = ", ".join(map(flag_of, choices))
        raise SettingsError(f"argument {options}: none of these annotators saw any of these documents")
    return result


def _check_choices(corpus: Corpus, choices: Mapping[str, Json]) -> None:
    """Refuse the first option with a name that the corpus does not have."""
    for name, names in choices.items():
        try:
            corpus.select(**{name: names})
        except SettingsError as error:
            raise error.prefixed(f"argument {flag_of(name)}") from None
