"""`experiment`: how measures respond to errors of known kinds and magnitudes.

Besides γ and the uα family, two kinds of measures are available: F1 of spans (units that two annotators have in common,
without correction for chance), and coefficients for predefined items on *atomised text* (M15 §3). For these, the
continuum is divided into atoms of equal length. Each atom is an item; an annotator's category for it is the category of
the unit that covers its middle, or `NOTHING`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, SupportsFloat, Unpack

import numpy as np

from gamma_align.chance import PrecisionRule
from gamma_align.columns import FloatArray, IntArray, ranges
from gamma_align.data import Continuum, Corpus, FrameColumns, ItemTable
from gamma_align.distances import AnyDistance, Dissimilarity, Distance
from gamma_align.errors import InputError, SettingsError
from gamma_align.inference import Result, Value, columns_of
from gamma_align.measures.gamma import Documents, GammaRows, GammaSettings, run
from gamma_align.measures.gamma.corpus_values import corpus_values
from gamma_align.measures.items import item_coefficient, spec_of
from gamma_align.measures.unitizing.unitizing_alpha import unitizing_alpha
from gamma_align.simulation.keywords import ShufflingOptions
from gamma_align.simulation.shuffle import ShuffledCorpus, shuffle_grid

MAGNITUDES = tuple(step / 20 for step in range(21))  # 0, 0.05, … 1
BAND_QUANTILES = (0.05, 0.95)  # of the repetitions

GAMMAS = ("gamma", "gamma-cat", "gamma-k")
"""Measures that need samples of the expected disorder."""
UNITIZING = {"u-alpha": "u", "bar-u-alpha": "bar_u", "cu-alpha": "cu"}
"""Measures of the uα family, and their attributes of the result of `unitizing_alpha`."""
SPANS = "span-f1"  # F1 of spans, as `span_f1` computes it
ATOM_PREFIX = "atoms:"  # followed by the name of a coefficient for items
_COMMON_ON_ATOMS = ("atoms:alpha", "atoms:kappa", "atoms:pi", "atoms:s", "atoms:observed")
MEASURES = (*GAMMAS, *UNITIZING, SPANS, *_COMMON_ON_ATOMS)
"""Names that help and messages list; any coefficient may follow the prefix of atoms."""
NOTHING = "(nothing)"  # category of an atom outside all units
NO_CATEGORY = "(no category)"  # category of an atom in an unlabelled unit

Measure = Callable[[Corpus], SupportsFloat]
"""A user-defined measure: a function of a corpus."""

Measurements = list[dict[str, Value]]
"""For each simulated corpus, the value of each measure by name."""

DocumentRange = tuple[int, int]
"""First index of consecutive documents, and last index + 1."""


class Point(NamedTuple):
    """A measure of one simulated corpus: NaN with a reason if it is not available. Repetitions are counted from 0."""

    magnitude: float
    repetition: int
    measure: str
    value: float
    reason: str | None


class Band(NamedTuple):
    """Mean, 5 % and 95 % quantile of the repetitions at one magnitude, and the number of repetitions with a value.

    Mean and quantiles are NaN if no repetition has a value.
    """

    magnitude: float
    mean: float
    low: float
    high: float
    available: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Experiment(Result):
    """Values of measures on simulated corpora.

    Attributes
    ----------
    points : tuple of Point
        One for each magnitude, repetition and measure.
    settings : dict
        All settings of the experiment, so that it can be repeated with the same reference.

    Examples
    --------
    >>> result = ga.experiment(ga.synthetic_reference(units=5), measures=["span-f1"], magnitudes=[0, 1])
    >>> [(band.magnitude, band.mean) for band in result.curve("span-f1")]
    [(0.0, 1.0), (1.0, 0.0)]
    """

    points: tuple[Point, ...]
    settings: dict[str, Any]

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the measures in the requested order; γk has one name for each category."""
        return tuple(dict.fromkeys(point.measure for point in self.points))

    def curve(self, measure: str) -> tuple[Band, ...]:
        """Return the mean and band of a measure at each magnitude.

        Raises
        ------
        SettingsError
            If the measure was not requested.
        """
        values: dict[float, list[float]] = {}
        for point in self.points:
            if point.measure == measure:
                values.setdefault(point.magnitude, []).append(point.value)
        if not values:
            raise SettingsError(f"the experiment did not measure {measure!r}; it has {', '.join(self.measures)}")
        return tuple(make_band(magnitude, values[magnitude]) for magnitude in sorted(values))

    def _contents(self) -> dict[str, object]:
        curves = {measure: self.curve(measure) for measure in self.measures}
        return {"schema_version": 1, "settings": self.settings, "curves": curves, "points": self.points}

    def _columns(self) -> FrameColumns:
        return columns_of(self.points, Point._fields)


