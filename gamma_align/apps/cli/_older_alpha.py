"""``measure --coefficients unitizing-alpha-2004``: the older αU of each document, to compare with published values."""

from __future__ import annotations

import argparse
from typing import NamedTuple

import numpy as np

from gamma_align.apps.cli import _pipeline
from gamma_align.apps.cli._corpus import read_corpus
from gamma_align.apps.cli._form_names import OPTION_NAMES
from gamma_align.apps.cli._gate import check_gate
from gamma_align.apps.cli._messages import ExitCode, print_message
from gamma_align.data.corpus import Corpus
from gamma_align.data.json_types import Json
from gamma_align.errors import Location, SettingsError
from gamma_align.measures.unitizing.unitizing_alpha_2004 import AlphaU2004, unitizing_alpha_2004
from gamma_align.measures.unitizing.unitizing_options import ALPHA_2004
from gamma_align.present.unitizing_tables import older_table
from gamma_align.present.units_text import older_text
from gamma_align.present.writers.data import csv_rows

_OTHER_OPTIONS = ("pairs", "work", "plot", "worst", "cite")


class OlderAlpha(NamedTuple):
    """αU of each document, the number of units of each annotator, and the notes of the corpus."""

    documents: tuple[AlphaU2004, ...]
    annotators: dict[str, int]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Json]:
        """Return the result ready for JSON."""
        documents = [document.to_dict() for document in self.documents]
        return {"schema_version": 1, "documents": documents, "annotators": self.annotators, "notes": [*self.notes]}


def run_older_alpha(arguments: argparse.Namespace) -> int:
    """Measure αU of each document, print, and return the exit code."""
    _check(arguments)
    return _pipeline.run(
        arguments,
        lambda corpus, progress: compute(corpus, arguments, progress),
        read=read_corpus,
        text=lambda result: older_text(result.documents, OPTION_NAMES),
        csv=lambda result: csv_rows(older_table(result.documents)),
        forms=_pipeline.forms_of(lambda result: [older_table(result.documents)], lambda _: []),
        verdict=_verdict,
    )


def _check(arguments: argparse.Namespace) -> None:
    """Refuse other coefficients beside αU, and options that have no meaning for it."""
    if len(arguments.coefficients) > 1:
        raise SettingsError(
            f"{ALPHA_2004} has a result of its own", "name it alone", Location.for_option("coefficients")
        )
    for name in _OTHER_OPTIONS:
        if vars(arguments).get(name):
            raise SettingsError(f"it is not for {ALPHA_2004}", "leave one of the two out", Location.for_option(name))
    check_gate(arguments, [], f"{ALPHA_2004} has no value of the corpus: leave out the threshold")


def compute(corpus: Corpus, arguments: argparse.Namespace, _progress: object = None) -> OlderAlpha:
    """Return αU of each document of a corpus; it takes no time, and reports no progress."""
    _check(arguments)
    units = np.bincount(corpus.annotator, minlength=len(corpus.annotators)).tolist()
    annotators = dict(zip(corpus.annotators, units, strict=True))
    return OlderAlpha(unitizing_alpha_2004(corpus), annotators, tuple(corpus.notes))


def _verdict(result: OlderAlpha) -> int:
    """Print an error if no document has a value, and return the exit code."""
    if any(document.alpha.is_available for document in result.documents):
        return ExitCode.FINE
    print_message("error", f"αU is not available: {result.documents[0].alpha.reason}")
    return ExitCode.NOT_AVAILABLE
