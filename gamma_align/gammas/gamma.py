"""`gamma`: the main job, from a corpus to a result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from gamma_align.data.checks import check_two_annotators, documents_without, number_range
from gamma_align.data.corpus import Corpus
from gamma_align.distances import AnyDistance
from gamma_align.distances.dissimilarity import Dissimilarity
from gamma_align.gammas.coefficients import corpus_values, document_result
from gamma_align.gammas.measure import run
from gamma_align.gammas.results import DocumentResult, GammaResult
from gamma_align.gammas.settings import GammaSettings
from gamma_align.version import __version__


def gamma(
    corpus: Corpus,
    /,
    *,
    distance: AnyDistance | None = None,
    dissimilarity: Dissimilarity | None = None,
    conventions: str = "m15",
    alpha: float | None = None,
    beta: float | None = None,
    delta_empty: float | None = None,
    precision: float | None = None,
    samples: int | None = None,
    max_samples: int | None = None,
    control: str | None = None,
    seed: int = 0,
    min_distance: str | None = None,
    integer_offsets: bool | Literal["auto"] | None = None,
    confidence: str | None = None,
    empty_samples: str | None = None,
    time_limit: float | None = None,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> GammaResult:
    """Return γ, γcat and γk, pooled over the corpus and document by document (M15, M17).

    Parameters
    ----------
    corpus : Corpus, Continuum, data frame, records, dict of annotator to spans, or path
        The data; documents of fewer than two annotators have no value, and say so.
    distance : str, Distance, table or function, optional
        Between categories, instead of nominal: see `gamma_align.distances.as_distance`.
    dissimilarity : Dissimilarity, optional
        d with its weights, in place of `distance` and of the weights below.
    conventions : {"m15", "authors", "pygamma"}
        What decides each option below that is not given: the papers, whose values are named here as defaults; the
        authors' program (α = 3, confidence weighted, offsets that are integers half a mean length apart); or
        pygamma-agreement (confidence and offsets likewise, 30 samples without control), as far as it can be set: see
        `gamma_align.gammas.settings.CONVENTIONS`.
    alpha, beta, delta_empty : float, optional
        α, β and Δ; 1 by default.
    precision : float, optional
        Relative precision of each document's expected disorder at 95 % (M15 §5.3): half the width of its interval; 0.02
        by default.
    samples : int, optional
        A fixed number of samples instead of a precision.
    max_samples : int, optional
        Never draw more for a document (10,000 by default); where that is not enough, the result says so.
    control : {"pairs", "none"}, optional
        Whether alignments of two annotators at a time serve as a control variate for the expected disorder of four and
        more, where that takes less work for the same precision (default); "none" is the plain mean of M15.
    seed : int
        Seed of the samples.
    min_distance : {"mean", "half"}, optional
        Least distance of the samples' offsets: the mean length of units (default), or half of it (the authors'
        program).
    integer_offsets : bool or "auto", optional
        Whether offsets are integers; "auto", the default: where all bounds of a document are.
    confidence : {"positional", "weighted", "none"}, optional
        Pairing confidence of γcat: 1 - d_pos/Δ (M17 §4.2.3; default), with d_pos weighed by α (the authors' program),
        or none: every aligned pair counts alike.
    empty_samples : {"skip", "one"}, optional
        What a sample without aligned units is for γcat: left out of the mean (default), or a disorder of 1.
    time_limit : float, optional
        Seconds for each alignment after which it stops with a stated gap.
    n_jobs : int, optional
        Workers (needs joblib); None is what ``joblib.parallel_config`` says, one without it.
    progress : callable, optional
        Called with (samples done, samples known to be needed).

    Returns
    -------
    GammaResult

    Raises
    ------
    InputError
        If no document has two annotators, or a label is unknown to the distance.
    SettingsError
        For a setting out of its range, or what is no distance.
    MissingExtraError
        If more than one worker is asked for and joblib is missing.
    SolverError
        If a solver fails.

    Examples
    --------
    >>> units = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 5, "x"), ("d2", "ann", 2, 5, "y"), ("d2", "bob", 2, 6, "x")]
    >>> corpus = ga.Corpus.from_records(units)
    >>> result = ga.gamma(corpus, samples=30, seed=1)
    >>> round(result.gamma.value, 2), round(result.gamma_cat.value, 2)
    (0.11, -1.14)
    >>> [document.units for document in result.documents]
    [2, 2]
    """
    settings = GammaSettings.of(
        conventions,
        distance=distance,
        dissimilarity=dissimilarity,
        seed=seed,
        time_limit=time_limit,
        alpha=alpha,
        beta=beta,
        delta_empty=delta_empty,
        precision=precision,
        samples=samples,
        max_samples=max_samples,
        control=control,
        min_distance=min_distance,
        integer_offsets=integer_offsets,
        confidence=confidence,
        empty_samples=empty_samples,
    )
    return gamma_of(corpus, settings, n_jobs=n_jobs, progress=progress)


def gamma_of(
    corpus: Corpus,
    settings: GammaSettings,
    *,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> GammaResult:
    """Return what `gamma` does, of settings made before."""
    check_two_annotators(corpus)
    rows = run(corpus, settings, n_jobs=n_jobs, progress=progress)
    documents = tuple(document_result(row) for row in rows)
    pooled, pooled_cat, pooled_k = corpus_values(rows)
    return GammaResult(
        gamma=pooled,
        gamma_cat=pooled_cat,
        gamma_k=pooled_k,
        documents=documents,
        settings=settings.to_dict() | {"length_unit": corpus.length_unit},
        signature=signature(documents, settings),
        notes=corpus.notes + _notes(corpus, documents, settings),
    )


def signature(documents: Sequence[DocumentResult], settings: GammaSettings) -> str:
    """Return one line that says how the numbers were made, to paste into a paper."""
    measured = [document for document in documents if document.samples]
    controlled = [document.pair_samples for document in measured if document.pair_samples]
    parts: dict[str, Any] = {
        "docs": len(documents),
        "n": number_range([document.annotators for document in measured]),
        "α": f"{settings.dissimilarity.alpha:g}",
        "β": f"{settings.dissimilarity.beta:g}",
        "Δ": f"{settings.dissimilarity.delta_empty:g}",
        "d": settings.dissimilarity.name,
        "s": "shift",
        "N": number_range([document.samples for document in measured]),
        "e": "fixed" if settings.rule.samples is not None else f"{settings.rule.precision:g}",
        **({"cv": f"pairs({number_range(controlled)})"} if controlled else {}),
        "seed": settings.seed,
        "opt": "yes" if all(document.optimal for document in documents) else "no",
    }
    parts |= _options(settings) | {"v": __version__}
    return "|".join(["γ", *(f"{name}:{value}" for name, value in parts.items())])


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
    every = settings.conventions != plain.conventions
    return {name: value for name, (value, default) in options.items() if every or value != default}


def _notes(corpus: Corpus, documents: Sequence[DocumentResult], settings: GammaSettings) -> tuple[str, ...]:
    """Return what the reader of the numbers should know."""
    notes = list(documents_without(corpus))
    if settings.conventions == "pygamma":
        notes.append(
            "conventions of pygamma-agreement, but for chance: samples are shifted units (M15 §5.2), not drawn ones"
        )
    lowered = sum(document.distance_lowered for document in documents)
    if lowered:
        notes.append(f"{lowered} documents are too short for offsets a mean unit length apart; it was lowered to fit")
    short = sum(not document.precise for document in documents)
    if short:
        notes.append(f"{short} documents did not reach the precision within {settings.rule.max_samples} samples")
    open_ = [document.gap for document in documents if not document.optimal]
    if open_:
        notes.append(f"{len(open_)} documents use alignments not proven optimal; largest gap {max(open_):.2%}")
    if len(corpus.categories) < 2 and (corpus.category == (0 if corpus.categories else -1)).all():  # noqa: PLR2004
        notes.append("all units have the same category: γcat and γk are 1 wherever units are aligned")
    return tuple(notes)
