"""Precision, recall and F1 of units, by several definitions of a match.

Conventions
-----------
Each measure gives every unit, of either side, a credit: precision is the mean credit of the system's units, recall the
mean credit of the reference's units, F1 = 2PR / (P + R). With one-to-one matching (see `measures.reference.matching`):

- *strict*: 1 for the same bounds and label;
- *exact*: 1 for the same bounds;
- *partial*: 1 for the same bounds, ½ for bounds that overlap;
- *type*: 1 for the same label and bounds that overlap;
- *relaxed*: 1 for the same label and |g ∩ p| / |g ∪ p| ≥ θ, in the matching with the most such pairs.

Without matching:

- *characters*: elements are positions with a label instead of units; 1 if the other side has the label there, too;
- *credit*: the share of a unit that units of the other side with its label cover (Da San Martino et al. 2019).

Counts are defined as in MUC and SemEval 2013: correct, incorrect, partial, missed, spurious. If neither side has a
unit, no value is available; if only one side has units, F1 is 0.

References
----------
Chinchor & Sundheim 1993, MUC-5 evaluation metrics. Segura-Bedmar et al. 2013, SemEval-2013 task 9.
Da San Martino et al. 2019, Fine-grained analysis of propaganda in news articles, §5.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gamma_align.columns import FloatArray, IntArray, RowGroups, grouped_sums
from gamma_align.data import Batch, FrameColumns
from gamma_align.inference import ConfidenceInterval, Result, Value, grouped_ratio_intervals, value_columns
from gamma_align.measures.reference.matching import MISSED, SPURIOUS, Matching, Overlaps, match_allowed
from gamma_align.measures.reference.pairings import REFERENCE, SYSTEM, Pieces, range_sums, rank_positions
from gamma_align.measures.reference.reference_options import IOU, MATCHES, ZERO_DIVISION

# Credit of a matched unit by the first four kinds of cases: correct, other bounds, another label, both.
CREDITS: Mapping[str, Sequence[float]] = {
    "strict": (1.0, 0.0, 0.0, 0.0),
    "exact": (1.0, 0.0, 1.0, 0.0),
    "partial": (1.0, 0.5, 1.0, 0.5),
    "type": (1.0, 1.0, 0.0, 0.0),
}
ONE_TO_ONE = (*CREDITS, "relaxed")
SCORE_PARTS = ("precision", "recall", "f1")

# Reasons.
NEITHER = "neither side has a unit"
NO_SYSTEM = "the system has no unit"
NO_REFERENCE = "the reference has no unit"
_NOT_A_RATIO = "not a ratio of sums over documents"
_MEAN_OVER_LABELS = "a mean over labels"
_SET_BY_OPTION = "the value is set by zero_division"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SpanScore(Result):
    """Precision, recall and F1, and the counts that they are computed from.

    Attributes
    ----------
    precision, recall, f1 : Value
        With 95 % intervals if they are of several documents (a jackknife over documents).
    counts : mapping of str to float
        Units that are correct, incorrect, partial, missed and spurious, of measures by matching; lengths that are
        correct, missed and spurious of ``characters``; credits of ``credit``.

    Examples
    --------
    >>> units = [("d", "gold", 0, 4, "x"), ("d", "ann", 0, 4, "x"), ("d", "ann", 6, 9, "x")]
    >>> score = ga.evaluate(units, reference="gold", measures="spans").systems[0].spans["strict"]
    >>> [round(float(value), 4) for value in (score.precision, score.recall, score.f1)]
    [0.5, 1.0, 0.6667]
    >>> score.counts
    {'correct': 1.0, 'incorrect': 0.0, 'partial': 0.0, 'missed': 0.0, 'spurious': 1.0}
    """

    precision: Value
    recall: Value
    f1: Value
    counts: Mapping[str, float]

    def _columns(self) -> FrameColumns:
        columns: FrameColumns = {}
        for part in SCORE_PARTS:
            columns |= value_columns(part, [getattr(self, part)])
        return columns


_Terms = tuple[FloatArray, FloatArray]
"""Sums of credits and sizes, shape (n,) each."""


class Sums(NamedTuple):
    """Sums of credits and sizes for each side, shape (n, 2) each."""

    credit: FloatArray
    size: FloatArray

    def of_side(self, side: int) -> _Terms:
        """Return the sums of one side."""
        return self.credit[:, side], self.size[:, side]

    def of_both(self) -> _Terms:
        """Return the sums of both sides together."""
        return self.credit.sum(axis=1), self.size.sum(axis=1)


class Credits(NamedTuple):
    """The elements of a measure (units, or stretches) with their sizes and the credits they get, at most the size.

    All have shape (n_elements,).
    """

    instance: IntArray
    side: IntArray
    category: IntArray
    size: FloatArray
    credit: FloatArray

    def sums(self, key: IntArray, n_keys: int) -> Sums:
        """Return the sums by key, shape (n_elements,), and side."""
        group = key * 2 + self.side
        return Sums(*(grouped_sums(group, column, 2 * n_keys).reshape(-1, 2) for column in (self.credit, self.size)))


def credits_by_measure(batch: Batch, iou: float, matching: Matching) -> dict[str, Credits]:
    """Return the credits of every measure."""
    overlaps = matching.overlaps
    # Missed and spurious units get no credit.
    unit_credits = {name: np.array([*by_kind, 0.0, 0.0])[matching.kind] for name, by_kind in CREDITS.items()}

    relaxed = match_allowed(batch, overlaps, overlaps.same_label & (overlaps.share >= iou))
    is_relaxed = np.zeros(batch.n_units)
    is_relaxed[relaxed.reference] = is_relaxed[relaxed.system] = 1.0
    unit_credits["relaxed"] = is_relaxed

    stretches = Stretches.of(batch)
    unit_credits["credit"] = _covered_share(batch, overlaps.take(overlaps.same_label), stretches)
    columns = (batch.instance, batch.annotator, batch.category, np.ones(batch.n_units))
    by_measure = {name: Credits(*columns, credit) for name, credit in unit_credits.items()}
    by_measure["characters"] = _characters(stretches)
    return {name: by_measure[name] for name in MATCHES}


def _covered_share(batch: Batch, pairs: Overlaps, stretches: Stretches) -> FloatArray:
    """Return the share of each unit that units of the other side with its label cover.

    `pairs` overlap and have the same label. A position that several units cover counts once. A unit without length, or
    with the bounds of one of the other side, is covered entirely.
    """
    length = batch.end - batch.start
    covering = np.where(stretches.active[::-1] > 0, stretches.size, 0.0)  # row: the side that is covered
    covered = np.zeros(batch.n_units)
    for side in (REFERENCE, SYSTEM):
        units = np.flatnonzero(batch.annotator == side)
        covered[units] = range_sums(covering[side], stretches.first[units], stretches.end[units])
    share = np.minimum(covered / np.where(length > 0, length, 1.0), 1.0)  # the sum of stretches is rounded
    identical = pairs.take(pairs.same_bounds)
    share[identical.reference] = share[identical.system] = 1.0
    return share


class Stretches(NamedTuple):
    """Stretches between neighbouring bounds of the units of an instance that have the same label.

    `instance`, `category` (-1 is none) and `size`, shape (n_stretches,), and `active`, the number of units by side,
    shape (2, n_stretches). `first` and `end` are the first stretch of each unit and the one after its last, shape
    (n_units,).
    """

    instance: IntArray
    category: IntArray
    size: FloatArray
    active: IntArray
    first: IntArray
    end: IntArray

    @classmethod
    def of(cls, batch: Batch) -> Stretches:
        """Return the stretches of all instances."""
        bounds = np.concatenate([batch.start, batch.end])
        rank, _, position = rank_positions(np.tile(batch.instance, 2), bounds)
        low = rank[: batch.n_units]
        high = rank[batch.n_units :]
        width = int(batch.category.max(initial=-1)) + 2
        group = batch.instance * width + batch.category + 1
        pieces = Pieces.of(group, low, high, batch.annotator, len(position))
        instance, label = np.divmod(pieces.group, width)
        key = pieces.group * len(position) + pieces.low
        first, end = (np.searchsorted(key, group * len(position) + bound) for bound in (low, high))
        return cls(instance, label - 1, position[pieces.high] - position[pieces.low], pieces.active, first, end)


def _characters(stretches: Stretches) -> Credits:
    """Return the stretches of each label and side; a stretch of both sides is in two rows, each with full credit."""
    side, row = np.nonzero(stretches.active)
    is_shared = (stretches.active > 0).all(axis=0)
    size = stretches.size[row]
    credit = np.where(is_shared, stretches.size, 0.0)[row]
    return Credits(stretches.instance[row], side, stretches.category[row], size, credit)


def check_spans(iou: float, zero_division: float | None) -> None:
    """Raise SettingsError for settings out of their range."""
    IOU.check(iou)
    if zero_division is not None:
        ZERO_DIVISION.check(zero_division)


def span_scores(
    sums_by_measure: Mapping[str, Sums], groups: RowGroups, kind_counts: IntArray, zero_division: float | None
) -> list[list[SpanScore]]:
    """Return each measure of groups of parts (documents) that add up, with intervals over them.

    `kind_counts` is the number of cases of each kind, shape (n_groups, 6); a pair is one case.
    """
    all_sums = sums_by_measure.values()
    n = len(sums_by_measure)
    terms = [sums.of_side(SYSTEM) for sums in all_sums] + [sums.of_side(REFERENCE) for sums in all_sums]
    terms += [sums.of_both() for sums in all_sums]
    # Groups of many sizes take a call for each size, so all measures are computed together.
    values = _ratios(terms, [NO_SYSTEM] * n + [NO_REFERENCE] * n + [NEITHER] * n, groups, zero_division)
    f1 = _replace_f1_of_credit(sums_by_measure, groups, values[2 * n :])
    parts = zip(sums_by_measure.items(), values[:n], values[n : 2 * n], f1, strict=True)
    scores = []
    for (measure, sums), *by_side in parts:
        counts = _span_counts(measure, sums, groups, kind_counts)
        scores.append([SpanScore(*values) for values in zip(*by_side, counts, strict=True)])
    return scores


def _ratios(
    terms: Sequence[_Terms], reasons: Sequence[str], groups: RowGroups, zero_division: float | None
) -> list[list[Value]]:
    """Return Σ credit / Σ size of each group in each measure: see `_values`."""
    credit, size = map(np.array, zip(*terms, strict=True))
    intervals = grouped_ratio_intervals(size - credit, size, credit > 0, groups, largest=1.0)
    columns = zip(credit, size, intervals, reasons, strict=True)
    return [_values(*column, groups, zero_division) for column in columns]


def _values(
    credit: FloatArray,
    size: FloatArray,
    intervals: Sequence[ConfidenceInterval],
    reason: str,
    groups: RowGroups,
    zero_division: float | None,
) -> list[Value]:
    """Return Σ credit / Σ size of each group, with its interval; if Σ size is 0, `zero_division` or the reason."""
    total = groups.sums(size)
    ratios = groups.sums(credit) / np.where(total > 0, total, 1.0)
    if zero_division is None:
        without_size = Value.unavailable(reason)
    else:
        without_size = Value(float(zero_division), no_interval=_SET_BY_OPTION)
    # Most pairs of a crowd have one document in common: they have no interval, for the same reason, and few different
    # ratios.
    without_interval: dict[tuple[str, float], Value] = {}
    values = []
    for interval, ratio, has_size in zip(intervals, ratios.tolist(), (total > 0).tolist(), strict=True):
        if not has_size:
            values.append(without_size)
        elif interval.missing is None:
            values.append(interval.around(ratio))
        else:
            key = (interval.missing, ratio)
            value = without_interval.get(key)
            if value is None:
                value = without_interval[key] = interval.around(ratio)
            values.append(value)
    return values


def f1_values(sums_by_measure: Mapping[str, Sums], groups: RowGroups, zero_division: float | None) -> list[list[Value]]:
    """Return F1 of each group in each measure, with its interval unless the measure is ``credit``.

    In all other measures both sides have the same credit, so that F1 is a ratio of sums.
    """
    terms = [sums.of_both() for sums in sums_by_measure.values()]
    f1 = _ratios(terms, [NEITHER] * len(terms), groups, zero_division)
    return _replace_f1_of_credit(sums_by_measure, groups, f1)


def _replace_f1_of_credit(
    sums_by_measure: Mapping[str, Sums], groups: RowGroups, f1: Sequence[list[Value]]
) -> list[list[Value]]:
    """Return F1 of each measure; F1 of ``credit`` is computed from precision and recall."""
    return [
        _f1_of_credit(sums, groups, values) if measure == "credit" else values
        for (measure, sums), values in zip(sums_by_measure.items(), f1, strict=True)
    ]


def _f1_of_credit(sums: Sums, groups: RowGroups, values: Sequence[Value]) -> list[Value]:
    """Return F1 of partial credit, whose sides have different credit; `values` belong to groups without units."""
    size = groups.sums(sums.size)
    has_units = size.sum(axis=1) > 0
    precision, recall = (groups.sums(sums.credit) / np.where(size > 0, size, 1.0)).T[[SYSTEM, REFERENCE]]
    total = precision + recall
    f1 = 2.0 * precision * recall / np.where(total > 0, total, 1.0)
    return [
        Value(value, no_interval=_NOT_A_RATIO) if is_value else without_units
        for value, is_value, without_units in zip(f1.tolist(), has_units.tolist(), values, strict=True)
    ]


def _span_counts(measure: str, sums: Sums, groups: RowGroups, kind_counts: IntArray) -> list[dict[str, float]]:
    """Return the counts behind a measure, of each group."""
    credit = groups.sums(sums.credit)
    size = groups.sums(sums.size)
    counts: list[FloatArray | IntArray]
    if measure == "credit":
        names: Sequence[str] = ("reference_credit", "reference", "system_credit", "system")
        counts = [credit[:, REFERENCE], size[:, REFERENCE], credit[:, SYSTEM], size[:, SYSTEM]]
    elif measure not in CREDITS:
        names = ("correct", "missed", "spurious")
        counts = [credit[:, REFERENCE], *(size - credit).T]
    else:
        names = ("correct", "incorrect", "partial", "missed", "spurious")
        credit_of_kind = np.array(CREDITS[measure])
        pairs = kind_counts[:, : len(credit_of_kind)]
        counts = [pairs[:, credit_of_kind == value].sum(axis=1) for value in (1.0, 0.0, 0.5)]
        counts += [kind_counts[:, MISSED], kind_counts[:, SPURIOUS]]
    rows = np.stack([np.asarray(column, dtype=np.float64) for column in counts], axis=1)
    return [dict(zip(names, row, strict=True)) for row in rows.tolist()]


def macro_averages(scores: Sequence[SpanScore]) -> Mapping[str, Value]:
    """Return the plain means of P, R and F1 over labels; the value of a side without units of the label is 0."""
    if not scores:
        return dict.fromkeys(SCORE_PARTS, Value.unavailable(NEITHER))
    means = {}
    for part in SCORE_PARTS:
        values = [getattr(score, part) for score in scores]
        total = math.fsum(value.value for value in values if value.is_available)
        means[part] = Value(total / len(scores), no_interval=_MEAN_OVER_LABELS)
    return means
