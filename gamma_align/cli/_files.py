"""Outputs: refused before anything is computed if they cannot be written; then written whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from gamma_align.errors import SettingsError
from gamma_align.io.files.atomic import atomic_text


def check_writable(path: Path | None, option: str, others: Iterable[Path | str | None]) -> None:
    """Refuse a path that cannot be written to.

    Parameters
    ----------
    path : Path or None
        Where to write.
    option : str
        The option that names it.
    others : iterable of paths
        Files that must not be overwritten: the input, other outputs.
    """
    if path is None:
        return
    path = Path(os.path.realpath(path))
    if path in [Path(os.path.realpath(other)) for other in others if other is not None]:
        raise SettingsError(f"argument {option}: {path} is named twice; it would be overwritten")
    folder = path.parent
    if not folder.is_dir():
        raise SettingsError(f"argument {option}: there is no folder {folder}; make it first")
    if path.is_dir():
        raise SettingsError(f"argument {option}: {path} is a folder; name a file")
    changed = folder if path.is_file() or not path.exists() else path  # a device or a pipe is written to as it is
    if not os.access(changed, os.W_OK):
        raise SettingsError(f"argument {option}: no permission to write in {changed}")


def check_folder(folder: Path | None, option: str) -> None:
    """Refuse a folder that is a file, or cannot be made or written to."""
    if folder is None:
        return
    if folder.exists() and not folder.is_dir():
        raise SettingsError(f"argument {option}: {folder} is a file; name a folder")
    # the files are made in a folder beside it
    check_writable(folder.resolve() if not folder.is_dir() else folder / "file", option, [])
    check_writable(folder.resolve().with_name("file"), option, [])


def write_file(text: str, path: Path) -> None:
    """Write a file whole or not at all."""
    # half a surrogate pair, legal in a JSON label, is not legal in a file; escaped it is JSON again
    encodable = text.encode("utf-8", "backslashreplace").decode("utf-8")
    try:
        atomic_text(path, encodable)
    except OSError as error:
        raise SettingsError(f"cannot write {path}: {error.strerror or error}") from None


def write_folder(files: Mapping[str, str], folder: Path) -> None:
    """Write files, name to text, into a folder that is made if missing; other files in it stay.

    Until all are written, none of them is there.
    """
    target = folder.resolve()
    temporary = target.with_name(f".{target.name[:100]}.{os.urandom(6).hex()}.tmp")
    try:
        temporary.mkdir()
        for name, text in files.items():
            write_file(text, temporary / name)
        if not target.is_dir():
            temporary.replace(target)
            return
        for name in files:
            (temporary / name).replace(target / name)
    except OSError as error:
        raise SettingsError(f"cannot write {folder}: {error.strerror or error}") from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
