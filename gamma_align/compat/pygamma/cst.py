"""The corpus shuffling tool of M15 §6.3, with pygamma-agreement's names and random numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from gamma_align.columns import FloatArray
from gamma_align.compat.pygamma.continuum import Continuum
from gamma_align.compat.pygamma.notes import note
from gamma_align.compat.pygamma.unit import Segment, Unit

_MIN_CUT = 0.01  # of the length of a unit that is split: its first part is at least this long


class CorpusShufflingTool:
    """Degraded copies of a reference: of the first annotator, in alphabetical order, of a continuum.

    Parameters
    ----------
    magnitude : float
        m, from 0 (a copy) to 1.
    reference_continuum : Continuum
        The reference.
    categories : iterable of str, optional
        Further categories.
    """

    SHIFT_FACTOR = 2
    SPLIT_FACTOR = 2.5
    FALSE_POS_FACTOR = 1

    def __init__(
        self, magnitude: float, reference_continuum: Continuum, categories: Iterable[str] | None = None
    ) -> None:
        self.magnitude = magnitude
        self._reference_continuum = reference_continuum
        if len(reference_continuum.annotators) > 1:
            note("a reference of several annotators was given: the first in alphabetical order is the reference")
        self._reference_annotator = reference_continuum.annotators[0]
        for category in categories or ():
            reference_continuum.categories.add(category)

    def corpus_from_reference(self, new_annotators: int | Iterable[str]) -> Continuum:
        """Return a copy of the reference for each new annotator; a number of them has names of its own."""
        reference = self._reference_continuum
        continuum = self._reference_continuum.copy_flush()
        continuum.categories.update(reference.categories)
        if isinstance(new_annotators, int):
            new_annotators = [f"annotator_{index}" for index in range(new_annotators)]
        names = list(new_annotators)
        for unit in reference.iter_annotator(self._reference_annotator):
            for name in names:
                continuum.add(name, unit.segment, unit.annotation)
        return continuum

    def shift_shuffle(self, continuum: Continuum) -> None:
        """Move each bound by up to m · 2 · (mean length of units)."""
        limit = self.magnitude * self.SHIFT_FACTOR * self._reference_continuum.avg_length_unit
        for annotator in continuum.annotators:
            for unit in continuum[annotator]:
                continuum.remove(annotator, unit)
                start = 0.0
                end = 0.0
                while start >= end:
                    start = unit.segment.start + np.random.uniform(-1, 1) * limit
                    end = unit.segment.end + np.random.uniform(-1, 1) * limit
                continuum.add(annotator, Segment(start, end), unit.annotation)

    def false_neg_shuffle(self, continuum: Continuum) -> None:
        """Remove each unit with probability m; one of each annotator stays."""
        for annotator in continuum.annotators:
            units = continuum[annotator]
            kept = units[np.random.choice(len(units))]
            for unit in units:
                if np.random.random() < self.magnitude:
                    continuum.remove(annotator, unit)
            if not len(continuum[annotator]):
                continuum.add(annotator, kept.segment, kept.annotation)

    def false_pos_shuffle(self, continuum: Continuum) -> None:
        """Add ⌊m · (units of the reference)⌋ units to each annotator, with frequencies and lengths of the reference."""
        reference = self._reference_continuum
        units = reference[self._reference_annotator]
        lengths = [unit.segment.end - unit.segment.start for unit in units]
        mean = float(np.average(lengths))
        deviation = float(np.std(lengths))
        weights = reference.category_weights
        labels = list(weights)
        shares = list(weights.values())
        count = int(self.magnitude * self.FALSE_POS_FACTOR * len(units))
        if count != int(self.magnitude * self.FALSE_POS_FACTOR * len(reference)):
            note(
                "false positives are counted by the units of the reference; pygamma-agreement counts by its annotators"
            )
        for annotator in continuum.annotators:
            for _ in range(count):
                label = labels[np.random.choice(len(labels), p=shares)]
                centre = np.random.uniform(*reference.bounds)
                length = abs(np.random.normal(mean, deviation))
                continuum.add(annotator, Segment(centre - length / 2, centre + length / 2), label)

    def category_shuffle(
        self,
        continuum: Continuum,
        overlapping_fun: Callable[[str, str], float] | None = None,
        prevalence: bool = False,
    ) -> None:
        """Redraw the category of each unit; the larger m is, the more often it changes.

        Parameters
        ----------
        continuum : Continuum
            The continuum, which is changed.
        overlapping_fun : callable, optional
            From two labels to how easily the first is taken for the second.
        prevalence : bool
            Draw categories by their frequencies; else all are equally probable.
        """
        weights = self._reference_continuum.category_weights
        labels = list(weights)
        n_labels = len(weights)
        m = self.magnitude
        shares = np.array([*weights.values()]) if prevalence else np.full(n_labels, 1.0 / n_labels)
        if n_labels > 1 and not np.allclose(list(weights.values()), 1.0 / n_labels):
            note("prevalence=True draws categories by their frequencies; pygamma-agreement has it the other way round")
        if overlapping_fun is None:
            table = np.eye(n_labels) * (1 - m**2) + shares * m**2
        else:
            overlap = np.array([[overlapping_fun(str(a), str(b)) for b in labels] for a in labels])
            overlap = overlap / overlap.sum(axis=1, keepdims=True)
            table = np.eye(n_labels) * (1 - m) + shares * m**3 + overlap * (m - m**3)
        for annotator in continuum.annotators:
            for unit in continuum[annotator]:
                continuum.remove(annotator, unit)
                label = labels[np.random.choice(n_labels, p=_row(table, labels.index(unit.annotation)))]
                continuum.add(annotator, unit.segment, label)

    def splits_shuffle(self, continuum: Continuum) -> None:
        """Cut ⌊m · 2.5 · (units of an annotator)⌋ times a random unit of each annotator in two."""
        count = int(self.magnitude * self.SPLIT_FACTOR * self._reference_continuum.avg_num_annotations_per_annotator)
        for _ in range(count):
            for annotator in continuum.annotators:
                units = continuum[annotator]
                unit = units[np.random.randint(0, len(units))]
                continuum.remove(annotator, unit)
                start, end = unit.segment
                cut = np.random.uniform(start + (end - start) * _MIN_CUT, end)
                _add_parts(continuum, annotator, unit, (Segment(cut, end), Segment(start, cut)))

    def corpus_shuffle(
        self,
        annotators: int | Iterable[str],
        shift: bool = False,
        false_pos: bool = False,
        false_neg: bool = False,
        split: bool = False,
        cat_shuffle: bool = False,
        include_ref: bool = False,
    ) -> Continuum:
        """Return copies of the reference with errors of these kinds, and with the reference itself if asked."""
        continuum = self.corpus_from_reference(annotators)
        kinds = (
            (shift, self.shift_shuffle),
            (false_pos, self.false_pos_shuffle),
            (false_neg, self.false_neg_shuffle),
            (cat_shuffle, self.category_shuffle),
            (split, self.splits_shuffle),
        )
        for is_asked, shuffle in kinds:
            if is_asked:
                shuffle(continuum)
        if include_ref:
            assert self._reference_annotator not in continuum.annotators, (
                "Reference annotator can't be included: the generated corpus has an annotator with the same name."
            )
            for unit in self._reference_continuum.iter_annotator(self._reference_annotator):
                continuum.add(self._reference_annotator, unit.segment, unit.annotation)
        return continuum


def _row(table: FloatArray, index: int) -> FloatArray:
    row: FloatArray = table[index]
    return row


def _add_parts(continuum: Continuum, annotator: str, unit: Unit, parts: Sequence[Segment]) -> None:
    """Add the parts of a unit; the unit itself if one of them has no length."""
    are_units = all(part.duration > 0 for part in parts)
    segments = parts if are_units else [unit.segment]
    for segment in segments:
        continuum.add(annotator, segment, unit.annotation)
