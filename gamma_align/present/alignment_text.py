"""An alignment as text: a table with a column for each annotator, or a list if the table would be too wide."""

from __future__ import annotations

import textwrap
from typing import NamedTuple

from gamma_align.alignment import Alignment
from gamma_align.data import Unit, counted, label_text, printable, span
from gamma_align.present.writers.lines import aligned_lines

MAX_TABLE_WIDTH = 118  # characters; a wider table is written as a list
MAX_QUOTE_LENGTH = 40  # characters of the text that a unit covers
_NO_UNIT = "–"
_no_unit_wrapper = textwrap.TextWrapper(
    MAX_TABLE_WIDTH,
    initial_indent=f"     {_NO_UNIT} ",
    subsequent_indent=" " * 7,
    break_long_words=False,
    break_on_hyphens=False,
)


class _Row(NamedTuple):
    """A unitary alignment: its number from 1, its disorder, and the unit of each annotator as text, empty if none."""

    number: int
    disorder: float
    cells: list[str]


def alignment_text(alignment: Alignment, *, disagreements: bool = False, text: str | None = None) -> str:
    """Return an alignment as text: its disorder and proof, and a table (or list) of unitary alignments.

    With `disagreements`, only unitary alignments that have a disorder are listed, the largest first. With the `text` of
    the document, units are shown with the text that they cover.
    """
    continuum = alignment.continuum
    counts = (
        counted(len(continuum.annotators), "annotator"),
        counted(len(continuum), "unit"),
        counted(len(alignment), "unitary alignment"),
    )
    lines = [f"document {printable(continuum.document)}: {', '.join(counts)}", _certificate(alignment)]
    rows = _rows(alignment, text)
    if disagreements:
        # Equal disorders keep the order of the alignment.
        rows = sorted((row for row in rows if row.disorder > 0), key=lambda row: (-row.disorder, row.number))
        lines += [] if rows or not len(alignment) else ["no disagreement: every unitary alignment is without disorder"]
    if rows:
        names = list(map(printable, continuum.annotators))
        table = _alignment_table(names, rows)
        fits = max(map(len, table)) <= MAX_TABLE_WIDTH
        lines += ["", *(table if fits else _alignment_list(names, rows))]
    return "\n".join(lines) + "\n"


def _certificate(alignment: Alignment) -> str:
    """Return the disorder of an alignment with its lower bound and gap, in one line."""
    if not len(alignment):
        return "no units: nothing to align"
    proof = "0: proven optimal" if alignment.is_optimal else f"{alignment.gap:.2%}: not proven optimal"
    return f"disorder {alignment.disorder:.6f}, bound {alignment.bound:.6f}, gap {proof}"


def _rows(alignment: Alignment, text: str | None) -> list[_Row]:
    disorders = alignment.unitary_disorders.tolist()
    return [
        _Row(number, disorder, [_unit(unit, text) for unit in units])
        for number, (units, disorder) in enumerate(zip(alignment.unitary_alignments(), disorders, strict=True), 1)
    ]


def _unit(unit: Unit | None, text: str | None) -> str:
    if unit is None:
        return ""
    # A unit may cover line breaks, which would break its row.
    words = "" if text is None else " ".join(text[int(unit.start) : int(unit.end)].split())
    quoted = f" “{printable(textwrap.shorten(words, MAX_QUOTE_LENGTH, placeholder='…'))}”" if words else ""
    return f"{span(unit.start, unit.end)} {label_text(unit.category)}{quoted}".rstrip()


def _alignment_table(names: list[str], rows: list[_Row]) -> list[str]:
    cells = [[str(row.number), f"{row.disorder:.4f}", *(cell or _NO_UNIT for cell in row.cells)] for row in rows]
    return aligned_lines([["", "disorder", *names], *cells], right=(0, 1), indent="  ")


def _alignment_list(names: list[str], rows: list[_Row]) -> list[str]:
    """Return a paragraph for each unitary alignment, with a line for each annotator."""
    lines: list[str] = []
    for row in rows:
        cells = [(name, cell) for name, cell in zip(names, row.cells, strict=True) if cell]
        lines += [f"  {row.number}  disorder {row.disorder:.4f}", *aligned_lines(cells, indent="     ")]
        without_unit = [name for name, cell in zip(names, row.cells, strict=True) if not cell]
        if without_unit:
            lines += _no_unit_wrapper.wrap(", ".join(without_unit))
    return lines
