"""A corpus as WebAnno TSV 3.3: a file for each annotator and document, of one layer with one feature.

The tokens of a document are its words, the same in the files of all annotators. Blanks are tokens too if a unit begins
or ends in them, or if the text begins with blanks other than spaces: the format cannot store these in another way.
A sentence is a line, with the blank lines behind it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from gamma_align.data import Continuum, Corpus, Unit
from gamma_align.errors import InputError
from gamma_align.reading.formats.webanno import cells
from gamma_align.reading.marks.marks import SURROGATE
from gamma_align.reading.marks.writable import as_part, as_path, by_annotator, text_of, unit_location, whole_bounds

_FILE_HEADER = "#FORMAT=WebAnno TSV 3.3\n#T_SP=custom.Span|label\n\n"
_FORMAT_NAME = "WebAnno TSV"
_WORD_PATTERN = re.compile(r"\S+")

_Span = tuple[int, int]


class _Document(NamedTuple):
    """A text with all that its files have in common."""

    name: str
    text: str
    tokens: list[_Span]
    sentences: list[_Span]  # first token, after the last
    lines: list[str]  # the text of each sentence, as header lines
    units16: list[int]  # UTF-16 code units before each character


def files(corpus: Corpus) -> Iterator[tuple[str, bytes]]:
    """Yield path and bytes of each file."""
    for index, name in enumerate(corpus.documents):
        continuum = corpus.continuum(index)
        document = _document(text_of(corpus, index, _FORMAT_NAME), continuum)
        for annotator, units in by_annotator(continuum).items():
            path = f"{as_part(annotator)}/{as_path(name, 'document')}.tsv"
            yield path, (_FILE_HEADER + _body(document, units)).encode()


def _document(text: str, continuum: Continuum) -> _Document:
    """Return the document with its tokens and sentences."""
    tokens = _tokens(text, continuum)
    sentences, ends = _sentences(text, tokens)
    lines = [
        "".join(f"#Text={cells.escape_text(line)}\n" for line in text[tokens[first][0] : end].split("\n"))
        for (first, _), end in zip(sentences, ends, strict=True)
    ]
    units16 = list(accumulate((1 + (mark > "\uffff") for mark in text), initial=0))
    return _Document(continuum.document, text, tokens, sentences, lines, units16)


def _tokens(text: str, continuum: Continuum) -> list[_Span]:
    """Return the words, and the stretches of blanks that must be tokens because a unit begins or ends in them."""
    words = [match.span() for match in _WORD_PATTERN.finditer(text)]
    is_point = continuum.start == continuum.end
    starts, ends, points = (
        sorted(set(bounds.tolist()))
        for bounds in (continuum.start[~is_point], continuum.end[~is_point], continuum.start[is_point])
    )
    tokens = []
    for before, after in pairwise([(0, 0), *words, (len(text), len(text))]):
        low = before[1]
        high = after[0]
        if low < high and (
            _has_bound_within(starts, low, high)
            or _has_bound_within(ends, low + 1, high + 1)
            or _has_bound_within(points, low + (low > 0), high + (high == len(text)))
            or (low == 0 and (not words or text[:high].strip(" ")))
        ):
            tokens.append((low, high))
        if after[0] < after[1]:
            tokens.append(after)
    return tokens


def _has_bound_within(bounds: Sequence[float], low: int, high: int) -> bool:
    """Return whether a bound is in [low, high); the bounds are sorted."""
    return bisect_left(bounds, low) < bisect_left(bounds, high)


def _sentences(text: str, tokens: list[_Span]) -> tuple[list[_Span], list[int]]:
    """Return the range of tokens of each sentence, and the end of its text.

    A sentence begins behind a line break and spaces, as in reading.
    """
    if not tokens:
        return [], []
    starts = [0]
    ends = []
    for index, (before, after) in enumerate(pairwise(tokens), 1):
        line_break = text.rfind("\n", before[1], after[0])
        if line_break >= 0 and not text[line_break + 1 : after[0]].strip(" "):
            starts.append(index)
            ends.append(line_break)
    return list(pairwise([*starts, len(tokens)])), [*ends, len(text)]


def _body(document: _Document, units: list[Unit]) -> str:
    """Return the sentences of a document with the units of one annotator."""
    cells_of = _cells(document, units)
    rows = []
    for number, ((first, after), lines) in enumerate(zip(document.sentences, document.lines, strict=True), 1):
        rows.append(f"\n{lines}")
        for index in range(first, after):
            token = document.tokens[index]
            parts = cells_of.get(index, {})
            name = f"{number}-{index - first + 1}"
            rows.append(_row_line(document, name, token, parts.pop(token, cells.NONE)))
            rows += (_row_line(document, f"{name}.{part}", *row) for part, row in enumerate(parts.items(), 1))
    return "".join(rows)


def _cells(document: _Document, units: list[Unit]) -> dict[int, dict[_Span, str]]:
    """Return the cells of rows with units, by the index of the token and the covered part of it, in order."""
    stacks: defaultdict[tuple[int, _Span], list[int]] = defaultdict(list)
    rows = [_rows_of_unit(document, unit) for unit in units]
    for index, rows_of_unit in enumerate(rows):
        for row in rows_of_unit:
            stacks[row].append(index)
    names: dict[int, int] = {}
    written: defaultdict[int, dict[_Span, str]] = defaultdict(dict)
    for row, stack in sorted(stacks.items()):
        values = []
        for index in stack:
            # Only stacked units and units of several rows need an id, which tells their rows apart from others.
            if len(stack) > 1 or len(rows[index]) > 1:
                names.setdefault(index, len(names) + 1)
            suffix = f"[{names[index]}]" if index in names else ""
            values.append(f"{cells.escape_value(units[index].category)}{suffix}")
        written[row[0]][row[1]] = "|".join(values)
    return written


def _rows_of_unit(document: _Document, unit: Unit) -> list[tuple[int, _Span]]:
    """Return the rows of a unit: the index of each of its tokens, and the part of the token that the unit covers.

    Raises an `InputError` if the format cannot hold the unit.
    """
    start, end = whole_bounds(unit, document.name, _FORMAT_NAME)
    if unit.category is not None and ("\r" in unit.category or SURROGATE.search(unit.category)):
        raise InputError(
            f"the category {unit.category!r} has a carriage return or half a character in it, which WebAnno TSV does "
            "not hold",
            "rename it",
            unit_location(unit, document.name),
        )
    tokens = document.tokens
    if start == end:
        index = bisect_left(tokens, start, key=lambda token: token[1])
        if index == len(tokens):
            raise InputError(
                "WebAnno TSV cannot hold a unit in a text without characters",
                "write jsonl",
                unit_location(unit, document.name),
            )
        return [(index, (start, start))]
    first = bisect_right(tokens, start, key=lambda token: token[1])
    after = bisect_left(tokens, end, key=lambda token: token[0])
    covered = ((max(low, start), min(high, end)) for low, high in tokens[first:after])
    return list(enumerate(covered, first))


def _row_line(document: _Document, name: str, span: _Span, cell: str) -> str:
    """Return the line of a token or a part of one."""
    start, end = span
    low = document.units16[start]
    high = document.units16[end]
    token = re.sub(r"\s", " ", document.text[start:end])
    return f"{name}\t{low}-{high}\t{token}\t{cell}\t\n"
