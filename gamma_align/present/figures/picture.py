"""A picture: SVG elements with a size and a sentence for screen readers; and its rendering as SVG."""

from __future__ import annotations

import zlib
from functools import lru_cache
from typing import NamedTuple

from gamma_align.present.figures.elements import element, pixels, xml_text
from gamma_align.present.figures.palette import Palette

# fonts of the operating system, since an SVG file embeds none
_FONT_FAMILY = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"


class Picture(NamedTuple):
    """SVG elements from (0, 0) to (width, height), and a sentence for screen readers."""

    content: str
    width: float
    height: float
    sentence: str


def figure(picture: Picture, palette: Palette, *, hidden: bool = False) -> str:
    """Return the picture as an ``<svg>`` element.

    In a page, the page defines the patterns (`Palette.definitions`). Otherwise the element defines its own, with ids
    that differ from the ids of other pictures. Screen readers skip a `hidden` picture, beside which the page has the
    same information in words.
    """
    if hidden and palette.in_page:
        return f"{_hidden_head(picture.width, picture.height)}{picture.content}</svg>"
    description = {"aria_hidden": "true"} if hidden else {"role": "img", "aria_label": picture.sentence}
    width = pixels(picture.width)
    height = pixels(picture.height)
    attributes = {"width": width, "height": height, "viewBox": f"0 0 {width} {height}", **description}
    if palette.in_page:
        return element("svg", picture.content, **attributes)
    content = palette.definitions(picture.content) + picture.content
    # a checksum makes the ids unique in a notebook with several pictures, and equal from run to run
    prefix = f"p{zlib.crc32(content.encode()):08x}"
    content = content.replace(f'id="{palette.prefix}-', f'id="{prefix}-').replace(
        f"(#{palette.prefix}-", f"(#{prefix}-"
    )
    return element("svg", content, xmlns="http://www.w3.org/2000/svg", **attributes, font_family=_FONT_FAMILY)


@lru_cache(maxsize=64)  # a page has thousands of hidden pictures, of few sizes
def _hidden_head(width: float, height: float) -> str:
    size = f'width="{pixels(width)}" height="{pixels(height)}" viewBox="0 0 {pixels(width)} {pixels(height)}"'
    return f'<svg {size} aria-hidden="true">'


def document(picture: Picture, palette: Palette) -> str:
    """Return the picture as an SVG file with a paper background and the sentence as its title."""
    paper = element("rect", width=picture.width, height=picture.height, fill=palette["paper"])
    title = element("title", xml_text(picture.sentence))
    return figure(picture._replace(content=f"\n{title}\n{paper}\n{picture.content}\n"), palette) + "\n"
