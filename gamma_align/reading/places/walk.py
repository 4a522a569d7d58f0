"""The files below a folder, in one order everywhere, each folder once."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import NamedTuple

from gamma_align.errors import InputError


class Walked(NamedTuple):
    """The sorted paths of the files below a folder, with slashes, and notes on links that were not followed."""

    files: list[str]
    notes: list[str]


def walked(folder: Path, depth: int | None = None) -> Walked:
    """Return the files below a folder, at most `depth` folders down.

    Hidden files and folders are nobody's annotation; pipes and devices are no files. Links to folders are followed,
    after the folders themselves, and no folder is read twice, so that links in a circle end.
    """
    result = Walked([], [])
    seen: dict[tuple[int, int], str] = {}
    waiting = [("", 0)]
    while waiting:
        links: list[tuple[str, int]] = []
        stack = waiting[::-1]
        while stack:
            relative, level = stack.pop()
            if not _is_new(folder, relative, seen, result):
                continue
            for entry in _entries(folder / relative, relative or folder.name):
                path = f"{relative}/{entry.name}" if relative else entry.name
                if _is_folder(entry):
                    if depth is None or level < depth:
                        (links if entry.is_symlink() else stack).append((path, level + 1))
                elif _is_file(entry):
                    result.files.append(path)
        waiting = sorted(links)
    result.files.sort(key=lambda path: path.split("/"))
    return result


def _is_new(base: Path, relative: str, seen: dict[tuple[int, int], str], result: Walked) -> bool:
    try:
        status = (base / relative).stat()
    except OSError as error:
        raise InputError(f"{relative or base}: cannot be read: {error.strerror or error}") from None
    first = seen.setdefault((status.st_dev, status.st_ino), relative) if status.st_ino else relative
    if first != relative:
        target = f"{first!r}" if first else "the whole folder"
        result.notes.append(f"the link {relative!r} leads to {target}, which is read already; it is left out")
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
