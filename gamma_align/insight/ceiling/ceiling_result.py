"""The result of `ceiling`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gamma_align.data import FrameColumns
from gamma_align.inference import Result, Value, columns_of, value_columns

_NUMBERS = ("category", "units", "ceiling", "low", "high", "interval_low", "interval_high", "no_interval", "covers")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class CeilingScore(Result):
    """The best F1 that any answer can reach against the annotators, of all units or of one label.

    Attributes
    ----------
    category : str or None
        The label; None for all units.
    units : float
        Units (length, of characters) of a mean annotator, summed over documents.
    annotators : int
        The number of annotators whose votes decide, at most 6: documents with as many hold half of the units.
    ceiling : float
        F*, the best F1; NaN if so few annotators give no number.
    low, high : float
        The smallest and the largest F* that the votes allow; NaN if they give no range.
    interval_low, interval_high : float
        95 % limits of the range; NaN without an interval.
    no_interval : str or None
        Reason why there is no interval.
    covers : {"annotators", "documents"}
        What the interval allows for: new documents of these annotators, or other annotators, too.
    documents_low, documents_high : float
        The 95 % limits for new documents of these annotators.
    another : Value
        F1 of another annotator, f.
    others_together : float
        F1 of what at least half of the other annotators mark, against the one left out.
    precision, recall : float
        Of the best answer, from four annotators on; they are no ceilings by themselves.

    Examples
    --------
    >>> spans = {"ann": [(0, 4, "x"), (6, 9, "y")], "bob": [(0, 4, "x")]}
    >>> score = ga.ceiling(spans).score
    >>> round(score.low, 4), round(score.high, 4)
    (0.6667, 0.8165)
    """

    category: str | None
    units: float
    annotators: int
    ceiling: float = math.nan
    low: float = math.nan
    high: float = math.nan
    interval_low: float = math.nan
    interval_high: float = math.nan
    no_interval: str | None = None
    covers: str = "documents"
    documents_low: float = math.nan
    documents_high: float = math.nan
    another: Value
    others_together: float = math.nan
    precision: float = math.nan
    recall: float = math.nan


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ModelScore(Result):
    """A model beside the ceiling of the annotators, on the documents that it saw.

    Attributes
    ----------
    model : str
        Its name.
    f1 : float
        Its F1 against each annotator, the annotators of a document in equal parts, or against their majority.
    over_low_from, over_low_to : float
        95 % limits of the F1 of the model minus the lower end of the range.
    over_high_from, over_high_to : float
        95 % limits of the F1 of the model minus the upper end of the range.
    verdict : {"below", "at", "above"} or None
        Whether the model is below, within or above the range; None without limits.
    sentence : str
        The verdict in words.

    Examples
    --------
    >>> spans = {"ann": [(0, 4, "x"), (6, 9, "y")], "bob": [(0, 4, "x")], "bert": [(0, 4, "x")]}
    >>> ga.ceiling(spans, model="bert").model.f1
    0.8
    """

    model: str
    f1: float
    over_low_from: float = math.nan
    over_low_to: float = math.nan
    over_high_from: float = math.nan
    over_high_to: float = math.nan
    verdict: str | None = None
    sentence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SameSource(Result):
    """Two annotators who agree more than their agreement with the others explains.

    Attributes
    ----------
    first, second : str
        The annotators.
    ratio : float
        What they share, divided by what their agreement with the others predicts.
    p : float
        Probability of so large a ratio without a common source, for all pairs together.

    Examples
    --------
    >>> pair = ga.SameSource(first="crowd", second="crowdbest", ratio=1.17, p=0.001)
    >>> pair.ratio
    1.17
    """

    first: str
    second: str
    ratio: float
    p: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Ceiling(Result):
    """How well any model can score against the annotators of a corpus.

    Attributes
    ----------
    score : CeilingScore
        Of all units.
    labels : tuple of CeilingScore
        Of each label, if requested.
    mean_of_labels : float
        The plain mean of the labels' F*: the macro ceiling; NaN without labels.
    model : ModelScore or None
        The model, if one is named.
    same_source : tuple of SameSource
        Pairs of annotators of one source, if the test finds any; None of them can be found among three.
    annotators, documents : int
        Number of annotators and of documents that two or more of them saw.
    settings : mapping
        Everything needed to compute the result again, ready for JSON.
    signature : str
        One line to paste into a paper.
    notes : tuple of str
        What the numbers say and what they do not.

    Examples
    --------
    >>> spans = {"ann": [(0, 4, "x"), (6, 9, "y")], "bob": [(0, 4, "x")]}
    >>> result = ga.ceiling(spans)
    >>> round(result.score.ceiling, 4), round(result.score.another.value, 4)
    (0.8082, 0.6667)
    """

    score: CeilingScore
    labels: tuple[CeilingScore, ...]
    mean_of_labels: float
    model: ModelScore | None
    same_source: tuple[SameSource, ...]
    annotators: int
    documents: int
    settings: Mapping[str, Any]
    signature: str
    notes: tuple[str, ...] = ()

    @property
    def rows(self) -> tuple[CeilingScore, ...]:
        """The scores: of all units, then of each label."""
        return (self.score, *self.labels)

    def _contents(self) -> dict[str, object]:
        names = ("documents", "annotators", "score", "model", "labels", "mean_of_labels", "same_source")
        return {"schema_version": 1, **self._named("signature", "settings", *names, "notes")}

    def _columns(self) -> FrameColumns:
        columns = columns_of(self.rows, (*_NUMBERS, "others_together", "precision", "recall"))
        return columns | value_columns("another", [row.another for row in self.rows])
