"""Unfinished work in a folder: results of tasks as pieces in NumPy's format, and a manifest of settings and data.

A piece is written whole or not at all, and never changed: whenever the process ends, the next one resumes from the
pieces that are there. A piece is a zip archive with an array for each column. It names the work that it belongs to
(a hash of settings and data), its part, kind and number; its last bytes are a checksum of all others. A file that is
damaged, or under the name of another one, is set aside with a warning, and its results are computed again.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import warnings
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from gamma_align.data.corpus import Corpus
from gamma_align.data.parts import CorpusParts, Parts
from gamma_align.data.problem import few
from gamma_align.errors import GammaAlignWarning, SettingsError
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.part_work import Store
from gamma_align.measures.gamma.tasks import StoredColumns
from gamma_align.reading.files.atomic import atomic_bytes, atomic_text
from gamma_align.reading.files.locks import locked
from gamma_align.reading.files.temporary import TemporaryFolder
from gamma_align.version import __version__

MANIFEST = "manifest.json"  # names the work in a folder: settings and data
_LOCK_FILE = "lock"
_SET_ASIDE = "set_aside"  # folder of files that are damaged or under a wrong name
_SCHEMA = 4  # 2: pieces were Parquet files; 3: without checksums
_DESCRIPTION = "piece.json"  # member of a piece: its work, part, kind and number, and the names of its columns
_DIGEST_SIZE = 32  # bytes of the checksum, which is the comment of the archive
_COMMENT_LENGTH = _DIGEST_SIZE.to_bytes(2, "little")  # the field before the comment
_COMPRESSION_LEVEL = 1  # zlib: 192 MB of the corpus qamr become 5.3 MB in .4 s; level 6 takes 1.0 s for 3.5 MB
_NAME_OR_REMOVE = "name another folder, or remove this one to begin anew"
_PIECE_NAME = re.compile(r"\d{6,}-[a-z]+-\d{6,}\.npz")
_SETTING_MAX_LENGTH = 60  # characters of a setting in a message

Manifest: TypeAlias = Mapping[str, Any]
"""The data of a JSON file on the work in a folder: versions, settings, and fingerprints of the data."""


@contextlib.contextmanager
def kept_work(
    folder: str | os.PathLike[str] | Store | None, data: Corpus | Parts, settings: GammaSettings
) -> Iterator[Store | None]:
    """Yield the store of a folder of work; data in parts without a folder have a temporary one.

    A store is yielded unchanged.

    Raises
    ------
    SettingsError
        If the folder holds work on other data, with other settings or of another version, is used by another process,
        or holds something else.
    """
    if isinstance(folder, (str, os.PathLike)):
        path = Path(folder)
        parts = CorpusParts(data, 1) if isinstance(data, Corpus) else data
        with locked_folder(path) as is_ours:
            if is_ours is False:  # if the system has no locks, no process is kept out
                raise SettingsError(f"another process works in {path}", "wait for it, or name another folder")
            yield WorkFolder.of(path, settings.to_dict(), parts.fingerprint)
    elif folder is not None or isinstance(data, Corpus):
        yield folder
    else:
        with TemporaryFolder() as temporary:
            yield WorkFolder(temporary.path, "temporary")


@contextlib.contextmanager
def locked_folder(folder: Path) -> Iterator[bool | None]:
    """Create a folder if it is missing, and lock it until the end of the context or of this process.

    Yield whether this process has the lock; None if the system has no locks.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / _LOCK_FILE).open("wb")
    except OSError as error:
        raise SettingsError(f"cannot keep work in {folder}: {error.strerror or error}") from None
    with file:
        yield locked(file)


