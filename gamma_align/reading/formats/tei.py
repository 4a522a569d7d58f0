"""TEI, and other XML with the annotation in it: the user names the elements that are annotation.

Conventions
-----------
* A layer is an element name: ``layers="persName"``. Without a choice all elements are listed. The category is the name
  of the element, or an attribute (``"rs:type"``); ``text()`` is the content of the element. An attribute with pointers
  (``ana="#x #y"``) gives a category for each; a pointer to a feature structure ``fs`` gives its type, or the value of
  one of its features (``"span:ana/pos"``).
* Elements within ``text`` are inline annotation: the content of ``text`` is the text, character by character, and the
  bounds of an element are the bounds of its content; fragments linked by `next` or `prev` are one discontinuous unit.
* ``span`` and ``annotation`` with `from` (and `to`) or `target`, and elements with a ``ptr`` to ``char=…``, are
  stand-off annotation; their content is no text. ``char=`` counts characters of a text outside the file, the ``.txt``
  of the same name if there is one; in CATMA's export it counts UTF-16 code units, and an ``fs`` is one unit.
* Each annotator has a copy of the file; or ``options={"annotator": "resp"}`` names the attribute (of the element or of
  one that contains it) with the annotator. Without the option, a file with several annotators is refused.
* Other options: "text", the element that contains the text ("body"); "without", elements without text of their own
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
from itertools import chain
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element

from gamma_align.data import few
from gamma_align.errors import Cure, InputError, Location, Set, SettingsError
from gamma_align.reading.files.json_files import FaultError, as_problem
from gamma_align.reading.files.xml_files import children, line, local, root
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.reading.marks.choices import FORMAT_OPTIONS
from gamma_align.reading.marks.texts import joined

_XML_ID = "{http://www.w3.org/XML/1998/namespace}id"
_ROOT_TAG = re.compile(r"<(?:[\w.-]+:)?(?:TEI|teiCorpus|TEI\.2|teiCorpus\.2)[\s/>]")
_OPTION_HELP = {
    "annotator": "attribute that tells who annotated, such as 'resp'",
    "text": "element whose content is the text, 'text' by default",
    "without": "elements whose content is no text, such as 'note,fw'",
    "standoff": "elements that point to what they annotate, 'span,annotation' by default",
}
_CHAR_POINTER = re.compile(r"(?:([^#]*)#)?char=(\d{1,15})(?:,(\d{1,15}))?", re.ASCII)
_MAX_SHOWN = 40  # characters of a pointer in a message
_SHOWN_TYPES = 3
_TYPE_ATTRIBUTE = "type"  # TEI's att.typed: the attribute for categories of an element's own
# Names of the annotator: an attribute of TEI, and a feature in CATMA's export.
_RESP_ATTRIBUTE = "resp"
_CATMA_AUTHOR = "ana/catma_markupauthor"
_TAGS_WITHOUT_TEXT = ("teiHeader", "standOff", "fs", "fsdDecl", "encodingDesc")


_Span = tuple[int, int]


def _matches(head: Head) -> bool:
    return head.suffix in (".xml", ".tei") and _ROOT_TAG.search(head.text) is not None


@dataclass(slots=True)
class _Document:
    """One document while it is read."""

    root: Element
    name: str | None
    marks: Marks
    choices: Choices
    options: Mapping[str, Any]
    ids: dict[str, Element] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    annotators: dict[Element, str | None] = field(default_factory=dict)
    responsible: dict[str, tuple[Element, str]] = field(default_factory=dict)
    n_without: Counter[tuple[str, str]] = field(default_factory=Counter)
    types: dict[str, dict[str, None]] = field(default_factory=dict)
    attributes: dict[str, dict[str, None]] = field(default_factory=dict)


def _read(source: Source, choices: Choices) -> Iterable[Marks]:
    options = choices.options
    for option, value in options.items():
        if not isinstance(value, str):
            raise SettingsError(
                f"the option {option} is {value!r}, not a string: {_OPTION_HELP[option]}", location=FORMAT_OPTIONS
            )
    marks = Marks(source.name)
    types: dict[str, dict[str, None]] = {}
    for name, element in _documents(root(source), source.stem):
        document = _Document(element, name, marks, choices, options, types=types)
        _index(document)
        outer_text = source.beside(f"{source.stem}.txt") if name is None else None
        _add_units(document, None if outer_text is None else outer_text.text())
        _note_and_refuse(document)
    _note_types(marks, choices, types)
    return (marks,)


def _documents(corpus: Element, stem: str) -> Iterator[tuple[str | None, Element]]:
    """Yield the documents of a corpus with their names; a single document has no name of its own."""
    if not local(corpus).startswith("teiCorpus"):
        yield None, corpus
        return
    seen: Counter[str] = Counter()
    for number, document in enumerate((child for child in corpus.iter() if local(child) in ("TEI", "TEI.2")), 1):
        name = document.get(_XML_ID) or document.get("n") or f"{stem}-{number}"
        seen[name] += 1
        yield name if seen[name] == 1 else f"{name} ({seen[name]})", document


def _index(document: _Document) -> None:
    """Index elements by their ids, the types of feature structures, and the annotator of each element.

    A child without an annotator inherits the annotator of its parent.
    """
    expression = document.options.get("annotator", _RESP_ATTRIBUTE)
    for element in document.root.iter():
        name = element.get(_XML_ID)
        if name is not None:
            document.ids.setdefault(name, element)
        if local(element) == "fsDecl" and element.get("type"):
            descriptions = [child.text or "" for child in children(element, "fsDescr")] or [""]
            document.kinds[element.get("type", "")] = descriptions[0].strip() or element.get("type", "")
        if "/" not in expression:
            stated = _attribute(element, expression)
            document.annotators[element] = stated if stated is not None else document.annotators.get(element)
            # Parents come before their children in `iter`, so that children inherit the annotator.
            for child in element:
                document.annotators[child] = document.annotators[element]


def _add_units(document: _Document, outer_text: str | None) -> None:
    """Add the units of one document: elements in its text, and stand-off elements."""
    names = _names(document.options.get("standoff", "span,annotation"))
    skipped_tags = _names(document.options.get("without", "")) | set(_TAGS_WITHOUT_TEXT)
    pointing = [element for element in document.root.iter() if _is_standoff(element, names)]
    apart = set(pointing)
    text = _text_of(_content(document), lambda element: element in apart or local(element) in skipped_tags)
    pointers = list(chain.from_iterable(_pointers(element) for element in pointing))
    marks = document.marks
    if "annotator" not in document.options:
        marks.annotated(document.name)
    if any(map(_leads_out, pointers)) or (not text.characters.strip() and any(map(_counts_characters, pointers))):
        # Pointers count characters of a text outside the file.
        text = _Text("", [], {})
        if any(pointer.startswith("catma:") for pointer in pointers):
            marks.offsets = "utf-16"
        if outer_text is not None:
            marks.texts[document.name, None] = outer_text
    else:
        marks.texts[document.name, None] = text.characters
    parts = _fragment_names([element for element, _, _ in text.inline])
    for element, start, end in text.inline:
        _add_element(document, element, [(start, end)], parts.get(element))
    for elements, word in _elements_by_unit(document, pointing):
        with as_problem(marks, line(elements[0])):
            spans = _spans_of(elements, text)
            _add_element(document, elements[0], spans, f"unit {len(marks)}" if len(spans) > 1 else None, word)


def _names(listing: str) -> set[str]:
    """Return the set of names in a comma-separated list; empty ones are dropped."""
    return {name.strip() for name in listing.split(",")} - {""}


def _is_standoff(element: Element, names: set[str]) -> bool:
    """Return whether an element annotates by pointing to the text: by its name and attributes, or as CATMA does."""
    if local(element) in names and not {"from", "target"}.isdisjoint(element.attrib):
        return True
    return any(map(_counts_characters, _pointers_within(element))) and element.get("ana") is not None


def _pointers(element: Element) -> list[str]:
    """Return every pointer of an element, "" for attributes that it lacks."""
    return [*_pointers_within(element), *(element.get(name, "") for name in ("from", "to", "target"))]


def _content(document: _Document) -> Element:
    """Return the element that contains the text, by default the root; InputError if the user's one is missing."""
    tag = document.options.get("text", "text")
    content = next((element for element in document.root.iter() if local(element) == tag), None)
    if content is None and "text" in document.options:
        raise InputError(f"no element <{tag}>, which the option text names", location=Location(document.marks.file))
    return document.root if content is None else content


