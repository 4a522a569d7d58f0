"""Subtitles, SRT and WebVTT: cues with start and end, in seconds; a file is by one annotator.

Conventions
-----------
* A cue is a unit. If a WebVTT cue names its speaker (``<v Ann>``), the speaker is its category, and a cue of several
  voices is a unit for each; otherwise its text is, without the tags (``<i>``, ``<c.loud>`` …).
* ``NOTE``, ``STYLE`` and ``REGION`` blocks, identifiers and settings of cues (``align:start``) are left out.
* ``X-TIMESTAMP-MAP`` does not change times, with a note.

References
----------
WebVTT: The Web Video Text Tracks Format, https://www.w3.org/TR/webvtt1/; SubRip has no standard.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import NamedTuple

from gamma_align.reading.files.line_files import numbered
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks, Source

_TIME_PATTERN = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{2})[.,](\d{1,6})"
_TIMES_LINE = re.compile(rf"\s*{_TIME_PATTERN}\s+-->\s+{_TIME_PATTERN}(?:\s.*)?")
_ARROW = "-->"
_VOICE_TAG = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]*)>")
_ANY_TAG = re.compile(r"</?[^>]*>")
_WEBVTT_HEADER = "WEBVTT"
_SKIPPED_BLOCKS = ("NOTE", "STYLE", "REGION")
_RECOGNISED_LINES = 60  # the first cue is near the beginning


class _Block(NamedTuple):
    """The lines between two empty lines, and the number of the first."""

    number: int
    lines: list[str]


def _matches(head: Head) -> bool:
    if head.lines and head.lines[0].removeprefix("\ufeff").split()[:1] == [_WEBVTT_HEADER]:
        return True
    lines = [line.removeprefix("\ufeff").strip() for line in head.lines[:_RECOGNISED_LINES] if line.strip()]
    # The first cue of SubRip has a number above its times.
    return head.suffix in (".srt", ".txt") and any(map(_TIMES_LINE.fullmatch, lines[:2]))


def _read(source: Source, _: Choices) -> Iterable[Marks]:
    marks = Marks(source.name, length_unit="s")
    marks.annotated()
    for block in _blocks(source):
        first = block.lines[0]
        if block.number == 1 and first.split()[:1] == [_WEBVTT_HEADER]:
            if any(line.startswith("X-TIMESTAMP-MAP") for line in block.lines):
                marks.note("X-TIMESTAMP-MAP moves the times of another medium; times are read as they are written")
            continue
        if first.split()[:1] and first.split()[0] in _SKIPPED_BLOCKS and _ARROW not in first:
            continue
        _add_cue(marks, block)
    return (marks,)


def _blocks(source: Source) -> Iterator[_Block]:
    """Yield the blocks of lines between empty lines."""
    begin = 1
    lines = list[str]()
    for number, line in numbered(source):
        if line.strip():
            begin = begin if lines else number
            lines.append(line)
        elif lines:
            yield _Block(begin, lines)
            lines = []
    if lines:
        yield _Block(begin, lines)


def _add_cue(marks: Marks, block: _Block) -> None:
    """Add a unit for each voice of a cue, or one with its text as the category; report a block without times."""
    at = next((index for index, line in enumerate(block.lines) if _ARROW in line), None)
    times = None if at is None else _TIMES_LINE.fullmatch(block.lines[at])
    if at is None or times is None:
        shown = block.lines[at or 0][:60]
        marks.problem(
            block.number + (at or 0),
            f"{shown!r} is no cue: a cue has a line such as 00:01:02.500 --> 00:01:04.000",
            "correct or delete it",
        )
        return
    start = _seconds(*times.groups()[:4])
    end = _seconds(*times.groups()[4:])
    text = "\n".join(block.lines[at + 1 :])
    voices = [html.unescape(voice).strip() for voice in _VOICE_TAG.findall(text)]
    words = html.unescape(_ANY_TAG.sub("", text)).strip()
    for category in dict.fromkeys(voices) or (words or None,):
        marks.unit(start, end, category, location=block.number + at)


def _seconds(hours: str | None, minutes: str, seconds: str, fraction: str) -> float:
    """Return a time in seconds."""
    return float(int(hours or 0) * 3600 + int(minutes) * 60 + Decimal(f"{seconds}.{fraction}"))


# The file names neither document nor annotator: its path does.
FORMAT = FileFormat(
    name="subtitles",
    description="subtitles: SubRip and WebVTT (.srt, .vtt)",
    suffixes=(".srt", ".vtt"),
    matches=_matches,
    read=_read,
)
