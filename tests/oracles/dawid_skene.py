"""Dawid & Skene's EM, written naively after their paper: what the package must agree with.

Judgments are a list for each item of (annotator, category), in which an annotator may judge an item several times.
"""

from __future__ import annotations

import math

Item = list[tuple[int, int]]


def dawid_skene_definition(
    items: list[Item], annotators: int, size: int, rounds: int
) -> tuple[list[float], list[list[list[float]]], list[list[float]]]:
    """Return π after so many rounds, e[annotator][true][said] of the last, and T[item][true].

    A round is an M step and an E step; T begins with the shares of votes; π is the mean of the T returned.
    No rate is taken for less than 1e-10.
    """
    t = [[sum(said == k for _, said in item) / len(item) for k in range(size)] for item in items]
    error: list[list[list[float]]] = []
    for _ in range(rounds):
        share = [sum(row[k] for row in t) / len(t) for k in range(size)]
        error = [[[0.0] * size for _ in range(size)] for _ in range(annotators)]
        for item, row in zip(items, t, strict=True):
            for who, said in item:
                for k in range(size):
                    error[who][k][said] += row[k]
        for matrix in error:
            for k in range(size):
                total = sum(matrix[k])
                matrix[k] = [cell / total if total else 0.0 for cell in matrix[k]]
        for index, item in enumerate(items):
            joint = [share[k] * math.prod(max(error[who][k][said], 1e-10) for who, said in item) for k in range(size)]
            t[index] = [cell / sum(joint) for cell in joint]
    return [sum(row[k] for row in t) / len(t) for k in range(size)], error, t
