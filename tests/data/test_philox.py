"""The counter-based generator against numpy's own."""

import numpy as np

from gamma_align.data.philox import document_key, philox, uniform


def numpy_words(key, counter):
    """Four words at a counter: numpy's Philox steps its counter before it draws."""
    value = (sum(int(word) << (64 * at) for at, word in enumerate(counter)) - 1) % 2**256
    words = [(value >> (64 * at)) & (2**64 - 1) for at in range(4)]
    return np.random.Philox(key=np.array(key, dtype=np.uint64), counter=np.array(words, dtype=np.uint64)).random_raw(4)


def test_words_are_those_of_numpy():
    rng = np.random.default_rng(0)
    keys = rng.integers(0, 2**64, size=(200, 2), dtype=np.uint64)
    counters = rng.integers(0, 2**64, size=(200, 4), dtype=np.uint64)
    counters[:20] = rng.integers(0, 3, size=(20, 4))
    words = philox(keys, counters)
    for at in range(200):
        assert (words[at] == numpy_words(keys[at].tolist(), counters[at].tolist())).all()


def test_uniform_numbers_are_below_one_and_use_53_bits():
    edges = np.array([0, 2**11, 2**64 - 1], dtype=np.uint64)
    assert uniform(edges).tolist() == [0.0, 2.0**-53, 1.0 - 2.0**-53]


def test_keys_differ_by_document_and_by_seed():
    keys = {document_key(seed, name) for seed in (0, 1, 2**70) for name in ("", "a", "b", "ä", "\ud800")}
    assert len(keys) == 15
