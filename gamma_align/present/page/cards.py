"""Cards: a unitary alignment with any disorder, the same words in a lane for each annotator, and its parts.

Lanes of one card have the same characters in the same places: what differs is what is marked in them. Without text, a
lane shows where its unit lies.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from gamma_align.columns import IntArray
from gamma_align.data.continuum import Unit
from gamma_align.data.corpus import Corpus
from gamma_align.data.wording import span
from gamma_align.insight.disagreements.disagreements import Disagreement
from gamma_align.insight.disagreements.unitary_alignments import REASONS
from gamma_align.present.page.numbers import decimal, rounded

CONTEXT = 36
"""Characters of text on each side of the units of a card."""
_LONGEST, _KEPT = 160, 40
"""A stretch without a boundary that is longer is elided, but for what is kept on each side."""
MOST_LANES = 5
"""Up to so many annotators have a lane each; of more, those with the same units share one."""
_BREAKS = re.compile(r"[\r\n\t]")
_SIDE = 0.25
"""What a lane without text shows on each side, as a part of what the units cover."""


class Piece(NamedTuple):
    """A piece of a lane's text: plain, marked by the annotator here or in another alignment, or elided."""

    text: str
    kind: str = ""


class Bar(NamedTuple):
    """A unit in a lane without text: left edge and width in per cent of the lane, and whether it is aligned here."""

    left: float
    width: float
    label: str | None
    is_own: bool


@dataclass(frozen=True, slots=True)
class Lane:
    """What annotators who have the same unit, or none, mark: `pieces` of text, or `bars` where there is no text.

    `other` is the unit of annotators without an aligned one that overlaps the place of the card the most.
    """

    annotators: tuple[str, ...]
    unit: Unit | None
    other: Unit | None = None
    pieces: tuple[Piece, ...] = ()
    bars: tuple[Bar, ...] = ()
    is_reference: bool = False


@dataclass(frozen=True, slots=True)
class Card:
    """A disagreement to look at. `number` is that of its unitary alignment, `local` counts within the document."""

    number: int
    local: int
    of: int
    title: str
    document: str
    location: str
    disorder: float
    sum: str
    row: Disagreement
    lanes: tuple[Lane, ...]


class Aligned(Protocol):
    """A corpus, the unitary alignment of each of its units, and how many there are: `Disagreements`, or a part."""

    @property
    def corpus(self) -> Corpus:
        """The corpus."""

    @property
    def group(self) -> IntArray:
        """The unitary alignment of each unit, -1 for none."""

    @property
    def alignments(self) -> int:
        """The number of unitary alignments."""


class Cards:
    """Makes the cards of a result; `text` is whether words may be shown, `reference` whose lane is the first."""

    def __init__(self, result: Aligned, *, text: bool = True, reference: str | None = None) -> None:
        self._result, self._reference = result, reference
        corpus = result.corpus
        self._texts = corpus.texts if text and corpus.texts is not None else (None,) * len(corpus)
        self._index = {name: number for number, name in enumerate(corpus.documents)}
        aligned = result.group[result.group >= 0]
        document = np.full(result.alignments, -1)
        document[aligned] = corpus.unit_document[result.group >= 0]
        self._first = np.searchsorted(document, np.arange(len(corpus) + 1))

    def card(self, row: Disagreement) -> Card:
        """Return the card of a disagreement."""
        document = self._index[row.document]
        first, last = self._first[document : document + 2].tolist()
        parts = dict(zip(REASONS, row.disorder[1:4], strict=True))
        known = [name for name in ("position", "category", "missing") if parts[name] > 0]
        values = map(decimal, rounded([parts[name] for name in known]))
        return Card(
            number=row.number,
            local=row.number - first + 1,
            of=last - first,
            title=_title(parts, row.disorder.disorder),
            document=row.document,
            location=span(row.start, row.end),
            disorder=row.disorder.disorder,
            sum=" + ".join(f"{name} {value}" for name, value in zip(known, values, strict=True))
            + (f" = {decimal(row.disorder.disorder)}" if len(known) > 1 else ""),
            row=row,
            lanes=tuple(self._lanes(row, document)),
        )

    def _lanes(self, row: Disagreement, document: int) -> Iterator[Lane]:
        others = _Others(self._result, document, row.number)
        groups = _grouped(row, self._result.corpus, document, others.largest(row.start, row.end))
        if self._reference is not None:
            groups.sort(key=lambda group: self._reference not in group.annotators)
        text = self._texts[document]
        window = _Window.of(row, text, self._result.corpus.extents[document].tolist())
        for names, unit, other in groups:
            is_reference = self._reference in names
            elsewhere = others.of(names[0], window.start, window.end) if len(names) == 1 else []
            if text is None:
                yield Lane(names, unit, other, bars=tuple(window.bars(unit, elsewhere)), is_reference=is_reference)
            else:
                pieces = tuple(window.pieces(text, unit, elsewhere))
                yield Lane(names, unit, other, pieces, is_reference=is_reference)


def _title(parts: dict[str, float], disorder: float) -> str:
    """Return the parts that are a tenth of the disorder and more, the largest first."""
    names = sorted((name for name in parts if parts[name] >= 0.1 * disorder), key=lambda name: -parts[name])
    return " and ".join(names).capitalize()


class _Group(NamedTuple):
    """Annotators who share a lane: their unit, or the other unit that they have at that place, or neither."""

    annotators: tuple[str, ...]
    unit: Unit | None
    other: Unit | None


