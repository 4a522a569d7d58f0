"""XML files as trees of elements with line numbers. Malformed XML and definitions of entities are refused."""

from __future__ import annotations

import html
import re
from typing import Any
from xml.etree.ElementTree import Element, ParseError, TreeBuilder

from gamma_align.errors import InputError, Location
from gamma_align.reading.files.sources import Source, decoded

_FORBIDDEN_CHARACTER = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# Parsers turn tabs and line breaks in attributes into spaces unless they are written as references.
_BLANK_REFERENCES = {ord(mark): f"&#{ord(mark)};" for mark in "\t\n\r"}


class _Lined(Element):
    """An element with the line of its start tag."""

    line = 0


class _Builder(TreeBuilder):
    """Build elements with their lines."""

    parser: Any

    def start(self, tag: str, attrs: dict[str, str], /) -> Element:
        element = super().start(tag, attrs)
        element.line = self.parser.CurrentLineNumber  # type: ignore[attr-defined]
        return element


def root(source: Source) -> Element:
    """Return the root element of an XML file; `line` returns the line of each element.

    The text is decoded as its XML declaration requires; if that fails, in the encoding given by the user.
    """
    data = source.data()
    if not data.strip():
        raise InputError("the file is empty", "export it again", Location(source.name))
    try:
        return _parse(data, source.name)
    except InputError:
        if source.encoding is None:
            raise
    return _parse(decoded(data, source.name, source.encoding), source.name)


def children(element: Element, *names: str) -> list[Element]:
    """Return the direct children of an element that have one of these names."""
    return [child for child in element if local(child) in names]


def line(element: Element) -> int:
    """Return the line of an element's start tag, 0 for one that `root` did not read."""
    return int(getattr(element, "line", 0))


def local(element: Element) -> str:
    """Return the name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]


def escaped(text: str, subject: str, location: Location | None = None) -> str:
    """Escape a text for an element or attribute, so that reading returns exactly this text.

    `subject` and `location` name the text in messages.
    """
    bad = _FORBIDDEN_CHARACTER.search(text)
    if bad:
        raise InputError(
            f"{subject} {text[:60]!r} has the character {bad.group()!r}, which XML has not", "rename it", location
        )
    return html.escape(text).translate(_BLANK_REFERENCES)


def _parse(data: bytes | str, name: str) -> Element:
    """Return the root element; InputError for invalid XML, and for entities, which could fill the memory."""
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import DefusedXMLParser

    builder = _Builder(element_factory=_Lined)
    parser: Any = DefusedXMLParser(target=builder, forbid_entities=True, forbid_external=True)
    builder.parser = parser.parser
    try:
        parser.feed(data)
        element: Element = parser.close()
    except ParseError as error:
        number, column = error.position
        subject = str(error).partition(": line ")[0]
        raise InputError(
            f"not well-formed XML: {subject} (column {column + 1})",
            "correct the file there or export it again",
            Location(name, number),
        ) from None
    except DefusedXmlException as error:
        entity = getattr(error, "name", None)
        subject = "the XML refers to another file" if entity is None else f"the XML defines the entity {entity!r}"
        raise InputError(
            f"{subject}, which is not read",
            "replace the entity by the text that it stands for",
            Location(name, parser.parser.CurrentLineNumber),
        ) from None
    except (ValueError, LookupError, Warning) as error:  # declared encodings that are none for expat, or for Python
        raise InputError(
            f"its declared encoding is not read: {error}", "save the file as UTF-8", Location(name)
        ) from None
    return element
