"""Ordinal, interval and ratio distances between categories that are ranks or numbers (DEFINITIONS §2).

Each is one definition of δ² with two uses. Coefficients that weigh by lengths or counts take `metric`: δ² as
Krippendorff has it. γ takes `bind`: D = δ² divided by the largest δ² between two labels of the corpus, so that it is in
[0, 1]; there ranks are equally far apart, as if every category were equally frequent.

References
----------
Krippendorff 2019, Content Analysis, §12.3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gamma_align.dissimilarity.metric import LineMetric, PairMetric
from gamma_align.errors import InputError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gamma_align._types import FloatArray, IntArray
    from gamma_align.dissimilarity.categorial import PairsOfCodes
    from gamma_align.dissimilarity.metric import Labels, Metric

_LARGEST = 1e100  # the square of a difference is to be a number too


@dataclass(frozen=True, slots=True)
class Interval:
    """δ² = (c - k)² for labels that are numbers."""

    name: str = "interval"

    def metric(self, labels: Labels) -> Metric:
        """Return δ² for these labels; see `gamma_align.dissimilarity.metric.Distance.metric`."""
        at = _numbers(_labelled(labels, self.name), self.name)[:, None]
        return LineMetric(lambda _: at)

    def bind(self, categories: tuple[str, ...]) -> PairsOfCodes:
        """Return the function from codes to D; see `gamma_align.dissimilarity.categorial.Categorial.bind`."""
        return _on_a_line(_numbers(categories, self.name))

    def to_dict(self) -> dict[str, Any]:
        """Return name and parameters, ready for JSON."""
        return {"name": self.name}


@dataclass(frozen=True, slots=True)
class Ordinal:
    """δ² = (Σ_{g=c..k} n_g - (n_c + n_k) / 2)², n_g the margin of rank g: the distance of mid-ranks, squared.

    Attributes
    ----------
    order : tuple of str, optional
        The labels from first to last; without it, labels are numbers and stand in their order.

    Raises
    ------
    SettingsError
        For an order that names a label twice.
    """

    order: tuple[str, ...] | None = None
    name: str = "ordinal"

    def __post_init__(self) -> None:
        order = self.order or ()
        for label in order:
            if order.count(label) > 1:
                raise SettingsError(f"the order of categories names {label!r} twice")

    @classmethod
    def of(cls, order: Sequence[str]) -> Ordinal:
        """Return the distance for labels in this order."""
        return cls(tuple(map(str, order)))

    def metric(self, labels: Labels) -> Metric:
        """Return δ² for these labels; see `gamma_align.dissimilarity.metric.Distance.metric`."""
        group = self._ranks(_labelled(labels, self.name))

        def mid_ranks(margins: FloatArray) -> FloatArray:
            size = np.zeros((int(group.max(initial=-1)) + 1, margins.shape[1]))
            np.add.at(size, group, margins)
            middle: FloatArray = (np.cumsum(size, axis=0) - size / 2)[group]
            return middle

        return LineMetric(mid_ranks)

    def bind(self, categories: tuple[str, ...]) -> PairsOfCodes:
        """Return the function from codes to D; see `gamma_align.dissimilarity.categorial.Categorial.bind`."""
        return _on_a_line(self._ranks(categories).astype(np.float64))

    def to_dict(self) -> dict[str, Any]:
        """Return name and parameters, ready for JSON."""
        return {"name": self.name, "order": None if self.order is None else list(self.order)}

    def _ranks(self, labels: Sequence[str]) -> IntArray:
        """Return the rank of each label; labels that are the same number share one."""
        if self.order is None:
            return np.unique(_numbers(labels, self.name), return_inverse=True)[1].reshape(-1)
        place = {label: rank for rank, label in enumerate(self.order)}
        for label in labels:
            if label not in place:
                raise InputError(
                    f"the order of categories does not know {label!r}; it has {', '.join(map(repr, self.order))}"
                )
        return np.array([place[label] for label in labels], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Ratio:
    """δ² = ((c - k) / (c + k))² for labels that are numbers, 0 or more; 0 against 0 is 0."""

    name: str = "ratio"

    def metric(self, labels: Labels) -> Metric:
        """Return δ² for these labels; see `gamma_align.dissimilarity.metric.Distance.metric`."""
        return PairMetric(_ratio(self._numbers(_labelled(labels, self.name))))

    def bind(self, categories: tuple[str, ...]) -> PairsOfCodes:
        """Return the function from codes to D; see `gamma_align.dissimilarity.categorial.Categorial.bind`."""
        numbers = self._numbers(categories)
        squared = _ratio(numbers)
        # the further two numbers are apart in proportion, the larger δ²: the largest is that of the extremes
        ends = np.array([numbers.argmin(), numbers.argmax()]) if len(numbers) else np.zeros(0, dtype=np.int64)
        return _labels_or_none(squared, float(squared(ends[:1], ends[1:]).max(initial=0.0)))

    def to_dict(self) -> dict[str, Any]:
        """Return name and parameters, ready for JSON."""
        return {"name": self.name}

    def _numbers(self, labels: Sequence[str]) -> FloatArray:
        numbers = _numbers(labels, self.name)
        for row in np.flatnonzero(numbers < 0)[:1]:
            raise InputError(f"the ratio distance needs numbers that are 0 or more; {labels[row]!r} is a category")
        return numbers


def _numbers(labels: Sequence[str], name: str) -> FloatArray:
    """Return the numbers that the labels are."""
    return np.array([_number(label, name) for label in labels], dtype=np.float64)


def _number(label: str, name: str) -> float:
    try:
        number = float(label)
    except ValueError:
        number = math.nan
    if not abs(number) < _LARGEST:  # NaN too
        cure = "give their order, Ordinal.of or --order" if name == "ordinal" else "use another distance"
        raise InputError(f"the {name} distance needs categories that are numbers; {label!r} is none ({cure})")
    return number


def _labelled(labels: Labels, name: str) -> list[str]:
    """Return the labels, all of which must be there."""
    found = [label for label in labels if label is not None]
    if len(found) < len(labels):
        raise InputError(
            f"the {name} distance needs a category on every unit, and some have none: give them one, leave them out, "
            "or use the nominal distance"
        )
    return found


def _on_a_line(numbers: FloatArray) -> PairsOfCodes:
    def squared(first: IntArray, second: IntArray) -> FloatArray:
        apart: FloatArray = np.square(numbers[first] - numbers[second])
        return apart

    return _labels_or_none(squared, float(np.ptp(numbers)) ** 2 if len(numbers) else 0.0)


def _ratio(numbers: FloatArray) -> PairsOfCodes:
    def squared(first: IntArray, second: IntArray) -> FloatArray:
        one, other = numbers[first], numbers[second]
        total = one + other
        ratio: FloatArray = np.square((one - other) / np.where(total > 0, total, 1.0))
        return ratio

    return squared


def _labels_or_none(squared: PairsOfCodes, largest: float) -> PairsOfCodes:
    """Return D = δ² / largest, with code -1 (no label) 1 from every label and 0 from itself."""

    def distance(first: IntArray, second: IntArray) -> FloatArray:
        found: FloatArray = (first != second).astype(np.float64)
        both = (first >= 0) & (second >= 0)
        found[both] = squared(first[both], second[both]) / largest if largest > 0 else 0.0
        return found

    return distance
