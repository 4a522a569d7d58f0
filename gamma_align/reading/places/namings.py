"""The ways in which paths below a folder can name annotators and documents: folders may be either."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain, pairwise
from pathlib import PurePosixPath
from typing import NamedTuple

from gamma_align.data import few

FILE = -1
"""The level of the file in a path."""


class Naming(NamedTuple):
    """One way to read the paths: the part at `level` names the annotator, the other parts name the document.

    `fields` are the names in each path. `template` is the path, below the folder, that reads the files this way.
    """

    level: int
    fields: tuple[dict[str, str], ...]
    template: str

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The indices of files of one document, each file with the next one."""
        return [*chain.from_iterable(pairwise(files) for files in self._documents())]

    @property
    def pairs_between(self) -> list[tuple[int, int]]:
        """The indices of files of two documents: the first file of each document with the first of the next one."""
        return list(pairwise(files[0] for files in self._documents()))

    def _documents(self) -> list[list[int]]:
        """Return the indices of the files of each document."""
        files: dict[str, list[int]] = defaultdict(list)
        for index, names in enumerate(self.fields):
            files[names["document"]].append(index)
        return list(files.values())

    @property
    def annotators(self) -> str:
        """The names of the annotators, for messages."""
        return few(dict.fromkeys(names["annotator"] for names in self.fields))

    @property
    def meaning(self) -> str:
        """Which parts of the paths are annotators and which are documents, for messages."""
        if self.level == 0:
            return "folders are annotators"
        if self.level == FILE:
            return "folders are documents and files are annotators"
        return f"folders at level {self.level + 1} are annotators"

    @property
    def note(self) -> str:
        """How the paths are read, with the names of the annotators."""
        meaning = "each folder is taken for an annotator" if self.level == 0 else self.meaning
        return f"{meaning}: {self.annotators}"


def possible_namings(paths: Sequence[PurePosixPath]) -> list[Naming]:
    """Return the ways to read paths in folders: the first is that top folders are annotators, the last that files are.

    Folders in between may be annotators if all paths have as many folders.
    """
    depths = {len(path.parts) for path in paths}
    # At different depths, a level below the first would be a folder in some paths and the file in others.
    levels = range(depths.pop() - 1) if len(depths) == 1 else [0]
    return [_naming(paths, level) for level in (*levels, FILE)]


def _naming(paths: Sequence[PurePosixPath], level: int) -> Naming:
    """Return the reading of the paths in which the part at a level is the annotator."""
    parts = [path.with_suffix("").parts for path in paths]
    if level == FILE:
        documents = [names[:FILE] for names in parts]
    else:
        documents = [names[:level] + names[level + 1 :] for names in parts]
    if level != 0:
        documents = _without_common_parts(documents)
    fields = [
        {"annotator": names[level], "document": "/".join(document)}
        for names, document in zip(parts, documents, strict=True)
    ]
    return Naming(level, tuple(fields), _template(paths, level))


def _without_common_parts(documents: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Remove the first and last parts that all documents share, but not the only part of a name."""
    while _have_common_part(documents, 0):
        documents = [names[1:] for names in documents]
    while _have_common_part(documents, -1):
        documents = [names[:-1] for names in documents]
    return documents


def _have_common_part(documents: list[tuple[str, ...]], position: int) -> bool:
    """Return whether all documents have the same part at a position, and other parts as well."""
    return min(map(len, documents)) > 1 and len({names[position] for names in documents}) == 1


def _template(paths: Sequence[PurePosixPath], level: int) -> str:
    """Return a template of the paths as deep as the first one, with the annotator at a level.

    The document is the other level with the most names. The other parts are any name unless all paths share one.
    """
    depth = len(paths[0].parts)
    stems = [path.with_suffix("").parts for path in paths if len(path.parts) == depth]
    names = [dict.fromkeys(parts[index] for parts in stems) for index in range(depth)]
    annotator = level % depth
    candidates = [index for index in range(depth) if index != annotator]
    document = max(candidates, key=lambda index: (len(names[index]), index))
    parts = ["{_}" if len(part_names) > 1 else _escaped(*part_names) for part_names in names]
    parts[annotator] = "{annotator}"
    parts[document] = "{document}"
    suffixes = {path.suffix for path in paths}
    suffix = suffixes.pop() if len(suffixes) == 1 else ".*"
    return "/".join(parts) + suffix


def _escaped(name: str) -> str:
    """Return a name with its braces doubled, as a template has them."""
    return re.sub(r"[{}]", r"\g<0>\g<0>", name)
