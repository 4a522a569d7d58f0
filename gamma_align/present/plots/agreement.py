"""Plots of γ: by document with intervals, between pairs of annotators, and on curves of errors."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gamma_align.data import counted, decimal
from gamma_align.errors import SettingsError
from gamma_align.inference import Value
from gamma_align.insight import PairwiseResult
from gamma_align.measures.gamma import GammaResult
from gamma_align.measures.unitizing import UnitizingResult
from gamma_align.present.figures.palette import TOKENS
from gamma_align.present.plots.axes import (
    COLUMN_WIDTH,
    GRID_COLOUR,
    INK_COLOUR,
    LINE_COLOUR,
    SMALL_TEXT,
    SOFT_COLOUR,
    axes_in_style,
    beside_axis,
    new_figure,
    save,
)
from gamma_align.present.symbols import prefix_of
from gamma_align.simulation import KindCurve, ReferenceCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MAX_NAMED_DOCUMENTS = 60  # more are drawn without their names
_MAX_NUMBERED_ANNOTATORS = 15  # the cells of more are too small for a number
# Heights in inches: a document, a cell of few annotators, all that is above and below them, and a plot of curves.
_ROW_HEIGHT = 0.16
_CELL_HEIGHT = 0.4
_MARGIN_HEIGHT = 0.75
_CURVE_HEIGHT = 2.4
_GAMMA_SYMBOLS = {"gamma": r"$\gamma$", "gamma_cat": r"$\gamma_{\mathrm{cat}}$"}
_U_ALPHA_SYMBOL = r"$_u\alpha$"
_CURVE_COLOURS = tuple(TOKENS[f"c{number}"].light for number in range(1, 7))
_LINE_STYLES = ("-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (1, 2.5)))
_CURVE_MARKERS = ("o", "s", "^", "D", "v", "P")
_DISORDER_COLOURS = tuple(TOKENS[f"d{step}"].light for step in range(5))
_DARK_DISORDER = 0.55  # numbers on darker cells are white


def _gamma_symbol(name: str, prefix: str) -> str:
    """Return γ or γcat as matplotlib sets it; `prefix` precedes it (`prefix_of`)."""
    return prefix + _GAMMA_SYMBOLS[name]


def plot_documents(result: GammaResult | UnitizingResult, ax: Axes | None = None) -> Axes:
    """Plot γ (or uα) of each document with its interval, the lowest first, and the value of the corpus behind them.

    The interval of a document shows the precision of its expected disorder; the interval of the corpus shows the
    variation between documents. Documents without a value are counted under the plot.

    Parameters
    ----------
    result : GammaResult or UnitizingResult
        The result of `gamma` or `unitizing_alpha`.
    ax : matplotlib Axes, optional
        Axes to plot on; by default new ones as wide as a column.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
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
        raise SettingsError("no document has a value, so there is nothing to plot")
    corpus = result.gamma if isinstance(result, GammaResult) else result.u
    symbol = _gamma_symbol("gamma", prefix_of(result.settings)) if isinstance(result, GammaResult) else _U_ALPHA_SYMBOL
    with axes_in_style(ax, _height(len(values))) as axes:
        if not math.isnan(corpus.low):
            axes.axvspan(corpus.low, corpus.high, color=LINE_COLOUR, alpha=0.5, linewidth=0, zorder=0)
        if corpus.is_available:
            axes.axvline(corpus.value, color=SOFT_COLOUR, linestyle="--", linewidth=0.8, zorder=1)
            axes.text(
                corpus.value,
                1.01,  # just above the axes
                f"corpus {decimal(corpus.value)}",
                color=SOFT_COLOUR,
                transform=axes.get_xaxis_transform(),
                ha="center",
                va="bottom",
                fontsize=SMALL_TEXT,
            )
        _points(axes, [value for _, value in values])
        _name_rows(axes, [name for name, _ in values])
        missing = len(result.documents) - len(values)
        note = f"\n{missing} of {counted(len(result.documents), 'document')} without a value" if missing else ""
        axes.set_xlabel(f"{symbol}{note}")
        return axes


