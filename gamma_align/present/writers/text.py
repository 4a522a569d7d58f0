"""Tables as text for a terminal: columns are aligned, and reasons too long for a cell become footnotes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gamma_align.data import label_text, printable
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
from gamma_align.present.writers.lines import aligned_lines

_MAX_REASON = 40  # characters of a reason in a cell; a longer one is a footnote
_DIGITS = 4  # decimals if a column does not set them
_MIN_PROBABILITY = 1e-4  # a smaller one has no digit other than 0
_RIGHT_ALIGNED = (Kind.COUNT, Kind.NUMBER, Kind.SHARE, Kind.PROBABILITY)


def table_lines(
    table: Table, *, indent: str = "", notes: Footnotes | None = None, form_names: FormNames = NEUTRAL
) -> list[str]:
    """Return the lines of a table, its footnotes and the line on rows left out.

    With `notes`, footnotes are added to these, and the caller prints them.
    """
    columns = [column.for_terminal() for column in table.columns_for(Priority.TERMINAL)]
    footnotes = Footnotes() if notes is None else notes
    rows = [
        [text_cell(column, cell, footnotes) for column, cell in zip(columns, cells, strict=True)]
        for cells in table.cells(columns)
    ]
    for index, column in enumerate(columns):
        if column.is_grouped:
            _blank_repeated(rows, index)
    right = [index for index, column in enumerate(columns) if is_right(column)]
    head = [[column.head for column in columns]] if table.has_head else []
    lines = aligned_lines([*head, *rows], right=right, indent=indent)
    lines += [] if notes is not None else [indent + line for line in footnotes.lines()]
    return lines if table.remainder is None else [*lines, indent + table.remainder(form_names)]


def titled_lines(table: Table, n_rows: int, form_names: FormNames = NEUTRAL) -> list[str]:
    """Return the title and at most `n_rows` rows of a table; no lines if it has no rows."""
    shown = table.first(n_rows, further_by_option)
    if not shown.rows:
        return []
    return [table.title, *table_lines(shown, indent="  ", form_names=form_names)]


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


def text_cell(column: Column, content: object, footnotes: Footnotes) -> str:
    """Return the content of a cell as text."""
    if content is None:
        return column.missing
    if column.format is not None:
        return printable(column.format(content))
    if isinstance(content, Noted) or (isinstance(content, Value) and not column.is_inline):
        return _noted_text(column, content, footnotes)
    if column.kind is Kind.CATEGORY:
        return label_text(str(content))
    if isinstance(content, float):
        return _number_text(column, content)
    return printable(str(content))


def _noted_text(column: Column, content: Noted | Value, footnotes: Footnotes) -> str:
    if isinstance(content, Value):
        return footnotes.cell(content, interval=column.kind is Kind.VALUE)
    return f"{content.text} {footnotes.number(content.note)}"


def _number_text(column: Column, number: float) -> str:
    if column.kind is Kind.SHARE:
        return percent(number)
    if column.kind is Kind.PROBABILITY:
        return probability_text(number)
    return number_text(number, _DIGITS if column.digits is None else column.digits)


def percent(share: float) -> str:
    """Return a share in percent: 46.1 %."""
    return "NA" if math.isnan(share) else f"{100 * share:.1f} %"


def probability_text(probability: float) -> str:
    """Return a probability with four decimals."""
    if math.isnan(probability):
        return "NA"
    return f"<{_MIN_PROBABILITY:.4f}" if probability < _MIN_PROBABILITY else f"{probability:.4f}"


def number_text(value: float, digits: int = _DIGITS) -> str:
    """Return a number with `digits` decimals, or NA."""
    return "NA" if math.isnan(value) else f"{value + 0.0:.{digits}f}"  # + 0.0: no "-0.0000" for -0.0


class Footnotes:
    """Reasons that are too long for a cell, numbered from 1; equal reasons share a number."""

    def __init__(self) -> None:
        self._reasons: list[str] = []

    def cell(self, value: Value, *, interval: bool = True) -> str:
        """Return the cell of a value, with or without its interval."""
        if value.reason is not None:
            text = printable(str(value))
            return text if len(text) <= _MAX_REASON else f"NA {self.number(f'not available: {value.reason}')}"
        if not interval:
            return f"{value.value:.4f}"
        if value.no_interval is not None:
            return f"{value.value:.4f} {self.number(f'no interval: {value.no_interval}')}"
        if value.interval_note is None:
            return str(value)
        bounds = f"[{value.low:.4f}, {value.high:.4f}]"
        return f"{value.value:.4f} {bounds} {self.number(f'the interval {value.interval_note}')}"

    def number(self, reason: str) -> str:
        """Return the number of a reason in brackets."""
        reason = printable(reason)
        if reason not in self._reasons:
            self._reasons.append(reason)
        return f"({self._reasons.index(reason) + 1})"

    def lines(self) -> list[str]:
        """Return a line for each footnote."""
        return [f"({number}) {reason}" for number, reason in enumerate(self._reasons, 1)]


def left_out(count: int, words: str, *forms: str, indent: str = "  ", form_names: FormNames = NEUTRAL) -> list[str]:
    """Return the line on rows left out, "… and 3 more pairs: JSON has them all", if there are any."""
    return [f"{indent}{further(words, *(forms or ('json',)))(count)(form_names)}"] if count > 0 else []
