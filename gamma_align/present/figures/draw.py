"""`draw`: a scene in the form that its text, its annotators and its units allow; `alignment_svg`: as a whole file.

| annotators | text                       | time, or no text                     |
|------------|----------------------------|--------------------------------------|
| 2 to 7     | a lane each under the text | lanes with labels, curved bands      |
| 8 to 20    | low lanes with numbers     | low lanes, straight bands            |
| 21 to 100  | a count band               | rows, similar ones beside each other |
| over 100   | a count band               | a count band                         |

With more than 2,000 units in view, or 40,000 characters, text is not shown; with more than 10,000, the count band is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from gamma_align.alignment.align import Alignment
from gamma_align.data.wording import counted, printable
from gamma_align.present.figures.count_band import count_band
from gamma_align.present.figures.elements import element, text_element
from gamma_align.present.figures.interlinear import MOST_LANES, interlinear
from gamma_align.present.figures.lanes import MOST_ROWS_OF_PEOPLE, MOST_TITLED, lanes
from gamma_align.present.figures.legend import Key, legend
from gamma_align.present.figures.overview import overview
from gamma_align.present.figures.palette import Palette
from gamma_align.present.figures.picture import Picture, document, figure
from gamma_align.present.figures.scene import Scene, Window

MOST_DRAWN = 10_000
"""More units in view are counted, not drawn."""
MOST_CHARACTERS = 40_000
"""Longer stretches of text are not shown."""
_MARGIN = 20.0
_HEAD = 58.0
_GAP = 12.0
_NARROWEST, _WIDEST, _PER_UNIT = 960.0, 4000.0, 30.0


def draw(
    scene: Scene,
    *,
    window: Window | None = None,
    width: float,
    palette: Palette,
    selected: int | None = None,
    text: bool = True,
) -> str:
    """Return the picture of a document, or of a stretch of it, as an ``<svg>`` element.

    Parameters
    ----------
    scene : Scene
        What to draw.
    window : (float, float), optional
        From where to where; the whole document by default.
    width : float
        In pixels.
    palette : Palette
        Its colours, those of a page or of a file.
    selected : int, optional
        The unitary alignment to frame, as ``data-alignment`` numbers it.
    text : bool
        Whether the text is shown, where it is known.

    Returns
    -------
    str
        Each unit is an element with ``data-unit`` and ``data-alignment``, as long as there are at most 2,000 in view;
        grounds, bands and boxes of missing units have the latter alone. ``data-hidden`` names units only counted.

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
    return figure(body(scene, window=window, width=width, palette=palette, selected=selected, text=text), palette)


def body(
    scene: Scene,
    *,
    window: Window | None = None,
    width: float,
    palette: Palette,
    selected: int | None = None,
    text: bool = True,
) -> Picture:
    """Return what `draw` makes an element of."""
    window = scene.window(window)
    chosen = None if selected is None else selected - scene.address.alignment
    if text and shows_text(scene, window):
        return interlinear(scene, window=window, width=width, palette=palette, selected=chosen)
    if len(scene.continuum.annotators) > MOST_ROWS_OF_PEOPLE or len(scene.in_view(window)) > MOST_DRAWN:
        return count_band(scene, window=window, width=width, palette=palette)
    return lanes(scene, window=window, width=width, palette=palette, selected=chosen)


def shows_text(scene: Scene, window: Window) -> bool:
    """Return whether the text of a window is known and short enough to be shown."""
    short = window[1] - window[0] <= MOST_CHARACTERS and len(scene.in_view(window)) <= MOST_TITLED
    return scene.text is not None and short


def alignment_svg(
    alignment: Alignment,
    *,
    text: str | None = None,
    window: Window | None = None,
    labels: Sequence[str] | None = None,
    width: float | None = None,
    title: str | None = None,
) -> str:
    """Return the picture of an alignment as a whole SVG file: a headline, the units, and a legend.

    Parameters
    ----------
    alignment : Alignment
        What to draw.
    text : str, optional
        The text of the document, whose code points bounds count: then units stand under the words they cover. Without
        it, an axis has a lane for each annotator, and bands join units that are aligned and differ.
    window : (float, float), optional
        From where to where to draw; a map above shows where that is. The whole document by default.
    labels : sequence of str, optional
        The labels in the order of their colours; by default the most frequent in the document comes first. Give that of
        the corpus to have the same colours on pictures of all its documents.
    width : float, optional
        Width in pixels; without it, 960, more for annotators with many units.
    title : str, optional
        Headline; the name of the document by default.

    Returns
    -------
    str
        Units are elements with their row of the continuum as ``data-unit`` and the number of their unitary alignment as
        ``data-alignment``, as long as there are at most 2,000 in view.

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
    wide = (_fitting_width(scene, bounds) if width is None else max(width, 12 * _MARGIN)) - 2 * _MARGIN
    drawn = body(scene, window=bounds, width=wide, palette=palette)
    with_text = shows_text(scene, bounds)
    key = Key(missing=with_text, lone=not with_text and len(alignment.continuum.annotators) <= MOST_LANES)
    pictures = [drawn, legend(scene, key, window=bounds, width=wide, palette=palette)]
    if bounds != scene.continuum.extent:
        pictures.insert(0, overview(scene, window=bounds, width=wide, palette=palette))
    head = scene.continuum.document if title is None else title
    summary = _summary(alignment)
    content = text_element(_MARGIN, 28, printable(head), size=16, fill=palette["ink"], font_weight="600")
    content += text_element(_MARGIN, 46, summary, size=12, fill=palette["soft"])
    below, height = _below_each_other(pictures)
    sentence = f"{head}: {summary}. {drawn.sentence}"
    return document(Picture(content + "\n" + below, wide + 2 * _MARGIN, height, sentence), palette)


def _below_each_other(pictures: Iterable[Picture]) -> tuple[str, float]:
    """Return the elements of pictures, one below the other under the headline, and where they end."""
    parts, top = [], _HEAD
    for picture in pictures:
        parts.append(element("g", f"\n{picture.content}\n", transform=f"translate({_MARGIN:.10g} {top:.10g})"))
        top += picture.height + _GAP
    return "\n".join(parts), top


def _fitting_width(scene: Scene, window: Window) -> float:
    if shows_text(scene, window):
        return _NARROWEST
    counts = np.bincount(scene.continuum.annotator[scene.in_view(window)])
    return float(min(max(_NARROWEST, counts.max(initial=0) * _PER_UNIT), _WIDEST))


def _summary(alignment: Alignment) -> str:
    continuum = alignment.continuum
    counts = f"{counted(len(continuum.annotators), 'annotator')} · {counted(len(continuum), 'unit')}"
    if not len(alignment):
        return counts
    proof = "proven optimal" if alignment.is_optimal else f"not proven optimal, gap {alignment.gap:.2%}"
    proof = "given" if math.isnan(alignment.gap) else proof
    aligned = counted(len(alignment), "unitary alignment")
    return f"{counts} · {aligned} · disorder {alignment.disorder:.4f}, {proof}"
