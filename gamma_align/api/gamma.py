"""γ of units in any form, with work that is kept in a folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Unpack

from gamma_align.api.sources import corpus_of, corpus_or_parts
from gamma_align.chance import DOCUMENTS
from gamma_align.data import Corpus, Parts, Source, is_in_parts
from gamma_align.measures.gamma import GAMMA_OPTIONS, GammaOptions, GammaResult, GammaSettings, gamma_of
from gamma_align.options import takes_options
from gamma_align.work import Store


@takes_options(GAMMA_OPTIONS)
def gamma(
    source: Source | Parts,
    /,
    *,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    work: str | os.PathLike[str] | Store | None = None,
    **settings: Unpack[GammaOptions],
) -> GammaResult:
    """Return γ, γcat and γk, pooled over the corpus and document by document (M15, M17).

    Parameters
    ----------
    source : Corpus, Continuum, data frame, records, dict of annotator to spans, or path
        The data. A document of fewer than two annotators has a reason in place of values.
    n_jobs : int, optional
        Number of worker processes. None uses ``joblib.parallel_config``, or one worker without it.
    progress : callable, optional
        Called with the number of samples drawn and the total known to be required. If it has a method ``partial``, that
        is called with a function that returns the current estimate: mean observed disorder, γ and its interval.
    work : path, optional
        Folder in which results are stored. If the process is interrupted, the same call resumes and returns the same
        result.
    **settings
        Options of γ.

    Returns
    -------
    GammaResult

    Raises
    ------
    InputError
        If no document has two annotators, or a label is unknown to the distance.
    SettingsError
        If a setting is out of its range or not a distance, or if the folder contains other work.
    ResourceError
        If the memory, the disk space or the workers are not enough.
    SolverError
        If a solver fails.

    Examples
    --------
    >>> ann = [("letter", "ann", 0, 4, "PER"), ("letter", "ann", 18, 24, "LOC"), ("letter", "ann", 40, 47, "PER")]
    >>> ben = [("letter", "ben", 0, 4, "PER"), ("letter", "ben", 18, 30, "LOC"), ("letter", "ben", 40, 47, "ORG")]
    >>> result = ga.gamma(ann + ben)
    >>> round(result.gamma.value, 2), round(result.gamma_cat.value, 2)
    (0.76, 0.57)
    >>> round(result.gamma_k["PER"].value, 2), round(result.gamma_k["LOC"].value, 2)
    (0.41, 1.0)
    >>> [document.units for document in result.documents]
    [6]
    """
    # If samples are made of the units of other documents, the whole corpus has to be in memory.
    needs_corpus = settings.get("sampler") == DOCUMENTS and not is_in_parts(source)
    data = corpus_of(source, "gamma") if needs_corpus else corpus_or_parts(source, "gamma")
    options = GammaSettings.of(**settings)
    if work is None and isinstance(data, Corpus):  # small commands do without the module of stores
        return gamma_of(data, options, n_jobs=n_jobs, progress=progress)
    from gamma_align.reading import kept_work

    with kept_work(work, data, options) as store:
        return gamma_of(data, options, n_jobs=n_jobs, progress=progress, work=store)
