"""The experiments of Mathet 2017, §4.2.3 and §5.3-5.8, run again: how γ, γcat, γk and cuα respond to known errors.

Three annotators are made from a reference of 100 units with 4 categories that are equally frequent, at magnitudes from
0 to 1. In figure 14 the units are 5 long, in its second experiment those of D are 20 long, as published; elsewhere they
are 10 long. Positions are not bound to integers, and γ is with α = β = Δ = 1. Every repetition has a reference of its
own, so that the standard error of a mean over repetitions holds the chance of the reference too.

The paper does not say how far apart the reference's units are, nor what becomes of shifted units that overlap, for
which cuα is not defined. So the experiments are run under several `READINGS`: gaps of 5 ± 5 or of 10, and units cut at
their overlaps (the earlier unit ends where the later one begins) for cuα alone, for every measure, or for none. The
verdicts take cuα alone on cut units, and the gaps that suit the claims of a figure better: 5 ± 5 for positions and
false negatives (figure 11, §5.4), 10 elsewhere. That choice was made by its result; the other readings show what
depends on it.

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
from typing import Any, NamedTuple

import numpy as np

from gamma_align.columns import FloatArray
from gamma_align.data.corpus import Corpus
from gamma_align.errors import SettingsError
from gamma_align.inference.values import Result, Value
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.precision import PrecisionRule
from gamma_align.measures.unitizing.unitizing_alpha import unitizing_alpha
from gamma_align.present.curve_text import curves_svg, experiment_curves, symbol
from gamma_align.present.writers.data import csv_text
from gamma_align.present.writers.text import aligned_lines, number_text
from gamma_align.reproduction.mathet2017_claims import Verdict, verdicts
from gamma_align.reproduction.missing_values import MissingValues, Settings, missing_values, missing_values_text
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

CLAIMED = (0.0, 0.1, 0.55, 0.8, 1.0)  # magnitudes that claims are about

CONFUSED = ("A", "B", "C")
_FEWEST_UNITS = 10
_ALL = ("gamma", "gamma-cat", "cu-alpha")
_WEIGHTS = ("gamma-cat", UNWEIGHTED)


class Spec(NamedTuple):
    """One experiment: what is varied, on which units, measured how."""

    title: str
    kinds: tuple[str, ...]
    measures: tuple[str, ...] = _ALL
    subset: tuple[str, ...] | None = None
    length: float | Mapping[str, float] = 10.0
    magnitudes: tuple[float, ...] | None = None
    repetitions: int = 1
    """Times those of the scale."""


_CODING = ("gamma-cat", "cu-alpha")
SPECS = {
    "section 4.2.3": Spec(
        "§4.2.3: positions and categories at random", ("shift", "category"), _WEIGHTS, magnitudes=(1.0,), repetitions=2
    ),
    "section 4.2.3, categories": Spec(
        "§4.2.3: categories alone at random", ("category",), _WEIGHTS, magnitudes=(1.0,), repetitions=2
    ),
    "figure 11": Spec("Figure 11: positions", ("shift",)),
    "section 5.4": Spec("§5.4: false negatives", ("false-negative",)),
    "figure 12": Spec("Figure 12: categories", ("category",)),
    "figure 13": Spec("Figure 13: positions and categories", ("shift", "category")),
    "figure 14, 5": Spec("Figure 14: all units 5 long, D never confused", ("category",), _CODING, CONFUSED, length=5.0),
    "figure 14, 20": Spec(
        "Figure 14: units of D, never confused, 20 long",
        ("category",),
        _CODING,
        CONFUSED,
        length=dict.fromkeys(CONFUSED, 5.0) | {"D": 20.0},
    ),
    "figure 15": Spec("Figure 15: D is never confused", ("category",), ("gamma-cat", "gamma-k"), CONFUSED),
}


class Reading(NamedTuple):
    """What the paper does not say: gaps between the reference's units, and for which measures overlaps are cut."""

    title: str
    gap: float
    gap_deviation: float
    cut: str


