"""Tiers that depend on others: words in utterances, glosses of words, which are no rival annotations.

Conventions
-----------
* An annotator looks like a dependent tier where the units divide those of another annotator (all bounds of theirs are
  bounds of its own, and each of its units is in one of theirs) or are where theirs are, and the two share hardly a
  category. Rivals who mark the same segments use the same categories.
* Each dependent tier is reported once, with the finest tier it depends on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gamma_align.columns import Columns, FloatArray, IntArray
from gamma_align.reading.marks.seconds import TOLERANCE

MOST_ANNOTATORS = 64
"""More are people, and no tiers of a file."""

LEAST_UNITS = 5
"""Fewer may be where another's are by chance."""

EXCEPTIONS = 0.05
"""The part of the units, and of the categories, that may be otherwise."""


class Dependent(NamedTuple):
    """An annotator and the one it looks dependent on, by their codes, and how many units each has."""

    annotator: int
    on: int
    units: int
    others: int

    @property
    def how(self) -> str:
        """Return words for how the units are to the others."""
        if self.units == self.others:
            return f"its {self.units} units are where theirs are"
        return f"its {self.units} units divide their {self.others}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Spans(Columns):
    """Units of one annotator as columns of shape (n_units,)."""

    document: IntArray
    start: FloatArray
    end: FloatArray


def dependents(
    document: IntArray, annotator: IntArray, label: IntArray, start: FloatArray, end: FloatArray
) -> list[Dependent]:
    """Return the annotators that look like tiers dependent on another's; the columns are those of all units."""
    pairs = _apart(annotator, label)
    if not len(pairs):
        return []
    decimals = round(-np.log10(TOLERANCE))  # bounds closer than that are meant to be the same
    every = _Spans(document, np.round(start, decimals), np.round(end, decimals))
    spans = {code: every.take(annotator == code) for code in np.unique(pairs).tolist()}
    found: dict[int, Dependent] = {}
    for fine, coarse in pairs.tolist():
        sizes = len(spans[fine]), len(spans[coarse])
        if (sizes[0], fine) > (sizes[1], coarse) and _divides(spans[fine], spans[coarse]):
            before = found.get(fine)
            if before is None or before.others < sizes[1]:
                found[fine] = Dependent(fine, coarse, *sizes)
    return list(found.values())


def _apart(annotator: IntArray, label: IntArray) -> IntArray:
    """Return pairs of annotators with enough units who share hardly a category, shape (n_pairs, 2)."""
    people = int(annotator.max(initial=-1)) + 1
    if people > MOST_ANNOTATORS:
        return np.empty((0, 2), dtype=np.int64)
    counts = np.zeros((people, int(label.max(initial=-1)) + 1))
    np.add.at(counts, (annotator[label >= 0], label[label >= 0]), 1)
    sizes = counts.sum(axis=1)
    apart = counts @ (counts > 0).T <= EXCEPTIONS * sizes[:, None]
    enough = sizes >= LEAST_UNITS
    return np.argwhere(apart & apart.T & enough & enough[:, None])


def _divides(fine: _Spans, coarse: _Spans) -> bool:
    """Whether the units of one divide those of another, or are where they are."""
    inside = held = 0
    for document in np.intersect1d(fine.document, coarse.document).tolist():
        parts, wholes = fine.take(fine.document == document), coarse.take(coarse.document == document)
        order = np.lexsort((wholes.end, wholes.start))
        starts, ends = wholes.start[order], wholes.end[order]
        index = np.searchsorted(starts, parts.start, side="right") - 1
        inside += int(((index >= 0) & (parts.end <= ends[index])).sum())
        held += int((np.isin(starts, parts.start) & np.isin(ends, parts.end)).sum())
    least = 1 - EXCEPTIONS
    return bool(inside >= least * len(fine.start) and held >= least * len(coarse.start))
