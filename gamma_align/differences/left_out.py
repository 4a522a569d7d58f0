"""γ of a corpus without each of its annotators."""

from __future__ import annotations

import math
from typing import NamedTuple

from gamma_align.data.corpus import Corpus
from gamma_align.gammas.coefficients import GammaValue
from gamma_align.gammas.gamma import gamma_of
from gamma_align.gammas.settings import GammaSettings
from gamma_align.results.values import ONE_ANNOTATOR


class LeftOut(NamedTuple):
    """The annotator left out, γ and γcat of the others, and how much γ is higher without that annotator."""

    annotator: str
    gamma: GammaValue
    gamma_cat: GammaValue
    change: float


def without_each(
    corpus: Corpus,
    gamma: float,
    settings: GammaSettings,
    *,
    n_jobs: int | None = None,
) -> tuple[LeftOut, ...]:
    """Return what is measured without each annotator, the largest change first; `gamma` is that of all."""
    rows = [_without(corpus, name, gamma, settings, n_jobs) for name in corpus.annotators]
    return tuple(sorted(rows, key=lambda row: -abs(row.change) if math.isfinite(row.change) else math.inf))


def _without(corpus: Corpus, name: str, gamma: float, settings: GammaSettings, n_jobs: int | None) -> LeftOut:
    others = corpus.drop(annotators=name)
    if others.n_annotators.max(initial=0) < 2:  # noqa: PLR2004
        nothing = GammaValue.unavailable(ONE_ANNOTATOR)
        return LeftOut(name, nothing, nothing, math.nan)
    result = gamma_of(others, settings, n_jobs=n_jobs)
    return LeftOut(name, result.gamma, result.gamma_cat, float(result.gamma) - gamma)
