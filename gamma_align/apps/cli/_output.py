"""Outputs: paths are checked before anything is computed, and files are written completely or not at all."""

from __future__ import annotations

import argparse
import os
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from gamma_align.apps.cli._arguments import FORM_SUFFIXES
from gamma_align.apps.cli._messages import print_message, print_notes, write_stdout
from gamma_align.data import Corpus, counted
from gamma_align.errors import InputError, Location, SettingsError
from gamma_align.reading import (
    CSV_TABLES,
    TemporaryFolder,
    atomic_bytes,
    check_new,
    choices,
    formats,
    is_folder_name,
    layout_of,
    reduced_for,
    write_new,
)
from gamma_align.reading.tables import table_formats
from gamma_align.requests import STANDARD_STREAM, reading_settings

PAGE_SUFFIXES = FORM_SUFFIXES["html"]
PICTURE_SUFFIXES = (".svg", ".pdf", ".png")
_CSV_FORMS = ("csv", "voted_out", "decided")
"""Arguments that print CSV."""
_CHOICE_NAMES = frozenset({"annotator", "document", "layers", "labels", "encoding"})
"""Settings of reading that name layers, labels and parts of paths."""


def check_writable(path: Path | None, option: str, used_paths: Iterable[Path | str | None]) -> None:
    """Refuse a path that cannot be written, or that is the input or another output."""
    if path is None:
        return
    # Two paths may lead to one file by symbolic links.
    path = Path(os.path.realpath(path))
    if path in [Path(os.path.realpath(used_path)) for used_path in used_paths if used_path is not None]:
        raise SettingsError(f"argument {option}: {path} is named twice; it would be overwritten")
    folder = path.parent
    if not folder.is_dir():
        raise SettingsError(f"argument {option}: there is no folder {folder}; make it first")
    if path.is_dir():
        raise SettingsError(f"argument {option}: {path} is a folder; name a file")
    # A file is replaced by a new one in its folder; a device or a pipe is opened itself.
    target = folder if path.is_file() or not path.exists() else path
    if not os.access(target, os.W_OK):
        raise SettingsError(f"argument {option}: no permission to write in {target}")


def form_of(arguments: argparse.Namespace, forms: Collection[str], text_suffixes: Sequence[str]) -> str | None:
    """Return the form of the result by its option or by the suffix of the output file, None if it is the text.

    A suffix that names none of the forms, or another one than an option, is refused. `text_suffixes` are those of the
    text.
    """
    requested = next((form for form in forms if vars(arguments).get(form)), None)
    if arguments.output is None:
        return requested
    suffix = arguments.output.suffix.lower()
    named = next((form for form, suffixes in FORM_SUFFIXES.items() if suffix in suffixes), None)
    if requested is None and named not in forms and suffix not in text_suffixes:
        suffixes = [*(FORM_SUFFIXES[form][0] for form in forms), text_suffixes[0]]
        listed = " or ".join(filter(None, [", ".join(suffixes[:-1]), suffixes[-1]]))
        raise SettingsError(
            f"{arguments.output}: the result cannot be written as {suffix}",
            f"name a file that ends in {listed}{_other_output(arguments, suffix)}",
            Location.for_option("output"),
        )
    if requested is not None and named not in (None, requested):
        raise SettingsError(
            f"{arguments.output} ends in {suffix}, and --{requested} writes another form",
            f"leave out --{requested}, or name a file that ends in {FORM_SUFFIXES[requested][0]}",
            Location.for_option("output"),
        )
    return requested or (named if named in forms else None)


def _other_output(arguments: argparse.Namespace, suffix: str) -> str:
    """Return the option or command that writes files of a suffix which the result has not, as the end of a cure."""
    picture = next((name for name in ("svg", "plot") if name in vars(arguments)), None)
    if suffix in PICTURE_SUFFIXES and picture is not None:
        return f"; --{picture} {arguments.output} draws a picture"
    if suffix in PAGE_SUFFIXES:
        return "; gamma-align report writes a page"
    return ""


def check_csv_safe(arguments: argparse.Namespace, *, is_csv: bool) -> None:
    """Refuse the option for spreadsheets if no CSV is written."""
    if arguments.csv_safe and not is_csv:
        raise SettingsError(
            "it changes only CSV and TSV, and neither is written", location=Location.for_option("csv_safe")
        )


def write_file(text: str | Iterable[str], path: Path) -> None:
    """Write a text, or its pieces, to a file, completely or not at all."""
    # Half a surrogate pair is legal in a JSON label but not in a file; its escape is JSON again.
    pieces = [text] if isinstance(text, str) else text
    try:
        atomic_bytes(path, (piece.encode("utf-8", "backslashreplace") for piece in pieces))
    except OSError as error:
        raise SettingsError(f"cannot write {path}: {error.strerror or error}") from None


def write_result(text: str | Iterable[str], output: Path | None) -> None:
    """Print the result, or write it to a file completely or not at all."""
    if output is None:
        write_stdout(text)
    else:
        write_file(text, output)


