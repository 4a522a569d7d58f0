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
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element

from gamma_align.data.problem import few
from gamma_align.errors import InputError, SettingsError
from gamma_align.io.files.json_files import FaultError, as_problem
from gamma_align.io.files.xml_files import children, line, local, root
from gamma_align.io.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.io.marks.texts import joined

_ID = "{http://www.w3.org/XML/1998/namespace}id"
_ROOT = re.compile(r"<(?:[\w.-]+:)?(?:TEI|teiCorpus|TEI\.2|teiCorpus\.2)[\s/>]")
_OPTIONS = {
    "annotator": "attribute that tells who annotated, such as 'resp'",
    "text": "element whose content is the text, 'text' by default",
    "without": "elements whose content is no text, such as 'note,fw'",
    "standoff": "elements that point to what they annotate, 'span,annotation' by default",
}
_CHAR = re.compile(r"(?:([^#]*)#)?char=(\d{1,15})(?:,(\d{1,15}))?", re.ASCII)
_SHOWN = 40
_SHOWN_TYPES = 3
_TYPE = "type"  # TEI's att.typed: the attribute for categories of an element's own
_RESP, _AUTHOR = "resp", "ana/catma_markupauthor"
_NO_TEXT = ("teiHeader", "standOff", "fs", "fsdDecl", "encodingDesc")


_Span = tuple[int, int]


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
    ids: dict[str, Element] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    people: dict[Element, str | None] = field(default_factory=dict)
    responsible: dict[str, tuple[Element, str]] = field(default_factory=dict)
    without: Counter[tuple[str, str]] = field(default_factory=Counter)
    types: dict[str, dict[str, None]] = field(default_factory=dict)
    attributes: dict[str, dict[str, None]] = field(default_factory=dict)


def _read(source: Source, choices: Choices) -> Iterable[Marks]:
    chosen = choices.options
    for option, value in chosen.items():
        if not isinstance(value, str):
            raise SettingsError(f"options={{{option!r}: {value!r}}}: {_OPTIONS[option]}, in a string")
    marks = Marks(source.name)
    types: dict[str, dict[str, None]] = {}
    for name, element in _documents(root(source), source.stem):
        document = _Document(element, name, marks, choices, chosen, types=types)
        _index(document)
        beside = source.beside(f"{source.stem}.txt") if name is None else None
        _add_units(document, None if beside is None else beside.text())
        _note_and_refuse(document)
    _note_types(marks, choices, types)
    return (marks,)


def _documents(corpus: Element, stem: str) -> Iterator[tuple[str | None, Element]]:
    """Yield the documents of a corpus with their names; the only one has that of the file."""
    if not local(corpus).startswith("teiCorpus"):
        yield None, corpus
        return
    seen: Counter[str] = Counter()
    for number, document in enumerate((child for child in corpus.iter() if local(child) in ("TEI", "TEI.2")), 1):
        name = document.get(_ID) or document.get("n") or f"{stem}-{number}"
        seen[name] += 1
        yield name if seen[name] == 1 else f"{name} ({seen[name]})", document


def _index(document: _Document) -> None:
    """Find what pointers point to, and who annotated what."""
    wanted = document.chosen.get("annotator", _RESP)
    for element in document.root.iter():
        name = element.get(_ID)
        if name is not None:
            document.ids.setdefault(name, element)
        if local(element) == "fsDecl" and element.get("type"):
            descriptions = [child.text or "" for child in children(element, "fsDescr")] or [""]
            document.kinds[element.get("type", "")] = descriptions[0].strip() or element.get("type", "")
        if "/" not in wanted:
            own = _attribute(element, wanted)
            document.people[element] = own if own is not None else document.people.get(element)
            for child in element:
                document.people[child] = document.people[element]


def _add_units(document: _Document, beside: str | None) -> None:
    """Add the units of one document: of elements in its text, and of those that point to it."""
    names = _names(document.chosen.get("standoff", "span,annotation"))
    without = _names(document.chosen.get("without", "")) | set(_NO_TEXT)
    pointing = [element for element in document.root.iter() if _is_pointing(element, names)]
    apart = set(pointing)
    text = _text_of(_content(document), lambda element: element in apart or local(element) in without)
    every = [pointer for element in pointing for pointer in _pointers(element)]
    marks = document.marks
    if "annotator" not in document.chosen:
        marks.annotated(document.name)
    if any(map(_leads_out, every)) or (not text.characters.strip() and any(map(_counts_characters, every))):
        text = _Text("", [], {})
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
        with as_problem(marks, line(elements[0])):
            spans = _spans_of(elements, text)
            _add(document, elements[0], spans, f"unit {len(marks)}" if len(spans) > 1 else None, word)


def _names(listing: str) -> set[str]:
    return {name.strip() for name in listing.split(",")} - {""}


def _is_pointing(element: Element, names: set[str]) -> bool:
    if local(element) in names and not {"from", "target"}.isdisjoint(element.attrib):
        return True
    return any(map(_counts_characters, _pointers_within(element))) and element.get("ana") is not None


