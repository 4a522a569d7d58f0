"""Tiers that depend on others, such as words in utterances or glosses of words: they are no rival annotations.

Conventions
-----------
* An annotator looks like a dependent tier if two conditions hold. First, its units coincide with the units of another
  annotator or divide them: all bounds of the other's units are bounds of its own, and each of its units lies within one
  of them. Second, the two annotators have hardly a category in common. Rivals who mark the same segments use the same
  categories.
* Each dependent tier is reported once, with the finest tier that it depends on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gamma_align.columns import Columns, FloatArray, IntArray
from gamma_align.reading.marks.seconds import TOLERANCE

MAX_TIERS = 64  # a corpus with more annotators has human annotators, and no tiers of a file

MIN_UNITS = 5  # fewer units may coincide with those of another annotator by chance

MAX_EXCEPTIONS = 0.05
"""Share of units, and of labelled units whose category the other uses, that may break the conditions."""

_DECIMALS = round(-np.log10(TOLERANCE))  # bounds that differ by less than the tolerance are meant to be equal


class Dependent(NamedTuple):
    """An annotator that looks like a tier dependent on `base`, both as codes, with the number of units of each."""

    annotator: int
    base: int
    units: int
    base_units: int

    @property
    def description(self) -> str:
        """The relation of the units to the units of the base, in words."""
        if self.units == self.base_units:
            return f"its {self.units} units are where theirs are"
        return f"its {self.units} units divide their {self.base_units}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Spans(Columns):
    """Units of one annotator as columns of shape (n_units,)."""

    document: IntArray
    start: FloatArray
    end: FloatArray


def dependents(
    document: IntArray, annotator: IntArray, label: IntArray, start: FloatArray, end: FloatArray
) -> list[Dependent]:
    """Return the annotators that look like tiers dependent on another's; all columns have shape (n_units,)."""
    pairs = _pairs_without_common_categories(annotator, label)
    if not len(pairs):
        return []
    all_spans = _Spans(document, np.round(start, _DECIMALS), np.round(end, _DECIMALS))
    spans = {code: all_spans.take(annotator == code) for code in np.unique(pairs).tolist()}
    finest: dict[int, Dependent] = {}
    for fine, base in pairs.tolist():
        candidate = Dependent(fine, base, len(spans[fine]), len(spans[base]))
        # Of two tiers with equal units, only the one with the higher code depends on the other.
        is_finer = (candidate.units, fine) > (candidate.base_units, base)
        if is_finer and _divides(spans[fine], spans[base]):
            previous = finest.get(fine)
            if previous is None or previous.base_units < candidate.base_units:
                finest[fine] = candidate
    return list(finest.values())


def _pairs_without_common_categories(annotator: IntArray, label: IntArray) -> IntArray:
    """Return pairs of annotators who have enough units and hardly a category in common, shape (n_pairs, 2)."""
    n_annotators = int(annotator.max(initial=-1)) + 1
    if n_annotators > MAX_TIERS:
        return np.empty((0, 2), dtype=np.int64)
    counts = np.zeros((n_annotators, int(label.max(initial=-1)) + 1))
    np.add.at(counts, (annotator[label >= 0], label[label >= 0]), 1)
    # Units without a category say nothing about common categories.
    sizes = counts.sum(axis=1)
    is_apart = counts @ (counts > 0).T <= MAX_EXCEPTIONS * sizes[:, None]
    has_enough = sizes >= MIN_UNITS
    return np.argwhere(is_apart & is_apart.T & has_enough & has_enough[:, None])


def _divides(fine: _Spans, base: _Spans) -> bool:
    """Return whether the fine units coincide with the units of the base or divide them."""
    n_inside = 0
    n_divided = 0
    for document in np.intersect1d(fine.document, base.document).tolist():
        parts = fine.take(fine.document == document)
        wholes = base.take(base.document == document)
        order = np.lexsort((wholes.end, wholes.start))
        starts = wholes.start[order]
        ends = wholes.end[order]
        index = np.searchsorted(starts, parts.start, side="right") - 1
        n_inside += int(((index >= 0) & (parts.end <= ends[index])).sum())
        n_divided += int((np.isin(starts, parts.start) & np.isin(ends, parts.end)).sum())
    min_share = 1 - MAX_EXCEPTIONS
    return bool(n_inside >= min_share * len(fine) and n_divided >= min_share * len(base))
