"""Worked examples of the papers, computed again: the printed value, ours, and what becomes of it.

``examples.json`` holds the data and the printed values with their source. Where a printed value does not come out, it
says why: a misprint (the proof is what the paper's own table gives), digits lost in rounding, or not reproducible:
nothing printed leads to the value, or printed values contradict each other and it is not known which of them is wrong.
An example without such a reason has to come out.

M17 does not print the positions of figure 3: they are reconstructed from its intersections and weights, and doubled so
that all are whole.
"""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gamma_align.data.continuum import Continuum
from gamma_align.data.corpus import Corpus
from gamma_align.data.item_table import ItemTable
from gamma_align.distances.registry import AnyDistance, by_name
from gamma_align.distances.structured import MelamedResnik, Taxonomy
from gamma_align.errors import SettingsError
from gamma_align.inference.values import Result
from gamma_align.insight.comparison.families import Contribution, Families, families
from gamma_align.measures.gamma.gamma import gamma
from gamma_align.measures.items.coefficients import item_coefficient
from gamma_align.measures.items.counts import item_weights, patterns_of
from gamma_align.measures.items.two_coders import chance_report
from gamma_align.measures.unitizing.unitizing_alpha import unitizing_alpha
from gamma_align.present.writers.data import csv_cell, csv_text
from gamma_align.present.writers.text import aligned_lines

EQUAL, DIFFERENT = "equal", "different"
REASONS = ("rounding", "misprint", "not reproducible")
"""Why a printed value does not come out."""

VERDICTS = (EQUAL, *REASONS, DIFFERENT)
UNDEFINED = "undefined"
_ROUNDING = 1e-9


class Data(NamedTuple):
    """What ``examples.json`` holds: sources by short name, tables as runs of equal rows, continua, and the examples.

    A run is [times, row]; a continuum has ``start``, ``length``, and the units [start, end, category] of each of the
    ``observers``.
    """

    sources: dict[str, str]
    tables: dict[str, list[Any]]
    continua: dict[str, dict[str, Any]]
    examples: list[dict[str, Any]]


