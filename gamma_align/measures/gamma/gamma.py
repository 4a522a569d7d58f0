"""`gamma`: the main job, from a corpus to a result."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from gamma_align.data.checks import check_two_annotators, documents_without, number_range
from gamma_align.data.corpus import Corpus
from gamma_align.data.parts import Parts, is_in_parts
from gamma_align.data.problem import few
from gamma_align.data.provided import provided
from gamma_align.data.sanity import DataFacts, low_gamma_notes
from gamma_align.data.sources import Source, corpus_of, corpus_or_parts
from gamma_align.errors import InputError, Problem, SettingsError
from gamma_align.measures.document_rows import check_poolable
from gamma_align.measures.gamma.categorial import CONSTANT, IMPOSSIBLE
from gamma_align.measures.gamma.gamma_options import GAMMA_OPTIONS
from gamma_align.measures.gamma.gamma_result import (
    NOT_SAMPLED,
    Documents,
    GammaResult,
    GammaValue,
    GammaValues,
    corpus_values,
)
from gamma_align.measures.gamma.gamma_rows import Chances, GammaRows
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.keywords import GammaOptions
from gamma_align.measures.gamma.measure import Measurement, run
from gamma_align.measures.gamma.other_samplers import DOCUMENTS
from gamma_align.measures.gamma.part_work import Store
from gamma_align.measures.gamma.precision import PrecisionRule
from gamma_align.measures.gamma.shared_chance import SharedChance
from gamma_align.options import takes_options
from gamma_align.version import __version__

KeptWork = Callable[
    [str | os.PathLike[str] | Store | None, Corpus | Parts, GammaSettings], AbstractContextManager[Store | None]
]
"""Gives the store of the work on data with settings: that at a path, one that is given, or none."""


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
        The data; documents of fewer than two annotators have no value, and say so.
    n_jobs : int, optional
        Workers (needs joblib); None is what ``joblib.parallel_config`` says, one without it.
    progress : callable, optional
        Called with (samples done, samples known to be needed). Where it has a method ``partial``, that is called, too,
        with a function that returns what is known of γ so far: mean observed disorder, γ, bounds.
    work : path, optional
        Folder that keeps what is done: if the process ends before its time, the same call goes on from there, and gives
        what it would have given.
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
        For a setting out of its range, what is no distance, or a folder of other work.
    MissingExtraError
        If more than one worker is asked for and joblib is missing.
    SolverError
        If a solver fails.

    Examples
    --------
    >>> units = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 5, "x"), ("d2", "ann", 2, 5, "y"), ("d2", "bob", 2, 6, "x")]
    >>> result = ga.gamma(units, samples=30, seed=1)
    >>> round(result.gamma.value, 2), round(result.gamma_cat.value, 2)
    (0.11, -1.0)
    >>> [document.units for document in result.documents]
    [2, 2]
    """
    # a document's samples are made of the units of others: the corpus is read at once
    at_once = settings.get("sampler") == DOCUMENTS and not is_in_parts(source)
    data = corpus_of(source, "gamma") if at_once else corpus_or_parts(source, "gamma")
    options = GammaSettings.of(**settings)
    kept_work: KeptWork = provided("kept work")
    with kept_work(work, data, options) as store:
        return gamma_of(data, options, n_jobs=n_jobs, progress=progress, work=store)


def gamma_of(
    corpus: Corpus | Parts,
    settings: GammaSettings,
    *,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    work: Store | None = None,
) -> GammaResult:
    """Return what `gamma` does, of settings made before."""
    if isinstance(corpus, Corpus):
        check_two_annotators(corpus)
    measurement = Measurement(corpus, settings, n_jobs=n_jobs, progress=progress, store=work)
    result = result_of(measurement.rows(), settings, measurement.problems)
    return replace(result, notes=result.notes + DataFacts.joined(measurement.facts).notes())


