"""``gamma-align report``: one HTML page of a corpus."""

from __future__ import annotations

import argparse
from pathlib import Path

from gamma_align.apps.cli import _pipeline
from gamma_align.apps.cli._corpus import read_corpus
from gamma_align.apps.cli._measure import measure_settings
from gamma_align.apps.cli._messages import check_proofs, print_message
from gamma_align.apps.cli._options import given
from gamma_align.apps.cli._output import PAGE_SUFFIXES
from gamma_align.apps.cli._surface import COMMAND_LINE
from gamma_align.present.page.page import page
from gamma_align.present.page.page_options import REPORT_OPTIONS
from gamma_align.present.page.report import Report, html_report
from gamma_align.present.symbols import prefix_of


def run(arguments: argparse.Namespace) -> int:
    """Measure, write the page, and return the exit code."""
    settings = given(arguments, REPORT_OPTIONS.options) | measure_settings(arguments)
    settings["title"] = arguments.title or Path(arguments.path[0]).stem
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


def _verdict(result: Report, arguments: argparse.Namespace) -> int:
    if not arguments.quiet:
        print_message("note", f"{arguments.output}: {prefix_of(result.headline.settings)}γ {result.headline.gamma}")
    return check_proofs(result.headline.gaps, arguments.time_limit)
