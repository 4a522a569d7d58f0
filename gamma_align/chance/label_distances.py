"""The labels of each document and the distances between them, as kernels take them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamma_align.columns import FloatArray, IntArray, numbered, ranges
from gamma_align.distances import PairDissimilarity


class LabelTables(NamedTuple):
    """The labels of documents, each with a table of the distances between them.

    `label`, shape (n_units,), is the index of each unit's label in its document. The labels of document d
    begin at `first_label[d]` of `category`, sorted by code, so that units without a label (-1) come first; its table
    of d_cat / Δ between its `n_labels[d]` labels begins at `table[d]` of `distance`, row by row.
    """

    label: IntArray
    category: IntArray
    first_label: IntArray
    n_labels: IntArray
    table: IntArray
    distance: FloatArray

    @classmethod
    def of(
        cls, document: IntArray, category: IntArray, n_documents: int, dissimilarity: PairDissimilarity
    ) -> LabelTables:
        """Return the tables of documents, given the document and the category of each unit."""
        width = int(category.max(initial=-1)) + 2
        keys, number = numbered(document * width + category + 1)
        n_labels = np.bincount(keys // width, minlength=n_documents)
        first_label = n_labels.cumsum() - n_labels
        sizes = n_labels**2
        cell = ranges(0, sizes)
        owner = np.arange(n_documents).repeat(sizes)
        codes = keys % width - 1
        row = cell // n_labels[owner]
        column = cell % n_labels[owner]
        distance = dissimilarity.categorial(codes[first_label[owner] + row], codes[first_label[owner] + column])
        return cls(
            label=number - first_label[document],
            category=codes,
            first_label=first_label,
            n_labels=n_labels,
            table=sizes.cumsum() - sizes,
            distance=np.ascontiguousarray(distance, dtype=np.float64),
        )
