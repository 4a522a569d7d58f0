"""CATMA: the clone of a project, annotations as W3C Web Annotation in ``collections/*/annotations``.

Conventions
-----------
* A collection is what one person annotated in one document: its ``header.json`` names the document and the
  `responsibleUser`. Without one (CATMA 6), and with ``options={"annotator": "author"}``, each annotation's author is
  the annotator; with ``{"annotator": "collection"}`` it is the name of the collection.
* The layer is the tagset, the category the tag (by its path, where two of a tagset have one name), or the property
  that ``layers={"tagset": "property"}`` names; each value is a unit.
* Selectors that touch are one stretch of text: CATMA divides long ones. Others make a unit discontinuous.
* Bounds count UTF-16 code units, as in Java, of ``documents/<id>/<id>.txt``; the document is called by its title.

References
----------
https://catma.de/documentation/git-access/ and the GitMA library; https://www.w3.org/TR/annotation-model/#selectors
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path, PurePosixPath

from gamma_align.errors import InputError
from gamma_align.io.files import json_files
from gamma_align.io.files.json_files import FaultError
from gamma_align.io.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.io.marks import records

_AUTHOR = "CATMA_AB27F1D4-303A-3622-BB2C-72C310D0C1BF"  # the id of catma_markupauthor, the same everywhere
_OTHERS = ("gitContentInfoSet", "deletedDefinitions", "userDefinedPropertyDefinitions")
_OPTIONS = {"annotator": "'responsible', 'author' or 'collection': what names the annotator"}


def _matches(head: Head) -> bool:
    return PurePosixPath(head.name).name == "header.json" and '"sourceDocumentId"' in head.text


@dataclass(slots=True)
class _Collection:
    """One collection while it is read."""

    marks: Marks
    choices: Choices
    project: Project
    document: str
    source: str
    named: str | None
    by: str
    people: Counter[str] = field(default_factory=Counter)
    without: Counter[str] = field(default_factory=Counter)


def _read(source: Source, choices: Choices) -> Iterable[Marks]:
    by = records.one_of(choices, "annotator", ("responsible", "author", "collection"))
    header = json_files.document(source)
    if isinstance(header, list) or (isinstance(header, dict) and not header.keys().isdisjoint(_OTHERS)):
        return ()  # a part of a project, which is read with the collections
    if not isinstance(header, dict) or not isinstance(header.get("sourceDocumentId"), str):
        raise InputError(
            f"{source.name}: has no sourceDocumentId, as the header of CATMA's collections; clone it again"
        )
    folder = Path(os.path.abspath(source.path)).parent  # noqa: PTH100  (links stay what they are)
    if not folder.is_dir():
        raise InputError(f"{source.name}: CATMA projects are read from a folder; unpack the archive")
    root = folder.parent.parent
    whole = project(root)
    document = header["sourceDocumentId"]
    named = header.get({"responsible": "responsibleUser", "collection": "name"}.get(by, ""))
    if by == "collection" and not isinstance(named, str):
        raise InputError(f"{source.name}: the collection has no name; use annotator='responsible' or 'author'")
    marks = Marks(source.name, offsets="utf-16")
    title = whole.titles.get(document, document)
    known = named if isinstance(named, str) and named.strip() else None
    collection = _Collection(marks, choices, whole, title, document, known, by)
    if known is not None:
        marks.annotated(title, known)
    _text(collection, root)
    for page in _pages(folder, source):
        for number, annotation in _annotations(page):
            where = f"annotations/{page.path.name}, annotation {number}"
            with json_files.as_problem(marks, where):
                _annotation(collection, json_files.need(annotation, dict, "the annotation"), where)
    responsible = header.get("responsibleUser")
    if not collection.people and isinstance(responsible, str) and known is None:
        marks.annotated(title, responsible)
    _note(collection)
    return (marks,)


def _text(collection: _Collection, root: Path) -> None:
    name = collection.source
    if PurePosixPath(name).name != name or name in ("", ".", ".."):
        raise InputError(f"{collection.marks.file}: the sourceDocumentId {name[:60]!r} is no name of a document")
    path = root / "documents" / name / f"{name}.txt"
    if os.path.isfile(path):  # noqa: PTH113  (false for a name no system takes, where Path raises)
        collection.marks.texts[collection.document, None] = Source(path, f"documents/{name}/{name}.txt").text()
    else:
        collection.marks.note(f"there is no documents/{name}/{name}.txt, so nothing is checked against the text")


def _pages(folder: Path, source: Source) -> Iterator[Source]:
    """Yield the files with annotations: one a user (CATMA 7), one an annotation (CATMA 6)."""
    inside = folder / "annotations"
    base = PurePosixPath(source.name).parent / "annotations"
    for path in sorted(inside.iterdir()) if inside.is_dir() else ():
        if path.suffix == ".json" and path.is_file():
            yield Source(path, str(base / path.name))


def _annotations(page: Source) -> Iterator[tuple[int, object]]:
    value = json_files.document(page)
    yield from enumerate(value if isinstance(value, list) else [value], 1)


def _annotation(collection: _Collection, annotation: dict[str, object], where: str) -> None:
    body = json_files.get(annotation, "body", dict, "the annotation")
    spans = _spans(collection, json_files.get(annotation, "target", dict, "the annotation"))
    reference = json_files.get(body, "tag", str, "the body")
    tag = collection.project.tags.get(reference.rpartition("/")[2])
    if tag is None:
        raise FaultError(f"its tag {reference[-80:]!r} is in no tagset of the project; clone the project again")
    author = _author(body)
    annotator = collection.named or author
    if annotator is None:
        raise FaultError("nothing says who annotated; the annotation has no catma_markupauthor")
    collection.people[author or annotator] += 1
    for at, category in enumerate(_categories(collection, body, tag)):
        for start, end in spans:
            collection.marks.unit(
                start,
                end,
                category,
                where=where,
                document=collection.document,
                annotator=annotator,
                layer=tag.tagset,
                part=f"{where} {at}" if len(spans) > 1 else None,
            )


def _spans(collection: _Collection, target: dict[str, object]) -> list[tuple[int, int]]:
    """Return the bounds of what an annotation is on, in order, those that touch as one."""
    spans: list[tuple[int, int]] = []
    for item in json_files.get(target, "items", list, "the target"):
        item = json_files.need(item, dict, "an item of the target")  # noqa: PLW2901
        selector = json_files.get(item, "selector", dict, "an item of the target")
        if item.get("source", collection.source) != collection.source:
            raise FaultError(f"it is on document {item['source']!r}, not on that of the collection; correct it")
        spans.append((json_files.get(selector, "start", int, "the selector"), json_files.get(selector, "end", int)))
    if not spans:
        raise FaultError("it is on nothing: the target has no items; delete it")
    spans.sort()
    joined = spans[:1]
    for start, end in spans[1:]:
        if start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def _values(body: dict[str, object], kind: str, key: str) -> list[str]:
    """Return the values of a property, of those of the system or the user."""
    properties = json_files.maybe(body, "properties", dict, "the body") or {}
    values = (json_files.maybe(properties, kind, dict, "the properties") or {}).get(key) or []
    return [json_files.need(value, str, "a property") for value in json_files.need(values, list, "a property")]


def _author(body: dict[str, object]) -> str | None:
    return next((name for name in _values(body, "system", _AUTHOR) if name.strip()), None)


def _categories(collection: _Collection, body: dict[str, object], tag: Tag) -> list[str | None]:
    wanted = collection.choices.feature(tag.tagset)
    if wanted is None:
        return [tag.name]
    keys = [key for key, name in tag.properties.items() if name == wanted]
    categories: list[str | None] = [value for key in keys for value in _values(body, "user", key)]
    if not categories:
        collection.without[wanted] += 1
    return categories or [None]


def _note(collection: _Collection) -> None:
    others = {name: count for name, count in collection.people.items() if name != collection.named}
    if collection.by == "responsible" and collection.named is not None and others:
        listing = ", ".join(f"{count} by {name!r}" for name, count in others.items())
        collection.marks.note(f"taken for {collection.named!r}, who is responsible, are annotations {listing}")
    for wanted, count in collection.without.items():
        collection.marks.note(f"{count} annotations have no property {wanted!r}, and no category")


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag: its name, that of its tagset, and the names of its properties by their ids."""

    name: str
    tagset: str
    properties: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Project:
    """Names of documents and tags by their ids."""

    titles: Mapping[str, str]
    tags: Mapping[str, Tag]


