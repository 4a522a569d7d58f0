"""uα, |uα, cuα and (k)uα from sums of coincidences, with their intervals (K16 eq. 5-13; K19 §12.6 eq. 32-38).

Each is 1 - observed / expected disagreement. With l_c = Σ_k l_ck, l.. = Σ l_c, l* the coincidences of values alone
(units that intersect units), and self-pairings excluded from the expected disagreement:

* uα (nominal, φ is a value): Σ_{c≠k} l_ck against Σ_{c≠k} l_c·l_k / (l.. - Σ own_c / l..);
* |uα: the same with all values of units as one;
* cuα: Σ l*_ck·δ²_ck against Σ l*_c·l*_k·δ²_ck / (l*.. - Σ own*_c / l*..);
* (k)uα: the row of value k of cuα, as a share of l*_k and of ε*_k = (l*_k·l*.. - own*_k) / (l*.. - Σ own*_c / l*..);
* coverage: l*_k / l_k, and over all l*.. / l.. .

By chance, a value meets itself on (l_c² - own_c) / (l.. - Σ own_c / l..). Summed over all values this is negative if a
few units meet a few of many annotators, or if gaps are shorter than one unit of length. More than everything would then
be expected to differ, and data that always disagree would get a positive coefficient, so no coefficient is given. It is
not given either if own_c leaves no expected disagreement. For (k)uα, only the chance that value k meets itself decides.

Layers
------
Units that overlap are measured with each category as a layer of its own. A layer contains one category and gaps, so
its uα is its |uα, and different categories never meet. Over all layers, uα is 1 - Σ observed / Σ expected disagreement,
as the older αU sums its categories.

References
----------
K16: Krippendorff, Mathet, Bouvry & Widlöcher 2016 (its erratum, Quality & Quantity 50:2365, was not available to us).
K19: Krippendorff 2019, §12.6.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray, distinct, grouped_sums
from gamma_align.distances import Distance, Metric, NominalMetric, column_sums
from gamma_align.inference import (
    NO_ANNOTATOR,
    NO_UNITS,
    ONE_ANNOTATOR,
    ConfidenceInterval,
    Parts,
    Value,
    one_minus_ratios,
    ratio_intervals,
)
from gamma_align.measures.unitizing.coincidences import MAX_PARTS, CoincidenceRows, CoincidenceSums, CoincidenceTable
from gamma_align.measures.unitizing.unitizing_result import UnitizingValues

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

# Reasons for which a coefficient of the family is not available, besides those of all measures.
NO_LENGTH = "no length"
ONE_VALUE = "one value everywhere"
NO_GAPS = "no gaps"
NOT_MET = "no two units meet"
NOT_MET_K = "no unit of the category meets a unit"
SAME_VALUE = "the values that meet do not differ"
TOO_COARSE = "the unit of length is too coarse: the gaps together are shorter than 1"
TOO_LITTLE = "too little meets to expect anything by chance"
LAYERS = "each category is a layer of its own"  # of |uα and cuα

REASONS = (
    *(ONE_ANNOTATOR, NO_ANNOTATOR, NO_LENGTH, NO_UNITS, ONE_VALUE, NO_GAPS),
    *(NOT_MET, NOT_MET_K, SAME_VALUE, TOO_LITTLE, TOO_COARSE, LAYERS),
)
"""All reasons for which a coefficient of the family is not available."""

_COEFFICIENTS = ("u", "bar_u", "cu")  # of all values together; (k)uα of each value follows
_ROUNDING = 1e-12  # relative to a sum: what may remain by rounding alone if all of it is subtracted
_Intervals = Sequence[ConfidenceInterval | None]


class SingleDisagreement(NamedTuple):
    """Observed and expected disagreement of one set of data."""

    observed: float
    expected: float

    def value(self, reason: str, interval: ConfidenceInterval | None) -> Value:
        """Return the coefficient with its interval, or the reason why it is not available."""
        if not self.expected > 0:
            return Value.unavailable(reason)
        value = 1.0 - self.observed / self.expected
        return Value(value) if interval is None else interval.around(value)


class Disagreement(NamedTuple):
    """Observed and expected disagreement, arrays of one shape; expected is NaN if it is not defined."""

    observed: FloatArray
    expected: FloatArray

    def at(self, *index: int) -> SingleDisagreement:
        """Return the disagreement of one set, or of one value in one set."""
        return SingleDisagreement(float(self.observed[index]), float(self.expected[index]))


class Measures(NamedTuple):
    """The family for several sets of data.

    `codes`, shape (n,), are the values. `total`, `in_units` and `met`, shape (n_sets,), are l.., its part in units, and
    l*.., its part in units that meet units; `length_k` and `met_k`, shape (n, n_sets), are l_k and l*_k. `u`, `bar_u`
    and `cu` have the shape (n_sets,), `ku` has (n, n_sets).
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
        """Return the disagreements of uα, |uα, cuα and (k)uα of every value as rows, a column for each set."""
        return _stack([self.u, self.bar_u, self.cu], self.ku)

    def lengths(self) -> FloatArray:
        """Return the lengths that the numbers of `disagreements` are shares of."""
        return np.concatenate([np.stack([self.total, self.total, self.met]), self.met_k])

    def values(self, index: int, labels: Sequence[str | None], intervals: _Intervals) -> UnitizingValues:
        """Return the values of one of the sets, with an interval for each row of `disagreements`."""
        length_k = self.length_k[:, index].tolist()
        met_k = self.met_k[:, index].tolist()
        ku = {}
        coverage_k = {}
        for k, label in enumerate(labels):
            if label is not None and length_k[k] > 0:
                disagreement = self.ku.at(k, index)
                reason = TOO_LITTLE if math.isnan(disagreement.expected) else SAME_VALUE
                interval = intervals[len(_COEFFICIENTS) + k]
                ku[label] = disagreement.value(reason if met_k[k] else NOT_MET_K, interval)
                coverage_k[label] = met_k[k] / length_k[k]
        disagreements = {name: getattr(self, name).at(index) for name in _COEFFICIENTS}
        reasons = self._reasons(index)
        values = {name: disagreements[name].value(reasons[name], intervals[row]) for row, name in enumerate(reasons)}
        total = float(self.total[index])
        met = float(self.met[index])
        return UnitizingValues(
            **values,
            ku=ku,
            coverage=met / total if total else math.nan,
            coverage_k=coverage_k,
            observed={name: part.observed for name, part in disagreements.items()},
            expected={name: part.expected for name, part in disagreements.items()},
        )

    def _reasons(self, index: int) -> dict[str, str]:
        """Return the reason why each coefficient of one of the sets may not be available, in their order."""
        if not self.in_units[index] > 0:
            return dict.fromkeys(_COEFFICIENTS, NO_UNITS)
        reasons = {"u": ONE_VALUE, "bar_u": NO_GAPS, "cu": NOT_MET}
        if self.met[index] > 0:
            reasons["cu"] = TOO_LITTLE if math.isnan(self.cu.expected[index]) else SAME_VALUE
        for name in ("u", "bar_u"):
            if math.isnan(getattr(self, name).expected[index]):
                reasons[name] = TOO_COARSE
        return reasons


