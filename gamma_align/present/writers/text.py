"""Tables as text for a terminal: columns are aligned, and reasons too long for a cell become footnotes."""

from __future__ import annotations

from collections.abc import Sequence

from gamma_align.data import printable
from gamma_align.inference import Value
from gamma_align.present.table import (
    NEUTRAL,
    Column,
    FormNames,
    Kind,
    Noted,
    Priority,
    Table,
    further,
    further_by_option,
)
from gamma_align.present.writers.cells import CellWriter, number_text
from gamma_align.present.writers.lines import aligned_lines

_MAX_REASON = 40  # characters of a reason in a cell; a longer one is a footnote
_RIGHT_ALIGNED = (Kind.COUNT, Kind.NUMBER, Kind.SHARE, Kind.PROBABILITY)


def table_lines(
    table: Table, *, indent: str = "", notes: Footnotes | None = None, form_names: FormNames = NEUTRAL
) -> list[str]:
    """Return the lines of a table, its footnotes and the line on rows left out.

    With `notes`, footnotes are added to these, and the caller prints them.
    """
    columns = [column.for_terminal() for column in table.columns_for(Priority.TERMINAL)]
    footnotes = Footnotes() if notes is None else notes
    writer = _TextWriter(footnotes)
    rows = [[*map(writer.cell, columns, cells)] for cells in table.cells(columns)]
    for index, column in enumerate(columns):
        if column.is_grouped:
            _blank_repeated(rows, index)
    right = [index for index, column in enumerate(columns) if is_right(column)]
    head = [[column.head for column in columns]] if table.has_head else []
    lines = aligned_lines([*head, *rows], right=right, indent=indent)
    lines += [] if notes is not None else [indent + line for line in footnotes.lines()]
    return lines if table.remainder is None else [*lines, indent + table.remainder(form_names)]


def section_lines(
    table: Table, *, title: str | None = None, notes: Footnotes | None = None, form_names: FormNames = NEUTRAL
) -> list[str]:
    """Return a title, by default the title of the table, then its lines, indented; no lines if it has no rows.

    With `notes`, footnotes are added to these, and the caller prints them.
    """
    if not table.rows:
        return []
    lines = table_lines(table, indent="  ", notes=notes, form_names=form_names)
    return [printable(table.title if title is None else title), *lines]


def titled_lines(table: Table, n_rows: int, form_names: FormNames) -> list[str]:
    """Return the title and at most `n_rows` rows of a table; no lines if it has no rows."""
    return section_lines(table.first(n_rows, further_by_option), form_names=form_names)


def _blank_repeated(rows: Sequence[list[str]], index: int) -> None:
    """Make a cell of a column empty if it equals the cell above."""
    previous = None
    for row in rows:
        # Keep the text before it is emptied: the next row is compared with it.
        current = row[index]
        if current == previous:
            row[index] = ""
        previous = current


def is_right(column: Column) -> bool:
    """Return whether a column is right-aligned in text; values with an interval are not."""
    return column.kind in _RIGHT_ALIGNED if column.align is None else column.align == "right"


class _TextWriter(CellWriter):
    """Writes cells for a terminal; reasons too long for a cell become footnotes."""

    digits = 4

    def __init__(self, footnotes: Footnotes) -> None:
        self._footnotes = footnotes

    def cell(self, column: Column, content: object) -> str:
        """Return the content of a cell; a `Noted` content has the number of its note."""
        if isinstance(content, Noted):
            return f"{content.text} {self._footnotes.number(content.note)}"
        if isinstance(content, Value) and column.is_inline:
            return self.text(str(content))
        return super().cell(column, content)

    def number(self, number: float, digits: int) -> str:
        """Return a number with this number of decimals."""
        return number_text(number, digits)

    def value(self, value: Value, *, has_interval: bool) -> str:
        """Return a value with four decimals, with or without its interval."""
        number = self._footnotes.number
        if value.reason is not None:
            text = printable(str(value))
            return text if len(text) <= _MAX_REASON else f"NA {number(f'not available: {value.reason}')}"
        if not has_interval:
            return f"{value.value:.4f}"
        if value.no_interval is not None:
            return f"{value.value:.4f} {number(f'no interval: {value.no_interval}')}"
        if value.interval_note is None:
            return str(value)
        bounds = f"[{value.low:.4f}, {value.high:.4f}]"
        return f"{value.value:.4f} {bounds} {number(f'the interval {value.interval_note}')}"


class Footnotes:
    """Reasons that are too long for a cell, numbered from 1; equal reasons share a number."""

    def __init__(self) -> None:
        self.reasons: list[str] = []

    def index(self, reason: str) -> int:
        """Return the number of a reason, from 1 on."""
        reason = printable(reason)
        if reason not in self.reasons:
            self.reasons.append(reason)
        return self.reasons.index(reason) + 1

    def number(self, reason: str) -> str:
        """Return the number of a reason in brackets."""
        return f"({self.index(reason)})"

    def lines(self) -> list[str]:
        """Return a line for each footnote."""
        return [f"({number}) {reason}" for number, reason in enumerate(self.reasons, 1)]


def left_out(count: int, words: str, form_names: FormNames) -> list[str]:
    """Return the line on rows left out, "… and 3 more pairs: JSON has them all", if there are any."""
    return [f"  {further(words, 'json')(count)(form_names)}"] if count > 0 else []
