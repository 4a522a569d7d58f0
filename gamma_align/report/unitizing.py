"""Results of the unitizing family as text for people, and as CSV."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import fields

from gamma_align.report._tables import (
    Footnotes,
    counted,
    csv_cell,
    csv_head,
    csv_value,
    label_text,
    left_out,
    number,
    percent,
    printable,
    report,
    table,
)
from gamma_align.report.text import MOST_CATEGORIES, documents_left_out, lowest_documents
from gamma_align.results.values import Value
from gamma_align.unitizing.results import UnitizingResult, UnitizingValues

_VALUES = ("u", "bar_u", "cu")
_CSV_HEAD = (
    *("level", "document", "category", "annotators", "units", "length", "coverage"),
    *(column for name in (*_VALUES, "ku") for column in csv_head(name, Value)),
)


def unitizing_text(result: UnitizingResult) -> str:
    """Return a result for people: documents, corpus, intervals, signature."""
    blocks = [_documents(result), _corpus(result), [printable(result.signature)]]
    return report(blocks)


def _documents(result: UnitizingResult) -> list[str]:
    shown = lowest_documents(result.documents, lambda document: document.values.u)
    notes = Footnotes()
    layers = bool(result.settings["overlap"] == "layers")
    names = _VALUES[:1] if layers else _VALUES
    head = ["document", "annotators", "units", "length", *([] if layers else ["coverage"]), "uα", "|uα", "cuα"]
    rows = [head[: len(head) - len(_VALUES) + len(names)]]
    for document in shown:
        counts = [str(document.annotators), str(document.units), number(round(document.length, 6))]
        covered = [] if layers else [percent(document.values.coverage)]
        values = [notes.cell(getattr(document.values, name)) for name in names]
        rows.append([printable(document.document), *counts, *covered, *values])
    lines = table(rows, right=range(1, 4 + (not layers))) + notes.lines()
    return lines + documents_left_out(len(shown), len(result.documents), "of the lowest uα")


def _corpus(result: UnitizingResult) -> list[str]:
    unit = f", lengths in {printable(result.length_unit)}" if result.length_unit else ""
    lines = [f"corpus of {counted(len(result.documents), 'document')}{unit}"]
    lines += table(_corpus_rows(result.values), indent="  ")
    lines += left_out(len(result.ku or result.layers) - MOST_CATEGORIES, "more categories")
    return [*lines, f"  intervals: {result.interval}"]


def _corpus_rows(values: UnitizingValues) -> list[list[str]]:
    if values.layers:
        return [["uα", "", printable(str(values.u))], *_categories("", values.layers, {})]
    return [
        ["uα", "", printable(str(values.u)), ""],
        ["|uα", "", printable(str(values.bar_u)), ""],
        ["cuα", "", printable(str(values.cu)), f"covers {percent(values.coverage)}"],
        *_categories("(k)uα", values.ku, values.coverage_k),
    ]


def _categories(name: str, values: Mapping[str, Value], coverage: Mapping[str, float]) -> list[list[str]]:
    rows: list[list[str]] = []
    for label, value in list(values.items())[:MOST_CATEGORIES]:
        covered = [f"covers {percent(coverage[label])}"] if coverage else []
        rows.append([name if not rows else "", label_text(label), printable(str(value)), *covered])
    return rows


def unitizing_rows(result: UnitizingResult) -> list[list[str | int]]:
    """Return the rows of the CSV, the header first: a row a document, then one for the corpus."""
    rows: list[list[str | int]] = [list(_CSV_HEAD)]
    for document in result.documents:
        counts = (document.annotators, document.units, csv_cell(document.length))
        rows += _cells(["document", document.document], counts, document.values)
    units = sum(document.units for document in result.documents)
    total = csv_cell(math.fsum(document.length for document in result.documents))
    return [*rows, *_cells(["corpus", ""], ("", units, total), result.values)]


def _cells(
    keys: list[str | int], counts: tuple[str | int, str | int, str], values: UnitizingValues
) -> Iterator[list[str | int]]:
    """Yield the row of a document or the corpus, then one for each category (on layers: for each layer)."""
    empty: list[str | int] = [""] * len(fields(Value))
    plain = [cell for name in _VALUES for cell in csv_value(getattr(values, name))]
    yield [*keys, "", *counts, csv_cell(values.coverage), *plain, *empty]
    for label, value in (values.ku or values.layers).items():
        coverage = csv_cell(values.coverage_k.get(label, math.nan))
        yield [*keys, label, "", "", "", coverage, *(empty * len(_VALUES)), *csv_value(value)]