def _fragment_names(elements: list[Element]) -> dict[Element, str]:
    """Return a name for each element that is a fragment; fragments linked by `next` and `prev` have the same name."""
    # Union-find with path halving: the chains of `next` and `prev` may be long.
    before: dict[str, str] = {}

    def head(name: str) -> str:
        while name in before:
            before[name] = before.get(before[name], before[name])
            name = before[name]
        return name

    for element in elements:
        element_id = element.get(_XML_ID)
        for way in ("next", "prev"):
            linked = element.get(way, "").rpartition("#")[2]
            if element_id and linked and head(element_id) != head(linked):
                before[head(linked)] = head(element_id)
    heads = set(before.values())
    named = [(element, element.get(_XML_ID, "")) for element in elements]
    return {element: f"#{head(name)}" for element, name in named if name in before or name in heads}


def _elements_by_unit(document: _Document, pointing: list[Element]) -> Iterator[tuple[list[Element], str | None]]:
    """Yield the elements of each unit, and the pointer to the unit's feature structure or ``None``.

    In CATMA's export, elements with the same feature structure are one unit.
    """
    elements_by_structure: dict[tuple[str, str], list[Element]] = {}
    for element in pointing:
        words = [word for word in element.get("ana", "").split() if _feature_structure(document, word) is not None]
        if not _pointers_within(element) or not words:
            yield [element], None
            continue
        for word in words:
            elements_by_structure.setdefault((local(element), word), []).append(element)
    for (_, word), elements in elements_by_structure.items():
        yield elements, word


