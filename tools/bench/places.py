"""The place of a sample as a control of γcat, in sparse texts of two annotators: `places.py [-o FILE.md]`.

Each text is measured with many seeds, with and without it. δ_e,cat is compared with a value ten times as precise as
asked. Four minutes; see README.md next to it.
"""

from __future__ import annotations

import argparse
import time
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from small import records
from table import line, put

import gamma_align as ga
from gamma_align.inference.means import bounds
from gamma_align.measures.gamma.part_work import PartWork

COVERAGES = (0.0, 0.06, 0.12, 0.25, 0.5)  # bounds of groups of texts
TEXTS, SEEDS, PRECISION, LENGTH = 15, 60, 0.002, 3.0
USE_PLACES = PartWork.use_places
COLUMNS = ("coverage", "texts", "samples", "without", "CPU ms", "without", "bias %", "real ±%", "stated ±%", "in")


class Runs(NamedTuple):
    """Measurements of one text with many seeds: δ_e,cat with its interval, samples, CPU ms, and how many use places."""

    expected: np.ndarray
    low: np.ndarray
    high: np.ndarray
    samples: np.ndarray
    milliseconds: np.ndarray
    n_with_places: int


def measure(text: list[tuple[object, ...]], *, use_places: bool) -> Runs:
    """Return the measurements of a text."""
    used = []

    def keep(part: PartWork, n_more: int) -> bool:
        used.append(use_places and USE_PLACES(part, n_more))
        return used[-1]

    PartWork.use_places = keep
    columns = []
    for seed in range(SEEDS):
        begin = time.process_time()
        rows = ga.gamma(text, seed=seed).documents.rows
        milliseconds = 1000 * (time.process_time() - begin)
        chances = rows.gamma_cat
        low, high = bounds(chances.expected, chances.error, chances.skewness, chances.freedom)
        columns.append((chances.expected[0], low[0], high[0], rows.samples[0], milliseconds))
    PartWork.use_places = USE_PLACES
    return Runs(*np.array(columns).T, sum(used))


def group(least: float, most: float, draw: np.random.Generator) -> str:
    """Return the row of texts of which the units of one annotator cover a share between these bounds."""
    figures = []
    while len(figures) < TEXTS:
        share, n_labels = draw.uniform(max(least, 0.02), most), int(draw.integers(2, 9))
        units = int(draw.integers(17, 55))
        gap = LENGTH * (1.0 / share - 1.0)
        seed, integer = int(draw.integers(1 << 30)), bool(draw.integers(2))
        text = records(units, n_labels, gap, integer=integer, seed=seed)
        with_places = measure(text, use_places=True)
        if with_places.n_with_places < SEEDS / 2:
            continue
        without = measure(text, use_places=False)
        precise = ga.gamma(text, seed=1 << 31, precision=PRECISION).documents.rows.gamma_cat
        truth, error = precise.expected[0], precise.error[0]
        deviation = with_places.expected.std(ddof=1)
        is_in = (with_places.low - error <= truth) & (truth <= with_places.high + error)
        figures.append(
            (
                with_places.samples.mean(),
                without.samples.mean(),
                np.median(with_places.milliseconds),
                np.median(without.milliseconds),
                100 * (with_places.expected.mean() / truth - 1),
                100 * 1.96 * deviation / truth,
                50 * (with_places.high - with_places.low).mean() / truth,
                is_in.mean(),
            )
        )
    formats = ("{:.0f}", "{:.0f}", "{:.1f}", "{:.1f}", "{:+.2f}", "{:.1f}", "{:.1f}", "{:.3f}")
    means = [text.format(value) for text, value in zip(formats, np.mean(figures, axis=0), strict=True)]
    return line([f"{least:g}–{most:g}", str(TEXTS), *means])


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, help="write the page to this file")
    arguments = parser.parse_args()
    draw = np.random.default_rng(1)
    rows = [group(least, most, draw) for least, most in pairwise(COVERAGES)]
    lines = [
        "# The place of a sample as a control of γcat",
        "",
        "Texts of two annotators of 17 to 54 units and 2 to 8 labels, alone, by default options: those in which the",
        f"first samples were too few for γcat with half of {SEEDS} seeds or more. *Without* it, more samples follow;",
        "with it, the first ones are often enough. *Bias* is that of δ_e,cat, *real* 1.96 standard deviations over",
        "seeds, *in* the share of intervals of δ_e,cat that hold a value ten times as precise.",
        "",
        line(COLUMNS),
        line(["---"] + ["---:"] * (len(COLUMNS) - 1)),
        *rows,
        "",
    ]
    put("\n".join(lines), arguments.output)


if __name__ == "__main__":
    main()
