"""What errors of known kinds do to each measure: ``python docs/pictures/errors.py [measure]``.

The corpus shuffling tool (Mathet et al. 2012) makes three annotators from one reference, with errors of one kind and
magnitude. All measures see the same annotators. ``measure`` computes the values (some minutes) and writes
``errors.csv`` and ``errors_half.csv``; without it, the pictures of ``errors.csv`` are drawn again.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
from matplotlib.figure import Figure

import gamma_align as ga

FOLDER = Path(__file__).parent
VALUES = FOLDER / "errors.csv"
HALF_WAY = FOLDER / "errors_half.csv"
KINDS = {
    "false-negative": "missing units",
    "false-positive": "false units",
    "shift": "shifted bounds",
    "category": "wrong labels",
    "split": "split units",
}
MAGNITUDES = tuple(step / 10 for step in range(11))
MIDDLE = 0.5  # the magnitude that `errors_half.csv` and its table show
REPETITIONS = 10
SAMPLES = 30  # of the expected disorder of each annotation: the mean of ten repetitions needs no more
REFERENCE = ga.synthetic_reference(
    units=60,
    categories={"PERSON": 5, "PLACE": 3, "TIME": 2},
    length=10,
    length_deviation=3,
    gap=10,
    gap_deviation=5,
    integer=True,
    seed=1,
)


def soft_gamma(corpus: ga.Corpus) -> ga.Value:
    """Return γ with covers in place of alignments."""
    return ga.gamma(corpus, samples=SAMPLES, alignment="cover", n_jobs=1).gamma


def mean_of_pairs(corpus: ga.Corpus) -> ga.Value:
    """Return the mean γ of all pairs of annotators."""
    return ga.pairwise(corpus, samples=SAMPLES, n_jobs=1).mean


def f1_of(match: str) -> Callable[[ga.Corpus], ga.Value]:
    """Return the function of mean F1 over pairs of annotators, by what counts as found."""

    def f1(corpus: ga.Corpus) -> ga.Value:
        return ga.pairwise_f1(corpus).mean[match]

    f1.__name__ = f"{match}_f1"
    return f1


MATCHES = ("strict", "exact", "type", "characters")
FUNCTIONS = {function.__name__: function for function in (soft_gamma, mean_of_pairs, *map(f1_of, MATCHES))}
LABELS = {
    "gamma": "γ",
    "gamma-cat": "γcat",
    "soft_gamma": "soft-γ",
    "mean_of_pairs": "mean γ of pairs",
    "u-alpha": "uα",
    "bar-u-alpha": "|uα",
    "cu-alpha": "cuα",
    "atoms:observed": "A_o",
    "atoms:s": "S",
    "atoms:kappa": "κ",
    "atoms:alpha": "α",
    "atoms:ac1": "AC₁",
    "strict_f1": "F1 strict",
    "exact_f1": "F1 exact",
    "type_f1": "F1 type",
    "characters_f1": "F1 characters",
}
"""Each measure of the run, with its label in pictures and tables."""
MODEL_LABELS = {"omega": "ω", "rho": "ρ", "standing": "standing"}
"""Each value of the alternative annotator test, which is not a measure of agreement."""
PICTURES = {
    "errors_gamma": ("gamma", "strict_f1"),
    "errors_gamma_cat": ("gamma-cat", "gamma"),
    "errors_soft_gamma": ("soft_gamma", "gamma"),
    "errors_unitizing_alpha": ("u-alpha", "bar-u-alpha", "cu-alpha"),
    "errors_items": ("atoms:observed", "atoms:ac1", "atoms:s", "atoms:alpha"),
    "errors_reference": ("type_f1", "characters_f1", "exact_f1", "strict_f1"),
    "errors_pairs": ("mean_of_pairs", "gamma"),
    "errors_replaceable": ("omega", "rho", "standing"),
}
"""The pictures, with their measures."""


class Theme(NamedTuple):
    """Colours of the text, the grid and the lines."""

    text: str
    grid: str
    lines: tuple[str, ...]


# Okabe and Ito's colours, which all eyes tell apart; lighter ones on dark pages.
THEMES = {
    "": Theme("#222222", "#d9d9d9", ("#0072b2", "#d55e00", "#009e73", "#8a4f7d")),
    "_dark": Theme("#dddddd", "#4a4a4a", ("#56b4e9", "#e69f00", "#2dc79a", "#e39cc8")),
}
RC = {"svg.fonttype": "none", "svg.hashsalt": "errors", "font.family": "sans-serif", "font.size": 11}
STYLES = ("-", "--", "-.", ":")


class Mean(NamedTuple):
    """The mean of a measure over the repetitions at one magnitude."""

    kind: str
    measure: str
    magnitude: float
    mean: float


def measured(kind: str, magnitudes: tuple[float, ...], measures: tuple[str, ...] = tuple(LABELS)) -> list[Mean]:
    """Return the mean values of measures of annotators with errors of a kind."""
    result = ga.experiment(
        REFERENCE,
        measures=[FUNCTIONS.get(measure, measure) for measure in measures],
        kinds=[kind],
        magnitudes=magnitudes,
        repetitions=REPETITIONS,
        samples=SAMPLES,
        overlaps="cut",
        n_jobs=1,
    )
    return [
        Mean(kind, measure, band.magnitude, round(band.mean, 4) + 0.0)
        for measure in measures
        for band in result.curve(measure)
    ]


def measured_model(kind: str, magnitudes: tuple[float, ...]) -> list[Mean]:
    """Return the test of a model with errors of one kind, among five people with small errors of several kinds."""
    documents = ga.Corpus.from_continua(
        [ga.synthetic_reference(units=15, gap_deviation=5, seed=seed, document=f"d{seed}") for seed in range(20)]
    )
    people = ga.shuffle(documents, magnitude=0.3, kinds=("shift", "false-negative", "category"), annotators=5, seed=1)
    means = []
    for magnitude in magnitudes:
        model = ga.shuffle(documents, magnitude=magnitude, kinds=(kind,), annotators=1, seed=2)
        data = people.merge(model.rename(annotators={"1": "model"}))
        test = ga.replaceable(data, annotator="model", epsilon=0.1, replicates=50)["model"]
        values = {"omega": test.omega, "rho": test.rho, "standing": test.standing}
        means += [Mean(kind, name, magnitude, round(float(value), 4) + 0.0) for name, value in values.items()]
    return means


def stored() -> list[Mean]:
    """Return the values of the file."""
    with VALUES.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    return [Mean(kind, measure, float(magnitude), float(mean)) for kind, measure, magnitude, mean in rows]


def write(means: list[Mean]) -> None:
    """Write all values, and the table of the values at half the magnitude."""
    with VALUES.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Mean._fields)
        writer.writerows(means)
    middle = {(mean.kind, mean.measure): mean.mean for mean in means if mean.magnitude == MIDDLE}
    with HALF_WAY.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["measure", *KINDS.values()])
        for measure, label in LABELS.items():
            writer.writerow([label, *(f"{middle[kind, measure]:.2f}" for kind in KINDS)])


def draw(means: list[Mean], folder: Path) -> None:
    """Draw all pictures on light and on dark pages: a panel a kind of error, a line a measure."""
    for name, measures in PICTURES.items():
        for suffix, theme in THEMES.items():
            with mpl.rc_context(RC | {"text.color": theme.text}):
                figure = _picture(means, measures, theme)
                figure.savefig(folder / f"{name}{suffix}.svg", transparent=True, metadata={"Date": None})


def _picture(means: list[Mean], measures: tuple[str, ...], theme: Theme) -> Figure:
    # Two columns of 190 points: on a phone, 390 pixels wide, letters are still 9 pixels high.
    figure = Figure(figsize=(5.4, 6.2), layout="constrained")
    *panels, legend = figure.subplots(3, 2, sharex=True, sharey=True).flat
    labels = LABELS | MODEL_LABELS
    lowest = min(0.0, *(mean.mean for mean in means if mean.measure in measures))
    for (kind, title), panel in zip(KINDS.items(), panels, strict=True):
        for measure, color, style in zip(measures, theme.lines, STYLES, strict=False):
            line = [(mean.magnitude, mean.mean) for mean in means if (mean.kind, mean.measure) == (kind, measure)]
            panel.plot(*zip(*line, strict=True), color=color, linestyle=style, linewidth=2, label=labels[measure])
        panel.set_title(title, fontsize=11)
        panel.set_xticks([0, 0.5, 1], ["0", "½", "1"])
        panel.set_yticks([0, 0.5, 1], ["0", "½", "1"])
        panel.set_ylim(lowest - 0.03, 1.03)
        panel.grid(color=theme.grid, linewidth=0.7)
        panel.tick_params(colors=theme.text, labelbottom=True)
        panel.spines[:].set_color(theme.grid)
    legend.axis("off")
    handles, names = panels[0].get_legend_handles_labels()
    legend.legend(handles, names, loc="center", frameon=False, fontsize=12, title="by magnitude of errors")
    return figure


def main() -> None:
    """Draw the pictures; measure first if asked to."""
    if sys.argv[1:] == ["measure"]:
        write([mean for kind in KINDS for mean in (*measured(kind, MAGNITUDES), *measured_model(kind, MAGNITUDES))])
    draw(stored(), FOLDER)


if __name__ == "__main__":
    main()
