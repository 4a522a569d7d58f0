"""``gamma-align ceiling``: how well any model can score against these annotators."""

from __future__ import annotations

import argparse
import math

from gamma_align.apps.cli import _pipeline
from gamma_align.apps.cli._corpus import read_corpus
from gamma_align.apps.cli._form_names import OPTION_NAMES
from gamma_align.apps.cli._messages import ExitCode, print_message
from gamma_align.insight.ceiling import Ceiling
from gamma_align.present import ceiling_table
from gamma_align.present.ceiling_tables import ceiling_tables
from gamma_align.present.ceiling_text import ceiling_text
from gamma_align.present.writers import csv_rows
from gamma_align.requests import compute_ceiling


def run(arguments: argparse.Namespace) -> int:
    """Compute the ceiling, print it, and return the exit code."""
    return _pipeline.run(
        arguments,
        lambda corpus, progress: compute_ceiling(corpus, vars(arguments), progress),
        read=read_corpus,
        text=lambda result: ceiling_text(result, arguments.rows, OPTION_NAMES),
        csv=lambda result: csv_rows(ceiling_table(result)),
        forms=_pipeline.forms_of(ceiling_tables, lambda result: [result.signature]),
        verdict=_verdict,
    )


def _verdict(result: Ceiling) -> int:
    """Return the exit code, and print why there is no ceiling."""
    if not math.isnan(result.score.low):
        return ExitCode.FINE
    print_message("error", f"the ceiling is not available: {result.score.no_interval or result.score.another.reason}")
    return ExitCode.NOT_AVAILABLE
