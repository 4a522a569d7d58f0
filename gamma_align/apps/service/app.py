"""The application: the routes, and the shape of every error."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from functools import cache

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from gamma_align.apps.service import api
from gamma_align.apps.service.guard import Guard, response
from gamma_align.apps.service.jobs import LOG
from gamma_align.apps.service.limits import Limits
from gamma_align.apps.service.methods import Methods
from gamma_align.apps.service.page import routes
from gamma_align.apps.service.refusal import Refusal, refusal_of
from gamma_align.apps.service.schemas import all_schemas
from gamma_align.apps.service.service import Service
from gamma_align.data import Json
from gamma_align.version import __version__

_CODES = {404: "not_found", 405: "method", 413: "too_large", 415: "unknown_format", 503: "stopping"}
"""Codes of errors of Starlette, by status."""


def application(limits: Limits, token: str | None, hosts: tuple[str, ...], root_path: str) -> FastAPI:
    """Return the application; see `create_app`."""
    service = Service(limits, root_path + api.PREFIX)

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with service.running():
            yield

    app = FastAPI(
        title="gamma_align",
        version=__version__,
        description="How well annotators agree on units they place themselves: γ, γcat and γk, and more.",
        lifespan=lifespan,
        # These pages load scripts from another host, which the Content-Security-Policy of `guard` forbids.
        docs_url=None,
        redoc_url=None,
        openapi_url=f"{api.PREFIX}/openapi.json",
        # Names of functions in generated clients.
        generate_unique_id_function=lambda route: route.name,
    )
    _add_schemas(app)
    app.state.service = service
    app.include_router(api.router)
    app.include_router(routes.router)
    for error in (Refusal, HTTPException, RequestValidationError, ClientDisconnect, OSError, Exception):
        app.add_exception_handler(error, _refuse)
    app.add_middleware(Methods, routes=[*app.routes, *api.router.routes, *routes.router.routes])
    app.add_middleware(Guard, limits=limits, token=token, hosts=hosts, root_path=root_path)
    return app


def _add_schemas(app: FastAPI) -> None:
    """Add the schemas to which the descriptions of requests and responses refer."""
    describe = app.openapi

    @cache
    def described() -> dict[str, Json]:
        description = describe()
        description["components"] = {"schemas": all_schemas()}
        for operations in description["paths"].values():
            for operation in operations.values():
                # FastAPI adds this for a wrong parameter, which here has the status 400 and the shape of all errors.
                if "HTTPValidationError" in str(operation["responses"].get("422")):
                    del operation["responses"]["422"]
        return description

    app.openapi = described  # type: ignore[method-assign]  # as FastAPI documents it


async def _refuse(request: Request, error: Exception) -> Response:
    """Return the response of any error, in the shape of a `Refusal`."""
    if isinstance(error, HTTPException):
        code = _CODES.get(error.status_code, "usage")
        refused = response(Refusal(code, f"{request.method} {request.url.path[:200]}: {error.detail}".rstrip(": ")))
        refused.headers.update(error.headers or {})
        return refused
    if isinstance(error, RequestValidationError):
        fault = error.errors()[0]
        field = str(fault["loc"][-1])
        return response(Refusal("usage", f"{field}: {fault['msg']}", location={"field": field}))
    if isinstance(error, ClientDisconnect):
        return response(Refusal("cancelled", "the client disconnected before it had sent the request"))
    refusal = refusal_of(error)
    if refusal.code == "disk_full":
        request.app.state.service.store.make_room()
    if refusal.code == "failed":
        # The response of a bug does not contain the exception.
        LOG.error("%s %s", request.method, request.url.path, exc_info=error)
    return response(refusal)