def _grouped(row: Disagreement, corpus: Corpus, document: int, others: Mapping[str, Unit]) -> list[_Group]:
    """Return the lanes of a card: one for each annotator, or if there are many, one for those who have the same."""
    seen = corpus.seen[corpus.seen_offsets[document] : corpus.seen_offsets[document + 1]].tolist()
    units = {unit.annotator: unit for unit in row.units}
    names = [corpus.annotators[code] for code in seen]
    lanes = [_Group((name,), units.get(name), None if name in units else others.get(name)) for name in names]
    if len(lanes) <= MOST_LANES:
        return lanes
    groups: dict[tuple[object, ...], list[_Group]] = {}
    for lane in lanes:
        groups.setdefault(tuple(unit and unit[1:] for unit in lane[1:]), []).append(lane)
    joined = [lanes[0]._replace(annotators=tuple(lane.annotators[0] for lane in lanes)) for lanes in groups.values()]
    return sorted(joined, key=lambda lane: (lane.unit is None, -len(lane.annotators)))


class _Others:
    """The units of a document that are in other alignments."""

    def __init__(self, result: Aligned, document: int, number: int) -> None:
        corpus = result.corpus
        rows = slice(int(corpus.unit_offsets[document]), int(corpus.unit_offsets[document + 1]))
        self._names, self._annotator = corpus.annotators, corpus.annotator[rows]
        self._start, self._end = corpus.start[rows], corpus.end[rows]
        self._category, self._labels = corpus.category[rows], (*corpus.categories, None)
        self._elsewhere = result.group[rows] != number

    def of(self, name: str, low: float, high: float) -> list[Unit]:
        """Return those of an annotator that overlap a stretch."""
        return self._overlapping(low, high, self._names.index(name))

    def largest(self, low: float, high: float) -> dict[str, Unit]:
        """Return the unit of each annotator that overlaps a stretch the most, of equal ones the first."""
        result: dict[str, Unit] = {}
        most: dict[str, float] = {}
        for unit in self._overlapping(low, high):
            overlap = min(unit.end, high) - max(unit.start, low)
            if overlap > most.get(unit.annotator, -1.0):
                result[unit.annotator], most[unit.annotator] = unit, overlap
        return result

    def _overlapping(self, low: float, high: float, annotator: int | None = None) -> list[Unit]:
        chosen = self._elsewhere & (self._start < high) & (self._end > low)
        if annotator is not None:
            chosen &= self._annotator == annotator
        columns = (self._annotator, self._start, self._end, self._category)
        return [
            Unit(self._names[annotator], start, end, self._labels[code])
            for annotator, start, end, code in zip(*(column[chosen].tolist() for column in columns), strict=True)
        ]


@dataclass(frozen=True, slots=True)
class _Window:
    """The stretch of a document that a card shows, and what of it is elided."""

    start: float
    end: float
    elided: tuple[tuple[float, float], ...] = ()

    @classmethod
    def of(cls, row: Disagreement, text: str | None, extent: Sequence[float]) -> _Window:
        if text is None:
            room = (row.end - row.start) * _SIDE or (extent[1] - extent[0]) / 100 or 1.0
            return cls(row.start - room, row.end + room)
        low, high = _to_words(text, int(row.start), int(row.end))
        bounds = sorted({int(bound) for unit in row.units for bound in (unit.start, unit.end)})
        gaps = ((a, b) for a, b in itertools.pairwise(bounds) if b - a > _LONGEST)
        return cls(low, high, tuple((_next_blank(text, a + _KEPT), _last_blank(text, b - _KEPT)) for a, b in gaps))

    def pieces(self, text: str, unit: Unit | None, elsewhere: Sequence[Unit]) -> Iterator[Piece]:
        """Yield the text of the window, cut where what is marked changes."""
        own = (unit.start, unit.end) if unit else (-1.0, -1.0)
        others = [(other.start, other.end) for other in elsewhere]
        bounds = {self.start, self.end, *own, *itertools.chain(*others), *itertools.chain(*self.elided)}
        inside = (int(bound) for bound in bounds if self.start <= bound <= self.end)
        cuts = sorted(cut for cut in inside if not any(low < cut < high for low, high in self.elided))
        for a, b in itertools.pairwise(cuts):
            kind = "own" if own[0] <= a and b <= own[1] else ""
            if (a, b) in self.elided:
                yield Piece(" … ", kind)
                continue
            if not kind and any(low <= a and b <= high for low, high in others):
                kind = "other"
            yield Piece(_BREAKS.sub(" ", text[a:b]), kind)
        if unit is not None and unit.start == unit.end:
            yield Piece(" ◆ ", "point")

    def bars(self, unit: Unit | None, elsewhere: Sequence[Unit]) -> Iterator[Bar]:
        """Yield the units of a lane without text."""
        length = self.end - self.start
        for each in [*elsewhere, *([] if unit is None else [unit])]:
            left, right = (100 * (min(max(x, self.start), self.end) - self.start) / length for x in each[1:3])
            yield Bar(round(left, 2), round(max(right - left, 0.4), 2), each.category, each is unit)


def _to_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Return where the context of a stretch begins and ends: between words."""
    low, high = max(start - CONTEXT, 0), min(end + CONTEXT, len(text))
    if low > 0:
        low = min(_next_blank(text, low) + 1, start)
    if high < len(text):
        high = max(_last_blank(text, high), end)
    return low, high


def _next_blank(text: str, index: int) -> int:
    return next((i for i in range(index, min(index + CONTEXT, len(text))) if text[i].isspace()), index)


def _last_blank(text: str, index: int) -> int:
    return next((i for i in range(index, max(index - CONTEXT, 0), -1) if text[i - 1 : i].isspace()), index)
