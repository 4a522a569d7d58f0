"""What is drawn: the units of one document, which are aligned, what that costs, and the text where it is known."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gamma_align.alignment.align import Alignment
from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data.continuum import Continuum, Unit
from gamma_align.data.wording import counted, printable, span
from gamma_align.errors import SettingsError
from gamma_align.insight.disagreements.disagreements import Disagreements
from gamma_align.present.figures.palette import disorder_steps, label_order

Window = tuple[float, float]
"""The stretch of a document that is drawn, from and to."""
_QUOTED = 60
_WORD = 40


class Address(NamedTuple):
    """The numbers that the first unit and the first unitary alignment of a document have in the corpus."""

    unit: int = 0
    alignment: int = 0


_FIRST = Address()


@dataclass(frozen=True, eq=False)
class Scene:
    """A document to be drawn.

    Attributes
    ----------
    continuum : Continuum
        The document.
    group : ndarray of int64, shape (n_units,)
        The unitary alignment of each unit, -1 for none.
    disorder : ndarray of float64, shape (n_alignments,)
        δ of each unitary alignment.
    delta_empty : float
        δ of a unit aligned with nothing, which is drawn as the worst.
    labels : tuple of str
        The labels of the corpus, the most frequent first.
    text : str, optional
        What bounds count the code points of.
    address : Address
        What is added to the numbers of units and of unitary alignments in ``data-unit`` and ``data-alignment``.
    sizes : ndarray of int64, shape (n_alignments,), optional
        The number of units of each unitary alignment, where the continuum does not have all of them (`only`).

    Examples
    --------
    >>> continuum = ga.Continuum.from_records([("ann", 0, 4, "x"), ("ann", 6, 8, "y"), ("bob", 1, 5, "x")])
    >>> scene = Scene.of_alignment(ga.align(continuum))
    >>> scene.labels, scene.steps.tolist()
    (('x', 'y'), [1, 4])
    """

    continuum: Continuum
    group: IntArray
    disorder: FloatArray
    delta_empty: float
    labels: tuple[str, ...]
    text: str | None = None
    address: Address = _FIRST
    sizes: IntArray | None = None

    @classmethod
    def of_alignment(
        cls, alignment: Alignment, *, text: str | None = None, labels: Sequence[str] | None = None
    ) -> Scene:
        """Return the scene of an alignment; without `labels`, these are by frequency in the document."""
        continuum = alignment.continuum
        size = np.bincount(alignment.group, minlength=len(alignment))
        lone = alignment.unitary_disorders[size == 1]
        worst = float(lone.max(initial=0.0)) or 1.0
        order = tuple(dict.fromkeys([*(labels or ()), *label_order(continuum)]))
        return cls(continuum, alignment.group, alignment.unitary_disorders, worst, order, text)

    @classmethod
    def of_disagreements(cls, result: Disagreements, document: str) -> Scene:
        """Return the scene of a document; units and unitary alignments have the numbers of the corpus."""
        corpus = result.corpus
        continuum = corpus[document]
        index = corpus.documents.index(document)
        first, last = corpus.unit_offsets[index : index + 2].tolist()
        group = result.group[first:last]
        inside = group[group >= 0]
        lowest, highest = (int(inside.min()), int(inside.max()) + 1) if len(inside) else (0, 0)
        return cls(
            continuum=continuum,
            group=np.where(group >= 0, group - lowest, -1),
            disorder=result.unitary_disorders[lowest:highest],
            delta_empty=float(result.gamma.settings["delta_empty"]),
            labels=label_order(corpus),
            text=None if corpus.texts is None else corpus.texts[index],
            address=Address(first, lowest),
        )

    def __len__(self) -> int:
        return len(self.continuum)

    @cached_property
    def steps(self) -> IntArray:
        """The step of wine, 0 to 4, of each unitary alignment."""
        return disorder_steps(self.disorder, self.delta_empty)

    @cached_property
    def size(self) -> IntArray:
        """The number of units of each unitary alignment."""
        if self.sizes is not None:
            return self.sizes
        return np.bincount(self.group[self.group >= 0], minlength=len(self.disorder))

    @cached_property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Where each unitary alignment begins and ends."""
        inside = self.group >= 0
        start, end = np.full(len(self.disorder), np.inf), np.full(len(self.disorder), -np.inf)
        np.minimum.at(start, self.group[inside], self.continuum.start[inside])
        np.maximum.at(end, self.group[inside], self.continuum.end[inside])
        return start, end

    @cached_property
    def lone(self) -> BoolArray:
        """Whether each unit is aligned with nothing."""
        result: BoolArray = np.zeros(len(self), dtype=np.bool_)
        inside = self.group >= 0
        result[inside] = self.size[self.group[inside]] == 1
        return result

    def only(self, annotators: Collection[str], labels: Collection[str | None]) -> Scene:
        """Return the scene with these annotators, and the unitary alignments that have one of these labels.

        Unitary alignments keep their numbers and their disorder; units are numbered anew.

        Examples
        --------
        >>> units = [("ann", 0, 4, "x"), ("bob", 1, 5, "x"), ("bob", 7, 9, "y")]
        >>> scene = Scene.of_alignment(ga.align(ga.Continuum.from_records(units)))
        >>> part = scene.only(["bob"], ["x"])
        >>> part.continuum, part.lone.tolist()
        (<Continuum 'continuum': annotators 1, units 1>, [False])
        """
        continuum = self.continuum
        people = [number for number, name in enumerate(continuum.annotators) if name in annotators]
        wanted = np.array([mark in labels for mark in self.marks], dtype=np.bool_)[self.codes]
        has_label = np.zeros(len(self.disorder) + 1, dtype=np.bool_)
        has_label[self.group[wanted]] = True  # group -1 is the last
        has_label[-1] = False
        kept = np.isin(continuum.annotator, people) & (has_label[self.group] | (wanted & (self.group < 0)))
        place = np.zeros(len(continuum.annotators), dtype=np.int64)
        place[people] = np.arange(len(people))
        part = replace(
            continuum,
            annotators=tuple(continuum.annotators[number] for number in people),
            annotator=place[continuum.annotator[kept]],
            start=continuum.start[kept],
            end=continuum.end[kept],
            category=continuum.category[kept],
        )
        return replace(self, continuum=part, group=self.group[kept], sizes=self.size)

    @cached_property
    def units(self) -> list[Unit]:
        """The units, in the order of the continuum."""
        return list(self.continuum.units())

    @cached_property
    def codes(self) -> IntArray:
        """The number of each unit's label in the order of `labels`; one more than these for none."""
        place = {label: number for number, label in enumerate(self.labels)}
        of_code = [place[label] for label in self.continuum.categories]
        return np.array([*of_code, len(self.labels)], dtype=np.int64)[self.continuum.category]

    @property
    def marks(self) -> tuple[str | None, ...]:
        """The labels that `codes` counts, and None for units without one."""
        return (*self.labels, None)

    def window(self, window: Window | None) -> Window:
        """Return the window within the extent, which is the whole of it by default.

        Raises
        ------
        SettingsError
            For a window that is empty or outside the document.
        """
        low, high = self.continuum.extent
        if window is None or window == (low, high):
            return low, high
        start, end = window
        if not (start < end and start <= high and end >= low):
            extent = f"{span(low, high)} of document {self.continuum.document!r}"
            raise SettingsError(f"the window {span(start, end)} must be a stretch of the extent, {extent}")
        return max(start, low), min(end, high)

    def densest(self, length: float) -> Window:
        """Return the stretch of a length in which most disorder begins, of several the first; between words of a text.

        Examples
        --------
        >>> units = [("ann", 0, 4, "x"), ("ann", 60, 64, "x"), ("ann", 70, 72, "y"), ("bob", 0, 4, "x")]
        >>> continuum = ga.Continuum.from_records(units, extent=(0, 100))
        >>> Scene.of_alignment(ga.align(continuum)).densest(20)
        (56.0, 76.0)
        """
        low, high = self.continuum.extent
        order = np.argsort(self.bounds[0], kind="stable")
        order = order[self.disorder[order] > 0]
        start = self.bounds[0][order]
        if high - low <= length or not len(start):
            return low, min(high, low + length)
        last = np.searchsorted(start, start + length)
        sums = np.concatenate([[0.0], np.cumsum(self.disorder[order])])
        first = int(np.argmax(sums[last] - sums[:-1]))
        end = float(self.bounds[1][order[last[first] - 1]])
        room = max(length - (end - float(start[first])), 0.0)
        begin = min(max(float(start[first]) - room / 2, low), high - length)
        return self.between_words(begin, begin + length)

    def between_words(self, start: float, end: float) -> Window:
        """Return a window moved to the ends of words that are near."""
        if self.text is None:
            return start, end
        first, last = math.floor(start), math.ceil(end)
        before, after = self.text[max(first - _WORD, 0) : first], self.text[last : last + _WORD]
        return first - len(re.split(r"\s", before)[-1]), last + len(re.split(r"\s", after)[0])

    def in_view(self, window: Window) -> IntArray:
        """Return the units that a window has any part of, and those without length that stand in it."""
        start, end = window
        unit_start, unit_end = self.continuum.start, self.continuum.end
        is_point = unit_start == unit_end
        touches = (unit_start <= end) & (unit_end >= start)
        result: IntArray = np.flatnonzero(touches & (is_point | ((unit_start < end) & (unit_end > start))))
        return result

    def names(self, unit: int) -> dict[str, str | float]:
        """Return the attributes by which a unit is found."""
        names: dict[str, str | float] = {"data_unit": str(self.address.unit + unit)}
        if self.group[unit] >= 0:
            names |= self.alignment_name(int(self.group[unit]))
        return names

    def hidden_names(self, units: Sequence[int]) -> dict[str, str | float]:
        """Return the attribute that has the units which are only counted."""
        return {"data_hidden": " ".join(str(self.address.unit + unit) for unit in sorted(units))}

    def alignment_name(self, group: int) -> dict[str, str | float]:
        """Return the attribute by which what belongs to a unitary alignment is found."""
        return {"data_alignment": str(self.address.alignment + group)}

    def describe(self, unit: int) -> str:
        """Return who marked what where, and the disorder of its unitary alignment."""
        who, start, end, label = self.units[unit]
        words = [who, *([] if label is None else [label]), span(start, end)]
        if self.text is not None and (quoted := " ".join(self.text[int(start) : int(end)].split())):
            words.append(f"“{quoted if len(quoted) <= _QUOTED else quoted[: _QUOTED - 1] + '…'}”")
        group = int(self.group[unit])
        words += ["aligned with nothing"] if self.lone[unit] else []
        return " · ".join([*words, *([f"disorder {self.disorder[group]:.2f}"] if group >= 0 else [])])

    def sentence(self, window: Window, how: str) -> str:
        """Return what a picture of the window shows; `how` begins it."""
        name = printable(self.continuum.document)
        low, high = window
        whole = "" if (low, high) == self.continuum.extent else f", {span(low, high)}"
        counts = (
            counted(len(self.continuum.annotators), "annotator"),
            counted(len(self.in_view(window)), "unit"),
            f"{counted(self.disputed_in(window), 'unitary alignment')} with disorder",
        )
        return f"{name}{whole}: {how}; {', '.join(counts)}"

    def disputed_in(self, window: Window) -> int:
        """Return how many unitary alignments with disorder have a part in the window."""
        start, end = self.bounds
        return int(np.count_nonzero((self.disorder > 0) & (start <= window[1]) & (end >= window[0])))
