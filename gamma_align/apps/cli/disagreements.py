"""``gamma-align disagreements``: where and why annotators differ, and what to settle."""

from __future__ import annotations

import argparse

from gamma_align.apps.cli import _pipeline
from gamma_align.apps.cli._arguments import source_label
from gamma_align.apps.cli._corpus import read_corpus
from gamma_align.apps.cli._form_names import OPTION_NAMES
from gamma_align.apps.cli._measure import gamma_verdict
from gamma_align.apps.cli._messages import ExitCode, print_notes, write_stdout
from gamma_align.apps.cli._output import check_target, write_corpus
from gamma_align.errors import SettingsError
from gamma_align.insight.disagreements import DISAGREEMENT_OPTIONS, fix_causes
from gamma_align.insight.disagreements.disagreements import disagreements
from gamma_align.measures.gamma import GammaSettings
from gamma_align.present import alignments_table, shortened_tables
from gamma_align.present.disagreements_text import disagreements_text
from gamma_align.present.writers import csv_rows
from gamma_align.requests import COMMAND_LINE, given, measure_settings, naming

_OUTPUT_FORMS = ("json", "csv", "markdown", "latex")


def run(arguments: argparse.Namespace) -> int:
    """Find the disagreements, print, and return the exit code."""
    if arguments.fix:
        return _fix(arguments)
    settings = given(vars(arguments), DISAGREEMENT_OPTIONS.options) | measure_settings(vars(arguments))
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
            lambda result: shortened_tables(result, arguments.rows), lambda result: [result.gamma.signature]
        ),
        verdict=lambda result: gamma_verdict(result.gamma, arguments),
    )


def _fix(arguments: argparse.Namespace) -> int:
    """Write the corpus after the repair of causes, print what was repaired, and return the exit code."""
    if arguments.output is None:
        raise SettingsError("--fix NAMES and -o OUT go together: the repaired corpus is written to OUT")
    form = next((name for name in _OUTPUT_FORMS if vars(arguments).get(name)), None)
    if form is not None:
        raise SettingsError(f"--fix prints what it repaired, and the corpus goes to OUT: leave out --{form}")
    arguments.output = str(arguments.output)
    check_target(arguments)
    corpus = read_corpus(arguments)
    print_notes(corpus.notes, quiet=arguments.quiet)
    with naming(source_label(arguments)):
        repaired, changes = fix_causes(corpus, arguments.fix, GammaSettings.of(**measure_settings(vars(arguments))))
    write_corpus(repaired, arguments)
    missing = [name for name in arguments.fix if not any(change.startswith(f"{name}: ") for change in changes)]
    write_stdout("".join(f"{line}\n" for line in (*changes, *(f"{name}: nothing to repair" for name in missing))))
    return ExitCode.FINE
