"""`html_report`: measure a corpus and write its report as one HTML file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from string import ascii_uppercase
from typing import TYPE_CHECKING, Unpack

from gamma_align.data import Corpus, few
from gamma_align.errors import InputError, SettingsError, did_you_mean
from gamma_align.insight.disagreements import disagreements_of
from gamma_align.measures.gamma import GammaOptions, GammaResult, GammaSettings, gamma_of
from gamma_align.present.page.cases import MAX_COMPARED_ANNOTATORS
from gamma_align.present.page.contents import Contents
from gamma_align.present.page.other_numbers import other_numbers
from gamma_align.present.page.page import page
from gamma_align.present.page.page_options import TEXT_AMOUNT
from gamma_align.present.symbols import prefix_of
from gamma_align.reading import atomic_text
from gamma_align.work import release_freed_memory

if TYPE_CHECKING:
    from gamma_align.insight.ceiling import Ceiling
    from gamma_align.insight.replacement import Replacement
    from gamma_align.measures.reference import Evaluation
    from gamma_align.simulation import ReferenceCurve

_DEFAULT_TITLE = "corpus"  # of data that are not read from a path
_MIN_INDEPENDENT = 2  # people, for γ on top
_SHOWN_MARGIN = 0.05  # the cards show the change of agreement and its interval, not the verdict at this margin
_MIN_COMPARED_ANNOTATORS = 3  # of two, the only pair is the corpus, and none remains without one


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Report(Contents):
    """The contents of a report, and its HTML page, `html`.

    Attributes
    ----------
    title : str
        Name of the corpus.
    disagreements : Disagreements
        The disagreements and their reasons, with γ of all annotators; in a report for one annotator, only those of that
        annotator.
    headline : GammaResult
        The γ on top: of the independent annotators if they are named, otherwise of all annotators.
    curve : ReferenceCurve or None
        The amounts of errors that would lower γ that far, if they were requested.
    evaluation : Evaluation or None
        The annotators against the reference, if there is one.
    replacement : Replacement or None
        The models in the place of people, if models are named.
    ceilings : tuple of Ceiling
        The ceiling of the people, beside each model if there are any. Empty in a report for one annotator, and if no
        two people agree on a unit.
    others : tuple of OtherNumber
        Other values of the annotators of the headline, (name, value, counts): F1 of pairs, uα, κ of epochs. Empty in a
        report for one annotator.
    text : {"none", "windows", "full"}
        The amount of the documents' text that is shown.
    anonymous : bool
        Whether the annotators have neutral names.
    annotator, reference : str or None
        The annotator that the report is for, and the reference.
    independent, remarks : tuple of str
        The annotators of the headline, empty for all; remarks at the top.
    asked : float or None
        The requested γ.

    Examples
    --------
    >>> report = ga.html_report([("d", "ann", 0, 4, "x"), ("d", "bob", 1, 4, "x")], samples=10)
    >>> report.html[:15]
    '<!doctype html>'
    """

    @property
    def html(self) -> str:
        """The report as one self-contained HTML page; equal reports have equal bytes."""
        return page(self)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on assumptions and limits of the numbers."""
        return self.disagreements.notes

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file; if that fails, the file stays as it was."""
        atomic_text(Path(path), self.html)

    def _summary(self) -> str:
        return f"of {self.title}: {prefix_of(self.headline.settings)}γ {self.headline.gamma}"


def report_of(
    corpus: Corpus,
    measured: GammaResult | None,
    /,
    *,
    title: str | None = None,
    text: str = "windows",
    anonymous: bool = False,
    annotator: str | None = None,
    independent: Sequence[str] = (),
    model: str | Iterable[str] = (),
    reference: str | None = None,
    remarks: Sequence[str] = (),
    asked: float | None = None,
    curves: bool = False,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **settings: Unpack[GammaOptions],
) -> Report:
    """Return the report of a corpus, with its γ if it has been measured with these settings; see `html_report`."""
    options = GammaSettings.of(**settings)
    TEXT_AMOUNT.check(text)
    # Options have the original names, so they are checked before the annotators are renamed.
    _check_names(corpus, {"annotator": [annotator], "reference": [reference], "independent": independent})
    models = _models(model, corpus) if model else ()
    if models and not independent:
        # γ of the people: a model among the annotators would change what it is compared with.
        people = [name for name in corpus.annotators if name not in models]
        independent = people if len(people) >= _MIN_INDEPENDENT else ()
    if anonymous:
        names = _neutral_names(corpus)
        corpus = corpus.rename(annotators=names)
        annotator, reference = (None if name is None else names[name] for name in (annotator, reference))
        independent, models = (tuple(names[name] for name in group) for group in (independent, models))
    if text == "none":
        # Without texts in the corpus, no section of the page can quote words.
        corpus = replace(corpus, texts=None)
    n_annotators = len(corpus.annotators)
    # A report for one annotator does not compare them with the others.
    is_compared = annotator is None and _MIN_COMPARED_ANNOTATORS <= n_annotators <= MAX_COMPARED_ANNOTATORS
    release_freed_memory()  # that reading has used
    result = disagreements_of(
        corpus,
        None if anonymous else measured,  # a measured γ has the names of the corpus that was measured
        options,
        annotator=annotator,
        leave_one_out=is_compared,
        pairs=is_compared,
        n_jobs=n_jobs,
        progress=progress,
    )
    headline_corpus = corpus
    headline = result.gamma
    if independent:
        headline_corpus = corpus.select(annotators=independent)
        headline = gamma_of(headline_corpus, options, n_jobs=n_jobs)
    return Report(
        title=_DEFAULT_TITLE if title is None else title,
        disagreements=result,
        headline=headline,
        curve=_curve(headline_corpus, n_jobs, settings) if curves and headline.gamma.is_available else None,
        evaluation=_evaluation(corpus, reference, n_jobs, settings) if reference else None,
        replacement=_replacement(corpus, models, settings) if models else None,
        ceilings=() if annotator else _ceilings(headline_corpus, corpus, reference, models),
        others=() if annotator else other_numbers(headline_corpus),
        text=text,
        anonymous=anonymous,
        annotator=annotator,
        reference=reference,
        independent=tuple(independent),
        remarks=tuple(remarks),
        asked=asked,
    )


# Most reports have no part but the disagreements: the modules of the others are imported when they are needed.


def _models(model: str | Iterable[str], corpus: Corpus) -> tuple[str, ...]:
    from gamma_align.insight.replacement import annotators_named

    return annotators_named(model, corpus.annotators, "model")


def _curve(corpus: Corpus, n_jobs: int | None, settings: GammaOptions) -> ReferenceCurve:
    from gamma_align.simulation.curve import curve

    return curve(corpus, n_jobs=n_jobs, **settings)


def _evaluation(corpus: Corpus, reference: str, n_jobs: int | None, settings: GammaOptions) -> Evaluation:
    from gamma_align.measures.reference.evaluate import evaluate

    return evaluate(corpus, reference=reference, cases=True, n_jobs=n_jobs, **settings)


def _replacement(corpus: Corpus, models: Sequence[str], settings: GammaOptions) -> Replacement:
    """Return the models in the place of people, with the change of agreement that the cards show."""
    from gamma_align.insight.replacement.replaceable import replaceable

    return replaceable(corpus, annotator=models, margin=_SHOWN_MARGIN, **settings)


def _ceilings(people: Corpus, corpus: Corpus, reference: str | None, models: Sequence[str]) -> tuple[Ceiling, ...]:
    """Return the ceiling of the people beside each model, or alone; those that cannot be computed are left out."""
    from gamma_align.insight.ceiling.ceiling import ceiling

    voters = [name for name in people.annotators if name != reference and name not in models]
    found = []
    for model in models or (None,):
        with suppress(InputError):  # no document has two of them
            found.append(ceiling(corpus.select(annotators=[*voters, *filter(None, [model])]), model=model))
    return tuple(result for result in found if result.score.another.is_available and result.score.another.value > 0)


def _check_names(corpus: Corpus, requested: Mapping[str, Sequence[str | None]]) -> None:
    """Raise SettingsError if an option names an unknown annotator, or if only one annotator is independent."""
    for option, names in requested.items():
        unknown = [name for name in names if name is not None and name not in corpus.annotators]
        if unknown:
            hint = did_you_mean(unknown[0], corpus.annotators) or f"; there are {few(map(repr, corpus.annotators))}"
            raise SettingsError(f"{option}: there is no annotator {unknown[0]!r}{hint}")
    if len(set(requested["independent"])) == 1:
        raise SettingsError("independent: agreement takes two annotators and more; name them, separated by commas")


def _neutral_names(corpus: Corpus) -> dict[str, str]:
    """Return a neutral name for each annotator: letters, or numbers if there are more annotators than letters."""
    annotators = corpus.annotators
    if len(annotators) <= len(ascii_uppercase):
        return dict(zip(annotators, ascii_uppercase, strict=False))
    # Leading zeros keep the order of sorted names: A02 comes before A10.
    width = len(str(len(annotators)))
    return {name: f"A{number:0{width}}" for number, name in enumerate(annotators, 1)}
