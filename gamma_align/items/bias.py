"""How coders' margins differ and how uneven categories are: what Di Eugenio & Glass ask to report beside κ.

References
----------
Di Eugenio & Glass 2004, The Kappa Statistic: A Second Look (κ, π and 2A_o - 1 together). Artstein & Poesio 2005, §2.7
(B). Byrt, Bishop & Carlin 1993 (BI, PI, PABAK, BAK).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gamma_align.distances import Nominal
from gamma_align.items.counts import Patterns, confusion, patterns_of
from gamma_align.items.reasons import ANONYMOUS
from gamma_align.items.spec import SPECS
from gamma_align.items.study import Study
from gamma_align.results.values import JsonValue, Value, finite_or_none

if TYPE_CHECKING:
    from gamma_align._types import FloatArray
    from gamma_align.data.item_table import ItemTable


class Byrt(NamedTuple):
    """Indices of a 2 × 2 table with cells a b / c d, n items.

    Attributes
    ----------
    bias : float
        BI = |b - c| / n.
    prevalence : float
        PI = |a - d| / n.
    pabak : float
        2A_o - 1, κ as it would be without bias and with even categories.
    bak : float
        κ as it would be without bias; the same as π.
    positive, negative : float
        Specific agreement 2a/(2a + b + c) and 2d/(2d + b + c); NaN where nobody used the category.
    """

    bias: float
    prevalence: float
    pabak: float
    bak: float
    positive: float
    negative: float


@dataclass(frozen=True, slots=True)
class ChanceReport:
    """κ, π and 2A_o - 1 side by side, with what makes them differ.

    Attributes
    ----------
    kappa, pi, pabak : Value
        Without intervals (they are with the coefficients).
    bias : float
        B = A_e^π - A_e^κ, 0 where all coders use categories equally often; NaN where it is not known.
    prevalence : dict of str to float
        Share of each category among all judgments.
    byrt : Byrt or None
        Of two coders and two categories.
    kappa_max : float
        Largest κ the margins of two coders allow; NaN for other tables.
    """

    kappa: Value
    pi: Value
    pabak: Value
    bias: float
    prevalence: dict[str, float]
    byrt: Byrt | None
    kappa_max: float

    def to_dict(self) -> dict[str, Any]:
        """Return the report, ready for JSON."""
        values: dict[str, JsonValue] = {name: getattr(self, name).to_dict() for name in ("kappa", "pi", "pabak")}
        return {
            **values,
            "bias": finite_or_none(self.bias),
            "prevalence": dict(self.prevalence),
            "byrt": None if self.byrt is None else {k: finite_or_none(v) for k, v in self.byrt._asdict().items()},
            "kappa_max": finite_or_none(self.kappa_max),
        }


def chance_report(table: ItemTable, missing: str | None = None) -> ChanceReport:
    """Return the report of a table, nominal distance.

    Parameters
    ----------
    table : ItemTable
        Of any number of coders.
    missing : {"IL", "VL", "PL", "RM"}, optional
        The conception of missing values; each coefficient's own by default.
    """
    from gamma_align.items.two import kappa_max_of_margins  # noqa: PLC0415  (it builds on studies too)

    patterns = patterns_of(table)
    found = {}
    expected = {}
    for name in ("kappa", "pi", "pabak"):
        spec = SPECS[name]
        study = Study.of(table, spec, Nominal(), missing or spec.missing, patterns)
        value, _, expected[name], reason = study.evaluate()
        found[name] = Value(value) if reason is None else Value.unavailable(reason)
    counts = patterns.counts()
    prevalence = dict(zip(table.categories, (counts / max(counts.sum(), 1.0)).tolist(), strict=True))
    two = _two_coders(table, patterns)
    return ChanceReport(
        found["kappa"],
        found["pi"],
        found["pabak"],
        expected["kappa"] - expected["pi"],
        prevalence,
        byrt(confusion(two, 0, 1)) if two is not None and two.size == 2 else None,  # noqa: PLR2004
        math.nan if two is None else kappa_max_of_margins(*two.coder_counts()),
    )


def _two_coders(table: ItemTable, patterns: Patterns) -> Patterns | None:
    """Return the items that both of two coders judged; None for other tables."""
    if table.anonymous or len(table.coders) != 2:  # noqa: PLR2004
        return None
    both = patterns.of_coders(0, 1)
    return both if len(both.times) else None


def byrt(cells: FloatArray) -> Byrt:
    """Return the indices of a 2 × 2 table of counts."""
    (both, first), (second, neither) = cells.tolist()
    count = both + first + second + neither
    disagreed = first + second
    margin = (2 * both + disagreed) / (2 * count)
    spread = 2 * margin * (1 - margin)
    return Byrt(
        abs(first - second) / count,
        abs(both - neither) / count,
        2 * (both + neither) / count - 1,
        1 - disagreed / count / spread if spread else math.nan,
        2 * both / (2 * both + disagreed) if both + disagreed else math.nan,
        2 * neither / (2 * neither + disagreed) if neither + disagreed else math.nan,
    )


def bias(table: ItemTable) -> Value:
    """Return B = A_e^π - A_e^κ (AP05 §2.7): how much coders' margins differ, Σ_k var_c P(k|c)/(c - 1)."""
    if table.anonymous:
        return Value.unavailable(ANONYMOUS)
    report = chance_report(table)
    if np.isnan(report.bias):
        return Value.unavailable(report.pi.reason or report.kappa.reason or "")
    return Value(report.bias)
