"""What a measurement on items gives back."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from gamma_align.items.inference import Spread, p_value, probability_below
from gamma_align.items.scales import word
from gamma_align.results.frames import frame_of
from gamma_align.results.values import finite_or_none

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gamma_align.items.bias import ChanceReport

Backend = Literal["pandas", "polars", "pyarrow", "modin", "cudf"]


@dataclass(frozen=True, slots=True)
class ItemCoefficient:
    """A coefficient on items, with its error and interval, or the reasons why there is none.

    Attributes
    ----------
    name : str
        Which coefficient, as it is asked for.
    symbol : str
        As it is written: π, α′, κ_w ….
    value : float
        NaN where it is not available.
    observed, expected : float
        Disagreements D_o and D_e, in the unit of the distance.
    distance, missing : str
        With which distance and conception of missing values.
    items : int
        Items it rests on.
    pairable : int
        Items of which two judgments or more were compared.
    interval : str or None
        How error and interval were made.
    spread : Spread
        Error, interval and what tests need.
    reason : str or None
        Why there is no value.
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
    spread: Spread = field(default_factory=Spread)
    reason: str | None = None

    @property
    def is_available(self) -> bool:
        """Whether there is a value."""
        return self.reason is None

    @property
    def low(self) -> float:
        """Lower bound of the interval; NaN where there is none."""
        return self.spread.low

    @property
    def high(self) -> float:
        """Upper bound of the interval; NaN where there is none."""
        return self.spread.high

    @property
    def error(self) -> float:
        """Standard error; NaN where there is none."""
        return self.spread.error

    @property
    def error_reason(self) -> str | None:
        """Why there is no error and no interval, of a coefficient that is available; None where there are."""
        return self.spread.reason

    def p_value(self, threshold: float = 0.0) -> float:
        """Return the two-sided p of the hypothesis that the true value is `threshold`; NaN without an error."""
        return p_value(self.value, self.spread, threshold)

    def probability_below(self, threshold: float) -> float:
        """Return the probability that other items give a value below `threshold`; NaN without an error."""
        return probability_below(self.value, self.spread, threshold)

    def word(self, scale: str) -> str:
        """Return what a scale calls the value; read `gamma_align.items.scales.WARNING` with it."""
        return word(self.value, scale)

    def __str__(self) -> str:
        if self.reason is not None:
            return f"NA ({self.reason})"
        if math.isnan(self.low):
            return f"{self.value:.4f}"
        return f"{self.value:.4f} [{self.low:.4f}, {self.high:.4f}]"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON."""
        return {
            "name": self.name,
            "symbol": self.symbol,
            "value": finite_or_none(self.value),
            "low": finite_or_none(self.low),
            "high": finite_or_none(self.high),
            "error": finite_or_none(self.error),
            "p_zero": finite_or_none(self.p_value()),
            "observed": finite_or_none(self.observed),
            "expected": finite_or_none(self.expected),
            "distance": self.distance,
            "missing": self.missing,
            "items": self.items,
            "pairable": self.pairable,
            "interval": self.interval,
            "reason": self.reason,
            "error_reason": self.error_reason,
        }


@dataclass(frozen=True, slots=True)
class ItemResult:
    """Coefficients of a table of items.

    Attributes
    ----------
    coefficients : mapping of str to ItemCoefficient
        By name, in the order they were asked for.
    table : mapping
        Items, coders, categories, judgments and the share that is missing.
    chance : ChanceReport
        κ, π, 2A_o - 1, bias and prevalence side by side (Di Eugenio & Glass 2004).
    settings : mapping
        Everything needed to compute the result again, ready for JSON.
    signature : str
        One line to paste into a paper.
    notes : tuple of str
        What the reader of the numbers should know.
    """

    coefficients: Mapping[str, ItemCoefficient]
    table: Mapping[str, Any]
    chance: ChanceReport
    settings: Mapping[str, Any]
    signature: str
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> ItemCoefficient:
        from gamma_align.items.spec import spec_of  # noqa: PLC0415  (aliases are looked up here alone)

        return self.coefficients[spec_of(name).name]

    def to_dict(self) -> dict[str, Any]:
        """Return the result as one JSON document (``schema_version`` 1)."""
        return {
            "schema_version": 1,
            "signature": self.signature,
            "settings": dict(self.settings),
            "table": dict(self.table),
            "coefficients": {name: value.to_dict() for name, value in self.coefficients.items()},
            "chance": self.chance.to_dict(),
            "notes": list(self.notes),
        }

    def to_frame(self, backend: Backend = "pandas") -> Any:  # noqa: ANN401  (the backend's own frame)
        """Return a data frame, a row a coefficient.

        Raises
        ------
        MissingExtraError
            Without narwhals.
        """
        rows = list(self.coefficients.values())
        names: tuple[str, ...] = ("name", "symbol", "value", "low", "high", "error", "observed", "expected")
        names += ("distance", "missing")
        columns = {
            name: [getattr(row, name) for row in rows]
            for name in (*names, "items", "pairable", "reason", "error_reason")
        }
        return frame_of(columns, backend)
