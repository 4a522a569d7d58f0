"""What becomes of each unitary alignment: whether it is a unit of the consensus, its category, and how sure that is."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.errors import SettingsError
from gamma_align.insight.consensus.consensus_options import ALL, MAJORITY, WEIGH
from gamma_align.insight.consensus.judgments import Judgments
from gamma_align.measures.items.latent import dawid_skene

_TIED = 1e-9
_NONE = 1e-9  # expected judgments that are none


class Confusions(NamedTuple):
    """How many judgments of an annotator say one thing where the consensus says another; counts may be expected ones.

    Columns of shape (n_cells,), of cells that are not empty: codes of annotator, label of the consensus, label said.
    """

    annotator: IntArray
    consensus: IntArray
    said: IntArray
    judgments: FloatArray


class Outcome(NamedTuple):
    """What becomes of unitary alignments, shape (n_alignments,) each.

    `label` is the category (a code of `Judgments`), whether `kept` or not; `tie` is whether another one would do as
    well. `unit` is how sure it is that there is a unit, and `labelled` that there is one with this category. `shares`
    is what share of unitary alignments each label has, `confusions` compares each annotator with the outcome;
    `log_likelihood` and `rounds` are those of the model, where there is one.
    """

    kept: BoolArray
    label: IntArray
    tie: BoolArray
    unit: FloatArray
    labelled: FloatArray
    shares: FloatArray
    confusions: Confusions
    log_likelihood: float = math.nan
    rounds: int = 0


def by_votes(judgments: Judgments, votes: str | float) -> Outcome:
    """Return the outcome of votes for a unit, and among these for a category."""
    width = len(judgments.labels)
    cells, counts = np.unique(judgments.group * width + judgments.said, return_counts=True)
    group, label = cells // width, cells % width
    most = np.zeros(len(judgments), dtype=np.int64)
    np.maximum.at(most, group, counts)
    order = np.lexsort((np.argsort(judgments.preference)[label], -counts, group))
    best = label[order[np.searchsorted(group, np.arange(len(judgments)))]]
    kept = enough(judgments.votes, judgments.annotators, votes)
    outcome = np.where(kept, best, judgments.no_unit)
    return Outcome(
        kept=kept,
        label=best,
        tie=np.bincount(group[counts == most[group]], minlength=len(judgments)) > 1,
        unit=judgments.votes / judgments.annotators,
        labelled=most / judgments.annotators,
        shares=np.bincount(outcome, minlength=width) / max(len(judgments), 1),
        confusions=_confusions(judgments, outcome),
    )


def enough(votes: IntArray, annotators: IntArray, wanted: str | float) -> BoolArray:
    """Return whether so many votes of so many annotators are enough.

    `wanted` is "majority" (more than half), "all", a number of votes, or a share below 1, which is to be reached.
    """
    result: BoolArray
    if isinstance(wanted, str):
        result = 2 * votes > annotators if wanted == MAJORITY else votes == annotators
    elif isinstance(wanted, int):
        result = votes >= wanted
    else:
        result = votes >= wanted * annotators - _TIED  # a share of 0.6 of five is 3, whatever the product rounds to
    return result


def check_votes(wanted: object, weigh: object) -> None:
    """Refuse votes that `enough` does not take, another weighing than there is, and both together."""
    is_word = isinstance(wanted, str) and wanted in (MAJORITY, ALL)
    is_number = isinstance(wanted, int) and not isinstance(wanted, bool) and wanted >= 1
    if not (wanted is None or is_word or is_number or (isinstance(wanted, float) and 0 < wanted < 1)):
        raise SettingsError(
            f"votes must be {MAJORITY!r}, {ALL!r}, a number of votes from 1 on, or a share between 0 and 1, not "
            f"{wanted!r}"
        )
    if weigh is not None:
        WEIGH.check(weigh)
    if weigh is not None and wanted is not None:
        raise SettingsError("votes are counted where annotators are not weighed; leave out one of votes and weigh")


def _confusions(judgments: Judgments, outcome: IntArray) -> Confusions:
    """Return how often each annotator says what where the outcome is this or that."""
    width = len(judgments.labels)
    pair = outcome[judgments.alignment] * width + judgments.label
    cells, counts = np.unique(judgments.annotator * width**2 + pair, return_counts=True)
    return Confusions(cells // width**2, cells // width % width, cells % width, counts.astype(np.float64))


def by_error_rates(judgments: Judgments, annotators: int) -> Outcome:
    """Return the outcome of Dawid & Skene's model: of so many annotators, each with a matrix of confusions.

    Unitary alignments on which the same annotators say the same are one row of the model, which occurs so many times.
    """
    from scipy.sparse import csr_array

    width = len(judgments.labels)
    rows, pattern, times = _patterns(judgments, width)
    given = rows >= 0
    offsets = np.concatenate([[0], np.cumsum(given.sum(axis=1))])
    shown = csr_array((np.ones(int(offsets[-1])), rows[given], offsets), shape=(len(rows), annotators * width))
    model = dawid_skene(shown, times, width)
    units = model.posterior[:, :-1]
    order = judgments.preference
    likely = units >= units.max(axis=1, keepdims=True) - _TIED
    label = order[np.argmax(likely[:, order], axis=1)]
    counts = np.asarray(shown.T @ (model.posterior * times[:, None])).reshape(annotators, width, width)
    annotator, saying, true = np.nonzero(counts > _NONE)
    unit = 1.0 - model.posterior[:, -1]
    return Outcome(
        kept=(unit > 0.5)[pattern],  # noqa: PLR2004
        label=label[pattern],
        tie=(likely.sum(axis=1) > 1)[pattern],
        unit=unit[pattern],
        labelled=np.take_along_axis(units, label[:, None], axis=1)[pattern, 0],
        shares=model.shares,
        confusions=Confusions(annotator, true, saying, counts[annotator, saying, true]),
        log_likelihood=model.log_likelihood,
        rounds=model.rounds,
    )


def _patterns(judgments: Judgments, width: int) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the rows of judgments that differ (annotator * width + label, then -1), each alignment's, and counts."""
    rank = np.arange(len(judgments.alignment)) - np.searchsorted(judgments.alignment, judgments.alignment)
    table = np.full((len(judgments), int(judgments.annotators.max())), -1, dtype=np.int64)
    table[judgments.alignment, rank] = judgments.annotator * width + judgments.label
    rows, pattern, times = np.unique(table, axis=0, return_inverse=True, return_counts=True)
    return rows, pattern.ravel(), times.astype(np.float64)
