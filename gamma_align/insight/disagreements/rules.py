"""The rules of what to settle: patterns of disagreement that repeat, with their thresholds in one place.

Each rule yields patterns: unitary alignments, with the part of their disorder that settling the pattern would remove.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gamma_align.alignment.solve import aligned_pairs
from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data.corpus import Corpus
from gamma_align.distances.base import Distance
from gamma_align.insight.disagreements.absences import Absences, absences
from gamma_align.insight.disagreements.kinds import seen_by
from gamma_align.insight.disagreements.unitary_alignments import UnitaryAlignments
from gamma_align.insight.disagreements.words import Words
from gamma_align.kernels.position import sporadic


class Thresholds(NamedTuple):
    """From where on a pattern is told.

    `share` of all disorder and `findings`, how many at most, are for all rules. Words that one annotator treats
    differently: `occurrences` of a text, `disputed` share of them, `rate` by which the annotator's share of marking
    differs from the mean of the others'. Silence: `units` on each side of the cut, and the own share of what others and
    the other side let expect, `silence`; not where units cover more than `covered` of the extent. Both: `likelihood`,
    2·ln of the ratio of likelihoods; texts of the same annotator, direction and label join one that has it from
    `further` on. Pairs of labels: their share of the aligned pairs of either label, `confused`. Bounds:
    `occurrences` of the words that one includes; they are put down to an annotator in so much of them, `whose`.
    """

    share: float = 0.01
    findings: int = 5
    occurrences: int = 5
    disputed: float = 0.5
    rate: float = 0.35
    likelihood: float = 20.0
    further: float = 6.0
    units: int = 20
    silence: float = 0.5
    covered: float = 0.9
    confused: float = 0.05
    whose: float = 0.8


THRESHOLDS = Thresholds()
_Counts = FloatArray | IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """Unitary alignments that a rule puts together, and how much of the disorder of each settling it removes.

    `rule` is "words", "silence", "labels" or "bounds". `examples` are those to show, best first. What else is known is
    in the other fields: codes of annotator, document and two labels, -1 for none; `texts`, indices in the vocabulary,
    or `words`; all alignments in the `stretch` of a silence; counts by name; how many units each annotator has; and how
    often each annotator `covers` the words with another unit.
    """

    rule: str
    alignments: IntArray
    amounts: FloatArray
    examples: IntArray
    annotator: int = -1
    document: int = -1
    labels: tuple[int, int] = (-1, -1)
    texts: tuple[int, ...] = ()
    words: tuple[str, ...] = ()
    direction: str = ""
    stretch: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    counts: dict[str, float] = field(default_factory=dict)
    marked: dict[int, int] = field(default_factory=dict)
    covers: dict[int, int] = field(default_factory=dict)

    @property
    def disorder(self) -> float:
        """The disorder that settling it removes."""
        return float(self.amounts.sum())


class Material:
    """What the rules look at: a corpus, its unitary alignments with their words, and how far categories are apart."""

    def __init__(
        self,
        corpus: Corpus,
        alignments: UnitaryAlignments,
        words: Words,
        distance: Distance,
        thresholds: Thresholds = THRESHOLDS,
    ) -> None:
        self.corpus, self.alignments, self.words, self.thresholds = corpus, alignments, words, thresholds
        self.apart = distance.bind(corpus.categories)

    @cached_property
    def absences(self) -> Absences:
        """The annotators without a unit in each unitary alignment."""
        return absences(self.corpus, self.alignments, self.words)

    @cached_property
    def silences(self) -> list[Pattern]:
        """Where annotators place few units."""
        return [*silence(self)]

    @cached_property
    def pairs(self) -> tuple[IntArray, IntArray]:
        """The aligned pairs of units of the corpus."""
        units = self.alignments.members
        first, second = aligned_pairs(self.alignments.group[units])
        return units[first], units[second]

    def part_of_pairs(self, column: int, chosen: BoolArray, distance: FloatArray) -> tuple[IntArray, FloatArray]:
        """Return the alignments of chosen pairs, and what of a part of their disorder is these pairs'.

        `distance` is of all pairs, in any unit: the part is divided among them.
        """
        group = self.alignments.group[self.pairs[0]]
        n = len(self.alignments)
        whole = np.bincount(group, weights=distance, minlength=n)
        own = np.bincount(group[chosen], weights=distance[chosen], minlength=n)
        with np.errstate(divide="ignore", invalid="ignore"):
            amounts = np.where(whole > 0, own / whole, 0.0) * self.alignments.parts[:, column]
        index = np.unique(group[chosen])
        return index, amounts[index]


def log_likelihood_ratio(hits: _Counts, of: _Counts, other_hits: _Counts, other_of: _Counts) -> FloatArray:
    """Return 2·ln of the likelihood of two binomials with a rate each, over that of one rate for both."""

    def log_likelihood(hits: _Counts, of: _Counts) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            rate = hits / of
            terms = np.where(hits > 0, hits * np.log(rate), 0.0)
            result: FloatArray = terms + np.where(hits < of, (of - hits) * np.log1p(-rate), 0.0)
        return result

    together = log_likelihood(hits + other_hits, of + other_of)
    ratio: FloatArray = 2.0 * (log_likelihood(hits, of) + log_likelihood(other_hits, other_of) - together)
    return ratio


def words_of_one(material: Material) -> Iterator[Pattern]:
    """Yield the words that one annotator treats differently: those of one annotator, direction and label together."""
    alignments, thresholds = material.alignments, material.thresholds
    code, n_words = material.words.of_alignment, len(material.words.vocabulary)
    known = np.flatnonzero(code >= 0)
    total = np.bincount(code[known], minlength=n_words)
    disputed = np.bincount(code[known[alignments.disputed[known]]], minlength=n_words)
    wanted = (total >= thresholds.occurrences) & (disputed >= thresholds.disputed * total)
    wanted &= np.array([any(map(str.isalnum, word)) for word in material.words.vocabulary], dtype=np.bool_)
    texts = np.flatnonzero(wanted)
    if not len(texts):
        return
    row = np.full(n_words, -1)
    row[texts] = np.arange(len(texts))
    occurrences = known[row[code[known]] >= 0]
    of_texts = (material, row, occurrences, len(texts))
    marks, saw, labels = marks_of_texts(*of_texts), _could_mark(*of_texts), _labels_of_texts(*of_texts)
    covers = _covers_of_texts(material, row, len(texts))
    outside = _outside_silences(material, row, marks, covers, saw)
    who, direction, ratio = _different(*outside, thresholds)
    disorder = np.bincount(row[code[occurrences]], weights=alignments.disorder[occurrences], minlength=len(texts))
    groups: dict[tuple[int, int, int], list[int]] = {}
    for text in np.flatnonzero((who >= 0) & (ratio >= thresholds.further)).tolist():
        groups.setdefault((int(who[text]), int(direction[text]), int(labels[text])), []).append(text)
    for (annotator, index, label), members in groups.items():
        members.sort(key=lambda text: -disorder[text])
        if ratio[members].max() < thresholds.likelihood:
            continue
        inside = np.isin(row[code[occurrences]], members)
        chosen = occurrences[inside & alignments.disputed[occurrences]]
        counts, covered = marks[members].sum(axis=0), covers[members].sum(axis=0)
        yield Pattern(
            rule="words",
            alignments=chosen,
            amounts=alignments.disorder[chosen],
            examples=chosen,
            annotator=annotator,
            labels=(label, label),
            texts=tuple(int(texts[text]) for text in members),
            direction=DIRECTIONS[index],
            counts={"disputed": len(chosen), "of": int(np.count_nonzero(inside))},
            marked={index: int(counts[index]) for index in np.flatnonzero(saw[members].sum(axis=0)).tolist()},
            covers={index: int(covered[index]) for index in np.flatnonzero(covered).tolist()},
        )


def marks_of_texts(material: Material, row: IntArray, occurrences: IntArray, n_texts: int) -> IntArray:
    """Return how many units each annotator has in the alignments with each text, shape (n_texts, n_annotators).

    `row` is the number of each text, -1 for none, and `occurrences` are the alignments with one.
    """
    corpus = material.corpus
    units, text = _units_of_texts(material, row, occurrences)
    people = len(corpus.annotators)
    marks = np.bincount(text * people + corpus.annotator[units], minlength=n_texts * people)
    return marks.reshape(n_texts, people)


def _units_of_texts(material: Material, row: IntArray, occurrences: IntArray) -> tuple[IntArray, IntArray]:
    alignments = material.alignments
    of_alignment = np.full(len(alignments), -1)
    of_alignment[occurrences] = row[material.words.of_alignment[occurrences]]
    units = alignments.members
    text = of_alignment[alignments.group[units]]
    return units[text >= 0], text[text >= 0]


def _could_mark(material: Material, row: IntArray, occurrences: IntArray, n_texts: int) -> IntArray:
    """Return how many of the occurrences of each text each annotator saw, shape (n_texts, n_annotators)."""
    corpus, people = material.corpus, len(material.corpus.annotators)
    entry, slot = seen_by(corpus, material.alignments, occurrences)
    text = row[material.words.of_alignment[occurrences[entry]]]
    return np.bincount(text * people + corpus.seen[slot], minlength=n_texts * people).reshape(n_texts, people)


def _labels_of_texts(material: Material, row: IntArray, occurrences: IntArray, n_texts: int) -> IntArray:
    """Return the category that most units of each text have."""
    units, text = _units_of_texts(material, row, occurrences)
    width = len(material.corpus.categories) + 1
    counts = np.bincount(text * width + material.corpus.category[units] + 1, minlength=n_texts * width)
    labels: IntArray = counts.reshape(n_texts, width).argmax(axis=1) - 1
    return labels


def _covers_of_texts(material: Material, row: IntArray, n_texts: int) -> IntArray:
    """Return in how many occurrences of each text each annotator has no unit aligned there, but another that overlaps.

    Shape (n_texts, n_annotators).
    """
    alignment, annotator, overlaps, _ = material.absences
    word = material.words.of_alignment[alignment]
    chosen = overlaps & (word >= 0)
    text, people = row[word[chosen]], len(material.corpus.annotators)
    key = (text * people + annotator[chosen])[text >= 0]
    return np.bincount(key, minlength=n_texts * people).reshape(n_texts, people)


def _outside_silences(
    material: Material, row: IntArray, marks: IntArray, covers: IntArray, saw: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Return the three counts without occurrences in silences of an annotator, which have a pattern of their own."""
    marks, covers, saw = marks.copy(), covers.copy(), saw.copy()
    alignment, annotator, overlaps, _ = material.absences
    for pattern in material.silences:
        known = pattern.stretch[material.words.of_alignment[pattern.stretch] >= 0]
        text = row[material.words.of_alignment[known]]
        has_unit = ~np.isin(known, pattern.alignments)
        is_covered = np.isin(known, alignment[overlaps & (annotator == pattern.annotator)])
        for counts, counted in ((saw, text >= 0), (marks, (text >= 0) & has_unit), (covers, (text >= 0) & is_covered)):
            counts[:, pattern.annotator] -= np.bincount(text[counted], minlength=len(counts))
    return marks, covers, saw


