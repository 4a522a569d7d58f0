"""Glozz: annotations in an ``.aa`` file, the text in the ``.ac`` file of the same name beside it.

Conventions
-----------
* The annotator of a ``unit`` is its ``metadata/author``, its creator. If others have annotated, the path names them
  (``"{annotator}/{document}.aa"``, ``annotator="{folder}"``), and authors do not count. The category is
  ``characterisation/type``, or the feature that ``layers={"unit": "feature"}`` names. Bounds count characters as Java
  does, UTF-16 code units.
* A ``schema`` is a discontinuous unit of the units and schemas that it embeds, by their ids or by
  ``author_creation-date``. Units are the layer "unit" and schemas the layer "schema", since they cover the same text.
* Units of type "paragraph" are the layout of the text; relations are left out.
* A ``corpusHashcode`` that the ``.ac`` file does not have is noted: the text was changed after it was annotated.
* Written are one ``.aa`` and ``.ac`` for each document. An ``.ac`` file has no line breaks: they become blanks, and a
  paragraph by "gamma_align" ends at each and stores it in a feature. The first paragraph lists the annotators
  without units.

References
----------
Widlöcher & Mathet 2012, The Glozz platform: a corpus annotation and mining tool, DocEng.
The hash code of the educe library (https://github.com/irit-melodi/educe), after the appendix of Glozz's manual.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import reduce
from typing import NamedTuple
from xml.etree.ElementTree import Element

import numpy as np

from gamma_align.data import Continuum, Corpus, Unit
from gamma_align.errors import Cure, InputError, Location, Set
from gamma_align.reading.files import xml_files
from gamma_align.reading.files.xml_files import children, escaped, line, local
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.reading.marks.texts import code_points_at
from gamma_align.reading.marks.writable import as_path, text_of, unit_location, whole_bounds

_LAYOUT_TYPE = "paragraph"  # units of this type are the layout of the text
# Paragraphs by this author have features for facts that Glozz has no element for.
_OWN_AUTHOR = "gamma_align"
_BREAK_FEATURE = "line break"
_EMPTY_FEATURE = "marked nothing"
_LINE_BREAK_PATTERN = re.compile("\r\n|\r|\n")
_LINE_BREAKS = {"000D 000A": "\r\n", "000D": "\r", "000A": "\n"}
_LINE_BREAK_CODES = {line_break: codes for codes, line_break in _LINE_BREAKS.items()}
_INDEX_PATTERN = re.compile(r"\d{1,15}", re.ASCII)
_HASH_MODULUS = 99_999_999
# Each schema collects all that it embeds at any depth, so that nested schemas take quadratic time.
_MAX_VISITS = 3_000_000  # embedded elements in the whole file
_N_BOUNDS = 2  # start and end


class _Node(NamedTuple):
    """A unit (with bounds) or a schema (with the names of its parts) of the file."""

    element: Element
    author: str
    spans: tuple[tuple[int, int], ...]
    embeds: tuple[str, ...]


@dataclass(slots=True)
class _GlozzFile:
    """The state of reading one file."""

    marks: Marks
    features: dict[str, str | None]
    skipped: Counter[str] = field(default_factory=Counter)
    n_without: Counter[str] = field(default_factory=Counter)
    names: dict[str, dict[str, None]] = field(default_factory=lambda: {"unit": {}, "schema": {}})
    nodes: dict[str, _Node] = field(default_factory=dict)
    dated: dict[str, _Node] = field(default_factory=dict)
    schemas: list[_Node] = field(default_factory=list)
    visits: int = 0
    breaks: list[tuple[int, str, int]] = field(default_factory=list)


def _matches(head: Head) -> bool:
    named = head.suffix == ".aa" or (head.suffix == ".xml" and "<singlePosition" in head.text)
    return named and "<annotations" in head.text


def _read(source: Source, choices: Choices) -> Iterable[Marks]:
    root = xml_files.root(source)
    if local(root) != "annotations":
        raise InputError(
            f"the file is <{local(root)}>, not <annotations> as Glozz's are",
            "export it again",
            Location(source.name, line(root)),
        )
    marks = Marks(source.name, offsets="utf-16")
    marks.creators = True
    file = _GlozzFile(marks, {name: choices.feature(name) for name in ("unit", "schema")})
    for element in root:
        kind = local(element)
        if kind == "unit":
            _read_unit(file, element)
        elif kind == "schema":
            _read_schema(file, element)
        elif kind != "metadata":
            file.skipped[f"<{kind}> elements"] += 1
    for schema in file.schemas:
        _add_schema(file, schema)
    _read_text(file, source, root)
    _note(file)
    return (marks,)


def _note(file: _GlozzFile) -> None:
    """Note elements that are left out, and units without a category."""
    listing = ", ".join(f"{count} {kind}" for kind, count in file.skipped.most_common() if count)
    if listing:
        file.marks.note(f"left out are {listing}")
    for layer, count in file.n_without.items():
        feature = file.features[layer]
        present = file.names[layer]
        cause = (
            "type" if feature is None else f"feature {feature!r} (there are {', '.join(map(repr, present)) or 'none'})"
        )
        file.marks.note(f"{count} of layer {layer!r} have no {cause}, and no category")


def _child_text(element: Element, *path: str) -> str:
    """Return the text of the element at the end of a path, stripped as Glozz has it on lines of its own."""
    for name in path:
        within = children(element, name)
        if not within:
            return ""
        element = within[0]
    return (element.text or "").strip()


def _features(element: Element) -> list[tuple[str, str]]:
    """Return the (name, value) pairs of the features of an element."""
    features = [child for child in element.iter() if local(child) == "feature"]
    return [(feature.get("name", ""), (feature.text or "").strip()) for feature in features]


def _category(file: _GlozzFile, element: Element, layer: str) -> str | None:
    """Return the type of an element, or the feature that the user named.

    ``None`` if it is empty; such elements are counted.
    """
    feature = file.features[layer]
    if feature is None:
        category = _child_text(element, "characterisation", "type")
    else:
        features = dict(_features(element))
        file.names[layer] |= dict.fromkeys(features)
        category = features.get(feature, "")
    if not category:
        file.n_without[layer] += 1
    return category or None


def _read_unit(file: _GlozzFile, element: Element) -> None:
    """Store a unit for schemas and add it to the marks; a paragraph is layout. Report invalid bounds."""
    author = _child_text(element, "metadata", "author")
    bounds = [child.get("index", "") for child in element.iter() if local(child) == "singlePosition"]
    if len(bounds) != _N_BOUNDS or not all(map(_INDEX_PATTERN.fullmatch, bounds)):
        listing = " and ".join(repr(bound[:20]) for bound in bounds[:3]) or "none"
        file.marks.problem(
            line(element),
            f"a unit has a start and an end, each a number of characters, and this has {listing}",
            "correct it",
        )
        return
    start, end = map(int, bounds)
    _store_node(file, _Node(element, author, ((start, end),), ()))
    if _child_text(element, "characterisation", "type") == _LAYOUT_TYPE:
        _read_paragraph(file, element, author, end)
        return
    category = _category(file, element, "unit")
    file.marks.unit(start, end, category, location=line(element), annotator=author or None, layer="unit")


def _read_paragraph(file: _GlozzFile, element: Element, author: str, end: int) -> None:
    """Read a paragraph, which is layout. Paragraphs by gamma_align store a line break or annotators without units."""
    if author != _OWN_AUTHOR:
        file.skipped[f"units of type {_LAYOUT_TYPE!r} (layout)"] += 1
        return
    for name, value in _features(element):
        if name == _BREAK_FEATURE:
            file.breaks.append((end, value, line(element)))
        elif name == _EMPTY_FEATURE:
            file.marks.annotated(annotator=value, layer="unit")


def _store_node(file: _GlozzFile, node: _Node) -> None:
    """Store a unit or schema under both names by which schemas refer to it."""
    date = _child_text(node.element, "metadata", "creation-date")
    file.dated.setdefault(f"{node.author}_{date}", node)
    file.nodes.setdefault(node.element.get("id", ""), node)


def _read_schema(file: _GlozzFile, element: Element) -> None:
    """Store a schema, the units of which are read later; count a schema without units as left out."""
    embedded = ("embedded-unit", "embedded-schema")
    embeds = tuple(child.get("id", "") for child in element.iter() if local(child) in embedded)
    if not embeds:
        file.skipped["schemas without units"] += 1
        return
    node = _Node(element, _child_text(element, "metadata", "author"), (), embeds)
    _store_node(file, node)
    file.schemas.append(node)


def _add_schema(file: _GlozzFile, schema: _Node) -> None:
    """Add a schema as a discontinuous unit; report one that embeds something the file does not contain."""
    location = line(schema.element)
    name = schema.element.get("id", "")
    spans, missing = _spans(file, schema)
    if missing:
        file.marks.problem(
            location, f"schema {name!r} embeds {missing[0]!r}, which is not in the file", "delete one of them"
        )
        return
    about = {"annotator": schema.author or None, "layer": "schema", "part": f"{location}.{name}"}
    category = _category(file, schema.element, "schema")
    for start, end in spans:
        file.marks.unit(start, end, category, location=location, **about)


def _spans(file: _GlozzFile, schema: _Node) -> tuple[list[tuple[int, int]], list[str]]:
    """Return the bounds of all units that a schema embeds at any depth, each once, and the names that are missing."""
    spans: dict[tuple[int, int], None] = {}
    missing = []
    seen = set(schema.embeds)
    pending = list(schema.embeds)
    # A stack instead of recursion: schemas may be nested deeper than Python's limit.
    while pending:
        name = pending.pop()
        node = file.nodes.get(name) or file.dated.get(name)
        if node is None:
            missing.append(name)
            continue
        spans.update(dict.fromkeys(node.spans))
        fresh = dict.fromkeys(embedded for embedded in node.embeds if embedded not in seen)
        seen.update(fresh)
        pending.extend(fresh)
    file.visits += len(seen)
    if file.visits > _MAX_VISITS:
        raise InputError(
            f"schemas embed one another more than {_MAX_VISITS:,} times over",
            "export the file again",
            Location(file.marks.file, line(schema.element)),
        )
    return sorted(spans), missing


def _read_text(file: _GlozzFile, source: Source, root: Element) -> None:
    """Read the text beside the file, with the line breaks that were written as blanks."""
    marks = file.marks
    text_file = source.beside(f"{source.stem}.ac")
    if text_file is None:
        marks.note(f"there is no {source.stem}.ac beside it, so nothing is checked against the text")
        return
    code = next((child.get("corpusHashcode") for child in root if child.get("corpusHashcode")), None)
    if code is not None and code != _hash_code(text_file.data()):
        marks.note(f"{text_file.name} was changed after it was annotated; its hash code is not {code}")
    text = list(text_file.text())
    table = code_points_at("".join(text), "utf-16") if file.breaks else np.empty(0)
    for end, value, location in file.breaks:
        start = int(table[end]) if end < len(table) else -1
        line_break = _LINE_BREAKS.get(" ".join(value.split()), "")
        # Line breaks were written as blanks; any other character means that the text was changed.
        if start < 0 or set(text[start : start + len(line_break)]) != {" "}:
            marks.problem(
                location, f"the {_BREAK_FEATURE} {value[:20]!r} after the paragraph is none", "convert the corpus again"
            )
            continue
        text[start : start + len(line_break)] = line_break
    marks.texts[None, None] = "".join(text)


def _hash_code(data: bytes) -> str:
    """Return Glozz's hash code of a text, by which it notices changes."""
    code = reduce(lambda code, byte: code * byte % _HASH_MODULUS, filter(None, data), 1)
    return f"{len(data)}-{code}"


