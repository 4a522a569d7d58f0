"""Reasons too long for the cell of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gamma_align.report._plain import printable

if TYPE_CHECKING:
    from gamma_align.coefficients.values import Value

_IN_CELL = 40


class Footnotes:
    """Reasons too long for a cell, each told once under the table."""

    def __init__(self) -> None:
        self._reasons: list[str] = []

    def cell(self, value: Value) -> str:
        """Return a value for a cell of the table."""
        text = printable(str(value))
        if value.reason is None or len(text) <= _IN_CELL:
            return text
        reason = printable(value.reason)
        if reason not in self._reasons:
            self._reasons.append(reason)
        return f"NA ({self._reasons.index(reason) + 1})"

    def lines(self) -> list[str]:
        """Return the lines for under the table."""
        return [f"({place}) not available: {reason}" for place, reason in enumerate(self._reasons, 1)]
