"""Coefficients of agreement on predefined items: the functions to call.

Conventions
-----------
* A coefficient is 1 - D_o/D_e, the disagreement observed by the one expected by chance; 1 is agreement without
  exception, 0 what chance gives, and below 0 coders disagree more than by chance.
* Where there is nothing to correct for (D_e = 0), or nothing to compare, it is *not available*, with a reason of
  `gamma_align.items.spec`; never 1, and never an exception.
* Missing judgments (M17 §3): the observed disagreement gives the same weight to every item ("IL"), every judgment
  that can be paired ("VL"), every pair ("PL"), or drops items that not everybody judged ("RM"). Each coefficient has
  the literature's default; margins are the coefficient's own, with RM those of the complete items.

References
----------
Artstein & Poesio 2005, 2008; Di Eugenio & Glass 2004; Krippendorff 2011; Gwet 2008, 2014; Mathet 2017, §3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, NamedTuple, Self, TypedDict, Unpack

import numpy as np

from gamma_align.data.item_table import ItemTable
from gamma_align.distances import AnyDistance, Distance, Nominal, as_distance
from gamma_align.errors import SettingsError
from gamma_align.items.core import TableCoefficient
from gamma_align.items.counts import CONCEPTIONS, Patterns, patterns_of
from gamma_align.items.intervals import IntervalSettings, Uncertainty, uncertainty_of
from gamma_align.items.results import ItemCoefficient, ItemResult
from gamma_align.items.spec import DEFAULT, CoefficientSpec, spec_of
from gamma_align.items.two_coders import chance_report
from gamma_align.version import __version__

MOST_LISTED = 1000
"""A result does not list more categories than these, but counts them."""


class ItemSettings(TypedDict, total=False):
    """Settings that the functions of this module share; `item_coefficient` says what each is."""

    distance: AnyDistance
    missing: str | None
    interval: str | None
    level: float
    seed: int
    replicates: int
    expected_from: ItemTable | None


def item_coefficient(table: ItemTable, name: str, **settings: Unpack[ItemSettings]) -> ItemCoefficient:
    """Return one coefficient of a table of items.

    Parameters
    ----------
    table : ItemTable
        The judgments.
    name : str
        ``"s"``, ``"pi"`` (α′ with a distance), ``"kappa"`` (κ_w, β with a distance), ``"kappa-conger"``,
        ``"kappa-mean"``, ``"alpha"``, ``"ac1"``, ``"observed"``, ``"pabak"``, or another name of one of them.
    distance : str, Distance, table or function, default "nominal"
        Between categories; see `gamma_align.distances.as_distance`.
    missing : {"IL", "VL", "PL", "RM"}, optional
        What weighs the same where judgments are missing; the literature's default for the coefficient without it.
    interval : {"jackknife", "linearised", "bootstrap", "fce", "pairs"} or None, default "jackknife"
        How error and interval are made; see `gamma_align.items.intervals`.
    level : float, default 0.95
        Of the interval.
    seed, replicates : int, default 0 and 1000
        Of the bootstraps.
    expected_from : ItemTable, optional
        Other items, or all of which `table` is a part: their expected disagreement is taken, and with an ordinal
        distance their ranks. Errors and intervals take it as known.

    Raises
    ------
    SettingsError
        For an unknown coefficient, distance, conception or method; for a mean of κ with `expected_from`.
    InputError
        For categories that the distance is not defined for, that have no order where it needs one, or that
        `expected_from` does not have.

    Examples
    --------
    >>> items = ga.ItemTable.from_matrix([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]])
    >>> print(ga.item_coefficient(items, "kappa"))
    0.5000 [-0.8056, 0.9764]
    """
    return _Task.of(table, **settings).coefficient(spec_of(name))


def krippendorff_alpha(table: ItemTable, **settings: Unpack[ItemSettings]) -> ItemCoefficient:
    """Return Krippendorff's α of a table of items; settings, result and errors are those of `item_coefficient`.

    Examples
    --------
    >>> items = ga.ItemTable.from_matrix([[1, 2, None], [2, 2, 2], [3, 3, 4], [4, 4, 4], [1, 1, 1]])
    >>> print(ga.krippendorff_alpha(items, distance="ordinal", interval=None))
    0.8905
    """
    return item_coefficient(table, "alpha", **settings)


def item_agreement(
    table: ItemTable, *, coefficients: Sequence[str] = DEFAULT, **settings: Unpack[ItemSettings]
) -> ItemResult:
    """Return coefficients of a table of items, and what makes them differ.

    Parameters
    ----------
    table : ItemTable
        The judgments.
    coefficients : sequence of str
        Names of coefficients.
    **settings
        Settings of `item_coefficient`, with the same errors.

    Examples
    --------
    >>> items = ga.ItemTable.from_matrix([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]])
    >>> result = ga.item_agreement(items, coefficients=["pi", "kappa"])
    >>> round(result["pi"].value, 4)
    0.4667
    >>> result.signature.split("|")[1:4]
    ['items:4', 'coders:2', 'categories:2 observed']
    """
    specs = list(dict.fromkeys(spec_of(name) for name in coefficients))
    task = _Task.of(table, **settings)
    values = {spec.name: task.coefficient(spec) for spec in specs}
    expected_from = settings.get("expected_from")
    return ItemResult(
        coefficients=values,
        table=_summary(table),
        chance=chance_report(table, task.missing),
        settings={
            "coefficients": [spec.name for spec in specs],
            "distance": task.distance.to_dict(),
            "missing": task.missing,
            **asdict(task.intervals),
            "expected_from": None if expected_from is None else _summary(expected_from),
            "version": __version__,
        },
        signature=_signature(task, values),
        notes=(*table.notes, *_notes(task, values)),
    )


class _Task(NamedTuple):
    """A table with its patterns, the table that chance is taken from (coded by the same categories), and settings."""

    table: ItemTable
    patterns: Patterns
    chance: ItemTable | None
    distance: Distance
    missing: str | None
    intervals: IntervalSettings

    @classmethod
    def of(
        cls,
        table: ItemTable,
        *,
        distance: AnyDistance = "nominal",
        missing: str | None = None,
        expected_from: ItemTable | None = None,
        **intervals: Any,  # noqa: ANN401  (the fields of `IntervalSettings`)
    ) -> Self:
        """Return what is to be measured, with settings that are in their range."""
        interval_settings = IntervalSettings(**intervals)
        between = as_distance(distance)
        if expected_from is not None:
            text = isinstance(next(iter(table.labels), ""), str)
            used = table.with_categories(expected_from.categories if text else list(expected_from.labels))
            table = replace(used, declared=expected_from.declared)
        if missing is not None and missing not in CONCEPTIONS:
            raise SettingsError(f"missing must be one of {', '.join(CONCEPTIONS)}, not {missing!r}")
        return cls(table, patterns_of(table), expected_from, between, missing, interval_settings)

    @np.errstate(over="ignore", invalid="ignore")  # distances that are no longer numbers become the reason
    def coefficient(self, spec: CoefficientSpec) -> ItemCoefficient:
        """Return a coefficient with its error and interval."""
        if spec.kind == "pairs" and self.chance is not None:
            raise SettingsError(
                f"{spec.name} is a mean over pairs of coders; it has no expected disagreement of its own"
            )
        distance = Nominal() if spec.nominal else self.distance
        missing = spec.missing if spec.kind == "pairs" else self.missing or spec.missing
        # a pair of coders is always compared on the items both judged: that is what RM means for two
        used = "IL" if spec.kind == "pairs" else missing
        bound = TableCoefficient.of(self.table, spec, distance, used, self.patterns)
        if self.chance is not None:
            bound = replace(bound, chance=TableCoefficient.of(self.chance, spec, distance, used))
        value, observed, expected, reason = bound.evaluate()
        return ItemCoefficient(
            name=spec.name,
            symbol=spec.symbol(distance.name, len(self.table.coders)),
            value=value,
            observed=observed,
            expected=expected,
            distance=distance.name,
            missing=missing,
            items=bound.items,
            pairable=bound.pairable,
            interval=self.intervals.interval,
            uncertainty=uncertainty_of(bound, value, self.intervals) if reason is None else Uncertainty(),
            reason=reason,
        )


def _summary(table: ItemTable) -> dict[str, Any]:
    judgments = int(table.judgments.sum())
    cells = table.codes.size
    return {
        "items": len(table),
        "coders": len(table.coders),
        "categories": list(table.categories) if table.n_categories <= MOST_LISTED else None,
        "n_categories": table.n_categories,
        "declared": table.declared,
        "judgments": judgments,
        "missing": 1.0 - judgments / cells if cells and not table.anonymous else 0.0,
    }


def _signature(task: _Task, values: dict[str, ItemCoefficient]) -> str:
    table, settings = task.table, task.intervals
    symbols = ",".join(value.symbol for value in values.values())
    seed = f"|seed:{settings.seed}|B:{settings.replicates}" if settings.interval in ("bootstrap", "pairs") else ""
    used = task.missing or "/".join(dict.fromkeys(value.missing for value in values.values()))
    declared = "declared" if table.declared else "observed"
    chance = "" if task.chance is None else f"D_e:{len(task.chance)} items|"
    return (
        f"{symbols}|items:{len(table)}|coders:{len(table.coders)}|categories:{table.n_categories} {declared}|"
        f"d:{task.distance.name}|missing:{used}|{chance}CI:{settings.interval or 'no'}{seed}|v:{__version__}"
    )


def _notes(task: _Task, values: dict[str, ItemCoefficient]) -> list[str]:
    table, notes = task.table, []
    if task.chance is not None:
        notes.append(
            f"the expected disagreement is that of a table of {len(task.chance)} items; intervals take it as known"
        )
    unjudged = int((table.judgments == 0).sum())
    if unjudged:
        notes.append(f"{unjudged} of {len(table)} items were judged by nobody and are left out")
    if not table.declared and any(values[name].is_available for name in ("s", "ac1") if name in values):
        notes.append(
            f"S and AC₁ depend on how many categories there are; {table.n_categories} occur here, and unless you "
            "declare them all (categories=, --categories) those are taken"
        )
    by_pairs = [value for value in values.values() if value.interval == "pairs" and value.is_available]
    if not all(value.uncertainty.reason for value in by_pairs):
        notes.append(
            "the interval resamples pairs of judgments (Hayes & Krippendorff 2007) as if pairs of one item were "
            "independent: it is too narrow, about half as wide as one over items; for comparison only"
        )
    return notes
