"""The one shape of every error: a code, what is wrong, what to do, and where."""

from __future__ import annotations

import re
from typing import Any

from gamma_align.errors import GammaAlignError, InputError, MissingExtraError, SettingsError

STATUS = {
    "usage": 400,
    "token": 401,
    "host_or_origin": 403,
    "not_found": 404,
    "method": 405,
    "too_slow": 408,
    "job_finished": 409,
    "job_unfinished": 409,
    "cancelled": 409,
    "too_large": 413,
    "unknown_format": 415,
    "invalid_input": 422,
    "busy": 429,
    "failed": 500,
    "stopping": 503,
}
"""Each code of an error, and the status of its response."""

_CODES = {MissingExtraError: "unknown_format", InputError: "invalid_input", SettingsError: "usage"}
_ARGUMENT = re.compile(r"argument (?:-\w/)?--([a-z0-9-]+): ")
PROBLEMS = 10
"""How many problems of data an error lists."""


class Refusal(Exception):  # noqa: N818  (it is an answer)
    """What a request is refused for; it goes from worker to client as it is."""

    def __init__(
        self,
        code: str,
        message: str,
        cure: str | None = None,
        *,
        where: dict[str, Any] | None = None,
        more: int = 0,
        problems: tuple[dict[str, Any], ...] = (),
    ) -> None:
        super().__init__(code, message, cure)
        self.code, self.message, self.cure = code, message, cure
        self.where, self.more, self.problems = where or {}, more, problems
        self.detail = ""  # for the log of the service alone

    def __reduce__(self) -> tuple[Any, ...]:
        return Refusal, (self.code, self.message, self.cure), vars(self)

    @property
    def status(self) -> int:
        """The status of the response."""
        return STATUS[self.code]

    def to_dict(self) -> dict[str, Any]:
        """Return the error, ready for JSON; `problems` are there where the data have several."""
        problems = {"problems": list(self.problems)} if self.problems else {}
        error = {"code": self.code, "message": self.message, "cure": self.cure, "where": self.where, "more": self.more}
        return {"error": {**error, **problems}}


def refusal_of(error: BaseException) -> Refusal:
    """Return an error of the library as one of the service; what is none of ours says nothing of the machine."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, MemoryError):
        return Refusal("too_large", "the work takes more memory than there is", "measure fewer documents at a time")
    if not isinstance(error, GammaAlignError):
        bug = f"a bug of gamma-align ({type(error).__name__})"
        return Refusal("failed", bug, "report it, with the data if you can")
    match = _ARGUMENT.match(str(error))
    where = {} if match is None else {"field": match[1].replace("-", "_")}
    code = next((code for kind, code in _CODES.items() if isinstance(error, kind)), "failed")
    return Refusal(code, *in_two(str(error)), where=where)


def in_two(message: str) -> tuple[str, str | None]:
    """Return what is wrong and what to do, which our messages have after their last semicolon."""
    what, _, cure = message.rpartition("; ")
    return (what, cure) if what else (cure, None)
