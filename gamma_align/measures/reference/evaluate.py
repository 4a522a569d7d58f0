"""`evaluate`: compare annotators or systems with a reference, also by γ and uα of the two."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Unpack

import numpy as np

from gamma_align.columns import IntArray, RowGroups, distinct
from gamma_align.data import Corpus, DataFacts, check_two_annotators
from gamma_align.distances import Distance
from gamma_align.errors import Call, Cure, InputError, Location, Note, SettingsError, did_you_mean
from gamma_align.inference import Result, Value
from gamma_align.measures.gamma.gamma import gamma_of
from gamma_align.measures.gamma.gamma_options import GAMMA_OPTIONS
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.keywords import GammaOptions
from gamma_align.measures.reference.diarization import DiarizationScore, diarization_errors
from gamma_align.measures.reference.label_mapping import LabelMapping, mapping_notes, translate_labels
from gamma_align.measures.reference.matching import SPURIOUS, Matching
from gamma_align.measures.reference.pairings import (
    REFERENCE,
    Pairings,
    Slots,
    annotator_code,
    annotator_pairs,
    pairs_with_reference,
)
from gamma_align.measures.reference.reference_options import (
    CHANCE_FROM,
    COLLAR,
    DEFAULT_MEASURES,
    KINDS,
    MATCHES,
    MEASURES,
    REFERENCE_OPTIONS,
)
from gamma_align.measures.reference.segmentation import (
    SegmentationScore,
    SegmentationSettings,
    segmentation_notes,
    segmentation_scores,
)
from gamma_align.measures.reference.spans import (
    SpanScore,
    Sums,
    check_spans,
    credits_by_measure,
    macro_averages,
    span_scores,
)
from gamma_align.measures.reference.together import MIN_SYSTEMS, together_f1
from gamma_align.measures.unitizing.unitizing_alpha import u_alone
from gamma_align.options import takes_options
from gamma_align.version import __version__

AGREEMENTS = ("gamma", "gamma_cat", "u")  # keys of `SystemScore.agreement`

Bounds = tuple[float, float, str | None]
"""Start, end and category of a unit."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Case(Result):
    """A unit of the reference and the unit it is matched with, or a unit without a match.

    Attributes
    ----------
    kind : str
        ``correct``; other bounds (``boundary``), another ``label``, or ``both``; ``missed`` or ``spurious``.
    document : str
        Name of the document.
    reference, system : tuple, or None
        The units: start, end and category.
    reference_unit, system_unit : int or None
        Rows of the units in the columns of the corpus.

    Examples
    --------
    >>> units = [("d", "gold", 0, 4, "x"), ("d", "ann", 0, 5, "x")]
    >>> case = ga.evaluate(units, reference="gold", measures="spans", cases=True).systems[0].cases[0]
    >>> case.kind, case.reference, case.system
    ('boundary', (0.0, 4.0, 'x'), (0.0, 5.0, 'x'))
    """

    kind: str
    document: str
    reference: Bounds | None
    system: Bounds | None
    reference_unit: int | None
    system_unit: int | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LabelScore(Result):
    """Precision, recall and F1 of units with one label.

    Attributes
    ----------
    category : str or None
        The label.
    reference_units, units : int
        Number of units of the reference, and of the system, with the label.
    spans : mapping of str to SpanScore
        By measure, with the counts of these units.

    Examples
    --------
    >>> units = [("d", "gold", 0, 4, "x"), ("d", "ann", 0, 4, "x"), ("d", "ann", 6, 9, "y")]
    >>> labels = ga.evaluate(units, reference="gold", measures="spans").systems[0].labels
    >>> [(label.category, label.units, label.spans["strict"].f1.value) for label in labels]
    [('x', 1, 1.0), ('y', 1, 0.0)]
    """

    category: str | None
    reference_units: int
    units: int
    spans: Mapping[str, SpanScore]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SystemScore(Result):
    """An annotator or system against the reference, on the documents that both saw.

    Attributes
    ----------
    system : str
        Its name.
    documents, reference_units, units : int
        Number of documents, and of units of the reference and of the system in them.
    counts : mapping of str to int
        Number of cases of each kind: ``correct``, ``boundary``, ``label``, ``both``, ``missed``, ``spurious``.
    spans : mapping of str to SpanScore
        By measure, over all units (micro).
    macro : mapping of str to mapping of str to Value
        By measure: precision, recall and F1 as plain means over labels.
    labels : tuple of LabelScore
        All labels of either side.
    agreement : mapping of str to Value
        ``gamma``, ``gamma_cat`` and ``u`` (uα) of the two.
    gamma_signature : str or None
        The signature of γ.
    gap : float
        The largest gap of an alignment of γ; 0 if all are proven optimal.
    segmentation : SegmentationScore or None
        P_k, WindowDiff, B and S.
    diarization : DiarizationScore or None
        DER and JER.
    cases : tuple of Case
        The cases of the requested kinds.
    label_mapping : mapping of str to str
        With `map_labels`: the label of the reference that each label of the system is translated to.

    Examples
    --------
    >>> units = [("d", "gold", 0, 4, "x"), ("d", "ann", 0, 4, "x"), ("d", "ann", 6, 9, "y")]
    >>> ga.evaluate(units, reference="gold", measures="spans").systems[0].counts["spurious"]
    1
    """

    system: str
    documents: int
    reference_units: int
    units: int
    counts: Mapping[str, int] = field(default_factory=dict)
    spans: Mapping[str, SpanScore] = field(default_factory=dict)
    macro: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    labels: tuple[LabelScore, ...] = ()
    agreement: Mapping[str, Value] = field(default_factory=dict)
    gamma_signature: str | None = None
    gap: float = 0.0
    segmentation: SegmentationScore | None = None
    diarization: DiarizationScore | None = None
    cases: tuple[Case, ...] = ()
    label_mapping: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Evaluation(Result):
    """Annotators or systems against a reference.

    Attributes
    ----------
    reference : str
        The annotator that the others are compared with.
    systems : tuple of SystemScore
        All other annotators or systems, sorted by name.
    settings : mapping
        Everything needed to compute the result again, ready for JSON.
    signature : str
        One line to paste into a paper.
    together : mapping of str to Value
        F1 of what at least half of the systems mark, by measure: ``strict``, ``exact`` and ``characters``. Empty for
        fewer than three systems, or without the measure ``spans``.
    notes : tuple of str
        Assumptions and warnings that concern the values.

    Examples
    --------
    >>> units = [("d", "gold", 0, 4, "x"), ("d", "ann", 0, 4, "x"), ("d", "bob", 0, 5, "x")]
    >>> result = ga.evaluate(units, reference="gold", measures="spans")
    >>> {system.system: system.spans["strict"].f1.value for system in result.systems}
    {'ann': 1.0, 'bob': 0.0}
    """

    reference: str
    systems: tuple[SystemScore, ...]
    settings: Mapping[str, Any]
    signature: str
    together: Mapping[str, Value] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def _contents(self) -> dict[str, object]:
        names = ("reference", "signature", "settings", "systems", "together", "notes")
        return {"schema_version": 1, **self._named(*names)}


