"""Legends: what colours, patterns and empty boxes stand for, and the names behind numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from gamma_align.data.wording import short_labels, short_names
from gamma_align.present.figures.elements import Attributes, element, text_element, text_width
from gamma_align.present.figures.palette import Palette
from gamma_align.present.figures.picture import Picture
from gamma_align.present.figures.scene import Scene, Window

_ROW = 20.0
_SIZE = 12.0
_SWATCH = 22.0
_NAME_MOST = 22
_MOST = 30
_MOST_NAMES = 40


class Key(NamedTuple):
    """What a picture shows besides labels and disorder: boxes of missing units, or lone units in dashes."""

    missing: bool = False
    lone: bool = False


def legend(scene: Scene, key: Key, *, window: Window | None = None, width: float, palette: Palette) -> Picture:
    """Return the legend of a picture: the labels of the units in view, what is missing, and the steps of disorder."""
    view = scene.in_view(scene.window(window))
    labels = [scene.marks[code] for code in np.unique(scene.codes[view]).tolist()]
    names = short_labels(labels, _NAME_MOST)
    entries = [(_swatch(palette.fill(label)), names[label]) for label in labels[:_MOST]]
    entries += [("", f"and {len(labels) - _MOST} more labels")] if len(labels) > _MOST else []
    if key.missing and (scene.size < len(scene.continuum.annotators)).any():
        entries.append((_dashed(palette, palette["d4"]), "no unit there"))
    if key.lone and scene.lone[view].any():
        entries.append((_dashed(palette, palette["soft"]), "aligned with nothing"))
    if (scene.disorder > 0).any():
        entries.append((_ramp(palette), "disorder, from little to that of a unit aligned with nothing"))
    content, height = _flow(entries, width, palette)
    return Picture(content, width, height, "legend: " + ", ".join(text for _, text in entries))


def names_below(
    numbered: Sequence[tuple[str, str]], *, top: float, width: float, palette: Palette, head: str = ""
) -> tuple[str, float]:
    """Return numbers with the names behind them below `top`, and where they end."""
    shown = [head] if head else []
    names = short_names((name for _, name in numbered), _NAME_MOST)
    shown += [f"{number} {names[name]}" for number, name in numbered[:_MOST_NAMES]]
    shown += [f"and {len(numbered) - _MOST_NAMES} more"] if len(numbered) > _MOST_NAMES else []
    content, height = _flow((("", text) for text in shown), width, palette, size=11.0)
    return element("g", content, transform=f"translate(0 {top:.10g})", class_="names"), top + height


def _swatch(fill: str, **paint: str | float) -> str:
    size: Attributes = {"width": _SWATCH - 6, "height": 10, "rx": 1.5}
    return element("rect", None, **size, fill=fill, **paint)


def _dashed(palette: Palette, stroke: str) -> str:
    return _swatch(palette["paper"], stroke=stroke, stroke_dasharray="3 2")


def _ramp(palette: Palette) -> str:
    steps = (element("rect", x=4 * step - 4, width=4, height=10, fill=palette[f"d{step}"]) for step in range(1, 5))
    return "".join(steps)


def _flow(
    entries: Iterable[tuple[str, str]], width: float, palette: Palette, *, size: float = _SIZE
) -> tuple[str, float]:
    """Return entries, each a swatch and a text, in as many rows as they need, and their height."""
    parts = []
    x, y = 0.0, 0.0
    for swatch, text in entries:
        shift = _SWATCH if swatch else 0.0
        needed = shift + text_width(text, size)
        if x and x + needed > width:
            x, y = 0.0, y + _ROW
        if swatch:
            parts.append(element("g", swatch, transform=f"translate({x:.10g} {y + 3:.10g})"))
        parts.append(text_element(x + shift, y + 12, text, size=size, fill=palette["soft"]))
        x += needed + 16
    return "".join(parts), y + _ROW if parts else 0.0
