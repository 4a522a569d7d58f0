"""Workers that are processes: what they hear of Ctrl-C, and what is said of work that nobody wants."""

from __future__ import annotations

import subprocess
import sys
import warnings

import pytest

from gamma_align.measures.gamma.workers import _without_warnings

pytest.importorskip("joblib")

BLOCKED = """
import signal
from functools import partial
from gamma_align.measures.gamma.workers import Workers

held = partial(signal.pthread_sigmask, signal.SIG_BLOCK)
print([signal.SIGINT in mask for mask in Workers(2).results(held, [()] * 8)], signal.SIGINT in held(()))
"""


def printed(program):
    """Return what a process prints that runs the program, which writes nothing to stderr."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.strip()


def test_ctrl_c_is_blocked_in_workers_and_ends_them_through_the_main_process():
    assert printed(BLOCKED) == f"{[True] * 8} False"


def test_stopping_early_gives_no_warning():
    def results():
        try:
            yield from (1, 2)
        finally:
            warnings.warn("tasks have been cancelled", UserWarning, stacklevel=1)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        consumed = _without_warnings(results())
        assert next(consumed) == 1
        consumed.close()
    assert caught == []
