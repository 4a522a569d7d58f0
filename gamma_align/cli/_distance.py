"""Arguments that say how far categories are apart, and the dissimilarity they make."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gamma_align.errors import SettingsError

if TYPE_CHECKING:
    import argparse

    from gamma_align.dissimilarity.named import CategoryDistance

_NAMES = ("nominal", "ordinal", "interval", "ratio")


def add_distance(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    group = parser.add_argument_group("distance of categories")
    which = group.add_mutually_exclusive_group()
    which.add_argument(
        "--distance",
        choices=_NAMES,
        default="nominal",
        help="between categories: all equally far (nominal), by rank, by difference, by proportion of numbers "
        "(default: nominal)",
    )
    which.add_argument(
        "--categories-matrix",
        type=Path,
        metavar="FILE.csv",
        help="how far categories are apart, 0 to 1: a square CSV table with the labels in its first row "
        "and first column",
    )
    group.add_argument(
        "--order",
        type=_labels,
        metavar="A,B,C",
        help="the categories in their order, for --distance ordinal (default: they are numbers)",
    )


def _labels(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


def category_distance(arguments: argparse.Namespace) -> CategoryDistance:
    """Return the distance that the arguments ask for.

    Raises
    ------
    InputError
        For a matrix that cannot be read or used.
    SettingsError
        For an order without the ordinal distance.
    """
    from gamma_align.cli._matrix import read_matrix  # noqa: PLC0415  (--version needs no NumPy)
    from gamma_align.dissimilarity.categorial_numeric import Ordinal  # noqa: PLC0415
    from gamma_align.dissimilarity.named import named_distance  # noqa: PLC0415

    if arguments.order is not None:
        if arguments.distance != "ordinal":
            raise SettingsError("argument --order: it is for --distance ordinal")
        return Ordinal(arguments.order)
    if arguments.categories_matrix is not None:
        return read_matrix(arguments.categories_matrix)
    return named_distance(arguments.distance)
