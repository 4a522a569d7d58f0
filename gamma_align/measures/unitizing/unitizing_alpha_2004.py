"""`unitizing_alpha_2004`: αU, the older unitizing coefficient (Krippendorff 1995, 2004), for comparison with print.

αU is not uα: it is computed for each category, from squared distances of boundaries, on whole positions. With m
annotators, a continuum of length L, N units of the category and their lengths l, over pairs of annotators

* δ = (b₁ - b₂)² + (e₁ - e₂)² of two units that intersect, and l² of a unit that lies inside a gap;
* D_o = Σ 2δ / (m(m - 1)L²);
* D_e = (2 / L) Σ_units ((N - 1)(2l³ - 3l² + l) / 3 + l² Σ_{gaps g ≥ l} (g - l + 1)) / (mL(mL - 1) - Σ l(l - 1));
* αU = 1 - D_o / D_e, and over all categories 1 - Σ D_o / Σ D_e.

References
----------
Krippendorff 2004, Content Analysis (2nd ed.), §11.6. Krippendorff 1995, On the reliability of unitizing continuous
data, Sociological Methodology 25, whose D_e differs in the third digit from the D_e of 2004 that is used here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray, grouped_sums
from gamma_align.data import Corpus, check_two_annotators
from gamma_align.errors import InputError
from gamma_align.inference import NO_UNITS, Result, Value, too_few
from gamma_align.measures.unitizing.family import ONE_VALUE
from gamma_align.measures.unitizing.segments import NO_UNIT, Segments, intersections, partition, slot_units


class Disagreements2004(NamedTuple):
    """D_o and D_e of every category of every document, sorted by both.

    `document` and `category` (-1: none) are codes; all have shape (n,).
    """

    document: IntArray
    category: IntArray
    observed: FloatArray
    expected: FloatArray


def disagreements_2004(corpus: Corpus) -> Disagreements2004:
    """Return D_o and D_e."""
    _refuse_fractions(corpus, "unit", np.stack([corpus.start, corpus.end], axis=1), corpus.unit_document)
    _refuse_fractions(corpus, "the extent", corpus.extents, np.arange(len(corpus)))
    units = slot_units(corpus, layers=True, join=False)
    segments = partition(corpus, units)
    n_annotators = np.diff(units.slots).astype(np.float64)
    length = np.ptp(corpus.extents, axis=1)[units.document]
    observed = 2.0 * _squared_distances(segments) / (n_annotators * (n_annotators - 1) * length**2)
    return Disagreements2004(units.document, units.layer, observed, _expected(segments, n_annotators, length))


def _refuse_fractions(corpus: Corpus, noun: str, bounds: FloatArray, document: IntArray) -> None:
    """Raise an InputError for the first bound that is not a whole number."""
    fractions = np.flatnonzero((bounds != np.floor(bounds)).any(axis=1))
    if len(fractions):
        row = fractions[0]
        raise InputError(
            f"document {corpus.documents[document[row]]!r}: {noun} [{bounds[row, 0]:.15g}, {bounds[row, 1]:.15g}] has "
            "a boundary that is no whole number, and αU (1995, 2004) counts positions",
            "give boundaries in a finer unit of length",
        )


def _squared_distances(segments: Segments) -> FloatArray:
    """Return Σ δ of each instance."""
    is_unit = segments.unit != NO_UNIT
    instance = segments.instance
    start = segments.start
    end = segments.end
    total = np.zeros(len(segments.slots) - 1)

    def add(segment: IntArray, squared: FloatArray, is_counted: BoolArray) -> None:
        total[:] += grouped_sums(instance[segment][is_counted], squared[is_counted], len(total))

    for first, second, _ in intersections(segments):
        for unit, gap in ((first, second), (second, first)):
            is_inside = is_unit[unit] & ~is_unit[gap] & (start[gap] <= start[unit]) & (end[gap] >= end[unit])
            add(unit, np.square(end[unit] - start[unit]), is_inside)
        distance = np.square(start[first] - start[second]) + np.square(end[first] - end[second])
        add(first, distance, is_unit[first] & is_unit[second])
    return total


def _expected(segments: Segments, n_annotators: FloatArray, length: FloatArray) -> FloatArray:
    """Return D_e of each instance."""
    is_unit = segments.unit != NO_UNIT
    instance = segments.instance[is_unit]
    size = (segments.end - segments.start)[is_unit]
    n_units = np.bincount(instance, minlength=len(length))
    with_units = (n_units[instance] - 1) * (2 * size**3 - 3 * size**2 + size) / 3
    gap_instance = segments.instance[~is_unit]
    gap_size = (segments.end - segments.start)[~is_unit]
    with_gaps = size**2 * _positions_in_gaps(instance, size, gap_instance, gap_size)
    total = grouped_sums(instance, with_units + with_gaps, len(length))
    n_positions = n_annotators * length
    pairs = n_positions * (n_positions - 1) - grouped_sums(instance, size * (size - 1), len(length))
    return 2.0 / length * total / pairs


def _positions_in_gaps(instance: IntArray, size: FloatArray, gap_instance: IntArray, gap: FloatArray) -> FloatArray:
    """Return the number of positions that each unit could have in gaps of its instance: Σ (g - l + 1) over gaps ≥ l."""
    order = np.lexsort((gap, gap_instance))
    gap_instance = gap_instance[order]
    gap = gap[order]
    sum_from = np.concatenate([np.cumsum(gap[::-1])[::-1], [0.0]])  # whole numbers: sums and differences are exact
    sizes = np.unique(np.concatenate([size, gap]))
    width = len(sizes) + 1
    keys = gap_instance * width + np.searchsorted(sizes, gap)
    first = np.searchsorted(keys, instance * width + np.searchsorted(sizes, size))
    last = np.searchsorted(gap_instance, instance, side="right")
    n_positions: FloatArray = sum_from[first] - sum_from[last] - (last - first) * (size - 1)
    return n_positions


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AlphaU2004Category(Result):
    """αU (2004) of one category: its label (None for units without one), D_o, D_e, and the coefficient.

    Examples
    --------
    >>> continuum = ga.Continuum.from_records([("ann", 0, 4, "x"), ("bob", 1, 5, "x")], extent=(0, 10))
    >>> category = ga.unitizing_alpha_2004(continuum)[0].categories[0]
    >>> round(category.observed, 3), round(category.expected, 3)
    (0.02, 0.121)
    """

    category: str | None
    observed: float
    expected: float
    alpha: Value


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AlphaU2004(Result):
    """αU (2004) of one document: over all its categories, and of each category.

    Examples
    --------
    >>> ga.unitizing_alpha_2004({"ann": [(0, 4, "x")], "bob": [(1, 5, "x")]})[0].categories[0].category
    'x'
    """

    document: str
    alpha: Value
    categories: tuple[AlphaU2004Category, ...]


def unitizing_alpha_2004(corpus: Corpus, /) -> tuple[AlphaU2004, ...]:
    """Return Krippendorff's older αU (1995, in the form of 2004) of each document, to compare with published values.

    uα has replaced it: see `unitizing_alpha`. Documents have no pooled value.

    Parameters
    ----------
    corpus : Corpus
        The data; boundaries and extents are whole numbers. Units of different categories may overlap.

    Returns
    -------
    tuple of AlphaU2004
        One for each document, sorted by name.

    Raises
    ------
    InputError
        For boundaries that are not whole numbers, units of one annotator and category that overlap, or if no document
        has two annotators.

    Examples
    --------
    >>> units = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 5, "x"), ("d2", "ann", 2, 5, "y"), ("d2", "bob", 2, 6, "x")]
    >>> [(result.document, round(result.alpha.value, 2)) for result in ga.unitizing_alpha_2004(units)]
    [('d1', 0.76), ('d2', -3.32)]
    """
    check_two_annotators(corpus)
    disagreements = disagreements_2004(corpus)
    categories: list[list[AlphaU2004Category]] = [[] for _ in corpus.documents]
    for document, code, observed, expected in zip(*(column.tolist() for column in disagreements), strict=True):
        label = None if code < 0 else corpus.categories[code]
        categories[document].append(AlphaU2004Category(label, observed, expected, _alpha(observed, expected)))
    rows = zip(corpus.documents, corpus.n_annotators.tolist(), categories, strict=True)
    return tuple(AlphaU2004(name, _overall(annotators, values), tuple(values)) for name, annotators, values in rows)


def _overall(annotators: int, categories: Sequence[AlphaU2004Category]) -> Value:
    """Return αU over all categories of a document."""
    reason = too_few(annotators) or (None if categories else NO_UNITS)
    if reason is not None:
        return Value.unavailable(reason)
    observed = math.fsum(category.observed for category in categories)
    return _alpha(observed, math.fsum(category.expected for category in categories))


def _alpha(observed: float, expected: float) -> Value:
    """Return 1 - D_o/D_e, or the reason why it is not available."""
    return Value(1.0 - observed / expected) if expected > 0 else Value.unavailable(ONE_VALUE)
