"""Building blocks of pictures: SVG elements with safe text."""

from __future__ import annotations

import math
import re
from html import escape

from gamma_align.data.wording import display_width, printable

# what XML 1.0 cannot hold at all, not even escaped, and the controls it discourages
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_BLANKS = re.compile("[\t\n\r]")
_CHARACTER = 0.6

Attributes = dict[str, str | float]
"""Attributes of an element by their names, ``_`` for ``-``."""


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
    x: float, y: float, text: str, *, size: float = 12.0, fill: str, anchor: str = "start", **more: str
) -> str:
    """Return a line of text; its characters are escaped."""
    return element("text", xml_text(text), x=x, y=y, font_size=size, fill=fill, text_anchor=anchor, **more)


def text_width(text: str, size: float) -> float:
    """Return about how wide a text is, in pixels."""
    return display_width(text) * size * _CHARACTER


def shortened(text: str, most: int) -> str:
    """Return a name in at most so many characters."""
    text = printable(text)
    return text if len(text) <= most else text[: most - 1] + "…"


def round_step(least: float) -> float:
    """Return the smallest of …, 1, 2, 5, 10, 20, … that is at least `least`."""
    power: float = 10.0 ** math.floor(math.log10(least))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= least * (1 - 1e-9))
