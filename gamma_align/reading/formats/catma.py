"""CATMA: the clone of a project, annotations as W3C Web Annotation in ``collections/*/annotations``.

Conventions
-----------
* A collection contains the annotations of one document by one annotator: its ``header.json`` names the document and
  the `responsibleUser`. Without one (CATMA 6), and with ``options={"annotator": "author"}``, the author of each
  annotation is the annotator; with ``{"annotator": "collection"}`` it is the name of the collection.
* The layer is the tagset. The category is the tag (by its path, if two tags of a tagset have the same name), or the
  property that ``layers={"tagset": "property"}`` names; each value is a unit.
* Selectors that touch are one stretch of text: CATMA divides long ones. Others make a unit discontinuous.
* Bounds count UTF-16 code units, as in Java, of ``documents/<id>/<id>.txt``; the document is named by its title.

References
----------
https://catma.de/documentation/git-access/ and the GitMA library; https://www.w3.org/TR/annotation-model/#selectors
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from gamma_align.errors import Cure, InputError, Location, Set
from gamma_align.reading.files import json_files
from gamma_align.reading.files.json_files import FaultError, as_problem, get, maybe, need
from gamma_align.reading.files.sources import is_file
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.reading.marks import records
from gamma_align.reading.marks.texts import joined

_AUTHOR = "CATMA_AB27F1D4-303A-3622-BB2C-72C310D0C1BF"  # the id of catma_markupauthor, the same everywhere
# A header.json with one of these keys belongs to a document, a tag or a tagset of the project, not to a collection.
_PROJECT_KEYS = ("gitContentInfoSet", "deletedDefinitions", "userDefinedPropertyDefinitions")
_OPTION_HELP = {"annotator": "'responsible', 'author' or 'collection', which names the annotator"}


class _Tag(NamedTuple):
    """A tag: its name, the name of its tagset, and the names of its properties by their ids."""

    name: str
    tagset: str
    properties: Mapping[str, str]


class _Project(NamedTuple):
    """Names of documents and tags by their ids."""

    titles: Mapping[str, str]
    tags: Mapping[str, _Tag]


def _matches(head: Head) -> bool:
    return PurePosixPath(head.name).name == "header.json" and '"sourceDocumentId"' in head.text


def _read(source: Source, choices: Choices) -> Iterable[Marks]:
    by = records.one_of(choices, "annotator", ("responsible", "author", "collection"))
    header = json_files.document(source)
    if isinstance(header, list) or (isinstance(header, dict) and not header.keys().isdisjoint(_PROJECT_KEYS)):
        return ()  # a part of a project, which is read with the collections
    if not isinstance(header, dict) or not isinstance(header.get("sourceDocumentId"), str):
        raise InputError(
            "has no sourceDocumentId, as the header of CATMA's collections",
            "clone the project again",
            Location(source.name),
        )
    folder = Path(os.path.abspath(source.path)).parent  # noqa: PTH100  (links stay what they are)
    if not folder.is_dir():
        raise InputError("CATMA projects are read from a folder", "unpack the archive", Location(source.name))
    named = header.get({"responsible": "responsibleUser", "collection": "name"}.get(by, ""))
    if by == "collection" and not isinstance(named, str):
        raise InputError(
            "the collection has no name",
            Cure(
                "use {} or {}",
                Set("options", {"annotator": "responsible"}),
                Set("options", {"annotator": "author"}),
            ),
            Location(source.name),
        )
    annotator = named if isinstance(named, str) and named.strip() else None
    collection = _Collection(source, choices, folder, header["sourceDocumentId"], annotator)
    collection.read(folder / "annotations")
    responsible = header.get("responsibleUser")
    if not collection.units_by_author and isinstance(responsible, str) and annotator is None:
        collection.marks.annotated(collection.document, responsible)
    collection.note(responsible=by == "responsible")
    return (collection.marks,)


class _Collection:
    """The annotations of one document by one annotator.

    `named` is the annotator of the collection; if it is ``None``, each annotation names its author.
    """

    def __init__(self, source: Source, choices: Choices, folder: Path, text: str, named: str | None) -> None:
        root = folder.parent.parent
        self.marks = Marks(source.name, offsets="utf-16")
        self.choices = choices
        self.project = _project(root)
        self.text = text
        self.document = self.project.titles.get(text, text)
        self.named = named
        self.units_by_author: Counter[str] = Counter()
        self.n_without: Counter[str] = Counter()
        if named is not None:
            self.marks.annotated(self.document, named)
        if PurePosixPath(text).name != text or text in ("", ".", ".."):
            raise InputError(
                f"the sourceDocumentId {text[:60]!r} is no name of a document",
                "clone the project again",
                Location(source.name),
            )
        name = f"documents/{text}/{text}.txt"
        if is_file(root / name):
            self.marks.texts[self.document, None] = Source(root / name, name).text()
        else:
            self.marks.note(f"there is no {name}, so nothing is checked against the text")

    def read(self, folder: Path) -> None:
        """Add the annotations of all files: a file has all of one user (CATMA 7) or a single one (CATMA 6)."""
        if not folder.is_dir():
            return
        for path in sorted(folder.iterdir()):
            if path.suffix != ".json" or not path.is_file():
                continue
            name = PurePosixPath(self.marks.file).with_name("annotations") / path.name
            value = json_files.document(Source(path, str(name)))
            for index, annotation in enumerate(value if isinstance(value, list) else [value], 1):
                location = f"annotations/{path.name}, annotation {index}"
                with as_problem(self.marks, location):
                    self._add_annotation(need(annotation, dict, "the annotation"), location)

    def _add_annotation(self, annotation: dict[str, object], location: str) -> None:
        """Add the units of an annotation, one for each of its categories; raise a `FaultError` if it is invalid."""
        body = get(annotation, "body", dict, "the annotation")
        spans = self._spans(get(annotation, "target", dict, "the annotation"))
        reference = get(body, "tag", str, "the body")
        tag = self.project.tags.get(reference.rpartition("/")[2])
        if tag is None:
            raise FaultError(f"its tag {reference[-80:]!r} is in no tagset of the project", "clone the project again")
        author = next((name for name in _values(body, "system", _AUTHOR) if name.strip()), None)
        annotator = self.named or author
        if annotator is None:
            raise FaultError("the annotation does not name its author (catma_markupauthor)", "add it or delete it")
        self.units_by_author[author or annotator] += 1
        about = {"document": self.document, "annotator": annotator, "layer": tag.tagset}
        for index, category in enumerate(self._categories(body, tag)):
            self.marks.parts(spans, category, part=f"{location} {index}", location=location, **about)

    def _spans(self, target: dict[str, object]) -> list[tuple[int, int]]:
        """Return the bounds of the annotated stretches in order, with stretches that touch joined."""
        spans: list[tuple[int, int]] = []
        for value in get(target, "items", list, "the target"):
            item = need(value, dict, "an item of the target")
            selector = get(item, "selector", dict, "an item of the target")
            if item.get("source", self.text) != self.text:
                raise FaultError(
                    f"it is on document {item['source']!r}, not on the one of the collection", "correct it"
                )
            spans.append((get(selector, "start", int, "the selector"), get(selector, "end", int)))
        if not spans:
            raise FaultError("it is on nothing: the target has no items", "delete it")
        return joined(spans)

    def _categories(self, body: dict[str, object], tag: _Tag) -> list[str | None]:
        """Return the tag's name or the values of the property that the user named; [None] if it has no value."""
        feature = self.choices.feature(tag.tagset)
        if feature is None:
            return [tag.name]
        keys = [key for key, name in tag.properties.items() if name == feature]
        categories: list[str | None] = []
        for key in keys:
            categories += _values(body, "user", key)
        if not categories:
            self.n_without[feature] += 1
        return categories or [None]

    def note(self, *, responsible: bool) -> None:
        """Note authors that differ from the responsible user, and annotations without a category."""
        other_authors = [f"{count} by {name!r}" for name, count in self.units_by_author.items() if name != self.named]
        if responsible and self.named is not None and other_authors:
            self.marks.note(f"taken for {self.named!r}, who is responsible, are annotations {', '.join(other_authors)}")
        for feature, count in self.n_without.items():
            self.marks.note(f"{count} annotations have no property {feature!r}, and no category")