def project(root: Path) -> Project:
    """Return what the folder of a project says, read once for all its collections."""
    files = (*_headers(root / "documents"), *_headers(root / "tagsets"), *_definitions(root / "tagsets"))
    states = [path.stat() for path in files]
    state = tuple((str(path), each.st_mtime_ns, each.st_size) for path, each in zip(files, states, strict=True))
    return _project(root, state)


@lru_cache(maxsize=2)
def _project(root: Path, _: tuple[tuple[str, int, int], ...]) -> Project:
    titles = {path.parent.name: _title(path, root) for path in _headers(root / "documents")}
    times = Counter(titles.values())
    names = {key: title if times[title] == 1 else f"{title} ({key})" for key, title in titles.items()}
    return Project(names, _tags(root))


def _headers(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(path for each in folder.iterdir() if (path := each / "header.json").is_file())


def _definitions(folder: Path) -> Iterator[Path]:
    """Yield the files that define tags; a tag's children are folders in its own."""
    for parent, folders, files in os.walk(folder):
        folders.sort()
        if "propertydefs.json" in files:
            yield Path(parent) / "propertydefs.json"


def _object(path: Path, root: Path) -> dict[str, object]:
    name = path.relative_to(root).as_posix()
    value = json_files.document(Source(path, name))
    if not isinstance(value, dict):
        raise InputError(
            f"{name}: is {json_files.shown(value)}, not an object as CATMA writes it; clone the project again"
        )
    return value


def _title(path: Path, root: Path) -> str:
    content = _object(path, root).get("gitContentInfoSet")
    title = content.get("title") if isinstance(content, dict) else None
    return title if isinstance(title, str) and title.strip() else path.parent.name


def _tags(root: Path) -> dict[str, Tag]:
    """Return the tags; two of one name in a tagset are known by their paths."""
    tags: dict[str, Tag] = {}
    for header in _headers(root / "tagsets"):
        name = _object(header, root).get("name")
        tagset = name if isinstance(name, str) and name.strip() else header.parent.name
        read = {path.parent.name: _object(path, root) for path in _definitions(header.parent)}
        plain = {key: _name(definition, key) for key, definition in read.items()}
        times = Counter(plain.values())
        for key, definition in read.items():
            tag_name = plain[key] if times[plain[key]] == 1 else _path(key, read, plain)
            tags[key] = Tag(tag_name, tagset, _properties(definition))
    return tags


def _name(definition: dict[str, object], key: str) -> str:
    name = definition.get("name")
    return name if isinstance(name, str) else key


def _path(key: str, read: dict[str, dict[str, object]], plain: dict[str, str]) -> str:
    names: dict[str, str] = {}
    at: object = key
    while isinstance(at, str) and at in read and at not in names:
        names[at] = plain[at]
        at = read[at].get("parentUuid")
    return "/".join(reversed(names.values()))


def _properties(definition: dict[str, object]) -> dict[str, str]:
    defined = definition.get("userDefinedPropertyDefinitions")
    each = defined.items() if isinstance(defined, dict) else ()
    return {key: _name(value, key) for key, value in each if isinstance(value, dict)}


FORMAT = FileFormat(
    "catma",
    "CATMA (the clone of a project)",
    (".json",),
    _matches,
    _read,
    declares=("annotator", "document"),
    beside=(".json", ".txt", ".md", ".html"),
    options=_OPTIONS,
)
