"""Numbers as people read them: two decimals in sentences, three in tables, percentages that add up."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from gamma_align.data.wording import whole_percents
from gamma_align.inference.values import Value
from gamma_align.insight.disagreements.shares import Share
from gamma_align.insight.disagreements.unitary_alignments import REASONS
from gamma_align.measures.gamma.gamma_result import GammaResult, GammaValue

_MINUS, _THIN = "\u2212", "\u2009"
_SMALL = 0.0005


def decimal(value: float, digits: int = 2) -> str:
    """Return a number with so many decimals and a true minus; "NA" for NaN."""
    if math.isnan(value):
        return "NA"
    return format(round(value, digits) + 0.0, f",.{digits}f").replace("-", _MINUS)


def bounds(low: float, high: float) -> tuple[str, str]:
    """Return the ends of an interval with two decimals, or as many as tell them apart, up to four."""
    digits = next((digits for digits in (2, 3) if decimal(low, digits) != decimal(high, digits)), 4)
    return decimal(low, digits), decimal(high, digits)


def signed(value: float, digits: int = 3) -> str:
    """Return a change with its sign; "NA" for NaN."""
    text = decimal(value, digits)
    return f"+{text}" if value > 0 and float(f"{value:.{digits}f}") else text


def count(number: int) -> str:
    """Return a whole number with commas in thousands."""
    return f"{number:,}"


def counted(number: int, noun: str) -> str:
    """Return "1 unit", "2,000 units"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def percent(share: float) -> str:
    """Return a share in whole per cent, below one in tenths."""
    if math.isnan(share):
        return "NA"
    if 0 < abs(share) < _SMALL:
        return f"under 0.1{_THIN}%"
    digits = 0 if round(abs(share), 3) >= 0.01 or share == 0 else 1  # noqa: PLR2004
    return f"{decimal(100 * share, digits)}{_THIN}%"


def shares_of_reasons(disorder: Share) -> list[tuple[str, str]]:
    """Return the three reasons with their share of a disorder in whole per cent, which add up to 100."""
    shares = whole_percents(disorder[1:4])
    return [(name, f"{share}{_THIN}%") for name, share in zip(REASONS, shares, strict=True)]


def rounded(parts: Sequence[float], digits: int = 2) -> list[float]:
    """Return parts rounded so that they add up to their rounded sum: the largest remainders are rounded up."""
    unit = 10.0**-digits
    scaled = np.array(parts, dtype=np.float64) / unit
    low = np.floor(scaled + 1e-9)
    missing = round(float(scaled.sum())) - int(low.sum())
    order = np.lexsort((np.arange(len(low)), low - scaled))
    low[order[:missing]] += 1
    result: list[float] = (low * unit).tolist()
    return result


def interval(value: Value, digits: int = 3) -> str:
    """Return "[0.832, 0.913]", or nothing where there is no interval."""
    if math.isnan(value.low) or math.isnan(value.high):
        return ""
    return f"[{decimal(value.low, digits)}, {decimal(value.high, digits)}]"


def is_imprecise(result: GammaResult, value: GammaValue) -> bool:
    """Return whether the precision that was asked for was not reached; never where a number of samples was."""
    asked = result.settings.get("precision")
    return asked is not None and value.expected_precision > asked


def proven_range(result: GammaResult) -> tuple[float, float] | None:
    """Return between what γ is proven to lie, where not every alignment is proven optimal."""
    if result.optimal or not result.gamma.is_available:
        return None
    observed, least, expected, least_expected = 0.0, 0.0, 0.0, 0.0
    for row in result.documents:
        if math.isnan(row.gamma.observed) or math.isnan(row.gamma.expected):
            continue
        weight = row.units / row.annotators
        observed += weight * row.gamma.observed
        least += weight * row.gamma.observed * (1 - row.gap)
        expected += weight * row.gamma.expected
        least_expected += weight * row.gamma.expected * (1 - row.gap)
    return 1.0 - observed / least_expected, 1.0 - least / expected
