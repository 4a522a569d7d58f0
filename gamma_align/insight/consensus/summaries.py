"""Summaries of a consensus: its units, the unitary alignments that were voted out, annotators, and labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data import Corpus
from gamma_align.insight.consensus.judgments import Judgments
from gamma_align.insight.consensus.outcome import Outcome, Settled


class ConsensusUnit(NamedTuple):
    """A unit of the consensus, or a unitary alignment that was voted out.

    `votes` counts the units in the unitary `alignment`, `category_votes` the units with this category, and `annotators`
    the annotators of the document. `tie` is true if another category has as many votes, or the same probability.
    `confidence` that there is a unit is the share of votes, or 1 - P(no unit); `category_confidence` is the confidence
    that there is a unit of this category. If the place `is_decided` by hand, votes and confidence still come from the
    annotators.
    """

    document: str
    start: float
    end: float
    category: str | None
    votes: int
    category_votes: int
    annotators: int
    confidence: float
    category_confidence: float
    alignment: int
    tie: bool
    is_decided: bool


class AnnotatorRow(NamedTuple):
    """An annotator compared with the consensus.

    Of the `judgments`, one for each unitary alignment of the annotator's documents, `units` are units; `quality` is the
    share of judgments that agree with the consensus. `missed` is the share of the units of the consensus that the
    annotator does not have, `relabelled` the share of units of both that have different categories, and `spurious` the
    share of unitary alignments without a unit of the consensus in which the annotator has one. NaN for 0 of 0.
    """

    annotator: str
    judgments: int
    units: int
    quality: float
    missed: float
    relabelled: float
    spurious: float


class ConfusionRow(NamedTuple):
    """Number of judgments of an annotator with a label (`says`), and their share for a label of the consensus.

    Labels are categories, None for no category, and ``"(no unit)"``. Numbers of a model are expected ones.
    """

    annotator: str
    consensus: str | None
    says: str | None
    judgments: float
    share: float


class LabelRow(NamedTuple):
    """Number of units of the consensus with a label, and its share of the unitary alignments; of a model, π."""

    label: str | None
    units: int
    share: float


def medians(
    corpus: Corpus, group: IntArray, document: IntArray, units: IntArray | slice = slice(None)
) -> tuple[FloatArray, FloatArray]:
    """Return the medians of the starts and ends of each group of units, by default of all units of the corpus.

    `document` is the document of each group.

    The median of an even number of boundaries is the mean of the two in the middle. If all boundaries of a document are
    whole numbers (characters, tokens), it is the lower of the two: whole, and placed by an annotator. Starts and ends
    are taken at the same ranks, so that no unit ends before it starts.
    """
    sizes = np.bincount(group, minlength=len(document))
    low = np.cumsum(sizes) - sizes + (sizes - 1) // 2
    high = np.where(_has_whole_bounds(corpus)[document], low, low + 1 - sizes % 2)
    start, end = (column[np.lexsort((column, group))] for column in (corpus.start[units], corpus.end[units]))
    return (start[low] + start[high]) / 2, (end[low] + end[high]) / 2


def _has_whole_bounds(corpus: Corpus) -> BoolArray:
    """Return whether all boundaries of each document are whole numbers, shape (n_documents,)."""
    is_fraction = (corpus.start % 1 != 0) | (corpus.end % 1 != 0)
    result: BoolArray = np.bincount(corpus.unit_document[is_fraction], minlength=len(corpus)) == 0
    return result


def unit_rows(
    corpus: Corpus,
    judgments: Judgments,
    settled: Settled,
    is_selected: BoolArray,
) -> tuple[ConsensusUnit, ...]:
    """Return a row for each selected unitary alignment, sorted as the units of a corpus."""
    outcome = settled.outcome
    (start, end) = settled.bounds
    # A corpus sorts categories by name, and units without a category before all others.
    order = np.argsort([name or "" for name in judgments.labels], kind="stable")
    label = np.argsort(order)[outcome.label]
    selected = np.flatnonzero(is_selected)
    selected = selected[np.lexsort((label[selected], end[selected], start[selected], judgments.document[selected]))]
    agreeing = judgments.alignment[judgments.label == outcome.label[judgments.alignment]]
    columns = (
        judgments.document,
        start,
        end,
        outcome.label,
        judgments.votes,
        np.bincount(agreeing, minlength=len(judgments)),
        judgments.annotators,
        outcome.unit,
        outcome.labelled,
        np.arange(len(judgments)),
        outcome.tie,
        settled.is_decided,
    )
    rows = zip(*(column[selected].tolist() for column in columns), strict=True)
    return tuple(
        ConsensusUnit(corpus.documents[document], low, high, judgments.labels[code], *fields)
        for document, low, high, code, *fields in rows
    )


def annotator_rows(names: Sequence[str], no_unit: int, outcome: Outcome) -> tuple[AnnotatorRow, ...]:
    """Return a row for each annotator with a judgment, sorted by name."""
    annotator, consensus, judgment, count = outcome.confusions
    in_consensus = consensus != no_unit
    has_unit = judgment != no_unit
    is_equal = consensus == judgment

    def total(is_counted: BoolArray) -> FloatArray:
        return np.bincount(annotator, count * is_counted, minlength=len(names)).astype(np.float64)

    n_judgments = total(np.ones_like(is_equal))
    n_units = total(has_unit)
    with np.errstate(invalid="ignore"):
        shares = (
            total(is_equal) / n_judgments,
            total(in_consensus & ~has_unit) / total(in_consensus),
            total(in_consensus & has_unit & ~is_equal) / total(in_consensus & has_unit),
            total(~in_consensus & has_unit) / total(~in_consensus),
        )
    # Sums of expected judgments are whole numbers up to rounding.
    counts = (np.rint(sums).astype(np.int64) for sums in (n_judgments, n_units))
    columns = (column.tolist() for column in (*counts, *shares))
    rows = [AnnotatorRow(*row) for row in zip(names, *columns, strict=True)]
    return tuple(row for row in rows if row.judgments)


def confusion_rows(names: Sequence[str], labels: Sequence[str | None], outcome: Outcome) -> tuple[ConfusionRow, ...]:
    """Return a row for each cell that is not empty, by annotator and in the order of labels."""
    annotator, consensus, judgment, count = outcome.confusions
    key = annotator * len(labels) + consensus
    share = count / np.bincount(key, count)[key] if len(key) else count
    order = np.lexsort((judgment, key))
    columns = [column[order].tolist() for column in (annotator, consensus, judgment, count, share)]
    return tuple(
        ConfusionRow(names[code], labels[row], labels[column], number, part)
        for code, row, column, number, part in zip(*columns, strict=True)
    )


def label_rows(labels: Sequence[str | None], outcome: Outcome) -> tuple[LabelRow, ...]:
    """Return a row for each label, the most frequent first; the last one is "no unit"."""
    units = np.bincount(outcome.label[outcome.kept], minlength=len(labels)).tolist()
    rows = [LabelRow(*row) for row in zip(labels, units, outcome.shares.tolist(), strict=True)]
    return (*sorted(rows[:-1], key=lambda row: -row.units), rows[-1])
