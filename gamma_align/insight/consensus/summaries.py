"""The tables of a consensus: its units and what was voted out, annotators beside it, labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data.corpus import Corpus
from gamma_align.insight.consensus.judgments import Judgments
from gamma_align.insight.consensus.outcome import Outcome


class ConsensusUnit(NamedTuple):
    """A unit of the consensus, or what was voted out.

    `votes` of the `annotators` who saw the document have a unit in the unitary `alignment`, `category_votes` one of
    this category; `tie` is whether another category would do as well. `confidence` is that there is a unit: the share
    of votes, or 1 - P(no unit); `category_confidence` that there is one of this category.
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


class AnnotatorRow(NamedTuple):
    """An annotator beside the consensus.

    Of the `judgments`, one for each unitary alignment of the annotator's documents, `units` are units; `quality` is the
    share that is right. `missed` is the share of the consensus's units that the annotator does not have, `relabelled`
    the share of those both have whose category is another one, `spurious` the share of unitary alignments that are no
    unit of the consensus in which the annotator has one. NaN where there is nothing to divide by.
    """

    annotator: str
    judgments: int
    units: int
    quality: float
    missed: float
    relabelled: float
    spurious: float


class ConfusionRow(NamedTuple):
    """How many `judgments` of an annotator say a label where the consensus has another or the same, and what share.

    Labels are categories, None for no category, and ``"(no unit)"``. Numbers of a model are expected ones.
    """

    annotator: str
    consensus: str | None
    says: str | None
    judgments: float
    share: float


class LabelRow(NamedTuple):
    """How many units of the consensus have a label, and its share of the unitary alignments; of a model, π."""

    label: str | None
    units: int
    share: float


def medians(corpus: Corpus, group: IntArray, document: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the medians of starts and of ends of each group of units; `document` is that of each group.

    Of an even number of boundaries the median is the mean of the two in the middle. Where all boundaries of a document
    are whole numbers (characters, tokens), it is the earlier of the two: a boundary that somebody placed, and whole.
    Either way starts and ends are taken at the same ranks, so that no unit ends before it starts.
    """
    sizes = np.bincount(group, minlength=len(document))
    low = np.cumsum(sizes) - sizes + (sizes - 1) // 2
    high = np.where(_whole(corpus)[document], low, low + 1 - sizes % 2)
    start, end = (column[np.lexsort((column, group))] for column in (corpus.start, corpus.end))
    return (start[low] + start[high]) / 2, (end[low] + end[high]) / 2


def _whole(corpus: Corpus) -> BoolArray:
    """Return whether all boundaries of each document are whole numbers, shape (n_documents,)."""
    broken = (corpus.start % 1 != 0) | (corpus.end % 1 != 0)
    result: BoolArray = np.bincount(corpus.unit_document[broken], minlength=len(corpus)) == 0
    return result


def unit_rows(
    corpus: Corpus, judgments: Judgments, outcome: Outcome, bounds: tuple[FloatArray, FloatArray], chosen: IntArray
) -> tuple[ConsensusUnit, ...]:
    """Return a row for each unitary alignment chosen, sorted as units of a corpus are; `bounds` are those of all."""
    start, end = bounds
    # names are sorted, and no category comes before all
    label = np.where(outcome.label < len(corpus.categories), outcome.label, -1)
    chosen = chosen[np.lexsort((label[chosen], end[chosen], start[chosen], judgments.document[chosen]))]
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
    )
    rows = zip(*(column[chosen].tolist() for column in columns), strict=True)
    return tuple(
        ConsensusUnit(corpus.documents[document], low, high, judgments.labels[code], *more)
        for document, low, high, code, *more in rows
    )


def annotator_rows(names: Sequence[str], no_unit: int, outcome: Outcome) -> tuple[AnnotatorRow, ...]:
    """Return a row for each annotator of an alignment, by name."""
    annotator, consensus, said, count = outcome.confusions
    there, here = consensus != no_unit, said != no_unit
    cells = {
        "judgments": np.ones_like(there),
        "units": here,
        "right": consensus == said,
        "of units": there,
        "missed": there & ~here,
        "both": there & here,
        "relabelled": there & here & (consensus != said),
        "no units": ~there,
        "spurious": ~there & here,
    }
    sums = {key: np.bincount(annotator, count * cell, minlength=len(names)) for key, cell in cells.items()}
    parts = (("right", "judgments"), ("missed", "of units"), ("relabelled", "both"), ("spurious", "no units"))
    with np.errstate(invalid="ignore"):
        shares = [(sums[part] / sums[whole]).tolist() for part, whole in parts]
    counts = [np.rint(sums[key]).astype(np.int64).tolist() for key in ("judgments", "units")]
    return tuple(AnnotatorRow(*row) for row in zip(names, *counts, *shares, strict=True) if row[1])


def confusion_rows(names: Sequence[str], labels: Sequence[str | None], outcome: Outcome) -> tuple[ConfusionRow, ...]:
    """Return a row for each cell that is not empty, by annotator and in the order of labels."""
    annotator, consensus, said, count = outcome.confusions
    key = annotator * len(labels) + consensus
    share = count / np.bincount(key, count)[key] if len(key) else count
    order = np.lexsort((said, key))
    columns = zip(*(column[order].tolist() for column in (annotator, consensus, said, count, share)), strict=True)
    return tuple(
        ConfusionRow(names[who], labels[row], labels[column], times, part) for who, row, column, times, part in columns
    )


def label_rows(labels: Sequence[str | None], outcome: Outcome) -> tuple[LabelRow, ...]:
    """Return a row for each label, the most frequent first; the last is that of no unit."""
    units = np.bincount(outcome.label[outcome.kept], minlength=len(labels)).tolist()
    rows = [LabelRow(*row) for row in zip(labels, units, outcome.shares.tolist(), strict=True)]
    return (*sorted(rows[:-1], key=lambda row: -row.units), rows[-1])
