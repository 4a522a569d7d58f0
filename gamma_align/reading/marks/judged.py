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
    """Cut the units, and the extents of `judged`, to what all annotators of their document have judged, with a note."""
    judged = _judged_by_all(units)
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
            parts = [(max(start, low), min(end, high)) for low, high in spans if _meet(start, end, low, high)]
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


def _meet(start: float, end: float, low: float, high: float) -> bool:
    """Return whether a unit has a part in a stretch: a length in common, or a point without length in it."""
    return (start < high and end > low) or (start == end and low <= start <= high)


def _judged_by_all(units: Gathered) -> dict[str, Spans]:
    """Return what all annotators have judged of each document in which someone has not judged all of it."""
    judged: dict[str, Spans] = {}
    for marks, origin in zip(units.marks, units.sources, strict=True):
        for pair, spans in marks.judged.items():
            for document in {units.owners[owner].document for owner in origin.get(pair, ())}:
                judged[document] = _common(judged[document], spans) if document in judged else spans
    return judged


def _common(first: Spans, second: Spans) -> Spans:
    """Return what two lists of stretches, each in order and apart, have in common."""
    result: Spans = []
    at = 0
    for start, end in first:
        while at < len(second) and second[at][1] <= start:
            at += 1
        index = at
        while index < len(second) and second[index][0] < end:
            result.append((max(start, second[index][0]), min(end, second[index][1])))
            index += 1
    return result
