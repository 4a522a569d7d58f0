"""The three tables of a corpus as they are written: units, who saw what, and documents with their extents.

Rows are in the order (document, annotator, start, end, category). Parquet has them in row groups of whole documents,
the same documents in each of the tables, so that a part of the corpus can be read alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gamma_align.columns import UNLABELLED, FloatArray, chunks
from gamma_align.data.corpus import Corpus
from gamma_align.data.tables import KNOWN, Coded

GROUP = 100_000
"""Units, and annotators who saw documents, in the documents of a row group, about."""

_EXACT = 2**53


class Columns(NamedTuple):
    """What the columns of all the corpus are: whether bounds are whole numbers, and whether units have categories."""

    whole_units: bool
    whole_extents: bool
    categories: bool

    @classmethod
    def of(cls, corpus: Corpus) -> Columns:
        """Return what the columns of the corpus are."""
        categories = bool((corpus.category != UNLABELLED).any())
        return cls(are_whole(corpus.start, corpus.end), are_whole(corpus.extents), categories)


def are_whole(*columns: FloatArray) -> bool:
    """Whether all numbers are integers, and can be written as such: tokens and characters stay what they are."""
    whole = all(bool((values == np.rint(values)).all()) for values in columns)
    return whole and all(bool((np.abs(values) <= _EXACT).all()) for values in columns)


def tables_of(corpus: Corpus, columns: Columns) -> dict[str, dict[str, Any]]:
    """Return the columns of each table."""
    units: dict[str, Any] = {
        "document": Coded(corpus.unit_document, corpus.documents),
        "annotator": Coded(corpus.annotator, corpus.annotators),
        "start": _numbers(corpus.start, whole=columns.whole_units),
        "end": _numbers(corpus.end, whole=columns.whole_units),
    }
    if columns.categories:
        units["category"] = Coded(corpus.category, corpus.categories)
    annotations = {
        "document": Coded(corpus.seen_document, corpus.documents),
        "annotator": Coded(corpus.seen, corpus.annotators),
    }
    documents: dict[str, Any] = {
        "document": Coded(np.arange(len(corpus)), corpus.documents),
        "start": _numbers(corpus.extents[:, 0], whole=columns.whole_extents),
        "end": _numbers(corpus.extents[:, 1], whole=columns.whole_extents),
    }
    if corpus.length_unit is not None:
        documents["unit"] = Coded(np.zeros(len(corpus), dtype=np.int64), (corpus.length_unit,))
    return dict(zip(KNOWN, (units, annotations, documents), strict=True))


def cuts_of(corpus: Corpus) -> dict[str, list[int]]:
    """Return the rows of each table at which a row group begins, but for the first."""
    cuts = [first for first, _ in chunks(corpus.units_per_document + corpus.n_annotators, GROUP)][1:]
    rows = (corpus.unit_offsets[cuts], corpus.seen_offsets[cuts], np.array(cuts, dtype=np.int64))
    return {kind: table.tolist() for kind, table in zip(KNOWN, rows, strict=True)}


def _numbers(values: FloatArray, *, whole: bool) -> Any:  # noqa: ANN401  (int or float)
    return values.astype(np.int64) if whole else values
