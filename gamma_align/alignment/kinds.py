"""The best alignments of a batch, of either kind: partitions or covers."""

from __future__ import annotations

from gamma_align.alignment.limits import Limits
from gamma_align.alignment.options import COVER
from gamma_align.alignment.solve import Solution, solve
from gamma_align.data import Batch
from gamma_align.distances import PairDissimilarity


def solve_alignment(
    batch: Batch,
    dissimilarity: PairDissimilarity,
    limits: Limits | None = None,
    *,
    alignment: str,
) -> Solution:
    """Return the best alignment of each instance: a partition (`solve`), or a cover (`solve_cover`)."""
    if alignment != COVER:
        return solve(batch, dissimilarity, limits)
    # Most programs need no covers: their start would take longer.
    from gamma_align.alignment.cover import solve_cover

    return solve_cover(batch, dissimilarity, limits)
