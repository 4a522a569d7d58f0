"""The comparison of two corpora as text."""

from __future__ import annotations

from collections.abc import Iterator

from gamma_align.data.wording import counted, printable
from gamma_align.insight.comparison.differences import Paired
from gamma_align.present.comparison_tables import SIDES, documents_tables, values_table
from gamma_align.present.symbols import prefix_of, symbol_of
from gamma_align.present.table import NEUTRAL, FormNames
from gamma_align.present.writers.lines import blocks_text
from gamma_align.present.writers.text import Footnotes, left_out, table_lines

MAX_CATEGORIES = 40  # a longer list of categories is cut


def paired_text(result: Paired, rows: int = 10, form_names: FormNames = NEUTRAL) -> str:
    """Return the values with their differences, at most `rows` documents that differ most, and the signature."""
    names = [f"{side}  {printable(name)}" for side, name in zip(SIDES, result.names, strict=True)]
    notes = Footnotes()
    values = _values(result, notes, form_names)
    return blocks_text([names, values, notes.lines(), *_documents(result, rows), [printable(result.signature)]])


def _values(result: Paired, notes: Footnotes, form_names: FormNames) -> list[str]:
    """Return the lines of the table of values: coefficients without a category come first."""
    # Coefficients without a category stand apart, because the limit is only for categories.
    plain = [row for row in result.differences if row.category is None]
    by_category = [row for row in result.differences if row.category is not None]
    table = values_table(result)._replace(rows=[*plain, *by_category[:MAX_CATEGORIES]])
    cut = left_out(len(by_category) - MAX_CATEGORIES, "more categories", form_names=form_names)
    return [*table_lines(table, notes=notes), *cut]


def _documents(result: Paired, rows: int) -> Iterator[list[str]]:
    """Yield the lines of the documents of each coefficient."""
    for table, n_documents in documents_tables(result, rows):
        symbol = symbol_of(table.name, prefix_of(result.settings))
        title = f"{symbol} of {counted(n_documents, 'document')}, the largest difference first"
        yield [title, *table_lines(table._replace(remainder=None), indent="  ")]
