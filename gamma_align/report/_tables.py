"""Building blocks of reports: tables whose columns line up, footnotes, CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from functools import cache
from itertools import islice

from gamma_align.results.values import Value
from gamma_align.results.wording import display_width, printable

_LONGEST_REASON = 40
_ROWS = 10_000  # of CSV written at once


def percent(share: float) -> str:
    """Return a share for people: 46.1 %."""
    return "NA" if math.isnan(share) else f"{100 * share:.1f} %"


def report(blocks: Iterable[Sequence[str]]) -> str:
    """Return blocks of lines as one text, with an empty line between the blocks that have lines."""
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def left_out(count: int, more: str, *, indent: str = "  ", everywhere: str = "--json has them all") -> list[str]:
    """Return the line under a table that was cut, if anything was left out: "… and 3 more pairs"."""
    return [f"{indent}… and {count} {more}: {everywhere}"] if count > 0 else []


def table(rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), indent: str = "") -> list[str]:
    """Return the rows as lines with aligned columns, those in `right` at the right; rows have as many cells."""
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


class Footnotes:
    """Reasons too long for a cell, each given once under the table."""

    def __init__(self) -> None:
        self._reasons: list[str] = []

    def cell(self, value: Value, *, interval: bool = True) -> str:
        """Return a value for a cell of the table, with its interval or without."""
        if value.reason is not None:
            text = printable(str(value))
            return text if len(text) <= _LONGEST_REASON else f"NA {self.number(f'not available: {value.reason}')}"
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
        """Return the lines for under the table."""
        return [f"({number}) {reason}" for number, reason in enumerate(self._reasons, 1)]


def csv_text(rows: Iterable[Sequence[object]], delimiter: str = ",") -> str:
    """Return the rows as CSV; None, NaN and infinity are empty cells."""
    return "".join(csv_pieces(rows, delimiter))


def csv_pieces(rows: Iterable[Sequence[object]], delimiter: str = ",") -> Iterator[str]:
    """Yield the CSV of the rows, some rows at a time."""
    rest = iter(rows)
    for some in iter(lambda: [*islice(rest, _ROWS)], []):
        stream = io.StringIO()
        csv.writer(stream, delimiter=delimiter, lineterminator="\n").writerows(map(csv_cell, row) for row in some)
        yield stream.getvalue()


def csv_cell(value: object) -> str:
    """Return a cell of CSV: numbers with all their digits, "true" or "false", nothing for None, NaN and infinity."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, float):
        return repr(float(value)) if math.isfinite(value) else ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def csv_head(name: str, kind: type[Value]) -> list[str]:
    """Return the columns of a kind of values: the value under the name, its other fields under name_field."""
    return [name if field.name == "value" else f"{name}_{field.name}" for field in fields(kind)]


def csv_value(value: Value) -> list[object]:
    """Return the cells of a value, in the order of `csv_head`."""
    return [getattr(value, name) for name in _fields(type(value))]  # type: ignore[arg-type]  # a class has a hash


@cache
def _fields(kind: type[Value]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def joined_rows(tables: Iterable[Iterable[list[object]]], keys: int) -> Iterable[list[object]]:
    """Return tables, header first, side by side: the first `keys` columns once; a missing row is empty there."""
    first, *others = tables
    if not others:  # most often, and it may be long
        return first
    whole = [[*table] for table in (first, *others)]
    by_key = [{tuple(row[:keys]): row[keys:] for row in table} for table in whole]
    widths = [len(table[0]) - keys for table in whole]
    order = dict.fromkeys(key for table in by_key for key in table)
    return [
        [*key, *(cell for table, width in zip(by_key, widths, strict=True) for cell in table.get(key, [None] * width))]
        for key in order
    ]
