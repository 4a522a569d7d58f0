"""`experiment`: how measures respond to errors of known kinds and sizes.

Besides γ and the uα family the measures are F1 of spans (how many units two annotators have in common, no correction
for chance) and coefficients for predefined items on *atomised text* (M15 §3): the continuum is cut into atoms of one
length, each an item that everybody categorised by the unit that holds its middle, or as `NOTHING`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, SupportsFloat

import numpy as np

from gamma_align.columns import FloatArray, IntArray, ranges
from gamma_align.data.continuum import Continuum
from gamma_align.data.corpus import Corpus
from gamma_align.data.frames import Columns
from gamma_align.data.item_table import ItemTable
from gamma_align.distances import AnyDistance, Distance
from gamma_align.distances.dissimilarity import Dissimilarity
from gamma_align.errors import InputError, SettingsError
from gamma_align.gammas.coefficients import corpus_values
from gamma_align.gammas.measure import run
from gamma_align.gammas.precision import PrecisionRule
from gamma_align.gammas.rows import GammaRows
from gamma_align.gammas.settings import GammaSettings
from gamma_align.items.coefficients import item_coefficient
from gamma_align.items.spec import spec_of
from gamma_align.results.values import Result, Value, columns_of
from gamma_align.shuffling.shuffle import ShuffledCorpus, shuffle_grid
from gamma_align.unitizing.alpha import unitizing_alpha

MAGNITUDES = tuple(step / 20 for step in range(21))
BAND = (0.05, 0.95)  # the band of a curve: these quantiles of the repetitions

GAMMAS = ("gamma", "gamma-cat", "gamma-k")
UNITIZING = {"u-alpha": "u", "bar-u-alpha": "bar_u", "cu-alpha": "cu"}
SPANS = "span-f1"
ATOMS = "atoms:"
MEASURES = (*GAMMAS, *UNITIZING, SPANS, "atoms:alpha", "atoms:kappa", "atoms:pi", "atoms:s", "atoms:observed")
NOTHING = "(nothing)"
NO_CATEGORY = "(no category)"

Measure = Callable[[Corpus], SupportsFloat]
"""A measure of the user's own: a function of a corpus."""

Table = list[dict[str, Value]]
"""The value of each measure, for each simulated corpus."""


class Point(NamedTuple):
    """A measure of one simulated corpus: NaN where it is not available, with the reason; repetitions are from 0."""

    magnitude: float
    repetition: int
    measure: str
    value: float
    reason: str | None


