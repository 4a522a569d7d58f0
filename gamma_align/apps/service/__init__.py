"""The HTTP API, with the results of the command line, and the web interface.

`create_app` returns the FastAPI application. The data of a request are stored in a folder (`store`), small ones in
memory until somebody asks for them again. One of a few worker processes (`pool`, `jobs`) runs `compute` of a request
and writes the output of ``--json`` there, or returns it if it is small (`work`).
`guard` refuses requests of strangers and requests that are too large, and `refusal` is the shape of every error. Not
here: measuring and drawing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gamma_align.apps.service.limits import Limits
from gamma_align.errors import MissingExtraError

if TYPE_CHECKING:
    from fastapi import FastAPI

__all__ = ["Limits", "create_app"]


def create_app(
    *, limits: Limits | None = None, token: str | None = None, hosts: tuple[str, ...] = (), root_path: str = ""
) -> FastAPI:
    """Return the application for an ASGI server.

    Parameters
    ----------
    limits : Limits, optional
        Limits of requests, work and stored data.
    token : str, optional
        The token of every request: ``Authorization: Bearer TOKEN``, or the cookie that ``/?token=TOKEN`` sets.
    hosts : tuple of str
        The host names that the service answers to (header ``Host``, without port) besides ``localhost``,
        ``127.0.0.1`` and ``[::1]``; ``"*"`` for all, which is safe only with a token.
    root_path : str
        The prefix that a proxy puts before all paths: ``/agreement``.

    Raises
    ------
    MissingExtraError
        If FastAPI is not installed.
    """
    try:
        from gamma_align.apps.service.app import application
    except ModuleNotFoundError as error:
        # Another missing module is a bug of this package, not a missing extra.
        if (error.name or "").split(".")[0] in ("fastapi", "starlette", "pydantic", "python_multipart"):
            raise MissingExtraError("FastAPI", "web", "the service") from None
        raise
    return application(limits or Limits(), token, hosts, root_path)