class WorkFolder:
    """Pieces of work in a folder, a file each: see `gamma_align.measures.gamma.part_work.Store`.

    Parameters
    ----------
    folder : Path
        An existing folder, which this process has for itself.
    work : str
        Name of the work; pieces of other work are set aside.
    """

    seconds = 20.0

    def __init__(self, folder: Path, work: str) -> None:
        self._folder, self._work = folder, work
        for unfinished in folder.glob(".*.tmp"):  # of a process that was killed while it wrote
            unfinished.unlink()

    @classmethod
    def of(cls, folder: Path, settings: Mapping[str, object], data: Mapping[str, str]) -> WorkFolder:
        """Return the store for work on these data with these settings; write its manifest if it is missing."""
        manifest = {
            "schema_version": _SCHEMA,
            "version": __version__,
            "settings": json.loads(json.dumps(settings)),
            "data": dict(data),
        }
        path = folder / MANIFEST
        if path.exists():
            _check_same(folder, _read(path), manifest)
        elif any(file.name != _LOCK_FILE for file in folder.iterdir()):
            raise SettingsError(f"{folder} holds no work to go on with ({MANIFEST} is missing)", "name a new folder")
        else:
            atomic_text(path, json.dumps(manifest, ensure_ascii=False, indent=2) + "\n")
        text = json.dumps(manifest, sort_keys=True)
        return cls(folder, blake2b(text.encode(), digest_size=8).hexdigest())

    def save(self, part: int, kind: str, columns: StoredColumns) -> None:
        """Write a piece."""
        path = self._folder / f"{part:06}-{kind}-{self._next_number(part, kind):06}.npz"
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=_COMPRESSION_LEVEL) as archive:
            archive.writestr(_DESCRIPTION, json.dumps({**self._owner(path), "columns": [*columns]}))
            for name, column in columns.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, column, allow_pickle=False)
        atomic_bytes(path, _with_checksum(file.getvalue()))

    def load(self, part: int, kind: str) -> Iterator[StoredColumns]:
        """Yield the pieces of a kind, in the order in which they were written.

        Raises
        ------
        SettingsError
            If a file cannot be read at all.
        """
        for path in self._pieces(part, kind):
            try:
                columns = _columns(path, self._owner(path))
            except OSError as error:
                cure = "make it readable, or remove it: its results are computed again"
                raise SettingsError(f"cannot read {path}: {error.strerror or error}", cure) from None
            except ValueError as error:
                self._set_aside(path, str(error))
            else:
                yield columns

    def clear(self) -> None:
        """Remove all pieces."""
        for path in self._pieces():
            path.unlink()
        shutil.rmtree(self._folder / _SET_ASIDE, ignore_errors=True)

    def _set_aside(self, path: Path, reason: str) -> None:
        """Move a file that is no piece of this work to a folder of such files, and warn."""
        aside = self._folder / _SET_ASIDE
        try:
            aside.mkdir(exist_ok=True)
            path.rename(aside / f"{path.stem}-{os.urandom(4).hex()}.npz")
        except OSError as error:
            raise SettingsError(
                f"{path} {reason}, and cannot be moved: {error.strerror or error}", "remove it"
            ) from None
        warning = GammaAlignWarning(f"{path} {reason}; it is set aside in {aside}, and its results are computed again")
        warnings.warn(warning, stacklevel=2)

    def _owner(self, path: Path) -> dict[str, object]:
        """Return what the piece in a file should say of itself."""
        part, kind, number = path.stem.split("-")
        return {"work": self._work, "part": part, "kind": kind, "number": number}

    def _next_number(self, part: int, kind: str) -> int:
        """Return the number after the last one: the number of pieces may be in use if a piece was removed."""
        pieces = self._pieces(part, kind)
        return int(pieces[-1].stem.rpartition("-")[2]) + 1 if pieces else 0

    def _pieces(self, part: int | None = None, kind: str = "*") -> list[Path]:
        part_name = "*" if part is None else f"{part:06}"
        files = self._folder.glob(f"{part_name}-{kind}-*.npz")
        return sorted(file for file in files if _PIECE_NAME.fullmatch(file.name))


def _with_checksum(archive: bytes) -> bytes:
    """Return a zip archive without a comment with its checksum as the comment."""
    return archive[: -len(_COMMENT_LENGTH)] + _COMMENT_LENGTH + blake2b(archive, digest_size=_DIGEST_SIZE).digest()


def _columns(path: Path, owner: Mapping[str, object]) -> StoredColumns:
    """Return the columns of a piece; ValueError with the reason if the file is not this piece."""
    if path.is_dir():
        raise ValueError("is a folder")
    content = path.read_bytes()
    archive_bytes = content[: -_DIGEST_SIZE - len(_COMMENT_LENGTH)] + bytes(len(_COMMENT_LENGTH))
    if _with_checksum(archive_bytes) != content:
        raise ValueError("is damaged")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        description = json.loads(archive.read(_DESCRIPTION))
        names = description.pop("columns")
        if description != owner:
            raise ValueError("belongs to other work" if description["work"] != owner["work"] else "has another name")
        return {name: np.load(io.BytesIO(archive.read(f"{name}.npy")), allow_pickle=False) for name in names}


def _read(path: Path) -> Manifest:
    try:
        manifest: Manifest = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path} cannot be read ({error})", "name a new folder") from None
    return manifest


def _check_same(folder: Path, stored: Manifest, current: Manifest) -> None:
    """Refuse a folder of other work, with the differences."""
    if stored.get("schema_version") != _SCHEMA:
        raise SettingsError(f"{folder} holds work in the format of another version of gamma_align", _NAME_OR_REMOVE)
    settings, data = stored.get("settings", {}), stored.get("data", {})
    current_data = current["data"]
    differences = [
        *_differences(stored, current, ("version",)),
        *_differences(settings, current["settings"], {**settings, **current["settings"]}),
        *(f"other {name}" for name in {**data, **current_data} if data.get(name) != current_data.get(name)),
    ]
    if differences:
        raise SettingsError(f"{folder} holds other work: {few(differences)}", _NAME_OR_REMOVE)


def _differences(stored: Manifest, current: Manifest, names: Iterable[str]) -> Iterator[str]:
    """Yield words for each name whose values differ."""
    for name in names:
        if stored.get(name) != current.get(name):
            yield f"{name} {_short(stored.get(name))} there, {_short(current.get(name))} now"


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SETTING_MAX_LENGTH else f"{text[:_SETTING_MAX_LENGTH]}…"
