"""Units on their texts: offsets in code points, compared with the covered text, on one text for all annotators."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple, TypeVar

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.errors import Cure, InputError, Location, NoteGroup, Problem, Set
from gamma_align.reading.contents import Contents
from gamma_align.reading.marks.choices import Choices
from gamma_align.reading.marks.gather import Gathered
from gamma_align.reading.marks.marks import Marks, WordedMarks, Words, describe_token_difference
from gamma_align.reading.marks.texts import (
    TextMapping,
    describe_difference,
    first_difference,
    text_mapping,
    to_code_points,
    to_tokens,
    token_mapping,
)
from gamma_align.reading.options import OFFSETS

_Value = TypeVar("_Value")
_CURE_OF_FILES = Cure("leave one of the files out, or tell them apart with {} or {}", Set("annotator"), Set("document"))
_TEXT_CURE = Cure("give them one text, or map them onto the first with {}", Set("align_text", value=True))
_KEEP_CURE = Cure("keep such units with {}", Set("mismatch", "keep"))
_OFFSETS_CURE = Cure("say what offsets count with {}", Set("offsets"))
_MAX_SHOWN = 60  # characters of a text in a message
_MAX_SHIFT = 3
"""Largest shift of all bounds that messages propose as the cause of mismatches."""


class _Origin(NamedTuple):
    """The file of an owner's units, with the names of document and annotator in it."""

    marks: Marks
    document: str | None
    annotator: str | None

    @property
    def key(self) -> tuple[str | None, str | None]:
        return self.document, self.annotator

    def value_for_owner(self, by_key: Mapping[tuple[str | None, str | None], _Value]) -> _Value | None:
        """Return the value for the annotator, by default the one for all annotators of the document."""
        return by_key.get(self.key, by_key.get((self.document, None)))

    @property
    def text(self) -> str | None:
        return self.value_for_owner(self.marks.texts)

    @property
    def words(self) -> Words | None:
        return self.value_for_owner(self.marks.words) if isinstance(self.marks, WordedMarks) else None


class _Surfaces(NamedTuple):
    """Units with the text that they cover in their file: their rows, their full texts, and the text in the file."""

    rows: IntArray
    texts: list[str]
    spelled: list[str]

    def mismatching(self, start: FloatArray, end: FloatArray) -> list[int]:
        """Return the indices of the surfaces that differ from the text between the bounds, or have no bounds (NaN)."""
        columns = zip(self.texts, self.spelled, start.tolist(), end.tolist(), strict=True)
        return [
            index
            for index, (text, spelled, low, high) in enumerate(columns)
            if math.isnan(low) or math.isnan(high) or not _covers(text, int(low), int(high), spelled)
        ]

    def recounted(self, start: FloatArray, end: FloatArray, offsets: str) -> tuple[FloatArray, FloatArray]:
        """Return bounds in code points, under the assumption that the files count in `offsets`."""
        points = np.full((2, len(start)), np.nan)
        indices_of_text: dict[str, list[int]] = {}
        for index, text in enumerate(self.texts):
            indices_of_text.setdefault(text, []).append(index)
        for text, indices in indices_of_text.items():
            for column, bounds in enumerate((start, end)):
                points[column, indices] = to_code_points(bounds[indices], text, offsets)
        return points[0], points[1]


