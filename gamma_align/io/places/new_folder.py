"""A corpus written to a place where there is none yet: all of its tables, or nothing."""

from __future__ import annotations

import os
import secrets
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from gamma_align.errors import InputError, SettingsError
from gamma_align.io.writing import write

if TYPE_CHECKING:
    from gamma_align.data.corpus import Corpus


def is_folder_name(path: str | os.PathLike[str]) -> bool:
    """Whether `write` takes the path for a folder."""
    return Path(path).is_dir() or os.fspath(path).endswith(("/", os.sep)) or not Path(path).suffix


def write_new(corpus: Corpus, path: str | os.PathLike[str], *, format: str | None = None) -> None:  # noqa: A002
    """Write a corpus as `write` does, a folder in one step: its tables are made beside it and moved together.

    Raises
    ------
    SettingsError
        For a folder that has something in it, and as `write`.
    InputError
        As `write`.
    """
    if not is_folder_name(path):
        write(corpus, path, format=format)
        return
    target = Path(path)
    check_new(path)
    temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.tmp")
    try:
        write(corpus, f"{temporary}{os.sep}", format=format)
        temporary.replace(target)
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def check_new(path: str | os.PathLike[str]) -> None:
    """Refuse a folder that has something in it.

    Raises
    ------
    SettingsError
        If it has.
    """
    target = Path(path)
    if target.is_dir() and any(target.iterdir()):
        raise SettingsError(f"{target}: the folder is not empty; choose another, or empty it first")
