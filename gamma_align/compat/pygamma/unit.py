"""`Segment`, an interval of time or of text, and `Unit`, a segment with its label."""

from __future__ import annotations

from collections.abc import Iterator
from functools import total_ordering
from typing import Any, Protocol

SEGMENT_PRECISION = 1e-6
"""Segments shorter than this are empty, as pyannote's are."""


class AnySegment(Protocol):
    """A segment of any class: this one or pyannote's."""

    @property
    def start(self) -> float:
        """Where it begins."""

    @property
    def end(self) -> float:
        """Where it ends."""


@total_ordering
class Segment:
    """An interval from `start` to `end`; it is equal to a segment of pyannote with the same bounds.

    Examples
    --------
    >>> segment = Segment(2, 9)
    >>> segment.duration, segment & Segment(5, 12), 3 in [*segment]
    (7, <Segment(5, 9)>, False)
    """

    __slots__ = ("end", "start")
    start: float
    end: float

    def __init__(self, start: float = 0.0, end: float = 0.0) -> None:
        object.__setattr__(self, "start", start)
        object.__setattr__(self, "end", end)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"cannot assign to {name!r}: a segment is never changed")

    def __reduce__(self) -> tuple[Any, ...]:
        return Segment, (self.start, self.end)

    @classmethod
    def of(cls, segment: AnySegment) -> Segment:
        """Return a segment of any class as one of this class."""
        return segment if isinstance(segment, Segment) else cls(segment.start, segment.end)

    def __bool__(self) -> bool:
        return self.end - self.start > SEGMENT_PRECISION

    @property
    def duration(self) -> float:
        """Its length; 0 if it is empty."""
        return self.end - self.start if self else 0.0

    @property
    def middle(self) -> float:
        """The position in the middle."""
        return 0.5 * (self.start + self.end)

    def __iter__(self) -> Iterator[float]:
        yield self.start
        yield self.end

    def __eq__(self, segment: object) -> bool:
        if not _is_segment(segment):
            return NotImplemented
        return (self.start, self.end) == (segment.start, segment.end)  # type: ignore[attr-defined]

    def __lt__(self, segment: AnySegment) -> bool:
        return (self.start, self.end) < (segment.start, segment.end)

    def __hash__(self) -> int:
        return hash((self.start, self.end))  # as pyannote's

    def __contains__(self, segment: AnySegment) -> bool:
        return self.start <= segment.start and segment.end <= self.end

    def __and__(self, segment: AnySegment) -> Segment:
        return Segment(max(self.start, segment.start), min(self.end, segment.end))

    def __or__(self, segment: AnySegment) -> Segment:
        if not self:
            return Segment.of(segment)
        if not Segment.of(segment):
            return self
        return Segment(min(self.start, segment.start), max(self.end, segment.end))

    def __xor__(self, segment: AnySegment) -> Segment:
        if self.intersects(segment) or not self or not Segment.of(segment):
            raise ValueError("the gap between two segments requires that they are not empty and do not intersect")
        return Segment(min(self.end, segment.end), max(self.start, segment.start))

    def intersects(self, segment: AnySegment) -> bool:
        """Return whether the two begin at the same position, or have more than a bound in common."""
        earlier, later = (self, segment) if self.start < segment.start else (segment, self)
        return earlier.start == later.start or later.start < earlier.end - SEGMENT_PRECISION

    def overlaps(self, t: float) -> bool:
        """Return whether a position is in the segment."""
        return self.start <= t <= self.end

    def copy(self) -> Segment:
        """Return a copy."""
        return Segment(self.start, self.end)

    def __repr__(self) -> str:
        return f"<Segment({self.start:g}, {self.end:g})>"


def _is_segment(value: object) -> bool:
    return isinstance(value, Segment) or (hasattr(value, "start") and hasattr(value, "end"))


@total_ordering
class Unit:
    """A segment with its label, or None.

    Units are sorted by segment, then by label; None comes first.

    Examples
    --------
    >>> unit = Unit(Segment(17.5, 21.3), "Verb")
    >>> unit.segment.start, unit.annotation, unit > Unit(Segment(17.5, 21.3))
    (17.5, 'Verb', True)
    """

    __slots__ = ("annotation", "segment")
    segment: Segment
    annotation: str | None

    def __init__(self, segment: AnySegment, annotation: str | None = None) -> None:
        object.__setattr__(self, "segment", Segment.of(segment))
        object.__setattr__(self, "annotation", annotation)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"cannot assign to {name!r}: a unit is never changed")

    def __reduce__(self) -> tuple[Any, ...]:
        return Unit, (self.segment, self.annotation)

    def __eq__(self, unit: object) -> bool:
        if not isinstance(unit, Unit):
            return NotImplemented
        return self.segment == unit.segment and self.annotation == unit.annotation

    def __hash__(self) -> int:
        return hash((self.segment, self.annotation))

    def __lt__(self, unit: Unit) -> bool:
        if self.segment != unit.segment:
            return self.segment < unit.segment
        if self.annotation is None or unit.annotation is None:
            return self.annotation is None and unit.annotation is not None
        return self.annotation < unit.annotation

    def __repr__(self) -> str:
        return f"Unit(segment={self.segment!r}, annotation={self.annotation!r})"
