"""Lines of text for a terminal, with aligned columns and with blocks apart; for text that is not a `Table`, too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gamma_align.data import display_width


def blocks_text(blocks: Iterable[Sequence[str]]) -> str:
    """Return blocks of lines as one text, with an empty line between blocks; empty blocks are skipped."""
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def aligned_lines(rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), indent: str = "") -> list[str]:
    """Return rows of equal length as lines with aligned columns; the columns in `right` are right-aligned."""
    widths = [max(map(display_width, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = []
        for column, (cell, width) in enumerate(zip(row, widths, strict=True)):
            # `str.ljust` counts characters, but some characters are wider than others in a terminal.
            blank = " " * (width - display_width(cell))
            cells.append(blank + cell if column in right else cell + blank)
        lines.append((indent + "  ".join(cells)).rstrip())
    return lines
