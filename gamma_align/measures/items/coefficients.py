"""Functions that measure agreement on predefined items.

Conventions
-----------
* A coefficient is 1 - D_o/D_e, with the observed disagreement divided by the one expected by chance: 1 is complete
  agreement, 0 is agreement by chance, and below 0 coders disagree more often than by chance.
* If there is no disagreement by chance (D_e = 0), or no judgments to compare, a coefficient is *not available*, with a
  reason from `gamma_align.measures.items.spec`; it is never 1, and no exception is raised.
* Missing judgments (M17 §3): the observed disagreement gives the same weight to each item ("IL"), each pairable
  judgment ("VL") or each pair ("PL"), or drops incomplete items ("RM"). The default is the usual one of the
  coefficient. Margins are defined by the coefficient; with RM, they are computed from the complete items.

References
----------
Artstein & Poesio 2005, 2008; Di Eugenio & Glass 2004; Krippendorff 2011; Gwet 2008, 2014; Mathet 2017, §3.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple, Self, Unpack

import numpy as np

from gamma_align.data import ItemTable, decimal, item_notes
from gamma_align.distances import Nominal
from gamma_align.errors import Cure, Note, Set
from gamma_align.inference import Uncertainty
from gamma_align.measures.items.core import TableCoefficient
from gamma_align.measures.items.intervals import uncertainty_of
from gamma_align.measures.items.items_options import COEFFICIENTS
from gamma_align.measures.items.items_result import ItemCoefficient, ItemResult
from gamma_align.measures.items.items_rows import ItemRows
from gamma_align.measures.items.items_settings import ItemOptions, ItemSettings
from gamma_align.measures.items.spec import CoefficientSpec
from gamma_align.measures.items.two_coders import chance_of
from gamma_align.version import __version__

MAX_LISTED_CATEGORIES = 1000
"""Maximum number of categories that a result lists; more are only counted."""


def item_coefficient(table: ItemTable, name: str, **options: Unpack[ItemOptions]) -> ItemCoefficient:
    """Return one coefficient of a table of items.

    Parameters
    ----------
    table : ItemTable
        The judgments.
    name : str
        ``"s"``, ``"pi"`` (α′ with a distance), ``"kappa"`` (κ_w, β with a distance), ``"kappa-conger"``,
        ``"kappa-mean"``, ``"alpha"``, ``"ac1"``, ``"observed"``, ``"pabak"``, or an alias.
    distance : str, Distance, table or function, default "nominal"
        Between categories; see `gamma_align.distances.as_distance`.
    missing : {"IL", "VL", "PL", "RM"}, optional
        The conception of missing values; by default the usual one of the coefficient.
    interval : {"jackknife", "linearised", "bootstrap", "fce", "pairs"} or None, default "jackknife"
        The method of error and interval; see `gamma_align.measures.items.intervals`.
    level : float, default 0.95
        Of the interval.
    seed, replicates : int, default 0 and 1000
        Of the bootstraps.
    expected_from : ItemTable, optional
        Other items, or all items if `table` is a part of them. Their expected disagreement is used, and with an
        ordinal distance their ranks. Errors and intervals treat it as known.

    Raises
    ------
    SettingsError
        For an unknown coefficient, distance, conception or method; for a mean of κ with `expected_from`.
    InputError
        For categories for which the distance is not defined, a missing order, or categories that `expected_from` does
        not have.

    Examples
    --------
    >>> items = ga.ItemTable.from_matrix([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]])
    >>> print(ga.item_coefficient(items, "kappa"))
    0.5000 [-0.8056, 0.9764]
    """
    settings = ItemSettings.of([name], **options)
    return _Task.of(item_rows(table, settings), settings).coefficient(settings.coefficients[0])


def krippendorff_alpha(table: ItemTable, **options: Unpack[ItemOptions]) -> ItemCoefficient:
    """Return Krippendorff's α of a table of items; settings, result and errors are as for `item_coefficient`.

    Examples
    --------
    >>> items = ga.ItemTable.from_matrix([[1, 2, None], [2, 2, 2], [3, 3, 4], [4, 4, 4], [1, 1, 1]])
    >>> print(ga.krippendorff_alpha(items, distance="ordinal", interval=None))
    0.8905
    """
    return item_coefficient(table, "alpha", **options)


def item_agreement(
    table: ItemTable, *, coefficients: Sequence[str] = COEFFICIENTS.default, **options: Unpack[ItemOptions]
) -> ItemResult:
    """Return coefficients of a table of items, and the reasons for their differences.

    Parameters
    ----------
    table : ItemTable
        The judgments.
    coefficients : sequence of str
        Names of coefficients.
    **options
        Options of `item_coefficient`, with the same errors.

    Examples
    --------
    >>> items = ga.ItemTable.from_matrix([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]])
    >>> result = ga.item_agreement(items, coefficients=["pi", "kappa"])
    >>> round(result["pi"].value, 4)
    0.4667
    >>> result.signature.split("|")[1:4]
    ['items:4', 'coders:2', 'categories:2 observed']
    """
    settings = ItemSettings.of(coefficients, **options)
    return _result_of(item_rows(table, settings), settings)


def item_rows(table: ItemTable, settings: ItemSettings) -> ItemRows:
    """Return the rows of a table, or of a part of one."""
    chance = settings.expected_from
    if chance is not None:
        # Both tables need the same codes, and labels of numbers or sets must not become text.
        is_text = isinstance(next(iter(table.labels), ""), str)
        recoded = table.with_categories(chance.categories if is_text else list(chance.labels))
        table = replace(recoded, declared=chance.declared)
    return ItemRows.of(table, made_with=settings.fingerprint)


def pooled_items(parts: Sequence[ItemRows], settings: ItemSettings) -> ItemResult:
    """Return the result of all rows; it does not depend on how the table was divided."""
    return _result_of(ItemRows.joined(parts, settings.fingerprint), settings)


def _result_of(rows: ItemRows, settings: ItemSettings) -> ItemResult:
    """Return the result of all rows, with its signature and notes."""
    task = _Task.of(rows, settings)
    values = {spec.name: task.coefficient(spec) for spec in settings.coefficients}
    return ItemResult(
        coefficients=values,
        table=_summary(rows),
        chance=chance_of(rows, settings.missing),
        settings={
            **settings.to_dict(),
            "expected_from": None if task.chance is None else _summary(task.chance),
            "version": __version__,
        },
        signature=_signature(task, values),
        notes=(*rows.notes, *_notes(task, values)),
    )


class _Task(NamedTuple):
    """Rows, the rows of `expected_from` with the same codes of categories, and settings."""

    rows: ItemRows
    chance: ItemRows | None
    settings: ItemSettings

    @classmethod
    def of(cls, rows: ItemRows, settings: ItemSettings) -> Self:
        """Return the task for these rows and settings."""
        chance = settings.expected_from
        return cls(rows, None if chance is None else ItemRows.of(chance), settings)

    @np.errstate(over="ignore", invalid="ignore")  # distances that overflow make the coefficient unavailable
    def coefficient(self, spec: CoefficientSpec) -> ItemCoefficient:
        """Return a coefficient with its error and interval."""
        settings = self.settings
        distance = Nominal() if spec.nominal else settings.distance
        missing = spec.missing if spec.kind == "pairs" else settings.missing or spec.missing
        # A pair of coders is always compared on the items that both judged, which is RM for two coders.
        effective = "IL" if spec.kind == "pairs" else missing
        bound = TableCoefficient.of(self.rows, spec, distance, effective)
        if self.chance is not None:
            bound = replace(bound, chance=TableCoefficient.of(self.chance, spec, distance, effective))
        value, observed, expected, reason = bound.evaluate()
        return ItemCoefficient(
            name=spec.name,
            symbol=spec.symbol(distance.name, len(self.rows.coders)),
            value=value,
            observed=observed,
            expected=expected,
            distance=distance.name,
            missing=missing,
            items=bound.items,
            pairable=bound.pairable,
            interval=settings.intervals.interval,
            uncertainty=uncertainty_of(bound, value, settings.intervals) if reason is None else Uncertainty(),
            reason=reason,
        )


def _summary(rows: ItemRows) -> dict[str, object]:
    """Return the sizes of the table by name."""
    # A table of counts has no missing judgments: its rows are only padded.
    cells = len(rows) * len(rows.coders)
    categories = rows.categories
    return {
        "items": len(rows),
        "coders": len(rows.coders),
        "categories": list(categories) if len(categories) <= MAX_LISTED_CATEGORIES else None,
        "n_categories": len(categories),
        "declared": rows.declared,
        "judgments": rows.judgments,
        "missing": 1.0 - rows.judgments / cells if cells and not rows.anonymous else 0.0,
    }


def _signature(task: _Task, values: dict[str, ItemCoefficient]) -> str:
    """Return one line that describes the computation, to paste into a paper."""
    rows = task.rows
    settings = task.settings
    intervals = settings.intervals
    symbols = ",".join(value.symbol for value in values.values())
    # Only these methods draw random numbers.
    seed = f"|seed:{intervals.seed}|B:{intervals.replicates}" if intervals.interval in ("bootstrap", "pairs") else ""
    missing = settings.missing or "/".join(dict.fromkeys(value.missing for value in values.values()))
    declared = "declared" if rows.declared else "observed"
    chance = "" if task.chance is None else f"D_e:{len(task.chance)} items|"
    return (
        f"{symbols}|items:{len(rows)}|coders:{len(rows.coders)}|categories:{len(rows.labels)} {declared}|"
        f"d:{settings.distance.name}|missing:{missing}|{chance}CI:{intervals.interval or 'no'}{seed}|v:{__version__}"
    )


def _sanity_notes(task: _Task) -> Iterator[str]:
    """Return notes on judgments that may have been read wrongly; none for a table of counts."""
    rows = task.rows
    if rows.anonymous:
        return iter(())
    patterns = rows.patterns
    items, distinct, single = np.zeros((3, patterns.coders), dtype=np.int64)
    for coder, codes in enumerate(patterns.rows.T):
        is_judged = codes >= 0
        used = np.unique(codes[is_judged])
        items[coder] = patterns.times[is_judged].sum()
        distinct[coder] = len(used)
        # -1: the coder used several categories, or none.
        single[coder] = used[0] if len(used) == 1 else -1
    return item_notes(rows.coders, items, distinct, single, is_nominal=task.settings.distance.name == "nominal")


def _notes(task: _Task, values: dict[str, ItemCoefficient]) -> list[str]:
    """Return remarks on the interpretation of the values."""
    rows = task.rows
    notes = [*_sanity_notes(task)]
    if task.chance is not None:
        notes.append(
            f"the expected disagreement is computed from another table of {len(task.chance)} items; intervals treat it "
            "as known"
        )
    if rows.unjudged:
        notes.append(f"{rows.unjudged} of {len(rows)} items have no judgment and are excluded")
    if not rows.declared and any(values[name].is_available for name in ("s", "ac1") if name in values):
        notes.append(
            Note(
                f"S and AC₁ depend on the number of categories; the {len(rows.labels)} observed ones are used",
                Cure("if there are more, declare all of them with {}", Set("categories")),
            )
        )
    alpha = values.get("alpha")
    if alpha is not None and task.chance is None and alpha.distance == "nominal" and 0 < alpha.value < 1:
        notes.append(
            f"no answer with the same frequencies of labels has an α above {decimal(math.sqrt(alpha.value), 3)} (√α) "
            "against one of the judgments of each item"
        )
    by_pairs = [value for value in values.values() if value.interval == "pairs" and value.is_available]
    if not all(value.uncertainty.reason for value in by_pairs):
        notes.append(
            "the interval resamples pairs of judgments (Hayes & Krippendorff 2007) as if pairs of one item were "
            "independent: it is too narrow, about half as wide as one over items; use it for comparison only"
        )
    return notes