class EvaluationOptions(NamedTuple):
    """Options of `evaluate`, without the options of γ."""

    measures: tuple[str, ...]
    iou: float
    zero_division: float | None
    cases: tuple[str, ...]
    collar: float
    skip_overlap: bool
    atom: float
    near: int
    gaps: str
    chance_from: str
    map_labels: bool
    boundary_types: bool

    def check(self) -> None:
        """Raise SettingsError for the first option out of its range."""
        _check_names("measures", self.measures, MEASURES)
        _check_names("cases", self.cases, KINDS)
        check_spans(self.iou, self.zero_division)
        COLLAR.check(self.collar)
        CHANCE_FROM.check(self.chance_from)
        if not self.measures:
            cure = f"choose from {', '.join(MEASURES)}"
            raise SettingsError("there is none", cure, Location.for_option("measures"))

    def segmentation_settings(self, distance: Distance) -> SegmentationSettings:
        """Return the settings of segmentation; `distance` is the distance of categories."""
        return SegmentationSettings(self.atom, self.near, self.gaps, distance if self.boundary_types else None)


def _check_names(option: str, names: Sequence[str], allowed: Sequence[str]) -> None:
    """Raise a SettingsError for the first name that is not allowed."""
    unknown = [name for name in names if name not in allowed]
    if unknown:
        cause = f"{unknown[0]!r} is not one of {', '.join(allowed)}{did_you_mean(unknown[0], allowed)}"
        raise SettingsError(cause, location=Location.for_option(option))


