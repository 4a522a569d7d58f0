"""Rows of coincidences of a corpus: a row for each document, or for each unit of one.

Values are the categories (codes 0 … n - 1), units without a category (n), and φ. With layers, where each category of a
document is partitioned alone, they are the units of layer k (2k) and its gaps (2k + 1); φ does not occur.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gamma_align.unitizing.coincidences import Entries, Sorting, coincidences, joined
from gamma_align.unitizing.segments import NO_UNIT, measurable, placed, segments

if TYPE_CHECKING:
    from gamma_align._types import FloatArray, IntArray
    from gamma_align.data.corpus import Corpus
    from gamma_align.unitizing.coincidences import Coincidences
    from gamma_align.unitizing.segments import Placed, Segments

_MOST = 2000


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Coincidences of the documents that two annotators saw and that have a length.

    Attributes
    ----------
    documents : ndarray of int64, shape (n_rows,)
        Index of each row's document in the corpus.
    found : Coincidences
        A row for each of them; for units, a row for each run of `run` units and one for what no unit meets.
    run : int
        Consecutive units in a row of `found`; 0 where rows are of documents.
    joined : int
        Units of a layer joined to one they overlap.
    """

    documents: IntArray
    found: Coincidences
    run: int = 0
    joined: int = 0


def document_rows(corpus: Corpus, *, layers: bool) -> Rows:
    """Return the additive numbers of every document.

    Parameters
    ----------
    corpus : Corpus
        The data.
    layers : bool
        Whether each category is a layer of its own.

    Raises
    ------
    InputError
        For two units of one annotator that overlap, without layers.
    """
    units = placed(corpus, layers=layers)
    documents = measurable(corpus)
    row = np.searchsorted(documents, units.document)
    share = 1.0 / (corpus.n_annotators[documents] - 1).astype(np.float64)
    if not layers:
        return Rows(documents, _plain(corpus, units, row, share))
    found = _layered(corpus, units, row, share)
    lengths = joined([found.lengths, _absent(corpus, documents, units, row)], found.n_rows, found.n_values**2)
    return Rows(documents, replace(found, lengths=lengths), joined=units.joined)


def unit_rows(corpus: Corpus, document: int, *, layers: bool) -> Rows:
    """Return the additive numbers of the units of one document, the last row being what no unit meets.

    A row is a unit, or where there are more than 2,000 a run of consecutive ones, so that there are not more rows.
    """
    corpus = corpus.documents_between(document, document + 1)
    units = placed(corpus, layers=layers)
    run = max(1, -(-len(units.row) // _MOST))
    order = np.lexsort((corpus.category[units.row], units.end, units.start))
    group = np.full(corpus.n_units, NO_UNIT)
    group[units.row[order]] = np.arange(len(order)) // run
    last = int(group.max(initial=-1)) + 1
    share = np.full(last + 1, 1.0 / (corpus.n_annotators[0] - 1.0))
    count = _layered if layers else _plain
    return Rows(np.array([document]), count(corpus, units, np.full(len(units.document), last), share, group), run)


def _plain(
    corpus: Corpus, units: Placed, row: IntArray, share: FloatArray, group: IntArray | None = None
) -> Coincidences:
    """Return the coincidences of categories; those of an instance go to its row, or those of a unit to its group's."""
    parts = segments(corpus, units)
    n_values = len(corpus.categories) + 2
    value = np.append(np.where(corpus.category < 0, n_values - 2, corpus.category), n_values - 1)[parts.unit]
    return coincidences(parts, _sorting(parts, n_values, value, row, share, group))


def _layered(
    corpus: Corpus, units: Placed, row: IntArray, share: FloatArray, group: IntArray | None = None
) -> Coincidences:
    """Return the coincidences of layers, as `_plain`."""
    parts = segments(corpus, units)
    n_values = 2 * len(corpus.categories) + 3
    value = np.where(parts.unit == NO_UNIT, 1, 0) + 2 * _layer(corpus, units)[_instance(parts)]
    return coincidences(parts, _sorting(parts, n_values, value, row, share, group))


def _sorting(
    parts: Segments, n_values: int, value: IntArray, row: IntArray, share: FloatArray, group: IntArray | None
) -> Sorting:
    unit = parts.unit != NO_UNIT
    rows = row[_instance(parts)]
    if group is not None:
        rows = np.where(unit, np.append(group, NO_UNIT)[parts.unit], rows)
    return Sorting(share, n_values, rows, value, unit, by_unit=group is not None)


def _instance(parts: Segments) -> IntArray:
    """Return the instance of each segment."""
    counts: IntArray = np.diff(parts.offsets[parts.slots])
    return np.repeat(np.arange(len(counts)), counts)


def _layer(corpus: Corpus, units: Placed) -> IntArray:
    """Return the layer's code of each instance: that of units without a category comes last."""
    return np.where(units.layer < 0, len(corpus.categories), units.layer)


def _absent(corpus: Corpus, documents: IntArray, units: Placed, row: IntArray) -> Entries:
    """Return what documents without a category add to its layer: nothing but gaps, m·L of them."""
    layer, place = np.unique(_layer(corpus, units), return_inverse=True)
    there = np.zeros((len(documents), len(layer)), dtype=np.bool_)
    there[row, place.reshape(-1)] = True
    at, which = np.nonzero(~there)
    gap, n_values = 2 * layer[which] + 1, 2 * len(corpus.categories) + 3
    length = np.ptp(corpus.extents, axis=1)[documents] * corpus.n_annotators[documents]
    return Entries(at, gap * n_values + gap, length[at])
