"""Following a project for the page, in a worker process: the newest documents as data, and what changed."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

from gamma_align.apps.follow.follower import Follower, Seen, Source
from gamma_align.errors import GammaAlignError
from gamma_align.measures.gamma import GammaSettings
from gamma_align.reading import write_new
from gamma_align.requests import COMMAND_LINE, options_of, read_whole


def source_of(project: str, columns: str | None) -> Source:
    """Return a project whose exports are read with a map of their columns, if there is one, and no other options."""
    values = {named.name: named.default() for named in options_of("measure")} | {"read_map": columns}
    return Source(project, lambda path: read_whole([str(path)], values), columns or "")


def follow(
    notify: Callable[[str, object], None],
    *,
    project: str,
    work: Path,
    seconds: float,
    columns: str | None,
    folder: Path,
) -> None:
    """Follow a project for ever.

    After each look, report ("looked", waiting, looks, data): what is waited for, the looks if there are new ones, and
    the folder of the newest documents, below `folder`, if they are new.
    """
    source = source_of(project, columns)
    settings = GammaSettings.of()
    follower: Follower | None = None
    n_said = -1
    for number in count():
        waiting: tuple[str, ...] = ()
        data = None
        try:
            if follower is None:
                follower = Follower(source, source.open(work, lambda _: None), settings, work, causes=True)
            seen = follower.look()
            waiting = seen.waiting
            data = _written(seen, folder / f"{number}")
        except GammaAlignError as error:
            # Whatever it is, such as a token that is no longer valid, may be mended while the page is open.
            waiting = (error.render(COMMAND_LINE),)
        looks = [] if follower is None else follower.looks
        changes = [look.to_dict() for look in looks] if len(looks) != n_said else None
        n_said = len(looks)
        notify("looked", {"waiting": waiting, "looks": changes, "data": data})
        time.sleep(seconds)


def _written(seen: Seen, path: Path) -> Path | None:
    """Write the newest documents, if they are new, as a folder of tables, which keep everything."""
    if seen.corpus is None:
        return None
    path.parent.mkdir(mode=0o700, exist_ok=True)
    write_new(seen.corpus, path, format="csv")
    return path
