"""``measure --pairs``: γ of every two annotators and its mean, and when `measure` proposes it."""

from __future__ import annotations

import argparse

import numpy as np

from gamma_align.apps.cli import _pipeline
from gamma_align.apps.cli._corpus import read_corpus
from gamma_align.apps.cli._form_names import OPTION_NAMES
from gamma_align.apps.cli._gate import checks_of, gate, most_important
from gamma_align.apps.cli._messages import ExitCode, check_proofs, print_message
from gamma_align.data import Corpus, counted
from gamma_align.errors import Location, SettingsError
from gamma_align.insight import PairwiseResult
from gamma_align.insight.look import MANY_ANNOTATORS, is_crowd
from gamma_align.insight.pairwise import pairwise
from gamma_align.present import pairwise_table, pairwise_text
from gamma_align.present.writers import csv_rows
from gamma_align.requests import measure_settings

PAIRWISE = "pairwise-gamma"
"""The name of the mean in ``--fail-under``."""
_OTHER_OPTIONS = ("work", "plot", "worst", "cite", "dask", "fail_under_documents")


def run_pairs(arguments: argparse.Namespace) -> int:
    """Measure γ of every two annotators, print, and return the exit code."""
    _check(arguments)
    settings = measure_settings(vars(arguments))
    return _pipeline.run(
        arguments,
        lambda corpus, progress: pairwise(corpus, n_jobs=arguments.jobs, progress=progress, **settings),
        read=read_corpus,
        text=lambda result: pairwise_text(result, OPTION_NAMES),
        csv=lambda result: csv_rows(pairwise_table(result)),
        forms=_pipeline.forms_of(lambda result: [pairwise_table(result)], lambda result: [result.signature]),
        verdict=lambda result: _verdict(result, arguments),
    )


def _check(arguments: argparse.Namespace) -> None:
    """Refuse options that have no meaning for pairs."""
    for name in _OTHER_OPTIONS:
        if vars(arguments).get(name):
            raise SettingsError(
                "it cannot be combined with --pairs", "leave out one of the two", Location.for_option(name)
            )
    if len(arguments.coefficients) > 1 or arguments.coefficients[0] != "gamma":
        raise SettingsError("--pairs measures only γ", "leave out one of the two", Location.for_option("coefficients"))


def _verdict(result: PairwiseResult, arguments: argparse.Namespace) -> int:
    """Return the exit code of the mean and of the alignments, and print the reason."""
    mean = result.mean
    values = {PAIRWISE: (f"mean pairwise {result.prefix}γ", mean)}
    code = gate([*checks_of(values, arguments)], arguments, [result.signature])
    gaps = [float(np.max(pair.gaps, initial=0.0)) for pair in result.pairs.values()]
    codes = [code, check_proofs(gaps, arguments.time_limit)]
    if not mean.is_available and PAIRWISE not in arguments.fail_under:
        print_message("error", f"mean pairwise {result.prefix}γ is not available: {mean.reason}")
        codes.append(ExitCode.NOT_AVAILABLE)
    return most_important(codes)


def propose_pairs(corpus: Corpus) -> None:
    """Print a note if γ of all annotators together takes minutes, and γ of pairs does not."""
    if not is_crowd(corpus):
        return
    annotators = corpus.n_annotators
    n_large = int((annotators >= MANY_ANNOTATORS).sum())
    print_message(
        "note",
        f"{counted(n_large, 'document')} of up to {annotators.max()} annotators may take minutes, because "
        "all are aligned together; --pairs measures γ of every two annotators and its mean, which takes seconds",
    )
