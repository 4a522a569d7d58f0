"""γ, γcat and γk, per document and pooled (DEFINITIONS §5): the results, and the functions that make them.

They are made of one row of numbers for each document, which is independent of other documents and of how the work was
cut up.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gamma_align.errors import SettingsError
from gamma_align.results.estimates import FEWEST, bounds, joint_error, relative_half_width
from gamma_align.results.jackknife import NO_DISAGREEMENT, ConfidenceInterval, no_interval, ratio_interval
from gamma_align.results.values import (
    NO_ANNOTATOR,
    NO_UNITS,
    ONE_ANNOTATOR,
    Backend,
    Columns,
    Result,
    Value,
    columns_of,
    frame_of,
    too_few,
    value_columns,
)

COUNTS = ("document", "annotators", "units", "alignments", "samples", "pair_samples")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GammaValue(Value):
    """γ, γcat or γk, and what it is made of.

    Attributes
    ----------
    standard_error : float
        Of the coefficient: from the error of the expected disorder in a document, between documents in a corpus.
    observed, expected : float
        The disorder of the best alignments, and its mean over the samples; of a corpus, their weighted means over the
        documents. NaN where not defined.
    expected_error, expected_precision : float
        What the number of samples leaves open of `expected`: its standard error, and half the width of its 95 %
        interval, relative to it.
    documents : int
        How many documents have a part in it.
    pairs : int
        Aligned pairs of units: for γ all, for γcat and γk those that count.
    samples : int
        Random samples that have it, over all documents.

    Examples
    --------
    >>> value = ga.GammaValue(0.5, 0.4, 0.6, observed=1.0, expected=2.0)
    >>> print(value)
    0.5000 [0.4000, 0.6000]
    """

    standard_error: float = math.nan
    observed: float = math.nan
    expected: float = math.nan
    expected_error: float = math.nan
    expected_precision: float = math.nan
    documents: int = 0
    pairs: int = 0
    samples: int = 0


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DocumentResult(Result):
    """γ, γcat and γk of one document, and what they were made of.

    Attributes
    ----------
    document : str
        Name of the document.
    annotators, units, alignments : int
        How many there are, `alignments` being the unitary alignments.
    samples, pair_samples : int
        Random samples aligned for the expected disorder; and those of which pairs of annotators were aligned, to make
        it more precise (0 where that is not worth it).
    optimal, gap : bool, float
        Whether every alignment used, of the data and of samples, is proven optimal; and the largest proven gap of one,
        (disorder - bound) / disorder.
    gamma, gamma_cat : GammaValue
        The coefficients with the interval that the sampling error gives.
    gamma_k : mapping of str to GammaValue
        γk of every category of the document.
    distance_lowered : bool
        Whether the extent could not hold the offsets of the samples at the distance asked for.

    Examples
    --------
    >>> units = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 5, "x"), ("d2", "ann", 2, 5, "y"), ("d2", "bob", 2, 6, "x")]
    >>> first = ga.gamma(units, samples=30).documents[0]
    >>> first.document, first.units, first.alignments, first.optimal
    ('d1', 2, 1, True)
    """

    document: str
    annotators: int
    units: int
    alignments: int
    samples: int
    pair_samples: int
    optimal: bool
    gap: float
    gamma: GammaValue
    gamma_cat: GammaValue
    gamma_k: Mapping[str, GammaValue] = field(default_factory=dict)
    distance_lowered: bool = False


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GammaResult(Result):
    """γ, γcat and γk of a corpus: pooled over the documents, and document by document.

    Attributes
    ----------
    gamma, gamma_cat : GammaValue
        Pooled: disorders summed over the documents before dividing. The interval is a jackknife over documents, or
        with one document the sampling interval of that document.
    gamma_k : mapping of str to GammaValue
        Pooled γk of every category.
    documents : tuple of DocumentResult
        Sorted by name.
    settings : mapping
        Everything needed to compute the result again, ready for JSON.
    signature : str
        One line to paste into a paper.
    notes : tuple of str
        What the reader of the numbers should know.

    Examples
    --------
    >>> units = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 5, "x"), ("d2", "ann", 2, 5, "y"), ("d2", "bob", 2, 6, "x")]
    >>> corpus = ga.Corpus.from_records(units)
    >>> result = ga.gamma(corpus, samples=30)
    >>> result.signature.rsplit("|", 1)[0]
    'γ|docs:2|n:2|α:1|β:1|Δ:1|d:sporadic+nominal|s:shift|N:30|e:fixed|seed:0|opt:yes'
    >>> sorted(result.to_dict())
    ['corpus', 'documents', 'notes', 'schema_version', 'settings', 'signature']
    """

    gamma: GammaValue
    gamma_cat: GammaValue
    gamma_k: Mapping[str, GammaValue]
    documents: tuple[DocumentResult, ...]
    settings: Mapping[str, Any]
    signature: str
    notes: tuple[str, ...] = ()

    @property
    def optimal(self) -> bool:
        """Whether every alignment used is proven optimal."""
        return all(document.optimal for document in self.documents)

    def _contents(self) -> dict[str, Any]:
        corpus = self._named("gamma", "gamma_cat", "gamma_k")
        contents = {"schema_version": 1, **self._named("signature", "settings"), "corpus": corpus}
        return contents | self._named("documents", "notes")

    def to_frame(self, backend: Backend = "pandas", *, level: str = "document") -> Any:  # noqa: ANN401  (the backend's)
        """Return the result as a data frame; NaN and missing reasons where there is nothing to say.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow", "modin", "cudf"}
            Library of the frame; it must be installed.
        level : {"document", "category", "corpus"}
            A row for each document, with γ and γcat; for each category of each document, with γk; or for each
            coefficient of the whole corpus, γk of each category among them.

        Raises
        ------
        MissingExtraError
            Without narwhals.
        SettingsError
            For another level.
        """
        if level not in ("document", "category", "corpus"):
            raise SettingsError(f"level must be 'document', 'category' or 'corpus', not {level!r}")
        if level == "document":
            return frame_of(self._columns(), backend)
        if level == "corpus":
            values = [self.gamma, self.gamma_cat, *self.gamma_k.values()]
            names: Columns = {
                "coefficient": ["gamma", "gamma_cat", *["gamma_k"] * len(self.gamma_k)],
                "category": [None, None, *self.gamma_k],
            }
            return frame_of(names | value_columns("value", values, GammaValue), backend)
        rows = [(row.document, label, value) for row in self.documents for label, value in row.gamma_k.items()]
        columns: Columns = {"document": [row[0] for row in rows], "category": [row[1] for row in rows]}
        return frame_of(columns | value_columns("gamma_k", [row[2] for row in rows], GammaValue), backend)

    def _columns(self) -> Columns:
        columns = columns_of(self.documents, COUNTS)
        for name in ("gamma", "gamma_cat"):
            columns |= value_columns(name, [getattr(row, name) for row in self.documents], GammaValue)
        return columns | columns_of(self.documents, ("optimal", "gap"))


@dataclass(frozen=True, slots=True)
class Chance:
    """Observed and expected value of one disorder of one document.

    `observed` is δ of the data (NaN where not defined), made of so many aligned `pairs` of units that count; `weight`
    is what the document weighs when disorders are pooled: x̄ for γ, Σ weight of its pairs for γcat and γk. `expected` is
    the mean over the `samples` that have it, made more precise by the `controls` of which pairs of annotators were
    aligned; `error`, with its degrees of `freedom`, and `skewness` are those of this mean, `deviation` that of the
    samples (n - 1). So much, the `bracket`, the mean may be too large because costly samples are not solved to the end.
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
    bracket: float = 0.0


