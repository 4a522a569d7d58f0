"""Repairs: the units that a cause changes, and the corpus and alignments after the change."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
import numpy.typing as npt

from gamma_align.columns import Columns, FloatArray, IntArray, ranges
from gamma_align.data import Corpus
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


class Layout:
    """Where the rows of a table are after a repair: runs of old rows and of rows of touched documents, by turns.

    Tables are sorted by document. Repairs touch few of many documents, so that runs are long.

    Parameters
    ----------
    old_bounds, part_bounds : ndarray of int64
        The ends of the runs in the table before the repair, in which each touched run is one, too, and in the table of
        the touched documents after the repair.
    """

    def __init__(self, old_bounds: IntArray, part_bounds: IntArray) -> None:
        begins = old_bounds[:-1].copy()
        ends = old_bounds[1:].copy()
        begins[1::2] = part_bounds[:-1]
        ends[1::2] = part_bounds[1:]
        self._slices = list(map(slice, begins.tolist(), ends.tolist()))
        self._lengths = ends - begins
        self._shifts = np.cumsum(self._lengths) - self._lengths - begins

    def join(self, old: Array, part: Array) -> Array:
        """Return a column after the repair."""
        sources = itertools.cycle((old, part))
        return cast("Array", np.concatenate([source[run] for source, run in zip(sources, self._slices, strict=False)]))

    def join_indices(self, old: IntArray, part: IntArray, table: Layout) -> IntArray:
        """Return a column of indices of rows of a table after the repair; -1 stands for none."""
        index = self.join(old, part)
        index += np.where(index >= 0, np.repeat(table._shifts, self._lengths), 0)
        return index


class Splice:
    """How a corpus, its unitary alignments and tables of these continue after a repair.

    Attributes
    ----------
    documents : ndarray of int64
        The documents that the repair touches, sorted. All others stay as they are.
    units, alignments : Layout
        Where the units and the unitary alignments are.
    """

    def __init__(
        self,
        documents: IntArray,
        corpora: tuple[Corpus, Corpus],
        alignments: tuple[UnitaryAlignments, UnitaryAlignments],
    ) -> None:
        self.documents = documents
        self._corpus, self._part = corpora
        self._old, self._new = alignments
        begins_run = np.diff(documents, prepend=-2) > 1
        ends_run = np.append(begins_run[1:], True)[: len(documents)]
        self._part_bounds = np.append(np.flatnonzero(begins_run), len(documents))
        inner = np.stack([documents[begins_run], documents[ends_run] + 1], axis=1).reshape(-1)
        self._bounds = np.concatenate([[0], inner, [len(self._corpus)]])
        self.units = Layout(self._corpus.unit_offsets[self._bounds], self._part.unit_offsets[self._part_bounds])
        self.alignments = self.layout(self._old.document, self._new.document)

    def layout(self, old_document: IntArray, part_document: IntArray) -> Layout:
        """Return where the rows of a table are; the arguments are the documents of its rows, ascending."""
        return Layout(np.searchsorted(old_document, self._bounds), np.searchsorted(part_document, self._part_bounds))

    def join_documents(self, layout: Layout, old: IntArray, part: IntArray) -> IntArray:
        """Return a column of documents after the repair."""
        return layout.join(old, self.documents[part])

    def corpus(self) -> Corpus:
        """Return the corpus after the repair. Names, extents and texts stay as they are."""
        counts = self._corpus.units_per_document.copy()
        counts[self.documents] = self._part.units_per_document
        names = ("annotator", "start", "end", "category")
        columns = {name: self.units.join(getattr(self._corpus, name), getattr(self._part, name)) for name in names}
        return replace(self._corpus, unit_offsets=np.concatenate([[0], np.cumsum(counts)]), **columns)

    def unitary_alignments(self) -> UnitaryAlignments:
        """Return the unitary alignments after the repair."""
        gaps = self._old.gaps.copy()
        gaps[self.documents] = self._new.gaps
        names = ("size", "start", "end", "disorder", "parts")
        columns = {name: self.alignments.join(getattr(self._old, name), getattr(self._new, name)) for name in names}
        return UnitaryAlignments(
            group=self.units.join_indices(self._old.group, self._new.group, self.alignments),
            document=self.join_documents(self.alignments, self._old.document, self._new.document),
            gaps=gaps,
            **columns,
        )
