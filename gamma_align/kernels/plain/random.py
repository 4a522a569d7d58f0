"""Plain ``stream_keys`` and ``philox``: random numbers addressed by stream and counter (Salmon et al. 2011)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gamma_align.columns import WordArray

# Constants of Philox4x64-10 (Salmon et al. 2011).
_MULTIPLIERS = (np.uint64(0xD2E7470EE14C6C93), np.uint64(0xCA5A826395121157))
_WEYL_INCREMENTS = (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)
_N_ROUNDS = 10

_WORD_MASK = 0xFFFFFFFFFFFFFFFF
_HALF_MASK = np.uint64(0xFFFFFFFF)
_HALF_BITS = np.uint64(32)


def stream_keys(seed: npt.NDArray[np.uint32], names: npt.NDArray[np.uint32]) -> WordArray:
    """Return the keys of streams, shape (n, 2), from the words of a seed, lowest first, and of their names, (n, 4).

    They are equal to the keys of the children of `numpy.random.SeedSequence` with the names as spawn keys.
    """
    entropy = seed.tolist()
    children = (np.random.SeedSequence(entropy=entropy, spawn_key=tuple(name)) for name in names.tolist())
    return np.array([child.generate_state(2, np.uint64) for child in children], dtype=np.uint64).reshape(-1, 2)


def philox(key: WordArray, counter: WordArray) -> WordArray:
    """Return four random words per row, shape (n, 4), from the key of a stream, (n, 2), and a counter, (n, 4).

    They are the output of Philox4x64-10, as in ``numpy.random.Philox(key=…, counter=…)``.
    """
    c0, c1, c2, c3 = (counter[:, word] for word in range(4))
    k0 = key[:, 0]
    k1 = key[:, 1]
    for index in range(_N_ROUNDS):
        high0, low0 = _product(_MULTIPLIERS[0], c0)
        high1, low1 = _product(_MULTIPLIERS[1], c2)
        bump0, bump1 = (np.uint64(index * increment & _WORD_MASK) for increment in _WEYL_INCREMENTS)
        c0 = high1 ^ c1 ^ (k0 + bump0)
        c1 = low1
        c2 = high0 ^ c3 ^ (k1 + bump1)
        c3 = low0
    return np.stack([c0, c1, c2, c3], axis=-1)


def _product(factor: np.uint64, words: WordArray) -> tuple[WordArray, WordArray]:
    """Return the high and low 64 bits of a product, computed from halves of 32 bits: NumPy has no wider integer."""
    a = factor >> _HALF_BITS
    b = factor & _HALF_MASK
    c = words >> _HALF_BITS
    d = words & _HALF_MASK
    middle = a * d + ((b * d) >> _HALF_BITS)
    cross = b * c + (middle & _HALF_MASK)
    return a * c + (middle >> _HALF_BITS) + (cross >> _HALF_BITS), factor * words
