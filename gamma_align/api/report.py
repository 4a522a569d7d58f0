"""The HTML pages of units in any form."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Unpack

from gamma_align.api.insight import Versions, compared_versions, versions_of
from gamma_align.api.sources import corpus_of
from gamma_align.data import Source, is_path
from gamma_align.insight.comparison import NAMES, CorporaOptions, UnitChanges, unit_changes_of
from gamma_align.measures.gamma import GAMMA_OPTIONS
from gamma_align.options import takes_options
from gamma_align.present.page import REPORT_OPTIONS, ChangesReport, Report, ReportOptions, report_of


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


def html_changes(
    first: Source,
    second: Source,
    /,
    *,
    names: tuple[str, str] = NAMES,
    align_text: bool = False,
    units: bool = False,
    measure: str | Iterable[str] | None = None,
    **settings: Unpack[CorporaOptions],
) -> ChangesReport:
    """Return a page of what changed between two versions of a corpus: documents, agreement, causes, and units.

    Documents with units that changed show both versions in their text, the first above the second.

    Parameters
    ----------
    first, second : Corpus, data frame, records, dict of annotator to spans, or path
        The two versions.
    names : tuple of str
        Names of the two in the result.
    align_text : bool, default False
        If the text of a document differs, move the units of the first version onto the text of the second, through
        equal characters.
    units : bool, default False
        Whether the page has the units alone, as for one annotator or a gold standard.
    measure, causes, replicates, extents, overlap, n_jobs, progress, **settings
        As in `compare`.

    Returns
    -------
    ChangesReport

    Raises
    ------
    InputError
        As in `compare`, and in `unit_changes` if `units` is true.
    SettingsError
        If a setting is out of its range.

    Examples
    --------
    >>> old = [("d", "ann", 0, 4, "x"), ("d", "bob", 0, 4, "x"), ("d", "bob", 6, 9, "y"), ("d", "ann", 6, 9, "y")]
    >>> new = [*old[:3], ("d", "ann", 5, 9, "y")]
    >>> report = ga.html_changes(old, new, samples=3)
    >>> [(row.annotator, row.fate) for row in report.units.changed], report.comparison["gamma"].value < 0
    ([('ann', 'moved')], True)
    """
    versions = versions_of(first, second, "html_changes", align_text=align_text)
    comparison = None if units else compared_versions(versions, names, measure=measure, **settings)
    return ChangesReport(
        names=names,
        comparison=comparison,
        units=_unit_changes(versions if units else versions.of_both, names),
        versions=(versions.first, versions.second),
    )


def _unit_changes(versions: Versions | None, names: tuple[str, str]) -> UnitChanges | None:
    return None if versions is None else unit_changes_of(versions.first, versions.second, names, versions.lost)
