"""The tables of results, by class: those that a notebook shows, and those whose columns are data frames and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import NamedTuple

from gamma_align.present.table import Table


class ResultTables(NamedTuple):
    """The functions that return the tables of a class of results, and their module: only that module is imported.

    Attributes
    ----------
    module : str
        In `gamma_align.present`.
    shown : tuple of str
        The tables that a notebook shows.
    frames : mapping of str or None to str
        The table of each level of `to_frame`; None is the level of a result with a single one. Rows of the JSON that
        are the rows of such a table have its columns, too.
    """

    module: str
    shown: tuple[str, ...] = ()
    frames: Mapping[str | None, str] = {}


_RESULTS = {
    "Look": ResultTables("look_tables", ("values_table", "causes_table")),
    "GammaResult": ResultTables(
        "gamma_tables",
        ("corpus_table", "documents_table"),
        {"document": "all_documents_table", "category": "categories_table", "corpus": "corpus_table"},
    ),
    "UnitizingResult": ResultTables(
        "unitizing_tables", ("corpus_table", "documents_table"), {None: "all_documents_table"}
    ),
    "Families": ResultTables("families_tables", ("documents_table", "contributions_table")),
    "UnitChanges": ResultTables(
        "unit_changes_tables", ("counts_table", "labels_table", "changed_table"), {None: "changed_table"}
    ),
    "Rounds": ResultTables(
        "rounds_tables", ("rounds_table", "differences_table", "retests_table"), {None: "rounds_table"}
    ),
    "Comparison": ResultTables("comparison_tables", ("values_table", "causes_table")),
    "ItemResult": ResultTables("items_tables", ("coefficients_table",), {None: "coefficients_table"}),
    "Evaluation": ResultTables("evaluation_tables", ("f1_table",), {None: "systems_table"}),
    "Replacement": ResultTables("replacement_tables", ("models_table", "differences_table"), {None: "models_table"}),
    "PairwiseResult": ResultTables("pairwise_tables", ("pairwise_table",), {None: "pairs_table"}),
    "SegmentationResult": ResultTables(
        "evaluation_tables", ("pairwise_segmentation_table",), {None: "segmentation_pairs_table"}
    ),
    "PairwiseF1": ResultTables("evaluation_tables", ("pairwise_f1_table",), {None: "f1_pairs_table"}),
    "Consensus": ResultTables("consensus_tables", ("votes_table", "labels_table", "annotators_table")),
    "ReferenceCurve": ResultTables("curve_tables", ("placements_table", "curves_table")),
    "Plan": ResultTables("curve_tables", ("plan_table",)),
    "PowerPlan": ResultTables("curve_tables", ("power_table",)),
}


def shown_tables(result: object) -> Iterator[Table]:
    """Yield the tables of a result that a notebook shows."""
    tables = _tables_of(result)
    return (_table(result, tables.module, function) for function in tables.shown)


def frame_table(result: object, level: str | None = None) -> Table | None:
    """Return the table of a level of the data frame, by default the first; None if the result has no table of it."""
    tables = _tables_of(result)
    if not tables.frames:
        return None
    level = next(iter(tables.frames)) if level is None else level
    return _table(result, tables.module, tables.frames[level])


def _tables_of(result: object) -> ResultTables:
    return _RESULTS.get(type(result).__name__, ResultTables("table"))


def _table(result: object, module: str, function: str) -> Table:
    table: Table = getattr(import_module(f"gamma_align.present.{module}"), function)(result)
    return table
