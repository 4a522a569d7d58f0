"""The files below a folder, in the same order on every system, each folder once; and checks of paths."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import NamedTuple

from gamma_align.errors import InputError, Location


class Walked(NamedTuple):
    """The sorted paths of the files below a folder, with slashes, and notes on links that were not followed."""

    files: list[str]
    notes: list[str]


# `os.path` returns False for names that no system allows and for files in folders that must not be read; `Path` raises.
def exists(path: str | Path) -> bool:
    """Return whether a path exists."""
    return os.path.exists(path)  # noqa: PTH110


def check_exists(path: Path) -> None:
    """Raise InputError unless a path exists."""
    if not exists(path):
        raise InputError("there is no such file or folder", location=Location(str(path)))


def is_file(path: str | Path) -> bool:
    """Return whether a path is a file."""
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: str | Path) -> bool:
    """Return whether a path is a folder."""
    return os.path.isdir(path)  # noqa: PTH112


def walk_folder(folder: Path, depth: int | None = None) -> Walked:
    """Return the files below a folder, at most `depth` folders down.

    Hidden files and folders are left out, and so are pipes and devices. Links to folders are followed after the folders
    themselves, and no folder is read twice, so that circular links end.
    """
    result = Walked([], [])
    first_paths: dict[tuple[int, int], str] = {}
    pending = [("", 0)]
    while pending:
        links: list[tuple[str, int]] = []
        stack = pending[::-1]  # the first folder is popped first
        while stack:
            relative, level = stack.pop()
            if not _is_new(folder, relative, first_paths, result):
                continue
            for entry in _entries(folder / relative, relative or folder.name):
                path = f"{relative}/{entry.name}" if relative else entry.name
                if _is_folder_entry(entry):
                    if depth is None or level < depth:
                        (links if entry.is_symlink() else stack).append((path, level + 1))
                elif _is_file_entry(entry):
                    result.files.append(path)
        pending = sorted(links)
    result.files.sort(key=lambda path: path.split("/"))
    return result


def _is_new(base: Path, relative: str, first_paths: dict[tuple[int, int], str], result: Walked) -> bool:
    """Return whether a folder has not been read by another path, and add a note otherwise."""
    try:
        status = (base / relative).stat()
    except OSError as error:
        cause = f"cannot be read: {error.strerror or error}"
        raise InputError(cause, location=Location(relative or str(base))) from None
    first = relative
    if status.st_ino:  # some file systems number no files
        first = first_paths.setdefault((status.st_dev, status.st_ino), relative)
    if first != relative:
        target = f"{first!r}" if first else "the whole folder"
        result.notes.append(f"the link {relative!r} leads to {target}, which is read already; it is left out")
    return first == relative


def _entries(folder: Path, name: str) -> list[os.DirEntry[str]]:
    """Return the entries of a folder that are not hidden, by name; InputError if it cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            visible = [entry for entry in entries if not entry.name.startswith(".")]
    except OSError as error:
        cause = f"the folder cannot be listed: {error.strerror or error}"
        raise InputError(cause, location=Location(name)) from None
    return sorted(visible, key=lambda entry: entry.name)


def _is_folder_entry(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a circular link
        return False


def _is_file_entry(entry: os.DirEntry[str]) -> bool:
    """Return whether an entry is a file or a broken link, which reading reports."""
    try:
        return stat.S_ISREG(entry.stat().st_mode)
    except OSError:
        return True