def _values(body: dict[str, object], kind: str, key: str) -> list[str]:
    """Return the values of a property; `kind` is "system" or "user"."""
    properties = maybe(body, "properties", dict, "the body") or {}
    values = (maybe(properties, kind, dict, "the properties") or {}).get(key) or []
    return [need(value, str, "a property") for value in need(values, list, "a property")]


def _project(root: Path) -> _Project:
    """Return the names in the folder of a project, read once for all its collections."""
    files = [*_headers(root / "documents"), *_headers(root / "tagsets"), *_definitions(root / "tagsets")]
    # The states are part of the key of the cache, so that a changed project is read again.
    states = [(path, path.stat()) for path in files]
    return _load_project(root, tuple((str(path), state.st_mtime_ns, state.st_size) for path, state in states))


@lru_cache(maxsize=2)
def _load_project(root: Path, _: tuple[tuple[str, int, int], ...]) -> _Project:
    """Return the names in a project; the second argument is only part of the key of the cache."""
    titles = {path.parent.name: _title(path, root) for path in _headers(root / "documents")}
    times = Counter(titles.values())
    # Two documents may have the same title.
    names = {key: title if times[title] == 1 else f"{title} ({key})" for key, title in titles.items()}
    tags: dict[str, _Tag] = {}
    for header in _headers(root / "tagsets"):
        tags |= _load_tags(header, root)
    return _Project(names, tags)


