"""Text that is safe inside XML."""

from __future__ import annotations

import re
from html import escape

# what XML 1.0 cannot hold at all, not even escaped, and the controls it discourages
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_BLANKS = re.compile("[\t\n\r]")


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
