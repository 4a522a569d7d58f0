"""``gamma-align convert``: annotations from one format to another, and the list of formats."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gamma_align.apps.cli._arguments import source_label
from gamma_align.apps.cli._corpus import read_corpus, settings_without_changes
from gamma_align.apps.cli._messages import ExitCode, print_notes
from gamma_align.apps.cli._output import check_target, print_sizes, write_corpus
from gamma_align.present.writers import aligned_lines
from gamma_align.reading import FileFormat, convert_large, formats, is_folder_name
from gamma_align.reading.tables import table_formats
from gamma_align.requests import STANDARD_STREAM, naming

# in the list of formats
_IS_WRITTEN = "read, written"
_IS_READ = "read"
_MAX_SUFFIXES = 3  # of a format in the list


def run(arguments: argparse.Namespace) -> int:
    """Read, write, and return the exit code."""
    check_target(arguments)
    if _is_written_sorted(arguments):
        return ExitCode.FINE
    corpus = read_corpus(arguments)
    print_notes(corpus.notes, quiet=arguments.quiet)
    with naming(source_label(arguments)):
        write_corpus(corpus, arguments)
    return ExitCode.FINE


def _is_written_sorted(arguments: argparse.Namespace) -> bool:
    """Write large tables as Parquet in bounded memory; return False if the input needs or allows another way."""
    out = arguments.output
    settings = settings_without_changes(arguments)
    if settings is None or arguments.drop or arguments.decimals is not None or out == STANDARD_STREAM:
        return False
    is_parquet = table_formats.by_suffix(Path(out)) is table_formats.TABLES["parquet"] or is_folder_name(out)
    if arguments.to != "parquet" and (arguments.to is not None or not is_parquet):
        return False
    written = convert_large(target=out, outside=arguments.outside, **settings)
    if written is None:
        return False
    print_notes(written.notes, quiet=arguments.quiet)
    if not arguments.quiet:
        print_sizes(out, written.documents, written.annotators, written.units)
    return True


def about(name: str) -> str:
    """Return the description of a format, and its options."""
    fmt = formats.by_name(name)
    module = sys.modules[getattr(fmt.read, "func", fmt.read).__module__]  # a partial has none of its own
    options = [f"  {name}: {text}\n" for name, text in (fmt.options or {}).items()]
    return f"{(module.__doc__ or '').strip()}\n" + "".join(["\nOptions\n-------\n" * bool(options), *options])


def format_list() -> str:
    """Return the formats as a table: name, suffixes, read or written, origin of annotators, extra, description."""
    rows: list[tuple[str, ...]] = [("format", "files", "", "annotator in", "extra", "")]
    all_formats = formats.formats()
    for name, fmt in table_formats.TABLES.items():
        rows.append(
            (
                name,
                fmt.suffix,
                _IS_WRITTEN,
                "file or path",
                all_formats[name].extra or "",
                all_formats[name].description,
            )
        )
    rows += [_row(fmt) for name, fmt in sorted(all_formats.items()) if name not in table_formats.TABLES]
    return "\n".join(aligned_lines(rows)) + "\n"


def _row(fmt: FileFormat) -> tuple[str, ...]:
    """Return the row of a format in the list of formats."""
    suffixes = " ".join(fmt.suffixes[:_MAX_SUFFIXES]) + (" …" if len(fmt.suffixes) > _MAX_SUFFIXES else "")
    location = "file" if "annotator" in fmt.declares else "path"
    return (
        fmt.name,
        suffixes,
        _IS_READ if fmt.write is None else _IS_WRITTEN,
        location,
        fmt.extra or "",
        fmt.description,
    )