def measures(sums: CoincidenceSums, metric: Metric) -> Measures:
    """Return the family; the metric, δ² of cuα and (k)uα, is bound to the labels of `sums.values`."""
    n = len(sums.values)
    overall = _Overall.of(sums)
    has_gap = sums.second == n
    met_k = _margins(sums, n, ~has_gap)
    in_units = overall.in_units
    in_gaps = overall.margin[n]
    units_met_gap = column_sums(sums.lengths[has_gap & (sums.first != sums.second)])
    cu, ku = _coding(sums, metric, met_k)
    return Measures(
        codes=sums.values,
        total=overall.total,
        in_units=in_units,
        met=column_sums(met_k),
        length_k=overall.margin[:n],
        met_k=met_k,
        u=overall.u,
        bar_u=_shares(units_met_gap, in_units * in_gaps, np.stack([in_units, in_gaps]), overall.self_pairing),
        cu=cu,
        ku=ku,
    )


class _Overall(NamedTuple):
    """uα of several sets of data, and its terms: `margin` is l_c of each value and of φ, shape (n + 1, n_sets).

    `total`, `in_units` and `self_pairing` are l.., its part in units, and Σ own_c, shape (n_sets,).
    """

    margin: FloatArray
    total: FloatArray
    in_units: FloatArray
    self_pairing: FloatArray
    u: Disagreement

    @classmethod
    def of(cls, sums: CoincidenceSums) -> _Overall:
        """Return uα and its terms from the sums."""
        n = len(sums.values)
        differs = sums.first != sums.second
        margin = _margins(sums, n + 1, np.ones(len(sums.first), dtype=np.bool_))
        total = column_sums(margin)
        # The self-pairing of φ is its length: gaps are matched point by point.
        self_pairing = column_sums(sums.own) + margin[n]
        chance = column_sums(margin * (total - margin))
        u = _shares(2.0 * column_sums(sums.lengths[differs]), chance, margin, self_pairing)
        return cls(margin, total, column_sums(margin[:n]), self_pairing, u)

    def amounts(self) -> Disagreement:
        """Return observed and expected disagreement as lengths, which grow with the data, shape (1, n_sets)."""
        return Disagreement(self.u.observed[None] * self.total, self.u.expected[None] * self.total)


