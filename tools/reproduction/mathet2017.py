"""The experiments of Mathet 2017, §4.2.3 and §5.3-5.8, run again: how γ, γcat, γk and cuα respond to known errors.

Three annotators are simulated from a reference of 100 units with 4 equally frequent categories, at magnitudes from 0 to
1. As published, units of figure 14 have length 5, and in its second experiment units of D have length 20; all others
have length 10. Bounds are not integers, and γ uses α = β = Δ = 1. Every repetition has its own reference, so that the
standard error of a mean over repetitions includes the variation between references.

The paper does not mention the gaps between units of the reference, nor how shifted units that overlap are treated, for
which cuα is not defined. The experiments are therefore run under several `ALL_READINGS`: gaps of 5 ± 5 or of 10, and
overlapping units cut (the earlier unit ends at the start of the later one) for cuα alone, for every measure, or for
none. The verdicts cut units for cuα alone, and use the gaps that suit the claims of a figure better: 5 ± 5 for
positions and false negatives (figure 11, §5.4), 10 for the others. This selection depends on the results; the other
readings show its influence.

References
----------
Mathet 2017, The Agreement Measure γcat, a Complement to γ Focused on Categorization of a Continuum, Computational
Linguistics 43(3), §4.2.3, §5.3-5.8.
"""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from mathet2017_claims import Verdict, verdicts
from missing_values import MissingValues, Settings, missing_values, missing_values_text

from gamma_align.api.unitizing import unitizing_alpha
from gamma_align.chance.precision import PrecisionRule
from gamma_align.columns import FloatArray
from gamma_align.data.corpus import Corpus
from gamma_align.errors import SettingsError
from gamma_align.inference.values import Result, Value
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.present.curve_text import curves_svg, experiment_curves, symbol
from gamma_align.present.writers.lines import aligned_lines
from gamma_align.present.writers.text import number_text
from gamma_align.simulation.experiment import (
    GAMMAS,
    Experiment,
    Measurements,
    Point,
    document_ranges,
    make_points,
    measure_runs,
)
from gamma_align.simulation.shuffle import ShuffledCorpus, shuffle_grid
from gamma_align.simulation.synthetic import synthetic_reference

UNWEIGHTED = "gamma-cat:unweighted"  # γcat without the pairing confidence of M17 §4.2.3

CLAIMED_MAGNITUDES = (0.0, 0.1, 0.55, 0.8, 1.0)

CONFUSED_CATEGORIES = ("A", "B", "C")
_MIN_UNITS = 10  # of a reference
_MIN_ANNOTATORS = 2  # that can agree
_ALL_MEASURES = ("gamma", "gamma-cat", "cu-alpha")
_GAMMA_CAT_MEASURES = ("gamma-cat", UNWEIGHTED)
_CATEGORY_MEASURES = ("gamma-cat", "cu-alpha")


class Spec(NamedTuple):
    """One experiment: kinds of errors, measures, and units. `repetitions` is a factor of the scale's repetitions."""

    title: str
    kinds: tuple[str, ...]
    measures: tuple[str, ...] = _ALL_MEASURES
    subset: tuple[str, ...] | None = None
    length: float | Mapping[str, float] = 10.0
    magnitudes: tuple[float, ...] | None = None
    repetitions: int = 1


# By the name that results and files have.
EXPERIMENTS = {
    "section 4.2.3": Spec(
        "§4.2.3: positions and categories at random",
        ("shift", "category"),
        _GAMMA_CAT_MEASURES,
        magnitudes=(1.0,),
        repetitions=2,
    ),
    "section 4.2.3, categories": Spec(
        "§4.2.3: categories alone at random", ("category",), _GAMMA_CAT_MEASURES, magnitudes=(1.0,), repetitions=2
    ),
    "figure 11": Spec("Figure 11: positions", ("shift",)),
    "section 5.4": Spec("§5.4: false negatives", ("false-negative",)),
    "figure 12": Spec("Figure 12: categories", ("category",)),
    "figure 13": Spec("Figure 13: positions and categories", ("shift", "category")),
    "figure 14, 5": Spec(
        "Figure 14: all units 5 long, D never confused",
        ("category",),
        _CATEGORY_MEASURES,
        CONFUSED_CATEGORIES,
        length=5.0,
    ),
    "figure 14, 20": Spec(
        "Figure 14: units of D, never confused, 20 long",
        ("category",),
        _CATEGORY_MEASURES,
        CONFUSED_CATEGORIES,
        length=dict.fromkeys(CONFUSED_CATEGORIES, 5.0) | {"D": 20.0},
    ),
    "figure 15": Spec("Figure 15: D is never confused", ("category",), ("gamma-cat", "gamma-k"), CONFUSED_CATEGORIES),
}


