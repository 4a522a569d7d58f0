"""Hayes & Krippendorff's bootstrap of α: pairs of judgments are drawn, not items. For comparison only.

α* = 1 - Σ δ² / (M·D_e) over M draws from the coincidence matrix, D_e kept. Pairs of one item are drawn as if they were
independent, so the interval is about half as wide as one that resamples items, and more so with many coders
(Gwet; Hughes 2021). α* below -1 becomes -1. Where all draws agree, α* = 1 becomes 0 if only one category is used; and
otherwise for as many replicates as agree by the chance of drawing pairs of one category alone.

References
----------
Hayes & Krippendorff 2007, Answering the Call for a Standard Reliability Measure; Krippendorff's KALPHA macro.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gamma_align.distances.forms import FEW, _parts
from gamma_align.items.core import parts_of
from gamma_align.items.counts import coincidences, sums_of

if TYPE_CHECKING:
    from gamma_align._types import FloatArray
    from gamma_align.items.study import Study

DRAWS = ("pairs", "v3")
"""M: the number of pairs (the macro of 2007), or min(25·cells in use, (m - 1)n../2) (KALPHA 3.0 of 2011)."""

_STREAM = 0x4A1F


def hayes_krippendorff(study: Study, *, seed: int, replicates: int, draws: str = "pairs") -> FloatArray | None:
    """Return the replicates of α, shape (replicates,); None for a table of too many categories.

    Parameters
    ----------
    study : Study
        Of α.
    seed, replicates : int
        Of the bootstrap.
    draws : {"pairs", "v3"}
        How many pairs a replicate draws; see `DRAWS`.
    """
    metric = study.metric()
    if metric.size > FEW:
        return None
    matrix = coincidences(study.patterns)
    distance = study.distance.matrix(study.labels, matrix.sum(axis=1))
    expected = float(parts_of(sums_of(study.patterns, metric, "values", "VL"), metric, "values").expected[0])
    count = pairs_drawn(study, draws)
    share = (matrix / matrix.sum()).ravel()
    draw = np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy=seed, spawn_key=(_STREAM,))))
    sums = [
        draw.multinomial(count, share, size=part.stop - part.start) @ distance.ravel()
        for part in _parts(replicates, len(share))
    ]
    values = np.maximum(1.0 - np.concatenate(sums) / (count * expected), -1.0)
    return _without_certainty(values, np.diag(matrix) / matrix.sum(), _number_of_pairs(study))


def pairs_drawn(study: Study, draws: str) -> int:
    """Return M, how many pairs of judgments a replicate draws."""
    if draws == "pairs":
        return _number_of_pairs(study)
    matrix = coincidences(study.patterns)
    cells = int(np.count_nonzero(matrix))
    return int(min(25 * cells, (study.patterns.coders - 1) * matrix.sum() / 2))


def _number_of_pairs(study: Study) -> int:
    n = study.patterns.judgments
    return int(study.patterns.times @ (n * (n - 1) / 2))


def _without_certainty(values: FloatArray, diagonal: FloatArray, pairs: int) -> FloatArray:
    """Return the replicates with those at 1 corrected, as KALPHA does."""
    certain = np.flatnonzero(values == 1.0)
    used = diagonal[diagonal > 0]
    many = len(certain) if len(used) == 1 else round(len(values) * math.fsum(used**pairs))
    values[certain[:many]] = 0.0
    return values


def limits(values: FloatArray, level: float) -> tuple[float, float]:
    """Return KALPHA's limits: order statistics ⌊pB⌋ and ⌊(1 - p)B⌋ + 1, p = (1 - level)/2."""
    ordered = np.sort(values)
    tail = (1 - level) / 2
    low = max(math.floor(tail * len(ordered)), 1)
    high = min(math.floor((1 - tail) * len(ordered)) + 1, len(ordered))
    return float(ordered[low - 1]), float(ordered[high - 1])