def pooled_u(rows: CoincidenceRows, parts: CoincidenceRows, documents: Sequence[str]) -> Value:
    """Return uα of all rows together, with its interval: `Family.pooled` without all other coefficients."""
    table = CoincidenceTable(parts.coincidences)
    overall = _Overall.of((table if parts is rows else CoincidenceTable(rows.coincidences)).total())
    disagreeing = []
    agreeing = []
    without = []
    for single, remaining in table.sums_of_parts(fixed=_fixed_row(parts)):
        disagreeing.append(_Overall.of(single).u.observed[None] > 0)
        agreeing.append(column_sums(single.lengths[single.first == single.second])[None] > 0)
        without.append(_Overall.of(remaining).amounts())
    interval = None
    if without:
        observed, expected = (np.concatenate(columns, axis=1) for columns in zip(*without, strict=True))
        total = overall.amounts()
        terms = total.observed[:, 0], total.expected[:, 0], observed, expected
        jackknife = Parts(*terms, np.concatenate(disagreeing, axis=1), np.concatenate(agreeing, axis=1))
        [interval] = one_minus_ratios(ratio_intervals(jackknife), *_names_of_parts(parts, documents))
    disagreement = overall.u.at(0)
    reason = TOO_COARSE if math.isnan(disagreement.expected) else ONE_VALUE
    return disagreement.value(reason if overall.in_units[0] > 0 else NO_UNITS, interval)


def _fixed_row(parts: CoincidenceRows) -> int | None:
    """Return the row for lengths without a unit, which the jackknife does not leave out; None for documents."""
    return parts.coincidences.n_rows - 1 if parts.run else None


def _coding(sums: CoincidenceSums, metric: Metric, met_k: FloatArray) -> tuple[Disagreement, Disagreement]:
    """Return the disagreements of cuα and (k)uα."""
    n = len(sums.values)
    is_coded = (sums.first != sums.second) & (sums.second < n)
    first = sums.first[is_coded]
    second = sums.second[is_coded]
    disagreement = sums.lengths[is_coded] * metric.pairs(first, second, met_k)
    observed_k = grouped_sums(first, disagreement, n) + grouped_sums(second, disagreement, n)
    expected_k = met_k * metric.weighted_sum(met_k)
    met = column_sums(met_k)
    own_met = column_sums(sums.own_met)
    partners = met_k * met - sums.own_met  # a unit is not its own partner
    with np.errstate(divide="ignore", invalid="ignore"):
        has_partners = met - own_met / met > _ROUNDING * met
        is_defined = has_partners & (met_k**2 - sums.own_met >= -_ROUNDING * met_k * met)
        ku = Disagreement(observed_k / met_k, np.where(is_defined, expected_k / partners, np.nan))
    return _shares(column_sums(observed_k), column_sums(expected_k), met_k, own_met), ku


def _shares(observed: FloatArray, chance: FloatArray, margins: FloatArray, self_pairing: FloatArray) -> Disagreement:
    """Return observed and expected disagreement as shares of all coincidences.

    The arguments are Σ l_ck δ²_ck, Σ l_c l_k δ²_ck, l_c of each value, shape (n, n_sets), and Σ own_c.
    """
    total = column_sums(margins)
    same_value = column_sums(margins**2) - self_pairing
    with np.errstate(divide="ignore", invalid="ignore"):
        pairable = total - self_pairing / total
        is_defined = (pairable > _ROUNDING * total) & (same_value >= -_ROUNDING * total**2)
        return Disagreement(observed / total, np.where(is_defined, chance / pairable, np.nan) / total)


