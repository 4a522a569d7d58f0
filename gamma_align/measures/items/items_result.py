"""Results of a measurement on items, and verbal scales for ranges of values.

References
----------
Landis & Koch 1977; Krippendorff 2004 (p. 241); Green 1997; Artstein & Poesio 2008, §5.3.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gamma_align.inference import Number, Result, Uncertainty, Value
from gamma_align.measures.items.items_options import SCALE, SCALES
from gamma_align.measures.items.spec import spec_of
from gamma_align.measures.items.two_coders import ChanceReport

# The fields of a coefficient in JSON, and in data frames.
_JSON_FIELDS = (
    *("name", "symbol", "value", "low", "high", "error", "p_zero", "observed", "expected", "distance", "missing"),
    *("items", "pairable", "interval", "reason", "error_reason"),
)
_MAX_SHOWN = 8  # coefficients in the short form of a result
_FRAME_FIELDS = tuple(name for name in _JSON_FIELDS if name not in ("p_zero", "interval"))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ItemCoefficient(Number):
    """A coefficient on items, with its error and interval, or the reasons why they are not available.

    It can be used as a number, like `Value`: ``float(alpha)``, ``alpha > 0.8``.

    Attributes
    ----------
    name : str
        Name of the coefficient, such as "alpha".
    symbol : str
        Symbol, such as π, α′ or κ_w.
    value : float
        The coefficient, NaN if it is not available.
    observed, expected : float
        Disagreements D_o and D_e, in the unit of the distance.
    distance, missing : str
        Distance and conception of missing values.
    items : int
        Number of items that it is computed from.
    pairable : int
        Number of items with at least two judgments.
    interval : str or None
        Method of error and interval.
    uncertainty : Uncertainty
        Error, interval and the distribution for tests.
    reason : str or None
        The reason if there is no value.

    Examples
    --------
    >>> items = ga.ItemTable.from_matrix([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]])
    >>> value = ga.item_coefficient(items, "alpha")
    >>> value.symbol, round(value.value, 4), round(value.error, 4), value.items
    ('α', 0.5333, 0.6143, 4)
    """

    name: str
    symbol: str
    value: float
    observed: float
    expected: float
    distance: str
    missing: str
    items: int
    pairable: int
    interval: str | None = None
    uncertainty: Uncertainty = field(default_factory=Uncertainty)
    reason: str | None = None

    def as_value(self) -> Value:
        """Return the value with its interval, or the reasons why they are not available."""
        return Value(self.value, self.low, self.high, self.reason, self.error_reason)

    @property
    def low(self) -> float:
        """Lower bound of the interval, NaN if not available."""
        return self.uncertainty.low

    @property
    def high(self) -> float:
        """Upper bound of the interval, NaN if not available."""
        return self.uncertainty.high

    @property
    def error(self) -> float:
        """Standard error, NaN if not available."""
        return self.uncertainty.error

    @property
    def error_reason(self) -> str | None:
        """The reason why an available coefficient has no error and interval, or None."""
        return self.uncertainty.reason

    def p_value(self, threshold: float = 0.0) -> float:
        """Return the two-sided p of the hypothesis that the true value is `threshold`; NaN without an error.

        Examples
        --------
        >>> items = ga.ItemTable.from_matrix([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]])
        >>> round(ga.item_coefficient(items, "alpha").p_value(0.8), 3)
        0.572
        """
        return self.uncertainty.p_value(self.value, threshold)

    @property
    def p_zero(self) -> float:
        """Two-sided p of the hypothesis that the true value is 0; NaN without an error."""
        return self.p_value()

    def probability_below(self, threshold: float) -> float:
        """Return the probability of a value below `threshold` with other items; NaN without an error.

        Examples
        --------
        >>> items = ga.ItemTable.from_matrix([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]])
        >>> round(ga.item_coefficient(items, "alpha").probability_below(0.8), 3)
        0.714
        """
        return self.uncertainty.probability_below(self.value, threshold)

    def word(self, scale: str) -> str:
        """Return the word of a scale for the value; `gamma_align.measures.items.items_result.WARNING` applies.

        Examples
        --------
        >>> items = ga.ItemTable.from_matrix([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]])
        >>> ga.item_coefficient(items, "alpha").word("landis-koch")
        'moderate'
        """
        return word(self.value, scale)

    def __str__(self) -> str:
        return str(Value(self.value, self.low, self.high, self.reason))

    def _contents(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in _JSON_FIELDS}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ItemResult(Result):
    """Coefficients of a table of items.

    Attributes
    ----------
    coefficients : mapping of str to ItemCoefficient
        Coefficients by name, in the requested order.
    table : mapping
        Items, coders, categories, judgments and the share of missing judgments.
    chance : ChanceReport
        κ, π, 2A_o - 1, bias and prevalence side by side (Di Eugenio & Glass 2004).
    settings : mapping
        Everything needed to compute the result again, ready for JSON.
    signature : str
        One line to paste into a paper.
    notes : tuple of str
        Remarks on the interpretation of the values.

    Examples
    --------
    >>> items = ga.ItemTable.from_matrix([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]])
    >>> result = ga.item_agreement(items, coefficients=["s", "alpha"])
    >>> {name: round(value.value, 4) for name, value in result.coefficients.items()}
    {'s': 0.5, 'alpha': 0.5333}
    """

    coefficients: Mapping[str, ItemCoefficient]
    table: Mapping[str, Any]  # a number, a list of names or a Boolean, by name
    chance: ChanceReport
    settings: Mapping[str, Any]
    signature: str
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> ItemCoefficient:
        return self.coefficients[spec_of(name).name]

    def _summary(self) -> str:
        values = [f"{name} {value}" for name, value in self.coefficients.items()]
        if len(values) > _MAX_SHOWN:
            values = [f"coefficients: {len(values)}"]
        return ", ".join([*values, f"notes: {len(self.notes)}"])

    def _contents(self) -> dict[str, object]:
        names = ("signature", "settings", "table", "coefficients", "chance", "notes")
        return {"schema_version": 1, **{name: getattr(self, name) for name in names}}


WARNING = (
    "words on a scale are conventions: no single threshold suits all purposes, values of different coefficients are "
    "not comparable, and what is enough depends on the use (Artstein & Poesio 2008, §5.3); report how the value was "
    "obtained: coefficient, coders, items, categories, guidelines"
)
"""The warning that is shown with every word."""


def word(value: float, scale: str) -> str:
    """Return the word of a scale for a value; `WARNING` applies."""
    SCALE.check(scale)
    if math.isnan(value):
        return ""
    return [name for bound, name in SCALES[scale] if value >= bound][-1]
