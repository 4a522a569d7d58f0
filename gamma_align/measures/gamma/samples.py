"""The disorders of the samples drawn so far, and what they say about the expected disorders of each document.

Samples come in any order and are put in that of documents and numbers, so that sums are added in one order. Documents
are held in blocks, which bounds the memory that estimates take.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from gamma_align.columns import FloatArray, IntArray, chunks
from gamma_align.inference.means import Estimates, controlled_estimates, plain_estimates
from gamma_align.measures.gamma.categorial import CategorialEstimates, Prior, Priors, categorial_estimates

_BLOCK = 4_000  # documents
_SAMPLES = 200_000  # of which tasks are made at once


class Aligned(NamedTuple):
    """Disorders of samples that were aligned whole.

    δ, δ_cat and gap of each sample; how many pairs of units overlap in it, and Σ d_cat over them (0 if nothing is to be
    made of it). Columns named …_k have `counts_k` rows for each sample, one for each category of overlapping units; δ_k
    is NaN if none of these units are aligned.
    """

    document: IntArray
    number: IntArray
    disorder: FloatArray
    categorial: FloatArray
    gap: FloatArray
    overlaps: FloatArray
    overlap_distance: FloatArray
    counts_k: IntArray
    category_k: IntArray
    categorial_k: FloatArray
    overlaps_k: FloatArray
    overlap_distance_k: FloatArray


class Paired(NamedTuple):
    """The mean δ of pairs of annotators in samples of which such pairs were aligned."""

    document: IntArray
    number: IntArray
    disorder: FloatArray


class Samples:
    """Disorders of the samples drawn so far of documents that are numbered from 0.

    `priors` say what is known of their categorial disorders before any sample.
    """

    def __init__(self, priors: Priors) -> None:
        starts = range(0, max(len(priors), 1), _BLOCK)
        self._blocks = [_Block(first, priors.take(slice(first, first + _BLOCK))) for first in starts]

    @property
    def gap(self) -> FloatArray:
        """Largest proven gap of a sample of each document."""
        return np.concatenate([block.gap for block in self._blocks])

    def add(self, aligned: Aligned) -> None:
        """Add samples that were aligned whole."""
        for block in self._of(aligned.document):
            block.add(aligned)

    def add_pairs(self, paired: Paired) -> None:
        """Add samples of which pairs of annotators were aligned."""
        for block in self._of(paired.document):
            block.add_pairs(paired)

    def brackets(self, samples: IntArray, counts: IntArray | None = None) -> FloatArray:
        """Return the mean by which δ of each document's first samples may be above the least: 0 where it is proven.

        `counts` of these samples are there, by default all.
        """
        total = np.concatenate([block.brackets(samples[block.rows]) for block in self._blocks])
        return total / np.maximum(samples if counts is None else counts, 1)

    def _of(self, document: IntArray) -> list[_Block]:
        return self._blocks[int(document.min()) // _BLOCK : int(document.max()) // _BLOCK + 1]

    def missing(self, wanted: IntArray, *, pairs: bool = False) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield documents and numbers of samples that are wanted and not there, some at a time, sorted."""
        for block in self._blocks:
            for document, number in block.missing(wanted[block.rows], pairs=pairs):
                yield document + block.rows.start, number

    def disorders(self, samples: IntArray, pairs: IntArray | None = None) -> Estimates:
        """Return δ_e of each document from its first samples, or with its first pairs of annotators as control variate.

        More of them may have been drawn because too few had δ_cat, whose units are aligned: to count these too would
        make δ_e depend on how soon such a sample came.
        """
        return Estimates.joined(
            [
                block.disorders(samples[block.rows], None if pairs is None else pairs[block.rows])
                for block in self._blocks
            ]
        )

    def categorial(self, drawn: IntArray) -> CategorialEstimates:
        """Return δ_e,cat of each document, from its first samples."""
        return CategorialEstimates.join([block.categorial(drawn[block.rows]) for block in self._blocks])

    def by_category(self, drawn: IntArray) -> CategorialEstimates:
        """Return δ_e,k of each category of each document, in the order of the priors, from its first samples."""
        return CategorialEstimates.join([block.by_category(drawn[block.rows]) for block in self._blocks])


class _Table:
    """Columns that grow by parts, and are read sorted by the first two or three of them, the keys, which are small."""

    def __init__(self, keys: int, columns: int) -> None:
        self._keys = keys
        self._parts: list[tuple[Any, ...]] = [
            (*(np.zeros(0, dtype=np.int32) for _ in range(keys)), *(np.zeros(0) for _ in range(columns)))
        ]

    def add(self, *columns: IntArray | FloatArray) -> None:
        keys = (column.astype(np.int32) for column in columns[: self._keys])
        self._parts.append((*keys, *columns[self._keys :]))

    def sorted(self) -> tuple[Any, ...]:
        if len(self._parts) > 1:
            columns = [np.concatenate(column) for column in zip(*self._parts, strict=True)]
            order = np.lexsort(columns[: self._keys][::-1])
            self._parts = [tuple(column[order] for column in columns)]
        keys = (column.astype(np.int64) for column in self._parts[0][: self._keys])
        return (*keys, *self._parts[0][self._keys :])

    def first(self, numbers: IntArray) -> tuple[Any, ...]:
        """Return, sorted, the rows whose second key is below the number of its first."""
        columns = self.sorted()
        counted = columns[1] < numbers[columns[0]]
        return columns if counted.all() else tuple(column[counted] for column in columns)


