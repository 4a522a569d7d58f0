"""`evaluate`: each annotator or system against a reference, with γ and uα of the two beside."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Unpack

import numpy as np

from gamma_align.columns import IntArray, distinct
from gamma_align.data.checks import check_two_annotators
from gamma_align.data.corpus import Corpus
from gamma_align.data.frames import FrameColumns
from gamma_align.data.sanity import DataFacts
from gamma_align.data.sources import Source, corpus_of
from gamma_align.distances import Distance
from gamma_align.errors import InputError, Note, SettingsError, did_you_mean
from gamma_align.inference.values import Result, Value, columns_of, value_columns
from gamma_align.measures.gamma.gamma import gamma_of
from gamma_align.measures.gamma.gamma_options import GAMMA_OPTIONS
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.keywords import GammaOptions
from gamma_align.measures.reference.diarization import DiarizationScore, errors
from gamma_align.measures.reference.label_mapping import notes_on, with_mapped_labels
from gamma_align.measures.reference.matching import SPURIOUS, Overlaps, kinds, matched
from gamma_align.measures.reference.pairings import (
    REFERENCE,
    SYSTEM,
    Pairings,
    Slots,
    annotator_pairs,
    code_of,
    with_reference,
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
    VALUES,
    SegmentationScore,
    SegmentationSettings,
    notes_of,
    segmentation_scores,
)
from gamma_align.measures.reference.spans import Amounts, SpanScore, amounts, check_spans, macro, score
from gamma_align.measures.unitizing.coincidences import document_rows
from gamma_align.measures.unitizing.unitizing_alpha import unitizing_alpha
from gamma_align.options import takes_options
from gamma_align.version import __version__

AGREEMENTS = ("gamma", "gamma_cat", "u")

Bounds = tuple[float, float, str | None]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Case(Result):
    """A unit of the reference and the one it is matched with, or a unit alone.

    Attributes
    ----------
    kind : str
        ``correct``; other bounds (``boundary``), another ``label``, or ``both``; ``missed`` or ``spurious``.
    document : str
        Its name.
    reference, system : tuple, or None
        The units: start, end and category.
    reference_unit, system_unit : int or None
        Their rows in the columns of the corpus.

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
    """The measures of units with one label.

    Attributes
    ----------
    category : str or None
        The label.
    reference_units, units : int
        How many units of the reference, and of the system, have it.
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
        The documents, and the units of the reference and of the system in them.
    counts : mapping of str to int
        What becomes of units: ``correct``, ``boundary``, ``label``, ``both``, ``missed``, ``spurious``.
    spans : mapping of str to SpanScore
        By measure, over all units (micro).
    macro : mapping of str to mapping of str to Value
        By measure: precision, recall and F1 as plain means over labels.
    labels : tuple of LabelScore
        Each label of either side.
    agreement : mapping of str to Value
        ``gamma``, ``gamma_cat`` and ``u`` (uα) of the two.
    gamma_signature : str or None
        How γ was measured.
    gap : float
        The largest gap of an alignment that γ rests on; 0 where all are proven optimal.
    segmentation : SegmentationScore or None
        P_k, WindowDiff, B and S.
    diarization : DiarizationScore or None
        DER and JER.
    cases : tuple of Case
        The units of the counts, where they were asked for.
    label_mapping : mapping of str to str
        What each label of the system is read as, where that was asked for.

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
        The annotator taken as right.
    systems : tuple of SystemScore
        The others, by name.
    settings : mapping
        Everything needed to compute the result again, ready for JSON.
    signature : str
        One line to paste into a paper.
    notes : tuple of str
        What the reader of the numbers should know.

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
    notes: tuple[str, ...] = ()

    def _contents(self) -> dict[str, Any]:
        return {"schema_version": 1, **self._named("reference", "signature", "settings", "systems", "notes")}

    def _columns(self) -> FrameColumns:
        systems = self.systems
        columns = columns_of(systems, ("system", "documents", "reference_units", "units"))
        if systems and systems[0].spans:
            columns |= {kind: [system.counts[kind] for system in systems] for kind in KINDS}
            for match in MATCHES:
                for name in ("precision", "recall", "f1"):
                    values = [getattr(system.spans[match], name) for system in systems]
                    columns |= value_columns(f"{match}_{name}", values)
                columns[f"{match}_macro_f1"] = [system.macro[match]["f1"].value for system in systems]
        for name in systems[0].agreement if systems else ():
            columns |= value_columns(name, [system.agreement[name] for system in systems], Value)
        for part, names in (("segmentation", VALUES), ("diarization", ("der", "jer"))):
            if systems and getattr(systems[0], part) is not None:
                for name in names:
                    columns |= value_columns(name, [getattr(getattr(system, part), name) for system in systems])
        return columns


class EvaluationOptions(NamedTuple):
    """What is measured: see `evaluate`."""

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
        """Refuse what is out of its range."""
        for names, allowed, what in ((self.measures, MEASURES, "measure"), (self.cases, KINDS, "kind of case")):
            unknown = [name for name in names if name not in allowed]
            if unknown:
                hint = did_you_mean(unknown[0], allowed)
                raise SettingsError(f"no {what} {unknown[0]!r}; there are {', '.join(allowed)}{hint}")
        check_spans(self.iou, self.zero_division)
        COLLAR.check(self.collar)
        CHANCE_FROM.check(self.chance_from)
        if not self.measures:
            raise SettingsError(f"no measure; there are {', '.join(MEASURES)}")


@takes_options((*REFERENCE_OPTIONS, *GAMMA_OPTIONS))
def evaluate(
    source: Source,
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
    """Return how near each annotator or system comes to a reference.

    Units are matched one to one: the most pairs with the same bounds and label, then the same bounds, then the same
    label, then the greatest sum of |g ∩ p| / |g ∪ p|, then the most pairs. By measure, a unit is found if it is matched
    with the same bounds and label (``strict``), the same bounds (``exact``), the same label and an overlap (``type``);
    ``partial`` counts an overlap half. ``relaxed`` takes another matching, of units of the same label whose
    |g ∩ p| / |g ∪ p| is at least `iou`; ``characters`` counts positions with a label, and ``credit`` the share of a
    unit that units of its label cover (Da San Martino et al. 2019).

    Parameters
    ----------
    source : Corpus, Continuum, data frame, records, dict of annotator to spans, or path
        The data.
    n_jobs, **settings
        Of γ: as in `gamma`.
    progress : callable, optional
        Called with (systems done, systems in all).

    Returns
    -------
    Evaluation

    Raises
    ------
    InputError
        If no other annotator saw a document of the reference's, or for what `gamma` and `segmentation` refuse.
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
    corpus = corpus_of(source, "evaluate")
    kinds_of_cases = KINDS if cases is True else () if cases is False else _names(cases)
    options = EvaluationOptions(
        _names(measures),
        iou,
        zero_division,
        kinds_of_cases,
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
    of_gamma = replace(GammaSettings.of(**settings), chance_from=(reference,) if chance_from == "reference" else ())
    check_two_annotators(corpus)
    slots = with_reference(corpus, code_of(corpus, reference))
    if not len(slots.reference):
        raise InputError(f"nobody else annotated a document that {reference!r} annotated: there is nothing to evaluate")
    mapping: dict[str, dict[str, str]] = {}
    if map_labels:
        corpus, mapping = with_mapped_labels(corpus, slots)
    rows = {system: indices for _, system, indices in annotator_pairs(corpus, slots)}
    types = of_gamma.dissimilarity.categorial if boundary_types else None
    parts = _scores(corpus, slots, rows, options, types)
    for name, names in mapping.items():
        parts[name]["label_mapping"] = names
    notes = [
        *corpus.notes,
        *DataFacts.of(corpus).notes(),
        *notes_on(mapping),
        *_notes(parts, len(corpus) - len(distinct(slots.reference)), reference),
    ]
    for number, (name, indices) in enumerate(rows.items(), 1):
        both = _two(corpus, slots, indices)
        agreement, more = _agreement(both, options.measures, of_gamma, n_jobs)
        parts[name] |= agreement
        notes += [Note.prefixed(name, note) for note in more if note not in notes]
        if progress is not None:
            progress(number, len(rows))
    return Evaluation(
        reference=reference,
        systems=tuple(SystemScore(system=name, **part) for name, part in parts.items()),
        settings={**options._asdict(), **({"gamma": of_gamma.to_dict()} if "gamma" in options.measures else {})},
        signature=_signature(options, len(distinct(slots.reference)), of_gamma.dissimilarity.categorial),
        notes=tuple(dict.fromkeys(notes)),
    )


def _names(names: str | Iterable[str]) -> tuple[str, ...]:
    return tuple(names.split(",")) if isinstance(names, str) else tuple(names)


def _signature(options: EvaluationOptions, documents: int, distance: Distance) -> str:
    parts: dict[str, Any] = {"docs": documents, "measures": "+".join(options.measures)}
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


def _notes(parts: Mapping[str, Mapping[str, Any]], without: int, reference: str) -> Iterator[str]:
    """Yield what the reader of the scores should know."""
    if without:
        yield f"documents that {reference!r} and another annotator did not both see, and that do not count: {without}"
    yield from notes_of([part["segmentation"] for part in parts.values() if "segmentation" in part])
    for name, part in parts.items():
        renamed = part["diarization"].renamed if "diarization" in part else 0
        if renamed:
            yield f"{name}: in {renamed} of {part['documents']} documents labels are mapped onto others"


def _scores(
    corpus: Corpus,
    slots: Slots,
    rows: Mapping[str, IntArray],
    options: EvaluationOptions,
    types: Distance | None,
) -> dict[str, dict[str, Any]]:
    """Return what is computed of all systems together, as fields of `SystemScore` by system."""
    pairings = Pairings.of(corpus, slots)
    system = np.empty(len(pairings), dtype=np.int64)
    for number, indices in enumerate(rows.values()):
        system[indices] = number
    units = np.bincount(
        system[pairings.batch.instance] * 2 + pairings.batch.annotator, minlength=2 * len(rows)
    ).reshape(-1, 2)
    parts: dict[str, dict[str, Any]] = {
        name: {"documents": len(indices), "reference_units": mine, "units": theirs}
        for (name, indices), (mine, theirs) in zip(rows.items(), units.tolist(), strict=True)
    }
    if "spans" in options.measures:
        for name, fields in zip(rows, _spans(corpus, pairings, system, rows, options), strict=True):
            parts[name] |= fields
    if "segmentation" in options.measures:
        of_segments = segmentation_scores(
            corpus, slots, SegmentationSettings(options.atom, options.near, options.gaps, types)
        )
        for each in of_segments:
            parts[each.system]["segmentation"] = each
    if "diarization" in options.measures:
        found = errors(pairings, corpus.extents, options.collar, skip_overlap=options.skip_overlap)
        for name, indices in rows.items():
            parts[name]["diarization"] = found.score(indices)
    return parts


def _spans(
    corpus: Corpus, pairings: Pairings, system: IntArray, rows: Mapping[str, IntArray], options: EvaluationOptions
) -> Iterator[dict[str, Any]]:
    """Yield the fields of `SystemScore` on spans; `system` is the number of each pairing's system."""
    batch = pairings.batch
    pairs = matched(batch, Overlaps.of(batch))
    kind = kinds(batch, pairs)
    by_measure = amounts(batch, options.iou, kind)
    of_unit = system[batch.instance]
    # pairs count once, at the unit of the reference
    counting = (batch.annotator == REFERENCE) | (kind == SPURIOUS)
    counts = np.bincount((of_unit * len(KINDS) + kind)[counting], minlength=len(rows) * len(KINDS))
    counts = counts.reshape(-1, len(KINDS))
    by_document = {name: each.sums(each.instance, len(pairings)) for name, each in by_measure.items()}
    labels = _label_scores(corpus, by_measure, kind, system, len(rows), options.zero_division)
    cases = _cases(corpus, pairings, pairs, kind, system, options.cases)
    for number, indices in enumerate(rows.values()):
        of_kind = counts[number].astype(np.float64)
        spans = {
            name: score(name, sums.take(indices), of_kind, options.zero_division) for name, sums in by_document.items()
        }
        yield {
            "counts": dict(zip(KINDS, counts[number].tolist(), strict=True)),
            "spans": spans,
            "macro": {name: macro([label.spans[name] for label in labels[number]]) for name in MATCHES},
            "labels": tuple(labels[number]),
            "cases": tuple(cases[number]),
        }


def _label_scores(
    corpus: Corpus,
    by_measure: Mapping[str, Amounts],
    kind: IntArray,
    system: IntArray,
    n_systems: int,
    zero_division: float | None,
) -> list[list[LabelScore]]:
    """Return the scores of each label of each system."""
    width = len(corpus.categories) + 1
    sums = {
        name: each.sums(system[each.instance] * width + each.category + 1, n_systems * width)
        for name, each in by_measure.items()
    }
    units = by_measure["strict"]
    key = system[units.instance] * width + units.category + 1
    sides = [
        np.bincount((key * len(KINDS) + kind)[units.side == side], minlength=n_systems * width * len(KINDS))
        for side in (REFERENCE, SYSTEM)
    ]
    of_kind = sides[REFERENCE].reshape(-1, len(KINDS)).astype(np.float64)
    of_kind[:, SPURIOUS] = sides[SYSTEM].reshape(-1, len(KINDS))[:, SPURIOUS]
    labels: list[list[LabelScore]] = [[] for _ in range(n_systems)]
    sizes = sums["strict"].size.astype(int)
    for row in np.flatnonzero(sizes.any(axis=1)).tolist():
        here = np.array([row])
        spans = {name: score(name, each.take(here), of_kind[row], zero_division) for name, each in sums.items()}
        number, code = divmod(row, width)
        mine, theirs = sizes[row].tolist()
        labels[number].append(LabelScore((*corpus.categories, None)[code - 1], mine, theirs, spans))
    return labels


def _cases(
    corpus: Corpus, pairings: Pairings, pairs: Overlaps, kind: IntArray, system: IntArray, wanted: Sequence[str]
) -> list[list[Case]]:
    """Return the cases of the kinds asked for of each system, by document and position."""
    batch = pairings.batch
    partner = np.full(batch.n_units, -1)
    partner[pairs.reference] = pairs.system
    counting = (batch.annotator == REFERENCE) | (kind == SPURIOUS)
    codes = [KINDS.index(name) for name in wanted]
    found: list[list[Case]] = [[] for _ in range(int(system.max(initial=-1)) + 1)]
    for unit in np.flatnonzero(counting & np.isin(kind, codes)).tolist():
        mine, theirs = (-1, unit) if kind[unit] == SPURIOUS else (unit, int(partner[unit]))
        row, other = (int(pairings.row[side]) if side >= 0 else None for side in (mine, theirs))
        instance = batch.instance[unit]
        document = corpus.documents[pairings.document[instance]]
        found[system[instance]].append(
            Case(KINDS[kind[unit]], document, _bounds(corpus, row), _bounds(corpus, other), row, other)
        )
    return found


def _bounds(corpus: Corpus, row: int | None) -> Bounds | None:
    if row is None:
        return None
    return float(corpus.start[row]), float(corpus.end[row]), (*corpus.categories, None)[corpus.category[row]]


def _two(corpus: Corpus, slots: Slots, indices: IntArray) -> Corpus:
    """Return the corpus of the reference and one other, on the documents that both saw."""
    documents = [corpus.documents[document] for document in corpus.seen_document[slots.reference[indices]]]
    codes = (corpus.seen[slots.reference[indices[0]]], corpus.seen[slots.system[indices[0]]])
    return corpus.select(documents=documents, annotators=[corpus.annotators[code] for code in codes])


def _agreement(
    both: Corpus, measures: Sequence[str], settings: GammaSettings, n_jobs: int | None
) -> tuple[dict[str, Any], Sequence[str]]:
    """Return γ, γcat and uα of two annotators, as asked for, and notes."""
    values: dict[str, Value] = {}
    fields: dict[str, Any] = {"agreement": values}
    notes: Sequence[str] = ()
    if "gamma" in measures:
        result = gamma_of(both, settings, n_jobs=n_jobs)
        values |= {"gamma": result.gamma, "gamma_cat": result.gamma_cat}
        fields["gamma_signature"], notes = result.signature, result.notes
        fields["gap"] = result.gap
    if "unitizing-alpha" in measures:
        try:
            document_rows(both, layers=False)
        except InputError:
            values["u"] = Value.unavailable("units of one annotator overlap")
        else:
            values["u"] = unitizing_alpha(both, distance=settings.dissimilarity.categorial).u
    return fields, notes
