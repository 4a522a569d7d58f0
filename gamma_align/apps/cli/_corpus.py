"""The corpus that the command line names: several paths as one, standard input, and what is chosen of it."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gamma_align.apps.cli._argument_types import STANDARD_STREAM
from gamma_align.apps.cli._arguments import reading_settings, selection, source_label
from gamma_align.apps.cli._messages import print_message
from gamma_align.apps.cli._pipeline import naming
from gamma_align.apps.cli._surface import flag_of
from gamma_align.data.corpus import Corpus
from gamma_align.errors import InputError, SettingsError
from gamma_align.reading import formats
from gamma_align.reading.contents import in_two
from gamma_align.reading.files.sources import Source
from gamma_align.reading.formats import FileFormat
from gamma_align.reading.read import read
from gamma_align.reading.tables import table_formats

if TYPE_CHECKING:
    from gamma_align.reading.data_sets import DataSet

_OF_TABLES = frozenset({"format", "columns", "encoding"})
"""Settings of reading with which all is read."""
_STEM = "stdin"


def read_corpus(arguments: argparse.Namespace) -> Corpus:
    """Read the corpus named on the command line, and choose of it."""
    return selected(read_whole(arguments), arguments)


def read_in_parts(arguments: argparse.Namespace) -> Corpus | DataSet:
    """Read the corpus named on the command line; a large data set that is taken as it is, part by part."""
    from gamma_align.reading.data_sets import large_data_set
    from gamma_align.reading.sorting import large_tables

    settings = as_it_is(arguments)
    if settings is None or arguments.outside != "refuse":
        return read_corpus(arguments)
    data = large_data_set(**settings)
    if data is not None:
        return data
    with contextlib.suppress(InputError, SettingsError):  # which reading it raises
        if large_tables(**settings) is not None and not arguments.quiet:
            note = "all of it is read at once; gamma-align convert makes a data set of it, which is read part by part"
            print_message("note", f"{settings['path']}: {note}")
    return read_corpus(arguments)


def as_it_is(arguments: argparse.Namespace) -> dict[str, Any] | None:
    """Return path and settings of reading where nothing is chosen of one path, and nothing changed."""
    path, settings = arguments.path[0], reading_settings(arguments)
    is_one = len(arguments.path) == 1 and path != STANDARD_STREAM
    changed = selection(arguments) or arguments.trim or settings.keys() - _OF_TABLES
    return {"path": path, **settings} if is_one and not changed else None


def read_whole(arguments: argparse.Namespace) -> Corpus:
    """Read all of the corpus named on the command line, with the reading options."""
    settings = {"outside": arguments.outside, **reading_settings(arguments)}
    corpora = [(path, _read(path, settings)) for path in paths_of(arguments)]
    if len(corpora) > 1:
        _check_apart(corpora)
    while len(corpora) > 1:  # by halves: merging one after the other would copy the first as often as there are others
        corpora = [_merged(corpora[index : index + 2]) for index in range(0, len(corpora), 2)]
    corpus = corpora[0][1]
    with naming(source_label(arguments)):
        return corpus.trim() if arguments.trim else corpus


def paths_of(arguments: argparse.Namespace) -> list[str]:
    """Return the paths named on the command line, each of which is named once."""
    paths: list[str] = arguments.path
    twice = next((path for path, count in Counter(paths).items() if count > 1), None)
    if twice is not None:
        raise SettingsError(f"{twice} is named twice; name each file once")
    return paths


def _read(path: str, settings: dict[str, Any]) -> Corpus:
    with on_disk(path, settings.get("format")) as file:
        try:
            return read(file, **settings)
        except OSError as error:
            raise InputError(f"cannot read {error.filename or path}: {error.strerror or error}") from None


@contextlib.contextmanager
def on_disk(path: str, name: str | None) -> Iterator[str]:
    """Give the path, or that of a file with what is on standard input; `name` is the format, where the user says it."""
    if path != STANDARD_STREAM:
        yield path
        return
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / _STEM
        if not file.write_bytes(sys.stdin.buffer.read()):
            raise InputError("standard input is empty")
        try:
            yield str(file.rename(f"{file}{_suffix(file, name)}"))
        except InputError as error:
            raise error.change_text(lambda text: text.replace(f"{folder}/", "")) from None


def _suffix(file: Path, name: str | None) -> str:
    """Return the suffix that a file has whose content is this."""
    if name is not None:
        return next(iter(formats.by_name(name).suffixes), "")
    controls = [file.with_name("text"), file.with_name("json")]
    for control, text in zip(controls, ("?\n", "{}\n"), strict=True):
        control.write_text(text, encoding="utf-8")
    claims: dict[FileFormat, str] = {}
    for suffix in dict.fromkeys(suffix for fmt in formats.formats().values() for suffix in fmt.suffixes):
        # what a format takes for its own whatever is in it, by its suffix alone, says nothing
        blind = [fmt for control in controls for fmt in _claiming(control, suffix)]
        claims.update((fmt, suffix) for fmt in _claiming(file, suffix) if fmt not in blind and fmt not in claims)
    likely = [fmt for fmt in claims if fmt.name in table_formats.TABLES][:1]
    likely = likely or [fmt for fmt in claims if not fmt.general] or [*claims]
    if len(likely) == 1:
        usual = (suffix for suffix in likely[0].suffixes if likely[0] in _claiming(file, suffix))
        return next(usual, claims[likely[0]])
    what = f"looks like {' and '.join(fmt.name for fmt in likely)}" if likely else "is of no known format"
    raise InputError(f"standard input {what}; say which format it is with --format NAME (gamma-align convert --list)")


def _claiming(file: Path, suffix: str) -> list[FileFormat]:
    return formats.claiming(Source(file, f"{_STEM}{suffix}").head)


def _check_apart(corpora: list[tuple[str, Corpus]]) -> None:
    """Refuse the same annotator of the same document in two of the paths."""
    twice = in_two(
        (path, corpus.documents[document], corpus.annotators[annotator])
        for path, corpus in corpora
        for document, annotator in zip(corpus.seen_document.tolist(), corpus.seen.tolist(), strict=True)
    )
    if twice is not None:
        raise InputError(twice)


def _merged(corpora: list[tuple[str, Corpus]]) -> tuple[str, Corpus]:
    (path, corpus), *others = corpora
    for other, more in others:
        try:
            corpus = corpus.merge(more)
        except InputError as error:
            raise error.prefixed(f"{path} and {other}") from None
    return path, corpus


def selected(corpus: Corpus, arguments: argparse.Namespace) -> Corpus:
    """Return what is chosen of the corpus."""
    chosen = selection(arguments)
    if not chosen:
        return corpus
    try:
        chosen_corpus = corpus.select(**chosen)
    except SettingsError:
        _check_each(corpus, chosen)
        raise
    if not chosen_corpus.documents:
        options = ", ".join(map(flag_of, chosen))
        raise SettingsError(f"argument {options}: none of these annotators saw any of these documents")
    return chosen_corpus


def _check_each(corpus: Corpus, chosen: Mapping[str, Any]) -> None:
    """Refuse the first option that names something that the corpus does not have."""
    for name, names in chosen.items():
        try:
            corpus.select(**{name: names})
        except SettingsError as error:
            raise error.prefixed(f"argument {flag_of(name)}") from None
