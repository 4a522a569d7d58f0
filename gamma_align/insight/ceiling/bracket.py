"""About where the ceiling of a measure lies that has no theorem: relaxed, partial and type F1, and γ.

Below, what at least half of the other annotators have in common is an answer, scored against the annotator left out.
Above, the consensus of all has seen the annotation that it is scored against. It need not be the best answer, so that
the upper end is approximate.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gamma_align.columns import BoolArray, FloatArray, IntArray, ranges
from gamma_align.data import MIN_ANNOTATORS, Corpus
from gamma_align.insight.ceiling.ceiling_options import GAMMA
from gamma_align.insight.consensus.consensus import consensus
from gamma_align.insight.pairwise import pairwise
from gamma_align.measures.gamma import GammaSettings, gamma_of
from gamma_align.measures.reference import (
    IOU,
    Matching,
    Pairings,
    Slots,
    all_pairs,
    annotator_code,
    credits_by_measure,
    pairs_with_reference,
)

_VOTES = 0.5  # of the annotators who must have a unit: the best rule if the ceiling is near 1
_LEFT_OUT = "left out"
_OTHERS = "others"
_EVERYONE = "everyone"
_MODEL = "model"


class Bracket(NamedTuple):
    """Scores against one annotator of a document, all annotators in equal parts.

    They are those of another annotator, of the others together, of the consensus of all, and of the model (NaN without
    one).
    """

    another: float
    others: float
    everyone: float
    model: float = math.nan


def bracket(people: Corpus, model: Corpus | None, measure: str) -> Bracket:
    """Return the scores between which the ceiling lies.

    Parameters
    ----------
    people : Corpus
        The annotators; documents that fewer than two of them saw do not count.
    model : Corpus or None
        The model alone, in the same documents.
    measure : str
        ``relaxed``, ``partial``, ``type`` or ``gamma``.
    """
    people = people.restricted(np.flatnonzero(people.n_annotators >= MIN_ANNOTATORS), np.arange(len(people.annotators)))
    copies = _Copies(people)
    answers = {_OTHERS: copies.others(), _EVERYONE: copies.of_everyone(consensus(people, votes=_VOTES).corpus)}
    if model is not None:
        answers[_MODEL] = copies.of_everyone(model)
    scored = copies.corpus({_LEFT_OUT: copies.left_out(), **answers})
    if measure == GAMMA:
        settings = GammaSettings.of()
        another = pairwise(people).mean.value
        scores = [gamma_of(scored.select(annotators=[_LEFT_OUT, name]), settings).gamma.value for name in answers]
    else:
        n_pairs = people.n_annotators * (people.n_annotators - 1) / 2.0
        another = _f1(people, all_pairs(people), measure, 1.0 / n_pairs)
        pairs = pairs_with_reference(scored, annotator_code(scored, _LEFT_OUT))
        answer = scored.seen[pairs.system]
        weight = 1.0 / people.n_annotators[copies.document]
        scores = [
            _f1(scored, Slots(*(slots[answer == annotator_code(scored, name)] for slots in pairs)), measure, weight)
            for name in answers
        ]
    return Bracket(another, *scores)


def _f1(corpus: Corpus, pairs: Slots, measure: str, weight: FloatArray) -> float:
    """Return F1 of pairs of annotators, each with the weight of its document."""
    pairings = Pairings.of(corpus, pairs)
    units = credits_by_measure(pairings.batch, IOU.default, Matching.of(pairings.batch))[measure]
    credit, size = units.sums(units.instance, len(pairings)).of_both()
    of_pair = weight[pairings.document]
    return float((of_pair * credit).sum() / (of_pair * size).sum())


class _Answer(NamedTuple):
    """Units of an answer: rows of a corpus, and the copy of a document that each is in."""

    corpus: Corpus
    row: IntArray
    copy: IntArray


class _Copies:
    """A copy of each document for each of its annotators, who is left out there."""

    def __init__(self, people: Corpus) -> None:
        self._people = people
        self.document = people.seen_document
        width = len(str(len(self.document)))  # names in the order of their numbers
        self._names = np.array([f"{number:0{width}}" for number in range(len(self.document))], dtype=object)
        self._all = self.of_everyone(people)
        self._is_left_out = people.unit_seen[self._all.row] == self._all.copy

    def of_everyone(self, corpus: Corpus) -> _Answer:
        """Return all units of a corpus with the same documents, in each copy of their document."""
        counts = corpus.units_per_document[self.document]
        row = ranges(corpus.unit_offsets[self.document], counts)
        return _Answer(corpus, row, np.repeat(np.arange(len(self.document)), counts))

    def left_out(self) -> _Answer:
        """Return the units of the annotator left out."""
        return self._selected(self._is_left_out)

    def others(self) -> _Answer:
        """Return the consensus of the others; of one other, the units themselves."""
        units = self._selected(~self._is_left_out)
        people = self._people
        n_others = people.n_annotators[self.document]
        if n_others.max() == MIN_ANNOTATORS:
            return units
        copy = np.repeat(np.arange(len(self.document)), n_others)
        seen = ranges(people.seen_offsets[self.document], n_others)
        is_other = seen != copy
        names = np.array(people.annotators, dtype=object)
        rest = self._built(
            [units],
            [names[people.annotator[units.row]]],
            {"document": self._names[copy[is_other]], "annotator": names[people.seen[seen[is_other]]]},
        )
        agreed = consensus(rest, votes=_VOTES).corpus
        return _Answer(agreed, np.arange(agreed.n_units), agreed.unit_document)

    def corpus(self, answers: dict[str, _Answer]) -> Corpus:
        """Return a corpus of the copies, with the answers as annotators of each."""
        n_copies = len(self.document)
        annotations = {
            "document": np.tile(self._names, len(answers)),
            "annotator": np.repeat(np.array([*answers], dtype=object), n_copies),
        }
        names = [np.full(len(answer.row), name, dtype=object) for name, answer in answers.items()]
        return self._built([*answers.values()], names, annotations)

    def _selected(self, is_selected: BoolArray) -> _Answer:
        return _Answer(self._people, self._all.row[is_selected], self._all.copy[is_selected])

    def _built(
        self,
        answers: Sequence[_Answer],
        annotators: Sequence[npt.NDArray[np.object_]],
        annotations: Mapping[str, npt.NDArray[np.object_]],
    ) -> Corpus:
        """Return the corpus of units, with the annotators of each."""
        labels = [np.array([*answer.corpus.categories, None], dtype=object) for answer in answers]
        extents = self._people.extents[self.document]
        return Corpus.from_columns(
            {
                "document": np.concatenate([self._names[answer.copy] for answer in answers]),
                "annotator": np.concatenate(annotators),
                "start": np.concatenate([answer.corpus.start[answer.row] for answer in answers]),
                "end": np.concatenate([answer.corpus.end[answer.row] for answer in answers]),
                "category": np.concatenate(
                    [names[answer.corpus.category[answer.row]] for names, answer in zip(labels, answers, strict=True)]
                ),
            },
            annotations=annotations,
            documents={"document": self._names, "start": extents[:, 0], "end": extents[:, 1]},
        )
