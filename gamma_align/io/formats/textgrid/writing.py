"""A corpus as TextGrids: see `textgrid`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from gamma_align.errors import InputError
from gamma_align.io.marks import timed_out
from gamma_align.io.marks.durations import written
from gamma_align.io.marks.names_out import as_part, as_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gamma_align.data.corpus import Corpus, Unit

_TIER = "units"
_MARGIN = " " * 12
_HEAD = 'File type = "ooTextFile"\nObject class = "TextGrid"\n\n'


def write(corpus: Corpus) -> Iterator[tuple[str, bytes]]:
    """Yield the files: path, content.

    Raises
    ------
    InputError
        For what a TextGrid cannot hold: a document of no length, intervals without a text.
    """
    for continuum in timed_out.documents(corpus, "a TextGrid"):
        low, high = continuum.extent
        if low == high:
            raise InputError(
                f"document {continuum.document!r} has no length, and Praat opens no such TextGrid; leave it out, or "
                "write csv, parquet or jsonl"
            )
        for annotator, units in timed_out.by_annotator(continuum).items():
            path = f"{as_part(annotator, 'annotator')}/{as_path(continuum.document, 'document')}.TextGrid"
            place = f"document {continuum.document!r}, annotator {annotator!r}"
            yield path, timed_out.encoded(_text(units, (low, high), continuum.document), place)


def _text(units: list[Unit], extent: tuple[float, float], document: str) -> str:
    for unit in units:
        _check(unit, document)
    rows = timed_out.lanes(unit for unit in units if unit.start < unit.end)
    tiers = [_intervals(row, extent) for row in rows]
    tiers += [_points(row, extent) for row in _rows_of_points(unit for unit in units if unit.start == unit.end)]
    if not tiers:
        tiers.append(_intervals([], extent))
    lines = [*_bounds(extent, ""), "tiers? <exists>", f"size = {len(tiers)}", "item []:"]
    for number, tier in enumerate(tiers, 1):
        lines += [f"    item [{number}]:", *tier]
    return _HEAD + "\n".join(lines) + "\n"


def _check(unit: Unit, document: str) -> None:
    cure = "rename it (labels=, --labels), or write csv, parquet or jsonl"
    if unit.category is None and unit.start < unit.end:
        raise InputError(
            f"{timed_out.told(document, unit)}: it has no category, and an interval without a text is a gap for Praat; "
            "write csv, parquet or jsonl"
        )
    if unit.category == "":
        raise InputError(f"{timed_out.told(document, unit)}: the category is '', which is none for Praat; {cure}")
    if unit.category is not None and "\r" in unit.category:
        raise InputError(
            f"{timed_out.told(document, unit)}: the category {unit.category!r} has a carriage return in it, which "
            f"reads as the end of a line; {cure}"
        )


def _intervals(row: list[Unit], extent: tuple[float, float]) -> list[str]:
    """Return the lines of a tier, the gaps between units filled."""
    cells: list[tuple[float, float, str]] = []
    at = extent[0]
    for unit in row:
        if at < unit.start:
            cells.append((at, unit.start, ""))
        cells.append((unit.start, unit.end, unit.category or ""))
        at = unit.end
    if at < extent[1]:
        cells.append((at, extent[1], ""))
    lines = [*_tier("IntervalTier", extent), f"        intervals: size = {len(cells)}"]
    for number, (start, end, text) in enumerate(cells, 1):
        lines += [
            f"        intervals [{number}]:",
            *_bounds((start, end), " " * 12),
            f"            text = {_quoted(text)}",
        ]
    return lines


def _rows_of_points(points: Iterable[Unit]) -> list[list[Unit]]:
    """Return points in rows without two at one time, of which Praat keeps but one."""
    rows: list[list[Unit]] = []
    depth: Counter[float] = Counter()
    for unit in points:
        if depth[unit.start] == len(rows):
            rows.append([])
        rows[depth[unit.start]].append(unit)
        depth[unit.start] += 1
    return rows


def _points(points: list[Unit], extent: tuple[float, float]) -> list[str]:
    lines = [*_tier("TextTier", extent), f"        points: size = {len(points)}"]
    for number, unit in enumerate(points, 1):
        mark = _quoted(unit.category or "")
        lines += [f"        points [{number}]:", f"{_MARGIN}number = {written(unit.start)}", f"{_MARGIN}mark = {mark}"]
    return lines


def _tier(kind: str, extent: tuple[float, float]) -> list[str]:
    return [f'        class = "{kind}"', f'        name = "{_TIER}"', *_bounds(extent, " " * 8)]


def _bounds(bounds: tuple[float, float], margin: str) -> list[str]:
    return [f"{margin}xmin = {written(bounds[0])}", f"{margin}xmax = {written(bounds[1])}"]


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
