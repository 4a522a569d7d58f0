"""Results as HTML for a notebook: the first rows of their tables."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from gamma_align.data.frames import MAX_ROWS_SHOWN
from gamma_align.present.table import Priority, Remainder, Table
from gamma_align.present.writers.html import html

_TABLES = {
    "GammaResult": ("gamma_tables", ("corpus_table", "documents_table")),
    "UnitizingResult": ("unitizing_tables", ("corpus_table", "documents_table")),
    "Families": ("families_tables", ("documents_table", "contributions_table")),
    "Paired": ("comparison_tables", ("values_table",)),
    "ItemResult": ("items_tables", ("coefficients_table",)),
    "Evaluation": ("evaluation_tables", ("f1_table",)),
    "Replacement": ("replacement_tables", ("models_table", "differences_table")),
    "PairwiseResult": ("pairwise_tables", ("pairwise_table",)),
    "SegmentationResult": ("evaluation_tables", ("pairwise_segmentation_table",)),
    "PairwiseF1": ("evaluation_tables", ("pairwise_f1_table",)),
    "Consensus": ("consensus_tables", ("votes_table", "labels_table", "annotators_table")),
    "ReferenceCurve": ("curve_tables", ("placements_table", "curves_table")),
    "Plan": ("curve_tables", ("plan_table",)),
}
"""The module of the tables of a result and the functions that return them, by class: only that module is imported."""


def result_html(result: object) -> str:
    """Return the tables of a result as HTML; an empty text if its class has none."""
    return "\n".join(html(_shown(table), Priority.PAPER) for table in _tables(result))


def _tables(result: object) -> Iterator[Table]:
    module, functions = _TABLES.get(type(result).__name__, ("table", ()))
    tables = import_module(f"gamma_align.present.{module}")
    for function in functions:
        yield getattr(tables, function)(result)


def _shown(table: Table) -> Table:
    rows = [*table.rows]
    if len(rows) <= MAX_ROWS_SHOWN:
        return table._replace(rows=rows)  # with its own line on documents that are left out
    return table._replace(rows=rows).first(MAX_ROWS_SHOWN, _remainder)


def _remainder(left_out: int) -> Remainder:
    return lambda _: f"… {left_out} more: to_frame() has them all"
