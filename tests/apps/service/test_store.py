"""Data and results are kept for a time and up to a size, and their names are harmless."""

from __future__ import annotations

import asyncio
import math
from pathlib import PurePath

import pytest

from gamma_align.apps.service import Limits, settings, store, work
from gamma_align.apps.service.jobs import Jobs
from gamma_align.apps.service.refusal import Refusal
from gamma_align.apps.service.store import Store, safe_name, safe_path


@pytest.fixture
def clock(monkeypatch):
    """Return a list whose last entry is the time."""
    times = [1000.0]
    monkeypatch.setattr(store.time, "monotonic", lambda: times[-1])
    return times


def filled(kept, size):
    (kept.folder / "file").write_bytes(b"x" * size)
    return kept


def names(kept):
    return {each.id for each in kept}


def test_the_longest_unused_goes_first_where_there_is_too_much(tmp_path, clock):
    kept = Store(tmp_path / "kept", Limits(keep_bytes=250))
    first, second, busy = (filled(kept.new(), 100) for _ in range(3))
    busy.users = 1
    kept.measure(first)
    kept.measure(second)
    clock.append(1020.0)
    kept.get(first.id, "data")
    clock.append(1040.0)
    kept.measure(busy)
    assert names(kept) == {first.id, busy.id}
    assert not second.folder.exists()
    with pytest.raises(Refusal, match="no data"):
        kept.get(second.id, "data")


def test_what_was_just_made_stays_however_large(tmp_path, clock):
    kept = Store(tmp_path / "kept", Limits(keep_bytes=250))
    large = filled(kept.new(), 1000)
    kept.measure(large)
    assert names(kept) == {large.id}
    clock.append(1011.0)
    kept.tidy()
    assert names(kept) == set()


def test_what_is_old_goes_and_who_knew_of_it_is_told(tmp_path, clock):
    kept = Store(tmp_path / "kept", Limits(keep_seconds=60))
    told = []
    kept.dropped = told.append
    old, new = kept.new(), None
    clock.append(1050.0)
    new = kept.new()
    clock.append(1061.0)
    kept.tidy()
    assert (names(kept), told) == ({new.id}, [old.id])


def test_there_are_not_too_many_however_small(tmp_path, clock, monkeypatch):
    monkeypatch.setattr(store, "_MAX_FOLDERS", 3)
    kept = Store(tmp_path / "kept", Limits())
    every = [kept.new() for _ in range(5)]
    clock.append(1020.0)
    kept.measure(every[-1])
    assert len(names(kept)) == 3


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("a b.csv", "a b.csv"),
        ("../../etc/passwd", "passwd"),
        ("C:\\x\\y.csv", "y.csv"),
        ("{annotator}*.ann", "_annotator__.ann"),
        ("-o.csv", "o.csv"),
        (".corpus", "corpus"),
        ("body.json", "data"),
        ("", "data"),
        ("..", "data"),
        ("\ud800.csv", "?.csv".replace("?", "_")),
        ("x" * 300 + ".csv", "x" * 96 + ".csv"),
    ],
)
def test_a_name_leads_nowhere(name, safe):
    assert safe_name(name) == safe


def test_a_path_stays_below():
    assert safe_path("/a/../../b\\c/./d.ann") == PurePath("a/b/c/d.ann")
    assert safe_path("../..") == PurePath("data")


@pytest.mark.parametrize("command", work.COMMANDS)
def test_no_setting_names_a_file_or_another_machine(command):
    named = {name: option.metavar for name, option in settings.options(command).items()}
    files = {"FILE", "PATH", "DIR", "OUT", "ADDRESS", "FOLDER", "FILE.pdf"}
    assert {name for name, metavar in named.items() if metavar in files} == set()
    assert not {"work", "jobs", "dask", "output", "texts", "svg", "plot", "junit", "json"} & named.keys()
    assert {"distance", "seed"} & named.keys() or command in ("shuffle", "ceiling")


class FullPool:
    """A pool whose workers are busy: calls stay in the queue until the test takes one."""

    def __init__(self):
        self.calls = [None]

    @property
    def waiting(self):
        return len(self.calls)

    def submit(self, call):
        self.calls.append(call)


