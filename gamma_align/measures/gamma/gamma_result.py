"""γ, γcat and γk, per document and pooled (DEFINITIONS §5): the results, and the functions that make them.

They are made of one row of numbers for each document; results of documents are made of these when they are looked at.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data.frames import Backend, Columns, frame_of
from gamma_align.errors import SettingsError
from gamma_align.inference.jackknife import NO_DISAGREEMENT, jackknife_interval, no_interval, ratio_interval
from gamma_align.inference.means import MIN_SAMPLES, bounds, relative_half_width, relative_half_widths
from gamma_align.inference.values import (
    NO_ANNOTATOR,
    NO_UNITS,
    ONE_ANNOTATOR,
    LazyRows,
    Result,
    Value,
    columns_of,
    value_columns,
)
from gamma_align.measures.gamma.categorial import CONSTANT, ESTIMATED, IMPOSSIBLE
from gamma_align.measures.gamma.gamma_rows import Chances, GammaRows
from gamma_align.measures.gamma.shared_chance import Pool, SharedChance, own_sums

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
    precision_note : str or None
        Why `expected_precision` is missing, or why it is 0; None if `reason` says so, or neither is the case.
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
    precision_note: str | None = None
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
    documents : sequence of DocumentResult
        Sorted by name; each is made when it is looked at.
    settings : mapping
        Everything needed to compute the result again, ready for JSON.
    signature : str
        One line to paste into a paper.
    notes : tuple of str
        What the reader of the numbers should know.
    problems : tuple of str
        What is wrong in documents of a data set that are left out.

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
    documents: Sequence[DocumentResult]
    settings: Mapping[str, Any]
    signature: str
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def optimal(self) -> bool:
        """Whether every alignment used is proven optimal."""
        return self.gap == 0.0

    @property
    def gap(self) -> float:
        """Largest proven gap of an alignment used."""
        return max(self.gaps, default=0.0)

    @property
    def gaps(self) -> list[float]:
        """The proven gaps of the documents whose alignments are not all proven optimal."""
        return [gap for gap in columns_of(self.documents, ["gap"])["gap"] if gap]

    def _contents(self) -> dict[str, Any]:
        corpus = self._named("gamma", "gamma_cat", "gamma_k")
        contents = {"schema_version": 1, **self._named("signature", "settings"), "corpus": corpus}
        return contents | self._named("documents", "notes", *(["problems"] if self.problems else []))

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
            columns |= value_columns(name, columns_of(self.documents, [name])[name], GammaValue)
        return columns | columns_of(self.documents, ("optimal", "gap"))


NOT_ALIGNED = "no two units are aligned"
NOT_BY_CHANCE = "no two units are aligned in any sample"
NO_OVERLAP = "no two units can overlap by chance"
NO_DISORDER = "no disorder by chance"
NOT_SAMPLED = "no units to make samples of"
ONE_PAIR = "one aligned pair of units"
FEW_SAMPLES = f"fewer than {MIN_SAMPLES} samples have it"
EQUAL_SAMPLES = "all samples are the same"
ONE_SAMPLE = "fewer than two samples of a document have it"
EXACT = "exact: every pair of units that can meet by chance has this distance"
NOT_ABOVE_ZERO = "the samples leave open whether any disorder is expected by chance"

REASONS = (
    ONE_ANNOTATOR,
    NO_ANNOTATOR,
    NO_UNITS,
    NOT_SAMPLED,
    NOT_ALIGNED,
    NOT_BY_CHANCE,
    NO_DISORDER,
    NO_OVERLAP,
    NOT_ABOVE_ZERO,
)
"""Every reason for which a coefficient is not available."""


_CODED = (None, *REASONS)
_ALONE, _NOBODY, _EMPTY, _UNSAMPLED, _UNALIGNED, _NOT_EXPECTED, _NO_CHANCE, _CANNOT_MEET, _BELOW_ZERO = range(
    1, len(_CODED)
)
_NO_INTERVALS = (None, ONE_PAIR, FEW_SAMPLES, NOT_ABOVE_ZERO, EQUAL_SAMPLES)


class _Intervals(NamedTuple):
    """Bounds and standard errors, NaN where there are none, and the index in `_NO_INTERVALS` of why."""

    low: FloatArray
    high: FloatArray
    error: FloatArray
    missing: IntArray


class GammaValues(LazyRows[GammaValue]):
    """1 - δ/δ_e of several documents, with the 95 % intervals of the sampling error of δ_e (M15 §5.3).

    `missing` is the code of the reason where nothing was observed, shape (n,). A coefficient that is made of aligned
    pairs alone (`of_pairs`) has no interval where there is but one of them. An interval takes `min_samples`.
    """

    kind = GammaValue

    def __init__(
        self, chances: Chances, missing: IntArray, *, of_pairs: bool = True, min_samples: int = MIN_SAMPLES
    ) -> None:
        self._chances, self._missing, self._of_pairs = chances, missing, of_pairs
        self._min_samples = min_samples

    def __len__(self) -> int:
        return len(self._chances)

    def take(self, index: slice) -> GammaValues:
        """Return the values of some consecutive documents."""
        return GammaValues(
            self._chances.take(index), self._missing[index], of_pairs=self._of_pairs, min_samples=self._min_samples
        )

    def column(self, name: str) -> list[Any]:
        """Return an attribute of every value."""
        chances = self._chances
        if name == "reason":
            return [_CODED[code] for code in self.reasons.tolist()]
        if name == "no_interval":
            return [_NO_INTERVALS[code] for code in self._intervals.missing.tolist()]
        if name == "precision_note":
            return self._precision_notes()
        if name == "interval_note":  # the interval is over samples, not over documents
            return [None] * len(self)
        column: FloatArray | IntArray
        if name == "value":
            column = self.values
        elif name == "rests_on":
            column = np.full(len(self), math.nan)
        elif name == "expected_precision":
            column = self._precisions
        elif name == "documents":
            column = (~np.isnan(chances.observed)).astype(np.int64)
        elif name in ("low", "high", "standard_error"):
            column = getattr(self._intervals, "error" if name == "standard_error" else name)
        else:
            column = getattr(chances, "error" if name == "expected_error" else name)
        rows: list[Any] = column.tolist()
        return rows

    @cached_property
    def reasons(self) -> IntArray:
        """Index in `_CODED` of why there is no such coefficient, 0 where there is one."""
        observed, expected = self._chances.observed, self._chances.expected
        unknown = np.where(self._chances.status == IMPOSSIBLE, _CANNOT_MEET, _NOT_EXPECTED)
        # With a control variate, an estimate can be below 0.
        reasons = np.select([np.isnan(expected), expected == 0.0, expected < 0.0], [unknown, _NO_CHANCE, _BELOW_ZERO])
        return np.where(np.isnan(observed), self._missing, np.where(observed == 0.0, 0, reasons))

    @property
    def values(self) -> FloatArray:
        """The coefficients, NaN where there is none."""
        chances = self._chances
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(chances.observed == 0.0, 0.0, chances.observed / chances.expected)
        return np.where(self.reasons > 0, np.nan, 1.0 - ratio)

    @cached_property
    def _precisions(self) -> FloatArray:
        chances = self._chances
        return relative_half_widths(chances.expected, chances.error, chances.freedom)

    def _precision_notes(self) -> list[str | None]:
        """Return why precisions are missing or 0, of values that are available."""
        chances, precision = self._chances, self._precisions
        available = (self.reasons == 0).tolist()
        columns = (chances.expected, precision, chances.status)
        rows = zip(available, *(column.tolist() for column in columns), strict=True)
        return [precision_note(*row) if there else None for there, *row in rows]

    @cached_property
    def _intervals(self) -> _Intervals:
        chances, missing = self._chances, np.zeros(len(self), dtype=np.int64)
        with np.errstate(all="ignore"):
            # by Python: NumPy's square may differ in the last bit
            error = chances.observed * chances.error / np.array([value**2 for value in chances.expected.tolist()])
            low, high = bounds(chances.expected, chances.error, chances.skewness, chances.freedom)
            low -= chances.bracket
            missing[~(low > 0)] = _NO_INTERVALS.index(NOT_ABOVE_ZERO)
            low, high = 1.0 - chances.observed / low, 1.0 - chances.observed / high
        sampled = chances.status != CONSTANT
        # The errors of γcat and γk are shrunk to those of the corpus: equal samples have no deviation, but an error.
        equal = sampled & ((chances.error == 0.0) | (chances.deviation == 0.0))
        missing[equal] = _NO_INTERVALS.index(EQUAL_SAMPLES)
        missing[sampled & (chances.samples < self._min_samples)] = _NO_INTERVALS.index(FEW_SAMPLES)
        perfect = chances.observed == 0.0
        low[perfect], high[perfect], error[perfect], missing[perfect] = 1.0, 1.0, 0.0, 0
        if self._of_pairs:
            one = chances.pairs == 1
            missing[one], error[one] = _NO_INTERVALS.index(ONE_PAIR), np.nan
        none = self.reasons > 0
        missing[none], error[none] = 0, np.nan
        low[none | (missing > 0)] = high[none | (missing > 0)] = np.nan
        return _Intervals(low, high, error, missing)


def precision_note(expected: float, precision: float, status: int) -> str | None:
    """Return why the precision of an expected disorder is missing or 0, or None if it is neither."""
    if math.isnan(expected):
        return NO_OVERLAP if status == IMPOSSIBLE else NOT_BY_CHANCE
    if expected == 0.0:
        return NO_DISORDER
    if status == CONSTANT:
        return EXACT
    if expected < 0.0:
        return NOT_ABOVE_ZERO
    if math.isnan(precision):
        return ONE_SAMPLE
    return EQUAL_SAMPLES if precision == 0.0 else None


class Documents(LazyRows[DocumentResult]):
    """The results of documents, made of their rows when they are looked at."""

    kind = DocumentResult

    def __init__(self, rows: GammaRows) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, index: slice) -> Documents:
        """Return the results of some consecutive documents."""
        return Documents(self.rows.take(index))

    def column(self, name: str) -> Sequence[Any]:
        """Return an attribute of every document."""
        rows = self.rows
        if name == "document":
            return rows.documents
        if name == "gamma_k":
            return self._by_category()
        if name in ("gamma", "gamma_cat"):
            return self.gamma if name == "gamma" else self.gamma_cat
        columns = {"pair_samples": rows.gamma.controls, "optimal": rows.gap == 0.0}
        column: list[Any] = (columns[name] if name in columns else getattr(rows, name)).tolist()
        return column

    @property
    def gamma(self) -> GammaValues:
        """γ of each document."""
        return GammaValues(self.rows.gamma, self._missing(_EMPTY), of_pairs=False)

    @property
    def gamma_cat(self) -> GammaValues:
        """γcat of each document."""
        return GammaValues(self.rows.gamma_cat, self._missing(_UNALIGNED))

    @property
    def gamma_k(self) -> GammaValues:
        """γk of each category of each document, in the order of the rows."""
        return GammaValues(self.rows.gamma_k, self._missing(_UNALIGNED)[self.rows.document_k])

    def _missing(self, reason: int) -> IntArray:
        """Return the code of why a document has no disorder at all, or else of the reason."""
        rows = self.rows
        codes = np.where(rows.units == 0, _EMPTY, np.where(rows.samples == 0, _UNSAMPLED, reason))
        codes = np.where(rows.annotators == 1, _ALONE, codes)
        return np.where(rows.annotators == 0, _NOBODY, codes)

    def _by_category(self) -> list[dict[str, GammaValue]]:
        rows = self.rows
        values: list[dict[str, GammaValue]] = [{} for _ in range(len(rows))]
        codes = rows.document_k.tolist(), rows.category_k.tolist()
        for document, code, value in zip(*codes, self.gamma_k, strict=True):
            values[document][rows.categories[code]] = value
        return values


def corpus_values(
    rows: GammaRows, shared: SharedChance | None = None, *, delta_empty: float = math.inf
) -> tuple[GammaValue, GammaValue, dict[str, GammaValue]]:
    """Return pooled γ, γcat and γk: 1 - Σ w·δ / Σ w·δ_e over the documents that have both.

    w is x̄ for γ, and the document's Σ of pair weights for γcat and γk. The interval is that of `inference.jackknife`;
    with one document it is that document's own. No interval goes below the value at which all disagree completely: the
    δ of γ is at most n·Δ (n annotators, `delta_empty` is Δ), that of units none of which are aligned (M15 §4.3), and
    that of γcat and γk is at most 1. Of documents that share one expected disorder, the rows are those of `shared`.
    """
    documents = Documents(rows)
    if len(rows) == 1:
        only = documents[0]
        return only.gamma, only.gamma_cat, dict(only.gamma_k)
    of_k, order = documents.gamma_k, np.argsort(rows.category_k, kind="stable")
    codes, counts = np.unique(rows.category_k, return_counts=True)
    each = np.split(order, np.cumsum(counts)[:-1]) if len(codes) else []
    chosen = rows.gamma_k.known if shared is None else np.ones(len(rows.gamma_k), dtype=np.bool_)
    return (
        pooled_gamma(rows.gamma, documents.gamma.reasons, rows.annotators, delta_empty, shared and shared.gamma),
        _pooled(rows.gamma_cat, documents.gamma_cat.reasons, shared and shared.gamma_cat),
        {
            rows.categories[code]: _pooled(
                rows.gamma_k.take(index[chosen[index]]), of_k.reasons[index], shared and shared.gamma_k.take(index)
            )
            for code, index in zip(codes.tolist(), each, strict=True)
        },
    )


def pooled_gamma(
    chances: Chances, reasons: IntArray, annotators: IntArray, delta_empty: float, pool: Pool | None = None
) -> GammaValue:
    """Return γ of a corpus from the disorders of its documents, and the reasons why some have no γ."""
    unaligned = np.maximum(annotators, 1).astype(np.float64) * delta_empty  # 0 · ∞ is no number
    return _pooled(chances, reasons, pool, largest=unaligned)


def _pooled(chances: Chances, reasons: IntArray, pool: Pool | None, *, largest: FloatArray | None = None) -> GammaValue:
    """Return the value of a corpus from the documents that have a part in it; the reasons are those of each.

    A document has agreement if units are aligned and its disorder is below the `largest` possible one, 1 by default.
    """
    if (reasons > 0).all():
        return GammaValue.unavailable(_most_common(reasons))
    is_known = chances.known
    known = chances if is_known.all() else chances.take(is_known)  # large corpora are not copied
    if not len(known):  # documents without disagreement, and none with anything to expect by chance
        impossible = (chances.status == IMPOSSIBLE)[~np.isnan(chances.observed)].all()
        note = NO_OVERLAP if impossible else NOT_BY_CHANCE
        return GammaValue(1.0, no_interval=NO_DISAGREEMENT, precision_note=note)
    largest = np.ones(len(known)) if largest is None else largest[is_known]
    observed = known.weight * known.observed
    total, weights = (math.fsum(column.tolist()) for column in (observed, known.weight))
    sums = own_sums(known) if pool is None else pool.sums(chances)
    if total > 0 and not sums.expected > 0:  # with a control variate, an estimate can be below 0
        return GammaValue.unavailable(NO_DISORDER if sums.expected == 0 else NOT_ABOVE_ZERO)
    agreeing = known.agreeing(largest)
    if pool is None:
        interval = ratio_interval(observed, known.weight * known.expected, agreeing)
    else:
        interval = jackknife_interval(total, sums.expected, total - observed, sums.without, agreeing)
    if interval.missing is None:
        too_high = total / (sums.expected - sums.bracket) - total / sums.expected
        lowest = 1.0 - math.fsum((known.weight * largest).tolist()) / sums.expected
        interval = interval._replace(low=max(interval.low - too_high, lowest))
    pairs = int(known.pairs.sum())
    if pairs == 1:
        interval = no_interval(ONE_PAIR)
    precision = relative_half_width(sums.expected, sums.error, sums.freedom)
    status = CONSTANT if (known.status == CONSTANT).all() else ESTIMATED
    return GammaValue(
        1.0 - (total / sums.expected if total else 0.0),
        **interval.fields,
        standard_error=interval.error,
        observed=total / weights,
        expected=sums.expected / weights,
        expected_error=sums.error / weights,
        expected_precision=precision,
        precision_note=precision_note(sums.expected, precision, status),
        documents=len(known),
        pairs=pairs,
        samples=sums.samples,
    )


def _most_common(reasons: IntArray) -> str:
    """Return the reason that most documents have, the first of those that as many have."""
    (code, _), *_ = Counter(reasons.tolist()).most_common(1)
    return str(_CODED[code])