def _feature_structure(document: _Document, word: str) -> Element | None:
    """Return the feature structure that a word points to, ``None`` if it points to another element or nowhere."""
    target = document.ids.get(word.rpartition("#")[2])
    return None if target is None or local(target) != "fs" else target


def _add_element(
    document: _Document, element: Element, spans: list[tuple[int, int]], part: str | None, word: str | None = None
) -> None:
    """Add the units of an element, one for each of its categories, with the bounds `spans`.

    `part` names the unit if it has several spans; `word` points to its feature structure. With the option "annotator",
    an element without an annotator is skipped.
    """
    annotator = _annotator(document, element, word)
    if "annotator" not in document.options:
        if annotator is not None and document.choices.wants(local(element)):
            document.responsible.setdefault(annotator, (element, _RESP_ATTRIBUTE if word is None else _CATMA_AUTHOR))
        annotator = None
    elif annotator is None:
        _report_missing_annotator(document, element)
        return
    about = {"document": document.name, "annotator": annotator, "layer": local(element)}
    for index, category in enumerate(_categories(document, element, word)):
        shared = None if part is None else f"{part} {index}"
        for start, end in spans:
            document.marks.unit(start, end, category, location=line(element), part=shared, **about)


def _report_missing_annotator(document: _Document, element: Element) -> None:
    """Report an element without annotator as a problem, if its layer was requested by name."""
    layer = local(element)
    if layer in (document.choices.layers or ()):
        document.marks.problem(
            line(element),
            f"the <{layer}> does not name its annotator: it has nothing at {document.options['annotator']!r}",
            "add it",
        )


def _annotator(document: _Document, element: Element, word: str | None) -> str | None:
    """Return the annotator that an element, or its feature structure, names; ``None`` if neither does."""
    expression = document.options.get("annotator", _RESP_ATTRIBUTE if word is None else _CATMA_AUTHOR)
    if "/" in expression:
        return next(iter(_values(document, element, expression, word)), None)
    person = document.annotators.get(element)
    return None if person is None else person.removeprefix("#").strip() or None


