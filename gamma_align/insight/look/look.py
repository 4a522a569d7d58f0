"""`look`: the first look at a corpus or at a table of items."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Unpack

from gamma_align.alignment import soft_prefix
from gamma_align.data import Corpus, ItemTable, check_two_annotators
from gamma_align.errors import InputError
from gamma_align.insight import verdicts
from gamma_align.insight.causes.findings import Finding
from gamma_align.insight.ceiling.ceiling import WHAT_IT_IS_NOT, ceiling
from gamma_align.insight.disagreements.disagreements import Disagreements, disagreements_of
from gamma_align.insight.look.atlas import similar_tasks
from gamma_align.insight.look.crowds import is_crowd
from gamma_align.insight.look.look_items import look_at_items
from gamma_align.insight.look.look_options import LOOK_OPTIONS
from gamma_align.insight.look.look_result import Look, LookCause, LookModel, LookValue
from gamma_align.insight.pairwise import pairwise_of
from gamma_align.insight.replacement.replaceable import annotators_named, replaceable
from gamma_align.measures.gamma import GAMMA_OPTIONS, GammaOptions, GammaResult, GammaSettings
from gamma_align.options import takes_options
from gamma_align.work import SharedWork

MAX_CAUSES = 3  # in a look
_MAX_DOCUMENTS = 4  # whose values are shown without being asked for


@takes_options((*LOOK_OPTIONS.options, *GAMMA_OPTIONS))
def look(
    data: Corpus | ItemTable,
    /,
    *,
    model: str | Iterable[str] = (),
    together: bool = False,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **settings: Unpack[GammaOptions],
) -> Look:
    """Look at annotations: a verdict in a sentence, the values of the corpus, the largest causes of disagreement.

    Parameters
    ----------
    data : Corpus or ItemTable
        The data; with texts, causes are found in the words too.
    together : bool
        Whether γ of a crowd is measured of all annotators together, which takes minutes, instead of pairs of them.
    n_jobs, progress, **settings
        As in `gamma`; of items only `distance` has a meaning.

    Returns
    -------
    Look

    Raises
    ------
    InputError
        If no document has two annotators, or a label is unknown to the distance.
    SettingsError
        If a setting is out of its range, a distance is invalid, or no annotator has the name of a model.
    ResourceError
        If the memory, the disk space or the workers are not enough.
    SolverError
        If a solver fails.

    Examples
    --------
    >>> ann = [("letter", "ann", 0, 4, "PER"), ("letter", "ann", 18, 24, "LOC"), ("letter", "ann", 40, 47, "PER")]
    >>> ben = [("letter", "ben", 0, 4, "PER"), ("letter", "ben", 18, 30, "LOC"), ("letter", "ben", 40, 47, "ORG")]
    >>> ga.look(ann + ben).verdict
    ('Two annotators, γ 0.76: 24 % of the disorder expected by chance.',)
    """
    options = GammaSettings.of(**settings)
    names = data.coders if isinstance(data, ItemTable) else data.annotators
    models = annotators_named(model, names, "model") if model else ()
    placed = tuple(models_among(data, models, settings)) if models else ()
    if isinstance(data, ItemTable):
        return replace(look_at_items(data, models, options.dissimilarity.categorial), models=placed)
    corpus = data.drop(annotators=models) if models else data
    check_two_annotators(corpus)
    if is_crowd(corpus) and not together:
        found = look_at_pairs(corpus, options, n_jobs=n_jobs, progress=progress)
    else:
        found = look_at_disagreements(disagreements_of(corpus, None, options, n_jobs=n_jobs, progress=progress))
    notes = (*found.notes, WHAT_IT_IS_NOT) if models else found.notes
    return replace(found, models=placed, notes=notes)


def models_among(data: Corpus | ItemTable, models: Sequence[str], settings: GammaOptions) -> Iterator[LookModel]:
    """Yield the place of each model among the people, the nearest to them first."""
    result = replaceable(data, annotator=models, **settings)
    people = [(person.person, person.nearness) for person in result.calibration]
    for row in sorted(result.models, key=lambda row: (math.isnan(row.nearness), -row.nearness)):
        allowed = verdicts.allowed_standing(row.standing, row.n_people, row.instances, result.noun)
        place = verdicts.standing(row.model, row.nearness, row.nearer_than, row.n_people, people)
        at_ceiling = ""
        if isinstance(data, Corpus):
            others = [name for name in models if name != row.model]
            at_ceiling = _ceiling_sentence(data.drop(annotators=others) if others else data, row.model)
        yield LookModel(row.model, place, allowed, at_ceiling)


def _ceiling_sentence(corpus: Corpus, model: str) -> str:
    """Return where strict F1 of a model lies against the best that any answer can reach."""
    try:
        result = ceiling(corpus, model=model)
    except InputError as error:
        return verdicts.no_ceiling(error.problem.cause)
    score = result.score
    if result.model is None or not score.another.is_available:
        return verdicts.no_ceiling(score.another.reason or "")
    return verdicts.at_ceiling(
        model, result.model.f1, (score.low, score.high), result.model.verdict, score.no_interval or ""
    )


def look_at_pairs(
    corpus: Corpus,
    options: GammaSettings,
    *,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Look:
    """Return the look at a crowd: γ of every two annotators."""
    result = pairwise_of(corpus, options, SharedWork(corpus, options), n_jobs=n_jobs, progress=progress)
    symbol = f"{result.prefix}γ"
    mean = result.mean
    values = [float(pair.gamma) for pair in result.pairs.values()]
    return Look(
        size=_size(corpus),
        verdict=(f"{verdicts.pairs_of_annotators(values, symbol)}.",),
        values=(LookValue("pairwise_gamma", f"mean {symbol}", mean, verdicts.interval_remark(mean, len(corpus))),),
        similar=similar_tasks(corpus),
        signature=result.signature,
        notes=corpus.notes,
        result=result,
    )


def look_at_disagreements(result: Disagreements) -> Look:
    """Return the look at a corpus whose disagreements are known."""
    corpus = result.corpus
    gamma = result.gamma
    prefix = soft_prefix(result.settings.alignment)
    causes = result.to_settle
    largest = causes[0].share if causes else None
    return Look(
        size=_size(corpus),
        verdict=(verdicts.agreement(len(corpus.annotators), gamma.gamma, f"{prefix}γ", largest),),
        values=(*_values(result, prefix), *_document_values(gamma)),
        similar=() if prefix else similar_tasks(corpus),  # of γ, not of soft-γ
        causes=tuple(_cause(finding, is_first=index == 0) for index, finding in enumerate(causes[:MAX_CAUSES])),
        further_causes=max(len(causes) - MAX_CAUSES, 0),
        remarks=tuple(_remarks(result)),
        signature=gamma.signature,
        notes=result.notes,
        result=result,
    )


def _size(corpus: Corpus) -> str:
    used = [corpus.categories[code] for code in sorted({*corpus.category.tolist()}) if code >= 0]
    return verdicts.sizes(len(corpus), len(corpus.annotators), corpus.n_units, used)


def _values(result: Disagreements, prefix: str) -> Iterator[LookValue]:
    """Yield γ, and γcat if there are labels to confuse."""
    gamma = result.gamma
    n_documents = len(gamma.documents)
    yield LookValue("gamma", f"{prefix}γ", gamma.gamma, verdicts.interval_remark(gamma.gamma, n_documents))
    if len({*result.corpus.category.tolist()}) > 1:
        pairs = sum(row.pairs for row in result.confusion)
        different = sum(row.pairs for row in result.confusion if row.first != row.second)
        value = gamma.gamma_cat
        remarks = [verdicts.interval_remark(value, n_documents)]
        if value.is_available:
            remarks.append(verdicts.labels(pairs, different))
        yield LookValue("gamma_cat", f"{prefix}γcat", value, "; ".join(filter(None, remarks)))


def _document_values(gamma: GammaResult) -> Iterator[LookValue]:
    """Yield γ of each document if there are few."""
    if 1 < len(gamma.documents) <= _MAX_DOCUMENTS:
        for row in gamma.documents:
            yield LookValue("document", row.document, row.gamma, row.gamma.reason or "")


def _cause(finding: Finding, *, is_first: bool) -> LookCause:
    """Return a cause; the first one has an example and its question."""
    example = finding.examples[0] if is_first and finding.examples else None
    return LookCause(finding.title, finding.share, finding.gamma_after, example, finding.question if is_first else "")


def _remarks(result: Disagreements) -> Iterator[str]:
    if result.same_bounds is not None:
        yield f"{result.same_bounds.sentence} {result.same_bounds.question}"
    if not result.to_settle and result.disagreements:
        kinds = sum(entry.reason is None for entry in result.sought)
        yield f"{verdicts.no_cause(kinds).capitalize()}." if kinds else f"{result.sought[0].reason}."
