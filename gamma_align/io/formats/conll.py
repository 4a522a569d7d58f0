"""CoNLL: a token a line, its tag in a column, a blank line after a sentence; IOB1, IOB2, BIOES, BILOU, BMES.

Conventions
-----------
* Cells are between tabs, or between blanks where there are none. Comments begin with ``#``; rows of several tokens
  (``1-2``) and of none (``1.1``), as CoNLL-U has them, are left out. A first row of names (``TOKEN NE-COARSE-LIT``) is
  a header.
* The columns of tags are those whose cells are tags; ``_`` and ``-`` are none, and counted in the notes. Where there
  are several, each is a layer, by its name in the header or in ``# global.columns``, or its number: choose with
  ``layers=``, or take each for an annotator with ``annotator="{layer}"``, or name them with
  ``options={"columns": {"anna": 3, "ben": 4}}``. ``options={"token": 2}`` says where the tokens are; without it, in the
  first column, or in the second where the first numbers them.
* Tags may be features in a column (``name=B-PER|SpaceAfter=No``), as in the last one of CoNLL-U. Categories alone
  (PER, O) are tags too: as long as one is repeated it is one unit.
* Mentions in brackets (``(3``, ``3)``), as LitBank and CoNLL-2012 have them in the last column, are units without
  category, or with their chains as categories (``options={"chains": True}``).
* Bounds count tokens, of a document: what follows ``# newdoc`` (by its id, or its number), ``# document_id = …``,
  ``#begin document (…)`` or ``-DOCSTART-`` (by its number, where there are several), or else the file. No unit goes
  beyond its sentence.
* A unit that begins or ends without the tag the scheme asks for is taken as conlleval takes it, and counted in the
  notes with the scheme, which the tags tell or ``options={"scheme": "iob2"}`` says.
* ``?`` is a token that the annotator was not shown; who was shown none of a document has not annotated it.
* Annotators' tokens are compared, and are one sequence for all, or an error that shows the first difference.

References
----------
https://www.clips.uantwerpen.be/conll2003/ner/; https://universaldependencies.org/format.html; the readers of
crowd-sourced answers: Rodrigues, Pereira & Ribeiro 2014, Sequence labeling with multiple annotators; HIPE:
https://github.com/hipe-eval/HIPE-2022-data; LitBank: https://github.com/dbamman/litbank.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from gamma_align.data.column_names import usual
from gamma_align.data.problem import few
from gamma_align.errors import InputError, SettingsError
from gamma_align.io.files.json_files import shown
from gamma_align.io.files.line_files import numbered
from gamma_align.io.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.io.marks.marks import WordedMarks, Words
from gamma_align.io.marks.tags import MENTION, SCHEMES, TAG, Decoded, Decoder, MentionDecoder, are_bare

UNSEEN = "?"
"""What stands where an annotator was not shown the token."""

_VOID = ("_", "-")
_OPTIONS = {
    "columns": "annotator to the column of the tags, by number from 1 or name",
    "token": "the column of the tokens",
    "scheme": f"one of {', '.join(SCHEMES)}",
    "chains": "whether the chain of a mention is its category",
}
_OWN = (".conll", ".iob", ".iob2", ".bio", ".bioes", ".bilou", ".conllu")
_BREAK = "-DOCSTART-"
_NUMBER = re.compile(r"\d{1,9}")
_SEVERAL_OR_NONE = re.compile(r"\d{1,9}[-.]\d{1,9}")
_COLUMNS = re.compile(r"#\s*global\.columns\s*=(.*)")
_DOCUMENT = re.compile(r"#\s*newdoc(?:\s+id\s*=(?P<new>.*))?\s*|#\s*(?:\w+:)?document_id\s*=(?P<id>.*)")
_BEGIN = re.compile(r"#begin document \((?P<new>.*)\)(?:; part (?P<part>\d+))?\s*")
_BEGIN_TOKEN = 3
_TOKENS = ("token", "tokens", "word", "words", "form")
_NAME = re.compile(r"O|\w[\w./&:+-]+")
_LEAST = 2
_NOT_OURS = "#FORMAT=WebAnno"
_LOOKED_AT = 10_000


class _Tags(NamedTuple):
    """A column of tags (from 0), or a feature in it, what its tags are, and whose or which layer's it is."""

    column: int
    kind: str
    annotator: str | None = None
    layer: str | None = None
    feature: str | None = None

    def tag(self, cells: list[str]) -> str:
        """Return the tag among the cells of a token."""
        cell = cells[self.column]
        return cell if self.feature is None else _features(cell).get(self.feature, "O")

    def decoder(self, scheme: str | None, *, chains: bool) -> Decoder | MentionDecoder:
        """Return what makes units of the tags."""
        return MentionDecoder(chains=chains) if self.kind == "mentions" else Decoder(scheme, bare=self.kind == "bare")


