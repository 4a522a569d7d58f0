"""The values of a result on the page, taken from the output of ``measure --json`` without new computations."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from markupsafe import Markup

from gamma_align.data import Json
from gamma_align.measures.gamma import GammaValue, is_computed
from gamma_align.present.figures import Palette, charts
from gamma_align.present.page import bounds, decimal, interval, percent, safe

AXIS_WIDTH = 200.0  # pixels
_TEXT_FIELDS = ("reason", "no_interval", "precision_note", "interval_note")
"""The fields of a value that are texts: null is None, not NaN."""


class Row(NamedTuple):
    """A coefficient of the table: its symbol, its label (of γk), its text, its interval or reason, and its scale."""

    sign: str
    label: str | None
    text: str
    interval: str
    value: GammaValue | None
    scale: Markup


class Outcome:
    """The values of a document and of the corpus.

    Parameters
    ----------
    result : mapping, optional
        The output of ``measure --json``, if the job is done.
    document : str
        The name of the current document.
    """

    def __init__(self, result: Mapping[str, Json] | None, document: str) -> None:
        self.result = result
        rows = [] if result is None else result["documents"]
        self.document: Mapping[str, Json] | None = next((row for row in rows if row["document"] == document), None)

    @property
    def n_documents(self) -> int:
        """The number of measured documents."""
        return 0 if self.result is None else len(self.result["documents"])

    def rows(self, palette: Palette) -> list[Row]:
        """Return the coefficients of the document; without a result, their symbols alone."""
        if self.document is None:
            return [Row("γ", None, "…", "", None, Markup()), Row("cat", None, "…", "", None, Markup())]
        return [self._row(*coefficient, palette) for coefficient in _coefficients(self.document)]

    def _row(self, sign: str, label: str | None, value: GammaValue, palette: Palette) -> Row:
        """Return the row of a coefficient."""
        ends = value.value, value.low, value.high
        dot = charts.dot_row(*ends, axis_low=self.axis_low, palette=palette, width=AXIS_WIDTH)
        scale = Markup() if value.reason is not None else safe(dot)
        return Row(sign, label, self._text(value, sign), _interval_or_reason(value), value, scale)

    @cached_property
    def axis_low(self) -> float:
        """The lower end of the scale: 0, or less if values are negative."""
        if self.document is None:
            return 0.0
        lows = [0.0]
        for _, _, value in _coefficients(self.document):
            if value.is_available:
                lows += [value.value, value.low]
        return min(math.floor(low * 10) / 10 for low in lows if math.isfinite(low))

    @property
    def headline(self) -> str:
        """γ of the corpus with its interval, or its reason."""
        if self.result is None:
            return ""
        value = value_of(self.result["corpus"]["gamma"])
        text = _precision_sign(self.result, value) + decimal(value.value, 3)
        return f"corpus γ {text} {_interval_or_reason(value)}".rstrip()

    def labels(self) -> dict[str, str]:
        """Return γ of each document as a text, by name."""
        documents = [] if self.result is None else self.result["documents"]
        return {row["document"]: f"γ {decimal(value_of(row['gamma']).value, 3)}" for row in documents}

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield the quantities behind the values, with their names."""
        if self.document is None:
            return
        gamma = value_of(self.document["gamma"])
        yield "observed", decimal(gamma.observed, 3)
        error = "" if math.isnan(gamma.expected_error) else f" (s.e. {decimal(gamma.expected_error, 3)})"
        yield "expected", f"{decimal(gamma.expected, 3)}{error}"
        if is_computed(gamma):
            yield "chance", gamma.precision_note or ""
        else:
            yield "samples", f"{self.document['samples']:,}"

    @property
    def ending(self) -> str:
        """The numbers of samples and the precision that was reached."""
        if self.result is None:
            return ""
        samples = sum(row["samples"] for row in self.result["documents"])
        settings = self.result["settings"]
        counted = f"{samples:,} of {samples:,} samples" if samples else "no samples needed"
        target = settings["precision"]
        if target is None:
            return counted
        # γk has one value, and thus one precision, for each label
        worst: dict[str, float] = {}
        for sign, _, value in _coefficients(self.result["corpus"]):
            if not math.isnan(value.expected_precision):
                worst[sign] = max(worst.get(sign, 0.0), value.expected_precision)
        if not worst:
            return counted
        names = {"γ": "γ", "cat": "γcat", "k": "γk at most"}
        if not samples and not max(worst.values()):
            return f"{counted}; chance computed exactly"
        reached = ", ".join(f"{names[sign]} ±{percent(precision)}" for sign, precision in worst.items())
        missed = f"; ±{percent(target)} asked for" if max(worst.values()) > target else ""
        return f"{counted}; chance of {reached}{missed}"

    def _text(self, value: GammaValue, sign: str) -> str:
        if sign == "γ" and self.document is not None and not self.document["optimal"] and value.is_available:
            low, high = _proven_bounds(value, self.document["gap"])
            return " to ".join(bounds(low, high))
        return _precision_sign(self.result if self.n_documents == 1 else None, value) + decimal(value.value, 3)


def value_of(entry: Mapping[str, Json]) -> GammaValue:
    """Return the value of an entry in JSON, in which null is NaN."""
    values: dict[str, Json] = {
        name: math.nan if value is None and name not in _TEXT_FIELDS else value for name, value in entry.items()
    }
    return GammaValue(**values)


def _coefficients(entry: Mapping[str, Json]) -> Iterator[tuple[str, str | None, GammaValue]]:
    """Yield symbol, label and value of γ, γcat and each γk, of a document or the corpus."""
    yield "γ", None, value_of(entry["gamma"])
    yield "cat", None, value_of(entry["gamma_cat"])
    for label, value in entry["gamma_k"].items():
        yield "k", label, value_of(value)


def _interval_or_reason(value: GammaValue) -> str:
    """Return the interval, or the reason why there is no interval or no value."""
    no_interval = f"no interval: {value.no_interval}" if value.no_interval else ""
    note = f" {value.interval_note}" if value.interval_note else ""
    return value.reason or (interval(value).replace(" ", "\u00a0") or no_interval) + note


def _precision_sign(result: Mapping[str, Json] | None, value: GammaValue) -> str:
    """Return the sign of a value that misses the requested precision."""
    target = None if result is None else result["settings"]["precision"]
    return "≈ " if target is not None and value.expected_precision > target else ""


def _proven_bounds(value: GammaValue, gap: float) -> tuple[float, float]:
    """Return the bounds between which γ is proven to be, from the largest gap of an alignment."""
    return 1.0 - value.observed / (value.expected * (1.0 - gap)), 1.0 - value.observed * (1.0 - gap) / value.expected
