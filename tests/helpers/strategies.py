"""Instances to test on: golden tables, random cases from a seed, hypothesis strategies."""

from __future__ import annotations

import csv
import json
from typing import Any

import numpy as np
import oracles
from hypothesis import strategies as st
from places import CORPORA, GOLDEN

import gamma_align as ga

GOLDEN: dict[str, Any] = json.loads((GOLDEN / "gamma.json").read_text(encoding="utf-8"))
LABELS = (None, "x", "y", "z")

Case = tuple[list[oracles.Unit], int]


# ------------------------------------------------------------------------------------------------- from tables


def by_id(entries: list[dict[str, Any]]) -> dict[str, Any]:
    """Return arguments of `pytest.mark.parametrize`: the entries, and their ids."""
    return {"argvalues": entries, "ids": [entry["id"] for entry in entries]}


def weights_of(entry: dict[str, Any]) -> oracles.Weights:
    """Return the weights of a golden entry as the oracles take them."""
    weights = float(entry["alpha"]), float(entry["beta"]), float(entry["delta_empty"])
    if entry.get("matrix") is None:
        return oracles.Weights(*weights)
    place = {label: row for row, label in enumerate(entry["labels"])}
    return oracles.Weights(*weights, lambda first, second: entry["matrix"][place[first]][place[second]])


def dissimilarity_of(entry: dict[str, Any]) -> ga.Dissimilarity:
    """Return the weights of a golden entry as the package takes them."""
    matrix = entry.get("matrix")
    categorial = ga.Nominal() if matrix is None else ga.Matrix(entry["labels"], matrix)
    return ga.Dissimilarity(entry["alpha"], entry["beta"], entry["delta_empty"], categorial)


def file_continuum(name: str) -> ga.Continuum:
    """Return one of pygamma-agreement's data files."""
    with (CORPORA / "pygamma" / name).open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.reader(lines) if row]
    return ga.Continuum.from_records([(row[0], float(row[2]), float(row[3]), row[1]) for row in rows])


def k2011() -> ga.Continuum:
    """Return Krippendorff's 12 items × 4 coders, seven values missing, as unit segments (M17 §5.1)."""
    records = [
        (oracles.annotator_name(coder), item, item + 1, str(value))
        for item, row in enumerate(GOLDEN["k2011"]["rows"])
        for coder, value in enumerate(row)
        if value is not None
    ]
    return ga.Continuum.from_records(records, extent=(0, 12))


def mathet_fig3() -> ga.Continuum:
    """Return the continuum of M17 fig. 3 (lengths doubled)."""
    observers = GOLDEN["mathet_fig3"]["observers"]
    return ga.Continuum.from_records(
        [(oracles.annotator_name(i), *unit) for i, units in enumerate(observers) for unit in units],
        extent=(0, 39),
    )


def continuum_of(case: Case, **options: Any) -> ga.Continuum:
    """Return units and a number of annotators as a continuum, in which the units may stand in another order."""
    units, n = case
    names = [oracles.annotator_name(person) for person in range(n)]
    return ga.Continuum.from_records(oracles.records_of(units), annotators=names, **options)


# ---------------------------------------------------------------------------------------------- from a seed


def small_case(rng: np.random.Generator) -> Case:
    """2-4 annotators, at most 4 units each, on a grid: ties, nested, equal, zero length, unlabelled units."""
    n = int(rng.integers(2, 5))
    span = int(rng.choice([2, 5, 9, 20]))
    longest = int(rng.choice([1, 3, 6]))
    labels = LABELS[: int(rng.integers(1, 5))]
    kind = rng.choice(["free", "same", "nested", "points"])
    template = [_unit(rng, 0, span, longest, labels) for _ in range(int(rng.integers(1, 5)))]
    units = []
    for person in range(n):
        for number in range(int(rng.integers(0, 5))):
            _, start, end, label = _unit(rng, person, span, longest, labels)
            if kind == "same":
                _, start, end, _ = template[number % len(template)]
            elif kind == "nested":
                start, end = float(number), float(span + 4 - number)
            elif kind == "points" and rng.random() < 0.7:
                end = start
            units.append((person, start, end, label))
    return units, n


def larger_case(rng: np.random.Generator, n: int, most: int, *, offset: float = 0.0) -> Case:
    """n annotators with up to `most` units each: noisy copies of a reference, some missing, some of their own."""
    span = 5.0 * most
    reference = [(float(s), float(s + rng.integers(1, 8))) for s in np.sort(rng.uniform(0, span, most)).round(2)]
    units = []
    for person in range(n):
        for start, end in reference:
            if rng.random() < 0.15:
                continue
            own = rng.random() < 0.1  # a unit of their own
            middle = rng.uniform(0, span) if own else (start + end) / 2
            bounds = middle + np.array([-1, 1]) * (end - start) / 2 + rng.normal(0, 1.5, 2)
            low, high = (offset + np.round(np.sort(bounds), 2)).tolist()
            units.append((person, low, high, LABELS[int(rng.integers(0, 4))]))
    return units, n


def _unit(
    rng: np.random.Generator, person: int, span: int, longest: int, labels: tuple[str | None, ...]
) -> oracles.Unit:
    start = int(rng.integers(0, span))
    length = int(rng.integers(0, longest + 1))
    return person, float(start), float(start + length), labels[int(rng.integers(0, len(labels)))]


# --------------------------------------------------------------------------------------------- from hypothesis


@st.composite
def cases(draw: st.DrawFn, most_annotators: int = 4, most_units: int = 4, *, some: bool = True) -> Case:
    """Draw units of 2 to `most_annotators` annotators on a grid of halves."""
    n = draw(st.integers(2, most_annotators))
    units = []
    for person in range(n):
        for _ in range(draw(st.integers(0, most_units))):
            start, length = draw(st.integers(0, 24)), draw(st.integers(0, 8))
            units.append((person, start / 2, (start + length) / 2, draw(st.sampled_from(LABELS))))
    if some and not units:
        units.append((0, 0.0, 1.0, "x"))
    return units, n


def settings_of_weights() -> st.SearchStrategy[oracles.Weights]:
    """Draw α, β and Δ."""
    return st.builds(
        oracles.Weights,
        alpha=st.sampled_from([0.0, 0.5, 1.0, 3.0]),
        beta=st.sampled_from([0.0, 1.0, 2.0]),
        delta_empty=st.sampled_from([0.5, 1.0, 2.0]),
    )
