"""TEI, and other XML with the annotation in it: the user names the elements that are annotation.

Conventions
-----------
* A layer is an element by its name: ``layers="persName"``. Without a choice all elements are listed. The category is
  the name of the element, or an attribute (``"rs:type"``); ``text()`` is what stands in the element. An attribute
  that points (``ana="#x #y"``) is a category each; one that points to a feature structure ``fs`` is its type, or the
  value of one of its features (``"span:ana/pos"``).
* Elements within ``text`` are inline annotation: the text is what stands in it, character by character, and their
  bounds are those of their content; fragments linked by `next` or `prev` are one discontinuous unit.
* ``span`` and ``annotation`` with `from` (and `to`) or `target`, and elements with a ``ptr`` to ``char=…``, are
  stand-off annotation; what stands in them is no text. ``char=`` counts characters of a text outside the file, the
  ``.txt`` of the same name where there is one; in CATMA's export, UTF-16 code units, and an ``fs`` is one unit.
* Annotators have a copy each; or ``options={"annotator": "resp"}`` names the attribute (of the element, or what it is
  in) that tells them. Several of them are not taken for one: they are refused where the option is not given.
* Other options: "text", the element whose content is the text ("body"); "without", elements whose content is no text
  ("note,fw"); "standoff", the names of stand-off elements.

References
----------
https://tei-c.org/release/doc/tei-p5-doc/en/html/SA.html (§17: linking, segmentation, alignment; att.spanning, standOff)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.etree.ElementTree import Element

from gamma_align.errors import InputError, SettingsError
from gamma_align.io.files import json_files, xml_files
from gamma_align.io.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.io.formats.tei.text import (
    ID,
    Text,
    attribute,
    counts_characters,
    leads_out,
    pointers,
    spans_of,
    text_of,
)

_ROOT = re.compile(r"<(?:[\w.-]+:)?(?:TEI|teiCorpus|TEI\.2|teiCorpus\.2)[\s/>]")
_OPTIONS = {
    "annotator": "attribute that tells who annotated, such as 'resp'",
    "text": "element whose content is the text, 'text' by default",
    "without": "elements whose content is no text, such as 'note,fw'",
    "standoff": "elements that point to what they annotate, 'span,annotation' by default",
}
_RESP, _AUTHOR = "resp", "ana/catma_markupauthor"
_NO_TEXT = ("teiHeader", "standOff", "fs", "fsdDecl", "encodingDesc")


def _matches(head: Head) -> bool:
    return head.suffix in (".xml", ".tei") and _ROOT.search(head.text) is not None


@dataclass(slots=True)
class _Document:
    """One document while it is read."""

    root: Element
    name: str | None
    marks: Marks
    choices: Choices
    chosen: Mapping[str, Any]
    text: Text = field(default_factory=Text)
    ids: dict[str, Element] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    people: dict[Element, str | None] = field(default_factory=dict)
    responsible: dict[str, tuple[Element, str]] = field(default_factory=dict)
    without: Counter[tuple[str, str]] = field(default_factory=Counter)
    attributes: dict[str, dict[str, None]] = field(default_factory=dict)


def _read(source: Source, choices: Choices) -> Iterable[Marks]:
    chosen = choices.options
    for option, value in chosen.items():
        if not isinstance(value, str):
            raise SettingsError(f"options={{{option!r}: {value!r}}}: {_OPTIONS[option]}, in a string")
    root = xml_files.root(source)
    marks = Marks(source.name)
    for name, element in _documents(root, source.stem):
        document = _Document(element, name, marks, choices, chosen)
        _index(document)
        beside = source.beside(f"{source.stem}.txt") if name is None else None
        _one(document, None if beside is None else beside.text())
        _note_and_refuse(document)
    return (marks,)


def _documents(root: Element, stem: str) -> Iterator[tuple[str | None, Element]]:
    """Yield the documents of a corpus with their names; the only one has that of the file."""
    if not xml_files.local(root).startswith("teiCorpus"):
        yield None, root
        return
    seen: Counter[str] = Counter()
    for number, each in enumerate((child for child in root.iter() if xml_files.local(child) in ("TEI", "TEI.2")), 1):
        name = each.get(ID) or each.get("n") or f"{stem}-{number}"
        seen[name] += 1
        yield name if seen[name] == 1 else f"{name} ({seen[name]})", each


def _index(document: _Document) -> None:
    """Find what pointers point to, and who annotated what."""
    wanted = document.chosen.get("annotator", _RESP)
    for element in document.root.iter():
        name = element.get(ID)
        if name is not None:
            document.ids.setdefault(name, element)
        if xml_files.local(element) == "fsDecl" and element.get("type"):
            description = next((child.text or "" for child in element if xml_files.local(child) == "fsDescr"), "")
            document.kinds[element.get("type", "")] = description.strip() or element.get("type", "")
        if "/" not in wanted:
            own = attribute(element, wanted)
            document.people[element] = own if own is not None else document.people.get(element)
            for child in element:
                document.people[child] = document.people[element]


def _one(document: _Document, beside: str | None) -> None:
    """Add the units of one document: of elements in its text, and of those that point to it."""
    names = _names(document.chosen.get("standoff", "span,annotation"))
    without = _names(document.chosen.get("without", "")) | set(_NO_TEXT)
    pointing = [element for element in document.root.iter() if _is_pointing(element, names)]
    apart = set(pointing)
    text = text_of(_content(document), lambda element: element in apart or xml_files.local(element) in without)
    every = [pointer for element in pointing for pointer in _pointers(element)]
    marks = document.marks
    if "annotator" not in document.chosen:
        marks.annotated(document.name)
    if any(map(leads_out, every)) or (not text.characters.strip() and any(map(counts_characters, every))):
        text = Text()
        if any(pointer.startswith("catma:") for pointer in every):
            marks.offsets = "utf-16"
        if beside is not None:
            marks.texts[document.name, None] = beside
    else:
        marks.texts[document.name, None] = text.characters
    parts = _linked([element for element, _, _ in text.inline])
    for element, start, end in text.inline:
        _add(document, element, [(start, end)], parts.get(element))
    for elements, word in _instances(document, pointing):
        with json_files.as_problem(marks, xml_files.line(elements[0])):
            spans = spans_of(elements, text)
            _add(document, elements[0], spans, f"unit {len(marks)}" if len(spans) > 1 else None, word)


def _names(listing: str) -> set[str]:
    return {name.strip() for name in listing.split(",")} - {""}


def _is_pointing(element: Element, names: set[str]) -> bool:
    if xml_files.local(element) in names and not {"from", "target"}.isdisjoint(element.attrib):
        return True
    return any(map(counts_characters, pointers(element))) and element.get("ana") is not None


def _pointers(element: Element) -> list[str]:
    return [*pointers(element), *(element.get(name, "") for name in ("from", "to", "target"))]


def _content(document: _Document) -> Element:
    """Return the element whose content is the text."""
    wanted = document.chosen.get("text", "text")
    content = next((element for element in document.root.iter() if xml_files.local(element) == wanted), None)
    if content is None and "text" in document.chosen:
        raise InputError(f"{document.marks.file}: no element <{wanted}>, which options={{'text': {wanted!r}}} names")
    return document.root if content is None else content


def _linked(elements: list[Element]) -> dict[Element, str]:
    """Return a name for each element that is a fragment, the same for those that `next` and `prev` link."""
    before: dict[str, str] = {}

    def head(name: str) -> str:
        while name in before:
            before[name] = before.get(before[name], before[name])
            name = before[name]
        return name

    for element in elements:
        own = element.get(ID)
        for way in ("next", "prev"):
            linked = element.get(way, "").rpartition("#")[2]
            if own and linked and head(own) != head(linked):
                before[head(linked)] = head(own)
    heads = set(before.values())
    named = [(element, element.get(ID, "")) for element in elements]
    return {element: f"#{head(name)}" for element, name in named if name in before or name in heads}


def _instances(document: _Document, pointing: list[Element]) -> Iterator[tuple[list[Element], str | None]]:
    """Yield the elements of each unit; in CATMA's export those with one feature structure are one."""
    together: dict[tuple[str, str], list[Element]] = {}
    for element in pointing:
        words = [word for word in element.get("ana", "").split() if _is_structure(document, word)]
        if not pointers(element) or not words:
            yield [element], None
            continue
        for word in words:
            together.setdefault((xml_files.local(element), word), []).append(element)
    for (_, word), elements in together.items():
        yield elements, word


