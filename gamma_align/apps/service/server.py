"""The server process: its address, its socket and its end."""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from gamma_align.apps.service import create_app
from gamma_align.apps.service.limits import Limits
from gamma_align.errors import Cure, MissingExtraError, Set, SettingsError

if TYPE_CHECKING:
    import uvicorn
    from fastapi import FastAPI

    from gamma_align.apps.service.followed import Following

_IDLE_SECONDS = 10  # of a connection between two requests
_BACKLOG = 512  # connections that the system accepts before the server does: a browser opens six at once


@dataclass(frozen=True, slots=True)
class Address:
    """The address at which the server listens, and the host names by which clients may call it.

    `root_path` is the prefix that a proxy puts before all paths, `uds` a Unix domain socket in place of host and port.
    """

    host: str = "127.0.0.1"
    port: int | None = None
    token: str | None = None
    allowed: tuple[str, ...] = ()
    root_path: str = ""
    uds: Path | None = None

    @property
    def hosts(self) -> tuple[str, ...]:
        """The host names by which clients may call the server."""
        # The machine's names are unknown. All names are safe, since `run` of `serve` makes a token for these hosts.
        if self.host in ("0.0.0.0", "::"):  # noqa: S104  (compared, not bound)
            return self.allowed or ("*",)
        return (f"[{self.host}]" if ":" in self.host else self.host, *self.allowed)


def serve(
    address: Address,
    limits: Limits,
    *,
    path: Path | None = None,
    following: Following | None = None,
    opens: bool = False,
) -> None:
    """Serve until Ctrl-C. The address is printed as soon as the server answers.

    The page opens with the data at `path`, or shows a project that is followed.

    Raises
    ------
    MissingExtraError
        If FastAPI or uvicorn is not installed.
    SettingsError
        If the server cannot listen at the address.
    """
    try:
        import uvicorn  # noqa: F401  (an optional package)
    except ImportError:
        raise MissingExtraError("uvicorn", "web", "gamma-align serve") from None
    app = create_app(limits=limits, token=address.token, hosts=address.hosts, root_path=address.root_path)
    if following is not None:
        app.state.service.follow(following)
    listening = _listening(address) if address.uds is None else _listening_at_file(address.uds)
    with listening as listener:
        query = "" if path is None else f"data={app.state.service.link(path)}"
        if address.token is not None:
            query = f"{query}&token={address.token}".lstrip("&")
        host = f"[{address.host}]" if ":" in address.host else address.host
        at = f"http://{host}:{listener.getsockname()[1]}" if address.uds is None else f"unix:{address.uds.resolve()}:"
        shown = f"{at}{address.root_path}/{'?' * bool(query)}{query}"
        with contextlib.suppress(KeyboardInterrupt):  # uvicorn raises it again after the end
            _server(app, shown, limits, opens=opens).run(sockets=[listener])


@contextlib.contextmanager
def _listening(address: Address) -> Iterator[socket.socket]:
    """Yield the socket, on a free port if none is requested."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    try:
        listener = socket.create_server((address.host, address.port or 0), family=family, backlog=_BACKLOG)
    except OSError as error:
        port = "" if address.port is None else f", port {address.port}"
        raise SettingsError(
            f"cannot listen at {address.host}{port}: {os.strerror(error.errno or 0)}",
            Cure("another {} may be free", Set("port")),
        ) from None
    with listener:
        yield listener


@contextlib.contextmanager
def _listening_at_file(path: Path) -> Iterator[socket.socket]:
    """Yield a Unix domain socket, which is deleted at the end. The socket of a server that was killed is replaced."""
    if sys.platform == "win32":
        raise SettingsError("Windows has no Unix domain sockets that Python can use", Cure("leave out {}", Set("uds")))
    with socket.socket(socket.AF_UNIX) as listener:
        try:
            if path.is_socket() and not _answers(path):
                path.unlink()
            listener.bind(str(path))
            listener.listen(_BACKLOG)
        except OSError as error:
            # A path that is too long has no number.
            reason = os.strerror(error.errno) if error.errno else str(error)
            raise SettingsError(
                f"cannot listen at {path}: {reason}", Cure("name another file with {}", Set("uds"))
            ) from None
        try:
            yield listener
        finally:
            path.unlink(missing_ok=True)


def _answers(path: Path) -> bool:
    """Return whether a server listens at a Unix domain socket."""
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(str(path))
        except ConnectionRefusedError:
            return False
    return True


def _server(app: FastAPI, address: str, limits: Limits, *, opens: bool) -> uvicorn.Server:
    import uvicorn

    from gamma_align.apps.service.protocol import Protocol

    class Server(uvicorn.Server):
        """A server that prints its address, and ends all work before it waits for clients."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                print(address, flush=True)  # noqa: T201  (the result of the command)
                # The server must answer while the browser starts.
                if opens:
                    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            super().handle_exit(sig, frame)
            app.state.service.end_soon()

    class Connection(Protocol):
        """A connection with the limit of this server."""

        seconds = limits.upload_seconds

    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    config = uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        lifespan="on",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=3,
        timeout_keep_alive=_IDLE_SECONDS,
    )
    return Server(config)
