"""Questions to settle: the patterns that repeat, in words, with γ as it would be without their disorder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data.problem import few
from gamma_align.inference.values import Result
from gamma_align.insight.disagreements.patterns import Pattern
from gamma_align.insight.disagreements.rules import Material, find_bounds, find_confused_labels, find_words
from gamma_align.insight.disagreements.silences import can_have_silence

_RULES = (find_words, find_confused_labels, find_bounds)  # besides silences, which `Material` keeps
_MAX_EXAMPLES = 3
_CONTEXT_WIDTH = 36  # characters of context on each side of an example
_MAX_NAMED = 8  # words or annotators in a sentence
_MIN_LABELS = 2  # that can be confused


class Example(NamedTuple):
    """A stretch of a document and the text around it; None if the text is not known."""

    document: str
    start: float
    end: float
    before: str | None
    text: str | None
    after: str | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ToSettle(Result):
    """A pattern of disagreement that repeats, the question it raises, and the γ that settling it would give.

    Attributes
    ----------
    rule : {"words", "silence", "labels", "bounds"}
        Words that one annotator treats differently; few units of one annotator in a part of a document; two
        categories that are often confused; words that one unit includes and the unit aligned with it does not.
    title, counts, question : str
        The pattern, its counts, and the question for the guidelines or the annotator.
    annotator, document : str or None
        The annotator and the document, if the pattern concerns a single one.
    categories : tuple of (str or None)
        The categories of the units; None is no category.
    words : tuple of str
        The words, sorted by disorder.
    examples : tuple of Example
        At most three, (document, start, end, before, text, after).
    direction : str
        "marks", "leaves out" or "covers otherwise", which is with other units; a silence "before" or "after" the
        `boundary`; the "start" or "end" that differs.
    boundary : float or None
        Position at which a silence begins or ends.
    alignments : ndarray of int64
        The unitary alignments, as numbered in `Disagreements`.
    disorder, share : float
        The disorder that settling the pattern removes, and its share of all disorder.
    counted : float
        The share without disorder of earlier patterns, so that each disagreement counts once.
    settled, settled_together : float
        γ if the pattern were settled, and if all earlier ones were settled, too. The expected disorder is held fixed.

    Examples
    --------
    >>> result = ga.disagreements("corpora/novels_ner", samples=3)
    >>> first = result.to_settle[0]
    >>> first.annotator, first.words[:3], round(first.share, 3)
    ('user2', ('his', 'her', 'my'), 0.394)
    """

    rule: str
    title: str
    counts: str
    question: str
    annotator: str | None
    document: str | None
    categories: tuple[str | None, ...]
    words: tuple[str, ...]
    examples: tuple[Example, ...]
    direction: str
    boundary: float | None
    alignments: IntArray
    disorder: float
    share: float
    counted: float
    settled: float
    settled_together: float


class Sought(NamedTuple):
    """A rule, the pattern it looks for, and the reason why it cannot be applied; None if it can."""

    rule: str
    pattern: str
    reason: str | None


def sought(material: Material, annotator: str | None = None) -> tuple[Sought, ...]:
    """Return the patterns that `to_settle` looks for in a corpus, or for an annotator."""
    corpus, thresholds = material.corpus, material.thresholds
    no_text = None if material.words.are_known else "no text is known"
    no_silence, no_labels = None, None
    if not can_have_silence(corpus, thresholds).any():
        no_silence = f"no document has {2 * thresholds.units} units of two annotators, and gaps between them"
    if len(np.unique(corpus.category)) < _MIN_LABELS:
        no_labels = "there is only one label"
    if annotator is not None:
        no_labels = "this is not about one annotator alone"
    return (
        Sought("words", "words that one annotator marks more often or less often than the others", no_text),
        Sought("silence", "a part of a document in which one annotator places few units", no_silence),
        Sought("labels", "two labels that are confused", no_labels),
        Sought("bounds", "words with which some units begin or end, and the units aligned with them do not", no_text),
    )


def to_settle(material: Material, gamma: float, annotator: str | None = None) -> tuple[ToSettle, ...]:
    """Return the patterns worth settling, sorted by disorder; `gamma` is the γ of the corpus.

    If an annotator is named, only patterns of this annotator are returned.
    """
    disorder, thresholds = material.alignments.disorder, material.thresholds
    total = float(disorder.sum())
    if total <= 0:
        return ()
    patterns = [*material.silences]
    for find_patterns in _RULES:
        patterns += find_patterns(material)
    if annotator is not None:
        code = material.corpus.annotators.index(annotator)
        patterns = [pattern for pattern in patterns if pattern.annotator == code]
    remaining = disorder.copy()
    result: list[ToSettle] = []
    for pattern in sorted(patterns, key=lambda pattern: -pattern.disorder):
        # Disorder that an earlier pattern removes does not count again.
        removed = np.minimum(remaining[pattern.alignments], pattern.amounts)
        if removed.sum() < thresholds.share * total or len(result) == thresholds.max_patterns:
            continue
        remaining[pattern.alignments] -= removed
        result.append(_described(material, pattern, removed, remaining, gamma))
    return tuple(result)


def _described(
    material: Material, pattern: Pattern, removed: FloatArray, remaining: FloatArray, gamma: float
) -> ToSettle:
    """Return a pattern in words; `removed` is the disorder it removes, `remaining` the disorder of all after that."""
    corpus = material.corpus
    total = float(material.alignments.disorder.sum())
    sentences = _DESCRIBE[pattern.rule](material, pattern)
    share = min(pattern.disorder / total, 1.0)
    return ToSettle(
        rule=pattern.rule,
        title=sentences.title,
        counts=sentences.counts,
        question=sentences.question,
        annotator=corpus.annotators[pattern.annotator] if pattern.annotator >= 0 else None,
        document=corpus.documents[pattern.document] if pattern.document >= 0 else None,
        categories=_labels(material, pattern),
        words=_words(material, pattern),
        examples=_examples(material, pattern.examples),
        direction=pattern.direction,
        boundary=pattern.counts.get("boundary"),
        alignments=pattern.alignments,
        disorder=pattern.disorder,
        share=share,
        counted=float(removed.sum()) / total,
        # 1 - γ is observed / expected disorder, and the expected disorder is held fixed.
        settled=1.0 - (1.0 - gamma) * max(1.0 - share, 0.0),
        settled_together=1.0 - (1.0 - gamma) * float(remaining.sum()) / total,
    )


def _examples(material: Material, alignments: IntArray) -> tuple[Example, ...]:
    """Return at most three of the unitary alignments, evenly spaced, with the text around them."""
    all_alignments, documents = material.alignments, material.corpus.documents
    # With fewer alignments than examples, the spaced indices repeat, and `unique` drops the repeats.
    rows = np.unique(np.linspace(0, len(alignments) - 1, _MAX_EXAMPLES).astype(np.int64))
    examples = []
    for index in alignments[rows].tolist():
        document = int(all_alignments.document[index])
        start, end = float(all_alignments.start[index]), float(all_alignments.end[index])
        texts = material.words.around(document, start, end, _CONTEXT_WIDTH) or (None, None, None)
        examples.append(Example(documents[document], start, end, *texts))
    return tuple(examples)


def _labels(material: Material, pattern: Pattern) -> tuple[str | None, ...]:
    categories = material.corpus.categories
    if pattern.rule not in ("words", "labels"):
        return ()
    return tuple(categories[code] if code >= 0 else None for code in dict.fromkeys(pattern.labels))


def _words(material: Material, pattern: Pattern) -> tuple[str, ...]:
    return pattern.words or tuple(material.words.vocabulary[text] for text in pattern.texts)


def _quoted(words: Sequence[str]) -> str:
    """Return words in quotation marks, at most eight."""
    return few((f"“{word}”" for word in words), _MAX_NAMED)


def _category(label: str | None) -> str:
    return "no category" if label is None else label


class _Sentences(NamedTuple):
    """A pattern in words."""

    title: str
    counts: str
    question: str


def _describe_words(material: Material, pattern: Pattern) -> _Sentences:
    names, counts = material.corpus.annotators, pattern.counts
    order = sorted(pattern.marked, key=lambda code: (-pattern.marked[code], names[code]))
    (label,) = _labels(material, pattern)
    marked = few((_marked(pattern, code, names[code]) for code in order), _MAX_NAMED)
    disputed = f"{counts['disputed']:,} of {counts['occurrences']:,} occurrences that anyone marked are disputed"
    verb = _VERBS[pattern.direction].format(_quoted(_words(material, pattern)))
    return _Sentences(
        f"{names[pattern.annotator]} {verb}",
        f"{disputed}: {marked}; most are {_category(label)}.",
        _QUESTIONS[pattern.direction],
    )


# By direction
_VERBS = {"marks": "marks {}", "leaves out": "leaves out {}", "covers otherwise": "covers {} with other units"}
_QUESTIONS = {  # by direction
    "marks": "Do the guidelines say whether these are marked?",
    "leaves out": "Do the guidelines say whether these are marked?",
    "covers otherwise": "Do the guidelines say where such a unit begins and ends?",
}


def _marked(pattern: Pattern, annotator: int, name: str) -> str:
    n_covers = pattern.covers.get(annotator, 0)
    covers = f" ({n_covers:,} more with other units)" if n_covers else ""
    return f"{name} marks {pattern.marked[annotator]:,}{covers}"


def _describe_silence(material: Material, pattern: Pattern) -> _Sentences:
    corpus, counts = material.corpus, pattern.counts
    name, document = corpus.annotators[pattern.annotator], corpus.documents[pattern.document]
    n_others = len(pattern.marked) - 1
    verb = "finish" if pattern.direction == "after" else "begin with"
    others_name, suffix = "the others", " each on average"
    if n_others == 1:
        (others_name,) = (corpus.annotators[code] for code in pattern.marked if code != pattern.annotator)
        suffix = ""
    inside = f"{counts['units']} units, {others_name} {counts['units of others'] / n_others:.0f}{suffix}"
    elsewhere = f"{counts['units elsewhere']}, {others_name} {counts['units of others elsewhere'] / n_others:.0f}"
    return _Sentences(
        f"{document}: {name} places few units {pattern.direction} {counts['boundary']:,.15g}",
        f"There {name} places {inside}; elsewhere in the document {elsewhere}.",
        f"Did {name} {verb} this document?",
    )


def _describe_labels(material: Material, pattern: Pattern) -> _Sentences:
    counts, words = pattern.counts, _words(material, pattern)
    first, second = map(_category, _labels(material, pattern))
    on_words = f", on {_quoted(words)}" if words else ""
    return _Sentences(
        f"{first} and {second} are confused{on_words}",
        f"{counts['pairs']:,} of the {counts['rarer']:,} aligned pairs with the rarer of the two have one of each.",
        "Do the guidelines say how these two differ?",
    )


def _describe_bounds(material: Material, pattern: Pattern) -> _Sentences:
    words, verb = _quoted(_words(material, pattern)), pattern.direction.replace("start", "begin")
    units, clause, opposite = "Some units", f"{verb} with", "do not"
    if pattern.annotator >= 0:
        units = f"Units of {material.corpus.annotators[pattern.annotator]}"
        if pattern.counts["leaves out"]:
            # "leaves out" would be untrue of an annotator who covers the words with another unit.
            clause, opposite = f"do not {verb} with", "do"
    return _Sentences(
        f"{units} {clause} {words}; the units aligned with them {opposite}",
        f"{pattern.counts['pairs']:,} aligned pairs differ in that alone, in {len(pattern.alignments):,} places.",
        "Do the guidelines say whether it belongs to the unit?",
    )


# By rule
_DESCRIBE: dict[str, Callable[[Material, Pattern], _Sentences]] = {
    "words": _describe_words,
    "silence": _describe_silence,
    "labels": _describe_labels,
    "bounds": _describe_bounds,
}
