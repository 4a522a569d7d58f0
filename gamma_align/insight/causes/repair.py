"""Repairs: the units that a cause changes, and the corpus and alignments after the change."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gamma_align.columns import BoolArray, Columns, FloatArray, IntArray, ranges
from gamma_align.data.corpus import Corpus
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


def repaired_documents(corpus: Corpus, origin: IntArray, repair: Repair, documents: IntArray) -> Corpus:
    """Return the corpus of the documents that a repair touches, after the repair; `repaired_units` changes all."""
    units = ranges(corpus.unit_offsets[documents], corpus.units_per_document[documents])
    add = replace(repair.add, document=np.searchsorted(documents, repair.add.document))
    part = Repair(np.searchsorted(units, repair.drop), add)
    return repaired_units(take_documents(corpus, documents), origin[units], part)[0]


def repaired_units(corpus: Corpus, origin: IntArray, repair: Repair) -> tuple[Corpus, IntArray]:
    """Return the corpus after a repair, and the origin of its units. Names, extents and texts stay as they are."""
    is_kept = np.ones(corpus.n_units, dtype=np.bool_)
    is_kept[repair.drop] = False
    is_touched = np.zeros(len(corpus), dtype=np.bool_)
    is_touched[repair.documents(corpus)] = True
    is_changed = is_kept & np.repeat(is_touched, corpus.units_per_document)
    before = Units.of_corpus(corpus, origin)
    new = Units.join([before.take(is_changed), repair.add])
    new = new.take(np.lexsort((new.category, new.end, new.start, new.annotator, new.document)))
    units = Units.join([before.take(is_kept & ~is_changed), new])
    # Two runs, each in order: the stable sort merges them.
    units = units.take(np.argsort(units.document, kind="stable"))
    changed = replace(
        corpus,
        unit_offsets=np.concatenate([[0], np.cumsum(np.bincount(units.document, minlength=len(corpus)))]),
        annotator=units.annotator,
        start=units.start,
        end=units.end,
        category=units.category,
    )
    return changed, units.origin


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


def spliced(
    corpus: Corpus,
    alignments: UnitaryAlignments,
    changed: Corpus,
    documents: IntArray,
    new_alignments: UnitaryAlignments,
) -> UnitaryAlignments:
    """Return the unitary alignments of the changed corpus.

    `new_alignments` are those of the touched `documents` of the changed corpus; all others stay as they are.
    """
    is_touched = _mask(documents, len(corpus))
    keeps = ~is_touched[alignments.document]
    document = np.concatenate([alignments.document[keeps], documents[new_alignments.document]])
    order = np.argsort(document, kind="stable")
    number = np.argsort(order)  # the new index of each unitary alignment
    n_kept = int(np.count_nonzero(keeps))
    kept_number = np.full(len(alignments) + 1, -1)  # the last entry is for units without an alignment
    kept_number[:-1][keeps] = number[:n_kept]
    is_changed_unit = is_touched[changed.unit_document]
    group = np.full(changed.n_units, -1)
    group[~is_changed_unit] = kept_number[alignments.group[~is_touched[corpus.unit_document]]]
    new_number = np.append(number[n_kept:], -1)
    group[is_changed_unit] = new_number[new_alignments.group]
    gaps = alignments.gaps.copy()
    gaps[documents] = new_alignments.gaps

    def joined(name: str) -> FloatArray:
        values = np.concatenate([getattr(alignments, name)[keeps], getattr(new_alignments, name)])
        ordered: FloatArray = values[order]
        return ordered

    columns = {name: joined(name) for name in ("size", "start", "end", "disorder", "parts")}
    return UnitaryAlignments(group=group, document=document[order], gaps=gaps, **columns)  # type: ignore[arg-type]


def _mask(index: IntArray, length: int) -> BoolArray:
    mask = np.zeros(length, dtype=np.bool_)
    mask[index] = True
    return mask
