"""Words of citations: numbers with their intervals, sizes of the data, lists."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from gamma_align.data import counted, decimal, number_range, printable
from gamma_align.inference import Value

if TYPE_CHECKING:
    from gamma_align.measures.items import ItemCoefficient

INTERVAL_LEVEL = 0.95
"""Level of the intervals of γ and uα."""
RESULTS_CURE = "pass results of gamma, unitizing_alpha, item_agreement or replaceable"


class CitationParts(NamedTuple):
    """The numbers of a result in words, the method, and the papers to cite."""

    numbers: str
    method: str
    papers: Sequence[str]


def documents_in_words(annotators: Sequence[int]) -> str:
    """Return the numbers of documents and of annotators in words; `annotators` has the number of each document."""
    number = number_range(annotators)
    noun = "annotator" if number == "1" else "annotators"
    suffix = " each" if len(annotators) > 1 else ""
    return f"{counted(len(annotators), 'document')}, {range_in_words(number)} {noun}{suffix}"


def numbers_in_words(values: Mapping[str, Value | ItemCoefficient], level: float) -> str:
    """Return "γ = 0.88 (95 % interval 0.83 to 0.91), γcat = 0.98 (0.97 to 0.98)"."""
    level_text = f"{100 * level:g} % interval "  # before the first interval only
    texts = []
    for name, value in values.items():
        if value.reason is not None:
            texts.append(f"{name} not available ({printable(value.reason)})")
            continue
        reason = value.no_interval if isinstance(value, Value) else value.error_reason
        interval = f" (no interval: {printable(reason)})" if reason else ""
        if not math.isnan(value.low):
            interval = f" ({level_text}{decimal(value.low)} to {decimal(value.high)})"
            level_text = ""
        texts.append(f"{name} = {decimal(value.value)}{interval}")
    return ", ".join(texts)


def range_in_words(numbers: str) -> str:
    """Return a range of numbers in words: "3 to 7"."""
    return numbers.replace("-", " to ")


def listed(names: Sequence[str]) -> str:
    """Return names as a list in words: "α, β and γ"."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
