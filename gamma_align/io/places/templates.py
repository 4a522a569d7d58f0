"""Paths with fields in them: ``"{annotator}/{document}.ann"``.

``{annotator}`` and ``{document}`` are the name of a folder, or a part of it or of a file's, and the same wherever they
stand; ``{_}`` is anything there, ``*`` anything or nothing, ``**`` any folders. Folders that exist under a name with
braces or stars are meant as they are; elsewhere a brace that is meant is doubled.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from gamma_align.errors import InputError, SettingsError

_NAMES = ("annotator", "document", "_")
_TOKEN = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|\*\*/?|\*|[{}]")


@dataclass(frozen=True, slots=True)
class Template:
    """A path with fields.

    `base` is the folder before the first field, `rest` what follows it, `depth` how many folders below it the files are
    (``None``: any).
    """

    base: Path
    rest: str
    depth: int | None
    _greedy: re.Pattern[str]
    _lazy: re.Pattern[str]

    def fields(self, path: str) -> dict[str, str] | None:
        """Return the fields of a path below the base, ``None`` where it does not fit."""
        fits, other = self._greedy.fullmatch(path), self._lazy.fullmatch(path)
        if fits is None or other is None:
            return None
        if fits.groupdict() != other.groupdict():
            told = " or ".join(
                ", ".join(f"{name} {value!r}" for name, value in match.groupdict().items()) for match in (fits, other)
            )
            raise InputError(f"{path}: fits {self.rest!r} in two ways: {told}; give a path that tells them apart")
        return fits.groupdict()


def is_template(path: str) -> bool:
    """Whether the path is a template: no file of that very name, and braces or stars in it."""
    return not os.path.lexists(path) and _TOKEN.search(path) is not None


def template(path: str) -> Template:
    """Return a path with fields, taken apart."""
    base, rest = _split(path.replace(os.sep, "/"))
    return Template(
        Path(base or "."),
        rest,
        None if "**" in rest else rest.count("/"),
        _compiled(rest, ""),
        _compiled(rest, "?"),
    )


def _split(path: str) -> tuple[str, str]:
    """Return the folder that is meant as it is written, and the rest."""
    cut = 0
    while True:
        slash = path.find("/", cut)
        if slash < 0:
            return path[:cut], path[cut:]
        if _TOKEN.search(path, cut, slash) and not os.path.isdir(path[:slash]):  # noqa: PTH112  (never raises)
            return path[:cut], path[cut:]
        cut = slash + 1


def _compiled(rest: str, lazy: str) -> re.Pattern[str]:
    parts: list[str] = []
    seen: set[str] = set()
    at = 0
    for match in _TOKEN.finditer(rest):
        parts += (re.escape(rest[at : match.start()]), _group(match, seen, lazy))
        at = match.end()
    return re.compile("".join((*parts, re.escape(rest[at:]))), re.DOTALL)


def _group(match: re.Match[str], seen: set[str], lazy: str) -> str:
    name, written = match.group(1), match.group()
    if written in ("{{", "}}"):
        return re.escape(written[0])
    if written in ("{", "}"):
        raise SettingsError(f"a path with a single {written!r} in it; a brace that is meant is doubled")
    if name is None:
        return {"*": f"[^/]*{lazy}", "**": f".*{lazy}", "**/": f"(?:.*{lazy}/)?{lazy}"}[written]
    if name not in _NAMES:
        raise SettingsError(
            f"a path may have {{annotator}}, {{document}}, {{_}} and * in it, not {written}; a brace that is meant is "
            "doubled"
        )
    if name == "_":
        return f"[^/]+{lazy}"
    if name in seen:
        return f"(?P={name})"
    seen.add(name)
    return f"(?P<{name}>[^/]+{lazy})"
