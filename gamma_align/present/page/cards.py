"""Cards of disagreements: the parts of the disorder of a unitary alignment, and a lane for each annotator.

All lanes of a card show the same characters at the same positions and differ only in the marks. Without text, a lane
shows the positions of the units.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from gamma_align.columns import IntArray
from gamma_align.data import Corpus, Unit, span
from gamma_align.insight.disagreements import REASONS, Disagreement, Share
from gamma_align.present.page.numbers import decimal, rounded

CONTEXT_LENGTH = 36  # characters of text on each side of the units of a card
MAX_SEPARATE_LANES = 5  # lanes of a card; of more annotators, those with the same unit share one
_MAX_STRETCH = 160  # characters between two bounds of units; the middle of a longer stretch is elided
_STRETCH_END = 40  # characters that remain on each side of an elided middle
_LINE_BREAKS = re.compile(r"[\r\n\t]")  # replaced one for one, so that all lanes keep the same length
_MARGIN_SHARE = 0.25  # of the length of the units, shown on each side of a lane without text
_POINT_MARGIN_DIVISOR = 100  # the margin is this part of the document if the units have no length
_MIN_BAR_WIDTH = 0.4  # per cent of a lane: a unit without length stays visible
_MIN_TITLE_SHARE = 0.1  # of the disorder: the title of a card does not name smaller parts


class Piece(NamedTuple):
    """A piece of the text of a lane.

    `kind` is "own" in the unit of this unitary alignment, "other" in a unit of another one, "point" for a unit without
    length, and empty in plain text.
    """

    text: str
    kind: str = ""


class Bar(NamedTuple):
    """A unit in a lane without text: start and width in per cent of the lane.

    `is_own` is whether the unit belongs to the unitary alignment of the card.
    """

    start: float
    width: float
    label: str | None
    is_own: bool


class Lane(NamedTuple):
    """A line of a card for annotators with the same unit, or for annotators without one.

    It shows `pieces` of the text, or `bars` if the text is not known. If `unit` is None, `other_unit` is the unit of
    another unitary alignment with the largest overlap.
    """

    annotators: tuple[str, ...]
    unit: Unit | None
    other_unit: Unit | None = None
    pieces: tuple[Piece, ...] = ()
    bars: tuple[Bar, ...] = ()
    is_reference: bool = False


class Card(NamedTuple):
    """A disagreement with its lanes.

    `number` is the index of its unitary alignment in the corpus. `local_number` counts from 1 within the document,
    which has `n_alignments`. `sum` is the disorder as a sum of its parts.
    """

    number: int
    local_number: int
    n_alignments: int
    title: str
    document: str
    location: str
    disorder: float
    sum: str
    row: Disagreement
    lanes: tuple[Lane, ...]


class Aligned(Protocol):
    """A corpus with the unitary alignment of each unit: `Disagreements`, or one document in the web interface."""

    @property
    def corpus(self) -> Corpus:
        """The corpus."""

    @property
    def group(self) -> IntArray:
        """The unitary alignment of each unit, -1 for none."""

    @property
    def alignments(self) -> int:
        """The number of unitary alignments."""

    @property
    def cover(self) -> tuple[IntArray, IntArray] | None:
        """The unit and the unitary alignment of each membership in a cover; None if each unit is in one."""


def members_of(result: Aligned) -> tuple[IntArray, IntArray]:
    """Return the unit and the unitary alignment of each membership."""
    if result.cover is not None:
        return result.cover
    units = np.flatnonzero(result.group >= 0)
    return units, result.group[units]


class Cards:
    """The cards of a result.

    Parameters
    ----------
    result : Aligned
        The unitary alignments.
    text : bool
        Whether the lanes may show text.
    reference : str or None
        The annotator whose lane comes first.
    """

    def __init__(self, result: Aligned, *, text: bool = True, reference: str | None = None) -> None:
        self._result = result
        self._reference = reference
        corpus = result.corpus
        self._texts = corpus.texts if text and corpus.texts is not None else (None,) * len(corpus)
        self._index = {name: index for index, name in enumerate(corpus.documents)}
        units, groups = members_of(result)
        document = np.full(result.alignments, -1)
        document[groups] = corpus.unit_document[units]
        # Unitary alignments are numbered by document, so `document` is sorted.
        self._first = np.searchsorted(document, np.arange(len(corpus) + 1)).tolist()
        self._documents: dict[int, _Document] = {}

    def card(self, row: Disagreement) -> Card:
        """Return the card of a disagreement."""
        document = self._index[row.document]
        first, last = self._first[document : document + 2]
        disorder, missing, position, category, _ = row.disorder
        parts = {"position": position, "category": category, "missing": missing}
        names = [name for name, part in parts.items() if part > 0]
        values = map(decimal, rounded([parts[name] for name in names]))
        return Card(
            number=row.number,
            local_number=row.number - first + 1,
            n_alignments=last - first,
            title=_title(row.disorder),
            document=row.document,
            location=span(row.start, row.end),
            disorder=disorder,
            sum=" + ".join([f"{name} {value}" for name, value in zip(names, values, strict=True)])
            + (f" = {decimal(disorder)}" if len(names) > 1 else ""),
            row=row,
            lanes=tuple(self._lanes(row, document)),
        )

    def _lanes(self, row: Disagreement, index: int) -> Iterator[Lane]:
        """Yield the lanes of the card of a disagreement."""
        document = self._documents.get(index)
        if document is None:
            document = self._documents[index] = _Document(self._result, index)
        text = self._texts[index]
        window = _Window.of(row, text, document.extent)
        other_units = document.other_units(row.number, window.start, window.end)
        groups = _grouped(row, document.annotators, other_units)
        if self._reference is not None:
            groups.sort(key=lambda group: self._reference not in group.annotators)  # False comes first
        for names, unit, other_unit in groups:
            is_reference = self._reference in names
            # Annotators who share a lane have different units outside of the unitary alignment.
            elsewhere = other_units.get(names[0], []) if len(names) == 1 else []
            if text is None:
                bars = window.bars(unit, elsewhere)
                yield Lane(names, unit, other_unit, bars=bars, is_reference=is_reference)
            else:
                pieces = tuple(window.pieces(text, unit, elsewhere))
                yield Lane(names, unit, other_unit, pieces, is_reference=is_reference)


def _title(disorder: Share) -> str:
    """Return the names of the parts that are at least a tenth of the disorder, the largest first."""
    parts = dict(zip(REASONS, disorder[1:4], strict=True))
    names = [name for name, part in parts.items() if part >= _MIN_TITLE_SHARE * disorder.disorder]
    names.sort(key=lambda name: -parts[name])
    return " and ".join(names).capitalize()


class _Group(NamedTuple):
    """Annotators who share a lane, with their unit, or else their unit in another unitary alignment, if any."""

    annotators: tuple[str, ...]
    unit: Unit | None
    other_unit: Unit | None


def _grouped(row: Disagreement, annotators: Iterable[str], other_units: Mapping[str, Sequence[Unit]]) -> list[_Group]:
    """Return the groups of annotators that share a lane: each annotator alone, unless there are too many."""
    units = {unit.annotator: unit for unit in row.units}
    single = []
    for name in annotators:
        unit = units.get(name)
        other_unit = None
        if unit is None and name in other_units:
            other_unit = _largest(other_units[name], row.start, row.end)
        single.append(_Group((name,), unit, other_unit))
    if len(single) <= MAX_SEPARATE_LANES:
        return single
    by_units: dict[tuple[object, ...], list[_Group]] = {}
    for group in single:
        # Equal units of two annotators differ in the annotator, their first field.
        key = tuple(unit and unit[1:] for unit in (group.unit, group.other_unit))
        by_units.setdefault(key, []).append(group)
    joined = [
        groups[0]._replace(annotators=tuple(group.annotators[0] for group in groups)) for groups in by_units.values()
    ]
    # Annotators with a unit come first, then the larger groups.
    return sorted(joined, key=lambda group: (group.unit is None, -len(group.annotators)))


class _Document:
    """A document of cards: its extent, its annotators, and its units."""

    def __init__(self, result: Aligned, index: int) -> None:
        corpus = result.corpus
        seen = corpus.seen[corpus.seen_offsets[index] : corpus.seen_offsets[index + 1]].tolist()
        rows = slice(int(corpus.unit_offsets[index]), int(corpus.unit_offsets[index + 1]))
        self.extent: list[float] = corpus.extents[index].tolist()
        self.annotators = [corpus.annotators[code] for code in seen]
        self._cover = result.cover
        self._first_unit = rows.start
        self._group = result.group[rows]
        # code -1: no category
        self._names = corpus.annotators
        self._labels = (*corpus.categories, None)
        self._start = corpus.start[rows]
        self._end = corpus.end[rows]
        columns = (corpus.annotator, corpus.start, corpus.end, corpus.category)
        self._columns = [column[rows].tolist() for column in columns]

    def other_units(self, number: int, start: float, end: float) -> dict[str, list[Unit]]:
        """Return the units of each annotator outside of a unitary alignment that overlap a stretch."""
        is_other = (self._start < end) & (self._end > start)
        if self._cover is None:
            is_other &= self._group != number
        else:
            units, groups = self._cover
            is_other[units[groups == number] - self._first_unit] = False
        annotator, low, high, category = self._columns
        other_units: dict[str, list[Unit]] = {}
        for index in is_other.nonzero()[0].tolist():
            name = self._names[annotator[index]]
            unit = Unit(name, low[index], high[index], self._labels[category[index]])
            other_units.setdefault(name, []).append(unit)
        return other_units


def _largest(units: Iterable[Unit], low: float, high: float) -> Unit | None:
    """Return the unit with the largest overlap with a stretch, of equal ones the first; None if none overlaps it."""
    overlapping = [unit for unit in units if unit.start < high and unit.end > low]
    return max(overlapping, key=lambda unit: min(unit.end, high) - max(unit.start, low), default=None)


@dataclass(frozen=True, slots=True)
class _Window:
    """The stretch of a document that a card shows, and the stretches in it that are elided."""

    start: float
    end: float
    elided: tuple[tuple[float, float], ...] = ()

    @classmethod
    def of(cls, row: Disagreement, text: str | None, extent: Sequence[float]) -> _Window:
        """Return the window of a disagreement in a document with these bounds."""
        if text is None:
            margin = (row.end - row.start) * _MARGIN_SHARE or (extent[1] - extent[0]) / _POINT_MARGIN_DIVISOR or 1.0
            return cls(row.start - margin, row.end + margin)
        low, high = _between_words(text, int(row.start), int(row.end))
        bounds = sorted({int(unit.start) for unit in row.units} | {int(unit.end) for unit in row.units})
        elided = tuple(
            (_next_blank(text, start + _STRETCH_END), _previous_blank(text, end - _STRETCH_END))
            for start, end in itertools.pairwise(bounds)
            if end - start > _MAX_STRETCH
        )
        return cls(low, high, elided)

    def pieces(self, text: str, unit: Unit | None, elsewhere: Sequence[Unit]) -> Iterator[Piece]:
        """Yield the text of the window, cut at the bounds of units and of elided stretches."""
        own_start, own_end = (unit.start, unit.end) if unit else (-1.0, -1.0)  # before any text
        other_bounds = [(other_unit.start, other_unit.end) for other_unit in elsewhere]
        bounds = {self.start, self.end, own_start, own_end}
        for stretch in (*other_bounds, *self.elided):
            bounds.update(stretch)
        cuts = sorted([int(bound) for bound in bounds if self.start <= bound <= self.end])
        if self.elided:
            cuts = [cut for cut in cuts if not any(low < cut < high for low, high in self.elided)]
        for start, end in itertools.pairwise(cuts):
            kind = "own" if own_start <= start and end <= own_end else ""
            if (start, end) in self.elided:
                yield Piece(" … ", kind)
                continue
            if not kind and other_bounds and any(low <= start and end <= high for low, high in other_bounds):
                kind = "other"
            yield Piece(_LINE_BREAKS.sub(" ", text[start:end]), kind)
        if unit is not None and unit.start == unit.end:
            yield Piece(" ◆ ", "point")

    def bars(self, unit: Unit | None, elsewhere: Sequence[Unit]) -> tuple[Bar, ...]:
        """Return the units of a lane without text, the aligned one last, as it is drawn over the others.

        All of them overlap the window.
        """
        low = self.start
        high = self.end
        length = high - low
        drawn_units = elsewhere if unit is None else (*elsewhere, unit)
        bars = []
        for drawn in drawn_units:
            # In per cent of the window, which cuts longer units.
            start = 100 * (max(drawn.start, low) - low) / length
            width = 100 * (min(drawn.end, high) - low) / length - start
            bars.append(Bar(round(start, 2), round(max(width, _MIN_BAR_WIDTH), 2), drawn.category, drawn is unit))
        return tuple(bars)


def _between_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the bounds of a stretch with its context, moved to the nearest bounds of words within the context."""
    low = max(start - CONTEXT_LENGTH, 0)
    high = min(end + CONTEXT_LENGTH, len(text))
    if low > 0:
        low = min(_next_blank(text, low) + 1, start)
    if high < len(text):
        high = max(_previous_blank(text, high), end)
    return low, high


def _next_blank(text: str, index: int) -> int:
    """Return the index of the next white space, or the index itself if none is near."""
    limit = min(index + CONTEXT_LENGTH, len(text))
    return next((i for i in range(index, limit) if text[i].isspace()), index)


def _previous_blank(text: str, index: int) -> int:
    """Return the index after the previous white space, or the index itself if none is near."""
    limit = max(index - CONTEXT_LENGTH, 0)
    return next((i for i in range(index, limit, -1) if text[i - 1 : i].isspace()), index)
