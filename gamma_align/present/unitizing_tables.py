"""The tables of the unitizing family: documents, the corpus with its categories or layers, and all of them for CSV."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, NamedTuple

from gamma_align.data import counted, label_text, number
from gamma_align.inference import Value, column_of
from gamma_align.measures.unitizing import UnitizingResult, UnitizingValues
from gamma_align.present.listing import BY_NAME, Listing
from gamma_align.present.symbols import COEFFICIENT_SYMBOLS, symbol_of
from gamma_align.present.table import Column, Kind, LevelRow, Priority, Row, Table, selected, with_levels
from gamma_align.present.writers.cells import percent

if TYPE_CHECKING:  # few runs of `measure` need it
    from gamma_align.measures.unitizing import AlphaU2004

_COEFFICIENT_NAMES = ("u", "bar_u", "cu")
_DATA_ORDER = ("level", "document", "category", "annotators", "units", "length", "coverage", *_COEFFICIENT_NAMES, "ku")
_LENGTH_DECIMALS = 6  # hides the rounding error of lengths that are sums


def all_documents_table(result: UnitizingResult) -> Table:
    """Return the unitizing family of all documents."""
    columns = document_columns(has_layers=bool(result.settings["overlap"] == "layers"))
    return Table("documents", "uα by document", columns, result.documents, data_order=_DATA_ORDER)


def documents_table(result: UnitizingResult, listing: Listing = BY_NAME) -> Table:
    """Return the unitizing family of the documents that a listing selects."""
    shown = listing.of(result.documents, "u")
    remainder = selected(len(shown), len(result.documents), "of the lowest uα", "csv", "json")
    return all_documents_table(result)._replace(rows=shown, remainder=remainder)


def document_columns(*, has_layers: bool = False) -> list[Column]:
    """Return the columns of documents. Layers have uα alone, so that only data have the other columns then."""
    further_priority = Priority.DATA if has_layers else Priority.PAPER
    return [
        Column("document", priority=Priority.PAGE),
        Column("annotators", Kind.COUNT),
        Column("units", Kind.COUNT, priority=Priority.PAGE),
        Column(
            "length",
            Kind.NUMBER,
            format=lambda length: number(round(length, _LENGTH_DECIMALS)),
            priority=Priority.TERMINAL,
        ),
        Column("coverage", Kind.SHARE, priority=Priority.DATA if has_layers else Priority.TERMINAL),
        Column("u", Kind.VALUE, COEFFICIENT_SYMBOLS["u"], priority=Priority.PAGE),
        Column("bar_u", Kind.VALUE, COEFFICIENT_SYMBOLS["bar_u"], priority=further_priority),
        Column("cu", Kind.VALUE, COEFFICIENT_SYMBOLS["cu"], priority=further_priority),
    ]


class CorpusRow(NamedTuple):
    """A coefficient of the corpus, and the share of the extent that it is measured on."""

    coefficient: str
    category: str | None
    value: Value
    coverage: float | None


def corpus_rows(result: UnitizingValues) -> list[CorpusRow]:
    """Return the coefficients of the corpus, with categories or layers at the end."""
    if result.layers:
        layers = [CorpusRow("layers", name, value, None) for name, value in result.layers.items()]
        return [CorpusRow("u", None, result.u, None), *layers]
    rows = [CorpusRow("u", None, result.u, None), CorpusRow("bar_u", None, result.bar_u, None)]
    rows.append(CorpusRow("cu", None, result.cu, result.coverage))
    return rows + [CorpusRow("ku", name, value, result.coverage_k[name]) for name, value in result.ku.items()]


def corpus_table(result: UnitizingResult) -> Table:
    """Return the unitizing family of the corpus."""
    columns = [
        Column("coefficient", heading="measure", format=symbol_of, is_grouped=True),
        Column("category", Kind.CATEGORY),
        Column("value", Kind.VALUE, is_inline=True),
        Column("coverage", format=lambda share: f"covers {percent(share)}", priority=Priority.TERMINAL),
    ]
    title = f"uα of the corpus of {counted(len(result.documents), 'document')}, 95 % interval"
    return Table("corpus", title, columns, corpus_rows(result), has_head=False)


def measure_table(result: UnitizingResult) -> Table:
    """Return documents and corpus, each followed by its categories or layers: the table of CSV."""
    columns = [
        column._replace(content=_coverage) if column.name == "coverage" else column
        for column in with_levels(document_columns(), Column("ku", Kind.VALUE, priority=Priority.DATA))
    ]
    return Table("measure", "uα of documents and corpus", columns, _measure_rows(result), data_order=_DATA_ORDER)


def _coverage(entry: LevelRow) -> object:
    """Return the coverage of a document, of the corpus, or of one of their categories."""
    if entry.category_value is None:
        return entry.row.coverage
    return entry.row.coverage_k.get(entry.category)


def _measure_rows(result: UnitizingResult) -> Iterator[LevelRow]:
    for document in result.documents:
        yield from _level_rows("document", document, document)
    totals: dict[str, float] = {"units": sum(column_of(result.documents, "units"))}
    # The exact sum does not depend on the order of the documents.
    totals["length"] = math.fsum(column_of(result.documents, "length"))
    values = {name: getattr(result, name) for name in (*_COEFFICIENT_NAMES, "coverage", "coverage_k")}
    # The corpus has the columns of documents, but neither a name nor one number of annotators.
    corpus = SimpleNamespace(document=None, annotators=None, **totals, **values)
    yield from _level_rows("corpus", corpus, result)


def _level_rows(level: str, row: Row, values: UnitizingValues) -> Iterator[LevelRow]:
    yield LevelRow(level, row)
    yield from (LevelRow(level, row, *entry) for entry in (values.ku or values.layers).items())


class _OlderRow(NamedTuple):
    """αU of a document over its categories, or of one category."""

    level: str
    document: str
    alpha: Value
    category: str | None = None
    observed: float | None = None
    expected: float | None = None


def older_table(documents: Sequence[AlphaU2004]) -> Table:
    """Return αU (1995, 2004) of documents, each followed by its categories."""
    columns = [
        Column("level", priority=Priority.DATA),
        Column("document"),
        Column("category", content=_older_label, is_data=False),
        Column("category", priority=Priority.DATA),
        Column("observed", Kind.NUMBER, "D_o"),
        Column("expected", Kind.NUMBER, "D_e"),
        Column("alpha", Kind.ESTIMATE, "αU"),
    ]
    return Table("older", "αU (Krippendorff 1995, 2004), by document", columns, [*_older_rows(documents)])


def _older_label(row: _OlderRow) -> str:
    return "all" if row.level == "document" else label_text(row.category)


def _older_rows(documents: Sequence[AlphaU2004]) -> Iterator[_OlderRow]:
    for document in documents:
        yield _OlderRow("document", document.document, document.alpha)
        for category in document.categories:
            values = category.category, category.observed, category.expected
            yield _OlderRow("category", document.document, category.alpha, *values)
