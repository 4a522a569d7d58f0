"""Regions of Label Studio: what one entry of a ``result`` marks, in which layer, and what its bounds count."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gamma_align.io.files.json_files import FaultError, get, maybe, need, number

if TYPE_CHECKING:
    from collections.abc import Iterator

SPANS = ("labels", "hypertextlabels", "paragraphlabels", "timeserieslabels")
"""Types of results that are units."""

MARKUP = ("hypertextlabels", "paragraphlabels")
"""Those whose text is not the string in the data."""


class Region(NamedTuple):
    """One unit.

    `length_unit` is what the bounds count; `length` is that of the recording, where it is told.
    """

    start: object
    end: object
    label: str
    layer: str | None
    length_unit: str | None
    surface: str | None
    length: int | float | None


def regions(result: dict[str, object]) -> Iterator[Region]:
    """Yield the units that an entry of a type in `SPANS` makes, one a label; none where it has no label.

    Raises
    ------
    FaultError
        For an entry that is not as Label Studio writes it.
    """
    kind = get(result, "type", str, "the region")
    value = get(result, "value", dict, "the region")
    labels = maybe(value, kind, list, "the region") or maybe(value, "labels", list, "the region") or []
    layer = maybe(result, "from_name", str, "the region")
    timed = kind == "labels" and ("channel" in value or result.get("original_length") is not None)
    length_unit = None if kind == "timeserieslabels" else "s" if timed else "char"
    start, end = _bounds(kind, value)
    length = number(result, "original_length", "the region") if timed and result.get("original_length") else None
    surface = maybe(value, "text", str, "the region") if kind == "labels" and not timed else None
    for label in labels:
        yield Region(start, end, need(label, str, "a label of the region"), layer, length_unit, surface, length)


def _bounds(kind: str, value: dict[str, object]) -> tuple[int | float, int | float]:
    offsets = maybe(value, "globalOffsets", dict, "the region")
    if offsets is not None:
        return number(offsets, "start", "globalOffsets"), number(offsets, "end", "globalOffsets")
    if kind in MARKUP:
        raise FaultError(
            f"a region of {kind} has no globalOffsets, and its place in the markup is not read; save the annotation "
            "again in a newer Label Studio, or leave the layer out with layers= (--layers)"
        )
    return number(value, "start", "the region"), number(value, "end", "the region")
