"""Labels of aligned units: pairs of labels against independence, and each annotator's labels against the others'.

If there are two labels only, a confusion has no other cell of the table to be compared with; then the rate is given.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, IntArray, ranges
from gamma_align.data import Corpus, label_text
from gamma_align.inference import ScoreInterval
from gamma_align.insight.causes.evidence import dispersion_by_document, dispersions
from gamma_align.insight.causes.view import View
from gamma_align.insight.disagreements.material import Material, confusions

_NORMAL_95 = 1.959964  # quantile of a 95 % interval
_PAIR = 2  # annotators who have one table of rows × columns
_TWO_LABELS = 2
_MIN_MEETINGS = 5  # places with both labels; of fewer, the limits of the interval are more than 6 times apart


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


class MeetingRate(NamedTuple):
    """Number of places in which an annotator gives one label, `total`, and of these with another label, too, `places`.

    A place is a unitary alignment with units of two annotators or more. `share` is places / total, and `low` and `high`
    its 95 % interval (Wilson, with the dispersion over documents).
    """

    label: str | None
    other_label: str | None
    places: int
    total: int
    share: float
    low: float
    high: float


class TwoLabels(NamedTuple):
    """The rates at which the only two labels meet, in both directions, and what they show, in words.

    It is no cause: nothing is left with which the rates could be compared.
    """

    rates: tuple[MeetingRate, MeetingRate]
    sentence: str


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
        pairs = int(table[low, high])
        usual = float(expected[low, high])
        ratio = math.exp(_NORMAL_95 / math.sqrt(pairs))
        rows.append(ConfusionRow(labels[low], labels[high], pairs, usual, pairs / usual / ratio, pairs / usual * ratio))
    return tuple(rows)


def directed_rows(view: View) -> tuple[DirectedRow, ...]:
    """Return each annotator's labels against the others' labels, by annotator, then by label."""
    corpus = view.corpus
    labels = _labels(view.corpus)
    cells = view.label_cells
    n_labels = cells.n_labels
    n_documents = max(len(corpus), 1)
    group = cells.annotator * n_labels + cells.label_of_others
    cell = group * n_labels + cells.own_label
    keys, pairs = np.unique(cell, return_counts=True)
    # Documents of each group, with their places and hits of each key.
    group_documents, n_places = np.unique(group * n_documents + cells.document, return_counts=True)
    first, end = (
        np.searchsorted(group_documents // n_documents, keys // n_labels, side=side) for side in ("left", "right")
    )
    row = np.repeat(np.arange(len(keys)), end - first)
    entry = ranges(first, end - first)
    hit_documents, n_hits = np.unique(cell * n_documents + cells.document, return_counts=True)
    hits = np.zeros(len(row))
    hits[np.searchsorted(keys[row] * n_documents + group_documents[entry] % n_documents, hit_documents)] = n_hits
    totals = np.bincount(row, n_places[entry], len(keys))
    phis = dispersions(row, hits, n_places[entry], len(keys))
    rows = []
    for key, n, total, phi in zip(*(column.tolist() for column in (keys, pairs, totals, phis)), strict=True):
        annotator = key // n_labels**2
        others = key // n_labels % n_labels
        own_label = key % n_labels
        low, high = _share_limits(n, int(total), phi)
        rows.append(
            DirectedRow(
                annotator=corpus.annotators[annotator],
                others=corpus.annotators[1 - annotator] if len(corpus.annotators) == _PAIR else None,
                label_of_others=labels[others],
                label=labels[own_label],
                pairs=n,
                total=int(total),
                share=n / total,
                low=low,
                high=high,
            )
        )
    return tuple(rows)


def two_labels(view: View) -> TwoLabels | None:
    """Return the rates at which two labels meet if there are no others and they meet often enough, else None."""
    corpus = view.corpus
    alignments = view.alignments
    n_labels = len(corpus.categories) + 1
    code = corpus.category[alignments.members] % n_labels
    places = np.flatnonzero(alignments.size > 1)
    has_label = np.zeros((len(alignments), n_labels), dtype=np.bool_)
    has_label[alignments.member_group, code] = True
    has_label = has_label[places]
    used = np.flatnonzero(has_label.any(axis=0)).tolist()
    if len(used) != _TWO_LABELS:
        return None
    document = alignments.document[places]
    labels = _labels(corpus)
    is_both = has_label[:, used[0]] & has_label[:, used[1]]
    if np.count_nonzero(is_both) < _MIN_MEETINGS:
        return None
    first, second = (
        _meeting_rate(labels[label], labels[other], document, has_label[:, label], is_both)
        for label, other in (used, used[::-1])
    )
    return TwoLabels((first, second), _meeting_sentence(first, second))


def _meeting_rate(
    label: str | None, other_label: str | None, document: IntArray, is_total: BoolArray, is_both: BoolArray
) -> MeetingRate:
    places = int(np.count_nonzero(is_both))
    total = int(np.count_nonzero(is_total))
    low, high = _share_limits(places, total, dispersion_by_document(document, is_total, is_both))
    return MeetingRate(label, other_label, places, total, places / total, low, high)


def _meeting_sentence(first: MeetingRate, second: MeetingRate) -> str:
    clauses = [
        f" {row.total:,} places where one says {label_text(row.label)}, another says {label_text(row.other_label)} in "
        f"{row.places:,}, {100 * row.share:.1f} % (95 % interval {100 * row.low:.1f}–{100 * row.high:.1f} %)"
        for row in (first, second)
    ]
    return (
        f"Of{'; of'.join(clauses)}. There is no third label to compare these rates with, so they cannot be told apart "
        "from chance."
    )


def _share_limits(hits: int, total: int, phi: float) -> tuple[float, float]:
    """Return the 95 % interval of a share, with the dispersion φ of its counts over documents."""
    low, high = ScoreInterval(hits / total, total, 1.0, phi).interval(_NORMAL_95)
    return max(low, 0.0), min(high, 1.0)


def _labels(corpus: Corpus) -> list[str | None]:
    """Return the categories by `label_codes`; the last one is no category."""
    return [*corpus.categories, None]
