"""Units moved from the texts, or tokens, of one corpus to those of another, for versions that were corrected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray
from gamma_align.data import Corpus, counted, in_one_unit
from gamma_align.reading.marks.texts import text_mapping, token_mapping


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

    Units move with the characters, or tokens, that both have (see `text_mapping`).
    """
    corpus, onto = in_one_unit([corpus, onto])
    place = {name: index for index, name in enumerate(onto.documents)}
    start = corpus.start.copy()
    end = corpus.end.copy()
    extents = corpus.extents.copy()
    counts_tokens = corpus.length_unit == "token"
    new_texts: list[Any] = [*_texts(corpus)]
    targets = _texts(onto)
    notes = []
    for index, (name, text) in enumerate(zip(corpus.documents, _texts(corpus), strict=False)):
        target = targets[place[name]] if name in place and targets else None
        if text is None or target is None or text == target:
            continue
        rows = slice(*corpus.unit_offsets[index : index + 2].tolist())
        mapping = token_mapping(text, target) if counts_tokens else text_mapping(str(text), str(target))
        start[rows], end[rows] = mapping.moved(start[rows], end[rows])
        extents[index] = onto.extents[place[name]]
        new_texts[index] = target
        notes.append(name)
    if not notes:
        return Realigned(corpus, ())
    is_lost = (end <= start) & (corpus.end > corpus.start)
    moved = _with_bounds(corpus, start, end, extents, ~is_lost)
    what = "tokens" if counts_tokens else "text"
    note = f"moved onto the {what} of the other version: {counted(len(notes), 'document')}"
    lost_rows = np.flatnonzero(is_lost)
    places = zip(lost_rows.tolist(), corpus.unit_document[lost_rows].tolist(), strict=True)
    lost = tuple(_lost(corpus, row, document) for row, document in places)
    moved = replace(moved, notes=(*corpus.notes, note))
    known = tuple(new_texts)
    return Realigned(replace(moved, tokens=known) if counts_tokens else replace(moved, texts=known), lost)


def _texts(corpus: Corpus) -> Sequence[str | Sequence[str] | None]:
    """Return the text of each document, or its tokens if bounds count them; empty if none is known."""
    return (corpus.tokens if corpus.length_unit == "token" else corpus.texts) or ()


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
    covered = (_texts(corpus)[document] or "")[int(bounds[0]) : int(bounds[1])]
    return LostUnit(
        corpus.documents[document],
        corpus.annotators[int(corpus.annotator[row])],
        *bounds,
        corpus.categories[code] if code >= 0 else None,
        covered if isinstance(covered, str) else " ".join(covered),
    )
