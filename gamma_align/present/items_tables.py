"""The tables of agreement on items: coefficients, categories, items, and pairs of coders."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from operator import attrgetter, itemgetter
from types import SimpleNamespace

import numpy as np

from gamma_align.columns import FloatArray
from gamma_align.data import counted, printable
from gamma_align.inference import Value
from gamma_align.measures.items import (
    CategoryAgreement,
    CoderPair,
    ItemCoefficient,
    ItemDisagreements,
    ItemResult,
    word,
)
from gamma_align.present.table import Column, Kind, Noted, Priority, Table
from gamma_align.present.writers.cells import probability_text

_DIGITS = 4  # of coefficients of categories and pairs, in the terminal


def coefficients_table(result: ItemResult, *, threshold: float | None = None, scale: str | None = None) -> Table:
    """Return the coefficients of a result.

    In the terminal, a threshold adds the probability that a value is below it, and a scale adds its words.
    """
    level = f"{100 * result.settings['level']:g} % interval"
    has_intervals = result.settings["interval"] is not None
    columns = [
        Column("name", priority=Priority.DATA),
        Column("symbol", heading="coefficient", terminal_heading=""),
        Column(
            "estimate",
            Kind.VALUE,
            "value",
            ItemCoefficient.as_value,
            terminal_content=_value_cell,
            align="right",
            is_data=False,
        ),
        *(Column(name, priority=Priority.DATA) for name in ("value", "low", "high", "error")),
        *([_terminal_column(level, _interval_cell)] if has_intervals else []),
        Column("observed", Kind.NUMBER, "D_o", terminal_content=_if_available(lambda row: f"{row.observed:.4g}")),
        Column("expected", Kind.NUMBER, "D_e", terminal_content=_if_available(lambda row: f"{row.expected:.4g}")),
        Column("distance", priority=Priority.DATA),
        Column(
            "missing",
            terminal_content=_if_available(lambda row: row.missing),
            priority=Priority.TERMINAL,
            align="right",
        ),
        *(Column(name, priority=Priority.DATA) for name in ("items", "pairable", "reason", "error_reason")),
    ]
    if has_intervals:
        # Agreement that is not corrected for chance has nothing to test against 0.
        columns.append(_p_column("p (= 0)", lambda row: math.nan if row.name == "observed" else row.p_value()))
    if threshold is not None:
        columns.append(_p_column(f"P(< {threshold:g})", lambda row: row.probability_below(threshold)))
    if scale is not None:
        columns.append(_terminal_column(scale, lambda row: word(row.value, scale)))
    sizes = f"{counted(result.table['items'], 'item')}, {counted(result.table['coders'], 'coder')}"
    title = f"Agreement on {sizes}{f', {level}' if has_intervals else ''}"
    return Table("coefficients", title, columns, result.coefficients.values())


def with_aickin(table: Table, aickin: Value) -> Table:
    """Return the table of coefficients with a row for Aickin's a, which has neither disagreements nor an interval."""
    # Columns read attributes, so the row needs one for each column, even if it is empty.
    row = SimpleNamespace(**dict.fromkeys(column.name for column in table.data_columns()))
    row.name = "aickin"
    row.symbol = "a"
    row.value = aickin.value
    row.reason = aickin.reason
    return table._replace(rows=[*table.rows, row])


def _terminal_column(heading: str, content: Callable[[ItemCoefficient], object]) -> Column:
    return Column(heading, content=content, priority=Priority.TERMINAL, is_data=False)


def _p_column(heading: str, content: Callable[[ItemCoefficient], float]) -> Column:
    """Return a column of probabilities, which is empty for NaN."""
    column = _terminal_column(heading, content)
    return column._replace(align="right", format=lambda p: _p_text("", p))


def _p_text(before: str, p: float) -> str:
    return "" if math.isnan(p) else before + probability_text(p)


def _value_cell(row: ItemCoefficient) -> object:
    return f"{row.value:.4f}" if row.reason is None else Noted("NA", row.reason)


def _interval_cell(row: ItemCoefficient) -> object:
    if row.error_reason is not None:
        return Noted("NA", row.error_reason)
    return f"[{row.low:.4f}, {row.high:.4f}]" if row.reason is None else None


def _if_available(content: Callable[[ItemCoefficient], str]) -> Callable[[ItemCoefficient], str | None]:
    """Return the content of a column that is empty for coefficients that are not available."""
    return lambda row: content(row) if row.reason is None else None


def categories_table(categories: Sequence[CategoryAgreement]) -> Table:
    """Return the agreement on each category against all others."""
    columns = [
        Column("category", Kind.CATEGORY),
        Column("judgments", Kind.COUNT),
        *map(_estimate_column, ("alpha", "pi", "kappa", "specific"), ("α", "π", "κ", "specific")),
    ]
    return Table("categories", "each category against all others", columns, categories)


def _estimate_column(name: str, heading: str) -> Column:
    """Return a column of values without interval and without the reason of a missing value."""
    return Column(name, Kind.NUMBER, heading, attrgetter(f"{name}.value"), digits=_DIGITS)


def items_table(items: ItemDisagreements) -> Table:
    """Return the items that have two judgments, the largest disagreement first."""
    disagreement = items.disagreement.tolist()
    columns = [
        Column("item", content=items.items.__getitem__),
        Column("judgments", Kind.COUNT, content=items.judgments.__getitem__),
        Column("disagreement", Kind.NUMBER, content=disagreement.__getitem__, format=lambda value: f"{value:.4g}"),
    ]
    indices = np.flatnonzero(~np.isnan(items.disagreement)).tolist()  # NaN without two judgments
    ordered = sorted(indices, key=lambda index: -disagreement[index])
    return Table("items", "items of the largest disagreement", columns, ordered)


def pairs_table(pairs: Sequence[CoderPair]) -> Table:
    """Return κ of every two coders."""
    columns = [
        Column("coders", content=coders_text),
        Column("items", Kind.COUNT),
        _estimate_column("kappa", "κ"),
    ]
    # A distance other than the nominal one has no closed form of it.
    if not all(math.isnan(pair.kappa_max) for pair in pairs):
        columns.append(Column("kappa_max", Kind.NUMBER, "largest κ possible", digits=_DIGITS))
    columns.append(
        Column("margins", Kind.NUMBER, "equal margins", attrgetter("margins.p"), format=lambda p: _p_text("p ", p))
    )
    return Table("pairs", "every two coders, on the items both judged", columns, pairs)


def coders_text(pair: CoderPair) -> str:
    """Return the names of two coders."""
    return f"{printable(pair.first)}, {printable(pair.second)}"


_CONFUSION_COLUMNS = ("first", "second", "items", "kappa", "kappa_max", "first_category", "second_category", "count")


def confusions_table(result: ItemResult, pairs: Sequence[CoderPair], matrices: Sequence[FloatArray]) -> Table:
    """Return κ of every two coders with the number of items by pairs of categories: the table of CSV."""
    names = result.table["categories"] or ()
    rows: list[tuple[object, ...]] = []
    for pair, matrix in zip(pairs, matrices, strict=True):
        agreement = (pair.first, pair.second, pair.items, pair.kappa.value, pair.kappa_max)
        cells = np.argwhere(matrix > 0).tolist()
        rows += [(*agreement, names[first], names[second], f"{matrix[first, second]:g}") for first, second in cells]
        # Two coders without an item in common have no cell, but still a row.
        rows += [] if cells else [(*agreement, None, None, None)]
    columns = [Column(name, content=itemgetter(index)) for index, name in enumerate(_CONFUSION_COLUMNS)]
    return Table("confusions", "items by categories of two coders", columns, rows)
