"""HTK's label files: ``<start> <end> <label>`` a line, in units of 100 ns; each file is one annotator's.

Conventions
-----------
* Times are whole numbers, 10,000,000 a second. Other ``.lab`` files, with decimal seconds, are not HTK's.
* The category is the first name of a line. What follows it (a score, names of higher levels, a comment) is left out,
  and counted in a note.
* Of alternatives, which a line ``///`` separates, the first is read.
* Lines that begin with ``#`` are comments, as some programs write them; HTK has none. They are counted in a note.

References
----------
Young et al., The HTK Book, "HTK Label Files": http://www.ee.columbia.edu/~dpwe/LabROSA/doc/HTKBook21/node82.html
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from gamma_align.io.files.line_files import numbered
from gamma_align.io.formats import Choices, FileFormat, Head, Marks, Source

_LABEL = re.compile(r"\s*(\d{1,15})\s+(\d{1,15})\s+(\S+)(?:\s+(\S.*))?\s*")
_SEPARATOR = "///"
_COMMENT = "#"
_SECOND = 10_000_000


def _matches(head: Head) -> bool:
    lines = [line for line in head.lines[:50] if line.strip() not in ("", _SEPARATOR) and line[0] != _COMMENT]
    return head.suffix == ".lab" and bool(lines) and all(map(_LABEL.fullmatch, lines))


def _read(source: Source, _: Choices) -> Iterable[Marks]:
    marks = Marks(source.name, length_unit="s")
    marks.annotated()  # who marked nothing saw the recording all the same
    longer, comments = 0, 0
    for number, line in numbered(source):
        if line.strip() == _SEPARATOR:
            marks.note("of several alternatives the first is read")
            break
        label = _LABEL.fullmatch(line)
        if label is not None:
            marks.unit(int(label[1]) / _SECOND, int(label[2]) / _SECOND, label[3], location=number)
            longer += label[4] is not None
        elif line.startswith(_COMMENT):
            comments += 1
        elif line.strip():
            marks.problem(number, f"{line[:60]!r} is no label; a label is start, end, name, in whole units of 100 ns")
    if comments:
        marks.note(f"{comments} lines of comments (#) are left out")
    if longer:
        marks.note(f"what follows the label is left out ({longer} lines)")
    return (marks,)


FORMAT = FileFormat(name="htk", description="HTK label files (.lab)", suffixes=(".lab",), matches=_matches, read=_read)
