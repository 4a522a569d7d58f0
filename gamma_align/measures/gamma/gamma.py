"""`gamma_of` measures a corpus and returns a `GammaResult`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain

import numpy as np

from gamma_align.alignment import COVER, has_ortools, programme_solver, soft_prefix
from gamma_align.chance import CONSTANT, DOCUMENTS, IMPOSSIBLE, PrecisionRule
from gamma_align.columns import CodeArray
from gamma_align.data import (
    MIN_ANNOTATORS,
    Corpus,
    DataFacts,
    Parts,
    check_two_annotators,
    digits_above,
    documents_without,
    few,
    low_gamma_notes,
    number_range,
)
from gamma_align.errors import Cure, InputError, Note, Problem, Set, SettingsError
from gamma_align.inference import column_of
from gamma_align.measures.document_rows import check_poolable
from gamma_align.measures.gamma.corpus_values import corpus_values
from gamma_align.measures.gamma.gamma_reasons import NOT_SAMPLED
from gamma_align.measures.gamma.gamma_result import Documents, GammaResult, GammaValue, is_computed
from gamma_align.measures.gamma.gamma_rows import Chances, GammaRows, counts_in_words
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.measure import Measurement, run
from gamma_align.measures.gamma.shared_chance import SharedChance
from gamma_align.version import __version__
from gamma_align.work import KeptWork, SharedWork, Store


def gamma_of(
    corpus: Corpus | Parts,
    settings: GammaSettings,
    *,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    work: Store | None = None,
    shared: SharedWork | KeptWork | None = None,
) -> GammaResult:
    """Return γ of a corpus for settings that are already checked; use and extend the `shared` results."""
    if isinstance(corpus, Corpus):
        check_two_annotators(corpus)
    measurement = Measurement(corpus, settings, n_jobs=n_jobs, progress=progress, store=work, shared=shared)
    rows = measurement.rows()
    problems = measurement.problems
    facts = measurement.facts
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
    rows = GammaRows.join([_with_categories(part, categories) for part in parts])
    order = sorted(range(len(rows)), key=rows.documents.__getitem__)
    return result_of(rows.take(np.array(order, dtype=np.int64)), settings)


def _with_categories(rows: GammaRows, categories: tuple[str, ...]) -> GammaRows:
    """Return the rows with codes of these categories, which are sorted and include all categories of the rows."""
    code = {label: index for index, label in enumerate(categories)}
    codes = np.array([code.get(label, -1) for label in rows.categories], dtype=np.int64)
    return replace(rows, categories=categories, category_k=codes[rows.category_k])


def _signature(rows: GammaRows, settings: GammaSettings) -> str:
    """Return one line that describes the computation, to paste into a paper."""
    is_measured = rows.alignments > 0
    pairs = rows.gamma.controls
    pair_samples = pairs[is_measured & (pairs > 0)].tolist()
    parts: dict[str, object] = {
        "docs": len(rows),
        "n": number_range(rows.annotators[is_measured].tolist()),
        **settings.dissimilarity.signature_parts,
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
    """Return the precision rule for the signature."""
    if rule.samples is not None:
        return "fixed"
    return f"{rule.precision:g}" + (" of documents" if rule.of == "documents" else "")


def _options(settings: GammaSettings) -> dict[str, str]:
    """Return the conventions with all options they decide; with m15, only the options that differ from it."""
    default = _default_settings()
    options = _convention_options(settings)
    defaults = _convention_options(default)
    if settings.conventions == default.conventions:
        options = {name: value for name, value in options.items() if value != defaults[name]}
    if settings.limits.solver != default.limits.solver:
        options["solver"] = settings.limits.solver
    if not has_ortools():
        options["programmes"] = programme_solver()
    if settings.chance != default.chance:
        options["chance"] = settings.chance
    if settings.chance_from:
        options["from"] = "+".join(settings.chance_from)
    return options


@cache  # every option is checked
def _default_settings() -> GammaSettings:
    """Return the settings with all defaults, computed once."""
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
    rows = documents.rows
    gammas = documents.column("gamma")
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
    notes += _excluded_notes(rows.gamma_cat)
    notes += _imprecision_notes(gammas, pooled, settings.rule, rows.samples)
    notes += low_gamma_notes(np.array(column_of(gammas, "value"), dtype=np.float64), rows.units)
    unproven = int(np.count_nonzero(rows.gap))
    if unproven:
        use = _documents(unproven, "uses", "use")
        notes.append(f"{use} alignments not proven optimal; largest gap {rows.gap.max():.2%}")
    labels = rows.labels
    unlabelled = int(rows.unlabelled[rows.alignments > 0].sum())
    if not labels or (len(labels) == 1 and not unlabelled):
        fact = "all units have the same category" if labels else "no unit has a category"
        notes.append(f"{fact}: γcat and γk have nothing to compare")
    return tuple(notes)


def _excluded_notes(gamma_cat: Chances) -> Iterator[str]:
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


def _imprecision_notes(
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
