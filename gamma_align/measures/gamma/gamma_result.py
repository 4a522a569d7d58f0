"""γ, γcat and γk, per document and pooled (DEFINITIONS §5): the classes of results, computed from rows of statistics.

The result of a document is created from its row on access.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gamma_align.chance import COMPUTED, CONSTANT, IMPOSSIBLE
from gamma_align.columns import BoolArray, FloatArray, Index, IntArray
from gamma_align.data import Backend, Frame, FrameColumn, Json, frame_of
from gamma_align.errors import SettingsError
from gamma_align.inference import (
    MANY_ROWS,
    MIN_SAMPLES,
    NO_ANNOTATOR,
    NO_UNITS,
    ONE_ANNOTATOR,
    LazyRows,
    Result,
    Value,
    bounds,
    columns_of,
    relative_half_widths,
)
from gamma_align.measures.gamma.gamma_reasons import (
    COMPUTED_CHANCE,
    COMPUTED_EXACTLY,
    COMPUTED_NUMERICALLY,
    EQUAL_SAMPLES,
    FEW_SAMPLES,
    NO_DISORDER,
    NO_INTERVAL_CODES,
    NO_OVERLAP,
    NOT_ABOVE_ZERO,
    NOT_ALIGNED,
    NOT_BY_CHANCE,
    NOT_SAMPLED,
    ONE_PAIR,
    PERFECT,
    REASON_CODES,
    SAME_CATEGORIES,
    WITHOUT_ERROR,
    precision_note,
)
from gamma_align.measures.gamma.gamma_rows import KINDS, Chances, GammaRows

COUNTS = ("document", "annotators", "units", "alignments", "samples", "pair_samples")  # fields of a document


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GammaValue(Value):
    """γ, γcat or γk, with the observed and expected disorder it is computed from.

    Attributes
    ----------
    standard_error : float
        Standard error of the coefficient: of a document, from the error of its expected disorder; of a corpus, between
        documents.
    observed, expected : float
        The disorder of the best alignments, and its mean over the samples; of a corpus, their weighted means over the
        documents. NaN if not defined.
    expected_error, expected_precision : float
        Sampling error of `expected`: its standard error, and half the width of its 95 % interval, relative to it. If it
        is computed without samples, the error is 0 and the precision is the numerical error.
    precision_note : str or None
        Reason why `expected_precision` is missing or 0; None if it is neither, or if `reason` explains it.
    documents : int
        Number of documents that contribute.
    pairs : int
        Number of aligned pairs of units: for γ all, for γcat and γk the pairs that have a weight.
    samples : int
        Number of random samples that have the disorder, over all documents.

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

    @property
    def lower_bound(self) -> float:
        """As of a `Value`; without sampling error, the value less the numerical error of `expected`, if it has one."""
        if self.no_interval not in WITHOUT_ERROR:
            return self.low
        return 1.0 - self.observed / (self.expected * (1.0 - self.expected_precision)) if self.observed else self.value


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DocumentResult(Result):
    """γ, γcat and γk of one document.

    Attributes
    ----------
    document : str
        Name of the document.
    annotators, units, alignments : int
        Number of annotators, units and unitary alignments.
    samples, pair_samples : int
        Number of random samples aligned for the expected disorder, 0 if it is computed without samples; and number of
        samples in which annotators were aligned two at a time to make it more precise, 0 if that would cost more.
    optimal, gap : bool, float
        Whether every alignment used, of the data and of samples, is proven optimal; and the largest proven gap of an
        alignment, (disorder - bound) / disorder.
    gamma, gamma_cat : GammaValue
        The coefficients with the interval of their sampling error.
    gamma_k : mapping of str to GammaValue
        γk of every category of the document.
    distance_lowered : bool
        Whether the extent could not hold the offsets of the samples at the requested distance.

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
        Pooled: disorders are summed over the documents before dividing. The interval is a jackknife over documents, or
        with one document the sampling interval of that document.
    gamma_k : mapping of str to GammaValue
        Pooled γk of every category.
    documents : sequence of DocumentResult
        Results of the documents, sorted by name; each is created on access.
    settings : mapping
        Everything needed to compute the result again, ready for JSON.
    signature : str
        One line to paste into a paper.
    notes : tuple of str
        Facts that matter for the interpretation of the numbers.
    problems : tuple of str
        Problems in documents of a data set that were skipped.

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
    settings: Mapping[str, Json]
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

    def _contents(self) -> dict[str, Json]:
        corpus = self._named("gamma", "gamma_cat", "gamma_k")
        contents = {"schema_version": 1, **self._named("signature", "settings"), "corpus": corpus}
        return contents | self._named("documents", "notes", *(["problems"] if self.problems else []))

    def to_frame(self, backend: Backend = "pandas", *, level: str = "document") -> Frame:
        """Return the result as a data frame; values that are not available are NaN, missing texts None.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow", "modin", "cudf"}
            Library of the frame; it must be installed.
        level : {"document", "category", "corpus"}
            Rows of the frame: the documents, with γ and γcat; the categories of each document, with γk; or the
            coefficients of the corpus, including γk of each category.

        Raises
        ------
        SettingsError
            For another level.
        """
        if level not in ("document", "category", "corpus"):
            raise SettingsError(f"level must be 'document', 'category' or 'corpus', not {level!r}")
        return frame_of(self.forms.columns(self, level), backend)


def is_computed(value: GammaValue) -> bool:
    """Return whether the expected disorder of a value is computed without samples."""
    return value.precision_note in (COMPUTED_EXACTLY, COMPUTED_NUMERICALLY)


class _Intervals(NamedTuple):
    """Bounds and standard errors, NaN without an interval, and the index of the reason in `NO_INTERVAL_CODES`."""

    low: FloatArray
    high: FloatArray
    error: FloatArray
    missing: IntArray


class GammaValues(LazyRows[GammaValue]):
    """1 - δ/δ_e of several documents, with the 95 % intervals of the sampling error of δ_e (M15 §5.3).

    `missing` is the code of the reason for documents without an observed disorder, shape (n,). With `needs_pairs`, a
    coefficient has no interval if it is computed from a single aligned pair. Documents `with_one_label` have no
    expected disorder of categories, even if no two units can overlap by chance. An interval takes `min_samples`.
    """

    kind = GammaValue

    def __init__(
        self,
        chances: Chances,
        missing: IntArray,
        *,
        needs_pairs: bool | BoolArray = True,
        with_one_label: bool | BoolArray = False,
        min_samples: int = MIN_SAMPLES,
    ) -> None:
        self._chances = chances
        self._missing = missing
        self._needs_pairs, self._with_one_label = (
            np.full(len(chances), mask) for mask in (needs_pairs, with_one_label)
        )
        self._min_samples = min_samples

    def __len__(self) -> int:
        return len(self._chances)

    def take(self, index: Index) -> GammaValues:
        """Return the values of an index."""
        return GammaValues(
            self._chances.take(index),
            self._missing[index],
            needs_pairs=self._needs_pairs[index],
            with_one_label=self._with_one_label[index],
            min_samples=self._min_samples,
        )

    def column(self, name: str) -> FrameColumn:
        """Return an attribute of every value."""
        chances = self._chances
        if name == "reason":
            return [REASON_CODES[code] for code in self.reasons.tolist()]
        if name == "no_interval":
            return [NO_INTERVAL_CODES[code] for code in self._intervals.missing.tolist()]
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
        rows: FrameColumn = column.tolist()
        return rows

    @cached_property
    def reasons(self) -> IntArray:
        """Index in `REASON_CODES` of the reason why a coefficient is not available, 0 if it is.

        Without an observed disorder it is 1, unless none is expected either: 0/0.
        """
        observed = self._chances.observed
        expected = self._chances.expected
        is_impossible = self._chances.status == IMPOSSIBLE
        no_expected = np.where(is_impossible, REASON_CODES.index(NO_OVERLAP), REASON_CODES.index(NOT_BY_CHANCE))
        # With a control variate, an estimate can be below 0.
        reasons = np.where(expected < 0.0, REASON_CODES.index(NOT_ABOVE_ZERO), 0)
        reasons = np.where(expected == 0.0, REASON_CODES.index(NO_DISORDER), reasons)
        reasons = np.where(np.isnan(expected), no_expected, reasons)
        no_categories = np.where(self._needs_pairs, REASON_CODES.index(SAME_CATEGORIES), reasons)
        none_expected = (expected == 0.0) | (self._with_one_label & np.isnan(expected))
        reasons = np.where(observed == 0.0, np.where(none_expected, no_categories, 0), reasons)
        return np.where(np.isnan(observed), self._missing, reasons)

    @cached_property
    @np.errstate(divide="ignore", invalid="ignore")
    def values(self) -> FloatArray:
        """The coefficients; NaN if not available."""
        chances = self._chances
        ratio = np.where(chances.observed == 0.0, 0.0, chances.observed / chances.expected)
        return np.where(self.reasons > 0, np.nan, 1.0 - ratio)

    @cached_property
    @np.errstate(divide="ignore", invalid="ignore")
    def _precisions(self) -> FloatArray:
        """Return the relative half width of each expected disorder's interval, plus its numerical error."""
        chances = self._chances
        sampling = relative_half_widths(chances.expected, chances.error, chances.freedom)
        return sampling + chances.numerical_error / chances.expected

    def _precision_notes(self) -> list[str | None]:
        """Return the reasons why precisions are missing or 0, for values that are available."""
        chances = self._chances
        columns = (self.reasons == 0, chances.expected, self._precisions, chances.status)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return [precision_note(*row) if is_available else None for is_available, *row in rows]

    @cached_property
    def _intervals(self) -> _Intervals:
        """Return the intervals from the error of δ_e; the lower bound also allows for the bracket."""
        chances = self._chances
        missing = np.zeros(len(self), dtype=np.int64)
        with np.errstate(all="ignore"):
            # Squares by Python: NumPy's may differ in the last bit on another machine.
            error = chances.observed * chances.error / np.array([value**2 for value in chances.expected.tolist()])
            low, high = bounds(chances.expected, chances.error, chances.skewness, chances.freedom)
            low -= chances.bracket
            missing[~(low > 0)] = NO_INTERVAL_CODES.index(NOT_ABOVE_ZERO)
            low = 1.0 - chances.observed / low
            high = 1.0 - chances.observed / high
        is_sampled = (chances.status != CONSTANT) & (chances.status != COMPUTED)
        missing[~is_sampled] = NO_INTERVAL_CODES.index(COMPUTED_CHANCE)
        # The errors of γcat and γk are shrunk to those of the corpus: equal samples have no deviation, but an error.
        is_equal = is_sampled & ((chances.error == 0.0) | (chances.deviation == 0.0))
        missing[is_equal] = NO_INTERVAL_CODES.index(EQUAL_SAMPLES)
        missing[is_sampled & (chances.samples < self._min_samples)] = NO_INTERVAL_CODES.index(FEW_SAMPLES)
        is_perfect = chances.observed == 0.0
        error[is_perfect] = 0.0
        missing[is_perfect] = NO_INTERVAL_CODES.index(PERFECT)
        has_one_pair = self._needs_pairs & (chances.pairs == 1)
        missing[has_one_pair] = NO_INTERVAL_CODES.index(ONE_PAIR)
        error[has_one_pair] = np.nan
        is_unavailable = self.reasons > 0
        missing[is_unavailable] = 0
        error[is_unavailable] = np.nan
        has_no_interval = is_unavailable | (missing > 0)
        low[has_no_interval] = high[has_no_interval] = np.nan
        return _Intervals(low, high, error, missing)


