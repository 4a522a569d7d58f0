"""Repairs: the units that a cause changes, and the corpus and alignments after the change."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
import numpy.typing as npt

from gamma_align.columns import Columns, FloatArray, IntArray, ranges
from gamma_align.data.corpus import Corpus
from gamma_align.insight.disagreements.unitary_alignments import UnitaryAlignments

Array = TypeVar("Array", bound=npt.NDArray[Any])


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
    """A corpus after a repair.

    `origin`, shape (n_units,), is the origin of its units, `before` the index of each unit before the repair, -1 for
    one that was added.
    """

    corpus: Corpus
    origin: IntArray
    before: IntArray


def repaired_documents(corpus: Corpus, origin: IntArray, repair: Repair, documents: IntArray) -> Repaired:
    """Return the corpus of the documents that a repair touches, after the repair.

    `repaired_units` changes all documents.
    """
    units = ranges(corpus.unit_offsets[documents], corpus.units_per_document[documents])
    add = replace(repair.add, document=np.searchsorted(documents, repair.add.document))
    part = Repair(np.searchsorted(units, repair.drop), add)
    result = repaired_units(take_documents(corpus, documents), origin[units], part)
    return result._replace(before=np.append(units, -1)[result.before])


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
    before = np.append(np.flatnonzero(is_changed), np.full(len(repair.add), -1))[new_order]
    before = np.append(np.flatnonzero(is_kept & ~is_changed), before)[order]
    changed = replace(
        corpus,
        unit_offsets=np.concatenate([[0], np.cumsum(np.bincount(units.document, minlength=len(corpus)))]),
        annotator=units.annotator,
        start=units.start,
        end=units.end,
        category=units.category,
    )
    return Repaired(changed, units.origin, before)


def take_documents(corpus: Corpus, documents: IntArray) -> Corpus:
    """Return the corpus of some documents, by ascending indices, with the same annotators and categories."""
    unit_counts, seen_counts = corpus.units_per_document[documents], corpus.n_annotators[documents]
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


class Splice:
    """Where the unitary alignments and the units of a corpus are after a repair.

    Attributes
    ----------
    documents : ndarray of int64
        The documents that the repair touches, sorted. All others stay as they are.
    is_touched : ndarray of bool, shape (n_documents,)
    alignment, unit : ndarray of int64
        The new index of each unitary alignment and of each unit; -1 in touched documents, and as the last entry, for
        none.
    part_alignment, part_unit : ndarray of int64
        The new index of each unitary alignment and of each unit of the touched documents after the repair, -1 as the
        last entry.
    """

    def __init__(
        self,
        corpus: Corpus,
        alignments: UnitaryAlignments,
        changed: Corpus,
        documents: IntArray,
        part_alignments: UnitaryAlignments,
    ) -> None:
        self.documents = documents
        self.is_touched = np.zeros(len(corpus), dtype=np.bool_)
        self.is_touched[documents] = True
        self._keeps = ~self.is_touched[alignments.document]
        document = np.concatenate([alignments.document[self._keeps], documents[part_alignments.document]])
        self._order = np.argsort(document, kind="stable")
        number = np.argsort(self._order)
        n_kept = int(np.count_nonzero(self._keeps))
        self.alignment = np.full(len(alignments) + 1, -1)
        self.alignment[:-1][self._keeps] = number[:n_kept]
        self.part_alignment = np.append(number[n_kept:], -1)
        is_changed_unit = self.is_touched[changed.unit_document]
        self.unit = np.full(corpus.n_units + 1, -1)
        self.unit[:-1][~self.is_touched[corpus.unit_document]] = np.flatnonzero(~is_changed_unit)
        self.part_unit = np.append(np.flatnonzero(is_changed_unit), -1)

    def joined(self, old: Array, part: Array) -> Array:
        """Return values of all unitary alignments: the old ones, and the values in the touched documents."""
        return cast("Array", np.concatenate([old[self._keeps], part])[self._order])


def spliced(alignments: UnitaryAlignments, part: UnitaryAlignments, splice: Splice) -> UnitaryAlignments:
    """Return the unitary alignments after a repair; `part` has the touched documents."""
    group = np.empty(np.count_nonzero(splice.unit >= 0) + len(splice.part_unit) - 1, dtype=np.int64)
    is_kept = splice.unit[:-1] >= 0
    group[splice.unit[:-1][is_kept]] = splice.alignment[alignments.group[is_kept]]
    group[splice.part_unit[:-1]] = splice.part_alignment[part.group]
    gaps = alignments.gaps.copy()
    gaps[splice.documents] = part.gaps
    names = ("size", "start", "end", "disorder", "parts")
    columns = {name: splice.joined(getattr(alignments, name), getattr(part, name)) for name in names}
    document = splice.joined(alignments.document, splice.documents[part.document])
    prices = None
    if alignments.prices is not None:
        prices = np.full(len(group), np.nan)
        prices[splice.unit[:-1][is_kept]] = alignments.prices[is_kept]
        prices[splice.part_unit[:-1]] = np.nan if part.prices is None else part.prices
    return UnitaryAlignments(group=group, document=document, gaps=gaps, prices=prices, **columns)
