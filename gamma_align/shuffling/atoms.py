"""Atomised text: the continuum cut into atoms of one length, each an item that everybody categorised.

What an atom is called is the category of the unit that holds its middle, and `NOTHING` where there is none. It is how
coefficients for predefined items are put to units; what that costs is what experiments show (M15 §3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gamma_align.data.batch import ranges
from gamma_align.data.item_table import ItemTable
from gamma_align.errors import InputError, SettingsError

if TYPE_CHECKING:
    from gamma_align.data.corpus import Corpus

NOTHING = "(nothing)"
NO_CATEGORY = "(no category)"


def atoms(corpus: Corpus, width: float = 1.0) -> ItemTable:
    """Return the atoms of all documents as items; an annotator who did not see a document judged none of its atoms.

    Parameters
    ----------
    corpus : Corpus
        The data.
    width : float
        Length of an atom.

    Raises
    ------
    SettingsError
        If the width is not above 0.
    InputError
        For two units of an annotator that hold one atom.
    """
    if not 0 < width < np.inf:
        raise SettingsError(f"an atom has a length above 0, not {width}")
    low, high = corpus.extents.T
    number = np.ceil((high - low) / width - 0.5).astype(np.int64)
    offset = np.concatenate([[0], np.cumsum(number)])
    codes = np.full((int(offset[-1]), len(corpus.annotators)), -1, dtype=np.int64)
    seen_document = np.repeat(np.arange(len(corpus)), corpus.n_annotators)
    rows = ranges(offset[seen_document], number[seen_document])
    codes[rows, np.repeat(corpus.seen, number[seen_document])] = 0
    document = np.repeat(np.arange(len(corpus)), np.diff(corpus.unit_offsets))
    first, last = (
        np.clip(np.ceil((bound - low[document]) / width - 0.5).astype(np.int64), 0, number[document])
        for bound in (corpus.start, corpus.end)
    )
    atom = ranges(offset[document] + first, last - first)
    annotator = np.repeat(corpus.annotator, last - first)
    _check_single(corpus, document, atom, annotator, last - first)
    category = np.where(corpus.category < 0, len(corpus.categories), corpus.category) + 1
    codes[atom, annotator] = np.repeat(category, last - first)
    labels = (NOTHING, *corpus.categories, NO_CATEGORY)
    used = np.unique(codes[codes >= 0])
    place = np.full(len(labels) + 1, -1)
    place[used] = np.arange(len(used))
    return ItemTable(place[codes], corpus.annotators, tuple(labels[code] for code in used.tolist()))


def _check_single(
    corpus: Corpus,
    document: np.ndarray,
    atom: np.ndarray,
    annotator: np.ndarray,
    counts: np.ndarray,
) -> None:
    key = atom * max(len(corpus.annotators), 1) + annotator
    order = np.argsort(key, kind="stable")
    twice = np.flatnonzero(np.diff(key[order]) == 0)
    if len(twice):
        unit = int(np.repeat(np.arange(len(counts)), counts)[order[twice[0]]])
        raise InputError(
            f"document {corpus.documents[document[unit]]!r}, annotator {corpus.annotators[corpus.annotator[unit]]!r}: "
            f"unit {corpus.start[unit]:g}–{corpus.end[unit]:g} overlaps another; an atom has one category"
        )