def _headers(folder: Path) -> list[Path]:
    """Return the header files of the objects in a folder, sorted."""
    return sorted(folder.glob("*/header.json"))


def _definitions(folder: Path) -> list[Path]:
    """Return the files that define tags; the folder of a tag contains the folders of its children."""
    return sorted(folder.rglob("propertydefs.json"))


def _load_object(path: Path, root: Path) -> dict[str, object]:
    """Return the object in a JSON file; raise an `InputError` if it has another value."""
    name = path.relative_to(root).as_posix()
    value = json_files.document(Source(path, name))
    if not isinstance(value, dict):
        raise InputError(
            f"is {json_files.shown(value)}, not an object as CATMA writes it", "clone the project again", Location(name)
        )
    return value


def _title(path: Path, root: Path) -> str:
    """Return the title of a document, or its id if it has none."""
    content = _load_object(path, root).get("gitContentInfoSet")
    title = content.get("title") if isinstance(content, dict) else None
    return title if isinstance(title, str) and title.strip() else path.parent.name


def _load_tags(header: Path, root: Path) -> dict[str, _Tag]:
    """Return the tags of a tagset by their ids; tags that share a name are named by their paths."""
    name = _load_object(header, root).get("name")
    tagset = name if isinstance(name, str) and name.strip() else header.parent.name
    definitions = {path.parent.name: _load_object(path, root) for path in _definitions(header.parent)}
    names = {key: _name(definition, key) for key, definition in definitions.items()}
    times = Counter(names.values())
    paths = {key: name if times[name] == 1 else _tag_path(key, definitions, names) for key, name in names.items()}
    return {key: _Tag(paths[key], tagset, _properties(definition)) for key, definition in definitions.items()}


def _name(definition: dict[str, object], key: str) -> str:
    name = definition.get("name")
    return name if isinstance(name, str) else key


def _tag_path(key: str, definitions: dict[str, dict[str, object]], names: dict[str, str]) -> str:
    """Return the names of a tag and its ancestors, joined by slashes."""
    path: dict[str, str] = {}
    parent: object = key
    # The last condition stops at tags that are their own ancestors.
    while isinstance(parent, str) and parent in definitions and parent not in path:
        path[parent] = names[parent]
        parent = definitions[parent].get("parentUuid")
    return "/".join(reversed(path.values()))


def _properties(definition: dict[str, object]) -> dict[str, str]:
    """Return the names of a tag's properties by their ids."""
    defined = definition.get("userDefinedPropertyDefinitions")
    pairs = defined.items() if isinstance(defined, dict) else ()
    return {key: _name(value, key) for key, value in pairs if isinstance(value, dict)}


# A collection names its annotator and its document, so that the path names nothing.
FORMAT = FileFormat(
    "catma",
    "CATMA (the clone of a project)",
    (".json",),
    _matches,
    _read,
    declares=("annotator", "document"),
    beside=(".json", ".txt", ".md", ".html"),
    options=_OPTION_HELP,
)