READINGS = {
    "5 ± 5": Reading("gaps of 5 ± 5; units that overlap are cut for cuα alone", 5.0, 5.0, "cu-alpha"),
    "5 ± 5, uncut": Reading("gaps of 5 ± 5; nothing is cut, cuα is over all intersections", 5.0, 5.0, "nothing"),
    "5 ± 5, all cut": Reading("gaps of 5 ± 5; units that overlap are cut for every measure", 5.0, 5.0, "everything"),
    "10": Reading("gaps of 10; units that overlap are cut for cuα alone", 10.0, 0.0, "cu-alpha"),
    "10, uncut": Reading("gaps of 10; nothing is cut, cuα is over all intersections", 10.0, 0.0, "nothing"),
    "10, all cut": Reading("gaps of 10; units that overlap are cut for every measure", 10.0, 0.0, "everything"),
}
CHOSEN = dict.fromkeys(SPECS, "10") | dict.fromkeys(("figure 11", "section 5.4"), "5 ± 5")
"""The reading of each experiment that gives the verdicts and the figures."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How large the experiments are; SettingsError for a scale at which the claims cannot be checked.

    `magnitudes` are those under the chosen reading and `others` those under other readings: both hold `CLAIMED`.
    `samples` are of each simulated document's expected disorder; `tables` those of the experiment on missing values,
    for each row.
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
        if self.repetitions < 1 or self.annotators < 2 or self.units < _FEWEST_UNITS:  # noqa: PLR2004
            raise SettingsError(f"1 repetition, 2 annotators and {_FEWEST_UNITS} units are the least there can be")
        missing = set(CLAIMED) - (set(self.magnitudes) & set(self.others))
        if missing:
            raise SettingsError(f"claims are about the magnitude {min(missing):g}: add it to magnitudes and others")

    def to_dict(self) -> dict[str, Any]:
        """Return the scale, ready for JSON."""
        names = ("repetitions", "annotators", "units", "samples", "tables", "seed")
        shared = {name: getattr(self, name) for name in names}
        return {"magnitudes": list(self.magnitudes), "magnitudes_of_other_readings": list(self.others), **shared}


FULL = Scale()
QUICK = Scale(magnitudes=(0.0, 0.1, 0.45, 0.55, 0.8, 1.0), others=CLAIMED, repetitions=3, samples=4, tables=60)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Outcome(Result):
    """What came out under one reading: experiments by name, as `SPECS`, and what became of each claim."""

    experiments: dict[str, Experiment]
    verdicts: tuple[Verdict, ...]

    def _contents(self) -> dict[str, Any]:
        experiments = {name: experiment.to_dict() for name, experiment in self.experiments.items()}
        for contents in experiments.values():
            del contents["schema_version"]
        return {"verdicts": self.verdicts, "experiments": experiments}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Mathet2017(Result):
    """The experiments' results: each under its reading of `CHOSEN`, all under each of `READINGS`, and table 2."""

    scale: Scale
    chosen: Outcome
    readings: dict[str, Outcome]
    missing: MissingValues

    def _contents(self) -> dict[str, Any]:
        return {
            "schema_version": 2,
            "experiment": "mathet2017",
            "scale": self.scale.to_dict(),
            **self.chosen.to_dict(),
            "readings": {
                name: {**READINGS[name]._asdict(), **outcome.to_dict()} for name, outcome in self.readings.items()
            },
            "missing_values": self.missing,
        }


def mathet2017(
    scale: Scale = FULL, *, n_jobs: int | None = None, progress: Callable[[int, int], None] | None = None
) -> Mathet2017:
    """Run the experiments; the same scale gives the same result for any number of workers.

    Progress is in experiments.
    """
    runner = _Runner(scale, n_jobs)
    experiments: dict[str, dict[str, Experiment]] = {name: {} for name in READINGS}
    runs = list(itertools.product(READINGS, SPECS))
    for done, (reading, name) in enumerate(runs):
        if progress is not None:
            progress(done, len(runs) + 1)
        experiments[reading][name] = runner.run(name, SPECS[name], READINGS[reading])
    chosen = {name: experiments[reading][name] for name, reading in CHOSEN.items()}
    readings = {name: Outcome(results, verdicts(results)) for name, results in experiments.items()}
    missing = missing_values(Settings(repetitions=scale.tables, seed=scale.seed))
    return Mathet2017(scale, Outcome(chosen, verdicts(chosen)), readings, missing)


