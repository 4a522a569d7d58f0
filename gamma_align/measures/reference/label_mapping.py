"""A system's labels read as the reference's, where the two have other names for them.

Over all documents that both saw, the system's labels are mapped one to one onto the reference's so that the length on
which units of mapped labels overlap is greatest, as DER does it document by document. A label without a counterpart
keeps its name, unless another label is read as that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from gamma_align import kernels
from gamma_align.columns import BoolArray, IntArray
from gamma_align.data.batch import Batch
from gamma_align.data.corpus import Corpus
from gamma_align.data.problem import few
from gamma_align.measures.reference.matching import Overlaps
from gamma_align.measures.reference.pairings import SYSTEM, Pairings, Slots

_MOST = 10
"""A note names no more labels than these."""
_ALONE = " (no counterpart)"


def with_mapped_labels(corpus: Corpus, slots: Slots) -> tuple[Corpus, dict[str, dict[str, str]]]:
    """Return the corpus with every system's labels read as the reference's, and which are: by system, own to read."""
    pairings = Pairings.of(corpus, slots)
    batch, width = pairings.batch, len(corpus.categories)
    label = pairings.system[batch.instance] * width + batch.category  # of either side of a system's pairs
    labelled = batch.category >= 0
    counterpart = _counterparts(batch, label, labelled, len(corpus.annotators) * width)
    found: dict[str, dict[str, str | None]] = {}
    for key in np.unique(label[labelled & (batch.annotator == SYSTEM)]).tolist():
        code, category = divmod(key, width)
        other = int(counterpart[key])
        names = found.setdefault(corpus.annotators[code], {})
        names[corpus.categories[category]] = None if other < 0 else corpus.categories[other % width]
    mapping = {system: _named(names, corpus.categories) for system, names in found.items()}
    return _relabelled(corpus, mapping), mapping


def _counterparts(batch: Batch, label: IntArray, labelled: BoolArray, n_labels: int) -> IntArray:
    """Return the reference's label of each label of a system, -1 without one; shape (n_labels,)."""
    overlaps = Overlaps.of(batch)
    overlaps = overlaps.take(labelled[overlaps.reference] & labelled[overlaps.system] & (overlaps.length > 0))
    key, index = np.unique(label[overlaps.system] * n_labels + label[overlaps.reference], return_inverse=True)
    length = np.bincount(index.reshape(-1), weights=overlaps.length, minlength=len(key)).astype(np.float64)
    own, other = np.divmod(key, max(n_labels, 1))
    begin = np.searchsorted(own, np.arange(n_labels + 1))
    edge, _, _ = kernels.match(begin, other, length, n_labels)
    return np.where(edge >= 0, np.append(other, -1)[edge], -1)


def _named(names: Mapping[str, str | None], categories: tuple[str, ...]) -> dict[str, str]:
    """Return what each label is read as, different labels as different ones."""
    taken = {name for name in names.values() if name is not None}
    read = {}
    for own, other in names.items():
        name = own if other is None else other
        while other is None and (name in taken or (name != own and name in categories)):
            name += _ALONE
        read[own] = name
        taken.add(name)
    return read


def _relabelled(corpus: Corpus, mapping: Mapping[str, Mapping[str, str]]) -> Corpus:
    """Return the corpus with the units of each annotator relabelled, rows and all else as they are."""
    read = {name for names in mapping.values() for name in names.values()}
    categories = tuple(sorted({*corpus.categories, *read}))
    code = {name: number for number, name in enumerate(categories)}
    table = [
        [code[mapping.get(annotator, {}).get(name, name)] for name in corpus.categories] + [-1]
        for annotator in corpus.annotators
    ]
    codes = np.array(table, dtype=corpus.category.dtype)[corpus.annotator, corpus.category]
    return replace(corpus, categories=categories, category=codes)


def notes_on(mapping: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """Yield which labels of each system are read as others."""
    for system, names in mapping.items():
        changed = [f"{own!r} as {read!r}" for own, read in names.items() if own != read]
        if changed:
            yield f"{system}: labels are read as the reference's: {few(changed, _MOST)}"