def result_of(rows: GammaRows, settings: GammaSettings, problems: Sequence[Problem] = ()) -> GammaResult:
    """Return the result that rows make; documents with `problems` are not among them."""
    if not (rows.annotators >= 2).any():  # noqa: PLR2004
        raise InputError("no document has two annotators: there is nothing to measure")
    shared = SharedChance.of(rows) if settings.chance == "pooled" else None
    rows = rows if shared is None else shared.rows
    pooled, pooled_cat, pooled_k = corpus_values(rows, shared, delta_empty=settings.dissimilarity.delta_empty)
    return GammaResult(
        gamma=pooled,
        gamma_cat=pooled_cat,
        gamma_k=pooled_k,
        documents=Documents(rows),
        settings=settings.to_dict() | {"length_unit": rows.length_unit},
        signature=_signature(rows, settings),
        notes=rows.notes + _notes(rows, {"γ": pooled, "γcat": pooled_cat}, settings),
        problems=tuple(problem.as_note() for problem in problems),
    )


def gamma_rows(corpus: Corpus, settings: GammaSettings, *, n_jobs: int | None = None) -> GammaRows:
    """Return the rows of a corpus, or of a part of one: each depends on its own document alone."""
    if settings.sampler == DOCUMENTS:
        raise SettingsError(
            "samples are made of the units of other documents, so rows of a part are not those of the whole; use "
            "sampler='shift'"
        )
    rule = settings.rule
    if rule.samples is None and rule.of == "corpus":
        raise SettingsError(
            "how many samples a document has depends on the whole corpus where the precision is that of its values, so "
            "rows of a part are not those of the whole: ask for a number with samples=N, or for the precision of every "
            "document with precision_of='documents'"
        )
    return replace(run(corpus, settings, n_jobs=n_jobs), made_with=settings.fingerprint)


def pooled_gamma(parts: Sequence[GammaRows], settings: GammaSettings) -> GammaResult:
    """Return the result that rows give together, whatever parts they come in."""
    check_poolable(parts, settings.fingerprint)
    categories = tuple(sorted({label for part in parts for label in part.labels}))
    rows = GammaRows.join([_recoded(part, categories) for part in parts])
    order = sorted(range(len(rows)), key=rows.documents.__getitem__)
    return result_of(rows.take(np.array(order, dtype=np.int64)), settings)


def _recoded(rows: GammaRows, categories: tuple[str, ...]) -> GammaRows:
    """Return rows whose categories are among these, all of them sorted."""
    code = {label: index for index, label in enumerate(categories)}
    codes = np.array([code.get(label, -1) for label in rows.categories], dtype=np.int64)
    return replace(rows, categories=categories, category_k=codes[rows.category_k])


def _signature(rows: GammaRows, settings: GammaSettings) -> str:
    """Return one line on how the numbers were made, to paste into a paper."""
    measured, pairs = rows.samples > 0, rows.gamma.controls
    controlled = pairs[measured & (pairs > 0)].tolist()
    parts: dict[str, Any] = {
        "docs": len(rows),
        "n": number_range(rows.annotators[measured].tolist()),
        "α": f"{settings.dissimilarity.alpha:g}",
        "β": f"{settings.dissimilarity.beta:g}",
        "Δ": f"{settings.dissimilarity.delta_empty:g}",
        "d": settings.dissimilarity.name,
        "s": settings.sampler,
        "N": number_range(rows.samples[measured].tolist()),
        "e": _precision(settings.rule),
        **({"cv": f"pairs({number_range(controlled)})"} if controlled else {}),
        "seed": settings.seed,
        "opt": "no" if rows.gap.any() else "yes",
    }
    parts |= _options(settings) | {"v": __version__}
    return "|".join(["γ", *(f"{name}:{value}" for name, value in parts.items())])


def _precision(rule: PrecisionRule) -> str:
    if rule.samples is not None:
        return "fixed"
    return f"{rule.precision:g}" + (" of documents" if rule.of == "documents" else "")


