"""The tables of results for papers, which `markup` writes as Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Iterator

from gamma_align.data.wording import counted
from gamma_align.inference.values import Value
from gamma_align.insight.comparison.differences import Paired
from gamma_align.insight.comparison.families import Families
from gamma_align.insight.disagreements.disagreements import Disagreements
from gamma_align.measures.items.items_result import ItemResult
from gamma_align.present import families_tables as families
from gamma_align.present import gamma_tables, unitizing_tables
from gamma_align.present.comparison_text import SIDES, difference_value, p_text, symbol, worst
from gamma_align.present.disagreements_text import disagreement_tables
from gamma_align.present.table import NEUTRAL, Cell, Table, selected, table_of_cells

_INTERVAL = "95 % interval"


def families_tables(result: Families) -> Iterator[Table]:
    """Yield both families by document, those of the corpus, and what pairs of categories contribute."""
    yield families.documents_table(result)
    yield gamma_tables.corpus_table(result.gamma)
    yield unitizing_tables.corpus_table(result.unitizing)
    yield families.contributions_table(result)


def paired_tables(result: Paired, documents: int) -> Iterator[Table]:
    """Yield the differences of two corpora, and of each coefficient the documents that differ most."""
    title = " and ".join(f"{side} ({name})" for side, name in zip(SIDES, result.names, strict=True))
    rows: list[list[Cell]] = [
        [symbol(row), row.first, row.second, difference_value(row), p_text(row.p), row.documents]
        for row in result.differences
    ]
    apart = " − ".join(SIDES)
    yield table_of_cells(f"{title}, {_INTERVAL} of the difference", ["", *SIDES, apart, "p", "documents"], rows)
    for name, entries, number in worst(result, documents):
        cells: list[list[Cell]] = [[row.document, row.first, row.second, row.difference] for row in entries]
        remainder = selected(len(entries), number, "that differ most", "csv", "json")
        under = "" if remainder is None else remainder(NEUTRAL)
        yield table_of_cells(
            f"{name} by document, the largest difference first", ["document", *SIDES, apart], cells, under
        )


def item_tables(result: ItemResult) -> Iterator[Table]:
    """Yield the coefficients."""
    level = result.settings["level"]
    sizes = f"{counted(result.table['items'], 'item')}, {counted(result.table['coders'], 'coder')}"
    interval = f", {100 * level:g} % interval" if result.settings["interval"] else ""
    rows: list[list[Cell]] = [
        [row.symbol, Value(row.value, row.low, row.high, row.reason, row.error_reason), row.observed, row.expected]
        for row in result.coefficients.values()
    ]
    yield table_of_cells(f"Agreement on {sizes}{interval}", ["coefficient", "value", "D_o", "D_e"], rows)


def disagreements_tables(result: Disagreements, rows: int) -> Iterator[Table]:
    """Yield so many rows of each table of disagreements, the worst first."""
    for title, head, table, right in disagreement_tables(result):
        more = len(table) - rows
        under = f"… and {more} more" if more > 0 else ""
        yield table_of_cells(title, head, table[:rows], under, right)