class Band(NamedTuple):
    """Mean, 5 % and 95 % quantile of a measure's repetitions at one magnitude, and how many of them have a value.

    All three are NaN where it is never available.
    """

    magnitude: float
    mean: float
    low: float
    high: float
    available: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Experiment(Result):
    """An experiment's result.

    Attributes
    ----------
    points : tuple of Point
        A row for each magnitude, repetition and measure.
    settings : dict
        Everything needed to run it again, but the reference.

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
        """The measures, in the order asked for; γk one for each category."""
        return tuple(dict.fromkeys(point.measure for point in self.points))

    def curve(self, measure: str) -> tuple[Band, ...]:
        """Return mean and band of a measure at each magnitude.

        Raises
        ------
        SettingsError
            For a measure that was not asked for.
        """
        values: dict[float, list[float]] = {}
        for point in self.points:
            if point.measure == measure:
                values.setdefault(point.magnitude, []).append(point.value)
        if not values:
            raise SettingsError(f"the experiment did not measure {measure!r}; it has {', '.join(self.measures)}")
        return tuple(band_of(magnitude, values[magnitude]) for magnitude in sorted(values))

    def _contents(self) -> dict[str, Any]:
        curves = {measure: self.curve(measure) for measure in self.measures}
        return {"schema_version": 1, "settings": self.settings, "curves": curves, "points": self.points}

    def _columns(self) -> Columns:
        return columns_of(self.points, Point._fields)


def band_of(magnitude: float, values: Sequence[float]) -> Band:
    """Return mean and quantiles of the repetitions' values, NaN those that are not available."""
    kept = [value for value in values if not math.isnan(value)]
    if not kept:
        return Band(magnitude, math.nan, math.nan, math.nan, 0)
    low, high = np.quantile(kept, BAND).tolist()
    return Band(magnitude, math.fsum(kept) / len(kept), low, high, len(kept))


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
    **options: Any,  # noqa: ANN401  (fields of Shuffling)
) -> Experiment:
    """Return how measures respond to errors of known kinds and size.

    Parameters
    ----------
    reference : Corpus or Continuum
        What is degraded; with several documents, measures are pooled over them.
    measures : sequence of str or callable
        ``"gamma"``, ``"gamma-cat"``, ``"gamma-k"`` (every category), ``"u-alpha"``, ``"bar-u-alpha"``, ``"cu-alpha"``,
        ``"span-f1"`` (exact spans), and ``"atoms:alpha"``, ``"atoms:kappa"`` … (coefficients on atomised text); or any
        function of a `Corpus` that returns a number or a `Value`, by its name.
    kinds, annotators, annotator, seed, **options
        As in `shuffle`.
    magnitudes : sequence of float
        m.
    repetitions : int
        Simulated corpora at each magnitude.
    precision, samples
        Of the expected disorder, as in `gamma`.
    distance : str, Distance, table or function
        Between categories, for γ's family and cuα; see `gamma_align.distances.as_distance`. Others are nominal.
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
        As `shuffle`, and for an unknown measure.
    MissingExtraError
        If more than one worker is asked for and joblib is missing.

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
        raise SettingsError(f"measures is a list, of {', '.join(MEASURES)}, and functions of a corpus")
    functions = {_name_of(measure): measure for measure in measures if callable(measure)}
    names = check_measures([_name_of(measure) for measure in measures], functions)
    dissimilarity = Dissimilarity(categorial=distance)
    settings = GammaSettings(
        dissimilarity=dissimilarity, rule=PrecisionRule(precision, samples, of="documents"), seed=seed
    )
    errors = {"kinds": kinds, "annotators": annotators, "annotator": annotator, "seed": seed, **options}
    shuffled = shuffle_grid(reference, magnitudes=magnitudes, repetitions=repetitions, **errors)
    runs = runs_of(shuffled)
    known = [name for name in names if name not in functions]
    table = measured(shuffled.corpus, list(runs.values()), known, settings, atom=atom, n_jobs=n_jobs, progress=progress)
    for values, (first, last) in zip(table, runs.values(), strict=True):
        documents = shuffled.corpus.documents_between(first, last)
        values.update({name: _value_of(measure, documents) for name, measure in functions.items()})
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
    return Experiment(tuple(points_of(runs, table, names)), described)


def runs_of(shuffled: ShuffledCorpus, *, by: str = "repetition") -> dict[tuple[float, int], tuple[int, int]]:
    """Return, for each magnitude and repetition (or document), the first of its documents and the last + 1."""
    runs: dict[tuple[float, int], tuple[int, int]] = {}
    for document, name in enumerate(shuffled.corpus.documents):
        instance = shuffled.instances[name]
        key = (instance.magnitude, getattr(instance, by))
        runs[key] = (runs.get(key, (document, document))[0], document + 1)
    return dict(sorted(runs.items()))


def points_of(runs: dict[tuple[float, int], tuple[int, int]], table: Table, measures: Sequence[str]) -> Iterable[Point]:
    """Yield the points of simulated corpora, in the order of the measures; γk of each category stands by name."""
    known = sorted({name for values in table for name in values})
    order: list[str] = []
    for measure in measures:
        order += [measure] if measure in known else [name for name in known if name.startswith(f"{measure}:")]
    for measure in order:
        for (magnitude, repetition), values in zip(runs, table, strict=True):
            if measure in values:  # γk of a category that nobody used there is not in the table
                yield Point(magnitude, repetition, measure, values[measure].value, values[measure].reason)


def _name_of(measure: str | Measure) -> str:
    return measure if isinstance(measure, str) else getattr(measure, "__name__", type(measure).__name__)


def _value_of(measure: Measure, corpus: Corpus) -> Value:
    """Return what a function of a corpus measures; not available where it refuses the data."""
    try:
        result = measure(corpus)
    except InputError as error:
        return Value.unavailable(str(error))
    return result if isinstance(result, Value) else Value(float(result))


def check_measures(measures: Sequence[str], functions: Collection[str] = ()) -> tuple[str, ...]:
    """Return the names of the measures, each once; `functions` are the names of the user's own."""
    if not measures:
        raise SettingsError(f"measures is a list, of {', '.join(MEASURES)}, and functions of a corpus")
    for name in measures:
        if name in functions:
            if name in MEASURES or measures.count(name) > 1:
                raise SettingsError(f"two measures are named {name!r}; give the function another name")
        elif name.startswith(ATOMS):
            spec_of(name[len(ATOMS) :])
        elif name not in MEASURES:
            raise SettingsError(
                f"no measure {name!r}; there are {', '.join(MEASURES)}, and atoms: with any coefficient"
            )
    return tuple(dict.fromkeys(measures))


