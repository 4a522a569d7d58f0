"""Worked examples of the papers, computed again: the printed value, the value computed here, and a verdict.

``examples.json`` contains the data and the printed values with their source. If a printed value cannot be reproduced,
it names the reason: a misprint (the proof is a value of the paper's own table), digits lost in rounding, or not
reproducible: nothing printed leads to the value, or printed values contradict each other and it is unknown which of
them is wrong. Every example without a reason must be reproduced.

M17 does not print the positions of figure 3. They are reconstructed from its intersections and weights, and doubled to
be integers.
"""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple, NotRequired, TypedDict, Unpack

import numpy as np

from gamma_align.api.gamma import gamma
from gamma_align.api.insight import families
from gamma_align.api.items import chance_report, item_coefficient
from gamma_align.api.unitizing import unitizing_alpha
from gamma_align.data.continuum import Continuum
from gamma_align.data.corpus import Corpus
from gamma_align.data.item_table import ItemTable
from gamma_align.distances.registry import AnyDistance, by_name
from gamma_align.distances.structured import MelamedResnik, Taxonomy
from gamma_align.errors import SettingsError
from gamma_align.inference.values import Result
from gamma_align.insight.comparison.families import Contribution
from gamma_align.measures.gamma.gamma_result import GammaResult
from gamma_align.measures.gamma.keywords import GammaOptions
from gamma_align.measures.items.counts import item_weights, patterns_of
from gamma_align.present.table import Column, Priority, Table
from gamma_align.present.writers.data import csv_cell
from gamma_align.present.writers.text import table_lines

# Verdicts: the value is reproduced, it is not for one of the reasons, or it is not without a reason.
EQUAL, DIFFERENT = "equal", "different"
REASONS = ("rounding", "misprint", "not reproducible")
"""Reasons why a printed value cannot be reproduced."""
ALL_VERDICTS = (EQUAL, *REASONS, DIFFERENT)

_UNDEFINED_VALUE = "undefined"  # printed if a value is not defined
_ROUNDING_ERROR = 1e-9  # of a value that lies exactly between two printed ones
_ALLOWED_ERRORS = 2.0  # standard errors that a sampled value may differ by
_MIN_SAMPLES = 2  # a standard error needs two


class Entry(TypedDict):
    """An example in ``examples.json``; `measure` is the name of a method of `Measures` without its underscore."""

    id: str
    source: str
    what: str
    printed: str | list[str]
    data: str | None
    measure: str
    args: NotRequired[dict[str, Any]]
    verdict: NotRequired[str]
    why: NotRequired[str]


class Data(NamedTuple):
    """Contents of ``examples.json``: sources by short name, tables as runs of equal rows, continua, and the examples.

    A run is [count, row]; a continuum has ``start``, ``length``, and the units [start, end, category] of each of the
    ``observers``.
    """

    sources: dict[str, str]
    tables: dict[str, list[Any]]
    continua: dict[str, dict[str, Any]]
    examples: list[Entry]


def data() -> Data:
    """Return the data and the printed values."""
    text = Path(__file__).with_name("examples.json").read_text(encoding="utf-8")
    return Data(**json.loads(text))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Example(Result):
    """A printed value and the value computed here.

    `printed` and `ours` are several numbers if these belong together. `ours` is NaN if a value is not defined, and
    `error` is its standard error if it is computed from random samples, otherwise 0. The verdict is "equal", one of
    `REASONS` with `why`, or "different" if the value is not reproduced without a known reason.
    """

    id: str
    source: str
    what: str
    error: float
    verdict: str
    why: str
    printed: tuple[str, ...]
    ours: tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Examples(Result):
    """All examples, the full name of each source, and the samples and seed of values that need random samples."""

    examples: tuple[Example, ...]
    sources: dict[str, str]
    samples: int
    seed: int

    @property
    def counts(self) -> dict[str, int]:
        """Number of examples of each verdict."""
        verdicts = [example.verdict for example in self.examples]
        return {verdict: verdicts.count(verdict) for verdict in ALL_VERDICTS}

    def _contents(self) -> dict[str, object]:
        contents = self._named("samples", "seed", "counts", "sources", "examples")
        return {"schema_version": 1, "experiment": "examples", **contents}


def examples(*, samples: int = 5000, seed: int = 0) -> Examples:
    """Compute the examples again; values that need random samples use the number of samples and the seed."""
    if samples < _MIN_SAMPLES or seed < 0:
        raise SettingsError(f"examples need {_MIN_SAMPLES} samples and a seed of 0 or more, not {samples} and {seed}")
    published = data()
    measures = Measures(published, samples, seed)
    result = tuple(_example(entry, measures.compute(entry)) for entry in published.examples)
    return Examples(result, published.sources, samples, seed)


