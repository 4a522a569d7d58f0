"""The shape of every error over HTTP: code, message, cure, location, and the actions that a client can take."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain

from gamma_align.data import Json, is_disk_full
from gamma_align.errors import (
    Cure,
    DiskFullError,
    Entry,
    Fix,
    GammaAlignError,
    InputError,
    Location,
    MissingExtraError,
    OutOfMemoryError,
    Problem,
    Set,
    SettingsError,
    Surface,
    UnknownMeaningError,
)
from gamma_align.requests import COMMAND_LINE, flag_of

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
    "disk_full": 507,
}
"""Codes of errors, with the status of the response."""

_CODES = {
    MissingExtraError: "unknown_format",
    InputError: "invalid_input",
    SettingsError: "usage",
    OutOfMemoryError: "too_large",
}
"""Codes of errors of the library."""
QUESTIONS = {"columns": ("columns", "map", "encoding"), "format": ("format",)}
"""Kinds of questions about files, with the settings that answer them."""
MAX_PROBLEMS = 10  # listed in an error


class Refusal(Exception):  # noqa: N818  (it is also a response)
    """The reason for which a request is refused. A worker raises it, and the client receives it unchanged."""

    def __init__(
        self,
        code: str,
        message: str,
        cure: str | None = None,
        *,
        location: dict[str, object] | None = None,
        actions: Sequence[dict[str, object]] = (),
        n_others: int = 0,
        problems: tuple[dict[str, Json], ...] = (),
        asks: str = "",
        proposals: Sequence[dict[str, object]] = (),
    ) -> None:
        super().__init__(code, message, cure)
        self.code = code
        self.message = message
        self.cure = cure
        self.location = location or {}
        self.actions = actions
        self.n_others = n_others
        self.problems = problems
        self.asks = asks
        self.proposals = proposals
        self.detail = ""  # for the log of the service alone

    def __reduce__(self) -> tuple[type[Refusal], tuple[str, str, str | None], dict[str, object]]:
        return Refusal, (self.code, self.message, self.cure), vars(self)

    @property
    def status(self) -> int:
        """The status of the response."""
        return STATUS[self.code]

    def rename(self, name: str, new_name: str) -> None:
        """Replace the name of a file in all texts."""

        def renamed(value: Json) -> Json:
            if isinstance(value, str):
                return value.replace(name, new_name)
            if isinstance(value, dict):
                return {key: renamed(entry) for key, entry in value.items()}
            return value

        self.message = renamed(self.message)
        self.cure = renamed(self.cure)
        self.location = renamed(self.location)
        self.problems = tuple(map(renamed, self.problems))

    def to_dict(self) -> dict[str, Json]:
        """Return the error, ready for JSON.

        `problems` lists all problems of data that have several, `asks` is the kind of a question (one of `QUESTIONS`),
        and `proposals` are maps of columns that answer it, the likeliest first.
        """
        error: dict[str, Json] = {"code": self.code, "message": self.message, "cure": self.cure}
        error |= {"where": self.location, "more": self.n_others}
        if self.actions:
            error["actions"] = list(self.actions)
        if self.problems:
            error["problems"] = list(self.problems)
        if self.asks:
            error["asks"] = self.asks
        if self.proposals:
            error["proposals"] = list(self.proposals)
        return {"error": error}


def refusal_of(error: BaseException) -> Refusal:
    """Return the refusal of an error of the library. Other errors reveal nothing about this machine."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, DiskFullError) or (isinstance(error, OSError) and is_disk_full(error)):
        cure = "send the request again in a minute, when what is unused is deleted"
        return Refusal("disk_full", "no space is left on the disk of the service", cure)
    if isinstance(error, MemoryError) and not isinstance(error, GammaAlignError):
        return Refusal("too_large", "the work takes more memory than there is", "measure fewer documents at a time")
    if not isinstance(error, GammaAlignError):
        bug = f"a bug of gamma-align ({type(error).__name__})"
        return Refusal("failed", bug, "report it, with the data if you can")
    code = next((code for kind, code in _CODES.items() if isinstance(error, kind)), "failed")
    refusal = refusal_for(code, error.problem)
    if isinstance(error, InputError) and (error.proposals or isinstance(error, UnknownMeaningError)):
        refusal.asks = "columns"
        refusal.proposals = error.proposals
    return refusal


