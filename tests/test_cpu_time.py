"""A test ends after a bounded CPU time, however busy the machine is."""

from __future__ import annotations

import signal

import pytest
from cpu_time import CPU_SECONDS, CpuTimeError, cpu_time_below
from hypothesis import given
from hypothesis import strategies as st

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timer of CPU time")


def test_a_loop_without_end_is_ended_by_its_cpu_time():
    def loop():
        while True:
            pass

    with pytest.raises(CpuTimeError), cpu_time_below(0.05):
        loop()
    assert signal.getitimer(signal.ITIMER_PROF)[0] > CPU_SECONDS / 2  # the bound of the test is back


@given(st.just(0.0))
def test_a_property_test_has_the_bound(zero):
    # The system rounds up to its tick, some milliseconds.
    assert zero < signal.getitimer(signal.ITIMER_PROF)[0] <= CPU_SECONDS + 0.1