def make_band(magnitude: float, values: Sequence[float]) -> Band:
    """Return the mean and quantiles of the repetitions at one magnitude; NaN values are skipped."""
    available = [value for value in values if not math.isnan(value)]
    if not available:
        return Band(magnitude, math.nan, math.nan, math.nan, 0)
    low, high = np.quantile(available, BAND_QUANTILES).tolist()
    return Band(magnitude, math.fsum(available) / len(available), low, high, len(available))


def experiment(
    reference: Corpus | Continuum,
    *,
    measures: Sequence[str | Measure] = ("gamma", "gamma-cat", "cu-alpha"),
    kinds: Sequence[str] = ("shift",),
    magnitudes: Sequence[float] = MAGNITUDES,
    repetitions: int = 10,
    annotators: int = 3,
    annotator: str | None = None,
    seed: int = 0,
    precision: float = 0.02,
    samples: int | None = None,
    distance: AnyDistance = "nominal",
    atom: float = 1.0,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **options: Unpack[ShufflingOptions],
) -> Experiment:
    """Measure corpora that were simulated with errors of known kinds and magnitudes.

    Parameters
    ----------
    reference : Corpus or Continuum
        The annotation to degrade. If it has several documents, measures are pooled over them.
    measures : sequence of str or callable
        ``"gamma"``, ``"gamma-cat"``, ``"gamma-k"`` (every category), ``"u-alpha"``, ``"bar-u-alpha"``, ``"cu-alpha"``,
        ``"span-f1"`` (exact spans), and ``"atoms:alpha"``, ``"atoms:kappa"`` … (coefficients on atomised text); or any
        function of a `Corpus` that returns a number or a `Value`. The name of a function is the name of its measure.
    kinds, annotators, annotator, seed, **options
        As in `shuffle`.
    magnitudes : sequence of float
        Magnitudes m of the errors.
    repetitions : int
        Number of simulated corpora at each magnitude.
    precision, samples
        Precision of the expected disorder, or number of samples, as in `gamma`.
    distance : str, Distance, table or function
        Distance between categories for the γ family and cuα; see `gamma_align.distances.as_distance`. The other
        measures use the nominal distance.
    atom : float
        Length of the atoms.
    n_jobs, progress
        As in `gamma`.

    Returns
    -------
    Experiment

    Raises
    ------
    SettingsError, InputError
        As in `shuffle`, and if a measure is unknown.
    ResourceError
        If the memory, the disk space or the workers are not enough.

    Examples
    --------
    >>> reference = ga.synthetic_reference(units=5)
    >>> result = ga.experiment(reference, measures=["cu-alpha"], kinds=["category"], magnitudes=[0, 1], repetitions=1)
    >>> [(point.magnitude, round(point.value, 3)) for point in result.points]
    [(0.0, 1.0), (1.0, 0.146)]
    >>> def units(corpus):
    ...     return corpus.n_units
    >>> [point.value for point in ga.experiment(reference, measures=[units], magnitudes=[0, 1], repetitions=1).points]
    [15.0, 15.0]
    """
    if isinstance(measures, str):
        raise SettingsError(f"measures must be a list of {', '.join(MEASURES)}, and functions of a corpus")
    functions = {_measure_name(measure): measure for measure in measures if callable(measure)}
    names = check_measures([_measure_name(measure) for measure in measures], functions)
    dissimilarity = Dissimilarity(categorial=distance)
    settings = GammaSettings(
        dissimilarity=dissimilarity, rule=PrecisionRule(precision, samples, of="documents"), seed=seed
    )
    shuffled = shuffle_grid(
        reference,
        magnitudes=magnitudes,
        repetitions=repetitions,
        kinds=kinds,
        annotators=annotators,
        seed=seed,
        annotator=annotator,
        **options,
    )
    runs = document_ranges(shuffled)
    built_in = [name for name in names if name not in functions]
    measurements = measure_runs(
        shuffled.corpus, list(runs.values()), built_in, settings, atom=atom, n_jobs=n_jobs, progress=progress
    )
    for values, (first, last) in zip(measurements, runs.values(), strict=True):
        documents = shuffled.corpus.documents_between(first, last)
        values.update({name: _evaluate(measure, documents) for name, measure in functions.items()})
    described = {
        "measures": list(names),
        "magnitudes": sorted({magnitude for magnitude, _ in runs}),
        "repetitions": repetitions,
        "annotators": annotators,
        "seed": seed,
        "precision": None if samples is not None else precision,
        "samples": samples,
        "distance": dissimilarity.categorial.to_dict(),
        "atom": atom,
        **shuffled.settings.to_dict(),
    }
    return Experiment(tuple(make_points(runs, measurements, names)), described)


