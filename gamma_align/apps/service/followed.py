"""The project that the page follows: a worker looks at it, and this has what it saw last."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, cast
from urllib.parse import urlsplit

from gamma_align.apps.service.pool import Call, Pool
from gamma_align.apps.service.refusal import Refusal
from gamma_align.apps.service.store import Kept, Store, safe_name
from gamma_align.data import Json

_FOR_EVER = 1e9  # seconds


class Following(NamedTuple):
    """What to follow: a folder or an address, the folder of work, and the seconds between two looks.

    `columns` is the map of the columns of its exports, as JSON, if there is one.
    """

    project: str
    work: Path
    seconds: float
    columns: str | None

    @property
    def name(self) -> str:
        """The name of the project on the page."""
        address = urlsplit(self.project)
        name = address.path.rstrip("/").rpartition("/")[2]
        return f"project {name} of {address.hostname}" if address.netloc else name or self.project


class Followed:
    """What was seen of a project.

    Attributes
    ----------
    number : int
        Counts what was seen, so that a page knows whether it has shown it.
    looks : list of dict
        The looks, as `follow --json` prints them.
    waiting : tuple of str
        What is not in the documents yet, and why.
    data : Kept or None
        The newest documents.
    """

    def __init__(self, following: Following, store: Store, home: Path, memory: int) -> None:
        self.following = following
        self.number = 0
        self.looks: list[dict[str, Json]] = []
        self.waiting: tuple[str, ...] = ()
        self.data: Kept | None = None
        self._store = store
        self._folder = home / "followed"
        self._pool = Pool(1, home, memory)

    async def start(self) -> None:
        """Begin to look."""
        from gamma_align.apps.service.following import follow  # few services need it

        await self._pool.start()
        arguments = {**self.following._asdict(), "folder": self._folder}
        self._pool.submit(Call(follow, arguments, self._receive, _FOR_EVER, "the project"))

    async def stop(self) -> None:
        """End the worker: what it has done is kept."""
        await self._pool.stop()

    def _receive(self, kind: str, value: object) -> None:
        """Take a message of the worker; count it if it changes what a page shows."""
        before = self.looks, self.waiting, self.data
        if kind == "looked":
            seen = cast("dict[str, Json]", value)
            if seen["looks"] is not None:
                self.looks = seen["looks"]
            self.waiting = seen["waiting"]
            if seen["data"] is not None:
                self._keep(seen["data"])
        elif isinstance(value, Refusal):
            self.waiting = (value.message,)
        elif kind == "queued":
            self.waiting = (str(value),)
        self.number += (self.looks, self.waiting, self.data) != before

    def _keep(self, folder: Path) -> None:
        """Put the newest documents in the store; those before are deleted when nobody has used them for a while."""
        kept = self._store.new()
        moment = f" {self.looks[-1]['moment'][:16]}" if self.looks else ""
        kept.name = safe_name(self.following.name)
        kept.label = f"{self.following.name}{moment}"
        folder.rename(kept.folder / kept.name)
        kept.users = 1
        if self.data is not None:
            self.data.users -= 1
        self.data = kept
        self._store.measure(kept)
