"""Comparison of conceptions of missing values: the best one predicts D_o of the complete table (M17 §3, table 2).

Judgments of a complete table are removed at random. The observed disagreement D_o of the remaining judgments, with
item-loaded (IL), value-loaded (VL) and pair-loaded (PL) weights and after removal of incomplete items (RM), is compared
with D_o of the complete table.

The data of the published table are not available, so the comparison is run on simulated tables. Coders agree with a
reference, but each judgment is replaced with probability m² by a random category (the categorial errors of the corpus
shuffling tool, M17 §5.3). Either all items have the same m, or each item has its own, uniform from 0 to 2m and at most
1, so that some items are easier than others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gamma_align.columns import FloatArray
from gamma_align.data.frames import FrameColumns
from gamma_align.distances.forms import NominalForm
from gamma_align.errors import SettingsError
from gamma_align.inference.values import Result, columns_of
from gamma_align.measures.items.counts import CONCEPTIONS, Patterns, item_disagreements, item_weights
from gamma_align.present.writers.lines import aligned_lines
from gamma_align.present.writers.text import number_text

REMOVED_SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
KINDS = {"alike": "items equally hard", "uneven": "items some of which are easier than others"}
"""Kinds of items, in words."""

_RANDOM_STREAM = 0x3155  # keeps this stream apart from other users of the same seed
_MIN_CODERS = _MIN_CATEGORIES = 2  # fewer cannot disagree


@dataclass(frozen=True, slots=True)
class Settings:
    """Size of the tables, magnitude m of errors, shares of judgments removed, and number of tables for each share."""

    items: int = 100
    coders: int = 5
    categories: int = 4
    magnitude: float = 0.5
    shares: tuple[float, ...] = REMOVED_SHARES
    repetitions: int = 500
    seed: int = 0

    def __post_init__(self) -> None:
        can_disagree = self.coders >= _MIN_CODERS and self.categories >= _MIN_CATEGORIES
        if not can_disagree or self.items < 1 or self.repetitions < 1:
            raise SettingsError("at least 1 item, 2 coders, 2 categories and 1 repetition are needed")
        if not 0 <= self.magnitude <= 1 or not all(0 <= share < 1 for share in self.shares):
            raise SettingsError("the magnitude must be between 0 and 1, and shares at least 0 and below 1")


class ConceptionError(NamedTuple):
    """Error of D_o for one kind of items, share of removed judgments and conception of missing values.

    `bias` is the mean difference to D_o of the complete table, and `error` its root mean square, over the `available`
    tables, which still have judgments to compare; both are NaN if there are none.
    """

    kind: str
    share: float
    conception: str
    bias: float
    error: float
    available: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MissingValues(Result):
    """The mean D_o of complete tables by kind of items, and an outcome for each kind, share and conception."""

    settings: Settings
    disagreement: dict[str, float]
    outcomes: tuple[ConceptionError, ...]

    def best(self, kind: str, share: float) -> str:
        """Return the conception with the smallest error."""
        outcomes = [outcome for outcome in self.errors_of(kind, share) if outcome.available]
        return min(outcomes, key=lambda outcome: outcome.error).conception

    def errors_of(self, kind: str, share: float) -> list[ConceptionError]:
        """Return the outcomes for a kind of items and a removed share, in the order of the conceptions."""
        return [outcome for outcome in self.outcomes if (outcome.kind, outcome.share) == (kind, share)]

    def _contents(self) -> dict[str, object]:
        names = ("items", "coders", "categories", "magnitude", "repetitions", "seed", "shares")
        return {
            "schema_version": 1,
            "experiment": "missing-values",
            "source": "Mathet 2017, table 2 (its data are not published: the comparison is run on tables made here)",
            "settings": {name: getattr(self.settings, name) for name in names},
            "disagreement": self.disagreement,
            "outcomes": self.outcomes,
        }

    def _columns(self) -> FrameColumns:
        return columns_of(self.outcomes, ConceptionError._fields)


def missing_values(settings: Settings | None = None) -> MissingValues:
    """Run the experiment; the same settings give the same result on every machine."""
    settings = settings or Settings()
    disagreement, outcomes = {}, []
    for index, kind in enumerate(KINDS):
        # Each kind has a random stream of its own, so that its tables do not depend on the other kinds.
        seed = np.random.SeedSequence(settings.seed, spawn_key=(_RANDOM_STREAM, index))
        disagreement[kind], differences = _run(settings, kind, np.random.Generator(np.random.PCG64(seed)))
        for share, columns in zip(settings.shares, differences, strict=True):
            outcomes += list(map(_conception_error, repeat(kind), repeat(share), CONCEPTIONS, columns.T))
    return MissingValues(settings, disagreement, tuple(outcomes))


def _run(settings: Settings, kind: str, generator: np.random.Generator) -> tuple[float, list[FloatArray]]:
    """Return the mean D_o of complete tables, and for each share the differences, shape (repetitions, 4)."""
    metric = NominalForm(settings.categories)
    complete = np.empty(settings.repetitions)
    result = [np.empty((settings.repetitions, len(CONCEPTIONS))) for _ in settings.shares]
    for repetition in range(settings.repetitions):
        table = _simulate(settings, kind, generator)
        complete[repetition] = _observed(table, metric)[0]
        # All shares remove judgments in this order: a larger share removes all judgments that a smaller one removes.
        order = generator.permutation(table.size)
        for share, differences in zip(settings.shares, result, strict=True):
            remaining = table.copy()
            remaining.reshape(-1)[order[: int(share * table.size)]] = -1
            differences[repetition] = _observed(remaining, metric) - complete[repetition]
    return float(complete.mean()), result


def _simulate(settings: Settings, kind: str, generator: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return a table without missing judgments, shape (items, coders)."""
    reference = generator.integers(settings.categories, size=settings.items)
    magnitude = np.full(settings.items, settings.magnitude)
    if kind == "uneven":
        magnitude = np.minimum(2 * settings.magnitude * generator.random(settings.items), 1.0)
    size = (settings.items, settings.coders)
    is_wrong = generator.random(size) < (magnitude**2)[:, None]
    # A replaced judgment is drawn from all categories, as in M17 §5.3, and may be the reference by chance.
    return np.where(is_wrong, generator.integers(settings.categories, size=size), reference[:, None])


