"""From rows of coincidences to Values, per document and pooled: with intervals, or the reason why there is none.

Units that overlap are measured with each category as a layer of its own. On its layer a category has but itself and
gaps, so uα of a layer is its |uα, and values never meet. Over all layers, uα is 1 - Σ observed / Σ expected
disagreement, as the older αU sums its categories.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gamma_align._types import FloatArray, IntArray
from gamma_align.distances import Distance
from gamma_align.distances.metric import Metric, NominalMetric, column_sums
from gamma_align.results.jackknife import FEW_DOCUMENTS, FEW_UNITS, Interval, jackknife_interval, no_interval
from gamma_align.results.values import NO_ANNOTATOR, NO_UNITS, ONE_ANNOTATOR, Value
from gamma_align.unitizing.coincidences import Rows
from gamma_align.unitizing.measures import Disagreement, Measures, Sums, Table, measures
from gamma_align.unitizing.results import UnitizingValues


class Layers(NamedTuple):
    """uα of layers for several sets of data.

    Attributes
    ----------
    layer : ndarray of int64, shape (n_layers,)
        Codes of the layers that occur.
    total : ndarray of float64, shape (n_sets,)
        l.. of one layer.
    length : ndarray of float64, shape (n_layers, n_sets)
        Length of the units of each.
    each : Disagreement
        Of each layer, shape (n_layers, n_sets).
    u : Disagreement
        Of all, shape (n_sets,).
    """

    layer: IntArray
    total: FloatArray
    length: FloatArray
    each: Disagreement
    u: Disagreement


def layer_measures(sums: Sums) -> Layers:
    """Return uα of every layer and of all, from sums whose values are 2k (units) and 2k + 1 (gaps)."""
    layer = np.unique(sums.values // 2)
    size = len(layer), sums.lengths.shape[1]
    at = np.searchsorted(layer, sums.values[sums.first] // 2)
    kind = sums.values[sums.first] % 2 + sums.values[sums.second] % 2  # units, a unit and a gap, gaps
    cells = np.zeros((3, *size))
    cells[kind, at] = sums.lengths
    own = np.zeros(size)
    unit = np.flatnonzero(sums.values % 2 == 0)
    own[np.searchsorted(layer, sums.values[unit] // 2)] = sums.own[unit]
    found = measures(
        Sums(
            values=np.zeros(1, dtype=np.int64),
            first=np.array([0, 0, 1]),
            second=np.array([0, 1, 1]),
            lengths=cells.reshape(3, -1),
            own=own.reshape(1, -1),
            own_met=np.zeros((1, own.size)),
        ),
        NominalMetric(),
    )
    each = Disagreement(found.u.observed.reshape(size), found.u.expected.reshape(size))
    # a layer without a single length, in a block of documents without it, has nothing to add
    observed, expected = (column_sums(np.where(found.total.reshape(size) > 0, part, 0.0)) for part in each)
    return Layers(
        layer,
        found.total.reshape(size).max(axis=0, initial=0.0),
        found.length_k.reshape(size),
        each,
        Disagreement(observed, expected),
    )


NO_LENGTH = "no length"
ONE_VALUE = "one value everywhere"
NO_GAPS = "no gaps"
NOT_MET = "no two units meet"
NOT_MET_K = "no unit of the category meets a unit"
SAME_VALUE = "the values that meet do not differ"
TOO_COARSE = "the unit of length is too coarse: the gaps together are shorter than 1"
TOO_LITTLE = "too little meets to expect anything by chance"
LAYERS = "each category is a layer of its own"

REASONS = (
    *(ONE_ANNOTATOR, NO_ANNOTATOR, NO_LENGTH, NO_UNITS, ONE_VALUE, NO_GAPS),
    *(NOT_MET, NOT_MET_K, SAME_VALUE, TOO_LITTLE, TOO_COARSE, LAYERS),
)
"""Every reason for which a coefficient of the family is not available."""

_PLAIN = ("u", "bar_u", "cu")


@dataclass(frozen=True, slots=True)
class Family:
    """The family over given labels.

    Attributes
    ----------
    categories : tuple of str
        The labels of the codes.
    values : ndarray of int64, shape (n,)
        Codes of the values that occur in some row.
    metric : Metric or None
        δ² between them, for cuα and (k)uα; None where rows are of layers.
    """

    categories: tuple[str, ...]
    values: IntArray
    metric: Metric | None

    @classmethod
    def of(cls, categories: tuple[str, ...], distance: Distance, rows: Rows, *, layers: bool) -> Family:
        """Return the family of these rows and of others with the same values."""
        pairs, n = np.unique(rows.found.lengths.column), rows.found.n_values
        values = np.setdiff1d([pairs // n, pairs % n], n - 1)
        family = cls(categories, values, None)
        return family if layers else replace(family, metric=distance.metric(family._labels(values)))

    def each(self, rows: Rows) -> Iterator[UnitizingValues]:
        """Yield the values of each row, without intervals."""
        for _, sums in Table(rows.found).each():
            yield from self._values(sums)

    def pooled(self, rows: Rows, parts: Rows) -> UnitizingValues:
        """Return the values of all rows together, with intervals.

        Parameters
        ----------
        rows : Rows
            Documents.
        parts : Rows
            What is left out, one after the other, for the intervals: documents, or units of the one there is.
        """
        sums = Table(rows.found).whole()
        fixed = parts.found.n_rows - 1 if parts.run else None
        if parts.found.n_rows == (fixed is not None):  # nothing to leave out
            return next(self._values(sums))
        few = FEW_UNITS if parts.run else FEW_DOCUMENTS
        whole = self._disagreements(sums)
        alone, rest = zip(*Table(parts.found).parts(fixed=fixed), strict=True)
        disagreeing = sum((self._disagreements(some).observed > 0).sum(axis=1) for some in alone)
        without = [self._disagreements(some) for some in rest]
        observed, expected = (np.concatenate(tables, axis=1) for tables in zip(*without, strict=True))
        columns = (whole.observed[:, 0], whole.expected[:, 0], observed, expected, disagreeing)
        intervals = [
            jackknife_interval(*numbers, few=few) if numbers[1] > 0 else no_interval(few)
            for numbers in zip(*columns, strict=True)
        ]
        return next(self._values(sums, intervals))

    def _disagreements(self, sums: Sums) -> Disagreement:
        """Return the disagreements of uα, |uα, cuα and (k)uα (or layers) of every value, a column a set."""
        if self.metric is None:
            layers = layer_measures(sums)
            parts = [layers.u, *[Disagreement(*np.full((2, *layers.u.observed.shape), np.nan))] * 2]
            return _stacked(parts, layers.each)
        result = measures(sums, self.metric.take(np.searchsorted(self.values, sums.values)))
        return _stacked([getattr(result, name) for name in _PLAIN], result.ku)

    def _labels(self, values: IntArray) -> list[str | None]:
        return [None if code == len(self.categories) else self.categories[code] for code in values.tolist()]

    def _values(self, sums: Sums, interval: Sequence[Interval] | None = None) -> Iterator[UnitizingValues]:
        """Yield the values of each set."""
        if self.metric is None:
            layers = layer_measures(sums)
            labels = [None if k == len(self.categories) else self.categories[k] for k in layers.layer.tolist()]
            yield from (_layered(layers, at, labels, interval) for at in range(len(layers.total)))
            return
        found = measures(sums, self.metric.take(np.searchsorted(self.values, sums.values)))
        labels = self._labels(sums.values)
        yield from (_plain(found, at, labels, interval) for at in range(len(found.total)))


def _stacked(plain: Sequence[Disagreement], each: Disagreement) -> Disagreement:
    """Return disagreements of all values and those of each value as the rows of one."""
    observed, expected = (
        np.concatenate([np.stack(rows), more]) for rows, more in zip(zip(*plain, strict=True), each, strict=True)
    )
    return Disagreement(observed, expected)


def unavailable(reason: str) -> UnitizingValues:
    """Return the values of a document that has none."""
    nothing = Value.unavailable(reason)
    undefined = dict.fromkeys(_PLAIN, math.nan)
    return UnitizingValues(
        u=nothing, bar_u=nothing, cu=nothing, coverage=math.nan, observed=undefined, expected=dict(undefined)
    )


def _plain(
    found: Measures, at: int, labels: Sequence[str | None], interval: Sequence[Interval] | None
) -> UnitizingValues:
    none = None if found.in_units[at] > 0 else NO_UNITS
    missing = {"u": none or ONE_VALUE, "bar_u": none or NO_GAPS, "cu": none or NOT_MET}
    if found.met[at] > 0:
        missing["cu"] = TOO_LITTLE if math.isnan(found.cu.expected[at]) else SAME_VALUE
    for name in ("u", "bar_u"):
        if none is None and math.isnan(getattr(found, name).expected[at]):
            missing[name] = TOO_COARSE
    parts = {name: getattr(found, name) for name in _PLAIN}
    plain = {name: _value(part, at, missing[name], interval, place) for place, (name, part) in enumerate(parts.items())}
    ku, coverage_k = {}, {}
    for k, label in enumerate(labels):
        if label is not None and found.length_k[k, at] > 0:
            met = float(found.met_k[k, at])
            each = Disagreement(found.ku.observed[k], found.ku.expected[k])
            alone = TOO_LITTLE if math.isnan(found.ku.expected[k, at]) else SAME_VALUE
            ku[label] = _value(each, at, alone if met else NOT_MET_K, interval, len(_PLAIN) + k)
            coverage_k[label] = met / float(found.length_k[k, at])
    return UnitizingValues(
        u=plain["u"],
        bar_u=plain["bar_u"],
        cu=plain["cu"],
        ku=ku,
        coverage=float(found.met[at] / found.total[at]) if found.total[at] else math.nan,
        coverage_k=coverage_k,
        observed={name: float(part.observed[at]) for name, part in parts.items()},
        expected={name: float(part.expected[at]) for name, part in parts.items()},
    )


def _layered(
    layers: Layers, at: int, labels: Sequence[str | None], interval: Sequence[Interval] | None
) -> UnitizingValues:
    some = [k for k in range(len(labels)) if layers.length[k, at] > 0]
    missing = NO_UNITS if not some else ONE_VALUE
    if math.isnan(layers.u.expected[at]):
        missing = TOO_COARSE
    each = {
        str(labels[k]): _value(
            Disagreement(layers.each.observed[k], layers.each.expected[k]), at, missing, interval, len(_PLAIN) + k
        )
        for k in some
        if labels[k] is not None
    }
    nothing = Value.unavailable(LAYERS)
    return UnitizingValues(
        u=_value(layers.u, at, missing, interval, 0),
        bar_u=nothing,
        cu=nothing,
        coverage=math.nan,
        observed={"u": float(layers.u.observed[at]), "bar_u": math.nan, "cu": math.nan},
        expected={"u": float(layers.u.expected[at]), "bar_u": math.nan, "cu": math.nan},
        layers=each,
    )


def _value(part: Disagreement, at: int, missing: str, interval: Sequence[Interval] | None, place: int) -> Value:
    """Return the coefficient of a set, with the interval in row `place`."""
    observed, expected = float(part.observed[at]), float(part.expected[at])
    if not expected > 0:
        return Value.unavailable(missing)
    if interval is None:
        return Value(1.0 - observed / expected)
    low, high, _, missing_interval = interval[place]
    return Value(1.0 - observed / expected, low, high, no_interval=missing_interval)