def _is_structure(document: _Document, word: str) -> bool:
    target = document.ids.get(word.rpartition("#")[2])
    return target is not None and xml_files.local(target) == "fs"


def _add(
    document: _Document, element: Element, spans: list[tuple[int, int]], part: str | None, word: str | None = None
) -> None:
    """Add the units of an element, one for each of its categories; `word` is the feature structure that is meant."""
    annotator = _annotator(document, element, word)
    if "annotator" not in document.chosen:
        if annotator is not None and document.choices.wants(xml_files.local(element)):
            document.responsible.setdefault(annotator, (element, _RESP if word is None else _AUTHOR))
        annotator = None
    elif annotator is None:
        _refuse_nobody(document, element)
        return
    for at, category in enumerate(_categories(document, element, word)):
        for start, end in spans:
            document.marks.unit(
                start,
                end,
                category,
                where=xml_files.line(element),
                document=document.name,
                annotator=annotator,
                layer=xml_files.local(element),
                part=None if part is None else f"{part} {at}",
            )


def _refuse_nobody(document: _Document, element: Element) -> None:
    """Add the problem that an element has no annotator, if its layer was asked for by name."""
    layer, layers = xml_files.local(element), document.choices.layers
    if layers is not None and layer in layers:
        document.marks.problem(
            xml_files.line(element),
            f"nothing says who annotated the <{layer}>: it has nothing at {document.chosen['annotator']!r}; add it",
        )


