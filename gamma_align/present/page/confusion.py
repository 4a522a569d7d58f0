"""The table of confusion: how often aligned units have each two labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gamma_align.insight.disagreements import Disagreements

_MAX_LABELS = 12  # those with the most disorder


class Confusion(NamedTuple):
    """The table of confusion.

    `counts` has the number of aligned pairs of two labels: of two annotators the labels of the first and of the
    second (`is_directed`), of more each two labels in both orders. `n_different` of all `n_pairs` of aligned units
    differ in label; `chance_share` is the share of pairs that would differ if labels were drawn at random. `n_hidden`
    labels are not in the table.
    """

    labels: list[str | None]
    is_directed: bool
    counts: dict[tuple[str | None, str | None], int]
    n_pairs: int
    n_different: int
    chance_share: float
    n_hidden: int

    @classmethod
    def of(cls, result: Disagreements, legend: Sequence[str]) -> Confusion:
        """Return the table of a corpus; its labels are in the order of the legend."""
        labels = [row.category for row in result.categories][:_MAX_LABELS]
        # The order of the legend; units without a label come last.
        order = sorted(labels, key=lambda label: (label is None, legend.index(label) if label else 0))
        counts: dict[tuple[str | None, str | None], int] = {}
        first_annotator, *other_annotators = result.corpus.annotators
        is_directed = len(other_annotators) == 1
        if is_directed:
            rows = [row for row in result.directed if row.annotator == first_annotator]
            counts = {(row.label, row.label_of_others): row.pairs for row in rows}
        else:
            for row in result.confusion:
                counts[row.first, row.second] = counts[row.second, row.first] = row.pairs
        units = np.array([row.units for row in result.categories], dtype=np.float64)
        # Two labels drawn at random are equal with a probability of Σ p².
        return cls(
            labels=order,
            is_directed=is_directed,
            counts=counts,
            n_pairs=sum(row.pairs for row in result.confusion),
            n_different=sum(row.pairs for row in result.confusion if row.first != row.second),
            chance_share=1.0 - float(np.square(units / units.sum()).sum()) if units.sum() else math.nan,
            n_hidden=len(result.categories) - len(order),
        )
