"""The distance of a request, which may be in files, and the keyword arguments of `gamma` with it."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import TYPE_CHECKING

from gamma_align.data import Json
from gamma_align.distances import TAXONOMY_NAMES, Distance, Matrix, by_name
from gamma_align.errors import Cure, InputError, Location, Set, SettingsError
from gamma_align.measures.gamma import GAMMA_OPTIONS
from gamma_align.requests.settings import Values, given

if TYPE_CHECKING:
    from gamma_align.distances import Taxonomy


def measure_settings(values: Values) -> dict[str, Json]:
    """Return the settings in a request as keyword arguments of `gamma` and `GammaSettings.of`."""
    return given(values, GAMMA_OPTIONS) | {"distance": distance_of(values)}


def distance_of(values: Values) -> Distance:
    """Return the distance of a request."""
    named = {"order": values["order"], "separator": values["set_separator"]}
    options: dict[str, Json] = {name: value for name, value in named.items() if value is not None}
    if values["distance_matrix"] is not None:
        if options or values["distance"] is not None or values["taxonomy"] is not None:
            conflicting = [Set(name) for name in ("distance", "order", "taxonomy", "set_separator")]
            raise SettingsError(
                "it sets all distances",
                Cure("leave it out, or leave out {}, {}, {} and {}", *conflicting),
                Location.for_option("distance_matrix"),
            )
        return read_matrix(values["distance_matrix"])
    name = "nominal"
    if values["taxonomy"] is not None:
        name = TAXONOMY_NAMES[0]
        options["taxonomy"] = _taxonomy(values["taxonomy"])
    try:
        return by_name(name if values["distance"] is None else values["distance"], **options)
    except SettingsError as error:
        raise error.at(Location.for_option("distance")) from None


def _taxonomy(path: Path) -> Taxonomy:
    """Return the taxonomy in a CSV file of pairs of a node and one of its daughters."""
    edges: dict[str, list[str]] = {}
    for line, row in read_rows(path):
        match row:
            case [node, daughter] if node and daughter:
                edges.setdefault(node, []).append(daughter)
            case _:
                raise InputError(f"{path}:{line}: a row of a taxonomy is a node and one of its daughters; got {row}")
    if not edges:
        raise InputError(f"{path}: the taxonomy is empty; a row is a node and one of its daughters")
    from gamma_align.distances import Taxonomy

    try:
        return Taxonomy.of(edges)
    except SettingsError as error:
        raise InputError(error.prefixed(str(path)).problem) from None


def read_rows(path: Path) -> list[tuple[int, list[str]]]:
    """Return the non-blank rows of a CSV file with their line numbers, without spaces around cells."""
    try:
        # A byte order mark, which some spreadsheets write, is no part of the first label.
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True, skipinitialspace=True)
            rows = [(reader.line_num, [cell.strip() for cell in row]) for row in reader]
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 (byte {error.start}); save the file as UTF-8") from None
    except csv.Error as error:
        raise InputError(f"{path}:{reader.line_num}: not CSV: {error}") from None
    return [(line, row) for line, row in rows if any(row)]


def read_square(path: Path) -> tuple[list[str], list[tuple[int, str, list[float]]]]:
    """Return the labels in the first row of a CSV table, and the line, label and numbers of each further row."""
    rows = read_rows(path)
    if not rows:
        raise InputError(f"{path}: the file is empty; it needs the labels in its first row and first column")
    head_line, (_, *labels) = rows[0]
    if not labels or len(set(labels)) < len(labels):
        raise InputError(f"{path}:{head_line}: the first row must hold an empty cell and then every label once")
    table = []
    for line, (name, *cells) in rows[1:]:
        if len(cells) != len(labels):
            raise InputError(f"{path}:{line}: {len(cells)} numbers for {len(labels)} labels")
        numbers = [_number(f"{path}:{line}", label, cell) for label, cell in zip(labels, cells, strict=True)]
        table.append((line, name, numbers))
    return labels, table


def _number(location: str, label: str, cell: str) -> float:
    """Return the number in a cell; InputError if it is negative or none."""
    try:
        number = float(cell)
    except ValueError:
        # NaN fails the comparison below, as a negative number does.
        number = math.nan
    if not 0 <= number < math.inf:
        raise InputError(f"{location}: {cell!r} in the column of {label!r} is not a number of 0 or more")
    return number


def read_matrix(path: Path) -> Matrix:
    """Return the distances in a square CSV file with labels in the first row and the first column."""
    labels, rows = read_square(path)
    if len(rows) != len(labels):
        last = rows[-1][0] if rows else 1
        raise InputError(
            f"{path}:{last}: {len(rows)} rows for the {len(labels)} labels of the first row; the table must be square"
        )
    values = [numbers for _, _, numbers in rows]
    for index, (label, (line, name, numbers)) in enumerate(zip(labels, rows, strict=True)):
        location = f"{path}:{line}"
        if name != label:
            raise InputError(f"{location}: the row is labelled {name!r}, its column {label!r}; use the same order")
        if numbers[index] != 0:
            raise InputError(f"{location}: {label!r} against itself is {numbers[index]:g}; it must be 0")
        for column, upper in enumerate(values[:index]):
            if numbers[column] != upper[index]:
                raise InputError(
                    f"{location}: {label!r} against {labels[column]!r} is {numbers[column]:g}, but {upper[index]:g} "
                    "the other way round",
                    "the table must be symmetric",
                )
    return Matrix(labels, values)
