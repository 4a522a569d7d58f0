"""``gamma-align validate``: what is in files of annotations, and all that is wrong with them."""

from __future__ import annotations

import argparse

from gamma_align.cli._arguments import add_corpus, add_target, names_of, reading_settings
from gamma_align.cli._messages import EXIT_CODES, ExitCode, print_message, print_notes, write_stdout
from gamma_align.cli._output import check_target, json_text, write_corpus
from gamma_align.data.corpus import Corpus
from gamma_align.errors import SettingsError
from gamma_align.validation.findings import Finding
from gamma_align.validation.repairs import DESCRIPTIONS, SWAPPED, repaired, swapped
from gamma_align.validation.validate import ValidationReport


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.description = (
        "Look at files of annotations: how much there is, what there is to see, and every problem with "
        "file, line and cure. The exit code is 3 if there are problems, that is, if the other commands would not "
        "read the files as they are."
    )
    parser.epilog = f"repairs, in the order they apply: {'; '.join(map(': '.join, DESCRIPTIONS.items()))}. {EXIT_CODES}"
    add_corpus(parser)
    group = parser.add_argument_group("repairing")
    group.add_argument(
        "--fix",
        type=names_of(tuple(DESCRIPTIONS)),
        metavar="NAMES",
        help=f"repairs, of {', '.join(DESCRIPTIONS)}, separated by commas; each is reported, and nothing else is "
        "changed",
    )
    add_target(group, "-o", "--output")
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="print one JSON document with everything")
    output.add_argument("--quiet", action="store_true", help="no notes on stderr")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Look, repair where asked to, print, and return the exit code."""
    from gamma_align.validation.validate import validate  # noqa: PLC0415

    fixes: tuple[str, ...] = arguments.fix or ()
    if bool(fixes) != (arguments.output is not None):
        raise SettingsError("--fix NAMES and -o OUT go together: what is repaired is written to another place")
    check_target(arguments)
    outside = "extend" if "past-end" in fixes else arguments.outside
    settings = {**reading_settings(arguments), "outside": outside}
    found = validate(arguments.path, swap=SWAPPED in fixes, **settings)
    corpus, done = _repaired(found, fixes, outside)
    if corpus is not None:
        write_corpus(corpus, arguments)
    write_stdout(_shown(found, done, json=arguments.json))
    print_notes(found.notes, quiet=arguments.quiet)
    return _verdict(found, arguments)


def _repaired(found: ValidationReport, fixes: tuple[str, ...], outside: str) -> tuple[Corpus | None, list[Finding]]:
    """Return the corpus after the repairs, none where a problem remains, and what they did."""
    if not fixes or found.columns is None or found.problems:
        return None, []
    columns, done = repaired(found.columns, fixes)
    if SWAPPED in fixes:
        done.insert(0, swapped(found.swapped))
    return columns.corpus(outside=outside), done


def _shown(found: ValidationReport, done: list[Finding], *, json: bool) -> str:
    from gamma_align.report.validation import validation_data, validation_text  # noqa: PLC0415  (only now is it needed)

    return json_text(validation_data(found, done)) if json else validation_text(found, done)


def _verdict(found: ValidationReport, arguments: argparse.Namespace) -> int:
    if not found.problems:
        return ExitCode.FINE
    count = f"{len(found.problems)} problem" + ("" if len(found.problems) == 1 else "s")
    written = "" if arguments.output is None else f"; {arguments.output} is not written"
    print_message("error", f"{arguments.path}: {count}{written}")
    return ExitCode.INVALID_INPUT
