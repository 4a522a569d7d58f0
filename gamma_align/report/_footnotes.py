"""Reasons too long for the cell of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gamma_align.report._plain import printable

if TYPE_CHECKING:
    from gamma_align.results.values import Value

_IN_CELL = 40


class Footnotes:
    """Reasons too long for a cell, each given once under the table."""

    def __init__(self) -> None:
        self._reasons: list[str] = []

    def cell(self, value: Value, *, interval: bool = True) -> str:
        """Return a value for a cell of the table, with its interval or without."""
        if value.reason is not None:
            text = printable(str(value))
            return text if len(text) <= _IN_CELL else f"NA {self._number(f'not available: {value.reason}')}"
        if not interval:
            return f"{value.value:.4f}"
        if value.no_interval is not None:
            return f"{value.value:.4f} {self._number(f'no interval: {value.no_interval}')}"
        return str(value)

    def _number(self, reason: str) -> str:
        reason = printable(reason)
        if reason not in self._reasons:
            self._reasons.append(reason)
        return f"({self._reasons.index(reason) + 1})"

    def lines(self) -> list[str]:
        """Return the lines for under the table."""
        return [f"({number}) {reason}" for number, reason in enumerate(self._reasons, 1)]
