"""A picture: elements of a size, with one sentence that says what is seen; and pictures as SVG."""

from __future__ import annotations

import zlib
from typing import NamedTuple

from gamma_align.present.figures.elements import element, pixels, xml_text
from gamma_align.present.figures.palette import Palette

_FONT = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"


class Picture(NamedTuple):
    """SVG elements from (0, 0) to (width, height), and the sentence for those who do not see them."""

    content: str
    width: float
    height: float
    sentence: str


def figure(picture: Picture, palette: Palette, *, hidden: bool = False) -> str:
    """Return the picture as an ``<svg>`` element.

    In a page, the page has the patterns (`Palette.definitions`); elsewhere the element has its own, with ids that those
    of other pictures beside it do not have. `hidden` ones are left out for screen readers: the words stand beside them.
    """
    speech = {"aria_hidden": "true"} if hidden else {"role": "img", "aria_label": picture.sentence}
    width, height = pixels(picture.width), pixels(picture.height)
    attributes = {"width": width, "height": height, "viewBox": f"0 0 {width} {height}", **speech}
    if palette.in_page:
        return element("svg", picture.content, **attributes)
    content = palette.definitions(picture.content) + picture.content
    own = f"p{zlib.crc32(content.encode()):08x}"
    content = content.replace(f'id="{palette.prefix}-', f'id="{own}-').replace(f"(#{palette.prefix}-", f"(#{own}-")
    return element("svg", content, xmlns="http://www.w3.org/2000/svg", **attributes, font_family=_FONT)


def document(picture: Picture, palette: Palette) -> str:
    """Return the picture as a whole SVG file, with its sentence as title, on paper."""
    paper = element("rect", width=picture.width, height=picture.height, fill=palette["paper"])
    title = element("title", xml_text(picture.sentence))
    return figure(picture._replace(content=f"\n{title}\n{paper}\n{picture.content}\n"), palette) + "\n"
