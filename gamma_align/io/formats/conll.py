"""CoNLL: a token a line, its tag in a column, a blank line after a sentence; IOB1, IOB2, BIOES, BILOU, BMES.

Conventions
-----------
* Cells are between tabs, or between blanks where there are none. Comments begin with ``#``; rows of several tokens
  (``1-2``) and of none (``1.1``), as CoNLL-U has them, are left out.
* The columns of tags are those whose cells are tags. Where there are several, each is a layer, by its name in
  ``# global.columns`` or its number: choose with ``layers=``, or take each for an annotator with
  ``annotator="{layer}"``, or name them with ``options={"columns": {"anna": 3, "ben": 4}}``. ``options={"token": 2}``
  says where the tokens are; without it, in the first column, or in the second where the first numbers them.
* Bounds count tokens, of a document: what follows ``# newdoc`` (by its id, or its number) or ``-DOCSTART-`` (by its
  number, where there are several), or else the file. No unit goes beyond its sentence.
* A unit that begins or ends without the tag the scheme asks for is taken as conlleval takes it, and counted in the
  notes with the scheme, which the tags tell or ``options={"scheme": "iob2"}`` says.
* ``?`` is a token that the annotator was not shown; who was shown none of a document has not annotated it.
* Annotators' tokens are compared, and are one sequence for all, or an error that shows the first difference.

References
----------
https://www.clips.uantwerpen.be/conll2003/ner/; https://universaldependencies.org/format.html; the readers of
crowd-sourced answers: Rodrigues, Pereira & Ribeiro 2014, Sequence labeling with multiple annotators.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from gamma_align.data.problem import few
from gamma_align.errors import InputError, SettingsError
from gamma_align.io.files.json_files import shown
from gamma_align.io.files.line_files import numbered
from gamma_align.io.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.io.marks.marks import WordedMarks, Words

TAG = re.compile(r"O|([BIESLUM])(?:-(.+))?")
"""A tag; one without a category is of a unit without one."""

UNSEEN = "?"
"""What stands where an annotator was not shown the token."""

SCHEMES = {"iob1": "BI", "iob2": "BI", "bioes": "BIES", "bilou": "BILU", "bmes": "BMES"}
"""Prefixes of each scheme."""

_OPTIONS = {
    "columns": "annotator to the column of the tags, by number from 1 or name",
    "token": "the column of the tokens",
    "scheme": f"one of {', '.join(SCHEMES)}",
}
_OWN = (".conll", ".iob", ".iob2", ".bio", ".bioes", ".bilou")
_BREAK = "-DOCSTART-"
_NUMBER = re.compile(r"\d{1,9}")
_SEVERAL_OR_NONE = re.compile(r"\d{1,9}[-.]\d{1,9}")
_COLUMNS = re.compile(r"#\s*global\.columns\s*=(.*)")
_DOCUMENT = re.compile(r"#\s*newdoc(?:\s+id\s*=(.*))?\s*")
_LEAST = 2
_NOT_OURS = "#FORMAT=WebAnno"
_LOOKED_AT = 10_000


class _Tags(NamedTuple):
    """A column of tags (from 0), and whose or which layer's it is."""

    column: int
    annotator: str | None
    layer: str | None


class _Shape(NamedTuple):
    """How a file is written: between tabs or blanks, cells a row, the column of tokens, whether ids are before it."""

    tabs: bool
    width: int
    token: int
    ids: bool
    tags: list[_Tags]
    breaks: int

    def cells(self, line: str) -> list[str] | None:
        """Return the cells of a token, ``None`` for a comment; hashtags are tokens."""
        cells = _cells(line, tabs=self.tabs)
        if not line.startswith("#"):
            return cells
        tagged = len(cells) == self.width and all(_is_tag(cells[tags.column]) for tags in self.tags)
        return cells if tagged else None


def _cells(line: str, *, tabs: bool) -> list[str]:
    return [cell.strip() for cell in line.split("\t")] if tabs else line.split()


def _is_tag(cell: str) -> bool:
    return cell == UNSEEN or TAG.fullmatch(cell) is not None


