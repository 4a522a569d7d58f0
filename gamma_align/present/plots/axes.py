"""The axes of plots, as wide as a column, their style, and files with reproducible bytes."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from gamma_align.data import short_names
from gamma_align.errors import GammaAlignWarning, MissingExtraError, SettingsError
from gamma_align.present.figures.palette import TOKENS
from gamma_align.reading import atomic_write

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMN_WIDTH = 3.3  # inches; the width of a column in most papers with two columns
SMALL_TEXT = 7.0  # points; the size of all text except the labels of axes
PLOT_FORMATS = (".pdf", ".svg", ".png")
INK_COLOUR, SOFT_COLOUR, LINE_COLOUR, GRID_COLOUR = (TOKENS[name].light for name in ("ink", "soft", "line", "grid"))
_MAX_NAME_LENGTH = 28  # characters beside an axis
_RC_STYLE: dict[str, Any] = {
    "font.size": 8.0,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib
    "axes.labelsize": 8.0,
    "axes.edgecolor": SOFT_COLOUR,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.unicode_minus": True,
    "text.color": INK_COLOUR,
    "axes.labelcolor": INK_COLOUR,
    "xtick.color": INK_COLOUR,
    "ytick.color": INK_COLOUR,
    "xtick.labelsize": SMALL_TEXT,
    "ytick.labelsize": SMALL_TEXT,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.fontsize": SMALL_TEXT,
    "legend.frameon": False,
    "lines.linewidth": 1.2,
    "hatch.linewidth": 0.6,
}
# Journals require embedded TrueType fonts (42). A fixed salt makes the identifiers of SVG reproducible.
_RC_FILES: dict[str, Any] = {"pdf.fonttype": 42, "svg.hashsalt": "gamma_align", "savefig.dpi": 300.0}
_WITHOUT_DATES = {".pdf": {"CreationDate": None}, ".svg": {"Date": None}, ".png": {}}
_MISSING_GLYPH = re.compile(r"Glyph \d+ .*missing from")


def check_plot(path: Path) -> None:
    """Raise an error if the plot could not be written: an unknown format, or matplotlib is not installed.

    Raises
    ------
    MissingExtraError, SettingsError
    """
    if path.suffix.lower() not in PLOT_FORMATS:
        raise SettingsError(f"a plot is written as {', '.join(PLOT_FORMATS)}, not {path.suffix or path.name!r}")
    _matplotlib()


def _matplotlib() -> ModuleType:
    try:
        import matplotlib as mpl
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", "a plot") from None
    return mpl


@contextmanager
def axes_in_style(ax: Axes | None, height: float) -> Iterator[Axes]:
    """Yield the axes, or new ones of this height that pyplot shows, and set the style of plots meanwhile."""
    with _matplotlib().rc_context(_RC_STYLE):
        if ax is None:
            from matplotlib import pyplot as plt

            _, ax = plt.subplots(figsize=(COLUMN_WIDTH, height), layout="constrained")
        yield ax


def new_figure(height: float) -> Figure:
    """Return a figure with axes that is not shown in a window."""
    with _matplotlib().rc_context(_RC_STYLE):
        # pyplot would keep the figure and show it.
        from matplotlib.figure import Figure

        figure = Figure(figsize=(COLUMN_WIDTH, height), layout="constrained")
        figure.subplots()
        return figure


def save(figure: Figure, path: Path) -> None:
    """Write a figure atomically; equal figures give equal bytes."""
    suffix = path.suffix.lower()
    with _matplotlib().rc_context(_RC_FILES), warnings.catch_warnings(record=True) as caught:
        # By default Python suppresses a repeated warning, and a second plot would have none.
        warnings.simplefilter("always")
        with atomic_write(path) as temporary:
            figure.savefig(temporary, format=suffix.removeprefix("."), metadata=_WITHOUT_DATES[suffix])
    # Each missing glyph has a warning of its own; one warning replaces them.
    for warning in caught:
        if not _MISSING_GLYPH.match(str(warning.message)):
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    if any(_MISSING_GLYPH.match(str(warning.message)) for warning in caught):
        warnings.warn(f"{path}: the font lacks characters of some names", GammaAlignWarning, stacklevel=2)


def beside_axis(names: Sequence[str]) -> list[str]:
    """Return the names, shortened to fit beside an axis; different names stay different."""
    short = short_names(names, _MAX_NAME_LENGTH)
    return [short[name] for name in names]
