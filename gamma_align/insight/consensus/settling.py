"""The consensus after decisions: at decided places the reading of the decision replaces the votes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data import Corpus
from gamma_align.errors import did_you_mean
from gamma_align.insight.consensus.decisions import (
    ALL_BUT_ONE,
    NO_UNIT_HOLDS,
    Decision,
    DecisionRow,
    Decisions,
    FindingFacts,
    NewUnit,
    Place,
    Reading,
    decision_row,
    unit_rows_of,
)
from gamma_align.insight.consensus.judgments import Judgments
from gamma_align.insight.consensus.outcome import Bounds, Outcome, Settled, outcome_by_votes, recounted
from gamma_align.insight.consensus.summaries import medians

Findings = Mapping[FindingFacts, IntArray]


@dataclass(slots=True, eq=False)
class _Content:
    """Whether each unitary alignment is a unit, its label and its bounds; shape (n_alignments,)."""

    kept: BoolArray
    label: IntArray
    start: FloatArray
    end: FloatArray

    def put(self, alignments: IntArray, reading: _Content) -> None:
        """Take the content of a reading for some unitary alignments."""
        for name in ("kept", "label", "start", "end"):
            getattr(self, name)[alignments] = getattr(reading, name)[alignments]


def settle(
    decisions: Decisions,
    corpus: Corpus,
    judgments: Judgments,
    outcome: Outcome,
    bounds: Bounds,
    *,
    votes: str | float,
    findings: Findings,
) -> tuple[Settled, tuple[DecisionRow, ...]]:
    """Return the outcome after decisions, and each decision with its effect.

    A decision on a place takes precedence over one on a finding; of several findings that show at one place, the last
    one in the file decides. `votes` are required of the others if a reading is theirs.

    Raises
    ------
    InputError
        For two decisions on one place, and for a reading of somebody who did not annotate the document.
    """
    content = _Content(outcome.kept.copy(), outcome.label.copy(), bounds[0].copy(), bounds[1].copy())
    readers = _Readers(corpus, judgments, votes)
    places = _places(decisions, corpus, judgments)
    rows = {}
    is_decided = np.zeros(len(judgments), dtype=bool)
    # Findings first: what is decided of a single place is put over them.
    for index, decision in sorted(enumerate(decisions), key=lambda entry: isinstance(entry[1].subject, Place)):
        if isinstance(decision.subject, Place):
            alignments = places[index]
        else:
            alignments = findings.get(decision.subject)
        n_settled = 0
        if alignments is not None and decision.reading is not None:
            alignments = readers.put(content, decisions, decision, decision.reading, alignments)
            is_decided[alignments] = True
            n_settled = len(alignments)
        is_found = alignments is not None or (decision.reading is None and not isinstance(decision.subject, Place))
        rows[index] = decision_row(decision, n_settled, is_found=is_found)
    outcome = recounted(
        outcome._replace(tie=outcome.tie & ~is_decided, kept=content.kept, label=content.label), judgments
    )
    settled = Settled(outcome, (content.start, content.end), is_decided)
    return settled, tuple(rows[index] for index in sorted(rows))


def _places(decisions: Decisions, corpus: Corpus, judgments: Judgments) -> dict[int, IntArray | None]:
    """Return the unitary alignment of each decision on a place, None if its units are not aligned with each other."""
    subjects = {index: entry.subject for index, entry in enumerate(decisions) if isinstance(entry.subject, Place)}
    rows = unit_rows_of(corpus, subjects.values())
    alignments: dict[int, IntArray | None] = {}
    decided: dict[int, Decision] = {}
    for index, subject in subjects.items():
        rows_by_unit = (rows.get((subject.document, unit), []) for unit in subject.units)
        alignments_by_unit = [set(judgments.group[unit_rows].tolist()) for unit_rows in rows_by_unit]
        candidates = sorted(set.intersection(*alignments_by_unit))
        # An annotator may have a unit twice: then each of two decisions is about one of them.
        free = [alignment for alignment in candidates if alignment not in decided]
        if candidates and not free:
            first = decided[candidates[0]]
            decision = decisions.decisions[index]
            raise decisions.refuse(decision, f"{first.number} is about the same place", "keep one of the two")
        alignments[index] = np.array(free[:1], dtype=np.int64) if free else None
        decided |= dict.fromkeys(free[:1], decisions.decisions[index])
    return alignments


class _Readers:
    """The readings of annotators, each computed once for all places."""

    def __init__(self, corpus: Corpus, judgments: Judgments, votes: str | float) -> None:
        self.corpus = corpus
        self.judgments = judgments
        self.votes = votes
        self._contents: dict[Reading, _Content] = {}
        self._seen: dict[int, BoolArray] = {}

    def put(
        self, content: _Content, decisions: Decisions, decision: Decision, reading: Reading, alignments: IntArray
    ) -> IntArray:
        """Let a reading hold for unitary alignments, and return those for which it can."""
        if reading.kind == NO_UNIT_HOLDS:
            content.kept[alignments] = False
            return alignments
        if reading.unit is not None:
            self._put_unit(content, reading.unit, alignments)
            return alignments
        annotator = self._code(decisions, decision, reading)
        if annotator not in self._seen:
            self._seen[annotator] = self._saw(annotator)
        alignments = alignments[self._seen[annotator][alignments]]
        if not len(alignments) and isinstance(decision.subject, Place):
            cause = f"{reading.annotator!r} did not annotate {decision.subject.document!r}"
            raise decisions.refuse(decision, cause, "name one of its annotators")
        if reading not in self._contents:
            self._contents[reading] = self._others(annotator) if reading.kind == ALL_BUT_ONE else self._own(annotator)
        content.put(alignments, self._contents[reading])
        return alignments

    def _put_unit(self, content: _Content, unit: NewUnit, alignments: IntArray) -> None:
        content.kept[alignments] = True
        content.label[alignments] = self.judgments.labels.index(unit.category)
        content.start[alignments] = unit.start
        content.end[alignments] = unit.end

    def _code(self, decisions: Decisions, decision: Decision, reading: Reading) -> int:
        names = self.corpus.annotators
        name = str(reading.annotator)
        if name not in names:
            cause = f"there is no annotator {name!r}{did_you_mean(name, names)}"
            raise decisions.refuse(decision, cause, "correct the name")
        return names.index(name)

    def _saw(self, annotator: int) -> BoolArray:
        """Return whether an annotator saw the document of each unitary alignment."""
        result = np.zeros(len(self.judgments), dtype=bool)
        result[self.judgments.alignment[self.judgments.annotator == annotator]] = True
        return result

    def _own(self, annotator: int) -> _Content:
        """Return the units of an annotator."""
        units = np.flatnonzero(self.corpus.annotator == annotator)
        content = _blank(len(self.judgments))
        group = self.judgments.group[units]
        content.kept[group] = True
        content.label[group] = self.judgments.unit_label[units]
        content.start[group] = self.corpus.start[units]
        content.end[group] = self.corpus.end[units]
        return content

    def _others(self, annotator: int) -> _Content:
        """Return the units by votes of all annotators but one."""
        remaining, alignments, units = self.judgments.without(annotator, self.corpus.annotator)
        content = _blank(len(self.judgments))
        outcome = outcome_by_votes(remaining, self.votes)
        bounds = medians(self.corpus, remaining.group, remaining.document, units)
        content.kept[alignments] = outcome.kept
        content.label[alignments] = outcome.label
        content.start[alignments], content.end[alignments] = bounds
        return content


def _blank(n_alignments: int) -> _Content:
    kept = np.zeros(n_alignments, dtype=bool)
    label = np.zeros(n_alignments, dtype=np.int64)
    return _Content(kept, label, np.zeros(n_alignments), np.zeros(n_alignments))
