r"""Audacity's label tracks: ``<start>\t<end>\t<label>`` a line, in seconds; each file is one annotator's.

So are ``.lab`` files of music (MIREX, Isophonics), with blanks or tabs between.

Conventions
-----------
* A label of no length is a unit of no length; one without text, or without its third column, has no category.
* A line ``\\\t<low>\t<high>`` after a label is the range of frequencies it was drawn over, which is left out.
* Lines of a ``.lab`` that begin with ``#`` are comments, as mir_eval reads them; they are counted in a note.
* A ``.txt`` whose first lines have whole numbers alone is taken for labels only where the format is named: Audacity
  writes decimals.
* Where the system writes decimal commas, all numbers of a file have them; they are read so, and a note says so.

References
----------
https://manual.audacityteam.org/man/importing_and_exporting_labels.html
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable

from gamma_align.io.files import line_files
from gamma_align.io.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.io.marks import seconds

_NUMBER = r"-?\d++(?:[.,]\d++)?(?:[eE][-+]?\d++)?"
_LABEL = re.compile(rf"({_NUMBER})\t({_NUMBER})(?:\t(.*))?")
_LAB = re.compile(rf"({_NUMBER})[\t ]+({_NUMBER})(?:[\t ]+(.*))?")
_RANGE = re.compile(rf"\\\t{_NUMBER}\t{_NUMBER}\s*")
_COMMENT = "#"
_NOTES = {
    "comments": "{} lines of comments (#) are left out",
    "commas": "the numbers have decimal commas",
    "ranges": "{} ranges of frequencies are left out",
    "blank": seconds.BLANK,
    "backwards": "{} labels begin before the one above: if the file is several label tracks, they are read as one",
}


def _matches(head: Head) -> bool:
    lines = [line for line in head.lines[:50] if line.strip()]
    if head.suffix == ".lab":  # without a decimal point they may be HTK's
        lines = [line for line in lines if not line.startswith(_COMMENT)]
        found = [label for label in map(_LAB.fullmatch, lines) if label]
        return len(found) == len(lines) and any("." in label[1] + label[2] for label in found)
    if head.suffix != ".txt":
        return False
    labels = [_LABEL.fullmatch(line) for line in lines if not _RANGE.fullmatch(line)]
    if not lines or lines[0].count("\t") < 2:  # noqa: PLR2004  (two numbers alone may be anything)
        return False
    return all(labels) and any(label and set(label[1] + label[2]) & set(".,") for label in labels)


def _read(source: Source, _: Choices) -> Iterable[Marks]:
    marks = Marks(source.name, length_unit="s")
    marks.annotated()
    counts: Counter[str] = Counter()
    last = -math.inf
    form = _LAB if source.suffix == ".lab" else _LABEL
    for number, line in line_files.numbered(source):
        label = form.fullmatch(line)
        if label is not None:
            counts["commas"] += "," in label[1] + label[2]
            counts["points"] += "." in label[1] + label[2]
            start, end = (float(time.replace(",", ".")) for time in (label[1], label[2]))
            if seconds.is_blank(label[3]):
                counts["blank"] += 1
            else:
                marks.unit(start, end, label[3] or None, location=number)
            counts["backwards"] += start < last
            last = start
        elif _RANGE.fullmatch(line):
            counts["ranges"] += 1
        elif line.startswith(_COMMENT) and source.suffix == ".lab":
            counts["comments"] += 1
        elif line.strip():
            what = f"{line[:60]!r} is no label; a label is start, tab, end, tab, text, in seconds"
            marks.problem(number, what)
    if counts["commas"] and counts["points"]:
        what = "{commas} lines have decimal commas and {points} points; correct those that are wrong"
        marks.problem(None, what.format_map(counts))
    marks.note_counts(counts, _NOTES)
    seconds.note_near(marks)
    return (marks,)


FORMAT = FileFormat("audacity", "labels of Audacity (.txt), or of music (.lab)", (".txt", ".lab"), _matches, _read)
