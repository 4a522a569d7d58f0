"""Arguments that say how far categories are apart, which every subcommand that measures has, and what they make."""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gamma_align.cli._matrix import read_matrix, read_rows
from gamma_align.distances import NAMES, TAXONOMY_NAMES, Taxonomy, by_name
from gamma_align.errors import InputError, SettingsError

if TYPE_CHECKING:
    from gamma_align.distances import Distance


def add_distance(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    group = parser.add_argument_group("distance of categories")
    group.add_argument(
        "--distance",
        metavar="NAME",
        help=f"{', '.join(NAMES)}, circular:PERIOD, interval:position, linear:position; with --taxonomy "
        f"{', '.join(TAXONOMY_NAMES)} (default: nominal)",
    )
    group.add_argument(
        "--order",
        type=_labels,
        metavar="A,B,C",
        help="the categories, lowest first, for distances of ranks (default: they are numbers); one with a comma in "
        'quotes: low,"mid, or so",high',
    )
    group.add_argument(
        "--distance-matrix",
        type=Path,
        metavar="FILE.csv",
        help="how far categories are apart: a square CSV table with the labels in its first row and first column; 0 to "
        "1 for γ",
    )
    group.add_argument(
        "--taxonomy",
        type=Path,
        metavar="FILE.csv",
        help="taxonomy of the categories as CSV, a row an edge: node, daughter",
    )
    group.add_argument(
        "--set-separator",
        metavar="SEP",
        help="what stands between the members of a label that is a set, for distances of sets (default: |)",
    )


def _labels(text: str) -> tuple[str, ...]:
    try:
        (labels,) = csv.reader([text], strict=True, skipinitialspace=True)
    except (csv.Error, ValueError) as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of labels with commas between: {error}") from None
    return tuple(labels)


def distance_files(arguments: argparse.Namespace) -> list[Path | None]:
    """Return the files that the distance is read from."""
    return [arguments.distance_matrix, arguments.taxonomy]


def distance_of(arguments: argparse.Namespace) -> Distance:
    """Return the distance that the arguments ask for.

    Raises
    ------
    InputError
        For a file that cannot be read as what it should be.
    SettingsError
        For an unknown name, or options that do not go together.
    """
    options: dict[str, Any] = {"order": arguments.order, "separator": arguments.set_separator}
    options = {name: value for name, value in options.items() if value is not None}
    if arguments.distance_matrix is not None:
        if options or arguments.distance is not None or arguments.taxonomy is not None:
            raise SettingsError(
                "argument --distance-matrix: not together with --distance, --order, --taxonomy or --set-separator"
            )
        return read_matrix(arguments.distance_matrix)
    name = "nominal"
    if arguments.taxonomy is not None:
        name, options["taxonomy"] = TAXONOMY_NAMES[0], _taxonomy(arguments.taxonomy)
    try:
        return by_name(name if arguments.distance is None else arguments.distance, **options)
    except SettingsError as error:
        raise SettingsError(f"argument --distance: {error}") from None


def _taxonomy(path: Path) -> Taxonomy:
    edges: dict[str, list[str]] = {}
    for line, row in read_rows(path):
        if len(row) != 2 or not all(row):  # noqa: PLR2004
            raise InputError(f"{path}:{line}: a row of a taxonomy is a node and one of its daughters; got {row}")
        edges.setdefault(row[0], []).append(row[1])
    if not edges:
        raise InputError(f"{path}: the taxonomy is empty; a row is a node and one of its daughters")
    try:
        return Taxonomy.of(edges)
    except SettingsError as error:
        raise InputError(f"{path}: {error}") from None
