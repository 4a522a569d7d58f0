"""``gamma-align plan``: the numbers of documents and annotators for a narrow interval, from a pilot."""

from __future__ import annotations

import argparse

from gamma_align.apps.cli import _pipeline
from gamma_align.apps.cli._corpus import read_corpus
from gamma_align.apps.cli._measure import measure_settings
from gamma_align.apps.cli._messages import check_proofs
from gamma_align.apps.cli._options import given
from gamma_align.present.curve_tables import plan_table
from gamma_align.present.curve_text import plan_text
from gamma_align.present.writers.data import csv_rows
from gamma_align.simulation.plan import plan
from gamma_align.simulation.simulation_options import PLAN_OPTIONS


def run(arguments: argparse.Namespace) -> int:
    """Plan, print, and return the exit code."""
    settings = given(arguments, PLAN_OPTIONS.options) | measure_settings(arguments)
    return _pipeline.run(
        arguments,
        lambda corpus, progress: plan(
            corpus,
            n_jobs=arguments.jobs,
            progress=progress,
            **settings,
        ),
        read=read_corpus,
        text=plan_text,
        csv=lambda result: csv_rows(plan_table(result)),
        verdict=lambda result: check_proofs([result.gap], arguments.time_limit),
    )
