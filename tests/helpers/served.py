"""The service as a process of its own, as people start it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import httpx
from command_line import command

from gamma_align.apps.service.refusal import QUESTIONS, STATUS

API = "/api/v1"
ERROR = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {
                "code": {"enum": [*STATUS]},
                "message": {"type": "string", "minLength": 1},
                "cure": {"type": ["string", "null"]},
                "where": {"type": "object"},
                "more": {"type": "integer"},
                "actions": {"type": "array", "minItems": 1},
                "problems": {"type": "array"},
                "asks": {"enum": [*QUESTIONS]},
                "proposals": {"type": "array", "minItems": 1},
            },
            "required": ["code", "message", "cure", "where", "more"],
            "additionalProperties": False,
        }
    },
    "required": ["error"],
    "additionalProperties": False,
}
"""The schema of every error."""


class Served(httpx.Client):
    """A client of a service that was started for it, with its process.

    Nothing waits by the clock: pytest's own timeout ends a test that hangs. Each request has a connection of its own,
    since the service may close an idle one at the moment when it is used again. Threads need clients of their own: the
    pool of connections of one client may close that of another thread.
    """

    process: subprocess.Popen[str]

    def __init__(self, address: str, process: subprocess.Popen[str]) -> None:
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
        base = address.partition("/?")[0].rstrip("/")
        super().__init__(base_url=base, timeout=None, limits=limits, verify=False)  # it speaks no TLS
        self.process = process
        self.headers["x-address"] = address

    def finish(self, command: str, query: str = "", **request: Any) -> httpx.Response:
        """Send a request for work, and return its result or its error, however long the work takes."""
        return self.follow(self.post(f"{API}/{command}?wait=0&{query}", **request))

    def follow(self, response: httpx.Response) -> httpx.Response:
        """Follow the job of a response to its end, and return its result or its error."""
        if response.status_code != httpx.codes.ACCEPTED:
            return response
        job = response.headers["location"]
        assert self.get(f"{job}/events").is_success  # the events end with the job
        return self.get(f"{job}/result")


@contextlib.contextmanager
def served(*options: object, **environment: str) -> Iterator[Served]:
    """Start the service with options and give a client; at the end the process must leave well on Ctrl-C."""
    process = subprocess.Popen(
        command("serve", *options),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, **environment},
    )
    try:
        address = process.stdout.readline().strip()
        assert address.startswith("http://"), process.communicate()[1]
        with Served(address, process) as client:
            yield client
        if process.poll() is None:
            if sys.platform == "win32":  # it has no signal that asks a single process to leave
                process.kill()
            else:
                process.send_signal(signal.SIGINT)
                assert process.wait() == 0
    finally:
        process.kill()
        process.communicate()
