"""Twins of ``stream_keys`` and ``philox``: random numbers addressed by stream and counter (Salmon et al. 2011)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gamma_align.columns import WordArray

_M = (np.uint64(0xD2E7470EE14C6C93), np.uint64(0xCA5A826395121157))
_W = (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_ROUNDS = 10


def stream_keys(seed: npt.NDArray[np.uint32], names: npt.NDArray[np.uint32]) -> WordArray:
    """Return the keys of streams, shape (n, 2), by the words of a seed, lowest first, and of their names, (n, 4).

    They are those of the `numpy.random.SeedSequence` children of the seed that have these names as spawn keys.
    """
    entropy = seed.tolist()
    children = (np.random.SeedSequence(entropy=entropy, spawn_key=tuple(name)) for name in names.tolist())
    return np.array([child.generate_state(2, np.uint64) for child in children], dtype=np.uint64).reshape(-1, 2)


def philox(key: WordArray, counter: WordArray) -> WordArray:
    """Return four random words, shape (n, 4), for the key of each stream, (n, 2), and a counter in it, (n, 4).

    They are Philox4x64-10's, as in ``numpy.random.Philox(key=…, counter=…)``.
    """
    c0, c1, c2, c3 = (counter[:, word] for word in range(4))
    k0, k1 = key[:, 0], key[:, 1]
    for turn in range(_ROUNDS):
        high0, low0 = _product(_M[0], c0)
        high1, low1 = _product(_M[1], c2)
        bump0, bump1 = (np.uint64(turn * step & 0xFFFFFFFFFFFFFFFF) for step in _W)
        c0, c1, c2, c3 = high1 ^ c1 ^ (k0 + bump0), low1, high0 ^ c3 ^ (k1 + bump1), low0
    return np.stack([c0, c1, c2, c3], axis=-1)


def _product(factor: np.uint64, words: WordArray) -> tuple[WordArray, WordArray]:
    """Return the high and low 64 bits of a product, by halves of 32 bits."""
    a, b = factor >> _HALF, factor & _LOW
    c, d = words >> _HALF, words & _LOW
    middle = a * d + ((b * d) >> _HALF)
    cross = b * c + (middle & _LOW)
    return a * c + (middle >> _HALF) + (cross >> _HALF), factor * words
