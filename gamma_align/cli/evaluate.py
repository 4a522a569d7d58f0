"""``gamma-align evaluate``: annotators or systems against a reference, or F1 of every two."""

from __future__ import annotations

import argparse
from typing import Any

from gamma_align.cli import _pipeline
from gamma_align.cli._corpus import read_corpus
from gamma_align.cli._measure import measure_settings
from gamma_align.cli._messages import check_proofs
from gamma_align.errors import SettingsError
from gamma_align.evaluation.evaluate import DEFAULT, Evaluation, evaluate
from gamma_align.evaluation.pairwise_f1 import pairwise_f1
from gamma_align.report.evaluation import evaluation_csv, evaluation_text, pairwise_f1_csv, pairwise_f1_text

_SPANS = ("iou", "zero_division")
_OPTIONS = (*_SPANS, "collar", "skip_overlap", "atom", "near", "gaps")


def run(arguments: argparse.Namespace) -> int:
    """Evaluate, print, and return the exit code."""
    options: dict[str, Any] = {name: vars(arguments)[name] for name in _OPTIONS}
    settings = measure_settings(arguments)
    if arguments.reference is None:
        return _run_pairs(arguments)
    options |= {"measures": arguments.measures or DEFAULT, "cases": arguments.cases, **settings}
    return _pipeline.run(
        arguments,
        lambda corpus, progress: evaluate(
            corpus, reference=arguments.reference, n_jobs=arguments.jobs, progress=progress, **options
        ),
        read=read_corpus,
        text=evaluation_text,
        csv=evaluation_csv,
        verdict=lambda result: _verdict(result, arguments),
    )


def _run_pairs(arguments: argparse.Namespace) -> int:
    """Print F1 of every two annotators, which is what there is without a reference."""
    others = [name for name in arguments.measures or () if name != "spans"]
    if others or arguments.cases:
        what = f"--measures {others[0]}" if others else "--cases"
        raise SettingsError(f"argument {what}: name the annotator to compare the others with, by --reference NAME")
    options: dict[str, Any] = {name: vars(arguments)[name] for name in _SPANS}
    return _pipeline.run(
        arguments,
        lambda corpus, _: pairwise_f1(corpus, **options),
        read=read_corpus,
        text=pairwise_f1_text,
        csv=pairwise_f1_csv,
    )


def _verdict(result: Evaluation, arguments: argparse.Namespace) -> int:
    return check_proofs([system.gap for system in result.systems], arguments.time_limit)
