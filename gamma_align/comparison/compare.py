"""`compare`: γ's family and Krippendorff's unitizing family side by side (M17 §5.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gamma_align.alignment.solve import solve
from gamma_align.comparison.contributions import Comparison, contributions, meeting_lengths, pair_weights
from gamma_align.data.batch import Batch
from gamma_align.data.corpus import Continuum, Corpus
from gamma_align.distances import as_distance
from gamma_align.gammas.execution import document_groups
from gamma_align.gammas.gamma import gamma_of
from gamma_align.gammas.settings import GammaSettings
from gamma_align.gammas.statistics import weighted_pairs
from gamma_align.unitizing.alpha import unitizing_alpha
from gamma_align.unitizing.rows import document_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Literal

    from gamma_align.comparison.contributions import Amounts
    from gamma_align.distances import AnyDistance


def compare(
    corpus: Corpus | Continuum,
    *,
    distance: AnyDistance = "nominal",
    conventions: str = "m15",
    alpha: float | None = None,
    beta: float | None = None,
    delta_empty: float | None = None,
    precision: float | None = None,
    samples: int | None = None,
    max_samples: int | None = None,
    control: str | None = None,
    seed: int = 0,
    min_distance: str | None = None,
    integer_offsets: bool | Literal["auto"] | None = None,
    confidence: str | None = None,
    empty_samples: str | None = None,
    time_limit: float | None = None,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """Return both families, and the contributions of pairs of categories to cuα and γcat (M17 table 3).

    Parameters
    ----------
    corpus : Corpus or Continuum
        The data; units of one annotator do not overlap.
    distance : str, Distance, table or function
        Between categories: D of γ, and δ² of cuα and (k)uα; see `gamma_align.distances.as_distance`.
    conventions, alpha, beta, delta_empty, precision, samples, max_samples, control, seed, min_distance, \
    integer_offsets, confidence, empty_samples, time_limit, n_jobs, progress
        Those of `gamma`. M17's own figures need ``conventions="authors"``.

    Returns
    -------
    Comparison

    Raises
    ------
    InputError
        For units of one annotator that overlap, if no document has two annotators, or for a label that the distance
        cannot place.
    SettingsError
        For a setting out of its range.
    MissingExtraError
        If more than one worker is asked for and joblib is missing.
    SolverError
        If a solver fails.
    """
    if isinstance(corpus, Continuum):
        corpus = Corpus.from_continua([corpus])
    between = as_distance(distance)
    settings = GammaSettings.of(
        conventions,
        distance=between,
        seed=seed,
        time_limit=time_limit,
        alpha=alpha,
        beta=beta,
        delta_empty=delta_empty,
        precision=precision,
        samples=samples,
        max_samples=max_samples,
        control=control,
        min_distance=min_distance,
        integer_offsets=integer_offsets,
        confidence=confidence,
        empty_samples=empty_samples,
    )
    unitizing = unitizing_alpha(corpus, distance=between)
    result = gamma_of(corpus, settings, n_jobs=n_jobs, progress=progress)
    rows = document_rows(corpus, layers=False)
    whole, each = contributions(
        corpus.categories,
        len(corpus),
        meeting_lengths(rows.documents, rows.found),
        _weights(corpus, settings),
    )
    return Comparison(
        gamma=result,
        unitizing=unitizing,
        contributions=whole,
        documents=dict(zip(corpus.documents, each, strict=True)),
    )


def _weights(corpus: Corpus, settings: GammaSettings) -> Iterator[Amounts]:
    """Yield the weights of aligned pairs, some documents at a time."""
    bound_to = settings.dissimilarity.bind(corpus.categories)
    for first, last in document_groups(corpus):
        batch, _ = Batch.from_corpus(corpus.documents_between(first, last))
        measurable = np.flatnonzero(batch.n_annotators >= 2)  # noqa: PLR2004
        some = batch.take(measurable)
        group = solve(some, bound_to, settings.limits).group
        pairs = weighted_pairs(some, group, bound_to, confidence=settings.confidence)
        yield pair_weights(first + measurable, len(corpus.categories), some, pairs)
