"""Other numbers that readers know: F1 of pairs, uα, the share of time or text, κ of epochs; folded on the page."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gamma_align.columns import IntArray
from gamma_align.data import Corpus, ItemTable, counts_time, unit_in_words
from gamma_align.errors import InputError
from gamma_align.inference import Value
from gamma_align.measures.items import item_coefficient
from gamma_align.measures.reference.pairwise_f1 import pairwise_f1
from gamma_align.measures.unitizing.unitizing_alpha import unitizing_alpha

MAX_PAIRED_ANNOTATORS = 40  # 780 pairs
_MAX_EPOCHS = 200_000
_MIN_COVERED = 0.95  # of the epochs: a few may have no score
_MICRO = 1e6  # bounds are compared in millionths
_IN_PAIRS = "mean of the pairs of annotators"


class OtherNumber(NamedTuple):
    """A value, its name in words, and the quantity that it compares."""

    name: str
    value: Value
    counts: str


def other_numbers(corpus: Corpus) -> tuple[OtherNumber, ...]:
    """Return the values that can be computed of a corpus with two annotators."""
    return (*_of_pairs(corpus), *_unitizing(corpus), *_epochs(corpus))


def _of_pairs(corpus: Corpus) -> Iterator[OtherNumber]:
    if len(corpus.annotators) > MAX_PAIRED_ANNOTATORS:
        return
    f1 = pairwise_f1(corpus).mean
    length = "text" if corpus.length_unit in ("char", "token") else "length"
    if unit_in_words(corpus.length_unit or "").endswith("seconds"):
        length = "time"
    yield OtherNumber("F1, strict", f1["strict"], f"units with the same bounds and label; {_IN_PAIRS}")
    yield OtherNumber("F1, relaxed", f1["relaxed"], f"units with the same label that have half in common; {_IN_PAIRS}")
    yield OtherNumber(f"F1 of {length}", f1["characters"], f"{length} with the same label, not units; {_IN_PAIRS}")


def _unitizing(corpus: Corpus) -> Iterator[OtherNumber]:
    """Yield uα, or why there is none: units of one annotator that overlap have no place in it."""
    try:
        value = unitizing_alpha(corpus).u
    except InputError as error:
        value = Value(math.nan, math.nan, math.nan, error.problem.cause)
    yield OtherNumber("uα", value, "length with the same label and gaps, against chance (Krippendorff)")


def _epochs(corpus: Corpus) -> Iterator[OtherNumber]:
    """Yield κ of epochs, of recordings that all annotators divide from end to end at multiples of one step."""
    labels = _labels_of_epochs(corpus)
    if labels is not None:
        names = np.array([*corpus.categories, None], dtype=object)  # code -1 is the last one
        kappa = item_coefficient(ItemTable.from_matrix(names[labels].tolist()), "kappa")
        yield OtherNumber(f"{kappa.symbol} of epochs", kappa.as_value(), f"{len(labels):,} epochs as items, not units")


def _labels_of_epochs(corpus: Corpus) -> IntArray | None:
    """Return the code of the label of each epoch and annotator, shape (n_epochs, n_annotators); None without epochs."""
    if len({*corpus.category.tolist()}) <= 1 or not counts_time(corpus):
        return None
    lows = corpus.extents[:, 0]
    moved = np.stack([corpus.start, corpus.end]) - lows[corpus.unit_document]
    bounds = np.round(moved * _MICRO).astype(np.int64)
    step = int(np.gcd.reduce(bounds.reshape(-1)))
    n_epochs = np.round(np.diff(corpus.extents, axis=1)[:, 0] * _MICRO).astype(np.int64) // max(step, 1)
    if step <= 0 or n_epochs.sum() > _MAX_EPOCHS:
        return None
    labels = np.full((int(n_epochs.sum()), len(corpus.annotators)), -1)
    begins = np.cumsum(n_epochs) - n_epochs
    first = begins[corpus.unit_document] + bounds[0] // step
    for annotator, start, length, code in zip(
        corpus.annotator.tolist(),
        first.tolist(),
        ((bounds[1] - bounds[0]) // step).tolist(),
        corpus.category.tolist(),
        strict=True,
    ):
        labels[start : start + length, annotator] = code
    n_labelled = int((labels >= 0).sum())
    n_cells = int((n_epochs * corpus.n_annotators).sum())
    has_overlaps = n_labelled < int((bounds[1] - bounds[0]).sum()) // step
    return labels if n_labelled >= _MIN_COVERED * n_cells and not has_overlaps else None