class Documents(LazyRows[DocumentResult]):
    """The results of documents, created from their rows on access."""

    kind = DocumentResult

    def __init__(self, rows: GammaRows) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, index: Index) -> Documents:
        """Return the results of the documents of an index."""
        return Documents(self.rows.take(index))

    def column(self, name: str) -> FrameColumn:
        """Return an attribute of every document."""
        rows = self.rows
        if name == "document":
            return rows.documents
        if name in KINDS:
            values = self._created[KINDS.index(name)]
            return self._by_category(values) if name == "gamma_k" else values
        columns = {"pair_samples": rows.gamma.controls, "optimal": rows.gap == 0.0}
        column: FrameColumn = (columns[name] if name in columns else getattr(rows, name)).tolist()
        return column

    @cached_property
    def gamma(self) -> GammaValues:
        """γ of each document."""
        return GammaValues(self.rows.gamma, self._missing(NO_UNITS), needs_pairs=False)

    @cached_property
    def gamma_cat(self) -> GammaValues:
        """γcat of each document."""
        return GammaValues(self.rows.gamma_cat, self._missing(NOT_ALIGNED), with_one_label=self._with_one_label)

    @cached_property
    def gamma_k(self) -> GammaValues:
        """γk of each category of each document, in the order of the rows."""
        document = self.rows.document_k
        missing = self._missing(NOT_ALIGNED)[document]
        with_one_label = self._with_one_label[document]
        return GammaValues(self.rows.gamma_k, missing, with_one_label=with_one_label)

    @cached_property
    def _with_one_label(self) -> BoolArray:
        """The documents whose units all have the same category, or none."""
        rows = self.rows
        return np.bincount(rows.document_k, minlength=len(self)) + (rows.unlabelled > 0) <= 1

    @cached_property
    def _created(self) -> tuple[Sequence[GammaValue], ...]:
        """The values of each of `KINDS`; of a few documents they are created together, which takes as long as one."""
        if len(self) >= MANY_ROWS:
            return self.gamma, self.gamma_cat, self.gamma_k
        rows = self.rows
        n = len(self)
        not_aligned = self._missing(NOT_ALIGNED)
        missing = np.concatenate([self._missing(NO_UNITS), not_aligned, not_aligned[rows.document_k]])
        chances = Chances.join([rows.gamma, rows.gamma_cat, rows.gamma_k])
        needs_pairs = np.arange(len(chances)) >= n
        one_label = np.concatenate(
            [np.zeros(n, dtype=np.bool_), self._with_one_label, self._with_one_label[rows.document_k]]
        )
        values = (*GammaValues(chances, missing, needs_pairs=needs_pairs, with_one_label=one_label),)
        return values[:n], values[n : 2 * n], values[2 * n :]

    def _missing(self, default: str) -> IntArray:
        """Return the code of the reason why a document cannot have a disorder; `default` if it could have one."""
        rows = self.rows
        missing = np.where(rows.alignments == 0, REASON_CODES.index(NOT_SAMPLED), REASON_CODES.index(default))
        missing = np.where(rows.units == 0, REASON_CODES.index(NO_UNITS), missing)
        missing = np.where(rows.annotators == 1, REASON_CODES.index(ONE_ANNOTATOR), missing)
        return np.where(rows.annotators == 0, REASON_CODES.index(NO_ANNOTATOR), missing)

    def _by_category(self, gamma_k: Sequence[GammaValue]) -> list[dict[str, GammaValue]]:
        """Return γk of each document by the name of the category."""
        rows = self.rows
        values: list[dict[str, GammaValue]] = [{} for _ in range(len(rows))]
        codes = rows.document_k.tolist(), rows.category_k.tolist()
        for document, code, value in zip(*codes, gamma_k, strict=True):
            values[document][rows.categories[code]] = value
        return values
