"""``gamma-align items``: coefficients of agreement on predefined items."""

from __future__ import annotations

import argparse
from typing import NamedTuple

import gamma_align as ga
from gamma_align.apps.cli import _pipeline
from gamma_align.apps.cli._form_names import OPTION_NAMES
from gamma_align.apps.cli._gate import check_gate, checks_of, gate
from gamma_align.apps.cli._measure import distance_of
from gamma_align.apps.cli._messages import ExitCode, print_message
from gamma_align.apps.cli._options import given
from gamma_align.data.json_types import Json
from gamma_align.distances import Distance
from gamma_align.inference.values import Value, finite_or_none
from gamma_align.insight.replacement.judges import people_of
from gamma_align.insight.replacement.judges_options import JUDGE_OPTIONS
from gamma_align.measures.items.items_options import ITEM_READING
from gamma_align.measures.items.items_result import WARNING, ItemResult
from gamma_align.measures.items.spec import spec_of
from gamma_align.present.citation import citation
from gamma_align.present.items_tables import coefficients_table, confusions_table, with_aickin
from gamma_align.present.items_text import Extras, items_text
from gamma_align.present.table import Table
from gamma_align.present.writers.data import csv_rows

MAX_PAIRED = 6
"""Pairs of coders are compared by default if there are at most so many coders and categories."""


class Tables(NamedTuple):
    """The table of items, and the table that gives the expected disagreement."""

    items: ga.ItemTable
    expected_from: ga.ItemTable | None

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of the table of items."""
        return self.items.notes


class _Results(NamedTuple):
    """The coefficients, and further results on request."""

    coefficients: ItemResult
    extras: Extras

    @property
    def notes(self) -> tuple[str, ...]:
        return self.coefficients.notes

    def to_dict(self) -> dict[str, Json]:
        return {**self.coefficients.to_dict(), **_further_results(self.coefficients, self.extras)}


def run(arguments: argparse.Namespace) -> int:
    """Measure, print, and return the exit code."""
    distance_of(arguments)  # a wrong distance is refused before data are read
    # A coefficient has several names, and results contain one of them.
    arguments.fail_under = {spec_of(name).name: threshold for name, threshold in arguments.fail_under.items()}
    computed = [spec_of(name).name for name in arguments.coefficients]
    check_gate(arguments, computed, "add it to the --coefficients")

    return _pipeline.run(
        arguments,
        lambda tables, _: compute(tables, arguments),
        read=read_tables,
        text=lambda results: items_text(results.coefficients, results.extras, OPTION_NAMES),
        csv=lambda results: csv_rows(_csv_table(*results, by_pair=arguments.by_pair)),
        forms={
            **_pipeline.forms_of(
                lambda results: [coefficients_table(results.coefficients)],
                lambda results: [results.coefficients.signature],
            ),
            "cite": lambda results: str(citation(results.coefficients)),
        },
        verdict=lambda results: _verdict(results.coefficients, arguments),
    )


def compute(tables: Tables, arguments: argparse.Namespace) -> _Results:
    """Return the results that the arguments request."""
    distance = distance_of(arguments)
    items = tables.items
    if arguments.judges is not None:
        # Judges are no annotators, and their runs still less: the coefficients are those of the people.
        items = people_of(items, arguments.judges)
    result = ga.item_agreement(
        items,
        coefficients=arguments.coefficients,
        distance=distance,
        missing=arguments.missing,
        interval=None if arguments.interval == "none" else arguments.interval,
        level=arguments.level,
        seed=arguments.seed,
        replicates=arguments.replicates,
        expected_from=tables.expected_from,
    )
    extras = _extras(items, distance, arguments)
    if arguments.judges is not None:
        judged = ga.judges(tables.items, distance=distance, **given(arguments, JUDGE_OPTIONS.options))
        extras = extras._replace(judges=judged)
    return _Results(result, extras)


def read_tables(arguments: argparse.Namespace) -> Tables:
    """Read the tables in the arguments."""
    expected = None if arguments.expected_from is None else _read(arguments.expected_from, arguments)
    return Tables(_read(arguments.path, arguments), expected)


def _read(path: str, arguments: argparse.Namespace) -> ga.ItemTable:
    return ga.read_items(path, **given(arguments, ITEM_READING.options))


def _extras(table: ga.ItemTable, distance: Distance, arguments: argparse.Namespace) -> Extras:
    is_small = max(len(table.coders), table.n_categories) <= MAX_PAIRED
    pairs = ga.by_pair(table, distance=distance) if is_small or arguments.by_pair else ()
    matrices = arguments.by_pair or len(pairs) == 1
    classes = arguments.latent_classes
    return Extras(
        categories=ga.by_category(table, missing=arguments.missing) if arguments.by_category else (),
        items=ga.by_item(table, distance=distance) if arguments.by_item else None,
        pairs=pairs,
        confusions=tuple(ga.confusion_matrix(table, pair.first, pair.second) for pair in pairs) if matrices else (),
        aickin=ga.aickin(table) if arguments.aickin else None,
        latent=None if classes is None else ga.latent_classes(table, classes=classes, seed=arguments.seed),
        threshold=arguments.threshold,
        scale=arguments.scale,
    )


def _csv_table(result: ItemResult, extras: Extras, *, by_pair: bool) -> Table:
    """Return the table of CSV: the coefficients or, if requested, the pairs of coders."""
    if by_pair:
        return confusions_table(result, extras.pairs, extras.confusions)
    table = coefficients_table(result)
    return table if extras.aickin is None else with_aickin(table, extras.aickin)


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


def _verdict(result: ItemResult, arguments: argparse.Namespace) -> int:
    """Return the exit code, and print the reason."""
    if not any(value.is_available for value in result.coefficients.values()):
        reasons = dict.fromkeys(value.reason or "" for value in result.coefficients.values())
        print_message("error", f"no coefficient is available: {'; '.join(reasons)}")
        return ExitCode.NOT_AVAILABLE
    values = {
        name: (row.symbol, Value(row.value, row.low, row.high, row.reason, row.error_reason))
        for name, row in result.coefficients.items()
    }
    return gate([*checks_of(values, arguments)], arguments, [result.signature])
