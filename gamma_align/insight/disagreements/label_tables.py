"""Labels of aligned units: pairs of labels against independence, and each annotator's labels against the others'."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, IntArray
from gamma_align.data.corpus import Corpus
from gamma_align.inference.score import ScoreInterval
from gamma_align.insight.causes.evidence import dispersion
from gamma_align.insight.causes.kinds.confusion import LabelCells
from gamma_align.insight.causes.view import View
from gamma_align.insight.disagreements.material import Material, confusions

_NORMAL_95 = 1.959964  # quantile of a 95 % interval
_PAIR = 2  # annotators who have one table of rows × columns


class ConfusionRow(NamedTuple):
    """Number of aligned pairs of units with these two categories, against independence; None is no category.

    `expected` is the number of pairs if the labels of aligned units were independent, from how often each label occurs
    in pairs. `low` and `high` are the 95 % interval of pairs / expected (log-normal, Poisson counts).
    """

    first: str | None
    second: str | None
    pairs: int
    expected: float
    low: float
    high: float


class DirectedRow(NamedTuple):
    """Number of units to which the others give one label and an annotator another one (or the same).

    `others` is the other annotator if there are two, else None: then it is the label of most of the other units in the
    unitary alignment. `total` counts all units with this label of the others, `share` is pairs / total, and `low` and
    `high` its 95 % interval (Wilson, with the dispersion over documents).
    """

    annotator: str
    others: str | None
    label_of_others: str | None
    label: str | None
    pairs: int
    total: int
    share: float
    low: float
    high: float


def confusion_rows(material: Material) -> tuple[ConfusionRow, ...]:
    """Return the number of aligned pairs of units of each two categories that occur together."""
    labels = _labels(material.corpus)
    table = confusions(material.corpus, *material.pairs)
    upper = np.triu(table)
    n_pairs = int(upper.sum())
    # Each pair has two units, so a pair of equal labels counts twice in the margin.
    margin = (upper.sum(axis=0) + upper.sum(axis=1)).astype(np.float64)
    expected = np.outer(margin, margin) / max(2 * n_pairs, 1)
    expected[np.diag_indices_from(expected)] /= 2
    rows = []
    for low, high in np.argwhere(upper).tolist():
        pairs, usual = int(table[low, high]), float(expected[low, high])
        ratio = math.exp(_NORMAL_95 / math.sqrt(pairs))
        rows.append(ConfusionRow(labels[low], labels[high], pairs, usual, pairs / usual / ratio, pairs / usual * ratio))
    return tuple(rows)


def directed_rows(view: View) -> tuple[DirectedRow, ...]:
    """Return each annotator's labels against the others' labels, by annotator, then by label."""
    corpus, labels = view.corpus, _labels(view.corpus)
    all_cells = LabelCells(view)
    n_labels = all_cells.n_labels
    keys = (all_cells.annotator * n_labels + all_cells.others) * n_labels + all_cells.own
    rows = []
    for key in np.unique(keys).tolist():
        annotator, others, own_label = key // n_labels**2, key // n_labels % n_labels, key % n_labels
        cells = all_cells.of(annotator)
        is_total = cells.others == others
        is_hit = is_total & (cells.own == own_label)
        total, pairs = int(np.count_nonzero(is_total)), int(np.count_nonzero(is_hit))
        phi = _dispersion(cells.document, is_total, is_hit)
        low, high = ScoreInterval(pairs / total, total, 1.0, phi).interval(_NORMAL_95)
        rows.append(
            DirectedRow(
                annotator=corpus.annotators[annotator],
                others=corpus.annotators[1 - annotator] if len(corpus.annotators) == _PAIR else None,
                label_of_others=labels[others],
                label=labels[own_label],
                pairs=pairs,
                total=total,
                share=pairs / total,
                low=max(low, 0.0),
                high=min(high, 1.0),
            )
        )
    return tuple(rows)


def _dispersion(document: IntArray, is_total: BoolArray, is_hit: BoolArray) -> float:
    """Return φ of the share of hits over documents."""
    documents, entry = np.unique(document[is_total], return_inverse=True)
    totals = np.bincount(entry.reshape(-1), minlength=len(documents))
    return dispersion(np.bincount(entry.reshape(-1), is_hit[is_total], len(documents)), totals)


def _labels(corpus: Corpus) -> list[str | None]:
    """Return the categories by `label_codes`; the last one is no category."""
    return [*corpus.categories, None]
