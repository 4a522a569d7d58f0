"""`html_report`: measure a corpus for its report, and write that as one HTML file."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from string import ascii_uppercase
from typing import Unpack

from gamma_align.data.corpus import Corpus
from gamma_align.data.problem import few
from gamma_align.data.sources import Source, corpus_of, is_path
from gamma_align.errors import SettingsError, did_you_mean
from gamma_align.insight.disagreements.disagreements import disagreements
from gamma_align.measures.gamma.gamma import gamma_of
from gamma_align.measures.gamma.gamma_options import GAMMA_OPTIONS
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.keywords import GammaOptions
from gamma_align.measures.reference.evaluate import evaluate
from gamma_align.options import takes_options
from gamma_align.present.page.cases import MAX_COMPARED_ANNOTATORS
from gamma_align.present.page.contents import Contents, Text
from gamma_align.present.page.page import page
from gamma_align.present.page.page_options import REPORT_OPTIONS, TEXT_AMOUNT
from gamma_align.reading.files.atomic import atomic_text
from gamma_align.simulation.curve import curve

_TITLE = "corpus"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Report(Contents):
    """What a report shows, and the page of it, `html`.

    Attributes
    ----------
    title : str
        Name of the corpus.
    disagreements : Disagreements
        Where and why annotators differ, with γ of all of them; of one annotator alone in a report for them.
    headline : GammaResult
        The γ on top: that of the independent annotators, where some are not.
    curve : ReferenceCurve or None
        What would lower γ that far, where it was asked for.
    evaluation : Evaluation or None
        The annotators against the reference, where there is one.
    text : {"none", "windows", "full"}
        How much of the documents' text is shown.
    annotator, reference : str or None
        Whom the report is for; who is the reference.
    independent, remarks : tuple of str
        The annotators of the headline, empty for all; remarks at the top.
    asked : float or None
        The γ that was asked for.

    Examples
    --------
    >>> report = ga.html_report([("d", "ann", 0, 4, "x"), ("d", "bob", 1, 4, "x")], samples=10)
    >>> report.html[:15]
    '<!doctype html>'
    """

    @property
    def html(self) -> str:
        """The report as one self-contained HTML page; the same report gives the same bytes."""
        return page(self)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader of the numbers should know."""
        return self.disagreements.notes

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, whole or not at all."""
        atomic_text(Path(path), self.html)

    def _summary(self) -> str:
        return f"of {self.title}: γ {self.headline.gamma}"


@takes_options((*REPORT_OPTIONS.options, *GAMMA_OPTIONS))
def html_report(
    source: Source,
    /,
    *,
    title: str | None = None,
    text: Text = "windows",
    anonymous: bool = False,
    annotator: str | None = None,
    independent: Sequence[str] = (),
    reference: str | None = None,
    remarks: Sequence[str] = (),
    asked: float | None = None,
    curves: bool = False,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **settings: Unpack[GammaOptions],
) -> Report:
    """Return a report of a corpus: how far annotators agree, what they disagree on, and what to settle.

    Parameters
    ----------
    source : Corpus, Continuum, data frame, records, dict of annotator to spans, or path
        The data; with texts, the report shows the words.
    n_jobs, progress, **settings
        As in `gamma`.

    Returns
    -------
    Report

    Raises
    ------
    InputError
        If no document has two annotators.
    SettingsError
        For a setting out of its range, an unknown annotator, or one who is independent alone.
    MissingExtraError
        If more than one worker is asked for and joblib is missing.
    SolverError
        If a solver fails.

    Examples
    --------
    >>> result = ga.html_report("corpora/novels_ner", independent=["user1", "user2"], samples=3)
    >>> result.headline.documents[0].annotators, result.disagreements.to_settle[0].annotator
    (2, 'user2')
    """
    if title is None and is_path(source):
        title = Path(source).stem
    corpus = corpus_of(source, "html_report")
    options = GammaSettings.of(**settings)
    TEXT_AMOUNT.check(text)
    _check_names(corpus, {"annotator": [annotator], "reference": [reference], "independent": independent})
    if anonymous:
        names = _letters(corpus)
        corpus = corpus.rename(annotators=names)
        annotator, reference = (None if name is None else names[name] for name in (annotator, reference))
        independent = [names[name] for name in independent]
    if text == "none":
        corpus = replace(corpus, texts=None)
    compared = annotator is None and 2 < len(corpus.annotators) <= MAX_COMPARED_ANNOTATORS  # noqa: PLR2004
    everything = disagreements(
        corpus,
        annotator=annotator,
        leave_one_out=compared,
        pairs=compared,
        n_jobs=n_jobs,
        progress=progress,
        **settings,
    )
    own = corpus.select(annotators=independent) if independent else corpus
    headline = gamma_of(own, options, n_jobs=n_jobs) if independent else everything.gamma
    return Report(
        title=_TITLE if title is None else title,
        disagreements=everything,
        headline=headline,
        curve=curve(own, n_jobs=n_jobs, **settings) if curves and headline.gamma.is_available else None,
        evaluation=evaluate(corpus, reference=reference, cases=True, n_jobs=n_jobs, **settings) if reference else None,
        text=text,
        annotator=annotator,
        reference=reference,
        independent=tuple(independent),
        remarks=tuple(remarks),
        asked=asked,
    )


def _check_names(corpus: Corpus, asked: Mapping[str, Sequence[str | None]]) -> None:
    """Refuse annotators whom the corpus does not have, and a headline of fewer than two."""
    for option, names in asked.items():
        unknown = [name for name in names if name is not None and name not in corpus.annotators]
        if unknown:
            near = did_you_mean(unknown[0], corpus.annotators) or f"; there are {few(map(repr, corpus.annotators))}"
            raise SettingsError(f"{option}: there is no annotator {unknown[0]!r}{near}")
    if len(set(asked["independent"])) == 1:
        raise SettingsError("independent: agreement takes two annotators and more; name them, separated by commas")


def _letters(corpus: Corpus) -> dict[str, str]:
    """Return another name for each annotator, in the same order: letters, or numbers of more than there are."""
    people = corpus.annotators
    if len(people) <= len(ascii_uppercase):
        return dict(zip(people, ascii_uppercase, strict=False))
    width = len(str(len(people)))
    return {name: f"A{number:0{width}}" for number, name in enumerate(people, 1)}
