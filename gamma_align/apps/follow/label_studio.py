"""A project of Label Studio, over its API: all tasks, page by page.

The address is that of the project in the browser. The token is that of the account ("Account & Settings"), from the
environment: a legacy token, or a personal access token, which is exchanged for one that is valid for minutes. It is
sent to the server of the project alone, never stored and never shown.

References
----------
https://api.labelstud.io (list tasks: GET /api/tasks?project=…&page=…&page_size=…&fields=all; access tokens: POST
/api/token/refresh)
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from http.client import HTTPException, HTTPMessage
from pathlib import Path
from typing import IO, Any, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, Request, build_opener

from gamma_align.apps.follow.version import Version
from gamma_align.data import Corpus
from gamma_align.errors import SettingsError
from gamma_align.reading import TemporaryFolder
from gamma_align.version import __version__

TOKEN_VARIABLE = "LABEL_STUDIO_API_KEY"  # noqa: S105  (as the client library of Label Studio calls it)
"""The variable of the environment with the token."""

_PROJECT_PATH = re.compile(r"(?P<base>.*?)/projects/(?P<number>\d+)(/.*)?")
_PAGE_SIZE = 100  # tasks
_TIMEOUT = 60.0  # seconds to wait for an answer
_STATUS_REFUSED = (401, 403)
_STATUS_MISSING = 404
_LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
_JWT_PARTS = 3  # of a personal access token, with dots between


class _NotNowError(Exception):
    """The server cannot be reached or does not answer as it should: the next look tries again."""


class _SameHost(HTTPRedirectHandler):
    """Follows redirections within the server only: no other one is to see the token."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        """Return the request of the new address, if it is of the same server."""
        old = urlsplit(req.full_url)
        new = urlsplit(newurl)
        if (old.scheme, old.netloc) != (new.scheme, new.netloc):
            raise SettingsError(
                f"{old.scheme}://{old.netloc} sends to another server, {new.scheme}://{new.netloc}",
                "name the address that it sends to",
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class Address(NamedTuple):
    """The address of the server, and the number of the project."""

    base: str
    project: int

    @classmethod
    def of(cls, url: str) -> Address:
        """Return the parts of the address of a project, as a browser shows it."""
        parts = urlsplit(url)
        match = _PROJECT_PATH.fullmatch(parts.path)
        if match is None or not parts.netloc or "@" in parts.netloc:
            raise SettingsError(
                f"{parts.scheme}://{parts.hostname or ''}{parts.path} is not the address of a project",
                "name it as the browser shows it: https://labels.example.org/projects/12",
            )
        return cls(f"{parts.scheme}://{parts.netloc}{match['base']}", int(match["number"]))

    @property
    def is_readable_by_others(self) -> bool:
        """Whether what is sent, and so the token, can be read on the way."""
        parts = urlsplit(self.base)
        return parts.scheme != "https" and parts.hostname not in _LOCAL_HOSTS


class LabelStudio:
    """A project of Label Studio.

    Parameters
    ----------
    address : Address
    read : callable
        Reads a file of tasks as a corpus.
    environment : mapping, optional
        Has the token.
    """

    def __init__(
        self, address: Address, read: Callable[[Path], Corpus], environment: Mapping[str, str] = os.environ
    ) -> None:
        token = environment.get(TOKEN_VARIABLE, "").strip()
        if not token:
            raise SettingsError(
                f"there is no token in the variable {TOKEN_VARIABLE} of the environment",
                f"copy it from Account & Settings of Label Studio: export {TOKEN_VARIABLE}=…",
            )
        if not re.fullmatch(r"[\x21-\x7e]+", token):
            raise SettingsError(f"the token in {TOKEN_VARIABLE} has characters that no token has", "copy it again")
        self._address = address
        self._read = read
        self._token = token
        self._opener: OpenerDirector = build_opener(_SameHost())
        self._last = Version(None, "")
        self._content = b""

    def newest(self) -> Version:
        """Return all tasks as they are now; the last ones that could be read, and why, if the server is away."""
        try:
            tasks = self._tasks()
        except _NotNowError as error:
            return self._last._replace(waiting=(f"{self._address.base}: {error}; the next look tries again",))
        content = json.dumps(tasks).encode()
        if content != self._content:
            self._last = self._version(tasks, content)
            self._content = content
        return self._last

    def _version(self, tasks: Sequence[Mapping[str, Any]], content: bytes) -> Version:
        """Return the version of these tasks; without a corpus if nobody has annotated any of them."""
        moment = max((str(task.get("updated_at") or "") for task in tasks), default="")
        moment = moment[: len("2026-01-31T12:00:00")].replace("T", " ")
        if not any(task.get("annotations") for task in tasks):
            return Version(None, moment, ("no task has an annotation yet",))
        with TemporaryFolder() as folder:
            path = folder.path / f"project-{self._address.project}.json"
            path.write_bytes(content)
            return Version(self._read(path), moment)

    def _tasks(self) -> list[Mapping[str, Any]]:
        """Return all tasks, sorted by number.

        Raises a `_NotNowError` if the list changed while its pages were read, and a SettingsError without a project.
        """
        authorisation = self._authorisation()
        tasks: dict[int, Mapping[str, Any]] = {}
        page = 1
        total: int | None = None
        while total is None or len(tasks) < total:
            query = {"project": self._address.project, "page": page, "page_size": _PAGE_SIZE, "fields": "all"}
            answer = self._ask(f"/api/tasks?{urlencode(query)}", authorisation)
            if answer is None and page == 1:
                raise SettingsError(
                    f"{self._address.base} has no project {self._address.project} that this account may see"
                )
            if answer is None:
                break  # behind the last page
            listed, total = _page(answer)
            if not listed:
                break
            tasks |= {task["id"]: _without_time(task) for task in listed}
            page += 1
        if total is not None and len(tasks) != total:
            raise _NotNowError(f"{len(tasks)} of {total} tasks arrived, as the list changed meanwhile")
        return [tasks[number] for number in sorted(tasks)]

    def _authorisation(self) -> str:
        """Return the header with the token; a personal token is exchanged for an access token first."""
        if self._token.count(".") != _JWT_PARTS - 1:
            return f"Token {self._token}"
        answer = self._ask("/api/token/refresh", None, {"refresh": self._token})
        access = answer.get("access") if isinstance(answer, dict) else None
        if not isinstance(access, str):
            raise _NotNowError("it gives no access token")
        return f"Bearer {access}"

    def _ask(self, path: str, authorisation: str | None, body: Mapping[str, str] | None = None) -> Any:  # noqa: ANN401
        """Return the answer of the server as JSON, None if nothing is at the path.

        Raises a SettingsError if the token is refused, and a `_NotNowError` if the server fails.
        """
        headers = {"Accept": "application/json", "User-Agent": f"gamma-align/{__version__}"}
        if authorisation is not None:
            headers["Authorization"] = authorisation
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body).encode()
        request = Request(f"{self._address.base}{path}", data, headers)  # noqa: S310  (http or https)
        try:
            with self._opener.open(request, timeout=_TIMEOUT) as response:
                content = response.read()
        except HTTPError as error:
            error.close()
            if error.code in _STATUS_REFUSED:
                raise SettingsError(
                    f"{self._address.base} refuses the token in {TOKEN_VARIABLE} ({error.code})",
                    "copy it again from Account & Settings, and see that the account may see the project",
                ) from None
            if error.code == _STATUS_MISSING:
                return None
            raise _NotNowError(f"it answers {error.code}") from None
        except (URLError, HTTPException, OSError) as error:
            raise _NotNowError(f"it does not answer ({getattr(error, 'reason', None) or error})") from None
        try:
            return json.loads(content)
        except ValueError:
            raise _NotNowError("its answer is not JSON, or only half of it") from None


def _page(answer: Any) -> tuple[list[Mapping[str, Any]], int]:  # noqa: ANN401
    """Return the tasks of a page and the number of all tasks; raise a `_NotNowError` if it is no page."""
    tasks = answer.get("tasks") if isinstance(answer, dict) else None
    total = answer.get("total") if isinstance(answer, dict) else None
    if not isinstance(tasks, list) or not isinstance(total, int) or not all(_is_task(task) for task in tasks):
        raise _NotNowError("its answer is not a page of tasks")
    return tasks, total


def _is_task(task: object) -> bool:
    """Return whether an entry of a page is a task with a number."""
    return isinstance(task, dict) and isinstance(task.get("id"), int)


def _without_time(task: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a task without its duplicate fields, and without the field that changes at every request."""
    left_out = ("annotations_results", "predictions_results")
    kept = {key: value for key, value in task.items() if key not in left_out}
    annotations = [
        {key: value for key, value in annotation.items() if key != "created_ago"}
        for annotation in task.get("annotations") or []
    ]
    return {**kept, "annotations": annotations}