@takes_options((*REFERENCE_OPTIONS, *GAMMA_OPTIONS))
def evaluate(
    corpus: Corpus,
    /,
    *,
    reference: str,
    measures: str | Iterable[str] = DEFAULT_MEASURES,
    iou: float = 0.5,
    zero_division: float | None = None,
    cases: bool | str | Iterable[str] = False,
    collar: float = 0.0,
    skip_overlap: bool = False,
    atom: float = 1.0,
    near: int = 2,
    gaps: str = "refuse",
    chance_from: str = "both",
    map_labels: bool = False,
    boundary_types: bool = False,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **settings: Unpack[GammaOptions],
) -> Evaluation:
    """Compare each annotator or system with a reference.

    Units are matched one to one: the most pairs with the same bounds and label, then the same bounds, then the same
    label, then the greatest sum of |g ∩ p| / |g ∪ p|, then the most pairs. F1 counts a matched unit if it has the same
    bounds and label (``strict``), the same bounds (``exact``), or the same label (``type``); ``partial`` counts a unit
    with other bounds half. ``relaxed`` uses another matching, of units of the same label whose |g ∩ p| / |g ∪ p| is at
    least `iou`; ``characters`` counts positions with a label, and ``credit`` the share of a unit that units of its
    label cover (Da San Martino et al. 2019).

    Parameters
    ----------
    corpus : Corpus
        The data.
    n_jobs, **settings
        Of γ: as in `gamma`.
    progress : callable, optional
        Called with the number of finished systems and the number of all systems.

    Returns
    -------
    Evaluation

    Raises
    ------
    InputError
        If no other annotator saw a document of the reference, or for data that `gamma` or `segmentation` refuse.
    SettingsError
        For a setting out of its range, or a reference that is no annotator.

    References
    ----------
    Da San Martino et al. 2019, Fine-grained analysis of propaganda in news articles. Segura-Bedmar et al. 2013,
    SemEval-2013 task 9. Bredin 2017, pyannote.metrics.

    Examples
    --------
    >>> units = [("d", "gold", 0, 4, "x"), ("d", "gold", 6, 9, "y"), ("d", "ann", 0, 4, "x"), ("d", "ann", 6, 8, "y")]
    >>> system = ga.evaluate(units, reference="gold", measures="spans").systems[0]
    >>> [(name, round(system.spans[name].f1.value, 4)) for name in ("strict", "partial", "type", "characters")]
    [('strict', 0.5), ('partial', 0.75), ('type', 1.0), ('characters', 0.9231)]
    """
    if isinstance(cases, bool):
        cases = KINDS if cases else ()
    options = EvaluationOptions(
        _split_names(measures),
        iou,
        zero_division,
        _split_names(cases),
        collar,
        skip_overlap,
        atom,
        near,
        gaps,
        chance_from,
        map_labels,
        boundary_types,
    )
    options.check()
    sampled = (reference,) if chance_from == "reference" else ()
    gamma_settings = replace(GammaSettings.of(**settings), chance_from=sampled)
    check_two_annotators(corpus)
    code = annotator_code(corpus, reference)
    slots = pairs_with_reference(corpus, code)
    if not len(slots.reference):
        raise InputError(f"nobody else annotated a document that {reference!r} annotated: there is nothing to evaluate")
    mapping: LabelMapping = {}
    if map_labels:
        corpus, mapping = translate_labels(corpus, slots)

    rows = {name: indices for _, name, indices in annotator_pairs(corpus, slots)}
    categorial = gamma_settings.dissimilarity.categorial
    scores = _scores(corpus, slots, rows, options, categorial)
    n_documents = len(distinct(slots.reference))
    notes = [*corpus.notes, *DataFacts.of(corpus).notes(), *mapping_notes(mapping)]
    notes += _notes(scores, len(corpus) - n_documents, reference)
    has_together = "spans" in options.measures and len(scores) >= MIN_SYSTEMS
    for index, (name, indices) in enumerate(rows.items()):
        agreement = _agreement(corpus, slots, indices, options.measures, gamma_settings, n_jobs)
        scores[index] = replace(
            scores[index],
            agreement=agreement.values,
            gamma_signature=agreement.gamma_signature,
            gap=agreement.gap,
            label_mapping=mapping.get(name, {}),
        )
        # Notes on the whole corpus are repeated by γ of each system.
        notes += [Note.prefixed(name, note) for note in agreement.notes if note not in notes]
        if progress is not None:
            progress(index + 1, len(rows))
    settings_of_gamma = {"gamma": gamma_settings.to_dict()} if "gamma" in options.measures else {}
    return Evaluation(
        reference=reference,
        systems=tuple(scores),
        settings=options._asdict() | settings_of_gamma,
        signature=_signature(options, n_documents, categorial),
        together=together_f1(corpus, code, zero_division) if has_together else {},
        notes=tuple(dict.fromkeys(notes)),
    )


