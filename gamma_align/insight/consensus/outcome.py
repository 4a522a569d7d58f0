"""The outcome for each unitary alignment: whether it is a unit of the consensus, its category, and its confidence."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray, rank_in_runs
from gamma_align.errors import Cure, Set, SettingsError
from gamma_align.insight.consensus.consensus_options import ALL, MAJORITY, WEIGH
from gamma_align.insight.consensus.judgments import Judgments

_TOLERANCE = 1e-9  # of probabilities, and of numbers of votes, which are products with a share
_MIN_EXPECTED_JUDGMENTS = 1e-9  # fewer are a rounding error of the model, not a cell of the table
_HALF = 0.5  # P(unit) above which there is a unit: the more probable of the two


class Confusions(NamedTuple):
    """Number of judgments of an annotator with a label, by label of the consensus; a model has expected numbers.

    Columns have shape (n_cells,), for cells that are not empty: codes of annotator, label of the consensus and label of
    the judgment, and the number of judgments.
    """

    annotator: IntArray
    consensus: IntArray
    judgment: IntArray
    n_judgments: FloatArray


class Outcome(NamedTuple):
    """The outcome for each unitary alignment.

    Attributes
    ----------
    kept : ndarray of bool, shape (n_alignments,)
        Whether it is a unit of the consensus.
    label : ndarray of int64, shape (n_alignments,)
        Category, a code of `Judgments`, whether kept or not.
    tie : ndarray of bool, shape (n_alignments,)
        Whether another category is as likely.
    unit, labelled : ndarray of float64, shape (n_alignments,)
        Confidence that there is a unit, and that there is a unit of this category.
    shares : ndarray of float64, shape (n_labels,)
        Share of unitary alignments with each label.
    confusions : Confusions
        Comparison of each annotator with the outcome.
    log_likelihood, rounds : float, int
        Log-likelihood and iterations of the model; NaN and 0 without one.
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


Bounds = tuple[FloatArray, FloatArray]
"""Starts and ends, each of shape (n_alignments,)."""


class Settled(NamedTuple):
    """The outcome and the bounds of all unitary alignments, and which of them were decided by hand."""

    outcome: Outcome
    bounds: Bounds
    is_decided: BoolArray


def outcome_by_votes(judgments: Judgments, votes: str | float) -> Outcome:
    """Count votes for a unit, and among these for a category."""
    n_labels = len(judgments.labels)
    cells, counts = np.unique(judgments.group * n_labels + judgments.unit_label, return_counts=True)
    group = cells // n_labels
    label = cells % n_labels
    # The highest number of votes for one category; a tie is several categories with this number.
    highest = np.zeros(len(judgments), dtype=np.int64)
    np.maximum.at(highest, group, counts)
    order = np.lexsort((np.argsort(judgments.preference)[label], -counts, group))
    best_label = label[order[np.searchsorted(group, np.arange(len(judgments)))]]
    kept = has_enough_votes(judgments.votes, judgments.annotators, votes)
    shares, confusions = _counted(judgments, kept, best_label)
    return Outcome(
        kept=kept,
        label=best_label,
        tie=np.bincount(group[counts == highest[group]], minlength=len(judgments)) > 1,
        unit=judgments.votes / judgments.annotators,
        labelled=highest / judgments.annotators,
        shares=shares,
        confusions=confusions,
    )


def recounted(outcome: Outcome, judgments: Judgments) -> Outcome:
    """Return the outcome of votes with shares and confusions counted anew; a model keeps what it estimated."""
    if outcome.rounds:
        return outcome
    shares, confusions = _counted(judgments, outcome.kept, outcome.label)
    return outcome._replace(shares=shares, confusions=confusions)


def _counted(judgments: Judgments, kept: BoolArray, label: IntArray) -> tuple[FloatArray, Confusions]:
    """Return the share of each label, and the comparison of each annotator with the outcome."""
    outcome = np.where(kept, label, judgments.no_unit)
    shares = np.bincount(outcome, minlength=len(judgments.labels)) / max(len(judgments), 1)
    return shares, _count_confusions(judgments, outcome)