def place_on_texts(contents: Contents, units: Gathered, choices: Choices) -> dict[str, str]:
    """Convert the bounds of all units to code points of their document's text, or to its tokens, in place.

    Return the text of each document that has one, if bounds count its code points. If problems are added to the
    contents, the bounds stay unchanged.
    """
    placing = _Placing(units, choices)
    inside_characters = placing.to_code_points()
    mismatches = placing.mismatches({row for row, _ in inside_characters})
    differences = placing.differences()
    if placing.texts or differences:
        contents.mismatches = mismatches
        contents.differences = differences
    cure = (placing.cure_of_offsets() if inside_characters else None) or _OFFSETS_CURE
    refused = [units.problem(row, cause, cure) for row, cause in inside_characters]
    refused += mismatches if choices.mismatch == "refuse" else []
    refused += [] if choices.align_text else differences
    if refused:
        contents.problems += refused
        # Later problems show the bounds as the files have them.
        units.start, units.end = placing.counted
        return placing.longest_texts()
    if mismatches:
        units.notes.append(f"{mismatches[0]._replace(cure=None)} ({len(mismatches)} such units, kept)")
    shared = placing.to_one_text()
    placing.to_one_wording()
    contents.tokens = placing.tokens()
    if choices.positions == "tokens":
        placing.to_tokens(shared)
        return {}
    counting = next((marks for marks in units.marks if marks.length_unit not in ("char", None)), None)
    if choices.positions == "characters" and counting is not None:
        raise InputError(
            f"counts in {counting.length_unit!r} and not in characters",
            Cure("leave out {}", Set("positions")),
            Location(counting.file),
        )
    return {document: placing.texts[owner] for document, owner in shared.items()}