def data() -> Data:
    """Return the data and the printed values."""
    text = Path(__file__).with_name("examples.json").read_text(encoding="utf-8")
    return Data(**json.loads(text))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Example(Result):
    """A printed value and ours.

    `printed` and `ours` are several numbers where they belong together; ours are NaN where they are not defined, and
    `error` is their standard error where they come from random samples, otherwise 0. The verdict is "equal", one of
    `REASONS` with `why`, or "different": a value that does not come out, without a reason, which ought not to be.
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
    """All examples, by source, and the whole name of each source; samples and seed are of those that take samples."""

    examples: tuple[Example, ...]
    sources: dict[str, str]
    samples: int
    seed: int

    @property
    def counts(self) -> dict[str, int]:
        """Number of examples of each verdict."""
        verdicts = [example.verdict for example in self.examples]
        return {verdict: verdicts.count(verdict) for verdict in VERDICTS}

    def _contents(self) -> dict[str, Any]:
        contents = self._named("samples", "seed", "counts", "sources", "examples")
        return {"schema_version": 1, "experiment": "examples", **contents}


def examples(*, samples: int = 5000, seed: int = 0) -> Examples:
    """Compute the examples again; samples and seed are of the values that come from random samples."""
    if samples < 2 or seed < 0:  # noqa: PLR2004
        raise SettingsError(f"examples need 2 samples and a seed of 0 or more, not {samples} and {seed}")
    known = data()
    measures = Measures(known, samples, seed)
    result = tuple(_example(entry, measures.of(entry)) for entry in known.examples)
    return Examples(result, known.sources, samples, seed)


def _example(entry: dict[str, Any], computed: Computed) -> Example:
    printed = tuple(entry["printed"]) if isinstance(entry["printed"], list) else (entry["printed"],)
    equal = len(printed) == len(computed.values) and all(
        is_printed(value, text, computed.error) for value, text in zip(computed.values, printed, strict=True)
    )
    verdict = EQUAL if equal else entry.get("verdict", DIFFERENT)
    why = "" if equal else entry.get("why", "")
    return Example(entry["id"], entry["source"], entry["what"], computed.error, verdict, why, printed, computed.values)


def is_printed(value: float, printed: str, error: float = 0.0) -> bool:
    """Return whether a value rounds to what is printed: a decimal number, a share in %, a fraction, "undefined"."""
    if printed == UNDEFINED:
        return math.isnan(value)
    number = printed.removesuffix(" %")
    scale = 100.0 if number != printed else 1.0
    half = 0.0 if "/" in number else 0.5 * 10.0 ** -len(number.partition(".")[2])
    return abs(scale * value - float(Fraction(number))) <= half + 2.0 * scale * error + _ROUNDING


class Computed(NamedTuple):
    """Values, and the standard error of one that comes from random samples."""

    values: tuple[float, ...]
    error: float = 0.0


class Measures:
    """The measures of the examples, each a method of its name; samples and seed are of γ, γcat and γk."""

    def __init__(self, printed: Data, samples: int, seed: int) -> None:
        self._tables, self._continua = printed.tables, printed.continua
        self._sampling = {"samples": samples, "seed": seed}
        self._known: dict[str, Any] = {}

    def of(self, entry: dict[str, Any]) -> Computed:
        """Return what an example measures."""
        measure: Callable[..., Computed] = getattr(self, f"_{entry['measure']}")
        data = () if entry["data"] is None else (entry["data"],)
        return measure(*data, **entry.get("args", {}))

    def _table(self, name: str) -> ItemTable:
        return ItemTable.from_matrix([row for times, row in self._tables[name] for _ in range(times)])

    def _continuum(self, name: str, length: float | None = None) -> Continuum:
        source = self._continua[name]
        start = source["start"]
        records = [
            (str(number), *bounds, str(category))
            for number, units in enumerate(source["observers"], start=1)
            for *bounds, category in units
        ]
        people = [str(number + 1) for number in range(len(source["observers"]))]
        extent = (start, start + (source["length"] if length is None else length))
        return Continuum.from_records(records, annotators=people, extent=extent)

    def _coefficient(self, table: str, name: str, part: str, distance: AnyDistance = "nominal") -> Computed:
        interval = "fce" if part in ("error", "interval") else None
        result = item_coefficient(self._table(table), name, distance=distance, interval=interval)
        if part == "interval":
            return Computed((result.low, result.high))
        return Computed((1.0 - result.expected if part == "chance" else getattr(result, part),))

    def _bias(self, table: str) -> Computed:
        return Computed((chance_report(self._table(table)).bias,))

    def _missing_weights(self, table: str, conception: str, of: str) -> Computed:
        """Return the weights of items (1, n/2 or n(n - 1)/2), values or pairs in M17 table 1, most judged first."""
        patterns = patterns_of(self._table(table))
        order = np.argsort(-patterns.judgments, kind="stable")
        n = patterns.judgments[order].astype(np.float64)
        # only their proportions matter: ours of VL and PL are twice the paper's
        item = item_weights(patterns, conception)[order] / (1.0 if conception == "IL" else 2.0)
        weights = {"item": item, "value": 2.0 * item / n, "pair": 2.0 * item / (n * (n - 1.0))}
        return Computed(tuple(weights[of].tolist()))

    def _set_distance(self, distance: str, first: list[str], second: list[str]) -> Computed:
        result = by_name(distance).matrix([frozenset(first), frozenset(second)])
        return Computed((float(result[0, 1]),))

    def _taxonomy_distance(self, children: Taxonomy, first: str, second: str) -> Computed:
        return Computed((float(MelamedResnik(children).matrix([first, second])[0, 1]),))

    def _unitizing(self, continuum: str, name: str, category: str | None = None) -> Computed:
        result = unitizing_alpha(Corpus.from_continua([self._continuum(continuum)]))
        if name == "observed":
            return Computed((result.observed["cu"],))
        value = getattr(result, name)
        number = value if category is None else value[category]
        return Computed((float(getattr(number, "value", number)),))

    def _contributions(self, continuum: str, conventions: dict[str, Any]) -> tuple[Contribution, ...]:
        # they are of the best alignment: no sample has a part in them
        result: Families = self._once(families, self._continuum(continuum), conventions, samples=30)
        return result.contributions

    def _contribution(self, continuum: str, pair: str, of: str, **conventions: Any) -> Computed:  # noqa: ANN401
        contributions = self._contributions(continuum, conventions)
        shares = {f"{entry.first}-{entry.second}": float(getattr(entry, of)) for entry in contributions}
        return Computed((shares.get(pair, 0.0),))

    def _once(self, measure: Callable[..., Any], continuum: Continuum, conventions: dict[str, Any], **rest: Any) -> Any:  # noqa: ANN401
        """Return what several examples share, computed once."""
        key = repr((measure.__name__, continuum.units(), continuum.extent, conventions))
        if key not in self._known:
            self._known[key] = measure(Corpus.from_continua([continuum]), **conventions, **rest)
        return self._known[key]

    def _total_weight(self, continuum: str, **conventions: Any) -> Computed:  # noqa: ANN401
        return Computed((math.fsum(entry.weight for entry in self._contributions(continuum, conventions)),))

    def _gamma(
        self,
        continuum: str,
        name: str,
        extent: float,
        category: str | None = None,
        **conventions: Any,  # noqa: ANN401
    ) -> Computed:
        result = self._once(gamma, self._continuum(continuum, extent), conventions, **self._sampling)
        values = getattr(result, name)
        value = values if category is None else values[category]
        return Computed((value.value,), value.standard_error)


_WIDTH = 110
_CSV_HEAD = ("id", "source", "what", "printed", "ours", "error", "verdict", "why")


def examples_text(result: Examples) -> str:
    """Return the examples for people: how many come out, each value, and why some do not."""
    counts = ", ".join(f"{count} {verdict}" for verdict, count in result.counts.items() if count)
    rows = [["verdict", "source", "what", "printed", "here"]]
    for example in result.examples:
        numbers = " ".join(example.printed), " ".join(_ours(example))
        rows.append([example.verdict, example.source, example.what, *numbers])
    lines = [
        "Worked examples of the papers, computed again",
        f"{len(result.examples)} printed values: {counts}",
        "",
        *aligned_lines(rows),
        *_reasons(result.examples),
        "",
        *(f"{name}: {whole}" for name, whole in result.sources.items()),
        f"± : standard error of {result.samples} random samples (seed {result.seed}); two of them are allowed for",
    ]
    return "\n".join(lines) + "\n"


def _reasons(examples: Sequence[Example]) -> Iterator[str]:
    """Yield each reason once, with the values that it is of."""
    names_of: dict[str, list[str]] = {}
    for example in examples:
        if example.why:
            names_of.setdefault(example.why, []).append(f"{example.source}, {example.what}")
    for why, names in names_of.items():
        yield ""
        yield from textwrap.wrap(f"{'; '.join(names)}: {why}", _WIDTH)


def _ours(example: Example) -> Iterator[str]:
    """Yield our values with one digit more than printed, four at least."""
    for value, printed in zip(example.ours, example.printed, strict=True):
        if math.isnan(value):
            yield "NA"
            continue
        scale = 100.0 if printed.endswith(" %") else 1.0
        digits = max(4, len(printed.removesuffix(" %").partition(".")[2]) + 1)
        text = f"{scale * value + 0.0:.{digits}f}".rstrip("0").rstrip(".")
        yield (text or "0") + (" %" if scale > 1 else "") + (f" ± {example.error:.4f}" if example.error else "")


def examples_csv(result: Examples) -> str:
    """Return the examples as CSV, a row each; several numbers of one example are separated by spaces."""
    rows: list[Sequence[object]] = [_CSV_HEAD]
    for example in result.examples:
        joined = {"printed": " ".join(example.printed), "ours": " ".join(map(csv_cell, example.ours))}
        rows.append([joined.get(name, getattr(example, name)) for name in _CSV_HEAD])
    return csv_text(rows)
