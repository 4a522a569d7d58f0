"""Annotators without a single unit."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from gamma_align.insight.causes.cause import NOBODY, Candidate, Cause, Tier
from gamma_align.insight.causes.evidence import log_binomial
from gamma_align.insight.causes.kinds.silence import EVERYWHERE, MAX_CORRELATION, PRIOR_MISSES, Silence
from gamma_align.insight.causes.view import View

_MIN_RATES = 3  # annotators with units: two rates have no spread to speak of


def propose(view: View) -> Iterator[Candidate]:
    """Yield annotators without a single unit in documents in which the others have units."""
    events = view.chances
    width = view.n_annotators
    total = np.bincount(events.annotator, minlength=width)
    misses = np.bincount(events.annotator, events.hit, width)
    marked = np.bincount(view.corpus.annotator, minlength=width)
    silent = np.flatnonzero((total > 0) & (marked == 0))
    marking = np.flatnonzero((total > 0) & (marked > 0))
    if not len(silent) or not len(marking):
        return
    # Annotators differ in how much they leave out: beta-binomial over annotators.
    rate = float((misses[marking].sum() + PRIOR_MISSES) / (total[marking].sum() + 1))
    correlation = 0.0
    if len(marking) >= _MIN_RATES:
        statistic = ((misses[marking] - total[marking] * rate) ** 2 / (total[marking] * rate * (1 - rate))).mean()
        correlation = min(max((statistic - 1) / max(total[marking].mean() - 1, 1), 0.0), MAX_CORRELATION)
    evidence = []
    for n in total[silent].tolist():
        if correlation == 0:
            evidence.append(-n * math.log(rate))
            continue
        scale = 1 / correlation - 1
        alpha = rate * scale
        evidence.append(math.lgamma(alpha) - math.lgamma(alpha + n) + math.lgamma(scale + n) - math.lgamma(scale))
    # Alone none may be improbable enough; together they are.
    net = sum(evidence) - log_binomial(len(silent) + len(marking), len(silent))
    own_misses = events.take(np.isin(events.annotator, silent) & events.hit)
    yield Silence(
        annotator=int(silent[0]) if len(silent) == 1 else NOBODY,
        net=net,
        direction=EVERYWHERE,
        documents=np.unique(own_misses.document),
        events=own_misses,
        n_documents=int(np.count_nonzero(np.isin(view.corpus.seen, silent))),
        n_places=(0, len(own_misses)),
        elsewhere=(0, 0),
    )


EVERYWHERE_CAUSE = Cause(
    "silence",
    Tier.FILE,
    "an annotator without any unit",
    "fills the gap with the others' units",
    propose,
)
