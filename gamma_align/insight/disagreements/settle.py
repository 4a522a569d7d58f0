"""What to settle: the patterns that repeat, in words, with what γ would be without their disorder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data.problem import few
from gamma_align.inference.values import Result
from gamma_align.insight.disagreements.rules import (
    Material,
    Pattern,
    bounds,
    can_have_silence,
    pairs_of_labels,
    words_of_one,
)

_RULES = (words_of_one, pairs_of_labels, bounds)
_EXAMPLES = 3
_WIDTH = 36
"""Characters of context on each side of an example."""
_SHOWN = 8


class Example(NamedTuple):
    """A stretch of a document with the text around it, None where that is not known."""

    document: str
    start: float
    end: float
    before: str | None
    text: str | None
    after: str | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ToSettle(Result):
    """A pattern of disagreement that repeats, a question it raises, and what settling it is worth.

    Attributes
    ----------
    rule : {"words", "silence", "labels", "bounds"}
        Words that one annotator treats differently; an annotator who places few units in a part of a document; two
        categories that are often confused; words that one unit includes and the one aligned with it does not.
    title, counts, question : str
        Who does what; how often; and what to ask the guidelines, or the annotator.
    annotator, document : str or None
        Whom and which it is about, where it is one.
    categories : tuple of (str or None)
        Those of the units; None is no category.
    words : tuple of str
        Those it is about, of most disorder first.
    examples : tuple of Example
        At most three, (document, start, end, before, text, after).
    direction : str
        "marks", "leaves out" or "covers otherwise", which is with other units; a silence "before" or "after" the
        `boundary`; the "start" or "end" that differs.
    boundary : float or None
        Where a silence begins or ends.
    alignments : ndarray of int64
        The unitary alignments, as numbered in `Disagreements`.
    disorder, share : float
        The disorder that settling it removes, and its share of all.
    counted : float
        The share that no pattern before has: each disagreement counts once.
    settled, settled_together : float
        γ if it were settled; and if all before it were, too. The disorder expected by chance is held fixed.

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
    """A rule that looks for patterns: what it looks for, and why it could not (None: it could)."""

    rule: str
    pattern: str
    reason: str | None


def sought(material: Material, annotator: str | None = None) -> tuple[Sought, ...]:
    """Return the patterns that `to_settle` looks for in a corpus, those of one annotator if one is named."""
    corpus, thresholds = material.corpus, material.thresholds
    no_text = None if material.words.are_known else "no text is known"
    no_silence, no_labels = None, None
    if not can_have_silence(corpus, thresholds).any():
        no_silence = f"no document has {2 * thresholds.units} units of two annotators, and gaps between them"
    if len(np.unique(corpus.category)) < 2:  # noqa: PLR2004
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
    """Return the patterns worth settling, that of most disorder first; `gamma` is that of the corpus.

    If an annotator is named, only patterns of this annotator are returned.
    """
    disorder, thresholds = material.alignments.disorder, material.thresholds
    total = float(disorder.sum())
    if total <= 0:
        return ()
    patterns = [*material.silences, *(pattern for rule in _RULES for pattern in rule(material))]
    if annotator is not None:
        code = material.corpus.annotators.index(annotator)
        patterns = [pattern for pattern in patterns if pattern.annotator == code]
    left = disorder.copy()
    result: list[ToSettle] = []
    for pattern in sorted(patterns, key=lambda pattern: -pattern.disorder):
        taken = np.minimum(left[pattern.alignments], pattern.amounts)
        if taken.sum() < thresholds.share * total or len(result) == thresholds.findings:
            continue
        left[pattern.alignments] -= taken
        result.append(_described(material, pattern, taken, left, gamma))
    return tuple(result)


def _described(material: Material, pattern: Pattern, taken: FloatArray, left: FloatArray, gamma: float) -> ToSettle:
    corpus = material.corpus
    total = float(material.alignments.disorder.sum())
    title, counts, question = _WORDED[pattern.rule](material, pattern)
    share = min(pattern.disorder / total, 1.0)
    return ToSettle(
        rule=pattern.rule,
        title=title,
        counts=counts,
        question=question,
        annotator=corpus.annotators[pattern.annotator] if pattern.annotator >= 0 else None,
        document=corpus.documents[pattern.document] if pattern.document >= 0 else None,
        categories=_labels(material, pattern),
        words=_words(material, pattern),
        examples=examples(material, pattern.examples),
        direction=pattern.direction,
        boundary=pattern.counts.get("boundary"),
        alignments=pattern.alignments,
        disorder=pattern.disorder,
        share=share,
        counted=float(taken.sum()) / total,
        settled=1.0 - (1.0 - gamma) * max(1.0 - share, 0.0),
        settled_together=1.0 - (1.0 - gamma) * float(left.sum()) / total,
    )


