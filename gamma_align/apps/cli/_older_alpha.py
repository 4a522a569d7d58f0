"""``measure --coefficients unitizing-alpha-2004``: the older αU of each document, to compare with published values."""

from __future__ import annotations

import argparse

from gamma_align.apps.cli import _pipeline
from gamma_align.apps.cli._corpus import read_corpus
from gamma_align.apps.cli._form_names import OPTION_NAMES
from gamma_align.apps.cli._gate import check_gate
from gamma_align.apps.cli._messages import ExitCode, print_message
from gamma_align.measures.unitizing import ALPHA_2004
from gamma_align.present import older_table, older_text
from gamma_align.present.writers import csv_rows
from gamma_align.requests import OlderAlpha, check, compute_older_alpha


def run_older_alpha(arguments: argparse.Namespace) -> int:
    """Measure αU of each document, print, and return the exit code."""
    check(vars(arguments))
    check_gate(arguments, [], f"{ALPHA_2004} has no value of the corpus: leave out the threshold")
    return _pipeline.run(
        arguments,
        lambda corpus, progress: compute_older_alpha(corpus, vars(arguments), progress),
        read=read_corpus,
        text=lambda result: older_text(result.documents, OPTION_NAMES),
        csv=lambda result: csv_rows(older_table(result.documents)),
        forms=_pipeline.forms_of(lambda result: [older_table(result.documents)], lambda _: []),
        verdict=_verdict,
    )


def _verdict(result: OlderAlpha) -> int:
    """Print an error if no document has a value, and return the exit code."""
    if any(document.alpha.is_available for document in result.documents):
        return ExitCode.FINE
    print_message("error", f"αU is not available: {result.documents[0].alpha.reason}")
    return ExitCode.NOT_AVAILABLE
