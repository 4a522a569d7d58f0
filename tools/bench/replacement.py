"""True size of the tests of `replaceable` at a nominal .05, computed exactly; see README.md next to it.

    python tools/bench/replacement.py [-o FILE]

The differences d of a person are -1, 0 or 1. Under the hardest case of the hypothesis their mean is ε. All outcomes of
n instances are enumerated, each with its probability, so the size has no error of simulation. Wilcoxon's signed rank
test of d - ε, which Calderon et al. advise below 30 instances, stands beside the t-test that gamma_align uses.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from scipy.stats import multinomial, wilcoxon

from gamma_align.inference.hypotheses import mean_below_p

Test = Callable[[np.ndarray, float], float]
"""Return the p of differences and ε."""
OUTPUT = Path(__file__).parent / "results" / "replacement.md"
LEVEL = 0.05
SIZES = (5, 8, 10, 12, 15, 20, 30, 50, 100, 200)
EPSILONS = (0.1, 0.15, 0.2)
TIES = (0.0, 0.2, 0.4, 0.6, 0.8)
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=OUTPUT)
    head = f"| test | n | ε | {' | '.join(f'{100 * ties:g} % ties' for ties in TIES)} |"
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
    ]
    parser.parse_args().output.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