def _write(corpus: Corpus) -> Iterator[tuple[str, bytes]]:
    for index, document in enumerate(corpus.documents):
        text = text_of(corpus, index, "Glozz")
        path = as_path(document, "document")
        plain = text.replace("\r", " ").replace("\n", " ").encode()
        points = np.frombuffer(text.encode("utf-32-le"), dtype="<u4")
        offsets = np.concatenate([[0], np.cumsum(1 + (points >= 1 << 16))]).tolist()  # in UTF-16, of each code point
        continuum = corpus.continuum(index)
        lines = [
            '<?xml version="1.0" encoding="UTF-8" standalone="no"?>',
            f'<annotations>\n<metadata corpusHashcode="{_hash_code(plain)}"/>',
            *_paragraphs(text, continuum, offsets),
            *(_unit_element(unit, number, document, offsets) for number, unit in enumerate(continuum.units(), 1)),
            "</annotations>\n",
        ]
        yield f"{path}.aa", "\n".join(lines).encode()
        yield f"{path}.ac", plain


def _paragraphs(text: str, continuum: Continuum, offsets: list[int]) -> Iterator[str]:
    """Yield a paragraph element for each line, with line breaks and annotators without units as features.

    `offsets` has the index in UTF-16 of each code point.
    """
    marked = {unit.annotator for unit in continuum.units()}
    empty_features = [(_EMPTY_FEATURE, _check_name(name)) for name in continuum.annotators if name not in marked]
    start = 0
    for number, match in enumerate([*_LINE_BREAK_PATTERN.finditer(text), None]):
        end = len(text) if match is None else match.start()
        features = [] if match is None else [(_BREAK_FEATURE, _LINE_BREAK_CODES[match.group()])]
        bounds = offsets[start], offsets[end]
        if number == 0:
            features += empty_features
        yield _element(f"{_OWN_AUTHOR}_{number}", _OWN_AUTHOR, number, _LAYOUT_TYPE, bounds, features)
        if match is not None:
            start = match.end()


