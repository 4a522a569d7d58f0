"""``gamma-align evaluate``: annotators or systems against a reference, or F1 of every two."""

from __future__ import annotations

import argparse
from itertools import chain, product

from gamma_align.apps.cli import _pipeline
from gamma_align.apps.cli._corpus import read_corpus
from gamma_align.apps.cli._form_names import OPTION_NAMES
from gamma_align.apps.cli._gate import Values, check_gate, checks_of, gate, most_important
from gamma_align.apps.cli._messages import check_proofs
from gamma_align.measures.reference import (
    DEFAULT_MEASURES,
    MATCHES,
    PAIRED,
    Evaluation,
    PairwiseF1,
    SegmentationResult,
    SystemScore,
)
from gamma_align.present import (
    SEGMENTATION_SYMBOLS,
    evaluation_table,
    pairwise_f1_table,
    pairwise_f1_text,
    pairwise_segmentation_table,
    prefix_of,
    segmentation_text,
    signatures,
    symbol_of,
)
from gamma_align.present.evaluation_tables import evaluation_tables
from gamma_align.present.evaluation_text import evaluation_text
from gamma_align.present.writers import csv_rows
from gamma_align.requests import SEGMENTATION, compared, measure_of_pairs, measure_settings, pairs_of, segmentation_of

_PART_NAMES = {"precision": "precision", "recall": "recall", "f1": "F1"}
_AGREEMENTS = {"gamma": "gamma", "gamma_cat": "gamma-cat", "u": "unitizing-alpha"}
"""The name of each agreement in ``--fail-under``."""


def run(arguments: argparse.Namespace) -> int:
    """Evaluate, print, and return the exit code."""
    measure_settings(vars(arguments))  # wrong settings are refused before data are read
    check_gate(arguments, _named(arguments), "add --reference NAME, or --measures with what it is of")
    if arguments.reference is None:
        return _run_pairs(arguments)
    return _pipeline.run(
        arguments,
        lambda corpus, progress: compared(corpus, vars(arguments), progress),
        read=read_corpus,
        text=lambda result: evaluation_text(result, OPTION_NAMES),
        csv=lambda result: csv_rows(evaluation_table(result)),
        forms=_pipeline.forms_of(evaluation_tables, signatures),
        verdict=lambda result: _verdict(result, arguments),
    )


def _run_pairs(arguments: argparse.Namespace) -> int:
    """Print F1 or the measures of segmentation of all pairs of annotators."""
    if measure_of_pairs(vars(arguments)) == SEGMENTATION:
        return _pipeline.run(
            arguments,
            lambda corpus, _: segmentation_of(corpus, vars(arguments)),
            read=read_corpus,
            text=lambda result: segmentation_text(result, OPTION_NAMES),
            csv=lambda result: csv_rows(pairwise_segmentation_table(result)),
            forms=_pipeline.forms_of(lambda result: [pairwise_segmentation_table(result)], lambda _: []),
            verdict=lambda result: _segmentation_verdict(result, arguments),
        )
    return _pipeline.run(
        arguments,
        lambda corpus, _: pairs_of(corpus, vars(arguments)),
        read=read_corpus,
        text=lambda result: pairwise_f1_text(result, OPTION_NAMES),
        csv=lambda result: csv_rows(pairwise_f1_table(result)),
        forms=_pipeline.forms_of(lambda result: [pairwise_f1_table(result)], lambda result: [result.signature]),
        verdict=lambda result: _pairs_verdict(result, arguments),
    )


def _named(arguments: argparse.Namespace) -> list[str]:
    """Return the names of values that can have a threshold."""
    if arguments.reference is None:
        return ["b", "s"] if measure_of_pairs(vars(arguments)) == SEGMENTATION else [f"{name}-f1" for name in PAIRED]
    names = {"gamma": ("gamma", "gamma-cat"), "unitizing-alpha": ("unitizing-alpha",), "segmentation": ("b", "s")}
    names["spans"] = tuple("-".join(pair) for pair in product(MATCHES, _PART_NAMES))
    return [*chain.from_iterable(names.get(measure, ()) for measure in arguments.measures or DEFAULT_MEASURES)]


def _verdict(result: Evaluation, arguments: argparse.Namespace) -> int:
    """Return the exit code of the thresholds of all systems and of the alignments."""
    prefix = prefix_of(result.settings)
    checks = [*chain.from_iterable(checks_of(_values(row, prefix), arguments, row.system) for row in result.systems)]
    code = gate(checks, arguments, signatures(result))
    return most_important([code, check_proofs([system.gap for system in result.systems], arguments.time_limit)])


def _values(system: SystemScore, prefix: str) -> Values:
    """Return the values of a system that can have a threshold; `prefix` precedes γ."""
    values = {
        f"{match}-{part}": (f"{match} {_PART_NAMES[part]}", getattr(score, part))
        for (match, score), part in product(system.spans.items(), _PART_NAMES)
    }
    values |= {_AGREEMENTS[key]: (symbol_of(key, prefix), value) for key, value in system.agreement.items()}
    if system.segmentation is not None:
        values |= {"b": ("B", system.segmentation.b), "s": ("S", system.segmentation.s)}
    return values


def _pairs_verdict(result: PairwiseF1, arguments: argparse.Namespace) -> int:
    values = {f"{name}-f1": (f"mean {name} F1", value) for name, value in result.mean.items()}
    return gate([*checks_of(values, arguments)], arguments, [result.signature])


def _segmentation_verdict(result: SegmentationResult, arguments: argparse.Namespace) -> int:
    values = {name: (f"mean {SEGMENTATION_SYMBOLS[name]}", result.mean[name]) for name in ("b", "s")}
    return gate([*checks_of(values, arguments)], arguments, [])
