"""The contents of cells as text: one rule for all forms, which differ in their decimals, signs and notes."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import ClassVar

from gamma_align.data import label_text, printable
from gamma_align.inference import Value
from gamma_align.present.table import Column, Kind

_TERMINAL_DIGITS = 4  # decimals of a number if nothing sets them
_MIN_PROBABILITY = 1e-4  # a smaller one has no digit other than 0


class CellWriter(ABC):
    """Writes the contents of cells in a form."""

    digits: ClassVar[int]  # decimals if a column does not set them

    def cell(self, column: Column, content: object) -> str:
        """Return the content of a cell as text, by the format or the kind of its column; `missing` for None."""
        if content is None:
            return self.text(column.missing)
        if column.format is not None:
            return self.text(column.format(content))
        if isinstance(content, Value):
            return self.value(content, has_interval=column.kind is not Kind.ESTIMATE)
        if isinstance(content, float):
            return self._number(column, content)
        return self.text(label_text(str(content)) if column.kind is Kind.CATEGORY else str(content))

    def _number(self, column: Column, content: float) -> str:
        if column.kind is Kind.SHARE:
            return self.text(percent(content))
        if column.kind is Kind.PROBABILITY:
            return self.text(probability_text(content))
        return self.number(content, self.digits if column.digits is None else column.digits)

    def text(self, text: str) -> str:
        """Return a text as the form shows it, by default with escapes in place of characters that break a line."""
        return printable(text)

    @abstractmethod
    def number(self, number: float, digits: int) -> str:
        """Return a number with this number of decimals."""

    @abstractmethod
    def value(self, value: Value, *, has_interval: bool) -> str:
        """Return a value, with its interval if it is to have one, or that it is not available."""


def percent(share: float) -> str:
    """Return a share in percent with one decimal: 46.1 %; "NA" for NaN."""
    return "NA" if math.isnan(share) else f"{100 * share:.1f} %"


def probability_text(probability: float) -> str:
    """Return a probability with four decimals, or that it is smaller than these show; "NA" for NaN."""
    if math.isnan(probability):
        return "NA"
    return f"<{_MIN_PROBABILITY:.4f}" if probability < _MIN_PROBABILITY else f"{probability:.4f}"


def number_text(value: float, digits: int = _TERMINAL_DIGITS) -> str:
    """Return a number with `digits` decimals; "NA" for NaN."""
    return "NA" if math.isnan(value) else f"{value + 0.0:.{digits}f}"  # + 0.0: no "-0.0000" for -0.0