class Reading(NamedTuple):
    """Assumptions that the paper leaves open: gaps of the reference, and the measures that overlaps are cut for."""

    title: str
    gap: float
    gap_deviation: float
    cut: str


ALL_READINGS = {
    "5 ± 5": Reading("gaps of 5 ± 5; units that overlap are cut for cuα alone", 5.0, 5.0, "cu-alpha"),
    "5 ± 5, uncut": Reading("gaps of 5 ± 5; nothing is cut, cuα is over all intersections", 5.0, 5.0, "nothing"),
    "5 ± 5, all cut": Reading("gaps of 5 ± 5; units that overlap are cut for every measure", 5.0, 5.0, "everything"),
    "10": Reading("gaps of 10; units that overlap are cut for cuα alone", 10.0, 0.0, "cu-alpha"),
    "10, uncut": Reading("gaps of 10; nothing is cut, cuα is over all intersections", 10.0, 0.0, "nothing"),
    "10, all cut": Reading("gaps of 10; units that overlap are cut for every measure", 10.0, 0.0, "everything"),
}
SELECTED_READINGS = dict.fromkeys(EXPERIMENTS, "10") | dict.fromkeys(("figure 11", "section 5.4"), "5 ± 5")
"""The reading of each experiment that gives the verdicts and the figures."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The size of the experiments. A scale at which the claims cannot be checked raises a `SettingsError`.

    `magnitudes` are used with the selected readings, `others` with the other readings; both contain
    `CLAIMED_MAGNITUDES`. `samples` is the number of samples of a simulated document; `tables` is the number of tables
    for each row of the experiment on missing values.
    """

    magnitudes: tuple[float, ...] = (0.0, 0.1, 0.2, 0.3, 0.45, 0.55, 0.65, 0.8, 0.9, 1.0)
    others: tuple[float, ...] = (0.0, 0.1, 0.3, 0.55, 0.8, 1.0)
    repetitions: int = 30
    annotators: int = 3
    units: int = 100
    samples: int = 8
    tables: int = 500
    seed: int = 0

    def __post_init__(self) -> None:
        if self.repetitions < 1 or self.annotators < _MIN_ANNOTATORS or self.units < _MIN_UNITS:
            minimum = f"1 repetition, {_MIN_ANNOTATORS} annotators and {_MIN_UNITS} units"
            raise SettingsError(f"the experiments need at least {minimum}")
        missing = set(CLAIMED_MAGNITUDES) - (set(self.magnitudes) & set(self.others))
        if missing:
            raise SettingsError(f"claims need the magnitude {min(missing):g}", "add it to magnitudes and others")

    def to_dict(self) -> dict[str, object]:
        """Return the scale, ready for JSON."""
        names = ("repetitions", "annotators", "units", "samples", "tables", "seed")
        shared = {name: getattr(self, name) for name in names}
        return {"magnitudes": list(self.magnitudes), "magnitudes_of_other_readings": list(self.others), **shared}


