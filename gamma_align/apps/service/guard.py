"""Checks of every request before the application sees it, and the headers of every response."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
from collections.abc import Iterator
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gamma_align.apps.service.limits import MIB, Limits
from gamma_align.apps.service.refusal import Refusal

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
"""Names of this machine in a Host header."""
COOKIE = "gamma_align_token"  # the name of the cookie with the token
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
        "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
"""Headers of every response: no other page can embed, read or script this one."""
_BYTES_PER_PERIOD = 10 * MIB  # a body may take `Limits.upload_seconds` for each 10 MiB
_DRAIN_SECONDS = 1.0  # after a refusal


class Guard:
    """The application behind its checks: Host, Origin, token, size and speed of the request."""

    def __init__(
        self, app: ASGIApp, *, limits: Limits, token: str | None, hosts: tuple[str, ...], root_path: str
    ) -> None:
        self._app = app
        self._limits = limits
        self._token = token
        self._root_path = root_path
        self._hosts = frozenset(host.lower() for host in (*LOOPBACK, *hosts))
        self._bodies = _Bodies(max(limits.body, limits.keep_bytes))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it to the application."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if self._root_path:  # otherwise a larger application may have set it
            scope["root_path"] = self._root_path
        body = _Body(receive, self._limits, self._bodies)
        headers = Headers(scope=scope)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                fields = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    fields.setdefault(name, value)
                await body.drain()
            await send(message)

        try:
            self._check_caller(headers)
            if self._token is not None and self._has_token_in_address(scope):
                await self._welcome(scope)(scope, receive, send_with_headers)
                return
            self._check_token(headers)
            body.check_length(headers)
        except Refusal as refusal:
            await response(refusal)(scope, body.receive, send_with_headers)
            return
        with self._bodies.holding(body):
            await self._app(scope, body.receive, send_with_headers)

    def _check_caller(self, headers: Headers) -> None:
        """Refuse requests to another host name, and requests of other pages.

        A page elsewhere can point a name of its own at this machine (DNS rebinding).
        """
        host = headers.get("host", "")
        if "*" not in self._hosts and _name(host) not in self._hosts:
            raise Refusal(
                "host_or_origin", "the service does not accept this host name", "see --allow-host of gamma-align serve"
            )
        origin = headers.get("origin")
        if origin is not None and not self._is_own(origin, host):
            raise Refusal("host_or_origin", "the request comes from another page", "send it from the service's own")
        # Browsers send no Origin with some requests, for example of images. Links to this page are allowed.
        if headers.get("sec-fetch-site") == "cross-site" and headers.get("sec-fetch-mode") != "navigate":
            raise Refusal("host_or_origin", "the request comes from another page", "send it from the service's own")

    def _is_own(self, origin: str, host: str) -> bool:
        """Return whether an origin is the service itself. Behind a proxy the ports may differ."""
        try:
            netloc = urlsplit(origin).netloc
        except ValueError:
            return False
        # On this machine another port is another program, so loopback names need the same port.
        return netloc.lower() == host.lower() or (_name(netloc) in self._hosts - {*LOOPBACK, "*"})

    def _check_token(self, headers: Headers) -> None:
        """Raise a Refusal unless header or cookie has the token, if one is required."""
        if self._token is None:
            return
        kind, _, shown = headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer":
            shown = _cookie(headers.get("cookie", ""))
        # The time of this comparison does not reveal how much of a token is right.
        if not hmac.compare_digest(shown.strip().encode(), self._token.encode()):
            raise Refusal("token", "the token is missing or wrong", "send  Authorization: Bearer TOKEN")

    def _has_token_in_address(self, scope: Scope) -> bool:
        """Return whether a browser opens the page with the right token in the address."""
        if scope["path"].removeprefix(self._root_path) != "/" or scope["method"] != "GET":
            return False
        shown = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        return hmac.compare_digest(shown.encode(), (self._token or "").encode())

    def _welcome(self, scope: Scope) -> RedirectResponse:
        """Set the cookie, and redirect to the page without the token: addresses stay in the history of the browser."""
        fields = parse_qsl(scope["query_string"].decode("latin-1"))
        query = urlencode([(name, value) for name, value in fields if name != "token"])
        page = f"{self._root_path}/"
        welcome = RedirectResponse(f"{page}?{query}" if query else page, status_code=303)
        # A browser does not send a secure cookie over HTTP.
        secure = scope.get("scheme") == "https"
        welcome.set_cookie(COOKIE, self._token or "", path=page, httponly=True, samesite="strict", secure=secure)
        return welcome


class _Bodies:
    """The bodies of the requests that are being answered, and a limit of all their bytes.

    Beyond it, the largest body that is still arriving makes way: many small or slow ones keep nobody out.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._bodies: set[_Body] = set()

    @contextlib.contextmanager
    def holding(self, body: _Body) -> Iterator[None]:
        """Count a body until its request is answered."""
        self._bodies.add(body)
        try:
            yield
        finally:
            self._bodies.discard(body)

    def make_room(self) -> None:
        """Give up the largest body that is still arriving if all bodies together are too large."""
        arriving = [body for body in self._bodies if not body.is_read]
        if arriving and sum(body.count for body in self._bodies) > self._limit:
            largest = max(arriving, key=lambda body: body.count)
            self._bodies.discard(largest)
            largest.give_up()


