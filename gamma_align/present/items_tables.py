"""The tables of agreement on items: coefficients, categories, items, and pairs of coders."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import starmap
from operator import attrgetter
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from gamma_align.columns import FloatArray
from gamma_align.data.wording import counted, printable
from gamma_align.inference.values import Value
from gamma_align.measures.items.categories import CategoryAgreement, CoderPair, ItemDisagreements
from gamma_align.measures.items.items_result import ItemCoefficient, ItemResult, word
from gamma_align.present.table import Column, Kind, Noted, Priority, Table

_DECIMALS = 4


def coefficients_table(result: ItemResult, *, threshold: float | None = None, scale: str | None = None) -> Table:
    """Return the coefficients of a result.

    In the terminal, a threshold adds the probability that a value is below it, and a scale adds its words.
    """
    level = f"{100 * result.settings['level']:g} % interval"
    has_intervals = result.settings["interval"] is not None
    columns = [
        Column("name", priority=Priority.DATA),
        Column("symbol", heading="coefficient", terminal_heading=""),
        Column("estimate", Kind.VALUE, "value", _value, terminal_content=_value_cell, align="right", is_data=False),
        *(Column(name, priority=Priority.DATA) for name in ("value", "low", "high", "error")),
        *([_terminal_column(level, _interval_cell)] if has_intervals else []),
        Column("observed", Kind.NUMBER, "D_o", terminal_content=_disagreement_text("observed")),
        Column("expected", Kind.NUMBER, "D_e", terminal_content=_disagreement_text("expected")),
        Column("distance", priority=Priority.DATA),
        Column("missing", priority=Priority.TERMINAL, terminal_content=_missing, align="right"),
        *(Column(name, priority=Priority.DATA) for name in ("items", "pairable", "reason", "error_reason")),
    ]
    if has_intervals:
        columns.append(_terminal_column("p (= 0)", _p_zero, Kind.PROBABILITY))
    if threshold is not None:
        columns.append(_terminal_column(f"P(< {threshold:g})", _probability_below(threshold), Kind.PROBABILITY))
    if scale is not None:
        columns.append(_terminal_column(scale, lambda row: word(row.value, scale)))
    sizes = f"{counted(result.table['items'], 'item')}, {counted(result.table['coders'], 'coder')}"
    title = f"Agreement on {sizes}{f', {level}' if has_intervals else ''}"
    return Table("coefficients", title, columns, result.coefficients.values())


def with_aickin(table: Table, aickin: Value) -> Table:
    """Return the table of coefficients with a row for Aickin's a, which has neither disagreements nor an interval."""
    row = SimpleNamespace(**dict.fromkeys(column.name for column in table.data_columns()))
    row.name, row.symbol, row.value, row.reason = "aickin", "a", aickin.value, aickin.reason
    return replace(table, rows=[*table.rows, row])


def _terminal_column(heading: str, content: Callable[[ItemCoefficient], object], kind: Kind = Kind.TEXT) -> Column:
    return Column(heading, kind, content=content, priority=Priority.TERMINAL, is_data=False)


def _value(row: ItemCoefficient) -> Value:
    return Value(row.value, row.low, row.high, row.reason, row.error_reason)


def _value_cell(row: ItemCoefficient) -> str | Noted:
    return f"{row.value:.{_DECIMALS}f}" if row.reason is None else Noted("NA", row.reason)


def _interval_cell(row: ItemCoefficient) -> str | Noted | None:
    if row.reason is not None:
        return None
    if row.error_reason is not None:
        return Noted("NA", row.error_reason)
    return f"[{row.low:.{_DECIMALS}f}, {row.high:.{_DECIMALS}f}]"


def _disagreement_text(name: str) -> Callable[[ItemCoefficient], str | None]:
    """Return the content of a column of disagreements, which are in the unit of the distance."""
    return lambda row: f"{getattr(row, name):.4g}" if row.reason is None else None


def _missing(row: ItemCoefficient) -> str | None:
    return row.missing if row.reason is None else None


def _p_zero(row: ItemCoefficient) -> float | None:
    # Agreement that is not corrected for chance has nothing to test against 0.
    return None if row.name == "observed" else _known(row.p_value())


def _probability_below(threshold: float) -> Callable[[ItemCoefficient], float | None]:
    return lambda row: _known(row.probability_below(threshold))


def _known(probability: float) -> float | None:
    return None if math.isnan(probability) else probability


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
    return Column(name, Kind.NUMBER, heading, attrgetter(f"{name}.value"), digits=_DECIMALS)


class ItemRow(NamedTuple):
    """An item, its number of judgments and the mean distance of two of them."""

    item: str
    judgments: int
    disagreement: float


def items_table(items: ItemDisagreements) -> Table:
    """Return the items that two coders judged, the largest disagreement first."""
    columns = [
        Column("item"),
        Column("judgments", Kind.COUNT),
        Column("disagreement", Kind.NUMBER, format=lambda distance: f"{distance:.4g}"),
    ]
    rows = starmap(ItemRow, zip(items.items, items.judgments.tolist(), items.disagreement.tolist(), strict=True))
    known = [row for row in rows if not math.isnan(row.disagreement)]
    ordered = sorted(known, key=lambda row: -row.disagreement)
    return Table("items", "items of the largest disagreement", columns, ordered)


def pairs_table(pairs: Sequence[CoderPair]) -> Table:
    """Return κ of every two coders."""
    columns = [
        Column("coders", content=coders_text),
        Column("items", Kind.COUNT),
        _estimate_column("kappa", "κ"),
        Column("kappa_max", Kind.NUMBER, "largest κ possible", digits=_DECIMALS),
    ]
    return Table("pairs", "every two coders, on the items both judged", columns, pairs)


def coders_text(pair: CoderPair) -> str:
    """Return the names of two coders."""
    return f"{printable(pair.first)}, {printable(pair.second)}"


class Confusion(NamedTuple):
    """The number of items that two coders gave a pair of categories; None if no item has judgments of both."""

    pair: CoderPair
    first_category: str | None = None
    second_category: str | None = None
    count: str | None = None


def confusions_table(result: ItemResult, pairs: Sequence[CoderPair], matrices: Sequence[FloatArray]) -> Table:
    """Return κ of every two coders and the pairs of categories that items have."""
    columns = [
        *(Column(name, content=attrgetter(f"pair.{name}")) for name in ("first", "second", "items")),
        Column("kappa", Kind.NUMBER, content=attrgetter("pair.kappa.value")),
        Column("kappa_max", Kind.NUMBER, content=attrgetter("pair.kappa_max")),
        *(Column(name, Kind.CATEGORY) for name in ("first_category", "second_category")),
        Column("count"),
    ]
    names = result.table["categories"] or ()
    rows = [row for pair in zip(pairs, matrices, strict=True) for row in _confusions(*pair, names)]
    return Table("confusions", "items by categories of two coders", columns, rows)


def _confusions(pair: CoderPair, matrix: FloatArray, names: Sequence[str]) -> Iterator[Confusion]:
    cells = np.argwhere(matrix > 0).tolist()
    if not cells:
        yield Confusion(pair)
    for first, second in cells:
        yield Confusion(pair, names[first], names[second], f"{matrix[first, second]:g}")
