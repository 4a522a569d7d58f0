"""Parts of documents, drawn for wide and for narrow pages."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from markupsafe import Markup

from gamma_align.present.figures.draw import draw
from gamma_align.present.figures.palette import Palette
from gamma_align.present.figures.scene import Scene, Window
from gamma_align.present.page import sentences
from gamma_align.present.page.environment import safe

# Widths of drawings in pixels: the page contains both drawings, and its style shows the one that fits.
WIDE_WIDTH = 1000.0
NARROW_WIDTH = 340.0


class Excerpt(NamedTuple):
    """A part of a document, drawn for wide and for narrow pages."""

    title: str
    wide: Markup
    narrow: Markup

    @classmethod
    def of(cls, name: str, scene: Scene, window: Window, length_unit: str | None, palette: Palette) -> Excerpt:
        """Return the window of a scene, drawn twice; its title is the name, then the stretch of the document."""
        draw_window = partial(draw, scene, window=window, palette=palette)
        title = f"{name}, {sentences.window_bounds(window, length_unit)}"
        return cls(title, safe(draw_window(width=WIDE_WIDTH)), safe(draw_window(width=NARROW_WIDTH)))
