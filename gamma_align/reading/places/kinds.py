"""Files that no format recognises: some are of the kind of the files beside them, and must not be left out silently."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gamma_align.errors import GammaAlignError
from gamma_align.reading.files.sources import Head, Source
from gamma_align.reading.formats import Choices, FileFormat

_GENERAL_SUFFIXES = frozenset((".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".txt", ".xml", ".zip", ".parquet"))
"""Suffixes of files of all kinds: settings, metadata, texts."""

_JSON_SUFFIXES = frozenset((".json", ".jsonl", ".ndjson"))
_DESCRIPTIVE_NAMES = ("readme", "license", "licence", "copying", "changelog", "notice", "authors", "citation")
"""First words of the names of files that describe the others."""

_LINES_BEFORE_MAX = 5  # lines of comments or of a header above the content that the format expects


def is_of_the_kind(source: Source, fmt: FileFormat, recognised: Sequence[Source]) -> bool:
    """Return whether a file that no format recognises is probably intended as a file of `fmt`.

    `recognised` are the files of the format beside it. A file with one of their suffixes is intended as such a file. If
    the suffix is a general one, its name or content must show it, too; two files of one name have the same purpose.
    """
    suffixes = {file.suffix for file in recognised}.difference(fmt.beside)
    if source.suffix not in suffixes or source.stem.lower().startswith(_DESCRIPTIVE_NAMES):
        return False
    if source.suffix not in _GENERAL_SUFFIXES or source.stem in {file.stem for file in recognised}:
        return True
    head = source.head
    if not head.data.strip():
        return True
    if source.suffix in _JSON_SUFFIXES and not _has_records(head):
        return True  # the file is damaged
    return _begins_late(head, fmt) or _has_units(source, fmt)


def _has_records(head: Head) -> bool:
    """Return whether the first record of a file of JSON can be read."""
    from gamma_align.reading.files.json_files import first_keys

    return bool(first_keys(head))


def _begins_late(head: Head, fmt: FileFormat) -> bool:
    """Return whether the format recognises the file without its first lines."""
    lines = head.data.splitlines(keepends=True)
    return any(
        fmt.matches(replace(head, data=b"".join(lines[count:])))
        for count in range(1, min(len(lines), _LINES_BEFORE_MAX))
    )


def _has_units(source: Source, fmt: FileFormat) -> bool:
    """Return whether the reader of the format finds a unit in the file."""
    try:
        return any(len(marks) > 0 for marks in fmt.marks(source, Choices()))
    except GammaAlignError:
        return False