def _unit_element(unit: Unit, number: int, document: str, offsets: list[int]) -> str:
    """Return the element of a unit; raise an `InputError` if Glozz cannot hold its category or bounds."""
    start, end = whole_bounds(unit, document, "Glozz")
    if not unit.category or unit.category != unit.category.strip() or unit.category == _LAYOUT_TYPE:
        raise InputError(
            "Glozz's types are names without blanks at the edges, and 'paragraph' is layout; the category is "
            f"{unit.category!r}",
            Cure("rename it with {}", Set("labels")),
            unit_location(unit, document),
        )
    name = escaped(_check_name(unit.annotator), "the annotator")
    category = escaped(unit.category, "the category")
    return _element(f"{name}_{number}", name, number, category, (offsets[start], offsets[end]), [])


def _check_name(annotator: str) -> str:
    """Return the annotator's name; raise an `InputError` if Glozz would not keep its blanks."""
    if annotator != annotator.strip():
        raise InputError(
            f"the annotator {annotator!r} begins or ends with a blank, which Glozz does not keep", "rename it"
        )
    return annotator


def _element(
    name: str, author: str, number: int, kind: str, bounds: tuple[int, int], features: list[tuple[str, str]]
) -> str:
    """Return a unit as Glozz writes it, with an element on each line."""
    lines = [f'<feature name="{key}">{escaped(value, "the annotator")}</feature>\n' for key, value in features]
    start, end = bounds
    return (
        f'<unit id="{name}">\n<metadata>\n<author>{author}</author>\n<creation-date>{number}</creation-date>\n'
        "<lastModifier>n/a</lastModifier>\n<lastModificationDate>0</lastModificationDate>\n</metadata>\n"
        f"<characterisation>\n<type>{kind}</type>\n"
        + (f"<featureSet>\n{''.join(lines)}</featureSet>\n" if lines else "<featureSet/>\n")
        + f'</characterisation>\n<positioning>\n<start>\n<singlePosition index="{start}"/>\n</start>\n<end>\n'
        f'<singlePosition index="{end}"/>\n</end>\n</positioning>\n</unit>'
    )


# A file is one document, so that the path names it.
FORMAT = FileFormat(
    "glozz",
    "Glozz (.aa with its text in .ac)",
    (".aa", ".xml"),
    _matches,
    _read,
    declares=("annotator",),
    write=_write,
    text_is_extent=True,
    beside=(".ac", ".aam", ".as"),
)