def _is_id(cell: str) -> bool:
    return _NUMBER.fullmatch(cell) is not None or _SEVERAL_OR_NONE.fullmatch(cell) is not None


def _is_token(line: str) -> bool:
    return bool(line.strip()) and not line.startswith(("#", _BREAK))


def _matches(head: Head) -> bool:
    if head.text.startswith(_NOT_OURS):
        return False
    lines = [line for line in head.lines if _is_token(line)]
    rows = [_cells(line, tabs="\t" in lines[0]) for line in lines[:_LOOKED_AT]]
    if not rows or len(rows[0]) < _LEAST or any(len(row) != len(rows[0]) for row in rows):
        return False
    cells = [set(column) for column in list(zip(*rows, strict=True))[1:]]
    tags = [column - {UNSEEN} for column in cells if all(map(_is_tag, column))]
    # words such as I and S alone are tags nowhere
    return any(tags) if head.suffix in _OWN else any("O" in column and len(column) > 1 for column in tags)


def _read(source: Source, choices: Choices) -> Iterable[Marks]:
    options = choices.options
    scheme = options.get("scheme")
    if scheme is not None and scheme not in SCHEMES:
        raise SettingsError(f"the scheme of tags is one of {', '.join(SCHEMES)}, not {scheme!r}")
    return (_File(source, _shape(source, options), scheme).read(),)


def _shape(source: Source, options: Mapping[str, Any]) -> _Shape:
    """Return how the file is written, by its first tokens and what the user says."""
    names: list[str] = []
    rows: list[list[str]] = []
    breaks, tabs = 0, False
    for _, line in numbered(source):
        named = _COLUMNS.fullmatch(line.rstrip())
        names = named.group(1).split() if named else names
        breaks += line.startswith(_BREAK)
        if len(rows) < _LOOKED_AT and _is_token(line):
            tabs = tabs if rows else "\t" in line
            rows.append(_cells(line, tabs=tabs))
    if not rows:
        raise InputError(f"{source.name}: there is no token in it")
    width = len(rows[0])
    ids = width > _LEAST and _is_most([row[0] for row in rows], _is_id)
    rows = [row for row in rows if not (ids and _SEVERAL_OR_NONE.fullmatch(row[0]))] or rows
    column_of = partial(_column, file=source.name, width=width, names=names)
    token = column_of(options["token"], "token") if "token" in options else int(ids)
    if "columns" in options:
        chosen = options["columns"]
        if not isinstance(chosen, dict) or not chosen:
            raise SettingsError(f"columns is annotator to column, {{'anna': 3, 'ben': 4}}, not {chosen!r}")
        tags = [_Tags(column_of(column, repr(name)), str(name), None) for name, column in chosen.items()]
    else:
        columns = [[row[column] for row in rows if len(row) > column] for column in range(width)]
        names = names if len(names) == width else [str(number) for number in range(1, width + 1)]
        tags = [_Tags(column, None, names[column]) for column in _columns_of_tags(columns, token, source.name)]
        tags = tags if len(tags) > 1 else [tags[0]._replace(layer=None)]  # several are a layer each
    return _Shape(tabs, width, token, ids and token > 0, tags, breaks)


def _is_most(cells: Sequence[str], matches: Callable[[str], bool]) -> bool:
    counts = Counter(cells)
    return 2 * sum(count for cell, count in counts.items() if matches(cell)) > len(cells)


def _column(value: object, what: str, file: str, width: int, names: list[str]) -> int:
    """Return the column (from 0) that a number from 1 or a name means."""
    if isinstance(value, str) and value in names:
        return names.index(value)
    if isinstance(value, bool) or not isinstance(value, int | str) or not _NUMBER.fullmatch(str(value)):
        named = f", or one of {', '.join(map(repr, names))}" if names else ""
        raise SettingsError(f"the column of {what} is a number from 1{named}, not {value!r}")
    if not 1 <= int(value) <= width:
        raise InputError(f"{file}: there is no column {value} for {what}; there are {width}")
    return int(value) - 1


