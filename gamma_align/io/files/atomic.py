"""Writing that is done or not done: a temporary file beside the target, then one rename."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path


def temporary_beside(target: Path) -> Path:
    """Return a path in the folder of `target` that nothing else has."""
    return target.with_name(f".{target.name[:100]}.{os.urandom(6).hex()}.tmp")


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Yield a path to write to; without an exception it then replaces `path` in one step.

    A link is followed, permissions of a file that exists are kept, and what is no regular file
    (``/dev/stdout``, a pipe) is written to directly.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file() and not target.is_dir():
        yield path
        return
    temporary = temporary_beside(target)
    try:
        yield temporary
        if target.is_file():
            shutil.copymode(target, temporary)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def atomic_bytes(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Write `data`, or its pieces, to `path`, whole or not at all."""
    with atomic_write(path) as temporary, temporary.open("wb") as file:
        file.writelines([data] if isinstance(data, bytes) else data)
        file.flush()
        if temporary != path:
            os.fsync(file.fileno())  # else a crash after the rename could leave an empty file


def atomic_text(path: Path, text: str) -> None:
    """Write `text` to `path` as UTF-8, line ends as they are, whole or not at all."""
    atomic_bytes(path, text.encode("utf-8"))


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Yield a folder to write to; without an exception it then becomes `path`, which is new or empty, in one step."""
    target = Path(os.path.abspath(path))  # noqa: PTH100  (resolve would follow a link)
    there = next(parent for parent in target.parents if parent.is_dir())
    temporary = temporary_beside(there / target.name)
    try:
        temporary.mkdir()
        yield temporary
        target.parent.mkdir(parents=True, exist_ok=True)
        if os.name == "nt" and target.is_dir():
            target.rmdir()  # Windows puts no folder in the place of another, empty or not
        temporary.replace(target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