class _Placing:
    """The units with the text of each owner, before all annotators of a document are mapped onto one text.

    `origins` has each owner's file, or the first one with a text if there are several. `texts` and `words` are those
    of each owner that has any, `rows` the units of each owner, `counted` the bounds in the files.
    """

    def __init__(self, units: Gathered, choices: Choices) -> None:
        self.units = units
        self.choices = choices
        self.origins = _origins(units)
        self.texts = {owner: text for owner, origin in self.origins.items() if (text := origin.text) is not None}
        self.words = {owner: words for owner, origin in self.origins.items() if (words := origin.words) is not None}
        self.rows = _rows_of(units)
        self.counted = units.start.copy(), units.end.copy()

    def longest_texts(self) -> dict[str, str]:
        """Return the longest text of each document: no unit is past the end of its own text for being in another."""
        longest: dict[str, str] = {}
        for owner, text in self.texts.items():
            document = self.units.owners[owner].document
            longest[document] = max(longest.get(document, ""), text, key=len)
        return longest

    def _first_of(self, owners: Mapping[int, object]) -> dict[str, int]:
        """Return, for each document, the first of the owners by the annotator's name."""
        first: dict[str, int] = {}
        for owner in self._by_name(owners):
            first.setdefault(self.units.owners[owner].document, owner)
        return first

    def _by_name(self, owners: Mapping[int, object]) -> list[int]:
        """Return owners sorted by document and annotator."""
        return sorted(owners, key=lambda owner: self.units.owners[owner])

    def to_code_points(self) -> list[tuple[int, str]]:
        """Convert bounds to code points; return the rows with a bound within a character, with the cause."""
        units = self.units
        choices = self.choices
        rows_by_text: dict[tuple[str, str], list[IntArray]] = {}  # many annotators may share a text
        for owner, text in self.texts.items():
            rows = self.rows[owner]
            if len(rows):
                offsets = choices.offsets or units.marks[int(units.file[rows[0]])].offsets
                rows_by_text.setdefault((text, offsets), []).append(rows)
        inside_characters: dict[int, str] = {}
        for (text, offsets), parts in rows_by_text.items():
            part = np.concatenate(parts)
            for bounds in (units.start, units.end):
                moved = to_code_points(bounds[part], text, offsets)
                for row in part[np.isnan(moved)].tolist():
                    inside_characters.setdefault(
                        row, f"offset {bounds[row]:.15g} is within a character, counted in {offsets}"
                    )
                bounds[part] = np.where(np.isnan(moved), bounds[part], moved)
        without = [owner for owner, rows in enumerate(self.rows) if owner not in self.texts and len(rows)]
        if choices.offsets not in (None, "code-points") and without:
            name = units.owners[without[0]]
            units.notes.append(
                f"{len(without)} annotations (of {name.document!r} by {name.annotator!r}, …) have no text: their "
                f"bounds are taken as they are, not counted in {choices.offsets}"
            )
        return sorted(inside_characters.items())

    def differences(self) -> list[Problem]:
        """Return a problem for each annotator with another text, or other tokens, than the first one by name."""
        problems = []
        for owned in (self.texts, self.words):
            first = self._first_of(owned)
            for owner in self._by_name(owned):
                document, annotator = self.units.owners[owner]
                base = first[document]
                difference = self._difference(base, owner, tokens=owned is self.words)
                if difference:
                    names = f"{self.units.owners[base].annotator!r} and {annotator!r}"
                    subject = "the annotators' texts" if owned is self.texts else f"the tokens of {names}"
                    problems.append(
                        Problem(
                            Location(self.origins[owner].marks.file),
                            f"document {document!r}: {subject} differ: {difference}",
                            _TEXT_CURE,
                        )
                    )
        return problems

    def _difference(self, base: int, owner: int, *, tokens: bool) -> str:
        """Describe the first difference of two owners' texts, or lists of tokens; "" if they are equal."""
        if tokens:
            files = self.origins[base].marks.file, self.origins[owner].marks.file
            first = self.words[base]
            second = self.words[owner]
            return "" if first.tokens == second.tokens else describe_token_difference(first, second, files)
        names = self.units.owners[base].annotator, self.units.owners[owner].annotator
        texts = self.texts[base], self.texts[owner]
        return "" if texts[0] == texts[1] else describe_difference(*texts, names)

    def mismatches(self, excluded_rows: set[int]) -> list[Problem]:
        """Return problems for units with a covered text that differs from the text in the file, with cures."""
        units = self.units
        surfaces = self._surfaces()
        mismatching = surfaces.mismatching(units.start[surfaces.rows], units.end[surfaces.rows])
        cure = self._cure(surfaces) if mismatching else None
        problems = []
        for index in mismatching:
            row = int(surfaces.rows[index])
            # A unit with a bound within a character is a problem already.
            if row not in excluded_rows:
                covered = _show_text(surfaces.texts[index][int(units.start[row]) : int(units.end[row])])
                problems.append(
                    units.problem(
                        row, f"the unit covers {covered}, but the file says {_show_text(surfaces.spelled[index])}", cure
                    )
                )
        return problems

    def _surfaces(self) -> _Surfaces:
        """Return the units whose file states the text that they cover, and whose owner has a text."""
        spelled = {
            row: surface
            for row, _, _, surface in self.units.with_value("surface")
            if int(self.units.owner[row]) in self.texts
        }
        texts = [self.texts[int(self.units.owner[row])] for row in spelled]
        return _Surfaces(np.array(list(spelled), dtype=np.int64), texts, list(spelled.values()))

    def cure_of_offsets(self) -> Cure | None:
        """Return the `offsets` with which all units cover the text in their files, as a cure; ``None`` without any."""
        surfaces = self._surfaces()
        if not len(surfaces.rows):
            return None
        start, end = (bounds[surfaces.rows] for bounds in self.counted)
        files = self.units.file[surfaces.rows].tolist()
        used_offsets = {self.choices.offsets or self.units.marks[file].offsets for file in files}
        for offsets in OFFSETS.words:
            if used_offsets != {offsets} and not surfaces.mismatching(*surfaces.recounted(start, end, offsets)):
                return Cure("all units fit with {}", Set("offsets", offsets))
        return None

    def _cure(self, surfaces: _Surfaces) -> Cure:
        """Return the cure of units that do not cover their text: another unit of offsets, a shift, or to keep them."""
        cure = self.cure_of_offsets()
        if cure is not None:
            return Cure("{}: read them so, or {}", cure, _KEEP_CURE)
        start = self.units.start[surfaces.rows]
        end = self.units.end[surfaces.rows]
        # Small shifts first: a text of repeated words may fit several.
        shifts = sorted(range(-_MAX_SHIFT, _MAX_SHIFT + 1), key=lambda shift: (abs(shift), -shift))
        for shift in shifts[1:]:
            if not surfaces.mismatching(start - shift, end - shift):
                direction = "earlier" if shift > 0 else "later"
                cause = f"all units would fit {abs(shift)} {direction} than their offsets say"
                return Cure(f"{cause}: correct the offsets, or {{}}", _KEEP_CURE)
        return Cure(
            "no other value of {} makes all units fit: correct the offsets or the text, or {}",
            Set("offsets"),
            _KEEP_CURE,
        )

    def to_one_text(self) -> dict[str, int]:
        """Map all units of a document onto one text; return the owner of this text for each document."""
        first = self._first_of(self.texts)
        notes = []
        for owner, text in self.texts.items():
            document, annotator = self.units.owners[owner]
            base = first[document]
            difference = self._difference(base, owner, tokens=False)
            if difference:
                mapping = text_mapping(text, self.texts[base])
                blank = np.fromiter(map(str.isspace, text), dtype=np.bool_, count=len(text))
                lacking = int(np.count_nonzero(~mapping.equal & ~blank))
                self._move(owner, mapping)
                notes.append(
                    f"document {document!r}: {annotator!r} mapped onto the text of "
                    f"{self.units.owners[base].annotator!r}: {difference}; {lacking} of {len(text)} characters have no "
                    "equal there"
                )
        self.units.notes += NoteGroup.few(notes)
        return first

    def tokens(self) -> dict[str, tuple[str, ...]]:
        """Return the tokens of each document that bounds count."""
        return {document: tuple(self.words[owner].tokens) for document, owner in self._first_of(self.words).items()}

    def to_one_wording(self) -> None:
        """Map all units of a document onto the tokens of one annotator, if files contain the tokens."""
        first = self._first_of(self.words)
        notes = []
        for owner, words in self.words.items():
            document, annotator = self.units.owners[owner]
            base = first[document]
            difference = self._difference(base, owner, tokens=True)
            if difference:
                tokens = self.words[base].tokens
                origin = self.origins[owner]
                self._move(owner, token_mapping(words.tokens, tokens))
                origin.marks.extents[origin.document] = (0.0, float(len(tokens)))
                name = self.units.owners[base].annotator
                notes.append(f"document {document!r}: {annotator!r} mapped onto the tokens of {name!r}: {difference}")
        self.units.notes += NoteGroup.few(notes)

    def _move(self, owner: int, mapping: TextMapping) -> None:
        """Move the units of an owner by a mapping; note units that lose their length."""
        units = self.units
        rows = self.rows[owner]
        before = units.end[rows] > units.start[rows]
        units.start[rows], units.end[rows] = mapping.moved(units.start[rows], units.end[rows])
        gone = rows[before & (units.end[rows] <= units.start[rows])]
        if len(gone):
            units.notes.append(
                f"{units.location(int(gone[0]))}: the text of this unit does not occur in the text of the other "
                f"annotators, so its length becomes 0 ({len(gone)} such units)"
            )

    def to_tokens(self, shared: Mapping[str, int]) -> None:
        """Convert bounds to tokens of the text onto which all units of the document are mapped."""
        units = self.units
        edges = dict[int, FloatArray]()
        for owner, origin in self.origins.items():
            if origin.marks.length_unit == "token":
                _number_tokens(origin)
                continue
            base = shared.get(units.owners[owner].document, owner)
            for annotator in {owner, base} - set(edges):
                edges[annotator] = self._edges(annotator)
            if self.texts.get(owner) == self.texts.get(base) and not np.array_equal(edges[owner], edges[base]):
                raise self._edge_difference(edges, (base, owner))
            origin.marks.tokens[origin.key] = self.origins[base].value_for_owner(self.origins[base].marks.tokens) or []
            rows = self.rows[owner]
            past = np.zeros(len(rows))
            if base in self.texts:
                past = np.maximum(units.end[rows] - len(self.texts[base]), 0)
            units.start[rows], units.end[rows] = to_tokens(units.start[rows], units.end[rows], edges[base])
            units.end[rows] += past  # a bound past the end stays past it, so that it is reported

    def _edges(self, owner: int) -> FloatArray:
        """Return the bounds of an annotator's tokens in code points."""
        origin = self.origins[owner]
        tokens = origin.value_for_owner(origin.marks.tokens)
        if tokens is None:
            raise InputError(
                "has no tokens to count in", Cure("leave out {}", Set("positions")), Location(origin.marks.file)
            )
        bounds = np.asarray(tokens, dtype=np.float64).reshape(-1, 2)
        if owner in self.texts:
            bounds = to_code_points(bounds, self.texts[owner], self.choices.offsets or origin.marks.offsets)
        ascending = np.diff(bounds.ravel()) >= 0  # NaN, within a character, is not either
        if not ascending.all():
            number = (int(np.flatnonzero(~ascending)[0]) + 1) // 2 + 1
            raise InputError(
                f"token {number} is not a stretch of text after the one before",
                Cure("leave out {}, or correct the tokens", Set("positions")),
                Location(origin.marks.file),
            )
        return bounds

    def _edge_difference(self, edges: Mapping[int, FloatArray], owners: tuple[int, int]) -> InputError:
        """Return the error that two annotators of one text have different tokens."""
        names = [self.units.owners[owner].annotator for owner in owners]
        tokens = [edges[owner].tolist() for owner in owners]
        index = first_difference(tokens[0], tokens[1])
        shown = [
            f"[{bounds[index][0]:.15g}, {bounds[index][1]:.15g}] of {name!r}"
            if index < len(bounds)
            else f"missing of {name!r}"
            for bounds, name in zip(tokens, names, strict=True)
        ]
        return InputError(
            f"the annotators' tokens differ: token {index + 1} is {shown[0]} and {shown[1]}",
            Cure("leave out {}, or give them one text and tokens", Set("positions")),
            Location(f"document {self.units.owners[owners[0]].document!r}"),
        )


