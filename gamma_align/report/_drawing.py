"""Building blocks of pictures: SVG elements with safe text, and colours.

Categories have colours that people with any colour vision tell apart; disorder goes from grey to red.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Sequence
from html import escape

INK, FAINT, GRID, PAPER = "#1f2933", "#66707c", "#e4e8ee", "#ffffff"
NO_LABEL = "#8796a8"

# Okabe & Ito 2008 without black, then Tol 2021 "muted" for more than seven
_CATEGORIES = (
    *("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442"),
    *("#332288", "#88ccee", "#117733", "#ddcc77", "#cc6677", "#882255", "#aa4499"),
)
_DISORDER = ((0.0, (150, 165, 182)), (0.5, (226, 158, 74)), (1.0, (176, 24, 43)))
_DARK_TEXT_FROM = 0.22

# what XML 1.0 cannot hold at all, not even escaped, and the controls it discourages
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_BLANKS = re.compile("[\t\n\r]")
_FONT = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"


def xml_text(text: str) -> str:
    """Return the text escaped for an element or a quoted attribute; impossible characters become �."""
    return escape(_FORBIDDEN.sub("\ufffd", _BLANKS.sub(" ", text)), quote=True)


def element(name: str, content: str | None = None, **attributes: str | float) -> str:
    """Return an element; `content` is XML already, attributes are escaped, ``_`` in names becomes ``-``."""
    pairs = "".join(f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"' for key, value in attributes.items())
    return f"<{name}{pairs}/>" if content is None else f"<{name}{pairs}>{content}</{name}>"


def _value(value: str | float) -> str:
    return xml_text(value) if isinstance(value, str) else pixels(value)


def pixels(value: float) -> str:
    """Return a coordinate with at most two decimals."""
    return format(round(value, 2) + 0.0, ".10g")


def text_element(
    x: float, y: float, text: str, *, size: float = 12.0, fill: str = INK, anchor: str = "start", **more: str
) -> str:
    """Return a line of text; its characters are escaped."""
    return element("text", xml_text(text), x=x, y=y, font_size=size, fill=fill, text_anchor=anchor, **more)


def round_step(least: float) -> float:
    """Return the smallest of …, 1, 2, 5, 10, 20, … that is at least `least`."""
    power: float = 10.0 ** math.floor(math.log10(least))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= least * (1 - 1e-9))


def svg_document(parts: Iterable[str], label: str, width: float, height: float) -> str:
    """Return a whole SVG document with the parts that are not empty; `label` is what screen readers say."""
    size = f'width="{pixels(width)}" height="{pixels(height)}" viewBox="0 0 {pixels(width)} {pixels(height)}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{xml_text(label)}" '
        f'font-family="{xml_text(_FONT)}">\n'
        + "\n".join([element("title", xml_text(label)), *filter(None, parts)])
        + "\n</svg>\n"
    )


def category_colours(used: Sequence[str], known: Sequence[str]) -> dict[str, str]:
    """Return a colour for each label: by its number in the corpus, if that has few, so that documents agree."""
    order = known if len(known) <= len(_CATEGORIES) else used
    return {label: _shade(order.index(label)) for label in used}


def _shade(number: int) -> str:
    """Return the colour of a number; past the palette the colours come again, lighter each time."""
    cycle, index = divmod(number, len(_CATEGORIES))
    towards_white = 1 - 0.6**cycle
    return _hex([channel + (255 - channel) * towards_white for channel in _channels(_CATEGORIES[index])])


def disorder_colour(part: float) -> str:
    """Return the colour of a disorder, `part` from 0 (none) to 1 (as bad as an empty unit) or more."""
    part = min(max(part, 0.0), 1.0)
    for (low, first), (high, second) in itertools.pairwise(_DISORDER):
        if part <= high:
            weight = (part - low) / (high - low)
            return _hex([a + (b - a) * weight for a, b in zip(first, second, strict=True)])
    return _hex(_DISORDER[-1][1])


def text_on(colour: str) -> str:
    """Return the colour of text that is readable on `colour`."""
    linear = [(channel / 255) ** 2.2 for channel in _channels(colour)]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return INK if luminance > _DARK_TEXT_FROM else PAPER


def _channels(colour: str) -> list[int]:
    return [int(colour[start : start + 2], 16) for start in (1, 3, 5)]


def _hex(channels: Sequence[float]) -> str:
    return "#" + "".join(f"{round(channel):02x}" for channel in channels)