def _split_names(names: str | Iterable[str]) -> tuple[str, ...]:
    """Return names as a tuple; a string is divided at commas."""
    return tuple(names.split(",")) if isinstance(names, str) else tuple(names)


def _signature(options: EvaluationOptions, n_documents: int, distance: Distance) -> str:
    """Return one line that describes the evaluation, to paste into a paper."""
    parts: dict[str, object] = {"docs": n_documents, "measures": "+".join(options.measures)}
    if options.map_labels:
        parts["labels"] = "mapped"
    if "spans" in options.measures:
        empty = "NA" if options.zero_division is None else f"{options.zero_division:g}"
        parts |= {"match": "one-to-one", "iou": f"{options.iou:g}", "empty": empty}
    if "segmentation" in options.measures:
        parts |= {"atom": f"{options.atom:g}", "near": options.near, "gaps": options.gaps}
        if options.boundary_types:
            parts["types"] = distance.name
    if "diarization" in options.measures:
        parts |= {"collar": f"{options.collar:g}", "overlap": "skipped" if options.skip_overlap else "kept"}
    return "|".join(["evaluation", *(f"{name}:{value}" for name, value in parts.items()), f"v:{__version__}"])


def _notes(scores: Sequence[SystemScore], n_ignored: int, reference: str) -> Iterator[str]:
    """Yield warnings on the scores; `n_ignored` is the number of documents that do not count."""
    if n_ignored:
        yield f"documents that {reference!r} and another annotator did not both see, and that do not count: {n_ignored}"
    if len(scores) > 1 and scores[0].spans:
        yield Note(
            f"against {reference!r} there is no ceiling: its own errors are unknown, and if it was made from these "
            "annotations, the scores are too high",
            Cure("{} computes the ceiling of the annotators", Call("ceiling", "ceiling")),
        )
    yield from segmentation_notes([score.segmentation for score in scores if score.segmentation is not None])
    for score in scores:
        if score.diarization is not None and score.diarization.renamed:
            counts = f"{score.diarization.renamed} of {score.documents}"
            yield f"{score.system}: in {counts} documents labels are mapped onto others"


