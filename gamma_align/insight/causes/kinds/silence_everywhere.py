"""Annotators without a single unit."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, is_among
from gamma_align.insight.causes.cause import NOBODY, Cause, Tier, name_of
from gamma_align.insight.causes.evidence import MIN_NET, log_binomial, run_log_probability, tail_probability
from gamma_align.insight.causes.habits import Habits, max_log_likelihoods
from gamma_align.insight.causes.kinds.silence import EVERYWHERE, MAX_CORRELATION, PRIOR_MISSES, Silence
from gamma_align.insight.causes.view import View

_MIN_RATES = 3  # annotators with units: two rates have no spread to speak of
_MIN_HABITS = 20  # annotators with units, from which on a distribution can be fitted to their habits


def propose(view: View) -> Iterator[Silence]:
    """Yield annotators without a single unit in documents in which the others have units."""
    events = view.chances
    n_units = np.bincount(view.corpus.annotator, minlength=view.n_annotators)
    own_misses = events.take((n_units[events.annotator] == 0) & events.hit)
    silent = np.flatnonzero((n_units == 0) & (np.bincount(view.corpus.seen, minlength=view.n_annotators) > 0))
    if not len(own_misses):
        return
    habits = _habits(view, n_units > 0)
    has_distribution = np.count_nonzero(~habits.is_silent) >= _MIN_HABITS
    yield Silence(
        annotator=int(silent[0]) if len(silent) == 1 else NOBODY,
        net=silence_evidence(habits) if has_distribution else _evidence_of_places(view, n_units > 0),
        direction=EVERYWHERE,
        documents=np.unique(own_misses.document),
        events=own_misses,
        silent=silent,
        expected=float(habits.expected[habits.is_silent].sum()),
        n_documents=int(np.count_nonzero(np.isin(view.corpus.seen, silent))),
    )


def _habits(view: View, marks: BoolArray) -> Habits:
    """Return how often each annotator has a unit in a document, against the others who have any units at all."""
    corpus = view.corpus
    width = view.n_annotators
    annotator = corpus.seen
    document = corpus.seen_document
    has_unit = is_among(document * width + annotator, view.lanes[0])
    n_others = np.bincount(document, marks[annotator], len(corpus))[document] - marks[annotator]
    others_marked = np.bincount(document, has_unit, len(corpus))[document] - has_unit
    share = np.divide(others_marked, n_others, out=np.zeros(len(document)), where=n_others > 0)
    marked = np.bincount(annotator, has_unit, width)
    expected = np.bincount(annotator, share, width)
    is_comparable = expected > 0
    return Habits(marked[is_comparable].astype(np.int64), expected[is_comparable].astype(np.float64))


def silence_evidence(habits: Habits) -> float:
    """Return the evidence that annotators without units are not only those who mark least.

    The numbers of documents with a unit are negative binomial: Poisson, times a habit of the annotator that has a gamma
    distribution. The dispersion of habits is fitted to all annotators, the silent ones included. The hypothesis has one
    more class of annotators, who mark nothing; the price of its fitted share is ln(n) / 2 (Schwarz 1978). Together,
    silent annotators of whom none alone is improbable may be improbable.
    """
    without, with_class = max_log_likelihoods(habits)
    return with_class - without - math.log(len(habits.marked)) / 2


def _evidence_of_places(view: View, marks: BoolArray) -> float:
    """Return the evidence from the places that annotators leave out, if annotators with units are few.

    Annotators differ in how much they leave out: beta-binomial over annotators.
    """
    events = view.chances
    width = view.n_annotators
    total = np.bincount(events.annotator, minlength=width)
    misses = np.bincount(events.annotator, events.hit, width)
    silent = total[(total > 0) & ~marks]
    is_marking = (total > 0) & marks
    total = total[is_marking]
    misses = misses[is_marking]
    rate = float((misses.sum() + PRIOR_MISSES) / (total.sum() + 1))
    correlation = 0.0
    if len(total) >= _MIN_RATES:
        statistic = ((misses - total * rate) ** 2 / (total * rate * (1 - rate))).mean()
        correlation = min(max((statistic - 1) / max(total.mean() - 1, 1), 0.0), MAX_CORRELATION)
    if correlation == 0:
        evidence = -math.log(rate) * silent
    else:
        scale = 1 / correlation - 1
        scales = np.full(len(silent), scale)
        evidence = -run_log_probability(rate * scales, scales, silent)
    return float(evidence.sum()) - log_binomial(len(silent) + len(total), len(silent))


class SilentAnnotators(NamedTuple):
    """Annotators without a single unit, in words.

    `documents` counts each document once for each of them, and `expected` how many of these one of the others would
    mark. `p` is the upper limit of the probability that they are only those who mark least.
    """

    annotators: tuple[str, ...]
    documents: int
    expected: float
    p: float
    sentence: str
    question: str


def silent_annotators(view: View) -> SilentAnnotators | None:
    """Return the annotators without a single unit if the evidence suffices, however little disorder they make."""
    candidate = next(iter(propose(view)), None)
    if candidate is None or candidate.net < MIN_NET:
        return None
    title, counts = candidate.sentence(view)
    return SilentAnnotators(
        annotators=tuple(name_of(view, code) for code in candidate.silent.tolist()),
        documents=candidate.n_documents,
        expected=candidate.expected,
        p=tail_probability(candidate.net),
        sentence=f"{title}. {counts}",
        question=candidate.question(view),
    )


EVERYWHERE_CAUSE = Cause(
    "silence",
    Tier.FILE,
    "an annotator without any unit",
    "fills the gap with the others' units",
    propose,
    names_one_of_two=True,
)
