"""``gamma-align evaluate``: annotators or systems against a reference, or F1 of every two."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import gamma_align as ga
from gamma_align.apps.cli import _pipeline
from gamma_align.apps.cli._corpus import read_corpus
from gamma_align.apps.cli._form_names import OPTION_NAMES
from gamma_align.apps.cli._gate import Values, check_gate, checks_of, gate, worst
from gamma_align.apps.cli._measure import measure_settings
from gamma_align.apps.cli._messages import check_proofs
from gamma_align.errors import SettingsError
from gamma_align.measures.reference.evaluate import DEFAULT, Evaluation, SystemScore, evaluate
from gamma_align.measures.reference.pairwise_f1 import PAIRED, PairwiseF1, pairwise_f1
from gamma_align.measures.reference.spans import MATCHES
from gamma_align.present.evaluation_tables import evaluation_table, evaluation_tables, pairwise_f1_table
from gamma_align.present.evaluation_text import evaluation_text, pairwise_f1_text, signatures
from gamma_align.present.writers.data import csv_table

_SPANS = ("iou", "zero_division")
_OPTIONS = (*_SPANS, "collar", "skip_overlap", "atom", "near", "gaps", "chance_from", "map_labels", "boundary_types")
_PARTS = {"precision": "precision", "recall": "recall", "f1": "F1"}
_AGREEMENTS = {"gamma": ("gamma", "γ"), "gamma_cat": ("gamma-cat", "γcat"), "u": ("unitizing-alpha", "uα")}
"""What ``--fail-under`` and people call each agreement."""


def run(arguments: argparse.Namespace) -> int:
    """Evaluate, print, and return the exit code."""
    measure_settings(arguments)  # wrong ones are refused before anything is read
    check_gate(arguments, _named(arguments), "add --reference NAME, or --measures with what it is of")
    if arguments.reference is None:
        return _run_pairs(arguments)
    return _pipeline.run(
        arguments,
        lambda corpus, progress: _compared(corpus, arguments, progress),
        read=read_corpus,
        text=lambda result: evaluation_text(result, OPTION_NAMES),
        csv=lambda result: csv_table(evaluation_table(result)),
        forms=_pipeline.forms_of(evaluation_tables, signatures),
        verdict=lambda result: _verdict(result, arguments),
    )


def compute(
    corpus: ga.Corpus, arguments: argparse.Namespace, progress: Callable[[int, int], None]
) -> Evaluation | PairwiseF1:
    """Compare with the reference, or every two annotators where there is none."""
    if arguments.reference is not None:
        return _compared(corpus, arguments, progress)
    _check_pairs(arguments)
    return _pairs(corpus, arguments)


def _compared(corpus: ga.Corpus, arguments: argparse.Namespace, progress: Callable[[int, int], None]) -> Evaluation:
    options: dict[str, Any] = {name: vars(arguments)[name] for name in _OPTIONS}
    options |= {"measures": arguments.measures or DEFAULT, "cases": arguments.cases, **measure_settings(arguments)}
    return evaluate(corpus, reference=arguments.reference, n_jobs=arguments.jobs, progress=progress, **options)


def _pairs(corpus: ga.Corpus, arguments: argparse.Namespace) -> PairwiseF1:
    options: dict[str, Any] = {name: vars(arguments)[name] for name in _SPANS}
    return pairwise_f1(corpus, **options)


def _check_pairs(arguments: argparse.Namespace) -> None:
    """Refuse what takes a reference."""
    others = [name for name in arguments.measures or () if name != "spans"]
    if others or arguments.cases:
        what = f"--measures {others[0]}" if others else "--cases"
        raise SettingsError(f"argument {what}: name the annotator to compare the others with, by --reference NAME")


def _run_pairs(arguments: argparse.Namespace) -> int:
    """Print F1 of every two annotators, which is what there is without a reference."""
    _check_pairs(arguments)
    return _pipeline.run(
        arguments,
        lambda corpus, _: _pairs(corpus, arguments),
        read=read_corpus,
        text=lambda result: pairwise_f1_text(result, OPTION_NAMES),
        csv=lambda result: csv_table(pairwise_f1_table(result)),
        forms=_pipeline.forms_of(lambda result: [pairwise_f1_table(result)], lambda result: [result.signature]),
        verdict=lambda result: _pairs_verdict(result, arguments),
    )


def _named(arguments: argparse.Namespace) -> list[str]:
    """Return the names of what can have a threshold."""
    if arguments.reference is None:
        return [f"{name}-f1" for name in PAIRED]
    names = {"gamma": ("gamma", "gamma-cat"), "unitizing-alpha": ("unitizing-alpha",), "segmentation": ("b", "s")}
    names["spans"] = tuple(f"{match}-{part}" for match in MATCHES for part in _PARTS)
    return [name for measure in arguments.measures or DEFAULT for name in names.get(measure, ())]


def _verdict(result: Evaluation, arguments: argparse.Namespace) -> int:
    checks = [check for system in result.systems for check in checks_of(_values(system), arguments, system.system)]
    code = gate(checks, arguments, signatures(result))
    return worst([code, check_proofs([system.gap for system in result.systems], arguments.time_limit)])


def _values(system: SystemScore) -> Values:
    """Return what of a system can have a threshold."""
    values = {
        f"{match}-{part}": (f"{match} {_PARTS[part]}", getattr(score, part))
        for match, score in system.spans.items()
        for part in _PARTS
    }
    values |= {_AGREEMENTS[key][0]: (_AGREEMENTS[key][1], value) for key, value in system.agreement.items()}
    if system.segmentation is not None:
        values |= {"b": ("B", system.segmentation.b), "s": ("S", system.segmentation.s)}
    return values


def _pairs_verdict(result: PairwiseF1, arguments: argparse.Namespace) -> int:
    values = {f"{name}-f1": (f"mean {name} F1", value) for name, value in result.mean.items()}
    return gate([*checks_of(values, arguments)], arguments, [result.signature])