def has_enough_votes(votes: IntArray, annotators: IntArray, required: str | float) -> BoolArray:
    """Return whether numbers of votes are sufficient, given the numbers of annotators.

    `required` is "majority" (more than half), "all", a number of votes, or a share of the annotators below 1.
    """
    result: BoolArray
    if required == MAJORITY:
        result = 2 * votes > annotators
    elif required == ALL:
        result = votes == annotators
    elif isinstance(required, int):
        result = votes >= required
    else:
        # A share of 0.6 of five annotators is 3 votes, whatever the product rounds to.
        result = votes >= float(required) * annotators - _TOLERANCE
    return result


def check_votes(votes: object, weigh: object) -> None:
    """Refuse invalid votes, an unknown weighing, and both together."""
    is_word = isinstance(votes, str) and votes in (MAJORITY, ALL)
    is_number = isinstance(votes, int) and not isinstance(votes, bool) and votes >= 1
    is_share = isinstance(votes, float) and 0 < votes < 1
    if not (votes is None or is_word or is_number or is_share):
        raise SettingsError(
            f"votes must be {MAJORITY!r}, {ALL!r}, a number of votes from 1 on, or a share between 0 and 1, not "
            f"{votes!r}"
        )
    if weigh is not None:
        WEIGH.check(weigh)
    if weigh is not None and votes is not None:
        raise SettingsError(
            "votes are not counted if annotators are weighed", Cure("leave out {} or {}", Set("votes"), Set("weigh"))
        )


def _count_confusions(judgments: Judgments, outcome: IntArray) -> Confusions:
    """Return the number of judgments of each annotator by label and label of the outcome."""
    n_labels = len(judgments.labels)
    pair = outcome[judgments.alignment] * n_labels + judgments.label
    cells, counts = np.unique(judgments.annotator * n_labels**2 + pair, return_counts=True)
    return Confusions(
        annotator=cells // n_labels**2,
        consensus=cells // n_labels % n_labels,
        judgment=cells % n_labels,
        n_judgments=counts.astype(np.float64),
    )


def outcome_by_error_rates(judgments: Judgments, n_annotators: int) -> Outcome:
    """Fit Dawid & Skene's model, in which each annotator has a matrix of confusions, and return the probable labels."""
    from scipy.sparse import csr_array  # few runs weigh annotators

    from gamma_align.measures.items import dawid_skene

    n_labels = len(judgments.labels)
    patterns, pattern, times = _patterns(judgments, n_labels)
    is_judgment = patterns >= 0
    offsets = np.concatenate([[0], np.cumsum(is_judgment.sum(axis=1))])
    shape = (len(patterns), n_annotators * n_labels)
    # Sparse, as annotators of a crowd judge few of the items.
    table = csr_array((np.ones(int(offsets[-1])), patterns[is_judgment], offsets), shape=shape)
    model = dawid_skene(table, times, n_labels)
    units = model.posterior[:, :-1]
    # Probabilities that are equal up to rounding are a tie, which the preference decides.
    is_best = units >= units.max(axis=1, keepdims=True) - _TOLERANCE
    label = judgments.preference[np.argmax(is_best[:, judgments.preference], axis=1)]
    counts = np.asarray(table.T @ (model.posterior * times[:, None])).reshape(n_annotators, n_labels, n_labels)
    annotator, judgment, consensus = np.nonzero(counts > _MIN_EXPECTED_JUDGMENTS)
    unit = 1.0 - model.posterior[:, -1]
    return Outcome(
        kept=(unit > _HALF)[pattern],
        label=label[pattern],
        tie=(is_best.sum(axis=1) > 1)[pattern],
        unit=unit[pattern],
        labelled=np.take_along_axis(units, label[:, None], axis=1)[pattern, 0],
        shares=model.shares,
        confusions=Confusions(annotator, consensus, judgment, counts[annotator, judgment, consensus]),
        log_likelihood=model.log_likelihood,
        rounds=model.rounds,
    )


def _patterns(judgments: Judgments, n_labels: int) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the different sets of judgments on a unitary alignment: each set, each alignment's set, and frequencies.

    A set is a row of annotator * n_labels + label, filled with -1. The model needs each set once, with its frequency.
    """
    rank = rank_in_runs(judgments.alignment)
    table = np.full((len(judgments), int(judgments.annotators.max())), -1, dtype=np.int64)
    table[judgments.alignment, rank] = judgments.annotator * n_labels + judgments.label
    rows, pattern, times = np.unique(table, axis=0, return_inverse=True, return_counts=True)
    return rows, pattern.ravel(), times.astype(np.float64)
