"""The comparison of two corpora as text for people and as CSV."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import fields

from gamma_align.data.wording import counted, label_text, printable
from gamma_align.inference.values import Value
from gamma_align.insight.comparison.differences import Difference, DocumentDifference, Paired
from gamma_align.present.symbols import COEFFICIENT_SYMBOLS, symbol_of
from gamma_align.present.table import NEUTRAL, FormNames
from gamma_align.present.writers.data import csv_head, csv_text, csv_value
from gamma_align.present.writers.text import Footnotes, aligned_lines, blocks_text, left_out, number_text

MOST_CATEGORIES = 40
SIDES = ("A", "B")
_KEYS = ("coefficient", "category", "first", "second")
_DOCUMENT = ("document", "coefficient", "first", "second", "difference", "first_units", "second_units")


def paired_text(result: Paired, rows: int, form_names: FormNames = NEUTRAL) -> str:
    """Return a comparison for people: the values with their differences, the documents that differ most, signature."""
    names = [f"{side}  {printable(name)}" for side, name in zip(SIDES, result.names, strict=True)]
    notes = Footnotes()
    values = _values(result, notes, form_names)
    return blocks_text([names, values, notes.lines(), *_documents(result, rows), [printable(result.signature)]])


def _values(result: Paired, notes: Footnotes, form_names: FormNames) -> list[str]:
    plain = [row for row in result.differences if row.category is None]
    of_categories = [row for row in result.differences if row.category is not None]
    lines = [["", *SIDES, " − ".join(SIDES), "p", "documents"]]
    for row in [*plain, *of_categories[:MOST_CATEGORIES]]:
        numbers = [number_text(row.first), number_text(row.second), notes.cell(row), p_text(row.p)]
        lines.append([printable(symbol(row)), *numbers, str(row.documents)])
    cut = left_out(len(of_categories) - MOST_CATEGORIES, "more categories", form_names=form_names)
    return [*aligned_lines(lines, right=(1, 2, 4, 5)), *cut]


def symbol(row: Difference) -> str:
    """Return what people call a coefficient: γk PER."""
    name = symbol_of(row.coefficient)
    return name if row.category is None else f"{name} {label_text(row.category)}"


def p_text(p: float) -> str:
    """Return p for people, with four decimals."""
    if math.isnan(p):
        return "NA"
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"  # noqa: PLR2004


def worst(result: Paired, rows: int) -> Iterator[tuple[str, Sequence[DocumentDifference], int]]:
    """Yield each coefficient with its documents, so many of them, and how many there are."""
    for name in dict.fromkeys(row.coefficient for row in result.documents):
        documents = [row for row in result.documents if row.coefficient == name]
        yield COEFFICIENT_SYMBOLS[name], documents[:rows], len(documents)


def _documents(result: Paired, rows: int) -> Iterator[list[str]]:
    for name, documents, number in worst(result, rows):
        lines = [["document", *(f"{name} of {side}" for side in SIDES), " − ".join(SIDES), "units of A", "of B"]]
        for row in documents:
            numbers = [number_text(value) for value in (row.first, row.second, row.difference)]
            lines.append([printable(row.document), *numbers, str(row.first_units), str(row.second_units)])
        yield [
            f"{name} of {counted(number, 'document')}, the largest difference first",
            *aligned_lines(lines, right=range(1, 6), indent="  "),
        ]


def paired_csv(result: Paired) -> str:
    """Return a comparison as CSV: a row a coefficient and category, then one a coefficient and document."""
    value = [name for name in csv_head("difference", Difference) if name.removeprefix("difference_") not in _KEYS]
    head = ["level", "document", *_KEYS, *value, "first_units", "second_units"]
    rows: list[list[object]] = [[*head]]
    for row in result.differences:
        cells = dict(zip(csv_head("difference", Difference), csv_value(row, Difference), strict=True))
        keys = [cells[f"difference_{name}"] for name in _KEYS]
        rows.append(["corpus", "", *keys, *(cells[name] for name in value), "", ""])
    empty = [""] * (len(value) - 1)
    for entry in result.documents:
        known = [entry.document, entry.coefficient, "", entry.first, entry.second, entry.difference]
        rows.append(["document", *known, *empty, entry.first_units, entry.second_units])
    return csv_text(rows)


def difference_value(row: Difference) -> Value:
    """Return a difference as a plain value, for a cell of a table."""
    return Value(**{field.name: getattr(row, field.name) for field in fields(Value)})
