"""The columns of a part of a corpus: some of its documents, annotators and categories."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gamma_align.columns import BoolArray, IntArray, ranges
from gamma_align.data.build import CorpusColumns


def selected_columns(
    columns: CorpusColumns, documents: IntArray, annotators: BoolArray, categories: BoolArray
) -> CorpusColumns:
    """Return the columns of documents by index with the marked annotators and categories.

    The last entry of `categories` is for units without a category. Documents that none of the annotators saw are
    dropped, unless nobody saw them. A selection of checked columns needs no check.
    """
    seen_offsets = columns["seen_offsets"]
    unit_offsets = columns["unit_offsets"]
    first = seen_offsets[documents]
    counts = seen_offsets[documents + 1] - seen_offsets[documents]
    seen = columns["seen"][ranges(first, counts)]
    seen_document = np.repeat(np.arange(len(documents)), counts)
    n_seen = np.bincount(seen_document[annotators[seen]], minlength=len(documents))
    is_kept = (n_seen > 0) | (counts == 0)
    documents = documents[is_kept]
    n_seen = n_seen[is_kept]
    seen = seen[annotators[seen]]

    counts = unit_offsets[documents + 1] - unit_offsets[documents]
    units = ranges(unit_offsets[documents], counts)
    is_unit = annotators[columns["annotator"][units]] & categories[columns["category"][units]]
    unit_document = np.repeat(np.arange(len(documents)), counts)[is_unit]
    units = units[is_unit]
    n_units = np.bincount(unit_document, minlength=len(documents))
    annotator = columns["annotator"][units]
    category = columns["category"][units]
    annotator_names, annotator_code = _in_use(columns["annotators"], seen)
    category_names, category_code = _in_use(columns["categories"], category)
    result: CorpusColumns = {
        "documents": tuple(columns["documents"][row] for row in documents.tolist()),
        "annotators": annotator_names,
        "categories": category_names,
        "seen_offsets": np.concatenate([[0], np.cumsum(n_seen)]),
        "seen": annotator_code[seen],
        "unit_offsets": np.concatenate([[0], np.cumsum(n_units)]),
        "annotator": annotator_code[annotator],
        "start": columns["start"][units],
        "end": columns["end"][units],
        "category": category_code[category],
        "extents": columns["extents"][documents],
        "length_unit": columns["length_unit"],
        "notes": tuple(dict.fromkeys(columns["notes"])),
        "seen_is_told": columns["seen_is_told"],
    }
    texts = columns["texts"]
    if texts is not None and any(text is not None for text in texts):
        result["texts"] = tuple(texts[row] for row in documents.tolist())
    tokens = columns["tokens"]
    if tokens is not None:
        result["tokens"] = tuple(tokens[row] for row in documents.tolist())
    return result


def _in_use(names: Sequence[str], codes: IntArray) -> tuple[tuple[str, ...], IntArray]:
    """Return the names that codes are of, and the new code of each old one; code -1, of no name, stays."""
    is_used = np.zeros(len(names) + 1, dtype=np.bool_)
    is_used[codes] = True
    used = np.flatnonzero(is_used[:-1])
    new_code = np.full(len(names) + 1, -1)
    new_code[used] = np.arange(len(used))
    return tuple(names[code] for code in used.tolist()), new_code
