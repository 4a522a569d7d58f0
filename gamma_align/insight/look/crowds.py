"""Whether γ of all annotators together takes minutes."""

from __future__ import annotations

from gamma_align.chance import sample_costs
from gamma_align.data import Corpus

MANY_ANNOTATORS = 6  # in a document: up to five, all columns are listed, which is quick
# 12 documents of 35 annotators, which take minutes, have 1.3e8; 1,200 of 15 with few units, which take seconds, 8e5.
_MINUTES_COST_MIN = 3e7
_FIRST_SAMPLES = 30


def is_crowd(corpus: Corpus) -> bool:
    """Return whether γ of all annotators together takes minutes, and γ of pairs does not.

    The work of many is estimated as that of samples.
    """
    is_large = corpus.n_annotators >= MANY_ANNOTATORS
    return bool(is_large.any()) and float(sample_costs(corpus)[is_large].sum()) * _FIRST_SAMPLES >= _MINUTES_COST_MIN
