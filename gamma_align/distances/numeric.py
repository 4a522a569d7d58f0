"""Distances of ranks and numbers.

`Interval`, `Ratio`, `Linear`, `Bipolar` and `Circular` use the *values* of the categories, as Krippendorff and Gwet do.
`Ordinal`, `GwetOrdinal` and, with ``by="position"``, `Interval` and `Linear` use their *ranks*, as scikit-learn and
statsmodels do. The two differ unless the values are 1, 2, 3 ….

Numbers are ranked by value, whatever the order of the categories, and equal numbers share a rank. ``order`` takes
precedence over values. Other categories are ranked by ``order`` or by the declared categories of a table of items.

References
----------
Krippendorff 2011, Computing Krippendorff's Alpha-Reliability; 2019, Content Analysis, §12.3. Gwet 2014, Handbook of
Inter-Rater Reliability.
"""

from __future__ import annotations

import abc
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data import label_name
from gamma_align.distances.base import Distance, Labels, find_rows
from gamma_align.distances.metric import LineMetric, Metric, PairMetric, PairsOfCodes, mid_ranks
from gamma_align.errors import Cure, InputError, Set, SettingsError

Numbers = npt.NDArray[Any]
"""Numbers of categories: floats or, if floats could not hold them exactly, objects (integers and `Fraction`)."""

_BY_CHOICES = ("value", "position")
_FIRST_INEXACT_INTEGER = 2**53  # from here on, not every integer is a float
# Limits for the size of numbers other than 0. The ratio of the squares of any two differences is then a positive float.
_MIN_SIZE = 1e-60
_MAX_SIZE = 1e60
_N_LABELS_IN_MESSAGE = 3


class _Numeric(Distance):
    """A distance computed from a number for each category.

    Unless it is `bounded`, it is largest between the lowest and the highest number.
    """

    __slots__ = ()
    closed: ClassVar[bool] = True
    bounded: ClassVar[bool] = False
    """Whether the distance is in [0, 1] by definition, so that γ does not divide it by the largest distance."""

    @abc.abstractmethod
    def _of_numbers(self, numbers: Numbers) -> PairsOfCodes:
        """Return a function from indices into the numbers to d."""

    def _numbers(self, labels: Labels) -> Numbers:
        """Return the number of each category."""
        numbers = _as_numbers(labels)
        if numbers is None:
            invalid = np.flatnonzero([_as_numbers([label]) is None for label in labels])
        else:
            size = np.abs(numbers).astype(np.float64)
            invalid = np.flatnonzero((size != 0) & ~((size >= _MIN_SIZE) & (size <= _MAX_SIZE)))
        if numbers is None or len(invalid):
            raise InputError(
                f"the {self.name} distance is for numbers, and the category {label_name(labels[invalid[0]])!r} is not "
                f"one (0, or {_MIN_SIZE:g} to {_MAX_SIZE:g} in size)",
                "use the ordinal or the nominal distance",
            )
        self._check(numbers, labels)
        return numbers

    def _check(self, numbers: Numbers, labels: Labels) -> None:
        """Refuse numbers that the distance is not defined for."""

    def between(self, labels: Labels) -> PairsOfCodes:
        return self._of_numbers(self._numbers(labels))

    def _matrix(self, labels: Labels) -> FloatArray:
        codes = np.arange(len(labels))
        return self.between(labels)(codes[:, None], codes)

    def bind(self, categories: Sequence[str]) -> PairsOfCodes:
        """See `Distance.bind`; d is divided by that of the lowest and the highest number, unless it is bounded."""
        numbers = self._numbers(categories)
        between = self._of_numbers(numbers)
        largest = 1.0
        if len(numbers) and not self.bounded:
            largest = float(between(np.array([numbers.argmin()]), np.array([numbers.argmax()]))[0])

        def distance(first: IntArray, second: IntArray) -> FloatArray:
            result: FloatArray = (first != second).astype(np.float64)
            have_labels = (first >= 0) & (second >= 0)
            d = between(first[have_labels], second[have_labels])
            # Code -1 is no label.
            result[have_labels] = np.minimum(d / (largest or 1.0), 1.0)  # rounding may exceed 1
            return result

        return distance

    def metric(self, labels: Sequence[str | None]) -> Metric:
        """See `Distance.metric`; numbers and ranks have no distance from "no label"."""
        if any(label is None for label in labels):
            raise InputError(
                f"the {self.name} distance needs a category on every unit, and some units have none",
                "give them one, leave them out, or use the nominal distance",
            )
        return self._metric_of(self._numbers(labels))

    def _metric_of(self, numbers: Numbers) -> Metric:
        """Return δ² of the uα family between categories with these numbers."""
        return PairMetric(self._of_numbers(numbers))


