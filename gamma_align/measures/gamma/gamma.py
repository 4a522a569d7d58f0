"""`gamma` measures a corpus and returns a `GammaResult`."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import Unpack

import numpy as np

from gamma_align.alignment.options import COVER, soft_prefix
from gamma_align.columns import CodeArray
from gamma_align.data.checks import check_two_annotators, documents_without, number_range
from gamma_align.data.corpus import MIN_ANNOTATORS, Corpus
from gamma_align.data.parts import Parts, is_in_parts
from gamma_align.data.problem import few
from gamma_align.data.provided import provided
from gamma_align.data.sanity import DataFacts, low_gamma_notes
from gamma_align.data.sources import Source, corpus_of, corpus_or_parts
from gamma_align.data.wording import digits_above
from gamma_align.errors import Cure, InputError, Note, Problem, Set, SettingsError
from gamma_align.inference.values import column_of
from gamma_align.measures.document_rows import check_poolable
from gamma_align.measures.gamma.categorial import CONSTANT, IMPOSSIBLE
from gamma_align.measures.gamma.corpus_values import corpus_values
from gamma_align.measures.gamma.gamma_options import GAMMA_OPTIONS
from gamma_align.measures.gamma.gamma_reasons import NOT_SAMPLED
from gamma_align.measures.gamma.gamma_result import Documents, GammaResult, GammaValue, is_computed
from gamma_align.measures.gamma.gamma_rows import Chances, GammaRows, counts_in_words
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.keywords import GammaOptions
from gamma_align.measures.gamma.measure import Measurement, run
from gamma_align.measures.gamma.other_samplers import DOCUMENTS
from gamma_align.measures.gamma.part_store import Store
from gamma_align.measures.gamma.precision import PrecisionRule
from gamma_align.measures.gamma.shared_chance import SharedChance
from gamma_align.measures.gamma.shared_work import SharedWork
from gamma_align.options import takes_options
from gamma_align.version import __version__

OpenStore = Callable[
    [str | os.PathLike[str] | Store | None, Corpus | Parts, GammaSettings], AbstractContextManager[Store | None]
]
"""Function that opens the store at a path for data and settings; a store and None are returned as they are."""


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
        Number of workers: threads for short documents of two or three annotators, else processes. None uses
        ``joblib.parallel_config``, or one worker without it.
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
    open_store: OpenStore = provided("kept work")
    with open_store(work, data, options) as store:
        return gamma_of(data, options, n_jobs=n_jobs, progress=progress, work=store)


def gamma_of(
    corpus: Corpus | Parts,
    settings: GammaSettings,
    *,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    work: Store | None = None,
    shared: SharedWork | None = None,
) -> GammaResult:
    """Return the result of `gamma` for settings that are already checked; use and extend the `shared` results."""
    if isinstance(corpus, Corpus):
        check_two_annotators(corpus)
    measurement = Measurement(corpus, settings, n_jobs=n_jobs, progress=progress, store=work, shared=shared)
    rows, problems, facts = measurement.rows(), measurement.problems, measurement.facts
    del measurement  # its samples would be held beside the tables of the result
    return result_of(rows, settings, problems, DataFacts.joined(facts).notes())


def result_of(
    rows: GammaRows, settings: GammaSettings, problems: Sequence[Problem] = (), notes: Sequence[str] = ()
) -> GammaResult:
    """Build the result from rows, with further notes. Documents with problems are excluded."""
    if not np.count_nonzero(rows.annotators >= MIN_ANNOTATORS):
        raise InputError("no document has two annotators: there is nothing to measure")
    shared = SharedChance.of(rows) if settings.chance == "pooled" else None
    rows = rows if shared is None else shared.rows
    documents = Documents(rows)
    pooled, pooled_cat, pooled_k = corpus_values(documents, shared, delta_empty=settings.dissimilarity.delta_empty)
    return GammaResult(
        gamma=pooled,
        gamma_cat=pooled_cat,
        gamma_k=pooled_k,
        documents=documents,
        settings=settings.to_dict() | {"length_unit": rows.length_unit},
        signature=_signature(rows, settings),
        notes=(*rows.notes, *_notes(documents, {"γ": pooled, "γcat": pooled_cat}, settings), *notes),
        problems=tuple(problem.as_note() for problem in problems),
    )


def gamma_rows(corpus: Corpus, settings: GammaSettings, *, n_jobs: int | None = None) -> GammaRows:
    """Return the rows of a corpus or of a part of it; each depends only on its own document."""
    if settings.sampler == DOCUMENTS:
        raise SettingsError(
            "the sampler 'documents' makes samples of the units of other documents, so the statistics of a part cannot "
            "be pooled",
            Cure("use {}", Set("sampler", "shift")),
        )
    if settings.rule.is_pooled:
        raise SettingsError(
            "if the pooled values have to be precise, the number of samples depends on all documents, so the "
            "statistics of a part cannot be pooled",
            Cure("set {} or {}", Set("samples"), Set("precision_of", "documents")),
        )
    return replace(run(corpus, settings, n_jobs=n_jobs), made_with=settings.fingerprint)


def pooled_gamma(parts: Sequence[GammaRows], settings: GammaSettings) -> GammaResult:
    """Return the result of the rows of all parts, in any order."""
    check_poolable(parts, settings.fingerprint)
    categories = tuple(sorted(set(chain.from_iterable(part.labels for part in parts))))
    rows = GammaRows.join([_recoded(part, categories) for part in parts])
    order = sorted(range(len(rows)), key=rows.documents.__getitem__)
    return result_of(rows.take(np.array(order, dtype=np.int64)), settings)


def _recoded(rows: GammaRows, categories: tuple[str, ...]) -> GammaRows:
    """Return the rows with codes of these categories, which are sorted and include all categories of the rows."""
    code = {label: index for index, label in enumerate(categories)}
    codes = np.array([code.get(label, -1) for label in rows.categories], dtype=np.int64)
    return replace(rows, categories=categories, category_k=codes[rows.category_k])


def _signature(rows: GammaRows, settings: GammaSettings) -> str:
    """Return one line that describes the computation, to paste into a paper."""
    is_measured, pairs = rows.alignments > 0, rows.gamma.controls
    pair_samples = pairs[is_measured & (pairs > 0)].tolist()
    parts: dict[str, object] = {
        "docs": len(rows),
        "n": number_range(rows.annotators[is_measured].tolist()),
        "α": f"{settings.dissimilarity.alpha:g}",
        "β": f"{settings.dissimilarity.beta:g}",
        "Δ": f"{settings.dissimilarity.delta_empty:g}",
        "d": settings.dissimilarity.name,
        "s": settings.sampler,
        "N": counts_in_words(rows.samples[is_measured].tolist(), rows.gamma.numerical_error[is_measured].tolist()),
        "e": _precision(settings.rule),
    }
    if rows.work_divisor > 1:
        parts["work"] = f"1/{rows.work_divisor}"
    if pair_samples:
        parts["cv"] = f"pairs({number_range(pair_samples)})"
    if np.count_nonzero(rows.samples):  # else the seed changes nothing
        parts["seed"] = settings.seed
    parts |= {"opt": "no" if np.count_nonzero(rows.gap) else "yes"}
    parts |= _options(settings) | {"v": __version__}
    return "|".join([f"{soft_prefix(settings.alignment)}γ", *(f"{name}:{value}" for name, value in parts.items())])


def _precision(rule: PrecisionRule) -> str:
    if rule.samples is not None:
        return "fixed"
    return f"{rule.precision:g}" + (" of documents" if rule.of == "documents" else "")


def _options(settings: GammaSettings) -> dict[str, str]:
    """Return the conventions with all options they decide; with m15, only the options that differ from it."""
    default = _default_settings()
    options, defaults = _convention_options(settings), _convention_options(default)
    if settings.conventions == default.conventions:
        options = {name: value for name, value in options.items() if value != defaults[name]}
    if settings.limits.solver != default.limits.solver:
        options["solver"] = settings.limits.solver
    if settings.chance != default.chance:
        options["chance"] = settings.chance
    if settings.chance_from:
        options["from"] = "+".join(settings.chance_from)
    return options


@cache  # every option is checked
def _default_settings() -> GammaSettings:
    return GammaSettings()


def _convention_options(settings: GammaSettings) -> dict[str, str]:
    """Return the conventions and the options in the signature that they decide."""
    return {
        "conv": settings.conventions,
        "min": settings.min_distance,
        "int": {None: "auto", True: "yes", False: "no"}[settings.integer_offsets],
        "conf": settings.confidence,
        "empty": settings.empty_samples,
    }


def _notes(documents: Documents, pooled: Mapping[str, GammaValue], settings: GammaSettings) -> tuple[str, ...]:
    """Return the facts that matter for the interpretation of the numbers."""
    rows, gammas = documents.rows, documents.column("gamma")
    notes = list(documents_without(rows.annotators, rows.units))
    if settings.alignment == COVER:
        notes.append("soft-γ: a unit may be in several unitary alignments, in the data and in the samples alike")
    unsampled = column_of(gammas, "reason").count(NOT_SAMPLED)
    if unsampled:
        names = few(map(repr, settings.chance_from), 3)
        notes.append(f"{_documents(unsampled, 'has', 'have')} no unit by {names} to make samples of, and no value")
    lowered = int(np.count_nonzero(rows.distance_lowered))
    if lowered:
        distance = "one mean unit length" if settings.min_distance == "mean" else "half a mean unit length"
        notes.append(
            f"{_documents(lowered, 'is', 'are')} too short to keep random offsets {distance} apart; a smaller distance "
            "was used there"
        )
    notes += _excluded(rows.gamma_cat)
    notes += _imprecise(gammas, pooled, settings.rule, rows.samples)
    notes += low_gamma_notes(np.array(column_of(gammas, "value"), dtype=np.float64), rows.units)
    unproven = int(np.count_nonzero(rows.gap))
    if unproven:
        use = _documents(unproven, "uses", "use")
        notes.append(f"{use} alignments not proven optimal; largest gap {rows.gap.max():.2%}")
    labels, unlabelled = rows.labels, int(rows.unlabelled[rows.alignments > 0].sum())
    if not labels or (len(labels) == 1 and not unlabelled):
        fact = "all units have the same category" if labels else "no unit has a category"
        notes.append(f"{fact}: γcat and γk have nothing to compare")
    return tuple(notes)


def _excluded(gamma_cat: Chances) -> Iterator[str]:
    """Yield notes on documents that have aligned units and no expected disorder, with their share of the weight."""
    has_weight = gamma_cat.weight > 0
    # Constant documents have no disorder, so nothing is missing in the sums.
    is_excluded = has_weight & np.isnan(gamma_cat.expected) & (gamma_cat.status != CONSTANT)
    if not np.count_nonzero(is_excluded):
        return
    total = math.fsum(gamma_cat.weight[has_weight].tolist())
    is_impossible = gamma_cat.status == IMPOSSIBLE
    for is_selected, reason in (
        (is_excluded & is_impossible, "units cannot overlap by chance"),
        (is_excluded & ~is_impossible, "units are aligned in no sample"),
    ):
        count = int(np.count_nonzero(is_selected))
        if count:
            share = math.fsum(gamma_cat.weight[is_selected].tolist()) / total
            possessive = "its" if count == 1 else "their"
            yield f"γcat leaves out {_documents(count)} ({share:.1%} of its weight): {possessive} {reason}"


def _imprecise(
    gammas: Sequence[object], pooled: Mapping[str, GammaValue], rule: PrecisionRule, samples: CodeArray
) -> Iterator[str]:
    """Yield notes on values that did not reach the requested precision with these numbers of samples."""
    if rule.samples is not None:
        return
    if rule.of == "documents":
        is_imprecise = np.array(column_of(gammas, "expected_precision"), dtype=np.float64) > rule.precision
        count = int(np.count_nonzero(is_imprecise & (samples > 0)))
        if count:
            yield f"{_documents(count)} did not reach the precision within {rule.max_samples} samples"
        count = int(np.count_nonzero(is_imprecise & (samples == 0)))
        if count:
            yield f"the expected disorder of {_documents(count)} is computed less precisely than requested"
        return
    for name, value in pooled.items():
        if value.expected_precision > rule.precision:
            digits = digits_above(value.expected_precision, rule.precision)
            fact = (
                f"the expected disorder of {name} has a precision of {value.expected_precision:.{digits}%}, not the "
                f"requested {100 * rule.precision:g}%"
            )
            if is_computed(value):
                yield f"{fact}: that is the numerical error of a sum"
            elif int(samples.max(initial=0)) >= rule.max_samples:
                limit = f"documents reached the limit of {rule.max_samples} samples"
                yield Note(f"{fact}: {limit}", Cure("raise {}", Set("max_samples")))
            else:  # γcat has only as many samples as cost little, and the rule does not know of pooled chance
                yield Note(fact, Cure("set {} to draw more samples", Set("samples")))


def _documents(count: int, singular: str = "", plural: str = "") -> str:
    """Return "1 document is" or "2 documents are", with these forms of the verb."""
    return f"1 document {singular}".rstrip() if count == 1 else f"{count} documents {plural}".rstrip()
