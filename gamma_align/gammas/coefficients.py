"""γ, γcat and γk from one row of numbers for each document: pure functions, per document and pooled (DEFINITIONS §5).

Rows of different documents are independent of each other and of how the work was cut up.

References
----------
Mathet, Widlöcher & Métivier 2015 (γ); Mathet 2017 (γcat, γk).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from gamma_align.gammas.results import DocumentResult, GammaValue
from gamma_align.results.estimates import FEWEST, bounds
from gamma_align.results.jackknife import NO_DISAGREEMENT, Interval, no_interval, ratio_interval
from gamma_align.results.values import NO_ANNOTATOR, NO_UNITS, ONE_ANNOTATOR, too_few


@dataclass(frozen=True, slots=True)
class Chance:
    """Observed and expected value of one disorder of one document.

    Attributes
    ----------
    observed : float
        δ of the data; NaN where not defined.
    weight : float
        What the document weighs when disorders are pooled: x̄ for γ, Σ weight of its pairs for γcat and γk.
    pairs : int
        Aligned pairs of units; for γcat and γk those that count.
    expected, error : float
        Mean over the samples, and its standard error; NaN where no sample has it.
    deviation : float
        Standard deviation over the samples (n - 1).
    skewness : float
        Of `expected`: its third central moment by its error cubed.
    samples : int
        Samples that have it.
    controls : int
        Samples of which pairs of annotators were aligned, to make `expected` more precise; 0 for none.
    freedom : float
        Degrees of freedom of the error.
    """

    observed: float
    weight: float
    pairs: int
    expected: float
    error: float
    deviation: float
    skewness: float
    samples: int
    controls: int
    freedom: float


@dataclass(frozen=True, slots=True)
class Row:
    """A document's numbers.

    Attributes
    ----------
    document : str
        Its name.
    annotators, units, alignments, samples : int
        Counts.
    gamma, gamma_cat : Chance
        The two disorders.
    gamma_k : dict of str to Chance
        By category.
    gap : float
        Largest gap of an alignment used.
    distance_lowered, precise : bool
        See `gamma_align.gammas.results.DocumentResult`.
    """

    document: str
    annotators: int
    units: int
    alignments: int
    samples: int
    gamma: Chance
    gamma_cat: Chance
    gamma_k: dict[str, Chance] = field(default_factory=dict)
    gap: float = 0.0
    distance_lowered: bool = False
    precise: bool = True


NOTHING = Chance(math.nan, 0.0, 0, math.nan, math.nan, math.nan, 0.0, 0, 0, 0.0)
"""The row of a disorder that a document does not have."""


NOT_ALIGNED = "no two units are aligned"
NOT_BY_CHANCE = "no two units are aligned in any sample"
NO_DISORDER = "no disorder by chance"
ONE_PAIR = "one aligned pair of units"
FEW_SAMPLES = f"fewer than {FEWEST} samples have it"
NOT_ABOVE_ZERO = "the samples leave open whether any disorder is expected by chance"

REASONS = (ONE_ANNOTATOR, NO_ANNOTATOR, NO_UNITS, NOT_ALIGNED, NOT_BY_CHANCE, NO_DISORDER)
"""Every reason for which a coefficient is not available."""


def coefficient(chance: Chance, *, missing: str, of_pairs: bool = True) -> GammaValue:
    """Return 1 - δ/δ_e with the 95 % interval of the sampling error of δ_e (M15 §5.3).

    Parameters
    ----------
    chance : Chance
        Observed and expected disorder.
    missing : str
        The reason where nothing was observed.
    of_pairs : bool
        Whether it is made of aligned pairs alone, so that one of them is too little for an interval.
    """
    reason = _reason(chance, missing)
    ratio = chance.observed / chance.expected if chance.expected > 0 else math.nan
    value = math.nan if reason else 1.0 - (ratio if chance.observed else 0.0)
    interval = no_interval("") if reason else _sampling_interval(chance, of_pairs=of_pairs)
    return GammaValue(
        value,
        interval.low,
        interval.high,
        reason,
        None if reason else interval.missing,
        standard_error=interval.error,
        observed=chance.observed,
        expected=chance.expected,
        expected_error=chance.error,
        documents=int(not math.isnan(chance.observed)),
        pairs=chance.pairs,
        samples=chance.samples,
    )


def _reason(chance: Chance, missing: str) -> str | None:
    """Return why a document has no such coefficient, or None where it has."""
    if math.isnan(chance.observed):
        return missing
    if chance.observed == 0.0:
        return None
    if math.isnan(chance.expected):
        return NOT_BY_CHANCE
    return NO_DISORDER if chance.expected == 0.0 else None


def _sampling_interval(chance: Chance, *, of_pairs: bool) -> Interval:
    if of_pairs and chance.pairs == 1:
        return no_interval(ONE_PAIR)
    if chance.observed == 0.0:
        return Interval(1.0, 1.0, 0.0)
    error = chance.observed * chance.error / chance.expected**2
    if chance.samples < FEWEST:
        return no_interval(FEW_SAMPLES, error)
    low, high = bounds(chance.expected, chance.error, chance.skewness, chance.freedom)
    if low <= 0:
        return no_interval(NOT_ABOVE_ZERO, error)
    return Interval(1.0 - chance.observed / low, 1.0 - chance.observed / high, error)


def document_result(row: Row) -> DocumentResult:
    """Return γ, γcat and γk of one document."""
    none = _nothing(row)
    gamma_missing, cat_missing = none or NO_UNITS, none or NOT_ALIGNED
    return DocumentResult(
        document=row.document,
        annotators=row.annotators,
        units=row.units,
        alignments=row.alignments,
        samples=row.samples,
        pair_samples=row.gamma.controls,
        optimal=row.gap == 0.0,
        gap=row.gap,
        gamma=coefficient(row.gamma, missing=gamma_missing, of_pairs=False),
        gamma_cat=coefficient(row.gamma_cat, missing=cat_missing),
        gamma_k={label: coefficient(chance, missing=cat_missing) for label, chance in row.gamma_k.items()},
        distance_lowered=row.distance_lowered,
        precise=row.precise,
    )


def corpus_values(rows: Sequence[Row]) -> tuple[GammaValue, GammaValue, dict[str, GammaValue]]:
    """Return pooled γ, γcat and γk: 1 - Σ w·δ / Σ w·δ_e over the documents that have both.

    w is x̄ for γ, and the document's Σ of pair weights for γcat and γk. The interval is a jackknife over documents;
    with one document it is that document's own.
    """
    if len(rows) == 1:
        only = document_result(rows[0])
        return only.gamma, only.gamma_cat, dict(only.gamma_k)
    by_label: dict[str, list[tuple[Row, Chance]]] = {}
    for row in rows:
        for label, chance in row.gamma_k.items():
            by_label.setdefault(label, []).append((row, chance))
    return (
        _pooled([(row, row.gamma) for row in rows], NO_UNITS),
        _pooled([(row, row.gamma_cat) for row in rows], NOT_ALIGNED),
        {label: _pooled(by_label[label], NOT_ALIGNED) for label in sorted(by_label)},
    )


def _pooled(column: list[tuple[Row, Chance]], missing: str) -> GammaValue:
    """Return the value of a corpus from the documents that have a part in it."""
    known = [chance for _, chance in column if not (math.isnan(chance.observed) or math.isnan(chance.expected))]
    reason = _missing(column, missing)
    if reason is not None:
        return GammaValue.unavailable(reason)
    if not known:  # documents without disagreement, and none with anything to expect by chance
        return GammaValue(1.0, no_interval=NO_DISAGREEMENT)
    weight, observed, expected, error = (
        np.array([getattr(chance, name) for chance in known], dtype=np.float64)
        for name in ("weight", "observed", "expected", "error")
    )
    total, by_chance, weights = math.fsum(weight * observed), math.fsum(weight * expected), math.fsum(weight)
    if total > 0 and by_chance == 0:
        return GammaValue.unavailable(NO_DISORDER)
    interval = ratio_interval(weight * observed, weight * expected)
    pairs = sum(chance.pairs for chance in known)
    if pairs == 1:
        interval = no_interval(ONE_PAIR)
    return GammaValue(
        1.0 - (total / by_chance if total else 0.0),
        interval.low,
        interval.high,
        no_interval=interval.missing,
        standard_error=interval.error,
        observed=total / weights,
        expected=by_chance / weights,
        expected_error=math.sqrt(math.fsum(np.square(weight * error))) / weights,
        documents=len(known),
        pairs=pairs,
        samples=sum(chance.samples for chance in known),
    )


def _missing(column: list[tuple[Row, Chance]], missing: str) -> str | None:
    """Return why nothing can be pooled, or None where some document has a value."""
    reasons: Counter[str] = Counter()
    for row, chance in column:
        reason = _reason(chance, _nothing(row) or missing)
        if reason is None:
            return None
        reasons[reason] += 1
    return reasons.most_common(1)[0][0]


def _nothing(row: Row) -> str | None:
    """Return why a document has no disorder at all, or None."""
    return too_few(row.annotators) or (None if row.units else NO_UNITS)
