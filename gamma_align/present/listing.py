"""The documents that a report lists if they are many."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeVar

from gamma_align.inference.values import column_of
from gamma_align.measures.gamma.gamma_result import DocumentResult, GammaValue
from gamma_align.measures.unitizing.unitizing_result import UnitizingDocument

ALL_DOCUMENTS = 40  # a longer list of documents is cut in the text report
LOWEST_DOCUMENTS = 10  # to those with the largest share of the disorder, or of the lowest value
Sort = Literal["name", "share", "value"]
Document = TypeVar("Document", DocumentResult, UnitizingDocument)


class Listing(NamedTuple):
    """The documents that a report lists, and their order.

    `sort` is "name", "value" (the lowest first) or "share" (the largest share of the disorder first; of results without
    shares the lowest value). A list that is cut, because documents are many or `worst` is set, begins with the largest
    share unless it is sorted by value. `worst` is how many documents to list, whatever their number.
    """

    sort: Sort = "name"
    worst: int | None = None

    def of(self, documents: Sequence[Document], value: str) -> Sequence[Document]:
        """Return the documents to show; `value` is the name of the coefficient. Those without a value come last."""
        many = len(documents) > ALL_DOCUMENTS
        if not (many or self.sort != "name" or self.worst):
            return documents

        values, names = column_of(documents, value), column_of(documents, "document")
        numbers, reasons = column_of(values, "value"), column_of(values, "reason")
        by_share = self.sort != "value" and value == "gamma"
        keys = [-disorder for disorder in _disorders(documents, values)] if by_share else numbers

        def rank(row: int) -> tuple[bool, float, str]:
            return (True, 0.0, names[row]) if reasons[row] is not None else (False, keys[row], names[row])

        kept = self.worst or (LOWEST_DOCUMENTS if many else len(documents))
        return [documents[row] for row in heapq.nsmallest(kept, range(len(documents)), key=rank)]


BY_NAME = Listing()


def _disorders(documents: Sequence[Document], values: Sequence[GammaValue]) -> Iterator[float]:
    """Yield x̄·δ of each document, the sum of the disorders of its unitary alignments; 0 without any."""
    columns = (column_of(documents, "units"), column_of(documents, "annotators"), column_of(values, "observed"))
    for units, annotators, observed in zip(*columns, strict=True):
        yield 0.0 if math.isnan(observed) else units / annotators * observed


def cut_by(listing: Listing, coefficient: str) -> str:
    """Return how a cut list of documents was chosen: "of the lowest γ"."""
    if listing.sort == "value" or coefficient != "γ":
        return f"of the lowest {coefficient}"
    return "with the largest share of the disorder"
