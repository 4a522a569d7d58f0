"""``gamma-align items``: coefficients of agreement on predefined items."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gamma_align as ga
from gamma_align.cli._common import (
    EXIT_CODES,
    ExitCode,
    add_output,
    check_writable,
    finite,
    json_text,
    naming,
    say,
    tell_notes,
    whole,
    write_result,
)
from gamma_align.cli._distance import add_distance, distance_files, distance_of
from gamma_align.errors import SettingsError

if TYPE_CHECKING:
    from gamma_align.items.latent import LatentClasses
    from gamma_align.items.results import ItemResult
    from gamma_align.report.items_text import Extras

INTERVALS = ("jackknife", "linearised", "bootstrap", "fce", "pairs", "none")
LAYOUTS = ("auto", "long", "wide", "counts", "contingency")
SCALES = ("landis-koch", "krippendorff", "green")
SMALL = 6
"""Every two coders are compared without asking where there are no more coders, and no more categories, than these."""


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "items",
        help="S, π, κ, K, α, AC₁ … of coders who categorise predefined items",
        description="Measure how far coders agree on the categories of predefined items.",
        epilog=EXIT_CODES,
    )
    parser.add_argument("path", metavar="FILE", help="a table of items: .csv, .tsv or .parquet")
    _add_reading(parser)
    group = parser.add_argument_group("coefficients")
    group.add_argument(
        "--coefficients",
        type=_listed,
        metavar="A,B,…",
        help="observed, s, pi, kappa, kappa-conger, kappa-mean, alpha, ac1, pabak, or other names of them "
        "(default: observed,s,pi,kappa,alpha,ac1)",
    )
    group.add_argument(
        "--missing",
        choices=("IL", "VL", "PL", "RM"),
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
    _add_shape(parser)
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
        "--categories", type=_listed, metavar="A,B,…", help="all categories in their order (default: those that occur)"
    )
    group.add_argument("--sets", metavar="SEP", help="a label holds several categories with SEP between; {} is none")
    group.add_argument(
        "--na",
        action="append",
        default=[],
        metavar="TEXT",
        help="a text that means no judgment, as the empty cell does",
    )


def _add_inference(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("inference")
    group.add_argument(
        "--interval",
        choices=INTERVALS,
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
        "--threshold", type=finite, metavar="X", help="tell the probability that other items give less than X"
    )
    group.add_argument(
        "--scale", choices=SCALES, help="tell what a scale calls the values, and what is wrong with that"
    )


def _add_shape(parser: argparse.ArgumentParser) -> None:
    output = add_output(parser)
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
    shape = output.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="print one JSON document with everything")
    shape.add_argument("--csv", action="store_true", help="print one row a coefficient")


def _listed(text: str) -> list[str]:
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise argparse.ArgumentTypeError(f"{text!r} has an empty part; give names with commas between")
    return parts


def _column(text: str) -> tuple[str, str]:
    ours, equals, theirs = text.partition("=")
    if not equals or ours not in ("item", "annotator", "category") or not theirs:
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
    """Measure, print, and return the exit code.

    Raises
    ------
    InputError, SettingsError
        For data or settings that cannot be used.
    """
    inputs = [arguments.path, arguments.expected_from, *distance_files(arguments)]
    check_writable(arguments.output, "-o/--output", inputs)
    distance = distance_of(arguments)
    _check_threshold(arguments)
    table = _read(arguments.path, arguments)
    chance = None if arguments.expected_from is None else _read(arguments.expected_from, arguments)
    chosen = {} if arguments.coefficients is None else {"coefficients": arguments.coefficients}
    with naming(Path(arguments.path).name):
        result = ga.item_agreement(
            table,
            distance=distance,
            missing=arguments.missing,
            interval=None if arguments.interval == "none" else arguments.interval,
            level=arguments.level,
            seed=arguments.seed,
            replicates=arguments.replicates,
            expected_from=chance,
            **chosen,
        )
        extras = _extras(table, distance, arguments)
    write_result(_shown(result, extras, arguments), arguments.output)
    tell_notes(result.notes, quiet=arguments.quiet)
    return _verdict(result, arguments)


def _read(path: str, arguments: argparse.Namespace) -> ga.ItemTable:
    return ga.read_items(
        path,
        layout=arguments.layout,
        categories=arguments.categories,
        columns=dict(arguments.column),
        sets=arguments.sets,
        na=arguments.na,
    )


def _check_threshold(arguments: argparse.Namespace) -> None:
    """Refuse a --fail-under on a coefficient that is not computed, before anything is."""
    from gamma_align.items.spec import DEFAULT, spec_of  # noqa: PLC0415  (--version needs no NumPy)

    computed = {spec_of(name).name for name in arguments.coefficients or DEFAULT}
    if arguments.fail_under is not None and spec_of(arguments.fail_under[0]).name not in computed:
        raise SettingsError(f"argument --fail-under: {arguments.fail_under[0]} is not among the --coefficients")


def _extras(table: ga.ItemTable, distance: Any, arguments: argparse.Namespace) -> Extras:  # noqa: ANN401
    from gamma_align.report.items_text import Extras  # noqa: PLC0415  (only now is it needed)

    few = max(len(table.coders), table.n_categories) <= SMALL
    pairs = ga.by_pair(table, distance=distance) if few or arguments.by_pair else ()
    matrices = arguments.by_pair or len(pairs) == 1
    return Extras(
        categories=ga.by_category(table, missing=arguments.missing) if arguments.by_category else (),
        items=ga.by_item(table, distance=distance) if arguments.by_item else None,
        pairs=pairs,
        confusions=tuple(ga.confusion_matrix(table, pair.first, pair.second) for pair in pairs) if matrices else (),
        aickin=ga.aickin(table) if arguments.aickin else None,
        latent=None if arguments.latent_classes is None else _latent(table, arguments),
        threshold=arguments.threshold,
        scale=arguments.scale,
    )


def _latent(table: ga.ItemTable, arguments: argparse.Namespace) -> LatentClasses:
    return ga.latent_classes(table, classes=arguments.latent_classes, seed=arguments.seed)


def _shown(result: ItemResult, extras: Extras, arguments: argparse.Namespace) -> str:
    from gamma_align.report.items_text import items_csv, items_text, pairs_csv  # noqa: PLC0415

    if arguments.csv:
        return pairs_csv(result, extras) if arguments.by_pair else items_csv(result, extras)
    if not arguments.json:
        return items_text(result, extras)
    return json_text({**result.to_dict(), **_more(result, extras)})


def _more(result: ItemResult, extras: Extras) -> dict[str, Any]:
    """Return what is in JSON on request only."""
    from gamma_align.items.results import WARNING  # noqa: PLC0415
    from gamma_align.results.values import finite_or_none  # noqa: PLC0415

    more: dict[str, Any] = {}
    if extras.categories:
        more["by_category"] = [one.to_dict() for one in extras.categories]
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


def _verdict(result: ItemResult, arguments: argparse.Namespace) -> int:
    """Return the exit code and say why."""
    if not any(value.is_available for value in result.coefficients.values()):
        reasons = dict.fromkeys(value.reason or "" for value in result.coefficients.values())
        say("error", f"no coefficient is available: {'; '.join(reasons)}")
        return ExitCode.NOT_AVAILABLE
    if arguments.fail_under is None:
        return ExitCode.FINE
    name, least = arguments.fail_under
    value = result[name]
    if not value.is_available:
        say("error", f"{value.symbol} is not available: {value.reason}")
        return ExitCode.NOT_AVAILABLE
    if value.value < least:
        say("error", f"{value.symbol} is {value.value:.4f}, below --fail-under {name}={least:g}")
        return ExitCode.BELOW_THRESHOLD
    return ExitCode.FINE
