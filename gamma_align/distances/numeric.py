"""Distances of ordered categories and numbers.

`Interval`, `Ratio`, `Linear`, `Bipolar` and `Circular` go by the *values* of the categories, as Krippendorff and Gwet
do; with ``by="position"`` interval and linear go by their places in the list, as scikit-learn and statsmodels do. The
two differ where values are not 1, 2, 3 ….
"""

from __future__ import annotations

import abc
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gamma_align.distances.base import Distance, Labels, as_numbers, numbers_of
from gamma_align.errors import InputError, SettingsError

if TYPE_CHECKING:
    from gamma_align._types import FloatArray, IntArray

_BY = ("value", "position")


class _Numeric(Distance):
    """A distance computed pair by pair from a number for each category."""

    __slots__ = ()

    @abc.abstractmethod
    def between(self, values: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
        """Return d of `first` and `second` (broadcast), numbers of a list `values` of categories."""

    def places(self, labels: Labels) -> FloatArray:
        """Return the number of each category."""
        return numbers_of(labels, self.name)

    def matrix(self, labels: Labels, weights: FloatArray | None = None) -> FloatArray:  # noqa: ARG002
        """Return d between all pairs; see `Distance.matrix`."""
        return self.block(labels, slice(None))

    def block(self, labels: Labels, first: slice) -> FloatArray:
        """Return some rows of the matrix."""
        values = self.places(labels)
        return self.between(values, values[first, None], values[None, :])

    def pairs(self, labels: Labels, first: IntArray, second: IntArray) -> FloatArray:
        """Return d of pairs of codes."""
        values = self.places(labels)
        return self.between(values, values[first], values[second])


@dataclass(frozen=True, slots=True)
class _Placed(_Numeric):
    """A distance by value, or by position in the order of the categories."""

    by: str = "value"

    def __post_init__(self) -> None:
        if self.by not in _BY:
            raise SettingsError(f"by must be one of {', '.join(map(repr, _BY))}, not {self.by!r}")

    def places(self, labels: Labels) -> FloatArray:
        """Return the value or the position of each category."""
        return numbers_of(labels, self.name) if self.by == "value" else np.arange(len(labels), dtype=np.float64)

    def check_order(self, labels: Labels, *, declared: bool = False) -> None:
        """Refuse positions without an order; see `Distance.check_order`."""
        if self.by == "position" and not declared and as_numbers(labels) is None:
            raise InputError(
                f"the {self.name} distance by position needs an order of the categories; declare it: categories=[…]"
            )

    def to_dict(self) -> dict[str, Any]:
        """Return name and parameters, ready for JSON."""
        return {"name": self.name, "by": self.by}


@dataclass(frozen=True, slots=True)
class Interval(_Placed):
    """(c - k)² (Krippendorff's interval metric; Cohen's quadratic weights)."""

    name: ClassVar[str] = "interval"

    def between(self, values: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:  # noqa: ARG002
        """Return d of pairs."""
        squared: FloatArray = (first - second) ** 2
        return squared

    def scores(self, labels: Labels, weights: FloatArray | None = None) -> FloatArray:  # noqa: ARG002
        """Return the values themselves."""
        return self.places(labels)


@dataclass(frozen=True, slots=True)
class Linear(_Placed):
    """|c - k| (Cohen's and Gwet's linear weights)."""

    name: ClassVar[str] = "linear"

    def between(self, values: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:  # noqa: ARG002
        """Return d of pairs."""
        apart: FloatArray = np.abs(first - second)
        return apart


@dataclass(frozen=True, slots=True)
class Ratio(_Numeric):
    """((c - k) / (c + k))², 0 between two zeros: for numbers with a true zero (Krippendorff 2011)."""

    name: ClassVar[str] = "ratio"

    def places(self, labels: Labels) -> FloatArray:
        """Return the numbers; those below 0 are refused."""
        values = numbers_of(labels, self.name)
        if len(values) and values.min() < 0:
            raise InputError(f"the ratio distance is for numbers of 0 and more, and {values.min():g} is one; interval?")
        return values

    def between(self, values: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:  # noqa: ARG002
        """Return d of pairs."""
        total = first + second
        quotient: FloatArray = (first - second) / np.where(total > 0, total, 1.0)
        return quotient**2


@dataclass(frozen=True, slots=True)
class Ordinal(Distance):
    """Krippendorff's ordinal metric: (Σ_{g=c..k} n_g - (n_c + n_k)/2)², from how often categories are used.

    It is the interval metric on mid-ranks M_c = Σ_{g<c} n_g + n_c/2. Categories that are not used keep their place
    and add nothing. Not to be confused with Gwet's ordinal weights (`GwetOrdinal`), which do not look at the data.

    Attributes
    ----------
    order : tuple of str or None
        The categories, lowest first; None: as they come, for numbers and declared categories.
    """

    name: ClassVar[str] = "ordinal"
    adaptive: ClassVar[bool] = True
    ordered: ClassVar[bool] = True
    order: tuple[str, ...] | None = None

    def scores(self, labels: Labels, weights: FloatArray | None = None) -> FloatArray:
        """Return the mid-ranks M."""
        places = self._places(labels)
        counts = np.ones(len(labels)) if weights is None else np.asarray(weights, dtype=np.float64)
        in_order = counts[places]
        ranks = np.empty(len(labels))
        ranks[places] = np.cumsum(in_order) - in_order / 2
        return ranks

    def matrix(self, labels: Labels, weights: FloatArray | None = None) -> FloatArray:
        """Return d between all pairs; see `Distance.matrix`."""
        ranks = self.scores(labels, weights)
        squared: FloatArray = (ranks[:, None] - ranks) ** 2
        return squared

    def _places(self, labels: Labels) -> Any:  # noqa: ANN401
        """Return the labels' numbers, lowest first."""
        if self.order is None:
            return np.arange(len(labels))
        rank = {label: at for at, label in enumerate(self.order)}
        unknown = [label for label in labels if str(label) not in rank]
        if unknown:
            raise InputError(f"the order of the ordinal distance does not have the category {unknown[0]!r}")
        return np.argsort([rank[str(label)] for label in labels], kind="stable")

    def check_order(self, labels: Labels, *, declared: bool = False) -> None:
        """Refuse labels without an order; see `Distance.check_order`."""
        Distance.check_order(self, labels, declared=declared or self.order is not None)

    def to_dict(self) -> dict[str, Any]:
        """Return name and parameters, ready for JSON."""
        return {"name": self.name, "order": None if self.order is None else list(self.order)}


@dataclass(frozen=True, slots=True)
class GwetOrdinal(_Numeric):
    """C(|k - l| + 1, 2) for the k-th and l-th category: Gwet's ordinal weights, called "ordinal" in irrCAC."""

    name: ClassVar[str] = "gwet-ordinal"
    ordered: ClassVar[bool] = True

    def places(self, labels: Labels) -> FloatArray:
        """Return the position of each category."""
        return np.arange(len(labels), dtype=np.float64)

    def between(self, values: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:  # noqa: ARG002
        """Return d of pairs."""
        apart: FloatArray = np.abs(first - second)
        return apart * (apart + 1) / 2


@dataclass(frozen=True, slots=True)
class Bipolar(_Numeric):
    """(c - k)² / ((c + k - 2·low)(2·high - c - k)): a scale with two ends (Krippendorff 2011).

    Attributes
    ----------
    low, high : float or None
        Ends of the scale; None: the smallest and the largest category.
    """

    name: ClassVar[str] = "bipolar"
    low: float | None = None
    high: float | None = None

    def places(self, labels: Labels) -> FloatArray:
        """Return the numbers; those outside the scale are refused."""
        values = numbers_of(labels, self.name)
        low, high = self._ends(values)
        outside = values[(values < low) | (values > high)]
        if len(outside):
            raise InputError(f"the bipolar scale is [{low:g}, {high:g}], and the category {outside[0]:g} is outside it")
        return values

    def between(self, values: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
        """Return d of pairs."""
        low, high = self._ends(values)
        total = first + second
        below = (total - 2 * low) * (2 * high - total)
        quotient: FloatArray = (first - second) ** 2 / np.where(below > 0, below, 1.0)
        return quotient

    def _ends(self, values: FloatArray) -> tuple[float, float]:
        low = float(values.min(initial=np.inf)) if self.low is None else self.low
        return low, float(values.max(initial=-np.inf)) if self.high is None else self.high

    def to_dict(self) -> dict[str, Any]:
        """Return name and parameters, ready for JSON."""
        return {"name": self.name, "low": self.low, "high": self.high}


@dataclass(frozen=True, slots=True)
class Circular(_Numeric):
    """sin²(180° (c - k) / U): directions, hours, months (Krippendorff 2011).

    Attributes
    ----------
    period : float
        U, once around: 360, 24, 12.
    """

    name: ClassVar[str] = "circular"
    bounded: ClassVar[bool] = True
    period: float

    def __post_init__(self) -> None:
        if not 0 < self.period < np.inf:
            raise SettingsError(f"the period of a circular distance must be above 0, not {self.period}")

    def between(self, values: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:  # noqa: ARG002
        """Return d of pairs."""
        turned: FloatArray = np.sin(np.pi * (first - second) / self.period)
        return turned**2

    def to_dict(self) -> dict[str, Any]:
        """Return name and parameters, ready for JSON."""
        return {"name": self.name, "period": self.period}