class _Shape(NamedTuple):
    """How a file is written: between tabs or blanks, cells a row, the column of tokens, whether ids are before it.

    `header` is the line of the names of columns, `breaks` how many lines begin a document without a name.
    """

    tabs: bool
    width: int
    token: int
    ids: bool
    tags: list[_Tags]
    breaks: int
    header: int | None

    def cells(self, line: str) -> list[str] | None:
        """Return the cells of a token, ``None`` for a comment; hashtags are tokens."""
        cells = _cells(line, tabs=self.tabs)
        if not line.startswith("#"):
            return cells
        tagged = len(cells) == self.width and all(_is_tag(tags.tag(cells)) for tags in self.tags)
        return cells if tagged else None


def _cells(line: str, *, tabs: bool) -> list[str]:
    return [cell.strip() for cell in line.split("\t")] if tabs else line.split()


def _features(cell: str) -> dict[str, str]:
    pairs = (pair.partition("=") for pair in cell.split("|"))
    return {key.strip(): value.strip() for key, equals, value in pairs if equals}


def _is_tag(cell: str) -> bool:
    return cell in (UNSEEN, *_VOID) or TAG.fullmatch(cell) is not None


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
    names = rows.pop(0) if _is_header(rows) else []
    columns = [list(column) for column in zip(*rows, strict=True)]
    del columns[_token_column(names, 0)]
    return any(_tells(column, head) for column in columns)


def _token_column(names: Sequence[str], other: int) -> int:
    """Return the column whose name is one of tokens, or the other."""
    return next((column for column, name in enumerate(names) if name.lower() in _TOKENS), other)


def _tells(column: list[str], head: Head) -> bool:
    """Whether a column tells that a file is CoNLL; words such as I and S alone are tags nowhere."""
    if _tagged_features(column):
        return True
    kind, cells = _kind(column), set(column)
    if head.suffix in _OWN:
        return kind is not None and cells != {UNSEEN}
    if kind == "mentions":
        return _BEGIN.match(head.text) is not None
    if kind == "bare" and (4 * column.count("O") < len(column) or head.suffix == ".rttm"):
        return False
    return kind is not None and "O" in cells and len(cells - {UNSEEN, *_VOID}) > 1


def _kind(column: Sequence[str], scheme: str | None = None) -> str | None:
    """Return what the cells of a column are: "tags", "bare" or "mentions"; ``None`` for something else."""
    counts = Counter(column)
    if set(counts) == {UNSEEN}:
        return "tags"
    filled = Counter({cell: count for cell, count in counts.items() if cell not in ("", UNSEEN, *_VOID)})
    if not filled:
        return None
    if all(map(MENTION.fullmatch, filled)):
        return "mentions"
    if scheme is None and are_bare(filled) and 10 * filled["O"] >= filled.total() and all(map(_NAME.fullmatch, filled)):
        return "bare"
    return "tags" if 2 * sum(count for cell, count in filled.items() if _is_tag(cell)) > filled.total() else None


def _tagged_features(column: Sequence[str]) -> list[str]:
    """Return the features in a column whose values are tags, in a scheme and with a category."""
    values: dict[str, list[str]] = {}
    for cell in column:
        for feature, value in _features(cell).items() if "=" in cell else ():
            values.setdefault(feature, []).append(value)
    return [
        feature
        for feature, cells in values.items()
        if _kind(cells) == "tags" and any(fits and fits[2] for fits in map(TAG.fullmatch, cells))
    ]


