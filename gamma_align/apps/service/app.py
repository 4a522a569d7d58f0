"""The application: what every route shares, and the routes put together."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from gamma_align.apps.service import api
from gamma_align.apps.service.guard import Guard, response
from gamma_align.apps.service.jobs import LOG, Jobs
from gamma_align.apps.service.limits import Limits
from gamma_align.apps.service.page import routes
from gamma_align.apps.service.pool import Call, Pool
from gamma_align.apps.service.refusal import Refusal, refusal_of
from gamma_align.apps.service.store import Kept, Store, safe_name
from gamma_align.version import __version__

_TIDY_SECONDS = 30.0
_VIEW_SECONDS = 120.0
_VIEWS_WAITING = 32
_CODES = {404: "not_found", 405: "method", 413: "too_large", 415: "unknown_format", 503: "stopping"}


class Service:
    """What the routes work with: what is kept, the jobs, and a worker of its own for what a page shows meanwhile."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.home = Path(tempfile.mkdtemp(prefix="gamma-align-"))
        atexit.register(shutil.rmtree, self.home, ignore_errors=True)  # where it never runs: the port is taken
        self.store = Store(self.home / "kept", limits)
        self._pool, self._views = (Pool(size, self.home, limits.memory) for size in (limits.workers, 1))
        self.examples: dict[str, str] = {}
        self.gaps: dict[str, float] = {}
        self.jobs = Jobs(self.store, self._pool, limits)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Start the workers; at the end, stop them and delete all files."""
        tidying = asyncio.create_task(self._tidy())
        try:
            await self._views.start()
            await self._pool.start()
            yield
        finally:
            tidying.cancel()
            await self.stop()
            await asyncio.to_thread(shutil.rmtree, self.home, ignore_errors=True)

    def lend(self, path: Path) -> str:
        """Return the id of data that are a file or folder of this machine, which stay as they are."""
        kept = self.store.new()
        kept.name, kept.users = safe_name(path.resolve().name), 1
        (kept.folder / kept.name).symlink_to(path.resolve())
        return kept.id

    def end_soon(self) -> None:
        """Begin to stop, from the handler of a signal."""
        self._ending = asyncio.get_running_loop().create_task(self.stop())

    async def stop(self) -> None:
        """End all work; who waits for it is told."""
        await self._pool.stop()
        await self._views.stop()

    async def call(
        self,
        function: Callable[..., Any],
        kept: Kept | None = None,
        /,
        *,
        is_long: bool = False,
        told: Callable[[str, Any], None] = lambda kind, value: None,  # noqa: ARG005  (nobody listens)
        **arguments: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        """Return what a function returns in a worker that jobs do not use, or, if it is long, in theirs.

        The function stands at the top of a module and takes `report`, as those of `work` do; `told` is called with what
        it reports. Refusal for its errors.
        """
        pool, most, seconds = self._views, _VIEWS_WAITING, _VIEW_SECONDS
        if is_long:
            pool, most, seconds = self._pool, self.limits.queue, self.limits.seconds
        if pool.waiting >= most:
            raise Refusal("busy", "too many requests are waiting", "send the request again in a few seconds")
        ended: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        def listen(kind: str, value: Any) -> None:  # noqa: ANN401
            if ended.done():
                return
            if kind == "done":
                ended.set_result(value)
            elif kind == "failed":
                ended.set_exception(value)
            else:
                told(kind, value)

        call = Call(function, arguments, listen, seconds)
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


def application(limits: Limits, token: str | None, hosts: tuple[str, ...]) -> FastAPI:
    """Return the application; see `create_app`."""
    service = Service(limits)

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with service.running():
            yield

    app = FastAPI(
        title="gamma_align",
        version=__version__,
        description="How far annotators agree on units they place themselves: γ, γcat and γk, and more.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
    )
    app.state.service = service
    app.include_router(api.router)
    app.include_router(routes.router)
    for error in (Refusal, HTTPException, RequestValidationError, Exception):
        app.add_exception_handler(error, _refuse)
    app.add_middleware(Guard, limits=limits, token=token, hosts=hosts)
    return app


async def _refuse(request: Request, error: Exception) -> Response:
    """Answer every error in the one shape."""
    if isinstance(error, HTTPException):
        code = _CODES.get(error.status_code, "usage")
        refused = response(Refusal(code, f"{request.method} {request.url.path[:200]}: {error.detail}".rstrip(": ")))
        refused.headers.update(error.headers or {})
        return refused
    if isinstance(error, RequestValidationError):
        fault = error.errors()[0]
        field = str(fault["loc"][-1])
        return response(Refusal("usage", f"{field}: {fault['msg']}", where={"field": field}))
    refusal = refusal_of(error)
    if refusal.code == "failed":
        LOG.error("%s %s", request.method, request.url.path, exc_info=error)
    return response(refusal)