def document_ranges(shuffled: ShuffledCorpus, *, by: str = "repetition") -> dict[tuple[float, int], DocumentRange]:
    """Return the documents of each pair of a magnitude and a repetition (or document): the first, and the last + 1."""
    ranges_by_key: dict[tuple[float, int], DocumentRange] = {}
    for index, name in enumerate(shuffled.corpus.documents):
        instance = shuffled.instances[name]
        key = (instance.magnitude, getattr(instance, by))
        first, _ = ranges_by_key.get(key, (index, index))
        ranges_by_key[key] = (first, index + 1)
    return dict(sorted(ranges_by_key.items()))


def make_points(
    runs: dict[tuple[float, int], DocumentRange], measurements: Measurements, measures: Sequence[str]
) -> Iterable[Point]:
    """Yield the points of all simulated corpora in the order of the measures; γk yields its categories by name."""
    measured_names = sorted(set[str]().union(*measurements))
    order: list[str] = []
    for measure in measures:
        if measure in measured_names:
            order.append(measure)
        else:
            order += [name for name in measured_names if name.startswith(f"{measure}:")]
    for measure in order:
        for (magnitude, repetition), values in zip(runs, measurements, strict=True):
            if measure in values:  # γk of a category is missing if no annotator used the category there
                yield Point(magnitude, repetition, measure, values[measure].value, values[measure].reason)


def _measure_name(measure: str | Measure) -> str:
    """Return the name of a measure or function."""
    return measure if isinstance(measure, str) else getattr(measure, "__name__", type(measure).__name__)


def _evaluate(measure: Measure, corpus: Corpus) -> Value:
    """Return the value of a user-defined measure; it is not available if the function raises an `InputError`."""
    try:
        result = measure(corpus)
    except InputError as error:
        return Value.unavailable(str(error))
    return result if isinstance(result, Value) else Value(float(result))


def check_measures(measures: Sequence[str], functions: Collection[str] = ()) -> tuple[str, ...]:
    """Return the distinct names of the measures; `functions` are the names of user-defined measures."""
    if not measures:
        raise SettingsError(f"measures must be a list of {', '.join(MEASURES)}, and functions of a corpus")
    for name in measures:
        if name in functions:
            if name in MEASURES or measures.count(name) > 1:
                raise SettingsError(f"two measures are named {name!r}", "give the function another name")
        elif name.startswith(ATOM_PREFIX):
            spec_of(name.removeprefix(ATOM_PREFIX))
        elif name not in MEASURES:
            raise SettingsError(
                f"no measure {name!r}; there are {', '.join(MEASURES)}, and {ATOM_PREFIX} with any coefficient"
            )
    return tuple(dict.fromkeys(measures))