def _columns_of_tags(columns: list[list[str]], token: int, file: str) -> list[int]:
    """Return the columns whose cells are tags."""
    others = [column for column in range(len(columns)) if column != token]
    tags = [column for column in others if _is_most(columns[column], _is_tag)]
    if not any(cell != UNSEEN for column in tags for cell in columns[column]):
        raise InputError(
            f"{file}: none of the {len(columns)} columns is of tags (O, B-<category>, I-<category>, …); say "
            "which are with options={'columns': {'anna': 3}} (--option 'columns={\"anna\": 3}'), or what the file is "
            "with format= (--format)"
        )
    return tags


class _File:
    """The documents of a file, one after the other."""

    def __init__(self, source: Source, shape: _Shape, scheme: str | None) -> None:
        self._source = source
        self._shape = shape
        self._scheme = scheme
        self._marks = WordedMarks(source.name)
        self._decoders = [Decoder() for _ in shape.tags]
        self._names: dict[str | None, int] = {}
        self._unseen: Counter[str] = Counter()
        self._started = 0
        self._begin(None)

    def _begin(self, document: str | None) -> None:
        self._document = document
        self._words = Words([], [])
        self._units: list[list[Decoded]] = [[] for _ in self._shape.tags]
        self._shown = [0 for _ in self._shape.tags]

    def read(self) -> WordedMarks:
        for number, line in numbered(self._source):
            if not line.strip():
                self._end_sentence()
                continue
            document = _DOCUMENT.fullmatch(line.rstrip())
            if line.startswith(_BREAK) or document:
                self._next(number, (document.group(1) or "").strip() if document else "", named=document is not None)
            elif (cells := self._shape.cells(line)) is not None:
                self._token(number, cells)
        self._end()
        self._note(self._marks)
        return self._marks

    def _next(self, number: int, name: str, *, named: bool) -> None:
        self._end()
        self._started += 1
        whole = not named and self._shape.breaks == 1 and not self._names  # it begins the one document of the file
        document = None if whole else name or str(self._started)
        if self._names.get(document):
            what = f"document {document!r} begins here and in line {self._names[document]}; rename one"
            self._marks.problem(number, what)
        self._begin(document)
        self._names[document] = number

    def _token(self, number: int, cells: list[str]) -> None:
        shape = self._shape
        if shape.ids and _SEVERAL_OR_NONE.fullmatch(cells[0]):
            return
        if len(cells) < shape.width or any(cells[shape.width :]):
            what = f"{len(cells)} cells, but the first token has {shape.width}: {shown(' '.join(cells))}; correct it"
            self._marks.problem(number, what)
            return
        token = len(self._words.tokens)
        self._words.tokens.append(cells[shape.token])
        self._words.lines.append(number)
        for index, (tags, decoder) in enumerate(zip(shape.tags, self._decoders, strict=True)):
            self._units[index] += decoder.tag(token, self._tag(cells[tags.column], index, number), number)

    def _tag(self, cell: str, index: int, number: int) -> str:
        """Return the tag in a cell, O for what is none."""
        if cell == UNSEEN:
            return "O"
        self._shown[index] += 1
        fits = TAG.fullmatch(cell)
        if fits is None:
            self._marks.problem(number, f"{shown(cell)} is no tag: O, B-<category>, I-<category>, …; correct it")
            return "O"
        if self._scheme is not None and fits.group(1) and fits.group(1) not in SCHEMES[self._scheme]:
            what = f"{shown(cell)} is no tag of {self._scheme}; correct it, or leave out the scheme"
            self._marks.problem(number, what)
        return cell

    def _end_sentence(self) -> None:
        for units, decoder in zip(self._units, self._decoders, strict=True):
            units.extend(decoder.end(len(self._words.tokens)))

    def _end(self) -> None:
        """Add the units of the document, if it has tokens."""
        self._end_sentence()
        length = len(self._words.tokens)
        if not length:
            return
        self._names.setdefault(self._document, 0)
        self._marks.words[self._document, None] = self._words
        self._marks.extents[self._document] = (0.0, float(length))
        for tags, units, seen in zip(self._shape.tags, self._units, self._shown, strict=True):
            if not seen:
                continue
            if seen < length:
                self._unseen[tags.annotator or tags.layer or ""] += length - seen
            about = {"document": self._document, "annotator": tags.annotator, "layer": tags.layer}
            self._marks.annotated(**about)
            for start, end, category, line in units:
                self._marks.unit(start, end, category, where=line, **about)

    def _note(self, marks: Marks) -> None:
        """Note what was guessed and repaired."""
        schemes = [self._scheme or decoder.scheme() for decoder in self._decoders]
        names = " or ".join(name.upper() for name in dict.fromkeys(filter(None, schemes))) or "O alone"
        columns = [tags.column + 1 for tags in self._shape.tags]
        numbers = f"column{'s' if len(columns) > 1 else ''} {few(columns)}"
        marks.note(f"tokens are in column {self._shape.token + 1}, tags in {numbers}: {names}")
        pairs = zip(self._decoders, schemes, strict=True)
        repaired = sum(decoder.repaired(scheme) for decoder, scheme in pairs if scheme)
        if repaired:
            marks.note(f"{repaired} units begin or end without the tag for it, and are taken as conlleval takes them")
        for name, count in islice(self._unseen.items(), 5):
            marks.note(f"{count} tokens that {name!r} was not shown are in documents with others")


