r"""Audacity's label tracks: lines ``<start>\t<end>\t<label>``, in seconds; each file is by one annotator.

So are ``.lab`` files of music (MIREX, Isophonics), with blanks or tabs between.

Conventions
-----------
* A label of no length is a unit of no length; one without text, or without its third column, has no category.
* A line ``\\\t<low>\t<high>`` after a label is the range of frequencies it was drawn over, which is left out.
* Lines of a ``.lab`` that begin with ``#`` are comments, as mir_eval reads them; they are counted in a note.
* A ``.txt`` with only whole numbers in its first lines is read as labels only if the format is named: Audacity
  writes decimals.
* If the system writes decimal commas, all numbers of a file have them; they are read so, and noted.

References
----------
https://manual.audacityteam.org/man/importing_and_exporting_labels.html
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable

from gamma_align.reading.files import line_files
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.reading.marks import seconds

_NUMBER_PATTERN = r"-?\d++(?:[.,]\d++)?(?:[eE][-+]?\d++)?"
_TRACK_LINE = re.compile(rf"({_NUMBER_PATTERN})\t({_NUMBER_PATTERN})(?:\t(.*))?")
_LAB_LINE = re.compile(rf"({_NUMBER_PATTERN})[\t ]+({_NUMBER_PATTERN})(?:[\t ]+(.*))?")
_RECOGNISED_LINES = 50  # enough to tell the format; the beginning of a file may have thousands
_MIN_TABS = 2  # in the first line: two numbers without a label may be any table
_FREQUENCY_RANGE = re.compile(rf"\\\t{_NUMBER_PATTERN}\t{_NUMBER_PATTERN}\s*")
_COMMENT_MARK = "#"
_NOTE_TEXTS = {
    "comments": "{} lines of comments (#) are left out",
    "commas": "the numbers have decimal commas",
    "ranges": "{} ranges of frequencies are left out",
    "blank": seconds.BLANK_NOTE,
    "backwards": "{} labels begin before the one above: if the file is several label tracks, they are read as one",
}


def _matches(head: Head) -> bool:
    lines = [line for line in head.lines[:_RECOGNISED_LINES] if line.strip()]
    if head.suffix == ".lab":
        # HTK's .lab files have whole numbers only, so that one decimal point is required here.
        lines = [line for line in lines if not line.startswith(_COMMENT_MARK)]
        labels = [label for label in map(_LAB_LINE.fullmatch, lines) if label]
        return len(labels) == len(lines) and any("." in label[1] + label[2] for label in labels)
    if head.suffix != ".txt":
        return False
    track_labels = [_TRACK_LINE.fullmatch(line) for line in lines if not _FREQUENCY_RANGE.fullmatch(line)]
    if not lines or lines[0].count("\t") < _MIN_TABS:
        return False
    return all(track_labels) and any(label and set(label[1] + label[2]) & set(".,") for label in track_labels)


def _read(source: Source, _: Choices) -> Iterable[Marks]:
    marks = Marks(source.name, length_unit="s")
    marks.annotated()
    counts: Counter[str] = Counter()
    previous_start = -math.inf
    line_pattern = _LAB_LINE if source.suffix == ".lab" else _TRACK_LINE
    for number, line in line_files.numbered(source):
        label = line_pattern.fullmatch(line)
        if label is not None:
            counts["commas"] += "," in label[1] + label[2]
            counts["points"] += "." in label[1] + label[2]
            start, end = (float(time.replace(",", ".")) for time in (label[1], label[2]))
            if seconds.is_blank(label[3]):
                counts["blank"] += 1
            else:
                marks.unit(start, end, label[3] or None, location=number)
            # In one track labels are in the order of their starts, so an earlier start begins a further track.
            counts["backwards"] += start < previous_start
            previous_start = start
        elif _FREQUENCY_RANGE.fullmatch(line):
            counts["ranges"] += 1
        elif line.startswith(_COMMENT_MARK) and source.suffix == ".lab":
            counts["comments"] += 1
        elif line.strip():
            marks.problem(
                number,
                f"{line[:60]!r} is no label: a label is start, tab, end, tab, text, in seconds",
                "correct or delete it",
            )
    if counts["commas"] and counts["points"]:
        marks.problem(
            None,
            f"{counts['commas']} lines have decimal commas and {counts['points']} points",
            "write all numbers in one way",
        )
    marks.note_counts(counts, _NOTE_TEXTS)
    seconds.note_near(marks)
    return (marks,)


# The file names neither document nor annotator: its path does.
FORMAT = FileFormat("audacity", "labels of Audacity (.txt), or of music (.lab)", (".txt", ".lab"), _matches, _read)
