"""Readings of a table: maps with the evidence for them and what is open."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gamma_align.reading.intake.mapping import ColumnMap
from gamma_align.reading.intake.rows import Rows


@dataclass(frozen=True, slots=True)
class Question:
    """An open point: the fact, and other maps, each with the words for when it is right.

    Without others the map of the reading is the only answer. If there is a `cure`, no map is an answer.
    """

    fact: str
    others: tuple[tuple[str, ColumnMap], ...] = ()
    cure: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """A map of a table, how likely it is, the evidence for it, and what is open."""

    mapping: ColumnMap
    score: float
    rows: Rows
    evidence: tuple[str, ...] = ()
    questions: tuple[Question, ...] = ()

    def asking(self, *questions: Question) -> Reading:
        """Return the reading with further open points."""
        return replace(self, questions=(*self.questions, *questions))