def _options(settings: GammaSettings) -> dict[str, str]:
    """Return the conventions with every option they decide; of m15, only options that differ from it."""
    plain = GammaSettings()
    offsets = {None: "auto", True: "yes", False: "no"}
    options = {
        "conv": (settings.conventions, plain.conventions),
        "min": (settings.min_distance, plain.min_distance),
        "int": (offsets[settings.integer_offsets], offsets[plain.integer_offsets]),
        "conf": (settings.confidence, plain.confidence),
        "empty": (settings.empty_samples, plain.empty_samples),
    }
    chance = {} if settings.chance == plain.chance else {"chance": settings.chance}
    chance |= {"from": "+".join(settings.chance_from)} if settings.chance_from else {}
    solver = {} if settings.limits.solver == plain.limits.solver else {"solver": settings.limits.solver}
    every = settings.conventions != plain.conventions
    return {name: value for name, (value, default) in options.items() if every or value != default} | solver | chance


def _notes(rows: GammaRows, pooled: Mapping[str, GammaValue], settings: GammaSettings) -> tuple[str, ...]:
    """Return what the reader of the numbers should know."""
    notes = list(documents_without(rows.annotators, rows.units))
    gammas = Documents(rows).gamma
    unsampled = gammas.column("reason").count(NOT_SAMPLED)
    if unsampled:
        names = few(map(repr, settings.chance_from), 3)
        notes.append(f"{_documents(unsampled, 'has', 'have')} no unit by {names} to make samples of, and no value")
    lowered = int(rows.distance_lowered.sum())
    if lowered:
        distance = "one mean unit length" if settings.min_distance == "mean" else "half a mean unit length"
        notes.append(
            f"{_documents(lowered, 'is', 'are')} too short to keep random offsets {distance} apart; a smaller distance "
            "was used there"
        )
    notes += _left_out(rows.gamma_cat)
    notes += _imprecise(gammas, pooled, settings.rule)
    notes += low_gamma_notes(gammas.values, rows.units)
    unproven = int(np.count_nonzero(rows.gap))
    if unproven:
        use = _documents(unproven, "uses", "use")
        notes.append(f"{use} alignments not proven optimal; largest gap {rows.gap.max():.2%}")
    labels, unlabelled = rows.labels, int(rows.unlabelled[rows.samples > 0].sum())
    if not labels or (len(labels) == 1 and not unlabelled):
        notes.append("all units have the same category: γcat and γk are 1 wherever units are aligned")
    return tuple(notes)


def _left_out(gamma_cat: Chances) -> Iterator[str]:
    """Yield how many documents have aligned units and no expected disorder, with their share of the weight."""
    counted = gamma_cat.weight > 0
    total = math.fsum(gamma_cat.weight[counted].tolist())
    left_out = counted & np.isnan(gamma_cat.expected) & (gamma_cat.status != CONSTANT)  # those add nothing
    impossible = gamma_cat.status == IMPOSSIBLE
    for chosen, reason in (
        (left_out & impossible, "units cannot overlap by chance"),
        (left_out & ~impossible, "units are aligned in no sample"),
    ):
        number = int(chosen.sum())
        if number:
            share = math.fsum(gamma_cat.weight[chosen].tolist()) / total
            whose = "its" if number == 1 else "their"
            yield f"γcat leaves out {_documents(number)} ({share:.1%} of its weight): {whose} {reason}"


def _imprecise(gammas: GammaValues, pooled: Mapping[str, GammaValue], rule: PrecisionRule) -> Iterator[str]:
    """Yield what did not reach the precision asked for."""
    if rule.samples is not None:
        return
    if rule.of == "documents" and (
        short := sum(precision > rule.precision for precision in gammas.column("expected_precision"))
    ):
        yield f"{_documents(short)} did not reach the precision within {rule.max_samples} samples"
    if rule.of == "corpus":
        for name, value in pooled.items():
            if value.expected_precision > rule.precision:
                more = (
                    "--samples N may draw more" if name == "γcat" else f"{rule.max_samples} samples a document at most"
                )
                yield f"the expected disorder of {name} is known to {value.expected_precision:.1%} only; {more}"


def _documents(number: int, singular: str = "", plural: str = "") -> str:
    """Return "1 document is" or "2 documents are", for these forms of the verb."""
    return f"1 document {singular}".rstrip() if number == 1 else f"{number} documents {plural}".rstrip()
