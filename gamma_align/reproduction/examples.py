"""Worked examples of the papers, computed again: the printed value, ours, and what becomes of it.

``examples.json`` holds the data and the printed values with their source. Where a printed value does not come out, it
says why: a misprint (the proof is what the paper's own table gives), digits lost in rounding, or a value that nothing
printed leads to. An example without such a reason has to come out.

M17 does not print the positions of figure 3: they are reconstructed from its intersections and weights, and doubled so
that all are whole.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from gamma_align.errors import SettingsError
from gamma_align.reproduction.example_measures import Computed, Measures
from gamma_align.results.values import finite_or_none

EQUAL, DIFFERENT = "equal", "different"
REASONS = ("rounding", "misprint", "not reproducible")
"""Why a printed value does not come out."""

VERDICTS = (EQUAL, *REASONS, DIFFERENT)
UNDEFINED = "undefined"
_ROUNDING = 1e-9


class Data(NamedTuple):
    """What ``examples.json`` holds.

    Attributes
    ----------
    sources : dict of str to str
        Short name to the whole one.
    tables : dict of str to list
        Tables of items, as runs of equal rows: [times, row].
    continua : dict of str to dict
        ``start``, ``length`` and the units [start, end, category] of each of the ``observers``.
    examples : list of dict
        The examples.
    """

    sources: dict[str, str]
    tables: dict[str, list[Any]]
    continua: dict[str, dict[str, Any]]
    examples: list[dict[str, Any]]


def data() -> Data:
    """Return the data and the printed values."""
    text = Path(__file__).with_name("examples.json").read_text(encoding="utf-8")
    return Data(**json.loads(text))


@dataclass(frozen=True, slots=True)
class Example:
    """A printed value and ours.

    Attributes
    ----------
    id : str
        Its name.
    source : str
        Paper, and table, figure or section; papers are those of `Data.sources`.
    what : str
        What is printed.
    printed : tuple of str
        As printed; several numbers that belong together.
    ours : tuple of float
        Computed here; NaN where it is not defined.
    error : float
        Standard error of ours where it comes from random samples, otherwise 0.
    verdict : {"equal", "rounding", "misprint", "not reproducible", "different"}
        "different" is what ought not to be: a value that does not come out, without a reason.
    why : str
        The reason, where ours is not what is printed.
    """

    id: str
    source: str
    what: str
    printed: tuple[str, ...]
    ours: tuple[float, ...]
    error: float
    verdict: str
    why: str

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON."""
        names = ("id", "source", "what", "error", "verdict", "why")
        numbers = {"printed": list(self.printed), "ours": [finite_or_none(value) for value in self.ours]}
        return {name: getattr(self, name) for name in names} | numbers


@dataclass(frozen=True, slots=True)
class Examples:
    """All examples.

    Attributes
    ----------
    examples : tuple of Example
        By source.
    sources : dict of str to str
        Short name of a source to the whole one.
    samples, seed : int
        Of the values that come from random samples.
    """

    examples: tuple[Example, ...]
    sources: dict[str, str]
    samples: int
    seed: int

    @property
    def counts(self) -> dict[str, int]:
        """Number of examples of each verdict."""
        verdicts = [example.verdict for example in self.examples]
        return {verdict: verdicts.count(verdict) for verdict in VERDICTS}

    def to_dict(self) -> dict[str, Any]:
        """Return the examples, ready for JSON (``schema_version`` 1)."""
        return {
            "schema_version": 1,
            "experiment": "examples",
            "samples": self.samples,
            "seed": self.seed,
            "counts": self.counts,
            "sources": dict(self.sources),
            "examples": [example.to_dict() for example in self.examples],
        }


def examples(*, samples: int = 5000, seed: int = 0) -> Examples:
    """Compute the examples again.

    Parameters
    ----------
    samples, seed : int
        Of the values that come from random samples.

    Raises
    ------
    SettingsError
        For fewer than two samples, or a negative seed.
    """
    if samples < 2 or seed < 0:  # noqa: PLR2004
        raise SettingsError(f"examples need 2 samples and a seed of 0 or more, not {samples} and {seed}")
    known = data()
    measures = Measures(known.tables, known.continua, samples, seed)
    found = tuple(_example(entry, measures.of(entry)) for entry in known.examples)
    return Examples(found, known.sources, samples, seed)


def _example(entry: dict[str, Any], computed: Computed) -> Example:
    printed = tuple(entry["printed"]) if isinstance(entry["printed"], list) else (entry["printed"],)
    equal = len(printed) == len(computed.values) and all(
        is_printed(value, text, computed.error) for value, text in zip(computed.values, printed, strict=True)
    )
    verdict = EQUAL if equal else entry.get("verdict", DIFFERENT)
    why = "" if equal else entry.get("why", "")
    return Example(entry["id"], entry["source"], entry["what"], printed, computed.values, computed.error, verdict, why)


def is_printed(value: float, printed: str, error: float = 0.0) -> bool:
    """Return whether a value rounds to what is printed: a decimal number, a share in %, a fraction, "undefined".

    Parameters
    ----------
    value : float
        Shares are of 1.
    printed : str
        As printed.
    error : float
        Standard error of the value; two of them are allowed for.
    """
    if printed == UNDEFINED:
        return math.isnan(value)
    number = printed.removesuffix(" %")
    scale = 100.0 if number != printed else 1.0
    half = 0.0 if "/" in number else 0.5 * 10.0 ** -len(number.partition(".")[2])
    return abs(scale * value - float(Fraction(number))) <= half + 2.0 * scale * error + _ROUNDING
