"""Stages that tile what a scorer has judged, such as the sleep stages of a night.

Successive epochs with the same stage are one unit. What has no stage was not scored: the scorer did not judge it.
"""

from __future__ import annotations

from typing import NamedTuple

from gamma_align.errors import Where
from gamma_align.reading.marks.marks import Marks
from gamma_align.reading.marks.texts import joined


class Scored(NamedTuple):
    """An epoch or a bout with its stage, ``None`` if it was not scored."""

    start: float
    end: float
    stage: str | None
    location: Where


class Stages:
    """The stages that one scorer gave in a file; `add` takes them in the order of their starts."""

    def __init__(self, marks: Marks, layer: str | None = "stages") -> None:
        self._marks = marks
        self._layer = layer
        self._last: Scored | None = None
        self._judged: list[tuple[float, float]] = []
        self._unscored = 0

    def add(self, scored: Scored) -> None:
        """Add an epoch, or a bout."""
        if scored.stage is None:
            self._unscored += 1
            return
        if scored.start <= scored.end:  # otherwise it is reported as a problem when it is added to the marks
            self._judged.append((scored.start, scored.end))
        last = self._last
        if last is not None and last.stage == scored.stage and last.end == scored.start:
            self._last = last._replace(end=scored.end)
            return
        self._end_bout()
        self._last = scored

    def finish(self) -> None:
        """Add the last bout, and the stretches that were judged."""
        self._end_bout()
        self._last = None
        if self._judged:
            self._marks.judged[None, None] = joined(self._judged)
        if self._unscored:
            self._marks.note(f"{self._unscored} epochs or bouts are not scored")

    def _end_bout(self) -> None:
        """Add the last bout as a unit, if there is one."""
        if self._last is not None:
            start, end, stage, location = self._last
            self._marks.unit(start, end, stage, location=location, layer=self._layer)
