"""``gamma-align convert``: annotations from one format to another, and the list of formats."""

from __future__ import annotations

import argparse
import sys
from typing import Any, NoReturn

from gamma_align.cli._arguments import add_corpus, add_target, source_label
from gamma_align.cli._corpus import read_corpus
from gamma_align.cli._messages import ExitCode, print_notes, write_stdout
from gamma_align.cli._output import check_target, write_corpus
from gamma_align.cli._pipeline import naming
from gamma_align.io import formats
from gamma_align.io.formats import FileFormat
from gamma_align.io.marks.writable import LOSSES, ZERO_LENGTH, reduced
from gamma_align.io.tables import table_formats
from gamma_align.report._tables import table

_BOTH, _READ = "read, written", "read"
_SUFFIXES = 3


class _List(argparse.Action):
    def __call__(self, *_: object) -> NoReturn:
        write_stdout(format_list())
        raise SystemExit(ExitCode.FINE)


class _About(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, _: object, value: Any, *__: object) -> NoReturn:  # noqa: ANN401
        if value not in formats.formats():
            parser.error(f"argument --about: {value!r} is none of {', '.join(formats.formats())}")
        fmt = formats.by_name(value)
        module = sys.modules[getattr(fmt.read, "func", fmt.read).__module__]  # a partial's is that of its function
        options = [f"  {name}: {what}\n" for name, what in (fmt.options or {}).items()]
        write_stdout(
            f"{(module.__doc__ or '').strip()}\n" + "".join(["\nOptions\n-------\n" * bool(options), *options])
        )
        raise SystemExit(ExitCode.FINE)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.description = (
        "Read annotations in any format and write them in another. What the other cannot hold is refused, unless "
        "--drop says that it may be lost."
    )
    parser.add_argument("--list", action=_List, nargs=0, help="print the formats there are, and exit")
    parser.add_argument(
        "--about", action=_About, metavar="FORMAT", help="print how a format is read, and its --option, and exit"
    )
    add_corpus(parser)
    add_target(parser, "output")
    parser.add_argument(
        "--drop",
        metavar="WHAT,…",
        type=lambda text: text.split(","),
        default=(),
        help=f"what may be lost where OUT does not hold it: {', '.join(LOSSES)}, or all of these; {ZERO_LENGTH} leaves "
        "out units without length",
    )
    parser.add_argument("--decimals", metavar="N", type=int, help="round bounds to so many decimals (ELAN holds 3)")
    parser.add_argument("--quiet", action="store_true", help="no notes on stderr")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read, write, and return the exit code."""
    check_target(arguments)
    corpus = read_corpus(arguments)
    print_notes(corpus.notes, quiet=arguments.quiet)
    with naming(source_label(arguments)):
        corpus, notes = reduced(corpus, arguments.drop, arguments.decimals)
        print_notes(notes, quiet=arguments.quiet)
        write_corpus(corpus, arguments)
    return ExitCode.FINE


def format_list() -> str:
    """Return the formats as a table: name, suffixes, whether it is written, where annotators are named, what it is."""
    rows: list[tuple[str, ...]] = [("format", "files", "", "annotator in", "extra", "")]
    every = formats.formats()
    for name, fmt in table_formats.TABLES.items():
        rows.append((name, fmt.suffix, _BOTH, "file or path", every[name].extra or "", every[name].description))
    rows += [_row(fmt) for name, fmt in sorted(every.items()) if name not in table_formats.TABLES]
    return "\n".join(table(rows)) + "\n"


def _row(fmt: FileFormat) -> tuple[str, ...]:
    suffixes = " ".join(fmt.suffixes[:_SUFFIXES]) + (" …" if len(fmt.suffixes) > _SUFFIXES else "")
    location = "file" if "annotator" in fmt.declares else "path"
    return fmt.name, suffixes, _READ if fmt.write is None else _BOTH, location, fmt.extra or "", fmt.description