def refusal_for(
    code: str, problem: Problem, *, n_others: int = 0, problems: tuple[dict[str, Json], ...] = ()
) -> Refusal:
    """Return the refusal of a problem of the library."""
    parts = problem_parts(problem)
    asks = "" if problem.cure is None else _asked_by(problem.cure)
    return Refusal(
        *(code, parts["message"], parts["cure"]),
        location=parts["where"],
        actions=parts.get("actions", ()),
        n_others=n_others,
        problems=problems,
        asks="columns" if code == "unknown_format" else asks,
    )


def _asked_by(cure: Cure) -> str:
    """Return the kind of question that a cure answers, "" for a fault."""
    options = {reference.option for reference in cure.references if isinstance(reference, (Set, Entry))}
    nested = (_asked_by(reference) for reference in cure.references if isinstance(reference, Cure))
    direct = (question for question, answers in QUESTIONS.items() if not options.isdisjoint(answers))
    return next(filter(None, chain(direct, nested)), "")


def problem_parts(problem: Problem) -> dict[str, Json]:
    """Return message, cure, location and actions of a problem, ready for JSON."""
    cure = problem.cure
    parts: dict[str, Json] = {
        "message": f"{problem.cause}{problem.details}",
        "cure": None if cure is None else cure.render(HTTP),
        "where": {} if problem.location is None else _location(problem.location),
    }
    if actions := [] if cure is None else actions_of(cure):
        parts["actions"] = actions
    return parts


def _location(location: Location) -> dict[str, object]:
    """Return a location as JSON: a field of the request or of a record in it, or a file with its line or part."""
    if location.option:
        return {"field": field_of(location.option)}
    if location.row is not None:  # the tables of a request are named by their field
        return {"field": f"{location.file}[{location.row}]"}
    if isinstance(location.where, int):
        return {"file": location.file, "line": location.where}
    return {"file": location.file, "place": location.where} if location.where else {"file": location.file}


def actions_of(cure: Cure) -> list[dict[str, object]]:
    """Return the actions that a client can take: settings to change and repairs to apply."""
    actions: list[dict[str, object]] = []
    for reference in cure.references:
        if isinstance(reference, Cure):
            actions += actions_of(reference)
        elif isinstance(reference, Set) and reference.value is not None:
            actions.append({"set": {field_of(reference.option, reference.function): reference.value}})
        elif isinstance(reference, Fix):
            actions.append({"fix": reference.name})
    return actions


def field_of(keyword: str, function: str = "") -> str:
    """Return the setting over HTTP of a keyword argument: the option of the command line with underscores."""
    return flag_of(keyword, function).removeprefix("--").replace("-", "_")


class _Http:
    """Messages for clients of the HTTP API."""

    def option(self, name: str, value: object, function: str = "") -> str:
        text = "" if value is None else f": {json.dumps(value, ensure_ascii=False, default=str)}"
        return f'the setting "{field_of(name, function)}"{text}'

    def entries(self, option: str, names: Sequence[str]) -> str:
        keys = ", ".join(f"{json.dumps(name, ensure_ascii=False)}: …" for name in names)
        return f'the setting "{field_of(option)}": {{{keys}}}'

    def argument(self, name: str) -> str:
        return f"the setting {field_of(name)!r}"

    def fix(self, name: str, clause: str) -> str:
        return clause or f"apply the repair {name!r} before sending the data"

    def install(self, extra: str) -> str:
        return f"install the extra {extra!r} of gamma-align where the service runs"

    def call(self, function: str, command: str, setting: Set | None) -> str:
        return COMMAND_LINE.call(function, command, setting)


HTTP: Surface = _Http()
"""The language of messages over HTTP."""
