"""``gamma-align items``: coefficients of agreement on predefined items."""

from __future__ import annotations

import argparse
from typing import Any, NamedTuple

import gamma_align as ga
from gamma_align.cli import _pipeline
from gamma_align.cli._arguments import add_output, finite, names, whole
from gamma_align.cli._measure import add_distance, distance_of
from gamma_align.cli._messages import ExitCode, print_message
from gamma_align.data.build_items import LAYOUTS, LONG
from gamma_align.distances import Distance
from gamma_align.errors import SettingsError
from gamma_align.items.counts import CONCEPTIONS
from gamma_align.items.intervals import METHODS
from gamma_align.items.results import SCALES, WARNING, ItemResult
from gamma_align.items.spec import DEFAULT, spec_of
from gamma_align.report.items_text import Extras, items_csv, items_text, pairs_csv
from gamma_align.results.values import finite_or_none

SMALL = 6
"""Every two coders are compared without asking if there are no more coders, and no more categories, than these."""


class _Tables(NamedTuple):
    """The table of items, and the one that the expected disagreement comes from."""

    items: ga.ItemTable
    expected_from: ga.ItemTable | None

    @property
    def notes(self) -> tuple[str, ...]:
        return self.items.notes


class _Results(NamedTuple):
    """The coefficients, and what is shown on request beside them."""

    coefficients: ItemResult
    extras: Extras

    @property
    def notes(self) -> tuple[str, ...]:
        return self.coefficients.notes

    def to_dict(self) -> dict[str, Any]:
        return {**self.coefficients.to_dict(), **_more(self.coefficients, self.extras)}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.description = "Measure how far coders agree on the categories of predefined items."
    parser.add_argument("path", metavar="FILE", help="a table of items: .csv, .tsv or .parquet")
    _add_reading(parser)
    group = parser.add_argument_group("coefficients")
    group.add_argument(
        "--coefficients",
        type=names,
        metavar="A,B,…",
        help="observed, s, pi, kappa, kappa-conger, kappa-mean, alpha, ac1, pabak, or other names of them "
        f"(default: {','.join(DEFAULT)})",
    )
    group.add_argument(
        "--missing",
        choices=CONCEPTIONS,
        help="what weighs the same where judgments are missing: items, values, pairs; RM drops incomplete items "
        "(default: VL for α, IL for the others)",
    )
    group.add_argument(
        "--expected-from",
        metavar="FILE",
        help="take the expected disagreement from another table, read with the same options",
    )
    group.add_argument(
        "--aickin", action="store_true", help="Aickin's a of two coders, too: the share of items that are easy"
    )
    group.add_argument(
        "--latent-classes", type=whole(1), metavar="N", help="a model of N latent classes, too, with its test of fit"
    )
    add_distance(parser)
    _add_inference(parser)
    _add_output(parser)
    parser.set_defaults(run=run)