def _scores(
    corpus: Corpus, slots: Slots, rows: Mapping[str, IntArray], options: EvaluationOptions, categorial: Distance
) -> list[SystemScore]:
    """Return the measures that are computed for all systems together; `rows` are the pairs of each system."""
    pairings = Pairings.of(corpus, slots)
    batch = pairings.batch
    system = np.unique(pairings.system, return_inverse=True)[1].reshape(-1)
    key = system[batch.instance] * 2 + batch.annotator
    n_units = np.bincount(key, minlength=2 * len(rows)).reshape(-1, 2).tolist()
    scores = [
        SystemScore(system=name, documents=len(indices), reference_units=reference_units, units=units)
        for (name, indices), (reference_units, units) in zip(rows.items(), n_units, strict=True)
    ]
    if "spans" in options.measures:
        scores = _add_spans(scores, [*rows.values()], corpus, pairings, system, options)
    if "segmentation" in options.measures:
        segmentations = segmentation_scores(corpus, slots, options.segmentation_settings(categorial))
        scores = [replace(score, segmentation=part) for score, part in zip(scores, segmentations, strict=True)]
    if "diarization" in options.measures:
        errors = diarization_errors(pairings, corpus.extents, options.collar, skip_overlap=options.skip_overlap)
        diarizations = errors.scores(RowGroups([*rows.values()], pairings.names(corpus)))
        scores = [replace(score, diarization=part) for score, part in zip(scores, diarizations, strict=True)]
    return scores


def _add_spans(
    scores: Sequence[SystemScore],
    rows: Sequence[IntArray],
    corpus: Corpus,
    pairings: Pairings,
    system: IntArray,
    options: EvaluationOptions,
) -> list[SystemScore]:
    """Return the scores with the measures of units; `system` is the system of each pair as an index of `scores`."""
    batch = pairings.batch
    zero_division = options.zero_division
    matching = Matching.of(batch)
    width = len(corpus.categories) + 1  # labels of a system; the first is no category, whose code is -1
    document_sums = {}
    label_sums = {}
    for measure, part in credits_by_measure(batch, options.iou, matching).items():
        label = system[part.instance] * width + part.category + 1
        document_sums[measure] = part.sums(part.instance, len(pairings))
        label_sums[measure] = part.sums(label, len(scores) * width)

    label = system[batch.instance] * width + batch.category + 1
    is_case = (batch.annotator == REFERENCE) | (matching.kind == SPURIOUS)  # a pair counts once
    key = (label * len(KINDS) + matching.kind)[is_case]
    n_labels = len(scores) * width
    kind_counts = np.bincount(key, minlength=n_labels * len(KINDS)).reshape(n_labels, len(KINDS))
    labels = _label_scores(corpus.categories, label_sums, kind_counts, zero_division)

    counts = kind_counts.reshape(len(scores), width, len(KINDS)).sum(axis=1)
    documents = RowGroups(rows, pairings.names(corpus))
    spans = span_scores(document_sums, documents, counts, zero_division)
    is_listed = is_case & np.isin(matching.kind, [KINDS.index(name) for name in options.cases])
    cases = _cases(corpus, pairings, matching, system, np.flatnonzero(is_listed))
    scores_with_spans = []
    for index, (score, *by_measure) in enumerate(zip(scores, *spans, strict=True)):
        own_labels = labels.get(index, ())
        scores_with_spans.append(
            replace(
                score,
                counts=dict(zip(KINDS, counts[index].tolist(), strict=True)),
                spans=dict(zip(document_sums, by_measure, strict=True)),
                macro={measure: macro_averages([label.spans[measure] for label in own_labels]) for measure in MATCHES},
                labels=tuple(own_labels),
                cases=tuple(cases.get(index, ())),
            )
        )
    return scores_with_spans


