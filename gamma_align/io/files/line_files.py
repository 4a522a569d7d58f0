"""Text files line by line, so that a large one is never in memory as a whole."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import BinaryIO

from gamma_align.errors import InputError
from gamma_align.io.files.archives import Member
from gamma_align.io.files.sources import Source, decoded, marked


def numbered(source: Source) -> Iterator[tuple[int, str]]:
    r"""Yield (number, line) of each line of a file, without its end (``\n``, ``\r\n`` or ``\r``)."""
    encoding = marked(source.head.data) or source.encoding or "utf-8"
    decoded(b"", source.name, encoding)  # which refuses an encoding that there is not
    try:
        with _opened(source) as file, io.TextIOWrapper(file, encoding) as text:
            for number, line in enumerate(text, 1):
                whole = line.removeprefix("\ufeff") if number == 1 else line
                yield number, whole.removesuffix("\n")
    except UnicodeError:
        source.text()  # says where, which a decoder of blocks does not know
        raise InputError(
            f"{source.name}: does not begin with the mark that {encoding} has; say which of its two orders it is in "
            "with encoding= (--encoding utf-16-le)"
        ) from None
    except OSError as error:
        raise InputError(f"{source.name}: cannot be read: {error.strerror or error}") from None


def _opened(source: Source) -> BinaryIO:
    return io.BytesIO(source.data()) if isinstance(source, Member) else source.path.open("rb")
