"""A corpus as WebAnno TSV 3.3: a file for each annotator and document, of one layer with one feature.

The tokens of a document are its words, the same in the files of all annotators; blanks are tokens too where a unit
begins or ends in them, and where the text begins with others than spaces, which the format has no other place for.
A sentence is a line, with the blank lines behind it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from gamma_align.data.continuum import Continuum, Unit
from gamma_align.data.corpus import Corpus
from gamma_align.errors import InputError
from gamma_align.io.formats.webanno import cells
from gamma_align.io.marks.writable import HALF, as_part, as_path, by_annotator, place_of, text_of, whole_bounds

_HEADER = "#FORMAT=WebAnno TSV 3.3\n#T_SP=custom.Span|label\n\n"
_NAME = "WebAnno TSV"
_WORDS = re.compile(r"\S+")

_Span = tuple[int, int]


class _Document(NamedTuple):
    """A text, with what does not depend on the annotator."""

    name: str
    text: str
    tokens: list[_Span]
    sentences: list[_Span]  # first token, after the last
    lines: list[str]  # the text of each sentence, as header lines
    units16: list[int]  # UTF-16 code units before each character


def files(corpus: Corpus) -> Iterator[tuple[str, bytes]]:
    """Yield path and bytes of each file."""
    for at, name in enumerate(corpus.documents):
        continuum = corpus.continuum(at)
        document = _document(text_of(corpus, at, _NAME), continuum)
        for annotator, units in by_annotator(continuum).items():
            path = f"{as_part(annotator, 'annotator')}/{as_path(name, 'document')}.tsv"
            yield path, (_HEADER + _body(document, units)).encode()


def _document(text: str, continuum: Continuum) -> _Document:
    tokens = _tokens(text, continuum)
    sentences, ends = _sentences(text, tokens)
    lines = [
        "".join(f"#Text={cells.written_text(line)}\n" for line in text[tokens[first][0] : end].split("\n"))
        for (first, _), end in zip(sentences, ends, strict=True)
    ]
    units16 = list(accumulate((1 + (mark > "\uffff") for mark in text), initial=0))
    return _Document(continuum.document, text, tokens, sentences, lines, units16)


def _tokens(text: str, continuum: Continuum) -> list[_Span]:
    """Return the words, and the blanks between them that are needed."""
    words = [match.span() for match in _WORDS.finditer(text)]
    is_point = continuum.start == continuum.end
    starts, ends, points = (
        sorted(set(bounds.tolist()))
        for bounds in (continuum.start[~is_point], continuum.end[~is_point], continuum.start[is_point])
    )
    tokens = []
    for before, after in pairwise([(0, 0), *words, (len(text), len(text))]):
        low, high = before[1], after[0]
        if low < high and (
            _any(starts, low, high)
            or _any(ends, low + 1, high + 1)
            or _any(points, low + (low > 0), high + (high == len(text)))
            or (low == 0 and (not words or text[:high].strip(" ")))
        ):
            tokens.append((low, high))
        if after[0] < after[1]:
            tokens.append(after)
    return tokens


def _any(bounds: Sequence[float], low: int, high: int) -> bool:
    """Whether a bound is in [low, high); the bounds are sorted."""
    at = bisect_left(bounds, low)
    return at < len(bounds) and bounds[at] < high


def _sentences(text: str, tokens: list[_Span]) -> tuple[list[_Span], list[int]]:
    """Return the tokens of each sentence, and where its text ends.

    One begins where reading puts it: behind a line break and spaces.
    """
    first, sentences, ends = 0, [], []
    for at, (before, after) in enumerate(pairwise(tokens), 1):
        line_break = text.rfind("\n", before[1], after[0])
        if line_break >= 0 and not text[line_break + 1 : after[0]].strip(" "):
            sentences.append((first, at))
            ends.append(line_break)
            first = at
    if tokens:
        sentences.append((first, len(tokens)))
        ends.append(len(text))
    return sentences, ends


def _body(document: _Document, units: list[Unit]) -> str:
    values = _values(document, units)
    out = []
    for number, ((first, after), lines) in enumerate(zip(document.sentences, document.lines, strict=True), 1):
        out.append(f"\n{lines}")
        for at in range(first, after):
            token = document.tokens[at]
            name = f"{number}-{at - first + 1}"
            out.append(_row(document, name, token, values.get((at, *token))))
            parts = [place[1:] for place in values.within(at) if place[1:] != token]
            out += [
                _row(document, f"{name}.{part}", span, values.get((at, *span))) for part, span in enumerate(parts, 1)
            ]
    return "".join(out)


class _Values(dict[tuple[int, int, int], list[str]]):
    """The values of each row that has any: token, start, end."""

    def __init__(self) -> None:
        super().__init__()
        self._places: dict[int, list[tuple[int, int, int]]] = {}

    def within(self, token: int) -> list[tuple[int, int, int]]:
        """Return the rows of a token and its parts, in order."""
        if not self._places:
            for place in sorted(self):
                self._places.setdefault(place[0], []).append(place)
        return self._places.get(token, [])


def _values(document: _Document, units: list[Unit]) -> _Values:
    rows: defaultdict[tuple[int, int, int], list[int]] = defaultdict(list)
    places = [_places(document, unit) for unit in units]
    for at, rows_of_unit in enumerate(places):
        for place in rows_of_unit:
            rows[place].append(at)
    names: dict[int, int] = {}
    values = _Values()
    for place in sorted(rows):
        stack = rows[place]
        values[place] = []
        for at in stack:
            if len(stack) > 1 or len(places[at]) > 1:
                names.setdefault(at, len(names) + 1)
            suffix = f"[{names[at]}]" if at in names else ""
            values[place].append(f"{cells.written_value(units[at].category)}{suffix}")
    return values


def _places(document: _Document, unit: Unit) -> list[tuple[int, int, int]]:
    """Return the rows of a unit: what it covers of each token."""
    start, end = whole_bounds(unit, document.name, _NAME)
    if unit.category is not None and ("\r" in unit.category or HALF.search(unit.category)):
        raise InputError(
            f"{place_of(unit, document.name)}: the category {unit.category!r} has a carriage return or half a "
            "character in it, which WebAnno TSV does not hold; rename it"
        )
    tokens = document.tokens
    if start == end:
        at = bisect_left(tokens, start, key=lambda token: token[1])
        if at == len(tokens):
            raise InputError(
                f"{place_of(unit, document.name)}: WebAnno TSV has no place for a unit in a text without characters; "
                "write jsonl"
            )
        return [(at, start, start)]
    first = bisect_right(tokens, start, key=lambda token: token[1])
    after = bisect_left(tokens, end, key=lambda token: token[0])
    return [(at, max(tokens[at][0], start), min(tokens[at][1], end)) for at in range(first, after)]


def _row(document: _Document, name: str, span: _Span, values: list[str] | None) -> str:
    start, end = span
    low, high = document.units16[start], document.units16[end]
    token = re.sub(r"\s", " ", document.text[start:end])
    return f"{name}\t{low}-{high}\t{token}\t{cells.NONE if values is None else '|'.join(values)}\t\n"
