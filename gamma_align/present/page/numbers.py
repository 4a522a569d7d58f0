"""Numbers as text: two decimals in sentences, three in tables, and percentages that add up."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gamma_align.data import whole_percents
from gamma_align.inference import Value
from gamma_align.insight.disagreements import REASONS, Share
from gamma_align.measures.gamma import GammaResult, GammaValue

_MINUS_SIGN = "\u2212"  # as wide as a plus sign; a hyphen is shorter
_THIN_SPACE = "\u202f"  # between a number and "%", without a line break
_MIN_SHARE = 0.0005  # smaller shares would be printed as 0.0 %
_MIN_WHOLE_SHARE = 0.01  # smaller shares have one decimal
# decimals of the bounds of an interval
_MIN_DIGITS = 2
_MAX_DIGITS = 4
_ROUNDING_TOLERANCE = 1e-9  # 0.29 / 0.01 is 28.999999999999996, but counts as 29 hundredths


def decimal(value: float, digits: int = 2) -> str:
    """Return a number with this number of decimals and a minus sign, not a hyphen; "NA" for NaN."""
    if math.isnan(value):
        return "NA"
    text = f"{value:,.{digits}f}"
    if text[0] != "-":
        return text
    # Zero has no sign.
    return _MINUS_SIGN + text[1:] if text.strip("-0.") else text[1:]


def bounds(low: float, high: float) -> tuple[str, str]:
    """Return the bounds of an interval with two decimals, or with up to four if fewer do not distinguish them."""
    digits = _MIN_DIGITS
    while digits < _MAX_DIGITS and decimal(low, digits) == decimal(high, digits):
        digits += 1
    return decimal(low, digits), decimal(high, digits)


def signed(value: float) -> str:
    """Return a change with its sign and three decimals; "NA" for NaN."""
    text = decimal(value, 3)
    return f"+{text}" if value > 0 and float(f"{value:.3f}") else text


def count(number: int) -> str:
    """Return a whole number with commas in thousands."""
    return f"{number:,}"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: "1 unit", "2,000 units"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def hundredths(value: float) -> str:
    """Return a value in whole hundredths without a unit; "NA" for NaN."""
    return "NA" if math.isnan(value) else f"{100 * value:.0f}"


def percent(share: float, least_digits: int = 0) -> str:
    """Return a share in whole per cent, or in tenths below one per cent, or with more decimals; "NA" for NaN."""
    if math.isnan(share):
        return "NA"
    if 0 < abs(share) < _MIN_SHARE:
        return f"under 0.1{_THIN_SPACE}%"
    digits = 0 if round(abs(share), 3) >= _MIN_WHOLE_SHARE or share == 0 else 1
    return f"{decimal(100 * share, max(digits, least_digits))}{_THIN_SPACE}%"


def shares_of_reasons(disorder: Share) -> list[tuple[str, str]]:
    """Return the three reasons with their shares of a disorder in whole per cent; the shares add up to 100."""
    shares = whole_percents(disorder[1:4])
    return [(name, f"{share}{_THIN_SPACE}%") for name, share in zip(REASONS, shares, strict=True)]


def rounded(parts: Sequence[float]) -> list[float]:
    """Return parts in hundredths that add up to their rounded sum: those with the largest remainders are rounded up."""
    step = 0.01
    scaled = [part / step for part in parts]
    low = [float(math.floor(part + _ROUNDING_TOLERANCE)) for part in scaled]
    total = 0.0
    for part in scaled:  # from the left: `sum` has another rounding in Python 3.12
        total += part
    n_rounded_up = round(total) - int(math.fsum(low))
    # Of equal remainders, the first part is rounded up.
    order = sorted(range(len(low)), key=lambda index: low[index] - scaled[index])
    for index in order[:n_rounded_up]:
        low[index] += 1
    return [part * step for part in low]


def interval(value: Value, digits: int = 3) -> str:
    """Return "[0.832, 0.913]", or an empty text if no interval is available."""
    if math.isnan(value.low) or math.isnan(value.high):
        return ""
    return f"[{decimal(value.low, digits)}, {decimal(value.high, digits)}]"


def is_imprecise(result: GammaResult, value: GammaValue) -> bool:
    """Return whether the requested precision was missed; False if a number of samples was requested instead."""
    requested = result.settings.get("precision")
    return requested is not None and value.expected_precision > requested


def proven_range(result: GammaResult) -> tuple[float, float] | None:
    """Return proven bounds of γ, or None if γ is not available or all alignments are proven optimal."""
    if result.optimal or not result.gamma.is_available:
        return None
    observed = 0.0
    min_observed = 0.0
    expected = 0.0
    min_expected = 0.0
    for row in result.documents:
        if math.isnan(row.gamma.observed) or math.isnan(row.gamma.expected):
            continue
        weight = row.units / row.annotators  # x̄, as in the pooled γ
        observed += weight * row.gamma.observed
        min_observed += weight * row.gamma.observed * (1 - row.gap)
        expected += weight * row.gamma.expected
        min_expected += weight * row.gamma.expected * (1 - row.gap)
    return 1.0 - observed / min_expected, 1.0 - min_observed / expected
