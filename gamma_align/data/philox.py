"""Random numbers of named streams, addressed by a counter: Philox4x64-10, as in NumPy, for many streams at once.

A sample of a document must not depend on other samples, on the order in which they are drawn, or on the process. So its
numbers are a function of (seed, document, sample): the key is a `numpy.random.SeedSequence` child of the seed, spawned
by the document's name, and the counter contains the sample. The output equals
``numpy.random.Philox(key=…, counter=…)``.

References
----------
Salmon, Moraes, Dror & Shaw 2011, Parallel random numbers: as easy as 1, 2, 3.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gamma_align import kernels
from gamma_align.columns import FloatArray, WordArray


def stream_keys(seed: int, names: Iterable[str]) -> WordArray:
    """Return the keys of the streams of these names, shape (n_names, 2)."""
    from hashlib import blake2b

    digests = b"".join(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).digest() for name in names)
    words = np.frombuffer(seed.to_bytes(4 * max(1, -(-seed.bit_length() // 32)), "little"), dtype="<u4")
    return kernels.stream_keys(words, np.frombuffer(digests, dtype="<u4").reshape(-1, 4))


def uniform(key: WordArray, counter: WordArray) -> FloatArray:
    """Return four numbers in [0, 1), 53 bits each, shape (n, 4), for a key and a counter, shapes (n, 2) and (n, 4)."""
    return in_unit_interval(kernels.philox(key, counter))


def in_unit_interval(words: WordArray) -> FloatArray:
    """Return the words as numbers in [0, 1), 53 bits each."""
    numbers: FloatArray = (words >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return numbers