FULL_SCALE = Scale()
QUICK_SCALE = Scale(
    magnitudes=(0.0, 0.1, 0.45, 0.55, 0.8, 1.0), others=CLAIMED_MAGNITUDES, repetitions=3, samples=4, tables=60
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Outcome(Result):
    """Results under one reading: experiments by their names in `EXPERIMENTS`, and the verdict on each claim."""

    experiments: dict[str, Experiment]
    verdicts: tuple[Verdict, ...]

    def _contents(self) -> dict[str, object]:
        experiments = {name: experiment.to_dict() for name, experiment in self.experiments.items()}
        for contents in experiments.values():
            del contents["schema_version"]
        return {"verdicts": self.verdicts, "experiments": experiments}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Mathet2017(Result):
    """All results: experiments under `SELECTED_READINGS`, then under each of `ALL_READINGS`, and table 2."""

    scale: Scale
    selected: Outcome
    readings: dict[str, Outcome]
    missing: MissingValues

    def _contents(self) -> dict[str, object]:
        return {
            "schema_version": 2,
            "experiment": "mathet2017",
            "scale": self.scale.to_dict(),
            **self.selected.to_dict(),
            "readings": {
                name: {**ALL_READINGS[name]._asdict(), **outcome.to_dict()} for name, outcome in self.readings.items()
            },
            "missing_values": self.missing,
        }


def mathet2017(
    scale: Scale = FULL_SCALE, *, n_jobs: int | None = None, progress: Callable[[int, int], None] | None = None
) -> Mathet2017:
    """Run the experiments; the same scale gives the same result for any number of workers.

    Progress counts experiments.
    """
    runner = _Runner(scale, n_jobs)
    experiments: dict[str, dict[str, Experiment]] = {name: {} for name in ALL_READINGS}
    runs = list(itertools.product(ALL_READINGS, EXPERIMENTS))
    for done, (reading, name) in enumerate(runs):
        if progress is not None:
            progress(done, len(runs) + 1)
        experiments[reading][name] = runner.run(name, EXPERIMENTS[name], ALL_READINGS[reading])
    selected = {name: experiments[reading][name] for name, reading in SELECTED_READINGS.items()}
    readings = {name: Outcome(results, verdicts(results)) for name, results in experiments.items()}
    missing = missing_values(Settings(repetitions=scale.tables, seed=scale.seed))
    return Mathet2017(scale, Outcome(selected, verdicts(selected)), readings, missing)


class _Runner:
    """Runs experiments; readings that differ in cuα alone share the γ family."""

    def __init__(self, scale: Scale, n_jobs: int | None) -> None:
        self._scale, self._n_jobs = scale, n_jobs
        self._cache: dict[tuple[str, float, float, bool], tuple[ShuffledCorpus, Measurements]] = {}

    def run(self, name: str, spec: Spec, reading: Reading) -> Experiment:
        """Return one experiment under a reading."""
        shuffled, measurements = self._simulate_and_measure(name, spec, reading)
        if "cu-alpha" in spec.measures:
            cu_alphas = self._cu_alphas(spec, reading, shuffled)
            measurements = [row | {"cu-alpha": value} for row, value in zip(measurements, cu_alphas, strict=True)]
        settings = {
            "measures": list(spec.measures),
            "gap": reading.gap,
            "gap_deviation": reading.gap_deviation,
            "cut": reading.cut,
            "samples": self._scale.samples,
            # The documents of γ and cuα may differ in their overlaps, so `cut` is reported instead.
            **{name: value for name, value in shuffled.settings.to_dict().items() if name != "overlaps"},
        }
        points = make_points(document_ranges(shuffled, by="document"), measurements, spec.measures)
        return Experiment(tuple(points), settings)

    def _simulate_and_measure(self, name: str, spec: Spec, reading: Reading) -> tuple[ShuffledCorpus, Measurements]:
        """Return the simulated documents, and γ, γcat and γk of each."""
        cut = reading.cut == "everything" and "shift" in spec.kinds  # other kinds of errors make no units overlap
        # Units that are cut for cuα alone leave γ, γcat and γk unchanged.
        key = (name, reading.gap, reading.gap_deviation, cut)
        if key not in self._cache:
            selected = ALL_READINGS[SELECTED_READINGS[name]]
            # Selected readings cut units for cuα alone, so that their γ is measured on documents that are not cut.
            is_selected = key[1:] == (selected.gap, selected.gap_deviation, False)
            magnitudes = spec.magnitudes or (self._scale.magnitudes if is_selected else self._scale.others)
            shuffled = self._simulate(spec, reading, magnitudes, cut=cut)
            self._cache[key] = shuffled, self._measure_gammas(spec, shuffled)
        return self._cache[key]

    def _simulate(self, spec: Spec, reading: Reading, magnitudes: tuple[float, ...], *, cut: bool) -> ShuffledCorpus:
        """Return a document for each reference and magnitude; each repetition has its own reference."""
        scale = self._scale
        references = [
            synthetic_reference(
                units=scale.units,
                length=spec.length,
                gap=reading.gap,
                gap_deviation=reading.gap_deviation,
                seed=scale.seed + index,
                document=f"reference {index:04}",
            )
            for index in range(scale.repetitions * spec.repetitions)
        ]
        return shuffle_grid(
            Corpus.from_continua(references),
            magnitudes=magnitudes,
            kinds=spec.kinds,
            annotators=scale.annotators,
            seed=scale.seed,
            subset=spec.subset,
            overlaps="cut" if cut else "allow",
            integer=False,
        )

    def _measure_gammas(self, spec: Spec, shuffled: ShuffledCorpus) -> Measurements:
        runs = list(document_ranges(shuffled, by="document").values())
        rule = PrecisionRule(samples=self._scale.samples)
        settings = GammaSettings(rule=rule, seed=self._scale.seed)
        names = [name for name in spec.measures if name in GAMMAS]
        measurements = measure_runs(shuffled.corpus, runs, names, settings, n_jobs=self._n_jobs)
        if UNWEIGHTED in spec.measures:
            # The confidence is a setting of a run, so γcat without it needs a run of its own.
            without_confidence = GammaSettings(rule=rule, seed=self._scale.seed, confidence="none")
            unweighted = measure_runs(shuffled.corpus, runs, ["gamma-cat"], without_confidence, n_jobs=self._n_jobs)
            for row, unweighted_row in zip(measurements, unweighted, strict=True):
                row[UNWEIGHTED] = unweighted_row["gamma-cat"]
        return measurements

    def _cu_alphas(self, spec: Spec, reading: Reading, shuffled: ShuffledCorpus) -> list[Value]:
        """Return cuα of each simulated document."""
        runs = document_ranges(shuffled, by="document")
        if reading.cut == "nothing":
            values = cu_alpha_of_overlapping(shuffled.corpus).tolist()
            return [Value(values[first]) for first, _ in runs.values()]
        if reading.cut == "cu-alpha" and "shift" in spec.kinds:
            magnitudes = tuple(dict.fromkeys(magnitude for magnitude, _ in runs))
            shuffled = self._simulate(spec, reading, magnitudes, cut=True)
        documents = unitizing_alpha(shuffled.corpus).documents
        return [documents[first].cu for first, _ in document_ranges(shuffled, by="document").values()]


def cu_alpha_of_overlapping(corpus: Corpus) -> FloatArray:
    """Return nominal cuα of each document over all intersections of two annotators' units; every unit has a category.

    It is NaN if no disagreement is expected by chance. Without overlaps it is cuα with pairwise self-pairing (K16 eq.
    10).
    """
    bounds = zip(corpus.unit_offsets[:-1].tolist(), corpus.unit_offsets[1:].tolist(), strict=True)
    return np.array([_cu_alpha(corpus, slice(first, last)) for first, last in bounds], dtype=np.float64)


def _cu_alpha(corpus: Corpus, units: slice) -> float:
    """Return cuα of the document that has these units."""
    start, end, annotator = corpus.start[units], corpus.end[units], corpus.annotator[units]
    has_category = corpus.category[units, None] == np.arange(len(corpus.categories))
    has_annotator = annotator[:, None] == np.unique(annotator)
    overlap = np.minimum(end[:, None], end) - np.maximum(start[:, None], start)
    # Units of the same annotator do not form pairs.
    overlap = np.where(annotator[:, None] == annotator, 0.0, np.maximum(overlap, 0.0))
    n_partners = max(has_annotator.shape[1] - 1, 1)
    lengths = has_category.T @ overlap @ has_category / n_partners
    self_pairs = has_category.T @ np.square(overlap @ has_annotator).sum(axis=1) / n_partners
    total, margins = lengths.sum(), lengths.sum(axis=1)
    # If the divisor of `expected` is 0 or less, no disagreement is expected by chance.
    if total <= 0 or total <= self_pairs.sum() / total:
        return float("nan")
    expected = (total**2 - np.square(margins).sum()) / (total - self_pairs.sum() / total)
    return float(1.0 - (total - np.trace(lengths)) / expected) if expected > 0 else float("nan")


_MAX_WIDTH = 110  # characters of a line
_INTRODUCTION_TEXT = (
    "A claim comes out where the deciding figure is within 0.03 of the paper's. Figures are means over repetitions, "
    "each with a reference of its own, ± their standard errors. A question mark: within two standard errors of the "
    "limit, where chance decides."
)


def mathet2017_text(result: Mathet2017) -> str:
    """Return verdicts and curves as text."""
    scale = result.scale
    size = f"{scale.units} units, {scale.annotators} annotators, {len(scale.magnitudes)} magnitudes"
    lines = [
        "The experiments of Mathet 2017, §4.2.3 and §5, run again",
        f"{size}, {scale.repetitions} repetitions of {scale.samples} samples each, seed {scale.seed}",
        "",
        *textwrap.wrap(_INTRODUCTION_TEXT, _MAX_WIDTH),
        "",
        f"{_count(result.selected.verdicts)} claims come out",
        "",
        *_verdicts(result.selected.verdicts),
        "",
        *_readings(result),
    ]
    for name, experiment in result.selected.experiments.items():
        # A repetition of an experiment is a document of the grid, counted from 0.
        repetitions = max(point.repetition for point in experiment.points) + 1
        gaps = f"gaps of {experiment.settings['gap']:g} ± {experiment.settings['gap_deviation']:g}"
        lines += ["", f"{EXPERIMENTS[name].title} ({gaps}; means of {repetitions})", *_means(experiment)]
    return "\n".join([*lines, "", "Table 2: conceptions of missing values", ""]) + missing_values_text(result.missing)


def _count(verdicts: Sequence[Verdict]) -> str:
    return f"{sum(verdict.holds for verdict in verdicts)} of {len(verdicts)}"


def _mark(verdict: Verdict) -> str:
    return ("yes" if verdict.holds else "NO") + ("" if verdict.clear else "?")


def _verdicts(verdicts: Sequence[Verdict]) -> Iterator[str]:
    rows = [["", "experiment", "claim", "here"]]
    rows += [[_mark(verdict), verdict.experiment, verdict.claim, verdict.measured] for verdict in verdicts]
    yield from aligned_lines(rows)
    for verdict in verdicts:
        if verdict.why:
            yield ""
            yield from textwrap.wrap(f"{verdict.experiment}, {verdict.claim}: {verdict.why}", _MAX_WIDTH)


def _readings(result: Mathet2017) -> Iterator[str]:
    """Yield the verdicts under each reading, side by side."""
    yield "The same claims under each reading of what the paper leaves open (the figure that decides)"
    yield from (f"  {name}: {ALL_READINGS[name].title}" for name in result.readings)
    yield ""
    outcomes = [outcome.verdicts for outcome in result.readings.values()]
    rows = [["experiment", "claim", *result.readings], ["", "come out", *map(_count, outcomes)]]
    failed_claims = []
    for row in zip(*outcomes, strict=True):
        cells = [f"{_mark(verdict)} {verdict.value + 0.0:.3f}" for verdict in row]
        rows.append([row[0].experiment, row[0].claim, *cells])
        if not any(verdict.holds for verdict in row):
            failed_claims.append(row[0].claim)
    yield from aligned_lines(rows)
    yield ""
    yield from textwrap.wrap(f"Under no reading: {'; '.join(failed_claims) or 'none'}", _MAX_WIDTH)


def _means(experiment: Experiment) -> list[str]:
    curves = [experiment.curve(measure) for measure in experiment.measures]
    rows = [["m", *map(symbol, experiment.measures)]]
    rows += [
        [f"{bands[0].magnitude:.2f}", *(number_text(band.mean) for band in bands)]
        for bands in zip(*curves, strict=True)
    ]
    return aligned_lines(rows, right=range(len(rows[0])), indent="  ")


def mathet2017_rows(result: Mathet2017) -> list[Sequence[object]]:
    """Return every point of the selected readings as rows of CSV: experiment and the fields of `Point`."""
    rows: list[Sequence[object]] = [("experiment", *Point._fields)]
    for name, experiment in result.selected.experiments.items():
        rows += [(name, *point) for point in experiment.points]
    return rows


def verdict_rows(result: Mathet2017) -> list[Sequence[object]]:
    """Return every verdict as rows of CSV, under the selected readings and under each reading."""
    names = ("experiment", "claim", "holds", "clear", "value", "error", "excess")
    rows: list[Sequence[object]] = [("reading", *names)]
    for reading, outcome in {"chosen": result.selected, **result.readings}.items():
        rows += [(reading, *(getattr(verdict, name) for name in names)) for verdict in outcome.verdicts]
    return rows


def mathet2017_figures(result: Mathet2017) -> dict[str, str]:
    """Return SVG by file name. The two experiments of figure 14 share a figure; a single magnitude has none."""
    figures = {}
    experiments = result.selected.experiments
    drawn = [name for name, experiment in experiments.items() if len(experiment.curve(experiment.measures[0])) > 1]
    for figure, group in itertools.groupby(drawn, key=lambda name: name.partition(",")[0]):
        names = list(group)
        title, curves = EXPERIMENTS[names[0]].title, []
        for name in names:
            prefix = f"length{name.partition(',')[2]}: " if len(names) > 1 else ""
            curves += experiment_curves(experiments[name], prefix)
        if len(names) > 1:
            title = "Figure 14: length of the category that is never confused"
        figures[f"{figure.replace(' ', '-').replace('.', '-')}.svg"] = curves_svg(curves, title=title)
    return figures
