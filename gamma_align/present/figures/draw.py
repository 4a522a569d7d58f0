"""Draw a document in the form that fits its text, annotators and units (`draw`), or as an SVG file (`alignment_svg`).

| annotators | text                       | time, or no text                     |
|------------|----------------------------|--------------------------------------|
| 2 to 7     | lanes under the text       | lanes with labels, curved bands      |
| 8 to 20    | low lanes with numbers     | low lanes, straight bands            |
| 21 to 100  | a count band               | rows, similar ones beside each other |
| over 100   | a count band               | a count band                         |

The text is not shown for more than 2,000 units in view or more than 40,000 characters. With more than 10,000 units in
view, the picture is a count band.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from gamma_align.alignment import Alignment
from gamma_align.data import counted, printable
from gamma_align.present.figures.count_band import count_band
from gamma_align.present.figures.elements import element, text_element
from gamma_align.present.figures.interlinear import MAX_LANES, interlinear
from gamma_align.present.figures.lanes import MAX_LANE_ANNOTATORS, MAX_TITLED_UNITS, lanes
from gamma_align.present.figures.legend import Key, legend
from gamma_align.present.figures.overview import overview
from gamma_align.present.figures.palette import Palette
from gamma_align.present.figures.picture import Picture, document, figure
from gamma_align.present.figures.scene import Scene, Window

MAX_DRAWN_UNITS = 10_000
"""With more units in view, a count band replaces the lanes."""
MAX_CHARACTERS = 40_000
"""Longer texts are not shown."""
_MARGIN_WIDTH = 20.0  # pixels
_HEADLINE_HEIGHT = 58.0  # pixels, for the headline and the summary
_GAP_HEIGHT = 12.0  # pixels between the map, the units and the legend
# pixels, unless a width is given
_MIN_WIDTH = 960.0
_MAX_WIDTH = 4000.0
_WIDTH_PER_UNIT = 30.0  # pixels for each unit of the annotator with the most units


def draw(
    scene: Scene,
    *,
    window: Window | None = None,
    width: float,
    palette: Palette,
    selected: int | None = None,
) -> str:
    """Return the picture of a document, or of a part of it, as an ``<svg>`` element.

    Parameters
    ----------
    scene : Scene
        The document to draw.
    window : (float, float), optional
        First and last position to draw; the whole document by default.
    width : float
        Width in pixels.
    palette : Palette
        Colours for a page or for a file.
    selected : int, optional
        The unitary alignment to frame, by its ``data-alignment``.

    Returns
    -------
    str
        Each unit is an element with ``data-unit`` and ``data-alignment`` if at most 2,000 units are in view; grounds,
        bands and boxes of missing units have only ``data-alignment``. ``data-hidden`` lists units that are counted
        instead of drawn.

    Raises
    ------
    SettingsError
        For a window that is empty or outside the document.

    Examples
    --------
    >>> continuum = ga.Continuum.from_records([("ann", 0, 4, "x"), ("ann", 6, 8, "y"), ("bob", 1, 5, "x")])
    >>> scene = Scene.of_alignment(ga.align(continuum), text="word two")
    >>> draw(scene, width=400, palette=Palette(scene.labels, in_page=True)).count("data-unit")
    3
    """
    return figure(document_picture(scene, window=window, width=width, palette=palette, selected=selected), palette)


def document_picture(
    scene: Scene,
    *,
    window: Window | None = None,
    width: float,
    palette: Palette,
    selected: int | None = None,
) -> Picture:
    """Return the picture of a document, or of a part of it; the parameters are as in `draw`."""
    window = scene.window(window)
    group = None if selected is None else selected - scene.address.alignment
    if shows_text(scene, window):
        return interlinear(scene, window=window, width=width, palette=palette, selected=group)
    if len(scene.continuum.annotators) > MAX_LANE_ANNOTATORS or len(scene.in_view(window)) > MAX_DRAWN_UNITS:
        return count_band(scene, window=window, width=width, palette=palette)
    return lanes(scene, window=window, width=width, palette=palette, selected=group)


def picture_svg(scene: Scene, *, window: Window, width: float, palette: Palette) -> str:
    """Return the picture of a part of a document on paper, for where no style draws one."""
    return document(document_picture(scene, window=window, width=width, palette=palette), palette)


def shows_text(scene: Scene, window: Window) -> bool:
    """Return whether the text of a window is known and short enough to be shown."""
    is_short = window[1] - window[0] <= MAX_CHARACTERS and len(scene.in_view(window)) <= MAX_TITLED_UNITS
    return scene.text is not None and is_short


def alignment_svg(
    alignment: Alignment,
    *,
    text: str | None = None,
    window: Window | None = None,
    labels: Sequence[str] | None = None,
    width: float | None = None,
    title: str | None = None,
) -> str:
    """Return the picture of an alignment as an SVG file: a headline, the units, and a legend.

    Parameters
    ----------
    alignment : Alignment
        The alignment to draw.
    text : str, optional
        The text of the document, if units begin and end at code points of it: units are drawn under the words that they
        cover. Without a text, each annotator has a lane along an axis, and bands join aligned units that differ.
    window : (float, float), optional
        First and last position to draw, which a map above shows in the document. The whole document by default.
    labels : sequence of str, optional
        The labels in the order of their colours; the most frequent of the document first by default. Pass the labels of
        the corpus to have the same colours in the pictures of all its documents.
    width : float, optional
        Width in pixels; 960 by default, and more if an annotator has many units.
    title : str, optional
        The headline; the name of the document by default.

    Returns
    -------
    str
        If at most 2,000 units are in view, each is an element, with its row of the continuum as ``data-unit`` and the
        number of its unitary alignment as ``data-alignment``.

    Raises
    ------
    SettingsError
        For a window that is empty or outside the document.

    Examples
    --------
    >>> continuum = ga.Continuum.from_records([("Ann", 0, 10, "x"), ("Bob", 1, 9, "x")])
    >>> picture = ga.alignment_svg(ga.align(continuum), title="An example")
    >>> picture.count("data-unit")
    2
    """
    scene = Scene.of_alignment(alignment, text=text, labels=labels)
    palette = Palette(scene.labels)
    bounds = scene.window(window)
    full_width = _default_width(scene, bounds) if width is None else max(width, 12 * _MARGIN_WIDTH)
    inner_width = full_width - 2 * _MARGIN_WIDTH
    units = document_picture(scene, window=bounds, width=inner_width, palette=palette)
    has_text = shows_text(scene, bounds)
    key = Key(missing=has_text, lone=not has_text and len(alignment.continuum.annotators) <= MAX_LANES)
    pictures = [units, legend(scene, key, window=bounds, width=inner_width, palette=palette)]
    if bounds != scene.continuum.extent:
        pictures.insert(0, overview(scene, window=bounds, width=inner_width, palette=palette))
    headline = scene.continuum.document if title is None else title
    summary = _summary(alignment)
    content = text_element(_MARGIN_WIDTH, 28, printable(headline), size=16, fill=palette["ink"], font_weight="600")
    content += text_element(_MARGIN_WIDTH, 46, summary, size=12, fill=palette["soft"])
    stacked, height = _stack_pictures(pictures)
    sentence = f"{headline}: {summary}. {units.sentence}"
    return document(Picture(content + "\n" + stacked, inner_width + 2 * _MARGIN_WIDTH, height, sentence), palette)


def _stack_pictures(pictures: Iterable[Picture]) -> tuple[str, float]:
    """Return the pictures, one below the other under the headline, as SVG elements, and their bottom edge in pixels."""
    parts = []
    top = _HEADLINE_HEIGHT
    for picture in pictures:
        parts.append(element("g", f"\n{picture.content}\n", transform=f"translate({_MARGIN_WIDTH:.10g} {top:.10g})"))
        top += picture.height + _GAP_HEIGHT
    return "\n".join(parts), top


def _default_width(scene: Scene, window: Window) -> float:
    if shows_text(scene, window):
        return _MIN_WIDTH
    counts = np.bincount(scene.continuum.annotator[scene.in_view(window)])
    return float(min(max(_MIN_WIDTH, counts.max(initial=0) * _WIDTH_PER_UNIT), _MAX_WIDTH))


def _summary(alignment: Alignment) -> str:
    continuum = alignment.continuum
    counts = f"{counted(len(continuum.annotators), 'annotator')} · {counted(len(continuum), 'unit')}"
    if not len(alignment):
        return counts
    proof = "proven optimal" if alignment.is_optimal else f"not proven optimal, gap {alignment.gap:.2%}"
    proof = "given" if math.isnan(alignment.gap) else proof
    aligned = counted(len(alignment), "unitary alignment")
    return f"{counts} · {aligned} · disorder {alignment.disorder:.4f}, {proof}"
