"""``gamma-align evaluate``: annotators or systems against a reference, or F1 of every two."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from itertools import chain, product

import gamma_align as ga
from gamma_align.apps.cli import _pipeline
from gamma_align.apps.cli._corpus import read_corpus
from gamma_align.apps.cli._form_names import OPTION_NAMES
from gamma_align.apps.cli._gate import Values, check_gate, checks_of, gate, most_important
from gamma_align.apps.cli._measure import measure_settings
from gamma_align.apps.cli._messages import check_proofs
from gamma_align.apps.cli._options import given
from gamma_align.errors import Location, SettingsError
from gamma_align.measures.reference.evaluate import Evaluation, SystemScore, evaluate
from gamma_align.measures.reference.pairwise_f1 import PAIRED, PairwiseF1, pairwise_f1
from gamma_align.measures.reference.reference_options import (
    ATOM,
    DEFAULT_MEASURES,
    GAPS,
    IOU,
    MATCHES,
    NEAR,
    REFERENCE_OPTIONS,
    ZERO_DIVISION,
)
from gamma_align.measures.reference.segmentation import SegmentationResult, segmentation
from gamma_align.present.evaluation_tables import (
    SEGMENTATION_SYMBOLS,
    evaluation_table,
    evaluation_tables,
    pairwise_f1_table,
    pairwise_segmentation_table,
)
from gamma_align.present.evaluation_text import evaluation_text, pairwise_f1_text, segmentation_text, signatures
from gamma_align.present.symbols import prefix_of, symbol_of
from gamma_align.present.writers.data import csv_rows

SPANS, SEGMENTATION = "spans", "segmentation"  # the measures that need no reference
_PART_NAMES = {"precision": "precision", "recall": "recall", "f1": "F1"}
_AGREEMENTS = {"gamma": "gamma", "gamma_cat": "gamma-cat", "u": "unitizing-alpha"}
"""The name of each agreement in ``--fail-under``."""


def run(arguments: argparse.Namespace) -> int:
    """Evaluate, print, and return the exit code."""
    measure_settings(arguments)  # wrong settings are refused before data are read
    check_gate(arguments, _named(arguments), "add --reference NAME, or --measures with what it is of")
    if arguments.reference is None:
        return _run_pairs(arguments)
    return _pipeline.run(
        arguments,
        lambda corpus, progress: _compared(corpus, arguments, progress),
        read=read_corpus,
        text=lambda result: evaluation_text(result, OPTION_NAMES),
        csv=lambda result: csv_rows(evaluation_table(result)),
        forms=_pipeline.forms_of(evaluation_tables, signatures),
        verdict=lambda result: _verdict(result, arguments),
    )


def compute(
    corpus: ga.Corpus, arguments: argparse.Namespace, progress: Callable[[int, int], None]
) -> Evaluation | PairwiseF1 | SegmentationResult:
    """Compare annotators with the reference, or with each other if there is no reference."""
    if arguments.reference is not None:
        return _compared(corpus, arguments, progress)
    return _pairs(corpus, arguments) if _measure_of_pairs(arguments) == SPANS else _segmentation(corpus, arguments)


def _compared(corpus: ga.Corpus, arguments: argparse.Namespace, progress: Callable[[int, int], None]) -> Evaluation:
    options = given(arguments, REFERENCE_OPTIONS) | measure_settings(arguments)
    return evaluate(corpus, n_jobs=arguments.jobs, progress=progress, **options)


def _pairs(corpus: ga.Corpus, arguments: argparse.Namespace) -> PairwiseF1:
    return pairwise_f1(corpus, **given(arguments, (IOU, ZERO_DIVISION)))


def _segmentation(corpus: ga.Corpus, arguments: argparse.Namespace) -> SegmentationResult:
    options = given(arguments, (ATOM, NEAR, GAPS))
    distance = measure_settings(arguments)["distance"]
    return segmentation(corpus, types=arguments.boundary_types, distance=distance, **options)


def _measure_of_pairs(arguments: argparse.Namespace) -> str:
    """Return the measure of pairs of annotators without a reference; refuse those that need one."""
    measures = arguments.measures or (SPANS,)
    others = [name for name in measures if name not in (SPANS, SEGMENTATION)]
    if others or arguments.cases:
        option = f"--measures {others[0]}" if others else "--cases"
        raise SettingsError(f"argument {option}: name the annotator to compare the others with, by --reference NAME")
    if len(measures) > 1:
        raise SettingsError(
            f"without a reference, {SPANS} and {SEGMENTATION} are measured one at a time",
            "name one of them",
            Location.for_option("measures"),
        )
    return measures[0]


def _run_pairs(arguments: argparse.Namespace) -> int:
    """Print F1 or the measures of segmentation of all pairs of annotators."""
    if _measure_of_pairs(arguments) == SEGMENTATION:
        return _pipeline.run(
            arguments,
            lambda corpus, _: _segmentation(corpus, arguments),
            read=read_corpus,
            text=lambda result: segmentation_text(result, OPTION_NAMES),
            csv=lambda result: csv_rows(pairwise_segmentation_table(result)),
            forms=_pipeline.forms_of(lambda result: [pairwise_segmentation_table(result)], lambda _: []),
            verdict=lambda result: _segmentation_verdict(result, arguments),
        )
    return _pipeline.run(
        arguments,
        lambda corpus, _: _pairs(corpus, arguments),
        read=read_corpus,
        text=lambda result: pairwise_f1_text(result, OPTION_NAMES),
        csv=lambda result: csv_rows(pairwise_f1_table(result)),
        forms=_pipeline.forms_of(lambda result: [pairwise_f1_table(result)], lambda result: [result.signature]),
        verdict=lambda result: _pairs_verdict(result, arguments),
    )


def _named(arguments: argparse.Namespace) -> list[str]:
    """Return the names of values that can have a threshold."""
    if arguments.reference is None:
        return ["b", "s"] if _measure_of_pairs(arguments) == SEGMENTATION else [f"{name}-f1" for name in PAIRED]
    names = {"gamma": ("gamma", "gamma-cat"), "unitizing-alpha": ("unitizing-alpha",), "segmentation": ("b", "s")}
    names["spans"] = tuple("-".join(pair) for pair in product(MATCHES, _PART_NAMES))
    return [*chain.from_iterable(names.get(measure, ()) for measure in arguments.measures or DEFAULT_MEASURES)]


def _verdict(result: Evaluation, arguments: argparse.Namespace) -> int:
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
