"""``gamma-align families``: γ's family and the unitizing family side by side (M17 §5.2)."""

from __future__ import annotations

import argparse

from gamma_align.apps.cli import _pipeline
from gamma_align.apps.cli._corpus import read_corpus
from gamma_align.apps.cli._form_names import OPTION_NAMES
from gamma_align.apps.cli._measure import gamma_verdict
from gamma_align.insight.comparison.families import families
from gamma_align.present import contributions_by_document, families_text
from gamma_align.present.paper_tables import families_tables
from gamma_align.present.writers import csv_rows
from gamma_align.requests import measure_settings


def run(arguments: argparse.Namespace) -> int:
    """Measure, print, and return the exit code."""
    settings = measure_settings(vars(arguments))
    return _pipeline.run(
        arguments,
        lambda corpus, progress: families(corpus, n_jobs=arguments.jobs, progress=progress, **settings),
        read=read_corpus,
        text=lambda result: families_text(result, OPTION_NAMES),
        csv=lambda result: csv_rows(contributions_by_document(result)),
        forms=_pipeline.forms_of(families_tables, lambda result: [result.gamma.signature, result.unitizing.signature]),
        verdict=lambda result: gamma_verdict(result.gamma, arguments),
    )
