"""Decisions on disagreements: whose reading holds at a place or for a finding, or a new one.

A *place* is a unitary alignment, named by its document and units. A *finding* is a cause of disagreement, named by its
facts, and stands for all places that show it. Decisions are made in the report and kept in a small JSON file, which
`gamma_align.reading.decisions_file` reads; `settle` applies them to a consensus.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from gamma_align.data import Corpus, Unit
from gamma_align.errors import InputError, Location

if TYPE_CHECKING:
    from gamma_align.insight.causes.findings import Finding

ANNOTATOR, ALL_BUT_ONE, UNIT, NO_UNIT_HOLDS = "annotator", "others", "unit", "no unit"
"""Readings: of an annotator, of the others by votes, a new unit, and that there is no unit."""


class NewUnit(NamedTuple):
    """A unit that no annotator needs to have."""

    start: float
    end: float
    category: str | None


class Reading(NamedTuple):
    """What holds: the reading of an `annotator`, the votes of the others, a new `unit`, or that there is no unit."""

    kind: str
    annotator: str | None = None
    unit: NewUnit | None = None

    def __str__(self) -> str:
        if self.unit is not None:
            return f"{self.unit.start:.15g}-{self.unit.end:.15g} {self.unit.category or ''}".rstrip()
        return {ANNOTATOR: f"{self.annotator}", ALL_BUT_ONE: f"all but {self.annotator}"}.get(self.kind, self.kind)


class Place(NamedTuple):
    """The units of a unitary alignment in a document."""

    document: str
    units: tuple[Unit, ...]


class FindingFacts(NamedTuple):
    """The facts by which a finding is recognised, as in `Finding`."""

    kind: str
    annotator: str | None
    documents: tuple[str, ...]
    stretch: tuple[float, float] | None
    labels: tuple[str | None, ...]
    words: tuple[str, ...]
    direction: str

    @classmethod
    def of(cls, finding: Finding) -> FindingFacts:
        """Return the facts of a finding."""
        return cls(*(getattr(finding, name) for name in cls._fields))


class Decision(NamedTuple):
    """A decision on a place or a finding.

    `reading` is None if only a note was made, such as the answer to the question of a finding. `number` names the
    decision in messages.
    """

    subject: Place | FindingFacts
    reading: Reading | None
    note: str
    number: str


@dataclass(frozen=True, slots=True)
class Decisions:
    """The decisions of a file, as `read_decisions` returns them.

    Attributes
    ----------
    decisions : tuple of Decision
    file : str
        The name of the file, for messages.

    Examples
    --------
    >>> nothing = ga.Decisions(())
    >>> ga.consensus([("d", "ann", 0, 4, "x"), ("d", "bob", 0, 4, "x")], decisions=nothing).decisions
    ()
    """

    decisions: tuple[Decision, ...]
    file: str = "decisions"

    def __len__(self) -> int:
        return len(self.decisions)

    def __iter__(self) -> Iterator[Decision]:
        return iter(self.decisions)

    @property
    def new_labels(self) -> set[str | None]:
        """The categories of new units."""
        units = (decision.reading.unit for decision in self.decisions if decision.reading is not None)
        return {unit.category for unit in units if unit is not None}

    @property
    def needs_findings(self) -> bool:
        """Whether causes must be found again: a reading holds for all places of a finding."""
        return any(isinstance(decision.subject, FindingFacts) and decision.reading for decision in self.decisions)

    def refuse(self, decision: Decision, cause: str, cure: str) -> InputError:
        """Return the error that a decision is wrong."""
        return InputError(cause, cure, Location(self.file, decision.number))


class DecisionRow(NamedTuple):
    """A decision and its effect.

    `places` counts the unitary alignments that it settles. `state` is "settled"; "noted" without a reading; "not found"
    if the data no longer have the finding, the units, or these aligned with each other.
    """

    document: str | None
    start: float | None
    end: float | None
    finding: str | None
    reading: str | None
    note: str
    places: int
    state: str


SETTLED = "settled"
NOTED = "noted"
NOT_FOUND = "not found"


def decision_row(decision: Decision, n_places: int, *, is_found: bool) -> DecisionRow:
    """Return a decision with its effect."""
    state = NOT_FOUND
    if is_found:
        state = NOTED if decision.reading is None else SETTLED
    reading = None if decision.reading is None else str(decision.reading)
    subject = decision.subject
    if isinstance(subject, Place):
        start = min(unit.start for unit in subject.units)
        end = max(unit.end for unit in subject.units)
        return DecisionRow(subject.document, start, end, None, reading, decision.note, n_places, state)
    return DecisionRow(None, None, None, _words_of(subject), reading, decision.note, n_places, state)


def _words_of(facts: FindingFacts) -> str:
    """Return the facts of a finding in a line."""
    words = (facts.kind, facts.annotator, facts.direction, *facts.labels, *facts.words, *facts.documents)
    return " ".join(word for word in words if word)


def unit_rows_of(corpus: Corpus, places: Iterable[Place]) -> dict[tuple[str, Unit], list[int]]:
    """Return the rows of the units in the documents of places, by document and unit."""
    requested = {subject.document for subject in places}
    rows: dict[tuple[str, Unit], list[int]] = {}
    for index, name in enumerate(corpus.documents):
        if name in requested:
            for row, unit in enumerate(corpus.continuum(index).units(), int(corpus.unit_offsets[index])):
                rows.setdefault((name, unit), []).append(row)
    return rows