def test_one_of_two_waiting_requests_gets_the_place_that_becomes_free(tmp_path):
    async def requests():
        kept = Store(tmp_path / "kept", Limits())
        pool = FullPool()
        jobs = Jobs(kept, pool, Limits(queue=1), "/jobs")
        waiting = [asyncio.create_task(jobs.start("align", kept.new(), kept.new(), math.inf)) for _ in range(2)]
        await asyncio.sleep(0)
        assert not any(task.done() for task in waiting)
        pool.calls.clear()
        jobs._notify()  # as when a worker takes a call
        done, pending = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.sleep(0)
        assert (len(done), len(pending), pool.waiting) == (1, 1, 1)
        pending.pop().cancel()
        with pytest.raises(Refusal, match="1 jobs are waiting"):
            await jobs.start("align", kept.new(), kept.new(), 0)

    asyncio.run(requests())


def test_places_go_to_requests_in_their_order_and_on_if_one_is_given_up(tmp_path):
    async def requests():
        kept = Store(tmp_path / "kept", Limits())
        pool = FullPool()
        jobs = Jobs(kept, pool, Limits(queue=1), "/jobs")
        starts = [jobs.start("align", kept.new(), kept.new(), math.inf) for _ in range(3)]
        first, second, third = map(asyncio.create_task, starts)
        await asyncio.sleep(0)
        pool.calls.clear()
        jobs._notify()
        first.cancel()  # woken, and given up before it has started its job
        job = await second
        assert job.state == "queued"
        assert (first.cancelled(), third.done(), pool.waiting) == (True, False, 1)
        pool.calls.clear()
        jobs._notify()
        await third

    asyncio.run(requests())


def test_a_request_that_waits_is_answered_at_the_end_of_its_job(tmp_path):
    async def requests():
        kept = Store(tmp_path / "kept", Limits())
        jobs = Jobs(kept, FullPool(), Limits(), "/jobs")
        job = await jobs.start("align", kept.new(), kept.new(), 0)
        await jobs.wait(job, 0)
        assert job.state == "queued"
        waiting = asyncio.create_task(jobs.wait(job, math.inf))
        await asyncio.sleep(0)
        job.add_event("progress")
        await asyncio.sleep(0)
        assert not waiting.done()
        job.call.pass_on("done")
        await waiting

    asyncio.run(requests())


def test_small_files_are_in_memory_until_somebody_asks_for_the_data(tmp_path):
    kept = Store(tmp_path / "kept", Limits())
    data = kept.new(is_on_disk=False)
    data.name = work.BODY
    data.files[work.BODY] = b"{}"
    kept.measure(data)
    assert (data.folder.exists(), data.size(), data.data.body) == (False, 2, b"{}")
    assert kept.get(data.id, "data") is data
    assert (data.folder / work.BODY).read_bytes() == b"{}"
    assert (data.size(), data.data.body, data.files) == (2, None, {})


def test_files_in_memory_count_and_go_with_the_folder(tmp_path, clock):
    kept = Store(tmp_path / "kept", Limits(keep_bytes=10))
    small = kept.new(is_on_disk=False)
    small.files["result.json"] = b"x" * 11
    small.remove_files()  # there is no folder
    assert small.size() == 0
    small.files["result.json"] = b"x" * 11
    clock.append(1020.0)
    kept.measure(small)
    assert names(kept) == set()


def test_a_full_store_has_no_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "_MAX_BYTES_IN_MEMORY", 10)
    kept = Store(tmp_path / "kept", Limits())
    assert kept.has_memory
    kept.measure(filled(kept.new(), 10))
    assert not kept.has_memory


def test_a_result_is_found_by_its_data_and_settings_until_it_is_deleted(tmp_path, clock):
    async def requests():
        kept = Store(tmp_path / "kept", Limits())
        jobs = Jobs(kept, FullPool(), Limits(), "/jobs")
        data = kept.new()
        job = await jobs.start("measure", kept.new(), data, 0)
        (job.kept.folder / work.SETTINGS).write_text('{"seed": 7, "alpha": 2}')
        assert jobs.measured(data, '{"alpha": 2, "seed": 7}') is None  # not done yet
        job.call.pass_on("done")
        assert jobs.measured(data, '{"alpha": 2, "seed": 7}') is job
        assert jobs.measured(data, '{"alpha": 2}') is None
        assert jobs.measured(kept.new(), '{"alpha": 2, "seed": 7}') is None
        assert not data.has_lost_result
        clock.append(1000.0 + 2 * Limits().keep_seconds)
        kept.get(data.id, "data")  # used a moment ago
        kept.tidy()
        assert jobs.measured(data, '{"alpha": 2, "seed": 7}') is None
        assert data.has_lost_result

    asyncio.run(requests())
