"""Simulations that begin with a corpus, of units in any form."""

from __future__ import annotations

from functools import wraps
from typing import Unpack

from gamma_align.api.sources import CORPUS, corpus_of
from gamma_align.data import Source
from gamma_align.simulation import DifferenceOptions, PowerPlan
from gamma_align.simulation import curve as _curve
from gamma_align.simulation import plan as _plan
from gamma_align.simulation import plan_difference as _plan_difference

curve = CORPUS.public(_curve.curve, __name__)
plan = CORPUS.public(_plan.plan, __name__)


@wraps(_plan_difference)
def plan_difference(first: Source, second: Source, /, **settings: Unpack[DifferenceOptions]) -> PowerPlan:
    """Read both annotations, and plan; the signature and the description are those of the function of corpora."""
    first_corpus = corpus_of(first, "plan_difference")
    second_corpus = corpus_of(second, "plan_difference")
    return _plan_difference(first_corpus, second_corpus, **settings)


plan_difference.__module__ = __name__
