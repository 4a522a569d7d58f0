"""``gamma-align validate``: the content of files of annotations, and all their problems."""

from __future__ import annotations

import argparse
from typing import Any

from gamma_align.apps.cli._arguments import source_label
from gamma_align.apps.cli._corpus import on_disk, paths_of
from gamma_align.apps.cli._form_names import OPTION_NAMES
from gamma_align.apps.cli._messages import ExitCode, print_message, print_notes, write_stdout
from gamma_align.apps.cli._output import check_target, write_corpus, write_file
from gamma_align.data import Corpus, counted
from gamma_align.errors import Location, SettingsError
from gamma_align.present import validation_data
from gamma_align.present.validation_text import validation_text
from gamma_align.present.writers import json_pieces
from gamma_align.reading import SWAPPED, Finding, ValidationReport, joined, map_at, repaired, saved, swapped, validate
from gamma_align.requests import COMMAND_LINE, reading_settings


def run(arguments: argparse.Namespace) -> int:
    """Validate, repair if requested, print, and return the exit code."""
    fixes: tuple[str, ...] = arguments.fix or ()
    if bool(fixes) != (arguments.output is not None):
        raise SettingsError("--fix NAMES and -o OUT go together: the repaired corpus is written to OUT")
    check_target(arguments)
    # Units past the end must be read before they can be cut.
    outside = "extend" if "past-end" in fixes else arguments.outside
    settings = {**reading_settings(vars(arguments)), "outside": outside}
    report = _validate_paths(arguments, swap=SWAPPED in fixes, **settings)
    corpus, done = _repair(report, fixes, outside)
    if corpus is not None:
        write_corpus(corpus, arguments)
    if arguments.save_map is not None:
        _save_map(arguments, **settings)
    print_notes(report.notes, quiet=arguments.quiet)
    write_stdout(_render(report, done, json=arguments.json))
    return _verdict(report, arguments)


def _validate_paths(arguments: argparse.Namespace, **settings: Any) -> ValidationReport:  # noqa: ANN401  (those of validate)
    """Return the report on the paths; several paths are validated as one corpus."""
    reports: dict[str, ValidationReport] = {}
    for path in paths_of(arguments):
        with on_disk(path, settings.get("format")) as file:
            reports[path] = validate(file, **settings)
    return joined(reports, str(source_label(arguments))) if len(reports) > 1 else reports[path]


def _save_map(arguments: argparse.Namespace, **settings: Any) -> None:  # noqa: ANN401  (those of validate)
    """Write what the columns of the only path mean."""
    path, *further = arguments.path
    if further:
        raise SettingsError("a map describes one path", "name only one", Location.for_option("save_map"))
    with on_disk(path, settings.get("format")) as file:
        write_file(saved(map_at(file, **settings)), arguments.save_map)


def _repair(report: ValidationReport, fixes: tuple[str, ...], outside: str) -> tuple[Corpus | None, list[Finding]]:
    """Return the corpus after the repairs, and the changes.

    The corpus is None, and there are no changes, without repairs or if a problem remains.
    """
    if not fixes or report.columns is None or report.problems:
        return None, []
    columns, done = repaired(report.columns, fixes)
    if SWAPPED in fixes:
        # Swapped boundaries are repaired during reading, before all other repairs.
        done.insert(0, swapped(report.swapped))
    return columns.corpus(outside=outside), done


def _render(report: ValidationReport, done: list[Finding], *, json: bool) -> str:
    """Return the report and the repairs `done`, as text or JSON."""
    if json:
        return "".join(json_pieces(validation_data(report, done, COMMAND_LINE), COMMAND_LINE))
    return validation_text(report, done, COMMAND_LINE, OPTION_NAMES)


def _verdict(report: ValidationReport, arguments: argparse.Namespace) -> int:
    """Return the exit code, and print the number of problems."""
    if not report.problems:
        return ExitCode.FINE
    count = counted(len(report.problems), "problem")
    written = "" if arguments.output is None else f"; {arguments.output} is not written"
    print_message("error", f"{source_label(arguments)}: {count}{written}")
    return ExitCode.INVALID_INPUT
