"""Distances of ranks and numbers.

`Interval`, `Ratio`, `Linear`, `Bipolar` and `Circular` go by the *values* of the categories, as Krippendorff and Gwet
do; `Ordinal`, `GwetOrdinal` and, with ``by="position"``, `Interval` and `Linear` go by their *ranks*, as scikit-learn
and statsmodels do. The two differ where values are not 1, 2, 3 ….

The ranks of numbers are those of their values, in whatever order the categories come, and equal numbers share one.
Ranks of anything else come from ``order``, which is taken before the values too, or from the declared categories of a
table of items.

References
----------
Krippendorff 2011, Computing Krippendorff's Alpha-Reliability; 2019, Content Analysis, §12.3. Gwet 2014, Handbook of
Inter-Rater Reliability.
"""

from __future__ import annotations

import abc
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data.item_labels import label_name
from gamma_align.distances.base import Distance, Labels, rows_of
from gamma_align.distances.metric import LineMetric, Metric, PairMetric, PairsOfCodes, mid_ranks
from gamma_align.errors import InputError, SettingsError

_BY = ("value", "position")
_EXACT = 2**53
"""From here on not every integer is a float."""
_LEAST, _MOST = 1e-60, 1e60
"""Sizes of numbers other than 0: the ratio of the squares of any two differences is then a float above 0."""


class _Numeric(Distance):
    """A distance from a number for each category, which unless `bounded` is largest for the two extremes."""

    __slots__ = ()
    closed: ClassVar[bool] = True
    bounded: ClassVar[bool] = False
    """Whether it is in [0, 1] by its definition, and so is not divided by the largest one for γ."""

    @abc.abstractmethod
    def _of_numbers(self, numbers: npt.NDArray[Any]) -> PairsOfCodes:
        """Return the function from indices into numbers (of float, or exact) to d."""

    def _numbers(self, labels: Labels) -> npt.NDArray[Any]:
        """Return the number of each category."""
        numbers = _as_numbers(labels)
        if numbers is None:
            bad = np.flatnonzero([_as_numbers([label]) is None for label in labels])
        else:
            size = np.abs(numbers).astype(np.float64)
            bad = np.flatnonzero((size != 0) & ~((size >= _LEAST) & (size <= _MOST)))
        if numbers is None or len(bad):
            raise InputError(
                f"the {self.name} distance is for numbers, and the category {label_name(labels[bad[0]])!r} is none "
                f"(0, or {_LEAST:g} to {_MOST:g} in size); ordinal or nominal?"
            )
        self._check(numbers, labels)
        return numbers

    def _check(self, numbers: npt.NDArray[Any], labels: Labels) -> None:
        """Refuse numbers that the distance is not defined for."""

    def between(self, labels: Labels) -> PairsOfCodes:
        return self._of_numbers(self._numbers(labels))

    def _matrix(self, labels: Labels) -> FloatArray:
        codes = np.arange(len(labels))
        return self.between(labels)(codes[:, None], codes)

    def bind(self, categories: Sequence[str]) -> PairsOfCodes:
        numbers = self._numbers(categories)
        between, largest = self._of_numbers(numbers), 1.0
        if len(numbers) and not self.bounded:
            largest = float(between(np.array([numbers.argmin()]), np.array([numbers.argmax()]))[0])

        def distance(first: IntArray, second: IntArray) -> FloatArray:
            result: FloatArray = (first != second).astype(np.float64)
            both = (first >= 0) & (second >= 0)
            result[both] = np.minimum(between(first[both], second[both]) / (largest or 1.0), 1.0)
            return result

        return distance

    def metric(self, labels: Sequence[str | None]) -> Metric:
        """See `Distance.metric`; numbers and ranks have no distance from "no label"."""
        if any(label is None for label in labels):
            raise InputError(
                f"the {self.name} distance needs a category on every unit, and some have none: give them one, leave "
                "them out, or use the nominal distance"
            )
        return self._metric_of(self._numbers(labels))

    def _metric_of(self, numbers: npt.NDArray[Any]) -> Metric:
        return PairMetric(self._of_numbers(numbers))


