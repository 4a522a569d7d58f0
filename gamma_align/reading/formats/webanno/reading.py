"""WebAnno TSV 3: a token in each line, features of layers in columns; a file for each annotator and document.

Conventions
-----------
* A layer is a span layer (``#T_SP=``) or a chain layer (``#T_CH=``, with its links as units), by its full name or the
  part after its last point. The category is the feature that the user names (``layers="NamedEntity:value"``) or the
  only one; ``referenceType`` for chains. Relations (``#T_RL=``) and the links of slots are left out.
* Bounds count UTF-16 code units, whatever the encoding of the file. Units over several tokens go from the start of the
  first to the end of the last.
* If annotations are stacked on a token and all have an id, a column may lack values that are not set (as in GUM).
* The text joins the sentences (``#Text=``) with the line break and the blanks that the offsets of their first tokens
  require: the format does not hold other text there.
* Written are files ``<annotator>/<document>.tsv`` with one layer, ``custom.Span`` with the feature ``label``, as in new
  projects of INCEpTION; tokens are words, and blanks in which a unit begins or ends.

References
----------
INCEpTION user guide, appendix "WebAnno TSV 3.3 file format": https://inception-project.github.io/documentation/
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, takewhile
from typing import NamedTuple

from gamma_align.errors import Cure, InputError, Location, Set
from gamma_align.reading.files.sources import split_lines
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.reading.formats.webanno import cells
from gamma_align.reading.formats.webanno.writing import files
from gamma_align.reading.marks import layer_names

_FIRST_LINE = re.compile(r"#FORMAT=WebAnno TSV 3(?:\.([0-9]{1,3}))?[ \t]*")
_ROW_PATTERN = re.compile(r"[0-9]{1,15}-[0-9]{1,15}(\.[0-9]{1,15})?\t([0-9]{1,15})-([0-9]{1,15})\t(.*)", re.DOTALL)
_LAST_JAVA_VERSION = 1  # the last minor version whose text has Java's escapes
_MAX_SHOWN = 60  # characters of a line in a message


class _Layer(NamedTuple):
    """A layer and its columns."""

    kind: str
    name: str
    first: int
    width: int
    features: tuple[str, ...]
    columns: tuple[int, ...]  # of the features, from the first of the layer
    links: frozenset[int]  # columns whose ids are of other units


class _Row(NamedTuple):
    """A line with a token, or with a part of one."""

    number: int
    start: int
    end: int
    token: str
    is_token: bool


@dataclass(slots=True)
class _Unit:
    """A unit, built from its rows: the number of the first, its bounds, its text, and the values of its features."""

    number: int
    start: int
    end: int
    surface: str | None
    values: tuple[str, ...]


def _matches(head: Head) -> bool:
    return head.text.startswith("#FORMAT=WebAnno TSV 3")


def _read(source: Source, choices: Choices) -> Iterable[Marks]:
    lines = split_lines(source.text())
    version = _FIRST_LINE.fullmatch(lines[0]) if lines else None
    if version is None:
        raise InputError(
            "WebAnno TSV 3 begins with '#FORMAT=WebAnno TSV 3.3'",
            "export the document again, as WebAnno TSV v3.x",
            Location(source.name, 1),
        )
    header = list(takewhile(lambda line: line.startswith("#T_"), lines[1:]))
    marks = Marks(source.name, offsets="utf-16")
    rows = _Rows(marks, _declared_layers(header, source.name))
    java = int(version[1] or 0) <= _LAST_JAVA_VERSION
    sentences = _Sentences(marks, choices.offsets or "utf-16", room=sum(map(len, lines)), java=java)
    for number, line in enumerate(lines[len(header) + 1 :], len(header) + 2):
        if not line:
            sentences.close()
        elif line.startswith("#"):
            sentences.header(number, line)
        elif (row := rows.add_row(number, line)) is not None:
            sentences.row(row)
    sentences.close()
    marks.texts[None, None] = sentences.text()
    marks.tokens[None, None] = sentences.tokens
    _add_units(marks, rows, choices)
    return (marks,)


def _declared_layers(header: Sequence[str], file: str) -> list[_Layer]:
    """Return the layers that the header declares; raise an `InputError` for an invalid or repeated one."""
    layers: list[_Layer] = []
    names: set[str] = set()
    first = 0
    for number, line in enumerate(header, 2):
        kind, _, declared = line.partition("=")
        name, *columns = declared.split("|")
        if kind not in ("#T_SP", "#T_CH", "#T_RL") or not name:
            raise InputError(
                f"{line[:_MAX_SHOWN]!r} declares no layer", "export the document again", Location(file, number)
            )
        columns = [column for column in columns if column] or [""]
        if kind == "#T_CH":
            feature_columns = [index for index, column in enumerate(columns) if column == "referenceType"]
            links = {index for index, column in enumerate(columns) if column == "referenceRelation"}
        else:
            slots = {index for index, column in enumerate(columns) if column.startswith("ROLE_")}
            links = {index + 1 for index in slots}
            feature_columns = [index for index, column in enumerate(columns) if column and index not in slots | links]
        if name in names:
            raise InputError(f"layer {name!r} is declared twice", "join the two lines", Location(file, number))
        names.add(name)
        features = tuple(columns[index] for index in feature_columns)
        layers.append(_Layer(kind, name, first, len(columns), features, tuple(feature_columns), frozenset(links)))
        first += len(columns)
    return layers


class _Rows:
    """The units of all layers, built row by row."""

    def __init__(self, marks: Marks, layers: list[_Layer]) -> None:
        self.marks = marks
        self.layers = layers
        self.units: dict[str, list[_Unit]] = {layer.name: [] for layer in layers if layer.kind != "#T_RL"}
        self.n_skipped = 0
        self.filled = 0
        self._known: dict[tuple[str, str], _Unit] = {}
        self._none = [cells.NONE] * sum(layer.width for layer in layers)

    def add_row(self, number: int, line: str) -> _Row | None:
        """Parse a line and add the annotations in it; report an invalid line.

        Return its row, ``None`` if the line is no row at all.
        """
        match = _ROW_PATTERN.fullmatch(line)
        if match is None:
            self.marks.problem(
                number,
                f"{line[:_MAX_SHOWN]!r} is no row",
                "write 1-1, tab, 0-4, tab, the token and a column for each feature",
            )
            return None
        part, start, end, remainder = match.groups()
        token, *values = remainder.removesuffix("\t").split("\t")
        row = _Row(number, int(start), int(end), token, part is None)
        if len(values) != len(self._none):
            self.marks.problem(
                number,
                f"{len(values)} columns of annotations, and the header declares {len(self._none)}",
                "correct the row",
            )
        elif values != self._none:
            for layer in self.layers:
                self._add_layer(layer, values[layer.first : layer.first + layer.width], row)
        return row

    def _add_layer(self, layer: _Layer, columns: list[str], row: _Row) -> None:
        """Add the annotations that a row has in the columns of one layer; relations are counted as skipped."""
        stacks: Sequence[list[str] | None] = [
            None if cell == cells.NONE else cells.split_stack(cell) for cell in columns
        ]
        sizes = {len(stack) for stack in stacks if stack is not None}
        if len(sizes) > 1 and layer.kind == "#T_SP" and not layer.links:
            filled = cells.fill_by_id(stacks)
            if filled is not None:
                stacks = filled
                sizes = {len(filled[0])}
                self.filled += 1
        if len(sizes) > 1:
            counts = " and ".join(map(str, sorted(sizes)))
            self.marks.problem(
                row.number, f"the columns of layer {layer.name!r} have {counts} values", "correct the row"
            )
        elif sizes and layer.kind == "#T_RL":
            self.n_skipped += sizes.pop()
        elif sizes:
            for index in range(sizes.pop()):
                self._add_annotation(layer, [None if stack is None else stack[index] for stack in stacks], row)

    def _add_annotation(self, layer: _Layer, stack: list[str | None], row: _Row) -> None:
        """Add one annotation of a row. It extends the unit with its id, if an earlier row has one.

        Two rows of one unit with different values are reported.
        """
        name: str | None = None
        values = list(stack)
        for index, cell in enumerate(stack):
            if cell is None:
                continue
            if index in layer.links:
                if layer.kind == "#T_CH":
                    name = cells.split_suffix(cell, cells.LINK)[1]
                elif cell != cells.NULL:
                    self.n_skipped += cell.count(";") + 1
            else:
                values[index], disambiguation_id = cells.split_suffix(cell, cells.ID)
                if layer.kind == "#T_SP":  # in a chain it is the id of the chain
                    name = name or disambiguation_id
        written = tuple(cells.NULL if (value := values[index]) is None else value for index in layer.columns)
        unit = None if name is None else self._known.get((layer.name, name))
        if unit is None:
            unit = _Unit(row.number, row.start, row.end, row.token, written)
            self.units[layer.name].append(unit)
            # A unit without an id is in one row.
            if name is not None:
                self._known[layer.name, name] = unit
        elif unit.values != written:
            self.marks.problem(
                row.number,
                f"annotation [{name}] of layer {layer.name!r} has the values {', '.join(written)} here and "
                f"{', '.join(unit.values)} in line {unit.number}",
                "correct one of the two",
            )
        else:
            unit.start = min(unit.start, row.start)
            unit.end = max(unit.end, row.end)
            unit.surface = None  # the rows do not have the text between the tokens


def _add_units(marks: Marks, rows: _Rows, choices: Choices) -> None:
    """Add the units of all layers, with their categories, to the marks; note what was left out."""
    spans = [layer for layer in rows.layers if layer.kind != "#T_RL"]
    if not spans:
        marks.annotated()
    undecided = layer_names.are_several([name for name, units in rows.units.items() if units], choices)
    for layer in spans:
        marks.annotated(layer=layer.name)
        units = rows.units[layer.name]
        feature = None
        if units and choices.wants(layer.name) and not undecided:
            values = chain.from_iterable(zip(layer.features, unit.values, strict=True) for unit in units)
            filled = Counter(name for name, value in values if cells.unescape_value(value))
            feature = layer_names.category_feature(layer.name, layer.features, (), filled, choices, marks.file)
            marks.notes += layer_names.feature_notes(layer.name, feature, len(units), filled, choices)
        column = None if feature is None else layer.features.index(feature)
        for unit in units:
            category = None if column is None else cells.unescape_value(unit.values[column])
            marks.unit(unit.start, unit.end, category, location=unit.number, layer=layer.name, surface=unit.surface)
    if rows.filled:
        lack = "1 row lacks" if rows.filled == 1 else f"{rows.filled} rows lack"
        marks.note(f"{lack} values of stacked annotations, which are taken as not set; ids say whose the others are")
    if rows.n_skipped:
        marks.note(f"{rows.n_skipped} relations and links of slots are left out")


# Limit of blanks between all sentences, in addition to the characters of the file: a large offset in a small file would
# otherwise fill the memory with blanks.
_EXTRA_BLANKS = 1 << 20
_TEXT_LINE = "#Text="
_OFFSETS_CURE = Cure("say what the file counts with {}, or correct it", Set("offsets"))


class _Sentences:
    """Builds the text from sentences, each with its header, its tokens and a blank line.

    `room` is the number of characters of the file; `java` whether its text has Java's escapes; `tokens` are bounds.
    """

    def __init__(self, marks: Marks, offsets: str, *, room: int, java: bool) -> None:
        self.tokens: list[tuple[int, int]] = []
        self._marks = marks
        self._offsets = offsets
        self._blanks = room + _EXTRA_BLANKS
        self._java = java
        self._header: list[str] = []
        self._begun = 0
        self._is_open = False
        self._parts: list[str] = []
        self._length = 0

    def close(self) -> None:
        """End a sentence; report one that has a text but no tokens."""
        self._is_open = False
        if self._header:
            self._marks.problem(
                self._begun, "a sentence without tokens, which determine its position", "add their rows"
            )
            self._header = []

    def header(self, number: int, line: str) -> None:
        """Take a comment line; a line ``#Text=`` adds to the text of the next sentence."""
        self._is_open = False
        if line.startswith(_TEXT_LINE):
            self._begun = self._begun if self._header else number
            self._header.append(cells.unescape_text(line.removeprefix(_TEXT_LINE), java=self._java))

    def row(self, row: _Row) -> None:
        """Add the bounds of a row; the first row of a sentence determines the start of the sentence."""
        if not self._is_open:
            self._begin_sentence(row.number, row.start)
        last = self.tokens[-1][1] if self.tokens else 0
        if row.is_token and row.start < last:
            self._marks.problem(
                row.number, f"the token begins at {row.start}, before the end {last} of the previous one", "correct it"
            )
        elif row.is_token and row.end >= row.start:  # the units of other tokens are reported as problems
            self.tokens.append((row.start, row.end))

    def text(self) -> str:
        """Return the full text, without the line break after the last sentence."""
        full_text = "".join(self._parts).removesuffix("\n") if self._parts else ""
        # Java's escapes are UTF-16 code units: two of them may be one character.
        return full_text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")

    def _begin_sentence(self, number: int, start: int) -> None:
        """Add the collected text of a sentence at the index `start`, with blanks before it; report a wrong index."""
        self._is_open = True
        if not self._header:
            self._marks.problem(number, "a row without a line #Text= before it", "put the sentence there")
            return
        if start == self._length - 1:  # no line break between the two
            self._parts[-1] = self._parts[-1].removesuffix("\n")
            self._length -= 1
        gap = start - self._length
        if gap < 0 or gap > self._blanks:
            self._marks.problem(number, self._misplaced(start), _OFFSETS_CURE)
        else:
            self._parts.append(" " * gap)
            self._length += gap
            self._blanks -= gap
        for line in self._header:
            self._parts.append(f"{line}\n")
            self._length += self._size(line) + 1
        self._header = []

    def _misplaced(self, start: int) -> str:
        """Return the message that a sentence cannot begin at this index."""
        last = max(self._length - 1, 0)
        relation = "within the sentence before, which ends at" if start < last else "far behind the sentence before, at"
        return f"the sentence begins at {start}, {relation} {last}, counted in {self._offsets}"

    def _size(self, text: str) -> int:
        """Return the length of a text in the unit that the file counts."""
        if self._offsets in ("code-points", "line-ends"):  # lines are divided before
            return len(text)
        if self._offsets == "bytes":
            return len(text.encode("utf-8", "surrogatepass"))
        return len(text.encode("utf-16-le", "surrogatepass")) // 2


# The file names neither document nor annotator: its path does.
FORMAT = FileFormat("webanno-tsv", "WebAnno TSV 3", (".tsv",), _matches, _read, write=files, text_is_extent=True)
