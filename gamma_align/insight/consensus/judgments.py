"""The judgment of each annotator on each unitary alignment of a document that the annotator saw.

A unitary alignment is an item. The judgment is the category of the annotator's unit in it, or "no unit". Codes of
judgments are the codes of the categories, then of new labels, then "no category" if any unit has none, then
"no unit".
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from gamma_align.columns import IntArray, ranges
from gamma_align.data import Corpus
from gamma_align.insight.disagreements.unitary_alignments import UnitaryAlignments

NO_UNIT = "(no unit)"
"""The label of the judgment that there is no unit."""


@dataclass(frozen=True, slots=True, eq=False)
class Judgments:
    """Judgments of annotators on unitary alignments, sorted by unitary alignment, then annotator.

    Attributes
    ----------
    labels : tuple of (str or None)
        The categories, None for no category, and `NO_UNIT`, the last one.
    alignment, annotator, label : ndarray of int64, shape (n_judgments,)
        Codes of each judgment.
    document, annotators : ndarray of int64, shape (n_alignments,)
        Document of each unitary alignment, and number of annotators of this document.
    group, unit_label : ndarray of int64, shape (n_units,)
        Unitary alignment of each unit, and code of its label.
    """

    labels: tuple[str | None, ...]
    alignment: IntArray
    annotator: IntArray
    label: IntArray
    document: IntArray
    annotators: IntArray
    group: IntArray
    unit_label: IntArray

    def __len__(self) -> int:
        return len(self.document)

    @property
    def no_unit(self) -> int:
        """The code of the judgment that there is no unit."""
        return len(self.labels) - 1

    @property
    def votes(self) -> IntArray:
        """Number of annotators with a unit in each unitary alignment, shape (n_alignments,)."""
        return np.bincount(self.group, minlength=len(self))

    @property
    def preference(self) -> IntArray:
        """Codes of the labels of units, the most frequent first: a tie goes to the first of them."""
        counts = np.bincount(self.unit_label, minlength=self.no_unit)
        return np.argsort(-counts, kind="stable")

    def without(self, annotator: int, unit_annotator: IntArray) -> tuple[Judgments, IntArray, IntArray]:
        """Return the judgments of all other annotators.

        `unit_annotator` is the annotator of each unit. Also returned are the unitary alignments in which others have a
        unit, in the order of the new ones, and the units of the others.
        """
        units = np.flatnonzero(unit_annotator != annotator)
        kept, group = np.unique(self.group[units], return_inverse=True)
        number = np.full(len(self), -1)
        number[kept] = np.arange(len(kept))
        is_other = (self.annotator != annotator) & (number[self.alignment] >= 0)
        alignment = number[self.alignment[is_other]]
        others = replace(
            self,
            alignment=alignment,
            annotator=self.annotator[is_other],
            label=self.label[is_other],
            document=self.document[kept],
            annotators=np.bincount(alignment, minlength=len(kept)),
            group=group,
            unit_label=self.unit_label[units],
        )
        return others, kept, units


def judgments(corpus: Corpus, alignments: UnitaryAlignments, new_labels: Collection[str | None] = ()) -> Judgments:
    """Return the judgments of a corpus; `new_labels` get codes, too.

    Each unit in a document of one annotator is a unitary alignment of its own; these follow all others.
    """
    single_units = np.flatnonzero(alignments.group < 0)
    group = alignments.group.copy()
    group[single_units] = len(alignments) + np.arange(len(single_units))
    document = np.concatenate([alignments.document, corpus.unit_document[single_units]])
    has_unlabelled = None in new_labels or bool((corpus.category < 0).any())
    named = sorted({label for label in new_labels if label is not None}.difference(corpus.categories))
    labels = (*corpus.categories, *named, *((None,) if has_unlabelled else ()), NO_UNIT)
    unit_label = np.where(corpus.category < 0, len(labels) - 2, corpus.category)
    annotators = corpus.n_annotators[document]
    first_judgment = np.cumsum(annotators) - annotators
    # Every annotator of the document judges "no unit", unless a unit overwrites it.
    label = np.full(int(annotators.sum()), len(labels) - 1)
    label[first_judgment[group] + corpus.annotator_in_document] = unit_label
    return Judgments(
        labels=labels,
        alignment=np.repeat(np.arange(len(document)), annotators),
        annotator=corpus.seen[ranges(corpus.seen_offsets[document], annotators)],
        label=label,
        document=document,
        annotators=annotators,
        group=group,
        unit_label=unit_label,
    )
