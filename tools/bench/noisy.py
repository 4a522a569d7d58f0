"""Synthetic continua of the solver's study, also as CSV: ``python noisy.py FILE ANNOTATORS UNITS NOISE SEED``.

A reference of so many units (gaps U(0, 10), lengths U(5, 20), four categories). Each annotator drops 15 %, changes the
category of 20 %, shifts a unit by U(-1, 1) · 2 · noise · length and its end by U(-1, 1) · noise · length more, and adds
a tenth of what is left as units of its own.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

import gamma_align as ga

CATEGORIES = 4


class Columns(NamedTuple):
    """Units, sorted by annotator."""

    annotator: np.ndarray
    start: np.ndarray
    end: np.ndarray
    category: np.ndarray

    def rows(self) -> list[tuple[str, float, float, str]]:
        units = zip(*(column.tolist() for column in self), strict=True)
        return [(f"a{annotator:02d}", start, end, f"c{label}") for annotator, start, end, label in units]


def draw(annotators: int, units: int, noise: float, seed: int) -> Columns:
    rng = np.random.default_rng(seed)
    length = rng.uniform(5, 20, units)
    start = np.cumsum(rng.uniform(0, 10, units) + np.append(0.0, length[:-1]))
    label = rng.integers(0, CATEGORIES, units)
    marked = [_marked(rng, start, length, label, noise) for _ in range(annotators)]
    annotator = np.repeat(np.arange(annotators), [len(columns[0]) for columns in marked])
    return Columns(annotator, *(np.concatenate(column) for column in zip(*marked, strict=True)))


def continuum(annotators: int, units: int, noise: float, seed: int, document: str = "drawn") -> ga.Continuum:
    rows = draw(annotators, units, noise, seed).rows()
    return ga.Continuum.from_records(rows, document=document, annotators=[f"a{one:02d}" for one in range(annotators)])


def _marked(
    rng: np.random.Generator, start: np.ndarray, length: np.ndarray, label: np.ndarray, noise: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return start, end and category of what one annotator makes of the reference."""
    kept = rng.random(len(start)) >= 0.15
    start, length, label = start[kept], length[kept], label[kept]
    shift = rng.uniform(-1, 1, len(start)) * 2 * noise * length
    stretch = rng.uniform(-1, 1, len(start)) * noise * length
    other = rng.integers(1, CATEGORIES, len(start))
    label = np.where(rng.random(len(start)) < 0.2, (label + other) % CATEGORIES, label)
    added = int((rng.random(len(start)) < 0.1).sum())
    own, own_length = rng.uniform(0, start.max(initial=1.0), added), rng.uniform(5, 20, added)
    return (
        np.concatenate([start + shift, own]),
        np.concatenate([start + shift + length + stretch, own + own_length]),
        np.concatenate([label, rng.integers(0, CATEGORIES, added)]),
    )


def main(path: Path, annotators: int, units: int, noise: float, seed: int) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = draw(annotators, units, noise, seed).rows()
        csv.writer(file).writerows([who, label, start, end] for who, start, end, label in rows)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5]))