def _documents(result: GammaResult | UnitizingResult) -> list[tuple[str, Value]]:
    """Return the names of the documents that have a value, with their values."""
    if isinstance(result, GammaResult):
        values: list[tuple[str, Value]] = [(document.document, document.gamma) for document in result.documents]
    else:
        values = [(document.document, document.u) for document in result.documents]
    return [(name, value) for name, value in values if value.is_available]


def _height(documents: int) -> float:
    # Documents without names need no row that is high enough for a name.
    return (
        _MARGIN_HEIGHT + _ROW_HEIGHT * min(documents, _MAX_NAMED_DOCUMENTS)
        if documents <= _MAX_NAMED_DOCUMENTS
        else COLUMN_WIDTH
    )


def _points(axes: Axes, values: Sequence[Value]) -> None:
    """Draw a point and its interval in each row."""
    rows = [*range(len(values))]
    size = 3.5 if len(values) <= _MAX_NAMED_DOCUMENTS else 1.5
    rows_with_interval = [row for row in rows if not math.isnan(values[row].low)]
    axes.hlines(
        rows_with_interval,
        [values[row].low for row in rows_with_interval],
        [values[row].high for row in rows_with_interval],
        color=INK_COLOUR,
        linewidth=0.9,
        zorder=2,
    )
    points = [value.value for value in values]
    axes.plot(points, rows, linestyle="none", marker="o", markersize=size, color=_CURVE_COLOURS[0], zorder=3)


def _name_rows(axes: Axes, names: Sequence[str]) -> None:
    margin = max(0.6, len(names) / 50)  # in rows
    # The larger bound comes first, because rows run from top to bottom.
    axes.set_ylim(len(names) - 1 + margin, -margin)
    if len(names) > _MAX_NAMED_DOCUMENTS:
        axes.set_yticks([])
        axes.set_ylabel(f"{len(names)} documents, the lowest first")
        return
    # A name may contain dollar signs, which matplotlib would read as mathematics.
    axes.set_yticks(range(len(names)), beside_axis(names), parse_math=False)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="y", color=GRID_COLOUR, linewidth=0.6)
    axes.set_axisbelow(True)


def save_documents(result: GammaResult | UnitizingResult, path: Path) -> None:
    """Write the plot of `plot_documents` to a file; equal results give equal bytes."""
    figure = new_figure(_height(len(_documents(result))))
    plot_documents(result, figure.axes[0])
    save(figure, path)


def plot_pairs(result: PairwiseResult, ax: Axes | None = None, *, measure: str = "gamma") -> Axes:
    """Plot γ (or γcat) of every two annotators as a matrix: darker cells have more disorder; the number is the value.

    Parameters
    ----------
    result : PairwiseResult
        The result of `pairwise`.
    ax : matplotlib Axes, optional
        Axes to plot on; by default new ones as wide as a column.
    measure : {"gamma", "gamma_cat"}
        The coefficient.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    SettingsError
        If the measure is another one.

    Examples
    --------
    >>> units = [("d", "ann", 0, 4, "x"), ("d", "bob", 1, 5, "x"), ("d", "cy", 6, 9, "y")]
    >>> ax = ga.plot_pairs(ga.pairwise(units, samples=30))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['bob', 'cy']
    """
    if measure not in _GAMMA_SYMBOLS:
        raise SettingsError(f"measure must be one of {', '.join(_GAMMA_SYMBOLS)}, not {measure!r}")
    names = beside_axis(result.annotators)
    index = {name: position for position, name in enumerate(result.annotators)}
    with axes_in_style(ax, min(COLUMN_WIDTH, _MARGIN_HEIGHT + _CELL_HEIGHT * len(names))) as axes:
        from matplotlib.colors import LinearSegmentedColormap

        colour_map = LinearSegmentedColormap.from_list("wine", _DISORDER_COLOURS)
        has_numbers = len(names) <= _MAX_NUMBERED_ANNOTATORS
        for annotators, pair in result.pairs.items():
            # The matrix is a triangle: the first annotator has no row, the last one no column.
            column, row = sorted(index[name] for name in annotators)
            _draw_cell(axes, column, row - 1, getattr(pair, measure), colour_map, has_number=has_numbers)
        axes.set(xlim=(-0.5, len(names) - 1.5), ylim=(len(names) - 1.5, -0.5), aspect="equal")
        axes.set_xticks(range(len(names) - 1), names[:-1], rotation=90, parse_math=False)
        axes.set_yticks(range(len(names) - 1), names[1:], parse_math=False)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        if has_numbers:
            axes.set_title(_gamma_symbol(measure, result.prefix), fontsize=8.0, loc="right")
        else:
            from matplotlib.cm import ScalarMappable
            from matplotlib.colors import Normalize

            # Colours show the disorder, 1 - γ, so the scale of γ has them in reverse.
            scale = ScalarMappable(Normalize(0, 1), colour_map.reversed())
            axes.figure.colorbar(scale, ax=axes, label=_gamma_symbol(measure, result.prefix), shrink=0.6)
        return axes


