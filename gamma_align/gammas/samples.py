"""The disorders of the samples drawn so far, and what they say about the expected disorders of each document.

Samples come in any order and are put in that of documents and numbers, so that sums are added in one order. Documents
are held in blocks, which bounds the memory that estimates take.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from gamma_align._rows import chunks
from gamma_align._types import FloatArray, IntArray
from gamma_align.results.estimates import Estimates, controlled_estimates, plain_estimates

_BLOCK = 4_000  # documents
_SAMPLES = 200_000  # of which tasks are made at once


class Aligned(NamedTuple):
    """What samples give that were aligned whole: δ and δ_cat of each, its gap, and δ_k of its `counts_k` categories."""

    document: IntArray
    number: IntArray
    disorder: FloatArray
    categorial: FloatArray
    gap: FloatArray
    counts_k: IntArray
    category_k: IntArray
    categorial_k: FloatArray


class Paired(NamedTuple):
    """What samples give of which pairs of annotators were aligned: the mean δ and δ_cat of these."""

    document: IntArray
    number: IntArray
    disorder: FloatArray
    categorial: FloatArray


class Samples:
    """Disorders of the samples drawn so far of documents that are numbered from 0."""

    def __init__(self, n_documents: int) -> None:
        starts = range(0, max(n_documents, 1), _BLOCK)
        self._blocks = [_Block(first, min(_BLOCK, n_documents - first)) for first in starts]

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

    def brackets(self, samples: IntArray) -> FloatArray:
        """Return the mean by which δ of each document's first samples may be above the least: 0 where it is proven."""
        total = np.concatenate([block.brackets(samples[block.rows]) for block in self._blocks])
        return total / np.maximum(samples, 1)

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

    def categorial(self, samples: IntArray, pairs: IntArray, empty: float) -> Estimates:
        """Return δ_e,cat of each document, over its first samples that have it; one without aligned units is `empty`.

        Its first pairs serve as a control variate, in documents of which all samples have the disorder. An `empty` of
        NaN leaves samples out.
        """
        blocks = self._blocks
        return Estimates.joined([block.categorial(samples[block.rows], pairs[block.rows], empty) for block in blocks])

    def by_category(self, document: IntArray, category: IntArray, samples: IntArray | None) -> Estimates:
        """Return δ_e,k for each (document, category) of the data, sorted, over the samples that have it.

        With `samples`, the number of samples of each document, those without aligned units of a category count 1.
        """
        parts = []
        for block in self._blocks:
            here = slice(*np.searchsorted(document, [block.rows.start, block.rows.stop]))
            counts = None if samples is None else samples[block.rows]
            parts.append(block.by_category(document[here] - block.rows.start, category[here], counts))
        return Estimates.joined(parts)


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

    def __init__(self, first: int, n_documents: int) -> None:
        self._first, self._n = first, n_documents
        self.rows = slice(first, first + n_documents)
        self.gap = np.zeros(n_documents)
        self._whole = _Table(2, 2)  # document, number: δ, δ_cat
        self._pairs = _Table(2, 2)  # document, number: both of pairs of annotators
        self._categories = _Table(3, 1)  # document, category, number: δ_k
        self._open = _Table(2, 1)  # document, number of samples not proven: δ less its bound

    def add(self, aligned: Aligned) -> None:
        document = aligned.document - self._first
        here = (document >= 0) & (document < self._n)
        self._whole.add(
            document[here], *(each[here] for each in (aligned.number, aligned.disorder, aligned.categorial))
        )
        open_ = np.flatnonzero(here & (aligned.gap > 0))
        np.maximum.at(self.gap, document[open_], aligned.gap[open_])
        self._open.add(document[open_], aligned.number[open_], (aligned.gap * aligned.disorder)[open_])
        document, number = (np.repeat(column, aligned.counts_k) for column in (document, aligned.number))
        here = (document >= 0) & (document < self._n)
        columns = (aligned.category_k, number, aligned.categorial_k)
        self._categories.add(document[here], *(each[here] for each in columns))

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
        document, _, disorder, _ = self._whole.first(samples)
        if pairs is None:
            return plain_estimates(document, disorder, self._n)
        of_pairs, _, predicted, _ = self._pairs.first(pairs)
        return controlled_estimates(document, disorder, of_pairs, predicted, self._n)

    def categorial(self, samples: IntArray, pairs: IntArray, empty: float) -> Estimates:
        document, _, _, disorder = self._whole.first(samples)
        of_pairs, _, _, predicted = self._pairs.first(pairs)
        disorder = np.where(np.isnan(disorder), empty, disorder)
        complete = pairs > 0
        complete[document[np.isnan(disorder)]] = False
        complete[of_pairs[np.isnan(predicted)]] = False
        known, used = ~np.isnan(disorder), complete[of_pairs]
        return controlled_estimates(document[known], disorder[known], of_pairs[used], predicted[used], self._n)

    def by_category(self, document: IntArray, category: IntArray, samples: IntArray | None) -> Estimates:
        sampled, label, _, disorder = self._categories.sorted()
        width = max(int(category.max(initial=0)), int(label.max(initial=0))) + 1
        keys, sought = document * width + category, sampled * width + label
        group = np.searchsorted(keys, sought)
        known = np.append(keys, -1)[group] == sought  # units of other documents may have categories of their own
        group, disorder = group[known], disorder[known]
        if samples is not None:
            lacking = samples[document] - np.bincount(group, minlength=len(document))
            group = np.concatenate([group, np.repeat(np.arange(len(document)), lacking)])
            disorder = np.concatenate([disorder, np.ones(int(lacking.sum()))])
            order = np.argsort(group, kind="stable")
            group, disorder = group[order], disorder[order]
        return plain_estimates(group, disorder, len(document))
