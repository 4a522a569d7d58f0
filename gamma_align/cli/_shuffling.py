"""Arguments on kinds of errors, which the subcommands that degrade a corpus share."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gamma_align.cli._arguments import finite, names_of, non_negative, parts, whole
from gamma_align.cli._measure import read_rows
from gamma_align.errors import InputError
from gamma_align.shuffling.kinds import CONFUSIONS, OVERLAPS
from gamma_align.shuffling.reference import KINDS


def add_kinds(parser: argparse.ArgumentParser, default: str) -> argparse._ArgumentGroup:
    """Add the arguments on kinds of errors."""
    group = parser.add_argument_group("errors")
    group.add_argument(
        "--kinds",
        type=names_of(KINDS),
        default=(default,),
        metavar="A,B",
        help=f"kinds of errors, of {', '.join(KINDS)}; they apply in this order (default: {default})",
    )
    group.add_argument(
        "--confusion",
        choices=CONFUSIONS,
        default="prevalence",
        help="where wrong categories come from: the reference's frequencies, or all the same (default: prevalence)",
    )
    group.add_argument("--subset", type=parts, metavar="A,B", help="only these categories are confused")
    group.add_argument(
        "--overlap-matrix",
        type=Path,
        metavar="FILE.csv",
        help="how categories resemble each other: a square CSV table with the labels in its first row and first "
        "column, rows with the sum 1",
    )
    group.add_argument(
        "--shift-factor",
        type=non_negative,
        default=2.0,
        metavar="X",
        help="at magnitude 1 boundaries move by so many mean lengths at most (default: 2)",
    )
    group.add_argument(
        "--split-factor",
        type=non_negative,
        default=2.5,
        metavar="X",
        help="at magnitude 1 there are so many cuts for each unit (default: 2.5)",
    )
    group.add_argument(
        "--overlaps",
        choices=OVERLAPS,
        default="allow",
        help="units of an annotator that come to overlap: leave them, or end the earlier one where the later one "
        "begins (default: allow)",
    )
    group.add_argument("--seed", type=whole(0), default=0, metavar="N", help="of everything random (default: 0)")
    return group


def magnitudes(text: str) -> tuple[float, ...]:
    """Return the magnitudes that the argument lists."""
    values = tuple(finite(part) for part in text.split(","))
    for value in values:
        if not 0 <= value <= 1:
            raise argparse.ArgumentTypeError(f"a magnitude is from 0 (no errors) to 1 (the worst), not {value:g}")
    return values


def shuffle_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the keyword arguments of `shuffle` in the arguments, but for kinds and seed."""
    return {
        "confusion": arguments.confusion,
        "subset": arguments.subset,
        "overlap_matrix": None if arguments.overlap_matrix is None else _matrix(arguments.overlap_matrix),
        "shift_factor": arguments.shift_factor,
        "split_factor": arguments.split_factor,
        "overlaps": arguments.overlaps,
    }


def _matrix(path: Path) -> dict[str, dict[str, float]]:
    rows = read_rows(path)
    head: Sequence[str] = rows[0][1][1:] if rows else ()
    if not head or len(set(head)) < len(head):
        raise InputError(f"{path}: the first row must hold an empty cell and then every label once")
    matrix: dict[str, dict[str, float]] = {}
    for line, (name, *cells) in rows[1:]:
        if len(cells) != len(head) or name in matrix:
            raise InputError(f"{path}:{line}: a row is a label, once, and {len(head)} numbers")
        try:
            matrix[name] = dict(zip(head, map(float, cells), strict=True))
        except ValueError:
            raise InputError(f"{path}:{line}: a cell is not a number") from None
    return matrix
