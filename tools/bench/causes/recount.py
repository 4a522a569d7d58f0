"""A recount of what findings claim about annotators, unit by unit in the data as annotated."""

from __future__ import annotations

import re
from typing import NamedTuple

import gamma_align as ga
from gamma_align.insight.causes.findings import Finding

_COUNTS = re.compile(r"^([\d,]+) of ([\d,]+)")  # places of the claim, and all such places
_RATE = re.compile(r"(?:leaves out|marks) ([\d,]+) (?:places|units)")
_MARKS_WHERE = re.compile(r"(?:^|: |, )(\w+) marks .* where (\w+) marks nothing$")  # of two annotators


class Unit(NamedTuple):
    """A unit with its document and the text that it covers, in lower case; None if it is not known."""

    document: str
    annotator: str
    start: float
    end: float
    label: str | None
    text: str | None


def units_of(corpus: ga.Corpus) -> list[Unit]:
    """Return all units of a corpus."""
    units = []
    texts = corpus.texts or (None,) * len(corpus)
    for document, text in zip(corpus.documents, texts, strict=True):
        for unit in corpus[document].units():
            words = None if text is None else " ".join(text[int(unit.start) : int(unit.end)].lower().split())
            units.append(Unit(document, unit.annotator, unit.start, unit.end, unit.category, words))
    return units


def contradictions(finding: Finding, corpus: ga.Corpus) -> list[str]:
    """Return what the units of a corpus contradict in a finding that somebody leaves out, or alone marks, something.

    The places that are claimed are no more than the units of the others that no unit of the person overlaps, or than
    the units of the person that nobody else's overlaps; and the places shown are such places.
    """
    units = units_of(corpus)
    person, marks_alone = _who(finding, corpus)
    if person is None:
        return []
    problems = []
    extents = dict(zip(corpus.documents, corpus.extents.tolist(), strict=True))
    scope = [
        unit for unit in units if (unit.annotator == person) == marks_alone and _is_in_scope(finding, unit, extents)
    ]
    lone = [unit for unit in scope if not _meets(unit, person, units, marks_alone=marks_alone)]
    claimed = _claimed(finding)
    if claimed > len(lone):
        problems.append(f"{finding.title}: {claimed} claimed, {len(lone)} of {len(scope)} counted")
    if finding.kind == "label-use" and "has no unit of" in finding.title:
        n_used = sum(unit.annotator == person and unit.label == finding.labels[0] for unit in units)
        if n_used:
            problems.append(f"{finding.title}: {n_used}")
    if finding.kind == "silence" and "marks nothing" in finding.title:
        own = [unit for unit in units if unit.annotator == person and _is_in_scope(finding, unit, extents)]
        if own:
            problems.append(f"{finding.title}: {len(own)}")
    return problems


def _who(finding: Finding, corpus: ga.Corpus) -> tuple[str | None, bool]:
    """Return the person a claim is about, None if it is none of this kind, and whether the person alone marks."""
    match = _MARKS_WHERE.search(finding.title)
    if match is not None:
        return match[2], False
    is_claim = re.search(r"leaves out|alone marks|nobody else|marks (nothing|little)|has no unit of", finding.title)
    if is_claim is None or finding.kind == "bounds" or finding.annotator not in corpus.annotators:
        return None, False
    return finding.annotator, finding.direction == "marks alone"


def _claimed(finding: Finding) -> int:
    match = _COUNTS.match(finding.counts) or _RATE.search(finding.title)
    return int(match[1].replace(",", "")) if match is not None else 0


def _is_in_scope(finding: Finding, unit: Unit, extents: dict[str, tuple[float, float]]) -> bool:
    low, high = finding.stretch or extents[unit.document]
    share = re.search(r"in the (first|last) (\d+) % of each document", finding.title)
    if share is not None:
        # Percentages are rounded.
        part = (float(share[2]) - 0.5) / 100 * (high - low)
        low, high = (low, low + part) if share[1] == "first" else (high - part, high)
    length = re.search(r"units of (?:length )?([\d.,]+).* or (less|more)", finding.title)
    is_length = length is None or (
        round(unit.end - unit.start, 6) <= _number(length[1])
        if length[2] == "less"
        else round(unit.end - unit.start, 6) >= _number(length[1])
    )
    return (
        is_length
        and (not finding.documents or unit.document in finding.documents)
        and low <= unit.start < high
        and (not finding.words or unit.text in finding.words)
        and (not finding.labels or unit.label in finding.labels)
    )


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def _meets(unit: Unit, person: str, units: list[Unit], *, marks_alone: bool) -> bool:
    """Return whether a unit of the person, or of somebody else, overlaps a unit of the other side."""
    return any(
        (other.annotator == person) != marks_alone
        and other.document == unit.document
        and other.start < unit.end
        and unit.start < other.end
        for other in units
    )
