"""Plots of γ: by document with intervals, between pairs of annotators, and on curves of errors."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gamma_align.data.wording import counted, decimal
from gamma_align.errors import SettingsError
from gamma_align.inference.values import Value
from gamma_align.insight.pairwise import PairwiseResult
from gamma_align.measures.gamma.gamma_result import GammaResult
from gamma_align.measures.unitizing.unitizing_result import UnitizingResult
from gamma_align.present.figures.palette import TOKENS
from gamma_align.present.plots.axes import (
    COLUMN,
    GRID,
    INK,
    LINE,
    SMALL,
    SOFT,
    axes_in_style,
    beside_axis,
    new_figure,
    save,
)
from gamma_align.simulation.curve import KindCurve, ReferenceCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NAMED = 60
"""More documents are drawn without their names."""
_NUMBERED = 15
"""Pairs of more annotators are drawn without their numbers."""
_ROW, _AROUND = 0.16, 0.75
"""Height of a document, and of what is above and below them, in inches."""
_CELL = 0.4
"""Height of an annotator of a few, in inches."""
_CURVE_HEIGHT = 2.4
_SYMBOLS = {"gamma": r"$\gamma$", "gamma_cat": r"$\gamma_{\mathrm{cat}}$"}
_UNITIZING = r"$_u\alpha$"
_COLOURS = tuple(TOKENS[f"c{number}"].light for number in range(1, 7))
_LINES = ("-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (1, 2.5)))
_MARKERS = ("o", "s", "^", "D", "v", "P")
_WINE = tuple(TOKENS[f"d{step}"].light for step in range(5))
_DARK = 0.55


def plot_documents(result: GammaResult | UnitizingResult, ax: Axes | None = None) -> Axes:
    """Plot γ (or uα) of each document with its interval, the lowest first, and that of the corpus behind them.

    The interval of a document says how precisely chance was sampled, that of the corpus what other documents could
    give. Documents without a value are counted under the plot.

    Parameters
    ----------
    result : GammaResult or UnitizingResult
        Of `gamma` or `unitizing_alpha`.
    ax : matplotlib Axes, optional
        To plot on, instead of new ones as wide as a column.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    MissingExtraError
        Without matplotlib.
    SettingsError
        If no document has a value.

    Examples
    --------
    >>> units = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 5, "x"), ("d2", "ann", 2, 5, "y"), ("d2", "bob", 2, 6, "x")]
    >>> ax = ga.plot_documents(ga.gamma(units, samples=30))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['d2', 'd1']
    """
    values = sorted(_documents(result), key=lambda pair: (pair[1].value, pair[0]))
    if not values:
        raise SettingsError("no document has a value: there is nothing to plot")
    corpus = result.gamma if isinstance(result, GammaResult) else result.u
    symbol = _SYMBOLS["gamma"] if isinstance(result, GammaResult) else _UNITIZING
    with axes_in_style(ax, _height(len(values))) as axes:
        if not math.isnan(corpus.low):
            axes.axvspan(corpus.low, corpus.high, color=LINE, alpha=0.5, linewidth=0, zorder=0)
        if corpus.is_available:
            axes.axvline(corpus.value, color=SOFT, linestyle="--", linewidth=0.8, zorder=1)
            place: dict[str, Any] = {
                "transform": axes.get_xaxis_transform(),
                "ha": "center",
                "va": "bottom",
                "fontsize": SMALL,
            }
            axes.text(corpus.value, 1.01, f"corpus {decimal(corpus.value)}", color=SOFT, **place)
        _points(axes, [value for _, value in values])
        _name_rows(axes, [name for name, _ in values])
        missing = len(result.documents) - len(values)
        note = f"\n{missing} of {counted(len(result.documents), 'document')} without a value" if missing else ""
        axes.set_xlabel(f"{symbol}{note}")
        return axes


def _documents(result: GammaResult | UnitizingResult) -> list[tuple[str, Value]]:
    """Return name and value of each document that has one."""
    if isinstance(result, GammaResult):
        named: list[tuple[str, Value]] = [(document.document, document.gamma) for document in result.documents]
    else:
        named = [(document.document, document.u) for document in result.documents]
    return [(name, value) for name, value in named if value.is_available]


def _height(documents: int) -> float:
    return _AROUND + _ROW * min(documents, _NAMED) if documents <= _NAMED else COLUMN


def _points(axes: Axes, values: Sequence[Value]) -> None:
    """Draw a point and its interval in each row."""
    rows = [*range(len(values))]
    size = 3.5 if len(values) <= _NAMED else 1.5
    known = [(row, value) for row, value in enumerate(values) if not math.isnan(value.low)]
    axes.hlines(
        [row for row, _ in known],
        [value.low for _, value in known],
        [value.high for _, value in known],
        color=INK,
        linewidth=0.9,
        zorder=2,
    )
    points = [value.value for value in values]
    axes.plot(points, rows, linestyle="none", marker="o", markersize=size, color=_COLOURS[0], zorder=3)


def _name_rows(axes: Axes, names: Sequence[str]) -> None:
    above = max(0.6, len(names) / 50)
    axes.set_ylim(len(names) - 1 + above, -above)
    if len(names) > _NAMED:
        axes.set_yticks([])
        axes.set_ylabel(f"{len(names)} documents, the lowest first")
        return
    axes.set_yticks(range(len(names)), beside_axis(names), parse_math=False)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="y", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)


def save_documents(result: GammaResult | UnitizingResult, path: Path) -> None:
    """Write the plot of `plot_documents` to a file, the same bytes every time."""
    figure = new_figure(_height(len(_documents(result))))
    plot_documents(result, figure.axes[0])
    save(figure, path)


def plot_pairs(result: PairwiseResult, ax: Axes | None = None, *, measure: str = "gamma") -> Axes:
    """Plot γ (or γcat) of every two annotators as a matrix: the darker, the more disorder; the number is the value.

    Parameters
    ----------
    result : PairwiseResult
        Of `pairwise`.
    ax : matplotlib Axes, optional
        To plot on, instead of new ones as wide as a column.
    measure : {"gamma", "gamma_cat"}
        Which coefficient.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    MissingExtraError
        Without matplotlib.
    SettingsError
        For another measure.

    Examples
    --------
    >>> units = [("d", "ann", 0, 4, "x"), ("d", "bob", 1, 5, "x"), ("d", "cy", 6, 9, "y")]
    >>> ax = ga.plot_pairs(ga.pairwise(units, samples=30))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['bob', 'cy']
    """
    if measure not in _SYMBOLS:
        raise SettingsError(f"measure must be one of {', '.join(_SYMBOLS)}, not {measure!r}")
    names = beside_axis(result.annotators)
    index = {name: number for number, name in enumerate(result.annotators)}
    with axes_in_style(ax, min(COLUMN, _AROUND + _CELL * len(names))) as axes:
        from matplotlib.colors import LinearSegmentedColormap

        wine = LinearSegmentedColormap.from_list("wine", _WINE)
        numbered = len(names) <= _NUMBERED
        for pair, of_pair in result.pairs.items():
            column, row = sorted(index[name] for name in pair)
            _cell(axes, column, row - 1, getattr(of_pair, measure), wine, numbered=numbered)
        axes.set(xlim=(-0.5, len(names) - 1.5), ylim=(len(names) - 1.5, -0.5), aspect="equal")
        axes.set_xticks(range(len(names) - 1), names[:-1], rotation=90, parse_math=False)
        axes.set_yticks(range(len(names) - 1), names[1:], parse_math=False)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        if numbered:
            axes.set_title(_SYMBOLS[measure], fontsize=8.0, loc="right")
        else:
            from matplotlib.cm import ScalarMappable
            from matplotlib.colors import Normalize

            scale = ScalarMappable(Normalize(0, 1), wine.reversed())
            axes.figure.colorbar(scale, ax=axes, label=_SYMBOLS[measure], shrink=0.6)
        return axes


def _cell(axes: Axes, column: int, row: int, value: Value, wine: Callable[[float], object], *, numbered: bool) -> None:
    """Draw a pair: as dark as it has disorder, hatched where there is no value."""
    from matplotlib.patches import Rectangle

    corner = (column - 0.5, row - 0.5)
    if not value.is_available:
        axes.add_patch(Rectangle(corner, 1, 1, facecolor="white", edgecolor=SOFT, hatch="////", linewidth=0.0))
    else:
        disorder = min(max(1.0 - value.value, 0.0), 1.0)
        axes.add_patch(Rectangle(corner, 1, 1, facecolor=wine(disorder), edgecolor="white", linewidth=1.0))
        if numbered:
            ink = "white" if disorder > _DARK else INK
            axes.text(
                column,
                row,
                decimal(value.value),
                ha="center",
                va="center",
                color=ink,
                fontsize=SMALL,
            )


def plot_curve(result: ReferenceCurve, ax: Axes | None = None) -> Axes:
    """Plot what errors of each kind and size make of γ, with the γ of the corpus across.

    Parameters
    ----------
    result : ReferenceCurve
        Of `curve`.
    ax : matplotlib Axes, optional
        To plot on, instead of new ones as wide as a column.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    MissingExtraError
        Without matplotlib.

    Examples
    --------
    >>> corpus = ga.shuffle(ga.synthetic_reference(units=8), magnitude=0.2)
    >>> ax = ga.plot_curve(ga.curve(corpus, kinds=["split"], magnitudes=[0, 1], repetitions=1, samples=5))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['split']
    """
    with axes_in_style(ax, _CURVE_HEIGHT) as axes:
        value = result.gamma
        if not math.isnan(value.low):
            axes.axhspan(value.low, value.high, color=LINE, alpha=0.5, linewidth=0, zorder=0)
        axes.axhline(value.value, color=SOFT, linestyle="--", linewidth=0.8, zorder=1)
        styles = itertools.cycle(zip(_COLOURS, _LINES, _MARKERS, strict=True))
        for curve, (colour, line, marker) in zip(result.curves, styles, strict=False):
            _curve(axes, curve, colour, line, marker)
        axes.set(xlabel="magnitude of errors", ylabel=_SYMBOLS["gamma"], xlim=(0, None))
        axes.legend(handlelength=3)
        return axes


def _curve(axes: Axes, curve: KindCurve, colour: str, line: object, marker: str) -> None:
    bands = [band for band in curve.bands if band.available]
    at = [band.magnitude for band in bands]
    axes.fill_between(at, [band.low for band in bands], [band.high for band in bands], color=colour, alpha=0.15, lw=0)
    label = " + ".join(curve.settings.ordered)
    axes.plot(at, [band.mean for band in bands], color=colour, linestyle=line, marker=marker, markersize=3, label=label)
