"""Jobs: requests for work, from the queue to a result that is stored for a limited time."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path

from gamma_align.apps.service import work
from gamma_align.apps.service.limits import Limits
from gamma_align.apps.service.pool import Call, Pool
from gamma_align.apps.service.refusal import Refusal
from gamma_align.apps.service.store import Kept, Store, missing
from gamma_align.data import Json

LOG = logging.getLogger("gamma_align.apps.service")  # of failed jobs and requests
FINAL = ("done", "failed", "cancelled")
"""States that do not change any more."""
_COMMENT_SECONDS = 15.0  # between comments in a stream of events: proxies close connections without traffic
_MIN_EVENT_SECONDS = 0.25  # between two events of a job


@dataclass(eq=False)
class Job:
    """A request for work: its state, its progress and its result.

    `address` is its path in the API, `version` the number of events, and `events` the version of the last event of each
    kind.
    """

    kept: Kept
    command: str
    data: Kept
    address: str
    created: dt.datetime = field(default_factory=lambda: dt.datetime.now(dt.UTC))
    state: str = "queued"
    progress: dict[str, Json] | None = None
    partial: dict[str, Json] | None = None
    error: Refusal | None = None
    call: Call | None = None
    version: int = 0
    events: dict[str, int] = field(default_factory=dict)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def id(self) -> str:
        """The id in addresses."""
        return self.kept.id

    @property
    def result(self) -> Path:
        """The file of the result. It exists if the state is "done"."""
        return self.kept.on_disk() / work.RESULT

    @property
    def small_result(self) -> bytes | None:
        """The result if it is in memory."""
        return self.kept.files.get(work.RESULT)

    @property
    def is_final(self) -> bool:
        """Whether the state is final."""
        return self.state in FINAL

    def add_event(self, kind: str) -> None:
        """Count an event and wake everybody who waits for one."""
        self.version += 1
        self.events[kind] = self.version
        # Later waiters need an event that is not set yet; current waiters hold the old one.
        self.changed.set()
        self.changed = asyncio.Event()

    def to_dict(self) -> dict[str, Json]:
        """Return the job, ready for JSON."""
        created = self.created.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        error = {} if self.error is None else self.error.to_dict()
        result = {"result": f"{self.address}/result"} if self.state == "done" else {}
        return {
            "job": self.id,
            "command": self.command,
            "state": self.state,
            "created": created,
            "data": self.data.id,
            "progress": self.progress,
            "partial": self.partial,
            **result,
            **error,
        }


class Jobs:
    """The jobs of the service, in the order of their requests; `address` is the path of all jobs."""

    def __init__(self, store: Store, pool: Pool, limits: Limits, address: str) -> None:
        self._store = store
        self._pool = pool
        self._limits = limits
        self._address = address
        self._jobs: dict[str, Job] = {}
        store.dropped = self._forget
        self._streams = 0
        self._waiting: deque[asyncio.Future[None]] = deque()  # requests that wait for a place in the queue
        self._n_promised = 0  # places of requests that have been woken, and have not started their job yet

    async def start(self, command: str, kept: Kept, data: Kept, seconds: float) -> Job:
        """Start a job with the settings in the folder `kept`; Refusal if no place in the queue becomes free in time."""
        if self._waiting or not self._has_place:
            await self._wait_for_place(seconds)
        job = Job(kept, command, data, f"{self._address}/{kept.id}")
        self._jobs[job.id] = job
        kept.users += 1
        data.users += 1
        arguments = {
            "command": command,
            "data": data.data,
            "folder": kept.folder,
            "limits": self._limits,
        }
        job.call = Call(
            work.run, arguments, self._listener(job), self._limits.seconds, f"{command!r} of {data.data.description}"
        )
        self._pool.submit(job.call)
        return job

    def get(self, name: str) -> Job:
        """Return the job with an id."""
        # This call also counts as a use of the folder, which is then kept for longer.
        self._store.get(name, "job")
        if name not in self._jobs:
            raise missing("job", name)
        return self._jobs[name]

    def measured(self, data: Kept, settings: str) -> Job | None:
        """Return the job that measured stored data with these settings in JSON, if its result is still kept."""
        requested = work.settings_of(settings.encode())
        for job in self._jobs.values():
            if job.data is data and job.command == "measure" and job.state == "done":
                file = job.kept.folder / work.SETTINGS
                if file.exists() and work.settings_in(file) == requested:
                    return job
        return None

    def _forget(self, name: str) -> None:
        """Remove the job of a folder that was deleted."""
        job = self._jobs.pop(name, None)
        if job is not None and job.state == "done":
            job.data.has_lost_result = True

    def drop(self, name: str) -> None:
        """Cancel the job with an id, unless its state is final or there is none."""
        job = self._jobs.get(name)
        if job is not None and not job.is_final:
            self.cancel(job)

    def cancel(self, job: Job) -> None:
        """Cancel a job; Refusal if its state is final."""
        if job.is_final:
            raise Refusal("job_finished", f"the job is already {job.state}")
        if job.call is not None:
            self._pool.cancel(job.call, Refusal("cancelled", "the job was cancelled"))

    async def wait(self, job: Job, seconds: float) -> None:
        """Wait for the end of a job, at most for the given time."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while not job.is_final and (remaining := end - loop.time()) > 0:
            await _wait_for(job.changed, remaining)

    def check_stream(self) -> None:
        """Refuse another client that listens to events if the limit is reached."""
        if self._streams >= self._limits.streams:
            raise Refusal("busy", f"{self._streams} clients are listening already", "ask for the job's state instead")

    async def events(self, job: Job, since: int) -> AsyncIterator[str]:
        """Yield the events of a job since a version as server-sent events, until its end."""
        self._streams += 1
        try:
            while True:
                # Events that happen while others are sent belong to the next iteration.
                version = job.version
                for kind, number in sorted(job.events.items(), key=lambda event: event[1]):
                    if number > since:
                        yield _event(job, kind, number)
                since = version
                if job.is_final:
                    return
                await asyncio.sleep(_MIN_EVENT_SECONDS)
                while job.version == since:
                    if not await _wait_for(job.changed, _COMMENT_SECONDS) and job.version == since:
                        yield ": the job goes on\n\n"
        finally:
            self._streams -= 1

    def _listener(self, job: Job) -> Callable[[str, object], None]:
        """Return the function that receives the messages of a job's worker."""

        def listen(kind: str, value: object) -> None:
            if kind == "started":
                job.state = "running"
                self._notify()
            elif kind == "queued":
                job.state = "queued"
                LOG.warning("job %s: %s", job.id, value)
            elif kind in ("progress", "partial"):
                setattr(job, kind, value)
                job.add_event(kind)
            else:
                if isinstance(value, bytes):
                    job.kept.files[work.RESULT] = value
                self._end(job, value if isinstance(value, Refusal) else None)

        return listen

    def _end(self, job: Job, error: Refusal | None) -> None:
        """Set the final state of a job."""
        job.error = None if error is None else job.data.as_written(error)
        if error is None:
            job.state = "done"
        elif error.code == "cancelled":
            job.state = "cancelled"
        else:
            job.state = "failed"
        if error is not None and error.detail:
            LOG.error("job %s failed: %s", job.id, error.detail)
        if error is not None:
            job.kept.remove_files()  # nobody can ask for a part of a result
        for kept in (job.kept, job.data):
            kept.users -= 1
            self._store.measure(kept)
        if error is not None and error.code == "disk_full":
            self._store.make_room()
        job.add_event(job.state)
        self._notify()

    @property
    def _has_place(self) -> bool:
        """Return whether the queue has a free place."""
        return self._pool.waiting + self._n_promised < self._limits.queue

    async def _wait_for_place(self, seconds: float) -> None:
        """Wait for a place in the queue; Refusal if none becomes free in time."""
        promise: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(promise)
        try:
            async with asyncio.timeout(max(seconds, 0)):
                await promise
        except TimeoutError:
            waiting = self._pool.waiting
            raise Refusal("busy", f"{waiting} jobs are waiting", "send the request again in a few seconds") from None
        finally:
            if promise in self._waiting:
                self._waiting.remove(promise)
            else:
                self._n_promised -= 1
                # If the request was given up after it was woken, its place is free.
                asyncio.get_running_loop().call_soon(self._notify)

    def _notify(self) -> None:
        """Wake the requests that have waited longest for the places that are free in the queue, and no others."""
        while self._waiting and self._has_place:
            promise = self._waiting.popleft()
            self._n_promised += 1
            if not promise.done():
                promise.set_result(None)


async def _wait_for(event: asyncio.Event, seconds: float) -> bool:
    """Wait for an event, and return whether it happened in time."""
    try:
        async with asyncio.timeout(max(seconds, 0)):
            await event.wait()
    except TimeoutError:
        return False
    return True


def _event(job: Job, kind: str, version: int) -> str:
    """Return a server-sent event with the state or the progress of a job."""
    value = job.to_dict() if kind in FINAL else getattr(job, kind)
    return f"id: {version}\nevent: {kind}\ndata: {json.dumps(value, ensure_ascii=False)}\n\n"
