"""The best alignment of one continuum: `align`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gamma_align.alignment.disorder import disorders, unitary_disorders
from gamma_align.alignment.limits import Limits
from gamma_align.alignment.result import Alignment
from gamma_align.alignment.solve import solve
from gamma_align.data.batch import Batch
from gamma_align.data.corpus import Corpus
from gamma_align.distances.dissimilarity import Dissimilarity
from gamma_align.errors import InputError

if TYPE_CHECKING:
    from gamma_align.data.corpus import Continuum
    from gamma_align.distances import AnyDistance


def align(
    continuum: Continuum,
    *,
    distance: AnyDistance | None = None,
    dissimilarity: Dissimilarity | None = None,
    alpha: float = 1.0,
    beta: float = 1.0,
    delta_empty: float = 1.0,
    time_limit: float | None = None,
    limits: Limits | None = None,
) -> Alignment:
    """Return the alignment of least disorder of a continuum, with its proof or its gap (M15 §4).

    Parameters
    ----------
    continuum : Continuum
        A document of two annotators or more.
    distance : str, Distance, table or function, optional
        Between categories, instead of nominal: see `gamma_align.distances.as_distance`.
    dissimilarity : Dissimilarity, optional
        d with its weights, in place of `distance` and of the weights below.
    alpha, beta, delta_empty : float
        α, β and Δ.
    time_limit : float, optional
        Seconds after which to stop with a stated gap.
    limits : Limits, optional
        All limits at once, instead of `time_limit`.

    Returns
    -------
    Alignment

    Raises
    ------
    InputError
        For a continuum of one annotator, or a label unknown to the distance.
    SettingsError
        For weights out of range, or what is no distance.
    SolverError
        If a solver fails.
    """
    check_annotators(continuum)
    dissimilarity = Dissimilarity.of(dissimilarity, distance, alpha, beta, delta_empty)
    corpus = Corpus.from_continua([continuum])
    bound_to = dissimilarity.bind(corpus.categories)
    batch, row = Batch.from_corpus(corpus)
    solution = solve(batch, bound_to, limits or Limits(time_limit=time_limit))
    unitary = unitary_disorders(batch, solution.group, bound_to)
    disorder = float(disorders(batch, unitary)[0])
    proven = bool(solution.proven[0])
    group = np.empty(batch.n_units, dtype=np.int64)
    labels, numbered = np.unique(solution.group, return_inverse=True)
    group[row] = numbered
    group.flags.writeable = False
    scale = dissimilarity.delta_empty / continuum.mean_units if batch.n_units else 1.0
    return Alignment(
        continuum=continuum,
        group=group,
        unitary_disorders=unitary[labels],
        disorder=disorder,
        bound=disorder if proven else min(disorder, max(0.0, float(solution.bound[0])) * scale),
        is_optimal=proven,
    )


def check_annotators(continuum: Continuum) -> None:
    """Refuse a continuum that has no two annotators.

    Raises
    ------
    InputError
        With what to do if there were more.
    """
    if len(continuum.annotators) < 2:  # noqa: PLR2004
        who = f"one annotator only, {continuum.annotators[0]!r}" if continuum.annotators else "no annotator"
        raise InputError(
            f"document {continuum.document!r} has {who}; an alignment takes two. If others saw it and marked nothing, "
            "declare them (annotators=, or the annotations table)"
        )
