"""One document as the page shows it: its alignment, the part that is read, and one unitary alignment as a card."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from gamma_align.alignment.align import Alignment
from gamma_align.columns import IntArray
from gamma_align.data.corpus import Corpus
from gamma_align.insight.disagreements.disagreements import Disagreement
from gamma_align.insight.disagreements.shares import Share
from gamma_align.insight.disagreements.unitary_alignments import REASONS, UnitaryAlignments, unitary_alignments
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.present.figures.draw import alignment_svg
from gamma_align.present.figures.palette import label_order
from gamma_align.present.figures.scene import Address, Scene, Window
from gamma_align.present.page.cards import Card, Cards

Step = Literal["next", "previous", "worst"]
CHARACTERS, NARROW_CHARACTERS, ALIGNMENTS = 800.0, 330.0, 40
"""How much is read at a time: so many characters of a text, or about so many unitary alignments."""
_DIGITS = 4


@dataclass(frozen=True, eq=False)
class Look:
    """A document and its best alignment; unitary alignments are numbered from 1, as people count.

    Attributes
    ----------
    corpus : Corpus
        The document alone.
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
        alone = corpus.documents_between(index, index + 1)
        dissimilarity = settings.dissimilarity
        aligned = unitary_alignments(alone, dissimilarity, settings.limits)
        return cls(alone, aligned, dissimilarity.delta_empty, label_order(corpus))

    @property
    def alignments(self) -> int:
        """The number of unitary alignments."""
        return len(self.aligned)

    @property
    def group(self) -> IntArray:
        """The unitary alignment of each unit, from 0; -1 for none."""
        return self.aligned.group

    @cached_property
    def scene(self) -> Scene:
        """The whole document, to be drawn."""
        return Scene(
            continuum=self.corpus.continuum(0),
            group=self.group,
            disorder=self.aligned.disorder,
            delta_empty=self.delta_empty or 1.0,
            labels=self.labels,
            text=None if self.corpus.texts is None else self.corpus.texts[0],
            address=Address(0, 1),
        )

    def shown(self, hidden: Collection[str], hidden_labels: Collection[str]) -> Scene:
        """Return the document without the annotators and labels that are hidden."""
        if not hidden and not hidden_labels:
            return self.scene
        people = [name for name in self.scene.continuum.annotators if name not in hidden]
        return self.scene.only(people, [mark for mark in self.scene.marks if (mark or "") not in hidden_labels])

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
        """The proven relative gap of the alignment, 0 where it is optimal."""
        return float(self.aligned.gaps[0])

    @property
    def undisputed(self) -> int:
        """How many unitary alignments have no disorder at all."""
        return int(np.count_nonzero(~self.aligned.disputed))

    def length(self, *, is_narrow: bool) -> float:
        """Return how long a stretch is read at a time."""
        low, high = self.scene.continuum.extent
        if self.scene.text is not None:
            return min(NARROW_CHARACTERS if is_narrow else CHARACTERS, high - low)
        return (high - low) * min(ALIGNMENTS / max(self.alignments, 1), 1.0)

    def window(self, asked: Window | None, at: int | None, *, is_narrow: bool) -> Window:
        """Return what is read: what was asked for, moved to the chosen alignment; else where disorder is densest."""
        low, high = self.scene.continuum.extent
        length = self.length(is_narrow=is_narrow)
        if asked is None or not (asked[0] < asked[1] and asked[0] < high and asked[1] > low):
            asked = self.scene.densest(length) if at is None else None
        if at is not None:
            start, end = (float(bound[at - 1]) for bound in self.scene.bounds)
            is_seen = asked is not None and asked[0] <= start and (end <= asked[1] or start - asked[0] < length / 4)
            if not is_seen:
                begin = min(max(start - max(length - (end - start), length / 4) / 2, low), max(high - length, low))
                asked = self.scene.between_words(begin, begin + length)
        return self._rounded(asked or (low, high))

    def _rounded(self, window: Window) -> Window:
        """Return a window with bounds that are short in an address, within the document."""
        low, high = self.scene.continuum.extent
        length = window[1] - window[0]
        digits = max(_DIGITS - math.ceil(math.log10(length)), 0) if length > 0 else 0
        digits = 0 if self.scene.text is not None else digits
        start, end = (round(bound, digits) for bound in window)
        return (max(start, low), min(end, high)) if max(start, low) < min(end, high) else (low, high)

    def step(self, go: Step, at: int | None, window: Window, scene: Scene) -> int | None:
        """Return the number of the next, previous or worst unitary alignment with disorder in what is shown."""
        start, _ = scene.bounds
        numbers = np.flatnonzero((scene.disorder > 0) & np.isfinite(start))
        numbers = numbers[np.lexsort((numbers, start[numbers]))]
        if not len(numbers):
            return None
        if go == "worst":
            return int(numbers[np.argmax(scene.disorder[numbers])]) + 1
        here = (self.scene.bounds[0][at - 1], at - 1) if at is not None else (window[0], -1)
        before = [(start[number], number) < here for number in numbers.tolist()]
        place = sum(before)
        if go == "previous":
            return int(numbers[max(place - 1, 0)]) + 1
        place += at is not None and place < len(numbers) and int(numbers[place]) == at - 1
        return int(numbers[min(place, len(numbers) - 1)]) + 1

    @cached_property
    def _cards(self) -> Cards:
        return Cards(self)

    def card(self, at: int) -> Card:
        """Return the card of a unitary alignment, which may have no disorder."""
        index, aligned, continuum = at - 1, self.aligned, self.scene.continuum
        missing, position, category = aligned.parts[index].tolist()
        disorder = float(aligned.disorder[index])
        share = disorder / self.disorder.disorder if disorder else 0.0
        units = tuple(self.scene.units[unit] for unit in np.flatnonzero(aligned.group == index).tolist())
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
        """Return the picture of what is read as a file."""
        disorder = self.observed
        bound = disorder * (1.0 - self.gap)
        alignment = Alignment(
            self.scene.continuum, self.group, self.aligned.disorder, disorder, bound, is_optimal=self.gap == 0
        )
        return alignment_svg(alignment, text=self.scene.text, window=window, labels=self.labels)
