"""Plain-text building blocks: labels that are safe to print, numbers, tables whose columns line up."""

from __future__ import annotations

import math
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_WIDE = ("W", "F")
_NO_WIDTH = ("Mn", "Me", "Cf")
_JOINERS = "\u200c\u200d"


def printable(label: str) -> str:
    """Return the label with everything that would upset a line or a terminal written as an escape."""
    return "".join(
        char if char.isprintable() or char in _JOINERS else char.encode("unicode_escape").decode() for char in label
    )


def label_text(label: str | None) -> str:
    """Return a category for people: nothing for none, quotes for the empty label."""
    return "" if label is None else printable(label) or '""'


def display_width(text: str) -> int:
    """Return the number of terminal cells of a text: two for wide characters, none for combining ones."""
    return sum(
        0 if unicodedata.category(char) in _NO_WIDTH else 1 + (unicodedata.east_asian_width(char) in _WIDE)
        for char in text
    )


def number(value: float) -> str:
    """Return a position as people write it: 19, 19.25."""
    return format(value + 0.0, ".15g")  # + 0.0: no "-0"


def span(start: float, end: float) -> str:
    """Return the bounds of a unit: 19–25."""
    dash = " – " if start < 0 or end < 0 else "–"
    return f"{number(start)}{dash}{number(end)}"


def counted(count: int, noun: str) -> str:
    """Return "1 unit", "2 units"."""
    return f"{count} {noun}" + ("" if count == 1 else "s")


def table(rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), indent: str = "") -> list[str]:
    """Return the rows as lines with aligned columns.

    Parameters
    ----------
    rows : sequence of sequences of str
        Cells, the same number in each row.
    right : sequence of int
        Columns to align at the right.
    indent : str
        What every line begins with.
    """
    widths = [max(map(display_width, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = []
        for column, (cell, width) in enumerate(zip(row, widths, strict=True)):
            blank = " " * (width - display_width(cell))
            cells.append(blank + cell if column in right else cell + blank)
        lines.append((indent + "  ".join(cells)).rstrip())
    return lines


def mean_text(value: float) -> str:
    """Return a mean with four decimals, or NA."""
    return "NA" if math.isnan(value) else f"{value + 0.0:.4f}"
