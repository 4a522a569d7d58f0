"""γ, γcat and γk from rows of numbers: pure functions, per document and pooled (DEFINITIONS §5).

References
----------
Mathet, Widlöcher & Métivier 2015 (γ); Mathet 2017 (γcat, γk).
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from gamma_align.chance.precision import Z95
from gamma_align.coefficients.inference import bootstrap_ratios
from gamma_align.coefficients.reasons import NO_ANNOTATOR, NO_UNITS, ONE_ANNOTATOR, too_few
from gamma_align.coefficients.rows import NOTHING
from gamma_align.coefficients.values import DocumentResult, Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gamma_align._types import FloatArray
    from gamma_align.coefficients.rows import Chance, Row

NOT_ALIGNED = "no two units are aligned"
NOT_BY_CHANCE = "no two units are aligned in any sample"
NO_DISORDER = "no disorder by chance"

REASONS = (ONE_ANNOTATOR, NO_ANNOTATOR, NO_UNITS, NOT_ALIGNED, NOT_BY_CHANCE, NO_DISORDER)
"""Every reason for which a coefficient is not available."""


def coefficient(chance: Chance, *, missing: str) -> Value:
    """Return 1 - δ/δ_e with the 95 % interval of the sampling error of δ_e (M15 §5.3).

    Parameters
    ----------
    chance : Chance
        Observed and expected disorder.
    missing : str
        The reason where nothing was observed.
    """
    if math.isnan(chance.observed):
        return Value.unavailable(missing)
    if chance.observed == 0.0:
        return Value(1.0, 1.0, 1.0)
    if math.isnan(chance.expected):
        return Value.unavailable(NOT_BY_CHANCE)
    if chance.expected == 0.0:
        return Value.unavailable(NO_DISORDER)
    margin = Z95 * chance.error
    low = 1.0 - chance.observed / (chance.expected - margin) if chance.expected > margin else math.nan
    return Value(1.0 - chance.observed / chance.expected, low, 1.0 - chance.observed / (chance.expected + margin))


def document_result(row: Row) -> DocumentResult:
    """Return γ, γcat and γk of one document."""
    none = _nothing(row)
    gamma_missing, cat_missing = none or NO_UNITS, none or NOT_ALIGNED
    return DocumentResult(
        document=row.document,
        annotators=row.annotators,
        units=row.units,
        samples=row.samples,
        observed=row.gamma.observed,
        expected=row.gamma.expected,
        expected_error=row.gamma.error,
        optimal=row.gap == 0.0,
        gap=row.gap,
        gamma=coefficient(row.gamma, missing=gamma_missing),
        gamma_cat=coefficient(row.gamma_cat, missing=cat_missing),
        gamma_k={label: coefficient(chance, missing=cat_missing) for label, chance in row.gamma_k.items()},
        samples_cat=row.gamma_cat.samples,
        distance_lowered=row.distance_lowered,
        precise=row.precise,
    )


def corpus_values(rows: Sequence[Row], *, seed: int, replicates: int) -> tuple[Value, Value, dict[str, Value]]:
    """Return pooled γ, γcat and γk: 1 - Σ w·δ / Σ w·δ_e over the documents that have both.

    w is x̄ for γ, and the document's Σ of pair weights for γcat and γk. The interval is a percentile bootstrap over
    documents; with one document it is that document's own.
    """
    if len(rows) == 1:
        only = document_result(rows[0])
        return only.gamma, only.gamma_cat, dict(only.gamma_k)
    labels = sorted({label for row in rows for label in row.gamma_k})
    columns = [[row.gamma for row in rows], [row.gamma_cat for row in rows]]
    columns += [[row.gamma_k.get(label, NOTHING) for row in rows] for label in labels]
    parts = [_parts(column) for column in columns]
    observed, expected = (np.stack([part[at] for part in parts], axis=1) for at in (0, 1))
    low, high = bootstrap_ratios(observed, expected, seed=seed, replicates=replicates)
    values = [
        _pooled(observed[:, at], expected[:, at], (low[at], high[at]), _missing(rows, columns[at], gamma=at == 0))
        for at in range(len(columns))
    ]
    return values[0], values[1], dict(zip(labels, values[2:], strict=True))


def _parts(column: list[Chance]) -> tuple[FloatArray, FloatArray]:
    """Return what each document adds to the two sums; nothing where it lacks one of the disorders."""
    table = np.array([(row.weight, row.observed, row.expected) for row in column])
    both = ~np.isnan(table[:, 1]) & ~np.isnan(table[:, 2])
    kept = np.where(both[:, None], table, 0.0)
    return kept[:, 0] * kept[:, 1], kept[:, 0] * kept[:, 2]


def _missing(rows: Sequence[Row], column: list[Chance], *, gamma: bool) -> str | None:
    """Return why nothing can be pooled, or None where some document has a value."""
    reasons: Counter[str] = Counter()
    for row, chance in zip(rows, column, strict=True):
        none = _nothing(row)
        reason = coefficient(chance, missing=none or (NO_UNITS if gamma else NOT_ALIGNED)).reason
        if reason is None:
            return None
        reasons[reason] += 1
    return reasons.most_common(1)[0][0]


def _nothing(row: Row) -> str | None:
    """Return why a document has no disorder at all, or None."""
    return too_few(row.annotators) or (None if row.units else NO_UNITS)


def _pooled(observed: FloatArray, expected: FloatArray, interval: tuple[float, float], missing: str | None) -> Value:
    if missing is not None:
        return Value.unavailable(missing)
    total, by_chance = math.fsum(observed), math.fsum(expected)
    if total == 0.0:
        return Value(1.0, 1.0, 1.0)
    return Value(1.0 - total / by_chance, float(interval[0]), float(interval[1]))
