"""Coefficients of agreement on predefined items: the functions to call.

Conventions
-----------
* A coefficient is 1 - D_o/D_e, the disagreement observed by the one expected by chance; 1 is agreement without
  exception, 0 what chance gives, and below 0 coders disagree more than by chance.
* Where there is nothing to correct for (D_e = 0), or nothing to compare, it is *not available*, with a reason of
  `gamma_align.items.reasons`; never 1, and never an exception.
* Missing judgments (M17 §3): the observed disagreement gives the same weight to every item ("IL"), every judgment
  that can be paired ("VL"), every pair ("PL"), or drops items that not everybody judged ("RM"). Each coefficient has
  the literature's default; margins are the coefficient's own, with RM those of the complete items.

References
----------
Artstein & Poesio 2005, 2008; Di Eugenio & Glass 2004; Krippendorff 2011; Gwet 2008, 2014; Mathet 2017, §3.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gamma_align.distances import Nominal, as_distance
from gamma_align.errors import SettingsError
from gamma_align.items.bias import chance_report
from gamma_align.items.counts import CONCEPTIONS, Patterns, patterns_of
from gamma_align.items.inference import Inference, Spread, spread
from gamma_align.items.spec import DEFAULT, Spec, spec_of
from gamma_align.items.study import Study
from gamma_align.items.values import ItemCoefficient, ItemResult
from gamma_align.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gamma_align.data.item_table import ItemTable
    from gamma_align.distances import AnyDistance, Distance


def item_coefficient(
    table: ItemTable,
    name: str,
    *,
    distance: AnyDistance = "nominal",
    missing: str | None = None,
    interval: str | None = "jackknife",
    level: float = 0.95,
    seed: int = 0,
    replicates: int = 1000,
    expected_from: ItemTable | None = None,
) -> ItemCoefficient:
    """Return one coefficient of a table of items.

    Parameters
    ----------
    table : ItemTable
        The judgments.
    name : str
        ``"s"``, ``"pi"`` (α′ with a distance), ``"kappa"`` (κ_w, β with a distance), ``"kappa-conger"``,
        ``"kappa-mean"``, ``"alpha"``, ``"ac1"``, ``"observed"``, ``"pabak"``, or another name of one of them.
    distance : str, Distance, table or function
        Between categories; see `gamma_align.distances.as_distance`.
    missing : {"IL", "VL", "PL", "RM"}, optional
        What weighs the same where judgments are missing; the literature's default for the coefficient without it.
    interval : {"jackknife", "linearised", "bootstrap", "fce", "pairs"} or None
        How error and interval are made; see `gamma_align.items.inference`.
    level : float
        Of the interval.
    seed, replicates : int
        Of the bootstraps.
    expected_from : ItemTable, optional
        Other items, or all of which `table` is a part: their expected disagreement is taken, and with an ordinal
        distance their ranks. Errors and intervals take it as known.

    Returns
    -------
    ItemCoefficient

    Raises
    ------
    SettingsError
        For an unknown coefficient, distance, conception or method; for a mean of κ with `expected_from`.
    InputError
        For categories that the distance is not defined for, that have no order where it needs one, or that
        `expected_from` does not have.
    """
    settings = Inference(interval, level, seed, replicates)
    data = _Data.of(table, expected_from)
    return _coefficient(data, spec_of(name), as_distance(distance), missing, settings)


def krippendorff_alpha(
    table: ItemTable,
    *,
    distance: AnyDistance = "nominal",
    missing: str | None = None,
    interval: str | None = "jackknife",
    level: float = 0.95,
    seed: int = 0,
    replicates: int = 1000,
    expected_from: ItemTable | None = None,
) -> ItemCoefficient:
    """Return Krippendorff's α of a table of items; parameters as `item_coefficient`."""
    return item_coefficient(
        table,
        "alpha",
        distance=distance,
        missing=missing,
        interval=interval,
        level=level,
        seed=seed,
        replicates=replicates,
        expected_from=expected_from,
    )


def item_agreement(
    table: ItemTable,
    *,
    coefficients: Sequence[str] = DEFAULT,
    distance: AnyDistance = "nominal",
    missing: str | None = None,
    interval: str | None = "jackknife",
    level: float = 0.95,
    seed: int = 0,
    replicates: int = 1000,
    expected_from: ItemTable | None = None,
) -> ItemResult:
    """Return coefficients of a table of items, and what makes them differ.

    Parameters
    ----------
    table : ItemTable
        The judgments.
    coefficients : sequence of str
        Names of coefficients; see `item_coefficient`, as for the other parameters and errors.

    Returns
    -------
    ItemResult
    """
    settings = Inference(interval, level, seed, replicates)
    bound, specs = as_distance(distance), list(dict.fromkeys(spec_of(name) for name in coefficients))
    data = _Data.of(table, expected_from)
    found = {spec.name: _coefficient(data, spec, bound, missing, settings) for spec in specs}
    return ItemResult(
        coefficients=found,
        table=_summary(table),
        chance=chance_report(table, missing),
        settings={
            "coefficients": [spec.name for spec in specs],
            "distance": bound.to_dict(),
            "missing": missing,
            "interval": settings.method,
            "level": settings.level,
            "seed": settings.seed,
            "replicates": settings.replicates,
            "expected_from": None if expected_from is None else _summary(expected_from),
            "version": __version__,
        },
        signature=_signature(data, found, bound, missing, settings),
        notes=(*table.notes, *_notes(data, found)),
    )


