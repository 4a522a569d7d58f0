"""The tables of γ: documents, the corpus with its categories, and all of them in one table for CSV."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from types import SimpleNamespace
from typing import NamedTuple

from gamma_align.data import counted
from gamma_align.inference import column_of
from gamma_align.measures.gamma import (
    COMPUTED_EXACTLY,
    COMPUTED_NUMERICALLY,
    COUNTS,
    EXACT_VALUE,
    GammaResult,
    GammaValue,
    is_computed,
)
from gamma_align.present.listing import BY_NAME, Listing, cut_by
from gamma_align.present.symbols import prefix_of, symbol_of
from gamma_align.present.table import Column, Kind, LevelRow, Priority, Table, selected, with_levels

_KEYS = ("level", "document", "category")
_VALUES = ("gamma", "gamma_cat", "gamma_k", "optimal", "gap")
_DATA_ORDER = (*_KEYS, *COUNTS[1:3], *_VALUES, *COUNTS[3:])


def all_documents_table(result: GammaResult) -> Table:
    """Return γ and γcat of all documents."""
    prefix = prefix_of(result.settings)
    columns = document_columns(prefix=prefix)
    title = f"{prefix}γ by document, 95 % interval of the sampling"
    return Table("documents", title, columns, result.documents, data_order=_DATA_ORDER)


def documents_table(result: GammaResult, listing: Listing = BY_NAME) -> Table:
    """Return γ and γcat of the documents that a listing selects."""
    shown = listing.of(result.documents, "gamma")
    remainder = selected(len(shown), len(result.documents), cut_by(listing, "γ"), "csv", "json")
    has_gaps = not all(document.optimal for document in shown)
    columns = document_columns(has_gaps=has_gaps, prefix=prefix_of(result.settings))
    return all_documents_table(result)._replace(columns=columns, rows=shown, remainder=remainder)


def document_columns(*, has_gaps: bool = False, prefix: str = "") -> list[Column]:
    """Return the columns of documents; a terminal shows the gaps of alignments if there are any.

    `prefix` precedes γ (`prefix_of`).
    """
    return [
        Column("document", priority=Priority.PAGE),
        Column("annotators", Kind.COUNT),
        Column("units", Kind.COUNT, priority=Priority.PAGE),
        Column("alignments", Kind.COUNT, priority=Priority.DATA),
        Column("samples", Kind.COUNT, priority=Priority.TERMINAL),
        Column("pair_samples", Kind.COUNT, priority=Priority.DATA),
        Column("optimal", priority=Priority.DATA),
        Column(
            "gap",
            Kind.SHARE,
            format=lambda gap: f"{gap:.2%}" if gap else "",
            priority=Priority.TERMINAL if has_gaps else Priority.DATA,
        ),
        Column(
            "gamma",
            Kind.VALUE,
            f"{prefix}γ",
            terminal_heading=f"{prefix}γ [95 % interval]",
            value_type=GammaValue,
            priority=Priority.PAGE,
        ),
        Column("gamma_cat", Kind.VALUE, f"{prefix}γcat", value_type=GammaValue, priority=Priority.PAGE),
        *_counts_of("gamma_cat"),
    ]


def _counts_of(name: str) -> Iterator[Column]:
    """Yield the counts that a value rests on, which data have as fields of the value."""
    for field in ("pairs", "samples"):
        yield Column(
            f"{name}_{field}",
            Kind.COUNT,
            f"its {field}",
            attrgetter(f"{name}.{field}"),
            priority=Priority.TERMINAL,
            is_data=False,
        )


class _CategoryRow(NamedTuple):
    """A category of a document."""

    document: str
    category: str
    gamma_k: GammaValue


def categories_table(result: GammaResult) -> Table:
    """Return γk of the categories of each document."""
    rows = [_CategoryRow(row.document, *entry) for row in result.documents for entry in row.gamma_k.items()]
    prefix = prefix_of(result.settings)
    columns = [
        Column("document"),
        Column("category", Kind.CATEGORY),
        Column("gamma_k", Kind.VALUE, symbol_of("gamma_k", prefix), value_type=GammaValue),
    ]
    return Table("categories", f"{symbol_of('gamma_k', prefix)} by document", columns, rows)


class CorpusRow(NamedTuple):
    """A coefficient of the corpus."""

    coefficient: str
    category: str | None
    value: GammaValue


def corpus_rows(result: GammaResult) -> list[CorpusRow]:
    """Return the coefficients of the corpus; γk of categories comes last."""
    rows = [CorpusRow("gamma", None, result.gamma), CorpusRow("gamma_cat", None, result.gamma_cat)]
    return rows + [CorpusRow("gamma_k", category, value) for category, value in result.gamma_k.items()]


def corpus_table(result: GammaResult) -> Table:
    """Return γ, γcat and γk of the corpus, with the counts that they rest on."""
    prefix = prefix_of(result.settings)
    columns = [
        Column("coefficient", heading="measure", format=lambda name: symbol_of(name, prefix), is_grouped=True),
        Column("category", Kind.CATEGORY),
        Column("value", Kind.VALUE, value_type=GammaValue, is_inline=True),
        *(_corpus_count(field) for field in ("documents", "pairs", "samples")),
        Column("chance", content=_chance, priority=Priority.TERMINAL, align="right", is_data=False),
    ]
    title = f"{prefix}γ of the corpus of {counted(len(result.documents), 'document')}, 95 % interval"
    return Table("corpus", title, columns, corpus_rows(result), has_head=False)


def _corpus_count(field: str) -> Column:
    """Return the column of a count that values rest on; data have it as a field of the value."""

    def content(row: CorpusRow) -> str | None:
        if not row.value.is_available or (field == "samples" and is_computed(row.value)):
            return None
        return counted(getattr(row.value, field), field.removesuffix("s"))

    return Column(f"value_{field}", content=content, priority=Priority.TERMINAL, align="right", is_data=False)


def _chance(row: CorpusRow) -> str | None:
    """Return the precision of the expected disorder, or why there is none."""
    if not row.value.is_available:
        return None
    if row.value.precision_note == EXACT_VALUE:
        return "chance exact"  # the reason itself, which JSON has, would widen all rows
    if row.value.precision_note == COMPUTED_NUMERICALLY:
        return f"chance computed to ±{row.value.expected_precision:.1%}"
    if row.value.precision_note == COMPUTED_EXACTLY:
        return "chance computed exactly"
    if row.value.precision_note is not None:
        return f"chance: {row.value.precision_note}"
    return f"chance ±{row.value.expected_precision:.1%}"


def measure_table(result: GammaResult) -> Table:
    """Return documents and corpus, each followed by its categories: the table of CSV."""
    gamma_k = Column("gamma_k", Kind.VALUE, value_type=GammaValue, priority=Priority.DATA)
    columns = with_levels(document_columns(), gamma_k)
    return Table("measure", "γ of documents and corpus", columns, _measure_rows(result), data_order=_DATA_ORDER)


def _measure_rows(result: GammaResult) -> Iterator[LevelRow]:
    for document in result.documents:
        yield LevelRow("document", document)
        yield from (LevelRow("document", document, *entry) for entry in document.gamma_k.items())
    totals = {name: sum(column_of(result.documents, name)) for name in COUNTS[2:]}
    values = {name: getattr(result, name) for name in ("gamma", "gamma_cat", "optimal", "gap")}
    corpus = SimpleNamespace(document=None, annotators=None, **totals, **values)
    yield LevelRow("corpus", corpus)
    yield from (LevelRow("corpus", corpus, *entry) for entry in result.gamma_k.items())
