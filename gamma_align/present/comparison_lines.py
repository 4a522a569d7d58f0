"""The comparison of two corpora as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gamma_align.data import counted, few, printable
from gamma_align.insight import verdicts
from gamma_align.insight.comparison import CHANGES, FATES, Comparison, DocumentFate
from gamma_align.present.comparison_tables import (
    SIDES,
    causes_table,
    costs_tables,
    documents_tables,
    overall_table,
    values_table,
)
from gamma_align.present.symbols import prefix_of, symbol_of
from gamma_align.present.table import NEUTRAL, FormNames, Table, further_by_option
from gamma_align.present.writers.lines import blocks_text
from gamma_align.present.writers.text import Footnotes, left_out, section_lines, table_lines, titled_lines

_MAX_NAME_LENGTH = 20  # of names in a sentence; longer ones stand above as A and B
MAX_CATEGORIES = 40  # a longer list of categories is cut


def comparison_text(result: Comparison, rows: int = 10, form_names: FormNames = NEUTRAL) -> str:
    """Return documents, values with their differences, causes, annotators, labels, and the signature.

    At most `rows` documents that differ most are shown, and as many of each fate, annotators and labels.
    """
    names = [f"{side}  {printable(name)}" for side, name in zip(SIDES, result.names, strict=True)]
    notes = Footnotes()
    values = _values(values_table(result), notes, form_names)
    overall = overall_table(result)
    return blocks_text(
        [
            names,
            [*fates_lines(result.fates, rows)],
            ["Documents that both have", *values] if overall else values,
            ["All documents", *_values(overall, notes, form_names)] if overall else [],
            notes.lines(),
            [*differences_in_words(result)],
            _causes(result, rows, form_names),
            *(titled_lines(table, rows, form_names) for table in costs_tables(result)),
            *_documents(result, rows),
            [printable(result.signature)],
        ]
    )


def fates_lines(fates: Sequence[DocumentFate], rows: int) -> Iterator[str]:
    """Yield how many documents are new, gone, the same and redone, and which, at most `rows` of each."""
    if not fates:
        return
    by_fate = {fate: [row for row in fates if row.fate == fate] for fate in FATES}
    words = {"others": "by other annotators"}
    counts = [f"{len(found):,} {words.get(fate, fate)}" for fate, found in by_fate.items() if found]
    yield f"{counted(len(fates), 'document')}: {', '.join(counts)}"
    listed = {
        fate: [
            printable(row.document) + (f" ({', '.join(map(printable, row.changed))})" if row.changed else "")
            for row in found
        ]
        for fate, found in by_fate.items()
        if fate in ("redone", "new", "gone")
    }
    renamed = (row for row in fates if row.former is not None)
    listed["renamed"] = [f"{printable(row.former or '')} → {printable(row.document)}" for row in renamed]
    width = max((len(fate) for fate, names in listed.items() if names), default=0)
    for fate, names in listed.items():
        if names and len(names) < len(fates):  # that all are redone is said above
            yield f"  {fate:{width}}  {few(names, rows)}"


def _causes(result: Comparison, rows: int, form_names: FormNames) -> list[str]:
    """Return the causes that came, went and stayed; that there are none, if they were looked for."""
    if result.causes is None:
        return []
    if not result.causes:
        return ["No cause of disagreement is found in A or B."]
    counts = {change: sum(row.change == change for row in result.causes) for change in CHANGES}
    title = ", ".join(f"{count} {change}" for change, count in counts.items() if count)
    shown = causes_table(result).first(max(rows, 1), further_by_option)
    return section_lines(shown, title=f"Causes of disagreement: {title}", form_names=form_names)


def differences_in_words(result: Comparison) -> Iterator[str]:
    """Yield how the second corpus differs from the first, of the coefficients without a category."""
    names = result.names if max(map(len, result.names)) <= _MAX_NAME_LENGTH else SIDES
    for row in result.differences:
        if row.category is None:
            symbol = symbol_of(row.coefficient, prefix_of(result.settings))
            yield verdicts.compared(names[0], names[1], symbol, row, row.p)


def _values(table: Table, notes: Footnotes, form_names: FormNames) -> list[str]:
    """Return the lines of a table of values: coefficients without a category come first."""
    # Coefficients without a category stand apart, because the limit is only for categories.
    rows = [*table.rows]
    plain = [row for row in rows if row.category is None]
    by_category = [row for row in rows if row.category is not None]
    table = table._replace(rows=[*plain, *by_category[:MAX_CATEGORIES]])
    cut = left_out(len(by_category) - MAX_CATEGORIES, "more categories", form_names)
    return [*table_lines(table, notes=notes), *cut]


def _documents(result: Comparison, rows: int) -> Iterator[list[str]]:
    """Yield the lines of the documents of each coefficient."""
    for table, n_documents in documents_tables(result, rows):
        symbol = symbol_of(table.name, prefix_of(result.settings))
        title = f"{symbol} of {counted(n_documents, 'document')}, the largest difference first"
        yield section_lines(table._replace(remainder=None), title=title)
