"""Stretches that an annotator has not judged, such as epochs that a scorer left unscored, cut from their documents.

A document keeps what all its annotators have judged: units of others outside it are cut or left out, since nobody could
agree or disagree with them there.
"""

from __future__ import annotations

import numpy as np

from gamma_align.data import few
from gamma_align.errors import Cure, Note, Set
from gamma_align.reading.marks.gather import Gathered

Spans = list[tuple[float, float]]


def cut_to_judged(units: Gathered) -> None:
    """Cut all units to the stretches that every annotator of their document judged, in place, with a note.

    A unit over several stretches becomes several units, and a unit outside of them is dropped. `judged` becomes the new
    extents. Nothing changes if every annotator judged everything.
    """
    judged = _stretches_judged_by_all(units)
    if not judged:
        return
    rows: list[int] = []
    bounds: Spans = []
    n_cut = 0
    for row, owner in enumerate(units.owner.tolist()):
        start = float(units.start[row])
        end = float(units.end[row])
        parts = [(start, end)]
        spans = judged.get(units.owners[owner].document)
        if spans is not None:
            parts = [(max(start, low), min(end, high)) for low, high in spans if _overlaps(start, end, low, high)]
        n_cut += parts != [(start, end)]
        rows += [row] * len(parts)
        bounds += parts
    units.keep(np.array(rows, dtype=np.int64))
    units.start = np.array([start for start, _ in bounds], dtype=np.float64)
    units.end = np.array([end for _, end in bounds], dtype=np.float64)
    units.judged = {document: (spans[0][0], spans[-1][1]) for document, spans in judged.items() if spans}
    if n_cut:
        documents = few(map(repr, sorted(judged)), 3)
        units.notes.append(
            Note(
                f"{n_cut} units are cut or left out, since they reach into stretches that another annotator has not "
                f"judged ({documents})",
                Cure("{} takes these stretches as seen, with nothing marked", Set("seen", "all")),
            )
        )


def _overlaps(start: float, end: float, low: float, high: float) -> bool:
    """Return whether a unit shares some length with a stretch or, if it has no length, lies in it or at its edge."""
    return (start < high and end > low) or (start == end and low <= start <= high)


def _stretches_judged_by_all(units: Gathered) -> dict[str, Spans]:
    """Return, by document, the stretches that all annotators judged.

    Documents that every annotator judged completely are left out.
    """
    judged: dict[str, Spans] = {}
    for marks, origin in zip(units.marks, units.sources, strict=True):
        for pair, spans in marks.judged.items():
            for document in {units.owners[owner].document for owner in origin.get(pair, ())}:
                judged[document] = _intersect(judged[document], spans) if document in judged else spans
    return judged


def _intersect(first: Spans, second: Spans) -> Spans:
    """Return the intersection of two lists of stretches; each list is sorted and its stretches do not overlap."""
    result: Spans = []
    first_index = 0
    for start, end in first:
        while first_index < len(second) and second[first_index][1] <= start:
            first_index += 1
        index = first_index
        while index < len(second) and second[index][0] < end:
            result.append((max(start, second[index][0]), min(end, second[index][1])))
            index += 1
    return result
