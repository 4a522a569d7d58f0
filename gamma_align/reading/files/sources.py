"""Files to read: their bytes, their text in any encoding, and the files beside them."""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from io import BufferedReader
from pathlib import Path, PurePosixPath

from gamma_align.errors import Cure, InputError, Location, Set, SettingsError

HEAD = 1 << 16
"""Number of bytes at the beginning of a file from which its format is recognised."""

# UTF-32 stands before UTF-16, since its mark begins with the one of UTF-16.
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class Source:
    """One file to read.

    `name` is used in messages: the path below the folder that the user named. `encoding` is the encoding that the user
    gives for text without a byte-order mark, by default UTF-8.
    """

    def __init__(self, path: Path, name: str, encoding: str | None = None) -> None:
        self.path = path
        self.name = name
        self.encoding = encoding

    @property
    def stem(self) -> str:
        """Name of the file without folders and suffix."""
        return PurePosixPath(self.name).stem

    @property
    def suffix(self) -> str:
        """Suffix of the file, in lower case, with the point."""
        return PurePosixPath(self.name).suffix.lower()

    def open(self) -> BufferedReader:
        """Open the file as bytes."""
        return self.path.open("rb")

    def data(self) -> bytes:
        """Return the whole file."""
        try:
            return self.path.read_bytes()
        except OSError as error:
            raise self.unreadable(error) from None

    def unreadable(self, error: OSError) -> InputError:
        """Return the error that the file cannot be read."""
        return InputError(f"cannot be read: {error.strerror or error}", location=Location(self.name))

    def text(self) -> str:
        """Return the file as text, line ends as they are."""
        return decoded(self.data(), self.name, self.encoding)

    def beside(self, name: str) -> Source | None:
        """Return the file called `name` in the same folder, or ``None``."""
        if not is_plain(name):
            return None
        path = self.path.with_name(name)
        if not is_file(path):
            return None
        return Source(path, str(PurePosixPath(self.name).with_name(name)), self.encoding)

    @property
    def head(self) -> Head:
        """The beginning of the file, to recognise its format; not cached, since there may be many files."""
        try:
            with self.open() as file:
                return Head(self.name, self.suffix, file.read(HEAD), self.open)
        except OSError as error:
            raise self.unreadable(error) from None


@dataclass(frozen=True, eq=False)
class Head:
    """The first `HEAD` bytes of a file, with its name and its suffix (in lower case, with the point).

    `opened` opens the complete file: the content of an archive is not visible in its beginning.
    """

    name: str
    suffix: str
    data: bytes
    opened: Callable[[], BufferedReader] | None = None

    @cached_property
    def text(self) -> str:
        """The beginning as text; invalid bytes are replaced."""
        return self.data.decode(marked_encoding(self.data) or "utf-8", "replace")

    @cached_property
    def lines(self) -> list[str]:
        """The complete lines of the beginning."""
        lines = split_lines(self.text)
        return lines[:-1] if len(self.data) >= HEAD and len(lines) > 1 else lines

    @cached_property
    def members(self) -> tuple[str, ...]:
        """Names of the files in a zip archive; none for other files and damaged archives. Nothing is unpacked."""
        if self.opened is None or not self.data.startswith(b"PK"):
            return ()
        import struct
        import zipfile

        damaged = (zipfile.BadZipFile, struct.error, RuntimeError, EOFError, OSError, ValueError, OverflowError)
        try:
            with self.opened() as file, zipfile.ZipFile(file) as archive:
                return tuple(info.filename for info in archive.infolist() if not info.is_dir())
        except (*damaged, IndexError):
            return ()


def is_file(path: Path) -> bool:
    """Return whether there is a file at the path; false for names that no system takes, for which `Path` raises."""
    return os.path.isfile(path)  # noqa: PTH113


def is_plain(name: str) -> bool:
    """Return whether a name can name a file in the same folder and is no path."""
    return name not in ("", ".", "..") and not set(name) & set("/\\\0")


def split_lines(text: str) -> list[str]:
    r"""Return the lines of a text, split at ``\n``, ``\r\n`` and ``\r`` alone.

    `str.splitlines` splits at form feeds and Unicode's separators too, which tools write within a line.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def marked_encoding(data: bytes) -> str | None:
    """Return the encoding of the byte-order mark, ``None`` without one."""
    return next((name for mark, name in _BYTE_ORDER_MARKS if data.startswith(mark)), None)


def decoded(data: bytes, name: str, encoding: str | None = None) -> str:
    """Decode bytes in the encoding of their byte-order mark, or in `encoding`, or in UTF-8."""
    used_encoding = marked_encoding(data) or encoding or "utf-8"
    try:
        return data.decode(used_encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        read = bytes(error.object)  # some codecs remove the byte-order mark
        number = error.start + len(data) - len(read) + 1
        line = read.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"byte 0x{read[error.start]:02x} (byte {number} of the file) is not "
            f"{used_encoding.removesuffix('-sig').upper()}",
            Cure("save the file as UTF-8, or say what it is, such as {}", Set("encoding", "latin-1")),
            Location(name, line),
        ) from None
    except (LookupError, ValueError):  # unknown, no encoding of text, or a codec that gives no position
        raise _unknown_encoding_error(encoding) from None


def check_encoding(encoding: str | None) -> None:
    """Refuse an unknown encoding, or one that is not for text."""
    try:
        " ".encode(encoding or "utf-8")
    except (LookupError, ValueError):
        raise _unknown_encoding_error(encoding) from None


def _unknown_encoding_error(encoding: str | None) -> SettingsError:
    return SettingsError(
        f"there is no such encoding of files: {encoding!r}",
        "name another, such as utf-8, latin-1 or utf-16",
        Location.for_option("encoding"),
    )