def _origins(units: Gathered) -> dict[int, _Origin]:
    """Return the file and names of each owner; InputError if two files have different texts of one."""
    origins: dict[int, _Origin] = {}
    for marks, owners_of in zip(units.marks, units.sources, strict=True):
        for (document, annotator), owners in owners_of.items():
            origin = _Origin(marks, document, annotator)
            for owner in owners:
                before = origins.setdefault(owner, origin)
                if before.text is None:
                    origins[owner] = origin
                elif origin.text is not None and origin.text != before.text:
                    difference = describe_difference(before.text, origin.text, (before.marks.file, marks.file))
                    raise InputError(
                        f"the texts of {units.owners[owner].annotator!r} differ: {difference}",
                        _CURE_OF_FILES,
                        Location(f"document {units.owners[owner].document!r}"),
                    )
    return origins


def _rows_of(units: Gathered) -> list[IntArray]:
    """Return the units of each owner."""
    order = np.argsort(units.owner, kind="stable")
    return np.split(order, np.searchsorted(units.owner[order], np.arange(1, len(units.owners))))


def _number_tokens(origin: _Origin) -> None:
    """Make each token of a document a stretch of length 1, as its bounds already count tokens."""
    low, high = origin.marks.extents.get(origin.document, (0.0, 0.0))
    if low == 0:
        origin.marks.tokens[origin.key] = [(index, index + 1) for index in range(int(high))]


def _covers(text: str, low: int, high: int, spelled: str) -> bool:
    """Whether the text between the bounds is the text in the file, up to blanks: tools write line breaks as blanks."""
    if high - low == len(spelled) and text.startswith(spelled, low):
        return True
    return low >= 0 and " ".join(text[low:high].split()) == " ".join(spelled.split())


def _show_text(text: str) -> str:
    """Return a text as messages show it, cut to a length."""
    return repr(text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 1]}…")