@dataclass(frozen=True, slots=True)
class _Ranked(_Numeric):
    """A distance of ranks."""

    order: Sequence[Any] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.order is None:
            return
        order = tuple(map(label_name, self.order))
        object.__setattr__(self, "order", order)
        repeated = [label for label, count in Counter(order).items() if count > 1]
        if repeated:
            raise SettingsError(f"the order of the {self.name} distance names {repeated[0]!r} twice", "name it once")

    def among(self, labels: Labels, *, declared: bool) -> _Ranked:
        if declared and self.order is None and _as_numbers(labels) is None:
            return replace(self, order=tuple(labels))
        self._numbers(labels)
        return self

    def _numbers(self, labels: Labels) -> Numbers:
        """Return the rank of each category."""
        if self.order is None:
            numbers = _as_numbers(labels)
            if numbers is None:
                names = ", ".join(repr(label_name(label)) for label in labels[:_N_LABELS_IN_MESSAGE])
                raise InputError(
                    f"the {self.name} distance needs an order of the categories ({names} …), which are not all numbers",
                    Cure(f"list them, lowest first, with {{}} of the {self.name} distance", Set("order")),
                )
            return np.unique(numbers, return_inverse=True)[1].reshape(-1).astype(np.float64)
        return np.array(find_rows(labels, self.order, f"the order of the {self.name} distance"), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Ordinal(_Ranked):
    """Krippendorff's ordinal metric: (Σ_{g=c..k} n_g - (n_c + n_k)/2)², from the frequencies of the categories.

    It is the interval metric on mid-ranks M_c = Σ_{g<c} n_g + n_c/2. Unused categories keep their rank and add nothing.
    In γ, and without weights, all ranks count as equally frequent. Gwet's ordinal weights (`GwetOrdinal`) are another
    distance, which does not depend on the data.

    Attributes
    ----------
    order : sequence, optional
        The categories, lowest first; by default numbers by value, or the declared categories of a table of items.

    Examples
    --------
    >>> ga.Ordinal(order=["low", "mid", "high"]).matrix(["low", "mid", "high"]).tolist()
    [[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]]
    """

    name: ClassVar[str] = "ordinal"
    adaptive: ClassVar[bool] = True

    def _of_numbers(self, numbers: Numbers) -> PairsOfCodes:
        return _squared(numbers)

    def scores(self, labels: Labels, weights: FloatArray | None = None) -> FloatArray:
        """Return the mid-ranks M; without weights, the ranks."""
        ranks: FloatArray = self._numbers(labels)
        return ranks if weights is None else mid_ranks(ranks, np.asarray(weights, dtype=np.float64)[:, None])[:, 0]

    def _metric_of(self, numbers: Numbers) -> Metric:
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

    def _of_numbers(self, numbers: Numbers) -> PairsOfCodes:
        def between(first: IntArray, second: IntArray) -> FloatArray:
            difference: FloatArray = np.abs(numbers[first] - numbers[second])
            return difference * (difference + 1) / 2

        return between


@dataclass(frozen=True, slots=True)
class _ValuedOrRanked(_Ranked):
    """A distance of values, or of ranks."""

    by: str = "value"

    def __post_init__(self) -> None:
        if self.by not in _BY_CHOICES:
            raise SettingsError(f"by must be one of {', '.join(map(repr, _BY_CHOICES))}, not {self.by!r}")
        if self.order is not None and self.by == "value":
            raise SettingsError(
                f"the {self.name} distance by value does not use an order",
                f"use {self.name}:position, or leave out the order",
            )
        _Ranked.__post_init__(self)

    def among(self, labels: Labels, *, declared: bool) -> _Ranked:
        # Values have an order of their own.
        if self.by == "value":
            return self
        return _Ranked.among(self, labels, declared=declared)

    def _numbers(self, labels: Labels) -> Numbers:
        """Return the value or the rank of each category."""
        return _Numeric._numbers(self, labels) if self.by == "value" else _Ranked._numbers(self, labels)  # noqa: SLF001


@dataclass(frozen=True, slots=True)
class Interval(_ValuedOrRanked):
    """(c - k)² (Krippendorff's interval metric; Cohen's quadratic weights).

    Attributes
    ----------
    by : {"value", "position"}
        Use the values of the categories, or their ranks.
    order : sequence, optional
        With ``by="position"``, as for `Ordinal`.

    Examples
    --------
    >>> ga.Interval().matrix([1, 2, 5]).tolist()
    [[0.0, 1.0, 16.0], [1.0, 0.0, 9.0], [16.0, 9.0, 0.0]]
    """

    name: ClassVar[str] = "interval"

    def _of_numbers(self, numbers: Numbers) -> PairsOfCodes:
        return _squared(_offsets(numbers))

    def scores(self, labels: Labels, weights: FloatArray | None = None) -> FloatArray:
        """Return the values or, if they are large, their exact differences from the most frequent one."""
        origin = 0 if weights is None or not len(weights) else int(np.argmax(weights))
        return _offsets(self._numbers(labels), origin)

    def _metric_of(self, numbers: Numbers) -> Metric:
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

    def _of_numbers(self, numbers: Numbers) -> PairsOfCodes:
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

    def _check(self, numbers: Numbers, labels: Labels) -> None:
        """Raise an InputError for a negative number."""
        negative = np.flatnonzero(numbers < 0)
        if len(negative):
            label = label_name(labels[negative[0]])
            raise InputError(
                f"the ratio distance is for numbers of 0 and more, and the category {label!r} is not",
                "use the interval distance",
            )

    def _of_numbers(self, numbers: Numbers) -> PairsOfCodes:
        x = _offsets(numbers)
        floats = numbers.astype(np.float64)
        return lambda first, second: np.square(_relative(x[first] - x[second], floats, first, second))


@dataclass(frozen=True, slots=True)
class Bipolar(_Numeric):
    """(c - k)² / ((c + k - 2·low)(2·high - c - k)): a scale with two ends (Krippendorff 2011).

    Attributes
    ----------
    low, high : float, optional
        Ends of the scale; by default the smallest and the largest category.

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
            if end is not None and not abs(end) <= _MAX_SIZE:
                raise SettingsError(f"an end of a bipolar scale is a number up to {_MAX_SIZE:g} in size, not {end}")
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise SettingsError(f"a bipolar scale needs an end above the other one, not [{self.low:g}, {self.high:g}]")

    def _check(self, numbers: Numbers, labels: Labels) -> None:
        """Raise an InputError for a number outside the scale."""
        low, high = self._ends(numbers)
        outside = np.flatnonzero((numbers < low) | (numbers > high))
        if len(outside):
            scale = f"[{float(low):g}, {float(high):g}]"
            label = label_name(labels[outside[0]])
            raise InputError(f"the bipolar scale is {scale}, and the category {label!r} is outside", "widen the scale")

    def _of_numbers(self, numbers: Numbers) -> PairsOfCodes:
        low, high = self._ends(numbers)
        x = _offsets(numbers)
        above_low = (numbers - low).astype(np.float64)
        below_high = (high - numbers).astype(np.float64)

        def between(first: IntArray, second: IntArray) -> FloatArray:
            difference = x[first] - x[second]
            from_low = _relative(difference, above_low, first, second)
            from_high = _relative(difference, below_high, first, second)
            product: FloatArray = from_low * from_high
            return product

        return between

    def _ends(self, numbers: Numbers) -> tuple[float | Fraction, float | Fraction]:
        """Return the ends of the scale, of the type of the numbers."""
        if not len(numbers):
            return 0.0, 1.0
        low = numbers.min() if self.low is None else self.low
        high = numbers.max() if self.high is None else self.high
        if numbers.dtype == object:
            # An end is the decimal number that its text shows, like a label that is a text.
            return Fraction(str(low)), Fraction(str(high))
        return low, high


@dataclass(frozen=True, slots=True)
class Circular(_Numeric):
    """sin²(180° (c - k) / U): directions, hours, months (Krippendorff 2011).

    Attributes
    ----------
    period : float
        U, the length of the full circle: 360, 24 or 12.

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

    def _of_numbers(self, numbers: Numbers) -> PairsOfCodes:
        period = Fraction(self.period) if numbers.dtype == object else self.period
        turns = (numbers % period).astype(np.float64) / self.period
        return lambda first, second: np.square(np.sin(np.pi * (turns[first] - turns[second])))


def _offsets(numbers: Numbers, origin: int = 0) -> FloatArray:
    """Return floats with the same differences as the numbers.

    Exact numbers become relative to the one at `origin` before they are rounded, so that no difference is lost.
    """
    if numbers.dtype != object:
        return numbers
    differences: FloatArray = (numbers - numbers[origin]).astype(np.float64)
    return differences


def _squared(numbers: FloatArray) -> PairsOfCodes:
    """Return a function from indices to squared differences."""
    return lambda first, second: np.square(numbers[first] - numbers[second])


def _relative(difference: FloatArray, numbers: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
    """Return a difference divided by the sum of two numbers ≥ 0; 0 if the sum is 0."""
    total = numbers[first] + numbers[second]
    relative: FloatArray = difference / np.where(total > 0, total, 1.0)
    return relative


def _as_numbers(labels: Labels) -> Numbers | None:
    """Return labels as finite numbers, or None if a label is not one."""
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "fiu":
        floats = labels.astype(np.float64, copy=False)
        if labels.dtype.kind == "f" or np.abs(floats).max(initial=0.0) < _FIRST_INEXACT_INTEGER:
            return floats
    values = labels.tolist() if isinstance(labels, np.ndarray) else labels
    numbers = []
    for label in values:
        number = _number(label)
        if number is None:
            return None
        numbers.append(number)
    if any(isinstance(number, Fraction) for number in numbers):
        return np.array([Fraction(number) for number in numbers], dtype=object)
    return np.array(numbers, dtype=np.float64)


def _number(label: object) -> float | Fraction | None:
    """Return the finite number that a label is, exactly; None if it is not one."""
    try:
        number = float(label)  # type: ignore[arg-type]  # other types raise TypeError
    except (TypeError, ValueError, OverflowError):
        return None
    if not math.isfinite(number) or (isinstance(label, str) and "_" in label):  # Python reads "1_000" as 1000
        return None
    if abs(number) < _FIRST_INEXACT_INTEGER:
        return number
    if isinstance(label, (str, Integral)):
        return Fraction(label)
    return Fraction(number)
