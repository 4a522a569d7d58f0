"""The text of a TEI document, where its elements are in it, and what pointers into it mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from gamma_align.io.files.json_files import FaultError
from gamma_align.io.files.xml_files import local

ID = "{http://www.w3.org/XML/1998/namespace}id"

Span = tuple[int, int]

_CHAR = re.compile(r"(?:([^#]*)#)?char=(\d{1,15})(?:,(\d{1,15}))?", re.ASCII)
_SHOWN = 40


@dataclass(slots=True)
class Text:
    """The characters of a document and the elements in it.

    Attributes
    ----------
    characters : str
        Its text: what stands in its elements, one after another, as it stands there.
    inline : list of [Element, int, int]
        Each element in it with its bounds, in the order of the starts.
    places : dict of str to (int, int)
        ``xml:id`` to the bounds of its element.
    """

    characters: str = ""
    inline: list[tuple[Element, int, int]] = field(default_factory=list)
    places: dict[str, Span] = field(default_factory=dict)


def text_of(root: Element, is_left_out: Callable[[Element], bool]) -> Text:
    """Return the text within an element; elements that are left out, with all in them, are not of it.

    However deep elements are in one another, there is no recursion.
    """
    pieces = [root.text or ""]
    at = len(pieces[0])
    starts: list[tuple[Element, int]] = []
    ends: dict[Element, int] = {}
    open_: list[tuple[Element, Iterator[Element]]] = [(root, iter(root))]
    while open_:
        element, children = open_[-1]
        child = next(children, None)
        if child is None:
            open_.pop()
            ends[element] = at
            added = (element.tail or "") if open_ else ""
        elif is_left_out(child):
            added = child.tail or ""
        else:
            starts.append((child, at))
            open_.append((child, iter(child)))
            added = child.text or ""
        pieces.append(added)
        at += len(added)
    inline = [(element, start, ends[element]) for element, start in starts]
    places = {name: (start, end) for element, start, end in inline if (name := element.get(ID)) is not None}
    return Text("".join(pieces), inline, places)


def attribute(element: Element, name: str) -> str | None:
    """Return an attribute by its name, with or without its prefix."""
    name = name.rpartition(":")[2]
    if name in element.attrib:
        return element.attrib[name]
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), None)


def pointers(element: Element) -> list[str]:
    """Return what the ``ptr`` elements in an element point to."""
    return [child.get("target", "") for child in element if local(child) == "ptr"]


def counts_characters(pointer: str) -> bool:
    """Whether a pointer counts characters (RFC 5147), here or elsewhere."""
    return _CHAR.fullmatch(pointer) is not None


def leads_out(pointer: str) -> bool:
    """Whether a pointer counts characters of a text outside the file."""
    fits = _CHAR.fullmatch(pointer)
    return fits is not None and bool(fits[1])


def spans_of(elements: list[Element], text: Text) -> list[Span]:
    """Return the bounds of all that stand-off elements point to, neighbours joined."""
    return _joined([span for element in elements for span in _own_spans(element, text)], text)


def _own_spans(element: Element, text: Text) -> list[Span]:
    """Return the bounds of what one element points to: with ``ptr``, ``from`` and ``to``, or ``target``."""
    first = element.get("from")
    if first is not None:
        return [(_span(first, text)[0], _span(element.get("to", first), text)[1])]
    targets = [word for pointer in pointers(element) for word in pointer.split()] or element.get("target", "").split()
    if not targets:
        raise FaultError(f"<{local(element)}> points to nothing; give it from and to, or target")
    return [_span(word, text) for word in targets]


def _span(pointer: str, text: Text) -> Span:
    fits = _CHAR.fullmatch(pointer)
    if fits:
        return int(fits[2]), int(fits[3] or fits[2])
    span = text.places.get(pointer.rpartition("#")[2]) if "#" in pointer else None
    if span is None:
        raise FaultError(
            f"{pointer[:_SHOWN]!r} points to nothing in the text; a pointer is '#' and the xml:id of an element of "
            "it, or 'char=start,end'"
        )
    return span


def _joined(spans: list[Span], text: Text) -> list[Span]:
    """Return bounds in order, those that overlap or have nothing but blanks between them as one."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        before = joined[-1] if joined else None
        if before is not None and (start <= before[1] or text.characters[before[1] : start].isspace()):
            joined[-1] = (before[0], max(end, before[1]))
        else:
            joined.append((start, end))
    return joined