class _Runner:
    """Runs experiments, and what two readings have in common once."""

    def __init__(self, scale: Scale, n_jobs: int | None) -> None:
        self._scale, self._jobs = scale, n_jobs
        self._known: dict[tuple[str, float, float, bool], tuple[ShuffledCorpus, Measurements]] = {}

    def run(self, name: str, spec: Spec, reading: Reading) -> Experiment:
        """Return one experiment under a reading."""
        shuffled, numbers = self._measured(name, spec, reading)
        if "cu-alpha" in spec.measures:
            coded = self._coding(spec, reading, shuffled)
            numbers = [row | {"cu-alpha": number} for row, number in zip(numbers, coded, strict=True)]
        settings = {
            "measures": list(spec.measures),
            "gap": reading.gap,
            "gap_deviation": reading.gap_deviation,
            "cut": reading.cut,
            "samples": self._scale.samples,
            **{name: value for name, value in shuffled.settings.to_dict().items() if name != "overlaps"},
        }
        return Experiment(
            tuple(make_points(document_ranges(shuffled, by="document"), numbers, spec.measures)), settings
        )

    def _measured(self, name: str, spec: Spec, reading: Reading) -> tuple[ShuffledCorpus, Measurements]:
        """Return the simulated documents, and γ, γcat and γk of each."""
        cut = reading.cut == "everything" and "shift" in spec.kinds  # nothing else makes units overlap
        key = (name, reading.gap, reading.gap_deviation, cut)
        if key not in self._known:
            chosen = READINGS[CHOSEN[name]]
            fine = key[1:] == (chosen.gap, chosen.gap_deviation, False)
            magnitudes = spec.magnitudes or (self._scale.magnitudes if fine else self._scale.others)
            shuffled = self._shuffled(spec, reading, magnitudes, cut=cut)
            self._known[key] = shuffled, self._gammas(spec, shuffled)
        return self._known[key]

    def _shuffled(self, spec: Spec, reading: Reading, magnitudes: tuple[float, ...], *, cut: bool) -> ShuffledCorpus:
        """Return a document for each reference and magnitude: a repetition has a reference of its own."""
        scale = self._scale
        references = [
            synthetic_reference(
                units=scale.units,
                length=spec.length,
                gap=reading.gap,
                gap_deviation=reading.gap_deviation,
                seed=scale.seed + number,
                document=f"reference {number:04}",
            )
            for number in range(scale.repetitions * spec.repetitions)
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

    def _gammas(self, spec: Spec, shuffled: ShuffledCorpus) -> Measurements:
        runs = list(document_ranges(shuffled, by="document").values())
        rule = PrecisionRule(samples=self._scale.samples)
        settings = GammaSettings(rule=rule, seed=self._scale.seed)
        names = [name for name in spec.measures if name in GAMMAS]
        table = measure_runs(shuffled.corpus, runs, names, settings, n_jobs=self._jobs)
        if UNWEIGHTED in spec.measures:
            plain = GammaSettings(rule=rule, seed=self._scale.seed, confidence="none")
            unweighted = measure_runs(shuffled.corpus, runs, ["gamma-cat"], plain, n_jobs=self._jobs)
            table = [row | {UNWEIGHTED: values["gamma-cat"]} for row, values in zip(table, unweighted, strict=True)]
        return table

    def _coding(self, spec: Spec, reading: Reading, shuffled: ShuffledCorpus) -> list[Value]:
        """Return cuα of each simulated document."""
        runs = document_ranges(shuffled, by="document")
        if reading.cut == "nothing":
            values = cu_alpha_of_overlapping(shuffled.corpus).tolist()
            return [Value(values[first]) for first, _ in runs.values()]
        if reading.cut == "cu-alpha" and "shift" in spec.kinds:
            magnitudes = tuple(dict.fromkeys(magnitude for magnitude, _ in runs))
            shuffled = self._shuffled(spec, reading, magnitudes, cut=True)
        documents = unitizing_alpha(shuffled.corpus).documents
        return [documents[first].cu for first, _ in document_ranges(shuffled, by="document").values()]


def cu_alpha_of_overlapping(corpus: Corpus) -> FloatArray:
    """Return nominal cuα of each document over all intersections of two annotators' units; every unit has a category.

    It is NaN where nothing is expected by chance. Without overlaps it is cuα with pairwise self-pairing (K16 eq. 10).
    """
    bounds = zip(corpus.unit_offsets[:-1].tolist(), corpus.unit_offsets[1:].tolist(), strict=True)
    return np.array([_of_document(corpus, slice(first, last)) for first, last in bounds], dtype=np.float64)


def _of_document(corpus: Corpus, units: slice) -> float:
    start, end, annotator = corpus.start[units], corpus.end[units], corpus.annotator[units]
    of_category = corpus.category[units, None] == np.arange(len(corpus.categories))
    of_annotator = annotator[:, None] == np.unique(annotator)
    meeting = np.minimum(end[:, None], end) - np.maximum(start[:, None], start)
    meeting = np.where(annotator[:, None] == annotator, 0.0, np.maximum(meeting, 0.0))
    partners = max(of_annotator.shape[1] - 1, 1)
    lengths = of_category.T @ meeting @ of_category / partners
    own = of_category.T @ np.square(meeting @ of_annotator).sum(axis=1) / partners
    total, margins = lengths.sum(), lengths.sum(axis=1)
    if total <= 0 or total <= own.sum() / total:
        return float("nan")
    expected = (total**2 - np.square(margins).sum()) / (total - own.sum() / total)
    return float(1.0 - (total - np.trace(lengths)) / expected) if expected > 0 else float("nan")


_WIDTH = 110
_INTRODUCTION = (
    "A claim comes out where the deciding figure is within 0.03 of the paper's. Figures are means over repetitions, "
    "each with a reference of its own, ± their standard errors. A question mark: within two standard errors of the "
    "limit, where chance decides."
)


def mathet2017_text(result: Mathet2017) -> str:
    """Return verdicts and curves for people."""
    scale = result.scale
    size = f"{scale.units} units, {scale.annotators} annotators, {len(scale.magnitudes)} magnitudes"
    lines = [
        "The experiments of Mathet 2017, §4.2.3 and §5, run again",
        f"{size}, {scale.repetitions} repetitions of {scale.samples} samples each, seed {scale.seed}",
        "",
        *textwrap.wrap(_INTRODUCTION, _WIDTH),
        "",
        f"{_count(result.chosen.verdicts)} claims come out",
        "",
        *_verdicts(result.chosen.verdicts),
        "",
        *_readings(result),
    ]
    for name, experiment in result.chosen.experiments.items():
        times = max(point.repetition for point in experiment.points) + 1
        gaps = f"gaps of {experiment.settings['gap']:g} ± {experiment.settings['gap_deviation']:g}"
        lines += ["", f"{SPECS[name].title} ({gaps}; means of {times})", *_means(experiment)]
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
            yield from textwrap.wrap(f"{verdict.experiment}, {verdict.claim}: {verdict.why}", _WIDTH)


def _readings(result: Mathet2017) -> Iterator[str]:
    """Yield what comes out under each reading, side by side."""
    yield "The same claims under each reading of what the paper leaves open (the figure that decides)"
    yield from (f"  {name}: {READINGS[name].title}" for name in result.readings)
    yield ""
    outcomes = [outcome.verdicts for outcome in result.readings.values()]
    rows = [["experiment", "claim", *result.readings], ["", "come out", *map(_count, outcomes)]]
    none = []
    for row in zip(*outcomes, strict=True):
        cells = [f"{_mark(verdict)} {verdict.value + 0.0:.3f}" for verdict in row]
        rows.append([row[0].experiment, row[0].claim, *cells])
        none += [] if any(verdict.holds for verdict in row) else [row[0].claim]
    yield from aligned_lines(rows)
    yield ""
    yield from textwrap.wrap(f"Under no reading: {'; '.join(none) or 'none'}", _WIDTH)


def _means(experiment: Experiment) -> list[str]:
    curves = [experiment.curve(measure) for measure in experiment.measures]
    rows = [["m", *map(symbol, experiment.measures)]]
    rows += [
        [f"{bands[0].magnitude:.2f}", *(number_text(band.mean) for band in bands)]
        for bands in zip(*curves, strict=True)
    ]
    return aligned_lines(rows, right=range(len(rows[0])), indent="  ")


def mathet2017_csv(result: Mathet2017) -> str:
    """Return every point of the chosen readings as CSV: experiment, magnitude, repetition, measure, value, reason."""
    experiments = result.chosen.experiments.items()
    rows = ((name, *point) for name, experiment in experiments for point in experiment.points)
    return csv_text([("experiment", *Point._fields), *rows])


def verdicts_csv(result: Mathet2017) -> str:
    """Return every verdict as CSV, under the chosen readings and under each reading."""
    names = ("experiment", "claim", "holds", "clear", "value", "error", "excess")
    rows: list[Sequence[object]] = [("reading", *names)]
    for reading, outcome in {"chosen": result.chosen, **result.readings}.items():
        rows += [(reading, *(getattr(verdict, name) for name in names)) for verdict in outcome.verdicts]
    return csv_text(rows)


def mathet2017_figures(result: Mathet2017) -> dict[str, str]:
    """Return file name to SVG; the two experiments of figure 14 are one figure, a single magnitude is none."""
    figures = {}
    experiments = result.chosen.experiments
    curved = [name for name, experiment in experiments.items() if len(experiment.curve(experiment.measures[0])) > 1]
    for figure, group in itertools.groupby(curved, key=lambda name: name.partition(",")[0]):
        names = list(group)
        title, curves = SPECS[names[0]].title, []
        for name in names:
            prefix = f"length{name.partition(',')[2]}: " if len(names) > 1 else ""
            curves += experiment_curves(experiments[name], prefix)
        if len(names) > 1:
            title = "Figure 14: length of the category that is never confused"
        figures[f"{figure.replace(' ', '-').replace('.', '-')}.svg"] = curves_svg(curves, title=title)
    return figures
