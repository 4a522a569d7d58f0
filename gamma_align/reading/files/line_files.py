"""Text files line by line, so that a large file does not have to fit into memory."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager

from gamma_align.errors import Cure, InputError, Location, Set
from gamma_align.reading.files.sources import Source, check_encoding, marked_encoding

_BYTE_ORDERS = (Set("encoding", "utf-16-le"), Set("encoding", "utf-16-be"))


@contextmanager
def opened_text(source: Source, newline: str | None = None) -> Iterator[io.TextIOWrapper]:
    """Open a file as text in the encoding of its byte-order mark, or the one given by the user, or UTF-8.

    A decoding error within the block is raised as an `InputError` with its line; `newline` is as in `open`.
    """
    check_encoding(source.encoding)
    encoding = ""
    try:
        with source.open() as file:
            encoding = marked_encoding(file.peek(4)) or source.encoding or "utf-8"
            with io.TextIOWrapper(file, encoding, newline=newline) as text:
                yield text
    except UnicodeError:
        source.text()  # raises the error with its line, which a decoder of blocks does not know
        raise InputError(
            f"does not begin with the mark that {encoding} has",
            Cure("say which of its two orders it is in with {} or {}", *_BYTE_ORDERS),
            Location(source.name),
        ) from None
    except OSError as error:
        raise source.unreadable(error) from None


def numbered(source: Source) -> Iterator[tuple[int, str]]:
    r"""Yield (number, line) of each line of a file, without its end (``\n``, ``\r\n`` or ``\r``)."""
    with opened_text(source) as text:
        for number, line in enumerate(text, 1):
            # Encodings with a fixed byte order, such as utf-16-le, decode the mark as a character.
            content = line.removeprefix("\ufeff") if number == 1 else line
            yield number, content.removesuffix("\n")
