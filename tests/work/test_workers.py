"""Worker processes: the results of tasks, and what happens if a worker is killed or its task fails."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import pytest
from places import CORPORA
from process_tree import LINUX_ONLY, is_alive, wait_until

import gamma_align as ga
from gamma_align.errors import GammaAlignWarning, SettingsError, WorkerError
from gamma_align.work import processes
from gamma_align.work.processes import Pool, borrowed
from gamma_align.work.workers import Workers, _without_warnings

cloudpickle = pytest.importorskip("cloudpickle")
# In an install that is not editable, workers cannot import this module: it is sent to them.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

POISON = -1


def square(number):
    return number * number


def die_once(path):
    """Kill this process at the first call with a path."""
    if Path(path).exists():
        return path
    Path(path).touch()
    os.kill(os.getpid(), signal.SIGKILL)
    return None


def die_of_poison(number):
    if number == POISON:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def fail(number):
    raise ZeroDivisionError(number)


@pytest.fixture
def pool():
    pool = Pool(2)
    yield pool
    pool.end()


@pytest.mark.surfaces
def test_each_task_has_one_result(pool):
    for _ in range(2):
        assert sorted(pool.results(square, range(20), str)) == [square(number) for number in range(20)]


@pytest.mark.surfaces
def test_task_of_a_killed_worker_is_tried_again_with_one_worker_less(pool, tmp_path):
    paths = [str(tmp_path / "a"), *[str(tmp_path)] * 10]
    with pytest.warns(GammaAlignWarning, match=r"killed by SIGKILL .* while it worked on '.*a'; .* one worker less"):
        assert sorted(pool.results(die_once, paths, repr)) == sorted(paths)
    assert pool.size == 1
    assert sorted(pool.results(square, range(5), str)) == [0, 1, 4, 9, 16]


@pytest.mark.surfaces
def test_task_that_kills_its_worker_twice_is_named(pool):
    tasks, done = [1, POISON, 2, 3, 4], []
    message = r"worked on the task -1, also when .*; give the work more memory.*n_jobs=1"
    with pytest.raises(WorkerError, match=message), pytest.warns(GammaAlignWarning):
        done.extend(pool.results(die_of_poison, tasks, "the task {}".format))
    assert sorted(done) == [1, 2, 3, 4]  # it is tried again after all others


@pytest.mark.surfaces
def test_error_of_a_task_is_raised_with_the_traceback_of_the_worker(pool):
    with pytest.raises(ZeroDivisionError) as caught:
        [*pool.results(fail, [7], str)]
    assert "in fail" in caught.value.__notes__[0]


@pytest.mark.surfaces
@LINUX_ONLY
def test_workers_and_descriptors_end_with_the_pool(pool):
    before = len([*Path("/proc/self/fd").iterdir()])
    threads = threading.active_count()
    [*pool.results(square, range(3), str)]
    workers = [process._process.pid for process in pool._processes]
    assert all(map(is_alive, workers))
    pool.end()
    assert not any(map(is_alive, workers))
    wait_until(lambda: len([*Path("/proc/self/fd").iterdir()]) == before)
    wait_until(lambda: threading.active_count() <= threads + 1)  # the thread that starts workers stays


@pytest.mark.surfaces
@LINUX_ONLY
def test_idle_workers_are_used_again_and_end_after_a_while(monkeypatch):
    with borrowed(2) as first:
        [*first.results(square, range(3), str)]
    with borrowed(2) as second:
        assert second is first
        monkeypatch.setattr(processes, "_IDLE_SECONDS", 0.01)
    wait_until(lambda: not children_of_pool(first))
    with pytest.raises(ZeroDivisionError), borrowed(2) as third:
        [*third.results(fail, range(10), str)]
    assert children_of_pool(third) == []


def children_of_pool(pool):
    return [process for process in pool._processes if is_alive(process._process.pid)]


@pytest.mark.surfaces
def test_killed_workers_do_not_change_the_result():
    corpus, killed = ga.read(CORPORA / "btc_crowd"), []

    def progress(done, needed):
        if len(killed) < 2 and done > len(killed) * needed / 4:
            worker = next(pool._processes[0]._process for pool in processes._pools if pool._processes)
            worker.kill()
            killed.append(done)

    with pytest.warns(GammaAlignWarning, match="while it worked on documents? '"):
        result = ga.gamma(corpus, samples=20, n_jobs=2, progress=progress)
    assert len(killed) == 2
    assert result.to_dict() == ga.gamma(corpus, samples=20).to_dict()


@pytest.mark.parametrize("jobs", [2, -1, -2])
def test_number_of_workers(jobs, monkeypatch):
    monkeypatch.setattr("gamma_align.work.workers.processors", lambda: 4)
    assert Workers(jobs).n_workers == {2: 2, -1: 4, -2: 3}[jobs]


def test_no_worker_is_no_number_of_workers():
    with pytest.raises(SettingsError, match="n_jobs"):
        Workers(0)


OF_THE_PROGRAM = """
import sys
import gamma_align as ga

class Letters(ga.Nominal):
    pass

if sys.argv[1:]:
    sys.modules["cloudpickle"] = None
units = [("d", name, 2 * at, 2 * at + 1, "xy"[at % 2]) for name in "ab" for at in range(200)]
print(ga.gamma(units, samples=400, n_jobs=2, distance=Letters()).gamma.value)
"""


@pytest.mark.surfaces
def test_classes_of_the_program_need_cloudpickle():
    program = [sys.executable, "-c", OF_THE_PROGRAM]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert (done.returncode, float(done.stdout)) == (0, 1.0), done.stderr
    without = subprocess.run([*program, "without"], capture_output=True, text=True, check=False)
    assert "several processes needs cloudpickle: run  pip install 'gamma-align[parallel]'" in without.stderr


PROGRAM = """
import os
import pickle
import gamma_align as ga
from gamma_align.work.processes import borrowed

with borrowed(2) as pool:
    [*pool.results(abs, range(4), str)]
    print(*(process._process.pid for process in pool._processes), flush=True)
if child := os.fork():
    os.waitpid(child, 0)
    with borrowed(2) as again:
        assert again is pool
        assert sorted(again.results(abs, range(4), str)) == [0, 1, 2, 3]
else:
    with borrowed(2) as other:
        assert other is not pool
"""


@pytest.mark.surfaces
@LINUX_ONLY
def test_forked_process_leaves_the_workers_to_its_parent():
    # From Python 3.12 on, a fork of a process with threads is a warning.
    program = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", PROGRAM]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    wait_until(lambda: not any(map(is_alive, map(int, done.stdout.split()))))


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


@pytest.mark.surfaces
@pytest.mark.parametrize("content", [b"", pickle.dumps((sys.path, 1))[:20]], ids=["nothing", "a part"])
def test_a_worker_whose_parent_ends_before_it_has_begun_says_nothing(content):
    done = subprocess.run([sys.executable, "-c", processes._START], input=content, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")
