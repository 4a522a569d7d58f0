"""One document for the page: its alignment, the window that is shown, and cards of unitary alignments."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from gamma_align.alignment import Alignment
from gamma_align.columns import IntArray
from gamma_align.data import Corpus
from gamma_align.insight.disagreements import REASONS, Disagreement, Share, UnitaryAlignments
from gamma_align.insight.disagreements.unitary_alignments import unitary_alignments
from gamma_align.measures.gamma import GammaSettings
from gamma_align.present.figures import Address, Scene, Window, alignment_svg, label_order
from gamma_align.present.page import Card, Cards

Step = Literal["next", "previous", "worst"]
WINDOW_CHARACTERS = 800.0  # of a text: about half a printed page
NARROW_WINDOW_CHARACTERS = 330.0  # the same on a phone
WINDOW_ALIGNMENTS = 40  # unitary alignments shown of a document without a text, about
_WINDOW_DIGITS = 4  # significant digits of the bounds of a window in an address


@dataclass(frozen=True, eq=False)
class Look:
    """A document and its best alignment. Unitary alignments are numbered from 1.

    Attributes
    ----------
    corpus : Corpus
        A corpus of this document alone.
    aligned : UnitaryAlignments
        Its unitary alignments.
    delta_empty : float
        δ of a unit aligned with nothing.
    labels : tuple of str
        The labels of the whole corpus, the most frequent first.
    """

    corpus: Corpus
    aligned: UnitaryAlignments
    delta_empty: float
    labels: tuple[str, ...]

    @classmethod
    def of(cls, corpus: Corpus, document: str, settings: GammaSettings) -> Look:
        """Align a document of a corpus."""
        index = corpus.documents.index(document)
        document_corpus = corpus.documents_between(index, index + 1)
        dissimilarity = settings.dissimilarity
        aligned = unitary_alignments(document_corpus, dissimilarity, settings.limits, alignment=settings.alignment)
        return cls(document_corpus, aligned, dissimilarity.delta_empty, label_order(corpus))

    @classmethod
    def unaligned(cls, corpus: Corpus, document: str) -> Look:
        """Return a document of a corpus without an alignment; its gap is NaN."""
        index = corpus.documents.index(document)
        document_corpus = corpus.documents_between(index, index + 1)
        nothing = np.empty(0)
        aligned = UnitaryAlignments(
            group=np.full(document_corpus.n_units, -1),
            document=nothing.astype(np.int64),
            size=nothing.astype(np.int64),
            start=nothing,
            end=nothing,
            disorder=nothing,
            parts=np.empty((0, len(REASONS))),
            gaps=np.array([math.nan]),
        )
        return cls(document_corpus, aligned, 1.0, label_order(corpus))

    @property
    def alignments(self) -> int:
        """The number of unitary alignments."""
        return len(self.aligned)

    @property
    def group(self) -> IntArray:
        """The unitary alignment of each unit, from 0; -1 for none."""
        return self.aligned.group

    @property
    def cover(self) -> tuple[IntArray, IntArray] | None:
        """The unit and the unitary alignment of each membership in a cover; None if each unit is in one."""
        return None if self.aligned.cover is None else (self.aligned.cover, self.aligned.member_group)

    @cached_property
    def scene(self) -> Scene:
        """The full document as a scene."""
        return Scene(
            continuum=self.corpus.continuum(0),
            group=self.group,
            disorder=self.aligned.disorder,
            delta_empty=self.delta_empty or 1.0,
            labels=self.labels,
            text=None if self.corpus.texts is None else self.corpus.texts[0],
            address=Address(0, 1),
            cover=self.cover,
        )

    def shown(self, hidden: Collection[str], hidden_labels: Collection[str]) -> Scene:
        """Return the document without hidden annotators and labels."""
        if not hidden and not hidden_labels:
            return self.scene
        annotators = [name for name in self.scene.continuum.annotators if name not in hidden]
        return self.scene.only(annotators, [mark for mark in self.scene.marks if (mark or "") not in hidden_labels])

    @cached_property
    def disorder(self) -> Share:
        """The disorder of the document and its parts."""
        missing, position, category = self.aligned.parts.sum(axis=0).tolist()
        return Share(float(self.aligned.disorder.sum()), missing, position, category, 1.0)

    @property
    def observed(self) -> float:
        """The disorder of the alignment, (1/x̄) Σ δ(ă), NaN without unitary alignments (M15 §4.3)."""
        mean = self.scene.continuum.mean_units
        return self.disorder.disorder / mean if self.alignments and mean else math.nan

    @property
    def gap(self) -> float:
        """The proven relative gap of the alignment, 0 if it is optimal."""
        return float(self.aligned.gaps[0])

    @property
    def undisputed(self) -> int:
        """The number of unitary alignments without disorder."""
        return int(np.count_nonzero(~self.aligned.disputed))

    def length(self, *, is_narrow: bool) -> float:
        """Return the length of a window."""
        low, high = self.scene.continuum.extent
        if self.scene.text is not None:
            return min(NARROW_WINDOW_CHARACTERS if is_narrow else WINDOW_CHARACTERS, high - low)
        return (high - low) * min(WINDOW_ALIGNMENTS / max(self.alignments, 1), 1.0)

    def window(self, requested: Window | None, at: int | None, *, is_narrow: bool) -> Window:
        """Return the requested window, moved to the selected alignment if that is outside; by default the worst one."""
        low, high = self.scene.continuum.extent
        length = self.length(is_narrow=is_narrow)
        if requested is None or not (requested[0] < requested[1] and requested[0] < high and requested[1] > low):
            requested = self.scene.densest(length) if at is None else None
        if at is not None:
            start, end = (float(bound[at - 1]) for bound in self.scene.bounds)
            if requested is None or not _shows(requested, start, end, length):
                # The alignment is centred; the start of a long one is an eighth of the window from the left edge.
                left_edge = start - max(length - (end - start), length / 4) / 2
                left_edge = min(max(left_edge, low), max(high - length, low))
                requested = self.scene.between_words(left_edge, left_edge + length)
        return self._rounded(requested or (low, high))

    def _rounded(self, window: Window) -> Window:
        """Return a window within the document with rounded bounds, which are short in an address."""
        low, high = self.scene.continuum.extent
        length = window[1] - window[0]
        digits = max(_WINDOW_DIGITS - math.ceil(math.log10(length)), 0) if length > 0 else 0
        if self.scene.text is not None:
            digits = 0
        start, end = (round(bound, digits) for bound in window)
        start = max(start, low)
        end = min(end, high)
        return (start, end) if start < end else (low, high)

    def step(self, go: Step, at: int | None, window: Window, scene: Scene) -> int | None:
        """Return the number of the next, previous or worst unitary alignment with disorder in a scene."""
        start, _ = scene.bounds
        # An alignment without a visible unit has no finite start.
        numbers = np.flatnonzero((scene.disorder > 0) & np.isfinite(start))
        numbers = numbers[np.lexsort((numbers, start[numbers]))]
        if not len(numbers):
            return None
        if go == "worst":
            return int(numbers[np.argmax(scene.disorder[numbers])]) + 1
        # -1 precedes every number, so an alignment that starts with the window comes after it.
        current = (self.scene.bounds[0][at - 1], at - 1) if at is not None else (window[0], -1)
        index = sum((start[number], number) < current for number in numbers.tolist())
        if go == "previous":
            return int(numbers[max(index - 1, 0)]) + 1
        if at is not None and index < len(numbers) and int(numbers[index]) == at - 1:
            index += 1
        return int(numbers[min(index, len(numbers) - 1)]) + 1

    @cached_property
    def _cards(self) -> Cards:
        return Cards(self)

    def card(self, at: int) -> Card:
        """Return the card of a unitary alignment, with or without disorder."""
        index = at - 1
        aligned = self.aligned
        continuum = self.scene.continuum
        missing, position, category = aligned.parts[index].tolist()
        disorder = float(aligned.disorder[index])
        share = disorder / self.disorder.disorder if disorder else 0.0
        members = aligned.members[aligned.offsets[index] : aligned.offsets[index + 1]]
        units = tuple(self.scene.units[unit] for unit in members.tolist())
        present = {unit.annotator for unit in units}
        row = Disagreement(
            number=index,
            document=continuum.document,
            start=float(aligned.start[index]),
            end=float(aligned.end[index]),
            disorder=Share(disorder, missing, position, category, share),
            reason=REASONS[int(aligned.reason[index])],
            kind=-1,
            words=None,
            units=units,
            absent=tuple(name for name in continuum.annotators if name not in present),
        )
        return self._cards.card(row)

    def svg(self, window: Window) -> str:
        """Return the picture of a window as an SVG file."""
        disorder = self.observed
        bound = disorder * (1.0 - self.gap)
        columns = self.scene.continuum, self.group, self.aligned.disorder, disorder, bound
        alignment = Alignment(*columns, is_optimal=self.gap == 0, cover=self.cover)
        return alignment_svg(alignment, text=self.scene.text, window=window, labels=self.labels)


def _shows(window: Window, start: float, end: float, length: float) -> bool:
    """Return whether a window shows an alignment: in full, or its start in the first quarter."""
    return window[0] <= start and (end <= window[1] or start - window[0] < length / 4)
