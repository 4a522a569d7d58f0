"""The store of the service: the data of requests and the results of jobs, for a limited time and up to a size."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from gamma_align.apps.service.limits import Limits
from gamma_align.apps.service.refusal import Refusal
from gamma_align.apps.service.work import BODY, Data

_UNSAFE = re.compile(r'[\x00-\x1f\x7f"*:<>?\\|{}\[\]]')
"""Characters that are special in paths, in templates of paths, or on Windows."""
_MAX_NAME_LENGTH = 100  # characters, far below the 255 bytes that file systems allow
_MAX_LEVELS = 8  # levels of folders of a file that is sent
_MAX_FOLDERS = 4096  # however small they are
_MAX_BYTES_IN_MEMORY = 32 << 20  # of the store: beyond it, also small files are written to the disk
_GRACE_SECONDS = 10.0  # an entry is not deleted before: a client that has just received its id has time to fetch it
_MIN_FREE_BYTES = 16 << 20  # of the disk; with less, what is unused is deleted before its time
FILES = "files"  # the folder of the files of a form


@dataclass(eq=False)
class Kept:
    """A folder in the store: data, or the result of a job. It is not deleted while it has `users`: jobs and calls."""

    id: str
    folder: Path
    name: str = ""
    used: float = 0.0
    users: int = 0
    has_lost_result: bool = False
    """Whether a result of these data was deleted before them."""
    label: str = ""
    """Words for data of several files, which have no common name."""
    written_names: dict[str, str] = field(default_factory=dict)
    """The names of files as the client wrote them, by their safe names, if these differ."""
    files: dict[str, bytes] = field(default_factory=dict)
    """Small files that are in memory alone: to create a folder and a file takes as long as a third of a small γ."""

    @property
    def title(self) -> str:
        """The name of the data as the client wrote it."""
        return self.label or self.written_names.get(self.name, self.name)

    def name_file(self, name: str, safe: str) -> str:
        """Record the safe name of a file, and return it."""
        if name != safe:
            self.written_names[safe] = name
        return safe

    def as_written(self, refusal: Refusal) -> Refusal:
        """Return a refusal in which files have the names that the client wrote."""
        for safe, written in self.written_names.items():
            refusal.rename(safe, written)
        return refusal

    @property
    def data(self) -> Data:
        """The data of the folder, for a worker."""
        return Data(self.folder, self.name, self.files.get(self.name))

    def on_disk(self) -> Path:
        """Return the folder, in which all files are now."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        for name, content in self.files.items():
            (self.folder / name).write_bytes(content)
        self.files.clear()
        return self.folder

    def size(self) -> int:
        """Return the size on disk and in memory, in bytes."""
        return _size(self.folder) + sum(map(len, self.files.values()))

    def remove_files(self) -> None:
        """Delete everything in the folder."""
        self.files.clear()
        if not self.folder.exists():
            return
        for entry in [*self.folder.iterdir()]:
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry, ignore_errors=True)
            else:
                entry.unlink(missing_ok=True)

    def remove(self) -> None:
        """Delete the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)


class Store:
    """Folders by id. The folder that has been unused for the longest time is deleted first."""

    def __init__(self, home: Path, limits: Limits) -> None:
        self._home = home
        self._limits = limits
        self._kept: dict[str, Kept] = {}
        self._sizes: dict[str, int] = {}
        self._size = 0  # the sum of all sizes
        self.dropped: Callable[[str], object] = lambda _: None  # called with every id
        home.mkdir(mode=0o700, parents=True, exist_ok=True)

    def __iter__(self) -> Iterator[Kept]:
        return iter([*self._kept.values()])

    def new(self, *, is_on_disk: bool = True) -> Kept:
        """Return a new, empty folder; it need not exist on disk before something is written to it."""
        # Clients refer to data and results by this id alone, so it cannot be guessed.
        name = secrets.token_hex(16)
        kept = Kept(name, self._home / name, used=time.monotonic())
        if is_on_disk:
            kept.on_disk()
        self._kept[name] = kept
        return kept

    def get(self, name: str, noun: str) -> Kept:
        """Return the folder with an id; `noun` names it in the message of the Refusal if there is none."""
        kept = self._kept.get(name)
        if kept is None:
            raise missing(noun, name)
        kept.used = time.monotonic()
        if noun == "data":  # workers and the page find them on disk
            kept.on_disk()
        return kept

    @property
    def has_memory(self) -> bool:
        """Whether more small files may be in memory."""
        return self._size < _MAX_BYTES_IN_MEMORY

    def drop(self, name: str) -> None:
        """Delete the folder with an id."""
        kept = self._kept.pop(name, None)
        self._size -= self._sizes.pop(name, 0)
        if kept is not None:
            kept.remove()
            self.dropped(name)

    def measure(self, kept: Kept) -> None:
        """Update the size of a folder, and delete others if the store is full."""
        size = kept.size()
        self._size += size - self._sizes.get(kept.id, 0)
        self._sizes[kept.id] = size
        if self._is_full:
            self.tidy()

    @property
    def _is_full(self) -> bool:
        """Return whether there are too many folders, too many bytes, or too little room on the disk."""
        return (
            len(self._kept) > _MAX_FOLDERS
            or self._size > self._limits.keep_bytes
            or shutil.disk_usage(self._home).free < _MIN_FREE_BYTES
        )

    def make_room(self) -> None:
        """Delete all folders that nobody uses, except those that were just used: the disk is full."""
        self.tidy(is_disk_full=True)

    def tidy(self, *, is_disk_full: bool = False) -> None:
        """Delete folders that are too old or, if the store is full, longest unused, but none that was just used."""
        time_now = time.monotonic()
        for kept in sorted((kept for kept in self if not kept.users), key=lambda kept: kept.used):
            age = time_now - kept.used
            if age < _GRACE_SECONDS or (age < self._limits.keep_seconds and not is_disk_full and not self._is_full):
                # The remaining folders were used later still.
                break
            self.drop(kept.id)


def missing(noun: str, name: str) -> Refusal:
    """Return the refusal of an id that no folder has, or has any more."""
    message = f"there is no {noun} {name[:64]!r}, or no more"
    return Refusal("not_found", message, "send the request again", location={"field": noun})


def _size(folder: Path | os.DirEntry[str]) -> int:
    """Return the bytes of all files in a folder; files that vanish meanwhile do not count."""
    size = 0
    with contextlib.suppress(FileNotFoundError), os.scandir(folder) as entries:  # a worker may rename a file meanwhile
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            size += _size(entry) if is_folder else entry.stat(follow_symlinks=False).st_size
    return size


def safe_name(name: str) -> str:
    """Return the last part of the name of a file, without characters that are special in paths and templates."""
    last = PurePath(name.replace("\\", "/")).name
    # Names with "." at the start are the service's own; with "-" they would be options in `arguments_of`.
    text = _UNSAFE.sub("_", last.encode("utf-8", "replace").decode()).lstrip(".-~ ").strip()
    stem = PurePath(text).stem
    suffix = PurePath(text).suffix
    text = (
        f"{stem[: _MAX_NAME_LENGTH - len(suffix)]}{suffix}"
        if len(suffix) < _MAX_NAME_LENGTH // 2
        else text[:_MAX_NAME_LENGTH]
    )
    # A file of the name `BODY` would be read as a request in JSON.
    return text if text and text != BODY else "data"


def safe_path(name: str) -> PurePath:
    """Return a relative path of safe names for a file in a folder that a client sends."""
    parts = [safe_name(part) for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return PurePath(*parts[-_MAX_LEVELS:]) if parts else PurePath("data")
