"""What the worked examples measure, by the names that ``examples.json`` gives to it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gamma_align.comparison.compare import compare
from gamma_align.data.corpus import Continuum
from gamma_align.data.item_table import ItemTable
from gamma_align.distances.registry import by_name
from gamma_align.distances.taxonomy import MelamedResnik
from gamma_align.gammas.gamma import gamma
from gamma_align.items.bias import chance_report
from gamma_align.items.coefficients import item_coefficient
from gamma_align.items.counts import item_weights, patterns_of
from gamma_align.unitizing.alpha import unitizing_alpha

if TYPE_CHECKING:
    from collections.abc import Callable

    from gamma_align.comparison.contributions import Comparison, Contribution
    from gamma_align.distances.registry import AnyDistance
    from gamma_align.distances.taxonomy import Taxonomy


class Computed(NamedTuple):
    """Values, and the standard error of one that comes from random samples."""

    values: tuple[float, ...]
    error: float = 0.0


class Measures:
    """The measures of the examples.

    Parameters
    ----------
    tables, continua : dict
        As in `Data`.
    samples, seed : int
        Of γ, γcat and γk.
    """

    def __init__(
        self, tables: dict[str, list[Any]], continua: dict[str, dict[str, Any]], samples: int, seed: int
    ) -> None:
        self._tables, self._continua = tables, continua
        self._sampling = {"samples": samples, "seed": seed}
        self._known: dict[str, Any] = {}

    def of(self, entry: dict[str, Any]) -> Computed:
        """Return what an example measures."""
        measure: Callable[..., Computed] = getattr(self, f"_{entry['measure']}")
        which = () if entry["data"] is None else (entry["data"],)
        return measure(*which, **entry.get("args", {}))

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
        found = item_coefficient(self._table(table), name, distance=distance, interval=interval)
        if part == "interval":
            return Computed((found.low, found.high))
        return Computed((1.0 - found.expected if part == "chance" else getattr(found, part),))

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
        found = by_name(distance).matrix([frozenset(first), frozenset(second)])
        return Computed((float(found[0, 1]),))

    def _taxonomy_distance(self, children: Taxonomy, first: str, second: str) -> Computed:
        return Computed((float(MelamedResnik(children).matrix([first, second])[0, 1]),))

    def _unitizing(self, continuum: str, name: str, category: str | None = None) -> Computed:
        values = unitizing_alpha(self._continuum(continuum)).values
        if name == "observed":
            return Computed((values.observed["cu"],))
        found = getattr(values, name)
        number = found if category is None else found[category]
        return Computed((float(getattr(number, "value", number)),))

    def _contributions(self, continuum: str, conventions: dict[str, Any]) -> tuple[Contribution, ...]:
        # they are of the best alignment: no sample has a part in them
        found: Comparison = self._once(compare, self._continuum(continuum), conventions, samples=30)
        return found.contributions

    def _contribution(self, continuum: str, pair: str, of: str, **conventions: Any) -> Computed:  # noqa: ANN401
        shares = {
            f"{one.first}-{one.second}": float(getattr(one, of)) for one in self._contributions(continuum, conventions)
        }
        return Computed((shares.get(pair, 0.0),))

    def _once(self, measure: Callable[..., Any], continuum: Continuum, conventions: dict[str, Any], **rest: Any) -> Any:  # noqa: ANN401
        """Return what several examples share, computed once."""
        key = repr((measure.__name__, continuum.units(), continuum.extent, conventions))
        if key not in self._known:
            self._known[key] = measure(continuum, **conventions, **rest)
        return self._known[key]

    def _total_weight(self, continuum: str, **conventions: Any) -> Computed:  # noqa: ANN401
        return Computed((math.fsum(one.weight for one in self._contributions(continuum, conventions)),))

    def _gamma(
        self,
        continuum: str,
        name: str,
        extent: float,
        category: str | None = None,
        **conventions: Any,  # noqa: ANN401
    ) -> Computed:
        result = self._once(gamma, self._continuum(continuum, extent), conventions, **self._sampling)
        found = getattr(result, name)
        value = found if category is None else found[category]
        return Computed((value.value,), value.standard_error)
