"""The reference that is degraded, and many copies of it as one set of columns.

A reference consists of the units of one annotator for each document. The mean length, the deviation of lengths and the
frequencies of categories are computed from all documents together, so that documents with few units are degraded like
others. A *copy* is the reference of one document as one simulated annotator reproduces it, at one magnitude, in one
repetition. Every random number is a function of (seed, document, magnitude, repetition, annotator, kind of errors,
unit, attempt), so a copy does not depend on the batch that it is made in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray, WordArray, ranges
from gamma_align.data import Continuum, Corpus, stream_keys, uniform
from gamma_align.errors import Cure, InputError, Set, SettingsError
from gamma_align.simulation.simulation_options import KINDS

_MAX_NAMES = 10  # annotators that an error message lists
_MIN_LENGTHS = 2  # for a standard deviation with n - 1


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """One annotation of each document; `category` contains indices of `categories`.

    The units of document i are the rows from `offsets[i]` to `offsets[i + 1]`, sorted by (start, end, category).
    `extents` contains the first and last position of each document, shape (n_documents, 2). `integral` marks the
    documents in which all bounds, of units and of the extent, are integers.
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
        """Mean length of all units; 0 if there are no units."""
        return float((self.end - self.start).mean()) if len(self.start) else 0.0

    @property
    def length_deviation(self) -> float:
        """Standard deviation of the lengths of all units (n - 1); 0 for fewer than two."""
        if len(self.start) < _MIN_LENGTHS:
            return 0.0
        length = self.end - self.start
        _, power = np.frexp(length.max())  # without scaling, squares of huge or tiny lengths overflow or underflow
        return float(np.ldexp(np.ldexp(length, -power).std(ddof=1), power))

    @property
    def frequencies(self) -> FloatArray:
        """Share of each category among the labelled units, shape (n_categories,)."""
        counts = np.bincount(self.category[self.category >= 0], minlength=len(self.categories))
        return counts / max(int(counts.sum()), 1)


def select_reference(data: Corpus | Continuum, annotator: str | None = None) -> Reference:
    """Return the units of one annotator, in the documents that this annotator has seen.

    Without a name, every document must have exactly one annotator.
    """
    corpus = Corpus.from_continua([data]) if isinstance(data, Continuum) else data
    if annotator is None:
        _check_one_annotator(corpus)
        return build_reference(corpus, corpus.seen_offsets[:-1])
    if annotator not in corpus.annotators:
        names = ", ".join(map(repr, corpus.annotators[:_MAX_NAMES]))
        raise SettingsError(f"no annotator {annotator!r} for the reference; there are {names or 'none'}")
    slots = np.flatnonzero(corpus.seen == corpus.annotators.index(annotator))
    return build_reference(corpus, slots)


def _check_one_annotator(corpus: Corpus) -> None:
    """Raise an error unless every document has exactly one annotator."""
    if not len(corpus):
        raise InputError("there is no document, so there are no units for a reference")
    counts = corpus.n_annotators
    without_annotator = np.flatnonzero(counts == 0)
    if len(without_annotator):
        document = corpus.documents[without_annotator[0]]
        raise InputError(f"document {document!r} has no annotator, but a reference has one")
    ambiguous = np.flatnonzero(counts > 1)
    if len(ambiguous):
        continuum = corpus.continuum(int(ambiguous[0]))
        count = len(continuum.annotators)
        names = ", ".join(map(repr, continuum.annotators[:_MAX_NAMES]))
        raise SettingsError(
            f"document {continuum.document!r} has {count} annotators ({names})",
            Cure("name the reference with {}", Set("annotator", function="shuffle")),
        )


