"""BioC, XML or JSON: documents of passages and sentences with annotations, perhaps of several annotators.

Conventions
-----------
* The category of an annotation is its infon ``type``, or the one that ``options={"category": KEY}`` names. Its
  annotator is its infon ``annotator``; if no annotation of the file has one, the path names the annotator.
* Positions count characters of the document, in which each passage begins at its ``offset``. They are read from the
  first passage of a document on. Characters between passages that the file does not have are blanks.
* An annotation with several locations is discontinuous. Relations are left out, with a note.
* A document without annotations was seen if the path names the annotator. If the file does, such a document is taken
  as not seen, with a note.

References
----------
Comeau et al. 2013, BioC: a minimalist approach to interoperability for biomedical text processing, Database 2013;
http://bioc.sourceforge.net.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from gamma_align.errors import Cure, Entry, InputError, Location, Where
from gamma_align.reading.files import json_files, xml_files
from gamma_align.reading.files.json_files import FaultError, as_problem, get, maybe, need
from gamma_align.reading.files.xml_files import children, line, local
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks, Source

_XML_ROOT = re.compile(
    r"<!DOCTYPE\s+collection\b[^>]*BioC|<collection>\s*<source\b|<collection>(?=.*?<passage>)", re.DOTALL
)
_JSON_KEYS = re.compile(r'\A\s*[\[{](?=.*"passages"\s*:)(?=.*"(?:offset|infons)"\s*:)', re.DOTALL)
_ANNOTATOR_INFON = re.compile(rb"key=[\"']annotator[\"']|\"annotator\"\s*:")
_WHOLE = re.compile(r"\d{1,15}", re.ASCII)
_MAX_GAP = 1 << 20  # characters between two passages; a larger one would only fill memory
_OPTION_HELP = {"category": "the infon that is the category, by default 'type'"}


@dataclass(slots=True)
class _Collection:
    """A collection as it is read; `untyped` counts annotations without a category, `keys` has their infons.

    `annotators` are those the file names, `empty` the documents without annotations.
    """

    marks: Marks
    category: str
    untyped: int = 0
    keys: dict[str, None] = field(default_factory=dict)
    n_relations: int = 0
    annotators: dict[str, None] = field(default_factory=dict)
    empty: list[str] = field(default_factory=list)


def _matches(head: Head) -> bool:
    if head.suffix in (".xml", ".bioc"):
        return _XML_ROOT.search(head.text) is not None
    return head.suffix == ".json" and _JSON_KEYS.search(head.text) is not None


def _is_anonymous(head: Head) -> bool:
    """Whether no annotation of the file names its annotator."""
    if head.opened is None:
        return _ANNOTATOR_INFON.search(head.data) is None
    with head.opened() as file:
        return _ANNOTATOR_INFON.search(file.read()) is None


def _read(source: Source, choices: Choices) -> Iterable[Marks]:
    marks = Marks(source.name)
    collection = _Collection(marks, str(choices.options.get("category", "type")))
    for location, document in _documents(source):
        with as_problem(marks, location):
            _document(collection, location, document)
    if not collection.annotators:
        for name in collection.empty:
            marks.annotated(name)
    elif collection.empty:
        marks.note(
            f"{len(collection.empty)} documents have no annotations, and the file does not tell who saw them: taken as "
            "not seen"
        )
    if collection.untyped:
        marks.note(
            f"{collection.untyped} annotations have no infon {collection.category!r}, and no category (there are "
            f"{', '.join(map(repr, collection.keys)) or 'none'})",
            Cure("name another with {}", Entry("options", "category")),
        )
    if collection.n_relations:
        marks.note(f"{collection.n_relations} relations are left out")
    return (marks,)


def _documents(source: Source) -> Iterator[tuple[Where, dict[str, object]]]:
    """Yield location and content of each document of a collection, XML in the shape that JSON has."""
    if source.head.text.lstrip("\ufeff \t\r\n").startswith("<"):
        root = xml_files.root(source)
        if local(root) != "collection":
            raise InputError(
                f"the element is {local(root)}, not collection", "export it again", Location(source.name, line(root))
            )
        for element in children(root, "document"):
            yield line(element), _from_xml(element)
        return
    value = json_files.document(source)
    values = value if isinstance(value, list) else [value]
    for item in values:
        collection = need(item, dict, "the collection")
        documents = get(collection, "documents", list) if "documents" in collection else [collection]
        for number, document in enumerate(documents, 1):
            yield f"document {number}", need(document, dict, "the document")


def _from_xml(element: Element) -> dict[str, object]:
    """Return an element of XML as its JSON; passages and sentences are nested no deeper than the format has it."""
    result: dict[str, object] = {"line": line(element), "infons": {}}
    infons: dict[str, object] = {}
    for child in element:
        name = local(child)
        text = child.text or ""
        if name == "infon":
            infons[child.get("key", "")] = text
        elif name in ("id", "text"):
            result[name] = text
        elif name == "offset":
            result[name] = int(text) if _WHOLE.fullmatch(text.strip()) else text
        elif name == "location":
            bounds = {key: child.get(key, "") for key in ("offset", "length")}
            numbers = {key: int(value) if _WHOLE.fullmatch(value) else value for key, value in bounds.items()}
            result.setdefault("locations", [])
            locations = result["locations"]
            if isinstance(locations, list):
                locations.append(numbers)
        elif name in ("passage", "sentence", "annotation", "relation"):
            inside = result.setdefault(f"{name}s", [])
            if isinstance(inside, list):
                inside.append(_from_xml(child))
    return result | {"infons": infons}


def _document(collection: _Collection, location: Where, document: dict[str, object]) -> None:
    name = document.get("id")
    if not isinstance(name, str | int) or isinstance(name, bool) or not str(name).strip():
        raise FaultError("the document has no id", "give it one")
    text, annotations, base = _content(collection, document)
    marks = collection.marks
    marks.texts[str(name), None] = text
    for annotation in annotations:
        with as_problem(marks, location):
            _annotation(collection, str(name), base, annotation, location)
    if not annotations:
        collection.empty.append(str(name))


def _content(collection: _Collection, document: dict[str, object]) -> tuple[str, list[dict[str, object]], int]:
    """Return the text of a document, its annotations, and the position of its first passage."""
    annotations: list[dict[str, object]] = []
    pieces: list[tuple[int, str]] = []
    passages = [need(passage, dict, "a passage") for passage in get(document, "passages", list, "the document")]
    for part in (document, *passages):
        sentences = [need(value, dict, "a sentence") for value in maybe(part, "sentences", list) or []]
        for piece in (part, *sentences):
            annotations += [need(value, dict, "an annotation") for value in maybe(piece, "annotations", list) or []]
            collection.n_relations += len(maybe(piece, "relations", list) or [])
            text = maybe(piece, "text", str) if piece is not document else None
            if text:
                pieces.append((get(piece, "offset", int, "a passage"), text))
    pieces.sort(key=lambda piece: piece[0])
    base = min((get(passage, "offset", int, "a passage") for passage in passages), default=0)
    parts: list[str] = []
    length = base
    for offset, text in pieces:
        if offset < length:
            raise FaultError(
                f"a passage begins at {offset}, within the text of the passage before it, which ends at {length}",
                "let offsets count characters from the beginning of the document",
            )
        if offset - length > _MAX_GAP:
            raise FaultError(f"a passage begins at {offset}, {offset - length} after the one before it", "correct it")
        parts += (" " * (offset - length), text)
        length = offset + len(text)
    return "".join(parts), annotations, base


def _annotation(
    collection: _Collection, document: str, base: int, annotation: dict[str, object], location: Where
) -> None:
    infons: Mapping[str, object] = maybe(annotation, "infons", dict) or {}
    category = infons.get(collection.category)
    annotator = infons.get("annotator")
    if not isinstance(category, str):
        collection.untyped += 1
        collection.keys |= dict.fromkeys(infons)
    spans = []
    for value in get(annotation, "locations", list, "the annotation"):
        place = need(value, dict, "a location")
        offset = get(place, "offset", int, "a location") - base
        spans.append((offset, offset + get(place, "length", int, "a location")))
    name = f"annotation {annotation.get('id')}"
    if not spans:
        raise FaultError(f"{name} has no location", "correct or delete it")
    owner = annotator if isinstance(annotator, str) and annotator.strip() else None
    if owner is not None:
        collection.annotators[owner] = None
    where = annotation.get("line")
    collection.marks.parts(
        spans,
        category if isinstance(category, str) else None,
        part=f"{document} {name}",
        location=where if isinstance(where, int) else f"{location}, {name}",
        document=document,
        annotator=owner,
        surface=maybe(annotation, "text", str),
    )


FORMAT = FileFormat(
    name="bioc",
    description="BioC, XML or JSON (.xml, .json)",
    suffixes=(".xml", ".json", ".bioc"),
    matches=_matches,
    read=_read,
    declares=("annotator", "document"),
    anonymous=_is_anonymous,
    options=_OPTION_HELP,
)
