"""The reference that is degraded, and many copies of it as one set of columns.

A reference is one annotator's units of some documents. Mean length, deviation of lengths and frequencies of categories
are those of all its documents together, so that documents of few units are degraded like others. A *copy* is the
reference of one document in the hands of one simulated annotator, at one magnitude, in one repetition. Every
random number is a function of (seed, document, magnitude, repetition, annotator, kind of errors, unit, attempt), so a
copy is the same in any batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray, WordArray, ranges
from gamma_align.data.continuum import Continuum
from gamma_align.data.corpus import Corpus
from gamma_align.data.philox import stream_keys, uniform
from gamma_align.errors import InputError, SettingsError

KINDS = ("shift", "false-negative", "false-positive", "category", "split")
"""Kinds of errors, in the order in which they apply."""


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """One annotation of each of some documents; `category` holds indices of `categories`.

    Units are sorted by (start, end, category) within a document, from its entry of `offsets` on. `extents` is [L, R] of
    each document, shape (n_documents, 2); `integral` marks those whose boundaries, of units and extent, are integers.
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
        return counts / max(int(counts.sum()), 1)


def reference_of(data: Corpus | Continuum, annotator: str | None = None) -> Reference:
    """Return an annotator's units of the documents that they saw."""
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
        missing = f"document {corpus.documents[none[0]]!r} has no annotator" if len(none) else "there is no document"
        raise InputError(f"{missing}: a reference is one annotator's units")
    several = np.flatnonzero(numbers > 1)
    if len(several):
        continuum = corpus.continuum(int(several[0]))
        names = ", ".join(map(repr, continuum.annotators[:10]))
        raise SettingsError(
            f"document {continuum.document!r} has {len(continuum.annotators)} annotators ({names}); say whose units "
            "are the reference (annotator=, --annotator)"
        )


def references(corpus: Corpus, slots: IntArray) -> Reference:
    """Return the reference made of these annotators: indices in ``corpus.seen``, at most one for each document."""
    document = corpus.seen_document[slots]
    first, stop = (np.searchsorted(corpus.unit_seen, slots, side=side) for side in ("left", "right"))
    unit = ranges(first, stop - first)
    start, end = corpus.start[unit], corpus.end[unit]
    extents = corpus.extents[document]
    whole = (start == np.floor(start)) & (end == np.floor(end))
    owner = np.repeat(np.arange(len(slots)), stop - first)
    broken = np.bincount(owner, weights=~whole, minlength=len(slots)) > 0
    return Reference(
        documents=tuple(corpus.documents[i] for i in document.tolist()),
        categories=corpus.categories,
        offsets=np.concatenate([[0], np.cumsum(stop - first)]),
        start=start,
        end=end,
        category=corpus.category[unit],
        extents=extents,
        integral=~broken & (extents == np.floor(extents)).all(axis=1),
        length_unit=corpus.length_unit,
        texts=None if corpus.texts is None else tuple(corpus.texts[i] for i in document.tolist()),
    )


class Instance(NamedTuple):
    """One document that is made: a document of the reference, a magnitude, a repetition."""

    document: int
    magnitude: float
    repetition: int


@dataclass(frozen=True, slots=True, eq=False)
class CopyPlan:
    """What is known of each copy before anything is drawn: arrays of shape (n_copies,), and keys of random numbers.

    `instance` and `document` are what it is a copy for and of, `annotator` its number within the instance, from 0;
    `key` has the shape (n_copies, 2).
    """

    instance: IntArray
    document: IntArray
    annotator: IntArray
    magnitude: FloatArray
    key: WordArray

    def uniform(self, kind: str, copy: IntArray, number: IntArray, attempt: int = 0) -> FloatArray:
        """Return four numbers in [0, 1) for each (copy, number of the unit), shape (n, 4)."""
        counter = np.zeros((len(copy), 4), dtype=np.uint64)
        counter[:, 0], counter[:, 1] = number, attempt
        counter[:, 2], counter[:, 3] = self.annotator[copy], KINDS.index(kind)
        return uniform(self.key[copy], counter)


class Copies(NamedTuple):
    """Units of the copies, sorted by copy: copy, number in the reference's document, boundaries, category."""

    copy: IntArray
    number: IntArray
    start: FloatArray
    end: FloatArray
    category: IntArray

    def rows(self, rows: IntArray | BoolArray | slice) -> Copies:
        """Return these rows, in their order."""
        return Copies._make(column[rows] for column in self)

    def with_more(self, more: Copies) -> Copies:
        """Return the units of both, sorted by copy."""
        both = joined([self, more])
        return both.rows(np.argsort(both.copy, kind="stable"))


def joined(parts: Sequence[Copies]) -> Copies:
    """Return the units of all parts, one part after the other."""
    return Copies._make(map(np.concatenate, zip(*parts, strict=True)))


def copy_plan(reference: Reference, instances: list[Instance], annotators: IntArray, seed: int) -> CopyPlan:
    """Return the plan of `annotators` copies for each instance, shape (n_instances,)."""
    keys = stream_keys(seed, (_stream(reference, instance) for instance in instances))
    instance = np.repeat(np.arange(len(instances)), annotators)
    document = np.array([entry.document for entry in instances], dtype=np.int64)
    magnitude = np.array([entry.magnitude for entry in instances], dtype=np.float64)
    return CopyPlan(
        instance=instance,
        document=document[instance],
        annotator=ranges(0, annotators),
        magnitude=magnitude[instance],
        key=keys[instance],
    )


def _stream(reference: Reference, instance: Instance) -> str:
    name = reference.documents[instance.document]
    return f"shuffling/{instance.magnitude!r}/{instance.repetition}/{name}"


def copies(reference: Reference, planned: CopyPlan) -> Copies:
    """Return exact copies of the reference."""
    counts = reference.n_units[planned.document]
    unit = ranges(reference.offsets[planned.document], counts)
    return Copies(
        copy=np.repeat(np.arange(len(counts)), counts),
        number=ranges(0, counts),
        start=reference.start[unit],
        end=reference.end[unit],
        category=reference.category[unit],
    )
