"""The folder of the service: the data of requests and the results of jobs, for a time and up to a size."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath

from gamma_align.apps.service.limits import Limits
from gamma_align.apps.service.refusal import Refusal
from gamma_align.apps.service.work import BODY, Data

_UNSAFE = re.compile(r'[\x00-\x1f\x7f"*:<>?\\|{}\[\]]')
_LONGEST = 100
_MOST = 4096
"""How many data and results are kept, however small."""
_SETTLING_SECONDS = 10.0
"""For so long nothing is dropped: who was told of it has time to fetch it."""
FILES = "files"


@dataclass(eq=False)
class Kept:
    """A folder that is kept: data, or what a job made; not dropped while it has `users`, jobs at work on it."""

    id: str
    folder: Path
    name: str = ""
    used: float = 0.0
    users: int = 0

    @property
    def data(self) -> Data:
        """What a worker reads of it."""
        return Data(self.folder, self.name)

    def size(self) -> int:
        """Return how many bytes it has on disk."""
        return _size(self.folder)

    def remove(self) -> None:
        """Delete its files."""
        shutil.rmtree(self.folder, ignore_errors=True)


class Store:
    """Folders by their ids, in a folder of their own; the longest unused are dropped first."""

    def __init__(self, home: Path, limits: Limits) -> None:
        self._home, self._limits = home, limits
        self._kept: dict[str, Kept] = {}
        self._sizes: dict[str, int] = {}
        self.dropped: Callable[[str], object] = lambda _: None  # called with every id
        home.mkdir(mode=0o700, parents=True, exist_ok=True)

    def __iter__(self) -> Iterator[Kept]:
        return iter([*self._kept.values()])

    def new(self) -> Kept:
        """Return a new, empty folder."""
        name = secrets.token_hex(16)
        kept = Kept(name, self._home / name, used=time.monotonic())
        kept.folder.mkdir(mode=0o700)
        self._kept[name] = kept
        return kept

    def get(self, name: str, what: str) -> Kept:
        """Return what is kept under an id; `what` is what a message calls it."""
        kept = self._kept.get(name)
        if kept is None:
            raise Refusal("not_found", f"there is no {what} {name[:64]!r}, or no more", "send the request again")
        kept.used = time.monotonic()
        return kept

    def drop(self, name: str) -> None:
        """Delete what is kept under an id."""
        kept = self._kept.pop(name, None)
        self._sizes.pop(name, None)
        if kept is not None:
            kept.remove()
            self.dropped(name)

    def measure(self, kept: Kept) -> None:
        """Take note of the size of what is kept, and drop others where there is too much."""
        self._sizes[kept.id] = kept.size()
        if self._is_full:
            self.tidy()

    @property
    def _is_full(self) -> bool:
        return len(self._kept) > _MOST or sum(self._sizes.values()) > self._limits.keep_bytes

    def tidy(self) -> None:
        """Drop what is too old, and the longest unused where there is too much, but nothing that was just used."""
        now = time.monotonic()
        for kept in sorted((kept for kept in self if not kept.users), key=lambda kept: kept.used):
            age = now - kept.used
            if age < _SETTLING_SECONDS or (age < self._limits.keep_seconds and not self._is_full):
                break
            self.drop(kept.id)


def _size(folder: Path | os.DirEntry[str]) -> int:
    size = 0
    with contextlib.suppress(FileNotFoundError), os.scandir(folder) as entries:  # a worker may rename one meanwhile
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            size += _size(entry) if is_folder else entry.stat(follow_symlinks=False).st_size
    return size


def safe_name(name: str) -> str:
    """Return the last part of a file's name without what has a meaning in paths and templates."""
    last = PurePath(name.replace("\\", "/")).name
    text = _UNSAFE.sub("_", last.encode("utf-8", "replace").decode()).lstrip(".-~ ").strip()
    stem, suffix = PurePath(text).stem, PurePath(text).suffix
    text = f"{stem[: _LONGEST - len(suffix)]}{suffix}" if len(suffix) < _LONGEST // 2 else text[:_LONGEST]
    return text if text and text != BODY else "data"


def safe_path(name: str) -> PurePath:
    """Return a relative path of safe names, for a file of a folder that is sent."""
    parts = [safe_name(part) for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return PurePath(*parts[-8:]) if parts else PurePath("data")
