"""Repairs: the units that a cause changes, and the corpus and alignments after the change."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gamma_align.columns import Columns, FloatArray, IntArray, ranges
from gamma_align.data import Corpus
from gamma_align.insight.disagreements.unitary_alignments import UnitaryAlignments


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Units(Columns):
    """Units as columns; `origin` is the unit of the original corpus that each one is, or is a copy of."""

    document: IntArray
    annotator: IntArray
    start: FloatArray
    end: FloatArray
    category: IntArray
    origin: IntArray

    @classmethod
    def of_corpus(cls, corpus: Corpus, origin: IntArray) -> Units:
        """Return all units of a corpus."""
        return cls(corpus.unit_document, corpus.annotator, corpus.start, corpus.end, corpus.category, origin)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Repair:
    """Units to drop, as indices, and units to add; a changed unit is dropped and added."""

    drop: IntArray
    add: Units

    def documents(self, corpus: Corpus) -> IntArray:
        """Return the documents that the repair touches, sorted."""
        dropped = np.searchsorted(corpus.unit_offsets, self.drop, side="right") - 1
        return np.unique(np.concatenate([dropped, self.add.document]))


class Repaired(NamedTuple):
    """A corpus after a repair. `origin`, shape (n_units,), is the origin of its units."""

    corpus: Corpus
    origin: IntArray


def repaired_documents(corpus: Corpus, origin: IntArray, repair: Repair, documents: IntArray) -> Repaired:
    """Return the corpus of the documents that a repair touches, after the repair.

    `repaired_units` changes all documents.
    """
    units = ranges(corpus.unit_offsets[documents], corpus.units_per_document[documents])
    add = replace(repair.add, document=np.searchsorted(documents, repair.add.document))
    part = Repair(np.searchsorted(units, repair.drop), add)
    return repaired_units(take_documents(corpus, documents), origin[units], part)


def repaired_units(corpus: Corpus, origin: IntArray, repair: Repair) -> Repaired:
    """Return the corpus after a repair. Names, extents and texts stay as they are."""
    is_kept = np.ones(corpus.n_units, dtype=np.bool_)
    is_kept[repair.drop] = False
    is_touched = np.zeros(len(corpus), dtype=np.bool_)
    is_touched[repair.documents(corpus)] = True
    is_changed = is_kept & np.repeat(is_touched, corpus.units_per_document)
    old = Units.of_corpus(corpus, origin)
    new = Units.join([old.take(is_changed), repair.add])
    new_order = np.lexsort((new.category, new.end, new.start, new.annotator, new.document))
    units = Units.join([old.take(is_kept & ~is_changed), new.take(new_order)])
    # Two runs, each in order: the stable sort merges them.
    order = np.argsort(units.document, kind="stable")
    units = units.take(order)
    changed = replace(
        corpus,
        unit_offsets=np.concatenate([[0], np.cumsum(np.bincount(units.document, minlength=len(corpus)))]),
        annotator=units.annotator,
        start=units.start,
        end=units.end,
        category=units.category,
    )
    return Repaired(changed, units.origin)


def take_documents(corpus: Corpus, documents: IntArray) -> Corpus:
    """Return the corpus of some documents, by ascending indices, with the same annotators and categories."""
    unit_counts = corpus.units_per_document[documents]
    seen_counts = corpus.n_annotators[documents]
    units = ranges(corpus.unit_offsets[documents], unit_counts)
    return replace(
        corpus,
        documents=tuple(corpus.documents[index] for index in documents.tolist()),
        seen_offsets=np.concatenate([[0], np.cumsum(seen_counts)]),
        seen=corpus.seen[ranges(corpus.seen_offsets[documents], seen_counts)],
        unit_offsets=np.concatenate([[0], np.cumsum(unit_counts)]),
        annotator=corpus.annotator[units],
        start=corpus.start[units],
        end=corpus.end[units],
        category=corpus.category[units],
        extents=corpus.extents[documents],
        texts=None,
    )


def replaced_alignments(
    old: UnitaryAlignments, part: UnitaryAlignments, documents: IntArray, before: Corpus, after: Corpus
) -> UnitaryAlignments:
    """Return the unitary alignments of a corpus after a repair.

    Parameters
    ----------
    old : UnitaryAlignments
        The unitary alignments of all documents before the repair.
    part : UnitaryAlignments
        The unitary alignments of the touched documents after it, numbered as in a corpus of these alone.
    documents : ndarray of int64
        The touched documents, sorted.
    before, after : Corpus
        The corpus before and after the repair.
    """
    is_kept = ~np.isin(old.document, documents)
    document = np.concatenate([old.document[is_kept], documents[part.document]])
    order = np.argsort(document, kind="stable")
    number = np.argsort(order)  # of each entry in the result: the inverse of the order
    old_number = np.full(len(old), -1)
    old_number[is_kept] = number[: np.count_nonzero(is_kept)]
    part_number = number[np.count_nonzero(is_kept) :]
    is_touched = np.isin(after.unit_document, documents)
    group = np.full(after.n_units, -1)
    group[~is_touched] = _renumbered(old.group[~np.isin(before.unit_document, documents)], old_number)
    group[is_touched] = _renumbered(part.group, part_number)
    gaps = old.gaps.copy()
    gaps[documents] = part.gaps
    columns = {
        name: np.concatenate([getattr(old, name)[is_kept], getattr(part, name)])[order]
        for name in ("size", "start", "end", "disorder", "parts")
    }
    return UnitaryAlignments(group=group, document=document[order], gaps=gaps, **columns)


def _renumbered(group: IntArray, number: IntArray) -> IntArray:
    """Return the number of the unitary alignment of each unit; -1 stays -1."""
    return np.where(group < 0, -1, np.append(number, -1)[group])