def _margins(sums: CoincidenceSums, size: int, is_selected: BoolArray) -> FloatArray:
    """Return Σ_k l_ck of the selected pairs for each c below `size`."""
    first = sums.first[is_selected]
    second = sums.second[is_selected]
    lengths = sums.lengths[is_selected]
    differs = first != second  # a pair of equal values is one of the terms, any other pair is two
    return grouped_sums(first, lengths, size) + grouped_sums(second[differs], lengths[differs], size)


class Layers(NamedTuple):
    """uα of the layers that occur in several sets of data.

    `total`, l.. of one layer, and `u`, of all layers, have the shape (n_sets,); `length`, the length of units, and
    `layers` have a row for each layer, shape (n_layers, n_sets).
    """

    codes: IntArray
    total: FloatArray
    length: FloatArray
    layers: Disagreement
    u: Disagreement

    def disagreements(self) -> Disagreement:
        """Return the disagreements of uα, of |uα and cuα (not defined), and of all layers as rows."""
        undefined = np.full_like(self.u.observed, np.nan)
        return _stack([self.u, *[Disagreement(undefined, undefined)] * 2], self.layers)

    def lengths(self) -> FloatArray:
        """Return the lengths that the numbers of `disagreements` are shares of."""
        return np.tile(self.total, (len(_COEFFICIENTS) + len(self.codes), 1))

    def values(self, index: int, labels: Sequence[str | None], intervals: _Intervals) -> UnitizingValues:
        """Return the values of one of the sets, with an interval for each row of `disagreements`."""
        disagreement = self.u.at(index)
        present = np.flatnonzero(self.length[:, index] > 0).tolist()
        reason = ONE_VALUE if present else NO_UNITS
        if math.isnan(disagreement.expected):
            reason = TOO_COARSE
        layers = {}
        for k in present:
            label = labels[k]
            if label is not None:
                layers[label] = self.layers.at(k, index).value(reason, intervals[len(_COEFFICIENTS) + k])
        return replace(
            unavailable(LAYERS),
            u=disagreement.value(reason, intervals[0]),
            observed=_UNDEFINED | {"u": disagreement.observed},
            expected=_UNDEFINED | {"u": disagreement.expected},
            layers=layers,
        )


