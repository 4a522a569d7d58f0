"""Limits of work, for data and samples, with and without a limit of time."""

from __future__ import annotations

import pytest

from gamma_align.alignment.limits import Deadline, Limits

DEFAULT_WORK = 12_000_000_000  # pairs looked up
SAMPLE_GAP = 0.002


def test_work_is_half_a_minute_by_default_and_less_for_many_annotators():
    limits = Limits()
    assert limits.work == DEFAULT_WORK
    assert limits.work_for_many_annotators == DEFAULT_WORK // 6
    assert Limits(gap=0.01).work == DEFAULT_WORK // 10
    assert Limits(gap=0.01).work_for_many_annotators == DEFAULT_WORK // 60


def test_requested_work_is_the_same_for_any_number_of_annotators():
    limits = Limits(max_work=700, gap=0.01)
    assert (limits.work, limits.work_for_many_annotators) == (700, 700)


def test_time_limit_replaces_the_default_limit_of_work():
    limits = Limits(time_limit=3.0)
    assert limits.work == limits.work_for_many_annotators > 1000 * DEFAULT_WORK
    assert Limits(time_limit=3.0, max_work=5).work == 5


def test_reduced_limits_have_a_tenth_of_the_work():
    assert Limits().reduced == Limits(max_work=DEFAULT_WORK // 10)
    assert Limits(max_work=1000, max_columns=7).reduced == Limits(max_work=100, max_columns=7)
    assert Limits(max_work=3).reduced.work == 1
    limits = Limits(time_limit=3.0)
    assert limits.reduced is limits


def test_samples_need_a_bracket_of_two_thousandths_or_the_requested_one():
    assert Limits(max_columns=7).for_samples == Limits(max_columns=7, gap=SAMPLE_GAP)
    assert Limits(gap=0.01).for_samples.gap == 0.01


def test_deadline_is_the_limit_of_time_for_each_alignment(monkeypatch):
    now = 100.0
    monkeypatch.setattr("gamma_align.alignment.limits.time.monotonic", lambda: now)
    assert Limits().deadline(4) == Deadline(None)
    assert Deadline().remaining is None
    assert not Deadline().is_over
    deadline = Limits(time_limit=2.0).deadline(4)
    assert deadline.end == 108.0
    assert deadline.remaining == 8.0
    assert not deadline.is_over
    now = 108.0
    assert deadline.is_over
    now = 109.5
    assert deadline.remaining == pytest.approx(-1.5)
