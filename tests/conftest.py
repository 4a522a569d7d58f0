"""Settings of all tests."""

from __future__ import annotations

import os
import signal
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from both_kernels import KINDS
from cpu_time import CPU_SECONDS, cpu_time_below
from hypothesis import settings
from surfaces import core, is_in_a_folder_of_surfaces

from gamma_align import kernels
from gamma_align.alignment import generation
from gamma_align.alignment.limits import Limits

# processes that tests start use the package installed, compiled kernels and all, not the sources of the checkout
os.environ["PYTHONSAFEPATH"] = "1"
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # more threads take a third of the time to import NumPy
for name in ("FORCE_COLOR", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
    os.environ.pop(name, None)  # messages are compared

# a shell that runs the tests in the background has Ctrl-C ignored, for what they start too
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# the same examples on every machine and in any order of tests; machines under load are not failures
settings.register_profile("release", derandomize=True, deadline=None, database=None, max_examples=100)
settings.register_profile("core", settings.get_profile("release"), max_examples=15)
settings.load_profile("core")


def pytest_itemcollected(item):
    """Mark the tests in the folders of surfaces, but those that are left to a release."""
    if is_in_a_folder_of_surfaces(item.path, Path(__file__).parent) and not item.get_closest_marker("release"):
        item.add_marker("surfaces")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Refuse a process or a server in a core test and its fixtures."""
    is_core = not any(map(item.get_closest_marker, ("surfaces", "release")))
    with core() if is_core else nullcontext():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Bound the CPU time of a test, unless it is left to a release because it is slow."""
    with nullcontext() if item.get_closest_marker("release") else cpu_time_below(CPU_SECONDS):
        return (yield)


@pytest.fixture(params=[pytest.param(15, id="soft prices"), pytest.param(0, id="programmes")])
def on_demand(request, monkeypatch):
    """Return a function that disables lists of columns: columns are then generated, with soft prices or programmes."""
    monkeypatch.setattr(generation, "_MAX_SOFT_ANNOTATORS", request.param)
    return lambda: monkeypatch.setattr(Limits, "columns_for", lambda _, units: np.zeros_like(units))


@pytest.fixture(params=KINDS)
def each_kind(request):
    """Run a test with the compiled kernels, and again with the plain ones."""
    with kernels.using(request.param):
        yield