@dataclass(frozen=True, slots=True)
class Row:
    """A document's numbers: those of `DocumentResult`, before its disorders are made coefficients."""

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


NOTHING = Chance(math.nan, 0.0, 0, math.nan, math.nan, math.nan, 0.0, 0, 0, 0.0)
"""A disorder that a document does not have."""

NOT_ALIGNED = "no two units are aligned"
NOT_BY_CHANCE = "no two units are aligned in any sample"
NO_DISORDER = "no disorder by chance"
NOT_SAMPLED = "no units to make samples of"
ONE_PAIR = "one aligned pair of units"
FEW_SAMPLES = f"fewer than {FEWEST} samples have it"
NOT_ABOVE_ZERO = "the samples leave open whether any disorder is expected by chance"

REASONS = (ONE_ANNOTATOR, NO_ANNOTATOR, NO_UNITS, NOT_SAMPLED, NOT_ALIGNED, NOT_BY_CHANCE, NO_DISORDER)
"""Every reason for which a coefficient is not available."""


def coefficient(chance: Chance, *, missing: str, of_pairs: bool = True) -> GammaValue:
    """Return 1 - δ/δ_e with the 95 % interval of the sampling error of δ_e (M15 §5.3).

    `missing` is the reason where nothing was observed. A coefficient that is made of aligned pairs alone (`of_pairs`)
    has no interval where there is but one of them.
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
        expected_precision=relative_half_width(chance.expected, chance.error, chance.freedom),
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


def _sampling_interval(chance: Chance, *, of_pairs: bool) -> ConfidenceInterval:
    if of_pairs and chance.pairs == 1:
        return no_interval(ONE_PAIR)
    if chance.observed == 0.0:
        return ConfidenceInterval(1.0, 1.0, 0.0)
    error = chance.observed * chance.error / chance.expected**2
    if chance.samples < FEWEST:
        return no_interval(FEW_SAMPLES, error)
    low, high = bounds(chance.expected, chance.error, chance.skewness, chance.freedom)
    low -= chance.bracket
    if low <= 0:
        return no_interval(NOT_ABOVE_ZERO, error)
    return ConfidenceInterval(1.0 - chance.observed / low, 1.0 - chance.observed / high, error)


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
    weight, observed, expected, error, freedom = (
        np.array([getattr(chance, name) for chance in known], dtype=np.float64)
        for name in ("weight", "observed", "expected", "error", "freedom")
    )
    total, by_chance, weights = math.fsum(weight * observed), math.fsum(weight * expected), math.fsum(weight)
    if total > 0 and by_chance == 0:
        return GammaValue.unavailable(NO_DISORDER)
    interval = ratio_interval(weight * observed, weight * expected)
    bracket = math.fsum(chance.weight * chance.bracket for chance in known)
    interval = interval._replace(
        low=interval.low - (total / (by_chance - bracket) - total / by_chance if total else 0.0)
    )
    pooled_error, pooled_freedom = joint_error(weight * error, freedom)
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
        expected_error=pooled_error / weights,
        expected_precision=relative_half_width(by_chance, pooled_error, pooled_freedom),
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
    if row.units and not row.samples:
        return too_few(row.annotators) or NOT_SAMPLED
    return too_few(row.annotators) or (None if row.units else NO_UNITS)
