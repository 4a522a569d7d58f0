"""Glozz: annotations in an ``.aa`` file, the text in the ``.ac`` file of the same name beside it.

Conventions
-----------
* A ``unit`` is annotated by its ``metadata/author``, who created it; where others have annotated, the path says who
  (``"{annotator}/{document}.aa"``, ``annotator="{folder}"``), and authors do not count. Its category is
  ``characterisation/type``, or the feature that ``layers={"unit": "feature"}`` names. Bounds count characters as Java
  does, UTF-16 code units.
* A ``schema`` is a discontinuous unit whose parts are the units and schemas that it embeds, by their ids or by
  ``author_creation-date``. Units are the layer "unit" and schemas the layer "schema", since they cover the same text.
* Units of type "paragraph" are the layout of the text; relations are left out.
* A ``corpusHashcode`` that the ``.ac`` file does not have is noted: the text was changed after it was annotated.
* Written are one ``.aa`` and ``.ac`` a document. Since an ``.ac`` file has no line breaks, they are blanks there, and
  a paragraph by "gamma_align" ends at each and says in a feature what it was; the first one says who marked nothing.

References
----------
Widlöcher & Mathet 2012, The Glozz platform: a corpus annotation and mining tool, DocEng.
The hash code is that of the educe library (https://github.com/irit-melodi/educe), after the appendix of Glozz's manual.
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

from gamma_align.data.continuum import Continuum, Unit
from gamma_align.data.corpus import Corpus
from gamma_align.errors import InputError
from gamma_align.io.files import xml_files
from gamma_align.io.files.xml_files import children, escaped, line, local
from gamma_align.io.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.io.marks.texts import code_points_at
from gamma_align.io.marks.writable import as_path, text_of, unit_name, whole_bounds

_LAYOUT = "paragraph"
_OURS = "gamma_align"
_BREAK, _NOTHING = "line break", "marked nothing"
_BREAKS = re.compile("\r\n|\r|\n")
_LINE_BREAKS = {"000D 000A": "\r\n", "000D": "\r", "000A": "\n"}
_CODES = {line_break: codes for codes, line_break in _LINE_BREAKS.items()}
_INDEX = re.compile(r"\d{1,15}", re.ASCII)
_MODULUS = 99_999_999
_MOST = 3_000_000


class _Node(NamedTuple):
    """A unit (with bounds) or a schema (with what it embeds) of the file."""

    element: Element
    author: str
    spans: tuple[tuple[int, int], ...]
    embeds: tuple[str, ...]


@dataclass(slots=True)
class _File:
    """What a file says, while it is read."""

    marks: Marks
    features: dict[str, str | None]
    left: Counter[str] = field(default_factory=Counter)
    without: Counter[str] = field(default_factory=Counter)
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
            f"{source.name}, line {line(root)}: the file is <{local(root)}>, not <annotations> as "
            "Glozz's are; export it again"
        )
    marks = Marks(source.name, offsets="utf-16")
    marks.creators = True
    file = _File(marks, {name: choices.feature(name) for name in ("unit", "schema")})
    for element in root:
        kind = local(element)
        if kind == "unit":
            _unit(file, element)
        elif kind == "schema":
            _schema(file, element)
        elif kind != "metadata":
            file.left[f"<{kind}> elements"] += 1
    for schema in file.schemas:
        _join(file, schema)
    _text(file, source, root)
    _note(file)
    return (marks,)


def _note(file: _File) -> None:
    """Note what is left out, and which units have no category."""
    listing = ", ".join(f"{count} {what}" for what, count in file.left.most_common() if count)
    if listing:
        file.marks.note(f"left out are {listing}")
    for layer, count in file.without.items():
        wanted, there = file.features[layer], file.names[layer]
        what = "type" if wanted is None else f"feature {wanted!r} (there are {', '.join(map(repr, there)) or 'none'})"
        file.marks.note(f"{count} of layer {layer!r} have no {what}, and no category")


def _child_text(element: Element, *path: str) -> str:
    """Return the text of the element at the end of a path, stripped as Glozz has it on lines of its own."""
    for name in path:
        within = children(element, name)
        if not within:
            return ""
        element = within[0]
    return (element.text or "").strip()


def _features(element: Element) -> list[tuple[str, str]]:
    features = [child for child in element.iter() if local(child) == "feature"]
    return [(feature.get("name", ""), (feature.text or "").strip()) for feature in features]


def _category(file: _File, element: Element, layer: str) -> str | None:
    """Return the type, or the feature that is asked for."""
    wanted = file.features[layer]
    if wanted is None:
        category = _child_text(element, "characterisation", "type")
    else:
        features = dict(_features(element))
        file.names[layer] |= dict.fromkeys(features)
        category = features.get(wanted, "")
    if not category:
        file.without[layer] += 1
    return category or None


def _unit(file: _File, element: Element) -> None:
    author = _child_text(element, "metadata", "author")
    bounds = [child.get("index", "") for child in element.iter() if local(child) == "singlePosition"]
    if len(bounds) != 2 or not all(map(_INDEX.fullmatch, bounds)):  # noqa: PLR2004  (start and end)
        listing = " and ".join(repr(bound[:20]) for bound in bounds[:3]) or "none"
        what = f"a unit has a start and an end, each a number of characters, and this has {listing}; correct it"
        file.marks.problem(line(element), what)
        return
    start, end = map(int, bounds)
    _keep(file, _Node(element, author, ((start, end),), ()))
    if _child_text(element, "characterisation", "type") == _LAYOUT:
        _layout(file, element, author, end)
        return
    category = _category(file, element, "unit")
    file.marks.unit(start, end, category, location=line(element), annotator=author or None, layer="unit")


def _layout(file: _File, element: Element, author: str, end: int) -> None:
    """Read a paragraph, which is layout: a line of the text ends there; ours say which line break it was."""
    file.left[f"units of type {_LAYOUT!r} (layout)"] += author != _OURS
    for name, value in _features(element) if author == _OURS else ():
        if name == _BREAK:
            file.breaks.append((end, value, line(element)))
        elif name == _NOTHING:
            file.marks.annotated(annotator=value, layer="unit")


def _keep(file: _File, node: _Node) -> None:
    """Keep a unit or schema under the names that schemas refer to it by."""
    date = _child_text(node.element, "metadata", "creation-date")
    file.dated.setdefault(f"{node.author}_{date}", node)
    file.nodes.setdefault(node.element.get("id", ""), node)


def _schema(file: _File, element: Element) -> None:
    embedded = ("embedded-unit", "embedded-schema")
    embeds = tuple(child.get("id", "") for child in element.iter() if local(child) in embedded)
    if not embeds:
        file.left["schemas without units"] += 1
        return
    node = _Node(element, _child_text(element, "metadata", "author"), (), embeds)
    _keep(file, node)
    file.schemas.append(node)


def _join(file: _File, schema: _Node) -> None:
    """Make a discontinuous unit of a schema."""
    location, name = line(schema.element), schema.element.get("id", "")
    spans, missing = _spans(file, schema)
    if missing:
        what = f"schema {name!r} embeds {missing[0]!r}, which is not in the file; delete one of them"
        file.marks.problem(location, what)
        return
    about = {"annotator": schema.author or None, "layer": "schema", "part": f"{location}.{name}"}
    category = _category(file, schema.element, "schema")
    for start, end in spans:
        file.marks.unit(start, end, category, location=location, **about)


def _spans(file: _File, schema: _Node) -> tuple[list[tuple[int, int]], list[str]]:
    """Return the bounds of all that a schema embeds at whatever depth, each once, and what there is not."""
    spans: dict[tuple[int, int], None] = {}
    missing, seen, todo = [], set(schema.embeds), list(schema.embeds)
    while todo:
        name = todo.pop()
        node = file.nodes.get(name) or file.dated.get(name)
        if node is None:
            missing.append(name)
            continue
        spans.update(dict.fromkeys(node.spans))
        fresh = dict.fromkeys(embedded for embedded in node.embeds if embedded not in seen)
        seen.update(fresh)
        todo.extend(fresh)
    file.visits += len(seen)
    if file.visits > _MOST:
        raise InputError(
            f"{file.marks.file}, line {line(schema.element)}: schemas embed one another more than {_MOST:,} "
            "times over; export the file again"
        )
    return sorted(spans), missing


def _text(file: _File, source: Source, root: Element) -> None:
    """Read the text beside the file, with the line breaks that were written as blanks."""
    marks, beside = file.marks, source.beside(f"{source.stem}.ac")
    if beside is None:
        marks.note(f"there is no {source.stem}.ac beside it, so nothing is checked against the text")
        return
    code = next((child.get("corpusHashcode") for child in root if child.get("corpusHashcode")), None)
    if code is not None and code != _hash_code(beside.data()):
        marks.note(f"{beside.name} was changed after it was annotated; its hash code is not {code}")
    text = list(beside.text())
    table = code_points_at("".join(text), "utf-16") if file.breaks else np.empty(0)
    for end, value, location in file.breaks:
        start = int(table[end]) if end < len(table) else -1
        line_break = _LINE_BREAKS.get(" ".join(value.split()), "")
        if start < 0 or set(text[start : start + len(line_break)]) != {" "}:
            marks.problem(
                location, f"the {_BREAK} {value[:20]!r} after the paragraph is none; convert the corpus again"
            )
            continue
        text[start : start + len(line_break)] = line_break
    marks.texts[None, None] = "".join(text)


def _hash_code(data: bytes) -> str:
    code = reduce(lambda code, byte: code * byte % _MODULUS, filter(None, data), 1)
    return f"{len(data)}-{code}"


def _write(corpus: Corpus) -> Iterator[tuple[str, bytes]]:
    for index, document in enumerate(corpus.documents):
        text, path = text_of(corpus, index, "Glozz"), as_path(document, "document")
        plain = text.replace("\r", " ").replace("\n", " ").encode()
        points = np.frombuffer(text.encode("utf-32-le"), dtype="<u4")
        offsets = np.concatenate([[0], np.cumsum(1 + (points >= 1 << 16))]).tolist()  # in UTF-16, of each code point
        continuum = corpus.continuum(index)
        lines = [
            '<?xml version="1.0" encoding="UTF-8" standalone="no"?>',
            f'<annotations>\n<metadata corpusHashcode="{_hash_code(plain)}"/>',
            *_paragraphs(text, continuum, offsets),
            *(_written(unit, number, document, offsets) for number, unit in enumerate(continuum.units(), 1)),
            "</annotations>\n",
        ]
        yield f"{path}.aa", "\n".join(lines).encode()
        yield f"{path}.ac", plain


def _paragraphs(text: str, continuum: Continuum, offsets: list[int]) -> Iterator[str]:
    """Yield the lines of the text as layout, with what the file would not hold otherwise."""
    marked = {unit.annotator for unit in continuum.units()}
    nothing = [(_NOTHING, _name(name)) for name in continuum.annotators if name not in marked]
    start = number = 0
    for match in [*_BREAKS.finditer(text), None]:
        end = len(text) if match is None else match.start()
        features = [] if match is None else [(_BREAK, _CODES[match.group()])]
        bounds = offsets[start], offsets[end]
        yield _element(f"{_OURS}_{number}", _OURS, number, _LAYOUT, bounds, features + (nothing if not number else []))
        start, number = end if match is None else match.end(), number + 1


def _written(unit: Unit, number: int, document: str, offsets: list[int]) -> str:
    start, end = whole_bounds(unit, document, "Glozz")
    if not unit.category or unit.category != unit.category.strip() or unit.category == _LAYOUT:
        raise InputError(
            f"{unit_name(unit, document)}: Glozz's types are names without blanks at the edges, and 'paragraph' is "
            f"layout; the category is {unit.category!r}; rename it with labels="
        )
    name = escaped(_name(unit.annotator), "the annotator")
    category = escaped(unit.category, "the category")
    return _element(f"{name}_{number}", name, number, category, (offsets[start], offsets[end]), [])


def _name(annotator: str) -> str:
    if annotator != annotator.strip():
        raise InputError(
            f"the annotator {annotator!r} begins or ends with a blank, which Glozz does not keep; rename it"
        )
    return annotator


def _element(
    name: str, author: str, number: int, kind: str, bounds: tuple[int, int], features: list[tuple[str, str]]
) -> str:
    """Return a unit as Glozz writes it, an element a line."""
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


FORMAT = FileFormat(
    "glozz",
    "Glozz (.aa with its text in .ac)",
    (".aa", ".xml"),
    _matches,
    _read,
    declares=("annotator",),
    write=_write,
    beside=(".ac", ".aam", ".as"),
)