def examples(material: Material, chosen: IntArray) -> tuple[Example, ...]:
    """Return the first of the alignments, spread over what there is, with the text around them."""
    alignments, documents = material.alignments, material.corpus.documents
    shown = []
    for index in chosen[np.unique(np.linspace(0, len(chosen) - 1, _EXAMPLES).astype(np.int64))].tolist():
        document, start, end = int(alignments.document[index]), alignments.start[index], alignments.end[index]
        around = material.words.around(document, start, end, _WIDTH) or (None, None, None)
        shown.append(Example(documents[document], float(start), float(end), *around))
    return tuple(shown)


def _labels(material: Material, pattern: Pattern) -> tuple[str | None, ...]:
    categories = material.corpus.categories
    if pattern.rule not in ("words", "labels"):
        return ()
    return tuple(categories[code] if code >= 0 else None for code in dict.fromkeys(pattern.labels))


def _words(material: Material, pattern: Pattern) -> tuple[str, ...]:
    return pattern.words or tuple(material.words.vocabulary[text] for text in pattern.texts)


def quoted(words: Sequence[str]) -> str:
    """Return words in quotes, the first of many."""
    return few((f"“{word}”" for word in words), _SHOWN)


def _category(label: str | None) -> str:
    return "no category" if label is None else label


def _number(value: float) -> str:
    return f"{value:,.15g}"


def _of_words(material: Material, pattern: Pattern) -> tuple[str, str, str]:
    names, counts = material.corpus.annotators, pattern.counts
    who, words = names[pattern.annotator], _words(material, pattern)
    order = sorted(pattern.marked, key=lambda code: (-pattern.marked[code], names[code]))
    (label,) = _labels(material, pattern)
    marked = few((_marking(pattern, code, names[code]) for code in order), _SHOWN)
    disputed = f"{counts['disputed']:,} of {counts['of']:,} occurrences that anyone marked are disputed"
    return (
        f"{who} {_VERBS[pattern.direction].format(quoted(words))}",
        f"{disputed}: {marked}; most are {_category(label)}.",
        _QUESTIONS[pattern.direction],
    )


_VERBS = {"marks": "marks {}", "leaves out": "leaves out {}", "covers otherwise": "covers {} with other units"}
_QUESTIONS = {
    **dict.fromkeys(("marks", "leaves out"), "Do the guidelines say whether these are marked?"),
    "covers otherwise": "Do the guidelines say where such a unit begins and ends?",
}


def _marking(pattern: Pattern, annotator: int, name: str) -> str:
    covered = pattern.covers.get(annotator, 0)
    more = f" ({covered:,} more with other units)" if covered else ""
    return f"{name} marks {pattern.marked[annotator]:,}{more}"


def _of_silence(material: Material, pattern: Pattern) -> tuple[str, str, str]:
    corpus, counts = material.corpus, pattern.counts
    who, document = corpus.annotators[pattern.annotator], corpus.documents[pattern.document]
    others = len(pattern.marked) - 1
    verb = "finish" if pattern.direction == "after" else "begin with"
    there, elsewhere = counts["others"] / others, counts["others elsewhere"] / others
    rivals, each = "the others", " each on average"
    if others == 1:
        (rivals,) = (corpus.annotators[code] for code in pattern.marked if code != pattern.annotator)
        each = ""
    of_document = f"elsewhere in the document {counts['own elsewhere']}, {rivals} {elsewhere:.0f}"
    return (
        f"{document}: {who} places few units {pattern.direction} {_number(counts['boundary'])}",
        f"There {who} places {counts['own']} units, {rivals} {there:.0f}{each}; {of_document}.",
        f"Did {who} {verb} this document?",
    )


def _of_labels(material: Material, pattern: Pattern) -> tuple[str, str, str]:
    counts, words = pattern.counts, _words(material, pattern)
    first, second = map(_category, _labels(material, pattern))
    where = f", on {quoted(words)}" if words else ""
    return (
        f"{first} and {second} are confused{where}",
        f"{counts['pairs']:,} of the {counts['of']:,} aligned pairs with the rarer of the two have one of each.",
        "Do the guidelines say how these two differ?",
    )


def _of_bounds(material: Material, pattern: Pattern) -> tuple[str, str, str]:
    # "leaves out" would be untrue of an annotator who covers the words with another unit
    words, verb = quoted(_words(material, pattern)), pattern.direction.replace("start", "begin")
    units, own, others = "Some units", f"{verb} with", "do not"
    if pattern.annotator >= 0:
        units = f"Units of {material.corpus.annotators[pattern.annotator]}"
        if pattern.counts["leaves out"]:
            own, others = f"do not {verb} with", "do"
    return (
        f"{units} {own} {words}; the units aligned with them {others}",
        f"{pattern.counts['pairs']:,} aligned pairs differ in that alone, in {len(pattern.alignments):,} places.",
        "Do the guidelines say whether it belongs to the unit?",
    )


_WORDED = {"words": _of_words, "silence": _of_silence, "labels": _of_labels, "bounds": _of_bounds}
