"""HTTP as uvicorn has it, for clients that may be slow or talk nonsense."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from gamma_align.web.refusal import Refusal


class Protocol(H11Protocol):
    """A connection that is closed where the head of a request takes too long, and answers nonsense in our shape."""

    head_seconds = 20.0
    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the head of the first request."""
        super().connection_made(transport)
        self._await_head()

    def on_response_complete(self) -> None:
        """Begin to wait for the head of the next request."""
        super().on_response_complete()
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        super().connection_lost(exc)
        if self._head_timer is not None:
            self._head_timer.cancel()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP."""
        refusal = Refusal("usage", msg)
        body = json.dumps(refusal.to_dict()).encode()
        fields: list[tuple[bytes, bytes]] = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
        ]
        events: list[Any] = [h11.Response(status_code=400, headers=fields, reason=b"Bad Request"), h11.Data(data=body)]
        for event in [*events, h11.EndOfMessage()]:
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _await_head(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
        self._head_timer = self.loop.call_later(self.head_seconds, self._check_head)

    def _check_head(self) -> None:
        """Close the connection if no request is being answered."""
        if (self.cycle is None or self.cycle.response_complete) and not self.transport.is_closing():
            self.transport.close()
