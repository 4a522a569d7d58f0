"""Which conception of missing values tells best what the complete table would say (M17 §3, table 2).

A complete table is made, judgments are removed at random, and the observed disagreement D_o of what is left, with the
item-loaded (IL), value-loaded (VL) and pair-loaded (PL) weights and after removal of incomplete items (RM), is compared
with D_o of the complete table.

The published table does not come with its data, so it is the comparison that is run again, not the figures. The
tables here: coders agree with a reference except that each judgment is replaced with probability m² by a category drawn
at random (the corpus shuffling tool's categorial errors, M17 §5.3), with the same m for all items, or with an m of each
item's own, uniform from 0 to 2m and at most 1: some items are easier than others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gamma_align.columns import FloatArray
from gamma_align.data.frames import FrameColumns
from gamma_align.distances.forms import NominalForm
from gamma_align.errors import SettingsError
from gamma_align.inference.values import Result, columns_of
from gamma_align.measures.items.counts import CONCEPTIONS, Patterns, item_disagreements, item_weights
from gamma_align.present.writers.data import csv_text
from gamma_align.present.writers.text import aligned_lines, number_text

SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
KINDS = {"alike": "items equally hard", "uneven": "items some of which are easier than others"}
"""Kinds of items, in words."""

_STREAM = 0x3155


@dataclass(frozen=True, slots=True)
class Settings:
    """Size of the tables, magnitude m of errors, shares of judgments removed, and number of tables for each share."""

    items: int = 100
    coders: int = 5
    categories: int = 4
    magnitude: float = 0.5
    shares: tuple[float, ...] = SHARES
    repetitions: int = 500
    seed: int = 0

    def __post_init__(self) -> None:
        if self.items < 1 or self.coders < 2 or self.categories < 2 or self.repetitions < 1:  # noqa: PLR2004
            raise SettingsError("1 item, 2 coders, 2 categories and 1 repetition are the least there can be")
        if not 0 <= self.magnitude <= 1 or not all(0 <= share < 1 for share in self.shares):
            raise SettingsError("the magnitude is from 0 to 1, and shares are from 0 to below 1")


class ConceptionError(NamedTuple):
    """How far off D_o is for one kind of items, share of judgments removed and conception of missing values.

    `bias` is the mean of the difference to D_o of the complete table, `error` the root of the mean of its square, over
    the tables with something left to compare; NaN if there is none.
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
        """Return the conception of the least error."""
        outcomes = [outcome for outcome in self.errors_of(kind, share) if outcome.available]
        return min(outcomes, key=lambda outcome: outcome.error).conception

    def errors_of(self, kind: str, share: float) -> list[ConceptionError]:
        """Return the outcomes for a kind of items and a share removed, by conception."""
        return [outcome for outcome in self.outcomes if (outcome.kind, outcome.share) == (kind, share)]

    def _contents(self) -> dict[str, Any]:
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
    for number, kind in enumerate(KINDS):
        draw = np.random.Generator(np.random.PCG64(np.random.SeedSequence(settings.seed, spawn_key=(_STREAM, number))))
        disagreement[kind], differences = _run(settings, kind, draw)
        for share, columns in zip(settings.shares, differences, strict=True):
            outcomes += [_conception_error(kind, share, name, columns[:, i]) for i, name in enumerate(CONCEPTIONS)]
    return MissingValues(settings, disagreement, tuple(outcomes))


def _run(settings: Settings, kind: str, draw: np.random.Generator) -> tuple[float, list[FloatArray]]:
    """Return the mean D_o of complete tables, and for each share the differences, shape (repetitions, 4)."""
    metric = NominalForm(settings.categories)
    whole = np.empty(settings.repetitions)
    result = [np.empty((settings.repetitions, len(CONCEPTIONS))) for _ in settings.shares]
    for repetition in range(settings.repetitions):
        table = _complete(settings, kind, draw)
        whole[repetition] = _observed(table, metric)[0]
        order = draw.permutation(table.size)
        for share, differences in zip(settings.shares, result, strict=True):
            left = table.copy()
            left.reshape(-1)[order[: int(share * table.size)]] = -1
            differences[repetition] = _observed(left, metric) - whole[repetition]
    return float(whole.mean()), result


def _complete(settings: Settings, kind: str, draw: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return a table without missing judgments, shape (items, coders)."""
    reference = draw.integers(settings.categories, size=settings.items)
    magnitude = np.full(settings.items, settings.magnitude)
    if kind == "uneven":
        magnitude = np.minimum(2 * settings.magnitude * draw.random(settings.items), 1.0)
    size = (settings.items, settings.coders)
    wrong = draw.random(size) < (magnitude**2)[:, None]
    return np.where(wrong, draw.integers(settings.categories, size=size), reference[:, None])


def _observed(table: npt.NDArray[np.int64], metric: NominalForm) -> FloatArray:
    """Return D_o by each conception; NaN where nothing is left to compare."""
    judgments = np.count_nonzero(table >= 0, axis=1)
    patterns = Patterns(table, np.ones(len(table)), judgments, metric.size)
    each = item_disagreements(patterns, metric)
    weights = [item_weights(patterns, name) for name in CONCEPTIONS]
    return np.array([each @ weight / weight.sum() if weight.any() else np.nan for weight in weights])


def _conception_error(kind: str, share: float, conception: str, differences: FloatArray) -> ConceptionError:
    kept = differences[~np.isnan(differences)]
    bias, error = (float(kept.mean()), float(np.sqrt((kept**2).mean()))) if len(kept) else (np.nan, np.nan)
    return ConceptionError(kind, share, conception, bias, error, len(kept))


def missing_values_text(result: MissingValues) -> str:
    """Return the experiment on missing values for people."""
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
        left = f"{outcomes[-1].available / result.settings.repetitions:.0%}"
        rows.append([f"{share:.0%}", *errors, best, left])
    return aligned_lines(rows, right=(0, 1, 2, 3, 4, 6), indent="  ")


def missing_values_csv(result: MissingValues) -> str:
    """Return the experiment as CSV: a row for each kind of items, share and conception."""
    return csv_text([ConceptionError._fields, *result.outcomes])
