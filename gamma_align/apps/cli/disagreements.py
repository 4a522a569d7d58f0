"""``gamma-align disagreements``: where and why annotators differ, and what to settle."""

from __future__ import annotations

import argparse

from gamma_align.apps.cli import _pipeline
from gamma_align.apps.cli._corpus import read_corpus
from gamma_align.apps.cli._form_names import OPTION_NAMES
from gamma_align.apps.cli._measure import measure_settings, verdict
from gamma_align.apps.cli._options import given
from gamma_align.apps.cli._surface import COMMAND_LINE
from gamma_align.insight.disagreements.disagreements import disagreements
from gamma_align.insight.disagreements.disagreements_options import DISAGREEMENT_OPTIONS
from gamma_align.present.disagreements_tables import alignments_table
from gamma_align.present.disagreements_text import disagreements_text
from gamma_align.present.paper_tables import disagreements_tables
from gamma_align.present.writers.data import csv_rows


def run(arguments: argparse.Namespace) -> int:
    """Find the disagreements, print, and return the exit code."""
    settings = given(arguments, DISAGREEMENT_OPTIONS.options) | measure_settings(arguments)
    return _pipeline.run(
        arguments,
        lambda corpus, progress: disagreements(
            corpus,
            n_jobs=arguments.jobs,
            progress=progress,
            **settings,
        ),
        read=read_corpus,
        text=lambda result: disagreements_text(result, arguments.rows, OPTION_NAMES, COMMAND_LINE),
        csv=lambda result: csv_rows(alignments_table(result)),
        forms=_pipeline.forms_of(
            lambda result: disagreements_tables(result, arguments.rows), lambda result: [result.gamma.signature]
        ),
        verdict=lambda result: verdict("γ", result.gamma.gamma, result.gamma, arguments),
    )
