"""The service: what the command line measures, over HTTP, and the page that shows it.

`create_app` makes the application of FastAPI. A request's data go to a folder of their own (`store`), its work to one
of a few worker processes (`pool`, `jobs`), which run a subcommand's `compute` and write its ``--json`` there (`work`);
`guard` refuses whom and what the service is not for, and `refusal` has the one shape of every error. Not here: anything
that measures or draws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gamma_align.apps.service.limits import Limits
from gamma_align.errors import MissingExtraError

if TYPE_CHECKING:
    from fastapi import FastAPI

__all__ = ["Limits", "create_app"]


def create_app(*, limits: Limits | None = None, token: str | None = None, hosts: tuple[str, ...] = ()) -> FastAPI:
    """Return the service as an application for an ASGI server.

    Parameters
    ----------
    limits : Limits, optional
        How much the service takes on.
    token : str, optional
        What a request must show: ``Authorization: Bearer TOKEN``, or the cookie that ``/?token=TOKEN`` sets.
    hosts : tuple of str
        The names by which the service may be called (the header ``Host``, without port) besides ``localhost``,
        ``127.0.0.1`` and ``[::1]``; ``"*"`` for any, which is safe with a token alone.

    Raises
    ------
    MissingExtraError
        If FastAPI is not installed.
    """
    try:
        from gamma_align.apps.service.app import application
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] in ("fastapi", "starlette", "pydantic", "python_multipart"):
            raise MissingExtraError("FastAPI", "web", "the service") from None
        raise
    return application(limits or Limits(), token, hosts)
