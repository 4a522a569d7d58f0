"""``gamma-align reproduce``: published experiments and worked examples, run again."""

from __future__ import annotations

import argparse

from gamma_align.apps.cli import _pipeline
from gamma_align.apps.cli._options import given
from gamma_align.present.writers.data import csv_rows, csv_text
from gamma_align.reproduction.examples import examples_table, examples_text
from gamma_align.reproduction.mathet2017 import mathet2017_figures, mathet2017_rows, mathet2017_text, verdict_rows
from gamma_align.reproduction.missing_values import missing_values_rows, missing_values_text
from gamma_align.reproduction.reproduce import reproduce
from gamma_align.reproduction.reproduction_options import EXAMPLE_OPTIONS, MATHET_2017, MISSING_VALUES


def run(arguments: argparse.Namespace) -> int:
    """Run the experiment, print it, and return the exit code."""
    experiments = {"missing-values": _missing_values, "mathet2017": _mathet2017, "examples": _examples}
    return experiments[arguments.experiment](arguments)


def _missing_values(arguments: argparse.Namespace) -> int:
    return _pipeline.run(
        arguments,
        lambda _, __: reproduce("missing-values", **given(arguments, MISSING_VALUES.options)),
        read=_pipeline.read_nothing,
        text=missing_values_text,
        csv=missing_values_rows,
    )


def _mathet2017(arguments: argparse.Namespace) -> int:
    return _pipeline.run(
        arguments,
        lambda _, progress: reproduce(
            "mathet2017", n_jobs=arguments.jobs, progress=progress, **given(arguments, MATHET_2017.options)
        ),
        read=_pipeline.read_nothing,
        text=mathet2017_text,
        csv=mathet2017_rows,
        files=lambda result: {
            "mathet2017.txt": mathet2017_text(result),
            "mathet2017.csv": csv_text(mathet2017_rows(result), is_safe=arguments.csv_safe),
            "verdicts.csv": csv_text(verdict_rows(result), is_safe=arguments.csv_safe),
            **mathet2017_figures(result),
        },
    )


def _examples(arguments: argparse.Namespace) -> int:
    return _pipeline.run(
        arguments,
        lambda _, __: reproduce("examples", **given(arguments, EXAMPLE_OPTIONS.options)),
        read=_pipeline.read_nothing,
        text=examples_text,
        csv=lambda result: csv_rows(examples_table(result)),
    )
