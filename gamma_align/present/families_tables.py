"""The tables of both families side by side: documents, and the shares of pairs of categories."""

from __future__ import annotations

import math
from typing import NamedTuple

from gamma_align.data import label_text
from gamma_align.insight.comparison import Contribution, Families
from gamma_align.measures.gamma import DocumentResult
from gamma_align.measures.unitizing import UnitizingDocument
from gamma_align.present.listing import ALL_DOCUMENTS, LOWEST_DOCUMENTS
from gamma_align.present.symbols import prefix_of, symbol_of
from gamma_align.present.table import Column, Kind, LevelRow, Priority, Table, selected

_CONTRIBUTION_ORDER = ("level", "document", "first", "second", "length", "cu_share", "weight", "gamma_cat_share")


class DocumentRow(NamedTuple):
    """A document as both families measure it."""

    gamma: DocumentResult
    unitizing: UnitizingDocument

    @property
    def difference(self) -> float:
        """Absolute difference of γ and uα; NaN if one of them is not available."""
        return abs(self.gamma.gamma.value - self.unitizing.u.value)


def documents_table(result: Families) -> Table:
    """Return both families of all documents."""
    rows = [DocumentRow(*pair) for pair in zip(result.gamma.documents, result.unitizing.documents, strict=True)]
    prefix = prefix_of(result.gamma.settings)
    return Table("documents", f"{prefix}γ and uα by document", _document_columns(prefix), rows)


def selected_documents_table(result: Families) -> Table:
    """Return both families; of many documents only the ones whose γ and uα differ most."""
    table = documents_table(result)
    rows = [*table.rows]
    if len(rows) <= ALL_DOCUMENTS:
        return table
    # A difference is NaN if one of the values is not available, and NaN has no order.
    comparable = [row for row in rows if not math.isnan(row.difference)]
    shown = sorted(comparable, key=lambda row: (-row.difference, row.gamma.document))[:LOWEST_DOCUMENTS]
    remainder = selected(len(shown), len(rows), f"where {prefix_of(result.gamma.settings)}γ and uα differ most", "json")
    return Table(table.name, table.title, table.columns, shown, remainder)


def _document_columns(prefix: str) -> list[Column]:
    return [
        Column("document", content=lambda row: row.gamma.document, priority=Priority.PAGE),
        Column("annotators", Kind.COUNT, content=lambda row: row.gamma.annotators, priority=Priority.TERMINAL),
        Column("units", Kind.COUNT, content=lambda row: row.gamma.units),
        Column("gamma", Kind.ESTIMATE, symbol_of("gamma", prefix), lambda row: row.gamma.gamma, priority=Priority.PAGE),
        Column("u", Kind.ESTIMATE, "uα", lambda row: row.unitizing.u, priority=Priority.PAGE),
        Column("gamma_cat", Kind.ESTIMATE, symbol_of("gamma_cat", prefix), lambda row: row.gamma.gamma_cat),
        Column("cu", Kind.ESTIMATE, "cuα", lambda row: row.unitizing.cu),
        Column("coverage", Kind.SHARE, content=lambda row: row.unitizing.coverage, priority=Priority.TERMINAL),
    ]


def contributions_table(result: Families) -> Table:
    """Return the shares of pairs of categories in the corpus, the largest first."""
    columns = _contribution_columns(prefix_of(result.gamma.settings))
    return Table("contributions", "Shares of pairs of categories", columns, sorted(result.contributions, key=_rank))


def _contribution_columns(prefix: str) -> list[Column]:
    return [
        Column("categories", content=_pair, is_data=False),
        Column("first", priority=Priority.DATA),
        Column("second", priority=Priority.DATA),
        Column("gamma_cat_share", Kind.SHARE, symbol_of("gamma_cat", prefix), lambda row: row.gamma_cat),
        Column("cu_share", Kind.SHARE, "cuα", lambda row: row.cu),
        Column("weight", Kind.NUMBER, digits=2, priority=Priority.TERMINAL),
        Column("length", Kind.NUMBER, digits=2, priority=Priority.TERMINAL),
    ]


def contributions_by_document(result: Families) -> Table:
    """Return the shares of pairs of categories in each document and in the corpus: the table of CSV."""
    keys = [Column("level", priority=Priority.DATA), Column("document", content=lambda row: row.row[0])]
    contents = [
        column.for_part(lambda row: row.row[1]) for column in _contribution_columns(prefix_of(result.gamma.settings))
    ]
    rows = []
    for name, entries in result.documents.items():
        rows += [LevelRow("document", (name, entry)) for entry in entries]
    rows += [LevelRow("corpus", (None, entry)) for entry in result.contributions]
    title = "Shares of pairs of categories by document"
    return Table("contributions", title, [*keys, *contents], rows, data_order=_CONTRIBUTION_ORDER)


def _rank(entry: Contribution) -> float:
    """Return the key that sorts contributions, the largest first."""
    # One share that is not available would make the sum NaN.
    return -sum(share for share in (entry.gamma_cat, entry.cu) if not math.isnan(share))


def _pair(entry: Contribution) -> str:
    first, second = ("(none)" if label is None else label_text(label) for label in (entry.first, entry.second))
    return f"{first} – {second}"
