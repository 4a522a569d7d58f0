"""Results as one JSON document, written piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice

from gamma_align.data import Json
from gamma_align.errors import Note, Surface, render
from gamma_align.inference import LazyList

_PIECES_PER_CHUNK = 500  # of JSON, most of them lines: some 100 kB


def json_pieces(data: dict[str, Json], surface: Surface) -> Iterator[str]:
    """Yield data as one JSON document, in chunks; notes are in the language of the surface."""
    pieces = _indented(_rendered(data, surface), "\n")
    # At the end, the join of no pieces is the empty text, which stops `iter`.
    yield from iter(lambda: "".join(islice(pieces, _PIECES_PER_CHUNK)), "")
    yield "\n"


def _rendered(data: dict[str, Json], surface: Surface) -> dict[str, Json]:
    """Return data whose lists of notes are in the language of the surface."""
    rendered = dict(data)
    for name, value in data.items():
        if isinstance(value, dict):
            rendered[name] = _rendered(value, surface)
        elif isinstance(value, LazyList):
            continue  # rows are no notes, and to look at them would create them all
        elif isinstance(value, list) and any(isinstance(entry, Note) for entry in value):
            rendered[name] = [render(entry, surface) for entry in value]
    return rendered


def _indented(value: object, line_start: str) -> Iterator[str]:
    """Yield a value as JSON; `line_start` is the line break and the indentation of the value.

    Entries of a list are written in one line, unless they contain lists of several lines: json writes a line ten times
    as fast as this function.
    """
    next_start = f"{line_start}  "
    if isinstance(value, dict) and any(isinstance(content, (dict, list)) for content in value.values()):
        begin = "{"
        for name, content in value.items():
            yield f"{begin}{next_start}{_encoder()(name)}: "
            yield from _indented(content, next_start)
            begin = ","
        yield f"{line_start}}}"
    elif isinstance(value, dict) and value:
        # The separator contains the line break, so one call encodes all entries.
        yield f"{{{next_start}{_encoder(f',{next_start}')(value)[1:-1]}{line_start}}}"
    elif isinstance(value, LazyList) and not _has_lines_within(value.first()):
        separator = f",{next_start}"
        begin = f"[{next_start}"
        for text in value.texts():
            yield begin + text
            begin = separator
        yield f"{line_start}]"
    elif isinstance(value, list) and _has_several_lines(value):
        begin = "["
        for entry in value:
            yield f"{begin}{next_start}"
            if _has_lines_within(entry):
                yield from _indented(entry, next_start)
            else:
                yield _encoder()(entry)
            begin = ","
        yield f"{line_start}]"
    else:
        yield _encoder()(value)


def _has_lines_within(entry: object) -> bool:
    return isinstance(entry, dict) and any(map(_has_several_lines, entry.values()))


def _has_several_lines(value: object) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], (dict, list))


@cache
def _encoder(separator: str = ", ") -> Callable[[object], str]:
    """Return the function that encodes a value as one line of JSON."""
    import json

    # NaN is no JSON: an error is better than a file that other programs cannot read.
    return json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(separator, ": ")).encode
