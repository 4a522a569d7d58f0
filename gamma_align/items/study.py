"""One coefficient of one table with all that it depends on, and its value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from gamma_align.distances.forms import Metric, bound
from gamma_align.items.core import Parts, observed_of, parts_of
from gamma_align.items.counts import Patterns, item_weights, patterns_of, sums_of
from gamma_align.items.reasons import (
    ANONYMOUS,
    NO_COMPLETE,
    NO_ITEMS,
    NO_PAIRS,
    NO_VARIATION,
    NO_VARIATION_PAIR,
    NOT_TWO,
    ONE_CODER,
    TOO_LARGE,
    TOO_MANY_PAIRS,
)

if TYPE_CHECKING:
    from gamma_align.data.item_table import ItemTable
    from gamma_align.distances.base import Distance, Labels
    from gamma_align.items.spec import Spec

MOST_PAIRS = 5000
"""Above so many pairs of coders, means over pairs are not computed."""


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """A coefficient on patterns of judgments.

    Attributes
    ----------
    spec : Spec
        Which coefficient.
    distance : Distance
        Between categories.
    missing : str
        The conception of missing values.
    patterns : Patterns
        Items that take part: with RM the complete ones.
    labels : sequence
        The categories.
    anonymous : bool
        Whether nobody knows who judged what.
    chance : Study or None
        The same coefficient on other items, which the expected disagreement, and distances that follow the data, are
        taken from; None: from these.
    """

    spec: Spec
    distance: Distance
    missing: str
    patterns: Patterns
    labels: Labels
    anonymous: bool
    chance: Study | None = None

    @classmethod
    def of(
        cls, table: ItemTable, spec: Spec, distance: Distance, missing: str, patterns: Patterns | None = None
    ) -> Study:
        """Return the study of a table.

        Raises
        ------
        InputError
            For categories the distance is not defined for, or without the order it needs.
        """
        distance = distance.among(table.labels, declared=table.declared)
        patterns = patterns_of(table) if patterns is None else patterns
        if missing == "RM":
            patterns = patterns.some(patterns.judgments == patterns.coders)
        return cls(spec, distance, missing, patterns, table.labels, table.anonymous)

    def with_times(self, times: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Study:
        """Return the study of other numbers of items of each pattern."""
        patterns = replace(self.patterns, times=times)
        return replace(self, patterns=patterns.some(times > 0))

    def metric(self) -> Metric:
        """Return the distance bound to the categories."""
        if self.chance is not None:
            return self.chance.metric()
        return bound(self.distance, self.labels, self.patterns.counts((self.patterns.judgments > 1).astype(float)))

    @property
    def items(self) -> int:
        """How many items the coefficient rests on."""
        used = self.patterns.judgments > 1 if self.spec.kind == "values" else self.patterns.judgments > 0
        return int(self.patterns.times[used].sum())

    @property
    def pairable(self) -> int:
        """How many items were judged by two coders or more (with RM: by all)."""
        return int(self.patterns.times[item_weights(self.patterns, self.missing) > 0].sum())

    def obstacle(self) -> str | None:
        """Return why there can be no value, as far as it shows before computing."""
        if self.patterns.coders < 2:  # noqa: PLR2004
            return ONE_CODER
        if not len(self.patterns.times):
            return NO_COMPLETE if self.missing == "RM" else NO_ITEMS
        if self.spec.named and self.anonymous:
            return ANONYMOUS
        if self.spec.coders is not None and self.patterns.coders != self.spec.coders:
            return NOT_TWO
        if self.spec.kind == "pairs" and self.patterns.coders * (self.patterns.coders - 1) / 2 > MOST_PAIRS:
            return TOO_MANY_PAIRS
        return None if self.pairable else NO_PAIRS

    def parts(self, metric: Metric) -> Parts:
        """Return observed and expected disagreement."""
        sums = sums_of(self.patterns, metric, self.spec.kind, self.missing)
        if self.chance is not None:
            return Parts(observed_of(sums), self.chance.parts(metric).expected)
        return parts_of(sums, metric, self.spec.kind)

    def evaluate(self) -> tuple[float, float, float, str | None]:
        """Return value, observed and expected disagreement, and the reason where there is no value."""
        reason = self.obstacle() or (self.chance.obstacle() if self.chance else None)
        if reason is not None:
            return np.nan, np.nan, np.nan, reason
        metric = self.metric()
        if self.spec.kind == "pairs":
            return self._mean_of_pairs(metric)
        parts = self.parts(metric)
        value, observed, expected = float(parts.value()[0]), float(parts.observed[0]), float(parts.expected[0])
        if metric.size > 1 and not np.isfinite([observed, expected]).all():
            return np.nan, np.nan, np.nan, TOO_LARGE
        return value, observed, expected, NO_VARIATION if np.isnan(value) else None

    def _mean_of_pairs(self, metric: Metric) -> tuple[float, float, float, str | None]:
        found = [parts for _, parts in pairwise(self.patterns, metric)]
        values = [float(parts.value()[0]) for parts in found]
        observed = float(np.mean([parts.observed[0] for parts in found]))
        expected = float(np.mean([parts.expected[0] for parts in found]))
        if not np.isfinite([observed, expected]).all():
            return np.nan, np.nan, np.nan, TOO_LARGE
        if np.isnan(values).any():
            return np.nan, observed, expected, NO_VARIATION_PAIR
        return float(np.mean(values)), observed, expected, None


def pairwise(patterns: Patterns, metric: Metric) -> list[tuple[tuple[int, int], Parts]]:
    """Return κ's parts for each pair of coders with items in common, on those items."""
    found = []
    for first, second in combinations(range(patterns.coders), 2):
        both = patterns.of_coders(first, second)
        if len(both.times):
            found.append(((first, second), parts_of(sums_of(both, metric, "coders", "IL"), metric, "coders")))
    return found
