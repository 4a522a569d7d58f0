"""The judgments on unitary alignments: what each annotator who saw the document says of each of them.

A unitary alignment is an item; the category of the annotator's unit in it is the judgment, and where there is none the
judgment is "no unit". Codes are those of the categories, then of no category where units have none, then of no unit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gamma_align.columns import IntArray, ranges
from gamma_align.data.corpus import Corpus
from gamma_align.insight.disagreements.unitary_alignments import UnitaryAlignments

NO_UNIT = "(no unit)"
"""What the judgment that there is no unit is called."""


@dataclass(frozen=True, slots=True, eq=False)
class Judgments:
    """Who says what of which unitary alignment, sorted by these.

    `labels` are the categories, None for no category, and `NO_UNIT`, the last. `alignment`, `annotator` and `label` are
    codes of each judgment, shape (n_judgments,); `document` and `annotators` (how many saw it) of each unitary
    alignment, shape (n_alignments,); `group` is the unitary alignment of each unit and `said` its code, shape
    (n_units,).
    """

    labels: tuple[str | None, ...]
    alignment: IntArray
    annotator: IntArray
    label: IntArray
    document: IntArray
    annotators: IntArray
    group: IntArray
    said: IntArray

    def __len__(self) -> int:
        return len(self.document)

    @property
    def no_unit(self) -> int:
        """The code of the judgment that there is no unit."""
        return len(self.labels) - 1

    @property
    def votes(self) -> IntArray:
        """How many annotators have a unit in each unitary alignment, shape (n_alignments,)."""
        return np.bincount(self.group, minlength=len(self))

    @property
    def preference(self) -> IntArray:
        """The codes of what units are, those of most units first, then in their order: which one a tie goes to."""
        counts = np.bincount(self.said, minlength=self.no_unit)
        return np.argsort(-counts, kind="stable")


def judgments(corpus: Corpus, alignments: UnitaryAlignments) -> Judgments:
    """Return the judgments of a corpus; units in documents of one annotator are unitary alignments after all others."""
    alone = np.flatnonzero(alignments.group < 0)
    group = alignments.group.copy()
    group[alone] = len(alignments) + np.arange(len(alone))
    document = np.concatenate([alignments.document, corpus.unit_document[alone]])
    unlabelled = (None,) * bool((corpus.category < 0).any())
    labels = (*corpus.categories, *unlabelled, NO_UNIT)
    said = np.where(corpus.category < 0, len(corpus.categories), corpus.category)
    annotators = corpus.n_annotators[document]
    offsets = np.cumsum(annotators) - annotators
    label = np.full(int(annotators.sum()), len(labels) - 1)
    label[offsets[group] + corpus.annotator_in_document] = said
    return Judgments(
        labels=labels,
        alignment=np.repeat(np.arange(len(document)), annotators),
        annotator=corpus.seen[ranges(corpus.seen_offsets[document], annotators)],
        label=label,
        document=document,
        annotators=annotators,
        group=group,
        said=said,
    )
