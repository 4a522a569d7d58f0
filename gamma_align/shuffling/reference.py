"""The reference that is degraded: one annotator's units of some documents, and what they are like on the whole.

Mean length, spread of lengths and frequencies of categories are those of the whole reference, all its documents
together, so that documents of few units are degraded like others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gamma_align.data.batch import ranges
from gamma_align.data.corpus import Continuum, Corpus
from gamma_align.errors import InputError, SettingsError

if TYPE_CHECKING:
    from gamma_align._types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """One annotation of each of some documents.

    Attributes
    ----------
    documents, categories : tuple of str
        Names; `category` points into the second.
    offsets : ndarray of int64, shape (n_documents + 1,)
        Where each document's units begin.
    start, end, category : ndarray, shape (n_units,)
        The units, sorted by (start, end, category) within a document.
    extents : ndarray of float64, shape (n_documents, 2)
        [L, R] of each document.
    integral : ndarray of bool, shape (n_documents,)
        Documents whose bounds, of units and extent, are all integers.
    length_unit : str or None
        Name of the unit of length.
    texts : tuple of (str or None), optional
        The text of each document.
    """

    documents: tuple[str, ...]
    categories: tuple[str, ...]
    offsets: IntArray
    start: FloatArray
    end: FloatArray
    category: IntArray
    extents: FloatArray
    integral: BoolArray
    length_unit: str | None
    texts: tuple[str | None, ...] | None = None

    @property
    def n_units(self) -> IntArray:
        """Number of units of each document, shape (n_documents,)."""
        return np.diff(self.offsets)

    @property
    def mean_length(self) -> float:
        """Mean length of all units; 0 without units."""
        return float((self.end - self.start).mean()) if len(self.start) else 0.0

    @property
    def length_deviation(self) -> float:
        """Standard deviation of the lengths of all units (n - 1); 0 for fewer than two."""
        if len(self.start) < 2:  # noqa: PLR2004
            return 0.0
        length = self.end - self.start
        _, power = np.frexp(length.max())  # squares of huge and tiny lengths are beyond floating point
        return float(np.ldexp(np.ldexp(length, -power).std(ddof=1), power))

    @property
    def frequencies(self) -> FloatArray:
        """Share of each category among the units that have one, shape (n_categories,)."""
        counts = np.bincount(self.category[self.category >= 0], minlength=len(self.categories))
        shares: FloatArray = counts / max(int(counts.sum()), 1)
        return shares


def reference_of(data: Corpus | Continuum, annotator: str | None = None) -> Reference:
    """Return an annotator's units of the documents that they saw.

    Parameters
    ----------
    data : Corpus or Continuum
        The data.
    annotator : str, optional
        Whose units; not needed where documents have one annotator.

    Raises
    ------
    SettingsError
        For an annotator who saw nothing, or none where documents have several.
    InputError
        For a document without annotators.
    """
    corpus = Corpus.from_continua([data]) if isinstance(data, Continuum) else data
    if annotator is None:
        _check_single(corpus)
        return references(corpus, corpus.seen_offsets[:-1])
    if annotator not in corpus.annotators:
        few = ", ".join(map(repr, corpus.annotators[:10]))
        raise SettingsError(f"no annotator {annotator!r} to take as reference; there are {few or 'none'}")
    slots = np.flatnonzero(corpus.seen == corpus.annotators.index(annotator))
    return references(corpus, slots)


def _check_single(corpus: Corpus) -> None:
    numbers = corpus.n_annotators
    none = np.flatnonzero(numbers == 0)
    if len(none) or not len(corpus):
        which = f"document {corpus.documents[none[0]]!r} has no annotator" if len(none) else "there is no document"
        raise InputError(f"{which}: a reference is one annotator's units")
    several = np.flatnonzero(numbers > 1)
    if len(several):
        continuum = corpus.continuum(int(several[0]))
        names = ", ".join(map(repr, continuum.annotators[:10]))
        raise SettingsError(
            f"document {continuum.document!r} has {len(continuum.annotators)} annotators ({names}); say whose units "
            "are the reference (annotator=, --annotator)"
        )


def references(corpus: Corpus, slots: IntArray) -> Reference:
    """Return the reference made of these annotators: places in ``corpus.seen``, at most one for each document."""
    document = np.searchsorted(corpus.seen_offsets, slots, side="right") - 1
    people = max(len(corpus.annotators), 1)
    of_unit = np.repeat(np.arange(len(corpus)), np.diff(corpus.unit_offsets)) * people + corpus.annotator
    wanted = document * people + corpus.seen[slots]
    first, stop = (np.searchsorted(of_unit, wanted, side=side) for side in ("left", "right"))
    unit = ranges(first, stop - first)
    start, end = corpus.start[unit], corpus.end[unit]
    extents = corpus.extents[document]
    whole = (start == np.floor(start)) & (end == np.floor(end))
    owner = np.repeat(np.arange(len(slots)), stop - first)
    broken = np.bincount(owner, weights=~whole, minlength=len(slots)) > 0
    return Reference(
        documents=tuple(corpus.documents[at] for at in document.tolist()),
        categories=corpus.categories,
        offsets=np.concatenate([[0], np.cumsum(stop - first)]),
        start=start,
        end=end,
        category=corpus.category[unit],
        extents=extents,
        integral=~broken & (extents == np.floor(extents)).all(axis=1),
        length_unit=corpus.length_unit,
        texts=None if corpus.texts is None else tuple(corpus.texts[at] for at in document.tolist()),
    )