def _pointers(element: Element) -> list[str]:
    return [*_pointers_within(element), *(element.get(name, "") for name in ("from", "to", "target"))]


def _content(document: _Document) -> Element:
    """Return the element whose content is the text."""
    wanted = document.chosen.get("text", "text")
    content = next((element for element in document.root.iter() if local(element) == wanted), None)
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
        own = element.get(_ID)
        for way in ("next", "prev"):
            linked = element.get(way, "").rpartition("#")[2]
            if own and linked and head(own) != head(linked):
                before[head(linked)] = head(own)
    heads = set(before.values())
    named = [(element, element.get(_ID, "")) for element in elements]
    return {element: f"#{head(name)}" for element, name in named if name in before or name in heads}


def _instances(document: _Document, pointing: list[Element]) -> Iterator[tuple[list[Element], str | None]]:
    """Yield the elements of each unit; in CATMA's export those with one feature structure are one."""
    together: dict[tuple[str, str], list[Element]] = {}
    for element in pointing:
        words = [word for word in element.get("ana", "").split() if _structure(document, word) is not None]
        if not _pointers_within(element) or not words:
            yield [element], None
            continue
        for word in words:
            together.setdefault((local(element), word), []).append(element)
    for (_, word), elements in together.items():
        yield elements, word


def _structure(document: _Document, word: str) -> Element | None:
    """Return the feature structure that a word points to, if it does to one."""
    target = document.ids.get(word.rpartition("#")[2])
    return None if target is None or local(target) != "fs" else target


def _add(
    document: _Document, element: Element, spans: list[tuple[int, int]], part: str | None, word: str | None = None
) -> None:
    """Add the units of an element, one for each of its categories; `word` is the feature structure that is meant."""
    annotator = _annotator(document, element, word)
    if "annotator" not in document.chosen:
        if annotator is not None and document.choices.wants(local(element)):
            document.responsible.setdefault(annotator, (element, _RESP if word is None else _AUTHOR))
        annotator = None
    elif annotator is None:
        _refuse_nobody(document, element)
        return
    about = {"document": document.name, "annotator": annotator, "layer": local(element)}
    for index, category in enumerate(_categories(document, element, word)):
        shared = None if part is None else f"{part} {index}"
        for start, end in spans:
            document.marks.unit(start, end, category, location=line(element), part=shared, **about)


def _refuse_nobody(document: _Document, element: Element) -> None:
    """Add the problem that an element has no annotator, if its layer was asked for by name."""
    layer = local(element)
    if layer in (document.choices.layers or ()):
        what = f"nothing says who annotated the <{layer}>: it has nothing at {document.chosen['annotator']!r}; add it"
        document.marks.problem(line(element), what)


def _annotator(document: _Document, element: Element, word: str | None) -> str | None:
    wanted = document.chosen.get("annotator", _RESP if word is None else _AUTHOR)
    if "/" in wanted:
        return next(iter(_values(document, element, wanted, word)), None)
    person = document.people.get(element)
    return None if person is None else person.removeprefix("#").strip() or None


def _categories(document: _Document, element: Element, word: str | None = None) -> list[str | None]:
    """Return the categories of an element, one for each thing that its attribute points to."""
    layer = local(element)
    wanted = document.choices.feature(layer)
    if not document.choices.wants(layer):
        return [None]  # a unit that nobody reads, but counted among the layers there are
    if wanted is None:
        kind = _attribute(element, _TYPE)
        if kind is not None:
            document.types.setdefault(layer, {})[kind] = None
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
    value = _attribute(element, name)
    if value is None:
        return
    if not value.lstrip().startswith("#"):
        yield value
        return
    for reference in [word] if word is not None and name == "ana" else value.split():
        structure = _structure(document, reference)
        if structure is not None and feature:
            features = [child for child in children(structure, "f") if child.get("name") == feature]
            texts = [value.get("value") or (value.text or "").strip() for child in features for value in child.iter()]
            yield from filter(None, texts)
        else:
            kind = None if structure is None else structure.get("type")
            yield reference.rpartition("#")[2] if kind is None else document.kinds.get(kind, kind)


def _note_and_refuse(document: _Document) -> None:
    """Note what has no category; refuse to take several people for one."""
    if len(document.responsible) > 1 and document.choices.annotator is None:
        names = list(document.responsible)
        element, option = document.responsible[names[1]]
        raise InputError(
            f"{document.marks.file}, line {line(element)}: elements are by {', '.join(map(repr, names[:5]))}; read "
            f"these as annotators with options={{'annotator': {option!r}}} (--option annotator={option}), or all as "
            "one with annotator= (--annotators-from '{file}')"
        )
    for (layer, wanted), count in document.without.items():
        there = ", ".join(map(repr, document.attributes[layer])) or "none"
        document.marks.note(f"{count} <{layer}> have nothing at {wanted!r}, and no category; there are {there}")


