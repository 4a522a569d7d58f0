"""Distances named on the command line: by name, by a matrix, by a taxonomy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gamma_align.cli._matrix import read_rows
from gamma_align.errors import InputError, SettingsError

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from gamma_align.distances.base import Distance

OF_TAXONOMY = ("melamed-resnik", "path", "extended-senses")


def add_distance(group: argparse._ArgumentGroup) -> None:
    """Add the arguments that say how far categories are apart."""
    group.add_argument(
        "--distance",
        default=None,
        metavar="NAME",
        help="nominal (default), ordinal, gwet-ordinal, interval, ratio, linear, bipolar, circular:PERIOD, jaccard, "
        "dice, passonneau, masi, masi-product; with --taxonomy melamed-resnik, path, extended-senses",
    )
    group.add_argument(
        "--distance-matrix",
        metavar="FILE.csv",
        help="distances as a square CSV table with the categories in its first row and first column",
    )
    group.add_argument(
        "--taxonomy", metavar="FILE.csv", help="the categories' taxonomy as CSV, a row an edge: node, daughter"
    )


def distance_of(arguments: argparse.Namespace) -> Distance:
    """Return the distance that is asked for.

    Raises
    ------
    SettingsError
        For an unknown name, or files that do not go with it.
    InputError
        For a file that cannot be read as what it should be.
    """
    from pathlib import Path  # noqa: PLC0415  (with the others)

    from gamma_align.distances import Circular, by_name  # noqa: PLC0415  (--version needs no NumPy)

    name: str | None = arguments.distance
    if arguments.distance_matrix is not None:
        if name is not None or arguments.taxonomy is not None:
            raise SettingsError("argument --distance-matrix: not together with --distance or --taxonomy")
        return _matrix(Path(arguments.distance_matrix))
    if arguments.taxonomy is not None or name in OF_TAXONOMY:
        return _of_taxonomy(name or OF_TAXONOMY[0], arguments.taxonomy)
    if name is not None and name.startswith("circular"):
        _, _, period = name.partition(":")
        try:
            return Circular(float(period))
        except ValueError:
            raise SettingsError("argument --distance: circular needs its period, as in circular:360") from None
    try:
        return by_name(name or "nominal")
    except SettingsError as error:
        raise SettingsError(f"argument --distance: {error}") from None


def _matrix(path: Path) -> Distance:
    from gamma_align.distances import Matrix  # noqa: PLC0415

    rows = read_rows(path)
    if not rows:
        raise InputError(f"{path}: the file is empty; it needs the categories in its first row and first column")
    labels = rows[0][1][1:]
    named = [row[0] for _, row in rows[1:]]
    if named != labels:
        raise InputError(f"{path}: the first column must name the categories of the first row, in the same order")
    values = []
    for line, row in rows[1:]:
        try:
            values.append([float(cell) for cell in row[1:]])
        except ValueError:
            raise InputError(f"{path}:{line}: a cell is not a number") from None
        if len(values[-1]) != len(labels):
            raise InputError(f"{path}:{line}: {len(values[-1])} numbers for {len(labels)} categories")
    try:
        return Matrix.of(labels, values)
    except SettingsError as error:
        raise InputError(f"{path}: {error}") from None


def _of_taxonomy(name: str, file: str | None) -> Distance:
    from pathlib import Path  # noqa: PLC0415

    from gamma_align.distances import ExtendedSenses, MelamedResnik, Taxonomy, TaxonomyPath  # noqa: PLC0415

    if file is None:
        raise SettingsError(f"argument --distance: {name} needs --taxonomy FILE.csv")
    kinds = {kind.name: kind for kind in (MelamedResnik, TaxonomyPath, ExtendedSenses)}
    if name not in kinds:
        raise SettingsError(f"argument --distance: {name} is no distance of a taxonomy; {', '.join(kinds)} are")
    edges: dict[str, list[str]] = {}
    for line, row in read_rows(Path(file)):
        if len(row) != 2 or not all(row):  # noqa: PLR2004
            raise InputError(f"{file}:{line}: a row of a taxonomy is a node and one of its daughters; got {row}")
        edges.setdefault(row[0], []).append(row[1])
    if not edges:
        raise InputError(f"{file}: the taxonomy is empty; a row is a node and one of its daughters")
    try:
        return kinds[name](Taxonomy.of(edges))
    except SettingsError as error:
        raise InputError(f"{file}: {error}") from None
