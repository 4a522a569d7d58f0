"""What plots have in common: axes as wide as a column, their style, and files that are the same every time."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gamma_align.data.wording import short_names
from gamma_align.errors import GammaAlignWarning, MissingExtraError, SettingsError
from gamma_align.present.figures.palette import TOKENS
from gamma_align.reading.files.atomic import atomic_write

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMN = 3.3
"""The width of a column, in inches: that of most papers in two columns."""
SMALL = 7.0
"""Points of the text that is not a label of an axis."""
FORMATS = (".pdf", ".svg", ".png")
INK, SOFT, LINE, GRID = (TOKENS[name].light for name in ("ink", "soft", "line", "grid"))
_LONGEST = 28
_STYLE: dict[str, Any] = {
    "font.size": 8.0,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # the one that comes with matplotlib
    "axes.labelsize": 8.0,
    "axes.edgecolor": SOFT,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.unicode_minus": True,
    "text.color": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.fontsize": SMALL,
    "legend.frameon": False,
    "lines.linewidth": 1.2,
    "hatch.linewidth": 0.6,
}
_OF_FILES: dict[str, Any] = {"pdf.fonttype": 42, "svg.hashsalt": "gamma_align", "savefig.dpi": 300.0}
"""Fonts as journals want them; and identifiers that are not drawn by lot."""
_NO_DATES = {".pdf": {"CreationDate": None}, ".svg": {"Date": None}, ".png": {}}
_GLYPH = re.compile(r"Glyph \d+ .*missing from")


def check_plot(path: Path) -> None:
    """Refuse a plot that could not be written: of another format, or without matplotlib.

    Raises
    ------
    MissingExtraError, SettingsError
    """
    if path.suffix.lower() not in FORMATS:
        raise SettingsError(f"a plot is written as {', '.join(FORMATS)}, not {path.suffix or path.name!r}")
    _matplotlib()


def _matplotlib() -> Any:  # noqa: ANN401  (a module)
    try:
        import matplotlib as mpl
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", "a plot") from None
    return mpl


@contextmanager
def axes_in_style(ax: Axes | None, height: float) -> Iterator[Axes]:
    """Yield the axes, or new ones of that height, which pyplot shows; what is drawn on them is in our style."""
    with _matplotlib().rc_context(_STYLE):
        if ax is None:
            from matplotlib import pyplot as plt

            _, ax = plt.subplots(figsize=(COLUMN, height), layout="constrained")
        yield ax


def new_figure(height: float) -> Figure:
    """Return a figure with axes that no window shows."""
    with _matplotlib().rc_context(_STYLE):
        from matplotlib.figure import Figure

        figure = Figure(figsize=(COLUMN, height), layout="constrained")
        figure.subplots()
        return figure


def save(figure: Figure, path: Path) -> None:
    """Write a figure whole or not at all, the same bytes every time."""
    suffix = path.suffix.lower()
    with _matplotlib().rc_context(_OF_FILES), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with atomic_write(path) as temporary:
            figure.savefig(temporary, format=suffix.removeprefix("."), metadata=_NO_DATES[suffix])
    for warning in caught:
        if not _GLYPH.match(str(warning.message)):
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    if any(_GLYPH.match(str(warning.message)) for warning in caught):
        warnings.warn(f"{path}: the font has no signs for some names", GammaAlignWarning, stacklevel=2)


def beside_axis(names: Sequence[str]) -> list[str]:
    """Return names that fit beside an axis; different names stay different."""
    short = short_names(names, _LONGEST)
    return [short[name] for name in names]
