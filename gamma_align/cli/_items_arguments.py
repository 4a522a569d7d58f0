"""What ``items`` takes, and its help."""

from __future__ import annotations

import argparse

from gamma_align.cli._argument_types import finite, names, ordered_labels, whole
from gamma_align.cli._arguments import add_distance, add_gate, add_output
from gamma_align.cli._parser import MORE, READING, Parser


def items(parser: Parser) -> None:
    """Add the arguments of ``items``."""
    parser.describe(
        "Measure how far coders agree on the categories of predefined items.",
        "gamma-align items corpora/items/dreem_dodh_epochs.parquet --coefficients alpha",
        "gamma-align items corpora/items/dreem_dodh_epochs.parquet --by-category",
    )
    parser.add_argument("path", metavar="FILE", help="a table of items: .csv, .tsv or .parquet")
    parser.add_argument(
        "--coefficients",
        type=names,
        metavar="A,B,…",
        help="observed, s, pi, kappa, kappa-conger, kappa-mean, alpha, ac1, pabak, or other names of them "
        "(default: observed,s,pi,kappa,alpha,ac1)",
    )
    add_distance(parser)
    parser.add_argument(
        "--interval",
        choices=("jackknife", "linearised", "bootstrap", "fce", "pairs", "none"),
        default="jackknife",
        help="over items: jackknife (default), linearised, bootstrap; fce: κ of two coders, large samples; pairs: "
        "Hayes & Krippendorff's for α, too narrow",
    )
    output = add_output(parser, csv="print one row a coefficient", forms=("markdown", "latex", "cite"))
    output.add_argument("--by-category", action="store_true", help="each category against all others, too")
    output.add_argument("--by-item", action="store_true", help="how far coders disagree on each item, too")
    output.add_argument(
        "--by-pair",
        action="store_true",
        help="κ and confusion matrix of every two coders, too (without asking: at most 6 coders and categories; "
        "matrices: of two coders); with --csv: these alone",
    )
    add_gate(output, None, what="any of the --coefficients, as in alpha=0.67")
    _add_items_reading(parser)
    _add_inference(parser)


def _add_items_reading(parser: Parser) -> None:
    group = parser.section("reading", READING)
    group.add_argument(
        "--layout",
        choices=("auto", "long", "wide", "counts", "contingency"),
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
        "--coders",
        type=ordered_labels,
        metavar="A,B,…",
        help="the columns of coders in a wide table (default: all but the item, ids, texts and remarks); one with a "
        'comma in quotes: "Ann, 2nd",Ben',
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


def _add_inference(parser: Parser) -> None:
    group = parser.section("coefficients", MORE)
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
    group = parser.section("inference", MORE)
    group.add_argument("--level", type=_share, default=0.95, metavar="P", help="of the interval (default: 0.95)")
    group.add_argument("--replicates", type=whole(1), default=1000, metavar="N", help="of a bootstrap (default: 1000)")
    group.add_argument(
        "--seed", type=whole(0), default=0, metavar="N", help="of a bootstrap or latent classes (default: 0)"
    )
    group.add_argument(
        "--threshold", type=finite, metavar="X", help="the probability that other items give less than X"
    )
    group.add_argument(
        "--scale",
        choices=("landis-koch", "krippendorff", "green"),
        help="what a scale calls the values, and what is wrong with that",
    )


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
