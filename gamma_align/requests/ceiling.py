"""The request ``ceiling``: how well any model can score against the annotators of a corpus."""

from __future__ import annotations

from gamma_align.data import Corpus
from gamma_align.insight.ceiling import CEILING_OPTIONS, Ceiling
from gamma_align.insight.ceiling.ceiling import ceiling
from gamma_align.requests.settings import Values, given


def compute_ceiling(corpus: Corpus, values: Values, _: object) -> Ceiling:
    """Return the best F1 that any answer can reach against the annotators."""
    return ceiling(corpus, **given(values, CEILING_OPTIONS.options))
