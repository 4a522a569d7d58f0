"""uα, |uα, cuα and (k)uα from sums of coincidences: pure functions (K16 eq. 5-13; K19 §12.6 eq. 32-38).

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

References
----------
K16: Krippendorff, Mathet, Bouvry & Widlöcher 2016 (its erratum, Quality & Quantity 50:2365, was not to be had).
K19: Krippendorff 2019, §12.6.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gamma_align.distances.metric import column_sums

if TYPE_CHECKING:
    from gamma_align._types import FloatArray, IntArray
    from gamma_align.distances.metric import Metric
    from gamma_align.unitizing.sums import Sums


_ROUNDING = 1e-12
"""What is left after subtracting, relative to what there was, that may be nothing but rounding."""


class Disagreement(NamedTuple):
    """Observed and expected disagreement, arrays of one shape; expected is NaN where nothing can be expected."""

    observed: FloatArray
    expected: FloatArray

    def coefficient(self) -> FloatArray:
        """Return 1 - observed / expected; NaN where nothing is expected."""
        with np.errstate(divide="ignore", invalid="ignore"):
            value: FloatArray = np.where(self.expected > 0, 1.0 - self.observed / self.expected, np.nan)
        return value


class Measures(NamedTuple):
    """The family for several sets of data.

    Attributes
    ----------
    total, in_units, met : ndarray of float64, shape (n_sets,)
        l.., what of it is in units, and l*.., what of it meets a unit.
    length_k, met_k : ndarray of float64, shape (n, n_sets)
        l_k and l*_k of each value.
    u, bar_u, cu : Disagreement
        Shape (n_sets,).
    ku : Disagreement
        Shape (n, n_sets).
    """

    total: FloatArray
    in_units: FloatArray
    met: FloatArray
    length_k: FloatArray
    met_k: FloatArray
    u: Disagreement
    bar_u: Disagreement
    cu: Disagreement
    ku: Disagreement


def measures(sums: Sums, metric: Metric) -> Measures:
    """Return the family.

    Parameters
    ----------
    sums : Sums
        Coincidences.
    metric : Metric
        δ² of cuα and (k)uα, bound to the labels of `sums.values`.
    """
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
        total,
        in_units,
        met,
        length_k,
        met_k,
        _share(2.0 * column_sums(sums.lengths[differ]), chance, margin, own),
        _share(units_met_gap, in_units * empty, np.stack([in_units, empty]), own),
        *_coding(sums, metric, met_k),
    )


def _coding(sums: Sums, metric: Metric, met_k: FloatArray) -> tuple[Disagreement, Disagreement]:
    """Return what cuα and (k)uα are made of."""
    n = len(sums.values)
    coded = (sums.first != sums.second) & (sums.second < n)
    first, second = sums.first[coded], sums.second[coded]
    apart = sums.lengths[coded] * metric.pairs(first, second, met_k)
    observed_k = _onto(first, apart, n) + _onto(second, apart, n)
    expected_k = met_k * metric.spread(met_k)
    met, own_met = column_sums(met_k), column_sums(sums.own_met)
    partners = met_k * met - sums.own_met  # of all that could be met, what is not the unit itself
    with np.errstate(divide="ignore", invalid="ignore"):
        known = (met - own_met / met > _ROUNDING * met) & (met_k**2 - sums.own_met >= -_ROUNDING * met_k * met)
        ku = Disagreement(observed_k / met_k, np.where(known, expected_k / partners, np.nan))
    return _share(column_sums(observed_k), column_sums(expected_k), met_k, own_met), ku


def _share(observed: FloatArray, chance: FloatArray, margins: FloatArray, own: FloatArray) -> Disagreement:
    """Return the shares of all coincidences that differ and are expected to, the latter NaN where it is not defined.

    Parameters
    ----------
    observed, chance : ndarray of float64, shape (n_sets,)
        Σ l_ck δ²_ck and Σ l_c l_k δ²_ck.
    margins : ndarray of float64, shape (n, n_sets)
        l_c of each value.
    own : ndarray of float64, shape (n_sets,)
        Σ own_c.
    """
    total = column_sums(margins)
    themselves = column_sums(margins**2) - own
    with np.errstate(divide="ignore", invalid="ignore"):
        pairable = total - own / total
        known = (pairable > _ROUNDING * total) & (themselves >= -_ROUNDING * total**2)
        return Disagreement(observed / total, np.where(known, chance / pairable, np.nan) / total)


def _margins(sums: Sums, size: int, some: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> FloatArray:
    """Return Σ_k l_ck of these pairs for each c below `size`."""
    first, second, lengths = sums.first[some], sums.second[some], sums.lengths[some]
    differ = first != second
    return _onto(first, lengths, size) + _onto(second[differ], lengths[differ], size)


def _onto(place: IntArray, numbers: FloatArray, size: int) -> FloatArray:
    """Return the sums of rows of numbers by place, in the order of the rows."""
    from scipy.sparse import csr_matrix  # noqa: PLC0415  (its products add up in a fixed order on every machine)

    rows = np.arange(len(place))
    onto: csr_matrix[np.float64] = csr_matrix((np.ones(len(place)), (place, rows)), shape=(size, len(place)))
    return np.asarray(onto @ numbers)
