"""Delimited text as blocks of rows, in memory that does not grow with the file; each row knows its line.

Conventions
-----------
* "line" is a line of the file, from 1; that of a row is where it begins. Rows without any text are skipped.
* A cell has at most ``csv.field_size_limit()`` characters, a line at most `LONGEST`: what is longer is a quote that
  was not closed, or no table.

References
----------
RFC 4180.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from io import BufferedReader, BytesIO, TextIOWrapper
from itertools import chain, islice
from typing import NamedTuple

from gamma_align.data.problem import Problem, Problems
from gamma_align.errors import InputError
from gamma_align.io.files.sources import Source, decoded

LONGEST = 1 << 24
"""Characters a line may have."""

_ROWS = 1 << 12
_CHUNK = 1 << 20
_BREAK = re.compile(r"\r\n|\r|\n")


class Block(NamedTuple):
    """Rows one after the other.

    Attributes
    ----------
    width : int
        Cells in a row.
    cells : list of str
        Row after row: a list a row would keep the garbage collector busier than the reading.
    lines : sequence of int
        The line of each row.
    """

    width: int
    cells: list[str]
    lines: Sequence[int]


def blocks(source: Source, delimiter: str, problems: Problems, *, blank_rows: bool = False) -> Iterator[Block]:
    """Yield the rows of a delimited file, first the first one alone; those of another width are problems.

    Parameters
    ----------
    source : Source
        The file; UTF-8, with or without a byte-order mark, where it has no encoding.
    delimiter : str
        What is between cells.
    problems : list
        Is added to: rows with another number of cells than the first, and a quote that does not close or a cell too
        long, which ends the reading.
    blank_rows : bool
        Whether a row of empty cells is one; without it, it is skipped.
    """
    with _opened(source) as file:
        reader = csv.reader(_lines(file, source.name), delimiter=delimiter, strict=True)
        size, width, line = 1, 0, 1
        while True:
            rows: list[list[str]] = []
            error = _filled(rows, reader, size, source)
            if not rows and error is None:
                return
            begins, line = _begins(rows, line, reader.line_num)
            kept = [at for at, row in enumerate(rows) if row and (row[0].strip() or _is_row(row, width, blank_rows))]
            if kept:
                width = width or len(rows[kept[0]])
                whole = [at for at in kept if len(rows[at]) == width]
                if len(whole) < len(kept):
                    odd = [(begins[at], len(rows[at])) for at in kept if len(rows[at]) != width]
                    problems += (Problem(source.name, begin, _wrong_width(count, width)) for begin, count in odd)
                if whole:
                    cells = list(chain.from_iterable(map(rows.__getitem__, whole)))
                    yield Block(width, cells, begins if len(whole) == len(begins) else [begins[at] for at in whole])
                    size = _ROWS
            if error is not None:
                problems.append(Problem(source.name, line, _message(error)))
                return


def _is_row(row: list[str], width: int, blank_rows: bool) -> bool:  # noqa: FBT001
    """Whether a row whose first cell is blank is one."""
    return (len(row) > 1 or width == 1) if blank_rows else bool("".join(row).strip())


def _wrong_width(count: int, width: int) -> str:
    return f"{count} fields, but the first row has {width}; quote cells with delimiters in them"


@contextmanager
def _opened(source: Source) -> Iterator[TextIOWrapper]:
    with _raw(source) as raw:
        if source.encoding is None and raw.peek(2)[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            raise InputError(
                f"{source.name}, line 1: the file is UTF-16; save it as UTF-8, or say so with encoding='utf-16' "
                "(--encoding utf-16)"
            )
        try:
            file = TextIOWrapper(raw, encoding=source.encoding or "utf-8-sig", newline="")
        except LookupError:
            decoded(b" ", source.name, source.encoding)  # which says so
            raise
        with file:
            yield file


def _raw(source: Source) -> BufferedReader:
    if type(source) is Source:
        return source.path.open("rb")
    return BufferedReader(BytesIO(source.data()))


def _lines(file: TextIOWrapper, name: str) -> Iterator[str]:
    """Yield the lines, each with its end."""
    for number, line in enumerate(iter(partial(file.readline, LONGEST), ""), 1):
        if len(line) == LONGEST and line[-1] not in "\r\n":
            raise InputError(f"{name}, line {number}: longer than {LONGEST:,} characters; this is no table of units")
        yield line.removeprefix("\ufeff") if number == 1 else line


def _filled(rows: list[list[str]], reader: Iterator[list[str]], size: int, source: Source) -> csv.Error | None:
    """Add rows, and return what ended them before their number, where it is an error of the file's."""
    try:
        rows.extend(islice(reader, size))
    except csv.Error as error:
        return error
    except UnicodeError:
        raise _undecodable(source) from None
    return None


def _begins(rows: list[list[str]], line: int, last: int) -> tuple[Sequence[int], int]:
    """Return the line where each row begins, and that after the last row."""
    if last + 1 - line == len(rows):
        return range(line, line + len(rows)), line + len(rows)
    begins = []
    for row in rows:
        begins.append(line)
        line += 1 + sum(len(_BREAK.findall(cell)) for cell in row)
    return begins, line


def _message(error: csv.Error) -> str:
    if "field limit" in str(error):
        return f"a cell longer than {csv.field_size_limit():,} characters; is the quote that opens it closed?"
    return f"{error}; a quoted cell ends with a quote, and a quote within it is doubled; what follows is not looked at"


def _undecodable(source: Source) -> InputError:
    """Return words for the first byte that is not text, where it is in the file."""
    cure = "save the file as UTF-8, or say what it is with encoding= (--encoding latin-1)"
    decoder = codecs.getincrementaldecoder(source.encoding or "utf-8")()
    before, line, chunk = 0, 1, b" "
    with _raw(source) as file:
        while chunk:
            chunk = file.read(_CHUNK)
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                pending = len(error.object) - len(chunk)  # of the chunk before, and counted
                at = before - pending + error.start
                line += error.object.count(b"\n", 0, error.start) - error.object.count(b"\n", 0, pending)
                told = f"byte 0x{error.object[error.start]:02x} (byte {at + 1} of the file)"
                return InputError(
                    f"{source.name}, line {line}: {told} is not {(source.encoding or 'utf-8').upper()}; {cure}"
                )
            except UnicodeError as error:  # a UTF-16 file without its mark, for one
                return InputError(f"{source.name}: {error}; {cure}")
            before += len(chunk)
            line += chunk.count(b"\n")
    return InputError(f"{source.name}: is not {(source.encoding or 'utf-8').upper()}; {cure}")
