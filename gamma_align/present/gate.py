"""Values compared with thresholds: messages, JUnit XML, and output for GitHub Actions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gamma_align.data import counted, printable
from gamma_align.errors import Cure, Note, Set
from gamma_align.inference import Value
from gamma_align.present.table import table_of_cells
from gamma_align.present.writers.paper import markdown

# Outcomes of a check.
PASSED = "passed"
BELOW = "below"
NOT_AVAILABLE = "not available"
SKIPPED = "skipped"
_MIN_DIGITS = 2
_MAX_DIGITS = 17  # enough to tell any two floats apart
_MAX_DOCUMENTS = 3  # named in messages; JUnit XML has all
# Escapes of GitHub's workflow commands, in their text and in their properties.
_TEXT_ESCAPES = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY_ESCAPES = {**_TEXT_ESCAPES, **str.maketrans({":": "%3A", ",": "%2C"})}


@dataclass(frozen=True, slots=True)
class Check:
    """A value and its threshold.

    Attributes
    ----------
    symbol : str
        The name of the value: γ, γk PER, strict F1.
    value : Value
        The value with its interval.
    threshold : float
        The lowest value that passes.
    subject : str
        The document or system that has the value; empty for the corpus.
    by_low : bool
        Whether the lower bound of the interval is compared instead of the value.
    is_document : bool
        Whether the subject is a document. A document without a value, such as one without units, is skipped.
    """

    symbol: str
    value: Value
    threshold: float
    subject: str = ""
    by_low: bool = False
    is_document: bool = False

    @property
    def outcome(self) -> str:
        """PASSED, BELOW, NOT_AVAILABLE or SKIPPED."""
        if self.reason is not None:
            return SKIPPED if self.is_document else NOT_AVAILABLE
        return BELOW if self.compared < self.threshold else PASSED

    @property
    def is_missed(self) -> bool:
        """Whether the value is too low or not available."""
        return self.outcome in (BELOW, NOT_AVAILABLE)

    @property
    def reason(self) -> str | None:
        """The reason if no number can be compared with the threshold, or None."""
        if self.value.reason is not None or not math.isnan(self.compared):
            return self.value.reason
        return f"no interval: {self.value.no_interval}" if self.value.no_interval else "no interval"

    @property
    def compared(self) -> float:
        """The number that is compared with the threshold."""
        return self.value.lower_bound if self.by_low else self.value.value

    @property
    def name(self) -> str:
        """The condition: "γ is at least 0.7"."""
        return f"{self._subject}{self._bound}{printable(self.symbol)} is at least {self.threshold:g}"

    @property
    def message(self) -> str:
        """The outcome: "γ 0.58 [0.51, 0.64] is below 0.70, missed by 0.12"."""
        if self.reason is not None:
            return f"{self._subject}{printable(self.symbol)} is not available: {printable(self.reason)}"
        digits = self._digits()
        value = f"{self._subject}{self._bound}{printable(self.symbol)} {self.value_text(digits)}"
        if self.outcome == PASSED:
            return f"{value} is at least {self.threshold:.{digits}f}"
        difference = self.threshold - self.compared
        return f"{value} is below {self.threshold:.{digits}f}, missed by {difference:.{digits}f}"

    def value_text(self, digits: int = _MIN_DIGITS) -> str:
        """Return the value with its interval, or the reason why it is not available."""
        if self.value.reason is not None:
            return f"NA ({printable(self.value.reason)})"
        numbers = self.value.value, self.value.low, self.value.high
        # Adding 0.0 turns -0.0 into 0.0, which has no sign.
        value, low, high = (f"{round(number, digits) + 0.0:.{digits}f}" for number in numbers)
        return value if math.isnan(self.value.low) else f"{value} [{low}, {high}]"

    @property
    def _subject(self) -> str:
        return f"{printable(self.subject)}: " if self.subject else ""

    @property
    def _bound(self) -> str:
        return "the lower bound of " if self.by_low else ""

    def _digits(self) -> int:
        """Return the number of decimals that show the threshold exactly and the value on its side of the threshold."""
        is_below = self.compared < self.threshold
        for digits in range(_MIN_DIGITS, _MAX_DIGITS):
            is_exact = round(self.threshold, digits) == self.threshold
            # With two decimals, the message on 0.698 would be "0.70 is below 0.70".
            if is_exact and (round(self.compared, digits) < self.threshold) == is_below:
                return digits
        return _MAX_DIGITS


def messages(checks: Sequence[Check]) -> list[str]:
    """Return a message for each missed threshold; for documents, only the lowest values of each measure have one."""
    lines = [check.message for check in checks if check.is_missed and not check.is_document]
    documents = [check for check in checks if check.is_document]
    for symbol, threshold in dict.fromkeys((check.symbol, check.threshold) for check in documents):
        missed = [check for check in documents if check.is_missed and check.symbol == symbol]
        missed.sort(key=lambda check: check.compared)
        lines += [check.message for check in missed[:_MAX_DOCUMENTS]]
        if len(missed) > _MAX_DOCUMENTS:
            n_documents = counted(len(missed) - _MAX_DOCUMENTS, "more document")
            cause = f"{printable(symbol)} of {n_documents} below {threshold:g}"
            lines.append(Note(cause, Cure("{} has all of them", Set("junit", "FILE")), separator=": "))
    return lines


def junit_xml(checks: Sequence[Check], suite: str, signatures: Iterable[str]) -> str:
    """Return the checks as JUnit XML with one test case for each.

    References
    ----------
    The schema of Jenkins' xUnit plugin, ``junit-10.xsd``, which GitLab, GitHub's actions and others read.
    """
    from xml.etree import ElementTree as ET

    skipped = sum(check.outcome == SKIPPED for check in checks)
    counts = {
        "tests": str(len(checks)),
        "failures": str(sum(check.is_missed for check in checks)),
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
    """Return the checks as a table of Markdown; documents are listed only if they miss a threshold."""
    rows = [
        [check.subject, check.symbol, check.value_text(), f"{check.threshold:g}", check.outcome]
        for check in checks
        if check.is_missed or not check.is_document
    ]
    return markdown([table_of_cells(title, ["", "measure", "value", "at least", "outcome"], rows)], signatures)


def workflow_command(message: str, title: str) -> str:
    """Return the line that GitHub Actions shows as an error of the run."""
    return f"::error title={title.translate(_PROPERTY_ESCAPES)}::{message.translate(_TEXT_ESCAPES)}"
