"""Results on documents that a corpus and its sub-corpora have in common, such as its pairs of annotators.

The statistics of the alignment of a document depend on its units and the settings alone, and its computed expected
disorder on the limit of work, too. So a document that several corpora contain with the same annotators is aligned once,
and computed once for each limit, with the same bits. Its samples depend on the
seed, its name and their numbers, too, so a sub-corpus uses the samples of the corpus first.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Generic, TypeVar

import numpy as np

from gamma_align.chance import DOCUMENTS, NO_CHANCES, AlignedDocuments, ChanceSettings, ComputedChances, FullSamples
from gamma_align.columns import BoolArray, IntArray
from gamma_align.data import MIN_ANNOTATORS, Corpus
from gamma_align.distances import Dissimilarity

_MIN_POOLED_DOCUMENTS = 2  # of one document, the interval is its own
_MAX_COMPARED_LABELS = 200  # all pairs of more labels are not compared: sharing would gain less than that costs

Rows = TypeVar("Rows", AlignedDocuments, ComputedChances)


class SharedWork:
    """Results of a corpus and of sub-corpora that `select` and `drop` make by documents and annotators.

    Parameters
    ----------
    keeps_samples : bool
        Whether to keep samples of documents that are in sub-corpora with all of their annotators.

    Attributes
    ----------
    n_pairs : int
        Number of pairs of annotators of all documents.
    """

    def __init__(self, corpus: Corpus, settings: ChanceSettings, *, keeps_samples: bool = False) -> None:
        self._corpus = corpus
        self._settings = settings
        self._index = {name: index for index, name in enumerate(corpus.documents)}
        # Documents with all of their annotators have their index as a number, and all others a number of their own.
        self._numbers: dict[tuple[int, bytes], int] = {}
        self._aligned: KeptRows[AlignedDocuments] = KeptRows(AlignedDocuments)
        self._computed: dict[float, KeptRows[ComputedChances]] = {}  # by limit of work
        n_annotators = corpus.n_annotators
        keeps_samples &= settings.sampler != DOCUMENTS
        # Documents that all annotators saw are in no sub-corpus with all of their annotators.
        self._is_kept = (n_annotators < len(corpus.annotators)) & keeps_samples
        self._samples = KeptSamples()
        self._lock = threading.Lock()
        self.n_pairs = int((n_annotators * (n_annotators - 1) // 2).sum())

    def documents_of(self, corpus: Corpus, documents: IntArray) -> SharedDocuments | None:
        """Return the results on documents of a sub-corpus; None if its labels have other distances.

        `documents` are the indices in the sub-corpus of the documents that results number from 0 on.
        """
        if not self._has_same_distances(corpus.categories):
            return None
        index = np.array([self._index[name] for name in corpus.documents], dtype=np.int64)[documents]
        numbers = self._numbers_of(corpus, documents, index)
        return SharedDocuments(
            numbers=numbers,
            keeps_samples=(numbers < len(self._corpus)) & self._is_kept[index],
            to_whole=codes_of(corpus.categories, self._corpus.categories),
            to_part=codes_of(self._corpus.categories, corpus.categories),
            aligned=self._aligned,
            computed=self._computed,
            samples=self._samples,
            is_whole=corpus.annotators == self._corpus.annotators,
            lock=self._lock,
        )

    def share_of_work(self, annotators: tuple[str, ...], n_documents: int) -> float:
        """Return the share of the limit of work of all documents that a sub-corpus may take; see `computed_chance`.

        The sub-corpus has these annotators and this number of documents. Sub-corpora of fewer annotators have a share
        for each pair of annotators of a document, so that all of them
        together take as long as a corpus.
        """
        is_whole = annotators == self._corpus.annotators
        return 1.0 if is_whole else min(n_documents / max(self.n_pairs, 1), 1.0)

    def has_same_results(self, corpus: Corpus) -> bool:
        """Return whether all documents of two annotators and more of the corpus have the same results in a sub-corpus.

        They have if they are there with all of their annotators, and no result depends on other documents.
        """
        if self._settings.sampler == DOCUMENTS or len(corpus) < _MIN_POOLED_DOCUMENTS:
            return False
        n_seen = (counts[counts >= MIN_ANNOTATORS].sum() for counts in (corpus.n_annotators, self._corpus.n_annotators))
        return len({*n_seen}) == 1 and self._has_same_distances(corpus.categories)

    def _has_same_distances(self, categories: tuple[str, ...]) -> bool:
        """Whether the labels of a sub-corpus are as far apart as in the corpus; some distances depend on all labels."""
        dissimilarity = self._settings.dissimilarity
        all_categories = self._corpus.categories
        if categories == all_categories:
            return True
        if type(dissimilarity) is not Dissimilarity or len(categories) > _MAX_COMPARED_LABELS:
            return False
        if dissimilarity.is_nominal:
            return True
        first, second = np.indices((len(categories), len(categories))).reshape(2, -1)
        codes = codes_of(categories, all_categories)
        all_distances = dissimilarity.categorial.bind(all_categories)(codes[first], codes[second])
        return np.array_equal(all_distances, dissimilarity.categorial.bind(categories)(first, second))

    def _numbers_of(self, corpus: Corpus, documents: IntArray, index: IntArray) -> IntArray:
        """Return the numbers under which the results on documents of a sub-corpus are kept, given their indices."""
        numbers = index.copy()
        smaller = np.flatnonzero(self._corpus.n_annotators[index] > corpus.n_annotators[documents])
        seen = codes_of(corpus.annotators, self._corpus.annotators)[corpus.seen]
        first = corpus.seen_offsets[documents[smaller]]
        last = corpus.seen_offsets[documents[smaller] + 1]
        keys = [
            (document, seen[begin:end].tobytes())
            for document, begin, end in zip(index[smaller].tolist(), first.tolist(), last.tolist(), strict=True)
        ]
        with self._lock:
            next_number = len(self._corpus) + len(self._numbers)
            for key in keys:
                if key not in self._numbers:
                    self._numbers[key] = next_number
                    next_number += 1
            numbers[smaller] = [self._numbers[key] for key in keys]
        return numbers


class SharedDocuments:
    """The results on documents of a sub-corpus, as far as they are known."""

    def __init__(
        self,
        numbers: IntArray,
        keeps_samples: BoolArray,
        to_whole: IntArray,
        to_part: IntArray,
        aligned: KeptRows[AlignedDocuments],
        computed: dict[float, KeptRows[ComputedChances]],
        samples: KeptSamples,
        lock: threading.Lock | None = None,
        *,
        is_whole: bool,
    ) -> None:
        self._numbers = numbers
        self._keeps_samples = keeps_samples
        self._to_whole = to_whole
        self._to_part = to_part
        self._aligned = aligned
        self._computed = computed
        self._samples = samples
        self._lock = lock or threading.Lock()
        self._is_whole = is_whole

    def aligned(self) -> AlignedDocuments:
        """Return the statistics of documents that are aligned already."""
        rows = self._aligned.take(self._numbers)
        return _recode_statistics(rows, self._to_part)

    def computed(self, work_limit: float) -> ComputedChances:
        """Return the expected disorders that are computed already within this limit of work of each document."""
        kept = self._computed.get(work_limit)
        if kept is None:
            return NO_CHANCES
        rows = kept.take(self._numbers)
        return replace(rows, category_k=self._to_part[rows.category_k])

    def keep_aligned(self, rows: AlignedDocuments) -> None:
        """Keep the statistics of documents."""
        with self._lock:
            self._aligned.add(_recode_statistics(rows, self._to_whole), self._numbers[rows.document])

    def keep_computed(self, rows: ComputedChances, work_limit: float) -> None:
        """Keep expected disorders that are computed within this limit of work of each document."""
        with self._lock:
            recoded = replace(rows, category_k=self._to_whole[rows.category_k])
            kept = self._computed.setdefault(work_limit, KeptRows(ComputedChances))
            kept.add(recoded, self._numbers[rows.document])

    @property
    def has_samples(self) -> bool:
        """Whether samples of other corpora are kept, which may serve this one."""
        return not self._is_whole and len(self._samples) > 0

    def samples(self, document: IntArray, number: IntArray, has_pairs: BoolArray) -> tuple[IntArray, FullSamples]:
        """Return the indices of the samples that are known, and these samples.

        Samples with `has_pairs` are known only if their pairs of annotators are aligned.
        """
        with self._lock:
            index, samples = self._samples.take(self._keys(document, number), has_pairs)
        return index, samples._replace(category_k=self._to_part[samples.category_k])

    def keep_samples(self, samples: FullSamples) -> None:
        """Keep samples for other corpora, if these may contain the same ones."""
        keys = self._keys(samples.document, samples.number)
        rows = np.flatnonzero(keys >= 0)
        if len(rows):
            recoded = samples._replace(category_k=self._to_whole[samples.category_k])
            with self._lock:
                self._samples.add(recoded.take(rows), keys[rows])

    def _keys(self, document: IntArray, number: IntArray) -> IntArray:
        """Return a key for each sample; -1 for samples that are not kept."""
        return np.where(self._keeps_samples[document], self._numbers[document] * NUMBERS + number, -1)


NUMBERS = 2**32  # of samples: tables of samples store numbers in 32 bits


class KeptSamples:
    """Samples by key."""

    def __init__(self) -> None:
        self._parts: list[FullSamples] = []
        self._keys: list[IntArray] = []
        self._is_sorted = False

    def __len__(self) -> int:
        return sum(map(len, self._keys))

    def add(self, samples: FullSamples, keys: IntArray) -> None:
        """Add one or more samples; of equal keys, the last one counts."""
        self._parts.append(samples)
        self._keys.append(keys)
        self._is_sorted = False

    def take(self, keys: IntArray, has_pairs: BoolArray) -> tuple[IntArray, FullSamples]:
        """Return the indices of the keys that are known, and their samples; see `SharedDocuments.samples`."""
        if not self._is_sorted:
            self._sort()
        samples = self._parts[0]
        sorted_keys = self._keys[0]
        row = np.minimum(np.searchsorted(sorted_keys, keys), len(sorted_keys) - 1)
        index = np.flatnonzero((sorted_keys[row] == keys) & ~(has_pairs & np.isnan(samples.control[row])))
        return index, samples.take(row[index])

    def all(self) -> tuple[IntArray, FullSamples]:
        """Return the keys, sorted, and the samples, of which there is one or more."""
        if not self._is_sorted:
            self._sort()
        return self._keys[0], self._parts[0]

    def _sort(self) -> None:
        """Sort the samples by key; of equal ones, the last one has its controls."""
        keys = np.concatenate(self._keys)
        order = np.argsort(keys, kind="stable")
        order = order[np.append(np.diff(keys[order]) != 0, values=True)]
        self._parts = [FullSamples.join(self._parts).take(order)]
        self._keys = [keys[order]]
        self._is_sorted = True


class KeptRows(Generic[Rows]):
    """Rows by number."""

    def __init__(self, kind: type[Rows]) -> None:
        self._kind: type[Rows] = kind
        self._rows: Rows = kind.blank(0)
        self._row_of = np.zeros(0, dtype=np.int64)  # of each number, -1 if there is none

    def __len__(self) -> int:
        return len(self._rows)

    def since(self, first: int) -> Rows:
        """Return the rows from the index `first` on, in the order in which they were added."""
        return self._rows.take(np.arange(first, len(self._rows)))

    def numbers(self, first: int) -> IntArray:
        """Return the numbers of the rows from the index `first` on; -1 for a row that a later one has replaced."""
        numbers = np.full(len(self._rows), -1, dtype=np.int64)
        numbers_with_row = np.flatnonzero(self._row_of >= 0)
        numbers[self._row_of[numbers_with_row]] = numbers_with_row  # a replaced row keeps -1
        return numbers[first:]

    def take(self, numbers: IntArray) -> Rows:
        """Return the kept rows of these numbers, skipping numbers without a row.

        Their column `document` is an index into `numbers`.
        """
        index = np.flatnonzero(numbers < len(self._row_of))
        row = self._row_of[numbers[index]]
        index = index[row >= 0]
        row = row[row >= 0]
        return replace(self._rows.take(row), document=index)

    def add(self, rows: Rows, numbers: IntArray) -> None:
        """Add rows; a later row of a number replaces an earlier one."""
        first = len(self._rows)
        self._rows = self._kind.join([self._rows, rows]) if first else rows
        n_missing = int(numbers.max(initial=-1)) + 1 - len(self._row_of)
        self._row_of = np.append(self._row_of, np.full(max(n_missing, 0), -1))
        self._row_of[numbers] = np.arange(first, first + len(rows))


def codes_of(names: tuple[str, ...], all_names: tuple[str, ...]) -> IntArray:
    """Return the index of each name among all names, -1 for a name that is not there."""
    index = {name: code for code, name in enumerate(all_names)}
    return np.array([index.get(name, -1) for name in names], dtype=np.int64)


def _recode_statistics(rows: AlignedDocuments, codes: IntArray) -> AlignedDocuments:
    """Return the statistics with other codes of categories: `codes` has the new code of each old one."""
    statistics = rows.statistics
    return replace(rows, statistics=replace(statistics, category_k=codes[statistics.category_k]))
