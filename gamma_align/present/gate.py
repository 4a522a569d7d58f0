"""Values against thresholds: what each comes to, as messages, as JUnit XML, and for GitHub Actions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gamma_align.data.wording import counted, printable
from gamma_align.inference.values import Value
from gamma_align.present.table import table_of_cells
from gamma_align.present.writers.paper import markdown

PASSED, BELOW, NOT_AVAILABLE, SKIPPED = "passed", "below", "not available", "skipped"
_MOST_DIGITS = 17
_MOST_DOCUMENTS = 3
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = {**_DATA, **str.maketrans({":": "%3A", ",": "%2C"})}
"""Escapes of GitHub's workflow commands, in what they say and in their properties."""


@dataclass(frozen=True, slots=True)
class Check:
    """A value against the least it may be.

    Attributes
    ----------
    symbol : str
        What the value is called: γ, γk PER, strict F1.
    value : Value
        It, with its interval.
    least : float
        The threshold.
    subject : str
        The document or system that has the value; nothing for the corpus.
    by_low : bool
        Whether the lower bound of the interval is compared, not the value.
    is_document : bool
        Whether the subject is a document: one without a value, such as one that nobody marked anything in, misses
        nothing.
    """

    symbol: str
    value: Value
    least: float
    subject: str = ""
    by_low: bool = False
    is_document: bool = False

    @property
    def outcome(self) -> str:
        """One of the four outcomes of this module."""
        if self.reason is not None:
            return SKIPPED if self.is_document else NOT_AVAILABLE
        return BELOW if self.compared < self.least else PASSED

    @property
    def missed(self) -> bool:
        """Whether the threshold is missed: by too low a value, or by none."""
        return self.outcome in (BELOW, NOT_AVAILABLE)

    @property
    def reason(self) -> str | None:
        """Why there is nothing to compare with the threshold, or None."""
        if self.value.reason is not None or not (self.by_low and math.isnan(self.value.low)):
            return self.value.reason
        return f"no interval: {self.value.no_interval}" if self.value.no_interval else "no interval"

    @property
    def compared(self) -> float:
        """The number that is compared with the threshold."""
        return self.value.low if self.by_low else self.value.value

    @property
    def name(self) -> str:
        """What is asked: "γ is at least 0.7"."""
        return f"{self._subject}{self._bound}{printable(self.symbol)} is at least {self.least:g}"

    @property
    def message(self) -> str:
        """What came of it: "γ 0.58 [0.51, 0.64] is below 0.70, missed by 0.12"."""
        if self.reason is not None:
            return f"{self._subject}{printable(self.symbol)} is not available: {printable(self.reason)}"
        digits = self._digits()
        value = f"{self._subject}{self._bound}{printable(self.symbol)} {self.shown(digits)}"
        if self.outcome == PASSED:
            return f"{value} is at least {self.least:.{digits}f}"
        missed = self.least - self.compared
        return f"{value} is below {self.least:.{digits}f}, missed by {missed:.{digits}f}"

    def shown(self, digits: int = 2) -> str:
        """Return the value with its interval, or why there is none."""
        if self.value.reason is not None:
            return f"NA ({printable(self.value.reason)})"
        numbers = self.value.value, self.value.low, self.value.high
        value, low, high = (f"{round(number, digits) + 0.0:.{digits}f}" for number in numbers)
        return value if math.isnan(self.value.low) else f"{value} [{low}, {high}]"

    @property
    def _subject(self) -> str:
        return f"{printable(self.subject)}: " if self.subject else ""

    @property
    def _bound(self) -> str:
        return "the lower bound of " if self.by_low else ""

    def _digits(self) -> int:
        """Return how many decimals show the threshold, and the value beside it as what it is: two if they do."""
        short = (
            digits
            for digits in range(2, _MOST_DIGITS)
            if round(self.least, digits) == self.least
            and (round(self.compared, digits) < self.least) == (self.compared < self.least)
        )
        return next(short, _MOST_DIGITS)


def messages(checks: Sequence[Check]) -> list[str]:
    """Return a message for each threshold missed; of documents, those of the lowest values are named."""
    lines = [check.message for check in checks if check.missed and not check.is_document]
    for symbol, least in dict.fromkeys((check.symbol, check.least) for check in checks if check.is_document):
        below = [check for check in checks if check.missed and check.is_document and check.symbol == symbol]
        below.sort(key=lambda check: check.compared)
        lines += [check.message for check in below[:_MOST_DOCUMENTS]]
        if len(below) > _MOST_DOCUMENTS:
            more = counted(len(below) - _MOST_DOCUMENTS, "more document")
            lines.append(f"{printable(symbol)} of {more} below {least:g}: --junit FILE has all of them")
    return lines


def junit_xml(checks: Sequence[Check], suite: str, signatures: Iterable[str]) -> str:
    """Return the checks as JUnit XML, a test case each; a value that no document can have is skipped.

    References
    ----------
    The schema is that of Jenkins' xUnit plugin, ``junit-10.xsd``, which GitLab, GitHub's actions and others read.
    """
    from xml.etree import ElementTree as ET

    skipped = sum(check.outcome == SKIPPED for check in checks)
    counts = {
        "tests": str(len(checks)),
        "failures": str(sum(check.missed for check in checks)),
        "errors": "0",
    }
    root = ET.Element("testsuites", {"name": "gamma-align", **counts})
    node = ET.SubElement(root, "testsuite", {"name": printable(suite), **counts, "skipped": str(skipped)})
    properties = ET.SubElement(node, "properties")
    for signature in signatures:
        ET.SubElement(properties, "property", {"name": "signature", "value": printable(signature)})
    for check in checks:
        case = ET.SubElement(node, "testcase", {"name": check.name, "classname": "gamma-align"})
        if check.outcome == SKIPPED:
            ET.SubElement(case, "skipped", {"message": check.message})
        elif check.outcome == PASSED:
            ET.SubElement(case, "system-out").text = check.message
        else:
            ET.SubElement(case, "failure", {"message": check.message, "type": check.outcome}).text = check.message
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def summary(checks: Sequence[Check], title: str, signatures: Iterable[str]) -> str:
    """Return the checks as a table of Markdown; of documents, those that are missed."""
    rows = [
        [check.subject, check.symbol, check.shown(), f"{check.least:g}", check.outcome]
        for check in checks
        if check.missed or not check.is_document
    ]
    return markdown([table_of_cells(title, ["", "measure", "value", "at least", "outcome"], rows)], signatures)


def workflow_command(message: str, title: str) -> str:
    """Return the line that GitHub Actions shows as an error of the run."""
    return f"::error title={title.translate(_PROPERTY)}::{message.translate(_DATA)}"
