"""Results on documents that stay from one version of a corpus to the next, in memory and in a store.

A project grows: most documents of an export are those of the export before. The results on a document depend on its
units, its annotators, its name and the settings alone (`shared_work`), so they are kept under a fingerprint of these: a
document that did not change is never aligned again, and of its samples only those that are missing are drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from gamma_align.chance import AlignedDocuments, ChanceSettings, ComputedChances, FullSamples
from gamma_align.columns import FloatArray, IntArray
from gamma_align.data import Corpus
from gamma_align.work.shared_work import NUMBERS, KeptRows, KeptSamples, SharedDocuments, codes_of
from gamma_align.work.store import Store, StoredColumns

_DIGEST_BYTES = 16
_ALIGNED_KIND = "aligned"
_COMPUTED_KIND = "computed"
_SAMPLES_KIND = "samples"
_KEY = "key"  # the fingerprint of the document of each row
_LABELS = "labels"  # the names of the categories that the codes of a piece stand for
_LIMIT = "limit"  # of the work of each row


class KeptWork:
    """Results on documents by fingerprint, for versions of a corpus that are measured with these settings.

    With a store, results that earlier processes saved there are known from the beginning; `save` adds the new ones.
    """

    def __init__(self, settings: ChanceSettings, store: Store | None = None) -> None:
        self._settings = settings
        self._store = store
        self._number_of: dict[bytes, int] = {}
        self._labels: list[str] = []
        self._aligned: KeptRows[AlignedDocuments] = KeptRows(AlignedDocuments)
        self._computed: dict[float, KeptRows[ComputedChances]] = {}
        self._samples = KeptSamples()
        self._n_saved: dict[float | None, int] = {}  # rows of alignments (None), and of each limit of work
        self._saved_samples = np.zeros(0, dtype=np.int64)
        if store is not None:
            self._load(store)

    def documents_of(self, corpus: Corpus, documents: IntArray) -> SharedDocuments:
        """Return the results on documents of a version of the corpus, which results number from 0 on."""
        digests = fingerprints(corpus, self._settings)
        numbers = self._numbers_of([digests[index] for index in documents.tolist()])
        labels = self._add_labels(corpus.categories)
        return SharedDocuments(
            numbers=numbers,
            keeps_samples=np.ones(len(numbers), dtype=np.bool_),
            to_whole=codes_of(corpus.categories, labels),
            to_part=codes_of(labels, corpus.categories),
            aligned=self._aligned,
            computed=self._computed,
            samples=self._samples,
            is_whole=False,
        )

    def share_of_work(self, annotators: tuple[str, ...], n_documents: int) -> float:  # noqa: ARG002
        """Return 1: every version has the limits of work of a corpus that is measured alone."""
        return 1.0

    def save(self) -> None:
        """Save results that are not in the store yet."""
        if self._store is None:
            return
        self._save_rows(_ALIGNED_KIND, self._aligned, None)
        for limit, kept in self._computed.items():
            self._save_rows(_COMPUTED_KIND, kept, limit)
        self._save_samples(self._store)

    def _numbers_of(self, digests: Iterable[bytes]) -> IntArray:
        """Return the number under which results of each fingerprint are kept; a new one gets a new number."""
        numbers = [self._number_of.setdefault(digest, len(self._number_of)) for digest in digests]
        return np.array(numbers, dtype=np.int64)

    def _add_labels(self, names: Sequence[str]) -> tuple[str, ...]:
        """Add new labels to those that results have codes of; return all of them."""
        existing = {*self._labels}
        self._labels += [name for name in names if name not in existing]
        return tuple(self._labels)

    def _keys(self, numbers: IntArray) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
        """Return the fingerprints with these numbers as bytes, shape (n, 16)."""
        digests = [*self._number_of]
        content = b"".join(digests[number] for number in numbers.tolist())
        return np.frombuffer(content, dtype=np.uint8).reshape(-1, _DIGEST_BYTES)

    def _save_rows(
        self, kind: str, kept: KeptRows[AlignedDocuments] | KeptRows[ComputedChances], limit: float | None
    ) -> None:
        """Save the rows of a kind that are not in the store yet; `limit` is the limit of work of computed disorders."""
        first = self._n_saved.get(limit, 0)
        if self._store is None or len(kept) == first:
            return
        numbers = kept.numbers(first)
        is_current = numbers >= 0
        columns = kept.since(first).take(is_current.nonzero()[0]).to_stored()
        del columns["document"]
        further = {} if limit is None else {_LIMIT: np.array([limit])}
        key = self._keys(numbers[is_current])
        self._store.save(0, kind, {**columns, _KEY: key, **self._stored_labels(), **further})
        self._n_saved[limit] = len(kept)

    def _save_samples(self, store: Store) -> None:
        """Save the samples that are not in the store yet."""
        if not len(self._samples):
            return
        keys, samples = self._samples.all()
        marks = 2 * keys + ~np.isnan(samples.control)  # a sample is saved again if its control is known now
        rows = np.flatnonzero(~np.isin(marks, self._saved_samples))
        if len(rows):
            columns = samples.take(rows)._asdict()
            del columns["document"]
            store.save(0, _SAMPLES_KIND, {**columns, _KEY: self._keys(keys[rows] // NUMBERS), **self._stored_labels()})
            self._saved_samples = marks

    def _stored_labels(self) -> StoredColumns:
        """Return the labels as columns of the store, for the codes of categories."""
        return {_LABELS: np.array(self._labels, dtype=np.str_)}

    def _load(self, store: Store) -> None:
        """Add all results that earlier processes saved in the store."""
        for columns, numbers in self._pieces(store, _ALIGNED_KIND):
            self._aligned.add(AlignedDocuments.from_stored(columns), numbers)
        for columns, numbers in self._pieces(store, _COMPUTED_KIND):
            limit = float(columns.pop(_LIMIT)[0])
            self._computed.setdefault(limit, KeptRows(ComputedChances)).add(
                ComputedChances.from_stored(columns), numbers
            )
        for columns, numbers in self._pieces(store, _SAMPLES_KIND):
            samples = FullSamples(**columns)
            self._samples.add(samples, numbers * NUMBERS + samples.number)
        self._n_saved = {None: len(self._aligned), **{limit: len(kept) for limit, kept in self._computed.items()}}
        if len(self._samples):
            keys, samples = self._samples.all()
            self._saved_samples = 2 * keys + ~np.isnan(samples.control)

    def _pieces(self, store: Store, kind: str) -> Iterator[tuple[StoredColumns, IntArray]]:
        """Yield the columns of the pieces of a kind, with codes of our labels, and the numbers of their rows."""
        for stored in store.load(0, kind):
            columns = dict(stored)
            names = columns.pop(_LABELS).tolist()
            codes = codes_of(tuple(names), self._add_labels(names))
            columns["category_k"] = codes[columns["category_k"]]
            numbers = self._numbers_of(map(bytes, columns.pop(_KEY)))
            yield {**columns, "document": np.arange(len(numbers))}, numbers


def fingerprints(corpus: Corpus, settings: ChanceSettings) -> list[bytes]:
    """Return what identifies each document: its name, extent, annotators and units.

    Where the distances of categories depend on all labels, these belong to it, too.
    """
    common = b"" if settings.dissimilarity.is_nominal else _hash_name("\0".join(corpus.categories))
    names = [_hash_name(name) for name in corpus.annotators]
    # No category has the code -1, the last row.
    labels = np.array([*(_number(name) for name in corpus.categories), 0], dtype=np.uint64)[corpus.category]
    bounds: FloatArray = np.stack([corpus.start, corpus.end, corpus.annotator.astype(np.float64)], axis=1)
    result = []
    for index, document in enumerate(corpus.documents):
        seen = corpus.seen[corpus.seen_offsets[index] : corpus.seen_offsets[index + 1]]
        units = slice(*corpus.unit_offsets[index : index + 2].tolist())
        # Annotators by their place among those of the document: others may have come to the corpus.
        bounds[units, 2] = np.searchsorted(seen, corpus.annotator[units])
        people = b"".join(names[code] for code in seen.tolist())
        extent = corpus.extents[index].tobytes()
        result.append(
            _hash(common, _hash_name(document), extent, people, bounds[units].tobytes(), labels[units].tobytes())
        )
    return result


def _hash_name(name: str) -> bytes:
    """Return the hash of a name as bytes."""
    return _hash(name.encode("utf-8", "surrogatepass"))


def _number(name: str) -> int:
    """Return the hash of a name as an integer."""
    return int.from_bytes(_hash_name(name)[:8], "little")


def _hash(*contents: bytes) -> bytes:
    """Return the hash of these contents, one after the other."""
    import hashlib  # loads OpenSSL: 3.6 MB, which a measurement that keeps nothing does without

    state = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    for content in contents:
        state.update(content)
    return state.digest()