def _add_reading(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("reading")
    group.add_argument(
        "--layout",
        choices=LAYOUTS,
        default="auto",
        help="long: columns item, annotator, category; wide: a column a coder; counts: a column a category, with "
        "numbers of coders; contingency: a square table of two coders (default: long where its columns are there)",
    )
    group.add_argument(
        "--column",
        type=_column,
        action="append",
        default=[],
        metavar="OURS=YOURS",
        help="your name for item, annotator or category; may be repeated",
    )
    group.add_argument(
        "--categories", type=names, metavar="A,B,…", help="all categories in their order (default: those that occur)"
    )
    group.add_argument("--sets", metavar="SEP", help="a label holds several categories with SEP between; {} is none")
    group.add_argument(
        "--na",
        action="append",
        default=[],
        metavar="TEXT",
        help="a text that means no judgment, as the empty cell does",
    )
    group.add_argument("--encoding", metavar="NAME", help="of a text file that is not UTF-8 and has no mark of it")


def _add_inference(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("inference")
    group.add_argument(
        "--interval",
        choices=(*METHODS, "none"),
        default="jackknife",
        help="over items: jackknife (default), linearised, bootstrap; fce: κ of two coders, large samples; pairs: "
        "Hayes & Krippendorff's for α, too narrow",
    )
    group.add_argument("--level", type=_share, default=0.95, metavar="P", help="of the interval (default: 0.95)")
    group.add_argument("--replicates", type=whole(1), default=1000, metavar="N", help="of a bootstrap (default: 1000)")
    group.add_argument(
        "--seed", type=whole(0), default=0, metavar="N", help="of a bootstrap or latent classes (default: 0)"
    )
    group.add_argument(
        "--threshold", type=finite, metavar="X", help="the probability that other items give less than X"
    )
    group.add_argument(
        "--scale", choices=tuple(SCALES), help="what a scale calls the values, and what is wrong with that"
    )


def _add_output(parser: argparse.ArgumentParser) -> None:
    output = add_output(parser, csv="print one row a coefficient")
    output.add_argument("--by-category", action="store_true", help="each category against all others, too")
    output.add_argument("--by-item", action="store_true", help="how far coders disagree on each item, too")
    output.add_argument(
        "--by-pair",
        action="store_true",
        help=f"κ and confusion matrix of every two coders, too (without asking: at most {SMALL} coders and categories; "
        "matrices: of two coders); with --csv: these alone",
    )
    output.add_argument(
        "--fail-under",
        type=_threshold,
        metavar="NAME=X",
        help="exit with code 1 if a coefficient is below X: alpha=0.67",
    )


def _column(text: str) -> tuple[str, str]:
    ours, equals, theirs = text.partition("=")
    if not equals or ours not in LONG or not theirs:
        raise argparse.ArgumentTypeError(f"{text!r} is not item=…, annotator=… or category=…")
    return ours, theirs


def _share(text: str) -> float:
    number = finite(text)
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError(f"must be between 0 and 1, not {text}")
    return number


def _threshold(text: str) -> tuple[str, float]:
    name, equals, number = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=X, as in alpha=0.67")
    return name, finite(number)


def run(arguments: argparse.Namespace) -> int:
    """Measure, print, and return the exit code."""
    distance = distance_of(arguments)
    _check_threshold(arguments)

    def measure(tables: _Tables, _: object) -> _Results:
        result = ga.item_agreement(
            tables.items,
            coefficients=arguments.coefficients or DEFAULT,
            distance=distance,
            missing=arguments.missing,
            interval=None if arguments.interval == "none" else arguments.interval,
            level=arguments.level,
            seed=arguments.seed,
            replicates=arguments.replicates,
            expected_from=tables.expected_from,
        )
        return _Results(result, _extras(tables.items, distance, arguments))

    return _pipeline.run(
        arguments,
        measure,
        read=_read_tables,
        text=lambda results: items_text(*results),
        csv=lambda results: (pairs_csv if arguments.by_pair else items_csv)(*results),
        verdict=lambda results: _verdict(results.coefficients, arguments.fail_under),
    )


def _read_tables(arguments: argparse.Namespace) -> _Tables:
    expected = None if arguments.expected_from is None else _read(arguments.expected_from, arguments)
    return _Tables(_read(arguments.path, arguments), expected)


def _read(path: str, arguments: argparse.Namespace) -> ga.ItemTable:
    return ga.read_items(
        path,
        layout=arguments.layout,
        categories=arguments.categories,
        columns=dict(arguments.column),
        sets=arguments.sets,
        na=arguments.na,
        encoding=arguments.encoding,
    )


def _check_threshold(arguments: argparse.Namespace) -> None:
    """Refuse a --fail-under on a coefficient that is not computed, before anything is."""
    computed = {spec_of(name).name for name in arguments.coefficients or DEFAULT}
    if arguments.fail_under is not None and spec_of(arguments.fail_under[0]).name not in computed:
        raise SettingsError(f"argument --fail-under: {arguments.fail_under[0]} is not among the --coefficients")


def _extras(table: ga.ItemTable, distance: Distance, arguments: argparse.Namespace) -> Extras:
    few = max(len(table.coders), table.n_categories) <= SMALL
    pairs = ga.by_pair(table, distance=distance) if few or arguments.by_pair else ()
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


def _more(result: ItemResult, extras: Extras) -> dict[str, Any]:
    """Return what is in JSON on request only."""
    more: dict[str, Any] = {}
    if extras.categories:
        more["by_category"] = [category.to_dict() for category in extras.categories]
    if extras.items is not None:
        more["by_item"] = extras.items.to_dict()
    if extras.pairs:
        more["by_pair"] = [pair.to_dict() for pair in extras.pairs]
        for pair, cells in zip(more["by_pair"], extras.confusions, strict=False):
            pair["confusion"] = cells.astype(int).tolist()
    if extras.aickin is not None:
        more["aickin"] = extras.aickin.to_dict()
    if extras.latent is not None:
        more["latent_classes"] = extras.latent.to_dict()
    values = result.coefficients.items()
    if extras.threshold is not None:
        below = {name: finite_or_none(value.probability_below(extras.threshold)) for name, value in values}
        equal = {name: finite_or_none(value.p_value(extras.threshold)) for name, value in values}
        more["threshold"] = {"value": extras.threshold, "probability_below": below, "p": equal}
    if extras.scale is not None:
        words = {name: value.word(extras.scale) or None for name, value in values}
        more["scale"] = {"name": extras.scale, "words": words, "warning": WARNING}
    return more


def _verdict(result: ItemResult, threshold: tuple[str, float] | None) -> int:
    """Return the exit code and say why."""
    if not any(value.is_available for value in result.coefficients.values()):
        reasons = dict.fromkeys(value.reason or "" for value in result.coefficients.values())
        print_message("error", f"no coefficient is available: {'; '.join(reasons)}")
        return ExitCode.NOT_AVAILABLE
    if threshold is None:
        return ExitCode.FINE
    name, least = threshold
    value = result[name]
    if not value.is_available:
        print_message("error", f"{value.symbol} is not available: {value.reason}")
        return ExitCode.NOT_AVAILABLE
    if value.value < least:
        print_message("error", f"{value.symbol} is {value.value:.4f}, below --fail-under {name}={least:g}")
        return ExitCode.BELOW_THRESHOLD
    return ExitCode.FINE
