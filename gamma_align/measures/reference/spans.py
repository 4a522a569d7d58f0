"""Precision, recall and F1 of units, by what counts as found.

Conventions
-----------
Each measure gives every unit, of either side, a credit: precision is the mean credit of the system's units, recall that
of the reference's, F1 = 2PR / (P + R). With one-to-one matching (see `measures.reference.matching`):

- *strict*: 1 for the same bounds and label;
- *exact*: 1 for the same bounds;
- *partial*: 1 for the same bounds, ½ for bounds that overlap;
- *type*: 1 for the same label and bounds that overlap;
- *relaxed*: 1 for the same label and |g ∩ p| / |g ∪ p| ≥ θ, of the matching with the most such pairs.

Without matching:

- *characters*: positions with a label, each counting once, 1 for those that the other side has too;
- *credit*: the share of a unit that units of the other side with its label cover (Da San Martino et al. 2019).

Counts are those of MUC and SemEval 2013: correct, incorrect, partial, missed, spurious. Where neither side has a unit
nothing is available; where one has none, F1 is 0.

References
----------
Chinchor & Sundheim 1993, MUC-5 evaluation metrics. Segura-Bedmar et al. 2013, SemEval-2013 task 9.
Da San Martino et al. 2019, Fine-grained analysis of propaganda in news articles, §5.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data.batch import Batch
from gamma_align.data.frames import FrameColumns
from gamma_align.inference.jackknife import ratio_interval
from gamma_align.inference.values import Result, Value, value_columns
from gamma_align.measures.reference.matching import MISSED, SPURIOUS, Overlaps, kinds, matched, matched_where
from gamma_align.measures.reference.pairings import REFERENCE, SYSTEM, between, pieces, ranks
from gamma_align.measures.reference.reference_options import IOU, MATCHES, ZERO_DIVISION

CREDITS: Mapping[str, Sequence[float]] = {
    # by the first four of `matching.KINDS`: the same, other bounds, another label, both
    "strict": (1.0, 0.0, 0.0, 0.0),
    "exact": (1.0, 0.0, 1.0, 0.0),
    "partial": (1.0, 0.5, 1.0, 0.5),
    "type": (1.0, 1.0, 0.0, 0.0),
}
ONE_TO_ONE = (*CREDITS, "relaxed")

NEITHER = "neither side has a unit"
NO_SYSTEM = "the system has no unit"
NO_REFERENCE = "the reference has no unit"
_NOT_A_RATIO = "not a ratio of sums over documents"
_MEAN_OVER_LABELS = "a mean over labels"
_SET = "the value is set by zero_division"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SpanScore(Result):
    """Precision, recall and F1, and the counts that they are made of.

    Attributes
    ----------
    precision, recall, f1 : Value
        With 95 % intervals where they are of several documents (a jackknife over documents).
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
        return {key: column for name in ("precision", "recall", "f1") for key, column in self._value(name)}

    def _value(self, name: str) -> list[tuple[str, Sequence[Any]]]:
        return [*value_columns(name, [getattr(self, name)]).items()]


class Amounts(NamedTuple):
    """What the elements of a measure (units, or stretches) add: credits and sizes.

    `instance`, `side`, `category`, `size`, and the part of it that is `found`; shape (n_elements,).
    """

    instance: IntArray
    side: IntArray
    category: IntArray
    size: FloatArray
    found: FloatArray

    def sums(self, key: IntArray, n_keys: int) -> Sums:
        """Return credits and sizes by key, shape (n_elements,), and side."""
        index = key * 2 + self.side
        found, size = (
            np.bincount(index, weights=amount, minlength=2 * n_keys).astype(np.float64).reshape(-1, 2)
            for amount in (self.found, self.size)
        )
        return Sums(found, size)


class Sums(NamedTuple):
    """Credits and sizes of the two sides, shape (n, 2) each."""

    found: FloatArray
    size: FloatArray

    def take(self, rows: IntArray) -> Sums:
        """Return these rows."""
        return Sums(self.found[rows], self.size[rows])


def amounts(batch: Batch, iou: float, kind: IntArray | None = None) -> dict[str, Amounts]:
    """Return the amounts of every measure; `kind` is what becomes of each unit, where that is known."""
    overlaps = Overlaps.of(batch)
    kind = kinds(batch, matched(batch, overlaps)) if kind is None else kind
    credits_ = {name: np.array([*weights, 0.0, 0.0])[kind] for name, weights in CREDITS.items()}
    relaxed = matched_where(batch, overlaps, overlaps.same_label & (overlaps.share >= iou))
    credits_["relaxed"] = np.zeros(batch.n_units)
    credits_["relaxed"][relaxed.reference] = credits_["relaxed"][relaxed.system] = 1.0
    stretches = Stretches.of(batch)
    credits_["credit"] = _covered(batch, overlaps.take(overlaps.same_label), stretches)
    units = (batch.instance, batch.annotator, batch.category, np.ones(batch.n_units))
    of_units = {name: Amounts(*units, credit) for name, credit in credits_.items()}
    return {name: of_units[name] if name in of_units else _characters(stretches) for name in MATCHES}