def measured(
    corpus: Corpus,
    runs: Sequence[tuple[int, int]],
    measures: Sequence[str],
    settings: GammaSettings,
    *,
    atom: float = 1.0,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Table:
    """Return the measures of each run of documents, pooled over it."""
    table: Table = [{} for _ in runs]
    if any(name in GAMMAS for name in measures):
        rows = run(corpus, settings, n_jobs=n_jobs, progress=progress)
        for values, (first, last) in zip(table, runs, strict=True):
            values.update(_gammas(rows.take(slice(first, last)), measures))
    unsampled = [name for name in measures if name not in GAMMAS]
    for values, (first, last) in zip(table, runs, strict=True) if unsampled else ():
        documents = corpus.documents_between(first, last)
        values.update(_unsampled(documents, unsampled, atom, settings.dissimilarity.categorial))
    return table


def _gammas(rows: GammaRows, measures: Sequence[str]) -> dict[str, Value]:
    gamma, gamma_cat, gamma_k = corpus_values(rows)
    values: dict[str, Value] = {"gamma": gamma, "gamma-cat": gamma_cat}
    values |= {f"gamma-k:{label}": value for label, value in gamma_k.items()}
    return {name: value for name, value in values.items() if name.partition(":")[0] in measures}


def _unsampled(corpus: Corpus, measures: Sequence[str], atom: float, distance: Distance) -> dict[str, Value]:
    values: dict[str, Value] = {}
    of_units = [name for name in measures if name in UNITIZING]
    if of_units:
        values |= _unitizing(corpus, of_units, distance)
    if SPANS in measures:
        each = [value for value in span_f1(corpus).tolist() if not math.isnan(value)]
        mean = Value(math.fsum(each) / len(each)) if each else Value.unavailable("no annotator has a unit")
        values[SPANS] = mean
    on_atoms = [name for name in measures if name.startswith(ATOMS)]
    return values | (_on_atoms(corpus, on_atoms, atom) if on_atoms else {})


def _unitizing(corpus: Corpus, measures: Sequence[str], distance: Distance) -> dict[str, Value]:
    try:
        result = unitizing_alpha(corpus, distance=distance)
    except InputError as error:  # units that overlap have no place in this family
        return dict.fromkeys(measures, Value.unavailable(str(error)))
    return {name: getattr(result, UNITIZING[name]) for name in measures}


def _on_atoms(corpus: Corpus, measures: Sequence[str], atom: float) -> dict[str, Value]:
    try:
        table = atoms(corpus, atom)
    except InputError as error:
        return dict.fromkeys(measures, Value.unavailable(str(error)))
    coefficients = {name: item_coefficient(table, name[len(ATOMS) :], interval=None) for name in measures}
    return {name: Value(result.value, reason=result.reason) for name, result in coefficients.items()}


def atoms(corpus: Corpus, width: float = 1.0) -> ItemTable:
    """Return the atoms of all documents as items; an annotator who did not see a document judged none of its atoms."""
    if not 0 < width < np.inf:
        raise SettingsError(f"an atom has a length above 0, not {width}")
    low, high = corpus.extents.T
    number = np.ceil((high - low) / width - 0.5).astype(np.int64)
    offset = np.concatenate([[0], np.cumsum(number)])
    codes = np.full((int(offset[-1]), len(corpus.annotators)), -1, dtype=np.int64)
    seen_document = corpus.seen_document
    rows = ranges(offset[seen_document], number[seen_document])
    codes[rows, np.repeat(corpus.seen, number[seen_document])] = 0
    document = corpus.unit_document
    first, last = (
        np.clip(np.ceil((bound - low[document]) / width - 0.5).astype(np.int64), 0, number[document])
        for bound in (corpus.start, corpus.end)
    )
    atom = ranges(offset[document] + first, last - first)
    annotator = np.repeat(corpus.annotator, last - first)
    _check_single(corpus, document, atom, annotator, last - first)
    category = np.where(corpus.category < 0, len(corpus.categories), corpus.category) + 1
    codes[atom, annotator] = np.repeat(category, last - first)
    labels = (NOTHING, *corpus.categories, NO_CATEGORY)
    used = np.unique(codes[codes >= 0])
    code_of = np.full(len(labels) + 1, -1)
    code_of[used] = np.arange(len(used))
    return ItemTable(code_of[codes], corpus.annotators, tuple(labels[code] for code in used.tolist()))


def _check_single(corpus: Corpus, document: IntArray, atom: IntArray, annotator: IntArray, counts: IntArray) -> None:
    """Refuse units of one annotator that share an atom."""
    key = atom * max(len(corpus.annotators), 1) + annotator
    order = np.argsort(key, kind="stable")
    twice = np.flatnonzero(np.diff(key[order]) == 0)
    if len(twice):
        unit = int(np.repeat(np.arange(len(counts)), counts)[order[twice[0]]])
        raise InputError(
            f"document {corpus.documents[document[unit]]!r}, annotator {corpus.annotators[corpus.annotator[unit]]!r}: "
            f"unit {corpus.start[unit]:g}–{corpus.end[unit]:g} overlaps another; an atom has one category"
        )


def span_f1(corpus: Corpus) -> FloatArray:
    """Return the mean over pairs of annotators of 2·(units in common) / (units of both), shape (n_documents,).

    It is NaN where no pair of annotators has a unit.
    """
    document = corpus.unit_document
    rows = np.stack([document, corpus.start, corpus.end, corpus.category], axis=1)
    units, index = np.unique(rows, axis=0, return_inverse=True)
    of_document = units[:, 0].astype(np.int64)
    most = int(corpus.n_annotators.max(initial=0))
    counts = np.zeros((len(units), most))
    np.add.at(counts, (index.reshape(-1), corpus.annotator_in_document), 1.0)
    marked = np.zeros((len(corpus), most))
    np.add.at(marked, (document, corpus.annotator_in_document), 1.0)
    total, pairs = np.zeros(len(corpus)), np.zeros(len(corpus))
    for left, right in itertools.combinations(range(most), 2):
        common = np.bincount(of_document, np.minimum(counts[:, left], counts[:, right]), minlength=len(corpus))
        both = marked[:, left] + marked[:, right]
        known = (corpus.n_annotators > right) & (both > 0)
        total[known] += 2.0 * common[known] / both[known]
        pairs += known
    with np.errstate(invalid="ignore"):
        mean: FloatArray = total / pairs
    return mean
