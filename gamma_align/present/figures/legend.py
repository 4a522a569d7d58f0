"""Legends: the meaning of colours, patterns and empty boxes, and the annotators' names by number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from gamma_align.data import short_labels, short_names
from gamma_align.present.figures.elements import Attributes, element, text_element, text_width
from gamma_align.present.figures.palette import Palette
from gamma_align.present.figures.picture import Picture
from gamma_align.present.figures.scene import Scene, Window

_ROW_HEIGHT = 20.0  # pixels
_FONT_SIZE = 12.0  # pixels
_SWATCH_WIDTH = 22.0  # pixels, with the space before the text
_MAX_NAME_LENGTH = 22  # characters
_MAX_LABELS = 30  # further labels are counted
_MAX_NAMES = 40  # further names are counted


class Key(NamedTuple):
    """Whether a picture has boxes for missing units, and whether bars of units aligned with nothing are dashed."""

    missing: bool = False
    lone: bool = False


def legend(scene: Scene, key: Key, *, window: Window | None = None, width: float, palette: Palette) -> Picture:
    """Return the legend of a picture: labels in view, missing units, units aligned with nothing, steps of disorder."""
    view = scene.in_view(scene.window(window))
    labels = [scene.marks[code] for code in np.unique(scene.codes[view]).tolist()]
    names = short_labels(labels, _MAX_NAME_LENGTH)
    entries = [(_swatch(palette.fill(label)), names[label]) for label in labels[:_MAX_LABELS]]
    if len(labels) > _MAX_LABELS:
        entries.append(("", f"and {len(labels) - _MAX_LABELS} more labels"))
    if key.missing and (scene.size < len(scene.continuum.annotators)).any():
        entries.append((_dashed(palette, palette["d4"]), "no unit there"))
    if key.lone and scene.lone[view].any():
        entries.append((_dashed(palette, palette["soft"]), "aligned with nothing"))
    if (scene.disorder > 0).any():
        entries.append((_disorder_ramp(palette), "disorder, from little to that of a unit aligned with nothing"))
    content, height = _flow(entries, width, palette)
    return Picture(content, width, height, "legend: " + ", ".join(text for _, text in entries))


def names_below(
    numbered: Sequence[tuple[str, str]], *, top: float, width: float, palette: Palette, head: str = ""
) -> tuple[str, float]:
    """Return the names with their numbers, drawn below `top`, and their bottom edge in pixels."""
    texts = [head] if head else []
    names = short_names((name for _, name in numbered), _MAX_NAME_LENGTH)
    texts += [f"{number} {names[name]}" for number, name in numbered[:_MAX_NAMES]]
    if len(numbered) > _MAX_NAMES:
        texts.append(f"and {len(numbered) - _MAX_NAMES} more")
    content, height = _flow((("", text) for text in texts), width, palette, size=11.0)
    return element("g", content, transform=f"translate(0 {top:.10g})", class_="names"), top + height


def _swatch(fill: str, **paint: str | float) -> str:
    size: Attributes = {"width": _SWATCH_WIDTH - 6, "height": 10, "rx": 1.5}
    return element("rect", None, **size, fill=fill, **paint)


def _dashed(palette: Palette, stroke: str) -> str:
    return _swatch(palette["paper"], stroke=stroke, stroke_dasharray="3 2")


def _disorder_ramp(palette: Palette) -> str:
    rectangles = (element("rect", x=4 * step - 4, width=4, height=10, fill=palette[f"d{step}"]) for step in range(1, 5))
    return "".join(rectangles)


def _flow(
    entries: Iterable[tuple[str, str]], width: float, palette: Palette, *, size: float = _FONT_SIZE
) -> tuple[str, float]:
    """Return entries, each a swatch and a text, laid out in rows, and the height of the rows."""
    parts = []
    x = 0.0
    y = 0.0
    for swatch, text in entries:
        text_left = _SWATCH_WIDTH if swatch else 0.0
        entry_width = text_left + text_width(text, size)
        if x and x + entry_width > width:
            x = 0.0
            y = y + _ROW_HEIGHT
        if swatch:
            parts.append(element("g", swatch, transform=f"translate({x:.10g} {y + 3:.10g})"))
        parts.append(text_element(x + text_left, y + 12, text, size=size, fill=palette["soft"]))
        x += entry_width + 16
    return "".join(parts), y + _ROW_HEIGHT if parts else 0.0
