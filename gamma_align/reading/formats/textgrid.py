r"""Praat's TextGrids, long and short, a file for each document (and annotator): the name of a tier is its layer.

Conventions
-----------
* Files are read as in Praat: free-standing numbers, quoted texts (quotes in them doubled) and flags count, in their
  order; everything else, and the rest of a line after ``!``, is a comment.
* An interval with a text is a unit; one without a text, or with blanks only, is a gap. A point is a unit without
  length, and without a category if it has no text. Texts are kept as written, line ends as ``\n``.
* The extent is the file's. Tiers with the same name are one layer. If tiers are annotators, use
  ``annotator="{layer}"``; if their names contain both, ``options={"tiers": "{layer}@{annotator}"}``.
* The encoding is UTF-8 or the one of the byte-order mark; old files need ``encoding="latin-1"`` (or "mac-roman").

Files are written in the long form in UTF-8, ``{annotator}/{document}.TextGrid``, in tiers named "units": the fewest
tiers of intervals in which none overlap, and the fewest tiers of points in which no two have the same time.

References
----------
https://www.fon.hum.uva.nl/praat/manual/TextGrid_file_formats.html
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gamma_align.data import Corpus, Unit
from gamma_align.errors import Cure, InputError, Location, Set
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.reading.marks import layer_names, seconds, writable
from gamma_align.reading.marks.seconds import written
from gamma_align.reading.marks.writable import OTHER_FORMATS, as_part, as_path, unit_location

_FIRST_TOKENS = re.compile(r'\s*(?:File type\s*=\s*)?"ooTextFile(?: short)?"\s+(?:Object class\s*=\s*)?"TextGrid"')
_BINARY_SIGNATURE = b"ooBinaryFile\x08TextGrid"
_TOKEN_PATTERN = re.compile(
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
    """The numbers, texts and flags of a file, one after another; everything else is skipped."""

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self._tokens = self._scan(text.replace("\r\n", "\n").replace("\r", "\n"))

    def _scan(self, text_of_file: str) -> Iterator[_Token]:
        """Yield numbers, texts and flags with their lines; raise an `InputError` for an open quote or a bad number."""
        line = 1
        counted = 0
        for match in _TOKEN_PATTERN.finditer(text_of_file):
            # Each line end is counted once, not from the beginning of the file for each token.
            line += text_of_file.count("\n", counted, match.start())
            counted = match.start()
            kind = str(match.lastgroup)
            text = match.group()
            if kind == "open":
                raise InputError("the quote that opens here is not closed", "close it", Location(self.file, line))
            if kind in ("text", "flag", "number"):
                yield _Token(kind, text, line)
            elif kind == "word" and _LIKE_A_NUMBER.match(text):
                raise InputError(
                    f"{text[:40]!r} is no number", "write a number such as 0.25", Location(self.file, line)
                )

    def next(self, kind: str, meaning: str) -> _Token:
        """Return the next token; raise an `InputError` if there is none or it is of another kind."""
        token = next(self._tokens, None)
        if token is None:
            raise InputError(
                f"the file ends where {meaning} should follow, as if it was cut off",
                "save it again",
                Location(self.file),
            )
        if token.kind != kind:
            raise InputError(
                f"{token.text[:40]} stands where {meaning} should, so the sizes given above are wrong",
                "save it again with Praat",
                Location(self.file, token.line),
            )
        return token

    def number(self, meaning: str) -> tuple[float, int]:
        """Return the next number and its line; raise an `InputError` for another token."""
        token = self.next("number", meaning)
        value = float(token.text) + 0.0  # of -0, 0
        if not math.isfinite(value):
            raise InputError(
                f"{meaning} is {token.text[:40]}, more than a number holds",
                "correct it",
                Location(self.file, token.line),
            )
        return value, token.line

    def count(self, meaning: str) -> int:
        """Return the next number, if it is a whole number and not negative; otherwise raise an `InputError`."""
        value, line = self.number(meaning)
        if value < 0 or not value.is_integer():
            raise InputError(f"{meaning} is {value:.15g}, not a count", "correct it", Location(self.file, line))
        return int(value)

    def text(self, meaning: str) -> str:
        """Return the next text without its quotes; raise an `InputError` for another token."""
        return self.next("text", meaning).text[1:-1].replace('""', '"')

    def end(self) -> None:
        """Raise an `InputError` if a token follows."""
        token = next(self._tokens, None)
        if token is not None:
            raise InputError(
                f"{token.text[:40]} follows the last tier, so the number of tiers given above is too small",
                "save the file again with Praat",
                Location(self.file, token.line),
            )


def _matches(head: Head) -> bool:
    return head.data.startswith(_BINARY_SIGNATURE) or _FIRST_TOKENS.match(head.text.removeprefix("\ufeff")) is not None


def _read(source: Source, choices: Choices) -> Iterable[Marks]:
    names = layer_names.TierNames(choices.options.get("tiers"))
    if source.head.data.startswith(_BINARY_SIGNATURE):
        raise InputError("a binary file of Praat", "save it there with 'Save as text file…'", Location(source.name))
    text = source.text()
    if _FIRST_TOKENS.match(text) is None:
        raise InputError(
            'is no TextGrid, which begins with: File type = "ooTextFile"',
            "save it again with Praat",
            Location(source.name, 1),
        )
    marks = Marks(source.name, length_unit="s")
    tokens = _Tokens(text, source.name)
    tokens.text("the type of the file")
    tokens.text("its class")
    low, _ = tokens.number("xmin")
    high, line = tokens.number("xmax")
    if high < low:
        raise InputError(f"xmax is {high:.15g}, below xmin {low:.15g}", "correct them", Location(source.name, line))
    marks.extents[None] = low, high
    has_tiers = tokens.next("flag", "<exists>, whether there are tiers").text == "<exists>"
    count = tokens.count("the number of tiers") if has_tiers else 0
    counts: Counter[str] = Counter()
    tiers = [_read_tier(marks, tokens, names, counts) for _ in range(count)]
    tokens.end()
    if not tiers:
        marks.annotated()
    marks.note_counts(counts, {"blank": seconds.BLANK_NOTE})
    layer_names.note_same(marks, tiers)
    names.note(marks)
    return (marks,)


def _read_tier(marks: Marks, tokens: _Tokens, names: layer_names.TierNames, counts: Counter[str]) -> str:
    """Add the units of the next tier, skipping empty intervals, and return the name of the tier."""
    kind = tokens.next("text", "the class of a tier")
    if kind.text not in ('"IntervalTier"', '"TextTier"'):
        raise InputError(
            f"{kind.text[:40]} is no class of tiers; IntervalTier and TextTier are",
            "save it again with Praat",
            Location(tokens.file, kind.line),
        )
    name = tokens.text("the name of a tier")
    tokens.number("xmin of the tier")
    tokens.number("xmax of the tier")
    layer, annotator = names.tier(name)
    marks.annotated(annotator=annotator, layer=layer)
    points = kind.text == '"TextTier"'
    for _ in range(tokens.count("the number of intervals or points")):
        start, line = tokens.number("a time")
        end = start if points else tokens.number("the end of an interval")[0]
        text = tokens.text("the text of an interval or point")
        if text.strip() or points:
            marks.unit(start, end, text if text.strip() else None, location=line, annotator=annotator, layer=layer)
        elif text:
            counts["blank"] += 1
    return name


_ITEM_INDENT = " " * 12  # as Praat indents the lines of an interval or point
_FIRST_LINES = 'File type = "ooTextFile"\nObject class = "TextGrid"\n'


def _write(corpus: Corpus) -> Iterator[tuple[str, bytes]]:
    for continuum in writable.timed_documents(corpus, "a TextGrid"):
        low, high = continuum.extent
        if low == high:
            raise InputError(
                f"document {continuum.document!r} has no length, and Praat opens no such TextGrid",
                f"leave it out, or {OTHER_FORMATS}",
            )
        for annotator, units in writable.by_annotator(continuum).items():
            path = f"{as_part(annotator)}/{as_path(continuum.document, 'document')}.TextGrid"
            location = f"document {continuum.document!r}, annotator {annotator!r}"
            yield path, writable.encoded(_grid_text(units, (low, high), continuum.document), location)


def _grid_text(units: list[Unit], extent: tuple[float, float], document: str) -> str:
    """Return the content of the TextGrid with the units of one annotator."""
    for unit in units:
        _check_unit(unit, document)
    tiers = [_interval_tier(row, extent) for row in writable.lanes(unit for unit in units if unit.start < unit.end)]
    tiers += [_point_tier(row, extent) for row in _rows_of_points(unit for unit in units if unit.start == unit.end)]
    tiers = tiers or [_interval_tier([], extent)]
    lines = [_FIRST_LINES, *_bounds(extent, ""), "tiers? <exists>", f"size = {len(tiers)}", "item []:"]
    for number, tier in enumerate(tiers, 1):
        lines += [f"    item [{number}]:", *tier]
    return "\n".join(lines) + "\n"


def _check_unit(unit: Unit, document: str) -> None:
    """Raise an `InputError` if Praat cannot hold the category of a unit."""
    location = unit_location(unit, document)
    rename = Cure("rename it with {}, or {}", Set("labels"), OTHER_FORMATS)
    if unit.category is None and unit.start < unit.end:
        raise InputError(
            "it has no category, and an interval without a text is a gap for Praat",
            f"give it one, or {OTHER_FORMATS}",
            location,
        )
    if unit.category is not None and not unit.category.strip():
        raise InputError(f"the category is {unit.category!r}, which is none for Praat", rename, location)
    if unit.category is not None and "\r" in unit.category:
        raise InputError(
            f"the category {unit.category!r} has a carriage return, which reads as the end of a line", rename, location
        )


def _interval_tier(row: list[Unit], extent: tuple[float, float]) -> list[str]:
    """Return the lines of a tier of intervals, with an empty interval in each gap between units."""
    cells: list[tuple[float, float, str]] = []
    last = extent[0]
    for unit in row:
        gap = [(last, unit.start, "")] if last < unit.start else []
        cells += [*gap, (unit.start, unit.end, unit.category or "")]
        last = unit.end
    if last < extent[1]:
        cells.append((last, extent[1], ""))
    lines = [*_tier_lines("IntervalTier", extent), f"        intervals: size = {len(cells)}"]
    for number, (start, end, text) in enumerate(cells, 1):
        bounds = _bounds((start, end), _ITEM_INDENT)
        lines += [f"        intervals [{number}]:", *bounds, f"{_ITEM_INDENT}text = {_quoted(text)}"]
    return lines


def _rows_of_points(points: Iterable[Unit]) -> list[list[Unit]]:
    """Return points in rows without two at one time: Praat would keep only one of the two."""
    rows: list[list[Unit]] = []
    depth: Counter[float] = Counter()
    for unit in points:
        rows += [[]] if depth[unit.start] == len(rows) else []
        rows[depth[unit.start]].append(unit)
        depth[unit.start] += 1
    return rows


def _point_tier(points: list[Unit], extent: tuple[float, float]) -> list[str]:
    """Return the lines of a tier of points."""
    lines = [*_tier_lines("TextTier", extent), f"        points: size = {len(points)}"]
    for number, unit in enumerate(points, 1):
        mark = _quoted(unit.category or "")
        lines += [
            f"        points [{number}]:",
            f"{_ITEM_INDENT}number = {written(unit.start)}",
            f"{_ITEM_INDENT}mark = {mark}",
        ]
    return lines


def _tier_lines(kind: str, extent: tuple[float, float]) -> list[str]:
    """Return the first lines of a tier."""
    return [f'        class = "{kind}"', '        name = "units"', *_bounds(extent, " " * 8)]


def _bounds(bounds: tuple[float, float], margin: str) -> list[str]:
    """Return the lines with the bounds, behind a margin."""
    return [f"{margin}xmin = {written(bounds[0])}", f"{margin}xmax = {written(bounds[1])}"]


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


# The file names neither document nor annotator: its path does.
FORMAT = FileFormat(
    "textgrid",
    "TextGrid of Praat (.TextGrid)",
    (".textgrid",),
    _matches,
    _read,
    write=_write,
    options={"tiers": layer_names.TIER_OPTION},
)
