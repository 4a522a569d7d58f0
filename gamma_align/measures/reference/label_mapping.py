"""A system's labels translated to the reference's, if the two have different names for the same categories.

Over all documents that both saw, the system's labels are mapped one to one onto the reference's so that units of mapped
labels overlap on the greatest total length. DER does the same document by document. A label without a counterpart keeps
its name unless that name is taken by another label.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from gamma_align import kernels
from gamma_align.columns import BoolArray, IntArray, grouped_sums
from gamma_align.data import Batch, Corpus, few
from gamma_align.measures.reference.matching import Overlaps
from gamma_align.measures.reference.pairings import SYSTEM, Pairings, Slots

_MAX_LABELS_SHOWN = 10  # labels that a note lists
_NO_COUNTERPART = " (no counterpart)"  # added to a name that is taken

LabelMapping = dict[str, dict[str, str]]
"""By system: the name that each of its labels is translated to."""


def translate_labels(corpus: Corpus, slots: Slots) -> tuple[Corpus, LabelMapping]:
    """Return the corpus with the labels of all systems translated to the reference's, and the mapping."""
    pairings = Pairings.of(corpus, slots)
    batch = pairings.batch
    width = len(corpus.categories)
    label = pairings.system[batch.instance] * width + batch.category  # by system also for units of the reference
    has_label = batch.category >= 0
    counterpart = _counterparts(batch, label, has_label, len(corpus.annotators) * width)
    counterparts: dict[str, dict[str, str | None]] = {}
    for key in np.unique(label[has_label & (batch.annotator == SYSTEM)]).tolist():
        code, category = divmod(key, width)
        target = int(counterpart[key])
        names = counterparts.setdefault(corpus.annotators[code], {})
        names[corpus.categories[category]] = None if target < 0 else corpus.categories[target % width]
    mapping = {system: _translations(names, corpus.categories) for system, names in counterparts.items()}
    return _relabel(corpus, mapping), mapping


def _counterparts(batch: Batch, label: IntArray, has_label: BoolArray, n_labels: int) -> IntArray:
    """Return the reference's label for each label of a system, -1 if it has none; shape (n_labels,)."""
    overlaps = Overlaps.of(batch)
    both_labelled = has_label[overlaps.reference] & has_label[overlaps.system]
    overlaps = overlaps.take(both_labelled & (overlaps.length > 0))
    keys, index = np.unique(label[overlaps.system] * n_labels + label[overlaps.reference], return_inverse=True)
    length = grouped_sums(index.reshape(-1), overlaps.length, len(keys))
    source, target = np.divmod(keys, max(n_labels, 1))
    begin = np.searchsorted(source, np.arange(n_labels + 1))
    edge, _, _ = kernels.match(begin, target, length, n_labels)
    return np.where(edge >= 0, np.append(target, -1)[edge], -1)


def _translations(counterparts: Mapping[str, str | None], categories: tuple[str, ...]) -> dict[str, str]:
    """Return the name that each label is translated to; different labels get different names."""
    taken = {name for name in counterparts.values() if name is not None}
    names = {}
    for label, counterpart in counterparts.items():
        name = label if counterpart is None else counterpart
        while counterpart is None and (name in taken or (name != label and name in categories)):
            name += _NO_COUNTERPART
        names[label] = name
        taken.add(name)
    return names


def _relabel(corpus: Corpus, mapping: Mapping[str, Mapping[str, str]]) -> Corpus:
    """Return the corpus with the units of each annotator relabelled; rows stay in their order."""
    categories = tuple(sorted(set(corpus.categories).union(*(names.values() for names in mapping.values()))))
    code = {name: index for index, name in enumerate(categories)}
    # The last column is for units without a category, whose code is -1.
    table = [
        [*(code[mapping.get(annotator, {}).get(name, name)] for name in corpus.categories), -1]
        for annotator in corpus.annotators
    ]
    codes = np.array(table, dtype=corpus.category.dtype)[corpus.annotator, corpus.category]
    return replace(corpus, categories=categories, category=codes)


def mapping_notes(mapping: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """Yield a note for each system with the labels that are translated."""
    for system, names in mapping.items():
        changed = [f"{label!r} as {name!r}" for label, name in names.items() if label != name]
        if changed:
            yield f"{system}: labels are read as the reference's: {few(changed, _MAX_LABELS_SHOWN)}"