def measure_runs(
    corpus: Corpus,
    runs: Sequence[DocumentRange],
    measures: Sequence[str],
    settings: GammaSettings,
    *,
    atom: float = 1.0,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Measurements:
    """Return the measures of each range of documents, pooled over its documents."""
    measurements: Measurements = [{} for _ in runs]
    if any(name in GAMMAS for name in measures):
        rows = run(corpus, settings, n_jobs=n_jobs, progress=progress)
        for values, (first, last) in zip(measurements, runs, strict=True):
            values.update(_gammas(rows.take(slice(first, last)), measures))
    without_samples = [name for name in measures if name not in GAMMAS]
    if without_samples:
        for values, (first, last) in zip(measurements, runs, strict=True):
            documents = corpus.documents_between(first, last)
            values.update(_other_measures(documents, without_samples, atom, settings.dissimilarity.categorial))
    return measurements


def _gammas(rows: GammaRows, measures: Sequence[str]) -> dict[str, Value]:
    """Return the requested measures of the γ family, with γk of each category by name."""
    gamma, gamma_cat, gamma_k = corpus_values(Documents(rows))
    values: dict[str, Value] = {"gamma": gamma, "gamma-cat": gamma_cat}
    values |= {f"gamma-k:{label}": value for label, value in gamma_k.items()}
    return {name: value for name, value in values.items() if name.partition(":")[0] in measures}


def _other_measures(corpus: Corpus, measures: Sequence[str], atom: float, distance: Distance) -> dict[str, Value]:
    """Return the requested measures that need no samples."""
    values: dict[str, Value] = {}
    unitizing = [name for name in measures if name in UNITIZING]
    if unitizing:
        values |= _unitizing_alphas(corpus, unitizing, distance)
    if SPANS in measures:
        values[SPANS] = _mean_span_f1(corpus)
    on_atoms = [name for name in measures if name.startswith(ATOM_PREFIX)]
    if on_atoms:
        values |= _atom_coefficients(corpus, on_atoms, atom)
    return values


def _unitizing_alphas(corpus: Corpus, measures: Sequence[str], distance: Distance) -> dict[str, Value]:
    """Return the requested measures of the uα family."""
    try:
        result = unitizing_alpha(corpus, distance=distance)
    except InputError as error:  # the family is not defined if units of an annotator overlap
        return dict.fromkeys(measures, Value.unavailable(str(error)))
    return {name: getattr(result, UNITIZING[name]) for name in measures}


def _mean_span_f1(corpus: Corpus) -> Value:
    """Return the mean F1 of the documents that have a unit."""
    scores = [score for score in span_f1(corpus).tolist() if not math.isnan(score)]
    if not scores:
        return Value.unavailable("no annotator has a unit")
    return Value(math.fsum(scores) / len(scores))


def _atom_coefficients(corpus: Corpus, measures: Sequence[str], atom: float) -> dict[str, Value]:
    """Return the requested coefficients on atoms."""
    try:
        table = atomise(corpus, atom)
    except InputError as error:  # a unit of an annotator overlaps another one
        return dict.fromkeys(measures, Value.unavailable(str(error)))
    values = {}
    for name in measures:
        result = item_coefficient(table, name.removeprefix(ATOM_PREFIX), interval=None)
        values[name] = Value(result.value, reason=result.reason)
    return values


def atomise(corpus: Corpus, width: float = 1.0) -> ItemTable:
    """Return the atoms of all documents as items.

    Atoms of a document are missing for the annotators who did not see the document.
    """
    if not 0 < width < np.inf:
        raise SettingsError(f"the length of atoms must be above 0, not {width}")
    low, high = corpus.extents.T
    # An atom counts if its middle lies inside: the half moves the middle of atom i from i + 1/2 to i.
    n_atoms = np.ceil((high - low) / width - 0.5).astype(np.int64)
    offsets = np.concatenate([[0], np.cumsum(n_atoms)])
    codes = np.full((int(offsets[-1]), len(corpus.annotators)), -1, dtype=np.int64)
    seen_document = corpus.seen_document
    seen_atoms = ranges(offsets[seen_document], n_atoms[seen_document])
    codes[seen_atoms, np.repeat(corpus.seen, n_atoms[seen_document])] = 0

    document = corpus.unit_document
    first = _atom_index(corpus.start, low[document], width, n_atoms[document])
    counts = _atom_index(corpus.end, low[document], width, n_atoms[document]) - first
    atom = ranges(offsets[document] + first, counts)
    annotator = np.repeat(corpus.annotator, counts)
    _check_one_unit_per_atom(corpus, document, atom, annotator, counts)
    category = np.where(corpus.category < 0, len(corpus.categories), corpus.category) + 1  # 0 is `NOTHING`
    codes[atom, annotator] = np.repeat(category, counts)

    # Coefficients count the categories of a table, so categories that no atom has are removed.
    labels = (NOTHING, *corpus.categories, NO_CATEGORY)
    used = np.unique(codes[codes >= 0])
    new_codes = np.full(len(labels) + 1, -1)  # the last entry serves code -1, missing
    new_codes[used] = np.arange(len(used))
    return ItemTable(new_codes[codes], corpus.annotators, tuple(labels[code] for code in used.tolist()))


def _atom_index(bound: FloatArray, low: FloatArray, width: float, n_atoms: IntArray) -> IntArray:
    """Return the index of the first atom whose middle is not before each bound."""
    index: IntArray = np.clip(np.ceil((bound - low) / width - 0.5).astype(np.int64), 0, n_atoms)
    return index


def _check_one_unit_per_atom(
    corpus: Corpus, document: IntArray, atom: IntArray, annotator: IntArray, counts: IntArray
) -> None:
    """Raise an error if two units of an annotator cover the same atom."""
    key = atom * max(len(corpus.annotators), 1) + annotator
    order = np.argsort(key, kind="stable")
    repeated = np.flatnonzero(np.diff(key[order]) == 0)
    if len(repeated):
        unit = int(np.repeat(np.arange(len(counts)), counts)[order[repeated[0]]])
        raise InputError(
            f"document {corpus.documents[document[unit]]!r}, annotator {corpus.annotators[corpus.annotator[unit]]!r}: "
            f"unit {corpus.start[unit]:g}–{corpus.end[unit]:g} overlaps another; an atom has one category"
        )


def span_f1(corpus: Corpus) -> FloatArray:
    """Return the mean F1 over pairs of annotators, 2·(common units) / (units of both), shape (n_documents,).

    It is NaN if no pair of annotators has a unit.
    """
    unit_document = corpus.unit_document
    columns = np.stack([unit_document, corpus.start, corpus.end, corpus.category], axis=1)
    distinct, index = np.unique(columns, axis=0, return_inverse=True)
    document = distinct[:, 0].astype(np.int64)
    max_annotators = int(corpus.n_annotators.max(initial=0))
    counts = np.zeros((len(distinct), max_annotators))
    np.add.at(counts, (index.reshape(-1), corpus.annotator_in_document), 1.0)
    n_units = np.zeros((len(corpus), max_annotators))
    np.add.at(n_units, (unit_document, corpus.annotator_in_document), 1.0)
    sums = np.zeros(len(corpus))
    n_pairs = np.zeros(len(corpus))
    for first, second in itertools.combinations(range(max_annotators), 2):
        common = np.bincount(document, np.minimum(counts[:, first], counts[:, second]), minlength=len(corpus))
        n_units_of_pair = n_units[:, first] + n_units[:, second]
        has_units = (corpus.n_annotators > second) & (n_units_of_pair > 0)
        sums[has_units] += 2.0 * common[has_units] / n_units_of_pair[has_units]
        n_pairs += has_units
    with np.errstate(invalid="ignore"):  # 0 / 0: no pair has a unit
        mean: FloatArray = sums / n_pairs
    return mean