class _Block:
    """The samples of some documents, which are numbered from `first`."""

    def __init__(self, first: int, priors: Priors) -> None:
        n_documents = len(priors)
        self._first, self._n, self._priors = first, n_documents, priors
        self._width = int(priors.category_k.max(initial=0)) + 1
        self._keys = priors.document_k * self._width + priors.category_k
        self.rows = slice(first, first + n_documents)
        self.gap = np.zeros(n_documents)
        self._whole = _Table(2, 3)  # document, number: δ, δ_cat, control of δ_cat
        self._pairs = _Table(2, 1)  # document, number: δ of pairs of annotators
        self._categories = _Table(2, 2)  # entry of the priors, number: δ_k, control of δ_k
        self._open = _Table(2, 1)  # document, number of samples not proven: δ less its bound

    def add(self, aligned: Aligned) -> None:
        document = aligned.document - self._first
        here = (document >= 0) & (document < self._n)
        disorders = (aligned.disorder, aligned.categorial, aligned.overlap_distance, aligned.overlaps)
        disorder, categorial, distance, count = (column[here] for column in disorders)
        control = _control(self._priors.documents, document[here], distance, count)
        self._whole.add(document[here], aligned.number[here], disorder, categorial, control)
        open_ = np.flatnonzero(here & (aligned.gap > 0))
        np.maximum.at(self.gap, document[open_], aligned.gap[open_])
        self._open.add(document[open_], aligned.number[open_], (aligned.gap * aligned.disorder)[open_])
        self._add_categories(aligned)

    def _add_categories(self, aligned: Aligned) -> None:
        """Add the numbers of categories that units of the sample's own document have."""
        document, number = (np.repeat(column, aligned.counts_k) for column in (aligned.document, aligned.number))
        sought = (document - self._first) * self._width + aligned.category_k
        entry = np.searchsorted(self._keys, sought)
        here = (np.append(self._keys, -1)[entry] == sought) & (aligned.category_k < self._width)
        here &= (document >= self._first) & (document < self._first + self._n)
        entry, categorial = entry[here], aligned.categorial_k[here]
        control = _control(self._priors.categories, entry, aligned.overlap_distance_k[here], aligned.overlaps_k[here])
        used = ~np.isnan(categorial) | (control != 0)
        self._categories.add(entry[used], number[here][used], categorial[used], control[used])

    def add_pairs(self, paired: Paired) -> None:
        document = paired.document - self._first
        here = (document >= 0) & (document < self._n)
        self._pairs.add(document[here], *(each[here] for each in paired[1:]))

    def brackets(self, samples: IntArray) -> FloatArray:
        document, _, bracket = self._open.first(samples)
        return np.bincount(document, weights=bracket, minlength=self._n).astype(np.float64)

    def missing(self, wanted: IntArray, *, pairs: bool) -> Iterator[tuple[IntArray, IntArray]]:
        document, number, *_ = (self._pairs if pairs else self._whole).sorted()
        for first, last in chunks(wanted, _SAMPLES):
            offsets = np.cumsum(wanted[first:last]) - wanted[first:last]
            here = slice(*np.searchsorted(document, [first, last]))
            counted = number[here] < wanted[document[here]]
            there = np.zeros(int(wanted[first:last].sum()), dtype=np.bool_)
            there[(offsets[document[here] - first] + number[here])[counted]] = True
            absent = np.repeat(np.arange(last - first), wanted[first:last])[~there]
            yield absent + first, np.flatnonzero(~there) - offsets[absent]
        if not len(wanted):
            yield (np.zeros(0, dtype=np.int64),) * 2

    def disorders(self, samples: IntArray, pairs: IntArray | None) -> Estimates:
        document, _, disorder, _, _ = self._whole.first(samples)
        if pairs is None:
            return plain_estimates(document, disorder, self._n)
        of_pairs, _, predicted = self._pairs.first(pairs)
        return controlled_estimates(document, disorder, of_pairs, predicted, self._n)

    def categorial(self, drawn: IntArray) -> CategorialEstimates:
        document, _, _, disorder, control = self._whole.first(drawn)
        prior = self._priors.documents
        if prior.empty_is_one:
            disorder = np.where(np.isnan(disorder), 1.0, disorder)
        return categorial_estimates(document, disorder, control, drawn, prior)

    def by_category(self, drawn: IntArray) -> CategorialEstimates:
        drawn, prior = drawn[self._priors.document_k], self._priors.categories
        entry, _, disorder, control = self._categories.first(drawn)
        if prior.empty_is_one:
            disorder = np.where(np.isnan(disorder), 1.0, disorder)
            lacking = drawn - np.bincount(entry, minlength=len(drawn))
            entry = np.concatenate([entry, np.repeat(np.arange(len(drawn)), lacking)])
            disorder = np.concatenate([disorder, np.ones(int(lacking.sum()))])
            control = np.concatenate([control, np.zeros(int(lacking.sum()))])
            order = np.argsort(entry, kind="stable")
            entry, disorder, control = entry[order], disorder[order], control[order]
        return categorial_estimates(entry, disorder, control, drawn, prior)


def _control(prior: Prior, entry: IntArray, distance: FloatArray, count: FloatArray) -> FloatArray:
    """Return the controls of samples of these entries, from Σ d_cat over the overlapping pairs and their number."""
    if not count.any():
        return np.zeros(len(entry))
    return np.where(prior.controlled[entry], distance - prior.origin[entry] * count, 0.0)
