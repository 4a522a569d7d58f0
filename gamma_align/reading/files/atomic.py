"""Atomic writing: a temporary file beside the target, then one rename."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from gamma_align.data import disk_full, is_disk_full
from gamma_align.errors import DiskFullError


def temporary_beside(target: Path) -> Path:
    """Return an unused path in the folder of `target`."""
    return target.with_name(f".{target.name[:100]}.{os.urandom(6).hex()}.tmp")


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Yield a path to write to; without an exception it then replaces `path` in one step.

    Links are followed and permissions of an existing file are kept. Pipes and devices such as ``/dev/stdout`` are
    written to directly.

    Raises
    ------
    DiskFullError
        If no space is left on the disk.
    """
    target = Path(os.path.realpath(path))
    # of the path itself: the target of /dev/stdout, if that is a pipe, has no name
    is_device = path.exists() and not path.is_file() and not path.is_dir()
    temporary = temporary_beside(target)
    try:
        if is_device:
            yield path
            return
        yield temporary
        if target.is_file():
            shutil.copymode(target, temporary)
        temporary.replace(target)
    except OSError as error:
        if is_disk_full(error):
            raise disk_full(path, error) from None
        raise
    finally:
        temporary.unlink(missing_ok=True)


def atomic_bytes(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Write `data`, or its pieces, to `path` atomically."""
    with atomic_write(path) as temporary, temporary.open("wb") as file:
        file.writelines([data] if isinstance(data, bytes) else data)
        file.flush()
        if temporary != path:
            os.fsync(file.fileno())  # else a crash after the rename could leave an empty file


def atomic_text(path: Path, text: str) -> None:
    """Write `text` to `path` as UTF-8 atomically, with line ends unchanged."""
    atomic_bytes(path, text.encode("utf-8"))


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Yield a folder to write to; without an exception it then becomes `path`, which is new or empty, in one step."""
    target = Path(os.path.abspath(path))  # noqa: PTH100  (resolve would follow a link)
    existing_parent = next(parent for parent in target.parents if parent.is_dir())
    temporary = temporary_beside(existing_parent / target.name)
    try:
        temporary.mkdir()
        yield temporary
        target.parent.mkdir(parents=True, exist_ok=True)
        if os.name == "nt" and target.is_dir():
            target.rmdir()  # Windows does not rename a folder onto another, not even an empty one
        temporary.replace(target)
    except OSError as error:
        if is_disk_full(error):
            raise disk_full(path, error) from None
        raise
    except DiskFullError as error:
        raise error.change_text(lambda text: text.replace(str(temporary), str(path))) from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
