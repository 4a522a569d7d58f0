"""The range of the ceiling by number of annotators: ``python docs/pictures/ceiling.py``.

The corpus shuffling tool (Mathet et al. 2012) makes annotators from one reference, with errors of known kinds. The
ceiling itself is computed from many of them.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
from errors import RC, THEMES, Theme
from matplotlib.figure import Figure

import gamma_align as ga

FOLDER = Path(__file__).parent
NUMBERS = range(2, 7)  # of annotators
_MANY = 400  # annotators, from whose votes the ceiling itself is known to about .01
_DOCUMENTS = 40  # enough that the ranges hardly depend on the seed
REFERENCE = ga.Corpus.from_continua(
    [
        ga.synthetic_reference(
            units=30,
            categories={"PERSON": 5, "PLACE": 3, "TIME": 2},
            length=10,
            length_deviation=3,
            gap=10,
            gap_deviation=5,
            integer=True,
            seed=number,
            document=f"d{number}",
        )
        for number in range(_DOCUMENTS)
    ]
)


class Errors(NamedTuple):
    """Kinds of errors of the shuffling tool, and their magnitude."""

    kinds: tuple[str, ...]
    magnitude: float

    def annotators(self, number: int) -> ga.Corpus:
        """Return annotators with these errors; fewer of them are the first ones of more."""
        return ga.shuffle(REFERENCE, magnitude=self.magnitude, kinds=self.kinds, annotators=number, seed=1)


PANELS = {
    "missing units": Errors(("false-negative",), 0.4),
    "wrong labels": Errors(("category",), 0.4),
    "shifted bounds": Errors(("shift",), 0.04),
    "all of these": Errors(("shift", "false-negative", "category"), 0.03),
}


def best_score(errors: Errors) -> float:
    """Return F* from the shares of many annotators who mark each unit."""
    votes: Counter[tuple[object, ...]] = Counter()
    corpus = errors.annotators(_MANY)
    for document in corpus:
        votes.update((document, *unit[1:]) for unit in corpus[document].units())
    p = np.sort(np.array([*votes.values()]) / _MANY)[::-1]
    return float((2 * p.cumsum() / (np.arange(1, len(p) + 1) + p.sum())).max())


class Panel(NamedTuple):
    """The ceiling of one kind of errors, and what annotators tell of it: arrays with an entry for each number."""

    ceiling: float
    low: list[float]
    high: list[float]
    another: list[float]

    @classmethod
    def of(cls, errors: Errors) -> Panel:
        """Compute the values of a panel."""
        scores = [ga.ceiling(errors.annotators(number)).score for number in NUMBERS]
        low = [score.low for score in scores]
        high = [score.high for score in scores]
        return cls(best_score(errors), low, high, [score.another.value for score in scores])


def draw(panels: list[Panel], theme: Theme) -> Figure:
    """Return the picture: a panel for each kind of errors, a bar for each number of annotators."""
    figure = Figure(figsize=(5.4, 4.4), layout="constrained")
    for title, panel, axes in zip(PANELS, panels, figure.subplots(2, 2, sharex=True, sharey=True).flat, strict=True):
        axes.axhline(panel.ceiling, color=theme.lines[1], linewidth=1.5, label="the ceiling")
        axes.vlines(NUMBERS, panel.low, panel.high, color=theme.lines[0], linewidth=5, label="range")
        axes.plot(NUMBERS, panel.another, "o", color=theme.lines[2], markersize=4, label="another annotator")
        axes.set_title(title, fontsize=11)
        axes.set_xticks(NUMBERS)
        axes.set_ylim(0, 1.03)
        axes.set_yticks([0, 0.5, 1], ["0", "½", "1"])
        axes.grid(color=theme.grid, linewidth=0.7)
        axes.tick_params(colors=theme.text)
        axes.spines[:].set_color(theme.grid)
    handles, names = axes.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=3, frameon=False, fontsize=11)
    return figure


def main() -> None:
    """Draw the picture on light and on dark pages."""
    panels = [Panel.of(errors) for errors in PANELS.values()]
    for suffix, theme in THEMES.items():
        with mpl.rc_context(RC | {"text.color": theme.text}):
            draw(panels, theme).savefig(FOLDER / f"ceiling{suffix}.svg", transparent=True, metadata={"Date": None})


if __name__ == "__main__":
    main()