def _example(entry: Entry, computed: Computed) -> Example:
    printed = tuple(entry["printed"]) if isinstance(entry["printed"], list) else (entry["printed"],)
    is_equal = len(printed) == len(computed.values) and all(
        is_printed(value, text, computed.error) for value, text in zip(computed.values, printed, strict=True)
    )
    verdict, why = (EQUAL, "") if is_equal else (entry.get("verdict", DIFFERENT), entry.get("why", ""))
    return Example(entry["id"], entry["source"], entry["what"], computed.error, verdict, why, printed, computed.values)


def is_printed(value: float, printed: str, error: float = 0.0) -> bool:
    """Return whether a value rounds to the printed one: a decimal number, a share in %, a fraction, or "undefined"."""
    if printed == _UNDEFINED_VALUE:
        return math.isnan(value)
    number = printed.removesuffix(" %")
    scale = 100.0 if number != printed else 1.0
    # A fraction is exact; a decimal number is rounded by up to half a unit of its last digit.
    half_digit = 0.0 if "/" in number else 0.5 * 10.0 ** -len(number.partition(".")[2])
    tolerance = half_digit + _ALLOWED_ERRORS * scale * error + _ROUNDING_ERROR
    return abs(scale * value - float(Fraction(number))) <= tolerance


class Computed(NamedTuple):
    """Values, and the standard error of a value that is computed from random samples."""

    values: tuple[float, ...]
    error: float = 0.0


class Measures:
    """The measures of the examples, each a method of its name; γ, γcat and γk use the samples and the seed."""

    def __init__(self, published: Data, samples: int, seed: int) -> None:
        self._tables, self._continua = published.tables, published.continua
        self._samples, self._seed = samples, seed
        # Several examples share a result.
        self._gamma_results: dict[str, GammaResult] = {}
        self._contributions: dict[str, tuple[Contribution, ...]] = {}

    def compute(self, entry: Entry) -> Computed:
        """Return the value of an example."""
        measure: Callable[..., Computed] = getattr(self, f"_{entry['measure']}")
        data = () if entry["data"] is None else (entry["data"],)
        return measure(*data, **entry.get("args", {}))

    def _table(self, name: str) -> ItemTable:
        rows = []
        for count, row in self._tables[name]:
            rows += [row] * count
        return ItemTable.from_matrix(rows)

    def _continuum(self, name: str, length: float | None = None) -> Corpus:
        """Return a corpus of one continuum, whose annotators have the names 1, 2 and so on."""
        source = self._continua[name]
        annotators = [str(index) for index in range(1, len(source["observers"]) + 1)]
        records = []
        for annotator, units in zip(annotators, source["observers"], strict=True):
            records += [(annotator, start, end, str(category)) for start, end, category in units]
        extent = (source["start"], source["start"] + (source["length"] if length is None else length))
        return Corpus.from_continua([Continuum.from_records(records, annotators=annotators, extent=extent)])

    def _coefficient(self, table: str, name: str, part: str, distance: AnyDistance = "nominal") -> Computed:
        interval = "fce" if part in ("error", "interval") else None
        result = item_coefficient(self._table(table), name, distance=distance, interval=interval)
        if part == "interval":
            return Computed((result.low, result.high))
        return Computed((1.0 - result.expected if part == "chance" else getattr(result, part),))

    def _bias(self, table: str) -> Computed:
        return Computed((chance_report(self._table(table)).bias,))

    def _missing_weights(self, table: str, conception: str, of: str) -> Computed:
        """Return the weights of items (1, n/2 or n(n - 1)/2), values or pairs in M17 table 1, most judgments first."""
        patterns = patterns_of(self._table(table))
        order = np.argsort(-patterns.judgments, kind="stable")
        n = patterns.judgments[order].astype(np.float64)
        # Only their proportions matter: the weights of VL and PL are twice the paper's.
        item = item_weights(patterns, conception)[order] / (1.0 if conception == "IL" else 2.0)
        weights = {"item": item, "value": 2.0 * item / n, "pair": 2.0 * item / (n * (n - 1.0))}
        return Computed(tuple(weights[of].tolist()))

    def _set_distance(self, distance: str, first: list[str], second: list[str]) -> Computed:
        result = by_name(distance).matrix([frozenset(first), frozenset(second)])
        return Computed((float(result[0, 1]),))

    def _taxonomy_distance(self, children: Taxonomy, first: str, second: str) -> Computed:
        return Computed((float(MelamedResnik(children).matrix([first, second])[0, 1]),))

    def _unitizing(self, continuum: str, name: str, category: str | None = None) -> Computed:
        result = unitizing_alpha(self._continuum(continuum))
        if name == "observed":
            return Computed((result.observed["cu"],))
        value = getattr(result, name)
        number = value if category is None else value[category]
        return Computed((float(getattr(number, "value", number)),))

    def _pairs_of_categories(self, continuum: str, conventions: GammaOptions) -> tuple[Contribution, ...]:
        key = f"{continuum} {conventions}"
        if key not in self._contributions:
            # Contributions follow from the best alignment, which no sample changes: any number of samples will do.
            options: GammaOptions = {**conventions, "samples": 30}
            self._contributions[key] = families(self._continuum(continuum), **options).contributions
        return self._contributions[key]

    def _contribution(self, continuum: str, pair: str, of: str, **conventions: Unpack[GammaOptions]) -> Computed:
        contributions = self._pairs_of_categories(continuum, conventions)
        shares = {f"{entry.first}-{entry.second}": float(getattr(entry, of)) for entry in contributions}
        return Computed((shares.get(pair, 0.0),))

    def _total_weight(self, continuum: str, **conventions: Unpack[GammaOptions]) -> Computed:
        return Computed((math.fsum(entry.weight for entry in self._pairs_of_categories(continuum, conventions)),))

    def _gamma(
        self,
        continuum: str,
        name: str,
        extent: float,
        category: str | None = None,
        **conventions: Unpack[GammaOptions],
    ) -> Computed:
        key = f"{continuum} {extent} {conventions}"
        if key not in self._gamma_results:
            options: GammaOptions = {**conventions, "samples": self._samples, "seed": self._seed}
            self._gamma_results[key] = gamma(self._continuum(continuum, extent), **options)
        values = getattr(self._gamma_results[key], name)
        value = values if category is None else values[category]
        return Computed((value.value,), value.standard_error)


