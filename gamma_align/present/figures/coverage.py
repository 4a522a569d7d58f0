"""How many annotators mark each part of a document, and with which labels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.present.figures.scene import Scene, Window


def covered_by_label(scene: Scene, window: Window, n_cells: int) -> Iterator[tuple[int, BoolArray]]:
    """Yield the code of each label in the window, and which cells each annotator covers with it.

    The window is cut into cells of one length; a unit covers those that it has any part of, one without length that in
    which it stands. The arrays have the shape (n_annotators, n_cells).
    """
    units = scene.in_view(window)
    low, high = window
    length = (high / 2 - low / 2) / n_cells or 0.5
    first = np.floor((scene.continuum.start[units] / 2 - low / 2) / length + 1e-9)
    last = np.ceil((scene.continuum.end[units] / 2 - low / 2) / length - 1e-9)
    begin = np.clip(first, 0, n_cells - 1).astype(np.int64)
    end = np.clip(np.maximum(last, first + 1), begin + 1, n_cells).astype(np.int64)
    codes, annotators = scene.codes[units], scene.continuum.annotator[units]
    for code in np.unique(codes).tolist():
        chosen = codes == code
        changes = np.zeros((len(scene.continuum.annotators), n_cells + 1), dtype=np.int64)
        np.add.at(changes, (annotators[chosen], begin[chosen]), 1)
        np.add.at(changes, (annotators[chosen], end[chosen]), -1)
        yield code, np.cumsum(changes[:, :-1], axis=1) > 0


def label_grid(scene: Scene, window: Window, n_cells: int) -> IntArray:
    """Return a number for the labels that each annotator has in each cell, 0 for none, (n_annotators, n_cells)."""
    grid = np.zeros((len(scene.continuum.annotators), n_cells), dtype=np.int64)
    for code, covered in covered_by_label(scene, window, n_cells):
        grid += (code + 1) * covered
    return grid


def shares(scene: Scene, window: Window, n_cells: int) -> dict[int, FloatArray]:
    """Return the share of the annotators who mark each cell, by the code of the label, shape (n_cells,) each.

    An annotator with several labels in a cell counts for each of them in part, so that the sum over the labels is the
    share of those who mark it.
    """
    number: IntArray = np.zeros((len(scene.continuum.annotators), n_cells), dtype=np.int64)
    for _, covered in covered_by_label(scene, window, n_cells):
        number += covered
    weight = 1.0 / np.maximum(number, 1)
    people = max(len(scene.continuum.annotators), 1)
    return {code: (covered * weight).sum(axis=0) / people for code, covered in covered_by_label(scene, window, n_cells)}
