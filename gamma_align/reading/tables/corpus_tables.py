"""The three tables that a corpus is written as: units, annotations, and documents with their extents.

Rows are in the order (document, annotator, start, end, category). In Parquet, a row group consists of whole documents,
and the same documents form a row group in each of the tables, so that a part of the corpus can be read alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamma_align.columns import UNLABELLED, FloatArray, chunks
from gamma_align.data import KNOWN, Coded, Corpus
from gamma_align.reading.tables.columns import ColumnValues

ROW_GROUP_SIZE = 100_000
"""Approximate number of units and annotations in a row group."""

_MAX_EXACT_INTEGER = 2**53  # float64 holds all integers up to this one


class ColumnTypes(NamedTuple):
    """The types of the columns of a whole corpus, which all its parts are written with."""

    has_whole_bounds: bool
    has_whole_extents: bool
    has_categories: bool

    @classmethod
    def of(cls, corpus: Corpus) -> ColumnTypes:
        """Return the types of the columns of a corpus."""
        has_categories = bool((corpus.category != UNLABELLED).any())
        return cls(are_whole(corpus.start, corpus.end), are_whole(corpus.extents), has_categories)


def are_whole(*columns: FloatArray) -> bool:
    """Return whether all numbers can be written as integers, as positions in tokens and characters should be."""
    is_whole = all(bool((values == np.rint(values)).all()) for values in columns)
    return is_whole and all(bool((np.abs(values) <= _MAX_EXACT_INTEGER).all()) for values in columns)


def tables_of(corpus: Corpus, types: ColumnTypes) -> dict[str, dict[str, ColumnValues]]:
    """Return the columns of each table."""
    units: dict[str, ColumnValues] = {
        "document": Coded(corpus.unit_document, corpus.documents),
        "annotator": Coded(corpus.annotator, corpus.annotators),
        "start": _numbers(corpus.start, is_whole=types.has_whole_bounds),
        "end": _numbers(corpus.end, is_whole=types.has_whole_bounds),
    }
    if types.has_categories:
        units["category"] = Coded(corpus.category, corpus.categories)
    annotations: dict[str, ColumnValues] = {
        "document": Coded(corpus.seen_document, corpus.documents),
        "annotator": Coded(corpus.seen, corpus.annotators),
    }
    documents: dict[str, ColumnValues] = {
        "document": Coded(np.arange(len(corpus)), corpus.documents),
        "start": _numbers(corpus.extents[:, 0], is_whole=types.has_whole_extents),
        "end": _numbers(corpus.extents[:, 1], is_whole=types.has_whole_extents),
    }
    if corpus.length_unit is not None:
        documents["unit"] = Coded(np.zeros(len(corpus), dtype=np.int64), (corpus.length_unit,))
    return dict(zip(KNOWN, (units, annotations, documents), strict=True))


def group_starts(corpus: Corpus) -> dict[str, list[int]]:
    """Return the first row of each row group of each table, without the first group."""
    sizes = corpus.units_per_document + corpus.n_annotators
    documents = [first for first, _ in chunks(sizes, ROW_GROUP_SIZE)][1:]
    return {
        "units": corpus.unit_offsets[documents].tolist(),
        "annotations": corpus.seen_offsets[documents].tolist(),
        "documents": documents,
    }


def _numbers(values: FloatArray, *, is_whole: bool) -> ColumnValues:
    return values.astype(np.int64) if is_whole else values
