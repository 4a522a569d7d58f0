"""Plots for papers, with matplotlib: documents, pairs of annotators, curves.

A plot is drawn on the given Axes, or on new ones as wide as a column, and returns them. Colour never stands alone:
position, a pattern or a number shows the same.
"""

from gamma_align.lazy import door

_NAMES = {
    "agreement": ("save_documents",),
    "axes": ("check_plot",),
}

__getattr__, __all__ = door(__name__, _NAMES)
