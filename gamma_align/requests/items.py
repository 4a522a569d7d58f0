"""The request ``items``: coefficients of agreement on predefined items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gamma_align.data import ItemTable, Json
from gamma_align.distances import Distance
from gamma_align.inference import finite_or_none
from gamma_align.insight.replacement import JUDGE_OPTIONS, people_of
from gamma_align.insight.replacement.judges import judges
from gamma_align.measures.items import (
    ITEM_READING,
    WARNING,
    ItemResult,
    aickin,
    by_category,
    by_item,
    by_pair,
    confusion_matrix,
    item_agreement,
    latent_classes,
)
from gamma_align.present import Extras
from gamma_align.reading import read_items
from gamma_align.requests.distances import distance_of
from gamma_align.requests.settings import Values, given

MAX_PAIRED = 6
"""Pairs of coders are compared by default up to this number of coders and of categories."""


class Tables(NamedTuple):
    """The table of items, and the table that gives the expected disagreement."""

    items: ItemTable
    expected_from: ItemTable | None

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of the table of items."""
        return self.items.notes


class ItemsAnswer(NamedTuple):
    """The coefficients, and further results on request."""

    coefficients: ItemResult
    extras: Extras

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of the coefficients."""
        return self.coefficients.notes

    def to_dict(self) -> dict[str, Json]:
        """Return the coefficients ready for JSON, with the further results that were asked for."""
        return {**self.coefficients.to_dict(), **_further_results(self.coefficients, self.extras)}


def compute_items(tables: Tables, values: Values) -> ItemsAnswer:
    """Return the results that a request asks for."""
    distance = distance_of(values)
    items = tables.items
    if values["judges"] is not None:
        # Judges are no annotators, and their runs still less: the coefficients are those of the people.
        items = people_of(items, values["judges"])
    result = item_agreement(
        items,
        coefficients=values["coefficients"],
        distance=distance,
        missing=values["missing"],
        interval=None if values["interval"] == "none" else values["interval"],
        level=values["level"],
        seed=values["seed"],
        replicates=values["replicates"],
        expected_from=tables.expected_from,
    )
    extras = _extras(items, distance, values)
    if values["judges"] is not None:
        judged = judges(tables.items, distance=distance, **given(values, JUDGE_OPTIONS.options))
        extras = extras._replace(judges=judged)
    return ItemsAnswer(result, extras)


def read_tables(path: str | Sequence[str], values: Values) -> Tables:
    """Read the tables of a request."""
    expected = None if values["expected_from"] is None else _read(values["expected_from"], values)
    return Tables(_read(path, values), expected)


def _read(path: str | Sequence[str], values: Values) -> ItemTable:
    return read_items(path, **given(values, ITEM_READING.options))


def _extras(table: ItemTable, distance: Distance, values: Values) -> Extras:
    """Return the further results that a request asks for."""
    is_small = max(len(table.coders), table.n_categories) <= MAX_PAIRED
    pairs = by_pair(table, distance=distance) if is_small or values["by_pair"] else ()
    matrices = values["by_pair"] or len(pairs) == 1
    classes = values["latent_classes"]
    return Extras(
        categories=by_category(table, missing=values["missing"]) if values["by_category"] else (),
        items=by_item(table, distance=distance) if values["by_item"] else None,
        pairs=pairs,
        confusions=tuple(confusion_matrix(table, pair.first, pair.second) for pair in pairs) if matrices else (),
        aickin=aickin(table) if values["aickin"] else None,
        latent=None if classes is None else latent_classes(table, classes=classes, seed=values["seed"]),
        threshold=values["threshold"],
        scale=values["scale"],
    )


def _further_results(result: ItemResult, extras: Extras) -> dict[str, Json]:
    """Return the further results, ready for JSON."""
    data: dict[str, Json] = {}
    if extras.categories:
        data["by_category"] = [category.to_dict() for category in extras.categories]
    if extras.items is not None:
        data["by_item"] = extras.items.to_dict()
    if extras.pairs:
        data["by_pair"] = [pair.to_dict() for pair in extras.pairs]
        # Matrices are computed for all pairs or for none.
        for pair, cells in zip(data["by_pair"], extras.confusions, strict=False):
            pair["confusion"] = cells.astype(int).tolist()
    if extras.aickin is not None:
        data["aickin"] = extras.aickin.to_dict()
    if extras.judges:
        data["judges"] = [judge.to_dict() for judge in extras.judges]
    if extras.latent is not None:
        data["latent_classes"] = extras.latent.to_dict()
    values = result.coefficients.items()
    if extras.threshold is not None:
        below = {name: finite_or_none(value.probability_below(extras.threshold)) for name, value in values}
        equal = {name: finite_or_none(value.p_value(extras.threshold)) for name, value in values}
        data["threshold"] = {"value": extras.threshold, "probability_below": below, "p": equal}
    if extras.scale is not None:
        words = {name: value.word(extras.scale) or None for name, value in values}
        data["scale"] = {"name": extras.scale, "words": words, "warning": WARNING}
    return data
