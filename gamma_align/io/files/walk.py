"""The files below a folder, in one order everywhere, each folder once."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

from gamma_align.errors import InputError

_Identity = tuple[int, int]


@dataclass(slots=True)
class Walked:
    """The sorted paths of the files below a folder, with slashes, and notes on links that were not followed."""

    files: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def walked(folder: Path, depth: int | None = None) -> Walked:
    """Return the files below a folder, at most `depth` folders down.

    Hidden files and folders are nobody's annotation; pipes and devices are no files. Links to folders are followed,
    after the folders themselves, and no folder is read twice, so that links in a circle end.
    """
    found = Walked()
    seen: dict[_Identity, str] = {}
    waiting: list[tuple[str, int]] = [("", 0)]
    while waiting:
        links: list[tuple[str, int]] = []
        for relative, level in waiting:
            _folder(folder, (relative, level), depth, seen, found, links)
        waiting = sorted(links)
    found.files.sort(key=lambda path: path.split("/"))
    return found


def _folder(
    base: Path,
    begin: tuple[str, int],
    depth: int | None,
    seen: dict[_Identity, str],
    found: Walked,
    links: list[tuple[str, int]],
) -> None:
    """Add the files of a folder and those in it; put links to folders by."""
    stack = [begin]
    while stack:
        relative, level = stack.pop()
        if not _is_new(base, relative, seen, found):
            continue
        for entry in _entries(base / relative, relative or base.name):
            path = f"{relative}/{entry.name}" if relative else entry.name
            if _is_folder(entry):
                if depth is None or level < depth:
                    (links if entry.is_symlink() else stack).append((path, level + 1))
            elif _is_file(entry):
                found.files.append(path)


def _is_new(base: Path, relative: str, seen: dict[_Identity, str], found: Walked) -> bool:
    try:
        its = (base / relative).stat()
    except OSError as error:
        raise InputError(f"{relative or base}: cannot be read: {error.strerror or error}") from None
    first = seen.setdefault((its.st_dev, its.st_ino), relative) if its.st_ino else relative
    if first != relative:
        where = f"{first!r}" if first else "the whole folder"
        found.notes.append(f"the link {relative!r} leads to {where}, which is read already; it is left out")
    return first == relative


def _entries(folder: Path, name: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            there = [entry for entry in entries if not entry.name.startswith(".")]
    except OSError as error:
        raise InputError(f"{name}: the folder cannot be listed: {error.strerror or error}") from None
    return sorted(there, key=lambda entry: entry.name)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link in a circle
        return False


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Whether it is a file, or a link that leads nowhere, which must not be missing silently."""
    try:
        return stat.S_ISREG(entry.stat().st_mode)
    except OSError:
        return True
