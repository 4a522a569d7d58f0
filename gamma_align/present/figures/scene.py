"""The data of a picture: the units of one document, their alignment and its disorder, and the text if it is known."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gamma_align.alignment import Alignment
from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data import Continuum, Unit, counted, printable, span
from gamma_align.errors import SettingsError
from gamma_align.insight.disagreements import Disagreements
from gamma_align.present.figures.palette import disorder_steps, label_order

Window = tuple[float, float]
"""First and last position of the part of a document that is drawn."""
_MAX_QUOTE_LENGTH = 60  # characters of the text in a title
_MAX_WORD_LENGTH = 40  # characters; a window is not extended to the ends of longer words


class Address(NamedTuple):
    """Index of the first unit and of the first unitary alignment of a document in the corpus."""

    unit: int = 0
    alignment: int = 0


_FIRST = Address()  # a document outside a corpus


@dataclass(frozen=True, eq=False)
class Scene:
    """A document to draw.

    Attributes
    ----------
    continuum : Continuum
        The document.
    group : ndarray of int64, shape (n_units,)
        The unitary alignment of each unit, -1 for none.
    disorder : ndarray of float64, shape (n_alignments,)
        δ of each unitary alignment.
    delta_empty : float
        δ of a unit aligned with nothing, which has the darkest colour.
    labels : tuple of str
        The labels of the corpus, the most frequent first.
    text : str, optional
        The text, if units begin and end at code points of it.
    address : Address
        Offsets that are added to units and unitary alignments in ``data-unit`` and ``data-alignment``.
    sizes : ndarray of int64, shape (n_alignments,), optional
        The number of units of each unitary alignment, if the continuum contains only some of them (`only`).
    cover : tuple of ndarray of int64, shape (n_members,) each, optional
        The unit and the unitary alignment of each membership, if a unit may be in several; `group` has the first one.
    fates : tuple of str, optional
        What became of the units of each unitary alignment, if the annotators are two versions of one; it is said in
        place of the disorder.

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
    cover: tuple[IntArray, IntArray] | None = None
    fates: tuple[str, ...] | None = None

    @classmethod
    def of_alignment(
        cls, alignment: Alignment, *, text: str | None = None, labels: Sequence[str] | None = None
    ) -> Scene:
        """Return the scene of an alignment; by default, labels are sorted by their frequency in the document."""
        continuum = alignment.continuum
        size = np.bincount(alignment.members[1], minlength=len(alignment))
        lone = alignment.unitary_disorders[size == 1]
        worst = float(lone.max(initial=0.0)) or 1.0
        all_labels = tuple(dict.fromkeys([*(labels or ()), *label_order(continuum)]))
        columns = continuum, alignment.group, alignment.unitary_disorders, worst, all_labels, text
        return cls(*columns, cover=alignment.cover)

    @classmethod
    def of_disagreements(cls, result: Disagreements, document: str) -> Scene:
        """Return the scene of a document; units and unitary alignments are numbered as in the corpus."""
        corpus = result.corpus
        continuum = corpus[document]
        index = corpus.documents.index(document)
        first, last = corpus.unit_offsets[index : index + 2].tolist()
        group = result.group[first:last]
        cover = None
        aligned = group[group >= 0]
        if result.cover is not None:
            is_here = (result.cover[0] >= first) & (result.cover[0] < last)
            aligned = result.cover[1][is_here]
            cover = result.cover[0][is_here] - first, aligned - aligned.min(initial=result.alignments)
        # the unitary alignments of a document are consecutive
        lowest, highest = (int(aligned.min()), int(aligned.max()) + 1) if len(aligned) else (0, 0)
        return cls(
            continuum=continuum,
            group=np.where(group >= 0, group - lowest, -1),
            disorder=result.unitary_disorders[lowest:highest],
            delta_empty=float(result.gamma.settings["delta_empty"]),
            labels=label_order(corpus),
            text=None if corpus.texts is None else corpus.texts[index],
            address=Address(first, lowest),
            cover=cover,
        )

    def __len__(self) -> int:
        return len(self.continuum)

    @cached_property
    def steps(self) -> IntArray:
        """Step of disorder, 0 to 4, of each unitary alignment."""
        return disorder_steps(self.disorder, self.delta_empty)

    @cached_property
    def members(self) -> tuple[IntArray, IntArray]:
        """The unit and the unitary alignment of each membership; without units that are in none."""
        if self.cover is not None:
            return self.cover
        units = np.flatnonzero(self.group >= 0)
        return units, self.group[units]

    @cached_property
    def groups_of_units(self) -> list[list[int]]:
        """The unitary alignments of each unit, ascending."""
        groups: list[list[int]] = [[] for _ in range(len(self))]
        for unit, group in sorted(zip(*(column.tolist() for column in self.members), strict=True)):
            groups[unit].append(group)
        return groups

    @cached_property
    def size(self) -> IntArray:
        """Number of units of each unitary alignment."""
        if self.sizes is not None:
            return self.sizes
        return np.bincount(self.members[1], minlength=len(self.disorder))

    @cached_property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """First start and last end of the units of each unitary alignment."""
        units, groups = self.members
        start = np.full(len(self.disorder), np.inf)
        end = np.full(len(self.disorder), -np.inf)
        np.minimum.at(start, groups, self.continuum.start[units])
        np.maximum.at(end, groups, self.continuum.end[units])
        return start, end

    @cached_property
    def lone(self) -> BoolArray:
        """Whether each unit is aligned with nothing."""
        result: BoolArray = np.zeros(len(self), dtype=np.bool_)
        is_aligned = self.group >= 0
        result[is_aligned] = self.size[self.group[is_aligned]] == 1
        return result

    def only(self, annotators: Collection[str], labels: Collection[str | None]) -> Scene:
        """Return the scene of these annotators, with the unitary alignments that contain one of these labels.

        Unitary alignments keep their numbers and their disorder; units are renumbered.

        Examples
        --------
        >>> units = [("ann", 0, 4, "x"), ("bob", 1, 5, "x"), ("bob", 7, 9, "y")]
        >>> scene = Scene.of_alignment(ga.align(ga.Continuum.from_records(units)))
        >>> part = scene.only(["bob"], ["x"])
        >>> part.continuum, part.lone.tolist()
        (<Continuum 'continuum': annotators 1, units 1>, [False])
        """
        continuum = self.continuum
        selected = [index for index, name in enumerate(continuum.annotators) if name in annotators]
        unit_has_label = np.array([label in labels for label in self.marks], dtype=np.bool_)[self.codes]
        group_has_label = np.zeros(len(self.disorder) + 1, dtype=np.bool_)
        units, groups = self.members
        group_has_label[groups[unit_has_label[units]]] = True
        is_kept = unit_has_label & (self.group < 0)
        is_kept[units[group_has_label[groups]]] = True
        is_kept &= np.isin(continuum.annotator, selected)
        new_index = np.zeros(len(continuum.annotators), dtype=np.int64)
        new_index[selected] = np.arange(len(selected))
        part = replace(
            continuum,
            annotators=tuple(continuum.annotators[index] for index in selected),
            annotator=new_index[continuum.annotator[is_kept]],
            start=continuum.start[is_kept],
            end=continuum.end[is_kept],
            category=continuum.category[is_kept],
        )
        cover = None
        if self.cover is not None:
            is_shown = is_kept[units] & group_has_label[groups]
            cover = (np.cumsum(is_kept) - 1)[units[is_shown]], groups[is_shown]
        return replace(self, continuum=part, group=self.group[is_kept], sizes=self.size, cover=cover)

    @cached_property
    def units(self) -> list[Unit]:
        """The units, in the order of the continuum."""
        return list(self.continuum.units())

    @cached_property
    def codes(self) -> IntArray:
        """Index of the label of each unit in `labels`, or the number of labels if the unit has none."""
        index = {label: code for code, label in enumerate(self.labels)}
        indices = [index[label] for label in self.continuum.categories]
        # category -1, no label, indexes the last element
        return np.array([*indices, len(self.labels)], dtype=np.int64)[self.continuum.category]

    @property
    def marks(self) -> tuple[str | None, ...]:
        """The labels by code, with None, no label, as the last."""
        return (*self.labels, None)

    def window(self, window: Window | None) -> Window:
        """Return the window, clipped to the extent; None is the whole extent.

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
        """Return the window of a length in which the most disorder begins; among ties, the first.

        With a text, the window is moved to the ends of words.

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
        # a window that begins with each unitary alignment suffices to find the largest sum
        last = np.searchsorted(start, start + length)
        sums = np.concatenate([[0.0], np.cumsum(self.disorder[order])])
        first = int(np.argmax(sums[last] - sums[:-1]))
        end = float(self.bounds[1][order[last[first] - 1]])
        room = max(length - (end - float(start[first])), 0.0)
        begin = min(max(float(start[first]) - room / 2, low), high - length)
        return self.between_words(begin, begin + length)

    def densest_part(self, characters: float, n_units: int) -> Window:
        """Return the densest window of about so many characters; without a text, of about so many units."""
        low, high = self.continuum.extent
        if self.text is not None:
            return self.densest(characters)
        return self.densest((high - low) * min(n_units / max(len(self), 1), 1.0))

    def between_words(self, start: float, end: float) -> Window:
        """Return a window extended to the ends of the words that it cuts."""
        if self.text is None:
            return start, end
        first = math.floor(start)
        last = math.ceil(end)
        before = self.text[max(first - _MAX_WORD_LENGTH, 0) : first]
        after = self.text[last : last + _MAX_WORD_LENGTH]
        return first - len(re.split(r"\s", before)[-1]), last + len(re.split(r"\s", after)[0])

    def in_view(self, window: Window) -> IntArray:
        """Return the indices of the units that overlap a window, and of the units without length in it."""
        start, end = window
        unit_start = self.continuum.start
        unit_end = self.continuum.end
        is_point = unit_start == unit_end
        touches = (unit_start <= end) & (unit_end >= start)
        result: IntArray = np.flatnonzero(touches & (is_point | ((unit_start < end) & (unit_end > start))))
        return result

    def unit_attributes(self, unit: int) -> dict[str, str | float]:
        """Return the attributes that identify a unit and its unitary alignment."""
        attributes: dict[str, str | float] = {"data_unit": str(self.address.unit + unit)}
        if self.group[unit] >= 0:
            attributes |= self.alignment_attribute(int(self.group[unit]))
        return attributes

    def hidden_attribute(self, units: Sequence[int]) -> dict[str, str | float]:
        """Return the attribute that lists units that are counted instead of drawn."""
        return {"data_hidden": " ".join(str(self.address.unit + unit) for unit in sorted(units))}

    def alignment_attribute(self, group: int) -> dict[str, str | float]:
        """Return the attribute that identifies a unitary alignment."""
        return {"data_alignment": str(self.address.alignment + group)}

    def describe(self, unit: int) -> str:
        """Return annotator, label, position and text of a unit, and the disorder or fate of its unitary alignment."""
        annotator, start, end, label = self.units[unit]
        parts = [annotator, span(start, end)] if label is None else [annotator, label, span(start, end)]
        if self.text is not None and (quoted := " ".join(self.text[int(start) : int(end)].split())):
            parts.append(f"“{quoted if len(quoted) <= _MAX_QUOTE_LENGTH else quoted[: _MAX_QUOTE_LENGTH - 1] + '…'}”")
        if self.fates is not None:
            return " · ".join([*parts, self.fates[int(self.group[unit])]])
        if self.lone[unit]:
            parts.append("aligned with nothing")
        groups = self.groups_of_units[unit]
        if len(groups) > 1:
            parts.append(f"in {len(groups)} unitary alignments")
        if groups:
            parts.append(f"disorder {', '.join(f'{self.disorder[group]:.2f}' for group in groups)}")
        return " · ".join(parts)

    def sentence(self, window: Window, form: str) -> str:
        """Return a description of a picture of the window; `form` names the form of the picture."""
        name = printable(self.continuum.document)
        low, high = window
        position = "" if (low, high) == self.continuum.extent else f", {span(low, high)}"
        n_units = counted(len(self.in_view(window)), "unit")
        if self.fates is not None:
            return f"{name}{position}: {form}; {n_units} in two versions, {counted(self.disputed_in(window), 'change')}"
        counts = (
            counted(len(self.continuum.annotators), "annotator"),
            n_units,
            f"{counted(self.disputed_in(window), 'unitary alignment')} with disorder",
        )
        return f"{name}{position}: {form}; {', '.join(counts)}"

    def disputed_in(self, window: Window) -> int:
        """Return the number of unitary alignments with disorder that overlap the window."""
        start, end = self.bounds
        return int(np.count_nonzero((self.disorder > 0) & (start <= window[1]) & (end >= window[0])))
