"""``measure --pairs``: γ of every two annotators and its mean, and when `measure` proposes it."""

from __future__ import annotations

import argparse

import numpy as np

from gamma_align.apps.cli import _pipeline
from gamma_align.apps.cli._corpus import read_corpus
from gamma_align.apps.cli._form_names import OPTION_NAMES
from gamma_align.apps.cli._gate import checks_of, gate, most_important
from gamma_align.apps.cli._measure import measure_settings
from gamma_align.apps.cli._messages import ExitCode, check_proofs, print_message
from gamma_align.data.corpus import Corpus
from gamma_align.data.wording import counted
from gamma_align.errors import Location, SettingsError
from gamma_align.insight.pairwise import PairwiseResult, pairwise
from gamma_align.measures.gamma.precision import SampleCosts
from gamma_align.present.pairwise_tables import pairwise_table, pairwise_text
from gamma_align.present.writers.data import csv_rows

PAIRWISE = "pairwise-gamma"
"""The name of the mean in ``--fail-under``."""
_OTHER_OPTIONS = ("work", "plot", "worst", "cite", "backend", "fail_under_documents")

# Up to five annotators all columns are listed, which is quick. The work of many is estimated as that of samples: 12
# documents of 35 annotators, which take minutes, have 1.3e8; 1,200 of 15 with few units, which take seconds, 8e5.
_MANY_ANNOTATORS = 6
_MINUTES_COST_MIN = 3e7
_FIRST_SAMPLES = 30


def run_pairs(arguments: argparse.Namespace) -> int:
    """Measure γ of every two annotators, print, and return the exit code."""
    _check(arguments)
    settings = measure_settings(arguments)
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
            raise SettingsError("it is not for --pairs", "leave one of the two out", Location.for_option(name))
    if len(arguments.coefficients) > 1 or arguments.coefficients[0] != "gamma":
        raise SettingsError("--pairs measures γ alone", "leave one of the two out", Location.for_option("coefficients"))


def _verdict(result: PairwiseResult, arguments: argparse.Namespace) -> int:
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
    annotators = corpus.n_annotators
    if annotators.max(initial=0) < _MANY_ANNOTATORS:
        return
    length = np.ptp(corpus.extents, axis=1)
    covered = np.bincount(corpus.unit_document, corpus.end - corpus.start, len(corpus))
    with np.errstate(divide="ignore", invalid="ignore"):
        coverage = np.where((length > 0) & (annotators > 0), covered / (length * annotators), 0.0)
    is_large = annotators >= _MANY_ANNOTATORS
    costs = SampleCosts.estimate(annotators[is_large], corpus.units_per_document[is_large], coverage[is_large])
    if float(costs.full.sum()) * _FIRST_SAMPLES < _MINUTES_COST_MIN:
        return
    print_message(
        "note",
        f"{counted(int(is_large.sum()), 'document')} of up to {annotators.max()} annotators may take minutes, because "
        "all are aligned together; --pairs measures γ of every two annotators and its mean, which takes seconds",
    )
