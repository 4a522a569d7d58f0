"""Causes of disagreement that came, went and stayed between two corpora, and what annotators and labels cost of γ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from gamma_align.inference import Result
from gamma_align.insight.causes.filling import LEAVES_OUT
from gamma_align.insight.causes.findings import Finding
from gamma_align.insight.causes.kinds.never import NEVER
from gamma_align.insight.disagreements.disagreements import Disagreements
from gamma_align.insight.disagreements.shares import AnnotatorRow, CategoryRow

CAME, WENT, STAYED = CHANGES = ("came", "went", "stayed")
"""What may have become of a cause."""

# Who never uses a label leaves it out, so that one more or one fewer unit does not make another cause of it.
_SENSES = {NEVER: LEAVES_OUT}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CauseChange(Result):
    """What became of a cause of disagreement.

    Causes of two corpora are the same if kind, annotator, direction and labels are, and if they concern a document, a
    stretch or a word in common where they concern only some. Wording and size do not matter. Where the data of one
    corpus show whose cause it is and those of the other do not, it is the same cause, too.

    Attributes
    ----------
    change : str
        ``came`` (found in the second corpus only), ``went`` (in the first only) or ``stayed``.
    first, second : Finding or None
        The cause in each corpus, None where it is not found.
    first_share, second_share : float
        The share of the disorder of each corpus that it explains; 0 where it is not found.
    first_cost, second_cost : float
        How much higher γ would be without it; 0 where it is not found.

    Examples
    --------
    >>> corpus = ga.read("corpora/novels_ner")
    >>> pairs = [corpus.select(annotators=names) for names in (["user1", "user2"], ["user1", "user3"])]
    >>> [(row.change, row.kind, round(row.first_share, 2)) for row in ga.compare(*pairs, samples=3).causes[2:4]]
    [('went', 'words', 0.46), ('stayed', 'silence', 0.18)]
    """

    change: str
    first: Finding | None
    second: Finding | None
    first_share: float
    second_share: float
    first_cost: float
    second_cost: float

    @property
    def finding(self) -> Finding:
        """The cause in the second corpus, or in the first one if it went."""
        finding = self.first if self.second is None else self.second
        assert finding is not None  # noqa: S101  (for the type checker)
        return finding

    @property
    def title(self) -> str:
        """The claim of the cause, in the second corpus if it is found there."""
        return self.finding.title

    @property
    def kind(self) -> str:
        """The kind of the cause."""
        return self.finding.kind

    def _contents(self) -> dict[str, object]:
        fields = self._named("change", "kind", "title", "first_share", "second_share", "first_cost", "second_cost")
        return {**fields, **self._named("first", "second")}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CostChange(Result):
    """What disagreements of an annotator, or about a label, cost of γ in two corpora.

    The costs of all annotators sum to 1 − γ, and so do those of all labels: they are its parts, by the share of the
    disorder. They show where γ was lost, not whose fault it is; they have no interval.

    Attributes
    ----------
    name : str or None
        The annotator or the label; None for units without a label.
    first_units, second_units : int
        Number of units.
    first_cost, second_cost : float
        The cost in each corpus.
    change : float
        The second cost minus the first one: below 0 if less of γ is lost.

    Examples
    --------
    >>> ga.CostChange("ann", 12, 14, 0.2, 0.125, -0.075).change
    -0.075
    """

    name: str | None
    first_units: int
    second_units: int
    first_cost: float
    second_cost: float
    change: float


class _Match(NamedTuple):
    """Two causes, by their indices, that may be one, and how nearly they are."""

    rank: tuple[float, ...]
    first: int
    second: int


def cause_changes(befores: Sequence[Finding], afters: Sequence[Finding]) -> tuple[CauseChange, ...]:
    """Return what became of the causes of two corpora: those that came, those that went, those that stayed."""
    partner = _partners(befores, afters)
    rows = [_change(None, after) for index, after in enumerate(afters) if index not in partner.values()]
    rows += [_change(before, None) for index, before in enumerate(befores) if index not in partner]
    stayed = {after: before for before, after in partner.items()}
    rows += [_change(befores[stayed[index]], after) for index, after in enumerate(afters) if index in stayed]
    return tuple(rows)


def _change(before: Finding | None, after: Finding | None) -> CauseChange:
    change = STAYED
    if before is None or after is None:
        change = CAME if before is None else WENT
    shares = [0.0 if finding is None else finding.share for finding in (before, after)]
    costs = [0.0 if finding is None else finding.gamma_after - finding.gamma_before for finding in (before, after)]
    return CauseChange(change, before, after, *shares, *costs)


def _partners(befores: Sequence[Finding], afters: Sequence[Finding]) -> dict[int, int]:
    """Return the index of the cause in the second corpus that each cause of the first one is."""
    matches = []
    for first, before in enumerate(befores):
        for second, after in enumerate(afters):
            rank = _likeness(before, after)
            if rank is not None:
                matches.append(_Match(rank, first, second))
    partner: dict[int, int] = {}
    for match in sorted(matches, key=lambda match: (tuple(-part for part in match.rank), match.first, match.second)):
        if match.first not in partner and match.second not in partner.values():
            partner[match.first] = match.second
    return partner


def _likeness(before: Finding, after: Finding) -> tuple[float, ...] | None:
    """Return how nearly two causes are the same, the most important part first; None if they are two."""
    senses = [_SENSES.get(finding.direction, finding.direction) for finding in (before, after)]
    is_same = (before.kind, senses[0], before.labels) == (after.kind, senses[1], after.labels)
    people = {before.annotator, after.annotator}
    if not is_same or (len(people) > 1 and None not in people):
        return None
    words = _overlap(before.words, after.words)
    documents = _overlap(before.documents, after.documents)
    if words == 0 or documents == 0 or not _have_stretch_in_common(before, after):
        return None
    return float(len(people) == 1), words, documents


def _overlap(before: Sequence[str], after: Sequence[str]) -> float:
    """Return the share of names that two lists have in common; an empty list holds for all names."""
    if not before or not after:
        return 1.0 if not before and not after else 0.5
    union = {*before, *after}
    return len({*before} & {*after}) / len(union)


def _have_stretch_in_common(before: Finding, after: Finding) -> bool:
    if before.stretch is None or after.stretch is None:
        return True
    return max(before.stretch[0], after.stretch[0]) <= min(before.stretch[1], after.stretch[1])


def annotator_changes(first: Disagreements, second: Disagreements) -> tuple[CostChange, ...]:
    """Return what the disagreements of each annotator cost in two corpora, the largest change first."""
    rows = [{row.annotator: row for row in side.annotators} for side in (first, second)]
    return _cost_changes(rows[0], rows[1], [_lost(first), _lost(second)])


def label_changes(first: Disagreements, second: Disagreements) -> tuple[CostChange, ...]:
    """Return what disagreements about each label cost in two corpora, the largest change first."""
    rows = [{row.category: row for row in side.categories} for side in (first, second)]
    return _cost_changes(rows[0], rows[1], [_lost(first), _lost(second)])


def _lost(result: Disagreements) -> float:
    """Return how much γ is below 1."""
    return 1.0 - float(result.gamma.gamma)


_Name = TypeVar("_Name", str, str | None)


def _cost_changes(
    first: Mapping[_Name, AnnotatorRow] | Mapping[_Name, CategoryRow],
    second: Mapping[_Name, AnnotatorRow] | Mapping[_Name, CategoryRow],
    lost: Sequence[float],
) -> tuple[CostChange, ...]:
    changes = []
    for name in {**first, **second}:
        rows = [side.get(name) for side in (first, second)]
        units = [0 if row is None else row.units for row in rows]
        costs = [0.0 if row is None else row.disorder.share * amount for row, amount in zip(rows, lost, strict=True)]
        changes.append(CostChange(name, units[0], units[1], costs[0], costs[1], costs[1] - costs[0]))
    return tuple(sorted(changes, key=lambda row: (-abs(row.change), row.name or "")))