def check_target(arguments: argparse.Namespace, used_paths: Iterable[str | None] = (), *, option: str = "OUT") -> None:
    """Refuse an output that cannot be written, or that is part of the input or another file that is read."""
    check_csv_safe(arguments, is_csv=_is_csv(arguments) or any(vars(arguments).get(name) for name in _CSV_FORMS))
    if arguments.output is None:
        return
    if arguments.output == STANDARD_STREAM and arguments.to is None:
        raise SettingsError(
            f"argument {option}: '-' is standard output, which has no suffix to tell the format: add --to "
            "FORMAT, as in --to csv or --to jsonl"
        )
    _check_format(arguments.to)
    if arguments.output == STANDARD_STREAM:
        return
    target = Path(arguments.output)
    for path in arguments.path:
        _check_input(arguments, path, Path(os.path.realpath(target)), option)
    if is_folder_name(arguments.output):
        check_new(target)
        # An empty folder is allowed, but `check_writable` refuses folders: a name beside it stands for it.
        target = target.with_name(f"{target.name}.") if target.is_dir() else target
    check_writable(target, option, used_paths)


def _is_csv(arguments: argparse.Namespace) -> bool:
    """Return whether a corpus is written as CSV or TSV."""
    if arguments.output is None:
        return False
    table = table_formats.TABLES.get(arguments.to or "")
    if arguments.to is None:
        table = table_formats.by_suffix(Path(arguments.output))
    return table is not None and table.name in CSV_TABLES


def _check_format(name: str | None) -> None:
    """Raise a SettingsError for a format that cannot be written."""
    if name is not None and name not in table_formats.TABLES and formats.by_name(name, "to").write is None:
        raise SettingsError(
            f"{name} can be read but not written",
            "gamma-align convert --list shows which formats can",
            Location.for_option("to"),
        )


def _check_input(arguments: argparse.Namespace, location: str, target: Path, option: str) -> None:
    """Raise a SettingsError if the output would be the input at a path, or part of it."""
    source = Path(location)
    path = Path(os.path.realpath(source))
    if source.exists() and (target == path or (source.is_dir() and path in target.parents)):
        inside = f"is in {location}" if target != path else "is the input"
        raise SettingsError(
            f"argument {option}: {arguments.output} {inside}, which is never changed; name another path"
        )
    if target.is_file() and target in _files_read(arguments, location):
        raise SettingsError(f"argument {option}: {arguments.output} is one of the files of {location}; name another")


def _files_read(arguments: argparse.Namespace, location: str) -> list[Path]:
    """Return the files of a folder or a template."""
    settings = reading_settings(vars(arguments))
    layer_choices = choices(**{name: value for name, value in settings.items() if name in _CHOICE_NAMES})
    layout = layout_of(location, settings.get("format"), layer_choices)
    return [] if layout is None else [Path(os.path.realpath(file.source.path)) for file in layout.files]


def _content(corpus: Corpus, name: str, *, csv_safe: bool) -> bytes:
    """Return the content of the file of a corpus in a format with one file."""
    with TemporaryFolder() as temporary:
        folder = temporary.path
        file = folder / f"stdout{formats.by_name(name).suffixes[0]}"
        try:
            write_new(corpus, file, format=name, csv_safe=csv_safe)
        except InputError as error:
            raise error.change_text(
                lambda text: text.replace(str(file), "standard output").replace(f"{folder}/", "")
            ) from None
        return file.read_bytes()


def print_sizes(name: str, documents: int, annotators: int, units: int) -> None:
    """Print the size of the written corpus."""
    sizes = (documents, "document"), (annotators, "annotator"), (units, "unit")
    print_message("note", f"{name}: {', '.join(counted(count, noun) for count, noun in sizes)}")


def write_corpus(corpus: Corpus, arguments: argparse.Namespace) -> None:
    """Write the corpus without what may be lost, and print its size."""
    corpus, notes = reduced_for(corpus, arguments.output, arguments.to, arguments.drop, arguments.decimals)
    print_notes(notes, quiet=arguments.quiet)
    if arguments.output == STANDARD_STREAM:
        write_stdout(_content(corpus, arguments.to, csv_safe=arguments.csv_safe))
    else:
        write_new(corpus, arguments.output, format=arguments.to, csv_safe=arguments.csv_safe and _is_csv(arguments))
    if arguments.quiet:
        return
    name = "standard output" if arguments.output == STANDARD_STREAM else arguments.output
    print_sizes(name, len(corpus), len(corpus.annotators), corpus.n_units)
    target = Path(arguments.output)
    fmt = table_formats.TABLES.get(arguments.to or "") or table_formats.by_suffix(target)
    is_one_table = fmt is not None and (arguments.output == STANDARD_STREAM or not is_folder_name(target))
    if is_one_table and corpus.texts is not None and any(text is not None for text in corpus.texts):
        print_message("note", f"{name}: a single table has no place for texts; --to jsonl or a folder keeps them")
