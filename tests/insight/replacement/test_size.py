"""The size of the t-test without ties: a test can only count wins there, so few sizes are possible."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from gamma_align.inference.hypotheses import mean_below_p

LEVEL = 0.05
NEAR = (0.03, 0.06)  # sizes that count as near the level
EPSILONS = (Fraction(1, 10), Fraction(3, 20), Fraction(1, 5))
NONE_EXISTS = {(12, 0.15), (13, 0.1), (14, 0.15), (15, 0.1), (22, 0.1), (24, 0.1), (26, 0.1)}
"""Numbers of instances and ε for which no test that counts wins has a size that is near."""
BARELY_ABOVE = {(57, 0.1), (59, 0.1), (61, 0.1), (63, 0.1)}
"""Those for which such a test exists, and the t-test has a size of .0600 to .0601."""


def sizes(n, epsilon):
    """Return the probability of k wins or more, for k = 0 … n, if the mean of d is ε: exact, from whole numbers."""
    # a win has the probability (1 - ε) / 2; both probabilities have the denominator 40
    won, lost = int(20 * (1 - epsilon)), int(20 * (1 + epsilon))
    terms = [comb(n, k) * won**k * lost ** (n - k) for k in range(n + 1)]
    sums = np.cumsum(np.array(terms[::-1], dtype=object))[::-1]
    return [Fraction(int(total), 40**n) for total in sums]


def rejects(n, won, epsilon):
    return mean_below_p(np.repeat([-1.0, 1.0], [won, n - won]), float(epsilon)) <= LEVEL


def wins_of_t(n, epsilon):
    return next(won for won in range(n // 3, n + 1) if rejects(n, won, epsilon))


@pytest.mark.parametrize("epsilon", EPSILONS, ids=float)
@pytest.mark.parametrize("n", [12, 15, 30])
def test_the_t_test_counts_wins(n, epsilon):
    decisions = [rejects(n, won, epsilon) for won in range(n + 1)]
    assert decisions == sorted(decisions)
    assert decisions.index(True) == wins_of_t(n, epsilon)


@pytest.mark.parametrize("epsilon", EPSILONS, ids=float)
def test_size_without_ties_is_near_the_level_where_any_test_can_be(epsilon):
    none_exists, elsewhere = set(), set()
    for n in range(12, 201):
        possible = sizes(n, epsilon)
        size = possible[wins_of_t(n, epsilon)]
        if not any(NEAR[0] <= other <= NEAR[1] for other in possible):
            none_exists.add((n, float(epsilon)))
        elif not NEAR[0] <= size <= NEAR[1]:
            elsewhere.add((n, float(epsilon)))
            assert size < 0.0602
    assert none_exists == {case for case in NONE_EXISTS if case[1] == float(epsilon)}
    assert elsewhere == {case for case in BARELY_ABOVE if case[1] == float(epsilon)}


@pytest.mark.parametrize(("n", "epsilon", "size", "next_size"), [(12, 0.15, 0.0237, 0.0813), (15, 0.1, 0.0255, 0.0769)])
def test_size_below_the_bound_is_the_largest_below_the_level(n, epsilon, size, next_size):
    possible = sizes(n, Fraction(str(epsilon)))
    won = wins_of_t(n, epsilon)
    assert (round(float(possible[won]), 4), round(float(possible[won - 1]), 4)) == (size, next_size)
    assert possible[won] <= LEVEL < possible[won - 1]
