"""Instances (documents or items) with the similarity of every two answers to them.

An answer of a person to an instance is a *slot*. Similarities of people are kept for each ordered pair of slots of an
instance, and similarities of a model for each slot.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

import numpy as np

from gamma_align.alignment.solve import solve
from gamma_align.columns import Columns, FloatArray, IntArray, ranges
from gamma_align.data import Corpus, ItemTable
from gamma_align.distances import Dissimilarity, Distance
from gamma_align.measures.reference import Matching, Pairings, Slots, all_pairs, credits_by_measure

PairSimilarity = Callable[[IntArray, IntArray], FloatArray]
"""Return a number for each pair of indices: of answers, or of categories."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Pairs(Columns):
    """Ordered pairs of different slots of an instance, sorted by the first slot; all of shape (n_pairs,).

    `similarity` is the similarity of the two answers.
    """

    first: IntArray
    second: IntArray
    similarity: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Instances:
    """Instances with the similarities of all answers.

    Attributes
    ----------
    names, people, models : tuple of str
        Names of the instances, the people and the models.
    instance, person : ndarray of int64, shape (n_slots,)
        The instance and the person of each slot, sorted by both.
    pairs : Pairs
        The pairs of slots.
    to_model : ndarray of float64, shape (n_models, n_slots)
        Similarity of each model's answer to the answer of the slot; NaN if the model did not answer.
    noun : str
        Name of an instance in messages.
    """

    names: tuple[str, ...]
    people: tuple[str, ...]
    models: tuple[str, ...]
    instance: IntArray
    person: IntArray
    pairs: Pairs
    to_model: FloatArray
    noun: str

    def __len__(self) -> int:
        return len(self.names)

    @property
    def n_slots(self) -> int:
        """Number of answers of people."""
        return len(self.person)

    def pairs_without(self, person: int) -> tuple[Pairs, FloatArray]:
        """Return the pairs of the other people, in instances of the person, and the person's similarity to each slot.

        The similarity is NaN for slots of instances without the person.
        """
        to_person = np.full(self.n_slots, np.nan)
        is_first = self.person[self.pairs.first] == person
        to_person[self.pairs.second[is_first]] = self.pairs.similarity[is_first]
        is_among_others = ~(is_first | (self.person[self.pairs.second] == person))
        is_compared = ~np.isnan(to_person[self.pairs.first])
        return self.pairs.take(is_among_others & is_compared), to_person


def _instances(
    names: tuple[str, ...],
    annotators: tuple[str, ...],
    models: tuple[str, ...],
    instance: IntArray,
    annotator: IntArray,
    similarity: PairSimilarity,
    noun: str,
) -> Instances:
    """Return the instances of answers, sorted by instance and annotator, with the similarities of their pairs."""
    people = tuple(name for name in annotators if name not in models)
    code = {name: index for index, name in enumerate(annotators)}
    person_of = np.full(len(annotators), -1)
    person_of[[code[name] for name in people]] = np.arange(len(people))
    slots = np.flatnonzero(person_of[annotator] >= 0)
    slot_instance = instance[slots]
    count = np.bincount(slot_instance, minlength=len(names))
    start = np.cumsum(count) - count
    n_second = count[slot_instance]
    first = np.repeat(np.arange(len(slots)), n_second)
    second = ranges(start[slot_instance], n_second)
    is_pair = first != second
    first = first[is_pair]
    second = second[is_pair]
    # A pair is measured once, the lower slot first, so that both orders have the same bits.
    low = first < second
    pair_similarity = np.empty(len(first))
    pair_similarity[low] = similarity(slots[first[low]], slots[second[low]])
    mirrored = np.argsort(second[~low] * len(slots) + first[~low], kind="stable")
    pair_similarity[np.flatnonzero(~low)[mirrored]] = pair_similarity[low]
    to_model = np.full((len(models), len(slots)), np.nan)
    for row, name in enumerate(models):
        answer = np.full(len(names), -1)
        model_rows = np.flatnonzero(annotator == code[name])
        answer[instance[model_rows]] = model_rows
        partner = answer[slot_instance]
        is_answered = partner >= 0
        to_model[row, is_answered] = similarity(partner[is_answered], slots[is_answered])
    pairs = Pairs(first, second, pair_similarity)
    return Instances(names, people, models, slot_instance, person_of[annotator[slots]], pairs, to_model, noun)