@dataclass(frozen=True, slots=True)
class _Ranked(_Numeric):
    """A distance that goes by ranks."""

    order: Sequence[Any] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.order is not None:
            order = tuple(map(label_name, self.order))
            object.__setattr__(self, "order", order)
            for label in order if len(set(order)) < len(order) else ():
                if order.count(label) > 1:
                    raise SettingsError(f"the order of the {self.name} distance names {label!r} twice")

    def among(self, labels: Labels, *, declared: bool) -> _Ranked:
        if declared and self.order is None and _as_numbers(labels) is None:
            return replace(self, order=tuple(labels))
        self._numbers(labels)
        return self

    def _numbers(self, labels: Labels) -> npt.NDArray[Any]:
        """Return the rank of each category."""
        if self.order is None:
            numbers = _as_numbers(labels)
            if numbers is None:
                few = ", ".join(repr(label_name(label)) for label in labels[:3])
                raise InputError(
                    f"the {self.name} distance needs an order of the categories ({few} …), which are not all numbers; "
                    f"give it, lowest first: {type(self).__name__}(order=[…]), --order A,B,C"
                )
            return np.unique(numbers, return_inverse=True)[1].reshape(-1).astype(np.float64)
        return np.array(rows_of(labels, self.order, f"the order of the {self.name} distance"), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Ordinal(_Ranked):
    """Krippendorff's ordinal metric: (Σ_{g=c..k} n_g - (n_c + n_k)/2)², from how often categories are used.

    It is the interval metric on mid-ranks M_c = Σ_{g<c} n_g + n_c/2. Categories that are not used keep their rank and
    add nothing. In γ, and without weights, all ranks count as equally frequent. Not to be confused with Gwet's ordinal
    weights (`GwetOrdinal`), which do not look at the data.

    Attributes
    ----------
    order : sequence, optional
        The categories, lowest first; without it, numbers in their order, or declared categories of a table of items.

    Examples
    --------
    >>> ga.Ordinal(order=["low", "mid", "high"]).matrix(["low", "mid", "high"]).tolist()
    [[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]]
    """

    name: ClassVar[str] = "ordinal"
    adaptive: ClassVar[bool] = True

    def _of_numbers(self, numbers: npt.NDArray[Any]) -> PairsOfCodes:
        return _squared(numbers)

    def scores(self, labels: Labels, weights: FloatArray | None = None) -> FloatArray:
        """Return the mid-ranks M; without weights, the ranks."""
        ranks: FloatArray = self._numbers(labels)
        return ranks if weights is None else mid_ranks(ranks, np.asarray(weights, dtype=np.float64)[:, None])[:, 0]

    def _metric_of(self, numbers: npt.NDArray[Any]) -> Metric:
        return LineMetric(numbers, ranked=True)


@dataclass(frozen=True, slots=True)
class GwetOrdinal(_Ranked):
    """C(|k - l| + 1, 2) for the k-th and l-th category: Gwet's ordinal weights, called "ordinal" in irrCAC.

    The `order` is as for `Ordinal`.

    Examples
    --------
    >>> ga.distances.GwetOrdinal().matrix([1, 2, 3]).tolist()
    [[0.0, 1.0, 3.0], [1.0, 0.0, 1.0], [3.0, 1.0, 0.0]]
    """

    name: ClassVar[str] = "gwet-ordinal"

    def _of_numbers(self, numbers: npt.NDArray[Any]) -> PairsOfCodes:
        def between(first: IntArray, second: IntArray) -> FloatArray:
            apart: FloatArray = np.abs(numbers[first] - numbers[second])
            return apart * (apart + 1) / 2

        return between


@dataclass(frozen=True, slots=True)
class _ValuedOrRanked(_Ranked):
    """A distance by value, or by rank."""

    by: str = "value"

    def __post_init__(self) -> None:
        if self.by not in _BY:
            raise SettingsError(f"by must be one of {', '.join(map(repr, _BY))}, not {self.by!r}")
        if self.order is not None and self.by == "value":
            raise SettingsError(
                f"the {self.name} distance by value has no use for an order; by='position' ({self.name}:position) has"
            )
        _Ranked.__post_init__(self)

    def among(self, labels: Labels, *, declared: bool) -> _Ranked:
        return self if self.by == "value" else _Ranked.among(self, labels, declared=declared)

    def _numbers(self, labels: Labels) -> npt.NDArray[Any]:
        """Return the value or the rank of each category."""
        return _Numeric._numbers(self, labels) if self.by == "value" else _Ranked._numbers(self, labels)  # noqa: SLF001


@dataclass(frozen=True, slots=True)
class Interval(_ValuedOrRanked):
    """(c - k)² (Krippendorff's interval metric; Cohen's quadratic weights).

    Attributes
    ----------
    by : {"value", "position"}
        Of the numbers that categories are, or of their ranks.
    order : sequence, optional
        With ``by="position"``, as for `Ordinal`.

    Examples
    --------
    >>> ga.Interval().matrix([1, 2, 5]).tolist()
    [[0.0, 1.0, 16.0], [1.0, 0.0, 9.0], [16.0, 9.0, 0.0]]
    """

    name: ClassVar[str] = "interval"

    def _of_numbers(self, numbers: npt.NDArray[Any]) -> PairsOfCodes:
        return _squared(_offsets(numbers))

    def scores(self, labels: Labels, weights: FloatArray | None = None) -> FloatArray:
        """Return the values themselves, or where they are large their exact differences from the one used most."""
        return _offsets(self._numbers(labels), 0 if weights is None or not len(weights) else int(np.argmax(weights)))

    def _metric_of(self, numbers: npt.NDArray[Any]) -> Metric:
        return LineMetric(_offsets(numbers))


@dataclass(frozen=True, slots=True)
class Linear(_ValuedOrRanked):
    """|c - k| (Cohen's and Gwet's linear weights); `by` and `order` as for `Interval`.

    Examples
    --------
    >>> ga.distances.Linear().matrix([1, 2, 5]).tolist()
    [[0.0, 1.0, 4.0], [1.0, 0.0, 3.0], [4.0, 3.0, 0.0]]
    """

    name: ClassVar[str] = "linear"

    def _of_numbers(self, numbers: npt.NDArray[Any]) -> PairsOfCodes:
        x = _offsets(numbers)
        return lambda first, second: np.abs(x[first] - x[second])


@dataclass(frozen=True, slots=True)
class Ratio(_Numeric):
    """((c - k) / (c + k))², 0 between two zeros: for numbers with a true zero (Krippendorff 2011).

    Examples
    --------
    >>> ga.Ratio().matrix([1, 3]).tolist()
    [[0.0, 0.25], [0.25, 0.0]]
    """

    name: ClassVar[str] = "ratio"

    def _check(self, numbers: npt.NDArray[Any], labels: Labels) -> None:
        for row in np.flatnonzero(numbers < 0)[:1]:
            raise InputError(
                f"the ratio distance is for numbers of 0 and more, and the category {label_name(labels[row])!r} is not"
            )

    def _of_numbers(self, numbers: npt.NDArray[Any]) -> PairsOfCodes:
        x, floats = _offsets(numbers), numbers.astype(np.float64)
        return lambda first, second: np.square(_share(x[first] - x[second], floats, first, second))


@dataclass(frozen=True, slots=True)
class Bipolar(_Numeric):
    """(c - k)² / ((c + k - 2·low)(2·high - c - k)): a scale with two ends (Krippendorff 2011).

    Attributes
    ----------
    low, high : float, optional
        Ends of the scale; without them, the smallest and the largest category.

    Examples
    --------
    >>> ga.distances.Bipolar(low=0, high=10).matrix([2, 4]).round(4).tolist()
    [[0.0, 0.0476], [0.0476, 0.0]]
    """

    name: ClassVar[str] = "bipolar"
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        for end in (self.low, self.high):
            if end is not None and not abs(end) <= _MOST:
                raise SettingsError(f"an end of a bipolar scale is a number up to {_MOST:g} in size, not {end}")
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise SettingsError(f"a bipolar scale needs an end above the other one, not [{self.low:g}, {self.high:g}]")

    def _check(self, numbers: npt.NDArray[Any], labels: Labels) -> None:
        low, high = self._ends(numbers)
        for row in np.flatnonzero((numbers < low) | (numbers > high))[:1]:
            scale = f"[{float(low):g}, {float(high):g}]"
            raise InputError(f"the bipolar scale is {scale}, and the category {label_name(labels[row])!r} is outside")

    def _of_numbers(self, numbers: npt.NDArray[Any]) -> PairsOfCodes:
        low, high = self._ends(numbers)
        x = _offsets(numbers)
        above_low, below_high = (numbers - low).astype(np.float64), (high - numbers).astype(np.float64)

        def between(first: IntArray, second: IntArray) -> FloatArray:
            apart = x[first] - x[second]
            product: FloatArray = _share(apart, above_low, first, second) * _share(apart, below_high, first, second)
            return product

        return between

    def _ends(self, numbers: npt.NDArray[Any]) -> tuple[Any, Any]:
        """Return the ends, of the type of the numbers."""
        if not len(numbers):
            return 0.0, 1.0
        low = numbers.min() if self.low is None else self.low
        high = numbers.max() if self.high is None else self.high
        # an end is the decimal number that it is written as, like labels that are texts
        return (Fraction(str(low)), Fraction(str(high))) if numbers.dtype == object else (low, high)


@dataclass(frozen=True, slots=True)
class Circular(_Numeric):
    """sin²(180° (c - k) / U): directions, hours, months (Krippendorff 2011).

    Attributes
    ----------
    period : float
        U, once around: 360, 24, 12.

    Examples
    --------
    >>> ga.distances.Circular(period=24).matrix([23, 11]).round(4).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """

    name: ClassVar[str] = "circular"
    bounded: ClassVar[bool] = True
    period: float

    def __post_init__(self) -> None:
        if not 0 < self.period < np.inf:
            raise SettingsError(f"the period of a circular distance must be above 0, not {self.period}")

    def _of_numbers(self, numbers: npt.NDArray[Any]) -> PairsOfCodes:
        period = Fraction(self.period) if numbers.dtype == object else self.period
        turns = (numbers % period).astype(np.float64) / self.period
        return lambda first, second: np.square(np.sin(np.pi * (turns[first] - turns[second])))


def _offsets(numbers: npt.NDArray[Any], origin: int = 0) -> FloatArray:
    """Return numbers as floats with the same differences: exact ones are counted from one of them, then rounded."""
    return numbers if numbers.dtype != object else (numbers - numbers[origin]).astype(np.float64)


def _squared(numbers: FloatArray) -> PairsOfCodes:
    return lambda first, second: np.square(numbers[first] - numbers[second])


def _share(apart: FloatArray, numbers: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
    """Return a difference as a share of a sum of numbers of 0 and more, 0 where the sum is 0."""
    total = numbers[first] + numbers[second]
    share: FloatArray = apart / np.where(total > 0, total, 1.0)
    return share


def _as_numbers(labels: Labels) -> npt.NDArray[Any] | None:
    """Return labels as finite numbers, or None where one of them is none."""
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "fiu":
        floats = labels.astype(np.float64, copy=False)
        if labels.dtype.kind == "f" or np.abs(floats).max(initial=0.0) < _EXACT:
            return floats
    numbers = []
    for label in labels.tolist() if isinstance(labels, np.ndarray) else labels:
        number = _number(label)
        if number is None:
            return None
        numbers.append(number)
    if any(isinstance(number, Fraction) for number in numbers):
        return np.array([Fraction(number) for number in numbers], dtype=object)
    return np.array(numbers, dtype=np.float64)


def _number(label: Any) -> float | Fraction | None:  # noqa: ANN401
    try:
        number = float(label)
    except (TypeError, ValueError, OverflowError):
        return None
    if not math.isfinite(number) or (isinstance(label, str) and "_" in label):
        return None
    return number if abs(number) < _EXACT else Fraction(label if isinstance(label, (str, Integral)) else number)
