"""Compiled kernels in several threads: none keeps the others waiting, and each gives what it gives alone."""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module

import numpy as np
import pytest
from both_kernels import needs_compiled

N, ENOUGH = 3_000, 10**12
INTS = np.arange(100 * N)
ZEROS, NO, YES = np.zeros(N), np.zeros(N, dtype=np.int64), np.full(N, 0.5)
CHAIN = (INTS[:N] * 2, np.arange(2 * N - 2) // 2 + np.arange(2 * N - 2) % 2, YES[1:])  # of columns 0 1, 1 2, 2 3, …

HALF = 200  # units of each of two annotators, every two of which make a pair
TABLE = 0.5 + np.multiply.outer(INTS[:HALF], INTS[:HALF]) / HALF**2
ANNOTATOR, OTHERS = INTS[: 2 * HALF] // HALF, np.tile(INTS[:HALF], HALF)
UPWARD = (np.minimum(INTS[: 2 * HALF + 1], HALF) * HALF, OTHERS + HALF, TABLE.ravel())
BOTH_WAYS = (INTS[: 2 * HALF + 1] * HALF, np.concatenate([OTHERS + HALF, OTHERS]), np.tile(TABLE.ravel(), 2))
START = np.arange(800.0)
START_PLACES = np.arange(N // 2) / 2.0  # of units in an extent of 1,000

ARGUMENTS = {
    "choose": (NO, *CHAIN[:2], YES[1:], YES, NO[1:], NO, np.array([np.inf]), np.array([ENOUGH]), 1e-9),
    "linked": (INTS * 2, np.random.default_rng(1).integers(0, N, 200 * N), N),
    "match": (UPWARD[0][: HALF + 1], OTHERS, UPWARD[2], HALF),
    "price": (*UPWARD, ANNOTATOR, YES, YES, INTS[: 2 * HALF], 0.0, ENOUGH, 3, False, ENOUGH, ENOUGH),
    "rematch": (*BOTH_WAYS, ANNOTATOR, INTS[: 2 * HALF], np.array([0, 1]), 2),
    "shift_overlaps": (
        np.array([0, N // 2]),
        START_PLACES,
        YES,
        INTS[: N // 2] * 0,
        np.array([3]),
        *(np.array([value]) for value in (1000.0, 2.0, 994.0)),
        np.array([0]),
        np.array([1]),
        np.zeros(1),
        1.0,
    ),
    "soften": (*CHAIN, ZEROS, 0.1, 0.9, 20),
    "sweep": (np.array([0, len(START)]), INTS[: len(START)] % 2, START, START + 1, np.array([np.inf])),
    "useful": (np.array([0, 2 * HALF]), ANNOTATOR, *UPWARD, np.array([ENOUGH]), 1e-9),
}


def kernel(name):
    return getattr(import_module("gamma_align.kernels._native"), name)


@pytest.fixture
def _no_turns():
    """Leave Python to the thread that has it until it waits or gives it away."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e6)
    yield
    sys.setswitchinterval(before)


def runs_beside(run):
    """Whether this thread went on while another one was in the kernel.

    `start` comes back when the new thread first gives Python away: in the kernel, or else at its end.
    """
    inside = []

    def work():
        inside.append(True)
        run()
        inside.clear()

    thread = threading.Thread(target=work)
    thread.start()
    seen = bool(inside)
    thread.join()
    return seen


@needs_compiled
@pytest.mark.usefixtures("_no_turns")
@pytest.mark.parametrize("name", ARGUMENTS)
def test_a_kernel_lets_other_threads_run(name):
    run, arguments = kernel(name), ARGUMENTS[name]
    # a short kernel may be over before the system wakes this thread: one that holds Python is never seen
    assert any(runs_beside(lambda: run(*arguments)) for _ in range(200))


@pytest.mark.usefixtures("_no_turns")
def test_what_holds_python_is_not_seen_to_let_others_run():
    assert not any(runs_beside(lambda: sum(range(100_000))) for _ in range(20))


@needs_compiled
def test_four_threads_find_what_one_finds():
    def bits(name):
        found = kernel(name)(*ARGUMENTS[name])
        return b"".join(np.asarray(part).tobytes() for part in (found if isinstance(found, tuple) else (found,)))

    names = sorted(ARGUMENTS) * 3
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(bits, names)) == list(map(bits, names))
