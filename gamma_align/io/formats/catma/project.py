"""What a CATMA project says besides its annotations: titles of documents, names of tags and their properties."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from gamma_align.errors import InputError
from gamma_align.io.files import json_files
from gamma_align.io.files.sources import Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


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
    """Return what the folder of a project says, read once for all its collections.

    Raises
    ------
    InputError
        For a file in it that is no JSON, or not as CATMA writes it.
    """
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
            told = plain[key] if times[plain[key]] == 1 else _path(key, read, plain)
            tags[key] = Tag(told, tagset, _properties(definition))
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
