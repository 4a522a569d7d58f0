"""The project's measures by name, on many corpora at once: each a run of consecutive documents of one corpus."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from gamma_align.errors import InputError, SettingsError
from gamma_align.gammas.coefficients import corpus_values
from gamma_align.gammas.execution import run
from gamma_align.items.coefficients import item_coefficient
from gamma_align.items.spec import spec_of
from gamma_align.shuffling.atoms import atoms
from gamma_align.shuffling.spans import span_f1
from gamma_align.unitizing.alpha import unitizing_alpha

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gamma_align.data.corpus import Corpus
    from gamma_align.distances import Distance
    from gamma_align.gammas.rows import Row
    from gamma_align.gammas.settings import GammaSettings

GAMMAS = ("gamma", "gamma-cat", "gamma-k")
UNITIZING = {"u-alpha": "u", "bar-u-alpha": "bar_u", "cu-alpha": "cu"}
SPANS = "span-f1"
ATOMS = "atoms:"
MEASURES = (*GAMMAS, *UNITIZING, SPANS, "atoms:alpha", "atoms:kappa", "atoms:pi", "atoms:s", "atoms:observed")
NO_SPANS = "no annotator has a unit"


class Number(NamedTuple):
    """A measure's value, or NaN with the reason."""

    value: float
    reason: str | None = None


Table = list[dict[str, Number]]
"""For each corpus: measure to number."""


def check_measures(measures: Sequence[str]) -> tuple[str, ...]:
    """Return the measures, each once.

    Raises
    ------
    SettingsError
        For a name that is none.
    """
    if isinstance(measures, str) or not measures:
        raise SettingsError(f"measures is a list, of {', '.join(MEASURES)}")
    for name in measures:
        if name.startswith(ATOMS):
            spec_of(name[len(ATOMS) :])
        elif name not in MEASURES:
            raise SettingsError(
                f"no measure {name!r}; there are {', '.join(MEASURES)}, and atoms: with any coefficient"
            )
    return tuple(dict.fromkeys(measures))


def measured(
    corpus: Corpus,
    runs: Sequence[tuple[int, int]],
    measures: Sequence[str],
    settings: GammaSettings,
    *,
    atom: float = 1.0,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Table:
    """Return the measures of each run of documents, pooled over it.

    Parameters
    ----------
    corpus : Corpus
        All documents.
    runs : sequence of (int, int)
        First document and last + 1 of each corpus.
    measures : sequence of str
        Of `MEASURES`.
    settings : GammaSettings
        Of γ, γcat and γk; cuα has their distance of categories.
    atom : float
        Length of the atoms.
    n_jobs, progress
        As in `gamma`.
    """
    table: Table = [{} for _ in runs]
    if any(name in GAMMAS for name in measures):
        rows = run(corpus, settings, n_jobs=n_jobs, progress=progress)
        for numbers, (first, last) in zip(table, runs, strict=True):
            numbers.update(_gammas(rows[first:last], measures))
    others = [name for name in measures if name not in GAMMAS]
    for numbers, (first, last) in zip(table, runs, strict=True) if others else ():
        some = corpus.documents_between(first, last)
        numbers.update(_others(some, others, atom, settings.dissimilarity.categorial))
    return table


def _gammas(rows: list[Row], measures: Sequence[str]) -> dict[str, Number]:
    whole, cat, by_category = corpus_values(rows)
    found = {}
    if "gamma" in measures:
        found["gamma"] = Number(whole.value, whole.reason)
    if "gamma-cat" in measures:
        found["gamma-cat"] = Number(cat.value, cat.reason)
    if "gamma-k" in measures:
        found |= {f"gamma-k:{label}": Number(one.value, one.reason) for label, one in by_category.items()}
    return found


def _others(corpus: Corpus, measures: Sequence[str], atom: float, distance: Distance) -> dict[str, Number]:
    found: dict[str, Number] = {}
    if any(name in UNITIZING for name in measures):
        found |= _unitizing(corpus, [name for name in measures if name in UNITIZING], distance)
    if SPANS in measures:
        each = [value for value in span_f1(corpus).tolist() if not math.isnan(value)]
        found[SPANS] = Number(math.fsum(each) / len(each)) if each else Number(math.nan, NO_SPANS)
    on_atoms = [name for name in measures if name.startswith(ATOMS)]
    return found | (_on_atoms(corpus, on_atoms, atom) if on_atoms else {})


def _unitizing(corpus: Corpus, measures: Sequence[str], distance: Distance) -> dict[str, Number]:
    try:
        values = unitizing_alpha(corpus, distance=distance).values
    except InputError as error:  # units that overlap have no place in this family
        return dict.fromkeys(measures, Number(math.nan, str(error)))
    found = {name: getattr(values, UNITIZING[name]) for name in measures}
    return {name: Number(value.value, value.reason) for name, value in found.items()}


def _on_atoms(corpus: Corpus, measures: Sequence[str], atom: float) -> dict[str, Number]:
    try:
        table = atoms(corpus, atom)
    except InputError as error:
        return dict.fromkeys(measures, Number(math.nan, str(error)))
    found = {name: item_coefficient(table, name[len(ATOMS) :], interval=None) for name in measures}
    return {name: Number(one.value, one.reason) for name, one in found.items()}
