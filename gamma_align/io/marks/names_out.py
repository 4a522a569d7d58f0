"""Names of documents and annotators as paths of files, there and back."""

from __future__ import annotations

import re

from gamma_align.errors import InputError

_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f<>:"\\|?*\ud800-\udfff]')
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
"""What Windows takes for a device, whatever suffix follows."""


def as_path(name: str, what: str) -> str:
    """Return a name that can be a path below a folder, a slash in it a folder.

    Raises
    ------
    InputError
        For a name that would lead elsewhere, be hidden, or that some system does not take.
    """
    if not all(map(_is_plain, name.split("/"))) or any(part.endswith(".") for part in name.split("/")[:-1]):
        raise InputError(
            f"the {what} {name!r} cannot name a file; rename it, or write a format that keeps all in one file "
            "(csv, parquet, jsonl)"
        )
    return name


def as_part(name: str, what: str) -> str:
    """Return a name that can be one part of a path.

    Raises
    ------
    InputError
        As `as_path`, and for a slash.
    """
    if "/" in name or name.endswith("."):
        raise InputError(
            f"the {what} {name!r} has a slash in it, or a point at its end, and cannot name a folder; rename it, or "
            "write a format that keeps all in one file (csv, parquet, jsonl)"
        )
    return as_path(name, what)


def _is_plain(part: str) -> bool:
    """Whether a part of a path is no more than a name, and not hidden."""
    return (
        bool(part)
        and not part.startswith(".")
        and part == part.strip()
        and not _FORBIDDEN.search(part)
        and not _DEVICES.fullmatch(part)
    )