def _categories(document: _Document, element: Element, word: str | None = None) -> list[str | None]:
    """Return the categories of an element, one for each target of its attribute; [None] if it has none."""
    layer = local(element)
    expression = document.choices.feature(layer)
    if not document.choices.wants(layer):
        return [None]  # the unit is not read, but its layer is listed in messages
    if expression is None:
        kind = _attribute(element, _TYPE_ATTRIBUTE)
        if kind is not None:
            document.types.setdefault(layer, {})[kind] = None
        return list(_values(document, element, "ana", word)) if word is not None else [layer]
    document.attributes.setdefault(layer, {}).update(dict.fromkeys(key.rpartition("}")[2] for key in element.attrib))
    categories: list[str | None] = list(_values(document, element, expression, word))
    if not categories:
        document.n_without[layer, expression] += 1
    return categories or [None]


def _values(document: _Document, element: Element, expression: str, word: str | None) -> Iterator[str]:
    """Yield the values of an expression: the content, an attribute, or the types or features of its targets.

    Yield nothing if the element has no such attribute.
    """
    if expression == "text()":
        yield " ".join("".join(element.itertext()).split())
        return
    name, _, feature = expression.partition("/")
    value = _attribute(element, name)
    if value is None:
        return
    if not value.lstrip().startswith("#"):
        yield value
        return
    references = [word] if word is not None and name == "ana" else value.split()
    for reference in references:
        structure = _feature_structure(document, reference)
        if structure is not None and feature:
            features = [child for child in children(structure, "f") if child.get("name") == feature]
            # The value is an attribute (<symbol value="…"/>) or the content (<string>…</string>) of an inner element.
            inner = chain.from_iterable(child.iter() for child in features)
            yield from filter(None, (value.get("value") or (value.text or "").strip() for value in inner))
        else:
            kind = None if structure is None else structure.get("type")
            yield reference.rpartition("#")[2] if kind is None else document.kinds.get(kind, kind)


def _note_and_refuse(document: _Document) -> None:
    """Note units without a category; refuse a file with several annotators if the option is missing."""
    if len(document.responsible) > 1 and document.choices.annotator is None:
        names = list(document.responsible)
        element, option = document.responsible[names[1]]
        raise InputError(
            f"elements are by {', '.join(map(repr, names[:5]))}",
            Cure(
                "read these as annotators with {}, or all as one with {}",
                Set("options", {"annotator": option}),
                Set("annotator", "{file}"),
            ),
            Location(document.marks.file, line(element)),
        )
    for (layer, expression), count in document.n_without.items():
        present = ", ".join(map(repr, document.attributes[layer])) or "none"
        document.marks.note(f"{count} <{layer}> have nothing at {expression!r}, and no category; there are {present}")


def _note_types(marks: Marks, choices: Choices, types: Mapping[str, Mapping[str, None]]) -> None:
    """Note layers of elements with a type, which is a finer category than the name of the element.

    Raises
    ------
    InputError
        If several layers have units and none was selected; the message lists them with their types.
    """
    counts = Counter(marks.keys[key].layer for key in marks.key)
    if types and len(counts) > 1 and choices.layers is None and not choices.by_layer:
        layers = ", ".join(f"{layer} ({count} units)" for layer, count in sorted(counts.items(), key=str))
        typed = " or ".join(_layer_with_types(layer, kinds) for layer, kinds in types.items())
        first = f"{next(iter(types))}:{_TYPE_ATTRIBUTE}"
        raise InputError(
            f"units in {len(counts)} layers: {layers}",
            Cure(
                "choose with {} ('*' for all). Their categories are the names of the elements; the attribute {} has "
                "finer ones: with {}, as in {}. If each layer is an annotator's, choose with {}",
                Set("layers"),
                repr(_TYPE_ATTRIBUTE),
                typed,
                Set("layers", first),
                Set("annotator", "{layer}"),
            ),
            Location(marks.file),
        )
    for layer, kinds in types.items():
        if len(kinds) > 1 and layer in counts:
            typed_layer = f"{layer}:{_TYPE_ATTRIBUTE}"
            listing = f"their attribute {_TYPE_ATTRIBUTE!r} has others: {few(kinds, _SHOWN_TYPES)}"
            marks.note(
                f"all <{layer}> have the category {layer!r}, and {listing}",
                Cure("read these with {}", Set("layers", typed_layer)),
            )


