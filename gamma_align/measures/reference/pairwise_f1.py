"""F1 of all pairs of annotators, without a reference.

References
----------
Hripcsak & Rothschild 2005, Agreement, the F-measure, and reliability in information retrieval: the mean over pairs
approaches κ as the number of spans that nobody marks grows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gamma_align.columns import RowGroups
from gamma_align.data import Corpus, DataFacts, check_two_annotators, decimal, documents_without
from gamma_align.errors import Call, Cure, Note
from gamma_align.inference import Result, Value
from gamma_align.measures.reference.matching import Matching
from gamma_align.measures.reference.pairings import Pairings, all_pairs, annotator_pairs, mean_over_pairs
from gamma_align.measures.reference.reference_options import IOU, ZERO_DIVISION
from gamma_align.measures.reference.spans import ONE_TO_ONE, Sums, check_spans, credits_by_measure, f1_values
from gamma_align.measures.reference.votes import Votes
from gamma_align.options import takes_options
from gamma_align.version import __version__

PAIRED = (*ONE_TO_ONE, "characters")
"""The measures that do not depend on which of the two annotators is the reference."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairF1(Result):
    """F1 of two annotators on the documents that both saw.

    Attributes
    ----------
    first, second : str
        The annotators.
    documents, first_units, second_units : int
        Number of documents, and of units of each annotator in them.
    f1 : mapping of str to Value
        By measure: see `evaluate`.

    Examples
    --------
    >>> pair = ga.pairwise_f1({"ann": [(0, 4, "x"), (6, 9, "y")], "bob": [(0, 4, "x")]}).pairs[0]
    >>> pair.first, pair.second, round(pair.f1["strict"].value, 4)
    ('ann', 'bob', 0.6667)
    """

    first: str
    second: str
    documents: int
    first_units: int
    second_units: int
    f1: Mapping[str, Value]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairwiseF1(Result):
    """F1 of all pairs of annotators, their mean, and F1 of all pairs together.

    Attributes
    ----------
    pairs : tuple of PairF1
        Sorted by the names of the annotators.
    mean : mapping of str to Value
        The plain mean over pairs that have a value.
    pooled : mapping of str to Value
        2 Σ matched / Σ (units of one + units of the other) over all pairs, with an interval over documents.
    signature : str
        One line to paste into a paper.
    notes : tuple of str
        Assumptions and warnings that concern the values.

    Examples
    --------
    >>> units = {"ann": [(0, 4, "x"), (6, 9, "y")], "bob": [(0, 4, "x")], "cy": [(0, 4, "x"), (6, 8, "y")]}
    >>> result = ga.pairwise_f1(units)
    >>> round(result.mean["strict"].value, 4), round(result.pooled["strict"].value, 4)
    (0.6111, 0.6)
    """

    pairs: tuple[PairF1, ...]
    mean: Mapping[str, Value]
    pooled: Mapping[str, Value]
    signature: str
    notes: tuple[str, ...] = ()

    def _contents(self) -> dict[str, object]:
        return {"schema_version": 1, **self._named("signature", "mean", "pooled", "pairs", "notes")}


@takes_options((IOU, ZERO_DIVISION))
def pairwise_f1(corpus: Corpus, /, *, iou: float = 0.5, zero_division: float | None = None) -> PairwiseF1:
    """Return F1 of all pairs of annotators, each on the documents that both saw.

    Parameters
    ----------
    corpus : Corpus
        The data.

    Returns
    -------
    PairwiseF1

    Raises
    ------
    InputError
        If no document has two annotators.
    SettingsError
        For a setting out of its range.

    Examples
    --------
    >>> result = ga.pairwise_f1({"ann": [(0, 4, "x")], "bob": [(1, 5, "x")]})
    >>> print(result.mean["exact"], result.mean["partial"])
    0.0000 0.5000
    """
    check_spans(iou, zero_division)
    check_two_annotators(corpus)
    slots = all_pairs(corpus)
    pairings = Pairings.of(corpus, slots)
    by_measure = credits_by_measure(pairings.batch, iou, Matching.of(pairings.batch))
    sums_of_measure = {name: by_measure[name].sums(by_measure[name].instance, len(pairings)) for name in PAIRED}
    rows_of_pairs = [*annotator_pairs(corpus, slots)]
    groups = RowGroups([rows for *_, rows in rows_of_pairs], pairings.names(corpus))
    n_units = groups.sums(sums_of_measure["strict"].size).astype(int).tolist()
    f1 = f1_values(sums_of_measure, groups, zero_division)
    pairs = [
        PairF1(first, second, len(rows), first_units, second_units, dict(zip(PAIRED, values, strict=True)))
        for (first, second, rows), (first_units, second_units), *values in zip(rows_of_pairs, n_units, *f1, strict=True)
    ]
    all_documents = RowGroups([np.arange(len(corpus))], corpus.documents)
    by_document = {name: _sums_by_document(sums, pairings, len(corpus)) for name, sums in sums_of_measure.items()}
    pooled = {
        name: value
        for name, (value,) in zip(by_document, f1_values(by_document, all_documents, zero_division), strict=True)
    }
    return PairwiseF1(
        pairs=tuple(pairs),
        mean={name: mean_over_pairs([pair.f1[name] for pair in pairs]) for name in PAIRED},
        pooled=pooled,
        signature=_signature(corpus, pairs, iou),
        notes=(*corpus.notes, *_notes(corpus, pairs), *DataFacts.of(corpus).notes(), *_ceiling_note(corpus)),
    )


def _sums_by_document(sums: Sums, pairings: Pairings, n_documents: int) -> Sums:
    """Return the sums of each pair as sums of its document, over all pairs."""
    credit = np.zeros((n_documents, 2))
    size = np.zeros((n_documents, 2))
    np.add.at(credit, pairings.document, sums.credit)
    np.add.at(size, pairings.document, sums.size)
    return Sums(credit, size)


def _notes(corpus: Corpus, pairs: Sequence[PairF1]) -> Iterator[str]:
    """Yield assumptions and warnings that concern the values."""
    yield from documents_without(corpus.n_annotators, corpus.units_per_document)
    n_empty = sum(not pair.f1["strict"].is_available for pair in pairs)
    if n_empty:
        yield f"{n_empty} of {len(pairs)} pairs of annotators have no unit in their documents, and no value"


def _ceiling_note(corpus: Corpus) -> Iterator[str]:
    """Yield the range of the best score, which the mean of pairs is often taken for."""
    agreement = Votes.of(corpus, "strict").agreement
    if agreement > 0:
        yield Note(
            "F1 of pairs is the score of another annotator. The best score that any answer can reach against one of "
            f"these annotators lies between {decimal(agreement, 3)} and {decimal(math.sqrt(agreement), 3)} (strict)",
            Cure("{} says more", Call("ceiling", "ceiling")),
        )


def _signature(corpus: Corpus, pairs: Sequence[PairF1], iou: float) -> str:
    """Return one line that describes the computation, to paste into a paper."""
    parts = {"docs": len(corpus), "pairs": len(pairs), "match": "one-to-one", "iou": f"{iou:g}", "v": __version__}
    return "|".join(["pairwise F1", *(f"{name}:{value}" for name, value in parts.items())])
