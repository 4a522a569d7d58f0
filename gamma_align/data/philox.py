"""Random numbers addressed by counter: Philox4x64-10 (Salmon et al. 2011), as in numpy, for many streams at once.

A sample of a document must not depend on what else is drawn, in which order, or where. So its numbers are a function
of (seed, document, sample): the key is a `numpy.random.SeedSequence` child of the seed, spawned by the document's
name, and the counter holds the sample. The output equals ``numpy.random.Philox(key=…, counter=…)``.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gamma_align._types import FloatArray

_M = (np.uint64(0xD2E7470EE14C6C93), np.uint64(0xCA5A826395121157))
_W = (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_ROUNDS = 10


def document_key(seed: int, document: str) -> tuple[int, int]:
    """Return the key of a document's stream: two 64-bit words."""
    from hashlib import blake2b  # noqa: PLC0415  (importing it takes longer than a small alignment, which draws nothing)

    digest = blake2b(document.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    name = tuple(int.from_bytes(digest[byte : byte + 4], "little") for byte in range(0, 16, 4))
    state = np.random.SeedSequence(entropy=seed, spawn_key=name).generate_state(2, np.uint64)
    return int(state[0]), int(state[1])


def philox(key: npt.NDArray[np.uint64], counter: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return four random words, shape (…, 4), for the key of each stream, (…, 2), and a counter in it, (…, 4)."""
    c0, c1, c2, c3 = (counter[..., word] for word in range(4))
    k0, k1 = key[..., 0], key[..., 1]
    for turn in range(_ROUNDS):
        high0, low0 = _product(_M[0], c0)
        high1, low1 = _product(_M[1], c2)
        bump0, bump1 = (np.uint64(turn * step & 0xFFFFFFFFFFFFFFFF) for step in _W)
        c0, c1, c2, c3 = high1 ^ c1 ^ (k0 + bump0), low1, high0 ^ c3 ^ (k1 + bump1), low0
    return np.stack([c0, c1, c2, c3], axis=-1)


def _product(factor: np.uint64, words: npt.NDArray[np.uint64]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """Return the high and low 64 bits of a product, by halves of 32 bits."""
    a, b = factor >> _HALF, factor & _LOW
    c, d = words >> _HALF, words & _LOW
    middle = a * d + ((b * d) >> _HALF)
    cross = b * c + (middle & _LOW)
    return a * c + (middle >> _HALF) + (cross >> _HALF), factor * words


def uniform(words: npt.NDArray[np.uint64]) -> FloatArray:
    """Return the words as numbers in [0, 1), 53 bits each."""
    numbers: FloatArray = (words >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return numbers