def _layer_with_types(layer: str, kinds: Mapping[str, None]) -> str:
    """Return a layer, its attribute with types, and some of these, for messages."""
    name = f"{layer}:{_TYPE_ATTRIBUTE}"
    return f"{name!r} ({few(kinds, _SHOWN_TYPES)})"


class _Text(NamedTuple):
    """The characters of a document, and the bounds of its elements: in the order of the starts, and by ``xml:id``."""

    characters: str
    inline: list[tuple[Element, int, int]]
    by_id: dict[str, _Span]


def _text_of(root: Element, is_left_out: Callable[[Element], bool]) -> _Text:
    """Return the text within an element, without the elements that are left out and their content."""
    # A stack instead of recursion: elements may be nested deeper than Python's limit.
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
    by_id = {name: (start, end) for element, start, end in inline if (name := element.get(_XML_ID)) is not None}
    return _Text("".join(pieces), inline, by_id)


def _attribute(element: Element, name: str) -> str | None:
    """Return an attribute by its name, with or without its prefix, ``None`` if the element does not have it."""
    name = name.rpartition(":")[2]
    if name in element.attrib:
        return element.attrib[name]
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), None)


def _pointers_within(element: Element) -> list[str]:
    """Return the targets of the ``ptr`` elements in an element."""
    return [child.get("target", "") for child in children(element, "ptr")]


def _counts_characters(pointer: str) -> bool:
    """Whether a pointer counts characters (RFC 5147), here or elsewhere."""
    return _CHAR_POINTER.fullmatch(pointer) is not None


def _leads_out(pointer: str) -> bool:
    """Whether a pointer counts characters of a text outside the file."""
    fits = _CHAR_POINTER.fullmatch(pointer)
    return fits is not None and bool(fits[1])


def _spans_of(elements: list[Element], text: _Text) -> list[_Span]:
    """Return the bounds of the targets of stand-off elements; targets with only blanks between them are joined."""
    spans = list(chain.from_iterable(_spans_of_element(element, text) for element in elements))
    return joined(spans, lambda end, start: start > end and not text.characters[end:start].isspace())


def _spans_of_element(element: Element, text: _Text) -> list[_Span]:
    """Return the bounds of the targets of an element: of ``ptr``, of ``from`` and ``to``, or of ``target``.

    Raises a `FaultError` if it has no target, or one that is not in the text.
    """
    first = element.get("from")
    if first is not None:
        return [(_target_bounds(first, text)[0], _target_bounds(element.get("to", first), text)[1])]
    targets = " ".join(_pointers_within(element)).split() or element.get("target", "").split()
    if not targets:
        raise FaultError(f"<{local(element)}> points to nothing", "give it from and to, or target")
    return [_target_bounds(word, text) for word in targets]


def _target_bounds(pointer: str, text: _Text) -> _Span:
    """Return the bounds that a pointer states, or those of the element it names; raise a `FaultError` without any."""
    fits = _CHAR_POINTER.fullmatch(pointer)
    if fits:
        return int(fits[2]), int(fits[3] or fits[2])
    span = text.by_id.get(pointer.rpartition("#")[2]) if "#" in pointer else None
    if span is None:
        raise FaultError(
            f"{pointer[:_MAX_SHOWN]!r} points to nothing in the text",
            "write a pointer as '#' and the xml:id of an element of the text, or as 'char=start,end'",
        )
    return span


# The path names document and annotator, unless the file is a corpus or the option "annotator" is given.
FORMAT = FileFormat(
    "tei",
    "TEI (elements named by layers=)",
    (".xml", ".tei"),
    _matches,
    _read,
    beside=(".txt", ".rng", ".xsl", ".css", ".odd"),
    options=_OPTION_HELP,
)
