"""What a distance between categories is able to do, and what is shared by all of them."""

from __future__ import annotations

import abc
import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gamma_align.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from gamma_align._types import FloatArray, IntArray

Labels = Any
"""A sequence of strings or frozensets, or an array of numbers."""


class Distance(abc.ABC):
    """A distance between categories.

    Attributes
    ----------
    name : str
        Short name, for the command line, results and signatures.
    adaptive : bool
        Whether it depends on how often the categories are used.
    ordered : bool
        Whether it depends on the order of the categories, which then has to be declared unless they are numbers.
    bounded : bool
        Whether it has values in [0, 1] by its definition, and so is not scaled for γ.
    """

    __slots__ = ()
    name: ClassVar[str]
    adaptive: ClassVar[bool] = False
    ordered: ClassVar[bool] = False
    bounded: ClassVar[bool] = False

    @abc.abstractmethod
    def matrix(self, labels: Labels, weights: FloatArray | None = None) -> FloatArray:
        """Return d between all pairs of labels, shape (n, n).

        Parameters
        ----------
        labels : sequence
            Strings, frozensets or numbers, in their order.
        weights : ndarray of float64, shape (n,), optional
            How often each is used; only adaptive distances look at it. Without it: once each.

        Raises
        ------
        InputError
            For a label the distance is not defined for.
        """

    def scores(self, labels: Labels, weights: FloatArray | None = None) -> FloatArray | None:  # noqa: ARG002
        """Return numbers s with d = (s - s')², shape (n,), where there are such; then sums of squares do."""
        return None

    def block(self, labels: Labels, first: slice) -> FloatArray:
        """Return the rows `first` of `matrix`, without making the others where that is possible."""
        return self.matrix(labels)[first]

    def pairs(self, labels: Labels, first: IntArray, second: IntArray) -> FloatArray:
        """Return d of pairs of codes into `labels`."""
        found: FloatArray = self.matrix(labels)[first, second]
        return found

    def bind(self, categories: tuple[str, ...]) -> Callable[[IntArray, IntArray], FloatArray]:
        """Return the function from two columns of codes to D in [0, 1]: the distance as γ's categorial dissimilarity.

        Divided by the largest distance between two of the categories, unless it is `bounded`. Code -1 is no label:
        two of them are 0 apart, one and a label are 1 apart.

        Raises
        ------
        InputError
            For a category the distance is not defined for, or without an order where one is needed.
        """
        self.check_order(categories)
        table = np.ones((len(categories) + 1, len(categories) + 1))
        table[-1, -1] = 0.0
        found = self.matrix(categories)
        largest = 1.0 if self.bounded else float(found.max(initial=0.0))
        table[:-1, :-1] = found / largest if largest > 0 else found

        def lookup(first: IntArray, second: IntArray) -> FloatArray:
            values: FloatArray = table[first, second]
            return values

        return lookup

    def check_order(self, labels: Labels, *, declared: bool = False) -> None:
        """Refuse labels without an order where the distance depends on it.

        Raises
        ------
        InputError
            If the order is not declared and the labels are not numbers.
        """
        if self.ordered and not declared and len(labels) and as_numbers(labels) is None:
            few = ", ".join(repr(label) for label in labels[:3])
            raise InputError(
                f"the {self.name} distance needs an order of the categories ({few} …); declare it: categories=[…], "
                "lowest first (--categories)"
            )

    def to_dict(self) -> dict[str, Any]:
        """Return name and parameters, ready for JSON."""
        return {"name": self.name}


def as_numbers(labels: Labels) -> FloatArray | None:
    """Return labels as finite numbers, or None where one of them is none."""
    if isinstance(labels, np.ndarray):
        return labels.astype(np.float64) if labels.dtype.kind in "fiu" else None
    found = np.empty(len(labels))
    for at, label in enumerate(labels):
        try:
            found[at] = float(label)
        except (TypeError, ValueError):
            return None
        if not math.isfinite(found[at]) or (isinstance(label, str) and "_" in label):
            return None
    return found


def numbers_of(labels: Labels, name: str) -> FloatArray:
    """Return labels as numbers.

    Raises
    ------
    InputError
        For a label that is not a number, which it names.
    """
    found = as_numbers(labels)
    if found is None:
        bad = next(label for label in labels if as_numbers([label]) is None)
        raise InputError(f"the {name} distance is for numbers, and the category {bad!r} is none; ordinal or nominal?")
    return found
