"""The content of one file, added row by row: units, annotators of documents, extents, texts, and problems.

Conventions
-----------
* ``None`` for a document or annotator means that the file does not name it: its path or the user does.
* A layer is a layer, tier, question or namespace of the format; ``None`` if the format has no layers.
* Bounds are numbers in the file's unit of length, half open; characters and tokens are counted, from 0. An invalid unit
  is a problem, not an exception: reading refuses the first problem and counts the others, validating lists all.
* Names and categories are text: half a character (a lone surrogate) in one is a problem, as no file could hold it.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from gamma_align.data import Versions
from gamma_align.errors import (
    MAX_NOTES_SHOWN,
    Cure,
    Fix,
    Location,
    Note,
    NoteGroup,
    Problem,
    Where,
    shortened,
)
from gamma_align.reading.marks.texts import first_difference

if TYPE_CHECKING:
    from gamma_align.reading.marks.notations import Notation

SURROGATE = re.compile("[\ud800-\udfff]")
"""Half a character (a lone surrogate), which no UTF-8 file holds."""

_MAX_EXACT_INTEGER = 2**53  # up to this, every integer is a float64
_MAX_SHOWN = 60  # characters of a bound in a message
_COUNTED_ITEMS = {"char": "characters", "token": "tokens"}
_SWAPPED_CURE = Cure("correct or delete it, or {}", Fix("swapped-bounds", "swap the bounds"))


class Key(NamedTuple):
    """The document, annotator and layer of a unit."""

    document: str | None
    annotator: str | None
    layer: str | None


class Marks:
    """The annotations in the file that messages call `file`.

    `length_unit` is the unit of bounds ("char", "token", "s" …), `offsets` the unit of its characters ("code-points",
    "utf-16" or "bytes"). Texts and tokens are by (document, annotator); annotator ``None`` stands for all.
    """

    def __init__(self, file: str, *, length_unit: str | None = "char", offsets: str = "code-points") -> None:
        self.file = file
        self.length_unit = length_unit
        self.offsets = offsets
        self.keys: list[Key] = []  # each once
        self.labels: list[str | None] = []  # each category once
        self.key = array("q")  # of each unit: its index in `keys`
        self.label = array("q")  # its index in `labels`
        self.start = array("d")
        self.end = array("d")
        self.locations: list[Where] = []  # its line, or words for it
        self.part: dict[int, str] = {}  # unit index to the name that parts of one unit share within a key
        self.surface: dict[int, str] = {}  # unit index to the covered text according to the file
        self.seen: dict[Key, None] = {}  # the annotated documents and layers, with or without units; an ordered set
        self.dropped: frozenset[tuple[str | None, str | None, str | None]] = frozenset()  # see `is_dropped`
        self.extents: dict[str | None, tuple[float, float]] = {}  # by document
        # What an annotator has judged of a document, by both, if that is not all of it: stretches in order, apart.
        self.judged: dict[tuple[str | None, str | None], list[tuple[float, float]]] = {}
        self.texts: dict[tuple[str | None, str | None], str] = {}  # the annotated texts
        self.tokens: dict[tuple[str | None, str | None], list[tuple[int, int]]] = {}  # their bounds in `offsets`
        self.creators = False  # whether annotators are the creators of units; then a name in the path overrides them
        self.tells_seen = True  # whether a document that an annotator saw is known without a unit in it
        self.may_be_tokens = False  # whether a unit may be a token with a tag as its category
        self.unsaid: Note | None = None  # what is wrong if a layer ("{layer}" in the cause) names no annotator
        self.versions: Versions | None = None  # a column that tells repeated units apart
        self.notes: list[str] = []  # assumptions
        self.problems: list[Problem] = []
        self._key_of: dict[tuple[str | None, str | None, str | None], int] = {}
        self._label_of: dict[str | None, int] = {}
        self._swapped: list[tuple[Problem, Callable[[], None]]] = []

    def __len__(self) -> int:
        return len(self.start)

    def unit(
        self,
        start: object,
        end: object,
        category: str | None,
        *,
        location: Where,
        document: str | None = None,
        annotator: str | None = None,
        layer: str | None = None,
        part: str | None = None,
        surface: str | None = None,
    ) -> None:
        """Add one unit, or a problem if it is invalid; `location` is its line, or words such as "task 3"."""
        low = self._checked_bound(start, "start", location)
        high = self._checked_bound(end, "end", location)
        if low is None or high is None:
            return
        if high < low:
            self.problem(location, f"the unit ends at {high:.15g}, before its start {low:.15g}", _SWAPPED_CURE)
            add_unit = partial(
                self.unit, document=document, annotator=annotator, layer=layer, part=part, surface=surface
            )
            self._swapped.append((self.problems[-1], partial(add_unit, high, low, category, location=location)))
            return
        if part is not None:
            self.part[len(self.start)] = part
        if surface is not None:
            self.surface[len(self.start)] = surface
        key = (document, annotator, layer)
        if key not in self._key_of:
            self._key_of[key] = len(self.keys)
            self.keys.append(Key(*key))
            self.annotated(*key)
        if category not in self._label_of:
            # Once for each category, not for each unit.
            self._check_text(category, "category", location)
            self._label_of[category] = len(self.labels)
            self.labels.append(category)
        self.key.append(self._key_of[key])
        self.label.append(self._label_of[category])
        self.start.append(low)
        self.end.append(high)
        self.locations.append(location)

    def parts(
        self,
        spans: Sequence[tuple[object, object]],
        category: str | None,
        *,
        part: str,
        location: Where,
        document: str | None = None,
        annotator: str | None = None,
        layer: str | None = None,
        surface: str | None = None,
    ) -> None:
        """Add a unit of one or several stretches of text that share the name `part`; all else is as in `unit`."""
        owner = {"document": document, "annotator": annotator, "layer": layer}
        shared = part if len(spans) > 1 else None
        for start, end in spans:
            self.unit(start, end, category, location=location, part=shared, surface=surface, **owner)

    def annotated(self, document: str | None = None, annotator: str | None = None, layer: str | None = None) -> None:
        """Record that the annotator saw the document, in this layer, with or without marking a unit."""
        key = Key(document, annotator, layer)
        if key not in self.seen:
            self.seen[key] = None
            for name, value in zip(Key._fields, key, strict=True):
                self._check_text(value, name, None)

    def add_names(self, *, annotator: str | None = None, layer: str | None = None) -> None:
        """Give the annotator and the layer these names where the file itself names none."""
        names = {"annotator": annotator, "layer": layer}

        def named(key: Key) -> Key:
            absent = {role: name for role, name in names.items() if getattr(key, role) is None}
            return key._replace(**absent)

        self.keys = [named(key) for key in self.keys]
        self.seen = dict.fromkeys(map(named, self.seen))

    def is_dropped(self, key: Key) -> bool:
        """Return whether another record of the same text and annotator replaces the units of the key.

        An entry of `dropped` without a layer is for all layers.
        """
        return bool(self.dropped) and (key in self.dropped or key._replace(layer=None) in self.dropped)

    def swap_bounds(self) -> list[Problem]:
        """Add the units that end before they start with swapped bounds; return their former problems."""
        swapped = self._swapped
        self._swapped = []
        for _, add in swapped:
            add()
        solved = {id(problem) for problem, _ in swapped}
        self.problems = [problem for problem in self.problems if id(problem) not in solved]
        return [problem for problem, _ in swapped]

    def problem(self, location: Where | None, cause: str, cure: Cure | str | None = None) -> None:
        """Add a problem of the file, or of a line or part of it."""
        self.problems.append(
            Problem(Location(self.file, location), shortened(cause), Cure(cure) if isinstance(cure, str) else cure)
        )

    def note(self, cause: str, cure: Cure | None = None) -> None:
        """Add a note on an assumption about the file, with a cure if the assumption may be wrong."""
        self.notes.append(Note(f"{self.file}: {cause}", cure))

    def note_each(self, causes: Sequence[str]) -> None:
        """Add a note for each cause; if they are many, one note with the first of them."""
        if len(causes) > MAX_NOTES_SHOWN:
            self.notes.append(NoteGroup(f"{self.file}: ", causes))
            return
        for cause in causes:
            self.note(cause)

    def note_counts(self, counts: Mapping[str, int], notes: Mapping[str, str | Note]) -> None:
        """Add a note for each count above 0; ``{}`` in its cause stands for the count."""
        for name, note in notes.items():
            cause, cure = (note.cause, note.cure) if isinstance(note, Note) else (note, None)
            if counts.get(name):
                self.note(cause.format(counts[name]), cure)

    def _checked_bound(self, value: object, name: str, location: Where) -> float | None:
        """Return a bound as a float; if it is invalid, add a problem and return None."""
        number = _number(value)
        if number is not None:
            counted = _COUNTED_ITEMS.get(self.length_unit or "")
            if counted is not None and not (0 <= number <= _MAX_EXACT_INTEGER and number.is_integer()):
                self.problem(
                    location,
                    f"the {name} of the unit is {number:.15g}, but {counted} are counted 0, 1, 2, …",
                    "correct or delete it",
                )
                return None
            return number + 0.0  # no -0.0, which would be written "-0"
        self.problem(location, f"the {name} of the unit is {_show_value(value)}, not a finite number")
        return None

    def _check_text(self, value: str | None, name: str, location: Where | None) -> None:
        """Add a problem if a name or text contains half a character."""
        if SURROGATE.search(value or ""):
            self.problem(location, f"the {name} {value!r} has half a character in it (a lone surrogate)", "correct it")


def _number(value: object) -> float | None:
    """Return the value as a finite float, ``None`` if it is no number or has no exact float."""
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, int) and not isinstance(value, bool) and -_MAX_EXACT_INTEGER <= value <= _MAX_EXACT_INTEGER:
        return float(value)
    return None


def _show_value(value: object) -> str:
    """Return a value as messages show it, cut to a length."""
    huge = isinstance(value, int) and abs(value) > _MAX_EXACT_INTEGER
    text = f"an integer of {value.bit_length()} bits" if isinstance(value, int) and huge else repr(value)
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 3]}..."


class Words(NamedTuple):
    """The tokens of a document, and the line of each."""

    tokens: list[str]
    lines: list[int]


class WordedMarks(Marks):
    """The marks of a file in which bounds count tokens, and which contains these tokens.

    `words` maps (document, annotator) to `Words`; the annotator is ``None`` for tokens all share. `notations` maps
    other notations of tags than the usual one to their scheme.
    """

    def __init__(self, file: str) -> None:
        super().__init__(file, length_unit="token")
        self.words: dict[tuple[str | None, str | None], Words] = {}
        self.notations: dict[Notation, str | None] = {}

    def add_notation(self, notation: Notation, scheme: str | None) -> None:
        """Add the notation of a column of tags, with a note."""
        self.notations[notation] = scheme
        self.note(f"tags are written {notation.example!r}, and read as 'B-<category>'")


def describe_token_difference(first: Words, second: Words, files: tuple[str, str]) -> str:
    """Describe the first token that differs, with its line in each file."""
    index = first_difference(first.tokens, second.tokens)
    shown = [
        f"{words.tokens[index]!r} ({file}, line {words.lines[index]})"
        if index < len(words.tokens)
        else f"missing ({file})"
        for words, file in zip((first, second), files, strict=True)
    ]
    return f"token {index + 1} is {shown[0]} and {shown[1]}"
