"""The memory that candidate pairs need: they are counted before they are listed, and errors name the document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from gamma_align.alignment.candidates import count_pairs, most_pairs
from gamma_align.columns import BoolArray, IntArray, chunks
from gamma_align.data import Batch, available_memory, few, out_of_memory
from gamma_align.distances import PairDissimilarity
from gamma_align.errors import Cure, Location, OutOfMemoryError, Set

_MAX_PAIRS_TOGETHER = 5_000_000  # of the instances of a chunk: .6 GB
_PAIR_BYTES = 120  # at the peak, measured: 82 to list a pair, and up to 116 to align two annotators
_GIB = 1 << 30  # bytes
_MAX_NAMES = 3  # of documents in a message


class TooManyPairsError(OutOfMemoryError):
    """An instance has more candidate pairs than fit into memory.

    `instance` is its index in the batch; None if the error names its document.
    """

    instance: int | None = None


def have_few_pairs(n_units: IntArray) -> BoolArray:
    """Return whether instances of these sizes have too few pairs of units to be counted before they are listed."""
    return np.asarray(n_units * (n_units // 2) <= _MAX_PAIRS_TOGETHER)


def chunks_in_memory(chunked: Iterable[IntArray], batch: Batch, dissimilarity: PairDissimilarity) -> Iterator[IntArray]:
    """Divide chunks of instances further, so that their candidate pairs fit into memory.

    Two annotators with 16,000 units each that all overlap have 256 million candidate pairs.

    Raises
    ------
    TooManyPairsError
        If the pairs of one instance take more memory than there is.
    """
    max_pairs = most_pairs(batch)
    for instances in chunked:
        if max_pairs[instances].sum() <= _MAX_PAIRS_TOGETHER:
            yield instances
            continue
        part = batch.take(instances)
        n_pairs = count_pairs(part, dissimilarity)
        largest = int(n_pairs.argmax())
        _check_pairs(int(n_pairs[largest]), int(np.diff(part.offsets)[largest]), int(instances[largest]))
        yield from (instances[first:last] for first, last in chunks(n_pairs, _MAX_PAIRS_TOGETHER))


def _check_pairs(n_pairs: int, n_units: int, instance: int) -> None:
    """Refuse an instance whose candidate pairs need more memory than there is."""
    if n_pairs <= _MAX_PAIRS_TOGETHER:
        return
    needed = n_pairs * _PAIR_BYTES
    available = available_memory()
    if available is None or needed <= available:
        return
    error = TooManyPairsError(
        f"{n_pairs:,} pairs of its {n_units:,} units are near enough to be aligned; they take {needed / _GIB:.1f} GiB "
        f"of memory, and {available / _GIB:.1f} GiB are free",
        Cure(
            "cut the document into shorter ones, mark fewer units that overlap, use a machine with more memory or, if "
            "there are several workers, fewer of them ({})",
            Set("n_jobs", 1),
        ),
    )
    error.instance = instance
    raise error


@contextmanager
def naming_documents(documents: Sequence[str], rows: IntArray) -> Iterator[None]:
    """Name the document in errors about memory; `rows` has the index of the document of each instance of a batch."""
    try:
        yield
    except TooManyPairsError as error:
        if error.instance is None:
            raise
        named = error.at(Location(f"document {documents[rows[error.instance]]!r}"))
        named.instance = None  # a caller that names documents, too, leaves it as it is
        raise named from None
    except OutOfMemoryError:
        raise
    except MemoryError:
        raise out_of_memory(f"the work on {documents_text(documents, rows)}") from None


def documents_text(documents: Sequence[str], rows: IntArray) -> str:
    """Return the words for the documents of these indices in a message; an index may be repeated."""
    texts = [repr(documents[row]) for row in np.unique(rows).tolist()]
    return f"document {texts[0]}" if len(texts) == 1 else f"documents {few(texts, _MAX_NAMES)}"