def _note_types(marks: Marks, choices: Choices, types: Mapping[str, Mapping[str, None]]) -> None:
    """Tell of layers whose elements have a type, which is a finer category than the name of the element.

    Raises
    ------
    InputError
        If several layers have units and none was chosen: layers are offered with their types.
    """
    counts = Counter(marks.keys[key].layer for key in marks.key)
    if types and len(counts) > 1 and choices.layers is None and not choices.by_layer:
        layers = ", ".join(f"{layer} ({count} units)" for layer, count in sorted(counts.items(), key=str))
        typed = " or ".join(f"{f'{layer}:{_TYPE}'!r} ({few(kinds, _SHOWN_TYPES)})" for layer, kinds in types.items())
        first = f"{next(iter(types))}:{_TYPE}"
        raise InputError(
            f"{marks.file}: units in {len(counts)} layers: {layers}; choose with layers= (--layers NAME, '*' for all). "
            f"Their categories are the names of the elements; the attribute {_TYPE!r} has finer ones: with {typed}, as "
            f"in --layers {first} (layers={first!r}). Where each layer is an annotator's, choose with "
            "annotator='{layer}' (--annotators-from '{layer}')"
        )
    for layer, kinds in types.items():
        if len(kinds) > 1 and layer in counts:
            marks.note(
                f"all <{layer}> have the category {layer!r}; --layers {layer}:{_TYPE} (layers='{layer}:{_TYPE}') takes "
                f"their attribute {_TYPE!r}: {few(kinds, _SHOWN_TYPES)}"
            )


class _Text(NamedTuple):
    """The characters of a document, and the bounds of its elements: in the order of the starts, and by ``xml:id``."""

    characters: str
    inline: list[tuple[Element, int, int]]
    by_id: dict[str, _Span]


def _text_of(root: Element, is_left_out: Callable[[Element], bool]) -> _Text:
    """Return the text within an element; elements that are left out, with all in them, are not of it."""
    # however deep elements are in one another, there is no recursion
    pieces = [root.text or ""]
    length = len(pieces[0])
    starts: list[tuple[Element, int]] = []
    ends: dict[Element, int] = {}
    open_: list[tuple[Element, Iterator[Element]]] = [(root, iter(root))]
    while open_:
        element, children = open_[-1]
        child = next(children, None)
        if child is None:
            open_.pop()
            ends[element] = length
            added = (element.tail or "") if open_ else ""
        elif is_left_out(child):
            added = child.tail or ""
        else:
            starts.append((child, length))
            open_.append((child, iter(child)))
            added = child.text or ""
        pieces.append(added)
        length += len(added)
    inline = [(element, start, ends[element]) for element, start in starts]
    by_id = {name: (start, end) for element, start, end in inline if (name := element.get(_ID)) is not None}
    return _Text("".join(pieces), inline, by_id)


def _attribute(element: Element, name: str) -> str | None:
    """Return an attribute by its name, with or without its prefix."""
    name = name.rpartition(":")[2]
    if name in element.attrib:
        return element.attrib[name]
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), None)


def _pointers_within(element: Element) -> list[str]:
    """Return what the ``ptr`` elements in an element point to."""
    return [child.get("target", "") for child in children(element, "ptr")]


def _counts_characters(pointer: str) -> bool:
    """Whether a pointer counts characters (RFC 5147), here or elsewhere."""
    return _CHAR.fullmatch(pointer) is not None


def _leads_out(pointer: str) -> bool:
    """Whether a pointer counts characters of a text outside the file."""
    fits = _CHAR.fullmatch(pointer)
    return fits is not None and bool(fits[1])


def _spans_of(elements: list[Element], text: _Text) -> list[_Span]:
    """Return the bounds of all that stand-off elements point to; as one, where nothing but blanks is between them."""
    spans = [span for element in elements for span in _own_spans(element, text)]
    return joined(spans, lambda end, start: start > end and not text.characters[end:start].isspace())


def _own_spans(element: Element, text: _Text) -> list[_Span]:
    """Return the bounds of what an element points to with ``ptr``, ``from`` and ``to``, or ``target``."""
    first = element.get("from")
    if first is not None:
        return [(_span(first, text)[0], _span(element.get("to", first), text)[1])]
    targets = " ".join(_pointers_within(element)).split() or element.get("target", "").split()
    if not targets:
        raise FaultError(f"<{local(element)}> points to nothing; give it from and to, or target")
    return [_span(word, text) for word in targets]


def _span(pointer: str, text: _Text) -> _Span:
    fits = _CHAR.fullmatch(pointer)
    if fits:
        return int(fits[2]), int(fits[3] or fits[2])
    span = text.by_id.get(pointer.rpartition("#")[2]) if "#" in pointer else None
    if span is None:
        raise FaultError(
            f"{pointer[:_SHOWN]!r} points to nothing in the text; a pointer is '#' and the xml:id of an element of "
            "it, or 'char=start,end'"
        )
    return span


FORMAT = FileFormat(
    "tei",
    "TEI (elements named by layers=)",
    (".xml", ".tei"),
    _matches,
    _read,
    beside=(".txt", ".rng", ".xsl", ".css", ".odd"),
    options=_OPTIONS,
)
