"""The state behind the routes: the store, the jobs, and the workers."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar, cast

from gamma_align.apps.service.followed import Followed, Following
from gamma_align.apps.service.jobs import Jobs
from gamma_align.apps.service.limits import Limits
from gamma_align.apps.service.pool import Call, Pool, ignore
from gamma_align.apps.service.refusal import Refusal
from gamma_align.apps.service.store import Kept, Store, safe_name
from gamma_align.data import Json
from gamma_align.reading import TemporaryFolder

_TIDY_SECONDS = 30.0  # between two checks for data that are too old
_VIEW_SECONDS = 120.0  # limit of work on a part of the page
_MAX_WAITING_VIEWS = 32  # a page asks for at most five parts at a time
ResultT = TypeVar("ResultT")


@dataclass
class Draft:
    """What is known of an alignment that is being computed: the last of `number` pictures, and the proven gap."""

    number: int = 0
    shown: dict[str, Json] | None = None
    gap: float | None = None


class Service:
    """The state behind the routes: the store, the jobs, and a worker for parts of the page while jobs run.

    `api` is the path of the API.
    """

    def __init__(self, limits: Limits, api: str) -> None:
        self.limits = limits
        self.api = api
        self._folder = TemporaryFolder()
        self.home = self._folder.path
        atexit.register(self._folder.close)  # in case it never runs, since the port is in use
        self.store = Store(self.home / "kept", limits)
        self._pool, self._views = (Pool(size, self.home, limits.memory) for size in (limits.workers, 1))
        self.examples: dict[str, str] = {}
        self.drafts: dict[str, Draft] = {}
        self.jobs = Jobs(self.store, self._pool, limits, f"{api}/jobs")
        self.followed: Followed | None = None

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Start the workers. At the end, stop them and delete all files."""
        tidying = asyncio.create_task(self._tidy())
        try:
            await self._views.start()
            await self._pool.start()
            if self.followed is not None:
                await self.followed.start()
            yield
        finally:
            tidying.cancel()
            await self.stop()
            await asyncio.to_thread(self._folder.close)

    def link(self, path: Path) -> str:
        """Return the id of data that link to a file or folder of this machine, which is never changed."""
        kept = self.store.new()
        # One permanent user: the store never deletes the data that were named at the start.
        kept.name = safe_name(path.resolve().name)
        kept.users = 1
        (kept.folder / kept.name).symlink_to(path.resolve())
        return kept.id

    def follow(self, following: Following) -> None:
        """Follow a project as soon as the service runs."""
        self.followed = Followed(following, self.store, self.home, self.limits.memory)

    def end_soon(self) -> None:
        """Start to stop the service, from the handler of a signal."""
        # The event loop holds only a weak reference to a task.
        self._ending = asyncio.get_running_loop().create_task(self.stop())

    async def stop(self) -> None:
        """End all work; requests that wait for it are refused."""
        await self._pool.stop()
        await self._views.stop()
        if self.followed is not None:
            await self.followed.stop()

    async def call(
        self,
        function: Callable[..., ResultT],
        kept: Kept | None = None,
        /,
        *,
        is_long: bool = False,
        listen: Callable[[str, object], None] = ignore,
        **arguments: object,
    ) -> ResultT:
        """Call a function in a worker that jobs do not use, or in a worker of jobs if it is long; return its value.

        The function is one at the top of a module and takes `report`, like the functions of `work`. `listen` is called
        with the messages that it reports. Refusal for its errors.
        """
        pool = self._views
        max_waiting = _MAX_WAITING_VIEWS
        seconds = _VIEW_SECONDS
        if is_long:
            pool = self._pool
            max_waiting = self.limits.queue
            seconds = self.limits.seconds
        if pool.waiting >= max_waiting:
            raise Refusal("busy", "too many requests are waiting", "send the request again in a few seconds")
        ended: asyncio.Future[ResultT] = asyncio.get_running_loop().create_future()

        def receive(kind: str, value: object) -> None:
            # The future is done if its caller was cancelled; a second result would be an error.
            if ended.done():
                return
            if kind == "done":
                ended.set_result(cast("ResultT", value))
            elif isinstance(value, Refusal):
                ended.set_exception(value if kept is None else kept.as_written(value))
            else:
                listen(kind, value)

        call = Call(function, arguments, receive, seconds, "this request")
        if kept is not None:
            kept.users += 1
        pool.submit(call)
        try:
            return await ended
        except asyncio.CancelledError:
            pool.cancel(call, Refusal("cancelled", "nobody waits for it"))
            raise
        finally:
            if kept is not None:
                kept.users -= 1
                self.store.measure(kept)

    async def _tidy(self) -> None:
        while True:
            await asyncio.sleep(_TIDY_SECONDS)
            self.store.tidy()