def instances_of_corpus(corpus: Corpus, models: tuple[str, ...], name: str, dissimilarity: Dissimilarity) -> Instances:
    """Return the documents of a corpus with the similarities of this name; see `SIMILARITY`."""
    is_model = np.isin(corpus.seen, [corpus.annotators.index(model) for model in models])
    pairs = all_pairs(corpus)
    compared = ~(is_model[pairs.reference] & is_model[pairs.system])
    pairs = Slots(pairs.reference[compared], pairs.system[compared])
    values = _similarities(corpus, pairs, name, dissimilarity)
    n_answers = len(corpus.seen)
    key = pairs.reference * n_answers + pairs.system
    order = np.argsort(key)

    def similarity(first: IntArray, second: IntArray) -> FloatArray:
        keys = np.minimum(first, second) * n_answers + np.maximum(first, second)
        return values[order[np.searchsorted(key, keys, sorter=order)]]

    return _instances(
        corpus.documents, corpus.annotators, models, corpus.seen_document, corpus.seen, similarity, "document"
    )


def _similarities(corpus: Corpus, pairs: Slots, name: str, dissimilarity: Dissimilarity) -> FloatArray:
    """Return the similarity of the units of each pair of annotators of a document."""
    pairings = Pairings.of(corpus, pairs)
    batch = pairings.batch
    n_units = np.diff(batch.offsets)
    if name == "disorder":
        # The cost is Σδ/Δ, and with two annotators a unit alone costs Δ.
        matched = n_units - solve(batch, dissimilarity.bind(corpus.categories)).cost
        size = n_units.astype(np.float64)
    else:
        sums = credits_by_measure(batch, 1.0, Matching.of(batch))[name]
        by_pair = sums.sums(sums.instance, len(batch))
        matched = by_pair.credit.sum(axis=1)
        size = by_pair.size.sum(axis=1)
    return np.where(size > 0, matched / np.where(size > 0, size, 1.0), 1.0)


def instances_of_items(table: ItemTable, models: tuple[str, ...], distance: Distance) -> Instances:
    """Return the items of a table; the similarity of two judgments is 1 − the distance of their categories.

    Distances that depend on frequencies take the frequencies of the people's judgments.
    """
    item, coder = np.nonzero(table.codes >= 0)
    codes = table.codes[item, coder].astype(np.int64)
    between = _distances(table, distance, codes, coder, models)

    def similarity(first: IntArray, second: IntArray) -> FloatArray:
        return 1.0 - between(codes[first], codes[second])

    return _instances(table.items, table.coders, models, item, coder, similarity, "item")


def drop_coders(table: ItemTable, coders: Collection[str]) -> ItemTable:
    """Return the table without these coders; its items and categories stay as they are."""
    columns = [index for index, name in enumerate(table.coders) if name not in coders]
    return replace(table, codes=table.codes[:, columns], coders=tuple(table.coders[index] for index in columns))


def _distances(
    table: ItemTable, distance: Distance, codes: IntArray, coder: IntArray, models: tuple[str, ...]
) -> PairSimilarity:
    """Return a function from codes of categories to their distances."""
    if not distance.adaptive:
        return distance.between(table.labels)
    is_person = ~np.isin(coder, [table.coders.index(model) for model in models])
    weights = np.bincount(codes[is_person], minlength=table.n_categories).astype(np.float64)
    matrix = distance.matrix(table.labels, weights)
    return lambda first, second: matrix[first, second]
