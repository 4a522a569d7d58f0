"""The methods of a path: HEAD wherever there is GET, and the header Allow in answers to OPTIONS and wrong methods."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_NOT_ALLOWED = 405  # status


class Methods:
    """The application with the methods that HTTP requires of it (RFC 9110 §9 and §15.5.6)."""

    def __init__(self, app: ASGIApp, *, routes: Sequence[BaseRoute]) -> None:
        self._app = app
        self._routes = routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer HEAD and OPTIONS, and pass other requests to the application."""
        method = scope["method"] if scope["type"] == "http" else ""
        allowed = self._allowed(scope) if method in ("OPTIONS", "HEAD") else []
        if method == "OPTIONS" and allowed:
            await Response(status_code=204, headers={"Allow": ", ".join(allowed)})(scope, receive, send)
        elif method == "HEAD" and "HEAD" in allowed:
            await self._answer_head(scope, receive, send)
        else:
            await self._app(scope, receive, self._with_allow(scope, send))

    def _allowed(self, scope: Scope) -> list[str]:
        """Return the methods of a path; none if there is no such path."""
        methods: set[str] = set()
        for route in self._routes:
            if route.matches(scope)[0] is not Match.NONE:
                methods |= getattr(route, "methods", None) or set()
        if "GET" in methods:
            methods.add("HEAD")
        return sorted(methods | {"OPTIONS"}) if methods else []

    async def _answer_head(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the head of the answer to GET, and end the application: the body may be a stream without an end."""
        ended = asyncio.Event()

        async def send_head(message: Message) -> None:
            if message["type"] == "http.response.start":
                await send(message)
                await send({"type": "http.response.body"})
                ended.set()

        answer = asyncio.ensure_future(self._app({**scope, "method": "GET"}, receive, send_head))
        end = asyncio.create_task(ended.wait())
        try:
            await asyncio.wait([answer, end], return_when=asyncio.FIRST_COMPLETED)
            # Raises the error of an application that ended without a head.
            if not ended.is_set():
                answer.result()
        finally:
            answer.cancel()
            end.cancel()

    def _with_allow(self, scope: Scope, send: Send) -> Send:
        """Return `send`, with the allowed methods added to a response that a method is not allowed."""

        async def send_with_allow(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == _NOT_ALLOWED:
                # Looked up for these answers alone: to match all routes takes a tenth of the time of an answer.
                allowed = self._allowed(scope)
                if allowed:
                    MutableHeaders(scope=message)["Allow"] = ", ".join(allowed)
            await send(message)

        return send_with_allow
