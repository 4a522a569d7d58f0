"""Annotators and labels of each cell of a document."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.present.figures.scene import Scene, Window


def covered_by_label(scene: Scene, window: Window, n_cells: int) -> Iterator[tuple[int, BoolArray]]:
    """Yield the code of each label in the window, and whether each annotator covers each cell with it.

    The window is divided into cells of equal length. A unit covers all cells that it overlaps; a unit without length
    covers the cell that contains it. The arrays have the shape (n_annotators, n_cells).
    """
    units = scene.in_view(window)
    low, high = window
    # halves, because the length of the widest window overflows; 1e-9 absorbs rounding errors at the edges of cells
    length = (high / 2 - low / 2) / n_cells or 0.5
    first = np.floor((scene.continuum.start[units] / 2 - low / 2) / length + 1e-9)
    last = np.ceil((scene.continuum.end[units] / 2 - low / 2) / length - 1e-9)
    begin = np.clip(first, 0, n_cells - 1).astype(np.int64)
    end = np.clip(np.maximum(last, first + 1), begin + 1, n_cells).astype(np.int64)
    codes = scene.codes[units]
    annotators = scene.continuum.annotator[units]
    for code in np.unique(codes).tolist():
        has_code = codes == code
        changes = np.zeros((len(scene.continuum.annotators), n_cells + 1), dtype=np.int64)
        np.add.at(changes, (annotators[has_code], begin[has_code]), 1)
        np.add.at(changes, (annotators[has_code], end[has_code]), -1)
        yield code, np.cumsum(changes[:, :-1], axis=1) > 0


def label_grid(scene: Scene, window: Window, n_cells: int) -> IntArray:
    """Return a number for the labels of each annotator in each cell, 0 for none, shape (n_annotators, n_cells)."""
    grid = np.zeros((len(scene.continuum.annotators), n_cells), dtype=np.int64)
    for code, covered in covered_by_label(scene, window, n_cells):
        grid += (code + 1) * covered
    return grid


def label_shares(scene: Scene, window: Window, n_cells: int) -> dict[int, FloatArray]:
    """Return the share of the annotators that mark each cell, by the code of the label, shape (n_cells,) each.

    An annotator with several labels in a cell is divided equally among them, so that the sum over the labels is the
    share of the annotators that mark the cell.
    """
    n_labels: IntArray = np.zeros((len(scene.continuum.annotators), n_cells), dtype=np.int64)
    for _, covered in covered_by_label(scene, window, n_cells):
        n_labels += covered
    weight = 1.0 / np.maximum(n_labels, 1)
    n_annotators = max(len(scene.continuum.annotators), 1)
    return {
        code: (covered * weight).sum(axis=0) / n_annotators
        for code, covered in covered_by_label(scene, window, n_cells)
    }
