"""The documents that a report lists if there are many."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeVar

from gamma_align.data import natural_key
from gamma_align.inference import column_of
from gamma_align.measures.gamma import DocumentResult, GammaValue
from gamma_align.measures.unitizing import UnitizingDocument

ALL_DOCUMENTS = 40  # maximum number of documents that are all listed
LOWEST_DOCUMENTS = 10  # listed if there are more: with the largest shares of the disorder or the lowest values
Sort = Literal["name", "share", "value"]
Document = TypeVar("Document", DocumentResult, UnitizingDocument)


class Listing(NamedTuple):
    """The documents that a report lists, and their order.

    `sort` is "name", "value" (the lowest first) or "share" (the largest share of the disorder first; if the result has
    no shares, the lowest value). `worst` is the number of documents to list. If it is set or there are many documents,
    the list begins with the largest share unless it is sorted by value.
    """

    sort: Sort = "name"
    worst: int | None = None

    def of(self, documents: Sequence[Document], value: str) -> Sequence[Document]:
        """Return the listed documents; `value` is the name of the coefficient. Documents without a value come last."""
        has_many = len(documents) > ALL_DOCUMENTS
        if not (has_many or self.sort != "name" or self.worst):
            named = column_of(documents, "document")
            order: list[int] = sorted(range(len(documents)), key=lambda row: natural_key(named[row]))
            return documents if order == [*range(len(order))] else [documents[row] for row in order]

        values = column_of(documents, value)
        names = column_of(documents, "document")
        numbers = column_of(values, "value")
        reasons = column_of(values, "reason")
        by_share = self.sort != "value" and value == "gamma"
        keys = [-disorder for disorder in _disorders(documents, values)] if by_share else numbers

        # Equal keys are ordered by name, so that the list does not depend on the order of the documents.
        def rank(row: int) -> tuple[bool, float, str]:
            return (True, 0.0, names[row]) if reasons[row] is not None else (False, keys[row], names[row])

        n_listed = self.worst or (LOWEST_DOCUMENTS if has_many else len(documents))
        return [documents[row] for row in heapq.nsmallest(n_listed, range(len(documents)), key=rank)]


BY_NAME = Listing()


def _disorders(documents: Sequence[Document], values: Sequence[GammaValue]) -> Iterator[float]:
    """Yield x̄·δ of each document, the sum of the disorders of its unitary alignments; 0 if it is not available."""
    columns = (column_of(documents, "units"), column_of(documents, "annotators"), column_of(values, "observed"))
    for units, annotators, observed in zip(*columns, strict=True):
        yield 0.0 if math.isnan(observed) else units / annotators * observed


def cut_by(listing: Listing, coefficient: str) -> str:
    """Return how the documents of a cut list were selected: "of the lowest γ"."""
    if listing.sort == "value" or coefficient != "γ":
        return f"of the lowest {coefficient}"
    return "with the largest share of the disorder"
