"""HTK's label files: lines ``<start> <end> <label>``, in units of 100 ns; each file is by one annotator.

Conventions
-----------
* Times are whole numbers, 10,000,000 a second. Other ``.lab`` files, with decimal seconds, are not HTK's.
* The category is the first name of a line. The following fields (a score, names of higher levels, a comment) are left
  out, and counted in a note.
* Alternatives are separated by a line ``///``; the first is read.
* Lines that begin with ``#`` are comments, as some programs write them; HTK has none. They are counted in a note.

References
----------
Young et al., The HTK Book, "HTK Label Files": http://www.ee.columbia.edu/~dpwe/LabROSA/doc/HTKBook21/node82.html
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from gamma_align.reading.files.line_files import numbered
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks, Source

_LABEL_LINE = re.compile(r"\s*(\d{1,15})\s+(\d{1,15})\s+(\S+)(?:\s+(\S.*))?\s*")
_ALTERNATIVE_MARK = "///"
_COMMENT_MARK = "#"
_UNITS_PER_SECOND = 10_000_000  # one unit is 100 ns
_RECOGNISED_LINES = 50  # enough to tell the format; the beginning of a file may have thousands


def _matches(head: Head) -> bool:
    lines = [
        line
        for line in head.lines[:_RECOGNISED_LINES]
        if line.strip() not in ("", _ALTERNATIVE_MARK) and line[0] != _COMMENT_MARK
    ]
    return head.suffix == ".lab" and bool(lines) and all(map(_LABEL_LINE.fullmatch, lines))


def _read(source: Source, _: Choices) -> Iterable[Marks]:
    marks = Marks(source.name, length_unit="s")
    marks.annotated()  # an empty file still means that the annotator saw the recording
    n_longer = 0
    n_comments = 0
    for number, line in numbered(source):
        if line.strip() == _ALTERNATIVE_MARK:
            marks.note("of several alternatives the first is read")
            break
        label = _LABEL_LINE.fullmatch(line)
        if label is not None:
            marks.unit(int(label[1]) / _UNITS_PER_SECOND, int(label[2]) / _UNITS_PER_SECOND, label[3], location=number)
            n_longer += label[4] is not None
        elif line.startswith(_COMMENT_MARK):
            n_comments += 1
        elif line.strip():
            marks.problem(
                number,
                f"{line[:60]!r} is no label: a label is start, end, name, in whole units of 100 ns",
                "correct or delete it",
            )
    if n_comments:
        marks.note(f"{n_comments} lines of comments (#) are left out")
    if n_longer:
        marks.note(f"what follows the label is left out ({n_longer} lines)")
    return (marks,)


# The file names neither document nor annotator: its path does.
FORMAT = FileFormat(name="htk", description="HTK label files (.lab)", suffixes=(".lab",), matches=_matches, read=_read)
