r"""Praat's TextGrids, long and short, one file a document (and an annotator): the name of a tier is its layer.

Conventions
-----------
* Read as Praat does: free-standing numbers, texts in quotes (a quote in them doubled) and flags count, in their order;
  everything else, and what follows a ``!``, is there for people.
* An interval with a text is a unit, one without is a gap. A point is a unit of no length, without a category if it has
  no text. Texts are kept as written, line ends as ``\n``.
* The extent is the file's. Tiers of one name are one layer. Where tiers are annotators, say ``annotator="{layer}"``;
  where their names have both, ``options={"tiers": "{layer}@{annotator}"}``.
* UTF-8, or what the byte-order mark says; old files need ``encoding="latin-1"`` (or "mac-roman").

Written is the long form in UTF-8, ``{annotator}/{document}.TextGrid``, all in tiers named "units": intervals, as many
tiers as do for none to overlap, and a tier of points.

References
----------
https://www.fon.hum.uva.nl/praat/manual/TextGrid_file_formats.html
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

from gamma_align.errors import InputError
from gamma_align.io.formats import FileFormat
from gamma_align.io.formats.textgrid.writing import write
from gamma_align.io.marks import tiers
from gamma_align.io.marks.marks import Marks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gamma_align.io.files.sources import Head, Source
    from gamma_align.io.marks.choices import Choices

_HEAD = re.compile(r'\s*File type\s*=\s*"ooTextFile(?: short)?"\s+(?:Object class\s*=\s*)?"TextGrid"')
_BINARY = b"ooBinaryFile\x08TextGrid"
_TOKEN = re.compile(
    r"""
    (?P<text>"[^"]*+(?:""[^"]*+)*+")
    | (?P<open>")
    | (?P<comment>!.*)
    | (?P<flag><[^\s<>"]*+>)
    | (?P<number>[-+]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d++)?)(?![^\s"<!])
    | (?P<word>[^\s"]++)
    """,
    re.VERBOSE,
)
_LIKE_A_NUMBER = re.compile(r"[-+]?\.?\d")


class _Token(NamedTuple):
    kind: str
    text: str
    line: int


class _Tokens:
    """What counts in the file, one after another."""

    def __init__(self, text: str, file: str) -> None:
        self._text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.file = file
        self._tokens = self._counting()

    def _counting(self) -> Iterator[_Token]:
        line, counted = 1, 0
        for match in _TOKEN.finditer(self._text):
            line += self._text.count("\n", counted, match.start())
            counted = match.start()
            kind, text = str(match.lastgroup), match.group()
            if kind == "open":
                raise InputError(f"{self.file}, line {line}: the quote that opens here is not closed; close it")
            if kind in ("text", "flag", "number"):
                yield _Token(kind, text, line)
            elif kind == "word" and _LIKE_A_NUMBER.match(text):
                raise InputError(f"{self.file}, line {line}: {text[:40]!r} is no number; a number is like 0.25")

    def next(self, kind: str, what: str) -> _Token:
        """Return the next token, which is to be of the kind."""
        token = next(self._tokens, None)
        if token is None:
            raise InputError(f"{self.file}: the file ends where {what} should follow; it is cut off: save it again")
        if token.kind != kind:
            raise InputError(
                f"{self.file}, line {token.line}: {token.text[:40]} stands where {what} should; the sizes given above "
                "do not agree with what follows: save it again with Praat"
            )
        return token

    def number(self, what: str) -> tuple[float, int]:
        """Return a finite number and its line."""
        token = self.next("number", what)
        value = float(token.text) + 0.0  # of -0, 0
        if not math.isfinite(value):
            raise InputError(f"{self.file}, line {token.line}: {what} is {token.text[:40]}, more than a number holds")
        return value, token.line

    def count(self, what: str) -> int:
        """Return how many of something there are."""
        value, line = self.number(what)
        if value < 0 or not value.is_integer():
            raise InputError(f"{self.file}, line {line}: {what} is {value:.15g}, not a count")
        return int(value)

    def text(self, what: str) -> str:
        """Return a text, without its quotes."""
        return self.next("text", what).text[1:-1].replace('""', '"')

    def end(self) -> None:
        """Refuse what follows."""
        token = next(self._tokens, None)
        if token is not None:
            raise InputError(
                f"{self.file}, line {token.line}: {token.text[:40]} follows the last tier; the number of tiers given "
                "above is too small: save the file again with Praat"
            )


def _matches(head: Head) -> bool:
    return head.data.startswith(_BINARY) or _HEAD.match(head.text.removeprefix("\ufeff")) is not None


def _read(source: Source, choices: Choices) -> Iterable[Marks]:
    names = tiers.Names(choices.options.get("tiers"))
    if source.head.data.startswith(_BINARY):
        raise InputError(f"{source.name}: a binary file of Praat; save it there with 'Save as text file…'")
    text = source.text()
    if _HEAD.match(text) is None:
        raise InputError(f'{source.name}, line 1: is no TextGrid, which begins with: File type = "ooTextFile"')
    marks = Marks(source.name, length_unit="s")
    tokens = _Tokens(text, source.name)
    tokens.text("the type of the file")
    tokens.text("its class")
    (low, _), (high, line) = tokens.number("xmin"), tokens.number("xmax")
    if high < low:
        raise InputError(f"{source.name}, line {line}: xmax is {high:.15g}, below xmin {low:.15g}; correct them")
    marks.extents[None] = low, high
    seen = []
    blank = 0
    if tokens.next("flag", "<exists>, whether there are tiers").text == "<exists>":
        for _ in range(tokens.count("the number of tiers")):
            name, blanks = _tier(marks, tokens, names)
            seen.append(name)
            blank += blanks
    tokens.end()
    if not seen:
        marks.annotated()
    if blank:
        marks.note(f"{blank} units have blanks for a text; validate shows which")
    tiers.note_same(marks, seen)
    names.note(marks)
    return (marks,)


def _tier(marks: Marks, tokens: _Tokens, names: tiers.Names) -> tuple[str, int]:
    """Read one tier; return its name and how many texts are blanks."""
    kind = tokens.next("text", "the class of a tier")
    if kind.text not in ('"IntervalTier"', '"TextTier"'):
        raise InputError(
            f"{tokens.file}, line {kind.line}: {kind.text[:40]} is no class of tiers; IntervalTier and TextTier are"
        )
    name = tokens.text("the name of a tier")
    tokens.number("xmin of the tier")
    tokens.number("xmax of the tier")
    layer, annotator = names.tier(name)
    marks.annotated(annotator=annotator, layer=layer)
    points = kind.text == '"TextTier"'
    blank = 0
    for _ in range(tokens.count("the number of intervals or points")):
        start, line = tokens.number("a time")
        end = start if points else tokens.number("the end of an interval")[0]
        text = tokens.text("the text of an interval or point")
        if text or points:
            marks.unit(start, end, text or None, where=line, annotator=annotator, layer=layer)
            blank += bool(text) and not text.strip()
    return name, blank


FORMAT = FileFormat(
    name="textgrid",
    description="TextGrid of Praat (.TextGrid)",
    suffixes=(".textgrid",),
    declares=frozenset(),
    matches=_matches,
    read=_read,
    write=write,
    options={"tiers": tiers.OPTION},
)