_MAX_WIDTH = 110  # characters of a line


def examples_table(result: Examples) -> Table:
    """Return the examples with the printed values and ours; several numbers of one example are separated by spaces."""
    columns = [
        Column("id", priority=Priority.DATA),
        Column("verdict"),
        Column("source"),
        Column("what"),
        Column("printed", content=lambda example: " ".join(example.printed)),
        Column(
            "ours",
            content=lambda example: " ".join(map(csv_cell, example.ours)),
            terminal_heading="here",
            terminal_content=lambda example: " ".join(_rounded(example)),
        ),
        *(Column(name, priority=Priority.DATA) for name in ("error", "why")),
    ]
    order = ("id", "source", "what", "printed", "ours", "error", "verdict")
    return Table(
        "examples", "Worked examples of the papers, computed again", columns, result.examples, data_order=order
    )


def examples_text(result: Examples) -> str:
    """Return the examples as text: the counts of verdicts, each value, and the reasons of other values."""
    table = examples_table(result)
    counts = ", ".join(f"{count} {verdict}" for verdict, count in result.counts.items() if count)
    lines = [
        table.title,
        f"{len(result.examples)} printed values: {counts}",
        "",
        *table_lines(table),
        *_reasons(result.examples),
        "",
        *(f"{name}: {full_name}" for name, full_name in result.sources.items()),
        f"± : standard error of {result.samples} random samples (seed {result.seed}); two of them are allowed for",
    ]
    return "\n".join(lines) + "\n"


def _reasons(examples: Sequence[Example]) -> Iterator[str]:
    """Yield each reason once, after the names of its values."""
    names_by_reason: dict[str, list[str]] = {}
    for example in examples:
        if example.why:
            names_by_reason.setdefault(example.why, []).append(f"{example.source}, {example.what}")
    for why, names in names_by_reason.items():
        yield ""
        yield from textwrap.wrap(f"{'; '.join(names)}: {why}", _MAX_WIDTH)


def _rounded(example: Example) -> Iterator[str]:
    """Yield our values with one decimal more than printed, and at least four."""
    for value, printed in zip(example.ours, example.printed, strict=True):
        if math.isnan(value):
            yield "NA"
            continue
        scale = 100.0 if printed.endswith(" %") else 1.0
        digits = max(4, len(printed.removesuffix(" %").partition(".")[2]) + 1)
        # Adding 0.0 turns -0.0 into 0.0, which is printed without a sign.
        text = f"{scale * value + 0.0:.{digits}f}".rstrip("0").rstrip(".")
        unit = " %" if scale > 1 else ""
        error = f" ± {example.error:.4f}" if example.error else ""
        yield f"{text or '0'}{unit}{error}"