def build_reference(corpus: Corpus, slots: IntArray) -> Reference:
    """Return the reference made of these indices into ``corpus.seen``, at most one for each document."""
    document = corpus.seen_document[slots]
    first = np.searchsorted(corpus.unit_seen, slots, side="left")
    counts = np.searchsorted(corpus.unit_seen, slots, side="right") - first
    unit = ranges(first, counts)
    start = corpus.start[unit]
    end = corpus.end[unit]
    extents = corpus.extents[document]
    is_integer = (start == np.floor(start)) & (end == np.floor(end))
    owner = np.repeat(np.arange(len(slots)), counts)
    has_fraction = np.bincount(owner, weights=~is_integer, minlength=len(slots)) > 0
    return Reference(
        documents=tuple(corpus.documents[i] for i in document.tolist()),
        categories=corpus.categories,
        offsets=np.concatenate([[0], np.cumsum(counts)]),
        start=start,
        end=end,
        category=corpus.category[unit],
        extents=extents,
        integral=~has_fraction & (extents == np.floor(extents)).all(axis=1),
        length_unit=corpus.length_unit,
        texts=None if corpus.texts is None else tuple(corpus.texts[i] for i in document.tolist()),
    )


class Instance(NamedTuple):
    """A document to simulate: the index of a document of the reference, a magnitude and a repetition (from 0)."""

    document: int
    magnitude: float
    repetition: int


@dataclass(frozen=True, slots=True, eq=False)
class CopyPlan:
    """Everything that defines the copies before a random number is drawn: arrays of shape (n_copies,).

    `instance` and `document` are indices, of the instances and of the documents of the reference; `annotator` is the
    index of the simulated annotator within the instance; `key` selects the random stream, shape (n_copies, 2).
    """

    instance: IntArray
    document: IntArray
    annotator: IntArray
    magnitude: FloatArray
    key: WordArray

    def uniform(self, kind: str, copy: IntArray, index: IntArray, attempt: int = 0) -> FloatArray:
        """Return four uniform numbers in [0, 1) for each pair of a copy and the index of a unit, shape (n, 4)."""
        counter = np.zeros((len(copy), 4), dtype=np.uint64)
        counter[:, 0] = index
        counter[:, 1] = attempt
        counter[:, 2] = self.annotator[copy]
        counter[:, 3] = KINDS.index(kind)
        return uniform(self.key[copy], counter)


class CopiedUnits(NamedTuple):
    """Units of copies, sorted by copy.

    `copy` is a row of the plan; `unit` is the index of the unit in its document of the reference or, for an added
    unit, among the added units of the copy.
    """

    copy: IntArray
    unit: IntArray
    start: FloatArray
    end: FloatArray
    category: IntArray

    def take(self, rows: IntArray | BoolArray | slice) -> CopiedUnits:
        """Return the units in these rows, in the given order."""
        return CopiedUnits._make(column[rows] for column in self)

    def merge(self, added: CopiedUnits) -> CopiedUnits:
        """Return the units of both, sorted by copy."""
        units = concatenate([self, added])
        return units.take(np.argsort(units.copy, kind="stable"))


def concatenate(parts: Sequence[CopiedUnits]) -> CopiedUnits:
    """Return the units of all parts, one part after the other."""
    return CopiedUnits._make(map(np.concatenate, zip(*parts, strict=True)))


def plan_copies(reference: Reference, instances: list[Instance], annotators: IntArray, seed: int) -> CopyPlan:
    """Return the plan of all copies; `annotators` is the number of copies of each instance, shape (n_instances,)."""
    keys = stream_keys(seed, (_stream_name(reference, instance) for instance in instances))
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


def _stream_name(reference: Reference, instance: Instance) -> str:
    """Return the name of the random stream of an instance."""
    document = reference.documents[instance.document]
    return f"shuffling/{instance.magnitude!r}/{instance.repetition}/{document}"


def exact_copies(reference: Reference, plan: CopyPlan) -> CopiedUnits:
    """Return copies of the reference without errors."""
    counts = reference.n_units[plan.document]
    unit = ranges(reference.offsets[plan.document], counts)
    return CopiedUnits(
        copy=np.repeat(np.arange(len(counts)), counts),
        unit=ranges(0, counts),
        start=reference.start[unit],
        end=reference.end[unit],
        category=reference.category[unit],
    )
