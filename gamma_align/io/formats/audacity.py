r"""Audacity's label tracks: ``<start>\t<end>\t<label>`` a line, in seconds; each file is one annotator's.

Conventions
-----------
* A label of no length is a unit of no length; one without text, or without its third column, has no category.
* A line ``\\\t<low>\t<high>`` after a label is the range of frequencies it was drawn over, which is left out.
* Where the system writes decimal commas, all numbers of a file have them; they are read so, and a note says so.

References
----------
https://manual.audacityteam.org/man/importing_and_exporting_labels.html
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from gamma_align.io.files import line_files
from gamma_align.io.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.io.marks import seconds

_NUMBER = r"-?\d++(?:[.,]\d++)?(?:[eE][-+]?\d++)?"
_LABEL = re.compile(rf"({_NUMBER})\t({_NUMBER})(?:\t(.*))?")
_RANGE = re.compile(rf"\\\t{_NUMBER}\t{_NUMBER}\s*")


def _matches(head: Head) -> bool:
    if head.suffix != ".txt":
        return False
    lines = [line for line in head.lines[:50] if line.strip()]
    return (
        all(_LABEL.fullmatch(line) or _RANGE.fullmatch(line) for line in lines)
        and bool(lines)
        and lines[0].count("\t") > 1  # two numbers alone may be anything
    )


def _read(source: Source, _: Choices) -> Iterable[Marks]:
    marks = Marks(source.name, length_unit="s")
    marks.annotated()
    ranges = commas = points = backwards = 0
    last = -math.inf
    for number, line in line_files.numbered(source):
        fits = _LABEL.fullmatch(line)
        if fits is None:
            ranges += _other(marks, number, line)
            continue
        start, end = fits.group(1), fits.group(2)
        commas += "," in start + end
        points += "." in start + end
        onset = _seconds(start)
        marks.unit(onset, _seconds(end), fits.group(3) or None, where=number)
        backwards += onset < last
        last = onset
    if commas and points:
        marks.problem(None, f"{commas} lines have decimal commas and {points} points; correct those that are wrong")
    notes = {
        "the numbers have decimal commas": commas,
        f"{ranges} ranges of frequencies are left out": ranges,
        f"{backwards} labels begin before the one above: if the file is several label tracks, they are read as one": (
            backwards
        ),
    }
    marks.notes.extend(f"{source.name}: {what}" for what, count in notes.items() if count)
    seconds.note_near(marks)
    return (marks,)


def _other(marks: Marks, number: int, line: str) -> bool:
    """Return whether the line is a range of frequencies, or tell that it is nothing."""
    if _RANGE.fullmatch(line):
        return True
    if line.strip():
        marks.problem(number, f"{line[:60]!r} is no label; a label is start, tab, end, tab, text, in seconds")
    return False


def _seconds(text: str) -> float:
    return float(text.replace(",", "."))


FORMAT = FileFormat("audacity", "labels of Audacity (.txt)", (".txt",), _matches, _read)
