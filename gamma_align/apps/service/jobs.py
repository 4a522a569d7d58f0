"""Jobs: what is asked of the service, from waiting to a result that is kept for a time."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import json
import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gamma_align.apps.service import work
from gamma_align.apps.service.limits import Limits
from gamma_align.apps.service.pool import Call, Pool
from gamma_align.apps.service.refusal import Refusal
from gamma_align.apps.service.store import Kept, Store

LOG = logging.getLogger("gamma_align.apps.service")
FINAL = ("done", "failed", "cancelled")
_COMMENT_SECONDS = 15.0
_LEAST_SECONDS = 0.25


@dataclass(eq=False)
class Job:
    """One request for work: its state, how far it is, and its result; `version` counts what was told of it."""

    kept: Kept
    command: str
    data: Kept
    created: dt.datetime = field(default_factory=lambda: dt.datetime.now(dt.UTC))
    state: str = "queued"
    progress: dict[str, Any] | None = None
    partial: dict[str, Any] | None = None
    error: Refusal | None = None
    call: Call | None = None
    version: int = 0
    told: dict[str, int] = field(default_factory=dict)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def id(self) -> str:
        """Its name in addresses."""
        return self.kept.id

    @property
    def result(self) -> Path:
        """The file of its result, once it is done."""
        return self.kept.folder / work.RESULT

    @property
    def is_final(self) -> bool:
        """Whether its state will not change again."""
        return self.state in FINAL

    def tell(self, kind: str) -> None:
        """Wake all who wait for news of this kind."""
        self.version += 1
        self.told[kind] = self.version
        self.changed.set()
        self.changed = asyncio.Event()

    def to_dict(self) -> dict[str, Any]:
        """Return the job, ready for JSON."""
        created = self.created.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        error = {} if self.error is None else self.error.to_dict()
        result = {"result": f"/api/v1/jobs/{self.id}/result"} if self.state == "done" else {}
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
    """The jobs of the service, in the order they came."""

    def __init__(self, store: Store, pool: Pool, limits: Limits) -> None:
        self._store, self._pool, self._limits = store, pool, limits
        self._jobs: dict[str, Job] = {}
        store.dropped = lambda name: self._jobs.pop(name, None)
        self._streams = self._coming = 0
        self._moved = asyncio.Event()

    @contextlib.asynccontextmanager
    async def room(self, seconds: float) -> AsyncIterator[None]:
        """Keep a place among the jobs that wait, for a request that is still to be read; Refusal if none gets free."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while self._pool.waiting + self._coming >= self._limits.queue:
            if not await _happens(self._moved, end - loop.time()):
                waiting = self._pool.waiting + self._coming
                raise Refusal("busy", f"{waiting} jobs are waiting", "send the request again in a few seconds")
        self._coming += 1
        try:
            yield
        finally:
            self._coming -= 1

    def start(self, command: str, kept: Kept, data: Kept, replaces: str | None = None) -> Job:
        """Begin a job, whose settings are in the folder `kept`; one that it replaces is cancelled."""
        replaced = self._jobs.get(replaces or "")
        if replaced is not None and not replaced.is_final:
            self.cancel(replaced)
        job = Job(kept, command, data)
        self._jobs[job.id] = job
        for each in (kept, data):
            each.users += 1
        arguments = {
            "command": command,
            "data": data.data,
            "folder": kept.folder,
            "limits": self._limits,
        }
        job.call = Call(work.run, arguments, self._listener(job), self._limits.seconds)
        self._pool.submit(job.call)
        return job

    def get(self, name: str) -> Job:
        """Return the job of an id."""
        self._store.get(name, "job")
        if name not in self._jobs:
            raise Refusal("not_found", f"there is no job {name[:64]!r}, or no more", "send the request again")
        return self._jobs[name]

    def cancel(self, job: Job) -> None:
        """End a job that is not at its end."""
        if job.is_final:
            raise Refusal("job_finished", f"the job is {job.state} already")
        if job.call is not None:
            self._pool.cancel(job.call, Refusal("cancelled", "the job was cancelled"))

    async def wait(self, job: Job, seconds: float) -> None:
        """Wait for the end of a job, as long as that."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while not job.is_final and (left := end - loop.time()) > 0:
            await _happens(job.changed, left)

    def check_stream(self) -> None:
        """Refuse one more listener where there are as many as there may be."""
        if self._streams >= self._limits.streams:
            raise Refusal("busy", f"{self._streams} clients listen already", "ask for the job's state instead")

    async def events(self, job: Job, since: int) -> AsyncIterator[str]:
        """Yield what is told of a job since a version, as server-sent events, to its end."""
        self._streams += 1
        try:
            while True:
                version = job.version
                for kind in sorted(job.told, key=lambda kind: job.told[kind]):
                    if job.told[kind] > since:
                        yield _event(job, kind, job.told[kind])
                since = version
                if job.is_final:
                    return
                await asyncio.sleep(_LEAST_SECONDS)
                while job.version == since:
                    if not await _happens(job.changed, _COMMENT_SECONDS) and job.version == since:
                        yield ": the job goes on\n\n"
        finally:
            self._streams -= 1

    def _listener(self, job: Job) -> Callable[[str, Any], None]:
        def listen(kind: str, value: Any) -> None:  # noqa: ANN401  (any message)
            if kind == "started":
                job.state = "running"
                self._move()
            elif kind in ("progress", "partial"):
                setattr(job, kind, value)
                job.tell(kind)
            else:
                self._end(job, value if kind == "failed" else None)

        return listen

    def _end(self, job: Job, error: Refusal | None) -> None:
        job.error = error
        job.state = "done" if error is None else "cancelled" if error.code == "cancelled" else "failed"
        if error is not None and error.detail:
            LOG.error("job %s failed: %s", job.id, error.detail)
        for each in (job.kept, job.data):
            each.users -= 1
            self._store.measure(each)
        job.tell(job.state)
        self._move()

    def _move(self) -> None:
        """Wake the requests that wait for room."""
        self._moved.set()
        self._moved = asyncio.Event()


async def _happens(event: asyncio.Event, seconds: float) -> bool:
    try:
        async with asyncio.timeout(max(seconds, 0)):
            await event.wait()
    except TimeoutError:
        return False
    return True


def _event(job: Job, kind: str, version: int) -> str:
    value = job.to_dict() if kind in FINAL else getattr(job, kind)
    return f"id: {version}\nevent: {kind}\ndata: {json.dumps(value, ensure_ascii=False)}\n\n"