class _Body:
    """The body of a request, counted while it arrives."""

    def __init__(self, receive: Receive, limits: Limits, bodies: _Bodies) -> None:
        self._receive = receive
        self._limits = limits
        self._bodies = bodies
        self.count = 0
        self.is_read = False
        self._is_given_up = False
        self._timeout: asyncio.Timeout | None = None
        self._time = asyncio.get_running_loop().time
        self._start_time: float | None = None

    def check_length(self, headers: Headers) -> None:
        """Refuse a body whose Content-Length is too large."""
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self._limits.body:
            raise self._too_large()

    def _too_large(self) -> Refusal:
        return Refusal(
            "too_large",
            f"the request has more than {self._limits.body:,} bytes",
            "send less, or measure the files with the command line",
        )

    async def receive(self) -> Message:
        """Return the next part of the body; Refusal if the body is too large or arrives too slowly."""
        if self.is_read:
            return await self._receive()  # waits for the end of the connection
        if self._is_given_up:
            raise self._busy()
        if self._start_time is None:  # the time in which the service was busy does not count
            self._start_time = self._time()
        end = self._start_time + self._limits.upload_seconds * (1 + self.count / _BYTES_PER_PERIOD)
        try:
            async with asyncio.timeout_at(end) as self._timeout:
                message = await self._receive()
        except TimeoutError:
            if self._is_given_up:
                raise self._busy() from None
            raise Refusal(
                "too_slow", "the request arrives too slowly", "send it again over a faster connection"
            ) from None
        finally:
            self._timeout = None
        if message["type"] == "http.request":
            self.count += len(message.get("body", b""))
            self.is_read = not message.get("more_body", False)
            if self.count > self._limits.body:
                raise self._too_large()
            self._bodies.make_room()
            if self._is_given_up:
                raise self._busy()
        return message

    def give_up(self) -> None:
        """Refuse the request instead of waiting for the remainder of its body."""
        self._is_given_up = True
        if self._timeout is not None:
            self._timeout.reschedule(self._time())

    @staticmethod
    def _busy() -> Refusal:
        return Refusal(
            "busy", "too many large requests are arriving at once", "send the request again in a few seconds"
        )

    async def drain(self) -> None:
        """Read and drop the remainder of a refused request for a moment: clients read the response after sending."""
        if self.is_read:
            return
        end = self._time() + _DRAIN_SECONDS
        while not self.is_read and (remaining := end - self._time()) > 0:
            try:
                async with asyncio.timeout(remaining):
                    message = await self._receive()
            except TimeoutError:
                return
            self.is_read = message["type"] != "http.request" or not message.get("more_body", False)


def response(refusal: Refusal) -> JSONResponse:
    """Return the response of a refusal."""
    headers = {"busy": {"Retry-After": "5"}, "stopping": {"Retry-After": "5"}, "token": {"WWW-Authenticate": "Bearer"}}
    return JSONResponse(refusal.to_dict(), refusal.status, headers.get(refusal.code))


def _name(netloc: str) -> str:
    """Return the host name of a Host header in lower case, without the port."""
    text = netloc.rpartition("@")[2].lower()
    # An IPv6 address contains colons itself.
    if text.startswith("["):
        return text.partition("]")[0] + "]"
    return text.partition(":")[0]


def _cookie(text: str) -> str:
    """Return the token in a Cookie header, "" if there is none."""
    try:
        cookies = SimpleCookie(text)
    except CookieError:
        return ""
    return cookies[COOKIE].value if COOKIE in cookies else ""