def _observed(table: npt.NDArray[np.int64], metric: NominalForm) -> FloatArray:
    """Return D_o by each conception; NaN if no judgments can be compared."""
    judgments = np.count_nonzero(table >= 0, axis=1)
    patterns = Patterns(table, np.ones(len(table)), judgments, metric.size)
    disagreements = item_disagreements(patterns, metric)
    weights = [item_weights(patterns, name) for name in CONCEPTIONS]
    return np.array([disagreements @ weight / weight.sum() if weight.any() else np.nan for weight in weights])


def _conception_error(kind: str, share: float, conception: str, differences: FloatArray) -> ConceptionError:
    available = differences[~np.isnan(differences)]
    if not len(available):
        return ConceptionError(kind, share, conception, np.nan, np.nan, 0)
    error = float(np.sqrt((available**2).mean()))
    return ConceptionError(kind, share, conception, float(available.mean()), error, len(available))


def missing_values_text(result: MissingValues) -> str:
    """Return the experiment on missing values as text."""
    settings = result.settings
    size = f"{settings.items} items × {settings.coders} coders × {settings.categories} categories"
    lines = [
        "Error of the observed disagreement after removing judgments at random (root mean square), by conception of",
        "missing values: items (IL), values (VL) or pairs (PL) weigh the same, or incomplete items are removed (RM).",
        "After Mathet 2017, table 2, whose data are not published: the comparison is run on tables made here,",
        f"{size}, magnitude {settings.magnitude:g}, {settings.repetitions} tables a row, seed {settings.seed}.",
    ]
    for kind, title in KINDS.items():
        lines += ["", f"{title} (D_o complete {result.disagreement[kind]:.4f})", *_block(result, kind)]
    return "\n".join(lines) + "\n"


def _block(result: MissingValues, kind: str) -> list[str]:
    rows = [["removed", *CONCEPTIONS, "least", "RM left in"]]
    for share in result.settings.shares:
        outcomes = result.errors_of(kind, share)
        errors = [number_text(outcome.error) for outcome in outcomes]
        best = result.best(kind, share) if any(outcome.available for outcome in outcomes) else ""
        available = f"{outcomes[-1].available / result.settings.repetitions:.0%}"
        rows.append([f"{share:.0%}", *errors, best, available])
    return aligned_lines(rows, right=(0, 1, 2, 3, 4, 6), indent="  ")


def missing_values_rows(result: MissingValues) -> list[Sequence[object]]:
    """Return the experiment as rows of CSV: one for each kind of items, share and conception."""
    return [ConceptionError._fields, *result.outcomes]
