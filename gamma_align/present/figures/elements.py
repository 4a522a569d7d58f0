"""Building blocks of pictures: SVG elements with safe text."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from html import escape

from gamma_align.data import display_width, printable

# XML 1.0 cannot contain these characters, not even escaped, or discourages them (controls)
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_BLANKS = re.compile("[\t\n\r]")
_MAX_FAST = 1e7  # pixels; below, two decimals are at most ten digits, and no power of ten is needed
_CHARACTER_WIDTH = 0.6  # mean width of a character, as a share of the font size

Attributes = dict[str, str | float]
"""Attributes of an element by name, with ``_`` for ``-``."""


@lru_cache(maxsize=4096)  # attributes repeat few colours and classes
def xml_text(text: str) -> str:
    """Return the text escaped for an element or a quoted attribute; impossible characters are replaced by �."""
    return escape(_FORBIDDEN.sub("\ufffd", _BLANKS.sub(" ", text)), quote=True)


def element(name: str, content: str | None = None, **attributes: str | float) -> str:
    """Return an element; `content` is XML and is not escaped, attributes are; ``_`` in their names becomes ``-``."""
    pairs = "".join(
        [
            f' {_attribute_name(key)}="{xml_text(value) if isinstance(value, str) else pixels(value)}"'
            for key, value in attributes.items()
        ]
    )
    return f"<{name}{pairs}/>" if content is None else f"<{name}{pairs}>{content}</{name}>"


@lru_cache(maxsize=256)
def _attribute_name(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def pixels(value: float) -> str:
    """Return a coordinate with at most two decimals."""
    if not -_MAX_FAST < value < _MAX_FAST:
        return format(round(value, 2) + 0.0, ".10g")
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def text_element(
    x: float, y: float, text: str, *, size: float = 12.0, fill: str, anchor: str = "start", **attributes: str
) -> str:
    """Return a ``<text>`` element with the text escaped."""
    return element("text", xml_text(text), x=x, y=y, font_size=size, fill=fill, text_anchor=anchor, **attributes)


def text_width(text: str, size: float) -> float:
    """Return the approximate width of a text in pixels."""
    return display_width(text) * size * _CHARACTER_WIDTH


def shortened(text: str, max_length: int) -> str:
    """Return a text cut to at most `max_length` characters."""
    text = printable(text)
    return text if len(text) <= max_length else text[: max_length - 1] + "…"


def round_step(minimum: float) -> float:
    """Return the smallest of …, 1, 2, 5, 10, 20, … that is at least `minimum`."""
    power: float = 10.0 ** math.floor(math.log10(minimum))
    # the tolerance keeps a rounding error in `minimum` from doubling the step
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= minimum * (1 - 1e-9))
