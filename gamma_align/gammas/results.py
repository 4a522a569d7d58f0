"""What a measurement of γ, γcat and γk returns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gamma_align.errors import SettingsError
from gamma_align.results.values import Backend, Columns, Result, Value, columns_of, frame_of, value_columns

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
    expected_error : float
        Standard error of `expected`: what the number of samples leaves open.
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
    documents: int = 0
    pairs: int = 0
    samples: int = 0


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DocumentResult(Result):
    """γ, γcat and γk of one document, and what they were made of.

    Attributes
    ----------
    document : str
        Its name.
    annotators, units, alignments : int
        How many there are, `alignments` being the unitary alignments.
    samples : int
        Random samples aligned for the expected disorder.
    pair_samples : int
        Random samples of which pairs of annotators were aligned, to make it more precise; 0 where that is not worth it.
    optimal : bool
        Whether every alignment used (observed and samples) is proven optimal.
    gap : float
        Largest proven gap of an alignment used, relative to its disorder: (disorder - bound) / disorder.
    gamma, gamma_cat : GammaValue
        The coefficients with the interval that the sampling error gives.
    gamma_k : mapping of str to GammaValue
        γk of every category of the document.
    distance_lowered : bool
        Whether the extent could not hold the offsets of the samples at the distance asked for.
    precise : bool
        Whether the precision asked for was reached (false at the maximum number of samples).

    Examples
    --------
    >>> units = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 5, "x"), ("d2", "ann", 2, 5, "y"), ("d2", "bob", 2, 6, "x")]
    >>> corpus = ga.Corpus.from_records(units)
    >>> first = ga.gamma(corpus, samples=30).documents[0]
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
    precise: bool = True


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
        return {
            "schema_version": 1,
            "signature": self.signature,
            "settings": self.settings,
            "corpus": {"gamma": self.gamma, "gamma_cat": self.gamma_cat, "gamma_k": self.gamma_k},
            "documents": self.documents,
            "notes": self.notes,
        }

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
        return columns | columns_of(self.documents, ("optimal", "gap", "precise"))
