"""Plants sized by the share of disorder that they cause, and whether the first finding names them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from made_corpora import Draft
from plants import Plant, Planted

from gamma_align.insight.causes.findings import Finding, find_causes, group_steps
from gamma_align.insight.causes.pursuit import Step, pursue
from gamma_align.insight.causes.view import View
from gamma_align.insight.disagreements.unitary_alignments import unitary_alignments
from gamma_align.measures.gamma.gamma_settings import GammaSettings

SETTINGS = GammaSettings.of()


def view_of(draft: Draft) -> View:
    corpus = draft.corpus()
    return View(corpus, unitary_alignments(corpus, SETTINGS.dissimilarity, SETTINGS.limits))


def findings(view: View) -> list[list[Step]]:
    """Return the findings as they are printed: steps of one kind and person together, the largest share first."""
    steps, _ = pursue(view, SETTINGS.dissimilarity, SETTINGS.limits)
    return sorted(group_steps(steps), key=lambda group: -sum(step.removed for step in group))


def findings_in_words(view: View) -> tuple[Finding, ...]:
    """Return the findings with their sentences, as users read them."""
    return find_causes(view, 0.5, SETTINGS.dissimilarity, SETTINGS.limits)  # γ is in no claim


def shown(planted: Planted, final: Draft) -> Planted:
    """Return what of a plant can be seen in a corpus with other plants: documents without any pair of units show none.

    An annotator who is silent by another plant shows neither a swap nor a shift there, and labels that the others
    never use by another plant show no swap.
    """
    if planted.documents is None or {"silence", "duplicates"} & set(planted.kinds):
        return planted
    documents = []
    for document in planted.documents:
        is_here = final.document == document
        people = np.unique(final.annotator[is_here])
        is_shown = planted.annotator in people and len(people) > 1
        if is_shown and "swap" in planted.kinds:
            is_shown = _n_exchanged(final.take(np.flatnonzero(is_here)), planted) > 0
        if is_shown:
            documents.append(document)
    return replace(planted, documents=tuple(documents))


def _n_exchanged(draft: Draft, planted: Planted) -> int:
    """Return the number of units of the annotator in a document that overlap one with the other one of two labels."""
    own, others = (
        draft.take(np.flatnonzero(draft.of(planted.annotator))),
        draft.take(np.flatnonzero(~draft.of(planted.annotator))),
    )
    overlaps = (own.start[:, None] < others.end) & (others.start < own.end[:, None])
    is_exchange = (own.label[:, None] != others.label) & np.isin(own.label, planted.labels)[:, None]
    return int(np.count_nonzero((overlaps & is_exchange & np.isin(others.label, planted.labels)).any(axis=1)))


@dataclass(frozen=True)
class Sized:
    planted: Planted
    view: View
    share: float  # of the disorder with the plant that the plant has added


def sized(plant: Plant, draft: Draft, base: float, who: int, share: float, seed: int | tuple[int, ...]) -> Sized | None:
    """Return the plant whose share of the disorder is nearest to the one requested, by bisection of its size.

    None if the least size there is has twice the share, or the largest one half of it.
    """
    low, high, best = 0.0, 1.0, None
    for _ in range(6):
        size = (low + high) / 2 if best is not None else 1.0
        planted = plant.apply(draft, who, size, np.random.default_rng(seed))
        if planted is None or not planted.touched:
            low = size
            if best is None:
                return None
            continue
        view = view_of(planted.draft)
        reached = 1 - base / view.disorder if view.disorder > 0 else 0.0
        if best is None or abs(np.log(max(reached, 1e-4) / share)) < abs(np.log(max(best.share, 1e-4) / share)):
            best = Sized(planted, view, reached)
        if size == 1.0 and reached < share:
            break
        if 0.8 < reached / share < 1.25:
            break
        if reached > share:
            high = size
        else:
            low = size
    return best


def is_right(group: list[Step], planted: Planted) -> bool:
    """Return whether a finding has kind, annotator, scope and direction of a plant."""
    step = max(group, key=lambda step: step.removed)
    candidate, view = step.candidate, step.view
    if step.cause.name not in planted.kinds:
        return False
    names = planted.draft.annotators
    is_two = len(names) == 2
    codes = {planted.annotator} | ({0, 1} if is_two and planted.symmetric else set())
    people = {view.corpus.annotators.index(names[code]) for code in codes}
    if candidate.annotator not in people and not (candidate.annotator < 0 and is_two and planted.symmetric):
        return False
    if planted.documents is not None and len(candidate.documents):
        found = {code for one in group for code in one.candidate.documents.tolist()}
        true = set(planted.documents)
        if len(found & true) < 0.5 * len(found | true):
            return False
    if planted.labels:
        labels = {view.corpus.categories[code] for code in candidate.labels if code >= 0}
        if labels != set(planted.labels):
            return False
    if planted.words and not set(planted.words) & set(candidate.words):
        return False
    is_swapped_role = is_two and candidate.annotator != view.corpus.annotators.index(names[planted.annotator])
    return not planted.direction or planted.direction in candidate.direction or is_swapped_role
