"""Zip archives as folders of sources. Paths that lead out of an archive and zip bombs are refused."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import IO

from gamma_align.errors import InputError, Location
from gamma_align.reading.files.sources import HEAD, Head, Source, is_plain

MAX_MEMBER_SIZE = 1 << 30
"""Limit of the unpacked size of one member, in bytes."""

_MAX_RATIO = 200  # text packs by about 10; a bomb by 1000
_HARMLESS_SIZE = 1 << 24  # bytes; up to this, any ratio is allowed
# The methods that tools use. LZMA would allocate a dictionary of a size that the archive chooses, up to gigabytes.
_ALLOWED_COMPRESSION = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# Exceptions of `zipfile` for archives that are damaged or encrypted.
_DAMAGE_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    RuntimeError,  # encrypted
    NotImplementedError,
    EOFError,
    OSError,
    ValueError,
    OverflowError,
    IndexError,
)


class Member(Source):
    """One file in an archive. The archive stays open while one of its members is in use."""

    def __init__(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo, origin: str, encoding: str | None) -> None:
        super().__init__(Path(info.filename), f"{origin}:{info.filename}", encoding)
        self._archive = archive
        self._info = info
        self._origin = origin

    @property
    def inside(self) -> str:
        """The path of the file in the archive."""
        return self._info.filename

    @property
    def stem(self) -> str:
        """Name of the file without folders and suffix."""
        return PurePosixPath(self.inside).stem

    def open(self) -> io.BufferedReader:
        """Open the member, unpacked, as bytes."""
        return io.BufferedReader(io.BytesIO(self.data()))

    def data(self) -> bytes:
        """Return the member unpacked."""
        return self._read(self._info.file_size)

    @property
    def head(self) -> Head:
        """The beginning of the member."""
        return Head(self.name, self.suffix, self._read(HEAD), self.open)

    def beside(self, name: str) -> Source | None:
        """Return the member called `name` in the same folder, or ``None``."""
        if not is_plain(name):
            return None
        path = str(PurePosixPath(self.inside).with_name(name))
        try:
            return Member(self._archive, self._archive.getinfo(path), self._origin, self.encoding)
        except KeyError:
            return None

    def _read(self, size: int) -> bytes:
        """Return the first `size` bytes, or all for -1; InputError if the member is damaged or too large."""
        _check_size(self._info, self.name)
        try:
            with self._archive.open(self._info) as file:
                return file.read(size)
        except _DAMAGE_ERRORS as error:
            raise InputError(f"cannot be unpacked: {error}", "make the archive again", Location(self.name)) from None


def members(archive: Path | Source, encoding: str | None = None) -> list[Member]:
    """Return the files of a zip archive in the order of their names, without hidden ones.

    The archive may itself be a member of another. Text is decoded with `encoding`, by default the one of the source.
    """
    source = archive if isinstance(archive, Source) else Source(archive, archive.name, encoding)
    opened = _open_zip(source.open() if isinstance(source, Member) else source.path, source.name)
    return _members_of(opened, source.name, encoding or source.encoding)


def members_in(data: bytes, name: str) -> list[Member]:
    """Return the files of a zip archive whose bytes are known, as `members` does; `name` is its name in messages."""
    return _members_of(_open_zip(io.BytesIO(data), name), name, None)


def _members_of(opened: zipfile.ZipFile, name: str, encoding: str | None) -> list[Member]:
    """Return the visible members; InputError if one is repeated, leads out of the archive, or is too large."""
    files = [info for info in opened.infolist() if not info.filename.endswith("/")]
    infos = sorted(files, key=lambda info: info.filename)
    previous = None
    for info in infos:
        _check_name(info.filename, name)
        # Equal names are neighbours, since the names are sorted.
        if info.filename == previous:
            raise InputError(f"{info.filename!r} is in the archive twice", "make the archive again", Location(name))
        previous = info.filename
        _check_size(info, f"{name}:{info.filename}")
    _check_total(infos, opened, name)
    visible = [info for info in infos if not _is_hidden(info.filename)]
    return [Member(opened, info, name, encoding) for info in visible]


def _open_zip(file: Path | IO[bytes], name: str) -> zipfile.ZipFile:
    """Return an open archive; InputError if it is none."""
    try:
        return zipfile.ZipFile(file)
    except _DAMAGE_ERRORS as error:
        raise InputError(
            f"is no zip archive that can be read: {error}", "download or make it again", Location(name)
        ) from None


def _is_hidden(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return parts[0] == "__MACOSX" or any(part.startswith(".") for part in parts)


def _check_name(name: str, archive: str) -> None:
    """Raise an InputError for a name that leads out of the archive, on any system."""
    # Windows separates folders by backslashes and drives by colons.
    path = PurePosixPath(name.replace("\\", "/"))
    if not path.parts or path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
        raise InputError(
            f"the name {name!r} leads out of the archive, which is not read",
            "make the archive again",
            Location(archive),
        )


def _check_size(info: zipfile.ZipInfo, name: str) -> None:
    """Raise an InputError for a member that is too large, or packed in an unusual way."""
    if info.compress_type not in _ALLOWED_COMPRESSION:
        raise InputError(
            "is packed in a way that is not read", "make the archive again, as a plain zip", Location(name)
        )
    if info.file_size > MAX_MEMBER_SIZE or _is_bomb(info.file_size, info.compress_size):
        raise _too_large_error(name, info.compress_size, info.file_size)


def _check_total(infos: list[zipfile.ZipInfo], opened: zipfile.ZipFile, name: str) -> None:
    """Refuse archives with members that share the same packed bytes, so that none is too large by itself."""
    packed = opened.start_dir  # offset of the list of members, which follows all of them
    unpacked = sum(info.file_size for info in infos)
    if _is_bomb(unpacked, packed):
        raise _too_large_error(name, packed, unpacked)


def _is_bomb(unpacked: int, packed: int) -> bool:
    return unpacked > _HARMLESS_SIZE and unpacked > _MAX_RATIO * max(packed, 1)


def _too_large_error(name: str, packed: int, unpacked: int) -> InputError:
    return InputError(
        f"{packed:,} bytes unpack to {unpacked:,}, more than annotation files have",
        "unpack the archive yourself and read the folder, if you trust it",
        Location(name),
    )