def _annotator(document: _Document, element: Element, word: str | None) -> str | None:
    wanted = document.chosen.get("annotator", _RESP if word is None else _AUTHOR)
    if "/" in wanted:
        return next(iter(_values(document, element, wanted, word)), None)
    person = document.people.get(element)
    return None if person is None else person.removeprefix("#").strip() or None


def _categories(document: _Document, element: Element, word: str | None = None) -> list[str | None]:
    """Return the categories of an element, one for each thing that its attribute points to."""
    layer = xml_files.local(element)
    wanted = document.choices.feature(layer)
    if not document.choices.wants(layer):
        return [None]  # a unit that nobody reads, but counted among the layers there are
    if wanted is None:
        return list(_values(document, element, "ana", word)) if word is not None else [layer]
    document.attributes.setdefault(layer, {}).update(dict.fromkeys(key.rpartition("}")[2] for key in element.attrib))
    categories: list[str | None] = list(_values(document, element, wanted, word))
    if not categories:
        document.without[layer, wanted] += 1
    return categories or [None]


def _values(document: _Document, element: Element, wanted: str, word: str | None) -> Iterator[str]:
    """Yield what an attribute says, or the feature structures that it points to."""
    if wanted == "text()":
        yield " ".join("".join(element.itertext()).split())
        return
    name, _, feature = wanted.partition("/")
    value = attribute(element, name)
    if value is None:
        return
    if not value.lstrip().startswith("#"):
        yield value
        return
    for each in [word] if word is not None and name == "ana" else value.split():
        target = document.ids.get(each.rpartition("#")[2])
        if target is None or xml_files.local(target) != "fs":
            yield each.rpartition("#")[2]
        elif feature:
            yield from _feature(target, feature)
        else:
            kind = target.get("type")
            yield document.kinds.get(kind, kind) if kind is not None else each.rpartition("#")[2]


def _feature(structure: Element, name: str) -> Iterator[str]:
    """Yield the values of a feature of a feature structure."""
    for child in structure:
        if xml_files.local(child) == "f" and child.get("name") == name:
            for value in child.iter():
                text = value.get("value") or (value.text or "").strip()
                if text:
                    yield text


def _note_and_refuse(document: _Document) -> None:
    """Note what has no category; refuse to take several people for one."""
    if len(document.responsible) > 1 and document.choices.annotator is None:
        names = list(document.responsible)
        element, option = document.responsible[names[1]]
        raise InputError(
            f"{document.marks.file}, line {xml_files.line(element)}: elements are by "
            f"{', '.join(map(repr, names[:5]))}; read these as annotators with "
            f"options={{'annotator': {option!r}}} (--option annotator={option}), or all "
            "as one with annotator= (--annotators-from '{file}')"
        )
    for (layer, wanted), count in document.without.items():
        there = ", ".join(map(repr, document.attributes[layer])) or "none"
        document.marks.note(
            f"{count} <{layer}> have nothing at {wanted!r}, and no category; attributes there are {there}"
        )


FORMAT = FileFormat(
    "tei",
    "TEI (elements named by layers=)",
    (".xml", ".tei"),
    _matches,
    _read,
    beside=(".txt", ".rng", ".xsl", ".css", ".odd"),
    options=_OPTIONS,
)
