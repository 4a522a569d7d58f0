"""The disorders of the samples drawn so far, and the estimates of each document's expected disorders from them.

Samples arrive in any order. They are sorted by document and number, so that sums are always added in the same order.
Documents are divided into blocks, which bounds the memory that estimates take.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gamma_align.chance.categorial import CategorialEstimates, Prior, Priors, categorial_estimates
from gamma_align.columns import BoolArray, FloatArray, Index, IntArray, are_all, chunks, grouped_sums, ranges
from gamma_align.inference import ControlMeans, Estimates, controlled_estimates, plain_estimates

_BLOCK_DOCUMENTS = 4_000
_CHUNK_SAMPLES = 200_000  # samples that tasks are made of at once


class FullSamples(NamedTuple):
    """Disorders of samples in which all annotators were aligned together.

    δ, δ_cat and gap of each sample; its control value (see `pairs`; NaN if it is not used); the number of pairs of
    units that overlap in it, and Σ d_cat over them (0 if they are not used). Columns named …_k have `counts_k` rows for
    each sample, one for each category of overlapping units; δ_k is NaN if none of these units are aligned.
    """

    document: IntArray
    number: IntArray
    disorder: FloatArray
    categorial: FloatArray
    gap: FloatArray
    control: FloatArray
    overlaps: FloatArray
    overlap_distance: FloatArray
    counts_k: IntArray
    category_k: IntArray
    categorial_k: FloatArray
    overlaps_k: FloatArray
    overlap_distance_k: FloatArray

    @classmethod
    def join(cls, parts: Sequence[FullSamples]) -> FullSamples:
        """Return the samples of one or more parts, one after the other."""
        return cls(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))

    def take(self, rows: IntArray) -> FullSamples:
        """Return these samples."""
        sample_fields = self._fields[: self._fields.index("counts_k") + 1]
        entries = ranges((self.counts_k.cumsum() - self.counts_k)[rows], self.counts_k[rows])
        index = {name: rows if name in sample_fields else entries for name in self._fields}
        return self._replace(**{name: getattr(self, name)[index[name]] for name in self._fields})


class DocumentControls(NamedTuple):
    """Documents, and the expectations of the control values of their samples (see `pairs`)."""

    document: IntArray
    means: ControlMeans

    def to_stored(self) -> dict[str, Any]:
        """Return all columns, to be stored."""
        return {"document": self.document, **self.means._asdict()}

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any]) -> DocumentControls:
        """Return the expectations from the columns that `to_stored` returned."""
        return cls(stored["document"], ControlMeans(*(stored[name] for name in ControlMeans._fields)))


class Samples:
    """Disorders of the samples drawn so far of documents that are numbered from 0.

    `priors` are the moments of their categorial disorders that are known before any sample.
    """

    def __init__(self, priors: Priors) -> None:
        starts = range(0, max(len(priors), 1), _BLOCK_DOCUMENTS)
        parts = [priors] if len(starts) == 1 else (priors.take(slice(at, at + _BLOCK_DOCUMENTS)) for at in starts)
        self._blocks = [_Block(first, part) for first, part in zip(starts, parts, strict=True)]

    @property
    def gap(self) -> FloatArray:
        """Largest proven gap of a sample of each document."""
        return np.concatenate([block.gap for block in self._blocks])

    def add(self, samples: FullSamples) -> None:
        """Add samples in which all annotators were aligned together."""
        for block in self._blocks_of(samples.document):
            block.add(samples)

    def add_controls(self, controls: DocumentControls) -> None:
        """Add expectations of control values."""
        for block in self._blocks_of(controls.document):
            block.add_controls(controls)

    @property
    def has_controls(self) -> BoolArray:
        """Whether the expectation of each document's control values is known."""
        return np.concatenate([block.control_means.points > 0 for block in self._blocks])

    def brackets(self, samples: IntArray, counts: IntArray | None = None) -> FloatArray:
        """Return the mean by which δ of each document's first samples may exceed the minimum; 0 if it is proven.

        `counts` is the number of these samples that are drawn, by default all.
        """
        total = np.concatenate([block.brackets(samples[block.rows]) for block in self._blocks])
        return total / np.maximum(samples if counts is None else counts, 1)

    def _blocks_of(self, document: IntArray) -> list[_Block]:
        """Return the blocks that may contain these documents."""
        if len(self._blocks) == 1:
            return self._blocks
        return self._blocks[int(document.min()) // _BLOCK_DOCUMENTS : int(document.max()) // _BLOCK_DOCUMENTS + 1]

    def missing(self, target: IntArray, with_pairs: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield documents and numbers of the missing samples up to the target counts, in sorted chunks.

        Samples below the counts `with_pairs` are missing if their pairs were not aligned.
        """
        for block in self._blocks:
            yield from block.missing(target[block.rows], with_pairs[block.rows])

    def disorders(self, samples: IntArray) -> Estimates:
        """Return δ_e of each document from its first samples, controlled by pairs if all of these have their control.

        More samples may have been drawn because too few had aligned units, and thus δ_cat. To use these as well would
        make δ_e depend on how soon such a sample was drawn.
        """
        return Estimates.join([block.disorders(samples[block.rows]) for block in self._blocks])

    def categorial(self, drawn: IntArray) -> CategorialEstimates:
        """Return δ_e,cat of each document, from its first samples.

        δ_e,k of each category of each document follows, in the order of the priors.
        """
        parts = [block.categorial(drawn[block.rows]) for block in self._blocks]
        if len(parts) == 1:
            return parts[0]
        n_documents = [len(drawn[block.rows]) for block in self._blocks]
        documents = [part.take(slice(n)) for part, n in zip(parts, n_documents, strict=True)]
        categories = [part.take(slice(n, None)) for part, n in zip(parts, n_documents, strict=True)]
        return CategorialEstimates.join([*documents, *categories])


_N_KEYS = 2  # key columns of a table
_NO_KEYS = np.zeros(0, dtype=np.int32)
_NO_VALUES = np.zeros(0)


class _Table:
    """Sorted columns, added in parts: two keys, which are stored in 32 bits, and values.

    Keys may be added again: from a copy of a piece of stored work, whose values are the same, or with a control that
    they lacked. A row whose value number `needed` is known counts before one in which it is NaN, in whatever order
    stored work is read.
    """

    def __init__(self, n_values: int, needed: int | None = None) -> None:
        self._parts: list[tuple[Any, ...]] = [(_NO_KEYS,) * _N_KEYS + (_NO_VALUES,) * n_values]
        self._needed = needed
        self._is_sorted = True

    def add(self, *columns: IntArray | FloatArray) -> None:
        """Add rows, given as columns of one length, which may be 0."""
        if len(columns[0]):
            keys = (column.astype(np.int32) for column in columns[:_N_KEYS])
            parts = self._parts if len(self._parts[0][0]) else []
            self._parts = [*parts, (*keys, *columns[_N_KEYS:])]
            self._is_sorted = False

    def sorted(self) -> tuple[Any, ...]:
        """Return the columns, sorted by the keys."""
        if not self._is_sorted:
            columns = [np.concatenate(column) for column in zip(*self._parts, strict=True)]
            major, minor = columns[:_N_KEYS]
            is_rising = (major[1:] > major[:-1]) | ((major[1:] == major[:-1]) & (minor[1:] > minor[:-1]))
            if not are_all(is_rising):
                is_known = [] if self._needed is None else [~np.isnan(columns[_N_KEYS + self._needed])]
                order = np.lexsort((*is_known, minor, major))
                major = major[order]
                minor = minor[order]
                is_last = np.ones(len(order), dtype=np.bool_)
                is_last[:-1] = (major[1:] != major[:-1]) | (minor[1:] != minor[:-1])
                columns = [column[order[is_last]] for column in columns]
            self._parts = [tuple(columns)]
            self._is_sorted = True
        keys = (column.astype(np.int64) for column in self._parts[0][:_N_KEYS])
        return (*keys, *self._parts[0][_N_KEYS:])

    def first(self, counts: IntArray) -> tuple[Any, ...]:
        """Return the sorted rows whose second key is below the count of the first key."""
        columns = self.sorted()
        is_used = columns[1] < counts[columns[0]]
        return columns if are_all(is_used) else tuple(column[is_used] for column in columns)


class _Block:
    """The samples of consecutive documents, which are numbered from `first`."""

    def __init__(self, first: int, priors: Priors) -> None:
        n_documents = len(priors)
        self._first = first
        self._n_documents = n_documents
        self._width = int(priors.category_k.max(initial=0)) + 1
        self._keys = priors.document_k * self._width + priors.category_k
        # An entry is a document or, after all of them, a category of a document.
        self._document_k = priors.document_k
        self.prior = priors.entries
        self.rows = slice(first, first + n_documents)
        self.gap = np.zeros(n_documents)
        self._full = _Table(4, needed=1)  # document, number: δ, its control, δ_cat, its control
        self.control_means = ControlMeans.unknown(n_documents)
        self._categories = _Table(2)  # entry, number: δ_k, its control
        self._unproven = _Table(1)  # document, number: δ less its bound

    def add(self, samples: FullSamples) -> None:
        """Add the samples that belong to documents of the block; others are ignored."""
        document = samples.document - self._first
        is_here = self._contains(document)
        rows: Index = slice(None) if are_all(is_here) else is_here
        disorders = (samples.disorder, samples.control, samples.categorial, samples.overlap_distance, samples.overlaps)
        disorder, control, categorial, distance, count = (column[rows] for column in disorders)
        categorial_control = _control(self.prior, document[rows], distance, count)
        self._full.add(document[rows], samples.number[rows], disorder, control, categorial, categorial_control)
        unproven = (is_here & (samples.gap > 0)).nonzero()[0]
        if len(unproven):
            np.maximum.at(self.gap, document[unproven], samples.gap[unproven])
            bracket = samples.gap[unproven] * samples.disorder[unproven]
            self._unproven.add(document[unproven], samples.number[unproven], bracket)
        self._add_categories(samples)

    def _add_categories(self, samples: FullSamples) -> None:
        """Add the disorders of categories that the document's own units have; drop those of other categories."""
        document = samples.document.repeat(samples.counts_k) - self._first
        number = samples.number.repeat(samples.counts_k)
        key = document * self._width + samples.category_k
        entry = self._keys.searchsorted(key)
        is_here = (np.append(self._keys, -1)[entry] == key) & (samples.category_k < self._width)
        is_here &= self._contains(document)
        entry = entry[is_here] + self._n_documents
        categorial = samples.categorial_k[is_here]
        distance = samples.overlap_distance_k[is_here]
        count = samples.overlaps_k[is_here]
        control = _control(self.prior, entry, distance, count)
        is_used = ~np.isnan(categorial) | (control != 0)
        self._categories.add(entry[is_used], number[is_here][is_used], categorial[is_used], control[is_used])

    def add_controls(self, controls: DocumentControls) -> None:
        """Add the expectations of controls of documents of the block; others are ignored."""
        document = controls.document - self._first
        is_here = self._contains(document)
        for column, values in zip(self.control_means, controls.means, strict=True):
            column[document[is_here]] = values[is_here]

    def _contains(self, document: IntArray) -> BoolArray:
        """Return which documents, counted from the first of the block, are in it."""
        return (document >= 0) & (document < self._n_documents)

    def brackets(self, samples: IntArray) -> FloatArray:
        """Return Σ (δ - bound) over the first samples of each document that are not proven optimal."""
        document, _, bracket = self._unproven.first(samples)
        return grouped_sums(document, bracket, self._n_documents)

    def missing(self, target: IntArray, with_pairs: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield documents and numbers of missing samples: see `Samples.missing`."""
        document, number, _, control, *_ = self._full.sorted()
        is_complete = ~np.isnan(control) | (number >= with_pairs[document])
        document = document[is_complete]
        number = number[is_complete]
        for first, last in chunks(target, _CHUNK_SAMPLES):
            rows = slice(*document.searchsorted([first, last]))
            is_requested = number[rows] < target[document[rows]]
            drawn = (document[rows] - first)[is_requested], number[rows][is_requested]
            missing, missing_number = _missing_samples(target[first:last], *drawn)
            yield missing + first + self.rows.start, missing_number
        if not len(target):
            yield (np.zeros(0, dtype=np.int64),) * 2

    def disorders(self, samples: IntArray) -> Estimates:
        """Return δ_e of each document from its first samples: see `Samples.disorders`."""
        document, _, disorder, control, _, _ = self._full.first(samples)
        if not np.count_nonzero(self.control_means.points):
            return plain_estimates(document, disorder, self._n_documents)
        return controlled_estimates(document, disorder, control, self.control_means, self._n_documents)

    def categorial(self, drawn: IntArray) -> CategorialEstimates:
        """Return δ_e,cat of each document and δ_e,k of its categories: see `Samples.categorial`."""
        drawn = np.concatenate([drawn, drawn[self._document_k]])
        document, number, _, _, *values = self._full.first(drawn)
        rows = (document, number, *values), self._categories.first(drawn)
        entry, number, value, control = map(np.concatenate, zip(*rows, strict=True))
        if self.prior.empty_is_one:
            value = np.where(np.isnan(value), 1.0, value)
            # A sample may have no row for a category: its δ_k is 1.
            empty, _ = _missing_samples(drawn, entry, number)
            rows = (entry, value, control), (empty, np.ones(len(empty)), np.zeros(len(empty)))
            entry, value, control = map(np.concatenate, zip(*rows, strict=True))
            order = entry.argsort(kind="stable")
            entry = entry[order]
            value = value[order]
            control = control[order]
        return categorial_estimates(entry, value, control, drawn, self.prior)


def _missing_samples(counts: IntArray, group: IntArray, number: IntArray) -> tuple[IntArray, IntArray]:
    """Return group and number of the first samples of each group, `counts`, that are not among the given ones."""
    offsets = counts.cumsum() - counts
    is_missing = np.ones(int(counts.sum()), dtype=np.bool_)
    is_missing[offsets[group] + number] = False
    missing = np.arange(len(counts)).repeat(counts)[is_missing]
    return missing, is_missing.nonzero()[0] - offsets[missing]


def _control(prior: Prior, entry: IntArray, distance: FloatArray, count: FloatArray) -> FloatArray:
    """Return the controls of samples of these entries, from Σ d_cat over the overlapping pairs and their number."""
    if not np.count_nonzero(count):
        return np.zeros(len(entry))
    return np.where(prior.use_control[entry], distance - prior.origin[entry] * count, 0.0)