def layer_measures(sums: CoincidenceSums) -> Layers:
    """Return uα of each layer and of all, from sums whose values are 2k (units) and 2k + 1 (gaps)."""
    codes = distinct(sums.values // 2)
    shape = len(codes), sums.lengths.shape[1]
    layer = np.searchsorted(codes, sums.values[sums.first] // 2)
    n_gaps = sums.values[sums.first] % 2 + sums.values[sums.second] % 2  # of a pair: 0, 1 or 2
    lengths = np.zeros((3, *shape))
    lengths[n_gaps, layer] = sums.lengths
    self_pairing = np.zeros(shape)
    unit = np.flatnonzero(sums.values % 2 == 0)
    self_pairing[np.searchsorted(codes, sums.values[unit] // 2)] = sums.own[unit]
    # Each layer of each set is measured as a set of its own, with one value, its category, and gaps.
    single = measures(
        CoincidenceSums(
            values=np.zeros(1, dtype=np.int64),
            first=np.array([0, 0, 1]),
            second=np.array([0, 1, 1]),
            lengths=lengths.reshape(3, -1),
            own=self_pairing.reshape(1, -1),
            own_met=np.zeros((1, self_pairing.size)),
        ),
        NominalMetric(),
    )
    layers = Disagreement(single.u.observed.reshape(shape), single.u.expected.reshape(shape))
    total = single.total.reshape(shape)
    # A layer without any length, in a block of documents that lack it, adds nothing.
    observed, expected = (column_sums(np.where(total > 0, part, 0.0)) for part in layers)
    return Layers(
        codes=codes,
        total=total.max(axis=0, initial=0.0),
        length=single.length_k.reshape(shape),
        layers=layers,
        u=Disagreement(observed, expected),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """The family over given labels.

    `categories` are the labels of the codes, `values` the codes that occur in any row. `metric` is δ² between these,
    for cuα and (k)uα; None if rows are of layers.
    """

    categories: tuple[str, ...]
    values: IntArray
    metric: Metric | None

    @classmethod
    def of(cls, categories: tuple[str, ...], distance: Distance, rows: CoincidenceRows, *, layers: bool) -> Family:
        """Return the family of these rows and of others with the same values."""
        pairs = distinct(rows.coincidences.lengths.column)
        n = rows.coincidences.n_values
        values = distinct(np.append(pairs // n, pairs % n))
        family = cls(categories, values[values != n - 1], None)
        return family if layers else replace(family, metric=distance.metric(family._labels(family.values)))

    def values_of_rows(self, rows: CoincidenceRows) -> Iterator[UnitizingValues]:
        """Yield the values of each row, without intervals."""
        for sums in CoincidenceTable(rows.coincidences).sums_of_rows():
            yield from self._values(sums)

    def pooled(self, rows: CoincidenceRows, parts: CoincidenceRows, documents: Sequence[str]) -> UnitizingValues:
        """Return the values of all rows together, with intervals.

        The jackknife leaves out each of `parts` in turn: documents, or units of the only document. `documents` are the
        names of all documents.
        """
        sums = CoincidenceTable(rows.coincidences).total()
        fixed = _fixed_row(parts)
        if parts.coincidences.n_rows == (fixed is not None):  # no part to leave out
            return next(self._values(sums))
        table = CoincidenceTable(parts.coincidences)
        intervals = ratio_intervals(self.parts(sums, table.sums_of_parts(fixed=fixed)))
        return next(self._values(sums, one_minus_ratios(intervals, *_names_of_parts(parts, documents))))

    def parts(self, total: CoincidenceSums, sums: Iterable[tuple[CoincidenceSums, CoincidenceSums]]) -> Parts:
        """Return the disagreement of all values, with and without each part of the data.

        `sums` are the sums of each part (a document, say), and those without it, several sets at a time. Only one pair
        of them is in memory: the annotators of a document may have millions of different pairs of values.
        """
        can_agree = self._can_agree(total)
        disagreeing = []
        agreeing = []
        without = []
        for single, remaining in sums:
            disagreeing.append(self._measured(single).disagreements().observed > 0)
            agreeing.append(self._agreement(single, can_agree) > 0)
            without.append(_amounts(self._measured(remaining)))
        amounts = _amounts(self._measured(total))
        return Parts(
            amounts.observed[:, 0],
            amounts.expected[:, 0],
            np.concatenate([part.observed for part in without], axis=1),
            np.concatenate([part.expected for part in without], axis=1),
            np.concatenate(disagreeing, axis=1),
            np.concatenate(agreeing, axis=1),
        )

    def lowest(self, total: CoincidenceSums) -> FloatArray:
        """Return the value of data that disagree everywhere, for each row of `disagreements`; -∞ if it has no limit."""
        expected = self._measured(total).disagreements().expected[:, 0]
        row = np.arange(len(expected))
        if self.metric is None:
            is_share: BoolArray = row >= len(_COEFFICIENTS)  # uα over all layers adds up the shares of the layers
        else:
            is_share = (row < _COEFFICIENTS.index("cu")) | isinstance(self.metric, NominalMetric)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(is_share & (expected > 0), 1.0 - 1.0 / expected, -np.inf)

    def _can_agree(self, total: CoincidenceSums) -> BoolArray:
        """Return the pairs of values of units that agree at least in part: δ² is below the largest one of all pairs."""
        is_same: BoolArray = total.first == total.second
        if self.metric is None:
            return is_same
        has_units = total.second < len(total.values)
        metric = self.metric.take(np.searchsorted(self.values, total.values))
        margins = _margins(total, len(total.values), has_units)
        squared = np.zeros(len(total.first))
        squared[has_units] = metric.pairs(total.first[has_units], total.second[has_units], margins)[:, 0]
        is_met = has_units & (total.lengths[:, 0] > 0)
        can_agree: BoolArray = has_units & (is_same | (squared < squared[is_met].max(initial=0.0)))
        return can_agree

    def _agreement(self, sums: CoincidenceSums, can_agree: BoolArray) -> FloatArray:
        """Return the length on which values agree, a row for each row of `disagreements`."""
        is_same = sums.first == sums.second
        n = len(sums.values)
        if self.metric is None:
            # A layer has the values 2k (units) and 2k + 1 (gaps): both agree with themselves.
            codes, layer = np.unique(sums.values // 2, return_inverse=True)
            layers = grouped_sums(layer.reshape(-1)[sums.first[is_same]], sums.lengths[is_same], len(codes))
            undefined = np.zeros_like(layers[:1])
            return np.concatenate([column_sums(layers)[None, :], undefined, undefined, layers])
        both_units = sums.second < n
        both_gaps = sums.first == n
        rows = [column_sums(sums.lengths[pairs]) for pairs in (is_same, both_units | both_gaps, can_agree)]
        return np.concatenate([np.stack(rows), _margins(sums, n, can_agree)])

    def weighted(self, rows: CoincidenceRows, weights: csr_matrix[np.float64]) -> FloatArray:
        """Return uα, |uα, cuα and the value of each of `labels`, NaN if not available, for weighted sums of rows.

        The weights have the shape (n_sets, n_rows), the values (n_sets, 3 + n_labels).
        """
        parts = [np.empty((len(_COEFFICIENTS) + len(self.labels), 0))]
        for sums in CoincidenceTable(rows.coincidences).weighted(weights):
            observed, expected = self._measured(sums).disagreements()
            with np.errstate(divide="ignore", invalid="ignore"):
                parts.append(np.where(expected > 0, 1.0 - observed / expected, np.nan))
        return np.concatenate(parts, axis=1).T

    @property
    def labels(self) -> list[str | None]:
        """The categories that occur in any row, None for units without a category."""
        return self._labels(distinct(self.values // 2) if self.metric is None else self.values)

    def _measured(self, sums: CoincidenceSums) -> Measures | Layers:
        """Return the family of the sums, or uα of their layers."""
        if self.metric is None:
            return layer_measures(sums)
        return measures(sums, self.metric.take(np.searchsorted(self.values, sums.values)))

    def _labels(self, values: IntArray) -> list[str | None]:
        """Return the labels of values, None for no category."""
        return [None if code == len(self.categories) else self.categories[code] for code in values.tolist()]

    def _values(self, sums: CoincidenceSums, intervals: _Intervals = ()) -> Iterator[UnitizingValues]:
        """Yield the values of each set, with an interval for each row of `disagreements` if there are any."""
        measured = self._measured(sums)
        labels = self._labels(measured.codes)
        intervals = intervals or [None] * (len(_COEFFICIENTS) + len(labels))
        yield from (measured.values(index, labels, intervals) for index in range(len(measured.total)))


def _names_of_parts(parts: CoincidenceRows, documents: Sequence[str]) -> tuple[str, list[str] | None]:
    """Return what the jackknife leaves out, as messages call it, and the names of these parts if they have any."""
    if parts.run:
        return "units" if parts.run == 1 else "runs of units", None
    if parts.coincidences.n_rows > MAX_PARTS:
        return "runs of documents", None
    return "documents", [documents[code] for code in parts.documents.tolist()]


def _amounts(measured: Measures | Layers) -> Disagreement:
    """Return observed and expected disagreement as lengths, which grow with the data."""
    observed, expected = measured.disagreements()
    lengths = measured.lengths()
    return Disagreement(observed * lengths, expected * lengths)


def _stack(coefficients: Sequence[Disagreement], values: Disagreement) -> Disagreement:
    """Return the disagreements of several coefficients and of each value as the rows of one."""
    observed = np.concatenate([np.stack([part.observed for part in coefficients]), values.observed])
    return Disagreement(observed, np.concatenate([np.stack([part.expected for part in coefficients]), values.expected]))


_UNDEFINED = dict.fromkeys(_COEFFICIENTS, math.nan)  # disagreements


def unavailable(reason: str) -> UnitizingValues:
    """Return values that are not available."""
    value = Value.unavailable(reason)
    return UnitizingValues(
        u=value, bar_u=value, cu=value, coverage=math.nan, observed={**_UNDEFINED}, expected={**_UNDEFINED}
    )
