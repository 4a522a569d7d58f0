"""Findings: the causes of a corpus in words, with their examples and the γ that settling them would give."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gamma_align.alignment import Limits
from gamma_align.columns import FloatArray, IntArray
from gamma_align.data import Corpus
from gamma_align.distances import Dissimilarity
from gamma_align.errors import Cure, SettingsError
from gamma_align.inference import Result
from gamma_align.insight.causes.cause import NOBODY, Cause
from gamma_align.insight.causes.evidence import tail_probability
from gamma_align.insight.causes.pursuit import Step, pursue
from gamma_align.insight.causes.registry import CAUSES
from gamma_align.insight.causes.view import View

_MAX_EXAMPLES = 3
_CONTEXT_WIDTH = 36  # characters of context on each side of an example


class Example(NamedTuple):
    """A stretch of a document and the text around it; None if the text is not known."""

    document: str
    start: float
    end: float
    before: str | None
    text: str | None
    after: str | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Finding(Result):
    """A cause of disagreement, the question that it raises, and the γ that settling it would give.

    Attributes
    ----------
    kind : str
        The kind of cause, such as "words" or "offset"; `Disagreements.sought` lists all.
    annotator : str or None
        The annotator whose units differ; None if the evidence does not show whose. Of two annotators, it shows only
        what the units of one of them, or the text, prove: the title then says what either of them does.
    documents : tuple of str
        The documents concerned; empty if it holds everywhere.
    stretch : (float, float) or None
        The part of the document concerned.
    labels : tuple of (str or None)
        The labels, (from, to) if there are two: the others say the first, the annotator the second.
    words : tuple of str
        The words, the most frequent first.
    direction : str
        How the annotator differs, such as "leaves out", or at which side.
    share : float
        The share of all disorder that the repair removes, measured by aligning the documents it touches again. Each
        cause is repaired after the ones found before it, so shares add up.
    gamma_before, gamma_after : float
        γ after all causes listed before are settled, and after this one is settled, too. The expected disorder is held
        fixed.
    p : float
        Upper limit of the probability of so much evidence for any cause of this kind by chance.
    title, counts, question : str
        The claim, the numbers that prove it, and the question for the guidelines or the annotator.
    repair : str
        What the repair does.
    is_clerical : bool
        Whether `Disagreements.fix` can write the repaired corpus.
    alignments : ndarray of int64
        The unitary alignments that show it, as numbered in `Disagreements`.
    examples : tuple of Example
        At most three, (document, start, end, before, text, after).

    Examples
    --------
    >>> result = ga.disagreements("corpora/novels_ner", samples=3)
    >>> first = result.to_settle[0]
    >>> first.kind, first.annotator, first.words[:3], round(first.share, 2)
    ('words', 'user2', ('his', 'my', 'her'), 0.33)
    """

    kind: str
    annotator: str | None
    documents: tuple[str, ...]
    stretch: tuple[float, float] | None
    labels: tuple[str | None, ...]
    words: tuple[str, ...]
    direction: str
    share: float
    gamma_before: float
    gamma_after: float
    p: float
    title: str
    counts: str
    question: str
    repair: str
    is_clerical: bool
    alignments: IntArray
    examples: tuple[Example, ...]


class Sought(NamedTuple):
    """A kind of cause, the pattern it looks for, and the reason why it cannot be looked for; None if it can."""

    kind: str
    pattern: str
    reason: str | None


def find_causes(
    view: View, gamma: float, dissimilarity: Dissimilarity, limits: Limits, annotator: str | None = None
) -> tuple[Finding, ...]:
    """Return the causes of disagreement of a corpus, or of an annotator, the largest share first."""
    steps = pursue(view, dissimilarity, limits)[0]  # the last view, which is large, is not kept
    if annotator is not None:
        code = view.corpus.annotators.index(annotator)
        # What is between two annotators is about either of them.
        steps = [step for step in steps if step.owner == code or (step.owner == NOBODY and view.is_pair)]
    total = view.disorder
    groups = sorted(group_steps(steps), key=lambda group: -sum(step.removed for step in group))
    findings = []
    removed = 0.0
    for group in groups:
        before = removed
        removed += sum(step.removed for step in group)
        gammas = tuple(1.0 - (1.0 - gamma) * (1.0 - amount / total) for amount in (before, removed))
        findings.append(_make_finding(view, group, gammas, (removed - before) / total))
    return tuple(findings)


def list_sought_kinds(view: View) -> tuple[Sought, ...]:
    """Return the kinds of causes that are looked for, and why some of them cannot be looked for."""
    entries: dict[str, Sought] = {}
    for cause in CAUSES:
        pattern = cause.pattern
        reason = cause.obstacle(view)
        if cause.name in entries:  # another way to detect the same kind
            _, first_pattern, first_reason = entries[cause.name]
            pattern = f"{first_pattern}; {pattern}"
            reason = reason if first_reason is not None else None
        entries[cause.name] = Sought(cause.name, pattern, reason)
    return tuple(entries.values())


def clerical_causes() -> dict[str, list[Cause]]:
    """Return the causes whose repair may be written, by name."""
    causes: dict[str, list[Cause]] = {}
    for cause in CAUSES:
        if cause.is_clerical:
            causes.setdefault(cause.name, []).append(cause)
    return causes


def repair_clerical_causes(
    view: View, names: Iterable[str], dissimilarity: Dissimilarity, limits: Limits
) -> tuple[Corpus, tuple[str, ...]]:
    """Return the corpus after the repairs of some clerical causes, and what was repaired, in words.

    Raises
    ------
    SettingsError
        For a name of no clerical cause.
    """
    causes_by_name = clerical_causes()
    requested = set(names)
    unknown = sorted(requested - set(causes_by_name))
    if unknown:
        raise SettingsError(
            f"there is no clerical cause {unknown[0]!r}", Cure(f"choose from {', '.join(causes_by_name)}")
        )
    causes = [cause for name, group in causes_by_name.items() if name in requested for cause in group]
    steps, last = pursue(view, dissimilarity, limits, causes)
    changes = tuple(f"{step.cause.name}: {step.sentence.title}; repair: {step.cause.change}" for step in steps)
    return _rebuilt_corpus(view.corpus, last.corpus, changes), changes


def _rebuilt_corpus(original: Corpus, corpus: Corpus, changes: tuple[str, ...]) -> Corpus:
    """Return a repaired corpus as if it had been read: only labels in use, extents that contain all units."""
    from dataclasses import replace

    if not changes:
        return corpus
    tables = corpus.to_tables()
    extents = _extents_after_repair(original, corpus)
    built = Corpus.from_columns(
        tables.units,
        annotations=tables.annotations,
        documents={**tables.documents, "start": extents[:, 0], "end": extents[:, 1]},
        outside="extend",
    )
    return replace(
        built, texts=corpus.texts, length_unit=corpus.length_unit, notes=(*corpus.notes, *built.notes, *changes)
    )


def _extents_after_repair(original: Corpus, corpus: Corpus) -> FloatArray:
    """Return the extents after a repair: bounds of units that were those of the document follow the units.

    Else a document would keep the length that units had in another unit of length, and chance would be too small.
    """
    result = corpus.extents.copy()
    units = np.flatnonzero(original.units_per_document)
    for side, bounds, limits in (
        (0, (original.start, corpus.start), np.minimum),
        (1, (original.end, corpus.end), np.maximum),
    ):
        before, after = (
            limits.reduceat(bound, one.unit_offsets[units])
            for bound, one in zip(bounds, (original, corpus), strict=True)
        )
        follows = before == result[units, side]
        result[units[follows], side] = after[follows]
    lengths = np.array([len(text or "") for text in corpus.texts or ()] or np.zeros(len(corpus)))
    result[:, 1] = np.maximum(result[:, 1], np.minimum(lengths, corpus.extents[:, 1]))
    return result


def group_steps(steps: Sequence[Step]) -> list[list[Step]]:
    """Group the steps by kind, annotator, direction and labels.

    A step on a part of a document, or of nobody in particular, is a group of its own.
    """
    groups: dict[tuple[object, ...], list[Step]] = {}
    for step in steps:
        candidate = step.candidate
        is_apart = candidate.annotator < 0 or candidate.stretch is not None
        number = len(groups) if is_apart else -1
        key = (step.cause.name, candidate.annotator, candidate.direction, candidate.labels, number)
        groups.setdefault(key, []).append(step)
    return list(groups.values())


def _make_finding(view: View, group: Sequence[Step], gammas: Sequence[float], share: float) -> Finding:
    """Return a group of steps as one finding; the one that removes most speaks for it."""
    corpus = view.corpus
    main = max(group, key=lambda step: step.removed)
    candidate = main.candidate
    cause = main.cause
    further_steps = [step for step in group if step is not main]
    labels = (*corpus.categories, None)  # code -1 is the last one
    units = np.unique(np.concatenate([step.units for step in group]))
    alignments = np.unique(view.alignments.group[units])
    alignments = alignments[alignments >= 0]
    is_everywhere = any(not len(step.candidate.documents) for step in group)
    documents = sorted({index for step in group for index in step.candidate.documents.tolist()})
    counts = " ".join([main.sentence.counts, *(f"Also: {step.sentence.title}." for step in further_steps)])
    return Finding(
        kind=cause.name,
        annotator=corpus.annotators[main.owner] if main.owner != NOBODY else None,
        documents=() if is_everywhere else tuple(corpus.documents[index] for index in documents),
        stretch=_clip_stretch(view, candidate.stretch, documents),
        labels=tuple(labels[code] for code in candidate.labels),
        words=tuple(dict.fromkeys(word for step in group for word in step.candidate.words)),
        direction=candidate.direction,
        share=share,
        gamma_before=gammas[0],
        gamma_after=gammas[1],
        p=tail_probability(max(step.candidate.net for step in group)),
        title=main.sentence.title,
        counts=counts,
        question=main.question,
        repair=cause.change,
        is_clerical=cause.is_clerical,
        alignments=alignments,
        examples=_choose_examples(view, alignments),
    )


def _clip_stretch(
    view: View, stretch: tuple[float, float] | None, documents: Sequence[int]
) -> tuple[float, float] | None:
    """Return a stretch that ends at the extent of its document if it is open."""
    if stretch is None:
        return None
    low, high = view.corpus.extents[documents[0]].tolist()
    return max(stretch[0], low), min(stretch[1], high)


def _choose_examples(view: View, alignments: IntArray) -> tuple[Example, ...]:
    """Return at most three of the unitary alignments, evenly spaced, with the text around them."""
    table = view.alignments
    documents = view.corpus.documents
    if not len(alignments):
        return ()
    # With fewer alignments than examples, the spaced indices repeat, and `unique` drops the repeats.
    rows = np.unique(np.linspace(0, len(alignments) - 1, _MAX_EXAMPLES).astype(np.int64))
    examples = []
    for index in alignments[rows].tolist():
        document = int(table.document[index])
        start = float(table.start[index])
        end = float(table.end[index])
        texts = view.words.around(document, start, end, _CONTEXT_WIDTH) or (None, None, None)
        examples.append(Example(documents[document], start, end, *texts))
    return tuple(examples)
