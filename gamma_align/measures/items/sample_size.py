"""The number of items that a test of κ needs to find that it differs from another value.

References
----------
Flack, Afifi, Lachenbruch & Schouten 1988, Sample size determinations for the two rater kappa statistic. Cantor 1996.
Donner & Eliasziw 1992, A goodness-of-fit approach to inference procedures for the kappa statistic; Altaye, Donner &
Klar 2001 (several coders).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from gamma_align.columns import FloatArray
from gamma_align.errors import SettingsError
from gamma_align.inference import t_quantile
from gamma_align.measures.items.two_coders import kappa_errors

_MIN_CODERS = 2
_MAX_PATTERNS = 1_000_000  # of judgments of an item
_SUM_TOLERANCE = 1e-9  # of shares, which are to have the sum 1


def kappa_sample_size(
    kappa: float,
    null: float,
    *,
    rates: tuple[float, float] | None = None,
    shares: Sequence[float] | None = None,
    coders: int = 2,
    two_sided: bool = False,
    power: float = 0.8,
    alpha: float = 0.05,
) -> int:
    """Return the number of items that show that κ is not `null` if it is `kappa`, with the probability `power`.

    With `rates`, the test is that of two coders and two categories by the large-sample error of κ (Flack et al. 1988).
    With `shares`, it is the goodness-of-fit test of the common correlation model, which is two-sided (Donner & Eliasziw
    1992): all coders have the same shares of categories, and an item has equal judgments with probability κ.

    Parameters
    ----------
    kappa, null : float
        κ as it is assumed to be, and the value to tell it from.
    rates : (float, float), optional
        How often each of two coders uses the first of two categories.
    shares : sequence of float, optional
        Shares of the categories, with the sum 1.
    coders : int, default 2
        Number of coders of an item, with `shares`.
    two_sided : bool, default False
        Whether the test with `rates` is two-sided.
    power : float, default 0.8
        Probability that the test finds the difference.
    alpha : float, default 0.05
        Probability that it finds one if there is none.

    Raises
    ------
    SettingsError
        For a setting that is out of its range, and a κ that the rates or shares do not allow.

    Examples
    --------
    >>> ga.kappa_sample_size(0.6, 0.4, rates=(0.3, 0.3))
    141
    >>> ga.kappa_sample_size(0.6, 0.4, shares=(0.3, 0.7), coders=3)
    106
    """
    _check(kappa, null, power, alpha)
    beta_quantile = _normal_quantile(power)
    if shares is not None and rates is None:
        _check_shares(shares, coders)
        expected = _patterns(np.array(shares), coders, null)
        difference = _patterns(np.array(shares), coders, kappa) - expected
        noncentrality = float((difference**2 / expected).sum())
        return math.ceil((_normal_quantile(1.0 - alpha / 2) + beta_quantile) ** 2 / noncentrality)
    if rates is None or shares is not None:
        raise SettingsError("name either the rates of two coders or the shares of the categories")
    if coders != _MIN_CODERS:
        raise SettingsError(f"rates are those of two coders, not of {coders}", "name shares")
    errors = [kappa_errors(_cells(rates, value), np.eye(2))[0] for value in (null, kappa)]
    alpha_quantile = _normal_quantile(1.0 - alpha / (2 if two_sided else 1))
    return math.ceil(((alpha_quantile * errors[0] + beta_quantile * errors[1]) / (kappa - null)) ** 2)


def _normal_quantile(probability: float) -> float:
    """Return the quantile of the normal distribution for a probability."""
    sign = 1.0 if probability > 1 / 2 else -1.0
    return sign * t_quantile(math.inf, abs(2.0 * probability - 1.0))


def _check(kappa: float, null: float, power: float, alpha: float) -> None:
    """Raise a SettingsError if a probability or κ is out of its range, or if κ equals the null value."""
    for name, value in (("power", power), ("alpha", alpha)):
        if not 0 < value < 1:
            raise SettingsError(f"{name} must be between 0 and 1, not {value}")
    for name, value in (("kappa", kappa), ("null", null)):
        if not -1 <= value < 1:
            raise SettingsError(f"{name} must be at least -1 and less than 1, not {value}")
    if kappa == null:
        raise SettingsError(f"kappa and null are both {kappa}: no number of items tells them apart")


def _check_shares(shares: Sequence[float], coders: int) -> None:
    """Raise a SettingsError for invalid shares or coders, or if there are too many patterns to enumerate."""
    if len(shares) <= 1 or min(shares) <= 0 or abs(math.fsum(shares) - 1.0) > _SUM_TOLERANCE:
        raise SettingsError(f"shares must be of two categories or more, above 0, with the sum 1, not {list(shares)}")
    if coders < _MIN_CODERS:
        raise SettingsError(f"coders must be 2 or more, not {coders}")
    n_patterns = math.comb(coders + len(shares) - 1, coders)
    if n_patterns > _MAX_PATTERNS:
        raise SettingsError(f"{coders} coders and {len(shares)} categories have {n_patterns:,} patterns of judgments")


def _cells(rates: tuple[float, float], kappa: float) -> FloatArray:
    """Return the shares of pairs of two categories if the coders have these rates and this κ, shape (2, 2)."""
    first, second = rates
    if not (0 < first < 1 and 0 < second < 1):
        raise SettingsError(f"rates must be between 0 and 1, not {first} and {second}")
    chance = first * second + (1.0 - first) * (1.0 - second)
    observed = chance + kappa * (1.0 - chance)
    first_by_both = (observed + first + second - 1.0) / 2.0
    by_second_alone = [second - first_by_both, 1.0 - first - second + first_by_both]
    cells = np.array([[first_by_both, first - first_by_both], by_second_alone])
    if cells.min() < -_SUM_TOLERANCE:
        raise SettingsError(f"coders with the rates {first} and {second} cannot have a κ of {kappa}")
    non_negative: FloatArray = np.maximum(cells, 0.0)  # rounding may make a cell of 0 negative
    return non_negative


def _patterns(shares: FloatArray, coders: int, kappa: float) -> FloatArray:
    """Return the probability of each pattern: how many coders use each category for an item."""
    probabilities = []
    for counts in _compositions(coders, len(shares)):
        ways = math.factorial(coders) / math.prod(map(math.factorial, counts))
        independent = ways * math.prod((shares ** np.array(counts)).tolist())
        agreed = float(shares[counts.index(coders)]) if coders in counts else 0.0
        probabilities.append(kappa * agreed + (1.0 - kappa) * independent)
    result = np.array(probabilities)
    if result.min() <= 0:
        raise SettingsError(f"coders with these shares cannot have a κ of {kappa}")
    return result


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Yield the ways to divide a total into parts of 0 or more, in order."""
    for bars in combinations(range(total + parts - 1), parts - 1):
        edges = (-1, *bars, total + parts - 1)
        yield tuple(edges[index + 1] - edges[index] - 1 for index in range(parts))
