"""Unfinished work in a folder: results of tasks as pieces in NumPy's format, and a manifest of settings and data.

A piece is written whole or not at all, and never changed: whenever the process ends, the next one resumes from the
pieces that are there. A piece is a zip archive with an array for each column and a description: the version, the hashes
of settings and data, the part, the kind of results, and the range of documents and samples. The last bytes of the file
are a checksum of all others, and its name has the first digits of it. So no name is ever used for two contents, even if
pieces were removed, or where the system has no locks that keep a second process out. A file that is damaged, under
another name or of other work is set aside with a warning, and its results are computed again.
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

from gamma_align.columns import IntArray
from gamma_align.data import Corpus, CorpusParts, Parts, few
from gamma_align.errors import GammaAlignWarning, SettingsError
from gamma_align.measures.gamma import GammaSettings
from gamma_align.reading.files.atomic import atomic_bytes
from gamma_align.reading.files.locks import locked
from gamma_align.reading.files.temporary import TemporaryFolder
from gamma_align.version import __version__
from gamma_align.work import Store, StoredColumns

MANIFEST = "manifest.json"  # names the work in a folder: settings and data; its first field is its own checksum
_LOCK_FILE = "lock"
_SET_ASIDE = "set_aside"  # folder of files that are damaged or under a wrong name
_SCHEMA = 5  # 2: pieces were Parquet files; 3: without checksums; 4: numbered
_DESCRIPTION = "piece.json"  # member of a piece: its work, part, kind and range, and the names of its columns
_RANGE_COLUMNS = ("document", "number")  # columns with the documents and the numbers of samples of a piece
_DIGEST_SIZE = 32  # bytes of the checksum, which is the comment of the archive
_COMMENT_LENGTH = _DIGEST_SIZE.to_bytes(2, "little")  # the field before the comment
_COMPRESSION_LEVEL = 1  # zlib: 192 MB of the corpus qamr become 5.3 MB in .4 s; level 6 takes 1.0 s for 3.5 MB
_NAME_OR_REMOVE = "name another folder, or remove this one to begin anew"
_NAME_NEW_FOLDER = "name a new folder"  # to remove a folder that may not be of this package would be bad advice
_PIECE_NAME = re.compile(r"\d{6,}-[a-z]+-[0-9a-f]{16}\.npz")  # part, kind, first digits of the checksum
_NAME_DIGITS = 16  # of the checksum in the name of a piece: 64 bits
_MANIFEST_TEXT = re.compile(rb'\{\n  "checksum": "([0-9a-f]{64})",\n(.*)', re.DOTALL)
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
            yield WorkFolder(temporary.path, {})


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
    """Pieces of work in a folder, a file each: see `gamma_align.work.store.Store`.

    Parameters
    ----------
    folder : Path
        An existing folder, which this process has for itself.
    work : mapping
        Hashes that identify the work, by name; a piece with other ones is set aside.
    """

    seconds = 20.0

    def __init__(self, folder: Path, work: Mapping[str, str]) -> None:
        self._folder = folder
        self._work = dict(work)
        for unfinished in folder.glob(".*.tmp"):  # of a process that was killed while it wrote
            with contextlib.suppress(OSError):  # a folder, or in use where the system has no locks
                unfinished.unlink()
        for path in sorted(folder.glob("*.npz")):
            if not _PIECE_NAME.fullmatch(path.name):
                self._set_aside(path, "has another name")

    @classmethod
    def of(cls, folder: Path, settings: Mapping[str, object], data: Mapping[str, str]) -> WorkFolder:
        """Return the store for work on these data with these settings; write its manifest if it is missing.

        A manifest that is missing or damaged is also written again, with a warning, if the folder has a piece of this
        work: all pieces identify their work themselves.
        """
        manifest = {
            "schema_version": _SCHEMA,
            "version": __version__,
            "settings": json.loads(json.dumps(settings)),
            "data": dict(data),
        }
        work = {"version": __version__, **{name: _hash(manifest[name]) for name in ("settings", "data")}}
        path = folder / MANIFEST
        try:
            stored = _read(path)
        except FileNotFoundError:
            if any(file.name != _LOCK_FILE for file in folder.iterdir()):
                _refuse_or_warn(f"{folder} holds no work to go on with ({MANIFEST} is missing)", folder, work)
            _write_manifest(path, manifest)
        except OSError as error:
            raise SettingsError(f"cannot read {path}: {error.strerror or error}", _NAME_NEW_FOLDER) from None
        except ValueError as error:
            _refuse_or_warn(f"{path} {error}", folder, work)
            _write_manifest(path, manifest)
        else:
            _check_same(folder, stored, manifest)
        return cls(folder, work)

    def save(self, part: int, kind: str, columns: StoredColumns) -> None:
        """Write a piece."""
        description = {
            "work": self._work,
            "part": part,
            "kind": kind,
            "range": {name: _range(columns[name]) for name in _RANGE_COLUMNS if name in columns},
            "columns": [*columns],
        }
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=_COMPRESSION_LEVEL) as archive:
            archive.writestr(_member(_DESCRIPTION), json.dumps(description))
            for name, column in columns.items():
                with archive.open(_member(f"{name}.npy"), "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, column, allow_pickle=False)
        content = _with_checksum(file.getvalue())
        atomic_bytes(self._folder / f"{part:06}-{kind}-{_name_digits(content)}.npz", content)

    def load(self, part: int, kind: str) -> Iterator[StoredColumns]:
        """Yield the pieces of a kind, in no particular order.

        Raises
        ------
        SettingsError
            If a file cannot be read at all.
        """
        for path in _pieces(self._folder, part, kind):
            try:
                columns = _columns(path, self._work)
            except OSError as error:
                cure = "make it readable, or remove it: its results are computed again"
                raise SettingsError(f"cannot read {path}: {error.strerror or error}", cure) from None
            except ValueError as error:
                self._set_aside(path, str(error))
            else:
                yield columns

    def clear(self) -> None:
        """Remove all pieces."""
        for path in _pieces(self._folder):
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


def _pieces(folder: Path, part: int | None = None, kind: str = "*") -> list[Path]:
    part_name = "*" if part is None else f"{part:06}"
    return sorted(file for file in folder.glob(f"{part_name}-{kind}-*.npz") if _PIECE_NAME.fullmatch(file.name))


def _refuse_or_warn(problem: str, folder: Path, work: Mapping[str, str]) -> None:
    """Warn of a problem of the manifest if the folder has a piece of this work; SettingsError otherwise."""
    if not any(_is_piece(path, work) for path in _pieces(folder)):
        raise SettingsError(problem, _NAME_NEW_FOLDER)
    warning = GammaAlignWarning(f"{problem}; it is written again, because the folder has results of this work")
    warnings.warn(warning, stacklevel=2)


def _is_piece(path: Path, work: Mapping[str, str]) -> bool:
    """Whether a file is a piece of this work."""
    try:
        _columns(path, work)
    except (OSError, ValueError):
        return False
    return True


def _with_checksum(archive: bytes) -> bytes:
    """Return a zip archive without a comment with its checksum as the comment."""
    return archive[: -len(_COMMENT_LENGTH)] + _COMMENT_LENGTH + blake2b(archive, digest_size=_DIGEST_SIZE).digest()


def _name_digits(content: bytes) -> str:
    """Return the digits in the name of a piece with this content: the first ones of its checksum."""
    return content[-_DIGEST_SIZE:].hex()[:_NAME_DIGITS]


def _member(name: str) -> zipfile.ZipInfo:
    """Return the header of a member of a piece, with a date that is always the same: equal results are equal bytes."""
    header = zipfile.ZipInfo(name)
    header.compress_type = zipfile.ZIP_DEFLATED
    return header


def _range(column: IntArray) -> list[int]:
    """Return the lowest and the highest number of a column, which may be empty."""
    return [int(column.min()), int(column.max())] if len(column) else []


def _columns(path: Path, work: Mapping[str, str]) -> StoredColumns:
    """Return the columns of a piece of this work; ValueError with the reason if the file is not one under its name."""
    if not path.is_file():
        raise ValueError("is no file")
    content = path.read_bytes()
    archive_bytes = content[: -_DIGEST_SIZE - len(_COMMENT_LENGTH)] + bytes(len(_COMMENT_LENGTH))
    if _with_checksum(archive_bytes) != content:
        raise ValueError("is damaged")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        description = json.loads(archive.read(_DESCRIPTION))
        differences = [f"other {name}" for name, value in work.items() if description["work"].get(name) != value]
        if differences or len(description["work"]) != len(work):
            raise ValueError(f"belongs to other work ({', '.join(differences) or 'of another kind'})")
        name = f"{description['part']:06}-{description['kind']}-{_name_digits(content)}.npz"
        if path.name != name:
            raise ValueError(f"has another name: it was {name}")
        members = description["columns"]
        return {name: np.load(io.BytesIO(archive.read(f"{name}.npy")), allow_pickle=False) for name in members}


def _hash(content: object) -> str:
    """Return a hash of data that JSON can represent."""
    return blake2b(json.dumps(content, sort_keys=True).encode(), digest_size=16).hexdigest()


def _write_manifest(path: Path, manifest: Manifest) -> None:
    """Write a manifest with a checksum of its text after the first field, which is the checksum."""
    text = json.dumps(manifest, ensure_ascii=False, indent=2).removeprefix("{\n") + "\n"
    content = text.encode("utf-8", "backslashreplace")  # names may have surrogates, from file names that are not UTF-8
    checksum = blake2b(content, digest_size=_DIGEST_SIZE).hexdigest()
    atomic_bytes(path, f'{{\n  "checksum": "{checksum}",\n'.encode() + content)


def _read(path: Path) -> Manifest:
    """Return a manifest; OSError if it cannot be read, ValueError with the reason if it is damaged."""
    content = path.read_bytes()
    match = _MANIFEST_TEXT.fullmatch(content)
    if match and blake2b(match[2], digest_size=_DIGEST_SIZE).hexdigest().encode() != match[1]:
        raise ValueError("is damaged")
    try:
        manifest = json.loads(content)
    except (ValueError, RecursionError):
        raise ValueError("is damaged") from None
    if isinstance(manifest, dict) and (match or manifest.get("schema_version") != _SCHEMA):
        return manifest
    raise ValueError("is damaged")  # only older versions wrote no checksum


def _check_same(folder: Path, stored: Manifest, current: Manifest) -> None:
    """Refuse a folder of other work, with the differences."""
    if stored.get("schema_version") != _SCHEMA:
        raise SettingsError(f"{folder} holds work in the format of another version of gamma_align", _NAME_OR_REMOVE)
    settings = stored.get("settings", {})
    data = stored.get("data", {})
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
