"""A note on what a file says where units all but touch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gamma_align.io.marks.adjacency import told_near

if TYPE_CHECKING:
    from gamma_align.io.marks.marks import Marks


def note_near(marks: Marks) -> None:
    """Add a note to what a file says if units of one annotator and layer nearly touch."""
    columns = (np.asarray(marks.start, dtype=np.float64), np.asarray(marks.end, dtype=np.float64))
    marks.notes.extend(told_near(*columns, np.asarray(marks.key, dtype=np.int64), f"{marks.file}: "))