def _is_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the columns: no name is a cell of its column, and one is that of tokens or tags."""
    first = rows[0]
    known = any(cell.lower() in _TOKENS for cell in first) or bool(usual(first, "category"))
    if len(rows) == 1 or any(map(_is_tag, first)) or len({*first, ""}) <= len(first):
        return False
    columns = list(zip(*rows[1:], strict=False))
    repeated = any(cell in column for cell, column in zip(first, columns, strict=False))
    return (known or "tags" in map(_kind, columns)) and not repeated


def _read(source: Source, choices: Choices) -> Iterable[Marks]:
    options = choices.options
    scheme = options.get("scheme")
    if scheme is not None and scheme not in SCHEMES:
        raise SettingsError(f"the scheme of tags is one of {', '.join(SCHEMES)}, not {scheme!r}")
    return (_File(source, _shape(source, options), options).read(),)


def _shape(source: Source, options: Mapping[str, Any]) -> _Shape:
    """Return how the file is written, by its first tokens and what the user says."""
    names: list[str] = []
    rows: list[list[str]] = []
    lines: list[int] = []
    breaks, begun, tabs = 0, False, False
    for number, line in numbered(source):
        named = _COLUMNS.fullmatch(line.rstrip())
        names = named.group(1).split() if named else names
        breaks += line.startswith(_BREAK)
        begun |= _BEGIN.fullmatch(line) is not None
        if len(rows) < _LOOKED_AT and _is_token(line):
            tabs = tabs if rows else "\t" in line
            rows.append(_cells(line, tabs=tabs))
            lines.append(number)
    if not rows:
        raise InputError(f"{source.name}: there is no token in it")
    width = len(rows[0])
    header = lines[0] if _is_header(rows) else None
    if header is not None:
        names, rows = rows[0], rows[1:]
    ids = width > _LEAST and _is_most([row[0] for row in rows], _is_id)
    rows = [row for row in rows if not (ids and _SEVERAL_OR_NONE.fullmatch(row[0]))] or rows
    names = names if len(names) == width else []
    column_of = partial(_column, file=source.name, width=width, names=names)
    if "token" in options:
        token = column_of(options["token"], "token")
    else:
        token = _token_column(names, _BEGIN_TOKEN if begun and width > _BEGIN_TOKEN else int(ids))
    columns = [[row[column] for row in rows if len(row) > column] for column in range(width)]
    kinds = [_kind(column, options.get("scheme")) for column in columns]
    if "columns" in options:
        chosen = options["columns"]
        if not isinstance(chosen, dict) or not chosen:
            raise SettingsError(f"columns is annotator to column, {{'anna': 3, 'ben': 4}}, not {chosen!r}")
        indices = {str(name): column_of(column, repr(name)) for name, column in chosen.items()}
        tags = [_Tags(column, kinds[column] or "tags", annotator=name) for name, column in indices.items()]
    else:
        tags = _columns_of_tags(columns, kinds, token, names, source.name)
    return _Shape(tabs, width, token, ids and token > 0, tags, breaks, header)


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


def _columns_of_tags(
    columns: list[list[str]], kinds: list[str | None], token: int, names: list[str], file: str
) -> list[_Tags]:
    """Return the columns whose cells, or features in them, are tags; those with names, or several, are layers."""
    tags: list[_Tags] = []
    for column, (cells, kind) in enumerate(zip(columns, kinds, strict=True)):
        name = names[column] if names else str(column + 1)
        if column != token and kind is not None:
            tags.append(_Tags(column, kind, layer=name))
        elif column != token:
            tags += (_Tags(column, "tags", layer=key, feature=key) for key in _tagged_features(cells))
    if not any(cell != UNSEEN for column in tags for cell in columns[column.column]):
        raise InputError(
            f"{file}: none of the {len(columns)} columns is of tags (O, B-<category>, I-<category>, …); say "
            "which are with options={'columns': {'anna': 3}} (--option 'columns={\"anna\": 3}'), or what the file is "
            "with format= (--format)"
        )
    return tags if names or len(tags) > 1 else [tags[0]._replace(layer=None)]


class _File:
    """The documents of a file, one after the other."""

    def __init__(self, source: Source, shape: _Shape, options: Mapping[str, Any]) -> None:
        self._source = source
        self._shape = shape
        self._marks = WordedMarks(source.name)
        chains = bool(options.get("chains"))
        self._decoders = [tags.decoder(options.get("scheme"), chains=chains) for tags in shape.tags]
        self._names: dict[str | None, int] = {}
        self._unseen: Counter[str] = Counter()
        self._void = 0
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
            elif line.startswith(_BREAK):
                self._next(number, "", named=False)
            elif (document := _DOCUMENT.fullmatch(line.rstrip()) or _BEGIN.fullmatch(line)) is not None:
                parts = document.groupdict()
                if parts.get("id") is None or parts["id"].strip() != self._document:  # which sentences may repeat
                    part = f" {int(parts['part'])}" if int(parts.get("part") or 0) else ""
                    self._next(number, (parts["new"] or parts.get("id") or "").strip() + part, named=True)
            elif number != self._shape.header and (cells := self._shape.cells(line)) is not None:
                self._token(number, cells)
        self._end()
        for decoder in self._decoders:
            for number, what in decoder.problems:
                self._marks.problem(number, what)
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
            self._units[index] += decoder.tag(token, self._tag(tags.tag(cells), index), number)

    def _tag(self, tag: str, index: int) -> str:
        """Return a tag, O for what is none."""
        if tag == UNSEEN:
            return "O"
        self._shown[index] += 1
        if tag not in _VOID:
            return tag
        self._void += self._shape.tags[index].kind != "mentions"
        return "O"

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
        told = " or ".join(dict.fromkeys(filter(None, (decoder.describe() for decoder in self._decoders))))
        columns = [f"{tags.column + 1}{f' ({tags.feature})' if tags.feature else ''}" for tags in self._shape.tags]
        numbers = f"column{'s' if len(columns) > 1 else ''} {few(columns)}"
        marks.note(f"tokens are in column {self._shape.token + 1}, tags in {numbers}: {told or 'O alone'}")
        if self._shape.header is not None:
            marks.note(f"line {self._shape.header} names the columns")
        if self._void:
            marks.note(f"{self._void} cells '_' or '-' in columns of tags are taken as O")
        repaired = sum(decoder.repaired() for decoder in self._decoders)
        if repaired:
            marks.note(f"{repaired} units begin or end without the tag for it, and are taken as conlleval takes them")
        for name, count in islice(self._unseen.items(), 5):
            marks.note(f"{count} tokens that {name!r} was not shown are in documents with others")


FORMAT = FileFormat(
    "conll", "CoNLL with tags of tokens (IOB, BIOES)", (*_OWN, ".txt", ".tsv"), _matches, _read, options=_OPTIONS
)
