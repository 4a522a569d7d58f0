"""A corpus made again from one annotator of each of its documents: as many copies as it has annotators, with errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gamma_align.errors import InputError
from gamma_align.shuffling.copies import Instance
from gamma_align.shuffling.reference import references
from gamma_align.shuffling.shuffle import make

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gamma_align._types import IntArray
    from gamma_align.data.corpus import Corpus
    from gamma_align.shuffling.settings import Shuffling
    from gamma_align.shuffling.shuffle import Made


def degraded_corpus(
    corpus: Corpus,
    magnitudes: Sequence[float],
    repetition: int,
    settings: Shuffling,
    *,
    seed: int,
    annotators: int | None = None,
) -> Made:
    """Return the corpus made again from one annotator of each document, at each magnitude.

    Parameters
    ----------
    corpus : Corpus
        The data; documents of one annotator or none, or without units, are left out.
    magnitudes : sequence of float
        m.
    repetition : int
        Of the annotators who marked something, number `repetition` (around the circle) is the reference.
    settings : Shuffling
        Kinds of errors.
    seed : int
        Of the errors.
    annotators : int, optional
        Copies of each document; as many as it has annotators by default.

    Raises
    ------
    InputError
        If no document is left.
    """
    slots, copies = reference_slots(corpus, repetition)
    if not len(slots):
        raise InputError("no document has two annotators and a unit; there is nothing to degrade")
    source = references(corpus, slots)
    instances = [Instance(at, m, repetition) for m in magnitudes for at in range(len(slots))]
    numbers = np.tile(copies if annotators is None else np.full(len(slots), annotators), len(magnitudes))
    return make(source, instances, numbers, settings, seed=seed)


def reference_slots(corpus: Corpus, repetition: int) -> tuple[IntArray, IntArray]:
    """Return the place in ``corpus.seen`` of each document's reference, and the document's number of annotators."""
    people = max(len(corpus.annotators), 1)
    document = np.repeat(np.arange(len(corpus)), np.diff(corpus.unit_offsets))
    marked = np.unique(document * people + corpus.annotator)
    there = np.repeat(np.arange(len(corpus)), corpus.n_annotators) * people + corpus.seen
    slot = np.flatnonzero(np.isin(there, marked))
    owner = there[slot] // people
    first, several = np.searchsorted(owner, np.arange(len(corpus))), np.bincount(owner, minlength=len(corpus))
    kept = np.flatnonzero((several > 0) & (corpus.n_annotators >= 2))  # noqa: PLR2004
    return slot[first[kept] + repetition % several[kept]], corpus.n_annotators[kept]
