"""Kills at random moments change nothing and leave nothing: a small part of `tools/bench/kills.py`."""

from __future__ import annotations

import math
import random
import runpy
import signal

import pytest
from places import CORPORA
from process_tree import LINUX_ONLY

pytestmark = [LINUX_ONLY, pytest.mark.surfaces]
SAMPLES = 8


@pytest.fixture(scope="module")
def kills():
    return runpy.run_path(str(CORPORA.parent / "tools" / "bench" / "kills.py"), run_name="kills")


@pytest.fixture(scope="module")
def plan(kills):
    return kills["undisturbed"](SAMPLES, backends=("processes",))


@pytest.mark.parametrize(("victim", "name"), [("command", "SIGKILL"), ("command", "SIGTERM"), ("worker", "SIGKILL")])
def test_result_after_a_kill_is_the_same_and_nothing_is_left(kills, plan, tmp_path, victim, name):
    number = signal.Signals[name]
    trial = kills["trial"]("processes", victim, number, tmp_path, random.Random(victim), plan, math.inf)  # noqa: S311
    assert (trial.processes, trial.files, trial.is_same) == (0, 0, True)
    if trial.codes[0] != 0:  # it may have ended before the moment came
        assert trial.codes == ({signal.SIGKILL: -9, signal.SIGTERM: 143}[number], 0)