class _Data(NamedTuple):
    """A table with its patterns, and the table that chance is taken from, coded by the same categories."""

    table: ItemTable
    patterns: Patterns
    chance: ItemTable | None

    @classmethod
    def of(cls, table: ItemTable, chance: ItemTable | None) -> _Data:
        """Return the data.

        Raises
        ------
        InputError
            For a category of `table` that `chance` does not have.
        """
        if chance is not None:
            text = isinstance(next(iter(table.labels), ""), str)
            used = table.with_categories(chance.categories if text else list(chance.labels))
            table = replace(used, declared=chance.declared)
        return cls(table, patterns_of(table), chance)

    def study(self, spec: Spec, distance: Distance, missing: str) -> Study:
        """Return the study of a coefficient."""
        study = Study.of(self.table, spec, distance, missing, self.patterns)
        if self.chance is None:
            return study
        return replace(study, chance=Study.of(self.chance, spec, distance, missing))


@np.errstate(over="ignore", invalid="ignore")  # distances that are no longer numbers are told as the reason
def _coefficient(
    data: _Data, spec: Spec, distance: Distance, missing: str | None, settings: Inference
) -> ItemCoefficient:
    if missing is not None and missing not in CONCEPTIONS:
        raise SettingsError(f"missing must be one of {', '.join(CONCEPTIONS)}, not {missing!r}")
    if spec.kind == "pairs" and data.chance is not None:
        raise SettingsError(f"{spec.name} is a mean over pairs of coders; it has no expected disagreement of its own")
    if spec.nominal and distance.name != "nominal":
        distance = Nominal()
    chosen = spec.missing if spec.kind == "pairs" else missing or spec.missing
    # a pair of coders is always compared on the items both judged: that is what RM means for two
    study = data.study(spec, distance, "IL" if spec.kind == "pairs" else chosen)
    value, observed, expected, reason = study.evaluate()
    return ItemCoefficient(
        spec.name,
        spec.symbol(distance.name, len(data.table.coders)),
        value,
        observed,
        expected,
        distance.name,
        chosen,
        study.items,
        study.pairable,
        settings.method,
        spread(study, value, settings) if reason is None else Spread(),
        reason,
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


MOST_LISTED = 1000
"""A result does not list more categories than these, but counts them."""


def _signature(
    data: _Data, found: dict[str, ItemCoefficient], distance: Distance, missing: str | None, settings: Inference
) -> str:
    table = data.table
    symbols = ",".join(value.symbol for value in found.values())
    seed = f"|seed:{settings.seed}|B:{settings.replicates}" if settings.method in ("bootstrap", "pairs") else ""
    used = missing or "/".join(dict.fromkeys(value.missing for value in found.values()))
    declared = "declared" if table.declared else "observed"
    chance = "" if data.chance is None else f"D_e:{len(data.chance)} items|"
    return (
        f"{symbols}|items:{len(table)}|coders:{len(table.coders)}|categories:{table.n_categories} {declared}|"
        f"d:{distance.name}|missing:{used}|{chance}CI:{settings.method or 'no'}{seed}|v:{__version__}"
    )


def _notes(data: _Data, found: dict[str, ItemCoefficient]) -> list[str]:
    table, notes = data.table, []
    if data.chance is not None:
        notes.append(
            f"the expected disagreement is that of a table of {len(data.chance)} items; intervals take it as known"
        )
    none = int((table.judgments == 0).sum())
    if none:
        notes.append(f"{none} of {len(table)} items were judged by nobody and are left out")
    if not table.declared and any(found[name].is_available for name in ("s", "ac1") if name in found):
        notes.append(
            f"S and AC₁ depend on how many categories there are; {table.n_categories} occur here, and unless you "
            "declare them all (categories=, --categories) those are taken"
        )
    if any(value.interval == "pairs" and not value.spread.reason and value.is_available for value in found.values()):
        notes.append(
            "the interval resamples pairs of judgments (Hayes & Krippendorff 2007) as if pairs of one item were "
            "independent: it is too narrow, about half as wide as one over items; for comparison only"
        )
    return notes