_LAST = frozenset("ESLU")
_INSIDE = frozenset("BIM")


class Decoded(NamedTuple):
    """A unit: its tokens, the category, and the line of the first."""

    start: int
    end: int
    category: str | None
    line: int


class Decoder:
    """Tags of one column, in order, to units; what was odd is counted.

    A unit begins with B, S or U, and with any other tag after O, the end of a unit or another category: so conlleval
    takes what begins without its tag. It ends with E, S, L or U, and before what begins another.
    """

    def __init__(self) -> None:
        self.prefixes: set[str] = set()
        self._without_begin = 0
        self._without_either = 0
        self._free_begins = 0
        self._open: Decoded | None = None
        self._begun = True
        self._prefix = "O"
        self._kind: str | None = None

    def tag(self, token: int, tag: str, line: int) -> Iterator[Decoded]:
        """Take the tag of a token, which fits `TAG`; yield the unit that ends before it or with it."""
        fits = TAG.fullmatch(tag)
        prefix, kind = (fits[1] or "O", fits[2]) if fits else ("O", None)
        same = self._open is not None and kind == self._kind
        if prefix in "OBSU" or not same:
            yield from self.end(token)
        if prefix != "O":
            self.prefixes.add(prefix)
            if self._open is None:
                self._open = Decoded(token, token, kind, line)
                self._begun = prefix in "BSU"
                self._free_begins += prefix == "B" and not same
        self._prefix, self._kind = prefix, kind
        if prefix in _LAST:
            yield from self.end(token + 1)

    def end(self, token: int) -> Iterator[Decoded]:
        """Take the end of a sentence before a token; yield the unit that ends there."""
        if self._open is not None:
            unit, self._open = self._open._replace(end=token), None
            self._without_begin += not self._begun
            self._without_either += not self._begun or self._prefix in _INSIDE
            yield unit

    def scheme(self) -> str | None:
        """Return what the tags were, as far as they say; ``None`` without units."""
        if not self.prefixes:
            return None
        if "M" in self.prefixes:
            return "bmes"
        ends = [name for name, letters in (("bioes", "ES"), ("bilou", "LU")) if self.prefixes & set(letters)]
        if ends:
            return " and ".join(ends)
        return "iob1" if self._without_begin and not self._free_begins else "iob2"

    def repaired(self, scheme: str) -> int:
        """Return how many units begin or end without the tag that the scheme asks for."""
        return {"iob1": 0, "iob2": self._without_begin}.get(scheme, self._without_either)


FORMAT = FileFormat(
    "conll", "CoNLL with tags of tokens (IOB, BIOES)", (*_OWN, ".txt", ".tsv"), _matches, _read, options=_OPTIONS
)
