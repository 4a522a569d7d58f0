"""``gamma-align items``: coefficients of agreement on predefined items."""

from __future__ import annotations

import argparse

from gamma_align.apps.cli import _pipeline
from gamma_align.apps.cli._form_names import OPTION_NAMES
from gamma_align.apps.cli._gate import check_gate, checks_of, gate
from gamma_align.apps.cli._messages import ExitCode, print_message
from gamma_align.measures.items import ItemResult, spec_of
from gamma_align.present import Extras, Table, coefficients_table, confusions_table, with_aickin
from gamma_align.present.citation import citation
from gamma_align.present.items_text import items_text
from gamma_align.present.writers import csv_rows
from gamma_align.requests import compute_items, distance_of, read_tables


def run(arguments: argparse.Namespace) -> int:
    """Measure, print, and return the exit code."""
    distance_of(vars(arguments))  # a wrong distance is refused before data are read
    # A coefficient has several names, and results contain one of them.
    arguments.fail_under = {spec_of(name).name: threshold for name, threshold in arguments.fail_under.items()}
    computed = [spec_of(name).name for name in arguments.coefficients]
    check_gate(arguments, computed, "add it to the --coefficients")

    return _pipeline.run(
        arguments,
        lambda tables, _: compute_items(tables, vars(arguments)),
        read=lambda _: read_tables(arguments.path, vars(arguments)),
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


def _csv_table(result: ItemResult, extras: Extras, *, by_pair: bool) -> Table:
    """Return the table of CSV: the coefficients or, if requested, the pairs of coders."""
    if by_pair:
        return confusions_table(result, extras.pairs, extras.confusions)
    table = coefficients_table(result)
    return table if extras.aickin is None else with_aickin(table, extras.aickin)


def _verdict(result: ItemResult, arguments: argparse.Namespace) -> int:
    """Return the exit code, and print the reason."""
    if not any(value.is_available for value in result.coefficients.values()):
        reasons = dict.fromkeys(value.reason or "" for value in result.coefficients.values())
        print_message("error", f"no coefficient is available: {'; '.join(reasons)}")
        return ExitCode.NOT_AVAILABLE
    values = {name: (row.symbol, row.as_value()) for name, row in result.coefficients.items()}
    return gate([*checks_of(values, arguments)], arguments, [result.signature])