def _label_scores(
    categories: Sequence[str], label_sums: Mapping[str, Sums], kind_counts: IntArray, zero_division: float | None
) -> dict[int, list[LabelScore]]:
    """Return the scores of the labels that each system or its reference uses, by the index of the system.

    The rows of all arrays are systems × labels; the first label of a system is no category.
    """
    n_units = label_sums["strict"].size.astype(int)
    used = np.flatnonzero(n_units.any(axis=1))
    rows = RowGroups([*used[:, None]])
    spans = span_scores(label_sums, rows, kind_counts[used], zero_division)
    names = (None, *categories)
    scores: dict[int, list[LabelScore]] = {}
    for row, (reference_units, units), *by_measure in zip(used.tolist(), n_units[used].tolist(), *spans, strict=True):
        system, label = divmod(row, len(names))
        score = LabelScore(names[label], reference_units, units, dict(zip(label_sums, by_measure, strict=True)))
        scores.setdefault(system, []).append(score)
    return scores


def _cases(
    corpus: Corpus, pairings: Pairings, matching: Matching, system: IntArray, units: IntArray
) -> dict[int, list[Case]]:
    """Return the cases of some units by system; within a system they are sorted by document and position."""
    batch = pairings.batch
    row = pairings.row
    is_spurious = matching.kind == SPURIOUS
    partner = np.full(batch.n_units, -1)
    partner[matching.pairs.reference] = row[matching.pairs.system]
    sides = np.stack([np.where(is_spurious, -1, row), np.where(is_spurious, row, partner)])
    cases: dict[int, list[Case]] = {}
    for unit in units.tolist():
        instance = batch.instance[unit]
        document = corpus.documents[pairings.document[instance]]
        reference_side, system_side = sides[:, unit].tolist()
        reference, reference_row = _bounds(corpus, reference_side)
        response, response_row = _bounds(corpus, system_side)
        case = Case(KINDS[matching.kind[unit]], document, reference, response, reference_row, response_row)
        cases.setdefault(int(system[instance]), []).append(case)
    return cases


def _bounds(corpus: Corpus, row: int) -> tuple[Bounds, int] | tuple[None, None]:
    """Return the bounds and label of a unit and its row; nothing if the row is -1."""
    if row < 0:
        return None, None
    label = (*corpus.categories, None)[corpus.category[row]]
    return (float(corpus.start[row]), float(corpus.end[row]), label), row


def _pair_corpus(corpus: Corpus, slots: Slots, rows: IntArray) -> Corpus:
    """Return the corpus of the reference and one system, on the documents that both saw."""
    documents = np.searchsorted(corpus.seen_offsets, slots.reference[rows], side="right") - 1
    codes = np.array([corpus.seen[slots.reference[rows[0]]], corpus.seen[slots.system[rows[0]]]])
    return corpus.restricted(distinct(documents), codes)


class _Agreement(NamedTuple):
    """The requested ones of γ, γcat and uα of two annotators, and what comes with γ: its signature, gap and notes."""

    values: dict[str, Value]
    gamma_signature: str | None = None
    gap: float = 0.0
    notes: Sequence[str] = ()


def _agreement(
    corpus: Corpus, slots: Slots, rows: IntArray, measures: Sequence[str], settings: GammaSettings, n_jobs: int | None
) -> _Agreement:
    """Return the requested measures of the reference and one system; `rows` are their pairs."""
    agreement = _Agreement({})
    if "gamma" not in measures and "unitizing-alpha" not in measures:
        return agreement
    corpus = _pair_corpus(corpus, slots, rows)
    if "gamma" in measures:
        result = gamma_of(corpus, settings, n_jobs=n_jobs)
        values: dict[str, Value] = {"gamma": result.gamma, "gamma_cat": result.gamma_cat}
        agreement = _Agreement(values, result.signature, result.gap, result.notes)
    if "unitizing-alpha" in measures:
        # Only this error is caught: units that overlap leave all other measures available.
        try:
            agreement.values["u"] = u_alone(corpus)
        except InputError:
            agreement.values["u"] = Value.unavailable("units of one annotator overlap")
    return agreement
