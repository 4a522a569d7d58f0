"""``gamma-align replace``: whether a model could take the place of an annotator."""

from __future__ import annotations

import argparse

from gamma_align.apps.cli import _pipeline
from gamma_align.apps.cli._corpus import paths_of, read_corpus
from gamma_align.apps.cli._form_names import OPTION_NAMES
from gamma_align.apps.cli._messages import ExitCode, print_message
from gamma_align.data import Corpus, ItemTable
from gamma_align.errors import SettingsError
from gamma_align.insight.replacement import EQUIVALENCE_OPTIONS, REPLACEMENT_INFERENCE, REPLACEMENT_OPTIONS, Replacement
from gamma_align.insight.replacement.replaceable import replaceable
from gamma_align.measures.unitizing import OVERLAP
from gamma_align.options import all_options
from gamma_align.present import replacement_table
from gamma_align.present.citation import citation
from gamma_align.present.replacement_tables import replacement_tables
from gamma_align.present.replacement_text import replacement_text
from gamma_align.present.writers import csv_rows
from gamma_align.reading import read_items
from gamma_align.requests import given, measure_settings

_REPLACE_OPTIONS = (*all_options((REPLACEMENT_OPTIONS, EQUIVALENCE_OPTIONS, REPLACEMENT_INFERENCE)), OVERLAP)


def run(arguments: argparse.Namespace) -> int:
    """Test, print, and return the exit code."""
    settings = measure_settings(vars(arguments))
    if arguments.annotator is None:
        raise SettingsError("no model is named", "name the annotators that are models with --model A,B")
    return _pipeline.run(
        arguments,
        lambda data, progress: replaceable(
            data, n_jobs=arguments.jobs, progress=progress, **given(vars(arguments), _REPLACE_OPTIONS), **settings
        ),
        read=_read,
        text=lambda result: replacement_text(result, arguments.rows, OPTION_NAMES),
        csv=lambda result: csv_rows(replacement_table(result)),
        forms={
            **_pipeline.forms_of(replacement_tables, lambda result: [result.signature]),
            "cite": lambda result: str(citation(result)),
        },
        verdict=_verdict,
    )


def _read(arguments: argparse.Namespace) -> Corpus | ItemTable:
    """Read the corpus, or the only path as a table of items."""
    if not arguments.items:
        return read_corpus(arguments)
    path, *further_paths = paths_of(arguments)
    if further_paths:
        raise SettingsError(f"argument --items: {len(further_paths) + 1} paths; name one table of items")
    return read_items(path)


def _verdict(result: Replacement) -> int:
    """Return the exit code, and print why no model has a value."""
    if any(model.omega.is_available for model in result.models):
        return ExitCode.FINE
    print_message("error", f"the test is not available: {result.models[0].omega.reason}")
    return ExitCode.NOT_AVAILABLE
