"""uα, |uα, cuα and (k)uα from sums of coincidences, with their intervals (K16 eq. 5-13; K19 §12.6 eq. 32-38).

Each is 1 - observed / expected disagreement. With l_c = Σ_k l_ck, l.. = Σ l_c, l* the coincidences of values alone
(units that meet), and self-pairings left out of what is expected:

* uα (nominal, φ is a value): Σ_{c≠k} l_ck against Σ_{c≠k} l_c·l_k / (l.. - Σ own_c / l..);
* |uα: the same with all values of units as one;
* cuα: Σ l*_ck·δ²_ck against Σ l*_c·l*_k·δ²_ck / (l*.. - Σ own*_c / l*..);
* (k)uα: the row of value k of cuα, as a share of l*_k and of ε*_k = (l*_k·l*.. - own*_k) / (l*.. - Σ own*_c / l*..);
* coverage: l*_k / l_k, and over all l*.. / l.. .

By chance, a value meets itself on (l_c² - own_c) / (l.. - Σ own_c / l..). Over all values together that is negative
where a few units meet a few of many annotators, and where gaps are shorter than one unit of length. More than
everything would then be expected to differ, and data that always disagree would get a positive coefficient, so there
is none. Nor is there one where own_c leaves nothing to expect. For (k)uα, what value k alone is expected to share
with itself decides.

Layers
------
Units that overlap are measured with each category as a layer of its own. On its layer a category has but itself and
gaps, so uα of a layer is its |uα, and values never meet. Over all layers, uα is 1 - Σ observed / Σ expected
disagreement, as the older αU sums its categories.

References
----------
K16: Krippendorff, Mathet, Bouvry & Widlöcher 2016 (its erratum, Quality & Quantity 50:2365, was not to be had).
K19: Krippendorff 2019, §12.6.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.distances import Distance
from gamma_align.distances.metric import Metric, NominalMetric, column_sums
from gamma_align.inference.jackknife import ConfidenceInterval, Parts, one_minus_ratio, ratio_intervals
from gamma_align.inference.values import NO_ANNOTATOR, NO_UNITS, ONE_ANNOTATOR, Value
from gamma_align.measures.unitizing.coincidences import MOST_PARTS, CoincidenceRows, CoincidenceSums, CoincidenceTable
from gamma_align.measures.unitizing.unitizing_result import UnitizingValues

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

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
_Intervals = Sequence[ConfidenceInterval] | None
_ROUNDING = 1e-12  # what is left of a sum when all of it is taken away


class Disagreement(NamedTuple):
    """Observed and expected disagreement, arrays of one shape; expected is NaN where nothing can be expected."""

    observed: FloatArray
    expected: FloatArray

    def of(self, number: int) -> SingleDisagreement:
        """Return those of one set, or of one value."""
        return SingleDisagreement(float(self.observed[number]), float(self.expected[number]))


class SingleDisagreement(NamedTuple):
    """Observed and expected disagreement of one set of data."""

    observed: float
    expected: float


class Measures(NamedTuple):
    """The family for several sets of data.

    `codes`, shape (n,), are the values. `total`, `in_units` and `met`, shape (n_sets,), are l.., what of it is in
    units, and l*.., what of it meets a unit; `length_k` and `met_k`, shape (n, n_sets), are l_k and l*_k. Those of `u`,
    `bar_u` and `cu` have the shape (n_sets,), those of `ku` (n, n_sets).
    """

    codes: IntArray
    total: FloatArray
    in_units: FloatArray
    met: FloatArray
    length_k: FloatArray
    met_k: FloatArray
    u: Disagreement
    bar_u: Disagreement
    cu: Disagreement
    ku: Disagreement

    def disagreements(self) -> Disagreement:
        """Return those of uα, |uα, cuα and (k)uα of every value, a column a set."""
        return _stacked([self.u, self.bar_u, self.cu], self.ku)

    def lengths(self) -> FloatArray:
        """Return the lengths that the numbers of `disagreements` are shares of."""
        return np.concatenate([np.stack([self.total, self.total, self.met]), self.met_k])

    def values(self, number: int, labels: Sequence[str | None], interval: _Intervals) -> UnitizingValues:
        """Return the values of one of the sets, with an interval for each row of `disagreements`."""
        parts = {name: getattr(self, name).of(number) for name in _PLAIN}
        ku_parts = Disagreement(self.ku.observed[:, number], self.ku.expected[:, number])
        total, in_units, met = (float(amount[number]) for amount in (self.total, self.in_units, self.met))
        length_k, met_k = self.length_k[:, number].tolist(), self.met_k[:, number].tolist()
        none = None if in_units > 0 else NO_UNITS
        missing = {"u": none or ONE_VALUE, "bar_u": none or NO_GAPS, "cu": none or NOT_MET}
        if met > 0:
            missing["cu"] = TOO_LITTLE if math.isnan(parts["cu"].expected) else SAME_VALUE
        for name in ("u", "bar_u"):
            if none is None and math.isnan(parts[name].expected):
                missing[name] = TOO_COARSE
        ku, coverage_k = {}, {}
        for k, label in enumerate(labels):
            if label is not None and length_k[k] > 0:
                reason = TOO_LITTLE if math.isnan(ku_parts.expected[k]) else SAME_VALUE
                ku[label] = _value(ku_parts.of(k), reason if met_k[k] else NOT_MET_K, interval, len(_PLAIN) + k)
                coverage_k[label] = met_k[k] / length_k[k]
        values = {name: _value(parts[name], missing[name], interval, row) for row, name in enumerate(_PLAIN)}
        return UnitizingValues(
            u=values["u"],
            bar_u=values["bar_u"],
            cu=values["cu"],
            ku=ku,
            coverage=met / total if total else math.nan,
            coverage_k=coverage_k,
            observed={name: part.observed for name, part in parts.items()},
            expected={name: part.expected for name, part in parts.items()},
        )


def measures(sums: CoincidenceSums, metric: Metric) -> Measures:
    """Return the family; the metric, δ² of cuα and (k)uα, is bound to the labels of `sums.values`."""
    n = len(sums.values)
    differ = sums.first != sums.second
    gap = sums.second == n
    margin = _margins(sums, n + 1, np.ones(len(sums.first), dtype=np.bool_))
    met_k = _margins(sums, n, ~gap)
    length_k, empty = margin[:n], margin[n]
    total, in_units, met = column_sums(margin), column_sums(length_k), column_sums(met_k)
    own = column_sums(sums.own) + empty  # the self-pairing of φ is its length: gaps are matched point by point
    chance = column_sums(margin * (total - margin))
    units_met_gap = column_sums(sums.lengths[gap & differ])
    return Measures(
        sums.values,
        total,
        in_units,
        met,
        length_k,
        met_k,
        _shares(2.0 * column_sums(sums.lengths[differ]), chance, margin, own),
        _shares(units_met_gap, in_units * empty, np.stack([in_units, empty]), own),
        *_coding(sums, metric, met_k),
    )


def _coding(sums: CoincidenceSums, metric: Metric, met_k: FloatArray) -> tuple[Disagreement, Disagreement]:
    """Return what cuα and (k)uα are made of."""
    n = len(sums.values)
    coded = (sums.first != sums.second) & (sums.second < n)
    first, second = sums.first[coded], sums.second[coded]
    apart = sums.lengths[coded] * metric.pairs(first, second, met_k)
    observed_k = _onto(first, apart, n) + _onto(second, apart, n)
    expected_k = met_k * metric.weighted_sum(met_k)
    met, own_met = column_sums(met_k), column_sums(sums.own_met)
    partners = met_k * met - sums.own_met  # of all that could be met, what is not the unit itself
    with np.errstate(divide="ignore", invalid="ignore"):
        known = (met - own_met / met > _ROUNDING * met) & (met_k**2 - sums.own_met >= -_ROUNDING * met_k * met)
        ku = Disagreement(observed_k / met_k, np.where(known, expected_k / partners, np.nan))
    return _shares(column_sums(observed_k), column_sums(expected_k), met_k, own_met), ku


def _shares(observed: FloatArray, chance: FloatArray, margins: FloatArray, own: FloatArray) -> Disagreement:
    """Return the shares of all coincidences that differ and are expected to, the latter NaN where it is not defined.

    They are made of Σ l_ck δ²_ck, Σ l_c l_k δ²_ck, l_c of each value, shape (n, n_sets), and Σ own_c.
    """
    total = column_sums(margins)
    themselves = column_sums(margins**2) - own
    with np.errstate(divide="ignore", invalid="ignore"):
        pairable = total - own / total
        known = (pairable > _ROUNDING * total) & (themselves >= -_ROUNDING * total**2)
        return Disagreement(observed / total, np.where(known, chance / pairable, np.nan) / total)


def _margins(sums: CoincidenceSums, size: int, some: BoolArray) -> FloatArray:
    """Return Σ_k l_ck of these pairs for each c below `size`."""
    first, second, lengths = sums.first[some], sums.second[some], sums.lengths[some]
    differ = first != second
    return _onto(first, lengths, size) + _onto(second[differ], lengths[differ], size)


def _onto(row: IntArray, numbers: FloatArray, size: int) -> FloatArray:
    """Return the sums of the numbers, rows of a table, that go to the same row, in their order."""
    from scipy.sparse import csr_matrix

    entries = (np.ones(len(row)), (row, np.arange(len(row))))
    onto: csr_matrix[np.float64] = csr_matrix(entries, shape=(size, len(row)))
    return np.asarray(onto @ numbers)


class Layers(NamedTuple):
    """uα of the layers that occur in several sets of data.

    `total` is l.. of one layer, and `u` of all layers, shape (n_sets,); `length`, of units, and `each` are of every
    layer, shape (n_layers, n_sets).
    """

    codes: IntArray
    total: FloatArray
    length: FloatArray
    each: Disagreement
    u: Disagreement

    def disagreements(self) -> Disagreement:
        """Return those of uα, of |uα and cuα (not defined), and of every layer, a column a set."""
        undefined = np.full_like(self.u.observed, np.nan)
        return _stacked([self.u, *[Disagreement(undefined, undefined)] * 2], self.each)

    def lengths(self) -> FloatArray:
        """Return the lengths that the numbers of `disagreements` are shares of."""
        return np.tile(self.total, (len(_PLAIN) + len(self.codes), 1))

    def values(self, number: int, labels: Sequence[str | None], interval: _Intervals) -> UnitizingValues:
        """Return the values of one of the sets, of self."""
        whole = self.u.of(number)
        parts = Disagreement(self.each.observed[:, number], self.each.expected[:, number])
        some = np.flatnonzero(self.length[:, number] > 0).tolist()
        missing = ONE_VALUE if some else NO_UNITS
        if math.isnan(whole.expected):
            missing = TOO_COARSE
        values = [(labels[k], _value(parts.of(k), missing, interval, len(_PLAIN) + k)) for k in some]
        undefined, nothing = dict.fromkeys(_PLAIN, math.nan), Value.unavailable(LAYERS)
        return UnitizingValues(
            u=_value(whole, missing, interval, 0),
            bar_u=nothing,
            cu=nothing,
            coverage=math.nan,
            observed=undefined | {"u": whole.observed},
            expected=undefined | {"u": whole.expected},
            layers={label: value for label, value in values if label is not None},
        )


def layer_measures(sums: CoincidenceSums) -> Layers:
    """Return uα of every layer and of all, from sums whose values are 2k (units) and 2k + 1 (gaps)."""
    layer = np.unique(sums.values // 2)
    size = len(layer), sums.lengths.shape[1]
    index = np.searchsorted(layer, sums.values[sums.first] // 2)
    kind = sums.values[sums.first] % 2 + sums.values[sums.second] % 2  # units, a unit and a gap, gaps
    cells = np.zeros((3, *size))
    cells[kind, index] = sums.lengths
    own = np.zeros(size)
    unit = np.flatnonzero(sums.values % 2 == 0)
    own[np.searchsorted(layer, sums.values[unit] // 2)] = sums.own[unit]
    alone = measures(
        CoincidenceSums(
            values=np.zeros(1, dtype=np.int64),
            first=np.array([0, 0, 1]),
            second=np.array([0, 1, 1]),
            lengths=cells.reshape(3, -1),
            own=own.reshape(1, -1),
            own_met=np.zeros((1, own.size)),
        ),
        NominalMetric(),
    )
    each = Disagreement(alone.u.observed.reshape(size), alone.u.expected.reshape(size))
    # a layer without a single length, in a block of documents without it, has nothing to add
    observed, expected = (column_sums(np.where(alone.total.reshape(size) > 0, part, 0.0)) for part in each)
    return Layers(
        layer,
        alone.total.reshape(size).max(axis=0, initial=0.0),
        alone.length_k.reshape(size),
        each,
        Disagreement(observed, expected),
    )


@dataclass(frozen=True, slots=True)
class Family:
    """The family over given labels.

    `categories` are the labels of the codes, `values` the codes that occur in some row. `metric` is δ² between these,
    for cuα and (k)uα; None where rows are of layers.
    """

    categories: tuple[str, ...]
    values: IntArray
    metric: Metric | None

    @classmethod
    def of(cls, categories: tuple[str, ...], distance: Distance, rows: CoincidenceRows, *, layers: bool) -> Family:
        """Return the family of these rows and of others with the same values."""
        pairs, n = np.unique(rows.coincidences.lengths.column), rows.coincidences.n_values
        values = np.setdiff1d([pairs // n, pairs % n], n - 1)
        family = cls(categories, values, None)
        return family if layers else replace(family, metric=distance.metric(family._labels(values)))

    def each(self, rows: CoincidenceRows) -> Iterator[UnitizingValues]:
        """Yield the values of each row, without intervals."""
        for _, sums in CoincidenceTable(rows.coincidences).each():
            yield from self._values(sums)

    def pooled(self, rows: CoincidenceRows, parts: CoincidenceRows) -> UnitizingValues:
        """Return the values of all rows together, with intervals.

        For these `parts` are left out, one after the other: documents, or units of the one there is.
        """
        sums = CoincidenceTable(rows.coincidences).whole()
        fixed = parts.coincidences.n_rows - 1 if parts.run else None
        if parts.coincidences.n_rows == (fixed is not None):  # nothing to leave out
            return next(self._values(sums))
        alone, rest = zip(*CoincidenceTable(parts.coincidences).parts(fixed=fixed), strict=True)
        intervals = ratio_intervals(self.parts(sums, alone, rest))
        noun = _noun(parts)
        return next(
            self._values(sums, [one_minus_ratio(intervals, row, noun) for row in range(len(intervals.missing))])
        )

    def parts(self, whole: CoincidenceSums, alone: Iterable[CoincidenceSums], rest: Iterable[CoincidenceSums]) -> Parts:
        """Return the disagreement of all values, with and without each part of the data.

        `alone` are the sums of each part (a document, say), `rest` the sums without it, sets of them at a time.
        """
        partial = self._can_agree(whole)
        disagreeing, agreeing = [], []
        for sums in alone:
            disagreeing.append(self._measured(sums).disagreements().observed > 0)
            agreeing.append(self._agreement(sums, partial) > 0)
        total = _amounts(self._measured(whole))
        without = [_amounts(self._measured(sums)) for sums in rest]
        return Parts(
            total.observed[:, 0],
            total.expected[:, 0],
            np.concatenate([part.observed for part in without], axis=1),
            np.concatenate([part.expected for part in without], axis=1),
            np.concatenate(disagreeing, axis=1),
            np.concatenate(agreeing, axis=1),
        )

    def lowest(self, whole: CoincidenceSums) -> FloatArray:
        """Return the value of data that disagree everywhere, for each row of `disagreements`; -∞ if it has no limit."""
        expected = self._measured(whole).disagreements().expected[:, 0]
        row = np.arange(len(expected))
        if self.metric is None:
            is_share: BoolArray = row >= len(_PLAIN)  # uα over all layers adds up the shares of the layers
        else:
            is_share = (row < _PLAIN.index("cu")) | isinstance(self.metric, NominalMetric)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(is_share & (expected > 0), 1.0 - 1.0 / expected, -np.inf)

    def _can_agree(self, whole: CoincidenceSums) -> BoolArray:
        """Return the pairs of values of units that agree at least in part: δ² is below the largest one of all pairs."""
        units = whole.second < len(whole.values)
        if self.metric is None:
            same: BoolArray = whole.first == whole.second
            return same
        metric = self.metric.take(np.searchsorted(self.values, whole.values))
        margins = _margins(whole, len(whole.values), units)
        squared = np.zeros(len(whole.first))
        squared[units] = metric.pairs(whole.first[units], whole.second[units], margins)[:, 0]
        met = units & (whole.lengths[:, 0] > 0)
        partial: BoolArray = units & ((whole.first == whole.second) | (squared < squared[met].max(initial=0.0)))
        return partial

    def _agreement(self, sums: CoincidenceSums, partial: BoolArray) -> FloatArray:
        """Return the length on which values agree, a row for each row of `disagreements`."""
        same, n = sums.first == sums.second, len(sums.values)
        if self.metric is None:
            # a layer has the values 2k (units) and 2k + 1 (gaps): both agree with themselves
            layers, layer = np.unique(sums.values // 2, return_inverse=True)
            each = _onto(layer.reshape(-1)[sums.first[same]], sums.lengths[same], len(layers))
            undefined = np.zeros_like(each[:1])
            return np.concatenate([column_sums(each)[None, :], undefined, undefined, each])
        both_units, both_gaps = sums.second < n, sums.first == n
        rows = [column_sums(sums.lengths[pairs]) for pairs in (same, both_units | both_gaps, partial)]
        return np.concatenate([np.stack(rows), _margins(sums, n, partial)])

    def weighted(self, rows: CoincidenceRows, weights: csr_matrix[np.float64]) -> FloatArray:
        """Return uα, |uα, cuα and the value of each of `labels`, for sums in which rows count so often.

        The weights have the shape (n_sets, n_rows), what is returned (n_sets, 3 + n_labels); NaN is no value.
        """
        parts = [np.empty((len(_PLAIN) + len(self.labels), 0))]
        for sums in CoincidenceTable(rows.coincidences).weighted(weights):
            observed, expected = self._measured(sums).disagreements()
            with np.errstate(divide="ignore", invalid="ignore"):
                parts.append(np.where(expected > 0, 1.0 - observed / expected, np.nan))
        return np.concatenate(parts, axis=1).T

    @property
    def labels(self) -> list[str | None]:
        """The categories that occur in some row, None for units without one."""
        return self._labels(np.unique(self.values // 2) if self.metric is None else self.values)

    def _measured(self, sums: CoincidenceSums) -> Measures | Layers:
        if self.metric is None:
            return layer_measures(sums)
        return measures(sums, self.metric.take(np.searchsorted(self.values, sums.values)))

    def _labels(self, values: IntArray) -> list[str | None]:
        return [None if code == len(self.categories) else self.categories[code] for code in values.tolist()]

    def _values(self, sums: CoincidenceSums, interval: _Intervals = None) -> Iterator[UnitizingValues]:
        """Yield the values of each set."""
        measured = self._measured(sums)
        labels = self._labels(measured.codes)
        yield from (measured.values(number, labels, interval) for number in range(len(measured.total)))


def _noun(parts: CoincidenceRows) -> str:
    """Return what the parts that are left out one after the other are."""
    if parts.run:
        return "units" if parts.run == 1 else "runs of units"
    return "documents" if parts.coincidences.n_rows <= MOST_PARTS else "runs of documents"


def _amounts(measured: Measures | Layers) -> Disagreement:
    """Return observed and expected disagreement as lengths, which grow with the data."""
    observed, expected = measured.disagreements()
    lengths = measured.lengths()
    return Disagreement(observed * lengths, expected * lengths)


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


def _value(part: SingleDisagreement, missing: str, interval: _Intervals, row: int) -> Value:
    """Return the coefficient of one observed and expected disagreement, with the interval of that row."""
    if not part.expected > 0:
        return Value.unavailable(missing)
    value = 1.0 - part.observed / part.expected
    if interval is None:
        return Value(value)
    return interval[row].around(value)