DIRECTIONS = ("marks", "leaves out", "covers otherwise")
"""How one annotator treats words differently: marks them, leaves them out, or covers them with other units."""


def _different(
    marks: IntArray, covers: IntArray, saw: IntArray, thresholds: Thresholds
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return, for each text, who differs most from the others (-1: nobody by enough), in which way, and how surely.

    The way is an index in `DIRECTIONS`. Somebody who marks words less often than the others leaves them out only if
    occurrences that another unit of theirs overlaps do not close the gap.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        rates = np.where(saw > 0, marks / saw, np.nan)
        n = np.count_nonzero(saw > 0, axis=1, keepdims=True)
        others = (np.nansum(rates, axis=1, keepdims=True) - rates) / (n - 1)
        apart = np.where((saw > 0) & (n > 1), rates - others, 0.0)
        with_covered = np.where((saw > 0) & (n > 1), (marks + covers) / saw - others, 0.0)
    who = np.argmax(np.abs(apart) - 1e-12 * (apart > 0), axis=1)  # of two annotators the one who leaves out
    index = np.arange(len(who))
    own, of = marks[index, who], saw[index, who]
    ratio = log_likelihood_ratio(own, of, marks.sum(axis=1) - own, saw.sum(axis=1) - of)
    contrast = apart[index, who]
    leaves_out = with_covered[index, who] <= -thresholds.rate
    direction = np.where(contrast > 0, 0, np.where(leaves_out, 1, 2))
    return np.where(np.abs(contrast) >= thresholds.rate, who, -1), direction, ratio


def silence(material: Material) -> Iterator[Pattern]:
    """Yield where an annotator places few units on one side of a cut, compared with the others and the other side."""
    for document in np.flatnonzero(can_have_silence(material.corpus, material.thresholds)).tolist():
        yield from _silences_of(material, document)


def can_have_silence(corpus: Corpus, thresholds: Thresholds) -> BoolArray:
    """Return the documents in which annotators may fall silent: with enough units, and gaps between them."""
    enough = (corpus.units_per_document >= 2 * thresholds.units) & (corpus.n_annotators >= 2)  # noqa: PLR2004
    result: BoolArray = enough & ~_tiled(corpus, thresholds)
    return result


def _tiled(corpus: Corpus, thresholds: Thresholds) -> BoolArray:
    """Return in which documents units cover so much of the extent that fewer units are longer ones."""
    length = corpus.extents[:, 1] - corpus.extents[:, 0]
    covered = np.bincount(corpus.unit_document, weights=corpus.end - corpus.start, minlength=len(corpus))
    result: BoolArray = covered > thresholds.covered * length * corpus.n_annotators
    return result


def _silences_of(material: Material, document: int) -> Iterator[Pattern]:
    corpus, alignments, thresholds = material.corpus, material.alignments, material.thresholds
    rows = np.arange(corpus.unit_offsets[document], corpus.unit_offsets[document + 1])
    long = rows[corpus.end[rows] > corpus.start[rows]]
    ends = corpus.annotator[long] + 1j * corpus.end[long]
    rows = rows[~np.isin(corpus.annotator[rows] + 1j * corpus.start[rows], ends)]  # the parts of a cut unit count once
    rows = rows[np.argsort(corpus.start[rows], kind="stable")]
    seen = corpus.seen[corpus.seen_offsets[document] : corpus.seen_offsets[document + 1]]
    own = np.cumsum(corpus.annotator[rows][:, None] == seen, axis=0).astype(np.float64)  # before and at each unit
    every = np.arange(1.0, len(rows) + 1)[:, None]
    left, right = own, own[-1] - own
    of_left, of_right = np.broadcast_to(every, own.shape), np.broadcast_to(len(rows) - every, own.shape)
    ratio = log_likelihood_ratio(left, of_left, right, of_right)
    fits = (every >= thresholds.units) & (len(rows) - every >= thresholds.units)
    fits[:-1] &= (np.diff(corpus.start[rows]) > 0)[:, None]  # no cut between units that start together
    ratio = np.where(fits, ratio, 0.0)
    cut = np.argmax(ratio, axis=0)
    for column in np.flatnonzero(ratio.max(axis=0) >= thresholds.likelihood).tolist():
        at = int(cut[column])
        counts = np.array([own[at], own[-1] - own[at]])  # (side, annotator)
        others = counts.sum(axis=1) - counts[:, column]
        side = int(np.argmin(counts[:, column] / np.maximum(others, 1)))
        few, expected = counts[side, column], counts[1 - side, column] / max(others[1 - side], 1) * others[side]
        if few >= thresholds.silence * min(others[side] / (len(seen) - 1), expected):
            continue
        boundary = corpus.start[rows[at + 1]]
        annotator = int(seen[column])
        has_unit = np.zeros(len(alignments), dtype=np.bool_)
        has_unit[alignments.group[(corpus.unit_document == document) & (corpus.annotator == annotator)]] = True
        beyond = alignments.start >= boundary if side else alignments.end <= boundary
        stretch = np.flatnonzero((alignments.document == document) & beyond)
        chosen = stretch[~has_unit[stretch]]
        low, high = corpus.extents[document]
        yield Pattern(
            rule="silence",
            alignments=chosen,
            amounts=alignments.disorder[chosen],
            examples=chosen,
            annotator=annotator,
            document=document,
            direction="after" if side else "before",
            stretch=stretch,
            counts={
                "boundary": float(boundary),
                "length": float(high - boundary if side else boundary - low),
                "likelihood": float(ratio[at, column]),
                "own": int(few),
                "others": int(others[side]),
                "own elsewhere": int(counts[1 - side, column]),
                "others elsewhere": int(others[1 - side]),
            },
            marked=dict(zip(seen.tolist(), counts[side].astype(int).tolist(), strict=True)),
        )


def confusions(corpus: Corpus, first: IntArray, second: IntArray) -> IntArray:
    """Return how many aligned pairs have each two categories, symmetric; the last row is that of none.

    Pairs of two units of one category count once, on the diagonal.
    """
    width = len(corpus.categories) + 1
    label, other = (
        np.where(corpus.category[units] < 0, width - 1, corpus.category[units]) for units in (first, second)
    )
    keys = np.minimum(label, other) * width + np.maximum(label, other)
    upper = np.bincount(keys, minlength=width * width).reshape(width, width)
    result: IntArray = upper + np.triu(upper, 1).T
    return result


def pairs_of_labels(material: Material) -> Iterator[Pattern]:
    """Yield the pairs of categories that aligned units often have, compared with either category's pairs."""
    corpus, thresholds = material.corpus, material.thresholds
    first, second = material.pairs
    table = confusions(corpus, first, second)
    totals = table.sum(axis=1)
    share = table / np.maximum(np.minimum.outer(totals, totals), 1)
    wanted = np.argwhere(np.triu((share >= thresholds.confused) & (table >= thresholds.occurrences), 1)).tolist()
    label, other = np.sort(np.stack([corpus.category[first], corpus.category[second]]), axis=0)
    label, other = np.where(label < 0, other, label), np.where(label < 0, len(corpus.categories), other)
    apart = material.apart(corpus.category[first], corpus.category[second])
    for low, high in wanted:
        pair = (label == low) & (other == high)
        chosen, amounts = material.part_of_pairs(2, pair, apart)
        yield Pattern(
            rule="labels",
            alignments=chosen[amounts > 0],
            amounts=amounts[amounts > 0],
            examples=chosen,
            labels=(low, high if high < len(corpus.categories) else -1),
            texts=_texts_of(material, chosen),
            counts={"pairs": int(table[low, high]), "of": int(min(totals[low], totals[high]))},
        )


_SHOWN = 8


def _texts_of(material: Material, chosen: IntArray) -> tuple[int, ...]:
    """Return the words of most of the alignments, the most frequent first."""
    code = material.words.of_alignment[chosen]
    texts, counts = np.unique(code[code >= 0], return_counts=True)
    return tuple(texts[np.lexsort((texts, -counts))][:_SHOWN].tolist())


def bounds(material: Material) -> Iterator[Pattern]:
    """Yield the words that one of two aligned units includes and the other does not, where these differ at one end.

    Words that the same annotator nearly always leaves out, or includes, at the same end are one pattern.
    """
    corpus, thresholds = material.corpus, material.thresholds
    if not material.words.are_known:
        return
    first, second = material.pairs
    people = np.stack([corpus.annotator[first], corpus.annotator[second]])
    start, end = (np.stack([column[first], column[second]]) for column in (corpus.start, corpus.end))
    distance = sporadic(corpus.start[first], corpus.end[first], corpus.start[second], corpus.end[second])
    for side, edges, others in (("end", end, start), ("start", -start, end)):
        pairs = np.flatnonzero((others[0] == others[1]) & (edges[0] != edges[1]))
        shorter = np.argmin(edges, axis=0)
        low, high = np.sort(np.abs(edges[:, pairs]), axis=0)
        text = material.words.texts_between(corpus.unit_document[first[pairs]], low, high)
        groups: dict[str, list[int]] = {}
        for pair, words in zip(pairs.tolist(), text, strict=True):
            if words and any(map(str.isalnum, words)):
                groups.setdefault(words, []).append(pair)
        who = (people[shorter, np.arange(len(first))], people[1 - shorter, np.arange(len(first))])
        joined: dict[tuple[int, int] | str, dict[str, list[int]]] = {}
        for words, members in groups.items():
            if len(np.unique(material.alignments.group[first[members]])) >= thresholds.occurrences:
                joined.setdefault(_whose(members, who, thresholds) or words, {})[words] = members
        for key, by_words in joined.items():
            alike = np.zeros(len(first), dtype=np.bool_)
            alike[[pair for members in by_words.values() for pair in members]] = True
            chosen, amounts = material.part_of_pairs(1, alike, distance)
            leaves_out, annotator = key if isinstance(key, tuple) else (0, -1)
            yield Pattern(
                *("bounds", chosen, amounts, chosen),
                annotator=annotator,
                words=tuple(sorted(by_words, key=lambda words: (-len(by_words[words]), words))),
                direction=side,
                counts={"pairs": int(np.count_nonzero(alike)), "leaves out": leaves_out},
            )


def _whose(members: list[int], who: tuple[IntArray, IntArray], thresholds: Thresholds) -> tuple[int, int] | None:
    """Return (1, annotator) of who leaves words out in most of the pairs, or (0, annotator) of who includes them."""
    for leaves_out, people in zip((1, 0), who, strict=True):
        codes, counts = np.unique(people[members], return_counts=True)
        if counts.max() >= thresholds.whose * len(members):
            return leaves_out, int(codes[counts.argmax()])
    return None