def _draw_cell(
    axes: Axes, column: int, row: int, value: Value, colour_map: Callable[[float], object], *, has_number: bool
) -> None:
    """Draw the cell of a pair of annotators; it is hatched if there is no value."""
    from matplotlib.patches import Rectangle

    corner = (column - 0.5, row - 0.5)
    if not value.is_available:
        axes.add_patch(Rectangle(corner, 1, 1, facecolor="white", edgecolor=SOFT_COLOUR, hatch="////", linewidth=0.0))
    else:
        # A γ below 0 is a disorder above 1, where the colours end.
        disorder = min(max(1.0 - value.value, 0.0), 1.0)
        axes.add_patch(Rectangle(corner, 1, 1, facecolor=colour_map(disorder), edgecolor="white", linewidth=1.0))
        if has_number:
            colour = "white" if disorder > _DARK_DISORDER else INK_COLOUR
            number = decimal(value.value)
            axes.text(column, row, number, ha="center", va="center", color=colour, fontsize=SMALL_TEXT)


def plot_curve(result: ReferenceCurve, ax: Axes | None = None) -> Axes:
    """Plot γ of the degraded corpus by kind and magnitude of the errors, with γ of the corpus as a horizontal line.

    Parameters
    ----------
    result : ReferenceCurve
        The result of `curve`.
    ax : matplotlib Axes, optional
        Axes to plot on; by default new ones as wide as a column.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.

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
            axes.axhspan(value.low, value.high, color=LINE_COLOUR, alpha=0.5, linewidth=0, zorder=0)
        axes.axhline(value.value, color=SOFT_COLOUR, linestyle="--", linewidth=0.8, zorder=1)
        styles = itertools.cycle(zip(_CURVE_COLOURS, _LINE_STYLES, _CURVE_MARKERS, strict=True))
        # The styles repeat without end, so `zip` cannot be strict.
        for curve, (colour, line, marker) in zip(result.curves, styles, strict=False):
            _curve(axes, curve, colour, line, marker)
        symbol = _gamma_symbol("gamma", prefix_of(result.settings))
        axes.set(xlabel="magnitude of errors", ylabel=symbol, xlim=(0, None))
        axes.legend(handlelength=3)
        return axes


def _curve(axes: Axes, curve: KindCurve, colour: str, line: object, marker: str) -> None:
    bands = [band for band in curve.bands if band.available]
    magnitudes = [band.magnitude for band in bands]
    low = [band.low for band in bands]
    high = [band.high for band in bands]
    axes.fill_between(magnitudes, low, high, color=colour, alpha=0.15, lw=0)
    label = " + ".join(curve.settings.ordered)
    axes.plot(
        magnitudes,
        [band.mean for band in bands],
        color=colour,
        linestyle=line,
        marker=marker,
        markersize=3,
        label=label,
    )
