"""True size of the tests of `replaceable` at a nominal .05, computed exactly; see README.md next to it.

    python tools/bench/replacement.py [-o FILE]

The differences d of a person are -1, 0 or 1. Under the hardest case of the hypothesis their mean is ε. All outcomes of
n instances are enumerated, each with its probability, so the size has no error of simulation. Wilcoxon's signed rank
test of d - ε, which Calderon et al. advise below 30 instances, stands beside the t-test that gamma_align uses.

Without ties, a test can only count wins and reject from some number of them on, so few sizes are possible. The last two
tables compare the size of the t-test with all of these.
"""

from __future__ import annotations

import argparse
from bisect import bisect_left
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import binom, multinomial, wilcoxon

from gamma_align.inference.hypotheses import mean_below_p

Test = Callable[[np.ndarray, float], float]
"""Return the p of differences and ε."""
OUTPUT = Path(__file__).parent / "results" / "replacement.md"
LEVEL = 0.05
SIZES = (5, 8, 10, 12, 15, 20, 30, 50, 100, 200)
EPSILONS = (0.1, 0.15, 0.2)
TIES = (0.0, 0.2, 0.4, 0.6, 0.8)
WANTED = (0.03, 0.06)
"""The sizes that are near enough to the nominal one, for the numbers of instances `COUNTED`."""
COUNTED = range(12, 201)
_ROUNDING = 1e-12
MAX_WILCOXON = 50  # instances; Calderon et al. advise it below 30


def shares(epsilon: float, ties: float) -> np.ndarray:
    """Return the probabilities of d = -1, 0 and 1 with mean ε, NaN if there are none."""
    won = (1 - ties - epsilon) / 2
    return np.array([won, ties, 1 - ties - won]) if won > _ROUNDING else np.full(3, np.nan)


def true_sizes(n: int, epsilon: float, p_value: Test) -> list[float]:
    """Return the probability that the test rejects a true hypothesis, for each share of ties."""
    counts = np.array([(won, n - won - lost, lost) for won in range(n + 1) for lost in range(n + 1 - won)])
    p = np.array([p_value(np.repeat([-1.0, 0.0, 1.0], row), epsilon) for row in counts])
    rejected = counts[p <= LEVEL]
    return [float(multinomial.pmf(rejected, n, shares(epsilon, ties)).sum()) for ties in TIES]


def wilcoxon_p(terms: np.ndarray, epsilon: float) -> float:
    """Return p as SciPy gives it to the reference implementation."""
    return float(wilcoxon(terms - epsilon, alternative="less").pvalue)


def t_p(terms: np.ndarray, epsilon: float) -> float:
    return mean_below_p(terms, epsilon)


def rows(name: str, p_value: Test, sizes: Sequence[int]) -> list[str]:
    lines = []
    for n in sizes:
        for epsilon in EPSILONS:
            values = true_sizes(n, epsilon, p_value)
            cells = ["" if np.isnan(value) else f"{value:.3f}".lstrip("0") for value in values]
            lines.append(f"| {name} | {n} | {epsilon:g} | {' | '.join(cells)} |")
    return lines


def sizes_of_wins(n: int, epsilon: float) -> np.ndarray:
    """Return the probability of k wins or more of n without ties, for k = 0 … n, if the mean of d is ε."""
    return binom.sf(np.arange(-1, n), n, shares(epsilon, 0.0)[0])


def wins_of_t(n: int, epsilon: float) -> int:
    """Return the least number of wins of n, without ties, with which the t-test rejects."""
    # p falls with the number of wins, so the first that rejects is found by halving.
    return bisect_left(range(n + 1), x=-LEVEL, key=lambda won: -t_p(np.repeat([-1.0, 1.0], [won, n - won]), epsilon))


class Wins(NamedTuple):
    """The t-test of n instances without ties, and the sizes of the tests that reject from k = 0 … n wins on."""

    n: int
    epsilon: float
    wins: int
    sizes: np.ndarray

    @property
    def size(self) -> float:
        return float(self.sizes[self.wins])

    @property
    def is_possible(self) -> bool:
        return any(is_near(size) for size in self.sizes)

    def row(self) -> str:
        shown = (f"{size:.4f}".lstrip("0") for size in self.sizes[[self.wins, self.wins + 1, self.wins - 1]])
        possible = "yes" if self.is_possible else "no"
        return f"| without ties | {self.n} | {self.epsilon:g} | {self.wins} | {' | '.join(shown)} | {possible} |"


def is_near(size: float) -> bool:
    return WANTED[0] <= size <= WANTED[1]


def tests_of_wins() -> list[Wins]:
    """Return the t-test for each number of instances of `COUNTED` and each ε."""
    return [Wins(n, epsilon, wins_of_t(n, epsilon), sizes_of_wins(n, epsilon)) for n in COUNTED for epsilon in EPSILONS]


def summary_row(epsilon: float, tests: list[Wins]) -> str:
    possible = [test for test in tests if test.is_possible]
    n_others = sum(not is_near(test.size) for test in possible)
    largest = f"{max(test.size for test in possible):.4f}".lstrip("0")
    return f"| {epsilon:g} | {len(tests)} | {len(tests) - len(possible)} | {n_others} | {largest} |"


WINS_TEXT = """## Possible sizes without ties

Without ties d has two values, so a test that is not drawn by lot can only reject from a number k of wins on. Its size
is P(W ≥ k), W binomial. Shown are n of the tables above, and those for which no k has a size from .03 to .06.

| data | n | ε | wins from which the t-test rejects | its size | with one win more | with one less | a near one exists |
|---|---:|---:|---:|---:|---:|---:|---|"""
SUMMARY_TEXT = """
## All numbers of instances from 12 to 200, without ties

| ε | n tried | none from .03 to .06 exists | one exists, the t-test has another | largest size of the t-test then |
|---:|---:|---:|---:|---:|"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=OUTPUT)
    head = f"| test | n | ε | {' | '.join(f'{100 * ties:g} % ties' for ties in TIES)} |"
    tests = tests_of_wins()
    lines = [
        "# True size of the tests whether a model could replace a person",
        "",
        "Probability that a test at a nominal .05 rejects a true hypothesis, with mean d = ε; exact, all outcomes",
        "enumerated. Made by `tools/bench/replacement.py`. Empty: no distribution has this mean.",
        "",
        "## The t-test",
        "",
        head,
        f"|---|---:|---:|{'---:|' * len(TIES)}",
        *rows("t", t_p, SIZES),
        "",
        "## Wilcoxon's test, which is not offered",
        "",
        head,
        f"|---|---:|---:|{'---:|' * len(TIES)}",
        *rows("Wilcoxon", wilcoxon_p, [n for n in SIZES if n <= MAX_WILCOXON]),
        "",
        WINS_TEXT,
        *(test.row() for test in tests if test.n in SIZES or not test.is_possible),
        SUMMARY_TEXT,
        *(summary_row(epsilon, [test for test in tests if test.epsilon == epsilon]) for epsilon in EPSILONS),
        "",
    ]
    parser.parse_args().output.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
