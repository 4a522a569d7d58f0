"""Somebody whose boundaries stand elsewhere divides neither more finely nor more coarsely than the others."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import gamma_align as ga


def stages(places):
    """Return units of four annotators who divide twelve recordings alike, but for one at positions of their own."""
    rng = np.random.default_rng(1)
    rows = []
    for index in range(12):
        shared = np.sort(rng.choice(np.arange(1, 100), 20, replace=False))
        own = {"as the others and more": np.union1d(shared, np.arange(2, 100, 4)), "elsewhere": np.arange(3, 99, 5)}
        for name in ("ann", "ben", "cat", "dan"):
            cuts = own[places] if name == "dan" else shared
            bounds = [0, *cuts.tolist(), 100]
            rows += [
                (f"night_{index:02}", name, 30.0 * start, 30.0 * end, "AB"[place % 2])
                for place, (start, end) in enumerate(itertools.pairwise(bounds))
            ]
    return rows


@pytest.mark.parametrize(("places", "direction"), [("as the others and more", "finer"), ("elsewhere", "elsewhere")])
def test_boundaries_elsewhere_are_neither_finer_nor_coarser(places, direction):
    result = ga.disagreements(stages(places), samples=3)
    found = [finding for finding in result.to_settle if finding.kind == "granularity" and finding.annotator == "dan"]
    assert [finding.direction for finding in found] == [direction]
