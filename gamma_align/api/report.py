"""The HTML report of units in any form."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Unpack

from gamma_align.api.sources import corpus_of
from gamma_align.data import Source, is_path
from gamma_align.measures.gamma import GAMMA_OPTIONS
from gamma_align.options import takes_options
from gamma_align.present.page import REPORT_OPTIONS, Report, ReportOptions, report_of


@takes_options((*REPORT_OPTIONS.options, *GAMMA_OPTIONS))
def html_report(
    source: Source,
    /,
    *,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **options: Unpack[ReportOptions],
) -> Report:
    """Return a report of a corpus: the agreement of annotators, their disagreements, and the questions to settle.

    Parameters
    ----------
    source : Corpus, Continuum, data frame, records, dict of annotator to spans, or path
        The data; if texts are known, the report shows the words.
    n_jobs, progress, **options
        As in `gamma`.

    Returns
    -------
    Report

    Raises
    ------
    InputError
        If no document has two annotators.
    SettingsError
        If a setting is out of its range, an annotator is unknown, or only one is independent.
    ResourceError
        If the memory, the disk space or the workers are not enough.
    SolverError
        If a solver fails.

    Examples
    --------
    >>> result = ga.html_report("corpora/novels_ner", independent=["user1", "user2"], samples=3)
    >>> result.headline.documents[0].annotators, result.disagreements.to_settle[0].annotator
    (2, 'user2')
    """
    if options.get("title") is None and is_path(source):
        options["title"] = Path(source).stem
    return report_of(corpus_of(source, "html_report"), None, n_jobs=n_jobs, progress=progress, **options)
