"""The pursuit of causes: tier by tier, the candidate with the most evidence is repaired and its documents aligned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gamma_align.alignment import Limits
from gamma_align.columns import IntArray
from gamma_align.distances import Dissimilarity
from gamma_align.insight.causes.cause import NOBODY, Candidate, Cause, Sentence, Tier
from gamma_align.insight.causes.evidence import MIN_NET
from gamma_align.insight.causes.registry import CAUSES
from gamma_align.insight.causes.repair import repaired_documents
from gamma_align.insight.causes.view import View
from gamma_align.insight.disagreements.unitary_alignments import unitary_alignments

MIN_SHARE = 0.004  # of the disorder of all unitary alignments, which a repair has to remove
_MAX_FINDINGS = 40  # of a corpus: a pursuit that goes on and on explains nothing


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A cause that was found and repaired.

    Attributes
    ----------
    cause : Cause
    candidate : Candidate
    sentence : Sentence
    question : str
    removed : float
        Disorder that the repair removes, after all earlier repairs.
    units : ndarray of int64
        Units of the original corpus that show the cause.
    view : View
        The view of the original corpus.
    """

    cause: Cause
    candidate: Candidate
    sentence: Sentence
    question: str
    removed: float
    units: IntArray
    view: View

    @property
    def owner(self) -> int:
        """The annotator who is named, or `NOBODY`."""
        is_shown = self.candidate.is_named and (self.cause.names_one_of_two or not self.view.is_pair)
        return self.candidate.annotator if is_shown else NOBODY


def pursue(
    view: View,
    dissimilarity: Dissimilarity,
    limits: Limits,
    causes: Sequence[Cause] = CAUSES,
) -> tuple[list[Step], View]:
    """Return the causes found, in the order in which they were repaired, and the view after all repairs."""
    steps: list[Step] = []
    total = view.disorder
    if total <= 0:
        return steps, view
    for tier in Tier:
        if tier <= Tier.MARKING:
            view.base = view  # later repairs fill gaps and change labels: no data that anybody has annotated
        tier_causes = [cause for cause in causes if cause.tier == tier]
        rejected: set[tuple[object, ...]] = set()
        while len(steps) < _MAX_FINDINGS:
            step, next_view = _next_step(view, dissimilarity, limits, tier_causes, rejected, MIN_SHARE * total)
            if step is None:
                break
            view.forget()  # the findings keep the first view
            view = next_view
            steps.append(step)
    return steps, view


def _next_step(
    view: View,
    dissimilarity: Dissimilarity,
    limits: Limits,
    causes: Sequence[Cause],
    rejected: set[tuple[object, ...]],
    min_removed: float,
) -> tuple[Step | None, View]:
    """Return the candidate with the most evidence that removes enough disorder, and the view after its repair."""
    proposals: list[tuple[Cause, Candidate]] = []
    for cause in causes:
        candidates = [candidate for candidate in cause.propose(view) if candidate.net >= MIN_NET]
        proposals += [(cause, candidate) for candidate in candidates if candidate.key not in rejected]
    for cause, candidate in order_proposals(proposals):
        if candidate.is_unclear(view):
            continue
        # No repair removes more than all disorder of the documents concerned.
        if len(candidate.documents) and view.disorder_of(candidate.documents) < min_removed:
            rejected.add(candidate.key)
            continue
        repair = candidate.repair(view)
        documents = repair.documents(view.corpus)
        if view.disorder_of(documents) < min_removed:
            rejected.add(candidate.key)
            continue
        # Most repairs are rejected, so only the documents that they touch are changed at first.
        part = repaired_documents(view.corpus, view.origin, repair, documents)
        aligned = unitary_alignments(part.corpus, dissimilarity, limits)
        removed = view.disorder_of(documents) - float(aligned.disorder.sum())
        if removed < min_removed:
            rejected.add(candidate.key)
            continue
        units = candidate.examples(view, repair)
        step = Step(cause, candidate, candidate.sentence(view), candidate.question(view), removed, units, view.first)
        return step, view.after_repair(repair, documents, aligned)
    return None, view


def order_proposals(proposals: list[tuple[Cause, Candidate]]) -> list[tuple[Cause, Candidate]]:
    """Return proposals by falling evidence; a narrower scope comes just before the wider one that it explains."""

    def order(proposal: tuple[Cause, Candidate]) -> tuple[float, int]:
        candidate = proposal[1]
        # Candidates of most kinds refine no other one; with hundreds of them, all pairs would take long.
        can_refine = type(candidate).refines is not Candidate.refines
        wider_nets = [wider.net for _, wider in proposals if candidate.refines(wider)] if can_refine else []
        return -max([candidate.net, *wider_nets]), 0 if wider_nets else 1

    return sorted(proposals, key=order)
