"""``gamma-align plan``: the numbers of documents and annotators for a narrow interval, or to find a difference."""

from __future__ import annotations

import argparse

from gamma_align.apps.cli import _pipeline
from gamma_align.apps.cli._corpus import paths_of, read_at, read_corpus
from gamma_align.apps.cli._messages import check_proofs
from gamma_align.errors import SettingsError
from gamma_align.present import plan_table, plan_text, power_table, power_text
from gamma_align.present.writers import csv_rows
from gamma_align.requests import given, measure_settings
from gamma_align.simulation import PLAN_OPTIONS, POWER_OPTIONS, plan_difference
from gamma_align.simulation.plan import plan

_N_ANNOTATIONS = 2


def run(arguments: argparse.Namespace) -> int:
    """Plan, print, and return the exit code."""
    if (arguments.power is None) == (arguments.target is None):
        raise SettingsError("set either a width of the interval with --target-width W, or a power with --power P")
    if arguments.power is not None:
        return _run_difference(arguments)
    if arguments.difference is not None:
        raise SettingsError("--difference needs --power P, which plans for a difference")
    settings = given(vars(arguments), PLAN_OPTIONS.options) | measure_settings(vars(arguments))
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


def _run_difference(arguments: argparse.Namespace) -> int:
    """Plan the number of documents that find a difference, print it, and return the exit code."""
    settings = given(vars(arguments), POWER_OPTIONS.options) | measure_settings(vars(arguments))
    paths = paths_of(arguments)
    if len(paths) != _N_ANNOTATIONS:
        raise SettingsError(f"--power needs two paths, A and B, and got {len(paths)}")
    return _pipeline.run(
        arguments,
        lambda corpora, progress: plan_difference(
            *corpora,
            names=(paths[0], paths[1]),
            n_jobs=arguments.jobs,
            progress=progress,
            **settings,
        ),
        read=lambda all_arguments: [read_at(path, all_arguments) for path in paths],
        text=power_text,
        csv=lambda result: csv_rows(power_table(result)),
        verdict=lambda result: check_proofs([result.gap], arguments.time_limit),
    )
