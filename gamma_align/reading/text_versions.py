"""Units moved from the texts of one corpus to those of another, for versions whose texts were corrected."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray
from gamma_align.data import Corpus, counted
from gamma_align.reading.marks.texts import text_mapping


class LostUnit(NamedTuple):
    """A unit of whose text no character is left in the other text."""

    document: str
    annotator: str
    start: float
    end: float
    category: str | None
    text: str


class Realigned(NamedTuple):
    """A corpus on the texts of another one, and the units that have no text there."""

    corpus: Corpus
    lost: tuple[LostUnit, ...]


def realigned(corpus: Corpus, onto: Corpus) -> Realigned:
    """Return a corpus whose documents have the texts and extents of the same documents of another corpus.

    Units move with the characters that both texts have (see `text_mapping`).
    """
    place = {name: index for index, name in enumerate(onto.documents)}
    start = corpus.start.copy()
    end = corpus.end.copy()
    extents = corpus.extents.copy()
    new_texts = list(corpus.texts or ())
    notes = []
    for index, (name, text) in enumerate(zip(corpus.documents, corpus.texts or (), strict=False)):
        target = onto.texts[place[name]] if name in place and onto.texts is not None else None
        if text is None or target is None or text == target:
            continue
        rows = slice(*corpus.unit_offsets[index : index + 2].tolist())
        start[rows], end[rows] = text_mapping(text, target).moved(start[rows], end[rows])
        extents[index] = onto.extents[place[name]]
        new_texts[index] = target
        notes.append(name)
    if not notes:
        return Realigned(corpus, ())
    is_lost = (end <= start) & (corpus.end > corpus.start)
    moved = _with_bounds(corpus, start, end, extents, ~is_lost)
    note = f"moved onto the text of the other version: {counted(len(notes), 'document')}"
    lost_rows = np.flatnonzero(is_lost)
    places = zip(lost_rows.tolist(), corpus.unit_document[lost_rows].tolist(), strict=True)
    lost = tuple(_lost(corpus, row, document) for row, document in places)
    return Realigned(replace(moved, texts=tuple(new_texts), notes=(*corpus.notes, note)), lost)


def _with_bounds(corpus: Corpus, start: FloatArray, end: FloatArray, extents: FloatArray, is_kept: BoolArray) -> Corpus:
    """Return the corpus with other bounds of units and documents, without the units that are not kept."""
    tables = corpus.to_tables()
    units = {name: column[is_kept] for name, column in (tables.units | {"start": start, "end": end}).items()}
    documents = tables.documents | {"start": extents[:, 0], "end": extents[:, 1]}
    built = Corpus.from_columns(units, annotations=tables.annotations, documents=documents, outside="extend")
    return replace(built, length_unit=corpus.length_unit)


def _lost(corpus: Corpus, row: int, document: int) -> LostUnit:
    code = int(corpus.category[row])
    bounds = float(corpus.start[row]), float(corpus.end[row])
    text = (corpus.texts or ())[document] or ""
    return LostUnit(
        corpus.documents[document],
        corpus.annotators[int(corpus.annotator[row])],
        *bounds,
        corpus.categories[code] if code >= 0 else None,
        text[int(bounds[0]) : int(bounds[1])],
    )
