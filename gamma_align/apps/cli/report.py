"""``gamma-align report``: one HTML page of a corpus."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from gamma_align.api import html_report
from gamma_align.apps.cli import _pipeline
from gamma_align.apps.cli._corpus import read_corpus
from gamma_align.apps.cli._messages import check_proofs, print_message
from gamma_align.apps.cli._output import PAGE_SUFFIXES
from gamma_align.errors import Location, SettingsError
from gamma_align.present import prefix_of
from gamma_align.present.page import REPORT_OPTIONS, Report
from gamma_align.present.page.page import page
from gamma_align.reading import is_template
from gamma_align.requests import COMMAND_LINE, STANDARD_STREAM, given, measure_settings

_GENERATOR = '<meta name="generator" content="gamma_align'
"""What a page contains that is a report."""


def run(arguments: argparse.Namespace) -> int:
    """Measure, write the page, and return the exit code."""
    settings = given(vars(arguments), REPORT_OPTIONS.options) | measure_settings(vars(arguments))
    settings["title"] = arguments.title or Path(arguments.path[0]).stem
    if arguments.output is None:
        arguments.output = _default_output(arguments.path[0])
    return _pipeline.run(
        arguments,
        lambda corpus, progress: html_report(
            corpus,
            n_jobs=arguments.jobs,
            progress=progress,
            **settings,
        ),
        read=read_corpus,
        text=lambda result: page(result, COMMAND_LINE),
        verdict=lambda result: _verdict(result, arguments),
        text_suffixes=(*PAGE_SUFFIXES, ""),
    )


def _default_output(path: str) -> Path:
    """Return the page beside the data that has their name.

    Raises
    ------
    SettingsError
        If the data have no name, or a file of this name is no report.
    """
    if path == STANDARD_STREAM or is_template(path):
        raise SettingsError(
            "the data have no name that the page could take", "name the page", Location.for_option("output")
        )
    data = Path(path).resolve()
    output = Path(os.path.relpath(data.with_name(f"{data.name if data.is_dir() else data.stem}.html")))
    if output.is_file() and _GENERATOR not in output.read_text(encoding="utf-8", errors="replace"):
        raise SettingsError(f"{output} exists and is not a report", "name another file", Location.for_option("output"))
    return output


def _verdict(result: Report, arguments: argparse.Namespace) -> int:
    if not arguments.quiet:
        print_message("note", f"{arguments.output}: {prefix_of(result.headline.settings)}γ {result.headline.gamma}")
    return check_proofs(result.headline.gaps, arguments.time_limit)
