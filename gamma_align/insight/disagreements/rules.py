"""The rules that find patterns of disagreement which repeat.

Each rule yields patterns: unitary alignments, with the part of their disorder that settling the pattern would remove.
Silences, which need neither words nor pairs of units, have a module of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gamma_align.alignment.solve import aligned_pairs
from gamma_align.columns import BoolArray, FloatArray, IntArray, grouped_sums
from gamma_align.data.corpus import Corpus
from gamma_align.distances.base import Distance
from gamma_align.insight.disagreements.absences import Absences, absences
from gamma_align.insight.disagreements.kinds import document_annotators
from gamma_align.insight.disagreements.patterns import THRESHOLDS, Pattern, Thresholds, log_likelihood_ratio
from gamma_align.insight.disagreements.silences import find_silences
from gamma_align.insight.disagreements.unitary_alignments import CATEGORY, POSITION, UnitaryAlignments
from gamma_align.insight.disagreements.words import Words
from gamma_align.kernels.position import sporadic

DIRECTIONS = ("marks", "leaves out", "covers otherwise")
"""How one annotator treats words differently: marks them, leaves them out, or covers them with other units."""
_MARKS, _LEAVES_OUT, _COVERS = range(len(DIRECTIONS))  # indices

_TIE = 1e-12  # breaks the tie between two annotators, whose rates are equally far apart, in favour of the lower rate
_MAX_TEXTS = 8  # words that a pattern of labels names


class Material:
    """The data that the rules examine: a corpus, its unitary alignments, their words, and the distance of labels."""

    def __init__(
        self,
        corpus: Corpus,
        alignments: UnitaryAlignments,
        words: Words,
        distance: Distance,
        thresholds: Thresholds = THRESHOLDS,
    ) -> None:
        self.corpus, self.alignments, self.words, self.thresholds = corpus, alignments, words, thresholds
        self._distance = distance

    def with_alignments(self, alignments: UnitaryAlignments) -> Material:
        """Return the same material with other unitary alignments of the same units."""
        return Material(self.corpus, alignments, self.words, self._distance, self.thresholds)

    @cached_property
    def absences(self) -> Absences:
        """The annotators without a unit in each unitary alignment."""
        return absences(self.corpus, self.alignments, self.words)

    @cached_property
    def silences(self) -> list[Pattern]:
        """The parts of documents in which an annotator places few units."""
        return [*find_silences(self.corpus, self.alignments, self.thresholds)]

    @cached_property
    def pairs(self) -> tuple[IntArray, IntArray]:
        """The aligned pairs of units: indices of the first and of the second units, shape (n_pairs,) each."""
        units = self.alignments.members
        first, second = aligned_pairs(self.alignments.group[units])
        return units[first], units[second]

    @cached_property
    def positional_distances(self) -> FloatArray:
        """The positional dissimilarity of each aligned pair, without weight, shape (n_pairs,)."""
        corpus, (first, second) = self.corpus, self.pairs
        return sporadic(corpus.start[first], corpus.end[first], corpus.start[second], corpus.end[second])

    @cached_property
    def categorial_distances(self) -> FloatArray:
        """The categorial dissimilarity of each aligned pair, without weight, shape (n_pairs,)."""
        category, (first, second) = self.corpus.category, self.pairs
        return self._distance.bind(self.corpus.categories)(category[first], category[second])

    def disorder_of_pairs(
        self, part: int, is_selected: BoolArray, distances: FloatArray
    ) -> tuple[IntArray, FloatArray]:
        """Return the unitary alignments of selected pairs, and the disorder that these pairs contribute to a part.

        `part` is `POSITION` or `CATEGORY`. The part is divided among all pairs in proportion to their distances.
        """
        group = self.alignments.group[self.pairs[0]]
        n_alignments = len(self.alignments)
        total = np.bincount(group, weights=distances, minlength=n_alignments)
        selected = np.bincount(group[is_selected], weights=distances[is_selected], minlength=n_alignments)
        with np.errstate(divide="ignore", invalid="ignore"):
            # If all distances are 0, the part is 0 as well, and 0/0 counts as 0.
            amounts = np.where(total > 0, selected / total, 0.0) * self.alignments.parts[:, part]
        alignments = np.unique(group[is_selected])
        return alignments, amounts[alignments]


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """Some of the words in the vocabulary, and the unitary alignments that cover them.

    Attributes
    ----------
    material : Material
    codes : ndarray of int64, shape (n_texts,)
        Index of each text in the vocabulary.
    row : ndarray of int64, shape (n_words + 1,)
        Index in `codes` of each entry of the vocabulary, -1 for none. The last entry is for unknown words, code -1.
    occurrences : ndarray of int64
        The unitary alignments that cover one of the texts.
    """

    material: Material
    codes: IntArray
    row: IntArray
    occurrences: IntArray

    @classmethod
    def of(cls, material: Material, codes: IntArray) -> Texts:
        """Find the occurrences of words, which are indices in the vocabulary."""
        row = np.full(len(material.words.vocabulary) + 1, -1)
        row[codes] = np.arange(len(codes))
        return cls(material, codes, row, np.flatnonzero(row[material.words.code] >= 0))

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def text(self) -> IntArray:
        """Index of the text of each occurrence."""
        return self.row[self.material.words.code[self.occurrences]]

    def count_units(self) -> IntArray:
        """Return the number of units that each annotator has on each text, shape (n_texts, n_annotators)."""
        units, text = self._units()
        return self._table(text, self.material.corpus.annotator[units])

    def count_seen(self) -> IntArray:
        """Return the number of occurrences of each text that each annotator saw, shape (n_texts, n_annotators)."""
        row, annotator = document_annotators(self.material.corpus, self.material.alignments, self.occurrences)
        return self._table(self.text[row], annotator)

    def count_covers(self) -> IntArray:
        """Return the number of occurrences that an annotator covers with a unit of another unitary alignment.

        Shape (n_texts, n_annotators). The annotator has no unit in the unitary alignment of the occurrence.
        """
        alignment, annotator, overlaps, _ = self.material.absences
        text = self.row[self.material.words.code[alignment]]
        is_covered = overlaps & (text >= 0)
        return self._table(text[is_covered], annotator[is_covered])

    def labels(self) -> IntArray:
        """Return the most frequent category of the units on each text, -1 for none, shape (n_texts,)."""
        units, text = self._units()
        category = self.material.corpus.category[units]
        width = len(self.material.corpus.categories) + 1
        # No category, code -1, becomes column 0; otherwise it would count in the row of the text before.
        counts = np.bincount(text * width + category + 1, minlength=len(self) * width)
        labels: IntArray = counts.reshape(len(self), width).argmax(axis=1) - 1
        return labels

    def disorder(self) -> FloatArray:
        """Return the disorder of the occurrences of each text, shape (n_texts,)."""
        return grouped_sums(self.text, self.material.alignments.disorder[self.occurrences], len(self))

    def _units(self) -> tuple[IntArray, IntArray]:
        """Return the units of all occurrences, and the text of each."""
        alignments = self.material.alignments
        units = alignments.members
        text = self.row[self.material.words.code[alignments.group[units]]]
        return units[text >= 0], text[text >= 0]

    def _table(self, text: IntArray, annotator: IntArray) -> IntArray:
        """Return counts of pairs of a text and an annotator, shape (n_texts, n_annotators)."""
        n_annotators = len(self.material.corpus.annotators)
        counts = np.bincount(text * n_annotators + annotator, minlength=len(self) * n_annotators)
        return counts.reshape(len(self), n_annotators)


def find_words(material: Material) -> Iterator[Pattern]:
    """Yield the words that one annotator treats differently, joined by annotator, direction and label."""
    alignments, thresholds = material.alignments, material.thresholds
    texts = _disputed_texts(material)
    if not len(texts):
        return
    counts = _TextCounts(texts.count_units(), texts.count_covers(), texts.count_seen())
    contrasts = _contrasts(_without_silences(texts, counts), thresholds)
    labels, disorder, text_of_occurrence = texts.labels(), texts.disorder(), texts.text
    is_joined = (contrasts.annotator >= 0) & (contrasts.likelihood >= thresholds.joining_likelihood)
    groups: dict[tuple[int, int, int], list[int]] = {}
    for text in np.flatnonzero(is_joined).tolist():
        key = (int(contrasts.annotator[text]), int(contrasts.direction[text]), int(labels[text]))
        groups.setdefault(key, []).append(text)
    for (annotator, direction, label), members in groups.items():
        # One word with strong evidence is enough; the others join it.
        if contrasts.likelihood[members].max() < thresholds.likelihood:
            continue
        members.sort(key=lambda text: -disorder[text])
        is_member = np.isin(text_of_occurrence, members)
        selected = texts.occurrences[is_member & alignments.disputed[texts.occurrences]]
        total = counts.select(members)
        yield Pattern(
            rule="words",
            alignments=selected,
            amounts=alignments.disorder[selected],
            examples=selected,
            annotator=annotator,
            labels=(label, label),
            texts=tuple(int(texts.codes[text]) for text in members),
            direction=DIRECTIONS[direction],
            counts={"disputed": len(selected), "occurrences": int(np.count_nonzero(is_member))},
            marked={code: int(total.units[code]) for code in np.flatnonzero(total.seen).tolist()},
            covers={code: int(total.covers[code]) for code in np.flatnonzero(total.covers).tolist()},
        )


def _disputed_texts(material: Material) -> Texts:
    """Return the words that occur often enough, are disputed often enough, and contain a letter or digit."""
    alignments, thresholds = material.alignments, material.thresholds
    code, vocabulary = material.words.code, material.words.vocabulary
    has_words = code >= 0
    total = np.bincount(code[has_words], minlength=len(vocabulary))
    disputed = np.bincount(code[has_words & alignments.disputed], minlength=len(vocabulary))
    is_selected = (total >= thresholds.occurrences) & (disputed >= thresholds.disputed * total)
    # Punctuation alone is not a word.
    is_selected &= np.array([any(map(str.isalnum, word)) for word in vocabulary], dtype=np.bool_)
    return Texts.of(material, np.flatnonzero(is_selected))


class _TextCounts(NamedTuple):
    """Counts by text and annotator: units on the text, occurrences covered by another unit, and occurrences seen."""

    units: IntArray
    covers: IntArray
    seen: IntArray

    def select(self, texts: list[int]) -> _TextCounts:
        """Return the sums over texts, shape (n_annotators,)."""
        return _TextCounts(*(counts[texts].sum(axis=0) for counts in self))


def _without_silences(texts: Texts, counts: _TextCounts) -> _TextCounts:
    """Return the counts without occurrences in the silences of an annotator, which are patterns of their own."""
    result = _TextCounts(*(table.copy() for table in counts))
    alignment, annotator, overlaps, _ = texts.material.absences
    for pattern in texts.material.silences:
        text = texts.row[texts.material.words.code[pattern.stretch]]
        is_selected = text >= 0
        has_unit = ~np.isin(pattern.stretch, pattern.alignments)
        is_covered = np.isin(pattern.stretch, alignment[overlaps & (annotator == pattern.annotator)])
        masks = (is_selected & has_unit, is_selected & is_covered, is_selected)
        for table, is_counted in zip(result, masks, strict=True):
            table[:, pattern.annotator] -= np.bincount(text[is_counted], minlength=len(texts))
    return result


class _Contrasts(NamedTuple):
    """The annotator with the largest difference from the others on each text, shape (n_texts,) each.

    `annotator` is -1 if the difference is below the threshold, `direction` an index in `DIRECTIONS`, and `likelihood`
    2·ln of the likelihood ratio of different rates.
    """

    annotator: IntArray
    direction: IntArray
    likelihood: FloatArray


def _contrasts(counts: _TextCounts, thresholds: Thresholds) -> _Contrasts:
    """Return the annotator with the largest difference from the others on each text.

    An annotator with a lower rate of marking leaves words out only if the occurrences that the annotator covers with
    another unit do not close the gap.
    """
    units, covers, seen = counts
    with np.errstate(divide="ignore", invalid="ignore"):
        rates = np.where(seen > 0, units / seen, np.nan)
        n_annotators = np.count_nonzero(seen > 0, axis=1, keepdims=True)
        mean_of_others = (np.nansum(rates, axis=1, keepdims=True) - rates) / (n_annotators - 1)
        is_comparable = (seen > 0) & (n_annotators > 1)
        differences = np.where(is_comparable, rates - mean_of_others, 0.0)
        differences_with_covers = np.where(is_comparable, (units + covers) / seen - mean_of_others, 0.0)
    annotator = np.argmax(np.abs(differences) - _TIE * (differences > 0), axis=1)
    text = np.arange(len(annotator))
    n_units, n_seen = units[text, annotator], seen[text, annotator]
    likelihood = log_likelihood_ratio(n_units, n_seen, units.sum(axis=1) - n_units, seen.sum(axis=1) - n_seen)
    difference = differences[text, annotator]
    leaves_out = differences_with_covers[text, annotator] <= -thresholds.rate
    # The first condition that holds decides, so that an annotator with a higher rate never leaves out.
    direction = np.select([difference > 0, leaves_out], [_MARKS, _LEAVES_OUT], _COVERS)
    return _Contrasts(np.where(np.abs(difference) >= thresholds.rate, annotator, -1), direction, likelihood)


def label_codes(corpus: Corpus) -> IntArray:
    """Return the category of each unit; the code of units without one follows the codes of categories."""
    return np.where(corpus.category < 0, len(corpus.categories), corpus.category)


def confusions(corpus: Corpus, first: IntArray, second: IntArray) -> IntArray:
    """Return the number of aligned pairs with each two categories, symmetric; the last row is for no category.

    Pairs of two units of one category count once, on the diagonal.
    """
    width = len(corpus.categories) + 1
    codes = label_codes(corpus)
    keys = np.minimum(codes[first], codes[second]) * width + np.maximum(codes[first], codes[second])
    upper = np.bincount(keys, minlength=width * width).reshape(width, width)
    result: IntArray = upper + np.triu(upper, 1).T
    return result


def find_confused_labels(material: Material) -> Iterator[Pattern]:
    """Yield the pairs of categories that aligned units often have, in proportion to the rarer of the two."""
    corpus, thresholds = material.corpus, material.thresholds
    first, second = material.pairs
    table = confusions(corpus, first, second)
    totals = table.sum(axis=1)
    rarer_totals = np.minimum.outer(totals, totals)
    # A category without pairs has empty cells: dividing by 1 makes their share 0 instead of 0/0.
    share = table / np.maximum(rarer_totals, 1)
    is_confused = np.triu((share >= thresholds.confused) & (table >= thresholds.occurrences), 1)
    codes = label_codes(corpus)
    lower, higher = np.minimum(codes[first], codes[second]), np.maximum(codes[first], codes[second])
    for low, high in np.argwhere(is_confused).tolist():
        is_selected = (lower == low) & (higher == high)
        selected, amounts = material.disorder_of_pairs(CATEGORY, is_selected, material.categorial_distances)
        yield Pattern(
            rule="labels",
            alignments=selected[amounts > 0],
            amounts=amounts[amounts > 0],
            examples=selected,
            labels=(low, high if high < len(corpus.categories) else -1),
            texts=_frequent_texts(material, selected),
            counts={"pairs": int(table[low, high]), "rarer": int(rarer_totals[low, high])},
        )


def _frequent_texts(material: Material, alignments: IntArray) -> tuple[int, ...]:
    """Return the words of most of the unitary alignments, the most frequent first."""
    code = material.words.code[alignments]
    texts, counts = np.unique(code[code >= 0], return_counts=True)
    return tuple(texts[np.lexsort((texts, -counts))][:_MAX_TEXTS].tolist())


def find_bounds(material: Material) -> Iterator[Pattern]:
    """Yield the words that one of two aligned units includes and the other does not, if they differ at one end only.

    Words that the same annotator nearly always leaves out, or includes, at the same end are one pattern.
    """
    if not material.words.are_known:
        return
    corpus, (first, second) = material.corpus, material.pairs
    start, end = (np.stack([column[first], column[second]]) for column in (corpus.start, corpus.end))
    yield from _bounds_at(material, "end", end, start)
    yield from _bounds_at(material, "start", -start, end)  # negated: the larger number is the longer unit at either end


class _Role(NamedTuple):
    """An annotator responsible for words at a bound, and whether the annotator leaves them out."""

    annotator: int
    leaves_out: bool


_NOBODY = _Role(-1, leaves_out=False)  # for words that no annotator nearly always leaves out, or includes


def _bounds_at(material: Material, side: str, edges: FloatArray, opposite_edges: FloatArray) -> Iterator[Pattern]:
    """Yield the patterns at one side of units; edges have shape (2, n_pairs)."""
    corpus, thresholds, (first, second) = material.corpus, material.thresholds, material.pairs
    annotators = np.stack([corpus.annotator[first], corpus.annotator[second]])
    shorter, pair = np.argmin(edges, axis=0), np.arange(len(first))
    excluding, including = annotators[shorter, pair], annotators[1 - shorter, pair]
    patterns: dict[tuple[_Role, str], dict[str, list[int]]] = {}
    for words, pairs in _pairs_by_words(material, edges, opposite_edges).items():
        # Several pairs of one unitary alignment are one occurrence of the words.
        if len(np.unique(material.alignments.group[first[pairs]])) < thresholds.occurrences:
            continue
        role = _responsible(excluding[pairs], including[pairs], thresholds)
        key = (role, words if role == _NOBODY else "")  # words of nobody in particular are a pattern each
        patterns.setdefault(key, {})[words] = pairs
    for (role, _), pairs_by_words in patterns.items():
        is_selected = np.zeros(len(first), dtype=np.bool_)
        for pairs in pairs_by_words.values():
            is_selected[pairs] = True
        selected, amounts = material.disorder_of_pairs(POSITION, is_selected, material.positional_distances)
        yield Pattern(
            rule="bounds",
            alignments=selected,
            amounts=amounts,
            examples=selected,
            annotator=role.annotator,
            words=_most_frequent_first(pairs_by_words),
            direction=side,
            counts={"pairs": int(np.count_nonzero(is_selected)), "leaves out": role.leaves_out},
        )


def _most_frequent_first(pairs_by_words: Mapping[str, list[int]]) -> tuple[str, ...]:
    return tuple(sorted(pairs_by_words, key=lambda words: (-len(pairs_by_words[words]), words)))


def _pairs_by_words(material: Material, edges: FloatArray, opposite_edges: FloatArray) -> dict[str, list[int]]:
    """Return, by the words between two edges, the pairs of units that differ at this edge only."""
    pairs = np.flatnonzero((opposite_edges[0] == opposite_edges[1]) & (edges[0] != edges[1]))
    low, high = np.sort(np.abs(edges[:, pairs]), axis=0)
    document = material.corpus.unit_document[material.pairs[0][pairs]]
    groups: dict[str, list[int]] = {}
    for pair, words in zip(pairs.tolist(), material.words.texts_between(document, low, high), strict=True):
        if words and any(map(str.isalnum, words)):
            groups.setdefault(words, []).append(pair)
    return groups


def _responsible(excluding: IntArray, including: IntArray, thresholds: Thresholds) -> _Role:
    """Return the annotator that leaves words out, or includes them, in nearly all of the pairs; else `_NOBODY`."""
    # If both hold, as they do with two annotators, the annotator that leaves the words out is named.
    for annotators, leaves_out in ((excluding, True), (including, False)):
        codes, counts = np.unique(annotators, return_counts=True)
        if counts.max() >= thresholds.responsible * len(annotators):
            return _Role(int(codes[counts.argmax()]), leaves_out)
    return _NOBODY
