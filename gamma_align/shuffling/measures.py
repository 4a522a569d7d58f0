"""The project's measures by name, on many corpora at once: each a run of consecutive documents of one corpus.

Besides γ and the uα family these are F1 of spans (how many units two annotators have in common, no correction for
chance) and coefficients for predefined items on *atomised text* (M15 §3): the continuum is cut into atoms of one
length, each an item that everybody categorised by the unit that holds its middle, or as `NOTHING`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from gamma_align._types import FloatArray
from gamma_align.data.batch import ranges
from gamma_align.data.corpus import Corpus
from gamma_align.data.item_table import ItemTable
from gamma_align.distances import Distance
from gamma_align.errors import InputError, SettingsError
from gamma_align.gammas.coefficients import Row, corpus_values
from gamma_align.gammas.measure import run
from gamma_align.gammas.settings import GammaSettings
from gamma_align.items.coefficients import item_coefficient
from gamma_align.items.spec import spec_of
from gamma_align.unitizing.alpha import unitizing_alpha

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
    """Return the measures, each once."""
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
    """Return the measures of each run of documents, pooled over it."""
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
    result = {}
    if "gamma" in measures:
        result["gamma"] = Number(whole.value, whole.reason)
    if "gamma-cat" in measures:
        result["gamma-cat"] = Number(cat.value, cat.reason)
    if "gamma-k" in measures:
        result |= {f"gamma-k:{label}": Number(one.value, one.reason) for label, one in by_category.items()}
    return result


def _others(corpus: Corpus, measures: Sequence[str], atom: float, distance: Distance) -> dict[str, Number]:
    result: dict[str, Number] = {}
    if any(name in UNITIZING for name in measures):
        result |= _unitizing(corpus, [name for name in measures if name in UNITIZING], distance)
    if SPANS in measures:
        each = [value for value in span_f1(corpus).tolist() if not math.isnan(value)]
        result[SPANS] = Number(math.fsum(each) / len(each)) if each else Number(math.nan, NO_SPANS)
    on_atoms = [name for name in measures if name.startswith(ATOMS)]
    return result | (_on_atoms(corpus, on_atoms, atom) if on_atoms else {})


def _unitizing(corpus: Corpus, measures: Sequence[str], distance: Distance) -> dict[str, Number]:
    try:
        values = unitizing_alpha(corpus, distance=distance).values
    except InputError as error:  # units that overlap have no place in this family
        return dict.fromkeys(measures, Number(math.nan, str(error)))
    result = {name: getattr(values, UNITIZING[name]) for name in measures}
    return {name: Number(value.value, value.reason) for name, value in result.items()}


def _on_atoms(corpus: Corpus, measures: Sequence[str], atom: float) -> dict[str, Number]:
    try:
        table = atoms(corpus, atom)
    except InputError as error:
        return dict.fromkeys(measures, Number(math.nan, str(error)))
    result = {name: item_coefficient(table, name[len(ATOMS) :], interval=None) for name in measures}
    return {name: Number(one.value, one.reason) for name, one in result.items()}


NOTHING = "(nothing)"
NO_CATEGORY = "(no category)"


def atoms(corpus: Corpus, width: float = 1.0) -> ItemTable:
    """Return the atoms of all documents as items; an annotator who did not see a document judged none of its atoms."""
    if not 0 < width < np.inf:
        raise SettingsError(f"an atom has a length above 0, not {width}")
    low, high = corpus.extents.T
    number = np.ceil((high - low) / width - 0.5).astype(np.int64)
    offset = np.concatenate([[0], np.cumsum(number)])
    codes = np.full((int(offset[-1]), len(corpus.annotators)), -1, dtype=np.int64)
    seen_document = corpus.seen_document
    rows = ranges(offset[seen_document], number[seen_document])
    codes[rows, np.repeat(corpus.seen, number[seen_document])] = 0
    document = corpus.unit_document
    first, last = (
        np.clip(np.ceil((bound - low[document]) / width - 0.5).astype(np.int64), 0, number[document])
        for bound in (corpus.start, corpus.end)
    )
    atom = ranges(offset[document] + first, last - first)
    annotator = np.repeat(corpus.annotator, last - first)
    _check_single(corpus, document, atom, annotator, last - first)
    category = np.where(corpus.category < 0, len(corpus.categories), corpus.category) + 1
    codes[atom, annotator] = np.repeat(category, last - first)
    labels = (NOTHING, *corpus.categories, NO_CATEGORY)
    used = np.unique(codes[codes >= 0])
    place = np.full(len(labels) + 1, -1)
    place[used] = np.arange(len(used))
    return ItemTable(place[codes], corpus.annotators, tuple(labels[code] for code in used.tolist()))


def _check_single(
    corpus: Corpus,
    document: np.ndarray,
    atom: np.ndarray,
    annotator: np.ndarray,
    counts: np.ndarray,
) -> None:
    key = atom * max(len(corpus.annotators), 1) + annotator
    order = np.argsort(key, kind="stable")
    twice = np.flatnonzero(np.diff(key[order]) == 0)
    if len(twice):
        unit = int(np.repeat(np.arange(len(counts)), counts)[order[twice[0]]])
        raise InputError(
            f"document {corpus.documents[document[unit]]!r}, annotator {corpus.annotators[corpus.annotator[unit]]!r}: "
            f"unit {corpus.start[unit]:g}–{corpus.end[unit]:g} overlaps another; an atom has one category"
        )


def span_f1(corpus: Corpus) -> FloatArray:
    """Return the mean over pairs of annotators of 2·(units in common) / (units of both), for each document.

    Returns
    -------
    ndarray of float64, shape (n_documents,)
        NaN where no pair of annotators has a unit.
    """
    document = corpus.unit_document
    rows = np.stack([document, corpus.start, corpus.end, corpus.category], axis=1)
    units, which = np.unique(rows, axis=0, return_inverse=True)
    of_document = units[:, 0].astype(np.int64)
    most = int(corpus.n_annotators.max(initial=0))
    counts = np.zeros((len(units), most))
    np.add.at(counts, (which.reshape(-1), corpus.annotator_in_document), 1.0)
    marked = np.zeros((len(corpus), most))
    np.add.at(marked, (document, corpus.annotator_in_document), 1.0)
    total, pairs = np.zeros(len(corpus)), np.zeros(len(corpus))
    for one, other in itertools.combinations(range(most), 2):
        common = np.bincount(of_document, np.minimum(counts[:, one], counts[:, other]), minlength=len(corpus))
        both = marked[:, one] + marked[:, other]
        some = (corpus.n_annotators > other) & (both > 0)
        total[some] += 2.0 * common[some] / both[some]
        pairs += some
    with np.errstate(invalid="ignore"):
        mean: FloatArray = total / pairs
    return mean
