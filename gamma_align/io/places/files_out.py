"""A corpus as files of an annotation tool: all of them or none."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from gamma_align.data.corpus import Corpus
from gamma_align.errors import InputError, SettingsError
from gamma_align.io.files.atomic import atomic_bytes, new_folder
from gamma_align.io.formats import FileFormat


def write_files(corpus: Corpus, path: str | os.PathLike[str], fmt: FileFormat) -> None:
    """Write a corpus in the format of a tool: one file where the path has its suffix, else a new or empty folder."""
    if fmt.write is None:
        raise SettingsError(f"{fmt.name} is read, not written")
    target = Path(path)
    files = _checked(fmt.write(corpus), fmt)
    if target.suffix.lower() in fmt.suffixes and not target.is_dir() and not os.fspath(path).endswith(("/", os.sep)):
        _write_one(target, files, fmt)
    else:
        _check_target(target)
        with new_folder(target) as folder:
            for name, data in files:
                file = folder / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(data)


def _write_one(target: Path, files: Iterator[tuple[PurePosixPath, bytes]], fmt: FileFormat) -> None:
    _, data = next(files)
    others = sum(1 for _ in files)
    if others:
        raise InputError(
            f"{target}: the corpus makes {others + 1} files of {fmt.name}; name a folder: '{target.with_suffix('')}/'"
        )
    atomic_bytes(target, data)


def check_new(path: str | os.PathLike[str]) -> None:
    """Refuse a folder that has something in it."""
    target = Path(path)
    if target.is_dir() and any(target.iterdir()):
        raise SettingsError(f"{target}: the folder is not empty; choose another, or empty it first")


def _check_target(target: Path) -> None:
    """Refuse a path where there is something."""
    check_new(target)
    if target.is_dir():
        if target.samefile("."):
            raise SettingsError(f"{target}: is the folder you are in; name a new one")
    elif os.path.lexists(target):
        raise SettingsError(f"{target}: is a file, and a folder is to be written; choose another name")


def _checked(files: Iterable[tuple[str, bytes]], fmt: FileFormat) -> Iterator[tuple[PurePosixPath, bytes]]:
    """Yield files, each of a name of its own below the folder, on systems that do not tell A from a, or é from é."""
    taken: dict[tuple[str, ...], str] = {}  # files, and folders with a slash behind
    for name, data in files:
        path = PurePosixPath(name)
        if path.is_absolute() or not path.parts or ".." in path.parts or "\\" in name:
            raise InputError(
                f"{fmt.name}: the file {name!r} would be outside the folder; rename document and annotator"
            )
        parts = tuple(unicodedata.normalize("NFC", part).casefold() for part in path.parts)
        folders = [(parts[:length], "/".join((*path.parts[:length], ""))) for length in range(1, len(parts))]
        clashing = (taken[key] for key, folder in folders if taken.get(key, folder) != folder)
        before = taken.get(parts) or next(clashing, None)
        if before is not None:
            raise InputError(
                f"{fmt.name}: {before!r} and {name!r} would be one file or folder on some systems; rename the "
                "documents or annotators, or write a format that keeps all in one file (csv, parquet, jsonl)"
            )
        taken[parts] = name
        taken.update(folders)
        yield path, data
