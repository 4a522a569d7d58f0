"""The alternative annotator test, written naively after Calderon, Reichart & Dror 2025, §3: what the package must give.

Answers are a dictionary of annotator to instance to answer; a similarity is a function of two answers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from typing import NamedTuple

from scipy.stats import ttest_1samp

Answers = Mapping[str, Mapping[Hashable, object]]


class Expected(NamedTuple):
    """ω, ρ, and p of each person who has enough instances."""

    omega: float
    rho: float
    p: dict[str, float]


def alternative_test(
    people: Answers,
    model: Mapping[Hashable, object],
    score: Callable[[object, list[object]], float],
    *,
    epsilon: float,
    min_instances: int,
    rate: float = 0.05,
) -> Expected:
    """Return the test of a model; `score` is S, of an answer and those of the remaining people."""
    p_values, advantages = {}, []
    for person, answers in people.items():
        wins, differences = [], []
        for instance, answer in answers.items():
            others = [
                by_instance[instance]
                for name, by_instance in people.items()
                if name != person and instance in by_instance
            ]
            if not others or instance not in model:
                continue
            of_model, of_person = score(model[instance], others), score(answer, others)
            same = math.isclose(of_model, of_person, rel_tol=1e-9, abs_tol=1e-9)
            wins.append(of_model > of_person or same)
            differences.append(int(of_person > of_model or same) - int(wins[-1]))
        if len(wins) < min_instances:
            continue
        advantages.append(sum(wins) / len(wins))
        if len(set(differences)) == 1:
            p_values[person] = 0.0 if differences[0] < epsilon else 1.0
        else:
            p_values[person] = float(ttest_1samp(differences, epsilon, alternative="less").pvalue)
    m = len(p_values)
    bound = sum(1 / rank for rank in range(1, m + 1))
    n_rejected = 0
    for rank, p in enumerate(sorted(p_values.values()), 1):
        if p <= rank / m * rate / bound:
            n_rejected = rank
    return Expected(n_rejected / m, sum(advantages) / m, p_values)


def accuracy(answer: object, others: list[object]) -> float:
    """Return the share of the others with the same answer."""
    return sum(answer == other for other in others) / len(others)


def negative_rmse(answer: float, others: list[float]) -> float:
    """Return the negative root of the mean squared difference."""
    return -math.sqrt(sum((answer - other) ** 2 for other in others) / len(others))