def _covered(batch: Batch, pairs: Overlaps, stretches: Stretches) -> FloatArray:
    """Return the share of each unit that units of the other side with its label cover.

    `pairs` overlap and have the same label. Units that cover a place together cover it once. A unit without length, or
    with the bounds of one of the other side, is covered entirely.
    """
    length = batch.end - batch.start
    other_is_there = np.where(stretches.active[::-1] > 0, stretches.size, 0.0)  # by the side whose units are covered
    covered = np.zeros(batch.n_units)
    for side in (REFERENCE, SYSTEM):
        own = np.flatnonzero(batch.annotator == side)
        covered[own] = between(other_is_there[side], stretches.first[own], stretches.end[own])
    share = np.minimum(covered / np.where(length > 0, length, 1.0), 1.0)  # the sum of stretches is rounded
    is_there = pairs.take(pairs.same_bounds)
    share[is_there.reference] = share[is_there.system] = 1.0
    return share


class Stretches(NamedTuple):
    """Stretches between neighbouring bounds of the units of an instance that have the same label.

    `instance`, `category` (-1 is none) and `size`, shape (n_stretches,), and `active`, the number of units there by
    side, shape (2, n_stretches). `first` and `end` are the first stretch of each unit and the one after its last, shape
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
        rank, _, position = ranks(np.tile(batch.instance, 2), np.concatenate([batch.start, batch.end]))
        low, high = rank[: batch.n_units], rank[batch.n_units :]
        width = int(batch.category.max(initial=-1)) + 2
        group = batch.instance * width + batch.category + 1
        found = pieces(group, low, high, batch.annotator, len(position))
        instance, category = np.divmod(found.group, width)
        place = found.group * len(position) + found.low
        first, end = (np.searchsorted(place, group * len(position) + bound) for bound in (low, high))
        return cls(instance, category - 1, position[found.high] - position[found.low], found.active, first, end)


def _characters(stretches: Stretches) -> Amounts:
    """Return the stretches of each label and side; those of both sides stand twice."""
    both = stretches.active.min(axis=0) > 0
    side, row = np.nonzero(stretches.active)
    size = stretches.size[row]
    return Amounts(stretches.instance[row], side, stretches.category[row], size, np.where(both[row], size, 0.0))


def check_spans(iou: float, zero_division: float | None) -> None:
    """Refuse settings out of their range."""
    IOU.check(iou)
    if zero_division is not None:
        ZERO_DIVISION.check(zero_division)


def score(name: str, sums: Sums, by_kind: FloatArray, zero_division: float | None) -> SpanScore:
    """Return a measure of parts (documents) that add up, with intervals over them.

    `by_kind` is how many units there are of each kind, pairs counting once, shape (6,).
    """
    precision, recall = (
        _ratio(sums.found[:, side], sums.size[:, side], reason, zero_division)
        for side, reason in ((SYSTEM, NO_SYSTEM), (REFERENCE, NO_REFERENCE))
    )
    return SpanScore(precision, recall, f1_of(name, sums, zero_division), counts_of(name, sums, by_kind))


def _ratio(found: FloatArray, size: FloatArray, reason: str, zero_division: float | None) -> Value:
    """Return Σ found / Σ size, with its interval; where there is nothing to divide by, what was asked for."""
    total = size.sum()
    if total == 0:
        return Value.unavailable(reason) if zero_division is None else Value(float(zero_division), no_interval=_SET)
    interval = ratio_interval(size - found, size, found > 0, largest=1.0)
    return interval.around(float(found.sum() / total))


def f1_of(name: str, sums: Sums, zero_division: float | None) -> Value:
    """Return F1, with its interval; both sides have the same credit in all measures but ``credit``."""
    if name != "credit" or not sums.size.any():
        return _ratio(sums.found.sum(axis=1), sums.size.sum(axis=1), NEITHER, zero_division)
    total = sums.size.sum(axis=0)
    precision, recall = (sums.found.sum(axis=0) / np.where(total > 0, total, 1.0))[[SYSTEM, REFERENCE]]
    both = precision + recall
    return Value(float(2 * precision * recall / both) if both > 0 else 0.0, no_interval=_NOT_A_RATIO)


def counts_of(name: str, sums: Sums, by_kind: FloatArray) -> dict[str, float]:
    """Return the counts behind a measure."""
    found, size = sums.found.sum(axis=0), sums.size.sum(axis=0)
    if name == "credit":
        names = ("reference_credit", "reference", "system_credit", "system")
        return dict(zip(names, map(float, np.stack([found, size], axis=1).ravel()), strict=True))
    if name not in CREDITS:
        counts = (found[REFERENCE], *(size - found))
        return dict(zip(("correct", "missed", "spurious"), map(float, counts), strict=True))
    credits_ = np.array(CREDITS[name])
    pairs = by_kind[: len(credits_)]
    counts = (*(pairs[credits_ == credit].sum() for credit in (1.0, 0.0, 0.5)), by_kind[MISSED], by_kind[SPURIOUS])
    return dict(zip(("correct", "incorrect", "partial", "missed", "spurious"), map(float, counts), strict=True))


def macro(scores: Sequence[SpanScore]) -> Mapping[str, Value]:
    """Return the plain means over labels of P, R and F1; a side without units of the label counts 0."""
    names = ("precision", "recall", "f1")
    if not scores:
        return dict.fromkeys(names, Value.unavailable(NEITHER))
    columns = {name: [getattr(each, name).value for each in scores] for name in names}
    return {
        name: Value(
            math.fsum(0.0 if math.isnan(value) else value for value in column) / len(scores),
            no_interval=_MEAN_OVER_LABELS,
        )
        for name, column in columns.items()
    }
