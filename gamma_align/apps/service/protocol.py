"""HTTP connections of uvicorn, with protection against slow and invalid clients."""

from __future__ import annotations

import asyncio
import json
import socket

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from gamma_align.apps.service.refusal import Refusal


class Protocol(H11Protocol):
    """A connection that is closed if its client is too slow, and that answers invalid HTTP like any other error."""

    seconds = 20.0
    """Time in which the head of a request arrives, and in which a client that stopped reading a response continues."""
    max_connections = 500  # at a time
    _head_timer: asyncio.TimerHandle | None = None
    _read_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start to wait for the head of the first request."""
        super().connection_made(transport)
        # Head and body are two writes: the second would wait for the client's delayed acknowledgement of the first.
        connection = transport.get_extra_info("socket")
        if connection.family in (socket.AF_INET, socket.AF_INET6):  # a Unix domain socket acknowledges nothing
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if len(self.connections) > self.max_connections:
            self._refuse(Refusal("busy", "too many connections are open", "close some, or come back later"))
        else:
            self._await_head()

    def pause_writing(self) -> None:
        """Start to wait for a client that does not read the response."""
        super().pause_writing()
        # `close` would wait until the client has read everything; `abort` does not.
        self._read_timer = self.loop.call_later(self.seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Stop waiting: the client reads again."""
        super().resume_writing()
        if self._read_timer is not None:
            self._read_timer.cancel()

    def on_response_complete(self) -> None:
        """Start to wait for the head of the next request."""
        super().on_response_complete()
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        super().connection_lost(exc)
        for timer in (self._head_timer, self._read_timer):
            if timer is not None:
                timer.cancel()

    def send_400_response(self, msg: str) -> None:
        """Answer invalid HTTP."""
        self._refuse(Refusal("usage", msg))

    def _refuse(self, refusal: Refusal) -> None:
        """Send a refusal without a request, and close the connection."""
        body = json.dumps(refusal.to_dict()).encode()
        fields: list[tuple[bytes, bytes]] = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
        ]
        head = h11.Response(status_code=refusal.status, headers=fields)
        for event in (head, h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _await_head(self) -> None:
        """Start or restart the clock for the head of a request."""
        if self._head_timer is not None:
            self._head_timer.cancel()
        self._head_timer = self.loop.call_later(self.seconds, self._check_head)

    def _check_head(self) -> None:
        """Close the connection if no request is being answered."""
        if (self.cycle is None or self.cycle.response_complete) and not self.transport.is_closing():
            self.transport.close()
