"""The times of the annotations in an ELAN file: from time slots, some without a time, and from other annotations.

As in ELAN, a slot without a time is placed evenly among its neighbours: on a tier that depends on another, the slots
of the chain of annotations that meet in such slots; elsewhere the slots before and after it in the order of the file.
Annotations that refer to another have its time or, if several divide it, an equal share each, in the order that they
refer to one another.

References
----------
ELAN Annotation Format, EAF 3.0 (https://www.mpi.nl/tools/elan/EAF_Annotation_Format_3.0_and_ELAN.pdf).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import chain, pairwise


@dataclass(slots=True)
class Annotation:
    """One annotation, which has time slots (`begin`, `end`) or refers to another annotation (`parent`), and its span.

    `previous` is the annotation that it follows under the same parent.
    """

    name: str
    line: int
    value: str
    begin: str | None = None
    end: str | None = None
    parent: str | None = None
    previous: str | None = None
    span: tuple[float, float] | None = None

    @property
    def aligned(self) -> bool:
        """Whether the annotation has time slots."""
        return self.parent is None


@dataclass(slots=True)
class Tier:
    """One tier with its annotations in the order of the file."""

    name: str
    line: int
    annotator: str | None
    participant: str | None
    depends: str | None
    kind: str | None
    annotations: list[Annotation] = field(default_factory=list)


class Times:
    """Sets the span of each annotation, in milliseconds; it stays ``None`` if its time cannot be determined.

    `slots` are in the order of the file, ``None`` for one without a time; `constraints` are the stereotypes of types of
    tiers. `interpolated` counts the used slots without a time, `divided` the annotations that share another's time.
    """

    def __init__(self, slots: dict[str, int | None], tiers: list[Tier], constraints: dict[str, str]) -> None:
        self._slots = slots
        self._guesses = _interpolate(slots)
        self._at: dict[str, float] = {name: time for name, time in slots.items() if time is not None}
        self.interpolated = 0
        self.divided = 0
        for tier in _parents_first(tiers):
            self._place_slots(tier)
        self._place_references(tiers, constraints)

    def _place_slots(self, tier: Tier) -> None:
        """Set the spans of the annotations of a tier that have time slots."""
        aligned = [annotation for annotation in tier.annotations if annotation.aligned]
        if tier.depends is not None:
            self._place_chains(aligned)
        for annotation in aligned:
            begin = self._time(annotation.begin)
            end = self._time(annotation.end)
            if begin is not None and end is not None:
                annotation.span = begin, end

    def _place_chains(self, aligned: list[Annotation]) -> None:
        """Place the slots without a time in which annotations meet evenly between two slots with a time."""
        following = {annotation.begin: annotation for annotation in reversed(aligned)}
        for first in aligned:
            if first.begin not in self._at or first.end in self._at:
                continue
            slots = [first.end]
            # The length stops chains of annotations that refer to one another in a circle.
            while slots[-1] not in self._at and slots[-1] in following and len(slots) <= len(aligned):
                slots.append(following[slots[-1]].end)
            if slots[-1] in self._at:
                low = self._at[str(first.begin)]
                high = self._at[str(slots[-1])]
                for index, slot in enumerate(slots[:-1], 1):
                    self._set_time(str(slot), low + (high - low) * index / len(slots))

    def _time(self, slot: str | None) -> float | None:
        """Return the time of a slot, interpolated if it has none; ``None`` if it has no neighbour or does not exist."""
        if slot is None:
            return None
        if slot not in self._at and slot in self._guesses:
            self._set_time(slot, self._guesses[slot])
        return self._at.get(slot)

    def _set_time(self, slot: str, time: float) -> None:
        """Set the time of an existing slot that has none, and count it."""
        if slot not in self._at and slot in self._slots:
            self._at[slot] = time
            self.interpolated += 1

    def _place_references(self, tiers: list[Tier], constraints: dict[str, str]) -> None:
        """Set the spans of annotations that refer to others: the span of the parent, or an equal share of it."""
        children: dict[str | None, dict[int, list[Annotation]]] = {}
        for number, tier in enumerate(tiers):
            for annotation in tier.annotations:
                if not annotation.aligned:
                    children.setdefault(annotation.parent, {}).setdefault(number, []).append(annotation)
        annotations = chain.from_iterable(tier.annotations for tier in tiers)
        # Breadth first: an annotation has its time before the annotations that refer to it.
        waiting = deque(annotation for annotation in annotations if annotation.span is not None)
        while waiting:
            parent = waiting.popleft()
            for number, siblings in children.pop(parent.name, {}).items():
                if constraints.get(tiers[number].kind or "") == "Symbolic_Association" or len(siblings) == 1:
                    for annotation in siblings:
                        annotation.span = parent.span
                elif parent.span is not None:
                    self._divide(*parent.span, siblings)
                waiting.extend(siblings)

    def _divide(self, low: float, high: float, annotations: list[Annotation]) -> None:
        """Give each annotation an equal share of the time."""
        starts = [low + (high - low) * index / len(annotations) for index in range(len(annotations))]
        for annotation, edges in zip(_after_previous(annotations), pairwise([*starts, high]), strict=True):
            annotation.span = edges
        self.divided += len(annotations)


def _interpolate(slots: dict[str, int | None]) -> dict[str, float]:
    """Return times for the slots without one, evenly spaced between their neighbours.

    Slots after the last time get none; slots before the first one start at 0.
    """
    times: dict[str, float] = {}
    run: list[str] = []
    low = 0
    for name, time in slots.items():
        if time is None:
            run.append(name)
            continue
        for index, slot in enumerate(run, 1):
            times[slot] = low + (time - low) * index / (len(run) + 1)
        run.clear()
        low = time
    return times


def _parents_first(tiers: list[Tier]) -> list[Tier]:
    """Return the tiers, each after the tier it depends on; tiers in a circle or with a missing parent come last."""
    below: dict[str | None, list[Tier]] = {}
    for tier in tiers:
        below.setdefault(tier.depends, []).append(tier)
    ordered: list[Tier] = []
    waiting = deque(below.pop(None, []))
    while waiting:
        ordered.append(waiting.popleft())
        waiting.extend(below.pop(ordered[-1].name, []))
    return [*ordered, *chain.from_iterable(below.values())]


def _after_previous(annotations: list[Annotation]) -> list[Annotation]:
    """Return annotations with each after its previous one, otherwise in the order of the file."""
    behind: dict[str | None, list[Annotation]] = {}
    names = {annotation.name for annotation in annotations}
    for annotation in annotations:
        behind.setdefault(annotation.previous if annotation.previous in names else None, []).append(annotation)
    ordered: list[Annotation] = []
    # A stack, so that the annotations behind one come directly after it.
    waiting = behind.pop(None, [])[::-1]
    while waiting:
        ordered.append(waiting.pop())
        waiting.extend(behind.pop(ordered[-1].name, [])[::-1])
    return [*ordered, *chain.from_iterable(behind.values())]
