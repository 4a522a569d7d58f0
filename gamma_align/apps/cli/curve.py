"""``gamma-align curve``: γ of a corpus placed on curves of the corpus itself, degraded by errors of each kind."""

from __future__ import annotations

import argparse
from pathlib import Path

from gamma_align.apps.cli import _pipeline
from gamma_align.apps.cli._corpus import read_corpus
from gamma_align.apps.cli._messages import check_proofs
from gamma_align.present import curve_svg, points_table
from gamma_align.present.curve_text import curve_text
from gamma_align.present.writers import csv_rows
from gamma_align.requests import given, measure_settings
from gamma_align.simulation import CURVE_OPTIONS
from gamma_align.simulation.curve import curve


def run(arguments: argparse.Namespace) -> int:
    """Compute the curves, print, and return the exit code."""
    settings = given(vars(arguments), CURVE_OPTIONS.options) | measure_settings(vars(arguments))
    return _pipeline.run(
        arguments,
        lambda corpus, progress: curve(
            corpus,
            n_jobs=arguments.jobs,
            progress=progress,
            **settings,
        ),
        read=read_corpus,
        text=curve_text,
        csv=lambda result: csv_rows(points_table(result)),
        svg=lambda result: curve_svg(result, Path(arguments.path[0]).stem),
        verdict=lambda result: check_proofs([result.gap], arguments.time_limit),
    )
