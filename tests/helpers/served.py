"""The service as a process of its own, as people start it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import httpx
from command_line import command

from gamma_align.apps.service.refusal import STATUS

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
    """A client of a service that was started for it, with its process."""

    process: subprocess.Popen[str]


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
        with Served(
            base_url=address.partition("/?")[0].rstrip("/"), timeout=60, limits=httpx.Limits(max_connections=None)
        ) as client:
            client.process = process
            client.headers["x-address"] = address
            yield client
        if process.poll() is None:
            if sys.platform == "win32":  # it has no signal that asks a single process to leave
                process.kill()
            else:
                process.send_signal(signal.SIGINT)
                assert process.wait(20) == 0
    finally:
        process.kill()
        process.communicate()
