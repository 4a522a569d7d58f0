"""Annotators who have exactly the same bounds more often than the spread of their other bounds allows: one source.

People who hear or see the same thing put its bounds near each other, and to the millisecond only by accident. Words and
sentences of a text, epochs and frames are different: people meet there by themselves. So this is looked for in times
whose steps are far smaller than their spread, and nowhere else.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data import counts_time, few
from gamma_align.insight.causes.cause import name_of
from gamma_align.insight.causes.evidence import MIN_NET, dispersion_by_document, poisson_evidence, tail_probability
from gamma_align.insight.causes.view import View

_DIGITS = 6  # of times: microseconds; what is smaller are rounding errors
_MIN_STEPS = 3  # in half of the spread; with fewer, equal bounds are near each other and no more
_MIN_ON_STEPS = 0.5  # of the differences, from which on they are said to go in steps
_MAX_CANDIDATES = 20  # steps that are tried
# A density is higher in its middle than in a window of half its median: of a double exponential by 1.18, and squared
# for two bounds by 1.4. Three times that is allowed.
_PEAK = 4.0
_MIN_SHARE = 0.05  # of the aligned pairs; fewer change no value
_MAX_NAMED = 3  # pairs of annotators
QUESTION = (
    "Did they see the same suggestions, of a model or a tool, or is one a copy of another? Then γ says how far these "
    "were kept, and not how well people agree by themselves."
)


class SameBounds(NamedTuple):
    """Pairs of annotators with exactly the same bounds too often, in words.

    `pairs` counts the aligned pairs of their units, `identical` those with the same start and the same end, `expected`
    how many of these the spread of all other bounds would give at most. `p` is the upper limit of the probability of so
    much evidence by chance.
    """

    annotators: tuple[tuple[str, str], ...]
    pairs: int
    identical: int
    expected: float
    p: float
    sentence: str
    question: str


def same_bounds(view: View) -> SameBounds | None:
    """Return the pairs of annotators whose bounds are the same too often; None if there are none, or no times."""
    if not counts_time(view.corpus):
        return None
    first, second = _inner_pairs(view)
    corpus = view.corpus
    moved = np.stack([corpus.start[first] - corpus.start[second], corpus.end[first] - corpus.end[second]])
    differences: FloatArray = np.abs(moved).round(_DIGITS)
    is_same: BoolArray = np.all(differences == 0, axis=0)
    rate = _rate_by_spread(differences[:, ~is_same])
    if rate is None or not is_same.any():
        return None
    codes = np.sort(np.stack([corpus.annotator[first], corpus.annotator[second]]), axis=0)
    pair = codes[0] * view.n_annotators + codes[1]
    keys, pair = np.unique(pair, return_inverse=True)
    n_pairs = np.bincount(pair)
    n_same = np.bincount(pair[is_same], minlength=len(keys))
    expected_by_pair = n_pairs.astype(np.float64) * rate
    net = _net_evidence(view.unit_document[first], pair, is_same, expected_by_pair)
    found = np.flatnonzero((net >= MIN_NET) & (n_same >= _MIN_SHARE * n_pairs))
    if not len(found):
        return None
    found = found[np.argsort(-net[found], kind="stable")]
    named = tuple(
        (name_of(view, key // view.n_annotators), name_of(view, key % view.n_annotators))
        for key in keys[found].tolist()
    )
    total = int(n_pairs[found].sum())
    identical = int(n_same[found].sum())
    expected = float(total * rate)
    return SameBounds(
        annotators=named,
        pairs=total,
        identical=identical,
        expected=expected,
        p=tail_probability(float(net[found[0]])),
        sentence=_sentence(named, len(keys), total, identical, expected),
        question=QUESTION,
    )


def _inner_pairs(view: View) -> tuple[IntArray, IntArray]:
    """Return the aligned pairs of units with a length whose bounds are not those of the document, which all share."""
    corpus = view.corpus
    low, high = corpus.extents[view.unit_document].T
    is_inner = (corpus.start < corpus.end) & (corpus.start > low) & (corpus.end < high)
    first, second = view.pairs
    is_kept = (first < second) & is_inner[first] & is_inner[second]
    return first[is_kept], second[is_kept]


def _rate_by_spread(differences: FloatArray) -> float | None:
    """Return the largest share of pairs with the same bounds that the spread of their differences allows.

    None if the bounds go in steps that are not far smaller than their spread. Pairs near each other are counted in a
    square of half the median of both differences. Of its places, one has the same bounds.
    """
    values = differences[differences > 0]
    if not len(values):
        return None
    step = _step(values)
    half = np.array([np.median(row[row > 0]) / 2 if (row > 0).any() else 0.0 for row in differences])
    steps = np.floor(half / step)
    if steps.min() < _MIN_STEPS:
        return None
    is_near: BoolArray = np.all(differences <= (steps * step)[:, None], axis=0)
    n_places = float(np.prod(2 * steps + 1)) - 1
    return float(_PEAK * (is_near.sum() + 1) / (len(is_near) + 1) / n_places)


def _step(values: FloatArray) -> float:
    """Return the largest step of which most differences are multiples: frames, epochs, digits of the times."""
    distinct, counts = np.unique(values, return_counts=True)
    frequent = distinct[np.argsort(-counts, kind="stable")[:_MAX_CANDIDATES]]
    for step in np.unique(frequent)[::-1].tolist():
        multiples = values / step
        if np.mean(np.abs(multiples - np.round(multiples)) * step < 10.0**-_DIGITS) >= _MIN_ON_STEPS:
            return float(step)
    return float(distinct[0])


def _net_evidence(document: IntArray, pair: IntArray, is_same: BoolArray, expected: FloatArray) -> FloatArray:
    """Return the evidence of each pair of annotators, divided by its dispersion over documents, less the price."""
    evidence = poisson_evidence(np.bincount(pair, is_same), expected)
    for index in np.flatnonzero(evidence).tolist():
        evidence[index] /= dispersion_by_document(document, pair == index, is_same)
    result: FloatArray = evidence - math.log(max(len(expected), 1))
    return result


def _sentence(named: tuple[tuple[str, str], ...], n_all: int, pairs: int, identical: int, expected: float) -> str:
    names = (
        "Every two annotators"
        if len(named) == n_all > 1
        else few((f"{one} and {other}" for one, other in named), _MAX_NAMED)
    )
    at_most = "less than one" if expected < 1 else f"{expected:,.0f} at most"
    return (
        f"{names} have exactly the same start and end in {identical:,} of {pairs:,} pairs of aligned units; the spread "
        f"of the other bounds would give {at_most}."
    )
